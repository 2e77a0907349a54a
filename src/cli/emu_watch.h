/* Observing a run of wave-emu: the traces, the breakpoints with their prompt, and the final
 * registers of each lane. Each is an observer of the library. */
#ifndef CLI_EMU_WATCH_H
#define CLI_EMU_WATCH_H

#include "cli/emu_options.h"
#include "cli/emu_texts.h"

#include <stdio.h>

/* ---- emu_trace.c: --trace and --mem-trace ---- */

typedef struct emu_tracer emu_tracer;

/* NULL: out of memory. */
emu_tracer *emu_tracer_create(const emu_options *options, emu_texts *texts,
                              wave_observer *observer);
/* Prints an instruction that was started but not finished, if any; then frees the tracer. */
void emu_tracer_destroy(emu_tracer *tracer);

/* ---- emu_debug.c: --break ---- */

typedef struct emu_debugger emu_debugger;

/* Includes the points of --break; NULL with *status set after printing an error. */
emu_debugger *emu_debugger_create(const emu_options *options, emu_texts *texts,
                                  wave_observer *observer, int *status);
/* Whether the user has ended the run. */
bool emu_debugger_quit(const emu_debugger *debugger);
void emu_debugger_destroy(emu_debugger *debugger);

/* ---- emu_registers.c: --dump-regs ---- */

typedef struct emu_registers emu_registers;

/* Prints to standard output at the end of each workgroup. NULL: out of memory. */
emu_registers *emu_registers_create(wave_observer *observer);
/* False when it ran out of memory during the run. */
bool emu_registers_destroy(emu_registers *registers);

/* One lane: a line with its thread and predicates, then rows of eight registers; rows of zeros are
 * omitted. `note` adds information about the lane, or is "". */
void emu_print_lane(FILE *out, const wave_step *step, uint32_t lane, const char *note,
                    const uint32_t *registers, uint32_t count, unsigned predicates);
/* Lanes of the step's wave that exist: 0 … n-1. */
uint32_t emu_lanes_of(const wave_step *step);

#endif
