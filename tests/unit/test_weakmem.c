/* The memory that exposes missing fences (tests/weakmem). Its required behaviour is specified case
 * by case; random programs show that it never breaks an ordered program. The test tracks their
 * order itself: for every lane, the version of each byte that it knows. */
#include "support/random.h"
#include "weakmem/weakmem.h"

#include <criterion/criterion.h>
#include <string.h>

enum { WIDTH = 4, THREADS = 8, GROUPS = 2, LANES = GROUPS * THREADS, BYTES = 48, MANY_SEEDS = 64 };

static uint32_t load(weakmem *w, uint32_t lane, const uint8_t *at) {
    uint32_t value;
    weakmem_load(w, lane, at, 4, (uint8_t *)&value);
    return value;
}

static void store(weakmem *w, uint32_t lane, uint8_t *at, uint32_t value) {
    weakmem_store(w, lane, at, 4, (const uint8_t *)&value);
}

static weakmem *start(uint64_t seed) {
    weakmem *w = weakmem_create(GROUPS, THREADS, WIDTH, seed);
    cr_assert_not_null(w);
    for (uint32_t g = 0; g < GROUPS; g++)
        weakmem_start_group(w, g);
    return w;
}

static void end(weakmem *w) {
    for (uint32_t g = 0; g < GROUPS; g++)
        weakmem_end_group(w, g);
    weakmem_finish(w);
    cr_assert_not(weakmem_failed(w));
    weakmem_destroy(w);
}

/* ---- What becomes visible when ---- */

Test(weakmem, a_store_is_seen_by_its_lane_only) {
    uint32_t memory[2] = {1, 1};
    uint8_t *at = (uint8_t *)memory;
    weakmem *w = start(1);
    store(w, 0, at, 2);
    cr_expect_eq(load(w, 0, at), 2);
    cr_expect_eq(load(w, 1, at), 1, "another lane of the wave");
    weakmem_release(w, 0, WEAKMEM_WAVE);
    cr_expect_eq(load(w, 1, at), 2, "the wave");
    cr_expect_eq(load(w, WIDTH, at), 1, "another wave");
    weakmem_release(w, 1, WEAKMEM_GROUP); /* it also releases what it has seen of others */
    weakmem_acquire(w, WIDTH, WEAKMEM_GROUP);
    cr_expect_eq(load(w, WIDTH, at), 2, "the workgroup");
    cr_expect_eq(load(w, THREADS, at), 1, "another workgroup");
    weakmem_release(w, WIDTH, WEAKMEM_DEVICE);
    weakmem_acquire(w, THREADS, WEAKMEM_DEVICE);
    cr_expect_eq(load(w, THREADS, at), 2, "the device");
    cr_expect_eq(memory[0], 2);
    cr_expect_eq(memory[1], 1);
    end(w);
}

Test(weakmem, unreleased_stores_become_visible_when_the_kernel_ends) {
    uint32_t memory = 1;
    weakmem *w = start(1);
    store(w, 3, (uint8_t *)&memory, 2);
    weakmem_end_group(w, 0);
    cr_expect_eq(load(w, THREADS, (uint8_t *)&memory), 1);
    weakmem_start_group(w, 0);
    cr_expect_eq(load(w, 3, (uint8_t *)&memory), 1, "the next workgroup in the same place");
    end(w);
    cr_expect_eq(memory, 2);
}

Test(weakmem, the_highest_lane_wins_when_lanes_store_together) {
    uint32_t memory = 1;
    weakmem *w = start(1);
    for (uint32_t lane = 0; lane < WIDTH; lane++)
        store(w, lane, (uint8_t *)&memory, 10 + lane);
    for (uint32_t lane = 0; lane < WIDTH; lane++)
        weakmem_release(w, lane, WEAKMEM_WAVE);
    cr_expect_eq(load(w, 0, (uint8_t *)&memory), 10 + WIDTH - 1);
    end(w);
    cr_expect_eq(memory, 10 + WIDTH - 1);
}

Test(weakmem, an_atomic_flushes_only_its_own_bytes) {
    uint8_t memory[8] __attribute__((aligned(8))) = {0};
    weakmem *w = start(1);
    weakmem_store(w, 0, memory, 8, (const uint8_t *)"abcdefgh");
    weakmem_atomic(w, 0, memory + 4, 4);
    cr_expect_eq(memcmp(memory, "\0\0\0\0efgh", 8), 0);
    end(w);
    cr_expect_eq(memcmp(memory, "abcdefgh", 8), 0);
}

/* The number of seeds under which the reader sees the old value after the writer has released. */
static unsigned stale(uint32_t reader, weakmem_scope released, bool acquire,
                      weakmem_scope acquired) {
    unsigned count = 0;
    for (uint64_t seed = 0; seed < MANY_SEEDS; seed++) {
        uint32_t memory = 1;
        weakmem *w = start(seed);
        store(w, 0, (uint8_t *)&memory, 2);
        weakmem_release(w, 0, released);
        if (acquire)
            weakmem_acquire(w, reader, acquired);
        count += load(w, reader, (uint8_t *)&memory) == 1;
        end(w);
    }
    return count;
}

Test(weakmem, a_load_looks_back_until_its_lane_acquires) {
    cr_expect_gt(stale(WIDTH, WEAKMEM_GROUP, false, WEAKMEM_WAVE), 10);
    cr_expect_gt(stale(WIDTH, WEAKMEM_GROUP, true, WEAKMEM_WAVE), 10, "the scope is too narrow");
    cr_expect_eq(stale(WIDTH, WEAKMEM_GROUP, true, WEAKMEM_GROUP), 0);
    cr_expect_eq(stale(WIDTH, WEAKMEM_DEVICE, true, WEAKMEM_GROUP), 0);
    cr_expect_gt(stale(THREADS, WEAKMEM_DEVICE, false, WEAKMEM_WAVE), 10);
    cr_expect_gt(stale(THREADS, WEAKMEM_DEVICE, true, WEAKMEM_GROUP), 10);
    cr_expect_eq(stale(THREADS, WEAKMEM_DEVICE, true, WEAKMEM_DEVICE), 0);
    cr_expect_eq(stale(THREADS, WEAKMEM_GROUP, true, WEAKMEM_DEVICE), MANY_SEEDS, "never released");
}

/* ---- Ordered programs, which must see plain memory ---- */

typedef struct knowledge {
    uint32_t version[BYTES];
} knowledge;

typedef struct trial {
    weakmem *w;
    uint64_t random;
    uint32_t rate; /* one step in `rate` is a barrier */
    uint8_t memory[BYTES] __attribute__((aligned(8)));
    uint8_t values[BYTES];
    knowledge now, lanes[LANES];
    knowledge released[LANES][3]; /* by each lane's last release of that scope */
} trial;

static uint32_t draw(trial *t, uint32_t below) {
    return (uint32_t)((random_mmix(&t->random) >> 33) % below);
}

static void learn(knowledge *k, const knowledge *from) {
    for (int b = 0; b < BYTES; b++)
        if (k->version[b] < from->version[b])
            k->version[b] = from->version[b];
}

static bool knows(const trial *t, uint32_t lane, uint32_t at, uint32_t size) {
    return memcmp(&t->lanes[lane].version[at], &t->now.version[at], size * sizeof(uint32_t)) == 0;
}

/* A plain access of bytes whose last writes the lane knows, or an atomic on them. */
static void try_access(trial *t, uint32_t lane) {
    uint32_t size = 1u << draw(t, 4), at = draw(t, BYTES / size) * size;
    uint32_t kind = draw(t, 8);
    uint8_t bytes[8];
    if (!knows(t, lane, at, size))
        return;
    if (kind < 4) {
        weakmem_load(t->w, lane, t->memory + at, size, bytes);
        cr_assert_eq(memcmp(bytes, t->values + at, size), 0, "lane %u reads %u bytes at %u", lane,
                     size, at);
        return;
    }
    for (uint32_t b = 0; b < size; b++)
        bytes[b] = (uint8_t)draw(t, 256);
    if (kind == 4) {
        weakmem_atomic(t->w, lane, t->memory + at, size);
        cr_assert_eq(memcmp(t->memory + at, t->values + at, size), 0, "an atomic of lane %u", lane);
        memcpy(t->memory + at, bytes, size);
    } else {
        weakmem_store(t->w, lane, t->memory + at, size, bytes);
    }
    memcpy(t->values + at, bytes, size);
    for (uint32_t b = at; b < at + size; b++)
        t->lanes[lane].version[b] = ++t->now.version[b];
}

/* A barrier, or a fence of a wave: all release, then all acquire. */
static void synchronise(trial *t, uint32_t first, uint32_t count, weakmem_scope scope) {
    knowledge all = t->lanes[first];
    for (uint32_t k = first; k < first + count; k++) {
        weakmem_release(t->w, k, scope);
        learn(&all, &t->lanes[k]);
    }
    for (uint32_t k = first; k < first + count; k++) {
        weakmem_acquire(t->w, k, scope);
        t->lanes[k] = all;
    }
}

static weakmem_scope distance(uint32_t a, uint32_t b) {
    return a / WIDTH == b / WIDTH       ? WEAKMEM_WAVE
           : a / THREADS == b / THREADS ? WEAKMEM_GROUP
                                        : WEAKMEM_DEVICE;
}

/* A lane acquires from another's last release; both scopes must include the other lane. */
static void try_acquire(trial *t, uint32_t lane) {
    uint32_t from = draw(t, LANES);
    weakmem_scope needed = distance(lane, from), scope = (weakmem_scope)draw(t, 3);
    if (scope < needed)
        return;
    weakmem_acquire(t->w, lane, scope);
    for (int s = (int)needed; s <= WEAKMEM_DEVICE; s++)
        learn(&t->lanes[lane], &t->released[from][s]);
}

static void step(trial *t) {
    uint32_t lane = draw(t, LANES);
    switch (draw(t, t->rate)) {
    case 0: synchronise(t, lane / WIDTH * WIDTH, WIDTH, WEAKMEM_WAVE); break;
    case 1: synchronise(t, lane / THREADS * THREADS, THREADS, WEAKMEM_GROUP); break;
    case 2:
    case 3: {
        weakmem_scope scope = (weakmem_scope)draw(t, 3);
        weakmem_release(t->w, lane, scope);
        t->released[lane][scope] = t->lanes[lane];
        break;
    }
    case 4:
    case 5:
    case 6: try_acquire(t, lane); break;
    default: try_access(t, lane); break;
    }
}

Test(weakmem, an_ordered_program_sees_plain_memory) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        trial t = {.random = seed, .rate = 12u << seed % 4};
        t.w = start(seed);
        for (int k = 0; k < 3000; k++)
            step(&t);
        end(t.w);
        cr_assert_eq(memcmp(t.memory, t.values, BYTES), 0, "seed %u: the end", (unsigned)seed);
    }
}
