/* Vectors, arrays and structures: rearranging their scalars. */
#include "spirv/to_ir.h"

/* The first scalar of the part selected by literal indices, starting at a word, and the part's
 * type. */
static bool find_part(builder *b, spirv_id whole, uint32_t word, uint32_t *first, spirv_id *type) {
    const spirv_module *m = to_module_of(b);
    *first = 0;
    *type = whole;
    for (; word < b->insn->count; word++) {
        const spirv_type *t = spirv_type_at(m, *type);
        uint32_t index = to_word(b, word);
        if (!t || index >= t->count ||
            (t->kind != SPIRV_VECTOR && t->kind != SPIRV_ARRAY && t->kind != SPIRV_STRUCT))
            return to_fail(b, DIAG_E_SPIRV_TYPE, "there is no component %u", index);
        if (t->kind != SPIRV_STRUCT) {
            const to_flat *part = to_flat_in(b, t->element);
            *type = t->element;
            *first += part ? index * part->count : 0;
            continue;
        }
        for (uint32_t k = 0; k < index; k++) {
            const to_flat *part = to_flat_in(b, t->members[k].type);
            *first += part ? part->count : 0;
        }
        *type = t->members[index].type;
    }
    return !b->failed;
}

static bool build_extract(builder *b) {
    to_value *v = &b->operands[0];
    uint32_t first;
    spirv_id type;
    if (!to_read(b, to_word(b, 3), v) ||
        !find_part(b, to_module_of(b)->defs[to_word(b, 3)].type, 4, &first, &type))
        return false;
    const to_flat *part = to_flat_in(b, b->insn->type);
    if (!part || first + part->count > v->count)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "there is no such component");
    to_write(b, v->v + first, part->count, TO_MIXED);
    return true;
}

static bool build_insert(builder *b) {
    to_value *part = &b->operands[0], *whole = &b->operands[1];
    uint32_t first;
    spirv_id type;
    if (!to_read(b, to_word(b, 3), part) || !to_read(b, to_word(b, 4), whole) ||
        !find_part(b, b->insn->type, 5, &first, &type))
        return false;
    if (first + part->count > whole->count)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "there is no such component");
    for (uint32_t k = 0; k < part->count; k++)
        whole->v[first + k] = part->v[k];
    to_write(b, whole->v, whole->count, TO_ANYWHERE);
    return true;
}

static bool build_construct(builder *b) {
    to_value *part = &b->operands[0], *whole = &b->operands[1];
    uint32_t at = 0;
    for (uint32_t word = 3; word < b->insn->count; word++) {
        if (!to_read(b, to_word(b, word), part))
            return false;
        for (uint32_t k = 0; k < part->count && at < TO_MOST_SCALARS; k++)
            whole->v[at++] = part->v[k];
    }
    to_write(b, whole->v, at, TO_ANYWHERE);
    return true;
}

/* 0xFFFFFFFF: the component is undefined. */
static bool build_shuffle(builder *b) {
    to_value *v = b->operands;
    if (!to_read(b, to_word(b, 3), &v[0]) || !to_read(b, to_word(b, 4), &v[1]))
        return false;
    uint32_t count = b->insn->count - 5u;
    for (uint32_t k = 0; k < count && k < TO_MOST_SCALARS; k++) {
        uint32_t from = to_word(b, 5 + k);
        if (from < v[0].count)
            v[2].v[k] = v[0].v[from];
        else if (from - v[0].count < v[1].count)
            v[2].v[k] = v[1].v[from - v[0].count];
        else
            v[2].v[k] = to_zero(b, ir_type_of(to_func(b), v[0].v[0]));
    }
    to_write(b, v[2].v, count, TO_ANYWHERE);
    return true;
}

static ir_value is_index(builder *b, ir_value index, uint32_t k) {
    return to_2(b, IR_ICMP_EQ, IR_BOOL, index, to_u32(b, k));
}

static bool build_extract_dynamic(builder *b) {
    to_value *v = &b->operands[0];
    if (!to_read(b, to_word(b, 3), v))
        return false;
    ir_value index = to_read_index(b, to_word(b, 4)), r = v->v[0];
    uint64_t known;
    if (!index)
        return false;
    if (ir_is_const(to_func(b), index, &known))
        r = v->v[known < v->count ? known : 0];
    else
        for (uint32_t k = 1; k < v->count; k++)
            r = to_select(b, is_index(b, index, k), v->v[k], r);
    to_write(b, &r, 1, TO_MIXED);
    return true;
}

static bool build_insert_dynamic(builder *b) {
    to_value *v = b->operands;
    if (!to_read(b, to_word(b, 3), &v[0]) || !to_read(b, to_word(b, 4), &v[1]))
        return false;
    ir_value index = to_read_index(b, to_word(b, 5));
    if (!index)
        return false;
    for (uint32_t k = 0; k < v[0].count; k++)
        v[0].v[k] = to_select(b, is_index(b, index, k), v[1].v[0], v[0].v[k]);
    to_write(b, v[0].v, v[0].count, TO_ANYWHERE);
    return true;
}

/* OpCopyLogical: the types differ, but not what they consist of. */
static bool is_alike(const to_flat *a, const to_flat *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t k = 0; k < a->count; k++)
        if (a->list[k].type != b->list[k].type || a->list[k].bits != b->list[k].bits)
            return false;
    return true;
}

static bool build_copy(builder *b) {
    to_value *v = &b->operands[0];
    const to_flat *flat = to_flat_in(b, b->insn->type);
    if (!flat || !to_read(b, to_word(b, 3), v))
        return false;
    if (!is_alike(flat, v->flat))
        return to_fail(b, DIAG_E_SPIRV_TYPE, "operand and result consist of different types");
    to_write(b, v->v, v->count, v->space);
    return true;
}

bool to_vector(builder *b, bool *known) {
    *known = true;
    switch (b->insn->op) {
    case SPIRV_OpCompositeExtract: return build_extract(b);
    case SPIRV_OpCompositeInsert: return build_insert(b);
    case SPIRV_OpCompositeConstruct: return build_construct(b);
    case SPIRV_OpVectorShuffle: return build_shuffle(b);
    case SPIRV_OpVectorExtractDynamic: return build_extract_dynamic(b);
    case SPIRV_OpVectorInsertDynamic: return build_insert_dynamic(b);
    case SPIRV_OpCopyObject:
    case SPIRV_OpCopyLogical:
    case SPIRV_OpExpectKHR: return build_copy(b);
    case SPIRV_OpAssumeTrueKHR: return true;
    default: *known = false; return true;
    }
}
