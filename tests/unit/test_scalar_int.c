// Integer and bit instructions against plain 64-bit arithmetic and bit-by-bit definitions.
// A criterion assertion reports even when it holds, so the long loops call one only on a mismatch.
#include <criterion/criterion.h>
#include <inttypes.h>

#include "base/scalar.h"
#include "support/scalar_inputs.h"

#define RANDOM_CASES 1000000

typedef uint32_t (*binary)(uint32_t, uint32_t);
typedef uint32_t (*unary)(uint32_t);
typedef bool (*comparison)(uint32_t, uint32_t);

static int64_t s64(uint32_t a) {
    return a >= 0x80000000u ? (int64_t)a - (INT64_C(1) << 32) : (int64_t)a;
}

static uint32_t low(int64_t a) {
    return (uint32_t)((uint64_t)a & 0xFFFFFFFFu);
}

static uint32_t ref_add(uint32_t a, uint32_t b) {
    return low(s64(a) + s64(b));
}
static uint32_t ref_sub(uint32_t a, uint32_t b) {
    return low(s64(a) - s64(b));
}
static uint32_t ref_mul(uint32_t a, uint32_t b) {
    return low(s64(a) * s64(b));
}
static uint32_t ref_mul_hi(uint32_t a, uint32_t b) {
    uint64_t sum = 0; // longhand, bit by bit
    for (int i = 0; i < 32; i++)
        sum += (b >> i & 1) != 0 ? (uint64_t)a << i : 0;
    return (uint32_t)(sum >> 32);
}
static uint32_t ref_idiv(uint32_t a, uint32_t b) {
    return b == 0 ? 0 : low(s64(a) / s64(b));
}
static uint32_t ref_imod(uint32_t a, uint32_t b) {
    return b == 0 ? 0 : low(s64(a) % s64(b));
}
static uint32_t ref_udiv(uint32_t a, uint32_t b) {
    return b == 0 ? 0 : low((int64_t)a / (int64_t)b);
}
static uint32_t ref_umod(uint32_t a, uint32_t b) {
    return b == 0 ? 0 : low((int64_t)a % (int64_t)b);
}
static uint32_t ref_imin(uint32_t a, uint32_t b) {
    return s64(b) < s64(a) ? b : a;
}
static uint32_t ref_imax(uint32_t a, uint32_t b) {
    return s64(b) > s64(a) ? b : a;
}
static uint32_t ref_umin(uint32_t a, uint32_t b) {
    return (int64_t)b < (int64_t)a ? b : a;
}
static uint32_t ref_umax(uint32_t a, uint32_t b) {
    return (int64_t)b > (int64_t)a ? b : a;
}

// The bitwise instructions from their truth tables, one bit at a time.
static uint32_t ref_logic(uint32_t a, uint32_t b, unsigned table) {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (uint32_t)(table >> ((a >> i & 1) * 2 + (b >> i & 1)) & 1) << i;
    return r;
}
static uint32_t ref_and(uint32_t a, uint32_t b) {
    return ref_logic(a, b, 8);
}
static uint32_t ref_or(uint32_t a, uint32_t b) {
    return ref_logic(a, b, 14);
}
static uint32_t ref_xor(uint32_t a, uint32_t b) {
    return ref_logic(a, b, 6);
}

// Shifts as repeated doubling and halving; sar halves the signed number, rounding down.
static uint32_t ref_shl(uint32_t a, uint32_t b) {
    for (uint32_t i = b % 32; i > 0; i--)
        a = low((int64_t)a * 2);
    return a;
}
static uint32_t ref_shr(uint32_t a, uint32_t b) {
    for (uint32_t i = b % 32; i > 0; i--)
        a = a / 2;
    return a;
}
static uint32_t ref_sar(uint32_t a, uint32_t b) {
    int64_t v = s64(a);
    for (uint32_t i = b % 32; i > 0; i--)
        v = (v - (v % 2 != 0 && v < 0 ? 1 : 0)) / 2;
    return low(v);
}

static uint32_t ref_neg(uint32_t a) {
    return low(-s64(a));
}
static uint32_t ref_abs(uint32_t a) {
    return low(s64(a) < 0 ? -s64(a) : s64(a));
}
static uint32_t ref_not(uint32_t a) {
    return low(-s64(a) - 1);
}
static uint32_t ref_bitcount(uint32_t a) {
    uint32_t n = 0;
    for (int i = 0; i < 32; i++)
        n += a >> i & 1;
    return n;
}
static uint32_t ref_bitfind(uint32_t a) {
    for (int i = 31; i >= 0; i--) {
        if ((a >> i & 1) != 0)
            return (uint32_t)(31 - i);
    }
    return 0xFFFFFFFFu;
}
static uint32_t ref_bitrev(uint32_t a) {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (a >> i & 1) << (31 - i);
    return r;
}
static uint32_t ref_mov(uint32_t a) {
    return a;
}

static void check_binary(const char *name, binary got, binary want, uint32_t a, uint32_t b) {
    uint32_t g = got(a, b), w = want(a, b);
    if (g != w)
        cr_assert_fail("%s(%08" PRIX32 ", %08" PRIX32 ") = %08" PRIX32 ", want %08" PRIX32, name, a,
                       b, g, w);
}

Test(scalar_int, binary_operations_agree_with_their_definitions) {
    static const struct {
        const char *name;
        binary got, want;
    } ops[] = {
        {"iadd", sc_iadd, ref_add},  {"isub", sc_isub, ref_sub},
        {"imul", sc_imul, ref_mul},  {"imul_hi", sc_imul_hi, ref_mul_hi},
        {"idiv", sc_idiv, ref_idiv}, {"imod", sc_imod, ref_imod},
        {"udiv", sc_udiv, ref_udiv}, {"umod", sc_umod, ref_umod},
        {"imin", sc_imin, ref_imin}, {"imax", sc_imax, ref_imax},
        {"umin", sc_umin, ref_umin}, {"umax", sc_umax, ref_umax},
        {"and", sc_and, ref_and},    {"or", sc_or, ref_or},
        {"xor", sc_xor, ref_xor},    {"shl", sc_shl, ref_shl},
        {"shr", sc_shr, ref_shr},    {"sar", sc_sar, ref_sar},
    };
    for (size_t op = 0; op < IN_COUNT(ops); op++) {
        for (size_t i = 0; i < IN_COUNT(in_integers); i++) {
            for (size_t j = 0; j < IN_COUNT(in_integers); j++)
                check_binary(ops[op].name, ops[op].got, ops[op].want, in_integers[i],
                             in_integers[j]);
        }
        uint64_t state = op + 1;
        for (int i = 0; i < IN_CASES(RANDOM_CASES); i++) {
            uint32_t a = in_integer(&state), b = in_integer(&state);
            check_binary(ops[op].name, ops[op].got, ops[op].want, a, b);
        }
    }
}

Test(scalar_int, unary_operations_agree_with_their_definitions) {
    static const struct {
        const char *name;
        unary got, want;
    } ops[] = {
        {"ineg", sc_ineg, ref_neg},
        {"iabs", sc_iabs, ref_abs},
        {"not", sc_not, ref_not},
        {"bitcount", sc_bitcount, ref_bitcount},
        {"bitfind", sc_bitfind, ref_bitfind},
        {"bitrev", sc_bitrev, ref_bitrev},
        {"mov", sc_mov, ref_mov},
    };
    for (size_t op = 0; op < IN_COUNT(ops); op++) {
        uint64_t state = op + 100;
        for (int i = 0; i < IN_CASES(RANDOM_CASES); i++) {
            // First all patterns with one run of ones, where counting from the wrong end shows.
            uint32_t ones = i < 1024 ? 0xFFFFFFFFu >> (i & 31) << (i >> 5) : in_integer(&state);
            uint32_t g = ops[op].got(ones), w = ops[op].want(ones);
            if (g != w)
                cr_assert_fail("%s(%08" PRIX32 ") = %08" PRIX32 ", want %08" PRIX32, ops[op].name,
                               ones, g, w);
        }
    }
}

Test(scalar_int, comparisons_agree_with_their_definitions) {
    static const struct {
        const char *name;
        comparison got;
        bool is_signed, below, equal, above;
    } ops[] = {
        {"icmp_eq", sc_icmp_eq, true, false, true, false},
        {"icmp_ne", sc_icmp_ne, true, true, false, true},
        {"icmp_lt", sc_icmp_lt, true, true, false, false},
        {"icmp_le", sc_icmp_le, true, true, true, false},
        {"icmp_gt", sc_icmp_gt, true, false, false, true},
        {"icmp_ge", sc_icmp_ge, true, false, true, true},
        {"ucmp_eq", sc_ucmp_eq, false, false, true, false},
        {"ucmp_ne", sc_ucmp_ne, false, true, false, true},
        {"ucmp_lt", sc_ucmp_lt, false, true, false, false},
        {"ucmp_le", sc_ucmp_le, false, true, true, false},
        {"ucmp_gt", sc_ucmp_gt, false, false, false, true},
        {"ucmp_ge", sc_ucmp_ge, false, false, true, true},
    };
    uint64_t state = 7;
    for (int i = 0; i < IN_CASES(RANDOM_CASES); i++) {
        uint32_t a = in_integer(&state), b = i % 4 == 0 ? a : in_integer(&state);
        for (size_t op = 0; op < IN_COUNT(ops); op++) {
            int64_t x = ops[op].is_signed ? s64(a) : (int64_t)a;
            int64_t y = ops[op].is_signed ? s64(b) : (int64_t)b;
            bool want = x < y ? ops[op].below : x == y ? ops[op].equal : ops[op].above;
            if (ops[op].got(a, b) != want)
                cr_assert_fail("%s(%08" PRIX32 ", %08" PRIX32 ") is not %d", ops[op].name, a, b,
                               want);
        }
    }
}

Test(scalar_int, imad_clamp_and_select_agree_with_their_definitions) {
    uint64_t state = 11;
    for (int i = 0; i < IN_CASES(RANDOM_CASES); i++) {
        uint32_t a = in_integer(&state), b = in_integer(&state), c = in_integer(&state);
        if (sc_imad(a, b, c) != ref_add(ref_mul(a, b), c))
            cr_assert_fail("imad %x %x %x", a, b, c);
        int64_t x = s64(a), lo = s64(b), hi = s64(c);
        int64_t clamped = lo > hi || x > hi ? hi : x < lo ? lo : x;
        if (sc_iclamp(a, b, c) != low(clamped))
            cr_assert_fail("iclamp %x %x %x", a, b, c);
        if (sc_select(true, a, b) != a || sc_select(false, a, b) != b)
            cr_assert_fail("select %x %x", a, b);
    }
}

// Every offset and width, moving the field one bit at a time.
Test(scalar_int, bit_fields_agree_with_moving_single_bits) {
    uint64_t state = 13;
    for (uint32_t field = 0; field < 64 * 64; field++) {
        uint32_t offset = field / 64, width = field % 64;
        for (int k = 0; k < 20; k++) {
            uint32_t base = in_integer(&state), insert = in_integer(&state);
            uint32_t extracted = 0, inserted = base;
            for (uint32_t i = 0; i < width % 32 && offset % 32 + i < 32; i++) {
                uint32_t at = offset % 32 + i;
                extracted |= (base >> at & 1) << i;
                inserted &= ~(UINT32_C(1) << at);
                inserted |= (insert >> i & 1) << at;
            }
            if (sc_bfe(base, offset, width) != extracted)
                cr_assert_fail("bfe %x %u %u", base, offset, width);
            if (sc_bfi(base, insert, offset, width) != inserted)
                cr_assert_fail("bfi %x %x %u %u", base, insert, offset, width);
        }
    }
    cr_assert_eq(sc_bfe(0xFFFFFFFFu, 0x24, 0xFFFFFFE8u), 0xFF, "amounts are taken modulo 32");
}
