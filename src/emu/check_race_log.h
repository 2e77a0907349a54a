/* What lanes have released with device scope, for lanes of later workgroups to learn. A log only
 * grows, so a clock can store what it knows of a log as a length: the cost of passing on knowledge
 * does not depend on how many workgroups have run. */
#ifndef EMU_CHECK_RACE_LOG_H
#define EMU_CHECK_RACE_LOG_H

#include "emu/check_race_list.h"

enum { RACE_ALL_LANES = 64 };

typedef struct race_note {
    uint32_t wave;
    uint32_t lane; /* or RACE_ALL_LANES */
    uint32_t time;
    uint32_t previous; /* 1 + the previous note about the same lanes, or 0 */
} race_note;

typedef struct race_log {
    race_note *notes;
    uint32_t count, capacity;
    uint32_t shown;  /* notes that are referenced: only the notes after them may change */
    uint32_t *slots; /* hash table by wave and lane: 1 + the latest note */
    size_t slot_count;
    race_list included; /* how many notes of which other logs have been copied */
} race_log;

typedef struct race_logs {
    race_log *at;
    uint32_t count, capacity;
} race_logs;

/* Stores the number of a new log in *out. Beyond a limit, words share the last log: they then seem
 * to order more than they do, which can hide a race but never invents one. */
bool race_logs_add(race_logs *logs, uint32_t *out);
void race_logs_free(race_logs *logs);

/* The time of a wave's lane, or of all its lanes, in the first `count` notes; 0: not found. */
uint32_t race_log_time(const race_log *log, uint32_t wave, uint32_t lane, uint32_t count);
/* Notes that the lane is known up to `time`, if this is new. False: out of memory. */
bool race_log_add(race_log *log, uint32_t wave, uint32_t lane, uint32_t time);
/* Copies what is known of other logs (log number, count) into this one. */
bool race_log_include(race_logs *logs, uint32_t number, const race_list *known);
/* The current length of the log, for a clock to remember. */
uint32_t race_log_show(race_log *log);

#endif
