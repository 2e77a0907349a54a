/* erf and erfc. */
#pragma once

#include "common.h"
#include "exp.cl"

/* Fits: erf_small, erf_large */
float __wave_erf(float x) {
    float ax = fabs(x);
    float z = x * x;
    float p = POLY7(z, 0x1.477f5ap-14f, -0x1.a354e4p-11f, 0x1.53f27p-8f, -0x1.b7f71ep-6f,
                    0x1.ce2ce6p-4f, -0x1.81273ep-2f, 0x1.06eba8p-3f);
    float a = ax > 4.0f ? 4.0f : ax;
    float q = POLY7(a, 0x1.871f66p-13f, -0x1.8284c6p-9f, 0x1.65e102p-6f, -0x1.a65ed4p-4f,
                    -0x1.46b936p-1f, -0x1.208972p+0f, -0x1.63f9dap-12f);
    float large = with_sign(1.0f - __wave_exp(q), x);
    return ax < 1.0f ? fma(x, p, x) : large;
}

/* e^(-x x) P(q) / (1 + 2 x) for x >= 0, q = (x - 4) / (x + 4); below 0 it is 2 - erfc(-x). The
 * square is a pair, because its error matters in e^(-x x). Fit: erfc */
float __wave_erfc(float x) {
    float ax = fabs(x);
    ax = ax > 10.5f ? 10.5f : ax;
    float q = (ax - 4.0f) / (ax + 4.0f);
    float p = POLY11(q, 0x1.d6b4a4p-11f, 0x1.cdcb4p-8f, -0x1.04c048p-6f, 0x1.29cd74p-5f,
                     -0x1.1118eap-4f, 0x1.805316p-4f, -0x1.9d9bf4p-4f, 0x1.16e9c6p-4f,
                     0x1.f7da68p-7f, -0x1.1df1bp-3f, 0x1.3ba592p+0f);
    p = p / fma(2.0f, ax, 1.0f);
    float square = ax * ax;
    float error = fma(ax, ax, -square);
    float shifted = fma(-square, LOG2E, ROUND);
    float n = shifted - ROUND;
    float r = fma(n, -LN2_LO, fma(n, -LN2, -square)) - error;
    float tail = exp_reduced(r) * p;
    int k = rounded_int(shifted);
    return x < 0.0f ? 2.0f - scale(tail, k) : scale(tail, k);
}
