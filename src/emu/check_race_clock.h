/* Vector clocks of the race checker: how far every lane has come, as some lane knows it. Lanes of
 * the running workgroup have a slot each; of earlier workgroups, of which most kernels never learn
 * anything, a clock knows the first so many notes of some logs. Clocks are shared: after a fence
 * all its lanes hold the same one, which nobody changes any more. Which event makes which clock is
 * in check_race.c. */
#ifndef EMU_CHECK_RACE_CLOCK_H
#define EMU_CHECK_RACE_CLOCK_H

#include "emu/check_race_log.h"
#include "isa/isa.h"

/* A wave is numbered through the whole launch: workgroup * waves of a workgroup + wave. The waves
 * of the running workgroup are first, first + 1, …, first + count - 1; lane l of the wave in slot w
 * is thread w * width + l. */
typedef struct race_group {
    uint32_t first, count, width;
} race_group;

typedef struct race_clock {
    struct race_clock *next; /* of the free ones */
    uint32_t users;
    uint32_t number; /* no two clocks have the same, and a changed clock gets a new one */
    uint32_t mark;   /* the join that has looked at it */
    uint32_t all[ISA_MAX_WAVES]; /* the least of a wave's lanes; set by race_clock_seal */
    race_list past;              /* log number, notes known */
    uint32_t now[];              /* by thread of the running workgroup */
} race_clock;

typedef struct race_clocks {
    race_clock *free;
    uint32_t threads; /* slots of each clock: waves times width */
    uint32_t present; /* those of lanes that exist; the others count as known for ever */
    uint32_t numbers;
    uint32_t live; /* clocks in use */
} race_clocks;

/* A clock that knows nothing, with one user; NULL: out of memory. */
race_clock *race_clock_new(race_clocks *clocks);
race_clock *race_clock_share(race_clock *clock); /* NULL stays NULL */
void race_clock_drop(race_clocks *clocks, race_clock *clock);
void race_clocks_free(race_clocks *clocks); /* the free ones: all must have been dropped */

/* All that return bool: false when out of memory. */
bool race_clock_join(const race_clocks *clocks, race_clock *into, const race_clock *from);
/* *into becomes a clock that knows both; it may be NULL before, and what it was is not changed if
 * somebody else uses it. */
bool race_clock_gather(race_clocks *clocks, race_clock **into, race_clock *from);
void race_clock_seal(race_clock *clock, race_group group);

/* True when the lane of an earlier workgroup is known to have come to `time`. */
bool race_clock_knows_earlier(const race_clock *clock, uint32_t wave, uint32_t lane, uint32_t time,
                              const race_logs *logs);

/* Leaves the clock's knowledge of a workgroup and of what that knew in a log. */
bool race_clock_publish(const race_clock *clock, race_logs *logs, uint32_t log, race_group group);

#endif
