/* External text: UTF-8 by the rules of RFC 3629, and its printed forms. */
#include "base/text.h"

#include <criterion/criterion.h>

Test(text, utf8_sequences_are_decoded_strictly) {
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t code;
    } cases[] = {{"a", 1, 'a'},
                 {"\xC2\x80", 2, 0x80},
                 {"\xDF\xBF", 2, 0x7FF},
                 {"\xE0\xA0\x80", 3, 0x800},
                 {"\xED\x9F\xBF", 3, 0xD7FF},
                 {"\xEF\xBF\xBF", 3, 0xFFFF},
                 {"\xF0\x90\x80\x80", 4, 0x10000},
                 {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
                 {"\xC0\x80", 0, 0},         /* overlong */
                 {"\xE0\x9F\xBF", 0, 0},     /* overlong */
                 {"\xF0\x8F\xBF\xBF", 0, 0}, /* overlong */
                 {"\xED\xA0\x80", 0, 0},     /* a surrogate */
                 {"\xF4\x90\x80\x80", 0, 0}, /* above 10FFFF */
                 {"\xC3", 0, 0},             /* truncated */
                 {"\xE2\x82", 0, 0},
                 {"\x80", 0, 0},
                 {"\xFF", 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const uint8_t *s = (const uint8_t *)cases[k].bytes;
        size_t length = text_sequence(s, strlen(cases[k].bytes));
        cr_expect_eq(length, cases[k].length, "case %zu", k);
        if (length)
            cr_expect_eq(text_code(s, length), cases[k].code, "case %zu", k);
    }
}

static void expect(void (*form)(buf *, const char *), const char *text, const char *expected) {
    buf out = {0};
    form(&out, text);
    buf_char(&out, '\0');
    cr_expect_str_eq((char *)out.data, expected);
    buf_free(&out);
}

Test(text, printed_forms_are_escaped) {
    expect(text_visible, "na\xC3\xAFve \\ \"", "na\xC3\xAFve \\ \"");
    expect(text_visible, "\x1B[31m\n\t\x7F", "\\x1B[31m\\x0A\\x09\\x7F");
    expect(text_visible, "\xE2\x80\xAE\xE2\x81\xA6\xD8\x9C\xEF\xBB\xBF",
           "\\u{202E}\\u{2066}\\u{61C}\\u{FEFF}");
    expect(text_visible, "\xC2\x9B\xC2\xAD\xF3\xA0\x81\x81\xFF", "\\u{9B}\\u{AD}\\u{E0041}\\xFF");
    expect(text_ascii, "na\xC3\xAFve", "na\\u{EF}ve");
    expect(text_ascii,
           "a\\ \"b\" ?"
           "?/ ? \xFF",
           "a\\x5C \\x22b\\x22 \\x3F?/ ? \\xFF");
    expect(text_c_string, "a\"\\?\n\xC3\xAF", "\"a\\\"\\\\\\077\\012\\303\\257\"");
    expect(buf_json_string, "a\"\\\n\xC3\xAF", "\"a\\\"\\\\\\u000a\xC3\xAF\"");
    expect(buf_json_string, "\xE2\x80\xAE\xF3\xA0\x81\x81\xFF", "\"\\u202e\\udb40\\udc41\\ufffd\"");
    expect(buf_json_string, "\xEF\xBF\xBD", "\"\\ufffd\""); /* read back, it is printed as it was */
}
