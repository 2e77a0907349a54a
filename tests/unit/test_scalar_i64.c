// 64-bit integers, the rest of f64 and their conversions, against longhand arithmetic on 32-bit
// halves and the integer-only floats of support/softfloat.h. Only mismatches are asserted: see
// test_scalar_f32.c.
#include <criterion/criterion.h>
#include <inttypes.h>

#include "base/scalar.h"
#include "support/scalar_inputs.h"

#define CASES 300000

static const uint64_t longs[] = {0,
                                 1,
                                 2,
                                 7,
                                 0xFFFFFFFF,
                                 0x100000000,
                                 0x123456789ABCDEF0,
                                 0x7FFFFFFFFFFFFFFF,
                                 0x8000000000000000,
                                 0x8000000000000001,
                                 0xFFFFFFFFFFFFFFFE,
                                 0xFFFFFFFFFFFFFFFF};

static uint64_t any_long(uint64_t *state) {
    uint64_t r = random_next(state);
    return r % 4 == 0 ? longs[(r >> 8) % IN_COUNT(longs)] : random_next(state) >> (r >> 32) % 64;
}

static bool is_negative(uint64_t a) {
    return a >> 63 != 0;
}

// Quotient and remainder, one bit of the dividend at a time.
static uint64_t divide(uint64_t a, uint64_t b, uint64_t *rest) {
    uint64_t quotient = 0, r = 0;
    for (int k = 63; k >= 0 && b; k--) {
        bool carry = is_negative(r);
        r = r << 1 | (a >> k & 1);
        if (carry || r >= b) {
            r -= b;
            quotient |= UINT64_C(1) << k;
        }
    }
    *rest = r;
    return quotient;
}

static void check_division(uint64_t a, uint64_t b) {
    uint64_t rest, quotient = divide(a, b, &rest);
    if (sc_ludiv(a, b) != quotient || sc_lumod(a, b) != rest)
        cr_assert_fail("ludiv, lumod of %016" PRIX64 ", %016" PRIX64, a, b);
    quotient = divide(is_negative(a) ? 0 - a : a, is_negative(b) ? 0 - b : b, &rest);
    if (sc_ldiv(a, b) != (is_negative(a) != is_negative(b) ? 0 - quotient : quotient) ||
        sc_lmod(a, b) != (is_negative(a) ? 0 - rest : rest))
        cr_assert_fail("ldiv, lmod of %016" PRIX64 ", %016" PRIX64, a, b);
}

static void check_rest(uint64_t a, uint64_t b) {
    sf_wide product = sf_wide_product(a, b);
    if (sc_lmul_hi(a, b) != product.limb[1] || sc_lmul(a, b) != product.limb[0])
        cr_assert_fail("lmul_hi, lmul of %016" PRIX64 ", %016" PRIX64, a, b);
    // flipping the sign bits turns the signed order into the unsigned one
    uint64_t x = a ^ UINT64_C(1) << 63, y = b ^ UINT64_C(1) << 63;
    if (sc_lcmp_lt(a, b) != (x < y) || sc_lcmp_le(a, b) != (x <= y) ||
        sc_lcmp_gt(a, b) != (x > y) || sc_lcmp_ge(a, b) != (x >= y) ||
        sc_lucmp_lt(a, b) != (a < b) || sc_lucmp_ge(a, b) != (a >= b))
        cr_assert_fail("a compare of %016" PRIX64 ", %016" PRIX64, a, b);
    uint64_t fill = is_negative(a) ? UINT64_MAX : 0;
    uint32_t by = (uint32_t)b & 63;
    uint64_t filled = by ? a >> by | fill << (64 - by) : a;
    if (sc_lsar(a, (uint32_t)b) != filled || sc_lshr(a, (uint32_t)b) != a >> by ||
        sc_lshl(a, (uint32_t)b) != a << by)
        cr_assert_fail("a shift of %016" PRIX64 " by %08" PRIX32, a, (uint32_t)b);
}

Test(scalar_i64, arithmetic_agrees_with_longhand) {
    uint64_t state = 80;
    for (size_t i = 0; i < IN_COUNT(longs) * IN_COUNT(longs); i++) {
        check_division(longs[i / IN_COUNT(longs)], longs[i % IN_COUNT(longs)]);
        check_rest(longs[i / IN_COUNT(longs)], longs[i % IN_COUNT(longs)]);
    }
    for (size_t i = 0; i < IN_CASES(CASES); i++) {
        uint64_t a = any_long(&state), b = any_long(&state);
        check_division(a, b);
        check_rest(a, b);
    }
}

// Towards zero with saturation, from the number's own fields.
static uint64_t to_integer(sf_format f, uint64_t bits, unsigned width, bool is_signed) {
    sf_number n = sf_unpack(f, bits);
    uint64_t most = (is_signed ? UINT64_MAX >> 1 : UINT64_MAX) >> (64 - width), magnitude = 0;
    uint64_t limit = n.negative ? (is_signed ? most + 1 : 0) : most;
    if (n.kind == SF_NAN || n.kind == SF_ZERO)
        return 0;
    if (n.kind == SF_INF || n.exponent > 64)
        magnitude = limit;
    else if (n.exponent <= -64)
        magnitude = 0;
    else if (n.exponent < 0)
        magnitude = n.significand >> -n.exponent;
    else
        magnitude = n.exponent >= 64 || n.significand > UINT64_MAX >> n.exponent
                        ? UINT64_MAX
                        : n.significand << n.exponent;
    if (magnitude > limit)
        magnitude = limit;
    return (n.negative ? 0 - magnitude : magnitude) & UINT64_MAX >> (64 - width);
}

static void check_to_integer(uint64_t a, uint32_t b) {
    if (sc_cvt_i32_f64(a) != to_integer(sf_f64, a, 32, true) ||
        sc_cvt_u32_f64(a) != to_integer(sf_f64, a, 32, false) ||
        sc_cvt_i64_f64(a) != to_integer(sf_f64, a, 64, true) ||
        sc_cvt_u64_f64(a) != to_integer(sf_f64, a, 64, false))
        cr_assert_fail("a conversion of f64 %016" PRIX64 " to an integer", a);
    if (sc_cvt_i64_f32(b) != to_integer(sf_f32, b, 64, true) ||
        sc_cvt_u64_f32(b) != to_integer(sf_f32, b, 64, false))
        cr_assert_fail("a conversion of f32 %08" PRIX32 " to an integer", b);
}

static void check_from_integer(uint64_t a) {
    bool negative = is_negative(a);
    uint64_t magnitude = negative ? 0 - a : a;
    if (sc_cvt_f64_i64(a) != sf_from_integer(sf_f64, negative, magnitude) ||
        sc_cvt_f64_u64(a) != sf_from_integer(sf_f64, false, a) ||
        sc_cvt_f32_i64(a) != sf_from_integer(sf_f32, negative, magnitude) ||
        sc_cvt_f32_u64(a) != sf_from_integer(sf_f32, false, a))
        cr_assert_fail("a conversion of %016" PRIX64 " to a float", a);
    uint32_t word = (uint32_t)a;
    negative = word >> 31;
    if (sc_cvt_f64_i32(word) != sf_from_integer(sf_f64, negative, negative ? 0u - word : word) ||
        sc_cvt_f64_u32(word) != sf_from_integer(sf_f64, false, word))
        cr_assert_fail("a conversion of %08" PRIX32 " to f64", word);
}

Test(scalar_i64, conversions_agree_with_integer_arithmetic) {
    uint64_t state = 81;
    for (size_t i = 0; i < IN_CASES(CASES); i++) {
        uint64_t r = random_next(&state);
        check_from_integer(any_long(&state));
        check_from_integer((r | 0x400) & UINT64_MAX << r % 12);   // ties of f64
        check_from_integer((r | 1) & (UINT64_MAX << 39 | r % 2)); // close to ties of f32
        check_to_integer(in_float(sf_f64, &state, 0), (uint32_t)in_float(sf_f32, &state, 0));
        // around 1 .. 2^66
        check_to_integer((r & 0x800FFFFFFFFFFFFF) | (1022 + (r >> 53) % 68) << 52,
                         ((uint32_t)r & 0x807FFFFF) | (126 + (uint32_t)(r >> 40) % 68) << 23);
    }
}

Test(scalar_i64, conversions_to_and_from_f16_round_once) {
    for (uint32_t h = 0; h < 0x10000; h++) {
        uint64_t wide = sf_convert(sf_f16, sf_f64, h);
        if (sc_cvt_f64_f16(h | 0xABCD0000) != wide)
            cr_assert_fail("cvt_f64_f16(%04" PRIX32 ")", h);
        // at, below and above it, and half a step further, where a second rounding would show
        for (int half = 0; half < 2; half++)
            for (int d = -2; d <= 2; d++) {
                uint64_t a = wide + (uint64_t)half * (UINT64_C(1) << 41) + (uint64_t)(int64_t)d;
                if (sc_cvt_f16_f64(a) != sf_convert(sf_f64, sf_f16, a))
                    cr_assert_fail("cvt_f16_f64(%016" PRIX64 ")", a);
            }
    }
    uint64_t special[IN_SPECIALS], state = 82;
    size_t specials = in_specials(sf_f64, special);
    for (size_t i = 0; i < specials + IN_CASES(CASES); i++) {
        uint64_t a = i < specials ? special[i] : in_float(sf_f64, &state, 0);
        if (sc_cvt_f16_f64(a) != sf_convert(sf_f64, sf_f16, a))
            cr_assert_fail("cvt_f16_f64(%016" PRIX64 ")", a);
    }
}

static uint64_t lesser(uint64_t a, uint64_t b, bool larger) {
    int order = sf_compare(sf_f64, a, b); // 2: unordered
    if (order == 2) {
        bool a_nan = sf_unpack(sf_f64, a).kind == SF_NAN,
             b_nan = sf_unpack(sf_f64, b).kind == SF_NAN;
        return a_nan && b_nan ? sf_nan(sf_f64) : a_nan ? b : a;
    }
    if (order == 0) /* two zeros, or the same */
        return is_negative(a) != larger ? a : b;
    return (order < 0) != larger ? a : b;
}

static void check_f64(uint64_t a, uint64_t b) {
    int order = sf_compare(sf_f64, a, b);
    if (sc_dmin(a, b) != lesser(a, b, false) || sc_dmax(a, b) != lesser(a, b, true))
        cr_assert_fail("dmin, dmax of %016" PRIX64 ", %016" PRIX64, a, b);
    if (sc_dcmp_eq(a, b) != (order == 0) || sc_dcmp_ne(a, b) != (order != 0) ||
        sc_dcmp_lt(a, b) != (order == -1) || sc_dcmp_le(a, b) != (order <= 0) ||
        sc_dcmp_gt(a, b) != (order == 1) || sc_dcmp_ge(a, b) != (order == 0 || order == 1) ||
        sc_dcmp_ord(a, b) != (order != 2) || sc_dcmp_unord(a, b) != (order == 2))
        cr_assert_fail("a compare of %016" PRIX64 ", %016" PRIX64, a, b);
    if (sc_dfloor(a) != sf_to_integral(sf_f64, a, SF_FLOOR) ||
        sc_dceil(a) != sf_to_integral(sf_f64, a, SF_CEIL) ||
        sc_dtrunc(a) != sf_to_integral(sf_f64, a, SF_TRUNC) ||
        sc_dround(a) != sf_to_integral(sf_f64, a, SF_NEAREST))
        cr_assert_fail("a rounding of %016" PRIX64, a);
    if (sc_dneg(a) != (a ^ UINT64_C(1) << 63) || sc_dabs(a) != (a & UINT64_MAX >> 1))
        cr_assert_fail("dneg, dabs of %016" PRIX64, a);
}

Test(scalar_i64, other_f64_operations_agree_with_integer_arithmetic) {
    uint64_t special[IN_SPECIALS], state = 83;
    size_t specials = in_specials(sf_f64, special);
    for (size_t i = 0; i < specials * specials; i++)
        check_f64(special[i / specials], special[i % specials]);
    for (size_t i = 0; i < IN_CASES(CASES); i++) {
        uint64_t a = in_float(sf_f64, &state, 0), r = random_next(&state);
        check_f64(a, in_float(sf_f64, &state, a));
        // halves and neighbours of integers up to 2^54
        check_f64((r & 0x800FFFFFFFFFFFFF & UINT64_MAX << (r >> 53) % 53) | (1021 + (r >> 40) % 57)
                                                                                << 52,
                  a);
    }
}
