// f16 and bf16 arithmetic and their conversions (sections 4.4 and 4.6 of the ISA reference). Scalar
// forms read bits 15:0 of a register and return a zero-extended half; the packed forms (suffix 2)
// process both halves. Everything is f32 and u32 arithmetic without branches.
#ifndef WAVE_BASE_SCALAR_F16_H
#define WAVE_BASE_SCALAR_F16_H

#include "base/scalar_bits.h"

// Low half -> f32, exact. Shifting the half into place leaves the exponent 112 too small, for
// subnormals too; one exact multiplication corrects both.
static inline uint32_t sc_cvt_f32_f16(uint32_t a) {
    uint32_t magnitude = (a & 0x7FFFu) << 13;
    uint32_t sign = (a & 0x8000u) << 16;
    uint32_t finite = sc_bits_of_f32(sc_f32_of(magnitude) * 0x1p112f);
    uint32_t r = sc_choose(magnitude >= 0x0F800000u, SC_F32_INF, finite) | sign;
    return sc_choose(magnitude > 0x0F800000u, SC_F32_NAN, r);
}

// f32 -> f16, nearest even. Below 2^-14, adding 0.5 in f32 rounds, since the ulp of 0.5 is the f16
// subnormal step; above, the usual carry into the kept bits rounds, up to infinity.
static inline uint32_t sc_cvt_f16_f32(uint32_t a) {
    uint32_t magnitude = a & SC_F32_MAG;
    uint32_t sign = (a >> 16) & 0x8000u;
    uint32_t half_up = 0xFFFu + ((magnitude >> 13) & 1u);
    uint32_t normal = (magnitude + half_up - (112u << 23)) >> 13;
    uint32_t subnormal = sc_bits_of_f32(sc_f32_of(magnitude) + 0.5f) - 0x3F000000u;
    uint32_t r = sc_choose(magnitude < 0x38800000u, subnormal, normal);
    r = sc_choose(magnitude >= 0x47800000u, SC_F16_INF, r) | sign;
    return sc_choose(magnitude > SC_F32_INF, SC_F16_NAN, r);
}

static inline float sc_f16_value(uint32_t a) {
    return sc_f32_of(sc_cvt_f32_f16(a));
}

static inline uint32_t sc_f16_rounded(float value) {
    return sc_cvt_f16_f32(sc_bits_of_f32(value));
}

// Rounding the sum of two f16 through f32 yields the same f16 as rounding it directly, because 24
// >= 2 * 11 + 2 bits (Figueroa, "When is Double Rounding Innocuous?", 1995); a product is exact in
// f32.
static inline uint32_t sc_hadd(uint32_t a, uint32_t b) {
    return sc_f16_rounded(sc_f16_value(a) + sc_f16_value(b));
}

static inline uint32_t sc_hsub(uint32_t a, uint32_t b) {
    return sc_f16_rounded(sc_f16_value(a) - sc_f16_value(b));
}

static inline uint32_t sc_hmul(uint32_t a, uint32_t b) {
    return sc_f16_rounded(sc_f16_value(a) * sc_f16_value(b));
}

// a * b + c with one rounding to f16. The product is exact in f32; the sum is rounded to odd: its
// exact error is known (TwoSum), and if it is not zero the last bit is forced to 1 by a step
// towards the true value. Rounding these 24 bits to 11 yields the same f16 as rounding the exact
// sum (Boldo and Melquiond: see base/plain_math.c).
static inline uint32_t sc_hma(uint32_t a, uint32_t b, uint32_t c) {
    float product = sc_f16_value(a) * sc_f16_value(b), addend = sc_f16_value(c);
    float sum = product + addend;
    float addend_part = sum - product;
    float product_part = sum - addend_part;
    float error = (product - product_part) + (addend - addend_part);

    uint32_t bits = sc_bits_of_f32(sum);
    uint32_t error_bits = sc_bits_of_f32(error);
    // Infinite or NaN sums have a NaN error; both compares reject it.
    bool inexact = error > 0.0f || error < 0.0f;
    uint32_t towards = sc_signed(error_bits ^ bits) < 0 ? 0xFFFFFFFFu : 1u;
    uint32_t step = inexact && (bits & 1u) == 0 ? towards : 0u;
    return sc_cvt_f16_f32(bits + step);
}

static inline uint32_t sc_hadd2(uint32_t a, uint32_t b) {
    return sc_hadd(a, b) | (sc_hadd(a >> 16, b >> 16) << 16);
}

static inline uint32_t sc_hmul2(uint32_t a, uint32_t b) {
    return sc_hmul(a, b) | (sc_hmul(a >> 16, b >> 16) << 16);
}

static inline uint32_t sc_hma2(uint32_t a, uint32_t b, uint32_t c) {
    return sc_hma(a, b, c) | (sc_hma(a >> 16, b >> 16, c >> 16) << 16);
}

// A bit copy: even a NaN passes unchanged.
static inline uint32_t sc_cvt_f32_bf16(uint32_t a) {
    return a << 16;
}

// Truncation. A NaN whose payload is only in the discarded half must not become an infinity.
static inline uint32_t sc_cvt_bf16_f32(uint32_t a) {
    return (a & SC_F32_MAG) > SC_F32_INF ? SC_BF16_NAN : a >> 16;
}

static inline float sc_bf16_value(uint32_t a) {
    return sc_f32_of(a << 16);
}

static inline uint32_t sc_bf16_truncated(float value) {
    return sc_cvt_bf16_f32(sc_bits_of_f32(value));
}

static inline uint32_t sc_badd(uint32_t a, uint32_t b) {
    return sc_bf16_truncated(sc_bf16_value(a) + sc_bf16_value(b));
}

static inline uint32_t sc_bsub(uint32_t a, uint32_t b) {
    return sc_bf16_truncated(sc_bf16_value(a) - sc_bf16_value(b));
}

static inline uint32_t sc_bmul(uint32_t a, uint32_t b) {
    return sc_bf16_truncated(sc_bf16_value(a) * sc_bf16_value(b));
}

// Fused in f32, rounded to nearest there, then truncated.
static inline uint32_t sc_bma(uint32_t a, uint32_t b, uint32_t c) {
    return sc_bf16_truncated(SC_FMAF(sc_bf16_value(a), sc_bf16_value(b), sc_bf16_value(c)));
}

static inline uint32_t sc_badd2(uint32_t a, uint32_t b) {
    return sc_badd(a, b) | (sc_badd(a >> 16, b >> 16) << 16);
}

static inline uint32_t sc_bmul2(uint32_t a, uint32_t b) {
    return sc_bmul(a, b) | (sc_bmul(a >> 16, b >> 16) << 16);
}

static inline uint32_t sc_bma2(uint32_t a, uint32_t b, uint32_t c) {
    return sc_bma(a, b, c) | (sc_bma(a >> 16, b >> 16, c >> 16) << 16);
}

#endif
