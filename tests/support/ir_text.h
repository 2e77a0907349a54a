/* Kernels as text. Golden tests of passes: they compare the body after the pass. */
#ifndef SUPPORT_IR_TEXT_H
#define SUPPORT_IR_TEXT_H

#include "base/arena.h"
#include "ir/ir.h"

/* Parses the body of such a kernel as ir_check does; names live in the arena. */
void ir_read(ir_func *f, const char *body, arena *memory);
/* Parses a converged kernel of 64 threads with 8 argument words, 4096 bytes of local memory, 32 of
 * private memory and the constants 00 01 … 0F, runs the pass and then dead-code elimination,
 * verifies, and compares the text. */
void ir_check(bool (*pass)(ir_func *f), const char *before, const char *after);
/* The pass must leave the text unchanged. */
void ir_check_same(bool (*pass)(ir_func *f), const char *text);
/* The number of operations of a kind after the pass. */
unsigned ir_count_after(bool (*pass)(ir_func *f), const char *text, ir_op op);

#endif
