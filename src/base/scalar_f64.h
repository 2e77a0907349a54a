// f64 arithmetic, rounding and compares on the 64-bit value of a register pair, and the conversions
// between f32, f64, f16 and 32-bit integers (sections 2.8, 4.5 and 4.6 of the ISA reference).
// 64-bit integers are in base/scalar_i64.h, the rest of f16 in base/scalar_f16.h.
#ifndef WAVE_BASE_SCALAR_F64_H
#define WAVE_BASE_SCALAR_F64_H

#include "base/scalar_bits.h"
#include "base/scalar_f16.h"

static inline uint64_t sc_dadd(uint64_t a, uint64_t b) {
    return sc_canon_f64(sc_f64_of(a) + sc_f64_of(b));
}

static inline uint64_t sc_dsub(uint64_t a, uint64_t b) {
    return sc_canon_f64(sc_f64_of(a) - sc_f64_of(b));
}

static inline uint64_t sc_dmul(uint64_t a, uint64_t b) {
    return sc_canon_f64(sc_f64_of(a) * sc_f64_of(b));
}

// Some C libraries add the rounded product when c is zero, and lose the sign of a negative product
// that underflows. With nothing to add, a * b itself is the fused result.
static inline uint64_t sc_dma(uint64_t a, uint64_t b, uint64_t c) {
    double x = sc_f64_of(a), y = sc_f64_of(b), z = sc_f64_of(c);
    bool only_product = z == 0.0 && x != 0.0 && y != 0.0;
    return sc_canon_f64(only_product ? x * y : SC_FMA(x, y, z));
}

static inline uint64_t sc_ddiv(uint64_t a, uint64_t b) {
    return sc_canon_f64(sc_f64_of(a) / sc_f64_of(b));
}

static inline uint64_t sc_dsqrt(uint64_t a) {
    return sc_canon_f64(sqrt(sc_f64_of(a)));
}

// dneg and dabs are bit operations: a NaN keeps its payload.
static inline uint64_t sc_dneg(uint64_t a) {
    return a ^ SC_F64_SIGN;
}

static inline uint64_t sc_dabs(uint64_t a) {
    return a & ~SC_F64_SIGN;
}

// As sc_fmin and sc_fmax.
static inline uint64_t sc_dmin(uint64_t a, uint64_t b) {
    double x = sc_f64_of(a), y = sc_f64_of(b);
    uint64_t r = x < y || y != y ? a : b;
    return sc_canon_f64(sc_f64_of(x == y ? a | b : r));
}

static inline uint64_t sc_dmax(uint64_t a, uint64_t b) {
    double x = sc_f64_of(a), y = sc_f64_of(b);
    uint64_t r = x > y || y != y ? a : b;
    return sc_canon_f64(sc_f64_of(x == y ? a & b : r));
}

// Nearest, ties to even: adding 2^52 leaves no room for a fraction, so the addition itself rounds.
static inline uint64_t sc_dround(uint64_t a) {
    double magnitude = sc_f64_of(sc_dabs(a));
    double rounded = magnitude < 0x1p52 ? (magnitude + 0x1p52) - 0x1p52 : magnitude;
    return rounded != rounded ? SC_F64_NAN : sc_bits_of_f64(rounded) | (a & SC_F64_SIGN);
}

// Rounds to nearest, then steps by one where that went the wrong way; zeros have the operand's
// sign. C's floor and ceil are not used, because they are calls where the processor lacks an
// instruction.
static inline uint64_t sc_dfloor(uint64_t a) {
    uint64_t near = sc_dround(a);
    double rounded = sc_f64_of(near);
    return rounded > sc_f64_of(a) ? sc_bits_of_f64(rounded - 1.0) : near;
}

static inline uint64_t sc_dceil(uint64_t a) {
    uint64_t near = sc_dround(a);
    double rounded = sc_f64_of(near);
    return rounded < sc_f64_of(a) ? sc_bits_of_f64(rounded + 1.0) | (a & SC_F64_SIGN) : near;
}

static inline uint64_t sc_dtrunc(uint64_t a) {
    uint64_t whole = sc_dfloor(sc_dabs(a));
    return sc_f64_of(whole) != sc_f64_of(whole) ? SC_F64_NAN : whole | (a & SC_F64_SIGN);
}

static inline bool sc_dcmp_eq(uint64_t a, uint64_t b) {
    return sc_f64_of(a) == sc_f64_of(b);
}

static inline bool sc_dcmp_ne(uint64_t a, uint64_t b) {
    return sc_f64_of(a) != sc_f64_of(b);
}

static inline bool sc_dcmp_lt(uint64_t a, uint64_t b) {
    return sc_f64_of(a) < sc_f64_of(b);
}

static inline bool sc_dcmp_le(uint64_t a, uint64_t b) {
    return sc_f64_of(a) <= sc_f64_of(b);
}

static inline bool sc_dcmp_gt(uint64_t a, uint64_t b) {
    return sc_f64_of(a) > sc_f64_of(b);
}

static inline bool sc_dcmp_ge(uint64_t a, uint64_t b) {
    return sc_f64_of(a) >= sc_f64_of(b);
}

static inline bool sc_dcmp_ord(uint64_t a, uint64_t b) {
    return sc_dcmp_eq(a, a) && sc_dcmp_eq(b, b);
}

static inline bool sc_dcmp_unord(uint64_t a, uint64_t b) {
    return !sc_dcmp_ord(a, b);
}

static inline uint32_t sc_cvt_f32_f64(uint64_t a) {
    return sc_canon_f32((float)sc_f64_of(a));
}

static inline uint64_t sc_cvt_f64_f32(uint32_t a) {
    return sc_canon_f64((double)sc_f32_of(a));
}

// One rounding to f16: an inexact f32 is rounded to odd by a step towards the true value; rounding
// these 24 bits to 11 yields the same f16 as rounding the f64. An f32 that overflowed steps back to
// the largest finite value.
static inline uint32_t sc_cvt_f16_f64(uint64_t a) {
    double x = sc_f64_of(a);
    float nearest = (float)x;
    uint32_t bits = sc_bits_of_f32(nearest);
    bool inexact = (double)nearest < x || (double)nearest > x;
    if (inexact && (bits & 1u) == 0)
        bits += ((double)nearest < x) == (x > 0.0) ? 1u : 0xFFFFFFFFu;
    return sc_cvt_f16_f32(bits);
}

static inline uint64_t sc_cvt_f64_f16(uint32_t a) {
    return sc_cvt_f64_f32(sc_cvt_f32_f16(a));
}

static inline uint32_t sc_cvt_f32_i32(uint32_t a) {
    return sc_bits_of_f32((float)sc_signed(a));
}

static inline uint32_t sc_cvt_f32_u32(uint32_t a) {
    return sc_bits_of_f32((float)a);
}

// C leaves out-of-range conversions undefined, so the operand is brought into range first and the
// saturated values are selected afterwards. Ranges are compared on the bits: magnitudes of floats
// order like integers, and NaNs come last.
static inline uint32_t sc_cvt_i32_f32(uint32_t a) {
    uint32_t magnitude = a & SC_F32_MAG;
    uint32_t in_range = sc_choose(magnitude < 0x4F000000u, a, 0u); // below 2^31
    uint32_t converted = (uint32_t)(int32_t)sc_f32_of(in_range);
    uint32_t saturated = 0x7FFFFFFFu + (a >> 31);
    uint32_t r = sc_choose(magnitude < 0x4F000000u, converted, saturated);
    return sc_choose(magnitude > SC_F32_INF, 0u, r);
}

// Split into two ranges of signed conversions, which every host has as vector instructions. As
// unsigned numbers, the bits of negative operands are above those of all positive operands.
static inline uint32_t sc_cvt_u32_f32(uint32_t a) {
    uint32_t in_range = sc_choose(a < 0x4F800000u, a, 0u); // 0 <= x < 2^32
    uint32_t offset = sc_choose(in_range >= 0x4F000000u, 0x4F000000u, 0u);
    float low = sc_f32_of(in_range) - sc_f32_of(offset);
    uint32_t converted = (uint32_t)(int32_t)low + (offset != 0u ? 0x80000000u : 0u);
    uint32_t too_large = a >= 0x4F800000u && a <= SC_F32_INF ? 0xFFFFFFFFu : 0u;
    return converted | too_large;
}

#endif
