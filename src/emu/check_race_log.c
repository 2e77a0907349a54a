/* The append-only logs of the race checker. */
#include "emu/check_race_log.h"

#include <stdlib.h>

enum { MAX_LOGS = 1024 };

bool race_logs_add(race_logs *logs, uint32_t *out) {
    if (logs->count == MAX_LOGS) {
        *out = MAX_LOGS - 1;
        return true;
    }
    if (logs->count == logs->capacity) {
        uint32_t capacity = logs->capacity ? logs->capacity * 2 : 4;
        race_log *at = realloc(logs->at, capacity * sizeof *at);
        if (!at)
            return false;
        logs->at = at;
        logs->capacity = capacity;
    }
    *out = logs->count++;
    logs->at[*out] = (race_log){0};
    return true;
}

void race_logs_free(race_logs *logs) {
    for (uint32_t i = 0; i < logs->count; i++) {
        free(logs->at[i].notes);
        free(logs->at[i].slots);
        race_list_free(&logs->at[i].included);
    }
    free(logs->at);
    *logs = (race_logs){0};
}

static bool is_about(const race_note *note, uint32_t wave, uint32_t lane) {
    return note->wave == wave && note->lane == lane;
}

/* Fibonacci hashing (Knuth, volume 3, 6.4). */
static size_t slot_of(const race_log *log, uint32_t wave, uint32_t lane) {
    size_t mask = log->slot_count - 1;
    uint64_t key = ((uint64_t)wave << 7 | lane) * 0x9E3779B97F4A7C15u;
    size_t slot = (size_t)(key >> 32) & mask;
    while (log->slots[slot] && !is_about(&log->notes[log->slots[slot] - 1], wave, lane))
        slot = (slot + 1) & mask;
    return slot;
}

static bool grow(race_log *log) {
    uint64_t capacity = log->capacity ? (uint64_t)log->capacity * 2 : 16;
    if (capacity > UINT32_MAX / 2)
        return false;
    race_note *notes = realloc(log->notes, (size_t)capacity * sizeof *notes);
    if (!notes)
        return false;
    log->notes = notes;
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (!slots)
        return false;
    free(log->slots);
    log->slots = slots;
    log->slot_count = (size_t)capacity * 2;
    log->capacity = (uint32_t)capacity;
    for (uint32_t i = 0; i < log->count; i++) /* a later note about a lane takes over its slot */
        slots[slot_of(log, notes[i].wave, notes[i].lane)] = i + 1;
    return true;
}

uint32_t race_log_time(const race_log *log, uint32_t wave, uint32_t lane, uint32_t count) {
    if (!log->slot_count)
        return 0;
    uint32_t at = log->slots[slot_of(log, wave, lane)];
    while (at > count)
        at = log->notes[at - 1].previous;
    return at ? log->notes[at - 1].time : 0;
}

bool race_log_add(race_log *log, uint32_t wave, uint32_t lane, uint32_t time) {
    uint32_t latest = log->slot_count ? log->slots[slot_of(log, wave, lane)] : 0;
    if (latest && log->notes[latest - 1].time >= time)
        return true;
    if (latest > log->shown) {
        log->notes[latest - 1].time = time;
        return true;
    }
    if (log->count == log->capacity && !grow(log))
        return false;
    log->notes[log->count++] = (race_note){wave, lane, time, latest};
    log->slots[slot_of(log, wave, lane)] = log->count;
    return true;
}

bool race_log_include(race_logs *logs, uint32_t number, const race_list *known) {
    race_log *log = &logs->at[number];
    bool changed = false;
    for (size_t i = 0; i < known->count; i++) {
        const race_log *other = &logs->at[known->at[i].key];
        if (other == log)
            continue;
        uint32_t from = race_list_value(&log->included, known->at[i].key);
        for (uint32_t k = from; k < known->at[i].value; k++) {
            const race_note note = other->notes[k];
            if (!race_log_add(log, note.wave, note.lane, note.time))
                return false;
        }
    }
    return race_list_join(&log->included, known, &changed);
}

uint32_t race_log_show(race_log *log) {
    log->shown = log->count;
    return log->count;
}
