/* SPIR-V operations by number, with the arithmetic of the emulator. */
#include "clmath/module_ops.h"

#include "base/exact_math.h"
#include "base/scalar.h"

static uint64_t masked(uint64_t value, unsigned bits) {
    return bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

static int64_t extended(uint64_t value, unsigned bits) {
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)((masked(value, bits) ^ sign) - sign);
}

bool clmath_integer_op(uint32_t op, unsigned bits, unsigned to, uint64_t a, uint64_t b,
                       uint64_t *out) {
    int64_t x = extended(a, bits), y = extended(b, bits);
    uint64_t r;
    switch (op) {
    case 113: r = a; break;                  // UConvert
    case 114: r = (uint64_t)x; break;        // SConvert
    case 124: r = a; break;                  // Bitcast
    case 126: r = 0 - a; break;              // SNegate
    case 128: r = a + b; break;              // IAdd
    case 130: r = a - b; break;              // ISub
    case 132: r = a * b; break;              // IMul
    case 170: r = a == b; break;             // IEqual
    case 171: r = a != b; break;             // INotEqual
    case 172: r = a > b; break;              // UGreaterThan
    case 173: r = x > y; break;              // SGreaterThan
    case 174: r = a >= b; break;             // UGreaterThanEqual
    case 175: r = x >= y; break;             // SGreaterThanEqual
    case 176: r = a < b; break;              // ULessThan
    case 177: r = x < y; break;              // SLessThan
    case 178: r = a <= b; break;             // ULessThanEqual
    case 179: r = x <= y; break;             // SLessThanEqual
    case 194: r = a >> b; break;             // ShiftRightLogical
    case 195: r = (uint64_t)(x >> b); break; // ShiftRightArithmetic
    case 196: r = a << b; break;             // ShiftLeftLogical
    case 166:                                // LogicalOr
    case 197: r = a | b; break;              // BitwiseOr
    case 165:                                // LogicalNotEqual
    case 198: r = a ^ b; break;              // BitwiseXor
    case 167:                                // LogicalAnd
    case 199: r = a & b; break;              // BitwiseAnd
    case 164: r = a == b; break;             // LogicalEqual
    case 168: r = !a; break;                 // LogicalNot
    case 200: r = ~a; break;                 // Not
    case 111:
        r = to == 64 ? sc_cvt_f64_i64((uint64_t)x) : sc_cvt_f32_i64((uint64_t)x);
        break;                                                             // ConvertSToF
    case 112: r = to == 64 ? sc_cvt_f64_u64(a) : sc_cvt_f32_u64(a); break; // ConvertUToF
    default: return false;
    }
    *out = masked(r, to);
    return (op < 194 || op > 196) || b < bits; // a shift by the width or more is undefined
}

/* Ordered and unordered compares come in pairs: 180 FOrdEqual, 181 FUnordEqual, … */
static bool compare(uint32_t op, unsigned bits, uint64_t a, uint64_t b, uint64_t *out) {
    double x = bits == 64 ? sc_f64_of(a) : (double)sc_f32_of((uint32_t)a);
    double y = bits == 64 ? sc_f64_of(b) : (double)sc_f32_of((uint32_t)b);
    bool unordered = x != x || y != y;
    const bool results[] = {x == y, x != y, x<y, x> y, x <= y, x >= y};
    if (op == 162 || op == 163) { // Ordered, Unordered
        *out = unordered == (op == 163);
        return true;
    }
    if (op < 180 || op > 191)
        return false;
    *out = unordered ? (op - 180) % 2 : results[(op - 180) / 2];
    return true;
}

static bool arithmetic32(uint32_t op, unsigned to, uint32_t a, uint32_t b, uint64_t *out) {
    switch (op) {
    case 109: *out = to == 64 ? sc_cvt_u64_f32(a) : sc_cvt_u32_f32(a); return true; // ConvertFToU
    case 110: *out = to == 64 ? sc_cvt_i64_f32(a) : sc_cvt_i32_f32(a); return true; // ConvertFToS
    case 115: *out = sc_cvt_f64_f32(a); return to == 64;                            // FConvert
    case 124: *out = a; return true;                                                // Bitcast
    case 127: *out = sc_fneg(a); return true;                                       // FNegate
    case 129: *out = sc_fadd(a, b); return true;                                    // FAdd
    case 131: *out = sc_fsub(a, b); return true;                                    // FSub
    case 133: *out = sc_fmul(a, b); return true;                                    // FMul
    case 136: *out = sc_fdiv(a, b); return true;                                    // FDiv
    case 156: *out = sc_is_nan_f32(a); return true;                                 // IsNan
    default: return false;
    }
}

static bool arithmetic64(uint32_t op, unsigned to, uint64_t a, uint64_t b, uint64_t *out) {
    switch (op) {
    case 109: *out = to == 64 ? sc_cvt_u64_f64(a) : sc_cvt_u32_f64(a); return true;
    case 110: *out = to == 64 ? sc_cvt_i64_f64(a) : sc_cvt_i32_f64(a); return true;
    case 115: *out = sc_cvt_f32_f64(a); return to == 32;
    case 124: *out = a; return true;
    case 127: *out = sc_dneg(a); return true;
    case 129: *out = sc_dadd(a, b); return true;
    case 131: *out = sc_dsub(a, b); return true;
    case 133: *out = sc_dmul(a, b); return true;
    case 136: *out = sc_ddiv(a, b); return true;
    default: return false;
    }
}

bool clmath_float_op(uint32_t op, unsigned bits, unsigned to, uint64_t a, uint64_t b,
                     uint64_t *out) {
    if (compare(op, bits, a, b, out))
        return true;
    return bits == 64 ? arithmetic64(op, to, a, b, out)
                      : arithmetic32(op, to, (uint32_t)a, (uint32_t)b, out);
}

static bool extended32(uint32_t number, uint32_t a, uint32_t b, uint32_t c, uint32_t *out) {
    switch (number) {
    case 13: *out = (a & 0x7FFFFFFFu) | (b & 0x80000000u); return true; // copysign
    case 14: *out = sc_fcos(a); return true;
    case 20: *out = sc_fexp2(a); return true;
    case 23: *out = sc_fabs(a); return true;
    case 25: *out = sc_ffloor(a); return true;
    case 26: *out = sc_fma(a, b, c); return true;
    case 27: *out = sc_fmax(a, b); return true;
    case 28: *out = sc_fmin(a, b); return true;
    case 38: *out = sc_flog2(a); return true;
    case 53: *out = sc_fround(a); return true; // rint
    case 57: *out = sc_fsin(a); return true;
    case 61: *out = sc_fsqrt(a); return true;
    case 66: *out = sc_ftrunc(a); return true;
    case 156: *out = sc_imax(a, b); return true; // s_max
    case 157: *out = sc_umax(a, b); return true;
    case 158: *out = sc_imin(a, b); return true;
    case 159: *out = sc_umin(a, b); return true;
    case 203: *out = (uint32_t)(((uint64_t)a * b) >> 32); return true; // u_mul_hi
    default: return false;
    }
}

static bool extended64(uint32_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t *out) {
    switch (number) {
    case 13: *out = sc_dabs(a) | (b & ~sc_dabs(b)); return true;
    case 23: *out = sc_dabs(a); return true;
    case 25: *out = sc_dfloor(a); return true;
    case 26: *out = sc_dma(a, b, c); return true;
    case 27: *out = sc_dmax(a, b); return true;
    case 28: *out = sc_dmin(a, b); return true;
    case 53: *out = sc_dround(a); return true;
    case 61: *out = sc_dsqrt(a); return true;
    case 66: *out = sc_dtrunc(a); return true;
    default: return false;
    }
}

bool clmath_extended_op(uint32_t number, unsigned bits, const uint64_t *operands, uint64_t *out) {
    if (bits == 64)
        return extended64(number, operands[0], operands[1], operands[2], out);
    uint32_t low = 0;
    bool known = bits == 32 && extended32(number, (uint32_t)operands[0], (uint32_t)operands[1],
                                          (uint32_t)operands[2], &low);
    *out = low;
    return known;
}
