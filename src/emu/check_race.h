/* The state of the race checker, shared by its files: check_race.c (events), check_race_access.c
 * (which accesses conflict) and check_race_report.c (the messages). */
#ifndef EMU_CHECK_RACE_H
#define EMU_CHECK_RACE_H

#include "emu/check_race_shadow.h"
#include "emu/check_race_sync.h"
#include "emu/checks.h"

enum { RACE_SPACES = 2, RACE_MAX_PAIRS = 4096, RACE_PAIR_SLOTS = 2 * RACE_MAX_PAIRS };

typedef struct race_lane {
    race_clock *clock; /* what happened before its next access, excluding its own accesses */
    race_mail mail;
} race_lane;

typedef struct race {
    const fe_kernel *kernel;
    const wave_launch *launch;
    wave_diags *diags;
    wave_status status;
    bool messages; /* the kernel has release and acquire fences: words of atomics matter */
    bool lockstep; /* lanes of a wave never race with each other */
    race_group group;
    race_clocks clocks;
    race_post post;
    race_lane *lanes;             /* by thread of the workgroup */
    uint32_t time[ISA_MAX_WAVES]; /* of each wave: grows with its fences and barriers */
    bool uniform[ISA_MAX_WAVES];  /* the wave's live lanes have the same clock */
    uint32_t execution;           /* number of the instruction being executed */
    race_shadow shadow[RACE_SPACES];
    uint64_t expected[ISA_MAX_WIDTH]; /* of the compare-and-swap about to execute */
    uint64_t pairs[RACE_PAIR_SLOTS];  /* hash set of reported pairs; 0: empty */
    size_t pair_count;
    uint8_t *collided; /* by instruction: a collision of its stores has been reported */
} race;

static inline void race_out_of_memory(race *r) {
    r->status = WAVE_ERROR_MEMORY;
}

/* An access of one lane that is being checked. */
typedef struct race_touch {
    const wave_step *step;
    const wave_access *access;
    race_record record; /* of this access */
    const race_clock *clock;
    uint64_t self; /* the lane */
    uint32_t slot; /* wave of the workgroup */
} race_touch;

/* check_race_access.c: compares one word of an access with the records of that word. `bytes` are
 * the bytes of the word, `value` their contents. */
void race_touch_word(race *r, race_touch *touch, uint32_t word, uint8_t bytes, uint32_t value);

/* check_race_report.c */
void race_report(race *r, const race_record *earlier, uint64_t lanes, const race_touch *touch,
                 uint32_t byte);
void race_report_collision(race *r, const race_record *earlier, const race_touch *touch,
                           uint32_t byte);

#endif
