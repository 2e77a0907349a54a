/* wave-emu --test: the launch and the expected memory that a file of the test format holds
 * (docs/test-format.md). */
#ifndef CLI_EMU_TEST_H
#define CLI_EMU_TEST_H

#include "cli/emu_memory.h"
#include "testfile/testfile.h"

typedef struct emu_test {
    tf_test *test;
    tf_run run;
} emu_test;

/* Reads the `;@` lines and makes the options those of the launch they describe, at the wave width
 * of the command line or else the first one listed. CLI_OK, or a status after printing why. */
int emu_test_read(emu_test *t, emu_options *options, const cli_input *input);

/* Puts the buffers into the arena. */
bool emu_test_fill(const emu_test *t, emu_arena *arena);

/* Whether memory is what the file expects; says so on standard error. */
bool emu_test_compare(const emu_test *t, const emu_arena *arena, const char *name);

void emu_test_free(emu_test *t);

#endif
