/* exp, exp10, expm1: x = n ln 2 + r (exp10: n log10 2 + r), a polynomial in r, and 2^n through the
 * exponent field. */
#pragma once

#include "common.h"

/* x within [lo, hi]; NaN stays NaN */
INLINE float between(float x, float lo, float hi) {
    x = x > hi ? hi : x;
    return x < lo ? lo : x;
}

/* e^r for |r| <= ln(2)/2. Fit: exp */
INLINE float exp_reduced(float r) {
    return fma(r,
               POLY6(r, 0x1.6a452cp-10f, 0x1.1239acp-7f, 0x1.5558b8p-5f, 0x1.555492p-3f,
                     0x1.fffffcp-2f, 1.0f),
               1.0f);
}

/* e^x / 2^less. */
INLINE float exp_scaled(float x, int less) {
    x = between(x, -105.0f, 91.0f);
    float shifted = fma(x, LOG2E, ROUND);
    float n = shifted - ROUND;
    float r = fma(n, -LN2_LO, fma(n, -LN2, x));
    return scale(exp_reduced(r), rounded_int(shifted) - less);
}

float __wave_exp(float x) {
    return exp_scaled(x, 0);
}

/* Fit: exp10 */
float __wave_exp10(float x) {
    x = between(x, -46.0f, 39.0f);
    float shifted = fma(x, LOG2_10, ROUND);
    float n = shifted - ROUND;
    float r = fma(n, -LOG10_2_LO, fma(n, -LOG10_2, x));
    float p = POLY6(r, 0x1.a64f02p-3f, 0x1.156c1cp-1f, 0x1.2bd9f4p+0f, 0x1.046f9ap+1f,
                    0x1.53524ap+1f, 0x1.26bb1cp+1f);
    return scale(fma(r, p, 1.0f), rounded_int(shifted));
}

/* 2^n (e^r - 1) + (2^n - 1). Everything is halved, so that 2^128 does not occur; n = 0 returns e^r
 * - 1 itself, which may be subnormal. Fit: expm1 */
INLINE float expm1_of(float x) {
    float bounded = between(x, -20.0f, 89.0f);
    float shifted = fma(bounded, LOG2E, ROUND);
    float n = shifted - ROUND;
    float r = fma(n, -LN2_LO, fma(n, -LN2, bounded));
    float q = POLY6(r, 0x1.9e7cap-13f, 0x1.6d3a6ap-10f, 0x1.1112d4p-7f, 0x1.5554f8p-5f,
                    0x1.555554p-3f, 0.5f);
    float e = fma(r * r, q, r);
    float half_power = power_of_two(rounded_int(shifted) - 1);
    float result = 2.0f * fma(half_power, e, half_power - 0.5f);
    return n == 0.0f ? e : result;
}

float __wave_expm1(float x) {
    return fabs(x) < 0x1p-25f ? x : expm1_of(x);
}
