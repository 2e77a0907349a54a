/* Operations on the race checker's vector clocks. Nothing here knows what they are for. */
#include "emu/check_race_clock.h"

#include <string.h>

bool race_clock_join(race_clock *into, const race_clock *from, race_group group) {
    bool changed = false;
    for (uint32_t i = 0; i < group.count; i++)
        if (into->now[i] < from->now[i])
            into->now[i] = from->now[i];
    return race_list_join(&into->past, &from->past, &changed);
}

bool race_clock_copy(race_clock *into, const race_clock *from) {
    memcpy(into->now, from->now, sizeof into->now);
    return race_list_copy(&into->past, &from->past);
}

void race_clock_clear(race_clock *clock) {
    memset(clock->now, 0, sizeof clock->now);
    clock->past.count = 0;
}

void race_clock_free(race_clock *clock) {
    race_list_free(&clock->past);
}

bool race_clock_covers(const race_clock *clock, uint32_t wave, uint32_t time, const race_logs *logs,
                       race_group group) {
    uint32_t slot = wave - group.first;
    if (slot < group.count)
        return clock->now[slot] >= time;
    for (size_t k = 0; k < clock->past.count; k++) {
        const race_entry *known = &clock->past.at[k];
        if (race_log_time(&logs->at[known->key], wave, known->value) >= time)
            return true;
    }
    return false;
}

bool race_clock_publish(const race_clock *clock, race_logs *logs, uint32_t log, race_group group) {
    for (uint32_t i = 0; i < group.count; i++)
        if (clock->now[i] && !race_log_add(&logs->at[log], group.first + i, clock->now[i]))
            return false;
    return race_log_include(logs, log, &clock->past);
}
