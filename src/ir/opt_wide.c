/* Merges adjacent accesses into wide ones.
 *
 *   %2 = load(local, 4, +0) %1               loads(local, 8, +0) %1
 *   %3 = load(local, 4, +4) %1        →      %2 = result(0)
 *                                            %3 = result(1)
 *   store(local, 4, +8) %1, %2
 *   store(local, 4, +12) %1, %3       →      store(local, 8, +8) %1, %2, %3
 *
 * Accesses of 4 and 8 bytes become one of 8 or 16 bytes if the base is proved to be aligned to that
 * size. A constant address is an offset from 0. Loads move up to the first of them when nothing in
 * between may write. Stores move down to the last of them when nothing in between accesses memory
 * of the same kind, except stores to other words of the same base. All of them are in one region
 * with no if or loop in between. Linear time. */
#include "ir/analyse.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>

enum { WORDS = 4, MOST_STORES = 16 };

/* The words of 16 bytes that are loaded with no write in between. */
typedef struct group {
    ir_value base;
    int32_t window; /* offset / 16 */
    uint32_t serial;
    uint32_t next; /* in its bucket */
    uint8_t space, hint;
    ir_value load[WORDS], value[WORDS]; /* by word: the operation, and the value of the word */
} group;

typedef struct widener {
    ir_func *f;
    ir_bits bits;       /* computed for the first pair that needs it */
    ir_map map;         /* made for the first loads that are joined */
    uint32_t *position; /* by operation */
    group *groups;      /* index 0 is not used */
    uint32_t *buckets;
    uint32_t group_count, mask, serial;
    ir_value zero;                /* the base of constant addresses */
    ir_value stores[MOST_STORES]; /* open: same base, different words */
    uint32_t store_count;
    bool changed;
} widener;

static bool is_aligned(widener *w, ir_value base, uint32_t power) {
    if (base == w->zero)
        return true;
    if (!w->bits.count && !ir_find_bits(w->f, &w->bits)) {
        w->f->failed = true;
        return false;
    }
    for (; ir_op_of(w->f, base) == IR_LADD; base = ir_arg(w->f, base, 0))
        if (!ir_bits_aligned(&w->bits, ir_arg(w->f, base, 1), power))
            return false;
    if (ir_op_of(w->f, base) == IR_BUFFER)
        return ir_bits_aligned(&w->bits, ir_arg(w->f, base, 0), power) &&
               ir_bits_aligned(&w->bits, ir_arg(w->f, base, 1), power);
    if (ir_op_of(w->f, base) == IR_POINTER) /* the arena is aligned */
        base = ir_arg(w->f, base, 0);
    return ir_bits_aligned(&w->bits, base, power);
}

/* Whether the access has a constant address that fits in an offset. */
static bool is_constant(const widener *w, ir_value v, uint64_t *address) {
    return ir_is_const(w->f, ir_arg(w->f, v, 0), address) && *address <= INT32_MAX / 2 &&
           ir_access_unpack(ir_at(w->f, v)->imm).offset == 0;
}

static ir_value base_of(const widener *w, ir_value v) {
    uint64_t address;
    return is_constant(w, v, &address) ? w->zero : ir_arg(w->f, v, 0);
}

/* The access with its offset relative to base_of. */
static ir_access access_of(const widener *w, ir_value v) {
    ir_access a = ir_access_unpack(ir_at(w->f, v)->imm);
    uint64_t address;
    if (v && is_constant(w, v, &address))
        a.offset = (int32_t)address;
    return a;
}

/* The address of an access at base and offset; for a constant address the offset becomes 0. */
static ir_value address_of(widener *w, ir_value base, ir_access *a) {
    if (base != w->zero)
        return base;
    base = ir_const(w->f, IR_U32, (uint64_t)a->offset);
    a->offset = 0;
    return base;
}

static int32_t window_of(int32_t offset) {
    return offset >= 0 ? offset / 16 : -1;
}

/* ---- Loads ---- */

static group *group_of(widener *w, ir_value base, ir_access a) {
    uint64_t key = ((uint64_t)base << 32 | (uint32_t)window_of(a.offset)) * 0x9E3779B97F4A7C15u;
    uint32_t at = (uint32_t)(key >> 32) & w->mask;
    for (uint32_t k = w->buckets[at]; k; k = w->groups[k].next) {
        group *g = &w->groups[k];
        if (g->serial != w->serial)
            break; /* the newest groups come first */
        if (g->base == base && g->window == window_of(a.offset) && g->space == a.space &&
            g->hint == a.hint)
            return g;
    }
    uint32_t k = ++w->group_count;
    w->groups[k] = (group){.base = base,
                           .window = window_of(a.offset),
                           .serial = w->serial,
                           .next = w->buckets[at],
                           .space = a.space,
                           .hint = a.hint};
    w->buckets[at] = k;
    return &w->groups[k];
}

static void note_load(widener *w, ir_value v) {
    ir_access a = access_of(w, v);
    bool pair = ir_op_of(w->f, v) == IR_LOADS;
    if (a.bytes != (pair ? 8 : 4) || a.offset < 0 || a.offset % (pair ? 8 : 4))
        return;
    ir_value values[2] = {v, 0};
    if (pair) {
        values[0] = ir_first_result(w->f, v);
        values[1] = values[0] ? ir_next_result(w->f, values[0]) : 0;
        if (!values[1])
            return;
    }
    group *g = group_of(w, base_of(w, v), a);
    unsigned word = (unsigned)a.offset / 4 % WORDS;
    for (unsigned k = 0; k < a.bytes / 4u; k++)
        if (!g->load[word + k]) {
            g->load[word + k] = v;
            g->value[word + k] = values[k];
        }
}

/* Joins the words starting at `from` into one load, before the first of them. */
static void join_loads(widener *w, const group *g, unsigned from, unsigned count) {
    ir_func *f = w->f;
    ir_value first = g->load[from];
    for (unsigned k = 1; k < count; k++)
        if (w->position[g->load[from + k]] < w->position[first])
            first = g->load[from + k];
    ir_access a = access_of(w, first);
    if (!w->map.to && !ir_map_init(&w->map, w->f))
        return;
    a.offset = g->window * 16 + (int32_t)from * 4;
    a.bytes = (uint8_t)(count * 4);
    ir_value address = address_of(w, g->base, &a);
    ir_value wide = ir_make_before(f, first, IR_LOADS, IR_VOID, &address, 1, ir_access_pack(a));
    for (unsigned k = 0; k < count && !f->failed; k++) {
        ir_value old = g->value[from + k];
        ir_value r = ir_make_before(f, first, IR_RESULT, ir_type_of(f, old), &wide, 1, k);
        w->map.to[old] = r;
    }
    for (unsigned k = 0; k < count && !f->failed; k++) {
        if (g->value[from + k] != g->load[from + k])
            ir_remove(f, g->value[from + k]);
        ir_remove(f, g->load[from + k]);
    }
    w->changed = true;
}

static bool differ(const group *g, unsigned from, unsigned count) {
    for (unsigned k = 1; k < count; k++)
        if (g->load[from + k] != g->load[from])
            return true;
    return false;
}

static bool complete(const widener *w, const group *g, unsigned from, unsigned count) {
    for (unsigned k = 0; k < count; k++) {
        ir_value load = g->load[from + k];
        if (!load)
            return false;
        /* a load of two words is only replaced as a whole */
        unsigned word = from + k;
        bool pair = ir_op_of(w->f, load) == IR_LOADS;
        if (pair && g->load[word ^ 1] != load)
            return false;
    }
    return differ(g, from, count);
}

static void widen_loads(widener *w) {
    for (uint32_t i = 1; i <= w->group_count && !w->f->failed; i++) {
        const group *g = &w->groups[i];
        if (complete(w, g, 0, 4) && is_aligned(w, g->base, 16)) {
            join_loads(w, g, 0, 4);
            continue;
        }
        for (unsigned from = 0; from < WORDS; from += 2)
            if (complete(w, g, from, 2) && is_aligned(w, g->base, 8))
                join_loads(w, g, from, 2);
    }
}

/* ---- Stores ---- */

/* The open store of the word at `offset` with this size, or 0. */
static ir_value store_at(const widener *w, int32_t offset, unsigned bytes) {
    for (uint32_t k = 0; k < w->store_count; k++) {
        ir_access a = access_of(w, w->stores[k]);
        if (w->stores[k] && a.offset == offset && a.bytes == bytes)
            return w->stores[k];
    }
    return 0;
}

/* Joins both into one at the place of the later store; false when there is no such pair. */
static bool join_stores(widener *w, uint32_t index, unsigned bytes) {
    ir_func *f = w->f;
    ir_value low = w->stores[index];
    ir_access a = access_of(w, low);
    if (!low || a.bytes != bytes || a.offset < 0 || (uint32_t)a.offset & (2 * bytes - 1))
        return false;
    ir_value base = base_of(w, low);
    ir_value high = store_at(w, a.offset + (int32_t)bytes, bytes);
    if (!high || !is_aligned(w, base, 2 * bytes))
        return false;
    ir_value args[5] = {0};
    unsigned words = bytes / 4;
    for (unsigned k = 0; k < words; k++) {
        args[1 + k] = ir_arg(f, low, 1 + k);
        args[1 + words + k] = ir_arg(f, high, 1 + k);
    }
    bool low_last = w->position[low] > w->position[high];
    ir_value last = low_last ? low : high, gone = low_last ? high : low;
    a.bytes = (uint8_t)(2 * bytes);
    args[0] = address_of(w, base, &a);
    ir_at(f, last)->imm = ir_access_pack(a);
    ir_set_args(f, last, args, 1 + 2 * words);
    ir_remove(f, gone);
    for (uint32_t k = 0; k < w->store_count; k++)
        if (w->stores[k] == gone)
            w->stores[k] = 0;
    w->changed = true;
    return true;
}

static void end_stores(widener *w) {
    for (unsigned bytes = 4; bytes <= 8 && w->store_count > 1; bytes *= 2)
        for (uint32_t k = 0; k < w->store_count; k++)
            join_stores(w, k, bytes);
    w->store_count = 0;
}

static bool overlaps(const widener *w, ir_access a) {
    for (uint32_t k = 0; k < w->store_count; k++) {
        ir_access b = access_of(w, w->stores[k]);
        if (a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes)
            return true;
    }
    return false;
}

static void note_store(widener *w, ir_value v) {
    ir_access a = access_of(w, v);
    bool fits =
        w->store_count && w->store_count < MOST_STORES &&
        base_of(w, w->stores[0]) == base_of(w, v) && access_of(w, w->stores[0]).space == a.space &&
        access_of(w, w->stores[0]).hint == a.hint && a.offset <= INT32_MAX - 16 && !overlaps(w, a);
    if (!fits)
        end_stores(w);
    if (a.offset <= INT32_MAX - 16)
        w->stores[w->store_count++] = v;
}

/* ---- The walk ---- */

static void visit(widener *w, ir_value v) {
    ir_op op = ir_op_of(w->f, v);
    bool load = op == IR_LOAD || op == IR_LOADS;
    if (!ir_has(w->f, v, IR_READS | IR_WRITES | IR_REGIONS | IR_ENDS))
        return;
    if (load && w->store_count && access_of(w, v).space != access_of(w, w->stores[0]).space) {
        note_load(w, v); /* the memory spaces are disjoint */
        return;
    }
    if (op == IR_STORE)
        note_store(w, v);
    else
        end_stores(w);
    if (load)
        note_load(w, v);
    else if (ir_has(w->f, v, IR_WRITES | IR_REGIONS | IR_ENDS))
        w->serial++;
}

static uint32_t count_loads(const ir_func *f) {
    uint32_t count = 0;
    for (ir_value v = 1; v < f->node_count; v++)
        count += (ir_op_of(f, v) == IR_LOAD || ir_op_of(f, v) == IR_LOADS) && ir_at(f, v)->region;
    return count;
}

static void run(widener *w) {
    uint32_t position = 0;
    ir_walk walk;
    ir_walk_init(&walk, w->f);
    for (ir_event e; (e = ir_walk_next(&walk)) != IR_AT_END;) {
        if (e != IR_AT_OP) {
            w->serial++;
            continue;
        }
        w->position[walk.op] = ++position;
        visit(w, walk.op);
    }
    widen_loads(w);
    if (w->map.to && !w->f->failed)
        ir_map_apply(&w->map, w->f);
}

bool ir_opt_wide(ir_func *f) {
    widener w = {.f = f, .zero = ir_const(f, IR_U32, 0)};
    uint32_t loads = count_loads(f), buckets = 64;
    while (buckets < loads)
        buckets *= 2;
    w.mask = buckets - 1;
    w.position = malloc(f->node_count * sizeof *w.position);
    w.groups = malloc(((size_t)loads + 1) * sizeof *w.groups);
    w.buckets = calloc(buckets, sizeof *w.buckets);
    if (w.position && w.groups && w.buckets)
        run(&w);
    else
        f->failed = true;
    ir_map_free(&w.map);
    ir_free_bits(&w.bits);
    free(w.position);
    free(w.groups);
    free(w.buckets);
    return w.changed;
}
