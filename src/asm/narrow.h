/* Numbers of the source as bits of a float type. */
#ifndef ASM_NARROW_H
#define ASM_NARROW_H

#include "asm/symbols.h"

/* The bits of a double, rounded once to nearest even, with this many bits of exponent and
 * fraction. */
uint64_t asm_narrow(double value, unsigned exponent_bits, unsigned fraction_bits);
/* f32 (4 bytes) or f64 (8 bytes) of a float literal; f16 takes 2 bytes and is rounded from f64. */
uint64_t asm_float_bits(const asm_token *token, unsigned size);
/* The same for a computed number. */
uint64_t asm_double_bits(const asm_value *value, unsigned size);

#endif
