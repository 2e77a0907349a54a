/* UTF-8, and the forms in which untrusted text is printed. */
#include "base/text.h"

size_t text_sequence(const uint8_t *s, size_t left) {
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || left < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xED && s[1] >= 0xA0;
    bool too_large = s[0] == 0xF4 && s[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

bool text_is_utf8(const char *text, size_t length) {
    for (size_t i = 0, step; i < length; i += step) {
        step = text_sequence((const uint8_t *)text + i, length - i);
        if (step == 0)
            return false;
    }
    return true;
}

uint32_t text_code(const uint8_t *s, size_t length) {
    uint32_t code = length == 1 ? s[0] : s[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (s[i] & 0x3Fu);
    return code;
}

/* Unicode's control characters, the formatting characters that a name does not need (bidirectional
 * marks, joiners, invisible operators, tags), and the line and paragraph separators. */
bool text_is_hidden(uint32_t code) {
    static const uint32_t ranges[][2] = {{0x00, 0x1F},     {0x7F, 0x9F},      {0xAD, 0xAD},
                                         {0x61C, 0x61C},   {0x180E, 0x180E},  {0x200B, 0x200F},
                                         {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
                                         {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        if (code >= ranges[k][0] && code <= ranges[k][1])
            return true;
    return false;
}

size_t text_next(const uint8_t *s, size_t left, uint32_t *code, bool *hidden) {
    size_t length = text_sequence(s, left);
    *code = length ? text_code(s, length) : s[0];
    *hidden = !length || text_is_hidden(*code);
    return length ? length : 1;
}

static void put_escape(buf *out, const uint8_t *s, size_t length, uint32_t code) {
    if (length == 1) { /* ASCII, or not UTF-8 */
        buf_text(out, "\\x");
        buf_hex(out, s[0], 2);
    } else {
        buf_text(out, "\\u{");
        buf_hex(out, code, 1);
        buf_char(out, '}');
    }
}

static bool is_plain(uint8_t c) {
    return c >= 0x20 && c < 0x7F;
}

void text_visible(buf *out, const char *text) {
    const uint8_t *s = (const uint8_t *)text, *end = s + strlen(text);
    while (s < end) {
        const uint8_t *start = s;
        uint32_t code;
        bool hidden;
        while (s < end && is_plain(*s))
            s++;
        buf_bytes(out, start, (size_t)(s - start));
        if (s == end)
            return;
        size_t n = text_next(s, (size_t)(end - s), &code, &hidden);
        if (hidden)
            put_escape(out, s, n, code);
        else
            buf_bytes(out, s, n);
        s += n;
    }
}

/* A backslash at the end of a line splices the next line, and so does its trigraph. */
void text_ascii(buf *out, const char *text) {
    const uint8_t *s = (const uint8_t *)text, *end = s + strlen(text);
    for (size_t n; s < end; s += n) {
        uint32_t code;
        bool hidden;
        n = text_next(s, (size_t)(end - s), &code, &hidden);
        if (hidden || code >= 0x80 || code == '\\' || code == '"' || (code == '?' && s[1] == '?'))
            put_escape(out, s, n, code);
        else
            buf_char(out, (char)code);
    }
}

void text_c_string(buf *out, const char *text) {
    buf_char(out, '"');
    for (const uint8_t *s = (const uint8_t *)text; *s; s++) {
        if (*s < 0x20 || *s >= 0x7F || *s == '?') {
            const char octal[] = {'\\', (char)('0' + (*s >> 6)), (char)('0' + (*s >> 3 & 7)),
                                  (char)('0' + (*s & 7))};
            buf_bytes(out, octal, sizeof octal);
            continue;
        }
        if (*s == '"' || *s == '\\')
            buf_char(out, '\\');
        buf_char(out, (char)*s);
    }
    buf_char(out, '"');
}

/* Hidden characters are escaped (as surrogate pairs above FFFF), so that JSON on a terminal is as
 * harmless as other text. Bytes that are not UTF-8 become U+FFFD, which is always escaped: text
 * that is read back prints the same again. */
void buf_json_string(buf *b, const char *text) {
    buf_json_bytes(b, text, strlen(text));
}

void buf_json_bytes(buf *b, const char *text, size_t length) {
    const uint8_t *s = (const uint8_t *)text, *end = s + length;
    const uint8_t *plain = s; /* start of the bytes not appended yet */
    buf_char(b, '"');
    while (s < end) {
        uint32_t code;
        bool hidden;
        size_t n = text_next(s, (size_t)(end - s), &code, &hidden);
        bool replacement = code == 0xFFFD;
        if (!hidden && !replacement && code != '"' && code != '\\') {
            s += n;
            continue;
        }
        buf_bytes(b, plain, (size_t)(s - plain));
        if (!hidden && !replacement)
            buf_printf(b, "\\%c", (int)code);
        else if (n == 1 && code >= 0x80)
            buf_text(b, "\\ufffd");
        else if (code > 0xFFFF)
            buf_printf(b, "\\u%04x\\u%04x", 0xD800u + ((code - 0x10000) >> 10),
                       0xDC00u + (code & 0x3FF));
        else
            buf_printf(b, "\\u%04x", code);
        s += n;
        plain = s;
    }
    buf_bytes(b, plain, (size_t)(end - plain));
    buf_char(b, '"');
}

wave_status wave_visible_text(const char *text, wave_blob *out) {
    buf shown = {0};
    *out = (wave_blob){0};
    if (!text)
        return WAVE_ERROR_USAGE;
    text_visible(&shown, text);
    return buf_take(&shown, out);
}
