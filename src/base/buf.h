/* A growing byte buffer for output. The first failed allocation sticks: later writes do nothing and
 * buf_take reports it, so callers check once, at the end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <wave/wave.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct buf {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
} buf;

#if defined(__GNUC__) || defined(__clang__)
#define BUF_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define BUF_PRINTF(at, first)
#endif

bool buf_reserve(buf *b, size_t extra); /* room for `extra` more bytes */
void buf_bytes(buf *b, const void *bytes, size_t count);
/* Inline, because the compiler knows the length of a literal: when there is room, the append
 * compiles to one or two moves. */
static inline void buf_text(buf *b, const char *text) {
    size_t count = strlen(text);
    if (count > 0 && count <= b->capacity - b->size && !b->failed) {
        memcpy(b->data + b->size, text, count);
        b->size += count;
    } else {
        buf_bytes(b, text, count);
    }
}
/* Appends the contents of `from` and empties it. The larger text is not copied. */
void buf_join(buf *to, buf *from);
static inline void buf_char(buf *b, char c) {
    if (b->size < b->capacity && !b->failed)
        b->data[b->size++] = (uint8_t)c;
    else
        buf_bytes(b, &c, 1);
}
void buf_fill(buf *b, char c, size_t count);
void buf_u32le(buf *b, uint32_t value);
void buf_decimal(buf *b, uint64_t value);
/* The same without a buffer, for at most BUF_DIGITS characters: returns their end. */
enum { BUF_DIGITS = 20 };
char *buf_digits(char *to, uint64_t value);
void buf_hex(buf *b, uint64_t value, unsigned digits); /* upper case, at least `digits` */
/* format.c. The conversions are s c d i u x X with flags, width, precision and length; any other
 * one makes the buffer fail. */
void buf_printf(buf *b, const char *format, ...) BUF_PRINTF(2, 3);
void buf_vprintf(buf *b, const char *format, va_list args) BUF_PRINTF(2, 0);
void buf_json_string(buf *b, const char *text);               /* quoted and escaped: text.c */
void buf_json_bytes(buf *b, const char *text, size_t length); /* the same */
void buf_free(buf *b);

/* Hands over the bytes, NUL-terminated; on failure *out is empty. */
wave_status buf_take(buf *b, wave_blob *out);

#endif
