/* Running one launch of one compiled kernel in this process: what the library of simt_run.h does in
 * its child. */
#ifndef SIMT_MACHINE_H
#define SIMT_MACHINE_H

#include "simt/simt.h"

typedef struct machine_launch {
    uint32_t grid[3], group[3];
    uint32_t width, gfx;
    simt_dot *dot;
    uint64_t seed;       /* 0: lanes in order, 1: in reverse order, others: random; from 2 on, even
                            seeds let stores wait for fences */
    uint64_t step_limit; /* iterations of loops, of all lanes of a workgroup */
    simt_params params;
} machine_launch;

typedef struct machine_result {
    simt_error error;
    uint64_t steps;
    char message[200];
} machine_result;

/* Once for each process, before the first launch. False when memory cannot be mapped. */
bool machine_open(void);
void machine_run(const simt_entry *entry, const machine_launch *launch, machine_result *result);

/* The bytes of memory a launch may use, at the very end of a mapping: after them, for as far as a
 * 32-bit address goes, nothing is mapped. NULL when there is not so much memory. */
uint8_t *machine_arena(uint64_t size);
/* Whether nothing was written around the arena. */
bool machine_arena_intact(void);

/* ---- memory.c, for machine.c ---- */

/* Stack of the n-th lane; NULL: no memory. */
void *machine_stack(uint32_t lane, size_t *size);
/* What an address that may not be touched belongs to. */
simt_error machine_fault(const void *address, char *text, size_t size);

#endif
