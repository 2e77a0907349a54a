/* The references: long double functions of the C library, 40 bits more than f32 on x86 and 29 where
 * long double is double. */
#include "clmath/reference.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846264338327950288L

typedef long double real;

static real sincos_sin(real x) {
    return sinl(x);
}

static real sincos_cos(real x) {
    return cosl(x);
}

static real exp10_(real x) {
    return powl(10, x);
}

/* r in [-1/2, 1/2] with sin(pi r) = sin(pi x): exact */
static real sinpi(real x) {
    real r = remainderl(x, 2);
    if (fabsl(r) > 0.5L)
        r = copysignl(1, r) - r;
    return sinl(PI * r);
}

static real cospi(real x) {
    return isinf(x) ? (real)NAN : sinpi(0.5L - fabsl(remainderl(x, 2)));
}

static real tanpi(real x) {
    return sinpi(x) / cospi(x);
}

static real asinpi(real x) {
    return asinl(x) / PI;
}

static real acospi(real x) {
    return acosl(x) / PI;
}

static real atanpi(real x) {
    return atanl(x) / PI;
}

static real atan2pi(real y, real x) {
    return atan2l(y, x) / PI;
}

static real rsqrt(real x) {
    return 1 / sqrtl(x);
}

static real recip(real x) {
    return 1 / x;
}

/* pow with the edge cases of powr */
static real powr(real x, real y) {
    if (!(x >= 0) || isnan(y))
        return (real)NAN;
    if (y == 0 && (x == 0 || isinf(x)))
        return (real)NAN;
    return x == 1 && isinf(y) ? (real)NAN : powl(fabsl(x), y);
}

static real rootn(real x, real n) {
    if (n == 0 || (x < 0 && fmodl(n, 2) == 0))
        return (real)NAN;
    real root = powl(fabsl(x), 1 / n);
    return fmodl(n, 2) == 0 ? root : copysignl(root, x);
}

static const struct {
    const char *name;
    reference r;
} references[] = {
    {"exp", {expl, 0}},
    {"exp10", {exp10_, 0}},
    {"expm1", {expm1l, 0}},
    {"log", {logl, 0}},
    {"log10", {log10l, 0}},
    {"log1p", {log1pl, 0}},
    {"pow", {0, powl}},
    {"powr", {0, powr}},
    {"pown", {0, powl}},
    {"rootn", {0, rootn}},
    {"sincos_sin", {sincos_sin, 0}},
    {"sincos_cos", {sincos_cos, 0}},
    {"tan", {tanl, 0}},
    {"sinpi", {sinpi, 0}},
    {"cospi", {cospi, 0}},
    {"tanpi", {tanpi, 0}},
    {"asin", {asinl, 0}},
    {"acos", {acosl, 0}},
    {"atan", {atanl, 0}},
    {"atan2", {0, atan2l}},
    {"asinpi", {asinpi, 0}},
    {"acospi", {acospi, 0}},
    {"atanpi", {atanpi, 0}},
    {"atan2pi", {0, atan2pi}},
    {"sinh", {sinhl, 0}},
    {"cosh", {coshl, 0}},
    {"tanh", {tanhl, 0}},
    {"asinh", {asinhl, 0}},
    {"acosh", {acoshl, 0}},
    {"atanh", {atanhl, 0}},
    {"erf", {erfl, 0}},
    {"erfc", {erfcl, 0}},
    {"cbrt", {cbrtl, 0}},
    {"rsqrt", {rsqrt, 0}},
    {"hypot", {0, hypotl}},
    {"tgamma", {tgammal, 0}},
    {"lgamma", {lgammal, 0}},
    {"native_recip", {recip, 0}},
};

reference reference_of(const char *name) {
    const char *plain =
        strncmp(name, "native_", 7) == 0 && strcmp(name, "native_recip") != 0 ? name + 7 : name;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (strcmp(references[i].name, plain) == 0)
            return references[i].r;
    return (reference){0, 0};
}
