// f64 arithmetic on the 64-bit value of a register pair, and the conversions between f32, f64 and
// integers (sections 4.5 and 4.6 of the ISA reference). f16 and bf16 are in base/scalar_f16.h.
#ifndef WAVE_BASE_SCALAR_F64_H
#define WAVE_BASE_SCALAR_F64_H

#include "base/scalar_bits.h"

static inline uint64_t sc_dadd(uint64_t a, uint64_t b) {
    return sc_canon_f64(sc_f64_of(a) + sc_f64_of(b));
}

static inline uint64_t sc_dsub(uint64_t a, uint64_t b) {
    return sc_canon_f64(sc_f64_of(a) - sc_f64_of(b));
}

static inline uint64_t sc_dmul(uint64_t a, uint64_t b) {
    return sc_canon_f64(sc_f64_of(a) * sc_f64_of(b));
}

// Some C libraries add the rounded product when c is zero, and lose the sign of a negative product
// that underflows. With nothing to add, a * b itself is the fused result.
static inline uint64_t sc_dma(uint64_t a, uint64_t b, uint64_t c) {
    double x = sc_f64_of(a), y = sc_f64_of(b), z = sc_f64_of(c);
    bool only_product = z == 0.0 && x != 0.0 && y != 0.0;
    return sc_canon_f64(only_product ? x * y : fma(x, y, z));
}

static inline uint64_t sc_ddiv(uint64_t a, uint64_t b) {
    return sc_canon_f64(sc_f64_of(a) / sc_f64_of(b));
}

static inline uint64_t sc_dsqrt(uint64_t a) {
    return sc_canon_f64(sqrt(sc_f64_of(a)));
}

static inline uint32_t sc_cvt_f32_f64(uint64_t a) {
    return sc_canon_f32((float)sc_f64_of(a));
}

static inline uint64_t sc_cvt_f64_f32(uint32_t a) {
    return sc_canon_f64((double)sc_f32_of(a));
}

static inline uint32_t sc_cvt_f32_i32(uint32_t a) {
    return sc_bits_of_f32((float)sc_signed(a));
}

static inline uint32_t sc_cvt_f32_u32(uint32_t a) {
    return sc_bits_of_f32((float)a);
}

// C leaves out-of-range conversions undefined, so the operand is brought into range first and the
// saturated values are selected afterwards. Ranges are compared on the bits: magnitudes of floats
// order like integers, and NaNs come last.
static inline uint32_t sc_cvt_i32_f32(uint32_t a) {
    uint32_t magnitude = a & SC_F32_MAG;
    uint32_t in_range = sc_choose(magnitude < 0x4F000000u, a, 0u); // below 2^31
    uint32_t converted = (uint32_t)(int32_t)sc_f32_of(in_range);
    uint32_t saturated = 0x7FFFFFFFu + (a >> 31);
    uint32_t r = sc_choose(magnitude < 0x4F000000u, converted, saturated);
    return sc_choose(magnitude > SC_F32_INF, 0u, r);
}

// In two ranges of signed conversions, which every host has as vector instructions. As unsigned
// numbers the bits of negative operands lie above those of all positive ones.
static inline uint32_t sc_cvt_u32_f32(uint32_t a) {
    uint32_t in_range = sc_choose(a < 0x4F800000u, a, 0u); // 0 <= x < 2^32
    uint32_t offset = sc_choose(in_range >= 0x4F000000u, 0x4F000000u, 0u);
    float low = sc_f32_of(in_range) - sc_f32_of(offset);
    uint32_t converted = (uint32_t)(int32_t)low + (offset != 0u ? 0x80000000u : 0u);
    uint32_t too_large = a >= 0x4F800000u && a <= SC_F32_INF ? 0xFFFFFFFFu : 0u;
    return converted | too_large;
}

#endif
