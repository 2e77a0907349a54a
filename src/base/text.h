/* Untrusted text, which may contain anything: classification of its characters, and forms in which
 * it can be printed without controlling a terminal or ending a comment. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/buf.h"

/* Length of the UTF-8 sequence at `s`, or 0: no overlong forms, surrogates or values over 10FFFF.
 */
size_t text_sequence(const uint8_t *s, size_t left);
bool text_is_utf8(const char *text, size_t length);
uint32_t text_code(const uint8_t *s, size_t length); /* of a sequence */
/* Invisible characters with an effect: controls, and those that reorder or hide text. */
bool text_is_hidden(uint32_t code);
/* Decodes the character at `s`, which has `left` > 0 bytes: returns its length in bytes. A byte
 * that is not UTF-8 is hidden and has length 1. */
size_t text_next(const uint8_t *s, size_t left, uint32_t *code, bool *hidden);

/* For a terminal: hidden characters as \u{202E}, bytes that are not UTF-8 as \xHH. */
void text_visible(buf *out, const char *text);
/* For a comment in emitted text, one line of ASCII: as text_visible, and also escapes non-ASCII
 * characters and anything that could splice the next line into the comment. */
void text_ascii(buf *out, const char *text);
/* A C string literal, in ASCII. */
void text_c_string(buf *out, const char *text);

#endif
