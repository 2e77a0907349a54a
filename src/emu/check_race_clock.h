/* Vector clocks of the race checker: how far every wave has come, as one wave knows it. Waves of
 * the running workgroup have a slot each; of earlier workgroups, of which most kernels never learn
 * anything, a clock knows the first so many notes of some logs. Which access makes which clock grow
 * is in check_race.c. */
#ifndef EMU_CHECK_RACE_CLOCK_H
#define EMU_CHECK_RACE_CLOCK_H

#include "emu/check_race_log.h"
#include "isa/isa.h"

/* A wave is numbered through the whole launch: workgroup * waves of a workgroup + wave. The waves
 * of the running workgroup are first, first + 1, …, first + count - 1. */
typedef struct race_group {
    uint32_t first, count;
} race_group;

typedef struct race_clock {
    uint32_t now[ISA_MAX_WAVES]; /* by wave of the running workgroup */
    race_list past;              /* log number, notes known */
} race_clock;

/* All that return bool: false when out of memory. */
bool race_clock_join(race_clock *into, const race_clock *from, race_group group);
bool race_clock_copy(race_clock *into, const race_clock *from);
void race_clock_clear(race_clock *clock); /* keeps its memory */
void race_clock_free(race_clock *clock);

/* True when the wave is known to have come to `time`. */
bool race_clock_covers(const race_clock *clock, uint32_t wave, uint32_t time, const race_logs *logs,
                       race_group group);

/* Leaves the clock's knowledge in a log. */
bool race_clock_publish(const race_clock *clock, race_logs *logs, uint32_t log, race_group group);

#endif
