/* Constants of the C family read back as the same bits: floats through strtof and strtod, halves
 * through the float they are made of, whatever locale is set while they are printed. */
#include "emit/c_printer.h"

#include "base/scalar_f16.h"
#include "support/random.h"

#include <criterion/criterion.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const char *const bitcasts[IR_TYPE_COUNT][IR_TYPE_COUNT] = {
    [IR_F32] = {[IR_U32] = "f32($0)"},
    [IR_F64] = {[IR_U64] = "f64($0)"},
    [IR_F16] = {[IR_U32] = "f16($0)"},
};
static const c_target target = {.half = "half(", .bitcasts = bitcasts};

static buf out;
static c_printer printer = {.t = &target, .out = &out};

static const char *print(ir_type type, uint64_t bits, unsigned level) {
    out.size = 0;
    c_literal(&printer, type, bits, level);
    buf_char(&out, '\0');
    cr_assert(!out.failed);
    return (const char *)out.data;
}

/* The text after a prefix; NULL if it does not begin with the prefix. */
static const char *after_prefix(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0 ? text + strlen(start) : NULL;
}

/* strtof uses the locale's decimal point, so reading happens in the C locale. */
static locale_t plain;

static double read_number(const char *text, const char *end_wanted, bool is_float) {
    char *end;
    locale_t before = uselocale(plain);
    double value = is_float ? (double)strtof(text, &end) : strtod(text, &end);
    uselocale(before);
    cr_assert_str_eq(end, end_wanted, "%s", text);
    /* A decimal point or an exponent: otherwise C++ reads an integer. */
    cr_assert(strpbrk(text, ".e"), "%s", text);
    return value;
}

static void check_f32(uint32_t bits) {
    const char *text = print(IR_F32, bits, C_ANY), *cast = after_prefix(text, "f32(");
    uint32_t got;
    if (cast) {
        uint32_t magnitude = bits & 0x7FFFFFFF;
        cr_assert(magnitude >= 0x7F800000 || magnitude < 0x800000, "%s for a number", text);
        got = (uint32_t)strtoul(cast, NULL, 0);
    } else {
        float value = (float)read_number(text, "f", true);
        memcpy(&got, &value, sizeof got);
    }
    cr_assert_eq(got, bits, "%08x is printed as %s", bits, text);
}

static void check_f64(uint64_t bits) {
    const char *text = print(IR_F64, bits, C_ANY), *cast = after_prefix(text, "f64(");
    uint64_t got;
    if (cast) {
        cr_assert((bits & ~(UINT64_C(1) << 63)) >= UINT64_C(0x7FF0000000000000), "%s", text);
        got = strtoull(cast, NULL, 0);
    } else {
        double value = read_number(text, "", false);
        memcpy(&got, &value, sizeof got);
    }
    cr_assert_eq(got, bits, "%016llx is printed as %s", (unsigned long long)bits, text);
}

/* half(…f): the float must equal the half exactly, so that the conversion does not round. */
static void check_f16(uint32_t bits) {
    const char *text = print(IR_F16, bits, C_ANY), *cast = after_prefix(text, "f16(");
    if (cast) {
        cr_assert((bits & 0x7FFF) >= 0x7C00, "%s for a number", text);
        cr_assert_eq(strtoul(cast, NULL, 0), bits, "%04x is printed as %s", bits, text);
        return;
    }
    const char *number = after_prefix(text, *text == '-' ? "-half(" : "half(");
    cr_assert(number, "%s", text);
    float value = (float)read_number(number, "f)", true);
    uint32_t back;
    memcpy(&back, &value, sizeof back);
    back |= *text == '-' ? 0x80000000u : 0;
    cr_assert_eq(sc_cvt_f32_f16(bits), back, "%04x is printed as %s", bits, text);
}

static void check_many(unsigned random) {
    uint64_t state = 1;
    for (unsigned k = 0; k < random; k++)
        check_f32((uint32_t)(random_next(&state) >> 32));
    for (unsigned k = 0; k < random / 4; k++)
        check_f64(random_next(&state));
    for (uint32_t exponent = 0; exponent < 256; exponent++)
        for (int near = -2; near <= 2; near++) {
            check_f32((exponent << 23) + (uint32_t)near);
            check_f32((exponent << 23 | 0x80000000u) + (uint32_t)near);
        }
    for (uint64_t exponent = 0; exponent < 2048; exponent++)
        for (int near = -2; near <= 2; near++)
            check_f64((exponent << 52) + (uint64_t)near);
    for (uint32_t bits = 0; bits < 2000; bits++) /* subnormals and the first normals */
        check_f32(bits);
    for (unsigned k = 0; k < random / 100; k++)
        check_f32((uint32_t)(random_next(&state) >> 41)); /* any subnormal */
    /* Decimals that people write. */
    for (int k = -2000; k <= 2000; k++) {
        float value = (float)k / 100;
        double wide = k / 100.0;
        uint32_t bits;
        uint64_t wide_bits;
        memcpy(&bits, &value, sizeof bits);
        memcpy(&wide_bits, &wide, sizeof wide_bits);
        check_f32(bits);
        check_f64(wide_bits);
    }
    for (uint32_t bits = 0; bits < 65536; bits++)
        check_f16(bits);
}

static void begin(void) {
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    cr_assert(plain);
}

static void end(void) {
    freelocale(plain);
    buf_free(&out);
}

TestSuite(c_literal, .init = begin, .fini = end);

Test(c_literal, numbers_read_back_as_the_same_bits) {
    check_many(1000000);
}

Test(c_literal, the_locale_does_not_matter) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                        "ru_RU.UTF-8", "de_DE",      "nl_NL.UTF-8"};
    bool any = false;
    for (unsigned k = 0; k < sizeof names / sizeof *names && !any; k++)
        any = setlocale(LC_ALL, names[k]) && strcmp(localeconv()->decimal_point, ".") != 0;
    if (!any)
        cr_skip_test("no locale with another decimal point is installed");
    check_many(10000);
    setlocale(LC_ALL, "C");
}

Test(c_literal, numbers_are_printed_in_their_shortest_form) {
    cr_expect_str_eq(print(IR_F32, 0x3F800000, C_ANY), "1.0f");
    cr_expect_str_eq(print(IR_F32, 0x3DCCCCCD, C_ANY), "0.1f");
    cr_expect_str_eq(print(IR_F32, 0xC0490FDB, C_ANY), "-3.1415927f");
    cr_expect_str_eq(print(IR_F32, 0xC0490FDB, C_POSTFIX), "(-3.1415927f)");
    cr_expect_str_eq(print(IR_F32, 0x80000000, C_ANY), "-0.0f");
    cr_expect_str_eq(print(IR_F32, 0x4F000000, C_ANY), "2147483648.0f");
    cr_expect_str_eq(print(IR_F32, 0x7F800000, C_ANY), "f32(0x7F800000u)");
    cr_expect_str_eq(print(IR_F32, 25339, C_ANY), "f32(25339u)");
    cr_expect_str_eq(print(IR_F32, 0x3727C5AC, C_ANY), "1e-5f");
    cr_expect_str_eq(print(IR_F32, 0xB727C5AC, C_ANY), "-1e-5f");
    cr_expect_str_eq(print(IR_F32, 0x38D1B717, C_ANY), "1e-4f");
    cr_expect_str_eq(print(IR_F32, 0x3A83126F, C_ANY), "1e-3f");
    cr_expect_str_eq(print(IR_F32, 0x3391CAEC, C_ANY), "6.789e-8f");
    cr_expect_str_eq(print(IR_F64, 0x3FF8000000000000, C_ANY), "1.5");
    cr_expect_str_eq(print(IR_F64, 0x4059200000000000, C_ANY), "100.5");
    cr_expect_str_eq(print(IR_F64, 0x3FC0000000000000, C_ANY), "0.125");
    cr_expect_str_eq(print(IR_F16, 0x3C00, C_ANY), "half(1.0f)");
    cr_expect_str_eq(print(IR_U32, 65536, C_ANY), "65536u");
    cr_expect_str_eq(print(IR_U32, 0xFFFFFFFF, C_ANY), "0xFFFFFFFFu");
    cr_expect_str_eq(print(IR_U64, 1, C_ANY), "1ull");
    cr_expect_str_eq(print(IR_BOOL, 1, C_ANY), "true");
}
