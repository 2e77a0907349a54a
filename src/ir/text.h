/* The IR as text. print.c writes it, parse.c reads it back: printing, parsing and printing again
 * gives the same text. docs/ir.md describes it. */
#ifndef IR_TEXT_H
#define IR_TEXT_H

#include "base/arena.h"
#include "ir/ir.h"

void ir_print(const ir_func *f, buf *out);

/* False with a diagnostic (E_IR, at line and column) when the text is not IR. Names are copied into
 * `memory`. The function is verified. */
bool ir_parse(ir_func *f, const char *text, size_t size, arena *memory, wave_diags *diags);

/* ---- verify.c ---- */

/* Structure, types, visibility, terminators, and after the convergence lowering its rule. False
 * with a diagnostic (E_IR) naming the operation; `stage` says after what. */
bool ir_verify(const ir_func *f, const char *stage, wave_diags *diags);

#endif
