// fsin, fcos, fexp2 and flog2 of the ISA: one algorithm each, with the same bits on every machine.
// They use only f32 add/sub/mul/fma (round to nearest even), u32 arithmetic, compares, selects and
// conversions, so that a back end can emit the same steps. docs/reference/math.md explains them and
// lists the error over all 2^32 inputs. All other scalar instructions are in base/scalar.h.
#ifndef WAVE_BASE_EXACT_MATH_H
#define WAVE_BASE_EXACT_MATH_H

#include "base/scalar_bits.h"

typedef float sc_fused(float, float, float); // a * b + c with one rounding

uint32_t sc_fsin_by(sc_fused *fused, uint32_t x);
uint32_t sc_fcos_by(sc_fused *fused, uint32_t x);
uint32_t sc_fexp2_by(sc_fused *fused, uint32_t x);
uint32_t sc_flog2_by(sc_fused *fused, uint32_t x);

// Arguments and results are f32 bit patterns; a NaN result is always 0x7FC00000.
static inline uint32_t sc_fsin(uint32_t x) {
    return sc_fsin_by(SC_FMAF, x);
}

static inline uint32_t sc_fcos(uint32_t x) {
    return sc_fcos_by(SC_FMAF, x);
}

static inline uint32_t sc_fexp2(uint32_t x) {
    return sc_fexp2_by(SC_FMAF, x);
}

static inline uint32_t sc_flog2(uint32_t x) {
    return sc_flog2_by(SC_FMAF, x);
}

#endif
