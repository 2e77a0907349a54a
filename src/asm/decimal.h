/* Decimal text to IEEE-754 bits, rounded once to nearest even. Independent of the locale. */
#ifndef ASM_DECIMAL_H
#define ASM_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* `text` is [-]digits[.digits][(e|E)[+|-]digits] with any number of digits and with _ between them;
 * the lexer has checked it. Overflow yields infinity, underflow zero. */
uint32_t asm_decimal_f32(const char *text, size_t length);
uint64_t asm_decimal_f64(const char *text, size_t length);

#endif
