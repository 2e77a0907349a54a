/* Which tiles of a wave the target's matrix units hold.
 *
 * Values that flow into each other (parameters, results, selects) are one tile in one layout: a
 * web. Webs that meet in a tile_mma form a group: either the units hold all its tiles, or all
 * become plain values. A group goes to the units when they support the element types of all its
 * products and the layouts its tiles are loaded from, and can handle its strides. Webs and groups
 * are sets of a union-find structure (Tarjan). */
#include "ir/analyse.h"

#include <stdlib.h>
#include <string.h>

enum { SEEN_ROWS = 1, SEEN_COLUMNS = 2, MULTIPLIED = 4, REFUSED = 8, SEEN_STRIDE = 16 };

/* Fifteen times this, the offset of the last row, stays below 2^31. */
enum { MOST_STRIDE = 1 << 27 };

typedef struct finder {
    const ir_func *f;
    uint32_t *web, *group; /* by value: its parent in the set */
    uint8_t *seen;  /* by root of a web: SEEN_…, the last one for a stride that units lack */
    uint8_t *notes; /* by root of a group: MULTIPLIED, REFUSED */
} finder;

static uint32_t root(uint32_t *up, uint32_t v) {
    for (; up[v] != v; v = up[v])
        up[v] = up[up[v]];
    return v;
}

/* The smaller number becomes the root: sets of values made together stay shallow. */
static void unite(uint32_t *up, uint32_t a, uint32_t b) {
    a = root(up, a);
    b = root(up, b);
    *(a < b ? &up[b] : &up[a]) = a < b ? a : b;
}

/* The operands of `v` flow into these parameters or results. */
static void flow(finder *x, ir_value v, ir_value to) {
    const ir_func *f = x->f;
    for (unsigned k = 0; k < ir_at(f, v)->arg_count && to; k++, to = ir_at(f, to)->next)
        if (ir_is_wave_tile(ir_type_of(f, to)))
            unite(x->web, to, ir_arg(f, v, k));
}

static ir_value first_param(const ir_func *f, ir_value loop) {
    ir_value p = f->regions[ir_at(f, loop)->regions[0]].first;
    return p && ir_op_of(f, p) == IR_PARAM ? p : 0;
}

static ir_value first_result(const ir_func *f, ir_value op) {
    ir_value r = ir_at(f, op)->next;
    return r && ir_op_of(f, r) == IR_RESULT ? r : 0;
}

/* Tile addresses are 32-bit sums that may wrap; the units' addresses do not wrap. So the stride
 * must be positive, and rows must not overlap. */
static uint8_t see_stride(const ir_func *f, ir_value v, ir_type type) {
    uint64_t stride;
    if (!ir_is_const(f, ir_arg(f, v, 1), &stride))
        return f->units.strides ? 0 : SEEN_STRIDE;
    uint64_t least = IR_TILE_SIDE * (uint64_t)ir_element_bytes[ir_tile_element(type)];
    return stride >= least && stride <= MOST_STRIDE ? 0 : SEEN_STRIDE;
}

static void join_webs(finder *x, ir_value v, ir_region region) {
    const ir_func *f = x->f;
    switch (ir_op_of(f, v)) {
    case IR_LOOP: flow(x, v, first_param(f, v)); break;
    case IR_CONTINUE: flow(x, v, first_param(f, ir_loop_around(f, region))); break;
    case IR_BREAK: flow(x, v, first_result(f, ir_loop_around(f, region))); break;
    case IR_YIELD: flow(x, v, first_result(f, f->regions[region].owner)); break;
    case IR_SELECT:
        if (ir_is_wave_tile(ir_type_of(f, v))) {
            unite(x->web, v, ir_arg(f, v, 1));
            unite(x->web, v, ir_arg(f, v, 2));
        }
        break;
    case IR_TILE_LOAD:
        x->seen[v] |=
            ir_access_unpack(ir_at(f, v)->imm).layout == IR_ROWS ? SEEN_ROWS : SEEN_COLUMNS;
        x->seen[v] |= see_stride(f, v, ir_type_of(f, v));
        break;
    case IR_TILE_STORE:
        x->seen[ir_arg(f, v, 2)] |= see_stride(f, v, ir_type_of(f, ir_arg(f, v, 2)));
        break;
    default: break;
    }
}

static void walk_webs(finder *x) {
    ir_walk w;
    ir_walk_init(&w, x->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP)
            join_webs(x, w.op, w.region);
    for (ir_value v = 1; v < x->f->node_count; v++)
        x->seen[root(x->web, v)] |= x->seen[v];
}

static void join_groups(finder *x) {
    const ir_func *f = x->f;
    for (ir_value v = 1; v < f->node_count; v++)
        if (ir_op_of(f, v) == IR_TILE_MMA && ir_at(f, v)->region)
            for (unsigned k = 0; k < 3; k++)
                unite(x->group, v, ir_arg(f, v, k));
    for (ir_value v = 1; v < f->node_count; v++) {
        ir_type type = ir_type_of(f, v);
        if (!ir_is_wave_tile(type))
            continue;
        uint8_t *notes = &x->notes[root(x->group, v)];
        uint8_t seen = x->seen[root(x->web, v)];
        if (ir_op_of(f, v) == IR_TILE_MMA && ir_at(f, v)->region) {
            ir_element element = ir_tile_element(ir_type_of(f, ir_arg(f, v, 0)));
            *notes |= MULTIPLIED | (f->units.elements >> element & 1 ? 0 : REFUSED);
        }
        bool mixed = (seen & SEEN_ROWS) && (seen & SEEN_COLUMNS);
        bool factor = ir_tile_bank(type) != IR_BANK_C;
        if ((factor &&
             ((seen & SEEN_COLUMNS && !f->units.columns) || (mixed && !f->units.mixed))) ||
            seen & SEEN_STRIDE || ir_op_of(f, v) == IR_CONST)
            *notes |= REFUSED;
    }
}

static void tell(finder *x, uint8_t *tiles) {
    for (ir_value v = 1; v < x->f->node_count; v++) {
        if (!ir_is_wave_tile(ir_type_of(x->f, v)))
            continue;
        uint8_t notes = x->notes[root(x->group, v)], seen = x->seen[root(x->web, v)];
        bool native = (notes & MULTIPLIED) && !(notes & REFUSED);
        tiles[v] =
            (uint8_t)((native ? IR_TILE_NATIVE : 0) | (seen & SEEN_COLUMNS ? IR_TILE_COLUMNS : 0));
    }
}

uint8_t *ir_find_tiles(const ir_func *f) {
    size_t n = f->node_count;
    uint8_t *tiles = calloc(n, 1);
    finder x = {.f = f,
                .web = malloc(n * sizeof *x.web),
                .group = malloc(n * sizeof *x.group),
                .seen = calloc(n, 1),
                .notes = calloc(n, 1)};
    bool ok = tiles && x.web && x.group && x.seen && x.notes;
    for (uint32_t v = 0; ok && v < n; v++)
        x.web[v] = v;
    if (ok && f->units.elements) {
        walk_webs(&x);
        memcpy(x.group, x.web, n * sizeof *x.group);
        join_groups(&x);
        tell(&x, tiles);
    }
    free(x.web);
    free(x.group);
    free(x.seen);
    free(x.notes);
    if (!ok)
        free(tiles);
    return ok ? tiles : NULL;
}
