/* Checking single instructions in detail, and reporting about them. */
#ifndef FRONTEND_INSPECT_H
#define FRONTEND_INSPECT_H

#include "frontend/frontend.h"

/* Reports about one instruction (or the kernel, when NULL), with its text. Counts errors. */
void fe_report(fe_context *context, wave_severity severity, diag_code code, const fe_insn *insn,
               const char *hint, const char *format, ...) BUF_PRINTF(6, 7);

/* Checks everything except register numbers, the EXT flag and nesting. `word1` is arbitrary if the
 * instruction has one word. May turn an upstream CAS into a real one. */
void fe_inspect(fe_context *context, fe_insn *insn, uint32_t word0, uint32_t word1);

/* Reports extensions in a file that declares none. */
void fe_inspect_extension(fe_context *context, const fe_insn *insn);

/* Checks register numbers: those at or above `limit` do not exist. */
void fe_inspect_registers(fe_context *context, const fe_insn *insn, uint32_t limit);

/* Reports the undecodable word at `at` and skips it and all such words that follow, so that data in
 * the code produces one message and not thousands. Returns where to continue. */
uint32_t fe_skip_unknown(fe_context *context, uint32_t size, uint32_t at);

/* ---- upstream.c ---- */

/* The conversion in the opposite direction; any other operation unchanged. */
unsigned fe_reversed_cvt(unsigned op);
void fe_reverse_cvts(fe_insn *insns, uint32_t count);
/* Reports W_UPSTREAM_CVT if the file looks like the upstream compiler's. */
void fe_look_for_upstream_cvt(fe_context *context, const fe_insn *insns, uint32_t count);

/* wbin_sections.c: drops the line records of a kernel when one is not at the start of an
 * instruction. False when this is an error. */
bool fe_check_lines(fe_context *context, fe_kernel *kernel);

#endif
