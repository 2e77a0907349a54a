// Integer, bit and integer-compare instructions on 32-bit registers (sections 4.1, 4.2 and 4.7 of
// the ISA reference). One function per mnemonic, branch-free where that speeds up a loop over
// lanes.
#ifndef WAVE_BASE_SCALAR_INT_H
#define WAVE_BASE_SCALAR_INT_H

#include "base/scalar_bits.h"

static inline uint32_t sc_iadd(uint32_t a, uint32_t b) {
    return a + b;
}

static inline uint32_t sc_isub(uint32_t a, uint32_t b) {
    return a - b;
}

static inline uint32_t sc_imul(uint32_t a, uint32_t b) {
    return a * b;
}

// The upper half of the unsigned product.
static inline uint32_t sc_imul_hi(uint32_t a, uint32_t b) {
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

static inline uint32_t sc_imad(uint32_t a, uint32_t b, uint32_t c) {
    return a * b + c;
}

static inline uint32_t sc_ineg(uint32_t a) {
    return 0u - a;
}

// The magnitude as an unsigned number: INT_MIN becomes 0x80000000.
static inline uint32_t sc_iabs(uint32_t a) {
    return sc_signed(a) < 0 ? 0u - a : a;
}

static inline uint32_t sc_udiv(uint32_t a, uint32_t b) {
    return b == 0 ? 0u : a / b;
}

static inline uint32_t sc_umod(uint32_t a, uint32_t b) {
    return b == 0 ? 0u : a % b;
}

// Division by zero yields 0. Working on magnitudes makes INT_MIN / -1 = INT_MIN and INT_MIN % -1 =
// 0 without a special case.
static inline uint32_t sc_idiv(uint32_t a, uint32_t b) {
    uint32_t quotient = sc_udiv(sc_iabs(a), sc_iabs(b));
    return sc_signed(a ^ b) < 0 ? 0u - quotient : quotient;
}

static inline uint32_t sc_imod(uint32_t a, uint32_t b) {
    uint32_t rest = sc_umod(sc_iabs(a), sc_iabs(b));
    return sc_signed(a) < 0 ? 0u - rest : rest;
}

static inline uint32_t sc_imin(uint32_t a, uint32_t b) {
    return sc_signed(a) < sc_signed(b) ? a : b;
}

static inline uint32_t sc_imax(uint32_t a, uint32_t b) {
    return sc_signed(a) > sc_signed(b) ? a : b;
}

// The upper bound is applied last, so lo > hi yields hi.
static inline uint32_t sc_iclamp(uint32_t x, uint32_t lo, uint32_t hi) {
    return sc_imin(sc_imax(x, lo), hi);
}

static inline uint32_t sc_umin(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static inline uint32_t sc_umax(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static inline uint32_t sc_and(uint32_t a, uint32_t b) {
    return a & b;
}

static inline uint32_t sc_or(uint32_t a, uint32_t b) {
    return a | b;
}

static inline uint32_t sc_xor(uint32_t a, uint32_t b) {
    return a ^ b;
}

static inline uint32_t sc_not(uint32_t a) {
    return ~a;
}

static inline uint32_t sc_shl(uint32_t value, uint32_t amount) {
    return value << (amount & 31u);
}

static inline uint32_t sc_shr(uint32_t value, uint32_t amount) {
    return value >> (amount & 31u);
}

// >> of a negative number is an arithmetic shift on every compiler we build with (a test checks
// it).
static inline uint32_t sc_sar(uint32_t value, uint32_t amount) {
    return (uint32_t)(sc_signed(value) >> (amount & 31u));
}

// Sums of neighbouring fields of 1, 2, 4, 8 and 16 bits (Warren, "Hacker's Delight", section 5-1).
static inline uint32_t sc_bitcount(uint32_t a) {
    a = a - ((a >> 1) & 0x55555555u);
    a = (a & 0x33333333u) + ((a >> 2) & 0x33333333u);
    a = (a + (a >> 4)) & 0x0F0F0F0Fu;
    a = a + (a >> 8);
    return (a + (a >> 16)) & 63u;
}

// Number of leading zeros; 0xFFFFFFFF for 0. The exponent of the value converted to f32 is the
// position of the highest set bit; clearing the bit below it keeps the conversion from rounding up
// to the next power of two.
static inline uint32_t sc_bitfind(uint32_t a) {
    uint32_t top = a & ~(a >> 1) & 0x7FFFFFFFu;
    uint32_t zeros = 158u - (sc_bits_of_f32((float)sc_signed(top)) >> 23);
    zeros = sc_choose(sc_signed(a) < 0, 0u, zeros);
    return sc_choose(a == 0, 0xFFFFFFFFu, zeros);
}

// Exchanges neighbouring fields of 1, 2, 4, 8 and 16 bits (Warren, "Hacker's Delight", section
// 7-1).
static inline uint32_t sc_bitrev(uint32_t a) {
    a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
    a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
    a = ((a >> 4) & 0x0F0F0F0Fu) | ((a & 0x0F0F0F0Fu) << 4);
    a = ((a >> 8) & 0x00FF00FFu) | ((a & 0x00FF00FFu) << 8);
    return (a >> 16) | (a << 16);
}

// Widths are taken modulo 32, so a width of 32 means 0: an empty field.
static inline uint32_t sc_bfe(uint32_t src, uint32_t offset, uint32_t width) {
    uint32_t mask = (1u << (width & 31u)) - 1u;
    return (src >> (offset & 31u)) & mask;
}

static inline uint32_t sc_bfi(uint32_t base, uint32_t insert, uint32_t offset, uint32_t width) {
    uint32_t shift = offset & 31u;
    uint32_t mask = ((1u << (width & 31u)) - 1u) << shift;
    return (base & ~mask) | ((insert << shift) & mask);
}

static inline bool sc_icmp_eq(uint32_t a, uint32_t b) {
    return a == b;
}

static inline bool sc_icmp_ne(uint32_t a, uint32_t b) {
    return a != b;
}

static inline bool sc_icmp_lt(uint32_t a, uint32_t b) {
    return sc_signed(a) < sc_signed(b);
}

static inline bool sc_icmp_le(uint32_t a, uint32_t b) {
    return sc_signed(a) <= sc_signed(b);
}

static inline bool sc_icmp_gt(uint32_t a, uint32_t b) {
    return sc_signed(a) > sc_signed(b);
}

static inline bool sc_icmp_ge(uint32_t a, uint32_t b) {
    return sc_signed(a) >= sc_signed(b);
}

static inline bool sc_ucmp_eq(uint32_t a, uint32_t b) {
    return a == b;
}

static inline bool sc_ucmp_ne(uint32_t a, uint32_t b) {
    return a != b;
}

static inline bool sc_ucmp_lt(uint32_t a, uint32_t b) {
    return a < b;
}

static inline bool sc_ucmp_le(uint32_t a, uint32_t b) {
    return a <= b;
}

static inline bool sc_ucmp_gt(uint32_t a, uint32_t b) {
    return a > b;
}

static inline bool sc_ucmp_ge(uint32_t a, uint32_t b) {
    return a >= b;
}

static inline uint32_t sc_select(bool condition, uint32_t if_true, uint32_t if_false) {
    return condition ? if_true : if_false;
}

static inline uint32_t sc_mov(uint32_t a) {
    return a;
}

#endif
