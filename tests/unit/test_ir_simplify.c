/* The identities of the simplifier, one by one: the result of each expression, and cases that must
 * stay because of zeros, NaN or rounding. Derived from arithmetic, not from the pass. */
#include "ir/opt.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

typedef struct rule {
    const char *before, *after; /* the last line defines the value stored; after NULL: unchanged */
    const char *stored_before, *stored_after;
} rule;

static void check_rules(const rule *rules, size_t count) {
    for (size_t k = 0; k < count; k++) {
        char before[500], after[500];
        snprintf(before, sizeof before, "%sstore(device, 4, +0) arg7, %s\nhalt\n", rules[k].before,
                 rules[k].stored_before);
        if (!rules[k].after) {
            ir_check_same(ir_opt_simplify, before);
            continue;
        }
        snprintf(after, sizeof after, "%sstore(device, 4, +0) arg7, %s\nhalt\n", rules[k].after,
                 rules[k].stored_after);
        ir_check(ir_opt_simplify, before, after);
    }
}

#define CHECK(rules) check_rules(rules, sizeof(rules) / sizeof *(rules))

Test(ir_simplify, integer_identities_hold) {
    static const rule rules[] = {
        {"%1:u32 = udiv arg0, 0x8:u32\n", "%1:u32 = shr arg0, 0x3:u32\n", "%1", "%1"},
        {"%1:u32 = udiv arg0, 0x1:u32\n", "", "%1", "arg0"},
        {"%1:u32 = udiv arg0, 0x6:u32\n", NULL, "%1", NULL},
        {"%1:u32 = umod arg0, 0x8:u32\n", "%1:u32 = and arg0, 0x7:u32\n", "%1", "%1"},
        {"%1:u32 = umod arg0, 0x6:u32\n", NULL, "%1", NULL},
        {"%1:u32 = idiv arg0, 0x1:u32\n", "", "%1", "arg0"},
        {"%1:u32 = idiv arg0, 0x8:u32\n", NULL, "%1", NULL}, /* rounds to zero, a shift does not */
        {"%1:u32 = imul arg0, 0x0:u32\n", "", "%1", "0x0:u32"},
        {"%1:u32 = imul 0x1:u32, arg0\n", "", "%1", "arg0"},
        {"%1:u32 = imul arg0, 0x80000000:u32\n", "%1:u32 = shl arg0, 0x1F:u32\n", "%1", "%1"},
        {"%1:u32 = isub arg0, arg0\n", "", "%1", "0x0:u32"},
        {"%1:u32 = isub arg0, 0x5:u32\n", "%1:u32 = iadd arg0, 0xFFFFFFFB:u32\n", "%1", "%1"},
        {"%1:u32 = and arg0, arg0\n", "", "%1", "arg0"},
        {"%1:u32 = and arg0, 0xFFFFFFFF:u32\n", "", "%1", "arg0"},
        {"%1:u32 = and arg0, 0x0:u32\n", "", "%1", "0x0:u32"},
        {"%1:u32 = or arg0, 0x0:u32\n", "", "%1", "arg0"},
        {"%1:u32 = or arg0, 0xFFFFFFFF:u32\n", "", "%1", "0xFFFFFFFF:u32"},
        {"%1:u32 = xor arg0, arg0\n", "", "%1", "0x0:u32"},
        {"%1:u32 = xor arg0, 0x0:u32\n", "", "%1", "arg0"},
        {"%1:u32 = shl arg0, 0x20:u32\n", "", "%1", "arg0"}, /* amounts are modulo 32 */
        {"%1:u32 = sar arg0, 0x0:u32\n", "", "%1", "arg0"},
        {"%1:u32 = imin arg0, arg0\n", "", "%1", "arg0"},
        {"%1:u32 = umax arg0, arg0\n", "", "%1", "arg0"},
    };
    CHECK(rules);
}

/* The same for 64 bits. Both halves of the value are stored. */
#define PAIR     "%1:u64 = pack64 arg0, arg1\n"
#define HALVES   "%3:u32 = lo64 %2\n%4:u32 = hi64 %2\nstore(device, 8, +0) arg7, %3, %4\nhalt\n"
#define SAME     "store(device, 8, +0) arg7, arg0, arg1\nhalt\n"
#define IS(c, d) "store(device, 8, +0) arg7, " c ":u32, " d ":u32\nhalt\n"

static bool simplify_twice(ir_func *f) { /* the second run simplifies the new halves */
    bool changed = ir_opt_simplify(f);
    return ir_opt_simplify(f) || changed;
}

Test(ir_simplify, identities_of_64_bits_hold) {
    static const struct {
        const char *op, *after;
    } rules[] = {
        {"ladd %1, 0x0:u64", SAME},
        {"ladd 0x0:u64, %1", SAME},
        {"lsub %1, 0x0:u64", SAME},
        {"lsub %1, %1", IS("0x0", "0x0")},
        {"lsub %1, 0x1:u64", PAIR "%2:u64 = ladd %1, 0xFFFFFFFFFFFFFFFF:u64\n" HALVES},
        {"lmul %1, 0x1:u64", SAME},
        {"lmul 0x0:u64, %1", IS("0x0", "0x0")},
        {"lmul %1, 0x8000000000000000:u64", PAIR "%2:u64 = lshl %1, 0x3F:u32\n" HALVES},
        {"lmul %1, 0x6:u64", NULL},
        {"lmul_hi %1, 0x1:u64", IS("0x0", "0x0")},
        {"ludiv %1, 0x100000000:u64", PAIR "%2:u64 = lshr %1, 0x20:u32\n" HALVES},
        {"ludiv %1, 0x1:u64", SAME},
        {"ludiv %1, 0x0:u64", NULL}, /* only operations on constants are computed */
        {"ldiv %1, 0x1:u64", SAME},
        {"ldiv %1, 0x8:u64", NULL}, /* rounds to zero, a shift does not */
        {"lmod %1, 0x1:u64", IS("0x0", "0x0")},
        {"lumod %1, 0x1:u64", IS("0x0", "0x0")},
        {"lshl %1, 0x40:u32", SAME}, /* amounts are modulo 64 */
        {"lshr %1, 0x20:u32", NULL},
        {"lsar %1, 0x0:u32", SAME},
        {"lmul_hi 0xFFFFFFFFFFFFFFFF:u64, 0xFFFFFFFFFFFFFFFF:u64", IS("0xFFFFFFFE", "0xFFFFFFFF")},
        {"ldiv 0x8000000000000000:u64, 0xFFFFFFFFFFFFFFFF:u64", IS("0x0", "0x80000000")},
        {"lmod 0xFFFFFFFFFFFFFFF9:u64, 0x4:u64", IS("0xFFFFFFFD", "0xFFFFFFFF")},
        {"ludiv 0x5:u64, 0x0:u64", IS("0x0", "0x0")},
        {"lsar 0x8000000000000000:u64, 0x44:u32", IS("0x0", "0xF8000000")},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        char before[400];
        snprintf(before, sizeof before, "%s%%2:u64 = %s\n%s", PAIR, rules[k].op, HALVES);
        if (!rules[k].after)
            ir_check_same(simplify_twice, before);
        else
            ir_check(simplify_twice, before, rules[k].after);
    }
}

#define PICK "%3:u32 = select %2, arg2, arg3\n"

/* A condition and its opposite. For floats, less and greater have none, because of NaN. */
Test(ir_simplify, negated_compares_become_their_opposite) {
    static const char *const pairs[][2] = {{"icmp_eq", "icmp_ne"},
                                           {"icmp_lt", "icmp_ge"},
                                           {"icmp_gt", "icmp_le"},
                                           {"ucmp_lt", "ucmp_ge"},
                                           {"ucmp_gt", "ucmp_le"}};
    static const char *const wide[][2] = {{"lcmp_eq", "lcmp_ne"},
                                          {"lcmp_lt", "lcmp_ge"},
                                          {"lcmp_gt", "lcmp_le"},
                                          {"lucmp_lt", "lucmp_ge"},
                                          {"lucmp_gt", "lucmp_le"}};
    char before[300], after[300];
    for (size_t k = 0; k < 2 * (sizeof wide / sizeof *wide); k++) {
        const char *from = wide[k / 2][k % 2], *to = wide[k / 2][1 - k % 2];
        static const char pair[] = "%1:u64 = pack64 arg0, arg1\n%2:u64 = pack64 arg1, arg0\n";
        snprintf(before, sizeof before,
                 "%s%%3:bool = %s %%1, %%2\n%%4:bool = bnot %%3\n"
                 "%%5:u32 = select %%4, arg2, arg3\n",
                 pair, from);
        snprintf(after, sizeof after,
                 "%s%%3:bool = %s %%1, %%2\n%%4:u32 = select %%3, arg2, arg3\n", pair, to);
        check_rules(&(rule){before, after, "%5", "%4"}, 1);
    }
    for (size_t k = 0; k < 2 * (sizeof pairs / sizeof *pairs); k++) {
        const char *from = pairs[k / 2][k % 2], *to = pairs[k / 2][1 - k % 2];
        snprintf(before, sizeof before, "%%1:bool = %s arg0, arg1\n%%2:bool = bnot %%1\n%s", from,
                 PICK);
        snprintf(after, sizeof after,
                 "%%1:bool = %s arg0, arg1\n%%2:u32 = select %%1, arg2, arg3\n", to);
        check_rules(&(rule){before, after, "%3", "%2"}, 1);
    }
}

#define X "%1:f32 = bitcast arg0\n%2:f32 = bitcast arg1\n"

Test(ir_simplify, float_compares_with_an_opposite_are_negated) {
    static const rule rules[] = {
        {X "%3:bool = fcmp_eq %1, %2\n%4:bool = bnot %3\n%5:u32 = select %4, arg2, arg3\n",
         X "%3:bool = fcmp_ne %1, %2\n%4:u32 = select %3, arg2, arg3\n", "%5", "%4"},
        {X "%3:bool = fcmp_ne %1, %2\n%4:bool = bnot %3\n%5:u32 = select %4, arg2, arg3\n",
         X "%3:bool = fcmp_eq %1, %2\n%4:u32 = select %3, arg2, arg3\n", "%5", "%4"},
        {X "%3:bool = fcmp_ord %1, %2\n%4:bool = bnot %3\n%5:u32 = select %4, arg2, arg3\n",
         X "%3:bool = fcmp_unord %1, %2\n%4:u32 = select %3, arg2, arg3\n", "%5", "%4"},
        {X "%3:bool = fcmp_unord %1, %2\n%4:bool = bnot %3\n%5:u32 = select %4, arg2, arg3\n",
         X "%3:bool = fcmp_ord %1, %2\n%4:u32 = select %3, arg2, arg3\n", "%5", "%4"},
        {X "%3:bool = fcmp_lt %1, %2\n%4:bool = bnot %3\n%5:u32 = select %4, arg2, arg3\n",
         X "%3:bool = fcmp_lt %1, %2\n%4:u32 = select %3, arg3, arg2\n", "%5", "%4"},
    };
    CHECK(rules);
}

Test(ir_simplify, boolean_identities_hold) {
    static const rule rules[] = {
        {"%1:bool = icmp_lt arg0, arg1\n%2:bool = bxor %1, false\n" PICK,
         "%1:bool = icmp_lt arg0, arg1\n%2:u32 = select %1, arg2, arg3\n", "%3", "%2"},
        {"%1:bool = icmp_lt arg0, arg1\n%2:bool = band %1, true\n" PICK,
         "%1:bool = icmp_lt arg0, arg1\n%2:u32 = select %1, arg2, arg3\n", "%3", "%2"},
        {"%1:bool = icmp_lt arg0, arg1\n%2:bool = band %1, false\n" PICK, "", "%3", "arg3"},
        {"%1:bool = icmp_lt arg0, arg1\n%2:bool = bor %1, true\n" PICK, "", "%3", "arg2"},
        {"%1:bool = icmp_lt arg0, arg1\n%2:bool = bor false, %1\n" PICK,
         "%1:bool = icmp_lt arg0, arg1\n%2:u32 = select %1, arg2, arg3\n", "%3", "%2"},
        {"%1:bool = bor true, false\n%2:bool = bxor %1, true\n" PICK, "", "%3", "arg3"},
        {"%1:bool = icmp_lt arg0, arg1\n%2:u32 = select %1, arg2, arg2\n", "", "%2", "arg2"},
        {"%1:bool = icmp_le arg0, arg0\n%2:bool = band %1, true\n" PICK, "", "%3", "arg2"},
        {"%1:bool = ucmp_gt arg0, arg0\n%2:bool = band %1, true\n" PICK, "", "%3", "arg3"},
    };
    CHECK(rules);
}

#define F "%1:f32 = bitcast arg0\n"

Test(ir_simplify, float_identities_hold) {
    static const rule rules[] = {
        {F "%2:f32 = fdiv %1, 0x40000000:f32\n", F "%2:f32 = fmul %1, 0x3F000000:f32\n", "%2",
         "%2"},
        {F "%2:f32 = fdiv %1, 0xC1000000:f32\n", F "%2:f32 = fmul %1, 0xBE000000:f32\n", "%2",
         "%2"},
        {F "%2:f32 = fdiv %1, 0x3F800000:f32\n", F, "%2", "%1"},
        {F "%2:f32 = fdiv %1, 0x40400000:f32\n", NULL, "%2", NULL},
        {F "%2:f32 = fdiv %1, 0x800000:f32\n", NULL, "%2", NULL}, /* 2^126 is not its reciprocal */
        {F "%2:f32 = fdiv %1, 0x7F000000:f32\n", NULL, "%2",
         NULL}, /* its reciprocal is subnormal */
        {F "%2:f32 = fdiv %1, 0x0:f32\n", NULL, "%2", NULL},
        {F "%2:f32 = fadd %1, 0x80000000:f32\n", F, "%2", "%1"},
        {F "%2:f32 = fadd %1, 0x0:f32\n", NULL, "%2", NULL}, /* -0 + 0 is +0 */
        {F "%2:f32 = fsub %1, 0x0:f32\n", F, "%2", "%1"},
        {F "%2:f32 = fsub %1, 0x80000000:f32\n", NULL, "%2", NULL},
        {F "%2:f32 = fmul 0x3F800000:f32, %1\n", F, "%2", "%1"},
        {F "%2:f32 = fmul %1, 0x0:f32\n", NULL, "%2", NULL}, /* NaN, infinity, -0 */
        {F "%2:f32 = fneg %1\n%3:f32 = fneg %2\n", F, "%3", "%1"},
        {F "%2:f32 = fabs %1\n%3:f32 = fabs %2\n", F "%2:f32 = fabs %1\n", "%3", "%2"},
        {F "%2:f32 = fneg %1\n%3:f32 = fabs %2\n", F "%2:f32 = fabs %1\n", "%3", "%2"},
        {"%1:f32 = fsin 0x0:f32\n", "", "%1", "0x0:f32"},
        {"%1:f32 = fcos 0x0:f32\n", "", "%1", "0x3F800000:f32"},
        {"%1:f32 = fexp2 0x40400000:f32\n", "", "%1", "0x41000000:f32"},
        {"%1:f32 = flog2 0x41000000:f32\n", "", "%1", "0x40400000:f32"},
    };
    CHECK(rules);
}

Test(ir_simplify, packing_and_unpacking_cancel) {
    static const rule rules[] = {
        {"%1:f16 = low16 arg0\n%2:u32 = zext16 %1\n", "%1:u32 = and arg0, 0xFFFF:u32\n", "%2",
         "%1"},
        {"%1:f16 = low16 0x12345:u32\n%2:u32 = zext16 %1\n", "", "%2", "0x2345:u32"},
        {"%1:u32 = and arg0, 0xFFFF:u32\n%2:f16 = low16 %1\n%3:f16 = hadd %2, %2\n%4:u32 = zext16 "
         "%3\n",
         "%1:f16 = low16 arg0\n%2:f16 = hadd %1, %1\n%3:u32 = zext16 %2\n", "%4", "%3"},
        {"%1:f16 = low16 arg0\n%2:f16 = hadd %1, %1\n%3:u32 = zext16 %2\n%4:f16 = low16 %3\n"
         "%5:f16 = hadd %4, %1\n%6:u32 = zext16 %5\n",
         "%1:f16 = low16 arg0\n%2:f16 = hadd %1, %1\n%3:f16 = hadd %2, %1\n%4:u32 = zext16 %3\n",
         "%6", "%4"},
        {"%1:u64 = pack64 arg0, arg1\n%2:u32 = lo64 %1\n", "", "%2", "arg0"},
        {"%1:u64 = pack64 arg0, arg1\n%2:u32 = hi64 %1\n", "", "%2", "arg1"},
        {"%1:f32 = bitcast arg0\n%2:u32 = bitcast %1\n", "", "%2", "arg0"},
    };
    CHECK(rules);
}

/* Known bits decide divisions and bounds. */
Test(ir_simplify, known_bits_simplify_divisions_and_bounds) {
    static const char small[] = "%1:u32 = and arg0, 0x3F:u32\n";
    static const struct {
        const char *op, *stored;
    } cases[] = {{"udiv %1, 0x40:u32", "0x0:u32"}, {"umod %1, 0x40:u32", "%1"},
                 {"umin %1, 0x3F:u32", "%1"},      {"umax %1, 0x3F:u32", "0x3F:u32"},
                 {"imin %1, 0x40:u32", "%1"},      {"imax %1, 0x100:u32", "0x100:u32"},
                 {"idiv %1, 0x64:u32", "0x0:u32"}, {"imod %1, 0x64:u32", "%1"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char before[200], after[200];
        bool kept = cases[k].stored[0] == '%';
        snprintf(before, sizeof before, "%s%%2:u32 = %s\nstore(device, 4, +0) arg7, %%2\nhalt\n",
                 small, cases[k].op);
        snprintf(after, sizeof after, "%sstore(device, 4, +0) arg7, %s\nhalt\n", kept ? small : "",
                 cases[k].stored);
        ir_check(ir_opt_bits, before, after);
    }
}

/* For 64 bits too: a word with a zero upper half. */
Test(ir_simplify, known_bits_of_pairs_simplify) {
    static const char word[] = "%1:u64 = pack64 arg0, 0x0:u32\n";
    static const struct {
        const char *op, *stored;
    } cases[] = {
        {"%2:u32 = hi64 %1\n", "0x0:u32"},
        {"%2:u64 = ladd %1, %1\n%3:u64 = lshr %2, 0x1:u32\n%4:u32 = hi64 %3\n", "0x0:u32"},
        {"%2:u64 = ludiv %1, 0x100000000:u64\n%3:u32 = hi64 %2\n", "0x0:u32"},
        {"%2:u64 = lmul_hi %1, %1\n%3:u32 = hi64 %2\n", "0x0:u32"},
        {"%2:bool = lucmp_lt %1, 0x100000000:u64\n%3:u32 = select %2, arg2, arg3\n", "arg2"},
        {"%2:bool = lcmp_ge %1, 0x100000000:u64\n%3:u32 = select %2, arg2, arg3\n", "arg3"},
        {"%2:bool = lcmp_eq %1, 0x100000000:u64\n%3:u32 = select %2, arg2, arg3\n", "arg3"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char before[300], after[300];
        const char *last = NULL;
        for (const char *at = cases[k].op; (at = strstr(at, "%")); at++)
            if (at == cases[k].op || at[-1] == '\n')
                last = at;
        snprintf(before, sizeof before, "%s%sstore(device, 4, +0) arg7, %.2s\nhalt\n", word,
                 cases[k].op, last);
        snprintf(after, sizeof after, "store(device, 4, +0) arg7, %s\nhalt\n", cases[k].stored);
        ir_check(ir_opt_bits, before, after);
    }
}

/* The ballot of a wave of 32 lanes has no upper half. */
Test(ir_simplify, a_ballot_of_32_lanes_has_no_upper_half) {
    ir_check(ir_opt_bits,
             "%1:token = token\n"
             "%2:bool = icmp_eq arg0, arg1\n"
             "%3:u64 = wave_ballot64 %1, %2\n"
             "%4:u32 = hi64 %3\n"
             "store(device, 4, +0) arg0, %4\n"
             "halt\n",
             "store(device, 4, +0) arg0, 0x0:u32\n"
             "halt\n");
}

/* A negative pair is a large unsigned one, and a sum of two may not fit. */
Test(ir_simplify, arbitrary_pairs_are_not_simplified) {
    ir_check_same(ir_opt_bits, "%1:u64 = pack64 arg0, arg1\n%2:bool = lcmp_lt %1, 0x5:u64\n"
                               "%3:u32 = select %2, arg2, arg3\n"
                               "%4:u64 = lsar %1, 0x4:u32\n%5:u64 = ldiv %1, 0x10:u64\n"
                               "%6:u64 = ladd %4, %5\n%7:u32 = hi64 %6\n"
                               "store(device, 8, +0) arg7, %3, %7\nhalt\n");
    ir_check_same(ir_opt_bits, "%1:u64 = pack64 arg0, 0x0:u32\n%2:u64 = ladd %1, %1\n"
                               "%3:u32 = hi64 %2\nstore(device, 4, +0) arg7, %3\nhalt\n");
    ir_check(ir_opt_bits,
             "%1:u64 = pack64 arg0, 0x0:u32\n%2:u64 = lsar %1, 0x4:u32\n"
             "%3:u64 = ldiv %1, 0x10:u64\n%4:u64 = ladd %2, %3\n%5:u32 = lo64 %4\n"
             "store(device, 4, +0) arg7, %5\nhalt\n",
             "%1:u64 = pack64 arg0, 0x0:u32\n%2:u64 = lshr %1, 0x4:u32\n"
             "%3:u64 = lshr %1, 0x4:u32\n%4:u64 = ladd %2, %3\n%5:u32 = lo64 %4\n"
             "store(device, 4, +0) arg7, %5\nhalt\n");
}

/* A difference of multiples of 4 may be negative, however small they are. */
Test(ir_simplify, a_difference_of_aligned_pairs_has_an_upper_half) {
    ir_check_same(ir_opt_bits, "%1:u32 = shl arg0, 0x2:u32\n%2:u64 = pack64 %1, 0x0:u32\n"
                               "%3:u32 = shl arg1, 0x2:u32\n%4:u64 = pack64 %3, 0x0:u32\n"
                               "%5:u64 = lsub %2, %4\n%6:u64 = ladd %5, 0x3:u64\n"
                               "%7:u32 = hi64 %6\nstore(device, 4, +0) arg7, %7\nhalt\n");
}

/* A bound of an unsigned number implies nothing about a negative one. */
Test(ir_simplify, bounds_are_not_signed) {
    static const char *const compares[] = {"icmp_lt", "icmp_le", "icmp_gt", "icmp_ge"};
    for (size_t k = 0; k < 4; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "%%1:u32 = and arg0, 0x3F:u32\n%%2:bool = %s %%1, 0xFFFFFFFF:u32\n"
                 "%%3:u32 = select %%2, arg2, arg3\nstore(device, 4, +0) arg7, %%3\nhalt\n",
                 compares[k]);
        ir_check_same(ir_opt_bits, text);
    }
    ir_check(ir_opt_bits,
             "%1:u32 = and arg0, 0x3F:u32\n%2:bool = icmp_lt %1, 0x40:u32\n"
             "%3:u32 = select %2, arg2, arg3\nstore(device, 4, +0) arg7, %3\nhalt\n",
             "store(device, 4, +0) arg7, arg2\nhalt\n");
}

/* Memory has no types: a value is stored with the type it was computed in. */
Test(ir_simplify, stores_need_no_cast) {
    ir_check(ir_opt_types,
             "%1:f32 = bitcast arg0\n%2:f32 = fadd %1, %1\n%3:u32 = bitcast %2\n"
             "store(device, 4, +0) arg7, %3\nhalt\n",
             "%1:f32 = bitcast arg0\n%2:f32 = fadd %1, %1\nstore(device, 4, +0) arg7, %2\nhalt\n");
}

/* A compare of a choice between two constants. */
Test(ir_simplify, comparing_a_choice_of_constants_yields_the_condition) {
    ir_check(ir_opt_simplify,
             "%1:bool = icmp_lt arg0, arg1\n"
             "%2:u32 = select %1, 0x7:u32, 0x9:u32\n"
             "%3:bool = icmp_ne %2, 0x9:u32\n"
             "%4:bool = ucmp_gt %2, 0x8:u32\n"
             "%5:bool = icmp_eq %2, 0x5:u32\n"
             "%6:u32 = select %3, arg2, arg3\n"
             "%7:u32 = select %4, arg2, %6\n"
             "%8:u32 = select %5, arg4, %7\n"
             "store(device, 4, +0) arg5, %8\n"
             "halt\n",
             "%1:bool = icmp_lt arg0, arg1\n"
             "%2:bool = icmp_ge arg0, arg1\n"
             "%3:u32 = select %1, arg2, arg3\n"
             "%4:u32 = select %2, arg2, %3\n"
             "store(device, 4, +0) arg5, %4\n"
             "halt\n");
}

/* A choice of predicates with one constant side is an or or an and. */
Test(ir_simplify, a_choice_of_a_predicate_and_a_constant_is_logical) {
    ir_check(ir_opt_simplify,
             "%1:bool = icmp_eq arg0, arg1\n"
             "%2:bool = ucmp_lt arg2, arg3\n"
             "%3:bool = select %1, false, %2\n"
             "%4:bool = select %2, %1, true\n"
             "%5:u32 = select %3, arg0, arg1\n"
             "%6:u32 = select %4, arg2, %5\n"
             "store(device, 4, +0) arg5, %6\n"
             "halt\n",
             "%1:bool = icmp_eq arg0, arg1\n"
             "%2:bool = ucmp_lt arg2, arg3\n"
             "%3:bool = icmp_ne arg0, arg1\n"
             "%4:bool = band %3, %2\n"
             "%5:bool = ucmp_ge arg2, arg3\n"
             "%6:bool = bor %5, %1\n"
             "%7:u32 = select %4, arg0, arg1\n"
             "%8:u32 = select %6, arg2, %7\n"
             "store(device, 4, +0) arg5, %8\n"
             "halt\n");
}

/* A sum with a multiple of 64 changes none of the low bits that a mask below 64 keeps. */
Test(ir_simplify, a_mask_of_low_bits_ignores_higher_summands) {
    ir_check(ir_opt_simplify,
             "%1:u32 = iadd arg0, 0x40:u32\n"
             "%2:u32 = and %1, 0x3F:u32\n"
             "%3:u32 = and %1, 0x40:u32\n"
             "%4:u32 = and %1, 0x41:u32\n"
             "%5:u32 = iadd arg0, 0xFFFFFFF0:u32\n"
             "%6:u32 = and %5, 0x5:u32\n"
             "store(device, 16, +0) arg5, %2, %3, %4, %6\n"
             "halt\n",
             "%1:u32 = iadd arg0, 0x40:u32\n"
             "%2:u32 = and arg0, 0x3F:u32\n"
             "%3:u32 = and %1, 0x40:u32\n"
             "%4:u32 = and %1, 0x41:u32\n"
             "%5:u32 = and arg0, 0x5:u32\n"
             "store(device, 16, +0) arg5, %2, %3, %4, %5\n"
             "halt\n");
}
