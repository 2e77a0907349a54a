/* The handlers of alu.c, compiled for x86-64 with AVX2 and FMA; used when the processor has both. A
 * table chooses them, not the loader (target_clones), so that it works with every C library and
 * under the sanitizers. The results are bit-identical: fma is fused either way. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(__AVX2__)
#define EMU_WIDE 1
#else
#define EMU_WIDE 0
#endif

#if EMU_WIDE
/* System headers come first: the target attribute applies to our code only. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <wave/emu.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2")
#endif

/* The sign bits of 8 words. */
typedef float sign_row __attribute__((vector_size(32), aligned(4), may_alias));
#define EMU_SIGN_BITS(words)                                                                       \
    (uint32_t) __builtin_ia32_movmskps256(*(const sign_row *)(const void *)(words))

#include "emu/lanes.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

emu_handler *const *emu_wide_handlers(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                   __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
               ? lane_handlers
               : NULL;
}

#else
#include "emu/machine.h"

emu_handler *const *emu_wide_handlers(void) {
    return NULL;
}
#endif
