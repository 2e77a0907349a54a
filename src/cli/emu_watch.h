/* Watching a run of wave-emu: the traces, the breakpoints with their prompt, and the registers each
 * lane ends with. Each is an observer of the library. */
#ifndef CLI_EMU_WATCH_H
#define CLI_EMU_WATCH_H

#include "cli/emu_options.h"

#include <stdio.h>

/* The disassembled instructions of the kernel, made as they are asked for. */
typedef struct emu_texts {
    const wave_module *module;
    size_t kernel;
    char **at; /* by instruction index; NULL: not asked for yet */
    uint32_t count;
} emu_texts;

bool emu_texts_init(emu_texts *texts, const wave_module *module, size_t kernel);
const char *emu_text_at(emu_texts *texts, const wave_step *step);
void emu_texts_free(emu_texts *texts);

/* ---- emu_trace.c: --trace and --mem-trace ---- */

typedef struct emu_tracer emu_tracer;

/* NULL: out of memory. */
emu_tracer *emu_tracer_create(const emu_options *options, emu_texts *texts,
                              wave_observer *observer);
/* Prints the instruction that was begun and not finished, if there is one; then frees. */
void emu_tracer_destroy(emu_tracer *tracer);

/* ---- emu_debug.c: --break ---- */

typedef struct emu_debugger {
    const emu_options *options;
    emu_texts *texts;
    uint64_t steps_left; /* of the wave below, until the next stop */
    uint32_t step_workgroup[3], step_wave;
    bool input_ended, quit;
} emu_debugger;

void emu_debugger_init(emu_debugger *debugger, const emu_options *options, emu_texts *texts,
                       wave_observer *observer);

/* ---- emu_registers.c: --dump-regs ---- */

typedef struct emu_registers emu_registers;

/* Prints on standard output at the end of each workgroup. NULL: out of memory. */
emu_registers *emu_registers_create(wave_observer *observer);
/* False when it ran out of memory on the way. */
bool emu_registers_destroy(emu_registers *registers);

/* One lane: a line with its thread and predicates, then rows of eight registers; rows of zeros are
 * left out. `note` says more about the lane, or is "". */
void emu_print_lane(FILE *out, const wave_step *step, uint32_t lane, const char *note,
                    const uint32_t *registers, uint32_t count, unsigned predicates);
/* Lanes of the step's wave that exist: 0 … n-1. */
uint32_t emu_lanes_of(const wave_step *step);

#endif
