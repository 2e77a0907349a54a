// f64 arithmetic and the conversions between f32, f64 and integers, against the integer-only
// arithmetic of support/softfloat.h. Only mismatches are asserted: see test_scalar_f32.c.
#include <criterion/criterion.h>
#include <inttypes.h>

#include "base/scalar.h"
#include "support/scalar_inputs.h"

#define BINARY_CASES 1000000
#define FMA_CASES    2000000
#define CVT_CASES    2000000

typedef uint64_t (*binary)(uint64_t, uint64_t);

static uint64_t ref_add(uint64_t a, uint64_t b) {
    return sf_add(sf_f64, a, b);
}
static uint64_t ref_sub(uint64_t a, uint64_t b) {
    return sf_sub(sf_f64, a, b);
}
static uint64_t ref_mul(uint64_t a, uint64_t b) {
    return sf_mul(sf_f64, a, b);
}
static uint64_t ref_div(uint64_t a, uint64_t b) {
    return sf_div(sf_f64, a, b);
}
// dsqrt of the first operand, so that it runs in the same loop
static uint64_t ref_sqrt(uint64_t a, uint64_t b) {
    (void)b;
    return sf_sqrt(sf_f64, a);
}
static uint64_t sqrt_first(uint64_t a, uint64_t b) {
    (void)b;
    return sc_dsqrt(a);
}

Test(scalar_f64, operations_agree_with_integer_arithmetic) {
    static const struct {
        const char *name;
        binary got, want;
    } ops[] = {
        {"dadd", sc_dadd, ref_add}, {"dsub", sc_dsub, ref_sub},      {"dmul", sc_dmul, ref_mul},
        {"ddiv", sc_ddiv, ref_div}, {"dsqrt", sqrt_first, ref_sqrt},
    };
    uint64_t special[IN_SPECIALS];
    size_t specials = in_specials(sf_f64, special), pairs = specials * specials;
    for (size_t op = 0; op < IN_COUNT(ops); op++) {
        uint64_t state = op + 1;
        for (size_t i = 0; i < pairs + IN_CASES(BINARY_CASES); i++) {
            uint64_t a = i < pairs ? special[i / specials] : in_float(sf_f64, &state, 0);
            uint64_t b = i < pairs ? special[i % specials] : in_float(sf_f64, &state, a);
            uint64_t got = ops[op].got(a, b), want = ops[op].want(a, b);
            if (got != want)
                cr_assert_fail("%s(%016" PRIX64 ", %016" PRIX64 ") = %016" PRIX64
                               ", want %016" PRIX64,
                               ops[op].name, a, b, got, want);
        }
    }
}

static void check_fma(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t got = sc_dma(a, b, c), want = sf_fma(sf_f64, a, b, c);
    if (got != want)
        cr_assert_fail("dma(%016" PRIX64 ", %016" PRIX64 ", %016" PRIX64 ") = %016" PRIX64
                       ", want %016" PRIX64,
                       a, b, c, got, want);
}

Test(scalar_f64, fma_agrees_with_integer_arithmetic) {
    uint64_t special[IN_SPECIALS], state = 50;
    size_t specials = in_specials(sf_f64, special);
    for (size_t i = 0; i < specials * specials * specials; i++)
        check_fma(special[i % specials], special[i / specials % specials],
                  special[i / specials / specials]);
    for (size_t i = 0; i < IN_CASES(FMA_CASES); i++) {
        uint64_t a = in_float(sf_f64, &state, UINT64_C(0x3FF0000000000000));
        uint64_t b = in_float(sf_f64, &state, a);
        check_fma(a, b, in_float(sf_f64, &state, sf_mul(sf_f64, a, b)));
    }
}

Test(scalar_f64, conversions_to_and_from_f32_agree_with_integer_arithmetic) {
    uint64_t special[IN_SPECIALS], state = 60;
    size_t specials = in_specials(sf_f64, special);
    for (size_t i = 0; i < specials + IN_CASES(CVT_CASES); i++) {
        uint64_t a = i < specials ? special[i] : in_float(sf_f64, &state, 0);
        if (i % 2 == 1 && i > specials) {
            // an f32, or a point close to half way between two, written as an f64
            uint64_t narrow = random_next(&state) & 0xFFFFFFFFu;
            uint64_t nudge = ((random_next(&state) & 3) << 28) + (random_next(&state) & 3) - 1;
            a = sf_convert(sf_f32, sf_f64, narrow) + nudge;
        }
        uint32_t got = sc_cvt_f32_f64(a), want = (uint32_t)sf_convert(sf_f64, sf_f32, a);
        if (got != want)
            cr_assert_fail("cvt_f32_f64(%016" PRIX64 ") = %08" PRIX32 ", want %08" PRIX32, a, got,
                           want);
    }
    specials = in_specials(sf_f32, special);
    for (size_t i = 0; i < specials + IN_CASES(CVT_CASES); i++) {
        uint32_t a = (uint32_t)(i < specials ? special[i] : in_float(sf_f32, &state, 0));
        uint64_t got = sc_cvt_f64_f32(a), want = sf_convert(sf_f32, sf_f64, a);
        if (got != want)
            cr_assert_fail("cvt_f64_f32(%08" PRIX32 ") = %016" PRIX64 ", want %016" PRIX64, a, got,
                           want);
    }
}

static void check_from_integer(uint32_t a) {
    bool negative = a >= 0x80000000u;
    uint64_t magnitude = negative ? (UINT64_C(1) << 32) - a : a;
    uint32_t from_signed = (uint32_t)sf_from_integer(sf_f32, negative, magnitude);
    uint32_t from_unsigned = (uint32_t)sf_from_integer(sf_f32, false, a);
    if (sc_cvt_f32_i32(a) != from_signed)
        cr_assert_fail("cvt_f32_i32(%08" PRIX32 ") is not %08" PRIX32, a, from_signed);
    if (sc_cvt_f32_u32(a) != from_unsigned)
        cr_assert_fail("cvt_f32_u32(%08" PRIX32 ") is not %08" PRIX32, a, from_unsigned);
}

static void check_to_integer(uint32_t a) {
    uint32_t to_signed = sf_to_integer(sf_f32, a, true);
    uint32_t to_unsigned = sf_to_integer(sf_f32, a, false);
    if (sc_cvt_i32_f32(a) != to_signed)
        cr_assert_fail("cvt_i32_f32(%08" PRIX32 ") is not %08" PRIX32, a, to_signed);
    if (sc_cvt_u32_f32(a) != to_unsigned)
        cr_assert_fail("cvt_u32_f32(%08" PRIX32 ") is not %08" PRIX32, a, to_unsigned);
}

Test(scalar_f64, conversions_to_and_from_integers_agree_with_integer_arithmetic) {
    for (size_t i = 0; i < IN_COUNT(in_integers); i++)
        check_from_integer(in_integers[i]);
    uint64_t special[IN_SPECIALS], state = 70;
    size_t specials = in_specials(sf_f32, special);
    for (size_t i = 0; i < specials; i++)
        check_to_integer((uint32_t)special[i]);
    for (size_t i = 0; i < IN_CASES(CVT_CASES); i++) {
        uint32_t r = (uint32_t)random_next(&state);
        check_from_integer(in_integer(&state));
        check_from_integer((r | 0x80u) & (0xFFFFFFFFu << (r % 9))); // ties of the rounding
        check_to_integer((uint32_t)in_float(sf_f32, &state, 0));
        check_to_integer((r & 0x80FFFFFFu) | (0x3Eu + (r >> 27)) << 24); // around 1 .. 2^33
    }
}
