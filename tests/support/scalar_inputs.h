// Operands for the scalar tests: lists of special values, and generators that mix them with random
// numbers so that cancellation, ties, subnormals and NaNs are frequent.
#ifndef WAVE_TESTS_SUPPORT_SCALAR_INPUTS_H
#define WAVE_TESTS_SUPPORT_SCALAR_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "support/random.h"
#include "support/softfloat.h"

// Under the sanitizers every step costs several times as much, so fewer random cases are run.
#if defined(__SANITIZE_ADDRESS__)
#define IN_CASES(n) ((n) / 8)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IN_CASES(n) ((n) / 8)
#endif
#endif
#ifndef IN_CASES
#define IN_CASES(n) (n)
#endif

#define IN_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint32_t in_integers[] = {
    0,          1,          2,          3,          5,          7,          31,
    32,         33,         63,         64,         255,        256,        0xFFFF,
    0x10000,    0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF,
    0xFFFFFFE0, 0xFFFFFFE1, 0x12345678, 0xDEADBEEF, 0xAAAAAAAA, 0x55555555, 0x00FF00FF,
};

// Built for any format from its field widths: zeros, subnormals, powers of two, values around one,
// largest finite, infinities, quiet and signalling NaNs, halves and integers at the precision
// limit.
#define IN_SPECIALS 56

static inline size_t in_specials(sf_format f, uint64_t out[IN_SPECIALS]) {
    uint64_t unit = UINT64_C(1) << f.fraction_bits;
    uint64_t inf = sf_infinity(f, false), bias = (uint64_t)sf_bias(f);
    uint64_t fraction = (uint64_t)f.fraction_bits, one = bias << f.fraction_bits;
    const uint64_t magnitudes[] = {
        0,
        1,
        2,
        unit / 2,
        unit - 1, // largest subnormal
        unit,     // smallest normal
        unit + 1,
        one,
        one + 1,
        one - 1,
        one + unit / 2, // 1.5
        one - unit,     // 0.5
        one - unit + 1,
        one + unit, // 2
        one + unit + unit / 4,
        one + 5 * unit / 2,
        one + unit * fraction, // 2^fraction_bits: no fraction bits left
        one + unit * fraction - 1,
        one + unit * (fraction - 1) + 1,
        one + unit * (fraction + 1),
        one - unit * fraction,
        one - unit * (fraction + 1),
        inf - 1, // largest finite
        inf - unit,
        inf,
        inf + unit / 2, // quiet NaN
        inf + 1,        // signalling NaN
        inf + unit - 1,
    };
    size_t n = 0;
    for (size_t i = 0; i < IN_COUNT(magnitudes); i++) {
        out[n++] = magnitudes[i];
        out[n++] = magnitudes[i] | sf_sign_bit(f);
    }
    return n;
}

// A random value of the format that is often interesting next to `other`.
static inline uint64_t in_float(sf_format f, uint64_t *state, uint64_t other) {
    uint64_t mask = (sf_sign_bit(f) << 1) - 1;
    uint64_t r = random_next(state), choice = r & 15, bits = random_next(state) & mask;
    uint64_t exponent_mask = sf_infinity(f, false);
    if (choice == 0) {
        uint64_t specials[IN_SPECIALS];
        return specials[(r >> 8) % in_specials(f, specials)];
    }
    if (choice <= 3) { // exponent close to the other's
        uint64_t distance = (r >> 8) % (uint64_t)(2 * f.fraction_bits + 6);
        uint64_t field = (other & exponent_mask) + (distance << f.fraction_bits);
        field -= (uint64_t)(f.fraction_bits + 3) << f.fraction_bits;
        return (bits & ~exponent_mask) | (field & exponent_mask);
    }
    if (choice <= 5) // few significant bits: exact results and ties
        return bits & ~((sf_fraction_mask(f) >> ((r >> 8) % 4 + 1)));
    if (choice == 6) // near the other operand, either sign
        return ((other + ((r >> 8) & 7) - 3) & mask) ^ ((r >> 16) & 1 ? sf_sign_bit(f) : 0);
    if (choice == 7) // subnormal or barely normal
        return bits & (sf_sign_bit(f) | (4 * (sf_fraction_mask(f) + 1) - 1));
    return bits;
}

static inline uint32_t in_integer(uint64_t *state) {
    uint64_t r = random_next(state);
    switch (r & 7) {
    case 0: return in_integers[(r >> 8) % IN_COUNT(in_integers)];
    case 1: return (uint32_t)(r >> 32) >> ((r >> 8) & 31);
    case 2: return 0u - ((uint32_t)(r >> 32) >> ((r >> 8) & 31));
    default: return (uint32_t)(r >> 32);
    }
}

#endif
