/* Random numbers for the tests: one word of state, whose first value is the seed, and the same
 * sequence everywhere. */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators"): all bits
 * are equally random, and any seed is a good one. */
static inline uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Knuth's generator for MMIX: use the upper bits, the lower ones have short periods. */
static inline uint64_t random_mmix(uint64_t *state) {
    return *state = *state * 6364136223846793005u + 1442695040888963407u;
}

#endif
