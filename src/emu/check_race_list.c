/* Joins and look-ups of the race checker's sorted lists. */
#include "emu/check_race_list.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(race_list *list, size_t count) {
    if (count <= list->capacity)
        return true;
    size_t capacity = list->capacity ? list->capacity * 2 : 4;
    if (capacity < count)
        capacity = count;
    race_entry *at = realloc(list->at, capacity * sizeof *at);
    if (!at)
        return false;
    list->at = at;
    list->capacity = capacity;
    return true;
}

/* Keys of `from` that `into` lacks. */
static size_t missing(const race_list *into, const race_entry *from, size_t count) {
    size_t lacking = 0, i = 0;
    for (size_t k = 0; k < count; k++) {
        while (i < into->count && into->at[i].key < from[k].key)
            i++;
        lacking += i == into->count || into->at[i].key != from[k].key;
    }
    return lacking;
}

/* Merges from the back, in place. */
bool race_list_join_entries(race_list *into, const race_entry *from, size_t count, bool *changed) {
    size_t lacking = missing(into, from, count);
    if (!reserve(into, into->count + lacking))
        return false;
    size_t i = into->count, k = count, out = into->count + lacking;
    if (lacking)
        *changed = true;
    into->count = out;
    while (k > 0) {
        race_entry incoming = from[k - 1];
        if (i > 0 && into->at[i - 1].key > incoming.key) {
            into->at[--out] = into->at[--i];
            continue;
        }
        if (i > 0 && into->at[i - 1].key == incoming.key) {
            if (into->at[--i].value > incoming.value)
                incoming.value = into->at[i].value;
            else if (into->at[i].value < incoming.value)
                *changed = true;
        }
        into->at[--out] = incoming;
        k--;
    }
    return true;
}

bool race_list_join(race_list *into, const race_list *from, bool *changed) {
    return race_list_join_entries(into, from->at, from->count, changed);
}

bool race_list_copy(race_list *into, const race_list *from) {
    if (!reserve(into, from->count))
        return false;
    if (from->count)
        memcpy(into->at, from->at, from->count * sizeof *from->at);
    into->count = from->count;
    return true;
}

uint32_t race_list_value(const race_list *list, uint32_t key) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->at[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->at[low].key == key ? list->at[low].value : 0;
}

void race_list_free(race_list *list) {
    free(list->at);
    *list = (race_list){0};
}
