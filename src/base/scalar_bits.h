// Bit patterns and the raw helpers that all scalar_*.h files share: casts between integers and
// floats, the canonical NaNs, selects. Instruction semantics are not defined here.
#ifndef WAVE_BASE_SCALAR_BITS_H
#define WAVE_BASE_SCALAR_BITS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// The semantics are defined on IEEE-754 binary32/binary64 evaluated in their own precision. Excess
// precision (x87) or fast-math would change the meaning of every expression here.
_Static_assert(FLT_EVAL_METHOD == 0, "f32 expressions must be evaluated in f32");
_Static_assert(FLT_RADIX == 2 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128, "float is binary32");
_Static_assert(DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "double is binary64");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "float and double sizes");
#ifdef __FAST_MATH__
#error "the scalar semantics cannot be compiled with -ffast-math"
#endif

// Fused multiply-add, with one rounding: an instruction where the compiler may use it, otherwise a
// function of libm. Files that fold constants define these as the functions of base/plain_math.h,
// which need no libm. WebAssembly has no such instruction and uses the same functions.
#ifdef __wasm__
#include "base/plain_math.h"
#define SC_FMAF plain_fmaf
#define SC_FMA  plain_fma
#endif
#ifndef SC_FMAF
#define SC_FMAF fmaf
#define SC_FMA  fma
#endif

#define SC_F32_NAN  0x7FC00000u
#define SC_F32_INF  0x7F800000u
#define SC_F32_ONE  0x3F800000u
#define SC_F32_SIGN 0x80000000u
#define SC_F32_MAG  0x7FFFFFFFu
#define SC_F64_NAN  0x7FF8000000000000u
#define SC_F64_SIGN 0x8000000000000000u
#define SC_F16_NAN  0x7E00u
#define SC_F16_INF  0x7C00u
#define SC_BF16_NAN 0x7FC0u

// memcpy is the only bit cast that C defines and compilers still vectorise.
static inline float sc_f32_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t sc_bits_of_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double sc_f64_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t sc_bits_of_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// A select as mask arithmetic. If an arm is the result of a float operation, compilers tend to turn
// ?: into a branch around the operation, and the loop over lanes is no longer vectorised.
static inline uint32_t sc_choose(bool condition, uint32_t if_true, uint32_t if_false) {
    uint32_t mask = 0u - (uint32_t)condition;
    return (if_true & mask) | (if_false & ~mask);
}

// Bits of an arithmetic result: every NaN becomes the canonical one.
static inline uint32_t sc_canon_f32(float value) {
    uint32_t bits = sc_bits_of_f32(value);
    return sc_choose(value != value, SC_F32_NAN, bits);
}

static inline uint64_t sc_canon_f64(double value) {
    uint64_t bits = sc_bits_of_f64(value);
    return value != value ? SC_F64_NAN : bits;
}

// The two's-complement view of a register. Every compiler we build with defines out-of-range
// conversion to a signed type as reduction modulo 2^32.
static inline int32_t sc_signed(uint32_t bits) {
    return (int32_t)bits;
}

#endif
