/* Measures the functions of src/opencl against long double and prints a row of the table in
 * docs/reference/math.md for each: name, largest error in ULP, the limit of OpenCL C, the arguments
 * where the error occurs, operations. Exit status 1 if a limit is broken.
 *
 * usage: clmath [-s SHIFT] [FUNCTION...]
 *   2^SHIFT arguments (24) of every function, or of the named ones */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scalar_bits.h"
#include "clmath/library.h"
#include "clmath/module.h"
#include "clmath/reference.h"
#include "spirv/library.h"
#include "support/random.h"

enum pairs { ANY, POW, ROOT };

typedef struct function {
    const char *name;
    double limit, lo, hi;
    bool absolute; /* for results below 1, errors count in ULP of 1 */
    enum pairs pairs;
    clmath_f1 f1;
    clmath_f2 f2;
    clmath_fi fi;
} function;

static const function functions[] = {
#define CLMATH_1(name, limit, lo, hi) {#name, limit, lo, hi, false, ANY, __wave_##name, 0, 0},
#define CLMATH_A(name, limit, lo, hi) {#name, limit, lo, hi, true, ANY, __wave_##name, 0, 0},
#define CLMATH_2(name, limit, pairs)  {#name, limit, 0, 0, false, pairs, 0, __wave_##name, 0},
#define CLMATH_I(name, limit, pairs)  {#name, limit, 0, 0, false, pairs, 0, 0, __wave_##name},
#include "clmath/functions.def"
};

typedef struct worst {
    double error;
    float x, y;
} worst;

/* ---- Arguments ---- */

static double unit(uint64_t *state) {
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* Three of four arguments go through all floats in order, with random low bits; the fourth is
 * uniform over the interval of interest. */
static float one_argument(const function *f, uint64_t i, uint64_t count, uint64_t *state) {
    if (i % 4 == 3)
        return (float)(f->lo + (f->hi - f->lo) * unit(state));
    uint64_t stride = 0x100000000u / count;
    return sc_f32_of((uint32_t)(i * stride + random_next(state) % stride));
}

static float any_float(uint64_t *state) {
    return sc_f32_of((uint32_t)random_next(state));
}

/* Two floats: of any magnitude, of nearly the same magnitude, or of moderate magnitude. */
static void any_pair(uint64_t i, uint64_t *state, float *x, float *y) {
    *x = any_float(state);
    *y = any_float(state);
    if (i % 4 == 1)
        *y = ldexpf(*x, (int)(random_next(state) % 50) - 25) * (float)(0.5 + unit(state));
    if (i % 4 >= 2) {
        *x = (float)(20 * unit(state) - 10);
        *y = (float)(20 * unit(state) - 10);
    }
}

/* x of any size, close to 1, or negative; y such that the power is in range, or an integer, or any
 * number. */
static void power_pair(uint64_t i, uint64_t *state, float *x, float *y) {
    *x = fabsf(any_float(state));
    if (i % 4 == 1)
        *x = 1.0f + (float)(unit(state) - 0.5) * ldexpf(1, -(int)(random_next(state) % 23));
    if (i % 4 == 2)
        *x = (float)(100 * unit(state));
    *y = (float)((unit(state) * 290 - 155) / log2(*x));
    if (i % 8 == 3)
        *y = any_float(state);
    if (i % 8 == 5)
        *y = rintf(*y);
    if (i % 16 >= 8)
        *x = -*x;
}

static void two_arguments(const function *f, uint64_t i, uint64_t *state, float *x, float *y) {
    if (f->pairs == ANY)
        any_pair(i, state, x, y);
    else
        power_pair(i, state, x, y);
}

static int int_argument(const function *f, float y, uint64_t i, uint64_t *state) {
    if (f->pairs == ROOT)
        return i % 4 == 3 ? (int)(uint32_t)random_next(state) : (int)(random_next(state) % 81) - 40;
    return fabsf(y) < 0x1p31f ? (int)y : (int)(uint32_t)random_next(state);
}

/* ---- Errors ---- */

/* In units of the last place of the true value; infinity counts as 2^128, as in OpenCL's
 * conformance tests. */
static double error_of(const function *f, float got, long double truth) {
    if (isnan(truth) || isnan(got))
        return isnan(truth) && isnan(got) ? 0 : (double)INFINITY;
    long double top = 0x1p128L;
    long double want = truth > top ? top : truth < -top ? -top : truth;
    long double have = isinf(got) ? copysignl(top, got) : got;
    if (want == have)
        return 0;
    int exponent = -126;
    if (fabsl(want) >= 0x1p-126L)
        exponent = ilogbl(want) > 127 ? 127 : ilogbl(want);
    if (f->absolute && exponent < 0)
        exponent = 0;
    return (double)(fabsl(have - want) / ldexpl(1, exponent - 23));
}

static void note(worst *w, double error, float x, float y) {
    if (error > w->error)
        *w = (worst){error, x, y};
}

static worst measure(const function *f, uint64_t count) {
    reference r = reference_of(f->name);
    worst w = {0, 0, 0};
    uint64_t state = 1;
    for (uint64_t i = 0; i < count; i++) {
        float x, y = 0;
        if (f->f1) {
            x = one_argument(f, i, count, &state);
            note(&w, error_of(f, f->f1(x), r.of_one(x)), x, y);
            continue;
        }
        two_arguments(f, i, &state, &x, &y);
        if (f->f2) {
            note(&w, error_of(f, f->f2(x, y), r.of_two(x, y)), x, y);
        } else {
            int n = int_argument(f, y, i, &state);
            note(&w, error_of(f, f->fi(x, n), r.of_two(x, n)), x, (float)n);
        }
    }
    return w;
}

static bool wanted(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

static unsigned operations_of(const char *symbol) {
    size_t count;
    uint32_t *made;
    const uint32_t *words = spirv_library(&count, &made);
    clmath_module *module = clmath_module_open(words, count);
    uint32_t id = module ? clmath_find(module, symbol) : 0;
    unsigned operations = id ? clmath_operations(module, id) : 0;
    clmath_module_close(module);
    return operations;
}

/* A row of the table in docs/reference/math.md. sincos is one function with two results here. */
static void print_row(const function *f, const worst *w, bool good) {
    char symbol[64], place[64];
    snprintf(symbol, sizeof symbol, "__wave_%s",
             strncmp(f->name, "sincos", 6) == 0 ? "sincos" : f->name);
    snprintf(place, sizeof place, f->f1 ? "%a" : "%a, %a", (double)w->x, (double)w->y);
    printf("| `%s` | %.3f | %g | %s | %u |%s\n", f->name, w->error, f->limit, place,
           operations_of(symbol), good ? "" : "  TOO LARGE");
}

int main(int argc, char **argv) {
    int first = 1, shift = 24, status = 0;
    if (argc > 2 && strcmp(argv[1], "-s") == 0) {
        shift = atoi(argv[2]);
        first = 3;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function *f = &functions[i];
        if (!wanted(f->name, argc - first, argv + first))
            continue;
        if (!reference_of(f->name).of_one && !reference_of(f->name).of_two) {
            fprintf(stderr, "clmath: %s has no reference\n", f->name);
            return 1;
        }
        worst w = measure(f, (uint64_t)1 << shift);
        bool good = w.error <= f->limit;
        status |= !good;
        print_row(f, &w, good);
        fflush(stdout);
    }
    return status;
}
