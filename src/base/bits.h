/* Iterating over the set bits of a 64-bit word. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdint.h>

/* Index of the lowest set bit; bits must not be 0. */
static inline unsigned bits_lowest(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return (unsigned)__builtin_ctzll(bits);
#else
    unsigned n = 0;
    for (; !(bits & 1); bits >>= 1)
        n++;
    return n;
#endif
}

#endif
