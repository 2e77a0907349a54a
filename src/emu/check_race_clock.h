/* Vector clocks of the race checker: how far each lane has progressed, as known to some lane. Each
 * lane of the running workgroup has a slot. What is known of earlier workgroups, in most kernels
 * nothing, is stored as the number of notes known of each log. Clocks are shared: after a fence all
 * its lanes hold the same clock, which is then immutable. check_race.c decides which event makes
 * which clock. */
#ifndef EMU_CHECK_RACE_CLOCK_H
#define EMU_CHECK_RACE_CLOCK_H

#include "emu/check_race_log.h"
#include "isa/isa.h"

/* Waves are numbered across the launch: workgroup * waves per workgroup + wave. The waves of the
 * running workgroup are first, first + 1, …, first + count - 1; lane l of the wave in slot w is
 * thread w * width + l. */
typedef struct race_group {
    uint32_t first, count, width;
} race_group;

typedef struct race_clock {
    struct race_clock *next; /* in the free list */
    uint32_t users;
    uint32_t number;             /* unique; a changed clock gets a new one */
    uint32_t mark;               /* number of the clock that it was last joined into */
    uint32_t all[ISA_MAX_WAVES]; /* the minimum over a wave's lanes; set by race_clock_seal */
    race_list past;              /* log number, notes known */
    uint32_t now[];              /* by thread of the running workgroup */
} race_clock;

typedef struct race_clocks {
    race_clock *free;
    uint32_t threads; /* slots per clock: waves times width */
    uint32_t present; /* slots of lanes that exist; the others always count as known */
    uint32_t numbers;
    uint32_t live; /* clocks in use */
} race_clocks;

/* A clock that knows nothing, with one user; NULL: out of memory. */
race_clock *race_clock_new(race_clocks *clocks);
race_clock *race_clock_share(race_clock *clock); /* NULL stays NULL */
void race_clock_drop(race_clocks *clocks, race_clock *clock);
/* Frees the free list: all clocks must have been dropped. */
void race_clocks_free(race_clocks *clocks);

/* Functions that return bool return false when out of memory. */
bool race_clock_join(const race_clocks *clocks, race_clock *into, const race_clock *from);
/* *into becomes a clock that knows both. It may be NULL before; a clock with other users is not
 * modified. */
bool race_clock_gather(race_clocks *clocks, race_clock **into, race_clock *from);
/* Sets `all`. */
void race_clock_seal(race_clock *clock, race_group group);

/* True when the lane of an earlier workgroup is known to have reached `time`. */
bool race_clock_knows_earlier(const race_clock *clock, uint32_t wave, uint32_t lane, uint32_t time,
                              const race_logs *logs);

/* Writes the clock's knowledge of a workgroup, and of what that workgroup knew, to a log. */
bool race_clock_publish(const race_clock *clock, race_logs *logs, uint32_t log, race_group group);

#endif
