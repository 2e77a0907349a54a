/* asin, acos, atan, atan2 and the forms divided by pi. */
#pragma once

#include "common.h"

/* asin(x) - x for |x| <= 1/2, given z = x x. Fit: asin */
INLINE float asin_tail(float x, float z) {
    float p =
        POLY5(z, 0x1.596e12p-5f, 0x1.8c2d02p-6f, 0x1.747d0cp-5f, 0x1.3301fcp-4f, 0x1.5555c8p-3f);
    return x * z * p;
}

/* With a = asin(w): |x| <= 1/2 has w = |x| and asin |x| = a; above, w = sqrt((1 - |x|) / 2) and
 * asin |x| = pi/2 - 2 a. */
typedef struct {
    bool large;
    float w, tail; /* asin(w) = w + tail */
} half_arc;

INLINE half_arc arc_of(float ax) {
    half_arc h;
    h.large = ax > 0.5f;
    float z = h.large ? fma(-0.5f, ax, 0.5f) : ax * ax;
    h.w = h.large ? sqrt(z) : ax;
    h.tail = asin_tail(h.w, z);
    return h;
}

float __wave_asin(float x) {
    half_arc h = arc_of(fabs(x));
    float large = fma(-2.0f, h.w, HALF_PI) + fma(-2.0f, h.tail, HALF_PI_LO);
    return fabs(x) > 1.0f ? NAN_F32 : with_sign(h.large ? large : h.w + h.tail, x);
}

float __wave_acos(float x) {
    half_arc h = arc_of(fabs(x));
    float arc = h.w + h.tail;
    float small =
        HALF_PI - (flip_sign(h.w, as_uint(x)) + (flip_sign(h.tail, as_uint(x)) - HALF_PI_LO));
    float large = x < 0.0f ? fma(-2.0f, arc, PI_F32) + PI_LO : 2.0f * arc;
    return h.large ? large : small;
}

/* a/pi */
INLINE float over_pi(float a) {
    return fma(a, INV_PI, a * INV_PI_LO);
}

float __wave_asinpi(float x) {
    half_arc h = arc_of(fabs(x));
    float arc = over_pi(h.w + h.tail);
    return fabs(x) > 1.0f ? NAN_F32 : with_sign(h.large ? fma(-2.0f, arc, 0.5f) : arc, x);
}

float __wave_acospi(float x) {
    half_arc h = arc_of(fabs(x));
    float arc = over_pi(h.w + h.tail);
    float large = x < 0.0f ? fma(-2.0f, arc, 1.0f) : 2.0f * arc;
    return h.large ? large : 0.5f - flip_sign(arc, as_uint(x));
}

/* atan(t) for t in [0, 1]; pi/4 is right for t = 1. Fit: atan */
INLINE float atan_01(float t) {
    float z = t * t;
    float p =
        POLY9(z, -0x1.bf1ad2p-10f, 0x1.597358p-7f, -0x1.f4262p-6f, 0x1.d5cdaep-5f, -0x1.56dd62p-4f,
              0x1.c02f92p-4f, -0x1.2418b8p-3f, 0x1.999146p-3f, -0x1.55553cp-2f);
    return fma(t * z, p, t);
}

float __wave_atan(float x) {
    float ax = fabs(x);
    bool large = ax > 1.0f;
    float a = atan_01(large ? 1.0f / ax : ax);
    return x != x ? x : with_sign(large ? HALF_PI - (a - HALF_PI_LO) : a, x);
}

float __wave_atanpi(float x) {
    float ax = fabs(x);
    bool large = ax > 1.0f;
    float a = over_pi(atan_01(large ? 1.0f / ax : ax));
    return x != x ? x : with_sign(large ? 0.5f - a : a, x);
}

/* The lesser of |x| and |y| over the greater: 0 for two zeros, 1 for two infinities. */
INLINE float slope(float ax, float ay) {
    float greater = fmax(ax, ay), lesser = fmin(ax, ay);
    float q = lesser / greater;
    q = lesser == INF_F32 ? 1.0f : q;
    return greater == 0.0f ? 0.0f : q;
}

/* The angle of (x, y) from that of its slope, a: a, quarter - a, quarter + a or 2 quarter - a with
 * the sign of y; quarter is pi/2 as a pair, in the unit of a. */
INLINE float place(float x, float y, float a, float2 quarter) {
    bool steep = fabs(y) > fabs(x), left = (as_uint(x) & SIGN_BIT) != 0;
    float turns = steep ? 1.0f : left ? 2.0f : 0.0f;
    a = steep != left ? -a : a;
    a = turns * quarter.x + (a + turns * quarter.y);
    return x != x || y != y ? NAN_F32 : with_sign(a, y);
}

float __wave_atan2(float y, float x) {
    float a = atan_01(slope(fabs(x), fabs(y)));
    return place(x, y, a, (float2){HALF_PI, HALF_PI_LO});
}

float __wave_atan2pi(float y, float x) {
    float a = over_pi(atan_01(slope(fabs(x), fabs(y))));
    return place(x, y, a, (float2){0.5f, 0.0f});
}
