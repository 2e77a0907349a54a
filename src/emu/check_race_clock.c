/* Operations on the race checker's vector clocks, independent of what the clocks are used for. */
#include "emu/check_race_clock.h"

#include <stdlib.h>
#include <string.h>

race_clock *race_clock_new(race_clocks *clocks) {
    const size_t slots = clocks->threads * sizeof(uint32_t);
    race_clock *clock = clocks->free;
    if (clock) {
        clocks->free = clock->next;
        clock->past.count = 0;
    } else {
        clock = malloc(sizeof *clock + slots);
        if (!clock)
            return NULL;
        clock->past = (race_list){0};
    }
    memset(clock->now, 0, slots);
    for (uint32_t i = clocks->present; i < clocks->threads; i++)
        clock->now[i] = UINT32_MAX;
    memset(clock->all, 0, sizeof clock->all);
    clock->next = NULL;
    clock->users = 1;
    clock->mark = 0;
    clock->number = ++clocks->numbers;
    clocks->live++;
    return clock;
}

race_clock *race_clock_share(race_clock *clock) {
    if (clock)
        clock->users++;
    return clock;
}

void race_clock_drop(race_clocks *clocks, race_clock *clock) {
    if (!clock || --clock->users)
        return;
    clock->next = clocks->free;
    clocks->free = clock;
    clocks->live--;
}

void race_clocks_free(race_clocks *clocks) {
    while (clocks->free) {
        race_clock *clock = clocks->free;
        clocks->free = clock->next;
        race_list_free(&clock->past);
        free(clock);
    }
}

bool race_clock_join(const race_clocks *clocks, race_clock *into, const race_clock *from) {
    bool changed = false;
    for (uint32_t i = 0; i < clocks->threads; i++)
        into->now[i] = into->now[i] > from->now[i] ? into->now[i] : from->now[i];
    return race_list_join(&into->past, &from->past, &changed);
}

bool race_clock_gather(race_clocks *clocks, race_clock **into, race_clock *from) {
    race_clock *old = *into;
    if (!from || old == from)
        return true;
    if (!old) {
        *into = race_clock_share(from);
        return true;
    }
    if (old->users == 1) {
        old->number = ++clocks->numbers;
        return race_clock_join(clocks, old, from);
    }
    race_clock *both = race_clock_new(clocks);
    if (!both)
        return false;
    *into = both;
    bool good = race_clock_join(clocks, both, old) && race_clock_join(clocks, both, from);
    race_clock_drop(clocks, old);
    return good;
}

static uint32_t least(const uint32_t *now, uint32_t count) {
    uint32_t low = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        low = low < now[i] ? low : now[i];
    return low;
}

void race_clock_seal(race_clock *clock, race_group group) {
    for (uint32_t i = 0; i < group.count; i++)
        clock->all[i] = least(clock->now + (size_t)i * group.width, group.width);
}

bool race_clock_knows_earlier(const race_clock *clock, uint32_t wave, uint32_t lane, uint32_t time,
                              const race_logs *logs) {
    for (size_t k = 0; k < clock->past.count; k++) {
        const race_entry *known = &clock->past.at[k];
        const race_log *log = &logs->at[known->key];
        if (race_log_time(log, wave, RACE_ALL_LANES, known->value) >= time ||
            race_log_time(log, wave, lane, known->value) >= time)
            return true;
    }
    return false;
}

bool race_clock_publish(const race_clock *clock, race_logs *logs, uint32_t log, race_group group) {
    for (uint32_t i = 0; i < group.count; i++) {
        const uint32_t *now = clock->now + (size_t)i * group.width;
        const uint32_t wave = group.first + i, low = least(now, group.width);
        if (low && !race_log_add(&logs->at[log], wave, RACE_ALL_LANES, low))
            return false;
        for (uint32_t lane = 0; lane < group.width; lane++)
            if (now[lane] > low && now[lane] != UINT32_MAX &&
                !race_log_add(&logs->at[log], wave, lane, now[lane]))
                return false;
    }
    return race_log_include(logs, log, &clock->past);
}
