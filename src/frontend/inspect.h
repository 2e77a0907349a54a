/* Judging single instructions in detail, and reporting about them. */
#ifndef FRONTEND_INSPECT_H
#define FRONTEND_INSPECT_H

#include "frontend/frontend.h"

/* A report about one instruction (or the kernel, when NULL), with its text. Counts errors. */
void fe_report(fe_context *context, wave_severity severity, diag_code code, const fe_insn *insn,
               const char *hint, const char *format, ...) BUF_PRINTF(6, 7);

/* Everything but register numbers, the need of the EXT flag and nesting. `word1` may be any where
 * there is none. May turn an upstream CAS into one. */
void fe_inspect(fe_context *context, fe_insn *insn, uint32_t word0, uint32_t word1);

/* Extensions in a file that declares none. */
void fe_inspect_extension(fe_context *context, const fe_insn *insn);

/* Register numbers: those from `limit` on do not exist. */
void fe_inspect_registers(fe_context *context, const fe_insn *insn, uint32_t limit);

/* Reports the word at `at`, which does not decode, and steps over it and all such words that
 * follow, so that data in the code gives one message and not thousands. Returns where to go on. */
uint32_t fe_skip_unknown(fe_context *context, uint32_t size, uint32_t at);

/* ---- upstream.c ---- */

/* The conversion in the opposite direction; any other operation as it is. */
unsigned fe_reversed_cvt(unsigned op);
void fe_reverse_cvts(fe_insn *insns, uint32_t count);
/* W_UPSTREAM_CVT, where the file looks like the upstream compiler's. */
void fe_look_for_upstream_cvt(fe_context *context, const fe_insn *insns, uint32_t count);

/* wbin_sections.c: drops the line records of a kernel when one is not at the start of an
 * instruction. False when that is an error. */
bool fe_check_lines(fe_context *context, fe_kernel *kernel);

#endif
