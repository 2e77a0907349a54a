// f16 and bf16 arithmetic and conversions: every one of the 2^16 values where an operation has one
// varying operand, special and random combinations elsewhere, against support/softfloat.h; the
// fused f16 form also against exact rationals in tests/tools/check_f16_fma.py. Only mismatches are
// asserted: see test_scalar_f32.c.
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/scalar.h"
#include "support/scalar_inputs.h"

#define PAIR_CASES   1000000
#define FMA_CASES    1500000
#define PYTHON_CASES 20000
#define BF16_NAN     0x7FC0u

typedef uint32_t (*binary)(uint32_t, uint32_t);
typedef uint32_t (*ternary)(uint32_t, uint32_t, uint32_t);

static uint32_t ref_hadd(uint32_t a, uint32_t b) {
    return (uint32_t)sf_add(sf_f16, a & 0xFFFF, b & 0xFFFF);
}
static uint32_t ref_hsub(uint32_t a, uint32_t b) {
    return (uint32_t)sf_sub(sf_f16, a & 0xFFFF, b & 0xFFFF);
}
static uint32_t ref_hmul(uint32_t a, uint32_t b) {
    return (uint32_t)sf_mul(sf_f16, a & 0xFFFF, b & 0xFFFF);
}
static uint32_t ref_hma(uint32_t a, uint32_t b, uint32_t c) {
    return (uint32_t)sf_fma(sf_f16, a & 0xFFFF, b & 0xFFFF, c & 0xFFFF);
}

// bf16: the f32 result truncated, except that a NaN stays one.
static uint32_t cut(uint64_t f32_bits) {
    return sf_unpack(sf_f32, f32_bits).kind == SF_NAN ? BF16_NAN : (uint32_t)(f32_bits >> 16);
}
static uint32_t ref_badd(uint32_t a, uint32_t b) {
    return cut(sf_add(sf_f32, a << 16, b << 16));
}
static uint32_t ref_bsub(uint32_t a, uint32_t b) {
    return cut(sf_sub(sf_f32, a << 16, b << 16));
}
static uint32_t ref_bmul(uint32_t a, uint32_t b) {
    return cut(sf_mul(sf_f32, a << 16, b << 16));
}
static uint32_t ref_bma(uint32_t a, uint32_t b, uint32_t c) {
    return cut(sf_fma(sf_f32, a << 16, b << 16, c << 16));
}

// Packed references are built from the halves.
static uint32_t both(binary op, uint32_t a, uint32_t b) {
    return op(a & 0xFFFF, b & 0xFFFF) | op(a >> 16, b >> 16) << 16;
}
static uint32_t ref_hadd2(uint32_t a, uint32_t b) {
    return both(ref_hadd, a, b);
}
static uint32_t ref_hmul2(uint32_t a, uint32_t b) {
    return both(ref_hmul, a, b);
}
static uint32_t ref_badd2(uint32_t a, uint32_t b) {
    return both(ref_badd, a, b);
}
static uint32_t ref_bmul2(uint32_t a, uint32_t b) {
    return both(ref_bmul, a, b);
}
static uint32_t ref_hma2(uint32_t a, uint32_t b, uint32_t c) {
    return ref_hma(a, b, c) | ref_hma(a >> 16, b >> 16, c >> 16) << 16;
}
static uint32_t ref_bma2(uint32_t a, uint32_t b, uint32_t c) {
    return ref_bma(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF) | ref_bma(a >> 16, b >> 16, c >> 16) << 16;
}

static const sf_format bf16 = {8, 7};

static const struct {
    const char *name;
    binary got, want;
    const sf_format *format;
} binary_ops[] = {
    {"hadd", sc_hadd, ref_hadd, &sf_f16},    {"hsub", sc_hsub, ref_hsub, &sf_f16},
    {"hmul", sc_hmul, ref_hmul, &sf_f16},    {"hadd2", sc_hadd2, ref_hadd2, &sf_f16},
    {"hmul2", sc_hmul2, ref_hmul2, &sf_f16}, {"badd", sc_badd, ref_badd, &bf16},
    {"bsub", sc_bsub, ref_bsub, &bf16},      {"bmul", sc_bmul, ref_bmul, &bf16},
    {"badd2", sc_badd2, ref_badd2, &bf16},   {"bmul2", sc_bmul2, ref_bmul2, &bf16},
};

static void check_binary(size_t op, uint32_t a, uint32_t b) {
    uint32_t got = binary_ops[op].got(a, b), want = binary_ops[op].want(a, b);
    if (got != want)
        cr_assert_fail("%s(%08" PRIX32 ", %08" PRIX32 ") = %08" PRIX32 ", want %08" PRIX32,
                       binary_ops[op].name, a, b, got, want);
}

// Every value against special values on either side. The upper halves are junk on purpose: scalar
// forms must ignore them, packed forms must compute with them.
Test(scalar_f16, binary_operations_agree_on_all_values) {
    for (size_t op = 0; op < IN_COUNT(binary_ops); op++) {
        uint64_t special[IN_SPECIALS];
        size_t specials = in_specials(*binary_ops[op].format, special);
        for (uint32_t a = 0; a < 0x10000; a++) {
            uint32_t b = (uint32_t)special[a % specials];
            check_binary(op, a | 0xBE110000u, b | ~a << 16);
            check_binary(op, b, a);
            check_binary(op, a, a);
            check_binary(op, a, a ^ 0x8000u);
        }
    }
}

Test(scalar_f16, binary_operations_agree_on_random_pairs) {
    for (size_t op = 0; op < IN_COUNT(binary_ops); op++) {
        sf_format format = *binary_ops[op].format;
        uint64_t state = op;
        for (size_t i = 0; i < IN_CASES(PAIR_CASES); i++) {
            uint64_t a = in_float(format, &state, 0), b = in_float(format, &state, a);
            uint64_t upper = random_next(&state);
            check_binary(op, (uint32_t)(a | upper << 16), (uint32_t)(b | upper >> 16 << 16));
        }
    }
}

static const struct {
    const char *name;
    ternary got, want;
    const sf_format *format;
} fma_ops[] = {
    {"hma", sc_hma, ref_hma, &sf_f16},
    {"hma2", sc_hma2, ref_hma2, &sf_f16},
    {"bma", sc_bma, ref_bma, &bf16},
    {"bma2", sc_bma2, ref_bma2, &bf16},
};

static void check_fma(size_t op, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t got = fma_ops[op].got(a, b, c), want = fma_ops[op].want(a, b, c);
    if (got != want)
        cr_assert_fail("%s(%08" PRIX32 ", %08" PRIX32 ", %08" PRIX32 ") = %08" PRIX32
                       ", want %08" PRIX32,
                       fma_ops[op].name, a, b, c, got, want);
}

Test(scalar_f16, fused_operations_agree_with_integer_arithmetic) {
    for (size_t op = 0; op < IN_COUNT(fma_ops); op++) {
        sf_format format = *fma_ops[op].format;
        uint64_t special[IN_SPECIALS], state = op + 40;
        size_t specials = in_specials(format, special);
        for (size_t i = 0; i < specials * specials * specials; i++)
            check_fma(op, (uint32_t)special[i % specials],
                      (uint32_t)special[i / specials % specials],
                      (uint32_t)special[i / specials / specials]);
        for (size_t i = 0; i < IN_CASES(FMA_CASES); i++) {
            uint64_t a =
                in_float(format, &state, (uint64_t)sf_bias(format) << format.fraction_bits);
            uint64_t b = in_float(format, &state, a);
            uint64_t c = in_float(format, &state, sf_mul(format, a, b));
            uint64_t upper = random_next(&state);
            check_fma(op, (uint32_t)(a | upper << 16), (uint32_t)(b | upper >> 8 << 16),
                      (uint32_t)(c | upper >> 16 << 16));
        }
    }
}

// The addend's last bit is worth 2^-7 and the product is about 2^-8: sums just next to the half-way
// point, where rounding to f32 first and to f16 afterwards goes wrong.
Test(scalar_f16, fused_operations_round_once) {
    size_t differs = 0;
    for (uint32_t b = 0x3C00; b < 0x4000; b++) {
        for (uint32_t a = 0x1800; a < 0x2000; a += 3) {
            uint32_t c = 0x4800 + (a * 31 + b * 17) % 0x400;
            check_fma(0, a, b, c);
            uint32_t twice =
                sc_cvt_f16_f32(sc_fma(sc_cvt_f32_f16(a), sc_cvt_f32_f16(b), sc_cvt_f32_f16(c)));
            differs += twice != sc_hma(a, b, c) ? 1 : 0;
        }
    }
    cr_assert_gt(differs, 0, "the cases must contain some that tell one rounding from two");
}

Test(scalar_f16, widening_agrees_on_all_values) {
    for (uint32_t a = 0; a < 0x10000; a++) {
        uint32_t junk = (a * 40503u) << 16;
        uint32_t want = (uint32_t)sf_convert(sf_f16, sf_f32, a);
        uint32_t got = sc_cvt_f32_f16(a | junk);
        if (got != want)
            cr_assert_fail("cvt_f32_f16(%04" PRIX32 ") = %08" PRIX32 ", want %08" PRIX32, a, got,
                           want);
        if (sc_cvt_f32_bf16(a | junk) != a * 65536u)
            cr_assert_fail("cvt_f32_bf16(%04" PRIX32 ") is not a bit copy", a);
    }
}

// Every upper half with lower halves on, next to and between the rounding boundaries.
Test(scalar_f16, narrowing_agrees_with_integer_arithmetic) {
    static const uint32_t below[] = {0, 1, 0x0FFF, 0x1000, 0x1001, 0x1FFF};
    for (uint32_t upper = 0; upper < 0x10000; upper++) {
        for (uint32_t i = 0; i < 8 * IN_COUNT(below); i++) {
            uint32_t a = upper << 16 | (i % 8) << 13 | below[i / 8];
            uint32_t got = sc_cvt_f16_f32(a), want = (uint32_t)sf_convert(sf_f32, sf_f16, a);
            if (got != want)
                cr_assert_fail("cvt_f16_f32(%08" PRIX32 ") = %08" PRIX32 ", want %08" PRIX32, a,
                               got, want);
            if (sc_cvt_bf16_f32(a) != cut(a))
                cr_assert_fail("cvt_bf16_f32(%08" PRIX32 ")", a);
        }
    }
    uint64_t state = 5;
    for (size_t i = 0; i < IN_CASES(PAIR_CASES); i++) {
        // random f32 in f16's range, subnormals and overflow included
        uint32_t r = (uint32_t)random_next(&state);
        uint32_t a = (r & 0x807FFFFFu) | (0x60u + (r >> 24 & 31) * 2) << 23;
        uint32_t got = sc_cvt_f16_f32(a), want = (uint32_t)sf_convert(sf_f32, sf_f16, a);
        if (got != want)
            cr_assert_fail("cvt_f16_f32(%08" PRIX32 ") = %08" PRIX32 ", want %08" PRIX32, a, got,
                           want);
    }
}

// The third reference: Python's exact rationals read "a b c result" and exit non-zero on a
// difference.
Test(scalar_f16, fused_operations_agree_with_exact_rationals) {
    const char *script = "tests/tools/check_f16_fma.py";
    if (access(script, R_OK) != 0 || system("python3 -c '' >/dev/null 2>&1") != 0)
        cr_skip_test("needs python3 and the repository's top folder as current directory");
    FILE *pipe = popen("python3 tests/tools/check_f16_fma.py", "w");
    cr_assert_not_null(pipe);
    uint64_t state = 77;
    for (int i = 0; i < PYTHON_CASES; i++) {
        uint32_t a = (uint32_t)in_float(sf_f16, &state, 0x3C00);
        uint32_t b = (uint32_t)in_float(sf_f16, &state, a);
        uint32_t c = (uint32_t)in_float(sf_f16, &state, sf_mul(sf_f16, a, b));
        fprintf(pipe, "%04" PRIx32 " %04" PRIx32 " %04" PRIx32 " %04" PRIx32 "\n", a, b, c,
                sc_hma(a, b, c));
    }
    cr_assert_eq(pclose(pipe), 0, "the script found a difference (its output says which)");
}
