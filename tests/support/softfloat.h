// IEEE-754 arithmetic in pure integer arithmetic: the tests' second opinion on src/base/scalar*.h.
// Works for every binary format up to f64: values are unpacked to sign, integer significand and
// exponent, the operation is done exactly (in 384 bits, or with a sticky bit where the exact result
// is longer), and one function rounds to nearest even. Nothing here uses a floating-point type.
#ifndef WAVE_TESTS_SUPPORT_SOFTFLOAT_H
#define WAVE_TESTS_SUPPORT_SOFTFLOAT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int exponent_bits, fraction_bits;
} sf_format;

static const sf_format sf_f16 = {5, 10};
static const sf_format sf_f32 = {8, 23};
static const sf_format sf_f64 = {11, 52};

typedef enum { SF_ZERO, SF_FINITE, SF_INF, SF_NAN } sf_kind;

// (-1)^negative * significand * 2^exponent
typedef struct {
    sf_kind kind;
    bool negative;
    uint64_t significand;
    int exponent;
} sf_number;

// ---- formats ----

static inline int sf_bias(sf_format f) {
    return (1 << (f.exponent_bits - 1)) - 1;
}

static inline uint64_t sf_sign_bit(sf_format f) {
    return UINT64_C(1) << (f.exponent_bits + f.fraction_bits);
}

static inline uint64_t sf_fraction_mask(sf_format f) {
    return (UINT64_C(1) << f.fraction_bits) - 1;
}

static inline uint64_t sf_infinity(sf_format f, bool negative) {
    uint64_t magnitude = ((UINT64_C(1) << f.exponent_bits) - 1) << f.fraction_bits;
    return magnitude | (negative ? sf_sign_bit(f) : 0);
}

static inline uint64_t sf_nan(sf_format f) {
    return sf_infinity(f, false) | (UINT64_C(1) << (f.fraction_bits - 1));
}

static inline uint64_t sf_zero(sf_format f, bool negative) {
    return negative ? sf_sign_bit(f) : 0;
}

static inline sf_number sf_unpack(sf_format f, uint64_t bits) {
    sf_number n = {SF_FINITE, (bits & sf_sign_bit(f)) != 0, bits & sf_fraction_mask(f), 0};
    int top = (1 << f.exponent_bits) - 1;
    int field = (int)(bits >> f.fraction_bits) & top;
    if (field == top) {
        n.kind = n.significand != 0 ? SF_NAN : SF_INF;
        return n;
    }
    if (field == 0 && n.significand == 0)
        n.kind = SF_ZERO;
    if (field != 0)
        n.significand |= UINT64_C(1) << f.fraction_bits;
    n.exponent = (field == 0 ? 1 : field) - sf_bias(f) - f.fraction_bits;
    return n;
}

// ---- 384-bit unsigned integers, least significant limb first ----

#define SF_LIMBS 6

typedef struct {
    uint64_t limb[SF_LIMBS];
} sf_wide;

static inline sf_wide sf_wide_of(uint64_t value) {
    sf_wide w = {{value, 0, 0, 0, 0, 0}};
    return w;
}

static inline sf_wide sf_wide_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32);
    uint64_t carry = middle >> 32;
    middle = (middle & 0xFFFFFFFFu) + a0 * b1;
    sf_wide w = sf_wide_of((middle << 32) | (low & 0xFFFFFFFFu));
    w.limb[1] = a1 * b1 + carry + (middle >> 32);
    return w;
}

static inline sf_wide sf_wide_shl(sf_wide a, int shift) {
    sf_wide r = {{0, 0, 0, 0, 0, 0}};
    int limbs = shift / 64, bits = shift % 64;
    for (int i = SF_LIMBS - 1; i >= limbs; i--) {
        r.limb[i] = a.limb[i - limbs] << bits;
        if (bits != 0 && i > limbs)
            r.limb[i] |= a.limb[i - limbs - 1] >> (64 - bits);
    }
    return r;
}

static inline sf_wide sf_wide_shr(sf_wide a, int shift) {
    sf_wide r = {{0, 0, 0, 0, 0, 0}};
    int limbs = shift / 64, bits = shift % 64;
    for (int i = 0; i + limbs < SF_LIMBS; i++) {
        r.limb[i] = a.limb[i + limbs] >> bits;
        if (bits != 0 && i + limbs + 1 < SF_LIMBS)
            r.limb[i] |= a.limb[i + limbs + 1] << (64 - bits);
    }
    return r;
}

static inline sf_wide sf_wide_add(sf_wide a, sf_wide b) {
    uint64_t carry = 0;
    for (int i = 0; i < SF_LIMBS; i++) {
        uint64_t sum = a.limb[i] + carry;
        carry = sum < carry ? 1 : 0;
        a.limb[i] = sum + b.limb[i];
        carry += a.limb[i] < sum ? 1 : 0;
    }
    return a;
}

static inline sf_wide sf_wide_sub(sf_wide a, sf_wide b) {
    uint64_t borrow = 0;
    for (int i = 0; i < SF_LIMBS; i++) {
        uint64_t part = a.limb[i] - b.limb[i];
        uint64_t next = a.limb[i] < b.limb[i] ? 1 : 0;
        a.limb[i] = part - borrow;
        borrow = next + (part < borrow ? 1 : 0);
    }
    return a;
}

static inline int sf_wide_compare(sf_wide a, sf_wide b) {
    for (int i = SF_LIMBS - 1; i >= 0; i--) {
        if (a.limb[i] != b.limb[i])
            return a.limb[i] < b.limb[i] ? -1 : 1;
    }
    return 0;
}

static inline bool sf_wide_is_zero(sf_wide a) {
    return sf_wide_compare(a, sf_wide_of(0)) == 0;
}

// Position of the highest set bit; a is not zero.
static inline int sf_wide_top(sf_wide a) {
    int i = SF_LIMBS - 1;
    while (a.limb[i] == 0)
        i--;
    int bit = 63;
    while ((a.limb[i] >> bit) == 0)
        bit--;
    return 64 * i + bit;
}

// ---- rounding ----

// Nearest-even value of significand * 2^exponent, plus something in (0, 2^exponent) if sticky.
// A sticky significand must have more bits than the format keeps.
static inline uint64_t sf_round(sf_format f, bool negative, sf_wide significand, int exponent,
                                bool sticky) {
    uint64_t sign = sf_zero(f, negative);
    if (sf_wide_is_zero(significand))
        return sign;
    int smallest = 1 - sf_bias(f) - f.fraction_bits; // exponent of a subnormal's last bit
    int unit = exponent + sf_wide_top(significand) - f.fraction_bits;
    unit = unit < smallest ? smallest : unit;
    int drop = unit - exponent;
    uint64_t kept, round_up = 0;
    if (drop <= 0) {
        kept = sf_wide_shl(significand, -drop).limb[0];
    } else if (drop > 64 * SF_LIMBS - 2) {
        kept = 0; // far below half of the smallest subnormal
    } else {
        sf_wide high = sf_wide_shr(significand, drop);
        sf_wide rest = sf_wide_sub(significand, sf_wide_shl(high, drop));
        int order = sf_wide_compare(rest, sf_wide_shl(sf_wide_of(1), drop - 1));
        kept = high.limb[0];
        if (order > 0 || (order == 0 && (sticky || (kept & 1) != 0)))
            round_up = 1;
    }
    kept += round_up;
    // The implicit bit of a normal number adds 1 to the field, so the field starts one lower; a
    // carry out of the fraction moves into it by itself.
    uint64_t field = (uint64_t)(unit - smallest);
    uint64_t bits = (field << f.fraction_bits) + kept;
    return (bits > sf_infinity(f, false) ? sf_infinity(f, false) : bits) | sign;
}

// Exact sum of two non-zero terms, then one rounding. Significands have at most 106 bits.
static inline uint64_t sf_round_sum(sf_format f, bool negative_a, sf_wide a, int exponent_a,
                                    bool negative_b, sf_wide b, int exponent_b) {
    if (exponent_a < exponent_b)
        return sf_round_sum(f, negative_b, b, exponent_b, negative_a, a, exponent_a);
    int distance = exponent_a - exponent_b;
    if (distance > 230) {
        // b is less than 2^-124 of a's last bit: it only determines on which side of a the sum is.
        a = sf_wide_shl(a, 64);
        if (negative_a != negative_b)
            a = sf_wide_sub(a, sf_wide_of(1));
        return sf_round(f, negative_a, a, exponent_a - 64, true);
    }
    a = sf_wide_shl(a, distance);
    if (negative_a == negative_b)
        return sf_round(f, negative_a, sf_wide_add(a, b), exponent_b, false);
    int order = sf_wide_compare(a, b);
    if (order == 0)
        return sf_zero(f, false);
    sf_wide difference = order > 0 ? sf_wide_sub(a, b) : sf_wide_sub(b, a);
    return sf_round(f, order > 0 ? negative_a : negative_b, difference, exponent_b, false);
}

// ---- operations ----

// a * b + c, one rounding.
static inline uint64_t sf_fma(sf_format f, uint64_t a_bits, uint64_t b_bits, uint64_t c_bits) {
    sf_number a = sf_unpack(f, a_bits), b = sf_unpack(f, b_bits), c = sf_unpack(f, c_bits);
    bool negative = a.negative != b.negative;
    if (a.kind == SF_NAN || b.kind == SF_NAN || c.kind == SF_NAN)
        return sf_nan(f);
    if (a.kind == SF_INF || b.kind == SF_INF) {
        bool invalid = a.kind == SF_ZERO || b.kind == SF_ZERO;
        invalid = invalid || (c.kind == SF_INF && c.negative != negative);
        return invalid ? sf_nan(f) : sf_infinity(f, negative);
    }
    if (c.kind == SF_INF)
        return c_bits;
    if (a.kind == SF_ZERO || b.kind == SF_ZERO) {
        if (c.kind == SF_ZERO)
            return sf_zero(f, negative && c.negative);
        return c_bits;
    }
    sf_wide product = sf_wide_product(a.significand, b.significand);
    int exponent = a.exponent + b.exponent;
    if (c.kind == SF_ZERO)
        return sf_round(f, negative, product, exponent, false);
    return sf_round_sum(f, negative, product, exponent, c.negative, sf_wide_of(c.significand),
                        c.exponent);
}

static inline uint64_t sf_add(sf_format f, uint64_t a_bits, uint64_t b_bits) {
    sf_number a = sf_unpack(f, a_bits), b = sf_unpack(f, b_bits);
    if (a.kind == SF_NAN || b.kind == SF_NAN)
        return sf_nan(f);
    if (a.kind == SF_INF)
        return b.kind == SF_INF && a.negative != b.negative ? sf_nan(f) : a_bits;
    if (b.kind == SF_INF)
        return b_bits;
    if (a.kind == SF_ZERO && b.kind == SF_ZERO)
        return sf_zero(f, a.negative && b.negative);
    if (a.kind == SF_ZERO)
        return b_bits;
    if (b.kind == SF_ZERO)
        return a_bits;
    return sf_round_sum(f, a.negative, sf_wide_of(a.significand), a.exponent, b.negative,
                        sf_wide_of(b.significand), b.exponent);
}

static inline uint64_t sf_sub(sf_format f, uint64_t a_bits, uint64_t b_bits) {
    return sf_add(f, a_bits, b_bits ^ sf_sign_bit(f));
}

static inline uint64_t sf_mul(sf_format f, uint64_t a_bits, uint64_t b_bits) {
    sf_number a = sf_unpack(f, a_bits), b = sf_unpack(f, b_bits);
    bool negative = a.negative != b.negative;
    if (a.kind == SF_NAN || b.kind == SF_NAN)
        return sf_nan(f);
    if (a.kind == SF_INF || b.kind == SF_INF)
        return a.kind == SF_ZERO || b.kind == SF_ZERO ? sf_nan(f) : sf_infinity(f, negative);
    if (a.kind == SF_ZERO || b.kind == SF_ZERO)
        return sf_zero(f, negative);
    return sf_round(f, negative, sf_wide_product(a.significand, b.significand),
                    a.exponent + b.exponent, false);
}

// Moves a finite number's highest bit to position 62.
static inline sf_number sf_normalise(sf_number n) {
    while ((n.significand >> 62) == 0) {
        n.significand <<= 1;
        n.exponent--;
    }
    return n;
}

static inline uint64_t sf_div(sf_format f, uint64_t a_bits, uint64_t b_bits) {
    sf_number a = sf_unpack(f, a_bits), b = sf_unpack(f, b_bits);
    bool negative = a.negative != b.negative;
    if (a.kind == SF_NAN || b.kind == SF_NAN)
        return sf_nan(f);
    if (a.kind == SF_INF)
        return b.kind == SF_INF ? sf_nan(f) : sf_infinity(f, negative);
    if (b.kind == SF_INF)
        return sf_zero(f, negative);
    if (b.kind == SF_ZERO)
        return a.kind == SF_ZERO ? sf_nan(f) : sf_infinity(f, negative);
    if (a.kind == SF_ZERO)
        return sf_zero(f, negative);
    // Restoring division, one quotient bit per step; the first bit has weight 2^(ea - eb).
    a = sf_normalise(a);
    b = sf_normalise(b);
    uint64_t rest = a.significand, quotient = 0;
    for (int i = 0; i < 60; i++) {
        quotient <<= 1;
        if (rest >= b.significand) {
            rest -= b.significand;
            quotient |= 1;
        }
        rest <<= 1;
    }
    return sf_round(f, negative, sf_wide_of(quotient), a.exponent - b.exponent - 59, rest != 0);
}

static inline uint64_t sf_sqrt(sf_format f, uint64_t bits) {
    sf_number a = sf_unpack(f, bits);
    if (a.kind == SF_NAN)
        return sf_nan(f);
    if (a.kind == SF_ZERO)
        return bits;
    if (a.negative)
        return sf_nan(f);
    if (a.kind == SF_INF)
        return bits;
    a = sf_normalise(a);
    if (a.exponent % 2 != 0) {
        a.significand <<= 1;
        a.exponent--;
    }
    // Digit-by-digit square root: two bits of the operand yield one bit of the root; 58 root bits
    // are plenty.
    uint64_t root = 0, rest = 0, operand = a.significand;
    for (int i = 0; i < 58; i++) {
        rest = (rest << 2) | (operand >> 62);
        operand <<= 2;
        uint64_t trial = (root << 2) | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    // 64 operand bits yield 32 root bits before the point; the other 26 are fraction.
    return sf_round(f, false, sf_wide_of(root), a.exponent / 2 - 26, rest != 0);
}

static inline uint64_t sf_convert(sf_format from, sf_format to, uint64_t bits) {
    sf_number a = sf_unpack(from, bits);
    switch (a.kind) {
    case SF_NAN: return sf_nan(to);
    case SF_INF: return sf_infinity(to, a.negative);
    case SF_ZERO: return sf_zero(to, a.negative);
    case SF_FINITE: break;
    }
    return sf_round(to, a.negative, sf_wide_of(a.significand), a.exponent, false);
}

static inline uint64_t sf_from_integer(sf_format f, bool negative, uint64_t magnitude) {
    return sf_round(f, negative, sf_wide_of(magnitude), 0, false);
}

// Truncation to a 32-bit integer; NaN is 0 and everything out of range saturates.
static inline uint32_t sf_to_integer(sf_format f, uint64_t bits, bool is_signed) {
    sf_number a = sf_unpack(f, bits);
    if (a.kind == SF_NAN || a.kind == SF_ZERO)
        return 0;
    uint64_t limit = !is_signed   ? (a.negative ? 0 : 0xFFFFFFFFu)
                     : a.negative ? UINT64_C(0x80000000)
                                  : 0x7FFFFFFFu;
    uint64_t magnitude;
    if (a.kind == SF_INF || a.exponent > 40)
        magnitude = UINT64_MAX;
    else if (a.exponent >= 0)
        magnitude = sf_wide_top(sf_wide_of(a.significand)) + a.exponent > 62
                        ? UINT64_MAX
                        : a.significand << a.exponent;
    else
        magnitude = a.exponent <= -64 ? 0 : a.significand >> -a.exponent;
    magnitude = magnitude > limit ? limit : magnitude;
    return a.negative ? 0u - (uint32_t)magnitude : (uint32_t)magnitude;
}

typedef enum { SF_TRUNC, SF_FLOOR, SF_CEIL, SF_NEAREST } sf_direction;

// Rounds to an integral value; zero results keep the operand's sign.
static inline uint64_t sf_to_integral(sf_format f, uint64_t bits, sf_direction direction) {
    sf_number a = sf_unpack(f, bits);
    if (a.kind == SF_NAN)
        return sf_nan(f);
    if (a.kind != SF_FINITE || a.exponent >= 0)
        return bits;
    int drop = -a.exponent; // fraction bits; at most 53 significand bits matter
    uint64_t whole = drop > 60 ? 0 : a.significand >> drop;
    uint64_t rest = drop > 60 ? a.significand : a.significand - (whole << drop);
    bool above_half = drop <= 60 && rest > (UINT64_C(1) << (drop - 1));
    bool exactly_half = drop <= 60 && rest == (UINT64_C(1) << (drop - 1));
    bool up = false;
    switch (direction) {
    case SF_TRUNC: break;
    case SF_FLOOR: up = a.negative && rest != 0; break;
    case SF_CEIL: up = !a.negative && rest != 0; break;
    case SF_NEAREST: up = above_half || (exactly_half && (whole & 1) != 0); break;
    }
    return sf_round(f, a.negative, sf_wide_of(whole + (up ? 1 : 0)), 0, false);
}

#define SF_UNORDERED 2

// -1, 0 or 1 for a below, equal to or above b; zeros of either sign are equal.
static inline int sf_compare(sf_format f, uint64_t a_bits, uint64_t b_bits) {
    sf_number a = sf_unpack(f, a_bits), b = sf_unpack(f, b_bits);
    if (a.kind == SF_NAN || b.kind == SF_NAN)
        return SF_UNORDERED;
    if (a.kind == SF_ZERO && b.kind == SF_ZERO)
        return 0;
    if (a.negative != b.negative)
        return a.negative ? -1 : 1;
    uint64_t a_magnitude = a_bits & ~sf_sign_bit(f), b_magnitude = b_bits & ~sf_sign_bit(f);
    if (a_magnitude == b_magnitude)
        return 0;
    return (a_magnitude < b_magnitude) != a.negative ? -1 : 1;
}

#endif
