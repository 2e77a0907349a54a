/* log, log10, log1p: x = 2^k (1 + f) with 1 + f in [2/3, 4/3), log x = k ln 2 + log(1 + f). */
#pragma once

#include "common.h"

#define TWO_THIRDS 0x3F2AAAABu /* the bits of 2/3 */
#define LOG10_E    0x1.bcb7b2p-2f
#define LOG10_E_LO -0x1.5b235ep-27f

typedef struct {
    float k, f;
} log_parts;

/* k and f of a positive finite x. */
INLINE log_parts split_log(float x) {
    bool small = x < LEAST;
    uint offset = as_uint(small ? x * 0x1p24f : x) - TWO_THIRDS;
    log_parts p;
    p.k = (float)((int)offset >> 23) - (small ? 24.0f : 0.0f);
    p.f = as_float((offset & MANTISSA) + TWO_THIRDS) - 1.0f;
    return p;
}

/* log(1 + f). Fit: log */
INLINE float log_near_1(float f) {
    float l = POLY9(f, -0x1.07e364p-3f, 0x1.1e7656p-3f, -0x1.f32176p-4f, 0x1.1ed3b6p-3f,
                    -0x1.559d3p-3f, 0x1.99d062p-3f, -0x1.fffef4p-3f, 0x1.555506p-2f, -0.5f);
    return fma(f * f, l, f);
}

/* The result of log and related functions: r for a positive finite x, the edge cases otherwise. */
INLINE float log_edges(float x, float r) {
    r = x < INF_F32 ? r : x;
    return x > 0.0f ? r : x == 0.0f ? -INF_F32 : NAN_F32;
}

INLINE float log_positive(float x) {
    log_parts p = split_log(x);
    return fma(p.k, LN2, fma(p.k, LN2_LO, log_near_1(p.f)));
}

float __wave_log(float x) {
    return log_edges(x, log_positive(x));
}

float __wave_log10(float x) {
    log_parts p = split_log(x);
    float l = log_near_1(p.f);
    return log_edges(x, fma(p.k, LOG10_2, fma(l, LOG10_E, fma(l, LOG10_E_LO, p.k * LOG10_2_LO))));
}

/* 1 + x = 2^k (1 + f): f = (2^-k - 1) + 2^-k x needs one rounding, and none for k = 0. From 2^25
 * on, 1 + x is as good as x. */
INLINE float log1p_of(float x) {
    uint offset = as_uint(1.0f + x) - TWO_THIRDS;
    int k = (int)offset >> 23;
    float down = power_of_two(-k);
    float f =
        k > 25 ? as_float((offset & MANTISSA) + TWO_THIRDS) - 1.0f : fma(down, x, down - 1.0f);
    float n = (float)k;
    return fma(n, LN2, fma(n, LN2_LO, log_near_1(f)));
}

float __wave_log1p(float x) {
    float r = fabs(x) < 0x1p-25f ? x : log1p_of(x);
    r = x < INF_F32 ? r : x;
    return x > -1.0f ? r : x == -1.0f ? -INF_F32 : NAN_F32;
}
