/* A hash table from addresses to what was released there. */
#include "emu/check_race_sync.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const race_syncs *syncs, uint32_t address) {
    size_t mask = syncs->slot_count - 1;
    size_t slot = (address >> 2) * (size_t)2654435761u & mask;
    while (syncs->slots[slot] && syncs->at[syncs->slots[slot] - 1].address != address)
        slot = (slot + 1) & mask;
    return slot;
}

static bool grow(race_syncs *syncs) {
    size_t capacity = syncs->capacity ? syncs->capacity * 2 : 16;
    race_sync *at = realloc(syncs->at, capacity * sizeof *at);
    if (!at)
        return false;
    syncs->at = at;
    uint32_t *slots = calloc(capacity * 2, sizeof *slots);
    if (!slots)
        return false;
    free(syncs->slots);
    syncs->slots = slots;
    syncs->slot_count = capacity * 2;
    syncs->capacity = capacity;
    for (size_t i = 0; i < syncs->count; i++)
        slots[slot_of(syncs, at[i].address)] = (uint32_t)i + 1;
    return true;
}

race_sync *race_syncs_find(race_syncs *syncs, uint32_t address, bool create) {
    if (syncs->slot_count) {
        uint32_t index = syncs->slots[slot_of(syncs, address)];
        if (index)
            return &syncs->at[index - 1];
    }
    if (!create || (syncs->count == syncs->capacity && !grow(syncs)))
        return NULL;
    size_t index = syncs->count++;
    syncs->slots[slot_of(syncs, address)] = (uint32_t)index + 1;
    syncs->at[index] = (race_sync){.address = address};
    return &syncs->at[index];
}

void race_syncs_clear(race_syncs *syncs) {
    for (size_t i = 0; i < syncs->count; i++) {
        race_list_free(&syncs->at[i].local);
        race_list_free(&syncs->at[i].device);
    }
    syncs->count = 0;
    if (syncs->slot_count)
        memset(syncs->slots, 0, syncs->slot_count * sizeof *syncs->slots);
}

void race_syncs_free(race_syncs *syncs) {
    race_syncs_clear(syncs);
    free(syncs->at);
    free(syncs->slots);
    *syncs = (race_syncs){0};
}
