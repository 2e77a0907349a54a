/* pow, powr, pown, rootn: 2^(y log2 |x|) with the logarithm and the product as pairs of f32, then
 * the edge cases of C99 F.9.4.4 (pow) and OpenCL C 7.5.1 (the others). */
#pragma once

#include "common.h"

#define SQRT_HALF    0x3F3504F3u /* the bits of sqrt(1/2) */
#define TWO_LOG2E    0x1.715476p+1f
#define TWO_LOG2E_LO 0x1.4ae0cp-25f

/* log2(x) of a positive finite x to about 2^-31 of it: x = 2^k (1 + f), s = f / (2 + f) as a pair,
 * log2(1 + f) = log2((1 + s) / (1 - s)). Fit: pow_log */
INLINE float2 log2_pair(float x) {
    bool small = x < LEAST;
    uint offset = as_uint(small ? x * 0x1p24f : x) - SQRT_HALF;
    float k = (float)((int)offset >> 23) - (small ? 24.0f : 0.0f);
    float f = as_float((offset & MANTISSA) + SQRT_HALF) - 1.0f;
    float d = 2.0f + f;
    float d_lo = f - (d - 2.0f);
    float inverse = 1.0f / d;
    float s = f * inverse;
    float s_lo = fma(-s, d_lo, fma(-s, d, f)) * inverse;
    float z = s * s;
    float head = s * TWO_LOG2E;
    float tail = fma(s_lo, TWO_LOG2E, fma(s, TWO_LOG2E_LO, fma(s, TWO_LOG2E, -head)));
    tail =
        fma(s * z, POLY4(z, 0x1.58b396p-2f, 0x1.a5cecp-2f, 0x1.2776e2p-1f, 0x1.ec709ep-1f), tail);
    float2 sum = fast_two_sum(k, head);
    return fast_two_sum(sum.x, sum.y + tail);
}

/* 2^r for |r| <= 1/2. Fit: exp2 */
INLINE float exp2_reduced(float r) {
    float p = POLY6(r, 0x1.4174ccp-13f, 0x1.5f0972p-10f, 0x1.3b2dd8p-7f, 0x1.c6af7ap-5f,
                    0x1.ebfbdcp-3f, 0x1.62e43p-1f);
    return fma(r, p, 1.0f);
}

/* 2^(hi + lo) for |hi| <= 250 and a small lo */
INLINE float exp2_pair(float hi, float lo) {
    float shifted = hi + ROUND;
    float r = (hi - (shifted - ROUND)) + lo;
    return scale(exp2_reduced(r), rounded_int(shifted));
}

/* 2^(y l), with lo added to the product */
INLINE float exp2_product(float y, float2 l, float lo) {
    float hi = y * l.x;
    lo = fma(y, l.y, fma(y, l.x, -hi)) + lo;
    lo = fabs(hi) < 200.0f ? lo : 0.0f; /* an infinite hi makes lo a NaN */
    return exp2_pair(fmin(fmax(hi, -200.0f), 200.0f), lo);
}

/* x^y of a positive finite x and a finite y */
INLINE float power(float x, float y) {
    return exp2_product(y, log2_pair(x), -0.0f);
}

/* x^(y + y_lo) */
INLINE float power_of_pair(float x, float y, float y_lo) {
    float2 l = log2_pair(x);
    return exp2_product(y, l, y_lo * l.x);
}

/* Whether x is positive and finite, and so not an edge case by itself. The edge cases are in a
 * branch that is rarely taken. */
INLINE bool plain(float x) {
    return as_uint(x) - 1u < 0x7F7FFFFFu;
}

/* |x|^y where |x| is 0 or infinite, by the sign of y; r elsewhere. */
INLINE float power_at_ends(float ax, bool y_negative, float r) {
    float end = (ax == 0.0f) == y_negative ? INF_F32 : 0.0f;
    return ax == 0.0f || ax == INF_F32 ? end : r;
}

/* r is |x|^y where both are finite and x is not 0. */
INLINE float pow_edges(float x, float y, float r) {
    float ax = fabs(x), ay = fabs(y);
    bool whole = trunc(y) == y;
    bool odd = whole & (trunc(0.5f * y) != 0.5f * y);
    r = ay == INF_F32 ? ((ax > 1.0f) == (y > 0.0f) ? INF_F32 : 0.0f) : r;
    r = power_at_ends(ax, y < 0.0f, r);
    r = x < 0.0f && ax < INF_F32 && !whole ? NAN_F32 : r;
    r = odd ? with_sign(r, x) : r;
    r = x != x || y != y ? NAN_F32 : r;
    return y == 0.0f || x == 1.0f || (ax == 1.0f && ay == INF_F32) ? 1.0f : r;
}

float __wave_pow(float x, float y) {
    float r = power(fabs(x), y);
    bool edge_x = !plain(x), edge_y = !(fabs(y) < INF_F32);
    if (edge_x | edge_y)
        r = pow_edges(x, y, r);
    return r;
}

INLINE float powr_edges(float x, float y, float r) {
    float ax = fabs(x), ay = fabs(y);
    r = ay == INF_F32 ? ((ax > 1.0f) == (y > 0.0f) ? INF_F32 : 0.0f) : r;
    r = power_at_ends(ax, y < 0.0f, r);
    bool open = y == 0.0f && (ax == 0.0f || ax == INF_F32); /* 0^0, inf^0 */
    open = open || (ax == 1.0f && ay == INF_F32);
    return x < 0.0f || x != x || y != y || open ? NAN_F32 : r;
}

float __wave_powr(float x, float y) {
    float r = power(fabs(x), y);
    bool edge_x = !plain(x), edge_y = !(fabs(y) < INF_F32);
    if (edge_x | edge_y)
        r = powr_edges(x, y, r);
    return r;
}

/* (float)n and its rounding error */
INLINE float2 split_int(int n) {
    float hi = fmin((float)n, 0x1.fffffep+30f);
    return (float2){hi, (float)(n - (int)hi)};
}

INLINE float pown_edges(float x, int n, float r) {
    r = power_at_ends(fabs(x), n < 0, r);
    r = (n & 1) != 0 ? with_sign(r, x) : r;
    r = x != x ? NAN_F32 : r;
    return n == 0 ? 1.0f : r;
}

float __wave_pown(float x, int n) {
    float2 y = split_int(n);
    float r = power_of_pair(fabs(x), y.x, y.y);
    if (!plain(x))
        r = pown_edges(x, n, r);
    return r;
}

INLINE float rootn_edges(float x, int n, float r) {
    r = power_at_ends(fabs(x), n < 0, r);
    r = (n & 1) != 0 ? with_sign(r, x) : r;
    return n == 0 || x != x || (x < 0.0f && (n & 1) == 0) ? NAN_F32 : r;
}

float __wave_rootn(float x, int n) {
    float degree = (float)n;
    float y = 1.0f / degree;
    float y_lo = fma(-y, degree, 1.0f) * y;
    float r = power_of_pair(fabs(x), y, y_lo);
    bool edge = !plain(x);
    if (edge | (n == 0))
        r = rootn_edges(x, n, r);
    return r;
}
