// 64-bit integers on the value of a register pair, and their conversions to and from floats
// (section 2.8 of the ISA reference). Edge cases behave as in the 32-bit instructions.
#ifndef WAVE_BASE_SCALAR_I64_H
#define WAVE_BASE_SCALAR_I64_H

#include "base/scalar_bits.h"

#define SC_I64_MIN 0x8000000000000000u

// Out-of-range conversion to a signed type is reduction modulo 2^64, as in sc_signed.
static inline int64_t sc_signed64(uint64_t bits) {
    return (int64_t)bits;
}

static inline uint64_t sc_ladd(uint64_t a, uint64_t b) {
    return a + b;
}

static inline uint64_t sc_lsub(uint64_t a, uint64_t b) {
    return a - b;
}

static inline uint64_t sc_lmul(uint64_t a, uint64_t b) {
    return a * b;
}

// The upper half of the unsigned product, from four products of halves. No partial sum overflows.
static inline uint64_t sc_lmul_hi(uint64_t a, uint64_t b) {
    uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32);
    uint64_t other = a0 * b1 + (middle & 0xFFFFFFFFu);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static inline uint64_t sc_lshl(uint64_t value, uint32_t amount) {
    return value << (amount & 63u);
}

static inline uint64_t sc_lshr(uint64_t value, uint32_t amount) {
    return value >> (amount & 63u);
}

static inline uint64_t sc_lsar(uint64_t value, uint32_t amount) {
    return (uint64_t)(sc_signed64(value) >> (amount & 63u));
}

static inline uint64_t sc_labs(uint64_t a) {
    return sc_signed64(a) < 0 ? 0u - a : a;
}

static inline uint64_t sc_ludiv(uint64_t a, uint64_t b) {
    return b == 0 ? 0u : a / b;
}

static inline uint64_t sc_lumod(uint64_t a, uint64_t b) {
    return b == 0 ? 0u : a % b;
}

// Division of magnitudes, as in sc_idiv and sc_imod.
static inline uint64_t sc_ldiv(uint64_t a, uint64_t b) {
    uint64_t quotient = sc_ludiv(sc_labs(a), sc_labs(b));
    return sc_signed64(a ^ b) < 0 ? 0u - quotient : quotient;
}

static inline uint64_t sc_lmod(uint64_t a, uint64_t b) {
    uint64_t rest = sc_lumod(sc_labs(a), sc_labs(b));
    return sc_signed64(a) < 0 ? 0u - rest : rest;
}

static inline bool sc_lcmp_eq(uint64_t a, uint64_t b) {
    return a == b;
}

static inline bool sc_lcmp_ne(uint64_t a, uint64_t b) {
    return a != b;
}

static inline bool sc_lcmp_lt(uint64_t a, uint64_t b) {
    return sc_signed64(a) < sc_signed64(b);
}

static inline bool sc_lcmp_le(uint64_t a, uint64_t b) {
    return sc_signed64(a) <= sc_signed64(b);
}

static inline bool sc_lcmp_gt(uint64_t a, uint64_t b) {
    return sc_signed64(a) > sc_signed64(b);
}

static inline bool sc_lcmp_ge(uint64_t a, uint64_t b) {
    return sc_signed64(a) >= sc_signed64(b);
}

static inline bool sc_lucmp_lt(uint64_t a, uint64_t b) {
    return a < b;
}

static inline bool sc_lucmp_le(uint64_t a, uint64_t b) {
    return a <= b;
}

static inline bool sc_lucmp_gt(uint64_t a, uint64_t b) {
    return a > b;
}

static inline bool sc_lucmp_ge(uint64_t a, uint64_t b) {
    return a >= b;
}

// Integers to floats: C rounds to nearest even in the default environment.
static inline uint64_t sc_cvt_f64_i32(uint32_t a) {
    return sc_bits_of_f64((double)sc_signed(a));
}

static inline uint64_t sc_cvt_f64_u32(uint32_t a) {
    return sc_bits_of_f64((double)a);
}

static inline uint64_t sc_cvt_f64_i64(uint64_t a) {
    return sc_bits_of_f64((double)sc_signed64(a));
}

static inline uint64_t sc_cvt_f64_u64(uint64_t a) {
    return sc_bits_of_f64((double)a);
}

static inline uint32_t sc_cvt_f32_i64(uint64_t a) {
    return sc_bits_of_f32((float)sc_signed64(a));
}

static inline uint32_t sc_cvt_f32_u64(uint64_t a) {
    return sc_bits_of_f32((float)a);
}

// Floats to integers: truncated towards zero; out-of-range values saturate, NaN becomes 0. Every
// f32 is an f64, so conversions from f32 go through f64.
static inline uint32_t sc_cvt_i32_f64(uint64_t a) {
    double x = sc_f64_of(a);
    if (x != x)
        return 0;
    return x >= 0x1p31 ? 0x7FFFFFFFu : x <= -0x1p31 ? 0x80000000u : (uint32_t)(int32_t)x;
}

static inline uint32_t sc_cvt_u32_f64(uint64_t a) {
    double x = sc_f64_of(a);
    return x >= 0x1p32 ? 0xFFFFFFFFu : x > 0.0 ? (uint32_t)x : 0;
}

static inline uint64_t sc_cvt_i64_f64(uint64_t a) {
    double x = sc_f64_of(a);
    if (x != x)
        return 0;
    return x >= 0x1p63 ? SC_I64_MIN - 1 : x <= -0x1p63 ? SC_I64_MIN : (uint64_t)(int64_t)x;
}

static inline uint64_t sc_cvt_u64_f64(uint64_t a) {
    double x = sc_f64_of(a);
    return x >= 0x1p64 ? ~(uint64_t)0 : x > 0.0 ? (uint64_t)x : 0;
}

static inline uint64_t sc_cvt_i64_f32(uint32_t a) {
    return sc_cvt_i64_f64(sc_bits_of_f64((double)sc_f32_of(a)));
}

static inline uint64_t sc_cvt_u64_f32(uint32_t a) {
    return sc_cvt_u64_f64(sc_bits_of_f64((double)sc_f32_of(a)));
}

#endif
