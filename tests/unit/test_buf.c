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

Test(buf, decimals_are_printed_as_by_the_c_library) {
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

Test(buf, joining_grows_the_buffer) {
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

/* ---- buf_printf ---- */

#define EXPECT_FORMAT(...)                                                                         \
    do {                                                                                           \
        char expected[400];                                                                        \
        buf b = {0};                                                                               \
        int length = snprintf(expected, sizeof expected, __VA_ARGS__);                             \
        buf_printf(&b, __VA_ARGS__);                                                               \
        cr_assert(!b.failed && b.data, "%s", #__VA_ARGS__);                                        \
        cr_expect_eq(b.size, (size_t)length, "%s", #__VA_ARGS__);                                  \
        cr_expect_str_eq((char *)b.data, expected, "%s", #__VA_ARGS__);                            \
        buf_free(&b);                                                                              \
    } while (0)

Test(buf, formats_texts_as_the_c_library_does) {
    static const char open[] = {'o', 'p', 'e', 'n'};
    EXPECT_FORMAT("nothing");
    EXPECT_FORMAT("%s", "");
    EXPECT_FORMAT("a%sb%sc%%d", "1", "two");
    EXPECT_FORMAT("%5s|%-5s|%5s|", "ab", "ab", "abcdefg");
    EXPECT_FORMAT("%*s|%*s|%-*s|", 5, "ab", -5, "ab", 5, "ab");
    EXPECT_FORMAT("%.2s|%.0s|%.9s|%7.2s|", "abc", "abc", "abc", "abc");
    EXPECT_FORMAT("%.*s|%.*s|", 4, open, 2, open);
    EXPECT_FORMAT("%.*s|", -1, "abc");
    EXPECT_FORMAT("%c%3c%-3c|", 'x', 'y', 'z');
}

Test(buf, formats_numbers_as_the_c_library_does) {
    static const int numbers[] = {0, 1, -1, 7, -42, 255, 65536, INT32_MAX, INT32_MIN};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        int n = numbers[k];
        unsigned u = (unsigned)n;
        EXPECT_FORMAT("%d %i %u %x %X", n, n, u, u, u);
        EXPECT_FORMAT("%5d|%-5d|%05d|%+d|% d|%.4d|%7.4d|%-7.4d|%+06d|", n, n, n, n, n, n, n, n, n);
        EXPECT_FORMAT("%04x|%02X|%8x|%-8x|%.6x|%*u|%0*u|%03u|", u, u, u, u, u, 4, u, 12, u, u);
        EXPECT_FORMAT("%hhu %hu", (unsigned char)3, (unsigned short)50000);
        EXPECT_FORMAT("%ld %lu %lx", (long)n, (unsigned long)u, (unsigned long)u);
        EXPECT_FORMAT("%lld %llu %llx %02llx", (long long)n, (unsigned long long)u,
                      (unsigned long long)u, (unsigned long long)u);
        EXPECT_FORMAT("%zu %zx", (size_t)u, (size_t)u);
        EXPECT_FORMAT("%" PRIu64 " %" PRId32 " %" PRIx64, (uint64_t)u << 32, n, (uint64_t)u << 32);
    }
    EXPECT_FORMAT("%lld %lld %llu %llx", (long long)INT64_MIN, (long long)INT64_MAX,
                  (unsigned long long)UINT64_MAX, (unsigned long long)UINT64_MAX);
}

Test(buf, formatting_grows_the_buffer) {
    char text[301];
    memset(text, 'a', 300);
    text[300] = '\0';
    EXPECT_FORMAT("%s%u", text, 7u);
    EXPECT_FORMAT("%300u%-60s|", 7u, text + 290);
}

/* Nothing may be left out in silence. */
Test(buf, fails_on_other_formats) {
    buf b = {0};
    buf_printf(&b, "%g", 1.0);
    cr_expect(b.failed);
    buf_free(&b);
}

Test(buf, blobs_are_freed_like_other_objects) {
    buf b = {0};
    wave_blob blob;
    buf_text(&b, "text");
    cr_expect_eq(buf_take(&b, &blob), WAVE_OK);
    wave_blob_free(&blob);
    cr_expect_null(blob.data);
    wave_blob_free(&blob);
    wave_blob_free(NULL);
}
