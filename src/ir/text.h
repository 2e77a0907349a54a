/* The IR as text. print.c writes it, parse.c reads it back: printing, parsing and printing again
 * yields the same text. docs/inside/ir.md describes it. */
#ifndef IR_TEXT_H
#define IR_TEXT_H

#include "base/arena.h"
#include "ir/ir.h"

void ir_print(const ir_func *f, buf *out);
/* The same, each operation with the offset of its instruction as a comment: "; +0x18". */
void ir_print_places(const ir_func *f, buf *out);

/* Returns false with a diagnostic (E_IR, at line and column) when the text is not valid IR. Names
 * are copied into `memory`. The function is verified. */
bool ir_parse(ir_func *f, const char *text, size_t size, arena *memory, wave_diags *diags);

/* ---- verify.c ---- */

/* Checks structure, types, visibility, terminators and, after the convergence lowering, its
 * guarantee. Returns false with a diagnostic (E_IR) naming the operation; `stage` names the
 * preceding pass. */
bool ir_verify(const ir_func *f, const char *stage, wave_diags *diags);

#endif
