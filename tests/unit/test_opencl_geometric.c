// length, distance, normalize and cross of src/opencl: within the limits of OpenCL C 3.0, 7.4
// against long double, without intermediate overflow and underflow, and with the edge cases of
// 6.15.5.
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "clmath/library.h"
#include "support/random.h"

#define ROUNDS 100000
#define INF    INFINITY

static uint64_t state = 7;

static uint32_t next(void) {
    return (uint32_t)(random_mmix(&state) >> 32);
}

/* A component around 2^exponent, of either sign. */
static float draw(int exponent) {
    return ldexpf((float)(int32_t)next(), exponent - 31 - (int)(next() % 4));
}

static double ulps(float got, long double want) {
    int exponent = fabsl(want) < 0x1p-126L ? -126 : ilogbl(want);
    return (double)(fabsl((long double)got - want) / ldexpl(1, exponent - 23));
}

static long double length_of(const float *c, int n) {
    long double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (long double)c[i] * c[i];
    return sqrtl(sum);
}

Test(opencl_geometric, length_and_normalize_are_within_their_bounds) {
    for (int i = 0; i < ROUNDS; i++) {
        int exponent = (int)(next() % 270) - 146;
        float c[4] = {draw(exponent), draw(exponent), draw(exponent), draw(exponent)};
        float2 p2 = {c[0], c[1]};
        float3 p3 = {c[0], c[1], c[2]};
        float4 p4 = {c[0], c[1], c[2], c[3]};
        cr_assert_leq(ulps(__wave_length_2(p2), length_of(c, 2)), 2.75 + 0.5 * 2);
        cr_assert_leq(ulps(__wave_length_3(p3), length_of(c, 3)), 2.75 + 0.5 * 3);
        cr_assert_leq(ulps(__wave_length_4(p4), length_of(c, 4)), 2.75 + 0.5 * 4);
        long double length = length_of(c, 3);
        if (length == 0)
            continue;
        float3 unit = __wave_normalize_3(p3);
        cr_assert_leq(ulps(unit.x, c[0] / length), 2 + 3, "%a %a %a", (double)c[0], (double)c[1],
                      (double)c[2]);
        cr_assert_leq(ulps(unit.y, c[1] / length), 2 + 3);
        cr_assert_leq(ulps(unit.z, c[2] / length), 2 + 3);
    }
}

Test(opencl_geometric, distance_and_cross_are_within_their_bounds) {
    for (int i = 0; i < ROUNDS; i++) {
        float a[3], b[3], d[3];
        long double top = 0;
        for (int k = 0; k < 3; k++) {
            a[k] = draw(0);
            b[k] = draw(0);
            d[k] = a[k] - b[k];
            top = fmaxl(top, fmaxl(fabsf(a[k]), fabsf(b[k])));
        }
        float3 p = {a[0], a[1], a[2]}, q = {b[0], b[1], b[2]};
        cr_assert_leq(ulps(__wave_distance_3(p, q), length_of(d, 3)), 2.5 + 2 * 3);
        float3 cross = __wave_cross_3(p, q);
        long double want = (long double)a[1] * b[2] - (long double)a[2] * b[1];
        cr_assert_leq(fabsl(cross.x - want), top * top * 3 * FLT_EPSILON);
        want = (long double)a[2] * b[0] - (long double)a[0] * b[2];
        cr_assert_leq(fabsl(cross.y - want), top * top * 3 * FLT_EPSILON);
        want = (long double)a[0] * b[1] - (long double)a[1] * b[0];
        cr_assert_leq(fabsl(cross.z - want), top * top * 3 * FLT_EPSILON);
    }
}

Test(opencl_geometric, exact_lengths_are_exact) {
    cr_expect_eq(__wave_length_1(-3), 3.0f);
    cr_expect_eq(__wave_length_2((float2){3, -4}), 5.0f);
    cr_expect_eq(__wave_length_3((float3){2, 3, 6}), 7.0f);
    cr_expect_eq(__wave_length_4((float4){1, 1, 1, 1}), 2.0f);
    cr_expect_eq(__wave_fast_length_2((float2){3, -4}), 5.0f);
    cr_expect_eq(__wave_distance_2((float2){4, 1}, (float2){1, 5}), 5.0f);
    cr_expect_eq(__wave_fast_distance_2((float2){4, 1}, (float2){1, 5}), 5.0f);
    cr_expect_eq(__wave_distance_1(1, 4), 3.0f);
    cr_expect_eq(__wave_length_2((float2){0x3p125f, 0x4p125f}), 0x5p125f);
    cr_expect_eq(__wave_length_2((float2){0x1.8p127f, 0x1.8p127f}), INF);
    cr_expect_eq(__wave_length_2((float2){0x3p-149f, 0x4p-149f}), 0x5p-149f);
    cr_expect_eq(__wave_length_3_f64((double3){0x2p1000, 0x3p1000, 0x6p1000}), 0x7p1000);
    cr_expect_eq(__wave_length_4_f64((double4){0x1p-1074, 0x1p-1074, 0x1p-1074, 0x1p-1074}),
                 0x2p-1074);
    float4 cross = __wave_cross_4((float4){1, 0, 0, 9}, (float4){0, 1, 0, 9});
    cr_expect(cross.x == 0 && cross.y == 0 && cross.z == 1 && cross.w == 0);
}

Test(opencl_geometric, normalize_has_its_edge_values) {
    float2 zero = __wave_normalize_2((float2){0, -0.0f});
    cr_expect(zero.x == 0 && !signbit(zero.x) && zero.y == 0 && signbit(zero.y));
    float2 axis = __wave_normalize_2((float2){-INF, 5});
    cr_expect(axis.x == -1 && axis.y == 0);
    float2 diagonal = __wave_normalize_2((float2){INF, -INF});
    cr_expect(fabsf(diagonal.x - 0x1.6a09e6p-1f) < 0x1p-22f && diagonal.y == -diagonal.x);
    float2 none = __wave_normalize_2((float2){NAN, 0});
    cr_expect(isnan(none.x) && isnan(none.y));
    float2 tiny = __wave_normalize_2((float2){0x1p-149f, 0});
    cr_expect(tiny.x == 1 && tiny.y == 0);
    float2 huge = __wave_normalize_2((float2){0, -0x1.fffffep127f});
    cr_expect(huge.x == 0 && huge.y == -1);
    cr_expect_eq(__wave_normalize_1(-4), -1.0f);
    float2 fast = __wave_fast_normalize_2((float2){0, 2});
    cr_expect(fast.x == 0 && fast.y == 1);
    cr_expect_eq(__wave_length_2((float2){INF, NAN}), INF);
    cr_expect(isnan(__wave_length_2((float2){1, NAN})));
}
