/* The state of the convergence lowering, shared by its two files: lower_convergence.c rewrites
 * structure, lower_masked.c the operations that stand under a mask. */
#ifndef IR_CONVERGENCE_H
#define IR_CONVERGENCE_H

#include "ir/analyse.h"
#include "ir/lower.h"
#include "ir/ssa.h"

/* What stands in an if or loop. */
enum { HOLDS_WAVE = 1, HOLDS_HALT = 2, HOLDS_LOOP_EXIT = 4, HOLDS_DIVERGENT_HALT = 8 };

typedef enum frame_mode { KEEP_IF, KEEP_LOOP, MASK_IF, MASK_LOOP } frame_mode;

typedef struct frame {
    frame_mode mode;
    ir_value old; /* the operation in the old function */
    bool guarded; /* an if of the mask stands around it */
    bool plain;   /* copied as it is, all the way down */
    bool bare;    /* masked if: nothing is done in its second side */
    ssa_if guard, branch;
    ssa_loop loop;
    ir_value condition;   /* masked if */
    ir_value entered;     /* the mask when it was reached */
    ir_value after_first; /* masked if: lanes left at the end of its first side */
    uint32_t results;     /* first variable of its results */
    uint32_t params; /* first variable of a loop's parameters; of a masked loop the next ones' */
    uint32_t result_count, param_count;
    uint32_t waiting; /* masked loop: variable of the lanes that wait for its next iteration */
    uint32_t *carried;
    bool *differ; /* masked loop, by parameter: ir_continues_differ */
} frame;

typedef struct lowering {
    const ir_func *old;
    ir_func *new;
    ssa s;
    ir_uniformity uniform;
    ir_ends ends;
    uint8_t *holds; /* by operation: HOLDS_… */
    ir_value *to;   /* new value of each old one */
    frame *frames;
    uint32_t frame_count, plain_depth;
    bool mask_halts;       /* a halted lane would be missed */
    uint32_t active, live; /* variables: the mask; lanes that have not halted */
    ir_value token;
} lowering;

/* ---- lower_masked.c ---- */

/* Booleans, folded as they are made. */
bool conv_is_bool(const lowering *w, ir_value v, bool value);
ir_value conv_truth(lowering *w, bool value);
ir_value conv_both(lowering *w, ir_value a, ir_value b);
ir_value conv_either(lowering *w, ir_value a, ir_value b);
ir_value conv_not(lowering *w, ir_value a);
ir_value conv_choose(lowering *w, ir_value condition, ir_value yes, ir_value no);
/* Whether any lane of the wave has it: the same in all of them. */
ir_value conv_any(lowering *w, ir_value mask);
/* The lanes at work. */
ir_value conv_active(const lowering *w);
void conv_set_active(lowering *w, ir_value mask);
/* Old operations in the new function: operands, a copy, one that is convergent, one with effects.
 */
ir_value conv_mapped(lowering *w, ir_value v);
ir_value conv_arg(lowering *w, ir_value v, unsigned index);
ir_value conv_zero(lowering *w, ir_type type);
ir_value conv_copy(lowering *w, ir_value v);
ir_value conv_wave(lowering *w, ir_value v);
/* The values an operation defines, one after the other: itself, or the results behind it. */
ir_value conv_next_value(const ir_func *f, ir_value op, ir_value v);
void conv_effect(lowering *w, ir_value v);

#endif
