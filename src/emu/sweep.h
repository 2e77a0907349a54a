/* Runs under many seeds (sweep.c), and where two runs diverge (sweep_log.c). */
#ifndef EMU_SWEEP_H
#define EMU_SWEEP_H

#include "emu/machine.h"

/* One access, and the lane that makes it. */
typedef struct sweep_access {
    uint32_t workgroup[3], wave, pc;
    wave_access access;
} sweep_access;

/* What is compared. LANES: the accesses of each lane, in order. BYTE: the writes to one byte of
 * device memory, in order. */
typedef enum sweep_mode { SWEEP_LANES, SWEEP_BYTE } sweep_mode;

typedef struct sweep_question {
    const wave_module *module;
    sweep_mode mode;
    uint64_t byte;
    const wave_launch *plain, *other; /* the memory of both is overwritten */
    const uint8_t *before;            /* what both start from */
} sweep_question;

typedef struct sweep_answer {
    bool differs;   /* an access does; otherwise `other` is the last access examined */
    bool has_other; /* there is such an access */
    bool has_plain; /* the plain order has an access in its place */
    bool too_many;  /* more accesses than can be examined */
    sweep_access other, plain;
} sweep_answer;

/* Finds the first access of the other run that differs from the plain run's access in the same
 * place. False when out of memory. */
bool sweep_compare(const sweep_question *question, sweep_answer *answer);

#endif
