/* The order of the passes, and how to watch them. */
#ifndef IR_PASSES_H
#define IR_PASSES_H

#include "ir/ir.h"

typedef struct ir_pass_options {
    bool optimise;          /* -O2; otherwise only what must run */
    bool bounds;            /* every access is checked: each must stay one of its own */
    bool fast_math;         /* leave fsin, fcos, fexp2, flog2 to the target */
    bool lockstep;          /* put fences where lanes of a wave may meet */
    bool deterministic;     /* fix the order of float sums */
    bool indexed;           /* the target prints elements of buffers, not addresses */
    bool verify;            /* check the function after every pass */
    const char *dump_after; /* name of a pass, "build" for the start, "all", or NULL */
    buf *dump;              /* where the text goes */
    /* When not NULL: told after every pass. */
    void (*timed)(void *user, const char *pass, double seconds, uint32_t operations);
    void *user;
} ir_pass_options;

/* False when an error was reported; the function is then not to be used. */
bool ir_run_passes(ir_func *f, const ir_pass_options *options, wave_diags *diags);

/* Names for --dump-ir, in order; NULL behind the last. */
const char *ir_pass_name(unsigned index);

#endif
