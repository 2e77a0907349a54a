/* The SYCL target's own helpers and names, shared by its files: sycl.c (tables, atomics, the
 * target), sycl_wave.c (wave operations, barriers, fences), sycl_entry.c (the body's parameters and
 * the two entries around it). */
#ifndef EMIT_SYCL_SYCL_H
#define EMIT_SYCL_SYCL_H

#include "emit/c_printer.h"
#include "isa/isa.h"

enum {
    SYCL_BITREV = C_HELPERS,
    SYCL_DMIN,
    SYCL_DMAX,
    SYCL_FOREVER,
    SYCL_HIDDEN,
    SYCL_SIGN_BIT,
    SYCL_ATOMIC,
    SYCL_LOCAL_ATOMIC,
    SYCL_CAS,
    SYCL_FADD,
    SYCL_FAIL,
    SYCL_SHUFFLE,
    SYCL_BALLOT,
    SYCL_END
};

extern const c_helper sycl_helpers[SYCL_END - C_HELPERS];

enum {
    SYCL_ITEM = C_OWN, /* the nd_item */
    SYCL_WAVE,         /* the sub-group */
    SYCL_THREAD,       /* number of the thread in its workgroup */
    SYCL_SIGN          /* the sign bit of a float */
};

/* The name of a special register. */
static inline c_name sycl_special(unsigned special) {
    return (c_name)(C_SPECIAL + special);
}

/* Sub-groups end with the rows of a work-group on some devices, so a workgroup with waves is
 * launched as one row; its shape then comes from the file, or as two more parameters. */
bool sycl_is_row(const c_printer *p);

/* ---- sycl_wave.c ---- */

bool sycl_statement(c_printer *p, ir_value v);

/* ---- sycl_entry.c ---- */

void sycl_contract(c_printer *p, buf *out);
void sycl_signature(c_printer *p, buf *out);
void sycl_prologue(c_printer *p, buf *out);
void sycl_tail(c_printer *p, buf *out);

#endif
