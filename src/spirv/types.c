/* Types, with their size and layout in memory by the rules of OpenCL C on Physical32: a vector of
 * three takes the space of four, structures follow C unless CPacked. */
#include "spirv/reader.h"

#include <string.h>

static bool bad_type(const spirv_reader *r, const spirv_insn *insn, const char *what) {
    return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "%s", what);
}

static bool is_scalar(const spirv_type *t) {
    return t->kind == SPIRV_BOOL || t->kind == SPIRV_INT || t->kind == SPIRV_FLOAT;
}

static bool set_size(const spirv_reader *r, const spirv_insn *insn, spirv_type *t, uint64_t size,
                     uint32_t align) {
    if (size > LARGEST_TYPE)
        return spirv_fail(r, insn, DIAG_E_SPIRV_LIMIT, "the type is larger than 2 GiB");
    t->size = (uint32_t)size;
    t->align = align;
    return true;
}

static bool is_declared(const spirv_reader *r, bool integer, uint32_t bits) {
    switch (bits) {
    case 8: return integer && r->int8;
    case 16: return integer ? r->int16 : r->float16;
    case 64: return integer ? r->int64 : r->float64;
    default: return bits == 32;
    }
}

static bool number_type(const spirv_reader *r, const spirv_insn *insn, spirv_type *t) {
    bool integer = insn->op == SPIRV_OpTypeInt;
    uint32_t bits = spirv_word(r->m, insn, 2);
    if (bits != 16 && bits != 32 && bits != 64 && !(integer && bits == 8))
        return spirv_fail(r, insn, DIAG_E_SPIRV_FEATURE, "WAVE has no %s of %u bits",
                          integer ? "integers" : "floats", bits);
    if (!is_declared(r, integer, bits))
        return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "the module lacks the capability %s%u",
                          integer ? "Int" : "Float", bits);
    t->kind = integer ? SPIRV_INT : SPIRV_FLOAT;
    t->bits = (uint8_t)bits;
    t->is_signed = integer && spirv_word(r->m, insn, 3) != 0;
    return set_size(r, insn, t, bits / 8, bits / 8);
}

static bool vector_type(const spirv_reader *r, const spirv_insn *insn, spirv_type *t) {
    const spirv_type *element = spirv_type_at(r->m, spirv_word(r->m, insn, 2));
    uint32_t count = spirv_word(r->m, insn, 3);
    if (!is_scalar(element))
        return bad_type(r, insn, "the components of a vector must be scalars");
    if (count != 2 && count != 3 && count != 4 && count != 8 && count != 16)
        return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "a vector cannot have %u components", count);
    t->kind = SPIRV_VECTOR;
    t->element = element->id;
    t->count = count;
    uint32_t size = element->size * (count == 3 ? 4 : count);
    return set_size(r, insn, t, size, size);
}

/* The nesting of arrays and structures; everything else has depth 0. */
static bool set_depth(const spirv_reader *r, const spirv_insn *insn, spirv_type *t,
                      uint8_t inside) {
    if (inside >= DEEPEST_TYPE)
        return spirv_fail(r, insn, DIAG_E_SPIRV_LIMIT, "types nest deeper than %d levels",
                          DEEPEST_TYPE);
    t->depth = (uint8_t)(inside + 1);
    return true;
}

static bool array_type(const spirv_reader *r, const spirv_insn *insn, spirv_type *t) {
    const spirv_type *element = spirv_type_at(r->m, spirv_word(r->m, insn, 2));
    uint64_t count;
    if (element->size == 0)
        return bad_type(r, insn, "the elements have no size");
    if (!spirv_constant_number(r->m, spirv_word(r->m, insn, 3), &count) || count == 0)
        return bad_type(r, insn, "the length is not a positive constant");
    if (count > LARGEST_TYPE)
        return spirv_fail(r, insn, DIAG_E_SPIRV_LIMIT, "the type is larger than 2 GiB");
    t->kind = SPIRV_ARRAY;
    t->element = element->id;
    t->count = (uint32_t)count;
    return set_depth(r, insn, t, element->depth) &&
           set_size(r, insn, t, count * element->size, element->align);
}

static uint64_t round_up(uint64_t value, uint32_t align) {
    return (value + align - 1) / align * align;
}

/* Size and alignment of a member; a forward-declared pointer is a pointer too. */
static bool member_layout(const spirv_module *m, spirv_id id, uint32_t *size, uint32_t *align,
                          uint8_t *depth) {
    const spirv_insn *insn = &m->insns[m->defs[id].insn];
    if (insn->op == SPIRV_OpTypePointer) {
        *size = *align = 4;
        return true;
    }
    const spirv_type *type = spirv_type_at(m, id);
    *size = type->size;
    *align = type->align;
    if (type->depth > *depth)
        *depth = type->depth;
    return type->size != 0;
}

static bool struct_type(const spirv_reader *r, const spirv_insn *insn, spirv_type *t) {
    const spirv_module *m = r->m;
    bool packed = spirv_decorated(m, insn->result, UINT32_MAX, SPIRV_Dec_CPacked) != NULL;
    t->kind = SPIRV_STRUCT;
    t->count = insn->count - 2U;
    spirv_member *members = spirv_room(r, t->count, sizeof *members);
    if (!members)
        return false;
    uint64_t end = 0;
    uint32_t largest = 1;
    uint8_t depth = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t size, align;
        members[i].type = spirv_word(m, insn, 2 + i);
        if (!member_layout(m, members[i].type, &size, &align, &depth))
            return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "member %u has no size", i);
        align = packed ? 1 : align;
        end = round_up(end, align);
        if (end + size > LARGEST_TYPE)
            return set_size(r, insn, t, UINT64_MAX, 1);
        members[i].offset = (uint32_t)end;
        end += size;
        largest = align > largest ? align : largest;
    }
    t->members = members;
    /* A structure without members still has a size, as in C++: pointers to such structures stay
     * distinct. */
    return set_depth(r, insn, t, depth) &&
           set_size(r, insn, t, end ? round_up(end, largest) : 1, largest);
}

static bool pointer_type(const spirv_reader *r, const spirv_insn *insn, spirv_type *t) {
    static const uint32_t good = 1U << SPIRV_UniformConstant | 1U << SPIRV_Input |
                                 1U << SPIRV_Workgroup | 1U << SPIRV_CrossWorkgroup |
                                 1U << SPIRV_Private | 1U << SPIRV_Function | 1U << SPIRV_Generic;
    uint32_t storage = spirv_word(r->m, insn, 2);
    if (storage >= 32 || !(good >> storage & 1))
        return spirv_fail(r, insn, DIAG_E_SPIRV_FEATURE, "storage class %u is not supported",
                          storage);
    t->kind = SPIRV_POINTER;
    t->storage = (uint8_t)storage;
    t->element = spirv_word(r->m, insn, 3);
    t->bits = 32;
    return set_size(r, insn, t, 4, 4);
}

static bool function_type(const spirv_reader *r, const spirv_insn *insn, spirv_type *t) {
    const spirv_module *m = r->m;
    t->kind = SPIRV_FUNCTION;
    t->element = spirv_word(m, insn, 2);
    t->count = insn->count - 3U;
    t->parameters = &m->words[insn->word + 3];
    for (uint32_t i = 0; i < t->count; i++) {
        const spirv_type *p = spirv_type_at(m, t->parameters[i]);
        if (p->kind == SPIRV_VOID || p->kind == SPIRV_FUNCTION || p->kind == SPIRV_OPAQUE)
            return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "parameter %u has no size", i);
    }
    return true;
}

static bool build(const spirv_reader *r, const spirv_insn *insn, spirv_type *t) {
    t->count = 1;
    switch (insn->op) {
    case SPIRV_OpTypeVoid: t->kind = SPIRV_VOID; return true;
    case SPIRV_OpTypeOpaque: t->kind = SPIRV_OPAQUE; return true;
    case SPIRV_OpTypeEvent: t->kind = SPIRV_EVENT; return set_size(r, insn, t, 4, 4);
    case SPIRV_OpTypeBool:
        t->kind = SPIRV_BOOL;
        t->bits = 1;
        return set_size(r, insn, t, 1, 1);
    case SPIRV_OpTypeInt:
    case SPIRV_OpTypeFloat: return number_type(r, insn, t);
    case SPIRV_OpTypeVector: return vector_type(r, insn, t);
    case SPIRV_OpTypeArray: return array_type(r, insn, t);
    case SPIRV_OpTypeStruct: return struct_type(r, insn, t);
    case SPIRV_OpTypePointer: return pointer_type(r, insn, t);
    default: return function_type(r, insn, t);
    }
}

bool spirv_declare_type(spirv_reader *r, const spirv_insn *insn) {
    spirv_module *m = r->m;
    spirv_type *t = &m->types[m->type_count];
    t->id = insn->result;
    m->defs[insn->result].index = m->type_count++;
    return build(r, insn, t);
}

/* ---- Comparing ---- */

static bool same_number(const spirv_type *a, const spirv_type *b) {
    return a->kind == b->kind && a->bits == b->bits;
}

static bool same_element(const spirv_module *m, const spirv_type *a, const spirv_type *b) {
    if (a->id == b->id)
        return true;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case SPIRV_VOID:
    case SPIRV_EVENT: return true;
    case SPIRV_BOOL:
    case SPIRV_INT:
    case SPIRV_FLOAT: return same_number(a, b);
    case SPIRV_VECTOR:
        return a->count == b->count &&
               same_number(spirv_type_at(m, a->element), spirv_type_at(m, b->element));
    case SPIRV_POINTER: return a->storage == b->storage;
    default: return false;
    }
}

bool spirv_same_type(const spirv_module *m, spirv_id a, spirv_id b) {
    if (a == b)
        return true;
    const spirv_type *s = spirv_type_at(m, a), *t = spirv_type_at(m, b);
    if (!s || !t || s->id != a || t->id != b) /* a forward-declared pointer */
        return false;
    if (s->kind == SPIRV_ARRAY && t->kind == SPIRV_ARRAY)
        return s->count == t->count &&
               same_element(m, spirv_type_at(m, s->element), spirv_type_at(m, t->element));
    return same_element(m, s, t);
}
