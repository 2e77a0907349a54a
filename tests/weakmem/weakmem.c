/* Views of memory, the log of visibility events, and the rule for how far back a load may look. */
#include "weakmem/weakmem.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8, LOG_SIZE = 1 << 13, MOST_STEPS = 64 };

/* Pending bytes of one aligned word in a view. */
typedef struct slot {
    uintptr_t key;    /* the word's address */
    uint64_t in_wave; /* when their wave began to see them; the earliest time, which is the most
                         restrictive */
    uint32_t at;      /* in the index */
    uint8_t mask, bytes[WORD];
} slot;

typedef struct view {
    slot *slots;
    uint32_t count, capacity;
    uint32_t *index;     /* number of a slot + 1, by hash, with linear probing */
    uint32_t index_size; /* a power of two */
} view;

typedef enum view_level { FROM_LANE, FROM_WAVE, FROM_GROUP } view_level;

/* Bytes that arrived in a workgroup's view or in memory, and the previous contents. */
typedef struct event {
    uintptr_t key;
    uint64_t previous;     /* event of the same bucket; events count from 1 */
    uint64_t in_wave, now; /* when their wave, and others, began to see them */
    view_level level;
    uint32_t origin;     /* the lane, wave or workgroup whose view they left */
    uint32_t place;      /* 0: memory; otherwise workgroup + 1 */
    uint8_t mask, had;   /* had: bytes that were in the view; the others were read from memory */
    uint8_t bytes[WORD]; /* before */
} event;

typedef struct lane_state {
    view view;
    uint64_t acquired; /* any fence */
} lane_state;

typedef struct shared_state {
    view view;
    uint64_t acquired; /* wave: a fence of workgroup scope; workgroup: one of device scope */
} shared_state;

struct weakmem {
    uint32_t group_count, wave_count, width; /* wave_count: of one workgroup */
    lane_state *lanes;
    shared_state *waves, *groups;
    view late; /* of workgroups that have ended */
    uint64_t now, random;
    uint64_t events;
    event log[LOG_SIZE];
    uint64_t buckets[LOG_SIZE]; /* the last event of each */
    bool failed;
};

static uint64_t earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ---- Views ---- */

/* Fibonacci hashing (Knuth). */
static uint32_t hash(uintptr_t key) {
    return (uint32_t)(((uint64_t)key * 0x9E3779B97F4A7C15u) >> 32);
}

static slot *find(const view *v, uintptr_t key) {
    if (!v->count)
        return NULL;
    for (uint32_t at = hash(key);; at++) {
        uint32_t number = v->index[at & (v->index_size - 1)];
        if (!number)
            return NULL;
        if (v->slots[number - 1].key == key)
            return &v->slots[number - 1];
    }
}

static void enter(view *v, uint32_t number) {
    uint32_t at = hash(v->slots[number].key);
    while (v->index[at & (v->index_size - 1)])
        at++;
    v->slots[number].at = at & (v->index_size - 1);
    v->index[v->slots[number].at] = number + 1;
}

static bool grow(view *v) {
    uint32_t capacity = v->capacity ? 2 * v->capacity : 8;
    slot *slots = realloc(v->slots, capacity * sizeof *slots);
    if (!slots)
        return false;
    v->slots = slots;
    uint32_t *index = calloc((size_t)2 * capacity, sizeof *index);
    if (!index)
        return false;
    free(v->index);
    v->index = index;
    v->index_size = 2 * capacity;
    v->capacity = capacity;
    for (uint32_t k = 0; k < v->count; k++)
        enter(v, k);
    return true;
}

/* The slot of a word, empty if it is new. NULL: out of memory. */
static slot *obtain(view *v, uintptr_t key) {
    slot *s = find(v, key);
    if (s || (v->count == v->capacity && !grow(v)))
        return s;
    s = &v->slots[v->count];
    *s = (slot){.key = key, .in_wave = UINT64_MAX};
    enter(v, v->count++);
    return s;
}

static void clear(view *v) {
    for (uint32_t k = 0; k < v->count; k++)
        v->index[v->slots[k].at] = 0;
    v->count = 0;
}

static void free_view(view *v) {
    free(v->slots);
    free(v->index);
}

static void copy(uint8_t *to, const uint8_t *from, uint8_t mask) {
    for (int b = 0; b < WORD; b++)
        if (mask >> b & 1)
            to[b] = from[b];
}

static uint8_t *memory_at(uintptr_t key) {
    return (uint8_t *)key;
}

/* ---- The log of visibility ---- */

static uint64_t *bucket_of(weakmem *w, uint32_t place, uintptr_t key) {
    return &w->buckets[hash(key + (uintptr_t)place * WORD) % LOG_SIZE];
}

static event *add_event(weakmem *w, uint32_t place, uintptr_t key) {
    uint64_t *bucket = bucket_of(w, place, key);
    event *e = &w->log[++w->events % LOG_SIZE];
    *e = (event){.key = key, .previous = *bucket, .place = place, .now = w->now};
    *bucket = w->events;
    return e;
}

static uint32_t wave_of(const weakmem *w, uint32_t lane) {
    return lane / w->width;
}

static uint32_t group_of(const weakmem *w, uint32_t lane) {
    return lane / (w->width * w->wave_count);
}

/* Whether the lane may still see the contents before the event: true if nothing that it has
 * acquired covers the event. A lane's knowledge comes from its own fences, from its wave's fences
 * of workgroup scope, and from its workgroup's fences of device scope. */
static bool may_see_older(const weakmem *w, uint32_t lane, const event *e) {
    uint32_t wave = wave_of(w, lane), group = group_of(w, lane);
    uint64_t own = w->lanes[lane].acquired;
    uint64_t of_wave = earlier(own, w->waves[wave].acquired);
    uint64_t of_group = earlier(of_wave, w->groups[group].acquired);
    uint32_t from_wave = e->level == FROM_LANE ? wave_of(w, e->origin) : e->origin;
    uint32_t from_group = e->level == FROM_GROUP ? e->origin : from_wave / w->wave_count;
    if (from_group != group)
        return e->now > of_group;
    if (e->level == FROM_GROUP) /* the lane's own wave may have stored it */
        return e->in_wave > own;
    if (from_wave != wave)
        return e->now > of_wave;
    return e->in_wave > own && (e->level != FROM_LANE || e->origin != lane);
}

/* Takes the lane back in time, by a random distance within what the order of events allows. */
static void look_back(weakmem *w, uint32_t lane, uint32_t place, uintptr_t key, uint8_t need,
                      uint8_t *bytes) {
    int steps = MOST_STEPS;
    for (uint64_t n = *bucket_of(w, place, key); n && n + LOG_SIZE > w->events && steps;) {
        const event *e = &w->log[n % LOG_SIZE];
        n = e->previous;
        if (e->key != key || e->place != place || !(e->mask & need))
            continue;
        steps--; /* events that only share the bucket must not affect the random numbers */
        if (!may_see_older(w, lane, e))
            return;
        copy(bytes, e->bytes, e->mask & e->had & need);
        copy(bytes, memory_at(key), (uint8_t)(e->mask & ~e->had & need));
        if (random_next(&w->random) % 4 == 0)
            return;
    }
}

/* ---- Moving upwards ---- */

static void move_to_memory(weakmem *w, const slot *s, view_level level, uint32_t origin) {
    event *e = add_event(w, 0, s->key);
    e->level = level;
    e->origin = origin;
    e->in_wave = level == FROM_LANE ? w->now : s->in_wave;
    e->mask = e->had = s->mask;
    copy(e->bytes, memory_at(s->key), s->mask);
    copy(memory_at(s->key), s->bytes, s->mask);
}

/* place: 0 for a view that is not logged. */
static void move_to_view(weakmem *w, const slot *s, view_level level, uint32_t origin, view *to,
                         uint32_t place) {
    slot *d = obtain(to, s->key);
    if (!d) {
        w->failed = true;
        move_to_memory(w, s, level, origin);
        return;
    }
    uint64_t in_wave = level == FROM_LANE ? w->now : s->in_wave;
    if (place) {
        event *e = add_event(w, place, s->key);
        e->level = level;
        e->origin = origin;
        e->in_wave = in_wave;
        e->mask = s->mask;
        e->had = s->mask & d->mask;
        copy(e->bytes, d->bytes, e->had);
    }
    copy(d->bytes, s->bytes, s->mask);
    d->mask |= s->mask;
    d->in_wave = earlier(d->in_wave, in_wave);
}

static void move_all(weakmem *w, view *from, view_level level, uint32_t origin, view *to,
                     uint32_t place) {
    for (uint32_t k = 0; k < from->count; k++) {
        if (to)
            move_to_view(w, &from->slots[k], level, origin, to, place);
        else
            move_to_memory(w, &from->slots[k], level, origin);
    }
    clear(from);
}

void weakmem_release(weakmem *w, uint32_t lane, weakmem_scope scope) {
    uint32_t wave = wave_of(w, lane), group = group_of(w, lane);
    view *own = &w->lanes[lane].view, *waves = &w->waves[wave].view;
    view *groups = &w->groups[group].view;
    /* a load must not look past the lane's own bytes that have left its view */
    w->lanes[lane].acquired = ++w->now;
    /* the oldest go first, so that the newest store remains */
    switch (scope) {
    case WEAKMEM_WAVE: move_all(w, own, FROM_LANE, lane, waves, 0); break;
    case WEAKMEM_GROUP:
        move_all(w, waves, FROM_WAVE, wave, groups, group + 1);
        move_all(w, own, FROM_LANE, lane, groups, group + 1);
        break;
    default:
        move_all(w, groups, FROM_GROUP, group, NULL, 0);
        move_all(w, waves, FROM_WAVE, wave, NULL, 0);
        move_all(w, own, FROM_LANE, lane, NULL, 0);
        break;
    }
}

void weakmem_acquire(weakmem *w, uint32_t lane, weakmem_scope scope) {
    uint64_t now = ++w->now;
    w->lanes[lane].acquired = now;
    if (scope >= WEAKMEM_GROUP)
        w->waves[wave_of(w, lane)].acquired = now;
    if (scope >= WEAKMEM_DEVICE)
        w->groups[group_of(w, lane)].acquired = now;
}

/* ---- Accesses ---- */

/* The part of [at, at + size) in the first word: its address, first byte and mask. */
static uint8_t first_word(uintptr_t at, size_t size, uintptr_t *key, size_t *offset,
                          size_t *bytes) {
    *key = at / WORD * WORD;
    *offset = at % WORD;
    *bytes = size < WORD - *offset ? size : WORD - *offset;
    return (uint8_t)(((1u << *bytes) - 1) << *offset);
}

static uint8_t take(const view *v, uintptr_t key, uint8_t need, uint8_t *bytes) {
    const slot *s = find(v, key);
    uint8_t found = s ? s->mask & need : 0;
    if (found)
        copy(bytes, s->bytes, found);
    return found;
}

static void load_word(weakmem *w, uint32_t lane, uintptr_t key, uint8_t need, uint8_t *bytes) {
    uint32_t group = group_of(w, lane);
    bool back = random_next(&w->random) & 1;
    need = (uint8_t)(need & ~take(&w->lanes[lane].view, key, need, bytes));
    need = (uint8_t)(need & ~take(&w->waves[wave_of(w, lane)].view, key, need, bytes));
    uint8_t found = take(&w->groups[group].view, key, need, bytes);
    if (back && found)
        look_back(w, lane, group + 1, key, found, bytes);
    need = (uint8_t)(need & ~found);
    copy(bytes, memory_at(key), need);
    if (back && need)
        look_back(w, lane, 0, key, need, bytes);
}

void weakmem_load(weakmem *w, uint32_t lane, const uint8_t *at, size_t size, uint8_t *bytes) {
    while (size) {
        uintptr_t key;
        size_t offset, part;
        uint8_t word[WORD], mask = first_word((uintptr_t)at, size, &key, &offset, &part);
        load_word(w, lane, key, mask, word);
        memcpy(bytes, word + offset, part);
        at += part;
        bytes += part;
        size -= part;
    }
}

void weakmem_store(weakmem *w, uint32_t lane, uint8_t *at, size_t size, const uint8_t *bytes) {
    while (size) {
        uintptr_t key;
        size_t offset, part;
        uint8_t mask = first_word((uintptr_t)at, size, &key, &offset, &part);
        slot *s = obtain(&w->lanes[lane].view, key);
        if (s) {
            memcpy(s->bytes + offset, bytes, part);
            s->mask |= mask;
        } else {
            w->failed = true;
            memcpy(at, bytes, part);
        }
        at += part;
        bytes += part;
        size -= part;
    }
}

/* Moves the pending bytes of one view; the other bytes of the word stay. */
static void flush_bytes(weakmem *w, view *v, view_level level, uint32_t origin, uintptr_t key,
                        uint8_t mask) {
    slot *s = find(v, key);
    if (!s || !(s->mask & mask))
        return;
    slot part = *s;
    part.mask &= mask;
    s->mask = (uint8_t)(s->mask & ~mask);
    move_to_memory(w, &part, level, origin);
}

static void atomic_word(weakmem *w, uint32_t lane, uintptr_t key, uint8_t mask) {
    uint32_t wave = wave_of(w, lane), group = group_of(w, lane);
    flush_bytes(w, &w->groups[group].view, FROM_GROUP, group, key, mask);
    flush_bytes(w, &w->waves[wave].view, FROM_WAVE, wave, key, mask);
    flush_bytes(w, &w->lanes[lane].view, FROM_LANE, lane, key, mask);
    event *e = add_event(w, 0, key);
    e->level = FROM_LANE;
    e->origin = lane;
    e->in_wave = w->now;
    e->mask = e->had = mask;
    copy(e->bytes, memory_at(key), mask);
}

void weakmem_atomic(weakmem *w, uint32_t lane, uint8_t *at, size_t size) {
    w->now++;
    while (size) {
        uintptr_t key;
        size_t offset, part;
        uint8_t mask = first_word((uintptr_t)at, size, &key, &offset, &part);
        atomic_word(w, lane, key, mask);
        at += part;
        size -= part;
    }
}

/* ---- Start and end ---- */

weakmem *weakmem_create(uint32_t groups, uint32_t threads, uint32_t width, uint64_t seed) {
    weakmem *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->group_count = groups;
    w->wave_count = (threads + width - 1) / width;
    w->width = width;
    w->random = seed;
    size_t waves = (size_t)groups * w->wave_count;
    w->lanes = calloc(waves * width, sizeof *w->lanes);
    w->waves = calloc(waves, sizeof *w->waves);
    w->groups = calloc(groups, sizeof *w->groups);
    if (w->lanes && w->waves && w->groups)
        return w;
    weakmem_destroy(w);
    return NULL;
}

void weakmem_destroy(weakmem *w) {
    if (!w)
        return;
    uint32_t waves = w->group_count * w->wave_count;
    for (uint32_t k = 0; w->lanes && k < waves * w->width; k++)
        free_view(&w->lanes[k].view);
    for (uint32_t k = 0; w->waves && k < waves; k++)
        free_view(&w->waves[k].view);
    for (uint32_t k = 0; w->groups && k < w->group_count; k++)
        free_view(&w->groups[k].view);
    free_view(&w->late);
    free(w->lanes);
    free(w->waves);
    free(w->groups);
    free(w);
}

uint32_t weakmem_lane(const weakmem *w, uint32_t group, uint32_t thread) {
    return group * w->wave_count * w->width + thread;
}

void weakmem_start_group(weakmem *w, uint32_t group) {
    uint32_t first = group * w->wave_count;
    uint64_t now = ++w->now;
    w->groups[group].acquired = now;
    for (uint32_t k = first; k < first + w->wave_count; k++)
        w->waves[k].acquired = now;
    for (uint32_t k = first * w->width; k < (first + w->wave_count) * w->width; k++)
        w->lanes[k].acquired = now;
}

void weakmem_end_group(weakmem *w, uint32_t group) {
    uint32_t first = group * w->wave_count;
    w->now++;
    move_all(w, &w->groups[group].view, FROM_GROUP, group, &w->late, 0);
    for (uint32_t k = first; k < first + w->wave_count; k++)
        move_all(w, &w->waves[k].view, FROM_WAVE, k, &w->late, 0);
    for (uint32_t k = first * w->width; k < (first + w->wave_count) * w->width; k++)
        move_all(w, &w->lanes[k].view, FROM_LANE, k, &w->late, 0);
}

void weakmem_finish(weakmem *w) {
    w->now++;
    move_all(w, &w->late, FROM_GROUP, 0, NULL, 0);
}

bool weakmem_failed(const weakmem *w) {
    return w->failed;
}
