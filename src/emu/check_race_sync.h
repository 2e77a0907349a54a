/* The memory words through which waves synchronise: an atomic after a release fence leaves the
 * fence's clock at the word, an atomic on the same word takes it along to an acquire fence. */
#ifndef EMU_CHECK_RACE_SYNC_H
#define EMU_CHECK_RACE_SYNC_H

#include "emu/check_race_clock.h"

/* Knowledge on its way from one wave of a workgroup to another: a clock without the zeros. */
typedef struct race_offer {
    race_list now;  /* wave of the workgroup, time */
    race_list past; /* log number, notes known */
} race_offer;

bool race_offer_join(race_offer *into, const race_offer *from, bool *changed);
bool race_offer_join_clock(race_offer *into, const race_clock *from, race_group group,
                           bool *changed);
bool race_offer_take(race_clock *into, const race_offer *from);
void race_offer_clear(race_offer *offer); /* keeps its memory */
void race_offer_free(race_offer *offer);

/* What was released to one word. Every atomic reads and writes, so a later one never ends the
 * sequence the first release began: what is known here only grows. */
typedef struct race_sync {
    uint32_t address;
    uint32_t group;   /* first wave of the workgroup `local` belongs to */
    uint64_t version; /* unique in its table, new whenever `local` grew or was emptied */
    race_offer local; /* released with workgroup scope or wider: for that workgroup only */
    uint32_t log;     /* 1 + number of the log of releases with device scope or wider, or 0 */
} race_sync;

typedef struct race_syncs {
    race_sync *at;
    size_t count, capacity;
    uint32_t *slots; /* hash table of index + 1 */
    size_t slot_count;
    uint64_t versions;
} race_syncs;

/* The word's entry or NULL; with `create`, NULL only when out of memory. */
race_sync *race_syncs_find(race_syncs *syncs, uint32_t address, bool create);
void race_syncs_free(race_syncs *syncs);

#endif
