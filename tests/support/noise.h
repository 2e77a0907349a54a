/* Results of a vendor's fast functions for the harnesses: the true value, off by as much as the
 * vendor allows (docs/reference/math.md). A random number chooses the error; half of the results
 * are at one of the two extremes. Rounding to f32 afterwards stays within the bound. Compiled as
 * C11 by tests/ptxvm and as C++17 by tests/simt. */
#ifndef SUPPORT_NOISE_H
#define SUPPORT_NOISE_H

#include <stdint.h>

static inline double noise_direction(uint32_t random) {
    switch (random & 3) {
    case 0: return -1;
    case 1: return 1;
    default: return (double)(random >> 2) * 0x1p-29 - 1;
    }
}

static inline int noise_is_fixed(double value) {
    return value == 0 || !__builtin_isfinite(value);
}

/* Zeros, infinities and NaNs are unchanged. */
static inline float noise_absolute(double value, double bound, uint32_t random) {
    int exponent;
    if (noise_is_fixed(value))
        return (float)value;
    (void)__builtin_frexp(value, &exponent); /* [1/2, 1) times a power of two */
    double half = __builtin_ldexp(1, (exponent < -125 ? -125 : exponent) - 25);
    return (float)(value + noise_direction(random) * (bound > half ? bound - half : 0));
}

static inline float noise_relative(double value, double bound, uint32_t random) {
    return noise_absolute(value, bound * __builtin_fabs(value), random);
}

static inline float noise_ulps(double value, double ulps, uint32_t random) {
    int exponent;
    if (noise_is_fixed(value))
        return (float)value;
    (void)__builtin_frexp(value, &exponent);
    return noise_absolute(
        value, ulps * __builtin_ldexp(1, (exponent < -125 ? -125 : exponent) - 24), random);
}

/* Subnormals become zeros of the same sign. */
static inline float noise_flushed(float value) {
    return __builtin_fabsf(value) < 0x1p-126f ? __builtin_copysignf(0, value) : value;
}

#endif
