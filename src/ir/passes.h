/* The order of the passes, and how to observe them. */
#ifndef IR_PASSES_H
#define IR_PASSES_H

#include "ir/ir.h"

typedef struct ir_pass_options {
    bool optimise;          /* -O2; otherwise only what must run */
    bool bounds;            /* every access is checked: accesses must not be merged */
    bool fast_math;         /* approximations of the target, reciprocals, contraction */
    bool lockstep;          /* insert fences where lanes of a wave may access the same bytes */
    bool deterministic;     /* fix the order of float sums */
    bool indexed;           /* the target prints elements of buffers, not addresses */
    bool wbin;              /* the target is WBIN: lanes, tiles and addresses are not lowered */
    bool verify;            /* check the function after every pass */
    const char *dump_after; /* name of a pass, "build" for the start, "all", or NULL */
    buf *dump;              /* where the text is written */
    bool places;            /* with the offsets that operations come from */
    /* If not NULL: called after every pass. */
    void (*timed)(void *user, const char *pass, double seconds, uint32_t operations);
    void *user;
} ir_pass_options;

/* Returns false when an error was reported; the function must not be used then. */
bool ir_run_passes(ir_func *f, const ir_pass_options *options, wave_diags *diags);

/* Names for --dump-ir, in order; NULL after the last. */
const char *ir_pass_name(unsigned index);

#endif
