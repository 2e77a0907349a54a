/* Runs under many seeds (sweep.c), and where two of them part ways (sweep_log.c). */
#ifndef EMU_SWEEP_H
#define EMU_SWEEP_H

#include "emu/machine.h"

/* One access, and who makes it. */
typedef struct sweep_access {
    uint32_t workgroup[3], wave, pc;
    wave_access access;
} sweep_access;

/* What is compared. LANES: what each lane does, access by access. BYTE: who writes one byte of
 * device memory, write by write. */
typedef enum sweep_mode { SWEEP_LANES, SWEEP_BYTE } sweep_mode;

typedef struct sweep_question {
    const wave_module *module;
    sweep_mode mode;
    uint64_t byte;
    const wave_launch *plain, *other; /* the memory of each is used up */
    const uint8_t *before;            /* what both start from */
} sweep_question;

typedef struct sweep_answer {
    bool differs;   /* an access does; otherwise `other` is the last that was looked at */
    bool has_other; /* there is such an access */
    bool has_plain; /* the plain order has one in its place */
    bool too_many;  /* accesses to look at all of them */
    sweep_access other, plain;
} sweep_answer;

/* The first access of the other run that the plain one does not have in its place. False when out
 * of memory. */
bool sweep_compare(const sweep_question *question, sweep_answer *answer);

#endif
