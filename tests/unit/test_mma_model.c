/* The models of matrix units: against exact fractions (tests/mma/vectors.py), against known
 * properties of their sums, and against the bound and the equality that ISA.md 9.2 promises. */
#include "base/mma_model.h"
#include "base/scalar.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <math.h>

typedef struct vector {
    wave_mma unit;
    bool bf16;
    uint16_t a[MMA_MODEL_K], b[MMA_MODEL_K];
    uint32_t c, d;
} vector;

static const vector vectors[] = {
#include "mma/vectors.inc"
};

Test(mma_model, models_agree_with_exact_fractions) {
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const vector *v = &vectors[i];
        uint32_t got = mma_model_dot(v->unit, v->bf16, v->a, v->b, v->c);
        cr_expect_eq(got, v->d, "%s, %s, row %zu: %08X, not %08X", wave_mma_name(v->unit),
                     v->bf16 ? "bf16" : "f16", i, got, v->d);
    }
}

/* ---- Known properties of NVIDIA's units ---- */

/* 1 + the sum of 2^-exponent for each k of the set. */
static uint32_t one_and(wave_mma unit, int exponent, unsigned set) {
    uint16_t a[MMA_MODEL_K] = {0}, b[MMA_MODEL_K] = {0};
    for (unsigned k = 0; k < MMA_MODEL_K; k++)
        if (set >> k & 1) {
            a[k] = (uint16_t)sc_cvt_f16_f32(sc_bits_of_f32(ldexpf(1, -exponent / 2)));
            b[k] = (uint16_t)sc_cvt_f16_f32(sc_bits_of_f32(ldexpf(1, -(exponent + 1) / 2)));
        }
    return mma_model_dot(unit, false, a, b, 0x3F800000);
}

Test(mma_model, bits_far_below_the_largest_are_dropped) {
    cr_expect_eq(one_and(WAVE_MMA_SM_80, 24, 0x03), 0x3F800001); /* exact: 1, twice */
    cr_expect_eq(one_and(WAVE_MMA_SM_75, 24, 0x03), 0x3F800001);
    cr_expect_eq(one_and(WAVE_MMA_SM_80, 25, 0x0F), 0x3F800000); /* each is truncated */
    cr_expect_eq(one_and(WAVE_MMA_SM_90, 25, 0x0F), 0x3F800001);
    cr_expect_eq(one_and(WAVE_MMA_SM_90, 26, 0xFF), 0x3F800000);
}

Test(mma_model, groups_are_summed_one_after_the_other) {
    cr_expect_eq(one_and(WAVE_MMA_SM_80, 24, 0x0101), 0x3F800000); /* truncated after each group */
    cr_expect_eq(one_and(WAVE_MMA_SM_90, 24, 0x0101), 0x3F800001); /* one group */
}

Test(mma_model, nvidias_sums_are_truncated) {
    uint16_t a[MMA_MODEL_K] = {0x3C00}, b[MMA_MODEL_K] = {0xBC00}; /* 1 * -1 */
    a[1] = 0x0C00;                                                 /* 2^-12 */
    b[1] = 0x8C00;                                                 /* -2^-12 */
    cr_expect_eq(mma_model_dot(WAVE_MMA_SM_80, false, a, b, 0), 0xBF800000);
    cr_expect_eq(mma_model_dot(WAVE_MMA_GFX942, false, a, b, 0), 0xBF800000); /* even */
    b[1] = 0x9200; /* -1.5 * 2^-11: rounds up to nearest, and is truncated */
    cr_expect_eq(mma_model_dot(WAVE_MMA_SM_80, false, a, b, 0), 0xBF800001);
    cr_expect_eq(mma_model_dot(WAVE_MMA_GFX942, false, a, b, 0), 0xBF800002);
}

Test(mma_model, infinity_times_zero_is_nan) {
    uint16_t a[MMA_MODEL_K] = {0x7C00}, b[MMA_MODEL_K] = {0}; /* infinity * 0 */
    cr_expect_eq(mma_model_dot(WAVE_MMA_SM_80, false, a, b, 0), 0x7FFFFFFF);
    cr_expect_eq(mma_model_dot(WAVE_MMA_GFX942, false, a, b, 0), SC_F32_NAN);
}

/* ---- The promises of ISA.md 9.2 ---- */

static uint64_t state = 1;

static uint32_t next(uint32_t below) {
    return (uint32_t)((random_mmix(&state) >> 33) % below);
}

static double value(bool bf16, uint16_t bits) {
    return bf16 ? sc_f32_of((uint32_t)bits << 16) : sc_f16_value(bits);
}

/* Exponents from -spread to spread, no subnormals. */
static uint16_t number(bool bf16, unsigned spread) {
    const uint32_t e = next(2 * spread + 1) - spread;
    return (uint16_t)(bf16 ? next(2) << 15 | (127 + e) << 7 | next(128)
                           : next(2) << 15 | (15 + e) << 10 | next(1024));
}

Test(mma_model, errors_are_within_the_promised_bound) {
    for (unsigned unit = WAVE_MMA_EXACT + 1; unit < WAVE_MMA_COUNT; unit++)
        for (unsigned i = 0; i < 40000; i++) {
            const bool bf16 = i & 1;
            const unsigned spread = next(bf16 ? 40 : 14);
            uint16_t a[MMA_MODEL_K], b[MMA_MODEL_K];
            float c = ldexpf((float)next(1 << 24), (int)next(2 * spread + 1) - (int)spread - 24);
            c = i & 2 ? -c : c;
            double sum = c, size = fabs((double)c);
            for (unsigned k = 0; k < MMA_MODEL_K; k++) {
                a[k] = number(bf16, spread);
                b[k] = number(bf16, spread);
                sum += value(bf16, a[k]) * value(bf16, b[k]);
                size += fabs(value(bf16, a[k]) * value(bf16, b[k]));
            }
            uint32_t d = mma_model_dot((wave_mma)unit, bf16, a, b, sc_bits_of_f32(c));
            cr_assert_leq(fabs(sc_f32_of(d) - sum), ldexp(size, -18), "%s, case %u",
                          wave_mma_name((wave_mma)unit), i);
        }
}

Test(mma_model, integers_have_one_result) {
    for (unsigned i = 0; i < 20000; i++) {
        const bool bf16 = i & 1;
        uint16_t a[MMA_MODEL_K], b[MMA_MODEL_K];
        uint32_t c = sc_bits_of_f32((float)next(100001) - 50000), exact = c;
        for (unsigned k = 0; k < MMA_MODEL_K; k++) {
            const uint32_t x = sc_bits_of_f32((float)next(257) - 128);
            const uint32_t y = sc_bits_of_f32((float)next(257) - 128);
            a[k] = (uint16_t)(bf16 ? x >> 16 : sc_cvt_f16_f32(x));
            b[k] = (uint16_t)(bf16 ? y >> 16 : sc_cvt_f16_f32(y));
            exact = sc_fma(x, y, exact);
        }
        for (unsigned unit = WAVE_MMA_EXACT + 1; unit < WAVE_MMA_COUNT; unit++)
            cr_assert_eq(mma_model_dot((wave_mma)unit, bf16, a, b, c), exact, "%s, case %u",
                         wave_mma_name((wave_mma)unit), i);
    }
}

Test(mma_model, units_have_names) {
    cr_expect_str_eq(wave_mma_name(WAVE_MMA_EXACT), "exact");
    cr_expect_str_eq(wave_mma_name(WAVE_MMA_GFX942), "gfx942");
    cr_expect_null(wave_mma_name(WAVE_MMA_COUNT));
}
