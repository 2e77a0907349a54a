/* A kernel around one operation of the IR, for the test that every target prints all of them. */
#ifndef SUPPORT_EVERY_OP_H
#define SUPPORT_EVERY_OP_H

#include "ir/ir.h"

/* Whether the operation is printed with what it belongs to, or is made of several operands: no
 * kernel is made for it, and the golden files have it. */
bool every_op_needs_context(ir_op op);
/* The operation with operands from arguments; its result is stored. The caller frees it. */
void every_op_make(ir_func *f, ir_op op, uint32_t wave_width);

#endif
