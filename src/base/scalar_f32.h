// f32 arithmetic, rounding and compares on bit patterns (sections 4.3 and 4.7 of the ISA
// reference). The host must be in its default floating-point environment (round to nearest even,
// subnormals kept). fsin, fcos, fexp2 and flog2 are in base/exact_math.h, conversions in
// base/scalar_f64.h.
#ifndef WAVE_BASE_SCALAR_F32_H
#define WAVE_BASE_SCALAR_F32_H

#include "base/scalar_bits.h"

static inline bool sc_is_nan_f32(uint32_t a) {
    return (a & SC_F32_MAG) > SC_F32_INF;
}

static inline uint32_t sc_fadd(uint32_t a, uint32_t b) {
    return sc_canon_f32(sc_f32_of(a) + sc_f32_of(b));
}

static inline uint32_t sc_fsub(uint32_t a, uint32_t b) {
    return sc_canon_f32(sc_f32_of(a) - sc_f32_of(b));
}

static inline uint32_t sc_fmul(uint32_t a, uint32_t b) {
    return sc_canon_f32(sc_f32_of(a) * sc_f32_of(b));
}

static inline uint32_t sc_fma(uint32_t a, uint32_t b, uint32_t c) {
    return sc_canon_f32(SC_FMAF(sc_f32_of(a), sc_f32_of(b), sc_f32_of(c)));
}

static inline uint32_t sc_fdiv(uint32_t a, uint32_t b) {
    return sc_canon_f32(sc_f32_of(a) / sc_f32_of(b));
}

// fneg and fabs are bit operations: a NaN keeps its payload.
static inline uint32_t sc_fneg(uint32_t a) {
    return a ^ SC_F32_SIGN;
}

static inline uint32_t sc_fabs(uint32_t a) {
    return a & SC_F32_MAG;
}

// If both operands are equal they have the same bits or are two zeros; OR (AND for fmax) then picks
// the right zero. An unordered compare falls through to b, which is wrong only if b is the NaN.
static inline uint32_t sc_fmin(uint32_t a, uint32_t b) {
    float x = sc_f32_of(a), y = sc_f32_of(b);
    uint32_t r = sc_choose(x < y, a, b);
    r = sc_choose(x == y, a | b, r);
    return sc_canon_f32(sc_f32_of(sc_choose(y != y, a, r)));
}

static inline uint32_t sc_fmax(uint32_t a, uint32_t b) {
    float x = sc_f32_of(a), y = sc_f32_of(b);
    uint32_t r = sc_choose(x > y, a, b);
    r = sc_choose(x == y, a & b, r);
    return sc_canon_f32(sc_f32_of(sc_choose(y != y, a, r)));
}

static inline uint32_t sc_fclamp(uint32_t x, uint32_t lo, uint32_t hi) {
    return sc_fmin(sc_fmax(x, lo), hi);
}

static inline uint32_t sc_fsqrt(uint32_t a) {
    return sc_canon_f32(sqrtf(sc_f32_of(a)));
}

// Deliberately two correctly rounded steps: every target can reproduce them exactly.
static inline uint32_t sc_frsqrt(uint32_t a) {
    return sc_canon_f32(1.0f / sqrtf(sc_f32_of(a)));
}

static inline uint32_t sc_frcp(uint32_t a) {
    return sc_canon_f32(1.0f / sc_f32_of(a));
}

// The rounding functions work on magnitudes below 2^23, which may have a fraction, and restore the
// operand's sign so that zero results carry it. Anything larger is already an integer, infinite or
// NaN. Conversions to integer and back vectorise on every host; libm's functions do not.
static inline float sc_truncated_magnitude(uint32_t a) {
    uint32_t magnitude = a & SC_F32_MAG;
    uint32_t safe = sc_choose(magnitude < 0x4B000000u, magnitude, 0u);
    return (float)(int32_t)sc_f32_of(safe);
}

static inline uint32_t sc_rounded_or_self(uint32_t a, float rounded_magnitude) {
    uint32_t magnitude = a & SC_F32_MAG;
    uint32_t rounded = sc_bits_of_f32(rounded_magnitude) | (a & SC_F32_SIGN);
    uint32_t r = sc_choose(magnitude < 0x4B000000u, rounded, a);
    return sc_choose(magnitude > SC_F32_INF, SC_F32_NAN, r);
}

static inline uint32_t sc_ftrunc(uint32_t a) {
    return sc_rounded_or_self(a, sc_truncated_magnitude(a));
}

static inline uint32_t sc_ffloor(uint32_t a) {
    float t = sc_truncated_magnitude(a);
    uint32_t up = sc_choose(t < sc_f32_of(a & SC_F32_MAG), SC_F32_ONE, 0u);
    uint32_t away = sc_choose(sc_signed(a) < 0, up, 0u);
    return sc_rounded_or_self(a, t + sc_f32_of(away));
}

static inline uint32_t sc_fceil(uint32_t a) {
    float t = sc_truncated_magnitude(a);
    uint32_t up = sc_choose(t < sc_f32_of(a & SC_F32_MAG), SC_F32_ONE, 0u);
    uint32_t away = sc_choose(sc_signed(a) < 0, 0u, up);
    return sc_rounded_or_self(a, t + sc_f32_of(away));
}

// Nearest, ties to even: adding 2^23 leaves no room for a fraction, so the addition itself rounds.
static inline uint32_t sc_fround(uint32_t a) {
    float magnitude = sc_f32_of(a & SC_F32_MAG);
    return sc_rounded_or_self(a, (magnitude + 0x1p23f) - 0x1p23f);
}

// x - floor(x). A tiny negative x would round up to 1.0, which is outside the range [0, 1).
static inline uint32_t sc_ffract(uint32_t a) {
    float fraction = sc_f32_of(a) - sc_f32_of(sc_ffloor(a));
    uint32_t r = sc_canon_f32(fraction);
    return fraction >= 1.0f ? 0x3F7FFFFFu : r;
}

// A NaN fails both compares and becomes +0.
static inline uint32_t sc_fsat(uint32_t a) {
    float x = sc_f32_of(a);
    uint32_t r = x > 0.0f ? a : 0u;
    return x > 1.0f ? SC_F32_ONE : r;
}

static inline bool sc_fcmp_eq(uint32_t a, uint32_t b) {
    return sc_f32_of(a) == sc_f32_of(b);
}

static inline bool sc_fcmp_ne(uint32_t a, uint32_t b) {
    return sc_f32_of(a) != sc_f32_of(b);
}

static inline bool sc_fcmp_lt(uint32_t a, uint32_t b) {
    return sc_f32_of(a) < sc_f32_of(b);
}

static inline bool sc_fcmp_le(uint32_t a, uint32_t b) {
    return sc_f32_of(a) <= sc_f32_of(b);
}

static inline bool sc_fcmp_gt(uint32_t a, uint32_t b) {
    return sc_f32_of(a) > sc_f32_of(b);
}

static inline bool sc_fcmp_ge(uint32_t a, uint32_t b) {
    return sc_f32_of(a) >= sc_f32_of(b);
}

static inline bool sc_fcmp_ord(uint32_t a, uint32_t b) {
    return !sc_is_nan_f32(a) && !sc_is_nan_f32(b);
}

static inline bool sc_fcmp_unord(uint32_t a, uint32_t b) {
    return sc_is_nan_f32(a) || sc_is_nan_f32(b);
}

#endif
