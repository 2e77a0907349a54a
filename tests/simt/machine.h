/* Running one launch of one compiled kernel in this process: the part of simt_run.h's library that
 * runs in the child. */
#ifndef SIMT_MACHINE_H
#define SIMT_MACHINE_H

#include "simt/simt.h"

typedef struct machine_launch {
    uint32_t grid[3], group[3];
    uint32_t width, gfx;
    simt_dot *dot;
    uint64_t seed;       /* 0: lanes in order, 1: in reverse order, others: random; from 2 on, even
                            seeds let stores wait for fences */
    uint64_t step_limit; /* loop iterations, summed over the lanes of a workgroup */
    simt_params params;
} machine_launch;

typedef struct machine_result {
    simt_error error;
    uint64_t steps;
    char message[200];
} machine_result;

/* Call once per process, before the first launch. False when memory cannot be mapped. */
bool machine_open(void);
void machine_run(const simt_entry *entry, const machine_launch *launch, machine_result *result);

/* The memory of a launch, `size` bytes long, at the very end of a mapping: nothing is mapped after
 * it within the range of a 32-bit address. NULL when there is not enough memory. */
uint8_t *machine_arena(uint64_t size);
/* True if nothing was written next to the arena. */
bool machine_arena_intact(void);

/* ---- memory.c, used by machine.c ---- */

/* The stack of the n-th lane; NULL: out of memory. */
void *machine_stack(uint32_t lane, size_t *size);
/* Describes an address that must not be accessed. */
simt_error machine_fault(const void *address, char *text, size_t size);

#endif
