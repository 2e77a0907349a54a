/* Arithmetic, comparison and logic, component by component, driven by one table. */
#include "spirv/to_ir.h"

enum { NONE, INTEGER, SHIFT, FLOAT, COMPARE, FLOAT_COMPARE, LOGIC };
enum {
    SIGNED = 1, /* small operands are extended */
    KEEPS = 2,  /* the result of small operands is small */
    NEGATED = 4 /* the result is the negation of the operation's */
};

typedef struct row {
    uint8_t kind, flags;
    uint8_t small, wide; /* of 32 and 64 bits; floats: f32, f64 */
    uint8_t half;        /* f16, if the IR has it; otherwise via f32 */
} row;

static const row rows[256] = {
    [SPIRV_OpIAdd] = {INTEGER, 0, IR_IADD, IR_LADD, 0},
    [SPIRV_OpISub] = {INTEGER, 0, IR_ISUB, IR_LSUB, 0},
    [SPIRV_OpIMul] = {INTEGER, 0, IR_IMUL, IR_LMUL, 0},
    [SPIRV_OpUDiv] = {INTEGER, KEEPS, IR_UDIV, IR_LUDIV, 0},
    [SPIRV_OpSDiv] = {INTEGER, SIGNED, IR_IDIV, IR_LDIV, 0},
    [SPIRV_OpUMod] = {INTEGER, KEEPS, IR_UMOD, IR_LUMOD, 0},
    [SPIRV_OpSRem] = {INTEGER, SIGNED, IR_IMOD, IR_LMOD, 0},
    [SPIRV_OpBitwiseOr] = {INTEGER, KEEPS, IR_OR, 0, 0},
    [SPIRV_OpBitwiseXor] = {INTEGER, KEEPS, IR_XOR, 0, 0},
    [SPIRV_OpBitwiseAnd] = {INTEGER, KEEPS, IR_AND, 0, 0},
    [SPIRV_OpShiftLeftLogical] = {SHIFT, 0, IR_SHL, IR_LSHL, 0},
    [SPIRV_OpShiftRightLogical] = {SHIFT, KEEPS, IR_SHR, IR_LSHR, 0},
    [SPIRV_OpShiftRightArithmetic] = {SHIFT, SIGNED, IR_SAR, IR_LSAR, 0},
    [SPIRV_OpFAdd] = {FLOAT, 0, IR_FADD, IR_DADD, IR_HADD},
    [SPIRV_OpFSub] = {FLOAT, 0, IR_FSUB, IR_DSUB, IR_HSUB},
    [SPIRV_OpFMul] = {FLOAT, 0, IR_FMUL, IR_DMUL, IR_HMUL},
    [SPIRV_OpFDiv] = {FLOAT, 0, IR_FDIV, IR_DDIV, 0},
    [SPIRV_OpIEqual] = {COMPARE, 0, IR_ICMP_EQ, IR_LCMP_EQ, 0},
    [SPIRV_OpINotEqual] = {COMPARE, 0, IR_ICMP_NE, IR_LCMP_NE, 0},
    [SPIRV_OpUGreaterThan] = {COMPARE, 0, IR_UCMP_GT, IR_LUCMP_GT, 0},
    [SPIRV_OpUGreaterThanEqual] = {COMPARE, 0, IR_UCMP_GE, IR_LUCMP_GE, 0},
    [SPIRV_OpULessThan] = {COMPARE, 0, IR_UCMP_LT, IR_LUCMP_LT, 0},
    [SPIRV_OpULessThanEqual] = {COMPARE, 0, IR_UCMP_LE, IR_LUCMP_LE, 0},
    [SPIRV_OpSGreaterThan] = {COMPARE, SIGNED, IR_ICMP_GT, IR_LCMP_GT, 0},
    [SPIRV_OpSGreaterThanEqual] = {COMPARE, SIGNED, IR_ICMP_GE, IR_LCMP_GE, 0},
    [SPIRV_OpSLessThan] = {COMPARE, SIGNED, IR_ICMP_LT, IR_LCMP_LT, 0},
    [SPIRV_OpSLessThanEqual] = {COMPARE, SIGNED, IR_ICMP_LE, IR_LCMP_LE, 0},
    [SPIRV_OpFOrdEqual] = {FLOAT_COMPARE, 0, IR_FCMP_EQ, IR_DCMP_EQ, 0},
    [SPIRV_OpFUnordNotEqual] = {FLOAT_COMPARE, 0, IR_FCMP_NE, IR_DCMP_NE, 0},
    [SPIRV_OpFOrdLessThan] = {FLOAT_COMPARE, 0, IR_FCMP_LT, IR_DCMP_LT, 0},
    [SPIRV_OpFOrdGreaterThan] = {FLOAT_COMPARE, 0, IR_FCMP_GT, IR_DCMP_GT, 0},
    [SPIRV_OpFOrdLessThanEqual] = {FLOAT_COMPARE, 0, IR_FCMP_LE, IR_DCMP_LE, 0},
    [SPIRV_OpFOrdGreaterThanEqual] = {FLOAT_COMPARE, 0, IR_FCMP_GE, IR_DCMP_GE, 0},
    [SPIRV_OpFUnordLessThan] = {FLOAT_COMPARE, NEGATED, IR_FCMP_GE, IR_DCMP_GE, 0},
    [SPIRV_OpFUnordGreaterThan] = {FLOAT_COMPARE, NEGATED, IR_FCMP_LE, IR_DCMP_LE, 0},
    [SPIRV_OpFUnordLessThanEqual] = {FLOAT_COMPARE, NEGATED, IR_FCMP_GT, IR_DCMP_GT, 0},
    [SPIRV_OpFUnordGreaterThanEqual] = {FLOAT_COMPARE, NEGATED, IR_FCMP_LT, IR_DCMP_LT, 0},
    [SPIRV_OpOrdered] = {FLOAT_COMPARE, 0, IR_FCMP_ORD, IR_DCMP_ORD, 0},
    [SPIRV_OpUnordered] = {FLOAT_COMPARE, 0, IR_FCMP_UNORD, IR_DCMP_UNORD, 0},
    [SPIRV_OpLogicalOr] = {LOGIC, 0, IR_BOR, 0, 0},
    [SPIRV_OpLogicalAnd] = {LOGIC, 0, IR_BAND, 0, 0},
    [SPIRV_OpLogicalNotEqual] = {LOGIC, 0, IR_BXOR, 0, 0},
    [SPIRV_OpLogicalEqual] = {LOGIC, NEGATED, IR_BXOR, 0, 0},
};

static ir_value low(builder *b, ir_value x) {
    return to_resize(b, x, 64, 32, false);
}

static ir_value high(builder *b, ir_value x) {
    return to_1(b, IR_HI64, IR_U32, x);
}

static ir_value integer(builder *b, const row *r, unsigned bits, ir_value x, ir_value y) {
    if (bits == 64 && !r->wide) /* bitwise operation: by halves */
        return to_u64(b, to_2(b, (ir_op)r->small, IR_U32, low(b, x), low(b, y)),
                      to_2(b, (ir_op)r->small, IR_U32, high(b, x), high(b, y)));
    if (bits == 64)
        return to_2(b, (ir_op)r->wide, IR_U64, x, y);
    if (r->flags & SIGNED) {
        x = to_extend(b, x, bits);
        y = to_extend(b, y, bits);
    }
    ir_value v = to_2(b, (ir_op)r->small, IR_U32, x, y);
    return r->flags & KEEPS ? v : to_cut(b, v, bits);
}

/* OpenCL takes the amount modulo the width; so does the IR for 32 bits and more. */
static ir_value shift(builder *b, const row *r, unsigned bits, ir_value x, ir_value y) {
    if (ir_type_of(to_func(b), y) == IR_U64)
        y = low(b, y);
    if (bits == 64)
        return to_2(b, (ir_op)r->wide, IR_U64, x, y);
    if (bits < 32)
        y = to_2(b, IR_AND, IR_U32, y, to_u32(b, bits - 1));
    if (r->flags & SIGNED)
        x = to_extend(b, x, bits);
    ir_value v = to_2(b, (ir_op)r->small, IR_U32, x, y);
    return r->flags & KEEPS ? v : to_cut(b, v, bits);
}

static ir_value wider(builder *b, ir_value x) {
    return to_1(b, IR_CVT_F32_F16, IR_F32, x);
}

static ir_value floating(builder *b, const row *r, unsigned bits, ir_value x, ir_value y) {
    if (bits == 64)
        return to_2(b, (ir_op)r->wide, IR_F64, x, y);
    if (bits == 32)
        return to_2(b, (ir_op)r->small, IR_F32, x, y);
    if (r->half)
        return to_2(b, (ir_op)r->half, IR_F16, x, y);
    /* one rounding: f32 has more than twice the digits */
    ir_value v = to_2(b, (ir_op)r->small, IR_F32, wider(b, x), wider(b, y));
    return to_1(b, IR_CVT_F16_F32, IR_F16, v);
}

static ir_value compare(builder *b, const row *r, unsigned bits, ir_value x, ir_value y) {
    if (r->kind == FLOAT_COMPARE && bits == 16) {
        x = wider(b, x);
        y = wider(b, y);
    }
    if (r->flags & SIGNED && bits < 32) {
        x = to_extend(b, x, bits);
        y = to_extend(b, y, bits);
    }
    ir_value v = to_2(b, (ir_op)(bits == 64 ? r->wide : r->small), IR_BOOL, x, y);
    return r->flags & NEGATED ? to_not(b, v) : v;
}

ir_value to_scalar_op(builder *b, unsigned op, unsigned bits, ir_value x, ir_value y) {
    const row *r = op < 256 ? &rows[op] : &rows[0];
    switch (r->kind) {
    case INTEGER: return integer(b, r, bits, x, y);
    case SHIFT: return shift(b, r, bits, x, y);
    case FLOAT: return floating(b, r, bits, x, y);
    case COMPARE:
    case FLOAT_COMPARE: return compare(b, r, bits, x, y);
    case LOGIC: {
        ir_value v = to_2(b, (ir_op)r->small, IR_BOOL, x, y);
        return r->flags & NEGATED ? to_not(b, v) : v;
    }
    default: return 0;
    }
}

/* ---- Operations without a row ---- */

static ir_value op(builder *b, unsigned which, unsigned bits, ir_value x, ir_value y) {
    return to_scalar_op(b, which, bits, x, y);
}

/* Ordered and different; unordered or equal. */
static ir_value differ(builder *b, unsigned bits, ir_value x, ir_value y) {
    return to_2(b, IR_BAND, IR_BOOL, op(b, SPIRV_OpOrdered, bits, x, y),
                op(b, SPIRV_OpFUnordNotEqual, bits, x, y));
}

/* The remainder has the sign of the divisor. */
static ir_value modulo(builder *b, unsigned bits, ir_value x, ir_value y) {
    ir_value r = op(b, SPIRV_OpSRem, bits, x, y), zero = to_number(b, bits, 0);
    ir_value mixed = op(b, SPIRV_OpSLessThan, bits, op(b, SPIRV_OpBitwiseXor, bits, r, y), zero);
    ir_value fix = to_2(b, IR_BAND, IR_BOOL, mixed, op(b, SPIRV_OpINotEqual, bits, r, zero));
    return to_select(b, fix, op(b, SPIRV_OpIAdd, bits, r, y), r);
}

static ir_value sign_bit(builder *b, unsigned bits, ir_value x) {
    x = to_bits(b, x);
    return op(b, SPIRV_OpINotEqual, bits,
              op(b, SPIRV_OpBitwiseAnd, bits, x, to_number(b, bits, (uint64_t)1 << (bits - 1))),
              to_number(b, bits, 0));
}

/* Tests of floats, on their bits without the sign: infinity and the smallest normal number. */
static ir_value classify(builder *b, unsigned which, unsigned bits, ir_value x) {
    static const struct {
        uint64_t infinity, normal;
    } known[3] = {
        {0x7C00, 0x0400}, {0x7F800000, 0x00800000}, {0x7FF0000000000000, 0x0010000000000000}};
    unsigned k = bits == 16 ? 0 : bits == 32 ? 1 : 2;
    ir_value infinity = to_number(b, bits, known[k].infinity);
    ir_value v =
        op(b, SPIRV_OpBitwiseAnd, bits, to_bits(b, x), to_number(b, bits, to_all_ones(bits) >> 1));
    switch (which) {
    case SPIRV_OpIsNan: return op(b, SPIRV_OpUGreaterThan, bits, v, infinity);
    case SPIRV_OpIsInf: return op(b, SPIRV_OpIEqual, bits, v, infinity);
    case SPIRV_OpIsFinite: return op(b, SPIRV_OpULessThan, bits, v, infinity);
    default:
        return to_2(b, IR_BAND, IR_BOOL, op(b, SPIRV_OpULessThan, bits, v, infinity),
                    op(b, SPIRV_OpUGreaterThanEqual, bits, v, to_number(b, bits, known[k].normal)));
    }
}

static ir_value negate_float(builder *b, unsigned bits, ir_value x) {
    if (bits != 16)
        return to_1(b, bits == 64 ? IR_DNEG : IR_FNEG, bits == 64 ? IR_F64 : IR_F32, x);
    return to_from_bits(b, to_2(b, IR_XOR, IR_U32, to_bits(b, x), to_u32(b, 0x8000)), IR_F16);
}

static ir_value reverse_bits(builder *b, unsigned bits, ir_value x) {
    if (bits == 64)
        return to_u64(b, to_1(b, IR_BITREV, IR_U32, high(b, x)),
                      to_1(b, IR_BITREV, IR_U32, low(b, x)));
    x = to_1(b, IR_BITREV, IR_U32, x);
    return bits == 32 ? x : to_2(b, IR_SHR, IR_U32, x, to_u32(b, 32 - bits));
}

/* The width of the result is independent of the operand's. */
static ir_value count_bits(builder *b, unsigned bits, ir_value x, unsigned to) {
    ir_value v = bits == 64 ? to_2(b, IR_IADD, IR_U32, to_1(b, IR_BITCOUNT, IR_U32, low(b, x)),
                                   to_1(b, IR_BITCOUNT, IR_U32, high(b, x)))
                            : to_1(b, IR_BITCOUNT, IR_U32, x);
    return to_resize(b, v, 32, to, false);
}

static ir_value unary(builder *b, unsigned which, unsigned bits, ir_value x, unsigned to) {
    switch (which) {
    case SPIRV_OpSNegate: return op(b, SPIRV_OpISub, bits, to_number(b, bits, 0), x);
    case SPIRV_OpNot:
        return op(b, SPIRV_OpBitwiseXor, bits, x, to_number(b, bits, to_all_ones(bits)));
    case SPIRV_OpFNegate: return negate_float(b, bits, x);
    case SPIRV_OpLogicalNot: return to_not(b, x);
    case SPIRV_OpBitReverse: return reverse_bits(b, bits, x);
    case SPIRV_OpBitCount: return count_bits(b, bits, x, to);
    case SPIRV_OpSignBitSet: return sign_bit(b, bits, x);
    case SPIRV_OpIsNan:
    case SPIRV_OpIsInf:
    case SPIRV_OpIsFinite:
    case SPIRV_OpIsNormal: return classify(b, which, bits, x);
    default: return 0;
    }
}

static ir_value binary(builder *b, unsigned which, unsigned bits, ir_value x, ir_value y) {
    ir_value v = to_scalar_op(b, which, bits, x, y);
    if (v)
        return v;
    switch (which) {
    case SPIRV_OpSMod: return modulo(b, bits, x, y);
    case SPIRV_OpFOrdNotEqual:
    case SPIRV_OpLessOrGreater: return differ(b, bits, x, y);
    case SPIRV_OpFUnordEqual: return to_not(b, differ(b, bits, x, y));
    default: return 0;
    }
}

/* ---- Bit fields ---- */

/* count 0 yields 0, or the base. Shifts by the width do nothing, so that case is selected
 * separately. */
static ir_value extract_field(builder *b, unsigned bits, const ir_value *x, bool is_signed) {
    ir_value width = to_u32(b, bits);
    ir_value left = to_2(b, IR_ISUB, IR_U32, width, to_2(b, IR_IADD, IR_U32, x[1], x[2]));
    ir_value right = to_2(b, IR_ISUB, IR_U32, width, x[2]);
    ir_value v = op(b, SPIRV_OpShiftLeftLogical, bits, x[0], left);
    v = op(b, is_signed ? SPIRV_OpShiftRightArithmetic : SPIRV_OpShiftRightLogical, bits, v, right);
    return to_select(b, to_2(b, IR_ICMP_EQ, IR_BOOL, x[2], to_u32(b, 0)), to_number(b, bits, 0), v);
}

static ir_value insert_field(builder *b, unsigned bits, const ir_value *x) {
    ir_value ones = to_number(b, bits, to_all_ones(bits));
    ir_value mask = op(b, SPIRV_OpShiftRightLogical, bits, ones,
                       to_2(b, IR_ISUB, IR_U32, to_u32(b, bits), x[3]));
    mask = op(b, SPIRV_OpShiftLeftLogical, bits, mask, x[2]);
    ir_value put = op(b, SPIRV_OpShiftLeftLogical, bits, x[1], x[2]);
    /* base ^ ((base ^ put) & mask) */
    ir_value v =
        op(b, SPIRV_OpBitwiseXor, bits, x[0],
           op(b, SPIRV_OpBitwiseAnd, bits, op(b, SPIRV_OpBitwiseXor, bits, x[0], put), mask));
    return to_select(b, to_2(b, IR_ICMP_EQ, IR_BOOL, x[3], to_u32(b, 0)), x[0], v);
}

static bool build_field(builder *b) {
    bool insert = b->insn->op == SPIRV_OpBitFieldInsert;
    unsigned values = insert ? 2 : 1;
    to_value *v = b->operands;
    for (unsigned k = 0; k < values; k++)
        if (!to_read(b, to_word(b, 3 + k), &v[k]))
            return false;
    ir_value at = to_read_index(b, to_word(b, 3 + values));
    ir_value count = to_read_index(b, to_word(b, 4 + values));
    for (uint32_t k = 0; k < v[0].count && at && count; k++) {
        unsigned bits = v[0].flat->list[k].bits;
        const ir_value x[4] = {v[0].v[k], insert ? v[1].v[k] : at, insert ? at : count, count};
        v[0].v[k] = insert ? insert_field(b, bits, x)
                           : extract_field(b, bits, x, b->insn->op == SPIRV_OpBitFieldSExtract);
    }
    to_write(b, v[0].v, v[0].count, TO_ANYWHERE);
    return true;
}

/* ---- Two results, sums over vectors, choice ---- */

static bool build_extended(builder *b) {
    to_value *v = b->operands;
    if (!to_read(b, to_word(b, 3), &v[0]) || !to_read(b, to_word(b, 4), &v[1]))
        return false;
    uint32_t n = v[0].count;
    for (uint32_t k = 0; k < n; k++) {
        unsigned bits = v[0].flat->list[k].bits;
        ir_value x = v[0].v[k], y = v[1].v[k], carry;
        ir_value one = to_number(b, bits, 1), zero = to_number(b, bits, 0);
        switch (b->insn->op) {
        case SPIRV_OpIAddCarry:
            v[2].v[k] = op(b, SPIRV_OpIAdd, bits, x, y);
            carry = op(b, SPIRV_OpULessThan, bits, v[2].v[k], x);
            v[2].v[n + k] = to_select(b, carry, one, zero);
            break;
        case SPIRV_OpISubBorrow:
            v[2].v[k] = op(b, SPIRV_OpISub, bits, x, y);
            carry = op(b, SPIRV_OpULessThan, bits, x, y);
            v[2].v[n + k] = to_select(b, carry, one, zero);
            break;
        default:
            v[2].v[k] = op(b, SPIRV_OpIMul, bits, x, y);
            v[2].v[n + k] = to_mul_high(b, bits, x, y, b->insn->op == SPIRV_OpSMulExtended);
            break;
        }
    }
    to_write(b, v[2].v, 2 * n, TO_ANYWHERE);
    return true;
}

ir_value to_mul_high(builder *b, unsigned bits, ir_value x, ir_value y, bool is_signed) {
    if (bits < 32) {
        if (is_signed) {
            x = to_extend(b, x, bits);
            y = to_extend(b, y, bits);
        }
        ir_value product = to_2(b, IR_IMUL, IR_U32, x, y);
        return to_cut(b, to_2(b, IR_SHR, IR_U32, product, to_u32(b, bits)), bits);
    }
    ir_type type = bits == 64 ? IR_U64 : IR_U32;
    ir_value v = to_2(b, bits == 64 ? IR_LMUL_HI : IR_IMUL_HI, type, x, y);
    if (!is_signed)
        return v;
    /* unsigned minus (x < 0 ? y : 0) minus (y < 0 ? x : 0) */
    ir_value zero = to_number(b, bits, 0);
    ir_value a = to_select(b, op(b, SPIRV_OpSLessThan, bits, x, zero), y, zero);
    ir_value c = to_select(b, op(b, SPIRV_OpSLessThan, bits, y, zero), x, zero);
    return op(b, SPIRV_OpISub, bits, op(b, SPIRV_OpISub, bits, v, a), c);
}

static bool build_dot(builder *b) {
    to_value *v = b->operands;
    if (!to_read(b, to_word(b, 3), &v[0]) || !to_read(b, to_word(b, 4), &v[1]))
        return false;
    ir_value sum = 0;
    for (uint32_t k = 0; k < v[0].count; k++) {
        unsigned bits = v[0].flat->list[k].bits;
        ir_value product = op(b, SPIRV_OpFMul, bits, v[0].v[k], v[1].v[k]);
        sum = sum ? op(b, SPIRV_OpFAdd, bits, sum, product) : product;
    }
    to_write(b, &sum, 1, TO_ANYWHERE);
    return true;
}

/* For booleans, or for the sign bits of integers, as clang emits it. */
static bool build_any(builder *b) {
    to_value *v = &b->operands[0];
    ir_value all = 0;
    if (!to_read(b, to_word(b, 3), v))
        return false;
    for (uint32_t k = 0; k < v->count; k++) {
        const to_scalar *s = &v->flat->list[k];
        ir_value x = s->type == IR_BOOL ? v->v[k] : sign_bit(b, s->bits, v->v[k]);
        all = all ? to_2(b, b->insn->op == SPIRV_OpAny ? IR_BOR : IR_BAND, IR_BOOL, all, x) : x;
    }
    if (all)
        to_write(b, &all, 1, TO_ANYWHERE);
    return true;
}

static bool build_select(builder *b) {
    to_value *v = b->operands;
    for (unsigned k = 0; k < 3; k++)
        if (!to_read(b, to_word(b, 3 + k), &v[k]))
            return false;
    for (uint32_t k = 0; k < v[1].count && k < v[2].count; k++)
        v[1].v[k] = to_select(b, v[0].v[v[0].count == v[1].count ? k : 0], v[1].v[k], v[2].v[k]);
    to_write(b, v[1].v, v[1].count, to_merge_spaces(v[1].space, v[2].space));
    return true;
}

static bool build_scaled(builder *b) {
    to_value *v = b->operands;
    if (!to_read(b, to_word(b, 3), &v[0]) || !to_read(b, to_word(b, 4), &v[1]))
        return false;
    for (uint32_t k = 0; k < v[0].count; k++)
        v[0].v[k] = op(b, SPIRV_OpFMul, v[0].flat->list[k].bits, v[0].v[k], v[1].v[0]);
    to_write(b, v[0].v, v[0].count, TO_ANYWHERE);
    return true;
}

/* ---- The general case ---- */

static bool is_unary(unsigned which) {
    switch (which) {
    case SPIRV_OpSNegate:
    case SPIRV_OpNot:
    case SPIRV_OpFNegate:
    case SPIRV_OpLogicalNot:
    case SPIRV_OpBitReverse:
    case SPIRV_OpBitCount:
    case SPIRV_OpSignBitSet:
    case SPIRV_OpIsNan:
    case SPIRV_OpIsInf:
    case SPIRV_OpIsFinite:
    case SPIRV_OpIsNormal: return true;
    default: return false;
    }
}

static bool is_binary(unsigned which) {
    return (which < 256 && rows[which].kind != NONE) || which == SPIRV_OpSMod ||
           which == SPIRV_OpFOrdNotEqual || which == SPIRV_OpLessOrGreater ||
           which == SPIRV_OpFUnordEqual;
}

static bool build_componentwise(builder *b, bool one) {
    to_value *v = b->operands;
    const to_flat *result = to_flat_in(b, b->insn->type);
    if (!result || !to_read(b, to_word(b, 3), &v[0]) || (!one && !to_read(b, to_word(b, 4), &v[1])))
        return false;
    for (uint32_t k = 0; k < v[0].count && k < result->count; k++) {
        unsigned bits = v[0].flat->list[k].bits;
        v[0].v[k] = one ? unary(b, b->insn->op, bits, v[0].v[k], result->list[k].bits)
                        : binary(b, b->insn->op, bits, v[0].v[k], v[1].v[k]);
    }
    to_write(b, v[0].v, v[0].count, TO_ANYWHERE);
    return true;
}

bool to_arithmetic(builder *b, bool *known) {
    *known = true;
    switch (b->insn->op) {
    case SPIRV_OpSelect: return build_select(b);
    case SPIRV_OpDot: return build_dot(b);
    case SPIRV_OpAny:
    case SPIRV_OpAll: return build_any(b);
    case SPIRV_OpVectorTimesScalar: return build_scaled(b);
    case SPIRV_OpIAddCarry:
    case SPIRV_OpISubBorrow:
    case SPIRV_OpUMulExtended:
    case SPIRV_OpSMulExtended: return build_extended(b);
    case SPIRV_OpBitFieldInsert:
    case SPIRV_OpBitFieldSExtract:
    case SPIRV_OpBitFieldUExtract: return build_field(b);
    default: break;
    }
    bool one = is_unary(b->insn->op);
    *known = one || is_binary(b->insn->op);
    return !*known || build_componentwise(b, one);
}
