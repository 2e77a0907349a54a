/* The growing buffer used for all text and binary output of the library. */
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

bool buf_reserve(buf *b, size_t extra) {
    if (b->failed)
        return false;
    if (extra <= b->capacity - b->size)
        return true;
    size_t capacity = b->capacity ? b->capacity : 256;
    while (capacity - b->size < extra) {
        if (capacity > SIZE_MAX / 2) {
            b->failed = true;
            return false;
        }
        capacity *= 2;
    }
    uint8_t *data = realloc(b->data, capacity);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

/* buf_reserve with a fast path: most appends are a few bytes that fit. */
static inline bool has_room(buf *b, size_t extra) {
    return (extra <= b->capacity - b->size && !b->failed) || buf_reserve(b, extra);
}

void buf_bytes(buf *b, const void *bytes, size_t count) {
    if (count == 0 || !has_room(b, count))
        return;
    memcpy(b->data + b->size, bytes, count);
    b->size += count;
}

void buf_join(buf *to, buf *from) {
    to->failed |= from->failed;
    if (from->size <= to->size) {
        buf_bytes(to, from->data, from->size);
    } else if (!to->failed && buf_reserve(from, to->size)) {
        memmove(from->data + to->size, from->data, from->size);
        if (to->size)
            memcpy(from->data, to->data, to->size);
        from->size += to->size;
        buf smaller = *to;
        *to = *from;
        *from = smaller;
    } else {
        to->failed = true;
    }
    buf_free(from);
}

void buf_fill(buf *b, char c, size_t count) {
    if (count == 0 || !has_room(b, count))
        return;
    memset(b->data + b->size, c, count);
    b->size += count;
}

void buf_u32le(buf *b, uint32_t value) {
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    buf_bytes(b, bytes, 4);
}

char *buf_digits(char *to, uint64_t value) {
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    unsigned count = 1;
    for (uint64_t power = 10; count < BUF_DIGITS && value >= power; power *= 10)
        count++;
    char *end = to + count, *at = end;
    for (; value > UINT32_MAX; value /= 100) {
        at -= 2;
        memcpy(at, pairs + 2 * (value % 100), 2);
    }
    uint32_t rest = (uint32_t)value; /* almost always the whole value, and cheaper to divide */
    for (uint32_t most; rest >= 10; rest = most) {
        most = rest / 100;
        at -= 2;
        memcpy(at, pairs + 2 * (rest - 100 * most), 2);
    }
    if (at > to)
        *to = (char)('0' + rest);
    return end;
}

void buf_decimal(buf *b, uint64_t value) {
    if (has_room(b, BUF_DIGITS))
        b->size = (size_t)((uint8_t *)buf_digits((char *)b->data + b->size, value) - b->data);
}

void buf_hex(buf *b, uint64_t value, unsigned digits) {
    char text[16];
    size_t at = sizeof text;
    do {
        text[--at] = "0123456789ABCDEF"[value & 15];
        value >>= 4;
    } while (at > 0 && (value || sizeof text - at < digits));
    buf_bytes(b, text + at, sizeof text - at);
}

void buf_free(buf *b) {
    free(b->data);
    *b = (buf){0};
}

wave_status buf_take(buf *b, wave_blob *out) {
    *out = (wave_blob){0};
    buf_char(b, '\0');
    if (b->failed) {
        buf_free(b);
        return WAVE_ERROR_MEMORY;
    }
    out->data = b->data;
    out->size = b->size - 1;
    *b = (buf){0};
    return WAVE_OK;
}

void wave_blob_free(wave_blob *blob) {
    if (!blob)
        return;
    free(blob->data);
    *blob = (wave_blob){0};
}

const char *wave_version(void) {
    return WAVE_VERSION_TEXT;
}
