/* sinh, cosh, tanh by exp and expm1; asinh, acosh, atanh by log1p. */
#pragma once

#include "common.h"
#include "exp.cl"
#include "log.cl"

/* e^x / 2 + sign / (2 e^x); the half is taken before the power of two, so that no part overflows
 * unless the result does. */
INLINE float exp_sum(float x, float quarter) {
    float h = exp_scaled(x, 1);
    return h + quarter / h;
}

/* Fit: sinh */
float __wave_sinh(float x) {
    float ax = fabs(x);
    float z = x * x;
    float p = POLY4(z, 0x1.756cb2p-19f, 0x1.a022bap-13f, 0x1.1110ep-7f, 0x1.555556p-3f);
    float small = fma(x * z, p, x);
    float r = ax < 1.0f ? small : with_sign(exp_sum(ax, -0.25f), x);
    return ax < 0x1p-12f ? x : r;
}

float __wave_cosh(float x) {
    return exp_sum(fabs(x), 0.25f);
}

/* (e^2x - 1) / (e^2x + 1). From 9.02 on it rounds to 1. */
float __wave_tanh(float x) {
    float ax = fabs(x);
    float e = expm1_of(2.0f * (ax > 10.0f ? 10.0f : ax));
    float r = with_sign(e / (e + 2.0f), x);
    return ax < 0x1p-12f ? x : r;
}

/* log1p(x) for x >= 0, plus ln 2 where `doubled` */
INLINE float log1p_doubled(float x, bool doubled) {
    float r = log1p_of(x) + (doubled ? LN2 : 0.0f);
    return x < INF_F32 ? r : x;
}

/* log(x + sqrt(x x + 1)) = log1p(x + x x / (1 + sqrt(x x + 1))); log(2 x) for large x */
float __wave_asinh(float x) {
    float ax = fabs(x);
    bool large = ax > 0x1p30f;
    float z = ax * ax;
    float u = ax + z / (1.0f + sqrt(z + 1.0f));
    float r = with_sign(log1p_doubled(large ? ax : u, large), x);
    return ax < 0x1p-12f ? x : r;
}

/* t = x - 1: log(x + sqrt(x x - 1)) = log1p(t + sqrt(t t + 2 t)) */
float __wave_acosh(float x) {
    bool large = x > 0x1p30f;
    float t = x - 1.0f;
    float u = t + sqrt(fma(t, t, 2.0f * t));
    float r = log1p_doubled(large ? x : u, large);
    return x >= 1.0f ? r : NAN_F32;
}

/* log((1 + x) / (1 - x)) / 2 = log1p(2 x / (1 - x)) / 2 */
float __wave_atanh(float x) {
    float ax = fabs(x);
    float r = 0.5f * log1p_doubled(2.0f * ax / (1.0f - ax), false);
    r = ax < 0x1p-12f ? ax : r;
    return ax <= 1.0f ? with_sign(r, x) : NAN_F32;
}
