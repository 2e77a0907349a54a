/* Conversions between numbers, and reinterpretation of bits. */
#include "spirv/to_ir.h"

static ir_value bits_op(builder *b, unsigned op, unsigned bits, ir_value x, ir_value y) {
    return to_scalar_op(b, op, bits, x, y);
}

/* ---- Rounding modes ---- */

/* SPIRV_RTE without a decoration; `fallback` for conversions to integers. */
static unsigned rounding(const builder *b, unsigned fallback) {
    const spirv_decoration *d =
        spirv_decorated(to_module_of(b), b->insn->result, UINT32_MAX, SPIRV_Dec_FPRoundingMode);
    return d && d->count ? d->operands[0] : fallback;
}

static bool saturates(const builder *b) {
    return spirv_decorated(to_module_of(b), b->insn->result, UINT32_MAX,
                           SPIRV_Dec_SaturatedConversion) != NULL;
}

/* The neighbour of a rounded result, if the rounding mode requires it. `above` and `below`: the
 * result is larger or smaller than the exact value. Operates on the bits of a float of this
 * width. */
static ir_value other_neighbour(builder *b, unsigned bits, ir_value x, ir_value above,
                                ir_value below, unsigned mode) {
    ir_value v = to_bits(b, x), one = to_number(b, bits, 1), zero = to_number(b, bits, 0);
    ir_value sign = to_number(b, bits, (uint64_t)1 << (bits - 1));
    ir_value negative =
        bits_op(b, SPIRV_OpINotEqual, bits, bits_op(b, SPIRV_OpBitwiseAnd, bits, v, sign), zero);
    ir_value smaller = bits_op(b, SPIRV_OpISub, bits, v, one); /* in magnitude */
    ir_value larger = bits_op(b, SPIRV_OpIAdd, bits, v, one);
    ir_value wrong, fixed;
    if (mode == SPIRV_RTZ) {
        wrong = to_select(b, negative, below, above);
        fixed = smaller;
    } else if (mode == SPIRV_RTP) {
        wrong = below;
        fixed = to_select(b, negative, smaller, larger);
    } else {
        wrong = above;
        fixed = to_select(b, negative, larger, smaller);
    }
    /* a result of 0 becomes the smallest number of the right sign */
    ir_value magnitude =
        bits_op(b, SPIRV_OpBitwiseAnd, bits, v, to_number(b, bits, to_all_ones(bits) >> 1));
    ir_value is_zero = bits_op(b, SPIRV_OpIEqual, bits, magnitude, zero);
    ir_value least = mode == SPIRV_RTP   ? one
                     : mode == SPIRV_RTN ? bits_op(b, SPIRV_OpBitwiseOr, bits, sign, one)
                                         : v;
    fixed = to_select(b, is_zero, least, fixed);
    return to_from_bits(b, to_select(b, wrong, fixed, v), ir_type_of(to_func(b), x));
}

static ir_value to_half(builder *b, ir_value x, unsigned mode) {
    ir_value v = to_1(b, IR_CVT_F16_F32, IR_F16, x);
    if (mode == SPIRV_RTE || mode > SPIRV_RTN)
        return v;
    ir_value back = to_1(b, IR_CVT_F32_F16, IR_F32, v);
    return other_neighbour(b, 16, v, to_2(b, IR_FCMP_GT, IR_BOOL, back, x),
                           to_2(b, IR_FCMP_LT, IR_BOOL, back, x), mode);
}

/* ---- Floats ---- */

static ir_value narrow_double(builder *b, ir_value x, unsigned to, unsigned mode) {
    ir_value v = to == 32 ? to_1(b, IR_CVT_F32_F64, IR_F32, x) : to_1(b, IR_CVT_F16_F64, IR_F16, x);
    if (mode == SPIRV_RTE || mode > SPIRV_RTN)
        return v;
    ir_value back = to_1(b, to == 32 ? IR_CVT_F64_F32 : IR_CVT_F64_F16, IR_F64, v);
    return other_neighbour(b, to, v, to_2(b, IR_DCMP_GT, IR_BOOL, back, x),
                           to_2(b, IR_DCMP_LT, IR_BOOL, back, x), mode);
}

ir_value to_narrow(builder *b, ir_value x, unsigned from, unsigned to, unsigned mode) {
    if (from == to)
        return x;
    if (from == 64)
        return narrow_double(b, x, to, mode);
    if (from == 32)
        return to == 64 ? to_1(b, IR_CVT_F64_F32, IR_F64, x) : to_half(b, x, mode);
    return to == 64 ? to_1(b, IR_CVT_F64_F16, IR_F64, x) : to_1(b, IR_CVT_F32_F16, IR_F32, x);
}

/* ---- Integers to floats ---- */

static ir_value integer_to_double(builder *b, ir_value x, unsigned from, bool is_signed) {
    if (from == 64)
        return to_1(b, is_signed ? IR_CVT_F64_I64 : IR_CVT_F64_U64, IR_F64, x);
    return to_1(b, is_signed ? IR_CVT_F64_I32 : IR_CVT_F64_U32, IR_F64, x);
}

/* Replaces the nearest float by the one that the rounding mode asks for. To tell whether it is
 * larger or smaller than the integer, 32 bits are compared in f64, where they are exact; for 64
 * bits, the float is converted back to an integer, which is exact unless it exceeds the largest
 * one. */
static ir_value fix_rounding(builder *b, ir_value f, ir_value x, unsigned from, bool is_signed,
                             unsigned mode) {
    if (mode == SPIRV_RTE || mode > SPIRV_RTN)
        return f;
    bool is_double = ir_type_of(to_func(b), f) == IR_F64;
    unsigned bits = is_double ? 64 : 32;
    if (from < 64 && is_double)
        return f;
    if (from < 64) {
        ir_value exact = integer_to_double(b, x, from, is_signed);
        ir_value back = to_1(b, IR_CVT_F64_F32, IR_F64, f);
        return other_neighbour(b, 32, f, to_2(b, IR_DCMP_GT, IR_BOOL, back, exact),
                               to_2(b, IR_DCMP_LT, IR_BOOL, back, exact), mode);
    }
    ir_op op = is_double ? (is_signed ? IR_CVT_I64_F64 : IR_CVT_U64_F64)
                         : (is_signed ? IR_CVT_I64_F32 : IR_CVT_U64_F32);
    uint64_t top = is_double ? (is_signed ? 0x43E0000000000000 : 0x43F0000000000000)
                             : (is_signed ? 0x5F000000 : 0x5F800000); /* 2^63, 2^64 */
    ir_value back = to_1(b, op, IR_U64, f);
    ir_value past = bits_op(b, SPIRV_OpFOrdGreaterThanEqual, bits, f,
                            ir_const(to_func(b), is_double ? IR_F64 : IR_F32, top));
    ir_value above =
        bits_op(b, is_signed ? SPIRV_OpSGreaterThan : SPIRV_OpUGreaterThan, 64, back, x);
    ir_value below = bits_op(b, is_signed ? SPIRV_OpSLessThan : SPIRV_OpULessThan, 64, back, x);
    return other_neighbour(b, bits, f, to_2(b, IR_BOR, IR_BOOL, above, past), below, mode);
}

/* Integers within the range of f16 are exact in f32. */
static ir_value integer_to_float(builder *b, ir_value x, unsigned from, unsigned to, bool is_signed,
                                 unsigned mode) {
    if (is_signed)
        x = from < 32 ? to_extend(b, x, from) : x;
    if (to == 64)
        return fix_rounding(b, integer_to_double(b, x, from, is_signed), x, from, is_signed, mode);
    ir_op op = from == 64 ? (is_signed ? IR_CVT_F32_I64 : IR_CVT_F32_U64)
                          : (is_signed ? IR_CVT_F32_I32 : IR_CVT_F32_U32);
    ir_value f = to_1(b, op, IR_F32, x);
    if (to == 16)
        return to_half(b, f, mode);
    return fix_rounding(b, f, x, from, is_signed, mode);
}

/* ---- Floats to integers ---- */

static ir_value round_first(builder *b, ir_value x, unsigned bits, unsigned mode) {
    static const uint8_t f32_ops[4] = {IR_FROUND, 0, IR_FCEIL, IR_FFLOOR};
    static const uint8_t f64_ops[4] = {IR_DROUND, 0, IR_DCEIL, IR_DFLOOR};
    if (mode == SPIRV_RTZ || mode > SPIRV_RTN)
        return x;
    return to_1(b, (ir_op)(bits == 64 ? f64_ops : f32_ops)[mode], bits == 64 ? IR_F64 : IR_F32, x);
}

static ir_value clamp(builder *b, ir_value x, unsigned to, bool is_signed) {
    uint32_t most = is_signed ? (1u << (to - 1)) - 1 : (1u << to) - 1;
    if (!is_signed)
        return to_2(b, IR_UMIN, IR_U32, x, to_u32(b, most));
    x = to_2(b, IR_IMIN, IR_U32, x, to_u32(b, most));
    return to_2(b, IR_IMAX, IR_U32, x, to_u32(b, ~(uint64_t)most));
}

/* The IR's conversions saturate; NaN yields 0. */
static ir_value float_to_integer(builder *b, ir_value x, unsigned from, unsigned to,
                                 bool is_signed) {
    if (from == 16) {
        x = to_1(b, IR_CVT_F32_F16, IR_F32, x);
        from = 32;
    }
    x = round_first(b, x, from, rounding(b, SPIRV_RTZ));
    if (to == 64)
        return to_1(b,
                    from == 64 ? (is_signed ? IR_CVT_I64_F64 : IR_CVT_U64_F64)
                               : (is_signed ? IR_CVT_I64_F32 : IR_CVT_U64_F32),
                    IR_U64, x);
    ir_op op = from == 64 ? (is_signed ? IR_CVT_I32_F64 : IR_CVT_U32_F64)
                          : (is_signed ? IR_CVT_I32_F32 : IR_CVT_U32_F32);
    ir_value v = to_1(b, op, IR_U32, x);
    if (to < 32 && saturates(b))
        v = clamp(b, v, to, is_signed);
    return to_cut(b, v, to);
}

/* ---- Integers to integers, saturated ---- */

/* Clamps x to the range of the other signedness: SatConvertSToU, SatConvertUToS. */
static ir_value saturate(builder *b, ir_value x, unsigned from, unsigned to, bool from_signed) {
    unsigned wide = from > to ? from : to,
             less = from_signed ? SPIRV_OpSLessThan : SPIRV_OpULessThan;
    x = to_resize(b, x, from, wide, from_signed);
    bool to_signed = !from_signed;
    uint64_t most = to_all_ones(to);
    if (to_signed)
        most >>= 1;
    if (from_signed) { /* to unsigned: negative numbers become 0 */
        ir_value negative = bits_op(b, less, wide, x, to_number(b, wide, 0));
        x = to_select(b, negative, to_number(b, wide, 0), x);
    }
    /* x is not negative here, so an unsigned comparison serves both. */
    ir_value top = to_number(b, wide, most);
    x = to_select(b, bits_op(b, SPIRV_OpULessThan, wide, top, x), top, x);
    return to_resize(b, x, wide, to, false);
}

static ir_value convert(builder *b, ir_value x, unsigned from, unsigned to) {
    switch (b->insn->op) {
    case SPIRV_OpConvertFToU: return float_to_integer(b, x, from, to, false);
    case SPIRV_OpConvertFToS: return float_to_integer(b, x, from, to, true);
    case SPIRV_OpConvertSToF: return integer_to_float(b, x, from, to, true, rounding(b, SPIRV_RTE));
    case SPIRV_OpConvertUToF:
        return integer_to_float(b, x, from, to, false, rounding(b, SPIRV_RTE));
    case SPIRV_OpUConvert: return to_resize(b, x, from, to, false);
    case SPIRV_OpSConvert: return to_resize(b, x, from, to, true);
    case SPIRV_OpFConvert: return to_narrow(b, x, from, to, rounding(b, SPIRV_RTE));
    case SPIRV_OpQuantizeToF16: return to_narrow(b, to_half(b, x, SPIRV_RTE), 16, 32, SPIRV_RTE);
    case SPIRV_OpSatConvertSToU: return saturate(b, x, from, to, true);
    default: return saturate(b, x, from, to, false);
    }
}

/* ---- Reinterpretation ---- */

/* Splits a value into words, halves or bytes; a 64-bit scalar yields two words. */
static uint32_t split(builder *b, const to_value *v, unsigned unit, ir_value *out) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        unsigned bits = v->flat->list[k].bits;
        ir_value x = to_bits(b, v->v[k]);
        for (unsigned at = 0; at < bits && n < TO_MOST_SCALARS; at += unit) {
            ir_value word = bits < 64 ? x
                            : at < 32 ? to_resize(b, x, 64, 32, false)
                                      : to_1(b, IR_HI64, IR_U32, x);
            unsigned shift = at % 32;
            if (shift)
                word = to_2(b, IR_SHR, IR_U32, word, to_u32(b, shift));
            out[n++] = unit < 32 && unit < bits ? to_cut(b, word, unit) : word;
        }
    }
    return n;
}

static ir_value join_word(builder *b, const ir_value *units, unsigned unit, unsigned bits) {
    ir_value v = units[0];
    for (unsigned k = 1; k < bits / unit; k++)
        v = to_2(b, IR_OR, IR_U32, v, to_2(b, IR_SHL, IR_U32, units[k], to_u32(b, k * unit)));
    return v;
}

static bool build_bitcast(builder *b) {
    to_value *v = b->operands;
    const to_flat *flat = to_flat_in(b, b->insn->type);
    if (!flat || !to_read(b, to_word(b, 3), &v[0]))
        return false;
    unsigned unit = 32;
    for (uint32_t k = 0; k < v[0].count; k++)
        unit = v[0].flat->list[k].bits < unit ? v[0].flat->list[k].bits : unit;
    for (uint32_t k = 0; k < flat->count; k++)
        unit = flat->list[k].bits < unit ? flat->list[k].bits : unit;
    if (unit < 8)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "a bool has no bits to reinterpret");
    if (v[0].count == flat->count) { /* equal widths: one to one */
        for (uint32_t k = 0; k < flat->count; k++)
            v[2].v[k] = to_from_bits(b, to_bits(b, v[0].v[k]), (ir_type)flat->list[k].type);
        to_write(b, v[2].v, flat->count, v[0].space);
        to_point_into(b, v[0].object);
        return true;
    }
    uint32_t units = split(b, &v[0], unit, v[1].v), at = 0;
    for (uint32_t k = 0; k < flat->count; k++) {
        unsigned bits = flat->list[k].bits, step_bits = bits < 32 ? bits : 32;
        if (at + bits / unit > units)
            return to_fail(b, DIAG_E_SPIRV_TYPE, "the sizes differ");
        ir_value x = join_word(b, v[1].v + at, unit, step_bits);
        if (bits == 64)
            x = to_u64(b, x, join_word(b, v[1].v + at + 32 / unit, unit, 32));
        at += bits / unit;
        v[2].v[k] = to_from_bits(b, x, (ir_type)flat->list[k].type);
    }
    to_write(b, v[2].v, flat->count, v[0].space);
    return true;
}

bool to_conversion(builder *b, bool *known) {
    *known = true;
    switch (b->insn->op) {
    case SPIRV_OpBitcast: return build_bitcast(b);
    case SPIRV_OpConvertFToU:
    case SPIRV_OpConvertFToS:
    case SPIRV_OpConvertSToF:
    case SPIRV_OpConvertUToF:
    case SPIRV_OpUConvert:
    case SPIRV_OpSConvert:
    case SPIRV_OpFConvert:
    case SPIRV_OpQuantizeToF16:
    case SPIRV_OpSatConvertSToU:
    case SPIRV_OpSatConvertUToS: break;
    default: *known = false; return true;
    }
    to_value *v = &b->operands[0];
    const to_flat *flat = to_flat_in(b, b->insn->type);
    if (!flat || !to_read(b, to_word(b, 3), v))
        return false;
    for (uint32_t k = 0; k < v->count && k < flat->count; k++)
        v->v[k] = convert(b, v->v[k], v->flat->list[k].bits, flat->list[k].bits);
    to_write(b, v->v, v->count, TO_ANYWHERE);
    return true;
}
