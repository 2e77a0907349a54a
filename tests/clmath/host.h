/* OpenCL C as C11, as far as src/opencl needs it: the same text runs on the host and on a GPU.
 * Include it last, and then src/opencl/library.cl: some names of C become macros here. The four
 * functions that are operations of the IR come from base/exact_math.h, the definition that the
 * emulator uses too. */
#ifndef CLMATH_HOST_H
#define CLMATH_HOST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/exact_math.h"
#include "base/scalar.h"
#include "clmath/vectors.h"

typedef uint16_t cl_ushort;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;

static inline float as_float(cl_uint bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline cl_uint as_uint(float value) {
    cl_uint bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double as_double(cl_ulong bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline cl_ulong as_ulong(double value) {
    cl_ulong bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline cl_uint host_mul_hi(cl_uint a, cl_uint b) {
    return (cl_uint)(((cl_ulong)a * b) >> 32);
}

static inline float host_sin(float x) {
    return as_float(sc_fsin(as_uint(x)));
}

static inline float host_cos(float x) {
    return as_float(sc_fcos(as_uint(x)));
}

static inline float host_exp2(float x) {
    return as_float(sc_fexp2(as_uint(x)));
}

static inline float host_log2(float x) {
    return as_float(sc_flog2(as_uint(x)));
}

/* As in the IR: a signalling NaN is treated like a quiet one, and -0 is below +0. */
static inline float host_fminf(float x, float y) {
    return as_float(sc_fmin(as_uint(x), as_uint(y)));
}

static inline float host_fmaxf(float x, float y) {
    return as_float(sc_fmax(as_uint(x), as_uint(y)));
}

static inline double host_fmin(double x, double y) {
    return as_double(sc_dmin(as_ulong(x), as_ulong(y)));
}

static inline double host_fmax(double x, double y) {
    return as_double(sc_dmax(as_ulong(x), as_ulong(y)));
}

/* OpenCL C overloads these; C does not. A macro's own name inside it is the function of C. */
#define BY_TYPE(x, f, d) _Generic((x), float : f, default : d)
#define fma(a, b, c)     BY_TYPE((a) + (b) + (c), fmaf, fma)(a, b, c)
#define fabs(x)          BY_TYPE(x, fabsf, fabs)(x)
#define sqrt(x)          BY_TYPE(x, sqrtf, sqrt)(x)
#define trunc(x)         BY_TYPE(x, truncf, trunc)(x)
#define floor(x)         BY_TYPE(x, floorf, floor)(x)
#define rint(x)          BY_TYPE(x, rintf, rint)(x)
#define fmin(x, y)       BY_TYPE((x) + (y), host_fminf, host_fmin)(x, y)
#define fmax(x, y)       BY_TYPE((x) + (y), host_fmaxf, host_fmax)(x, y)
#define copysign(x, y)   BY_TYPE((x) + (y), copysignf, copysign)(x, y)
#define sin(x)           host_sin(x)
#define cos(x)           host_cos(x)
#define exp2(x)          host_exp2(x)
#define log2(x)          host_log2(x)
#define mul_hi(a, b)     host_mul_hi(a, b)
#define ushort           cl_ushort
#define uint             cl_uint
#define ulong            cl_ulong

#endif
