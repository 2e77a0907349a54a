// The vendors' fast functions: true values with noise (support/noise.h), with subnormals flushed.
// docs/reference/math.md lists the limits of each target.
#ifndef SIMT_FAST_H
#define SIMT_FAST_H

#include "../support/noise.h"

namespace simt {

SIMT_INLINE float fast_ulps(double value, double ulps) {
    return noise_flushed(noise_ulps(value, ulps, simt_garbage()));
}

// sin, cos: accurate in a range of arguments; outside it anything from -1 to 1.
SIMT_INLINE float fast_wave(double value, float x, double range, double bound) {
    if (__builtin_isfinite(x) && __builtin_fabsf(x) > range)
        return float(noise_direction(simt_garbage()));
    const float y = noise_absolute(value, bound, simt_garbage());
    return x == 0 ? float(value) : y > 1 ? 1.0f : y < -1 ? -1.0f : y;
}

SIMT_INLINE float fast_log2(float x, double bound_near_1, double ulps) {
    const double value = __builtin_log2(double(noise_flushed(x)));
    return x > 0.5f && x < 2 ? noise_absolute(value, bound_near_1, simt_garbage())
                             : fast_ulps(value, ulps);
}

SIMT_INLINE float fast_exp2(float x, double ulps) {
    return fast_ulps(__builtin_exp2(double(x)), ulps);
}
SIMT_INLINE float fast_sqrt(float x, double ulps) {
    return fast_ulps(__builtin_sqrt(double(noise_flushed(x))), ulps);
}
SIMT_INLINE float fast_rsqrt(float x, double ulps) {
    return fast_ulps(1 / __builtin_sqrt(double(noise_flushed(x))), ulps);
}
SIMT_INLINE float fast_reciprocal(float x, double ulps) {
    return fast_ulps(1 / double(noise_flushed(x)), ulps);
}

// Divisors beyond 2^126 have a reciprocal that is flushed.
SIMT_INLINE float fast_divide(float a, float b, double ulps) {
    if (__builtin_isfinite(b) && __builtin_fabsf(b) > 0x1p126f)
        return a * __builtin_copysignf(0, b);
    return fast_ulps(double(noise_flushed(a)) / double(noise_flushed(b)), ulps);
}

} // namespace simt

#endif
