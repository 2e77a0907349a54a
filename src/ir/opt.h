/* The optimisations. Each returns whether it changed anything and leaves a function the verifier
 * accepts; results are bit for bit those of the function before. */
#ifndef IR_OPT_H
#define IR_OPT_H

#include "ir/ir.h"

/* Removes what nothing needs: operations, results, parameters, ifs without effect. */
bool ir_opt_dead_code(ir_func *f);
/* Folds constants, exact algebra, ifs with a constant condition. */
bool ir_opt_simplify(ir_func *f);
/* Computes equal values once. */
bool ir_opt_number(ir_func *f);
/* Removes parameters and results that are only another name of a value. */
bool ir_opt_prune(ir_func *f);
/* Gives values the type they are used as. */
bool ir_opt_types(ir_func *f);
/* Makes selects of small ifs, merges neighbours and nests. */
bool ir_opt_select(ir_func *f);
/* Moves out of loops what is the same in every iteration. */
bool ir_opt_invariant(ir_func *f);
/* Writes out loops whose number of iterations is known. */
bool ir_opt_unroll(ir_func *f);
/* Uses what is known about the bits of values. */
bool ir_opt_bits(ir_func *f);
/* Moves constant parts of addresses into the accesses, and pointers out of loops. */
bool ir_opt_address(ir_func *f);
/* Reads constant memory at constant addresses. */
bool ir_opt_constants(ir_func *f);
/* Makes values of private memory that has only constant addresses. */
bool ir_opt_private(ir_func *f);
/* Makes pointers of addresses in contained buffers. */
bool ir_opt_buffers(ir_func *f);
/* Makes indices of the offsets in them, for targets that print elements. */
bool ir_opt_index(ir_func *f);
/* Makes one access of neighbouring ones. */
bool ir_opt_wide(ir_func *f);

#endif
