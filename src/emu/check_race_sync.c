/* Offers, and a hash table from addresses to what was released there. */
#include "emu/check_race_sync.h"

#include <stdlib.h>

bool race_offer_join(race_offer *into, const race_offer *from, bool *changed) {
    return race_list_join(&into->now, &from->now, changed) &&
           race_list_join(&into->past, &from->past, changed);
}

bool race_offer_join_clock(race_offer *into, const race_clock *from, race_group group,
                           bool *changed) {
    race_entry present[ISA_MAX_WAVES];
    size_t count = 0;
    for (uint32_t i = 0; i < group.count; i++)
        if (from->now[i])
            present[count++] = (race_entry){i, from->now[i]};
    return race_list_join_entries(&into->now, present, count, changed) &&
           race_list_join(&into->past, &from->past, changed);
}

bool race_offer_take(race_clock *into, const race_offer *from) {
    bool changed = false;
    for (size_t k = 0; k < from->now.count; k++)
        if (into->now[from->now.at[k].key] < from->now.at[k].value)
            into->now[from->now.at[k].key] = from->now.at[k].value;
    return race_list_join(&into->past, &from->past, &changed);
}

void race_offer_clear(race_offer *offer) {
    offer->now.count = 0;
    offer->past.count = 0;
}

void race_offer_free(race_offer *offer) {
    race_list_free(&offer->now);
    race_list_free(&offer->past);
}

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

void race_syncs_free(race_syncs *syncs) {
    for (size_t i = 0; i < syncs->count; i++)
        race_offer_free(&syncs->at[i].local);
    free(syncs->at);
    free(syncs->slots);
    *syncs = (race_syncs){0};
}
