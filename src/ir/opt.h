/* The optimisations. Each returns whether it changed anything and leaves a function that the
 * verifier accepts. Results stay identical bit for bit, except for ir_opt_fast. */
#ifndef IR_OPT_H
#define IR_OPT_H

#include "ir/ir.h"

/* Dead-code elimination: removes unneeded operations, results, parameters, and ifs without
 * effect. */
bool ir_opt_dead_code(ir_func *f);
/* Folds constants, exact algebra, and ifs with a constant condition. */
bool ir_opt_simplify(ir_func *f);
/* Value numbering: computes equal values once. */
bool ir_opt_number(ir_func *f);
/* Removes parameters and results that are only another name for a value. */
bool ir_opt_prune(ir_func *f);
/* Makes the continue the last operation of a loop that ends with a break. */
bool ir_opt_ends(ir_func *f);
/* Gives values the type they are used as. */
bool ir_opt_types(ir_func *f);
/* If-conversion: turns small ifs into selects; merges neighbouring and nested ifs. */
bool ir_opt_select(ir_func *f);
/* Loop-invariant code motion. */
bool ir_opt_invariant(ir_func *f);
/* Unrolls loops with a known number of iterations. */
bool ir_opt_unroll(ir_func *f);
/* Unrolls loops with an unknown number of iterations, in groups. */
bool ir_opt_groups(ir_func *f);
/* Reciprocals instead of divisions, contraction into fma: only for --fp=fast. */
bool ir_opt_fast(ir_func *f);
/* Uses the known bits of values. */
bool ir_opt_bits(ir_func *f);
/* Folds constant parts of addresses into the accesses, and moves pointers out of loops. */
bool ir_opt_address(ir_func *f);
/* Replaces loads from constant memory at constant addresses by constants. */
bool ir_opt_constants(ir_func *f);
/* Promotes private memory that has only constant addresses to values. */
bool ir_opt_private(ir_func *f);
/* Turns addresses in contained buffers into pointers. */
bool ir_opt_buffers(ir_func *f);
/* Turns the offsets of these pointers into indices, for targets that print elements. */
bool ir_opt_index(ir_func *f);
/* Turns the two words of a 64-bit element of a buffer into one value, for such targets. */
bool ir_opt_elements(ir_func *f);
/* Moves loads from buffers that nothing writes up past stores. */
bool ir_opt_reads(ir_func *f);
/* Orders the multiply-adds of outer products, for sm_75. */
bool ir_opt_products(ir_func *f);
/* Merges adjacent accesses into wide ones. */
bool ir_opt_wide(ir_func *f);
/* Outlines pure code that is repeated often into functions, with a call in each place. */
bool ir_opt_outline(ir_func *f);
/* The reverse, for IR that was read as text. Not a pass. */
bool ir_opt_inline(ir_func *f);

#endif
