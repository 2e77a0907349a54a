// The edge cases of OpenCL's functions (src/opencl), one by one: OpenCL C 7.5.1 and, where that
// specifies nothing, C99 Annex F.9. Values that are not limits are mathematically exact (cubes,
// integers, quarters of a turn). A NaN matches any NaN; zeros are distinguished by sign.
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

#include "base/scalar_bits.h"
#include "clmath/library.h"

#define INF  INFINITY
#define LOW  0x1p-149f /* the smallest subnormal */
#define MOST 0x1.fffffep+127f
#define PI   0x1.921fb6p+1f /* nearest f32 */

static int32_t int_of(float value) {
    return (int32_t)sc_bits_of_f32(value);
}

static void same(const char *name, float x, float y, float got, float want) {
    bool good = isnan(want) ? isnan(got) : sc_bits_of_f32(got) == sc_bits_of_f32(want);
    cr_expect(good, "%s(%a, %a) = %a, not %a", name, (double)x, (double)y, (double)got,
              (double)want);
}

typedef struct {
    float x, want;
} one;
typedef struct {
    float x, y, want;
} two;

#define ONES(name, ...)                                                                            \
    do {                                                                                           \
        static const one cases[] = {__VA_ARGS__, {NAN, NAN}};                                      \
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)                                  \
            same(#name, cases[i].x, 0, __wave_##name(cases[i].x), cases[i].want);                  \
    } while (0)
#define TWOS(name, ...)                                                                            \
    do {                                                                                           \
        static const two cases[] = {__VA_ARGS__};                                                  \
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)                                  \
            same(#name, cases[i].x, cases[i].y, __wave_##name(cases[i].x, cases[i].y),             \
                 cases[i].want);                                                                   \
    } while (0)
#define INTS(name, ...)                                                                            \
    do {                                                                                           \
        static const two cases[] = {__VA_ARGS__};                                                  \
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)                                  \
            same(#name, cases[i].x, cases[i].y, __wave_##name(cases[i].x, (int)cases[i].y),        \
                 cases[i].want);                                                                   \
    } while (0)

/* Functions that are x to the first order: zeros and subnormals are returned unchanged. */
#define LIKE_X                                                                                     \
    {0.0f, 0.0f}, {-0.0f, -0.0f}, {LOW, LOW}, {-LOW, -LOW}, {                                      \
        0x1p-126f, 0x1p-126f                                                                       \
    }

Test(opencl_edges, exponentials_have_their_edge_values) {
    ONES(exp, {0, 1}, {-0.0f, 1}, {INF, INF}, {-INF, 0}, {89, INF}, {MOST, INF}, {-104, 0},
         {-MOST, 0}, {LOW, 1});
    ONES(exp10, {0, 1}, {INF, INF}, {-INF, 0}, {39, INF}, {-46, 0}, {1, 10}, {2, 100});
    ONES(expm1, LIKE_X, {INF, INF}, {-INF, -1}, {MOST, INF}, {-MOST, -1}, {90, INF}, {-30, -1});
    ONES(native_exp, {0, 1}, {INF, INF}, {-INF, 0});
    ONES(native_exp10, {0, 1}, {INF, INF}, {-INF, 0});
    /* 2^-149 is e^-103.28; results up to half of it, e^-103.97, round to 0. */
    same("exp", -103.5f, 0, __wave_exp(-103.5f), LOW);
}

Test(opencl_edges, logarithms_have_their_edge_values) {
    ONES(log, {1, 0}, {0, -INF}, {-0.0f, -INF}, {INF, INF}, {-1, NAN}, {-LOW, NAN}, {-INF, NAN});
    ONES(log10, {1, 0}, {0, -INF}, {-0.0f, -INF}, {INF, INF}, {-1, NAN}, {-INF, NAN});
    ONES(log1p, LIKE_X, {-1, -INF}, {INF, INF}, {-2, NAN}, {-INF, NAN});
    ONES(native_log, {1, 0}, {0, -INF}, {INF, INF}, {-1, NAN});
    ONES(native_log10, {1, 0}, {0, -INF}, {INF, INF}, {-1, NAN});
}

Test(opencl_edges, trigonometry_has_its_edge_values) {
    ONES(sincos_sin, LIKE_X, {INF, NAN}, {-INF, NAN});
    ONES(sincos_cos, {0, 1}, {-0.0f, 1}, {LOW, 1}, {INF, NAN}, {-INF, NAN});
    ONES(tan, LIKE_X, {INF, NAN}, {-INF, NAN});
    ONES(native_tan, {0, 0}, {-0.0f, -0.0f}, {INF, NAN});
    ONES(sinpi, {0, 0}, {-0.0f, -0.0f}, {1, 0}, {-1, -0.0f}, {2, 0}, {-2, -0.0f}, {3, 0}, {0.5f, 1},
         {-0.5f, -1}, {1.5f, -1}, {2.5f, 1}, {0x1p24f, 0}, {-MOST, -0.0f}, {INF, NAN}, {-INF, NAN});
    ONES(cospi, {0, 1}, {-0.0f, 1}, {1, -1}, {-1, -1}, {2, 1}, {0.5f, 0}, {-0.5f, 0}, {1.5f, 0},
         {-2.5f, 0}, {MOST, 1}, {INF, NAN}, {-INF, NAN});
    ONES(tanpi, {0, 0}, {-0.0f, -0.0f}, {1, -0.0f}, {-1, 0}, {2, 0}, {-2, -0.0f}, {3, -0.0f},
         {0.5f, INF}, {1.5f, -INF}, {-0.5f, -INF}, {-1.5f, INF}, {2.5f, INF}, {0.25f, 1},
         {-0.25f, -1}, {0.75f, -1}, {INF, NAN}, {-INF, NAN});
}

Test(opencl_edges, inverse_trigonometry_has_its_edge_values) {
    ONES(asin, LIKE_X, {1, PI / 2}, {-1, -PI / 2}, {1.5f, NAN}, {-1.5f, NAN}, {INF, NAN},
         {-INF, NAN});
    ONES(acos, {1, 0}, {-1, PI}, {0, PI / 2}, {-0.0f, PI / 2}, {1.5f, NAN}, {-1.5f, NAN},
         {INF, NAN}, {-INF, NAN});
    ONES(atan, LIKE_X, {INF, PI / 2}, {-INF, -PI / 2}, {MOST, PI / 2}, {1, PI / 4}, {-1, -PI / 4});
    ONES(asinpi, {0, 0}, {-0.0f, -0.0f}, {1, 0.5f}, {-1, -0.5f}, {1.5f, NAN}, {-INF, NAN});
    ONES(acospi, {1, 0}, {-1, 1}, {0, 0.5f}, {-0.0f, 0.5f}, {1.5f, NAN}, {-INF, NAN});
    ONES(atanpi, {0, 0}, {-0.0f, -0.0f}, {INF, 0.5f}, {-INF, -0.5f}, {1, 0.25f}, {-1, -0.25f});
}

Test(opencl_edges, atan2_has_its_edge_values) {
    TWOS(atan2, {0, -0.0f, PI}, {-0.0f, -0.0f, -PI}, {0, 0, 0}, {-0.0f, 0, -0.0f}, {0, -1, PI},
         {-0.0f, -1, -PI}, {0, 1, 0}, {-0.0f, 1, -0.0f}, {-1, 0, -PI / 2}, {-1, -0.0f, -PI / 2},
         {1, 0, PI / 2}, {1, -0.0f, PI / 2}, {1, -INF, PI}, {-1, -INF, -PI}, {1, INF, 0},
         {-1, INF, -0.0f}, {INF, 1, PI / 2}, {-INF, 1, -PI / 2}, {INF, -INF, 0x1.2d97c8p+1f},
         {-INF, -INF, -0x1.2d97c8p+1f}, {INF, INF, PI / 4}, {-INF, INF, -PI / 4}, {NAN, 1, NAN},
         {1, NAN, NAN}, {NAN, NAN, NAN}, {LOW, 1, LOW}, {LOW, -LOW, 0x1.2d97c8p+1f});
    TWOS(atan2pi, {0, -0.0f, 1}, {-0.0f, -0.0f, -1}, {0, 0, 0}, {-0.0f, 0, -0.0f}, {0, -1, 1},
         {-0.0f, -1, -1}, {0, 1, 0}, {-1, 0, -0.5f}, {1, -0.0f, 0.5f}, {1, -INF, 1}, {-1, -INF, -1},
         {1, INF, 0}, {-1, INF, -0.0f}, {INF, 1, 0.5f}, {-INF, 1, -0.5f}, {INF, -INF, 0.75f},
         {-INF, -INF, -0.75f}, {INF, INF, 0.25f}, {-INF, INF, -0.25f}, {NAN, 1, NAN},
         {1, NAN, NAN});
}

Test(opencl_edges, hyperbolic_functions_have_their_edge_values) {
    ONES(sinh, LIKE_X, {INF, INF}, {-INF, -INF}, {90, INF}, {-90, -INF});
    ONES(cosh, {0, 1}, {-0.0f, 1}, {INF, INF}, {-INF, INF}, {90, INF}, {-90, INF});
    ONES(tanh, LIKE_X, {INF, 1}, {-INF, -1}, {10, 1}, {-MOST, -1});
    ONES(asinh, LIKE_X, {INF, INF}, {-INF, -INF});
    ONES(acosh, {1, 0}, {INF, INF}, {0.5f, NAN}, {0, NAN}, {-1, NAN}, {-INF, NAN});
    ONES(atanh, LIKE_X, {1, INF}, {-1, -INF}, {1.5f, NAN}, {-1.5f, NAN}, {INF, NAN}, {-INF, NAN});
}

Test(opencl_edges, special_functions_have_their_edge_values) {
    ONES(erf, {0, 0}, {-0.0f, -0.0f}, {LOW, LOW}, {INF, 1}, {-INF, -1}, {4, 1}, {-MOST, -1});
    ONES(erfc, {INF, 0}, {-INF, 2}, {0, 1}, {-0.0f, 1}, {11, 0}, {-5, 2}, {MOST, 0});
    ONES(tgamma, {0, INF}, {-0.0f, -INF}, {-1, NAN}, {-2, NAN}, {-100, NAN}, {-MOST, NAN},
         {-INF, NAN}, {INF, INF}, {1, 1}, {2, 1}, {36, INF}, {LOW, INF}, {-LOW, -INF},
         {-100.5f, -0.0f}, {-101.5f, 0}, {MOST, INF});
    ONES(lgamma, {1, 0}, {2, 0}, {0, INF}, {-0.0f, INF}, {-1, INF}, {-2, INF}, {-MOST, INF},
         {-INF, INF}, {INF, INF}, {MOST, INF});
    cr_expect_eq(int_of(__wave_lgamma_r(2.5f).y), 1);
    cr_expect_eq(int_of(__wave_lgamma_r(-0.5f).y), -1);
    cr_expect_eq(int_of(__wave_lgamma_r(-1.5f).y), 1);
    cr_expect_eq(int_of(__wave_lgamma_r(0.0f).y), 1);
    cr_expect_eq(int_of(__wave_lgamma_r(-0.0f).y), -1);
    cr_expect_eq(sc_bits_of_f32(__wave_lgamma_r(7.25f).x), sc_bits_of_f32(__wave_lgamma(7.25f)));
}

Test(opencl_edges, roots_have_their_edge_values) {
    ONES(cbrt, {0, 0}, {-0.0f, -0.0f}, {INF, INF}, {-INF, -INF}, {8, 2}, {-27, -3},
         {0x1p-147f, 0x1p-49f}, {0x1p126f, 0x1p42f});
    ONES(rsqrt, {0, INF}, {-0.0f, -INF}, {INF, 0}, {-1, NAN}, {-INF, NAN}, {4, 0.5f},
         {0x1p-148f, 0x1p74f});
    TWOS(hypot, {0, 0, 0}, {-0.0f, -0.0f, 0}, {3, -4, 5}, {INF, NAN, INF}, {NAN, -INF, INF},
         {INF, 1, INF}, {NAN, 1, NAN}, {MOST, 0, MOST}, {MOST, MOST, INF}, {LOW, 0, LOW},
         {3 * LOW, 4 * LOW, 5 * LOW}, {0x3p120f, 0x4p120f, 0x5p120f});
    ONES(native_recip, {2, 0.5f}, {0, INF}, {-0.0f, -INF}, {INF, 0}, {-INF, -0.0f});
}

Test(opencl_edges, powers_have_their_edge_values) {
    TWOS(pow, {0, -3, INF}, {-0.0f, -3, -INF}, {0, -2, INF}, {-0.0f, -2, INF}, {-0.0f, -2.5f, INF},
         {0, -INF, INF}, {-0.0f, -INF, INF}, {0, 3, 0}, {-0.0f, 3, -0.0f}, {-0.0f, 2, 0},
         {-0.0f, 2.5f, 0}, {-1, INF, 1}, {-1, -INF, 1}, {1, NAN, 1}, {1, INF, 1}, {NAN, 0, 1},
         {NAN, -0.0f, 1}, {INF, 0, 1}, {0, 0, 1}, {-8, 1.5f, NAN}, {-LOW, 0.5f, NAN},
         {0.5f, -INF, INF}, {-0.5f, -INF, INF}, {2, -INF, 0}, {-2, -INF, 0}, {0.5f, INF, 0},
         {2, INF, INF}, {-2, INF, INF}, {-INF, -3, -0.0f}, {-INF, -2, 0}, {-INF, -2.5f, 0},
         {-INF, 3, -INF}, {-INF, 2, INF}, {-INF, 2.5f, INF}, {INF, -1, 0}, {INF, 1, INF},
         {NAN, 1, NAN}, {2, NAN, NAN}, {-2, NAN, NAN}, {-2, 3, -8}, {-2, 2, 4}, {2, -149, LOW},
         {2, 128, INF}, {2, -151, 0}, {-2, -151, -0.0f}, {-2, 129, -INF}, {LOW, -1, INF},
         {LOW, 1, LOW}, {-1, MOST, 1}, {-1, 0x1.fffffep23f, -1}, {MOST, 2, INF}, {4, 0.5f, 2});
    TWOS(powr, {2, 0, 1}, {2, -0.0f, 1}, {0, -2, INF}, {-0.0f, -3, INF}, {0, -INF, INF}, {0, 2, 0},
         {-0.0f, 3, 0}, {1, 5, 1}, {1, INF, NAN}, {1, -INF, NAN}, {0, 0, NAN}, {-0.0f, -0.0f, NAN},
         {INF, 0, NAN}, {-1, 2, NAN}, {-LOW, 1, NAN}, {-INF, 1, NAN}, {NAN, 0, NAN}, {2, NAN, NAN},
         {0, NAN, NAN}, {INF, 2, INF}, {INF, -2, 0}, {2, 3, 8}, {2, INF, INF}, {0.5f, INF, 0});
    INTS(pown, {0, 0, 1}, {NAN, 0, 1}, {INF, 0, 1}, {0, -3, INF}, {-0.0f, -3, -INF}, {0, -2, INF},
         {-0.0f, -2, INF}, {0, 2, 0}, {-0.0f, 2, 0}, {-0.0f, 3, -0.0f}, {NAN, 1, NAN},
         {-INF, 3, -INF}, {-INF, 2, INF}, {-INF, -3, -0.0f}, {INF, -2, 0}, {-2, 3, -8},
         {-1, 2147483520.0f, 1}, {-1, -2147483648.0f, 1}, {2, -149, LOW}, {2, -151, 0});
    INTS(rootn, {0, -3, INF}, {-0.0f, -3, -INF}, {0, -2, INF}, {-0.0f, -2, INF}, {0, 2, 0},
         {-0.0f, 2, 0}, {0, 3, 0}, {-0.0f, 3, -0.0f}, {-8, 2, NAN}, {8, 0, NAN}, {0, 0, NAN},
         {NAN, 3, NAN}, {-INF, 2, NAN}, {-INF, 3, -INF}, {INF, 2, INF}, {INF, -2, 0},
         {-INF, -3, -0.0f}, {-8, 3, -2}, {4, 2, 2}, {4, -2, 0.5f}, {7, 1, 7}, {LOW, 1, LOW});
    TWOS(native_powr, {2, 3, 8}, {4, 0.5f, 2}, {0, 2, 0}, {0, -1, INF}, {-1, 2, NAN});
}
