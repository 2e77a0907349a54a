/* wave-emu --test: the launch and the expected memory from a file of the test format
 * (docs/using/test-format.md). */
#ifndef CLI_EMU_TEST_H
#define CLI_EMU_TEST_H

#include "cli/emu_memory.h"
#include "testfile/testfile.h"

typedef struct emu_test {
    tf_test *test;
    tf_run run;
} emu_test;

/* Reads the `;@` lines and sets the options to the launch they describe, at the wave width of the
 * command line or else the first one listed. CLI_OK, or a status after printing an error. */
int emu_test_read(emu_test *t, emu_options *options, const cli_input *input);

/* Copies the buffers into the arena. */
bool emu_test_fill(const emu_test *t, emu_arena *arena);

/* Whether memory matches the file's expectations; reports the result to standard error. */
bool emu_test_compare(const emu_test *t, const emu_arena *arena, const char *name);

void emu_test_free(emu_test *t);

#endif
