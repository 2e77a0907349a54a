/* Operations of OpSpecConstantOp on one component: integers of 8 to 64 bits, floats, bools. */
#include "base/plain_math.h"
#include "base/scalar_f64.h"
#include "spirv/reader.h"

#include <math.h>
#include <string.h>

static uint64_t mask_of(unsigned bits) {
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

static int64_t signed_of(uint64_t value, unsigned bits) {
    uint64_t sign = UINT64_C(1) << (bits - 1);
    value = ((value & mask_of(bits)) ^ sign) - sign;
    int64_t result;
    memcpy(&result, &value, sizeof result);
    return result;
}

static uint64_t unsigned_of(int64_t value) {
    return (uint64_t)value;
}

double spirv_float_value(uint64_t bits_of, unsigned bits) {
    if (bits == 64)
        return sc_f64_of(bits_of);
    return bits == 32 ? sc_f32_of((uint32_t)bits_of) : sc_f16_value((uint32_t)bits_of);
}

/* Rounds once. */
uint64_t spirv_float_bits(double value, unsigned bits) {
    if (bits == 64)
        return sc_bits_of_f64(value);
    return bits == 32 ? sc_bits_of_f32((float)value) : sc_cvt_f16_f64(sc_bits_of_f64(value));
}

/* ---- Integers ---- */

/* Division by zero and the one quotient that overflows are undefined; here they yield 0. */
static bool divide(unsigned op, uint64_t a, uint64_t b, unsigned bits, uint64_t *out) {
    int64_t sa = signed_of(a, bits), sb = signed_of(b, bits);
    bool is_signed = op == SPIRV_OpSDiv || op == SPIRV_OpSRem || op == SPIRV_OpSMod;
    *out = 0;
    a &= mask_of(bits); /* a malformed operation may have wider operands */
    b &= mask_of(bits);
    if (b == 0 || (is_signed && sb == -1 && a == UINT64_C(1) << (bits - 1)))
        return true;
    switch (op) {
    case SPIRV_OpUDiv: *out = a / b; return true;
    case SPIRV_OpUMod: *out = a % b; return true;
    case SPIRV_OpSDiv: *out = unsigned_of(sa / sb); return true;
    case SPIRV_OpSRem: *out = unsigned_of(sa % sb); return true;
    case SPIRV_OpSMod:
        *out = unsigned_of(sa % sb != 0 && (sa % sb < 0) != (sb < 0) ? sa % sb + sb : sa % sb);
        return true;
    default: return false;
    }
}

/* Shifts by the width or more are undefined; here they yield 0. */
static bool shift(unsigned op, uint64_t a, uint64_t b, unsigned bits, uint64_t *out) {
    bool far = b >= bits;
    switch (op) {
    case SPIRV_OpShiftLeftLogical: *out = far ? 0 : a << b; return true;
    case SPIRV_OpShiftRightLogical: *out = far ? 0 : a >> b; return true;
    case SPIRV_OpShiftRightArithmetic:
        *out = far ? 0 : unsigned_of(signed_of(a, bits)) >> b;
        if (!far && signed_of(a, bits) < 0 && b > 0)
            *out |= ~(UINT64_MAX >> b);
        return true;
    default: return divide(op, a, b, bits, out);
    }
}

static bool arithmetic(unsigned op, uint64_t a, uint64_t b, unsigned bits, uint64_t *out) {
    switch (op) {
    case SPIRV_OpIAdd: *out = a + b; return true;
    case SPIRV_OpISub: *out = a - b; return true;
    case SPIRV_OpIMul: *out = a * b; return true;
    case SPIRV_OpSNegate: *out = 0 - a; return true;
    case SPIRV_OpNot: *out = ~a; return true;
    case SPIRV_OpBitwiseAnd: *out = a & b; return true;
    case SPIRV_OpBitwiseOr: *out = a | b; return true;
    case SPIRV_OpBitwiseXor: *out = a ^ b; return true;
    default: return shift(op, a, b, bits, out);
    }
}

static bool compare(unsigned op, uint64_t a, uint64_t b, unsigned bits, uint64_t *out) {
    int64_t sa = signed_of(a, bits), sb = signed_of(b, bits);
    switch (op) {
    case SPIRV_OpIEqual: *out = a == b; return true;
    case SPIRV_OpINotEqual: *out = a != b; return true;
    case SPIRV_OpULessThan: *out = a < b; return true;
    case SPIRV_OpULessThanEqual: *out = a <= b; return true;
    case SPIRV_OpUGreaterThan: *out = a > b; return true;
    case SPIRV_OpUGreaterThanEqual: *out = a >= b; return true;
    case SPIRV_OpSLessThan: *out = sa < sb; return true;
    case SPIRV_OpSLessThanEqual: *out = sa <= sb; return true;
    case SPIRV_OpSGreaterThan: *out = sa > sb; return true;
    case SPIRV_OpSGreaterThanEqual: *out = sa >= sb; return true;
    default: return false;
    }
}

/* ---- Conversions ---- */

/* Numbers out of range are undefined; here they yield 0. */
static bool from_float(unsigned op, double value, const spirv_type *to, uint64_t *out) {
    double limit = plain_power((int)to->bits), half = limit / 2;
    *out = 0;
    if (op == SPIRV_OpConvertFToS) {
        if (value < half && (value > -half - 1 || value == -half)) /* in f64, 2^63 + 1 is 2^63 */
            *out = unsigned_of((int64_t)value);
        return true;
    }
    if (value > -1 && value < limit)
        *out = (uint64_t)value;
    return true;
}

static bool convert(unsigned op, const spirv_type *from, const spirv_type *to, uint64_t a,
                    uint64_t *out) {
    switch (op) {
    case SPIRV_OpUConvert: *out = a; return true;
    case SPIRV_OpSConvert: *out = unsigned_of(signed_of(a, from->bits)); return true;
    case SPIRV_OpFConvert:
        *out = spirv_float_bits(spirv_float_value(a, from->bits), to->bits);
        return true;
    case SPIRV_OpConvertUToF:
        *out = to->bits == 32 ? sc_bits_of_f32((float)a) : spirv_float_bits((double)a, to->bits);
        return true;
    case SPIRV_OpConvertSToF: {
        int64_t value = signed_of(a, from->bits);
        *out = to->bits == 32 ? sc_bits_of_f32((float)value)
                              : spirv_float_bits((double)value, to->bits);
        return true;
    }
    case SPIRV_OpConvertFToS:
    case SPIRV_OpConvertFToU: return from_float(op, spirv_float_value(a, from->bits), to, out);
    default: return false;
    }
}

/* ---- Floats and bools ---- */

static bool float_arithmetic(unsigned op, double a, double b, double *out) {
    switch (op) {
    case SPIRV_OpFAdd: *out = a + b; return true;
    case SPIRV_OpFSub: *out = a - b; return true;
    case SPIRV_OpFMul: *out = a * b; return true;
    case SPIRV_OpFDiv: *out = a / b; return true;
    case SPIRV_OpFRem: *out = plain_fmod(a, b); return true;
    default: return false;
    }
}

static bool logic(unsigned op, uint64_t a, uint64_t b, uint64_t *out) {
    switch (op) {
    case SPIRV_OpLogicalAnd: *out = a & b; return true;
    case SPIRV_OpLogicalOr: *out = a | b; return true;
    case SPIRV_OpLogicalEqual: *out = a == b; return true;
    case SPIRV_OpLogicalNotEqual: *out = a != b; return true;
    case SPIRV_OpLogicalNot: *out = !a; return true;
    default: return false;
    }
}

bool spirv_fold_number(unsigned op, const spirv_type *from, const spirv_type *to,
                       const uint64_t values[3], uint64_t *result) {
    uint64_t a = values[0], b = values[1];
    double real;
    bool folds;
    if (op == SPIRV_OpSelect) {
        *result = a ? b : values[2];
        return true;
    }
    if (convert(op, from, to, a, result)) {
        folds = true;
    } else if (from->kind == SPIRV_BOOL) {
        folds = logic(op, a, b, result);
    } else if (from->kind == SPIRV_INT) {
        folds = arithmetic(op, a, b, from->bits, result) || compare(op, a, b, from->bits, result);
    } else if (op == SPIRV_OpFNegate) {
        *result = a ^ UINT64_C(1) << (from->bits - 1U);
        folds = true;
    } else {
        /* f32 and f16 are exact in double, and the second rounding is harmless. */
        folds = float_arithmetic(op, spirv_float_value(a, from->bits),
                                 spirv_float_value(b, from->bits), &real);
        *result = folds ? spirv_float_bits(real, to->bits) : 0;
    }
    *result &= mask_of(to->bits);
    return folds;
}
