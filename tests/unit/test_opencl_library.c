// The SPIR-V module of OpenCL's functions: every function that opencl.def names is present with the
// right parameters, and the module is bit for bit equivalent to its source compiled as C (which the
// other tests and the error table measure).
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scalar_bits.h"
#include "clmath/library.h"
#include "clmath/module.h"
#include "spirv/library.h"
#include "spirv/spirv.h"
#include "support/random.h"

/* The packed form of the library, which the playground in web/ uses. */
#define WAVE_PACKED_LIBRARY
#define spirv_library unpacked_library
#include "../../src/spirv/library.c"
#undef spirv_library

#define ROUNDS 4000

static clmath_module *module;

static void open_module(void) {
    size_t count;
    uint32_t *made;
    const uint32_t *words = spirv_library(&count, &made);
    module = clmath_module_open(words, count);
    cr_assert(module);
}

static void close_module(void) {
    clmath_module_close(module);
}

TestSuite(opencl_library, .init = open_module, .fini = close_module);

// ---- The table against the module ----

enum { F16 = 1, F32 = 2, F64 = 4 };
typedef enum shape { LIBRARY, PAIR, VECTOR } shape;

/* A row's operands in the letters of clmath_signature: "F=Fp" of a PAIR in f32 is "2f:f". */
static void expected(char *text, shape kind, const char *operands, char letter, int components) {
    char vector[3] = {(char)('0' + components), letter, 0};
    *text = 0;
    for (const char *s = operands; *s; s++) {
        bool is_result = s == operands;
        if (*s == 'p')
            continue;
        if (*s == '=')
            strcat(text, ":");
        else if (strchr("IHJ", *s))
            strcat(text, "u");
        else if (*s == 'F' && components > 1)
            strcat(text, vector);
        else
            sprintf(text + strlen(text), "%s%c", kind == PAIR && is_result ? "2" : "", letter);
    }
}

static void has(const char *name, const char *suffix, shape kind, const char *operands, char letter,
                int components) {
    char symbol[80], got[32], want[32];
    snprintf(symbol, sizeof symbol, "__wave_%s%s", name, suffix);
    uint32_t function = clmath_find(module, symbol);
    cr_expect(function, "%s is missing", symbol);
    if (!function)
        return;
    clmath_signature(module, function, got, sizeof got);
    expected(want, kind, operands, letter, components);
    cr_expect_str_eq(got, want, "%s is %s, not %s", symbol, got, want);
}

static void check_row(const char *name, const char *operands, shape kind, int types) {
    if (kind != VECTOR) {
        has(name, "", kind, operands, 'f', 1);
        if (types & F64)
            has(name, "_f64", kind, operands, 'd', 1);
        if (types & F16)
            has(name, "_f16", kind, operands, 's', 1);
        return;
    }
    int first = strcmp(name, "cross") == 0 ? 3 : 1;
    for (int n = first; n <= 4; n++) {
        char suffix[8];
        snprintf(suffix, sizeof suffix, "_%d", n);
        has(name, suffix, kind, operands, 'f', n);
        snprintf(suffix, sizeof suffix, "_%d_f64", n);
        if (types & F64)
            has(name, suffix, kind, operands, 'd', n);
    }
}

Test(opencl_library, has_every_function_of_the_table) {
#define CL_OP(number, name, operands, f32, f64)
#define CL_CODE(number, name, operands, how)
#define CL_CALL(number, name, operands, shape, function, types)                                    \
    check_row(#function, operands, shape, types);
#include "spirv/opencl.def"
}

// ---- Parts of the library ----

enum { LEAST_SAVED = 10 };

static size_t part_words(const spirv_library_name *names, size_t count) {
    size_t words;
    uint32_t *part = spirv_library_part(names, count, &words);
    cr_assert(part);
    wave_diags *diags = wave_diags_create(0);
    spirv_module read;
    cr_expect(spirv_read_library(part, words * sizeof *part, &read, diags), "%s is not a module",
              names[0].text);
    for (size_t k = 0; k < count; k++) {
        bool there = false;
        for (uint32_t n = 0; n < read.function_count; n++)
            there = there || strcmp(read.functions[n].name, names[k].text) == 0;
        cr_expect(there, "%s is not in its part", names[k].text);
    }
    spirv_module_free(&read);
    wave_diags_destroy(diags);
    free(part);
    return words;
}

/* Every function alone is a module that the reader accepts, and a small one. */
Test(opencl_library, each_function_alone_is_a_small_module) {
    size_t count, whole, words_of_all = 0, functions = 0;
    uint32_t *made;
    const uint32_t *words = spirv_library(&whole, &made);
    for (size_t at = 5; at < whole; at += words[at] >> 16) {
        if (words[at] % 0x10000 != SPIRV_OpDecorate || words[at + 2] != SPIRV_Dec_LinkageAttributes)
            continue;
        spirv_library_name name;
        snprintf(name.text, sizeof name.text, "%s", (const char *)&words[at + 3]);
        count = part_words(&name, 1);
        words_of_all += count;
        functions++;
    }
    cr_assert_gt(functions, 100);
    cr_expect_lt(words_of_all / functions, whole / LEAST_SAVED);
}

Test(opencl_library, a_part_contains_what_its_functions_call) {
    spirv_library_name both[2] = {{"__wave_erfc"}, {"__wave_remainder"}};
    size_t two = part_words(both, 2);
    cr_expect_gt(two, part_words(both, 1));
    size_t none;
    uint32_t *empty = spirv_library_part(&(spirv_library_name){"__wave_none"}, 1, &none);
    cr_expect_lt(none, 64, "an unknown name selects nothing");
    free(empty);
}

// ---- The module against the C build ----

static uint64_t state = 3;

static uint64_t next(void) {
    return random_next(&state);
}

static float draw32(void) {
    static const float corners[] = {
        0,          -0.0f,           1,        -1,        0.5f, -0.5f, 2, 3, 0x1p-149f,
        -0x1p-126f, 0x1.fffffep127f, INFINITY, -INFINITY, NAN};
    uint64_t r = next();
    uint32_t bits = (uint32_t)(r >> 32);
    float value = sc_f32_of(bits);
    if (r % 8 == 0)
        return corners[(r >> 8) % (sizeof corners / sizeof *corners)];
    return r % 8 < 5 ? (float)(int32_t)bits / (float)(1 << (24 + (r >> 8) % 7)) : value;
}

static double draw64(void) {
    uint64_t r = next();
    double value = sc_f64_of(r);
    return next() % 2 ? value : (double)draw32();
}

static clmath_value run(const char *name, const clmath_value *arguments) {
    char symbol[80], error[80] = "";
    clmath_value result = {{0}};
    snprintf(symbol, sizeof symbol, "__wave_%s", name);
    uint32_t function = clmath_find(module, symbol);
    cr_assert(function, "%s is missing", symbol);
    cr_assert(clmath_call(module, function, arguments, &result, error), "%s: %s", name, error);
    return result;
}

static void same32(const char *name, float x, float y, uint64_t got, float want) {
    bool good = isnan(want) ? (got & 0x7FFFFFFF) > 0x7F800000 : got == sc_bits_of_f32(want);
    cr_assert(good, "%s(%a, %a) = %08X in the module, not %08X", name, (double)x, (double)y,
              (unsigned)got, (unsigned)sc_bits_of_f32(want));
}

static void same64(const char *name, double x, double y, uint64_t got, double want) {
    bool good = isnan(want) ? (got & INT64_MAX) > 0x7FF0000000000000 : got == sc_bits_of_f64(want);
    cr_assert(good, "%s(%a, %a) = %016llX in the module, not %016llX", name, x, y,
              (unsigned long long)got, (unsigned long long)sc_bits_of_f64(want));
}

static void compare_1(const char *name, clmath_f1 f) {
    if (strncmp(name, "sincos_", 7) == 0)
        return; // compared below, as one function
    for (int i = 0; i < ROUNDS; i++) {
        float x = draw32();
        same32(name, x, 0, run(name, &(clmath_value){{sc_bits_of_f32(x)}}).c[0], f(x));
    }
}

static void compare_2(const char *name, clmath_f2 f) {
    for (int i = 0; i < ROUNDS; i++) {
        float x = draw32(), y = draw32();
        clmath_value arguments[] = {{{sc_bits_of_f32(x)}}, {{sc_bits_of_f32(y)}}};
        same32(name, x, y, run(name, arguments).c[0], f(x, y));
    }
}

static void compare_i(const char *name, clmath_fi f) {
    for (int i = 0; i < ROUNDS; i++) {
        float x = draw32();
        int n = next() % 4 ? (int)(next() % 300) - 150 : (int)(uint32_t)next();
        clmath_value arguments[] = {{{sc_bits_of_f32(x)}}, {{(uint32_t)n}}};
        same32(name, x, (float)n, run(name, arguments).c[0], f(x, n));
    }
}

static void compare_pair(const char *name, float2 (*f)(float)) {
    for (int i = 0; i < ROUNDS; i++) {
        float x = draw32();
        clmath_value got = run(name, &(clmath_value){{sc_bits_of_f32(x)}});
        same32(name, x, 0, got.c[0], f(x).x);
        same32(name, x, 1, got.c[1], f(x).y);
    }
}

static void compare_d1(const char *name, double (*f)(double)) {
    for (int i = 0; i < ROUNDS; i++) {
        double x = draw64();
        same64(name, x, 0, run(name, &(clmath_value){{sc_bits_of_f64(x)}}).c[0], f(x));
    }
}

static void compare_d2(const char *name, double (*f)(double, double)) {
    for (int i = 0; i < ROUNDS; i++) {
        double x = draw64(), y = draw64();
        clmath_value arguments[] = {{{sc_bits_of_f64(x)}}, {{sc_bits_of_f64(y)}}};
        same64(name, x, y, run(name, arguments).c[0], f(x, y));
    }
}

static void compare_dpair(const char *name, double2 (*f)(double)) {
    for (int i = 0; i < ROUNDS; i++) {
        double x = draw64();
        clmath_value got = run(name, &(clmath_value){{sc_bits_of_f64(x)}});
        same64(name, x, 0, got.c[0], f(x).x);
        same64(name, x, 1, got.c[1], f(x).y);
    }
}

Test(opencl_library, functions_have_the_bits_of_the_c_build) {
#define CLMATH_1(name, ...) compare_1(#name, __wave_##name);
#define CLMATH_A(name, ...) compare_1(#name, __wave_##name);
#define CLMATH_2(name, ...) compare_2(#name, __wave_##name);
#define CLMATH_I(name, ...) compare_i(#name, __wave_##name);
#include "clmath/functions.def"
    compare_pair("sincos", __wave_sincos);
    compare_pair("lgamma_r", __wave_lgamma_r);
}

#define EACH_EXACT_1(X)    X(logb) X(round) X(degrees) X(radians) X(sign)
#define EACH_EXACT_2(X)    X(fmod) X(remainder) X(nextafter) X(fdim) X(maxmag) X(minmag) X(step)
#define EACH_EXACT_PAIR(X) X(frexp) X(modf) X(fract)

Test(opencl_library, exact_f32_functions_have_the_bits_of_the_c_build) {
#define ONE(name)  compare_1(#name, __wave_##name);
#define TWO(name)  compare_2(#name, __wave_##name);
#define BOTH(name) compare_pair(#name, __wave_##name);
    EACH_EXACT_1(ONE)
    EACH_EXACT_2(TWO)
    EACH_EXACT_PAIR(BOTH)
    compare_i("ldexp", __wave_ldexp);
}

Test(opencl_library, exact_f64_functions_have_the_bits_of_the_c_build) {
#define ONE_F64(name)  compare_d1(#name "_f64", __wave_##name##_f64);
#define TWO_F64(name)  compare_d2(#name "_f64", __wave_##name##_f64);
#define BOTH_F64(name) compare_dpair(#name "_f64", __wave_##name##_f64);
    EACH_EXACT_1(ONE_F64)
    EACH_EXACT_2(TWO_F64)
    EACH_EXACT_PAIR(BOTH_F64)
    compare_d1("rsqrt_f64", __wave_rsqrt_f64);
    compare_d2("hypot_f64", __wave_hypot_f64);
}

Test(opencl_library, quotients_and_exponents_have_the_bits_of_the_c_build) {
    for (int i = 0; i < ROUNDS; i++) {
        float x = draw32(), y = draw32();
        clmath_value arguments[] = {{{sc_bits_of_f32(x)}}, {{sc_bits_of_f32(y)}}};
        clmath_value got = run("remquo", arguments);
        same32("remquo", x, y, got.c[0], __wave_remquo(x, y).x);
        cr_assert_eq(got.c[1], sc_bits_of_f32(__wave_remquo(x, y).y));
        cr_assert_eq((int)run("ilogb", arguments).c[0], __wave_ilogb(x));
        uint16_t h = (uint16_t)next(), k = (uint16_t)next();
        clmath_value halves[] = {{{h}}, {{k}}};
        cr_assert_eq(run("nextafter_f16", halves).c[0], __wave_nextafter_f16(h, k),
                     "nextafter of %04X, %04X", h, k);
    }
}

Test(opencl_library, vector_functions_have_the_bits_of_the_c_build) {
    for (int i = 0; i < ROUNDS; i++) {
        float x = draw32(), y = draw32(), z = draw32(), w = draw32();
        clmath_value three[] = {
            {{sc_bits_of_f32(x)}}, {{sc_bits_of_f32(y)}}, {{sc_bits_of_f32(z)}}};
        same32("mix", x, y, run("mix", three).c[0], __wave_mix(x, y, z));
        same32("smoothstep", x, y, run("smoothstep", three).c[0], __wave_smoothstep(x, y, z));
        float3 p = {x, y, z}, q = {w, x, y};
        clmath_value vectors[] = {{{sc_bits_of_f32(x), sc_bits_of_f32(y), sc_bits_of_f32(z)}},
                                  {{sc_bits_of_f32(w), sc_bits_of_f32(x), sc_bits_of_f32(y)}}};
        same32("length", x, y, run("length_3", vectors).c[0], __wave_length_3(p));
        same32("distance", x, y, run("distance_3", vectors).c[0], __wave_distance_3(p, q));
        same32("fast_length", x, y, run("fast_length_3", vectors).c[0], __wave_fast_length_3(p));
        clmath_value cross = run("cross_3", vectors), unit = run("normalize_3", vectors),
                     fast = run("fast_normalize_3", vectors);
        same32("cross, z", x, y, cross.c[2], __wave_cross_3(p, q).z);
        same32("normalize, x", x, y, unit.c[0], __wave_normalize_3(p).x);
        same32("normalize, z", x, y, unit.c[2], __wave_normalize_3(p).z);
        same32("fast_normalize, y", x, y, fast.c[1], __wave_fast_normalize_3(p).y);
    }
}

Test(opencl_library, the_packed_library_unpacks_to_the_same_words) {
    size_t count, unpacked_count;
    uint32_t *made, *unpacked;
    const uint32_t *words = spirv_library(&count, &made);
    cr_assert_null(made);
    cr_assert_eq(unpacked_library(&unpacked_count, &unpacked), unpacked);
    cr_assert(unpacked && unpacked_count == count);
    cr_expect_eq(memcmp(words, unpacked, count * sizeof *words), 0);
    free(unpacked);
}
