/* Arguments of a kernel: the words they arrive in (ISA.md 1.8), and the parameters of the first
 * frame built from them. */
#include "frontend/wbin_ext.h"
#include "spirv/to_ir.h"

#include <string.h>

typedef struct argument {
    const spirv_argument *from;
    wave_argument *to;
    const spirv_type *type; /* of the value; for a pointer, of the pointee */
    uint32_t first;         /* word */
} argument;

static uint8_t scalar_type(const spirv_type *t, bool with_sign) {
    if (t->kind == SPIRV_FLOAT)
        return t->bits == 16 ? WAVE_TYPE_F16 : t->bits == 32 ? WAVE_TYPE_F32 : WAVE_TYPE_F64;
    if (t->kind != SPIRV_INT)
        return WAVE_TYPE_BYTES;
    switch (t->bits) {
    case 8: return with_sign ? WAVE_TYPE_I8 : WAVE_TYPE_U8;
    case 16: return with_sign ? WAVE_TYPE_I16 : WAVE_TYPE_U16;
    case 32: return with_sign ? WAVE_TYPE_I32 : WAVE_TYPE_U32;
    default: return with_sign ? WAVE_TYPE_I64 : WAVE_TYPE_U64;
    }
}

/* Kernel SPIR-V has no signed types; the source type may be known. */
static bool is_signed(const spirv_argument *a) {
    return a->sign_extended || a->source_type == WAVE_TYPE_I8 || a->source_type == WAVE_TYPE_I16 ||
           a->source_type == WAVE_TYPE_I32 || a->source_type == WAVE_TYPE_I64;
}

static const char *shown_name(const argument *a) {
    return *a->from->name ? a->from->name : "(without a name)";
}

static ir_value word(builder *b, uint32_t k) {
    return ir_leaf(to_func(b), IR_ARG, IR_U32, k);
}

static bool too_many_words(builder *b) {
    return to_fail(b, DIAG_E_SPIRV_LIMIT, "the arguments of %s take more than %d words",
                   b->entry->name, FE_MAX_ARGUMENT_WORDS - 1);
}

/* ---- Pointers ---- */

/* A vector is described by the type of its scalars. */
static uint8_t element_type(const spirv_module *m, const argument *a) {
    const spirv_type *t = a->type;
    if (a->from->source_type != WAVE_TYPE_COUNT)
        return a->from->source_type;
    while (t && (t->kind == SPIRV_VECTOR || t->kind == SPIRV_ARRAY))
        t = spirv_type_at(m, t->element);
    return t ? scalar_type(t, is_signed(a->from)) : WAVE_TYPE_BYTES;
}

static bool take_buffer(builder *b, to_frame *f, argument *a) {
    ir_value v = word(b, a->first);
    a->to->kind = WAVE_ARGUMENT_BUFFER;
    a->to->type = element_type(to_module_of(b), a);
    a->to->access = WAVE_ARGUMENT_READ;
    const spirv_type *pointer = to_type_of(b, a->from->id);
    if (!a->from->no_write && pointer->storage == SPIRV_CrossWorkgroup)
        a->to->access |= WAVE_ARGUMENT_WRITTEN;
    if (a->from->no_alias)
        a->to->flags |= WAVE_ARGUMENT_RESTRICT;
    a->to->words = 1;
    to_bind(b, f, a->from->id, &v, 1, IR_DEVICE);
    return true;
}

static bool take_local(builder *b, to_frame *f, argument *a) {
    const spirv_options *o = b->options;
    const char *name = a->from->name;
    size_t k = 0;
    while (k < o->local_count && strcmp(o->locals[k].name, name) != 0)
        k++;
    if (k == o->local_count)
        return to_fail(b, DIAG_E_SPIRV_LOCAL,
                       "the size of local memory for argument %s of %s is not given", shown_name(a),
                       b->entry->name);
    a->to->kind = WAVE_ARGUMENT_LOCAL;
    a->to->type = element_type(to_module_of(b), a);
    a->to->access = WAVE_ARGUMENT_READ | WAVE_ARGUMENT_WRITTEN;
    ir_value v = to_u32(b, to_take_local(b, o->locals[k].bytes, 128));
    to_bind(b, f, a->from->id, &v, 1, IR_LOCAL);
    return true;
}

/* A structure by value is copied to private memory; parts that are not indexed become values
 * later. */
static bool take_structure(builder *b, to_frame *f, argument *a) {
    uint32_t words = (a->type->size + 3) / 4;
    uint32_t align = a->type->align > 16 ? a->type->align : 16;
    uint32_t at = (b->private_top + align - 1) / align * align;
    to_pointer p = {to_u32(b, at), IR_PRIVATE, to_new_object(b)};
    a->to->type = WAVE_TYPE_BYTES;
    a->to->words = (uint16_t)words;
    if (a->first + words > FE_MAX_ARGUMENT_WORDS)
        return too_many_words(b);
    b->private_top = at + 4 * words;
    if (b->private_top > b->s.f->private_memory)
        b->s.f->private_memory = b->private_top;
    for (uint32_t k = 0; k < words; k++) {
        const to_scalar s = {.offset = 4 * k, .type = IR_U32, .bits = 32};
        to_store_scalar(b, p, &s, 4, word(b, a->first + k));
    }
    to_bind(b, f, a->from->id, &p.offset, 1, p.space);
    f->object[f->plan->in->slot[a->from->id]] = p.object;
    return true;
}

/* ---- Values ---- */

/* A scalar from the bytes that arrive, starting at a word. */
static ir_value take_scalar(builder *b, uint32_t first, const to_scalar *s) {
    ir_value v = word(b, first + s->offset / 4);
    if (s->bits == 64)
        v = to_u64(b, v, word(b, first + s->offset / 4 + 1));
    if (s->bits < 32) {
        if (s->offset % 4)
            v = to_2(b, IR_SHR, IR_U32, v, to_u32(b, s->offset % 4 * 8));
        v = to_cut(b, v, s->bits < 8 ? 8 : s->bits);
    }
    return to_from_bits(b, v, (ir_type)s->type);
}

static bool take_value(builder *b, to_frame *f, argument *a) {
    const to_flat *flat = to_flat_in(b, a->from->type);
    if (!flat)
        return false;
    uint32_t words = (a->type->size + 3) / 4;
    a->to->type = a->type->kind == SPIRV_VECTOR || a->type->kind == SPIRV_STRUCT ||
                          a->type->kind == SPIRV_ARRAY
                      ? WAVE_TYPE_BYTES
                      : scalar_type(a->type, is_signed(a->from));
    a->to->words = (uint16_t)words;
    if (a->first + words > FE_MAX_ARGUMENT_WORDS)
        return too_many_words(b);
    for (uint32_t k = 0; k < flat->count; k++)
        b->operands[0].v[k] = take_scalar(b, a->first, &flat->list[k]);
    to_bind(b, f, a->from->id, b->operands[0].v, flat->count, TO_ANYWHERE);
    return true;
}

static bool take_argument(builder *b, to_frame *f, argument *a) {
    const spirv_module *m = to_module_of(b);
    const spirv_type *type = spirv_type_at(m, a->from->type);
    a->to->name = a->from->name;
    a->to->kind = WAVE_ARGUMENT_SCALAR;
    a->to->access = WAVE_ARGUMENT_READ;
    a->to->first_word = (uint16_t)a->first;
    if (type->kind != SPIRV_POINTER) {
        a->type = type;
        return take_value(b, f, a);
    }
    a->type = spirv_type_at(m, a->from->by_value ? a->from->by_value : type->element);
    if (a->from->by_value)
        return take_structure(b, f, a);
    if (type->storage == SPIRV_Workgroup)
        return take_local(b, f, a);
    if (type->storage == SPIRV_CrossWorkgroup || type->storage == SPIRV_UniformConstant)
        return take_buffer(b, f, a);
    return to_fail(b, DIAG_E_SPIRV_FEATURE,
                   "the argument %s points to memory that a host cannot provide", shown_name(a));
}

bool to_arguments(builder *b, to_frame *f, spirv_kernel *kernel) {
    uint32_t count = b->entry->argument_count, first = 0;
    wave_argument *list = arena_alloc(&b->p->memory, (count + (size_t)1) * sizeof *list);
    if (!list) {
        b->s.f->failed = true;
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        argument a = {.from = &b->entry->arguments[k], .to = &list[k], .first = first};
        if (!take_argument(b, f, &a))
            return false;
        first += list[k].words;
        if (first > FE_MAX_ARGUMENT_WORDS - 1)
            return too_many_words(b);
    }
    *kernel = (spirv_kernel){.arguments = list, .argument_count = count};
    b->s.f->arg_words = first;
    return true;
}
