/* The HIP target's own helpers and names, shared by its files: hip.c (the target and the kernel
 * around the code), hip_wave.c (wave operations), hip_shuffle.c (shuffles with special operands).
 */
#ifndef EMIT_HIP_HIP_H
#define EMIT_HIP_HIP_H

#include "emit/c_printer.h"

/* src/emit/helpers/hip.txt */
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
    HIP_REDUCE_ADD,
    HIP_REDUCE_MIN,
    HIP_REDUCE_MAX,
    HIP_REDUCE_AND,
    HIP_REDUCE_OR,
    HIP_REDUCE_XOR,
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

/* ---- hip_wave.c, hip_shuffle.c ---- */

extern const c_form hip_waves[IR_OP_COUNT];
extern const c_form hip_constant_shuffles[], hip_uniform_shuffles[];
void hip_exchange(c_printer *p, ir_value v, uint32_t mask);

#endif
