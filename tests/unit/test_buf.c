/* Growing text: numbers as the C library prints them, and concatenated texts. */
#include "base/buf.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

static void expect_decimal(uint64_t value) {
    char expected[32];
    buf b = {0};
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    buf_decimal(&b, value);
    buf_char(&b, '\0');
    cr_expect_str_eq((char *)b.data, expected);
    buf_free(&b);
}

Test(buf, decimals) {
    for (uint64_t power = 1;; power *= 10) {
        expect_decimal(power - 1);
        expect_decimal(power);
        expect_decimal(power + 1);
        if (power > UINT64_MAX / 10)
            break;
    }
    for (unsigned k = 0; k < 1000; k++)
        expect_decimal(k);
    expect_decimal(UINT32_MAX);
    expect_decimal((uint64_t)UINT32_MAX + 1);
    expect_decimal(UINT64_MAX);
}

static void expect_joined(const char *first, const char *second, const char *both) {
    buf to = {0}, from = {0};
    buf_text(&to, first);
    buf_text(&from, second);
    buf_join(&to, &from);
    cr_expect_eq(from.size, 0);
    cr_expect_null(from.data);
    buf_char(&to, '\0');
    cr_expect(!to.failed);
    cr_expect_str_eq((char *)to.data, both);
    buf_free(&to);
}

Test(buf, joins_whichever_is_longer) {
    expect_joined("", "", "");
    expect_joined("", "abc", "abc");
    expect_joined("abc", "", "abc");
    expect_joined("ab", "cdefg", "abcdefg");
    expect_joined("abcde", "fg", "abcdefg");
}

Test(buf, joins_what_does_not_fit) {
    buf to = {0}, from = {0};
    buf_fill(&to, 'a', 100);
    buf_fill(&from, 'b', 256); /* exactly its capacity */
    buf_join(&to, &from);
    cr_assert_eq(to.size, 356);
    for (unsigned k = 0; k < 356; k++)
        cr_assert_eq(to.data[k], k < 100 ? 'a' : 'b');
    buf_free(&to);
}

Test(buf, joining_passes_failure_on) {
    buf to = {0}, from = {.failed = true};
    buf_text(&to, "ab");
    buf_join(&to, &from);
    cr_expect(to.failed);
    buf_free(&to);
}
