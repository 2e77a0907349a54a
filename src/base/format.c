/* buf_printf: printf's formats without floats. The C library's takes 2,000 machine instructions for
 * a line of a kernel's comment, because it determines the length first and depends on the
 * locale. */
#include "base/buf.h"

#include <stdint.h>

typedef struct spec {
    bool left, zeros, plus, blank;
    int width, precision; /* precision -1: not given */
    unsigned longs;       /* 0: int, 1: long, 2: long long, 3: size_t */
} spec;

enum { LONG = 1, LONG_LONG, SIZE };

/* A number, or * for the next argument. */
static const char *take_number(const char *at, int *number, int argument) {
    *number = 0;
    if (*at == '*') {
        *number = argument;
        return at + 1;
    }
    for (; *at >= '0' && *at <= '9'; at++)
        *number = *number < 100000 ? *number * 10 + (*at - '0') : *number;
    return at;
}

static const char *take_flags(const char *at, spec *s) {
    for (;; at++)
        switch (*at) {
        case '-': s->left = true; break;
        case '0': s->zeros = true; break;
        case '+': s->plus = true; break;
        case ' ': s->blank = true; break;
        default: return at;
        }
}

static const char *take_length(const char *at, spec *s) {
    for (;; at++)
        switch (*at) {
        case 'h': break; /* promoted to int; the values fit */
        case 'l': s->longs++; break;
        case 'z': s->longs = SIZE; break;
        default: return at;
        }
}

static void put_padded(buf *b, const spec *s, const char *text, size_t length) {
    size_t width = s->width > 0 ? (size_t)s->width : 0;
    size_t blanks = width > length ? width - length : 0;
    if (!s->left)
        buf_fill(b, ' ', blanks);
    buf_bytes(b, text, length);
    if (s->left)
        buf_fill(b, ' ', blanks);
}

static void put_text(buf *b, const spec *s, const char *text) {
    const char *end = s->precision >= 0 ? memchr(text, '\0', (size_t)s->precision) : NULL;
    size_t length = s->precision < 0 ? strlen(text)
                    : end            ? (size_t)(end - text)
                                     : (size_t)s->precision;
    put_padded(b, s, text, length);
}

static void put_integer(buf *b, const spec *s, char conversion, uint64_t value, bool negative) {
    char text[BUF_DIGITS + 1];
    size_t at = sizeof text;
    if (conversion == 'x' || conversion == 'X') {
        for (uint64_t rest = value; rest || at == sizeof text; rest >>= 4)
            text[--at] = (conversion == 'x' ? "0123456789abcdef" : "0123456789ABCDEF")[rest & 15];
    } else {
        size_t length = (size_t)(buf_digits(text, value) - text);
        at -= length;
        memmove(text + at, text, length);
    }
    size_t length = sizeof text - at;
    const char *sign = negative ? "-" : s->plus ? "+" : s->blank ? " " : "";
    size_t wanted = s->precision > 0 ? (size_t)s->precision : 0;
    size_t width = s->width > 0 ? (size_t)s->width : 0, signs = *sign != '\0';
    if (s->zeros && !s->left && s->precision < 0 && width > signs)
        wanted = width - signs;
    size_t zeros = wanted > length ? wanted - length : 0, whole = signs + zeros + length;
    size_t blanks = width > whole ? width - whole : 0;
    if (!s->left)
        buf_fill(b, ' ', blanks);
    buf_bytes(b, sign, signs);
    buf_fill(b, '0', zeros);
    buf_bytes(b, text + at, length);
    if (s->left)
        buf_fill(b, ' ', blanks);
}

/* The argument of an integer: va_arg must be given the type that was passed. */
static uint64_t take_unsigned(va_list *args, const spec *s) {
    if (s->longs == LONG)
        return va_arg(*args, unsigned long);
    if (s->longs == LONG_LONG)
        return va_arg(*args, unsigned long long);
    if (s->longs == SIZE)
        return va_arg(*args, size_t);
    return va_arg(*args, unsigned);
}

static int64_t take_signed(va_list *args, const spec *s) {
    if (s->longs == LONG)
        return va_arg(*args, long);
    if (s->longs == LONG_LONG)
        return va_arg(*args, long long);
    if (s->longs == SIZE)
        return va_arg(*args, ptrdiff_t);
    return va_arg(*args, int);
}

void buf_vprintf(buf *b, const char *format, va_list args) {
    va_list rest;
    va_copy(rest, args);
    for (const char *at = format; *at && !b->failed;) {
        const char *plain = at;
        while (*at && *at != '%')
            at++;
        buf_bytes(b, plain, (size_t)(at - plain));
        if (!*at)
            break;
        spec s = {.precision = -1};
        at = take_flags(at + 1, &s);
        at = take_number(at, &s.width, *at == '*' ? va_arg(rest, int) : 0);
        if (s.width < 0) {
            s.left = true;
            s.width = -s.width;
        }
        if (*at == '.') {
            at++;
            at = take_number(at, &s.precision, *at == '*' ? va_arg(rest, int) : 0);
        }
        at = take_length(at, &s);
        switch (*at) {
        case 's': put_text(b, &s, va_arg(rest, const char *)); break;
        case 'c': {
            char c = (char)va_arg(rest, int);
            put_padded(b, &s, &c, 1);
            break;
        }
        case 'd':
        case 'i': {
            int64_t value = take_signed(&rest, &s);
            put_integer(b, &s, 'd', value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
            break;
        }
        case 'u':
        case 'x':
        case 'X':
            s.plus = s.blank = false;
            put_integer(b, &s, *at, take_unsigned(&rest, &s), false);
            break;
        case '%': buf_char(b, '%'); break;
        default: b->failed = true; /* a conversion that no caller uses */
        }
        at += *at != '\0';
    }
    if (buf_reserve(b, 1))
        b->data[b->size] = '\0'; /* not counted: short texts are used in place */
    va_end(rest);
}

void buf_printf(buf *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    buf_vprintf(b, format, args);
    va_end(args);
}
