/* The device arena of wave-emu: filled before the run, dumped and compared after it. */
#ifndef CLI_EMU_MEMORY_H
#define CLI_EMU_MEMORY_H

#include "cli/emu_options.h"

#include <stdio.h>

typedef struct emu_arena {
    uint8_t *data;
    uint64_t size;
    emu_list initialised; /* wave_range */
} emu_arena;

/* Creates the arena with the buffers of named arguments, then applies --fill-zero, --fill-iota,
 * --arg. CLI_OK, or an exit status after printing an error. Also checks that every dump and
 * assertion is inside the arena. */
int emu_arena_prepare(emu_arena *arena, emu_options *options);
void emu_arena_free(emu_arena *arena);

/* Prints the --dump-… of memory, in the order of the reference, to standard output. */
void emu_arena_dump(const emu_arena *arena, const emu_options *options);

/* Checks the --assert-…; returns how many failed, each printed to standard error. */
size_t emu_arena_assert(const emu_arena *arena, const emu_options *options);

/* Lines of 16 bytes: address, hex, characters. `data` points to the byte at `start`. */
void emu_hex_lines(FILE *out, const uint8_t *data, uint64_t start, uint64_t count);

#endif
