/* The SYCL target's own helpers and names, shared by its files: sycl.c (tables, atomics, the
 * target), sycl_wave.c (wave operations), sycl_loops.c (loops whose end must stay opaque to a CPU's
 * compiler), sycl_entry.c (the body's parameters and the two entries around it). */
#ifndef EMIT_SYCL_SYCL_H
#define EMIT_SYCL_SYCL_H

#include "emit/c_printer.h"
#include "isa/isa.h"

/* src/emit/helpers/sycl.txt */
enum {
    SYCL_BITREV = C_HELPERS,
    SYCL_FROM_HALF,
    SYCL_DMIN,
    SYCL_DMAX,
    SYCL_FOREVER,
    SYCL_HIDDEN,
    SYCL_SIGN_BIT,
    SYCL_ATOMIC,
    SYCL_LOCAL_ATOMIC,
    SYCL_CAS,
    SYCL_CAS64,
    SYCL_FADD,
    SYCL_FAIL,
    SYCL_SHUFFLE,
    SYCL_BALLOT,
    SYCL_BALLOT64,
    SYCL_TILE_PVC, /* wave_tile */
    SYCL_TILE_DG2,
    SYCL_TILE,
    SYCL_TILE_REST,
    SYCL_END
};

extern const c_helper sycl_helpers[SYCL_END - C_HELPERS];

enum {
    SYCL_ITEM = C_OWN, /* the nd_item */
    SYCL_WAVE,         /* the sub-group */
    SYCL_THREAD,       /* number of the thread in its workgroup */
    SYCL_SIGN          /* the sign bit of a float */
};

/* ---- sycl_wave.c ---- */

extern const c_form sycl_waves[IR_OP_COUNT];
extern const c_form sycl_constant_shuffles[], sycl_uniform_shuffles[];

/* ---- sycl_loops.c ---- */

/* By loop: whether it has an exit under conditions that change with its iterations, so that no
 * compiler can turn it into a loop without an exit. The caller frees the result; NULL when out of
 * memory. */
uint8_t *sycl_find_exits(const ir_func *f);
bool sycl_find_loops(c_printer *p); /* c_target.find_loops, for a CPU */

/* ---- sycl_entry.c ---- */

extern const c_value sycl_values[];
extern const c_list sycl_lists[];
extern const c_parameter_row sycl_parameters[];
extern const c_text sycl_contract[], sycl_signature[], sycl_entries[];

#endif
