/* Bit-accurate models of the matrix units of some processors, for f16 and bf16 inputs with f32
 * sums: the bits of one element of D. docs/reference/tiles.md lists the sources of the models and
 * which of them were compared with hardware. The sums of the ISA (exact products, one rounding per
 * k) are not here. */
#ifndef BASE_MMA_MODEL_H
#define BASE_MMA_MODEL_H

#include <wave/emu.h>

enum { MMA_MODEL_K = 16 };

/* c + a[0] * b[0] + … + a[15] * b[15] as the unit sums it; `unit` is not WAVE_MMA_EXACT. The inputs
 * are bit patterns: all f16, or all bf16 if `bf16` is set. */
uint32_t mma_model_dot(wave_mma unit, bool bf16, const uint16_t a[MMA_MODEL_K],
                       const uint16_t b[MMA_MODEL_K], uint32_t c);

#endif
