/* The state of the convergence lowering, shared by its two files: lower_convergence.c rewrites the
 * structure, lower_masked.c the operations under a mask. */
#ifndef IR_CONVERGENCE_H
#define IR_CONVERGENCE_H

#include "ir/analyse.h"
#include "ir/lower.h"
#include "ir/ssa.h"

/* What an if or loop contains. */
enum { HOLDS_WAVE = 1, HOLDS_HALT = 2, HOLDS_LOOP_EXIT = 4, HOLDS_DIVERGENT_HALT = 8 };

typedef enum ir_conv_mode { KEEP_IF, KEEP_LOOP, MASK_IF, MASK_LOOP } ir_conv_mode;

typedef struct ir_conv_frame {
    ir_conv_mode mode;
    ir_value old; /* the operation in the old function */
    bool guarded; /* it is inside an if of the mask */
    bool plain;   /* copied unchanged, with everything inside */
    bool bare;    /* masked if: its second side does nothing */
    ssa_if guard, branch;
    ssa_loop loop;
    ir_value condition;   /* masked if */
    ir_value entered;     /* the mask at its entry */
    ir_value after_first; /* masked if: lanes remaining at the end of its first side */
    uint32_t results;     /* first variable of its results */
    uint32_t params;      /* first variable of a loop's parameters; for a masked loop, of the next
                           * iteration's */
    uint32_t result_count, param_count;
    uint32_t waiting; /* masked loop: variable of the lanes that wait for the next iteration */
    uint32_t *carried;
    bool *differ; /* masked loop, by parameter: ir_continues_differ */
} ir_conv_frame;

typedef struct ir_conv {
    const ir_func *old;
    ir_func *new;
    ssa s;
    ir_uniformity uniform;
    ir_ends ends;
    uint8_t *holds; /* by operation: HOLDS_… */
    ir_value *to;   /* new value of each old one */
    ir_conv_frame *frames;
    uint32_t frame_count, plain_depth;
    uint32_t operations;   /* of the old function */
    bool mask_halts;       /* halted lanes must be tracked in the mask */
    uint32_t active, live; /* variables: the mask; lanes that have not halted */
    ir_value token;
} ir_conv;

/* ---- lower_masked.c ---- */

/* Boolean operations, folded as they are made. */
bool ir_conv_is_bool(const ir_conv *w, ir_value v, bool value);
ir_value ir_conv_truth(ir_conv *w, bool value);
ir_value ir_conv_both(ir_conv *w, ir_value a, ir_value b);
ir_value ir_conv_either(ir_conv *w, ir_value a, ir_value b);
ir_value ir_conv_not(ir_conv *w, ir_value a);
ir_value ir_conv_choose(ir_conv *w, ir_value condition, ir_value yes, ir_value no);
/* Whether the mask is true in any lane of the wave: a uniform value. */
ir_value ir_conv_any(ir_conv *w, ir_value mask);
/* The active lanes. */
ir_value ir_conv_active(const ir_conv *w);
void ir_conv_set_active(ir_conv *w, ir_value mask);
/* The new value of an old value, and of an operand of an old operation. */
ir_value ir_conv_mapped(ir_conv *w, ir_value v);
ir_value ir_conv_arg(ir_conv *w, ir_value v, unsigned index);
ir_value ir_conv_zero(ir_conv *w, ir_type type);
/* Copies an old operation and maps it to its copy. */
void ir_conv_copy(ir_conv *w, ir_value v);
/* Copies the operations from v on in its region that all lanes may execute, whatever the mask, or
 * with effects while there is no mask. Returns the last one, or 0 when there are none. */
ir_value ir_conv_copy_many(ir_conv *w, ir_value v);
/* Makes the new operations of an old convergent operation; returns its new value. */
ir_value ir_conv_wave(ir_conv *w, ir_value v);
/* The values an operation defines, one by one: itself, or the results that follow it. */
ir_value ir_conv_next_value(const ir_func *f, ir_value op, ir_value v);
/* Copies an old operation with an effect, guarded by an if of the mask if there is one. */
void ir_conv_effect(ir_conv *w, ir_value v);

#endif
