/* cbrt, rsqrt. */
#pragma once

#include "common.h"

/* y = x^(-1/3) without a division: a first estimate from the exponent, accurate to 3.3 %; then two
 * steps of Householder's method of order 3, y (1 + h/3 + 2 h h/9) with h = 1 - x y^3; then x y y,
 * corrected by its residual. */
float __wave_cbrt(float x) {
    float ax = fabs(x);
    bool small = ax < LEAST;
    float m = small ? ax * 0x1p24f : ax;
    float y = as_float(0x54A21D2Au - mul_hi(as_uint(m), 0x55555556u)); /* a third of the bits */
    for (int k = 0; k < 2; k++) {
        float h = fma(-m * y, y * y, 1.0f);
        y = fma(y * h, fma(h, 0x1.c71c72p-3f, 0x1.555556p-2f), y);
    }
    float y2 = y * y;
    float root = m * y2;
    float square = root * root;
    float rest = fma(-root, square, m) - root * fma(root, root, -square);
    root = fma(rest, y2 * 0x1.555556p-2f, root);
    root = small ? root * 0x1p-8f : root;
    return ax < INF_F32 && ax > 0.0f ? with_sign(root, x) : x + x;
}

float __wave_rsqrt(float x) {
    return 1.0f / sqrt(x);
}

double __wave_rsqrt_f64(double x) {
    return 1.0 / sqrt(x);
}
