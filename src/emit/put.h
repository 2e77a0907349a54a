/* Appends short texts to a buffer, for the printers, which append a few bytes at a time: a check
 * for room and one or two moves, without a call. After a failed allocation the buffer still has its
 * old room, so nothing needs to check for failure. */
#ifndef EMIT_PUT_H
#define EMIT_PUT_H

#include "base/buf.h"

/* Whether there is room for `count` more bytes, which may be none. */
static inline bool put_fits(buf *out, size_t count) {
    return out->capacity - out->size >= count || buf_reserve(out, count);
}

static inline char *put_at(const buf *out) {
    return (char *)out->data + out->size;
}

/* A short text, such as a name or a type, in a record of 16 bytes. A longer text has no record. */
typedef struct put_label {
    char text[15];
    uint8_t length; /* 0: none */
} put_label;

static inline void put_labelled(buf *out, const put_label *label) {
    if (out->capacity - out->size < sizeof *label) {
        buf_bytes(out, label->text, label->length);
        return;
    }
    memcpy(put_at(out), label, sizeof *label); /* the next text overwrites what follows it */
    out->size += label->length;
}

/* A piece of text of known length, usually a few bytes: two overlapping moves. */
static inline void put_piece(buf *out, const char *text, size_t length) {
    if (!length)
        return;
    if (length > 16 || out->capacity - out->size < length) {
        buf_bytes(out, text, length);
        return;
    }
    char *at = put_at(out);
    if (length >= 8) {
        memcpy(at, text, 8);
        memcpy(at + (length - 8), text + (length - 8), 8);
    } else if (length >= 4) {
        memcpy(at, text, 4);
        memcpy(at + (length - 4), text + (length - 4), 4);
    } else {
        at[0] = text[0];
        at[length / 2] = text[length / 2];
        at[length - 1] = text[length - 1];
    }
    out->size += length;
}

#endif
