/* The memory words through which lanes send each other messages: an atomic write after a release
 * fence leaves the fence's clock at the word, an atomic read of the word carries it to an acquire
 * fence. A word offers the clocks left by the chain of read-modify-writes that its value belongs
 * to, limited by the scopes along the chain. */
#ifndef EMU_CHECK_RACE_SYNC_H
#define EMU_CHECK_RACE_SYNC_H

#include "emu/check_race_clock.h"

/* How far a scope reaches; `system` reaches no more lanes than `device`. */
enum { RACE_LEVELS = ISA_SCOPE_DEVICE + 1 };

/* An offer for the lanes of one wave only. */
typedef struct race_wave_offer {
    uint32_t wave; /* of the workgroup */
    race_clock *clock;
} race_wave_offer;

typedef struct race_word {
    uint32_t address;
    race_group group; /* the workgroup that left the clocks */
    race_wave_offer *waves;
    uint32_t wave_count, wave_capacity;
    race_clock *workgroup; /* for lanes of that workgroup */
    race_clock *device;    /* for lanes of later workgroups */
    /* What earlier workgroups left with device scope: the first `notes` of a log. */
    uint32_t log; /* 1 + its number, or 0 */
    uint32_t notes;
    bool ended; /* the chain that the log belongs to has ended */
} race_word;

typedef struct race_words {
    race_word *at;
    size_t count, capacity;
    uint32_t *slots; /* hash table of index + 1 */
    size_t slot_count;
    /* Shared by all words beyond the limit. No chain ends here, so it seems to order more than it
     * does, which can hide a race but never invents one. */
    race_word rest;
    bool full;
    bool wide; /* there are locations of 64 bits */
} race_words;

/* The message state of a lane. */
typedef struct race_mail {
    race_clock *released[RACE_LEVELS]; /* at its last release fence of this scope or a wider one */
    race_clock *offered[2];            /* read by its atomics, for a fence of [0] wave scope,
                                        * [1] workgroup scope */
    race_list notes;                   /* the same for device scope: log number, notes */
} race_mail;

typedef struct race_post {
    race_words words[2]; /* by wave_space */
    race_logs logs;
    race_clocks *clocks;
    race_group group; /* the running workgroup */
} race_post;

/* An atomic access of one lane: what it reads, whether it writes, and whether it continues the
 * chain. */
typedef struct race_atomic {
    unsigned space;
    uint32_t address;
    uint32_t bytes; /* 4 or 8 */
    uint32_t wave;  /* of the workgroup */
    uint32_t scope; /* of a local one: workgroup */
    bool reads, writes;
} race_atomic;

/* Functions that return bool return false when out of memory. */
bool race_post_atomic(race_post *post, race_mail *mail, const race_atomic *atomic);
/* A write to a word ends the chains there, except those of atomics of `own` bytes: 0, 4 or 8. */
void race_post_overwrite(race_post *post, unsigned space, uint32_t address, uint32_t own);
void race_post_free(race_post *post);

/* A release fence: the lane's later atomics leave `clock`. */
void race_mail_release(race_post *post, race_mail *mail, race_clock *clock, uint32_t scope);
/* An acquire fence takes everything the lane was offered. */
bool race_mail_acquire(race_post *post, race_mail *mail, race_clock *into, uint32_t scope);
void race_mail_clear(race_post *post, race_mail *mail); /* keeps the list's memory */
void race_mail_free(race_post *post, race_mail *mail);

#endif
