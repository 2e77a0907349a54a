/* The HIP target's own helpers and names, shared by its files: hip.c (the target and the kernel
 * around the code), hip_wave.c (wave operations, barriers, fences). */
#ifndef EMIT_HIP_HIP_H
#define EMIT_HIP_HIP_H

#include "emit/c_printer.h"

enum {
    HIP_HALF2 = C_HELPERS,
    HIP_HMA2,
    HIP_NARROW,
    HIP_CAS,
    HIP_FAIL,
    HIP_SHUFFLE,
    HIP_DPP,
    HIP_REDUCE_ADD,
    HIP_REDUCE_MIN,
    HIP_REDUCE_MAX,
    HIP_REDUCE_AND,
    HIP_REDUCE_OR,
    HIP_REDUCE_XOR,
    HIP_PREFIX_SUM,
    HIP_END
};

extern const c_helper hip_helpers[HIP_END - C_HELPERS];

enum {
    HIP_THREAD = C_OWN, /* number of the thread in its workgroup */
    HIP_LANES           /* lanes of the wave that exist */
};

bool hip_statement(c_printer *p, ir_value v);

#endif
