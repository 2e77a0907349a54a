/* Views of memory. Each holds its pending bytes in a hash table of words, and a small cache of
 * lines it remembers. A load queries the view of its lane, then that of the wave, then that of the
 * workgroup, then memory; every view that misses remembers the answer. */
#include "emu/views.h"
#include "emu/lane_memory.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3, LINE = 32 };

typedef struct view_word {
    uint32_t key; /* space and address / 4 */
    uint32_t value;
    uint8_t bytes; /* bits 0 … 3: the pending ones */
} view_word;

typedef struct view_line {
    uint32_t key;   /* space and address / LINE */
    uint32_t age;   /* valid if equal to the view's */
    uint32_t bytes; /* those remembered */
    uint8_t value[LINE];
} view_line;

typedef struct view {
    view_word *words;
    uint32_t count, capacity;
    uint32_t *slots; /* hash table of index + 1, twice the capacity */
    view_line *lines;
    uint32_t line_count;
    uint32_t age;
} view;

/* For each byte of a word, the lane with the latest store in one execution. */
typedef struct view_owner {
    uint32_t key, execution;
    uint8_t bytes, lane[4];
} view_owner;

/* Four times as many as the words of a wave's MMA fragment, the most that one execution stores;
 * misaligned, they touch twice as many. */
enum { OWNERS = 4 * ISA_MAX_WIDTH * 16 };

struct emu_views {
    view *lanes; /* waves times width */
    view *waves;
    view group;
    view_line *lines; /* of all */
    uint32_t lane_count, wave_count;
    uint64_t random;
    uint32_t execution;
    view_owner owners[OWNERS]; /* hash table */
    view_word *pending;        /* device words of finished workgroups */
    size_t pending_count, pending_capacity;
};

static void out_of_memory(emu_machine *m) {
    m->status = WAVE_ERROR_MEMORY;
    m->ready = 0;
}

/* ---- Keys and bytes ---- */

static uint32_t key_of(wave_space space, uint32_t address, uint32_t unit) {
    return (space == WAVE_SPACE_LOCAL ? 0x80000000u : 0) | address / unit;
}

static uint32_t byte_mask(uint32_t bytes) {
    return (bytes & 1 ? 0xFFu : 0) | (bytes & 2 ? 0xFF00u : 0) | (bytes & 4 ? 0xFF0000u : 0) |
           (bytes & 8 ? 0xFF000000u : 0);
}

static void write_memory(emu_machine *m, const view_word *word) {
    const bool local = word->key >> 31;
    uint8_t *to = (local ? m->local : m->device) + (size_t)(word->key & 0x7FFFFFFFu) * 4;
    for (uint32_t i = 0; i < 4; i++)
        if (word->bytes >> i & 1)
            to[i] = (uint8_t)(word->value >> 8 * i);
}

/* ---- Pending bytes ---- */

static uint32_t *slot_of(const view *v, uint32_t key) {
    const uint32_t mask = 2 * v->capacity - 1;
    uint32_t slot = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (v->slots[slot] && v->words[v->slots[slot] - 1].key != key)
        slot = (slot + 1) & mask;
    return &v->slots[slot];
}

static view_word *waiting(const view *v, uint32_t key) {
    if (v->count == 0)
        return NULL;
    const uint32_t index = *slot_of(v, key);
    return index ? &v->words[index - 1] : NULL;
}

static bool grow(view *v) {
    const uint32_t capacity = v->capacity ? v->capacity * 2 : 8;
    view_word *words = realloc(v->words, capacity * sizeof *words);
    if (!words)
        return false;
    v->words = words;
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (!slots)
        return false;
    free(v->slots);
    v->slots = slots;
    v->capacity = capacity;
    for (uint32_t i = 0; i < v->count; i++)
        *slot_of(v, words[i].key) = i + 1;
    return true;
}

/* ---- Remembered lines ---- */

static view_line *line_of(const view *v, uint32_t key) {
    return &v->lines[((key * 0x9E3779B97F4A7C15u) >> 32) % v->line_count];
}

static const uint8_t *remembered(const view *v, uint32_t key, uint32_t at) {
    const view_line *line = line_of(v, key);
    const bool there = line->age == v->age && line->key == key && line->bytes >> at & 1;
    return there ? &line->value[at] : NULL;
}

/* Replaces the line in the same slot. */
static void remember(const view *v, uint32_t key, uint32_t at, uint8_t byte) {
    view_line *line = line_of(v, key);
    if (line->age != v->age || line->key != key)
        *line = (view_line){.key = key, .age = v->age};
    line->bytes |= (uint32_t)1 << at;
    line->value[at] = byte;
}

static void forget_word(const view *v, uint32_t key) {
    view_line *line = line_of(v, (key & 0x80000000u) | (key & 0x7FFFFFFFu) / (LINE / 4));
    if (line->key == ((key & 0x80000000u) | (key & 0x7FFFFFFFu) / (LINE / 4)))
        line->bytes &= ~((uint32_t)0xF << key % (LINE / 4) * 4);
}

static void forget(view *v) {
    v->age++;
}

/* ---- From view to view ---- */

static void put(emu_machine *m, view *v, const view_word *word) {
    if (v->count == v->capacity && !grow(v)) {
        out_of_memory(m);
        return;
    }
    uint32_t *slot = slot_of(v, word->key);
    if (*slot == 0) {
        v->words[v->count] = (view_word){.key = word->key};
        *slot = ++v->count;
    }
    view_word *there = &v->words[*slot - 1];
    const uint32_t mask = byte_mask(word->bytes);
    there->value = (there->value & ~mask) | (word->value & mask);
    there->bytes |= word->bytes;
    forget_word(v, word->key);
}

static void empty(view *v) {
    if (v->count > v->capacity / 8)
        memset(v->slots, 0, (size_t)v->capacity * 2 * sizeof *v->slots);
    else
        for (uint32_t i = v->count; i-- > 0;) /* last first, so that a probe never meets a gap */
            *slot_of(v, v->words[i].key) = 0;
    v->count = 0;
}

/* `to` NULL: memory. */
static void move(emu_machine *m, view *from, view *to) {
    if (from->count == 0)
        return;
    for (uint32_t i = 0; i < from->count; i++) {
        if (from->words[i].bytes == 0)
            continue; /* an atomic has settled it */
        if (to)
            put(m, to, &from->words[i]);
        else
            write_memory(m, &from->words[i]);
    }
    empty(from);
}

/* ---- Loads and stores ---- */

static view *lane_view(const emu_machine *m, const emu_wave *w, uint32_t lane) {
    return &m->views->lanes[(size_t)w->number * m->width + lane];
}

/* Bit k of `coins`: the view of level k answers with what it remembers. */
static uint8_t read_byte(const emu_machine *m, view *const path[LEVELS], wave_space space,
                         uint32_t address, uint32_t coins) {
    const uint32_t word = key_of(space, address, 4), line = key_of(space, address, LINE);
    const uint32_t at = address % LINE;
    uint8_t byte = 0;
    unsigned level = 0;
    for (; level < LEVELS; level++) {
        const view_word *found = waiting(path[level], word);
        if (found && found->bytes >> address % 4 & 1) {
            byte = (uint8_t)(found->value >> 8 * (address % 4));
            break;
        }
        const uint8_t *known = coins >> level & 1 ? remembered(path[level], line, at) : NULL;
        if (known) {
            byte = *known;
            break;
        }
    }
    if (level == LEVELS)
        byte = (space == WAVE_SPACE_LOCAL ? m->local : m->device)[address];
    while (level-- > 0)
        remember(path[level], line, at, byte);
    return byte;
}

/* Half of the loads fetch their whole line, as caches do. */
void emu_views_load(emu_machine *m, const emu_wave *w, wave_space space, uint32_t lane,
                    uint32_t address, uint32_t bytes, uint32_t value[4]) {
    emu_views *views = m->views;
    view *const path[LEVELS] = {lane_view(m, w, lane), &views->waves[w->number], &views->group};
    const uint32_t coins = (uint32_t)(emu_next_random(&views->random) >> 60);
    if (emu_outside(m, space, address, bytes)) {
        memset(value, 0, 4 * sizeof *value);
        return;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        const uint32_t byte = read_byte(m, path, space, address + i, coins);
        value[i / 4] = i % 4 ? value[i / 4] | byte << 8 * (i % 4) : byte;
    }
    if (coins >> LEVELS & 1) {
        const uint64_t size = space == WAVE_SPACE_LOCAL ? m->local_size : m->device_size;
        const uint32_t first = address / LINE * LINE;
        for (uint32_t i = 0; i < LINE && (uint64_t)first + i < size; i++)
            read_byte(m, path, space, first + i, (1u << LEVELS) - 1);
    }
}

void emu_views_begin_stores(emu_machine *m) {
    m->views->execution++;
}

/* Takes bytes from other lanes' views that they stored in the same execution. */
static void own_bytes(emu_machine *m, const emu_wave *w, uint32_t lane, const view_word *word) {
    emu_views *views = m->views;
    uint32_t at = (uint32_t)((word->key * 0x9E3779B97F4A7C15u) >> 32) % OWNERS;
    while (views->owners[at].execution == views->execution && views->owners[at].key != word->key)
        at = (at + 1) % OWNERS;
    view_owner *owner = &views->owners[at];
    if (owner->execution != views->execution)
        *owner = (view_owner){.key = word->key, .execution = views->execution};
    for (uint32_t i = 0; i < 4; i++) {
        if (!(word->bytes >> i & 1))
            continue;
        if (owner->bytes >> i & 1 && owner->lane[i] != lane) {
            view_word *other = waiting(lane_view(m, w, owner->lane[i]), word->key);
            if (other)
                other->bytes &= (uint8_t) ~(1u << i);
        }
        owner->bytes |= (uint8_t)(1u << i);
        owner->lane[i] = (uint8_t)lane;
    }
}

void emu_views_store(emu_machine *m, const emu_wave *w, wave_space space, uint32_t lane,
                     uint32_t address, uint32_t bytes, const uint32_t value[4]) {
    view *own = lane_view(m, w, lane);
    if (emu_outside(m, space, address, bytes))
        return;
    for (uint32_t i = 0; i < bytes;) {
        const uint32_t low = (address + i) % 4;
        const uint32_t length = bytes - i < 4 - low ? bytes - i : 4 - low;
        view_word word = {.key = key_of(space, address + i, 4),
                          .bytes = (uint8_t)(((1u << length) - 1) << low)};
        for (uint32_t k = 0; k < length; k++, i++)
            word.value |= (value[i / 4] >> 8 * (i % 4) & 0xFF) << 8 * (low + k);
        own_bytes(m, w, lane, &word);
        put(m, own, &word);
    }
}

void emu_views_settle(emu_machine *m, const emu_wave *w, wave_space space, uint32_t lane,
                      uint32_t address) {
    emu_views *views = m->views;
    view *const path[LEVELS] = {lane_view(m, w, lane), &views->waves[w->number], &views->group};
    const uint32_t key = key_of(space, address, 4);
    for (unsigned level = LEVELS; level-- > 0;) { /* the narrowest is the latest */
        view_word *word = waiting(path[level], key);
        if (word) {
            write_memory(m, word);
            word->bytes = 0;
        }
        forget_word(path[level], key);
    }
}

/* ---- Fences, barriers, ends ---- */

void emu_views_fence(emu_machine *m, const emu_wave *w, uint64_t lanes, bool acquires,
                     bool releases, uint32_t scope) {
    emu_views *views = m->views;
    view *wave = &views->waves[w->number];
    for (; lanes; lanes &= lanes - 1) {
        view *lane = lane_view(m, w, emu_lowest(lanes));
        move(m, lane, wave);
        forget(lane);
    }
    if (releases && scope >= ISA_SCOPE_WORKGROUP)
        move(m, wave, &views->group);
    if (releases && scope >= ISA_SCOPE_DEVICE)
        move(m, &views->group, NULL);
    if (acquires && scope >= ISA_SCOPE_WORKGROUP)
        forget(wave);
    if (acquires && scope >= ISA_SCOPE_DEVICE)
        forget(&views->group);
}

void emu_views_barrier(emu_machine *m) {
    emu_views *views = m->views;
    for (uint32_t i = 0; i < views->lane_count; i++) {
        move(m, &views->lanes[i], &views->waves[i / m->width]);
        forget(&views->lanes[i]);
    }
    for (uint32_t i = 0; i < views->wave_count; i++) {
        move(m, &views->waves[i], &views->group);
        forget(&views->waves[i]);
    }
}

void emu_views_end_workgroup(emu_machine *m) {
    emu_views *views = m->views;
    emu_views_barrier(m);
    view *group = &views->group;
    const size_t needed = views->pending_count + group->count;
    if (needed > views->pending_capacity) {
        size_t capacity = views->pending_capacity ? views->pending_capacity * 2 : 64;
        capacity = capacity < needed ? needed : capacity;
        view_word *pending = realloc(views->pending, capacity * sizeof *pending);
        if (!pending) {
            out_of_memory(m);
            return;
        }
        views->pending = pending;
        views->pending_capacity = capacity;
    }
    for (uint32_t i = 0; i < group->count; i++)
        if (!(group->words[i].key >> 31))
            views->pending[views->pending_count++] = group->words[i];
    empty(group);
    forget(group);
}

void emu_views_end_kernel(emu_machine *m) {
    emu_views *views = m->views;
    for (size_t i = 0; i < views->pending_count; i++)
        write_memory(m, &views->pending[i]);
    views->pending_count = 0;
}

/* ---- Creation and destruction ---- */

static void free_view(view *v) {
    free(v->words);
    free(v->slots);
}

void emu_views_destroy(emu_views *views) {
    if (!views)
        return;
    for (uint32_t i = 0; views->lanes && i < views->lane_count; i++)
        free_view(&views->lanes[i]);
    for (uint32_t i = 0; views->waves && i < views->wave_count; i++)
        free_view(&views->waves[i]);
    free_view(&views->group);
    free(views->lanes);
    free(views->waves);
    free(views->lines);
    free(views->pending);
    free(views);
}

static view_line *give_lines(view *v, view_line *from, uint32_t count) {
    v->lines = from;
    v->line_count = count;
    v->age = 1;
    return from + count;
}

emu_views *emu_views_create(const emu_machine *m) {
    enum { LANE_LINES = 8, WAVE_LINES = 32, GROUP_LINES = 128 };
    emu_views *views = calloc(1, sizeof *views);
    if (!views)
        return NULL;
    views->wave_count = m->wave_count;
    views->lane_count = m->wave_count * m->width;
    views->random = m->launch->memory_seed;
    views->lanes = calloc(views->lane_count, sizeof *views->lanes);
    views->waves = calloc(views->wave_count, sizeof *views->waves);
    views->lines = calloc((size_t)views->lane_count * LANE_LINES +
                              (size_t)views->wave_count * WAVE_LINES + GROUP_LINES,
                          sizeof *views->lines);
    if (!views->lanes || !views->waves || !views->lines) {
        emu_views_destroy(views);
        return NULL;
    }
    view_line *lines = views->lines;
    for (uint32_t i = 0; i < views->lane_count; i++)
        lines = give_lines(&views->lanes[i], lines, LANE_LINES);
    for (uint32_t i = 0; i < views->wave_count; i++)
        lines = give_lines(&views->waves[i], lines, WAVE_LINES);
    give_lines(&views->group, lines, GROUP_LINES);
    return views;
}
