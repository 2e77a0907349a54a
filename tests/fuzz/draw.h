/* Random choices of the mutators, from libFuzzer's seed. */
#ifndef FUZZ_DRAW_H
#define FUZZ_DRAW_H

#include <stddef.h>
#include <stdint.h>

/* A number less than count, by the linear congruential generator of Numerical Recipes. */
static uint32_t draw(uint32_t *state, size_t count) {
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*state >> 8) * count >> 24);
}

#endif
