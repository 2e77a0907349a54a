/* The functions of src/opencl as the tests see them: library.c is that text compiled as C. */
#ifndef CLMATH_LIBRARY_H
#define CLMATH_LIBRARY_H

#include <stdint.h>

#include "clmath/vectors.h"

typedef float (*clmath_f1)(float);
typedef float (*clmath_f2)(float, float);
typedef float (*clmath_fi)(float, int);

/* Measured functions */
#define CLMATH_1(name, ...) float __wave_##name(float);
#define CLMATH_A(name, ...) float __wave_##name(float);
#define CLMATH_2(name, ...) float __wave_##name(float, float);
#define CLMATH_I(name, ...) float __wave_##name(float, int);
#include "clmath/functions.def"

/* Functions that are exact or a few rounded steps, for f32 and f64. In pairs, int results are
 * stored as bits. */
float2 __wave_sincos(float);
float2 __wave_lgamma_r(float);
#define CLMATH_EXACT(R, R2, suffix)                                                                \
    R __wave_fmod##suffix(R, R);                                                                   \
    R __wave_remainder##suffix(R, R);                                                              \
    R2 __wave_remquo##suffix(R, R);                                                                \
    R2 __wave_frexp##suffix(R);                                                                    \
    R2 __wave_modf##suffix(R);                                                                     \
    R2 __wave_fract##suffix(R);                                                                    \
    R __wave_ldexp##suffix(R, int);                                                                \
    int __wave_ilogb##suffix(R);                                                                   \
    R __wave_logb##suffix(R);                                                                      \
    R __wave_nextafter##suffix(R, R);                                                              \
    R __wave_round##suffix(R);                                                                     \
    R __wave_fdim##suffix(R, R);                                                                   \
    R __wave_maxmag##suffix(R, R);                                                                 \
    R __wave_minmag##suffix(R, R);                                                                 \
    R __wave_degrees##suffix(R);                                                                   \
    R __wave_radians##suffix(R);                                                                   \
    R __wave_mix##suffix(R, R, R);                                                                 \
    R __wave_step##suffix(R, R);                                                                   \
    R __wave_smoothstep##suffix(R, R, R);                                                          \
    R __wave_sign##suffix(R);
CLMATH_EXACT(float, float2, )
CLMATH_EXACT(double, double2, _f64)
double __wave_rsqrt_f64(double);
double __wave_hypot_f64(double, double);
uint16_t __wave_nextafter_f16(uint16_t, uint16_t);

/* Geometry */
#define CLMATH_GEOMETRY(R, V, suffix)                                                              \
    R __wave_length_##suffix(V);                                                                   \
    R __wave_distance_##suffix(V, V);                                                              \
    V __wave_normalize_##suffix(V);                                                                \
    R __wave_fast_length_##suffix(V);                                                              \
    R __wave_fast_distance_##suffix(V, V);                                                         \
    V __wave_fast_normalize_##suffix(V);
CLMATH_GEOMETRY(float, float, 1)
CLMATH_GEOMETRY(float, float2, 2)
CLMATH_GEOMETRY(float, float3, 3)
CLMATH_GEOMETRY(float, float4, 4)
CLMATH_GEOMETRY(double, double, 1_f64)
CLMATH_GEOMETRY(double, double2, 2_f64)
CLMATH_GEOMETRY(double, double3, 3_f64)
CLMATH_GEOMETRY(double, double4, 4_f64)
float3 __wave_cross_3(float3, float3);
float4 __wave_cross_4(float4, float4);
double3 __wave_cross_3_f64(double3, double3);
double4 __wave_cross_4_f64(double4, double4);

#endif
