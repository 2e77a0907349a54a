/* OpSpecConstantOp: operations on numbers by component, on parts of composites, and on the
 * addresses of global variables. */
#include "spirv/reader.h"

#include <string.h>

/* The type with that id; an empty one, which never folds, if there is none. */
static const spirv_type *type_at(const spirv_module *m, spirv_id id) {
    static const spirv_type none;
    const spirv_type *type = spirv_type_at(m, id);
    return type ? type : &none;
}

typedef struct folding {
    spirv_reader *r;
    const spirv_insn *insn;
    unsigned op;
    spirv_constant *out;
    const spirv_type *type; /* of the result */
} folding;

static bool does_not_fold(const folding *f) {
    return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FEATURE,
                      "%s on constants is not one of the operations that are folded",
                      spirv_op_name(f->op));
}

static const spirv_constant *operand(const folding *f, uint32_t index) {
    return spirv_constant_at(f->r->m, spirv_word(f->r->m, f->insn, 4 + index));
}

/* The same for a word that may be a literal; NULL: it names no constant. */
static const spirv_constant *checked_operand(const folding *f, uint32_t index) {
    return spirv_word(f->r->m, f->insn, 4 + index) < f->r->m->bound ? operand(f, index) : NULL;
}

static uint32_t operand_count(const folding *f) {
    return f->insn->count - 4U;
}

/* The number in component i of a scalar or vector; false for addresses and other types. */
static bool component(const spirv_module *m, const spirv_constant *c, uint32_t i, uint64_t *bits) {
    if (c->kind == SPIRV_COMPOSITE) {
        if (i >= c->count)
            return false;
        c = spirv_constant_at(m, c->elements[i]);
    }
    *bits = c->kind == SPIRV_SCALAR ? c->bits : 0;
    return c->kind != SPIRV_COMPOSITE && c->kind != SPIRV_ADDRESS;
}

static bool is_number(const spirv_type *t) {
    return t->kind == SPIRV_BOOL || t->kind == SPIRV_INT || t->kind == SPIRV_FLOAT;
}

/* Makes each element of a vector a separate constant. */
static bool make_vector(const folding *f, const uint64_t *values) {
    spirv_id *elements = spirv_room(f->r, f->type->count, sizeof *elements);
    if (!elements)
        return false;
    for (uint32_t i = 0; i < f->type->count; i++) {
        spirv_constant *c = spirv_add_constant(f->r, f->type->element);
        c->kind = SPIRV_SCALAR;
        c->bits = values[i];
        elements[i] = c->id;
    }
    f->out->kind = SPIRV_COMPOSITE;
    f->out->elements = elements;
    f->out->count = f->type->count;
    return true;
}

static bool make_result(const folding *f, const uint64_t *values) {
    if (f->type->kind == SPIRV_VECTOR)
        return make_vector(f, values);
    f->out->kind = SPIRV_SCALAR;
    f->out->bits = values[0];
    return true;
}

/* ---- Numbers ---- */

static uint32_t shape(const spirv_type *t) {
    return t->kind == SPIRV_VECTOR ? t->count : 1;
}

static bool fold_component(const folding *f, uint32_t i, uint64_t *value) {
    const spirv_module *m = f->r->m;
    uint64_t values[3] = {0};
    for (uint32_t k = 0; k < operand_count(f) && k < 3; k++) {
        const spirv_constant *c = checked_operand(f, k);
        const spirv_type *type = type_at(m, c ? c->type : 0);
        if (!c || !is_number(spirv_scalar_of(m, type)) ||
            (shape(type) != shape(f->type) && shape(type) != 1) ||
            !component(m, c, shape(type) == 1 ? 0 : i, &values[k]))
            return does_not_fold(f);
    }
    const spirv_type *from = spirv_scalar_of(m, type_at(m, operand(f, 0)->type));
    return spirv_fold_number(f->op, from, spirv_scalar_of(m, f->type), values, value) ||
           does_not_fold(f);
}

static bool fold_numbers(const folding *f) {
    uint64_t values[MOST_PARTS] = {0};
    if (operand_count(f) == 0 || !is_number(spirv_scalar_of(f->r->m, f->type)))
        return does_not_fold(f);
    for (uint32_t i = 0; i < shape(f->type); i++)
        if (!fold_component(f, i, &values[i]))
            return false;
    return make_result(f, values);
}

/* ---- Parts ---- */

static void copy_value(spirv_constant *out, const spirv_constant *from) {
    spirv_id id = out->id, type = out->type;
    *out = *from;
    out->id = id;
    out->type = type;
}

static bool fold_extract(const folding *f) {
    const spirv_module *m = f->r->m;
    const spirv_constant *c = operand(f, 0);
    spirv_id type = spirv_part_type(f->r, f->insn, c->type, 5);
    if (!type)
        return false;
    if (!spirv_same_type(m, type, f->out->type))
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_TYPE, "the component has a different type");
    for (uint32_t i = 5; i < f->insn->count && c->kind == SPIRV_COMPOSITE; i++)
        c = spirv_constant_at(m, c->elements[spirv_word(m, f->insn, i)]);
    copy_value(f->out, c);
    return true;
}

/* Inserts into a composite with one index; producers emit nothing else. */
static bool fold_insert(const folding *f) {
    const spirv_module *m = f->r->m;
    const spirv_constant *part = operand(f, 0), *whole = operand(f, 1);
    spirv_id type = spirv_part_type(f->r, f->insn, whole->type, 6);
    if (!type)
        return false;
    if (!spirv_same_type(m, type, part->type) || !spirv_same_type(m, whole->type, f->out->type))
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_TYPE, "the component has a different type");
    if (f->insn->count != 7 || whole->kind != SPIRV_COMPOSITE)
        return does_not_fold(f);
    spirv_id *elements = spirv_room(f->r, whole->count, sizeof *elements);
    if (!elements)
        return false;
    memcpy(elements, whole->elements, whole->count * sizeof *elements);
    elements[spirv_word(m, f->insn, 6)] = part->id;
    copy_value(f->out, whole);
    f->out->elements = elements;
    return true;
}

static bool fold_shuffle(const folding *f) {
    const spirv_module *m = f->r->m;
    const spirv_type *a = type_at(m, operand(f, 0)->type);
    const spirv_type *b = type_at(m, operand(f, 1)->type);
    uint64_t values[MOST_PARTS] = {0};
    if (a->kind != SPIRV_VECTOR || b->kind != SPIRV_VECTOR || f->type->kind != SPIRV_VECTOR ||
        f->insn->count - 6U != f->type->count ||
        !spirv_same_type(m, a->element, f->type->element) ||
        !spirv_same_type(m, b->element, f->type->element))
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_TYPE, "the vectors do not match");
    for (uint32_t i = 0; i < f->type->count; i++) {
        uint32_t from = spirv_word(m, f->insn, 6 + i);
        if (from == UINT32_MAX)
            continue;
        if (from >= a->count + b->count)
            return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FORM, "there is no component %u", from);
        bool first = from < a->count;
        component(m, operand(f, first ? 0 : 1), first ? from : from - a->count, &values[i]);
    }
    return make_result(f, values);
}

/* ---- Addresses ---- */

static bool is_plain(const spirv_type *t) {
    return t->kind == SPIRV_POINTER || t->kind == SPIRV_INT || t->kind == SPIRV_FLOAT;
}

/* Whether the operation casts between such types. */
static bool casts(unsigned op, const spirv_type *from, const spirv_type *to) {
    switch (op) {
    case SPIRV_OpConvertPtrToU:
        return from->kind == SPIRV_POINTER && to->kind == SPIRV_INT && to->bits >= 32;
    case SPIRV_OpConvertUToPtr: return from->kind == SPIRV_INT && to->kind == SPIRV_POINTER;
    case SPIRV_OpBitcast: return is_plain(from) && is_plain(to);
    default: return from->kind == SPIRV_POINTER && to->kind == SPIRV_POINTER;
    }
}

/* An address stays an address when it becomes an integer. */
static bool fold_cast(const folding *f) {
    const spirv_constant *c = operand(f, 0);
    const spirv_type *from = type_at(f->r->m, c->type);
    if (!casts(f->op, from, f->type))
        return does_not_fold(f);
    if (f->op == SPIRV_OpBitcast && from->size != f->type->size)
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_TYPE,
                          "operand and result have different sizes");
    copy_value(f->out, c);
    if (f->type->kind == SPIRV_POINTER && c->kind == SPIRV_SCALAR)
        f->out->bits &= UINT32_MAX;
    if (f->type->kind == SPIRV_POINTER && c->kind == SPIRV_SCALAR && f->out->bits == 0)
        f->out->kind = SPIRV_NULL;
    return true;
}

static int64_t index_value(const spirv_module *m, const spirv_constant *c) {
    uint64_t bits = c->kind == SPIRV_SCALAR ? c->bits : 0;
    unsigned width = type_at(m, c->type)->bits;
    uint64_t sign = UINT64_C(1) << (width - 1);
    uint64_t value = (bits ^ sign) - sign;
    int64_t result;
    memcpy(&result, &value, sizeof result);
    return result;
}

/* One step into a type; 0: there is no such part. */
static spirv_id step(const spirv_module *m, const spirv_type *type, int64_t index,
                     int64_t *offset) {
    if (type->kind == SPIRV_STRUCT) {
        if (index < 0 || index >= type->count)
            return 0;
        *offset += type->members[index].offset;
        return type->members[index].type;
    }
    if (type->kind != SPIRV_ARRAY && type->kind != SPIRV_VECTOR)
        return 0;
    *offset += index * spirv_element_size(m, type);
    return type->element;
}

static bool is_far(int64_t offset) {
    return offset > LARGEST_TYPE || offset < -(int64_t)LARGEST_TYPE;
}

/* Index i of the chain; the first index of the Ptr forms steps over whole elements, not into
 * one. */
static bool follow(const folding *f, uint32_t i, const spirv_type **type, int64_t *offset) {
    const spirv_module *m = f->r->m;
    const spirv_constant *c = operand(f, i);
    bool whole =
        i == 1 && (f->op == SPIRV_OpPtrAccessChain || f->op == SPIRV_OpInBoundsPtrAccessChain);
    if (type_at(m, c->type)->kind != SPIRV_INT || c->kind == SPIRV_ADDRESS)
        return does_not_fold(f);
    int64_t index = index_value(m, c);
    if (!is_far(index) && whole) {
        *offset += index * (*type)->size;
    } else if (!is_far(index)) {
        spirv_id part = step(m, *type, index, offset);
        if (!part)
            return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_TYPE, "index %u selects nothing", i);
        *type = type_at(m, part);
    }
    return (!is_far(index) && !is_far(*offset)) ||
           spirv_fail(f->r, f->insn, DIAG_E_SPIRV_LIMIT, "the offset exceeds 2 GiB");
}

static bool fold_chain(const folding *f) {
    const spirv_module *m = f->r->m;
    const spirv_constant *base = operand(f, 0);
    const spirv_type *pointer = type_at(m, base->type);
    if (pointer->kind != SPIRV_POINTER || f->type->kind != SPIRV_POINTER ||
        base->kind != SPIRV_ADDRESS)
        return does_not_fold(f);
    const spirv_type *type = type_at(m, pointer->element);
    int64_t offset = base->offset;
    for (uint32_t i = 1; i < operand_count(f); i++)
        if (!follow(f, i, &type, &offset))
            return false;
    copy_value(f->out, base);
    f->out->offset = offset;
    return true;
}

bool spirv_fold(spirv_reader *r, const spirv_insn *insn, spirv_constant *out) {
    folding f = {.r = r,
                 .insn = insn,
                 .op = spirv_word(r->m, insn, 3),
                 .out = out,
                 .type = type_at(r->m, insn->type)};
    switch (f.op) {
    case SPIRV_OpCompositeExtract: return fold_extract(&f);
    case SPIRV_OpCompositeInsert: return fold_insert(&f);
    case SPIRV_OpVectorShuffle: return fold_shuffle(&f);
    case SPIRV_OpAccessChain:
    case SPIRV_OpInBoundsAccessChain:
    case SPIRV_OpPtrAccessChain:
    case SPIRV_OpInBoundsPtrAccessChain: return fold_chain(&f);
    case SPIRV_OpBitcast:
    case SPIRV_OpPtrCastToGeneric:
    case SPIRV_OpGenericCastToPtr:
    case SPIRV_OpConvertPtrToU:
    case SPIRV_OpConvertUToPtr: return fold_cast(&f);
    default: return fold_numbers(&f);
    }
}
