/* The fused operations and the remainder of base/plain_math.h, by which constants are folded,
 * against libm's: random numbers whose exponents lie close together, so that sums cancel, carry and
 * tie, and all combinations of special ones. */
#include "base/plain_math.h"
#include "base/scalar_bits.h"
#include "support/scalar_inputs.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>

enum { CASES = 500000 };

static const double specials[] = {0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0x1p-1074,
                                  -0x1p-1074,
                                  0x1p-1022,
                                  0x1p-1023,
                                  0x1.8p-1074,
                                  0x1p1023,
                                  -0x1p1023,
                                  0x1.fffffffffffffp1023,
                                  0x1.fffffffffffffp-1023,
                                  0x1p-537,
                                  0x1p-538,
                                  -0x1.8p-537,
                                  0x1p511,
                                  0x1.fffffffffffffp511,
                                  0x1p53,
                                  0x1p-53,
                                  1.5,
                                  0x1p-149,
                                  0x1p-150,
                                  0x1.fffffep127,
                                  0x1p-126,
                                  3.0,
                                  0x1.000002p0,
                                  INFINITY,
                                  -INFINITY,
                                  NAN};

enum { SPECIALS = sizeof specials / sizeof *specials };

static void expect_fused(double a, double b, double c) {
    uint64_t found = sc_canon_f64(plain_fma(a, b, c)),
             expected = sf_fma(sf_f64, sc_bits_of_f64(a), sc_bits_of_f64(b), sc_bits_of_f64(c));
    cr_assert(found == expected, "fma(%a, %a, %a) is %016" PRIx64 ", not %016" PRIx64, a, b, c,
              found, expected);
}

static void expect_fused_f32(float a, float b, float c) {
    uint32_t found = sc_canon_f32(plain_fmaf(a, b, c)),
             expected =
                 (uint32_t)sf_fma(sf_f32, sc_bits_of_f32(a), sc_bits_of_f32(b), sc_bits_of_f32(c));
    cr_assert(found == expected, "fmaf(%a, %a, %a) is %08" PRIx32 ", not %08" PRIx32, (double)a,
              (double)b, (double)c, found, expected);
}

static void expect_remainder(double a, double b) {
    double found = plain_fmod(a, b), expected = fmod(a, b);
    cr_assert(sc_canon_f64(found) == sc_canon_f64(expected), "fmod(%a, %a) is %a, not %a", a, b,
              found, expected);
}

Test(plain_math, special_numbers_agree_with_the_references) {
    for (unsigned i = 0; i < SPECIALS; i++)
        for (unsigned j = 0; j < SPECIALS; j++) {
            expect_remainder(specials[i], specials[j]);
            for (unsigned k = 0; k < SPECIALS; k++) {
                expect_fused(specials[i], specials[j], specials[k]);
                expect_fused_f32((float)specials[i], (float)specials[j], (float)specials[k]);
            }
        }
}

/* A few mantissa bits at both ends are random: products with long runs of zeros and ones. */
static uint64_t mantissa(uint64_t *state, unsigned bits) {
    uint64_t all = ((uint64_t)1 << bits) - 1, value = random_next(state);
    switch (random_next(state) % 4) {
    case 0: return value & all;
    case 1: return value & all & ~(all >> 6);
    case 2: return (value & 7) | (all & ~(uint64_t)7);
    default: return (value & 3) | (value >> 8 & 3) << (bits - 2);
    }
}

static double number(uint64_t *state, int exponent) {
    uint64_t sign = random_next(state) << 63;
    uint64_t field = (uint64_t)(exponent < 0 ? 0 : exponent > 2046 ? 2046 : exponent);
    return sc_f64_of(sign | field << 52 | mantissa(state, 52));
}

static float small_number(uint64_t *state, int exponent) {
    uint32_t sign = (uint32_t)random_next(state) << 31;
    uint32_t field = (uint32_t)(exponent < 0 ? 0 : exponent > 254 ? 254 : exponent);
    return sc_f32_of(sign | field << 23 | (uint32_t)mantissa(state, 23));
}

Test(plain_math, fused_f64_is_rounded_once) {
    uint64_t state = 1;
    for (unsigned k = 0; k < IN_CASES(CASES); k++) {
        int a = (int)(random_next(&state) % 2047), b = (int)(random_next(&state) % 2047);
        if (k % 4 == 0) /* around the smallest numbers */
            b = 1023 - a - (int)(random_next(&state) % 140);
        int c = a + b - 1023 + (int)(random_next(&state) % 260) - 130;
        expect_fused(number(&state, a), number(&state, b), number(&state, c));
        double x = number(&state, a), y = number(&state, b);
        expect_fused(x, y, -(x * y)); /* only the error of the product is left */
    }
}

Test(plain_math, fused_f32_is_rounded_once) {
    uint64_t state = 2;
    for (unsigned k = 0; k < IN_CASES(CASES); k++) {
        int a = (int)(random_next(&state) % 255), b = (int)(random_next(&state) % 255);
        if (k % 4 == 0)
            b = 127 - a - (int)(random_next(&state) % 60);
        int c = a + b - 127 + (int)(random_next(&state) % 120) - 60;
        expect_fused_f32(small_number(&state, a), small_number(&state, b), small_number(&state, c));
        float x = small_number(&state, a), y = small_number(&state, b);
        expect_fused_f32(x, y, -(x * y));
    }
}

Test(plain_math, remainders_agree_with_libm) {
    uint64_t state = 3;
    for (unsigned k = 0; k < IN_CASES(CASES / 10); k++) {
        int b = (int)(random_next(&state) % 2047);
        int a = k % 8 ? b + (int)(random_next(&state) % 80) - 5 : (int)(random_next(&state) % 2047);
        expect_remainder(number(&state, a), number(&state, b));
    }
}

Test(plain_math, powers_of_two_are_exact) {
    for (int k = -1022; k <= 1023; k++)
        cr_expect_eq(plain_power(k), ldexp(1.0, k));
}
