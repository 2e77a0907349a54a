/* A kernel around one operation of the IR, for the test that every target prints all of them. */
#ifndef SUPPORT_EVERY_OP_H
#define SUPPORT_EVERY_OP_H

#include "emit/emit.h"

/* Whether the operation is printed only as part of another one, or needs operands that match each
 * other. No kernel is made for it; the golden files cover it. */
bool every_op_needs_context(ir_op op);
/* The same for the C family, where a pointer is printed in the access that uses it. */
bool every_op_needs_context_in_c(ir_op op);
/* The operation with operands from arguments; its result is stored. The caller frees it. */
void every_op_make(ir_func *f, ir_op op, uint32_t wave_width);
/* Checks such a kernel for a target of the C family; the options may leave the architecture and the
 * width to it. The test fails when the kernel is refused, when the text contains leftovers of the
 * form notation, has unbalanced brackets, or calls a helper that is not defined at the top of the
 * file. */
void every_op_check_c(const emit_backend *target, ir_op op, emit_options o);
/* The test fails unless the target refuses it, with one diagnostic of this code. */
void every_op_check_refused(const emit_backend *target, ir_op op, emit_options o, const char *code);

typedef struct every_op_limit {
    unsigned arch;
    uint32_t wave_width, workgroup[3], local_memory;
} every_op_limit;

/* The test fails unless the target refuses such a kernel with one diagnostic: E_TARGET_LIMIT. */
void every_op_check_limit(const emit_backend *target, every_op_limit l);

#endif
