/* sinpi, cospi, tanpi: x = n/2 + r exactly, |r| <= 1/4, and polynomials in r. */
#pragma once

#include "common.h"

typedef struct {
    uint quadrant;
    float sine, cosine;
} half_turn;

/* The quadrant of |x|, and sin and cos of pi r. Fits: sinpi, cospi */
INLINE half_turn reduce_pi(float ax) {
    float x = fma(rint(0.5f * ax), -2.0f, ax); /* modulo 2 */
    float shifted = fma(2.0f, x, ROUND);
    float n = shifted - ROUND;
    float r = fma(n, -0.5f, x);
    float z = r * r;
    float s = POLY4(z, 0x1.443bdep-4f, -0x1.32adacp-1f, 0x1.466b78p+1f, -0x1.4abbcep+2f);
    float c = POLY4(z, 0x1.d4f63cp-3f, -0x1.55b2b4p+0f, 0x1.03c1bp+2f, -0x1.3bd3ccp+2f);
    half_turn t;
    t.quadrant = (uint)rounded_int(shifted);
    t.sine = fma(r, PI_F32, fma(r, PI_LO, r * z * s));
    t.cosine = fma(z, c, 1.0f);
    return t;
}

/* If x is not finite, every result here is NaN. */
INLINE bool finite_f32(float x) {
    return fabs(x) < INF_F32;
}

INLINE float sinpi_of(float x) {
    half_turn t = reduce_pi(fabs(x));
    float r = (t.quadrant & 1u) != 0 ? t.cosine : t.sine;
    r = flip_sign(r, t.quadrant << 30);
    r = r == 0.0f ? 0.0f : r; /* for a whole number the result is a zero with the sign of x */
    return flip_sign(r, as_uint(x));
}

float __wave_sinpi(float x) {
    return finite_f32(x) ? sinpi_of(x) : NAN_F32;
}

float __wave_cospi(float x) {
    half_turn t = reduce_pi(fabs(x));
    float r = (t.quadrant & 1u) != 0 ? t.sine : t.cosine;
    r = flip_sign(r, (t.quadrant + 1u) << 30);
    r = r == 0.0f ? 0.0f : r;
    return finite_f32(x) ? r : NAN_F32;
}

/* Even whole numbers yield the zero with the sign of x, odd ones the other zero; halfway numbers
 * yield +inf after an even number, otherwise -inf. */
float __wave_tanpi(float x) {
    half_turn t = reduce_pi(fabs(x));
    bool swap = (t.quadrant & 1u) != 0;
    float above = swap ? -t.cosine : t.sine;
    float below = swap ? t.sine : t.cosine;
    float r = above / below;
    /* For multiples of 1/2, sine or cosine is a zero whose sign carries no information. */
    uint flip = (t.quadrant & 2u) << 30;
    r = r == 0.0f ? flip_sign(0.0f, flip) : r;
    r = fabs(r) == INF_F32 ? flip_sign(INF_F32, flip) : r;
    r = flip_sign(r, as_uint(x));
    return finite_f32(x) ? r : NAN_F32;
}
