/* What the race checker remembers of memory: for each 4-byte word the accesses that a later one may
 * still race with, each exact to the byte. Whether two accesses race is decided in
 * check_race_access.c. */
#ifndef EMU_CHECK_RACE_SHADOW_H
#define EMU_CHECK_RACE_SHADOW_H

#include <wave/emu.h>

enum { RACE_ATOMIC = 1, RACE_WRITES = 2 };

/* What lanes of one wave did to bytes of one word with one instruction, between two fences or
 * barriers of the wave. */
typedef struct race_record {
    uint32_t next; /* record number; 0: last */
    uint32_t wave; /* numbered through the launch */
    uint32_t time; /* of that wave's clock */
    uint32_t insn; /* instruction index */
    uint64_t lanes;
    uint32_t execution; /* a number for each execution of an instruction: the latest here */
    uint32_t covered;   /* execution whose stores stand for it once it is over, or 0 */
    uint32_t clock;     /* number of the clock that knows all this conflicts with, or 0 */
    uint32_t value;     /* of the bytes, after a plain store */
    uint8_t flags;      /* RACE_… */
    uint8_t scope;      /* of an atomic */
    uint8_t width;      /* of the access, in bytes */
    uint8_t bytes;      /* bits 0 … 3: the bytes of the word */
} race_record;

typedef struct race_shadow {
    uint32_t **pages; /* first record of each word, made when the page is first touched */
    size_t page_count;
    race_record *records; /* number 0 is never used */
    uint32_t count, capacity, free;
} race_shadow;

bool race_shadow_init(race_shadow *shadow, uint64_t size);
void race_shadow_free(race_shadow *shadow);
void race_shadow_clear(race_shadow *shadow); /* forgets everything, keeps the memory */

/* Where the list of the word at `address` begins; NULL: out of memory. */
uint32_t *race_shadow_word(race_shadow *shadow, uint32_t address);

/* The record of that number, until the next push. */
race_record *race_shadow_at(race_shadow *shadow, uint32_t number);
/* Puts a record in front of the list. False: out of memory. */
bool race_shadow_push(race_shadow *shadow, uint32_t *head, race_record record);
/* Takes the record *link out of its list. */
void race_shadow_remove(race_shadow *shadow, uint32_t *link);

#endif
