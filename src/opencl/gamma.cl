/* tgamma, lgamma, lgamma_r: polynomials below 3, Stirling's formula above, the reflection with -x
 * (which is exact, unlike 1 - x) for negative arguments. */
#pragma once

#include "common.h"
#include "log.cl"
#include "pi.cl"
#include "pow.cl"

#define SQRT_2PI   0x1.40d932p+1f
#define LOG2E_TAIL 0x1.4ae0cp-26f
#define STIRLING   0x1.acfe3ap-2f /* log(2 pi)/2 - 1/2 */

/* A number as p 2^n: Gamma(36) exceeds the range of f32, but 1 / Gamma(36), which
 * negative arguments need, does not. */
typedef struct {
    float p;
    int n;
} scaled;

/* Gamma(1 + t) for t in [0, 1]. Fit: gamma */
INLINE float gamma_1_2(float t) {
    float p =
        POLY10(t, 0x1.1a877ep-6f, -0x1.c2954ep-4f, 0x1.4caa74p-2f, -0x1.356ae2p-1f, 0x1.a84e8ep-1f,
               -0x1.de96bp-1f, 0x1.f22a22p-1f, -0x1.d023e8p-1f, 0x1.fa5eacp-1f, -0x1.2788aep-1f);
    return fma(t, p, 1.0f);
}

/* Gamma(x) for -1 < x < 3: Gamma(1 + t) and the recurrence */
INLINE float gamma_below_3(float x) {
    float t = x < 0.0f ? x + 1.0f : x < 1.0f ? x : x - (x < 2.0f ? 1.0f : 2.0f);
    float g = gamma_1_2(t);
    float divisor = x < 0.0f ? x * t : x;
    return x < 1.0f ? g / divisor : x < 2.0f ? g : g * (x - 1.0f);
}

/* Stirling: x^(x - 1/2) e^-x sqrt(2 pi) S(1/x), the powers in one exponent as a pair. Fit:
 * gamma_tail */
INLINE scaled gamma_stirling(float x) {
    float2 l = log2_pair(x);
    float a = x - 0.5f;
    float power = a * l.x, less = x * LOG2E;
    float lo = fma(a, l.y, fma(a, l.x, -power)) - fma(x, LOG2E_TAIL, fma(x, LOG2E, -less));
    float2 exponent = two_sum(power, -less);
    float shifted = exponent.x + ROUND;
    float r = (exponent.x - (shifted - ROUND)) + (exponent.y + lo);
    float u = 1.0f / x;
    float s = POLY6(u, 0x1.2475ap-11f, -0x1.e604d6p-14f, -0x1.623e58p-9f, 0x1.c7547cp-9f,
                    0x1.55554ap-4f, 1.0f);
    scaled result;
    result.p = exp2_reduced(r) * (SQRT_2PI * s);
    result.n = rounded_int(shifted);
    return result;
}

/* Gamma(x) for x >= 1 */
INLINE scaled gamma_scaled(float x) {
    scaled result;
    if (x < 3.0f) {
        result.p = gamma_below_3(x);
        result.n = 0;
    } else {
        result = gamma_stirling(x);
    }
    return result;
}

/* Gamma(x) = -pi / (x sin(pi x) Gamma(-x)); poles give NaN. Beyond -43 it is a zero with the sign
 * of Gamma. */
INLINE float gamma_negative(float x) {
    float sine = sinpi_of(x);
    scaled g = gamma_scaled(fmin(-x, 45.0f));
    float r = -PI_F32 / (fmax(x, -45.0f) * sine * g.p);
    return sine == 0.0f ? NAN_F32 : scale(r, -g.n);
}

float __wave_tgamma(float x) {
    float r;
    if (x > -1.0f && x < 3.0f) {
        r = gamma_below_3(x);
    } else if (x >= 3.0f) {
        scaled g = gamma_stirling(fmin(x, 36.0f));
        r = scale(g.p, g.n);
    } else {
        r = x > -INF_F32 ? gamma_negative(x) : NAN_F32;
    }
    return x == 0.0f ? with_sign(INF_F32, x) : r;
}

/* log Gamma(1 + t) for t in [-0.3, 0.7] and log Gamma(2 + t) for t in [-0.5, 1]. Fits: lgamma1,
 * lgamma2 */
INLINE float lgamma_near_1(float t) {
    float p = POLY11(t, -0x1.552ae6p-6f, 0x1.2096b4p-4f, -0x1.d07898p-4f, 0x1.0df438p-3f,
                     -0x1.29c1c6p-3f, 0x1.5aa67ap-3f, -0x1.a8855ep-3f, 0x1.1513dcp-2f,
                     -0x1.9a4dbap-2f, 0x1.a51a66p-1f, -0x1.2788dp-1f);
    return fma(t, p, 0.0f); /* +0 for t = 0 */
}

INLINE float lgamma_near_2(float t) {
    return t * POLY10(t, 0x1.da15dp-15f, -0x1.df1b2cp-13f, 0x1.16e01ep-11f, -0x1.38c90cp-10f,
                      0x1.7a5fc4p-9f, -0x1.e419ap-8f, 0x1.513364p-6f, -0x1.13dfbcp-4f,
                      0x1.4a34ccp-2f, 0x1.b0ee6p-2f);
}

/* (x - 1/2)(log x - 1) + log(2 pi)/2 - 1/2 + u C(u u), u = 1/x; log x - 1 from the pair that pow
 * uses. Fit: lgamma_tail */
INLINE float lgamma_stirling(float x) {
    float2 l = log2_pair(x);
    float m = fma(l.x, LN2, -1.0f) + fma(l.x, LN2_LO, l.y * LN2);
    float u = 1.0f / x;
    float c = POLY3(u * u, 0x1.6d8724p-11f, -0x1.6b6fe6p-9f, 0x1.555544p-4f);
    return fma(x - 0.5f, m, fma(u, c, STIRLING));
}

/* For x > 0, finite */
INLINE float lgamma_positive(float x) {
    if (x >= 3.0f)
        return lgamma_stirling(x);
    if (x >= 1.5f)
        return lgamma_near_2(x - 2.0f);
    bool small = x < 0.7f;
    float near = lgamma_near_1(small ? x : x - 1.0f);
    return small ? near - log_positive(x) : near;
}

/* log(pi / |x sin(pi x)|) - log Gamma(-x); poles give +inf */
INLINE float lgamma_negative(float x) {
    float sine = sinpi_of(x);
    if (x > -0x1p-30f)
        return -log_positive(-x);
    float r = log_positive(PI_F32 / fabs(x * sine)) - lgamma_positive(-x);
    return sine == 0.0f ? INF_F32 : r;
}

float __wave_lgamma(float x) {
    float r;
    if (fabs(x) < INF_F32)
        r = x > 0.0f ? lgamma_positive(x) : lgamma_negative(x);
    else
        r = fabs(x);
    return x == 0.0f ? INF_F32 : r;
}

/* The sign of Gamma as an int in the second component: -1 where floor(x) is odd and x no pole, and
 * for -0. */
float2 __wave_lgamma_r(float x) {
    float whole = floor(x);
    bool odd = floor(0.5f * whole) != 0.5f * whole;
    bool minus = x < 0.0f && whole != x && odd;
    minus = minus || as_uint(x) == SIGN_BIT;
    return (float2){__wave_lgamma(x), as_float(minus ? 0xFFFFFFFFu : 1u)};
}
