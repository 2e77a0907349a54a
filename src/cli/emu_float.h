/* Floating-point numbers as text and back, for wave-emu: the shortest decimal that reads back as
 * the same number, written as Rust's debug format writes it. */
#ifndef CLI_EMU_FLOAT_H
#define CLI_EMU_FLOAT_H

#include <stdint.h>

enum { EMU_FLOAT_TEXT = 40 };

/* Bit patterns to text: 0.0, -0.0, 36.0, 0.0001, 1e16, 9.9e-5, inf, -inf, NaN. A 16-bit number is
 * printed as the f32 of the same value. */
void emu_f32_text(uint32_t bits, char out[EMU_FLOAT_TEXT]);
void emu_f64_text(uint64_t bits, char out[EMU_FLOAT_TEXT]);
void emu_f16_text(uint16_t bits, char out[EMU_FLOAT_TEXT]);
void emu_bf16_text(uint16_t bits, char out[EMU_FLOAT_TEXT]);

uint32_t emu_f32_of_f16(uint16_t bits);  /* exact */
uint16_t emu_f16_of_f32(uint32_t bits);  /* nearest even */
uint16_t emu_bf16_of_f32(uint32_t bits); /* truncated, as the instruction set converts */

#endif
