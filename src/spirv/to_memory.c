/* Loads, stores and copies, pointers and their arithmetic. An access with an alignment below its
 * size is split into smaller ones. */
#include "spirv/to_ir.h"

uint8_t to_space_of_storage(unsigned storage) {
    switch (storage) {
    case SPIRV_CrossWorkgroup: return IR_DEVICE;
    case SPIRV_Workgroup: return IR_LOCAL;
    case SPIRV_Function:
    case SPIRV_Private: return IR_PRIVATE;
    case SPIRV_Input: return TO_INPUT;
    default: return TO_MIXED; /* generic; constant: an argument's or a variable's memory */
    }
}

uint32_t to_take_local(builder *b, uint32_t bytes, uint32_t align) {
    uint64_t at = ((uint64_t)b->local_top + align - 1) / (align ? align : 1) * (align ? align : 1);
    b->local_top = at + bytes > INT32_MAX ? INT32_MAX : (uint32_t)(at + bytes);
    return (uint32_t)at;
}

bool to_read_pointer(builder *b, spirv_id id, to_pointer *out) {
    to_value *v = &b->scalar_value;
    if (!to_read(b, id, v))
        return false;
    *out = (to_pointer){v->v[0], v->space, v->object};
    if (v->count != 1)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "expected a pointer");
    if (out->space == TO_ANYWHERE) { /* null: using it is undefined */
        const spirv_type *type = to_type_of(b, id);
        uint8_t space = type ? to_space_of_storage(type->storage) : TO_MIXED;
        out->space = space < IR_SPACE_COUNT ? space : IR_DEVICE;
    }
    if (out->space == TO_MIXED)
        return to_fail(b, DIAG_E_GENERIC_POINTER,
                       "cannot determine which memory this pointer points to");
    return true;
}

/* ---- Scalars ---- */

static uint64_t access_of(to_pointer p, unsigned bytes) {
    return ir_access_pack((ir_access){
        .space = p.space, .bytes = (uint8_t)bytes, .object = p.space == IR_PRIVATE ? p.object : 0});
}

static ir_value load_bytes(builder *b, to_pointer p, uint32_t offset, unsigned bytes) {
    ir_value address = to_add(b, p.offset, offset);
    return ssa_emit(&b->s, IR_LOAD, IR_U32, &address, 1, access_of(p, bytes));
}

/* Up to 4 bytes, in pieces if the alignment requires it. */
static ir_value load_word(builder *b, to_pointer p, uint32_t offset, unsigned bytes,
                          uint32_t align) {
    unsigned piece = align < bytes ? align : bytes;
    ir_value v = load_bytes(b, p, offset, piece);
    for (unsigned k = piece; k < bytes; k += piece) {
        ir_value more = load_bytes(b, p, offset + k, piece);
        more = to_2(b, IR_SHL, IR_U32, more, to_u32(b, 8 * k));
        v = to_2(b, IR_OR, IR_U32, v, more);
    }
    return v;
}

static ir_value load_pair(builder *b, to_pointer p, uint32_t offset, uint32_t align) {
    if (align < 8)
        return to_u64(b, load_word(b, p, offset, 4, align), load_word(b, p, offset + 4, 4, align));
    ir_value address = to_add(b, p.offset, offset);
    ir_value op = ssa_emit(&b->s, IR_LOADS, IR_VOID, &address, 1, access_of(p, 8));
    ir_value low = ssa_emit(&b->s, IR_RESULT, IR_U32, &op, 1, 0);
    return to_u64(b, low, ssa_emit(&b->s, IR_RESULT, IR_U32, &op, 1, 1));
}

static uint32_t align_at(uint32_t align, uint32_t offset) {
    while (align > 1 && offset % align)
        align /= 2;
    return align ? align : 1;
}

/* bool is a byte */
static unsigned bytes_of(const to_scalar *s) {
    return s->bits < 8 ? 1 : s->bits / 8u;
}

ir_value to_load_scalar(builder *b, to_pointer p, const to_scalar *s, uint32_t align) {
    align = align_at(align, s->offset);
    ir_value v = s->bits == 64 ? load_pair(b, p, s->offset, align)
                               : load_word(b, p, s->offset, bytes_of(s), align);
    return to_from_bits(b, v, (ir_type)s->type);
}

static void store_word(builder *b, to_pointer p, uint32_t offset, unsigned bytes, uint32_t align,
                       ir_value v) {
    unsigned piece = align < bytes ? align : bytes;
    for (unsigned k = 0; k < bytes; k += piece) {
        ir_value part = k ? to_2(b, IR_SHR, IR_U32, v, to_u32(b, 8 * k)) : v;
        ir_value args[2] = {to_add(b, p.offset, offset + k), part};
        ssa_emit(&b->s, IR_STORE, IR_VOID, args, 2, access_of(p, piece));
    }
}

void to_store_scalar(builder *b, to_pointer p, const to_scalar *s, uint32_t align, ir_value v) {
    align = align_at(align, s->offset);
    v = to_bits(b, v);
    if (s->bits < 64) {
        store_word(b, p, s->offset, bytes_of(s), align, v);
        return;
    }
    ir_value low = to_resize(b, v, 64, 32, false), high = to_1(b, IR_HI64, IR_U32, v);
    if (align >= 8) {
        ir_value args[3] = {to_add(b, p.offset, s->offset), low, high};
        ssa_emit(&b->s, IR_STORE, IR_VOID, args, 3, access_of(p, 8));
    } else {
        store_word(b, p, s->offset, 4, align, low);
        store_word(b, p, s->offset + 4, 4, align, high);
    }
}

/* ---- Values: four or two words at a time if they are contiguous ---- */

/* The number of scalars, starting at k, that form an access of 16 or 8 bytes; 1: none. */
static uint32_t run_of(const to_flat *flat, uint32_t k, uint32_t align, uint8_t space) {
    uint32_t most = space == IR_LOCAL ? 2 : 4, n = 0;
    while (n < most && k + n < flat->count && flat->list[k + n].bits == 32 &&
           flat->list[k + n].type != IR_BOOL &&
           flat->list[k + n].offset == flat->list[k].offset + 4 * n)
        n++;
    uint32_t at = align_at(align, flat->list[k].offset);
    return n == 4 && at >= 16 ? 4 : n >= 2 && at >= 8 ? 2 : 1;
}

void to_load(builder *b, to_pointer p, const to_flat *flat, uint32_t align, ir_value *out) {
    for (uint32_t k = 0; k < flat->count;) {
        uint32_t n = run_of(flat, k, align, p.space);
        if (n == 1) {
            out[k] = to_load_scalar(b, p, &flat->list[k], align);
        } else {
            ir_value address = to_add(b, p.offset, flat->list[k].offset);
            ir_value op = ssa_emit(&b->s, IR_LOADS, IR_VOID, &address, 1, access_of(p, 4 * n));
            for (uint32_t j = 0; j < n; j++)
                out[k + j] = ssa_emit(&b->s, IR_RESULT, IR_U32, &op, 1, j);
            for (uint32_t j = 0; j < n; j++)
                out[k + j] = to_from_bits(b, out[k + j], (ir_type)flat->list[k + j].type);
        }
        k += n;
    }
}

void to_store(builder *b, to_pointer p, const to_flat *flat, uint32_t align, const ir_value *v) {
    for (uint32_t k = 0; k < flat->count;) {
        uint32_t n = run_of(flat, k, align, p.space);
        if (n == 1) {
            to_store_scalar(b, p, &flat->list[k], align, v[k]);
        } else {
            ir_value args[5] = {to_add(b, p.offset, flat->list[k].offset)};
            for (uint32_t j = 0; j < n; j++)
                args[1 + j] = to_bits(b, v[k + j]);
            ssa_emit(&b->s, IR_STORE, IR_VOID, args, 1 + n, access_of(p, 4 * n));
        }
        k += n;
    }
}

/* ---- OpLoad, OpStore ---- */

/* The alignment of a memory access, or the type's. */
static uint32_t alignment(builder *b, uint32_t word, spirv_id type) {
    const spirv_type *t = spirv_type_at(to_module_of(b), type);
    if (to_has_word(b, word + 1) && to_word(b, word) & SPIRV_Access_Aligned) {
        uint32_t align = to_word(b, word + 1);
        return align && !(align & (align - 1)) ? align : 1;
    }
    return t && t->align ? t->align : 1;
}

/* The variables that replace a promoted private variable; 0: it is in memory. */
static uint32_t promoted(const builder *b, spirv_id id) {
    const to_plan *plan = b->frame->plan;
    return to_module_of(b)->defs[id].kind == SPIRV_ID_VALUE ? plan->promoted[plan->in->slot[id]]
                                                            : 0;
}

static bool load_builtin(builder *b, const to_flat *flat, ir_value *out) {
    uint64_t bits;
    const spirv_module *m = to_module_of(b);
    if (!ir_is_const(to_func(b), b->scalar_value.v[0], &bits) || bits >> 8 >= m->variable_count)
        return to_fail(b, DIAG_E_SPIRV_FEATURE,
                       "the component of a built-in variable is not a constant");
    const spirv_variable *v = &m->variables[bits >> 8];
    const to_flat *whole = to_flat_in(b, spirv_type_at(m, v->type)->element);
    ir_value *all = b->operands[0].v;
    if (!whole || !to_builtin(b, v, whole, all))
        return false;
    for (uint32_t k = 0, n = 0; k < whole->count && n < flat->count; k++)
        if (whole->list[k].offset >= (bits & 0xFF))
            out[n++] = all[k];
    return true;
}

static bool build_load(builder *b) {
    spirv_id from = to_word(b, 3);
    const to_flat *flat = to_flat_in(b, b->insn->type);
    ir_value *out = b->edge_value.v;
    uint32_t variable = promoted(b, from);
    to_pointer p;
    if (!flat)
        return false;
    if (variable) {
        for (uint32_t k = 0; k < flat->count; k++)
            out[k] = ssa_read(&b->s, b->frame->base + variable - 1 + k);
        to_write(b, out, flat->count, b->frame->variable_space[variable - 1]);
        return true;
    }
    if (!to_read_pointer(b, from, &p))
        return false;
    for (uint32_t k = 0; k < flat->count; k++)
        out[k] = to_zero(b, (ir_type)flat->list[k].type);
    if (p.space == TO_INPUT && !load_builtin(b, flat, out))
        return false;
    if (p.space != TO_INPUT)
        to_load(b, p, flat, alignment(b, 4, b->insn->type), out);
    to_write(b, out, flat->count,
             TO_MIXED); /* a generic pointer from memory may point to any space */
    return true;
}

static bool build_store(builder *b) {
    spirv_id to = to_word(b, 1);
    to_value *v = &b->operands[0];
    uint32_t variable = promoted(b, to);
    to_pointer p;
    if (!to_read(b, to_word(b, 2), v))
        return false;
    if (variable) {
        uint8_t *space = &b->frame->variable_space[variable - 1];
        *space = to_merge_spaces(*space, v->space);
        if (*space == TO_MIXED && v->flat->list[0].storage == SPIRV_Generic + 1)
            return to_fail(b, DIAG_E_GENERIC_POINTER,
                           "a variable holds pointers to more than one kind of memory");
        for (uint32_t k = 0; k < v->count; k++)
            ssa_write(&b->s, b->frame->base + variable - 1 + k, v->v[k]);
        return true;
    }
    if (!to_read_pointer(b, to, &p))
        return false;
    if (p.space == IR_CONSTANT || p.space == TO_INPUT)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "store to memory that cannot be written");
    to_store(b, p, v->flat, alignment(b, 3, to_module_of(b)->defs[to_word(b, 2)].type), v->v);
    return true;
}

/* ---- Variables and pointers ---- */

static bool build_variable(builder *b) {
    to_frame *f = b->frame;
    const to_plan *plan = f->plan;
    uint32_t slot = plan->in->slot[b->insn->result];
    spirv_id start = to_has_word(b, 4) ? to_word(b, 4) : 0;
    to_value *v = &b->operands[0];
    if (start && !to_read(b, start, v))
        return false;
    if (plan->promoted[slot]) {
        for (uint32_t k = 0; start && k < v->count; k++)
            ssa_write(&b->s, f->base + plan->promoted[slot] - 1 + k, v->v[k]);
        ir_value none = to_u32(b, 0);
        to_write(b, &none, 1, IR_PRIVATE);
        return true;
    }
    to_pointer p = {to_u32(b, f->private_base + plan->place[slot]), IR_PRIVATE, to_new_object(b)};
    to_write(b, &p.offset, 1, p.space);
    to_point_into(b, p.object);
    if (start)
        to_store(b, p, v->flat, spirv_type_of(to_module_of(b), start)->align, v->v);
    return true;
}

/* One index into a type: the offset it adds, and the type inside. */
static bool step_into(builder *b, spirv_id index, spirv_id *type, to_pointer *p,
                      uint32_t *constant) {
    const spirv_module *m = to_module_of(b);
    const spirv_type *t = spirv_type_at(m, *type);
    uint64_t number;
    bool known = spirv_constant_number(m, index, &number);
    if (t && t->kind == SPIRV_STRUCT) {
        if (!known || number >= t->count)
            return to_fail(b, DIAG_E_SPIRV_TYPE, "the structure has no such member");
        *constant += t->members[number].offset;
        *type = t->members[number].type;
        return true;
    }
    if (!t || (t->kind != SPIRV_ARRAY && t->kind != SPIRV_VECTOR))
        return to_fail(b, DIAG_E_SPIRV_TYPE, "index into a value that is not a composite");
    uint32_t size = spirv_element_size(m, t);
    *type = t->element;
    ir_value i = to_read_index(b, index);
    uint64_t bits;
    if (!i)
        return false;
    if (ir_is_const(to_func(b), i, &bits))
        *constant += (uint32_t)bits * size;
    else
        p->offset = to_2(b, IR_IADD, IR_U32, p->offset, to_scale(b, i, size));
    return true;
}

static bool build_access_chain(builder *b, bool has_element) {
    const spirv_module *m = to_module_of(b);
    to_value *base = &b->operands[0];
    if (!to_read(b, to_word(b, 3), base))
        return false;
    to_pointer p = {base->v[0], base->space, base->object};
    const spirv_type *pointer = to_type_of(b, to_word(b, 3));
    spirv_id type = pointer->element;
    uint32_t constant = 0, at = 4;
    if (has_element) {
        const spirv_type *t = spirv_type_at(m, type);
        ir_value i = to_read_index(b, to_word(b, at++));
        uint64_t bits;
        if (!i || !t)
            return false;
        if (ir_is_const(to_func(b), i, &bits))
            constant += (uint32_t)bits * t->size;
        else
            p.offset = to_2(b, IR_IADD, IR_U32, p.offset, to_scale(b, i, t->size));
    }
    for (; at < b->insn->count; at++)
        if (!step_into(b, to_word(b, at), &type, &p, &constant))
            return false;
    p.offset = to_add(b, p.offset, constant);
    to_write(b, &p.offset, 1, p.space);
    to_point_into(b, p.object);
    return true;
}

/* The same offset with another type: space and object are preserved. */
static bool build_cast(builder *b) {
    to_value *v = &b->operands[0];
    if (!to_read(b, to_word(b, 3), v))
        return false;
    to_write(b, v->v, v->count, v->space);
    to_point_into(b, v->object);
    return true;
}

static bool build_pointer_to_integer(builder *b) {
    to_value *v = &b->operands[0];
    const to_flat *flat = to_flat_in(b, b->insn->type);
    if (!flat || !to_read(b, to_word(b, 3), v))
        return false;
    v->v[0] = to_resize(b, v->v[0], 32, flat->list[0].bits, false);
    to_write(b, v->v, 1, TO_ANYWHERE);
    return true;
}

static bool build_integer_to_pointer(builder *b) {
    ir_value v = to_read_index(b, to_word(b, 3));
    const spirv_type *type = spirv_type_at(to_module_of(b), b->insn->type);
    if (!v)
        return false;
    to_write(b, &v, 1, to_space_of_storage(type->storage));
    return true;
}

static bool build_pointer_compare(builder *b) {
    to_value *v = b->operands;
    if (!to_read(b, to_word(b, 3), &v[0]) || !to_read(b, to_word(b, 4), &v[1]))
        return false;
    ir_value r;
    if (b->insn->op == SPIRV_OpPtrDiff) {
        const spirv_type *type =
            spirv_type_at(to_module_of(b), to_type_of(b, to_word(b, 3))->element);
        uint32_t size = type && type->size ? type->size : 1;
        r = to_2(b, IR_ISUB, IR_U32, v[0].v[0], v[1].v[0]);
        if (size > 1)
            r = to_2(b, IR_IDIV, IR_U32, r, to_u32(b, size));
        const to_flat *flat = to_flat_in(b, b->insn->type);
        r = flat ? to_resize(b, r, 32, flat->list[0].bits, true) : r;
    } else {
        r = to_2(b, b->insn->op == SPIRV_OpPtrEqual ? IR_ICMP_EQ : IR_ICMP_NE, IR_BOOL, v[0].v[0],
                 v[1].v[0]);
    }
    to_write(b, &r, 1, TO_ANYWHERE);
    return true;
}

/* The memory a generic pointer points to, as memory semantics bits. */
static bool build_semantics(builder *b) {
    to_pointer p;
    if (!to_read_pointer(b, to_word(b, 3), &p))
        return false;
    ir_value v = to_u32(b, p.space == IR_LOCAL    ? SPIRV_WorkgroupMemory
                           : p.space == IR_DEVICE ? SPIRV_CrossWorkgroupMemory
                                                  : 0);
    to_write(b, &v, 1, TO_ANYWHERE);
    return true;
}

/* The pointer if it points to that memory, else null. */
static bool build_explicit_cast(builder *b) {
    to_pointer p;
    const spirv_type *type = spirv_type_at(to_module_of(b), b->insn->type);
    if (!to_read_pointer(b, to_word(b, 3), &p))
        return false;
    if (p.space != to_space_of_storage(type->storage))
        p = (to_pointer){to_u32(b, 0), TO_ANYWHERE, IR_ANY_OBJECT};
    to_write(b, &p.offset, 1, p.space);
    to_point_into(b, p.object);
    return true;
}

static bool build_size(builder *b) {
    const spirv_type *type = spirv_type_at(to_module_of(b), to_type_of(b, to_word(b, 3))->element);
    const to_flat *flat = to_flat_in(b, b->insn->type);
    if (!flat || !type)
        return false;
    ir_value v = to_resize(b, to_u32(b, type->size), 32, flat->list[0].bits, false);
    to_write(b, &v, 1, TO_ANYWHERE);
    return true;
}

bool to_memory(builder *b, bool *known) {
    *known = true;
    switch (b->insn->op) {
    case SPIRV_OpVariable: return build_variable(b);
    case SPIRV_OpLoad: return build_load(b);
    case SPIRV_OpStore: return build_store(b);
    case SPIRV_OpCopyMemory:
    case SPIRV_OpCopyMemorySized: return to_copy(b);
    case SPIRV_OpAccessChain:
    case SPIRV_OpInBoundsAccessChain: return build_access_chain(b, false);
    case SPIRV_OpPtrAccessChain:
    case SPIRV_OpInBoundsPtrAccessChain: return build_access_chain(b, true);
    case SPIRV_OpPtrCastToGeneric:
    case SPIRV_OpGenericCastToPtr: return build_cast(b);
    case SPIRV_OpGenericCastToPtrExplicit: return build_explicit_cast(b);
    case SPIRV_OpGenericPtrMemSemantics: return build_semantics(b);
    case SPIRV_OpConvertPtrToU: return build_pointer_to_integer(b);
    case SPIRV_OpConvertUToPtr: return build_integer_to_pointer(b);
    case SPIRV_OpPtrEqual:
    case SPIRV_OpPtrNotEqual:
    case SPIRV_OpPtrDiff: return build_pointer_compare(b);
    case SPIRV_OpSizeOf: return build_size(b);
    default: *known = false; return true;
    }
}
