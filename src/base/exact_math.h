// fsin, fcos, fexp2 and flog2 of the ISA: one algorithm each, with the same bits on every machine.
// They use only f32 add/sub/mul/fma (round to nearest even), u32 arithmetic, compares, selects and
// conversions, so that a back end can emit the same steps. docs/reference/math.md explains them and
// lists the error over all 2^32 inputs. All other scalar instructions are in base/scalar.h.
#ifndef WAVE_BASE_EXACT_MATH_H
#define WAVE_BASE_EXACT_MATH_H

#include <stdint.h>

// Arguments and results are f32 bit patterns; a NaN result is always 0x7FC00000.
uint32_t sc_fsin(uint32_t x);
uint32_t sc_fcos(uint32_t x);
uint32_t sc_fexp2(uint32_t x);
uint32_t sc_flog2(uint32_t x);

#endif
