/* The race checker's shadow memory: for each 4-byte word, the accesses that a later one may still
 * race with, each with byte precision. check_race_access.c decides whether two accesses race. */
#ifndef EMU_CHECK_RACE_SHADOW_H
#define EMU_CHECK_RACE_SHADOW_H

#include <wave/emu.h>

enum { RACE_ATOMIC = 1, RACE_WRITES = 2 };

/* What lanes of one wave did to bytes of one word with one instruction, between two fences or
 * barriers of the wave. */
typedef struct race_record {
    uint32_t next; /* record number; 0: last */
    uint32_t wave; /* numbered across the launch */
    uint32_t time; /* of that wave's clock */
    uint32_t insn; /* instruction index */
    uint64_t lanes;
    uint32_t execution; /* unique per execution of an instruction: the latest one here */
    uint32_t covered;   /* the execution whose stores replace this record once it is over, or 0 */
    uint32_t clock;     /* number of the clock that knows everything this conflicts with, or 0 */
    uint32_t value;     /* of the bytes, after a plain store */
    uint8_t flags;      /* RACE_… */
    uint8_t scope;      /* of an atomic */
    uint8_t width;      /* of the access, in bytes */
    uint8_t bytes;      /* bits 0 … 3: the bytes of the word */
} race_record;

typedef struct race_shadow {
    uint32_t **pages; /* first record of each word; a page is allocated on first touch */
    size_t page_count;
    race_record *records; /* number 0 is unused */
    uint32_t count, capacity, free;
} race_shadow;

bool race_shadow_init(race_shadow *shadow, uint64_t size);
void race_shadow_free(race_shadow *shadow);
void race_shadow_clear(race_shadow *shadow); /* forgets everything, keeps the memory */

/* The list head of the word at `address`; NULL: out of memory. */
uint32_t *race_shadow_word(race_shadow *shadow, uint32_t address);

/* The record with that number, valid until the next push. */
race_record *race_shadow_at(race_shadow *shadow, uint32_t number);
/* Inserts a record at the head of the list. False: out of memory. */
bool race_shadow_push(race_shadow *shadow, uint32_t *head, race_record record);
/* Removes the record *link from its list. */
void race_shadow_remove(race_shadow *shadow, uint32_t *link);

#endif
