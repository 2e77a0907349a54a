/* The HIP target's own helpers and names, shared by its files: hip.c (the target and the kernel
 * around the code), hip_wave.c (helpers, wave operations), hip_shuffle.c (shuffles with special
 * operands), hip_tile.c (matrix units). */
#ifndef EMIT_HIP_HIP_H
#define EMIT_HIP_HIP_H

#include "emit/c_printer.h"

/* The reductions of a wave: their name, how two values are combined, and the value of no lane. */
#define HIP_REDUCTIONS(row)                                                                        \
    row(ADD, "add", "x + y", "0u"), row(MIN, "min", "x < y ? x : y", "0xFFFFFFFFu"),               \
        row(MAX, "max", "x > y ? x : y", "0u"), row(AND, "and", "x & y", "0xFFFFFFFFu"),           \
        row(OR, "or", "x | y", "0u"), row(XOR, "xor", "x ^ y", "0u")
#define HIP_REDUCTION(id, name, combine, none) HIP_REDUCE_##id

enum {
    HIP_HALF2 = C_HELPERS,
    HIP_HMA2,
    HIP_NARROW,
    HIP_EXP2,
    HIP_CAS,
    HIP_CAS64,
    HIP_FAIL,
    HIP_SHUFFLE,
    HIP_DPP,
    HIP_ROW,
    HIP_OTHER_ROW,
    HIP_SWIZZLE,
    HIP_PERMUTE,
    HIP_READ,
    HIP_REDUCTIONS(HIP_REDUCTION),
    HIP_PREFIX_SUM,
    HIP_TILE_90A, /* wave_tile, one for each kind of matrix unit */
    HIP_TILE_942,
    HIP_TILE_WMMA,
    HIP_TILE_FACTORS,
    HIP_TILE_SUMS,
    HIP_END
};

extern const c_helper hip_helpers[HIP_END - C_HELPERS];

enum {
    HIP_THREAD = C_OWN, /* number of the thread in its workgroup */
    HIP_LANES           /* lanes of the wave that exist */
};

/* ---- hip_tile.c ---- */

extern const char hip_tile_90a[], hip_tile_942[], hip_tile_wmma[];
extern const char hip_tile_factors[], hip_tile_sums[];

/* ---- hip_wave.c, hip_shuffle.c ---- */

extern const c_form hip_waves[IR_OP_COUNT];
extern const c_form hip_constant_shuffles[], hip_uniform_shuffles[];
bool hip_exchange(c_printer *p, ir_value v, uint32_t mask);

#endif
