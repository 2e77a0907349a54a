/* The Metal target's own helpers and names, shared by its files: msl.c (the target and the kernel
 * around the code), msl_wave.c (wave operations, what Metal cannot express). */
#ifndef EMIT_MSL_MSL_H
#define EMIT_MSL_MSL_H

#include "emit/c_printer.h"

/* src/emit/helpers/msl.txt */
enum {
    MSL_FMIN = C_HELPERS,
    MSL_FMAX,
    MSL_CAS,
    MSL_LOCAL_CAS,
    MSL_FADD,
    MSL_LOCAL_FADD,
    MSL_FAIL,
    MSL_TURN,
    MSL_SHUFFLE,
    MSL_SHUFFLE_UP,
    MSL_SHUFFLE_DOWN,
    MSL_TILE, /* wave_tile */
    MSL_TILE_BFLOAT,
    MSL_END
};

extern const c_helper msl_helpers[MSL_END - C_HELPERS];

enum {
    MSL_THREAD_ID = C_OWN, /* vectors of three */
    MSL_GROUP_ID,
    MSL_GROUP_SIZE,
    MSL_GRID_SIZE,
    MSL_LANES /* lanes of the wave that exist */
};

/* ---- msl_wave.c ---- */

extern const c_form msl_waves[IR_OP_COUNT];
extern const c_form msl_constant_shuffles[], msl_uniform_shuffles[];

/* False with E_TARGET_F64, E_TARGET_ATOMIC64 or E_TARGET_FENCE if Metal, or this version of it,
 * cannot express the kernel. */
bool msl_can_express(const ir_func *f, const emit_options *o, wave_diags *diags);

#endif
