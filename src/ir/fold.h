/* Constant folding with the emulator's arithmetic. */
#ifndef IR_FOLD_H
#define IR_FOLD_H

#include "ir/ir.h"

/* The bits of the result for constant operands; false when the operation cannot be folded. */
bool ir_fold(ir_op op, ir_type type, const uint64_t *args, uint64_t *out);

#endif
