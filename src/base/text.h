/* Text from outside, which may hold anything: what it is made of, and the forms in which it can be
 * shown without steering a terminal or ending a comment. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/buf.h"

/* Length of the UTF-8 sequence at `s`, or 0: no overlong forms, surrogates or values over 10FFFF.
 */
size_t text_sequence(const uint8_t *s, size_t left);
uint32_t text_code(const uint8_t *s, size_t length); /* of a sequence */
/* Characters that cannot be seen but act: controls, and those that turn or hide text. */
bool text_is_hidden(uint32_t code);
/* The code, and the length of what stands for it in `s`, which has `left` > 0 bytes; a byte that is
 * no UTF-8 is hidden and has length 1. */
size_t text_next(const uint8_t *s, size_t left, uint32_t *code, bool *hidden);

/* For a terminal: hidden characters as \u{202E}, bytes that are no UTF-8 as \xHH. */
void text_visible(buf *out, const char *text);
/* For a comment of emitted text, one line of ASCII: the same for everything but ASCII, and for what
 * could join the next line to the comment. */
void text_ascii(buf *out, const char *text);
/* A string literal of C, in ASCII. */
void text_c_string(buf *out, const char *text);

#endif
