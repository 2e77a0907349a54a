/* Vector clocks of the race checker: who knows how far every wave has come. A wave of the running
 * workgroup has a dense slot; waves of earlier workgroups, of which most kernels never learn
 * anything, stand in a sorted list. Which access makes which clock grow is in check_race.c. */
#ifndef EMU_CHECK_RACE_CLOCK_H
#define EMU_CHECK_RACE_CLOCK_H

#include "isa/isa.h"

/* A wave is numbered through the whole launch: workgroup * waves of a workgroup + wave. */
typedef struct race_entry {
    uint32_t wave;
    uint32_t time;
} race_entry;

typedef struct race_list {
    race_entry *at; /* by ascending wave */
    size_t count, capacity;
} race_list;

typedef struct race_clock {
    uint32_t now[ISA_MAX_WAVES]; /* waves of the running workgroup */
    race_list past;              /* waves of earlier ones */
} race_clock;

/* The waves of the running workgroup: first, first + 1, …, first + count - 1. */
typedef struct race_group {
    uint32_t first, count;
} race_group;

/* All that return bool: false when out of memory, with the destination unchanged or partly
 * joined, which errs on the side of silence only. */
bool race_list_join(race_list *into, const race_list *from, bool *changed);
bool race_list_join_clock(race_list *into, const race_clock *from, race_group group, bool *changed);
void race_list_free(race_list *list);

bool race_clock_join(race_clock *into, const race_clock *from, race_group group);
bool race_clock_join_list(race_clock *into, const race_list *from, race_group group);
bool race_clock_copy(race_clock *into, const race_clock *from);
void race_clock_clear(race_clock *clock); /* keeps its memory */
void race_clock_free(race_clock *clock);

/* How much the clock's owner knows of the wave; 0: nothing. */
uint32_t race_clock_of(const race_clock *clock, uint32_t wave, race_group group);

#endif
