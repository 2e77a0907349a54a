/* Pages of list heads over a pool of records. */
#include "emu/check_race_shadow.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BITS = 12, PAGE_WORDS = 1 << (PAGE_BITS - 2) };

bool race_shadow_init(race_shadow *shadow, uint64_t size) {
    *shadow = (race_shadow){.page_count = (size_t)((size >> PAGE_BITS) + 1)};
    shadow->pages = calloc(shadow->page_count, sizeof *shadow->pages);
    return shadow->pages != NULL;
}

void race_shadow_free(race_shadow *shadow) {
    for (size_t i = 0; shadow->pages && i < shadow->page_count; i++)
        free(shadow->pages[i]);
    free(shadow->pages);
    free(shadow->records);
    *shadow = (race_shadow){0};
}

void race_shadow_clear(race_shadow *shadow) {
    for (size_t i = 0; i < shadow->page_count; i++)
        if (shadow->pages[i])
            memset(shadow->pages[i], 0, PAGE_WORDS * sizeof **shadow->pages);
    shadow->count = 0;
    shadow->free = 0;
}

uint32_t *race_shadow_word(race_shadow *shadow, uint32_t address) {
    uint32_t **page = &shadow->pages[address >> PAGE_BITS];
    if (!*page)
        *page = calloc(PAGE_WORDS, sizeof **page);
    return *page ? *page + ((address >> 2) & (PAGE_WORDS - 1)) : NULL;
}

race_record *race_shadow_at(race_shadow *shadow, uint32_t number) {
    return &shadow->records[number];
}

static uint32_t fresh(race_shadow *shadow) {
    if (shadow->free) {
        uint32_t number = shadow->free;
        shadow->free = shadow->records[number].next;
        return number;
    }
    if (shadow->count + 1 >= shadow->capacity) {
        uint64_t capacity = shadow->capacity ? (uint64_t)shadow->capacity * 2 : 1024;
        race_record *records = capacity <= UINT32_MAX
                                   ? realloc(shadow->records, (size_t)capacity * sizeof *records)
                                   : NULL;
        if (!records)
            return 0;
        shadow->records = records;
        shadow->capacity = (uint32_t)capacity;
    }
    return ++shadow->count;
}

bool race_shadow_push(race_shadow *shadow, uint32_t *head, race_record record) {
    uint32_t number = fresh(shadow);
    if (!number)
        return false;
    record.next = *head;
    shadow->records[number] = record;
    *head = number;
    return true;
}

void race_shadow_remove(race_shadow *shadow, uint32_t *link) {
    uint32_t number = *link;
    *link = shadow->records[number].next;
    shadow->records[number].next = shadow->free;
    shadow->free = number;
}
