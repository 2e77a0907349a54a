/* Kernels as text. Golden tests of passes: a body goes in, the body after the pass comes out. */
#ifndef SUPPORT_IR_TEXT_H
#define SUPPORT_IR_TEXT_H

#include "base/arena.h"
#include "ir/ir.h"

/* Parses the body of such a kernel as ir_check does; names live in the arena. */
void ir_read(ir_func *f, const char *body, arena *memory);
/* Parses a converged kernel of 64 threads with 8 argument words, 4096 bytes of local memory, 32 of
 * private memory and the constants 00 01 … 0F, runs the pass and then the removal of dead code,
 * verifies, and compares the text. */
void ir_check(bool (*pass)(ir_func *f), const char *before, const char *after);
/* The pass leaves it alone. */
void ir_check_same(bool (*pass)(ir_func *f), const char *text);

#endif
