/* Joins and look-ups of the race checker's vector clocks. Nothing here knows what they are for. */
#include "emu/check_race_clock.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(race_list *list, size_t count) {
    if (count <= list->capacity)
        return true;
    size_t capacity = list->capacity ? list->capacity * 2 : 8;
    if (capacity < count)
        capacity = count;
    race_entry *at = realloc(list->at, capacity * sizeof *at);
    if (!at)
        return false;
    list->at = at;
    list->capacity = capacity;
    return true;
}

/* Position of the wave, or of the first one after it. */
static size_t position(const race_list *list, uint32_t wave) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->at[middle].wave < wave)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Waves of `from` that `into` lacks. */
static size_t missing(const race_list *into, const race_entry *from, size_t count) {
    size_t lacking = 0, i = 0;
    for (size_t k = 0; k < count; k++) {
        while (i < into->count && into->at[i].wave < from[k].wave)
            i++;
        lacking += i == into->count || into->at[i].wave != from[k].wave;
    }
    return lacking;
}

/* Merges from the back, in place. */
static bool join_entries(race_list *into, const race_entry *from, size_t count, bool *changed) {
    size_t lacking = missing(into, from, count);
    if (!reserve(into, into->count + lacking))
        return false;
    size_t i = into->count, k = count, out = into->count + lacking;
    if (lacking)
        *changed = true;
    into->count = out;
    while (k > 0) {
        race_entry incoming = from[k - 1];
        if (i > 0 && into->at[i - 1].wave > incoming.wave) {
            into->at[--out] = into->at[--i];
            continue;
        }
        if (i > 0 && into->at[i - 1].wave == incoming.wave) {
            if (into->at[--i].time > incoming.time)
                incoming.time = into->at[i].time;
            else if (into->at[i].time < incoming.time)
                *changed = true;
        }
        into->at[--out] = incoming;
        k--;
    }
    return true;
}

bool race_list_join(race_list *into, const race_list *from, bool *changed) {
    return join_entries(into, from->at, from->count, changed);
}

bool race_list_join_clock(race_list *into, const race_clock *from, race_group group,
                          bool *changed) {
    race_entry present[ISA_MAX_WAVES];
    size_t count = 0;
    for (uint32_t i = 0; i < group.count; i++)
        if (from->now[i])
            present[count++] = (race_entry){group.first + i, from->now[i]};
    return race_list_join(into, &from->past, changed) &&
           join_entries(into, present, count, changed);
}

void race_list_free(race_list *list) {
    free(list->at);
    *list = (race_list){0};
}

bool race_clock_join(race_clock *into, const race_clock *from, race_group group) {
    bool changed = false;
    for (uint32_t i = 0; i < group.count; i++)
        if (into->now[i] < from->now[i])
            into->now[i] = from->now[i];
    return race_list_join(&into->past, &from->past, &changed);
}

bool race_clock_join_list(race_clock *into, const race_list *from, race_group group) {
    bool changed = false;
    size_t past = position(from, group.first);
    for (size_t k = past; k < from->count; k++) {
        uint32_t slot = from->at[k].wave - group.first;
        if (slot < group.count && into->now[slot] < from->at[k].time)
            into->now[slot] = from->at[k].time;
    }
    return join_entries(&into->past, from->at, past, &changed);
}

bool race_clock_copy(race_clock *into, const race_clock *from) {
    if (!reserve(&into->past, from->past.count))
        return false;
    memcpy(into->now, from->now, sizeof into->now);
    if (from->past.count)
        memcpy(into->past.at, from->past.at, from->past.count * sizeof *from->past.at);
    into->past.count = from->past.count;
    return true;
}

void race_clock_clear(race_clock *clock) {
    memset(clock->now, 0, sizeof clock->now);
    clock->past.count = 0;
}

void race_clock_free(race_clock *clock) {
    race_list_free(&clock->past);
}

uint32_t race_clock_of(const race_clock *clock, uint32_t wave, race_group group) {
    uint32_t slot = wave - group.first;
    if (slot < group.count)
        return clock->now[slot];
    size_t at = position(&clock->past, wave);
    bool known = at < clock->past.count && clock->past.at[at].wave == wave;
    return known ? clock->past.at[at].time : 0;
}
