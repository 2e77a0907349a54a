// f32 arithmetic and compares against the integer-only arithmetic of support/softfloat.h: all pairs
// of special values and millions of random operands chosen to cancel, tie, underflow and overflow.
// A criterion assertion reports even when it holds, so the loops call one only on a mismatch.
#include <criterion/criterion.h>
#include <inttypes.h>

#include "base/scalar.h"
#include "support/scalar_inputs.h"

#define BINARY_CASES  2000000
#define UNARY_CASES   2000000
#define FMA_CASES     4000000
#define COMPARE_CASES 1000000
#define NAN32         0x7FC00000u

typedef uint32_t (*unary)(uint32_t);
typedef uint32_t (*binary)(uint32_t, uint32_t);
typedef uint32_t (*ternary)(uint32_t, uint32_t, uint32_t);
typedef bool (*comparison)(uint32_t, uint32_t);

static uint32_t ref_add(uint32_t a, uint32_t b) {
    return (uint32_t)sf_add(sf_f32, a, b);
}
static uint32_t ref_sub(uint32_t a, uint32_t b) {
    return (uint32_t)sf_sub(sf_f32, a, b);
}
static uint32_t ref_mul(uint32_t a, uint32_t b) {
    return (uint32_t)sf_mul(sf_f32, a, b);
}
static uint32_t ref_div(uint32_t a, uint32_t b) {
    return (uint32_t)sf_div(sf_f32, a, b);
}
static uint32_t ref_fma(uint32_t a, uint32_t b, uint32_t c) {
    return (uint32_t)sf_fma(sf_f32, a, b, c);
}

static bool is_nan(uint32_t a) {
    return sf_unpack(sf_f32, a).kind == SF_NAN;
}

// minNum and maxNum, with the zeros ordered by sign.
static uint32_t ref_pick(uint32_t a, uint32_t b, int wanted) {
    if (is_nan(a))
        return is_nan(b) ? NAN32 : b;
    if (is_nan(b))
        return a;
    int order = sf_compare(sf_f32, a, b);
    if (order == 0) // equal numbers, or zeros: the sign decides
        order = (int)(b >> 31) - (int)(a >> 31);
    return order == wanted ? a : b;
}
static uint32_t ref_min(uint32_t a, uint32_t b) {
    return ref_pick(a, b, -1);
}
static uint32_t ref_max(uint32_t a, uint32_t b) {
    return ref_pick(a, b, 1);
}
static uint32_t ref_clamp(uint32_t x, uint32_t lo, uint32_t hi) {
    return ref_min(ref_max(x, lo), hi);
}

static uint32_t ref_neg(uint32_t a) {
    return a < 0x80000000u ? a + 0x80000000u : a - 0x80000000u;
}
static uint32_t ref_abs(uint32_t a) {
    return a < 0x80000000u ? a : a - 0x80000000u;
}
static uint32_t ref_sqrt(uint32_t a) {
    return (uint32_t)sf_sqrt(sf_f32, a);
}
static uint32_t ref_rcp(uint32_t a) {
    return (uint32_t)sf_div(sf_f32, 0x3F800000u, a);
}
static uint32_t ref_rsqrt(uint32_t a) {
    return ref_rcp(ref_sqrt(a));
}
static uint32_t ref_floor(uint32_t a) {
    return (uint32_t)sf_to_integral(sf_f32, a, SF_FLOOR);
}
static uint32_t ref_ceil(uint32_t a) {
    return (uint32_t)sf_to_integral(sf_f32, a, SF_CEIL);
}
static uint32_t ref_trunc(uint32_t a) {
    return (uint32_t)sf_to_integral(sf_f32, a, SF_TRUNC);
}
static uint32_t ref_round(uint32_t a) {
    return (uint32_t)sf_to_integral(sf_f32, a, SF_NEAREST);
}
static uint32_t ref_fract(uint32_t a) {
    uint32_t r = ref_sub(a, ref_floor(a));
    return r == 0x3F800000u ? 0x3F7FFFFFu : r;
}
static uint32_t ref_sat(uint32_t a) {
    if (is_nan(a) || sf_compare(sf_f32, a, 0) <= 0)
        return 0;
    return sf_compare(sf_f32, a, 0x3F800000u) > 0 ? 0x3F800000u : a;
}

Test(scalar_f32, binary_operations_agree_with_integer_arithmetic) {
    static const struct {
        const char *name;
        binary got, want;
    } ops[] = {
        {"fadd", sc_fadd, ref_add}, {"fsub", sc_fsub, ref_sub}, {"fmul", sc_fmul, ref_mul},
        {"fdiv", sc_fdiv, ref_div}, {"fmin", sc_fmin, ref_min}, {"fmax", sc_fmax, ref_max},
    };
    uint64_t special[IN_SPECIALS];
    size_t specials = in_specials(sf_f32, special);
    for (size_t op = 0; op < IN_COUNT(ops); op++) {
        uint64_t state = op + 1;
        size_t pairs = specials * specials, cases = IN_CASES(BINARY_CASES);
        for (size_t i = 0; i < pairs + cases; i++) {
            uint32_t a =
                (uint32_t)(i < pairs ? special[i / specials] : in_float(sf_f32, &state, 0));
            uint32_t b =
                (uint32_t)(i < pairs ? special[i % specials] : in_float(sf_f32, &state, a));
            uint32_t got = ops[op].got(a, b), want = ops[op].want(a, b);
            if (got != want)
                cr_assert_fail("%s(%08" PRIX32 ", %08" PRIX32 ") = %08" PRIX32 ", want %08" PRIX32,
                               ops[op].name, a, b, got, want);
        }
    }
}

Test(scalar_f32, unary_operations_agree_with_integer_arithmetic) {
    static const struct {
        const char *name;
        unary got, want;
    } ops[] = {
        {"fneg", sc_fneg, ref_neg},       {"fabs", sc_fabs, ref_abs},
        {"fsqrt", sc_fsqrt, ref_sqrt},    {"frsqrt", sc_frsqrt, ref_rsqrt},
        {"frcp", sc_frcp, ref_rcp},       {"ffloor", sc_ffloor, ref_floor},
        {"fceil", sc_fceil, ref_ceil},    {"ftrunc", sc_ftrunc, ref_trunc},
        {"fround", sc_fround, ref_round}, {"ffract", sc_ffract, ref_fract},
        {"fsat", sc_fsat, ref_sat},
    };
    uint64_t special[IN_SPECIALS];
    size_t specials = in_specials(sf_f32, special);
    for (size_t op = 0; op < IN_COUNT(ops); op++) {
        uint64_t state = op + 100;
        for (size_t i = 0; i < specials + IN_CASES(UNARY_CASES); i++) {
            uint32_t a =
                (uint32_t)(i < specials ? special[i] : in_float(sf_f32, &state, 0x40000000));
            if (i % 4 == 3) // halves, quarters and their neighbours: rounding cases
                a = sc_cvt_f32_i32(a & 0xFFFFF) - (1u << 23) * (uint32_t)(i % 7) + (a >> 30) - 1;
            uint32_t got = ops[op].got(a), want = ops[op].want(a);
            if (got != want)
                cr_assert_fail("%s(%08" PRIX32 ") = %08" PRIX32 ", want %08" PRIX32, ops[op].name,
                               a, got, want);
        }
    }
}

// The third operand is often close to the negated product, so that almost everything cancels.
static uint32_t addend_for(uint32_t a, uint32_t b, uint64_t *state) {
    uint32_t product = (uint32_t)sf_mul(sf_f32, a, b);
    return (uint32_t)in_float(sf_f32, state, product);
}

static void check_ternary(const char *name, ternary got, ternary want, uint32_t a, uint32_t b,
                          uint32_t c) {
    uint32_t g = got(a, b, c), w = want(a, b, c);
    if (g != w)
        cr_assert_fail("%s(%08" PRIX32 ", %08" PRIX32 ", %08" PRIX32 ") = %08" PRIX32
                       ", want %08" PRIX32,
                       name, a, b, c, g, w);
}

static void check_fma_and_clamp(uint32_t a, uint32_t b, uint32_t c) {
    check_ternary("fma", sc_fma, ref_fma, a, b, c);
    check_ternary("fclamp", sc_fclamp, ref_clamp, a, b, c);
}

Test(scalar_f32, fma_and_clamp_agree_with_integer_arithmetic) {
    uint64_t special[IN_SPECIALS], state = 200;
    size_t specials = in_specials(sf_f32, special);
    for (size_t i = 0; i < specials * specials * specials; i++)
        check_fma_and_clamp((uint32_t)special[i % specials],
                            (uint32_t)special[i / specials % specials],
                            (uint32_t)special[i / specials / specials]);
    for (size_t i = 0; i < IN_CASES(FMA_CASES); i++) {
        uint32_t a = (uint32_t)in_float(sf_f32, &state, 0x3F800000u);
        uint32_t b = (uint32_t)in_float(sf_f32, &state, a);
        check_fma_and_clamp(a, b, addend_for(a, b, &state));
    }
}

Test(scalar_f32, comparisons_agree_with_integer_arithmetic) {
    static const struct {
        const char *name;
        comparison got;
        bool below, equal, above, unordered;
    } ops[] = {
        {"fcmp_eq", sc_fcmp_eq, false, true, false, false},
        {"fcmp_ne", sc_fcmp_ne, true, false, true, true},
        {"fcmp_lt", sc_fcmp_lt, true, false, false, false},
        {"fcmp_le", sc_fcmp_le, true, true, false, false},
        {"fcmp_gt", sc_fcmp_gt, false, false, true, false},
        {"fcmp_ge", sc_fcmp_ge, false, true, true, false},
        {"fcmp_ord", sc_fcmp_ord, true, true, true, false},
        {"fcmp_unord", sc_fcmp_unord, false, false, false, true},
    };
    uint64_t special[IN_SPECIALS], state = 300;
    size_t specials = in_specials(sf_f32, special), pairs = specials * specials;
    for (size_t i = 0; i < pairs + IN_CASES(COMPARE_CASES); i++) {
        uint32_t a = (uint32_t)(i < pairs ? special[i / specials] : in_float(sf_f32, &state, 0));
        uint32_t b = (uint32_t)(i < pairs ? special[i % specials] : in_float(sf_f32, &state, a));
        int order = sf_compare(sf_f32, a, b);
        for (size_t op = 0; op < IN_COUNT(ops); op++) {
            bool want = order == SF_UNORDERED ? ops[op].unordered
                        : order < 0           ? ops[op].below
                        : order == 0          ? ops[op].equal
                                              : ops[op].above;
            if (ops[op].got(a, b) != want)
                cr_assert_fail("%s(%08" PRIX32 ", %08" PRIX32 ") is not %d", ops[op].name, a, b,
                               want);
        }
    }
}
