/* sincos and tan: one reduction for both functions, step for step that of base/exact_math.c, so
 * that sincos gives the bits of sin and cos. docs/reference/math.md explains the steps. */
#pragma once

#include "common.h"

typedef struct {
    uint quadrant;
    float hi, lo;
} reduced;

INLINE reduced reduce_small(float ax) {
    reduced r;
    float turns = trunc(fma(ax, 0x1.45f306p-1f, 0.5f));
    r.quadrant = (uint)turns;
    float first = fma(-turns, HALF_PI, ax);
    float product = -turns * HALF_PI_LO;
    float error = fma(-turns, HALF_PI_LO, -product);
    float2 sum = two_sum(first, product);
    float2 rest = fast_two_sum(sum.x, sum.y + fma(-turns, -0x1.ee59dap-50f, error));
    r.hi = rest.x;
    r.lo = rest.y;
    return r;
}

/* Word i of five. */
INLINE uint pick(uint i, uint w0, uint w1, uint w2, uint w3, uint w4) {
    uint w = i == 0 ? w0 : w1;
    w = i == 2 ? w2 : w;
    w = i == 3 ? w3 : w;
    return i == 4 ? w4 : w;
}

/* The upper word of (hi:lo) << shift */
INLINE uint funnel(uint hi, uint lo, uint shift) {
    return (hi << shift) | ((lo >> 1) >> (31u - shift));
}

/* Payne and Hanek: the bits of 2/pi that matter for this exponent, times the mantissa, modulo 4
 * quadrants. */
INLINE reduced reduce_large(uint ax) {
    uint m = (ax & MANTISSA) | 0x00800000u;
    uint skip = (ax >> 23) - 120u;
    uint i = skip >> 5, shift = skip & 31u;
    uint t0 = pick(i, 0, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u);
    uint t1 = pick(i, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u);
    uint t2 = pick(i, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u);
    uint t3 = pick(i, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu);
    uint w0 = funnel(t0, t1, shift), w1 = funnel(t1, t2, shift), w2 = funnel(t2, t3, shift);
    uint below = mul_hi(m, w2);
    uint low = m * w1 + below;
    uint high = m * w0 + mul_hi(m, w1) + (low < below ? 1u : 0u);

    reduced r;
    r.quadrant = (high + 0x20000000u) >> 30;
    high -= r.quadrant << 30;
    uint sign = high & SIGN_BIT;
    uint flip = sign != 0 ? 0xFFFFFFFFu : 0u;
    high = (high ^ flip) + (sign != 0 && low == 0 ? 1u : 0u);
    low = (low ^ flip) + (flip & 1u);

    float a = (float)(high >> 6) * 0x1p-24f;
    float b = (float)(((high & 63u) << 18) | (low >> 14)) * 0x1p-48f;
    float c = (float)(low & 0x3FFFu) * 0x1p-62f;
    float2 f = fast_two_sum(a, b);
    f.y = f.y + c;
    float product = f.x * HALF_PI;
    float tail = fma(f.y, HALF_PI, fma(f.x, HALF_PI_LO, fma(f.x, HALF_PI, -product)));
    float2 rest = fast_two_sum(product, tail);
    r.hi = flip_sign(rest.x, sign);
    r.lo = flip_sign(rest.y, sign);
    return r;
}

INLINE float sin_near_0(reduced r) {
    float z = r.hi * r.hi;
    float s = POLY4(z, 0x1.7c151ap-19f, -0x1.a05926p-13f, 0x1.111174p-7f, -0x1.555556p-3f);
    return r.hi + fma(r.hi * z, s, fma(-0.5f * z, r.lo, r.lo));
}

INLINE float cos_near_0(reduced r) {
    float z = r.hi * r.hi;
    float c = POLY3(z, 0x1.99e42ep-16f, -0x1.6c0c2p-10f, 0x1.55554ap-5f);
    float half_hi = -0.5f * r.hi;
    float top = fma(half_hi, r.hi, 1.0f);
    float error = fma(half_hi, r.hi, 1.0f - top);
    return top + fma(z * z, c, fma(-r.hi, r.lo, error));
}

float2 __wave_sincos(float x) {
    uint ax = as_uint(x) & ~SIGN_BIT;
    reduced r;
    if (ax < 0x47000000u) /* 2^15 */
        r = reduce_small(as_float(ax));
    else
        r = reduce_large(ax);
    float s = sin_near_0(r), c = cos_near_0(r);
    bool swap = (r.quadrant & 1u) != 0;
    float sine = flip_sign(swap ? c : s, (r.quadrant << 30) ^ as_uint(x));
    float cosine = flip_sign(swap ? s : c, (r.quadrant + 1u) << 30);
    bool undefined = ax >= 0x7F800000u;
    return (float2){undefined ? NAN_F32 : sine, undefined ? NAN_F32 : cosine};
}

float __wave_tan(float x) {
    float2 both = __wave_sincos(x);
    return both.x / both.y;
}
