/* Sorted lists of (key, value) that only grow: joining two keeps the larger value of each key. They
 * represent the knowledge of the race checker's clocks. */
#ifndef EMU_CHECK_RACE_LIST_H
#define EMU_CHECK_RACE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct race_entry {
    uint32_t key;
    uint32_t value;
} race_entry;

typedef struct race_list {
    race_entry *at; /* by ascending key */
    size_t count, capacity;
} race_list;

/* Sets *changed when `into` grew. False when out of memory. */
bool race_list_join(race_list *into, const race_list *from, bool *changed);
bool race_list_join_entries(race_list *into, const race_entry *from, size_t count, bool *changed);
bool race_list_copy(race_list *into, const race_list *from);
uint32_t race_list_value(const race_list *list, uint32_t key); /* 0: not found */
void race_list_free(race_list *list);

#endif
