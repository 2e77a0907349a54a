/* Removes redundant parameters and results: those that are only another name for a value. In SSA
 * with phi functions these are the trivial and the duplicate phis.
 *
 *   loop arg0, 0 {                          loop 0 {
 *     %1 = param(0)                           %2 = param(0)
 *     %2 = param(1)                 →         %3 = iadd %2, arg0
 *     %3 = iadd %2, %1                        continue %3
 *     continue %1, %3                       }
 *   }
 *
 * A parameter equals its initial value when every continue passes that value or the parameter
 * itself. It equals another parameter when both have the same initial value and the same values at
 * every continue. A result equals a value that every exit passes, if it is visible outside. Inner
 * loops come first, so a value that passes through a nest unchanged is removed in one walk.
 * Dead-code elimination removes the unused parameters and results. */
#include "ir/analyse.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

typedef struct pruner {
    ir_func *f;
    ir_ends ends;
    ir_map map;         /* made for the first value that is replaced */
    uint32_t *position; /* by operation: program order */
    uint64_t *hash;     /* by parameter index: of its initial value and continues */
    ir_value *table;    /* parameters of one loop by hash */
    bool changed;
} pruner;

static ir_value now(const pruner *p, ir_value v) {
    return ir_map_find(&p->map, v);
}

static void replace(pruner *p, ir_value v, ir_value by) {
    if (!p->map.to && !ir_map_init(&p->map, p->f))
        return;
    p->map.to[v] = by;
    p->changed = true;
}

/* A value used inside `op` is visible before `op` if it is defined there. */
static bool visible_before(const pruner *p, ir_value v, ir_value op) {
    return ir_has(p->f, v, IR_LEAF) || p->position[v] < p->position[op];
}

/* ---- Parameters ---- */

static bool never_changes(const pruner *p, ir_value loop, ir_value param, unsigned k) {
    ir_value start = now(p, ir_arg(p->f, loop, k));
    for (ir_value t = ir_first_end(p->f, &p->ends, loop); t; t = ir_next_end(p->f, &p->ends, t)) {
        if (ir_op_of(p->f, t) != IR_CONTINUE)
            continue;
        ir_value v = now(p, ir_arg(p->f, t, k));
        if (v != param && v != start)
            return false;
    }
    return true;
}

/* The value that a terminator passes for the parameter; 0 for the parameter itself. */
static ir_value passed(const pruner *p, ir_value t, ir_value param, unsigned k) {
    ir_value v = now(p, ir_arg(p->f, t, k));
    return v == param ? 0 : v;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_param(const pruner *p, ir_value loop, ir_value param, unsigned k) {
    uint64_t hash = mix(ir_type_of(p->f, param), now(p, ir_arg(p->f, loop, k)));
    for (ir_value t = ir_first_end(p->f, &p->ends, loop); t; t = ir_next_end(p->f, &p->ends, t))
        if (ir_op_of(p->f, t) == IR_CONTINUE)
            hash = mix(hash, passed(p, t, param, k));
    return hash;
}

static bool same_param(const pruner *p, ir_value loop, ir_value a, ir_value b) {
    unsigned i = (unsigned)ir_at(p->f, a)->imm, k = (unsigned)ir_at(p->f, b)->imm;
    if (now(p, ir_arg(p->f, loop, i)) != now(p, ir_arg(p->f, loop, k)))
        return false;
    for (ir_value t = ir_first_end(p->f, &p->ends, loop); t; t = ir_next_end(p->f, &p->ends, t))
        if (ir_op_of(p->f, t) == IR_CONTINUE && passed(p, t, a, i) != passed(p, t, b, k))
            return false;
    return true;
}

static void prune_duplicates(pruner *p, ir_value loop) {
    ir_func *f = p->f;
    uint32_t size = 4;
    while (size < 2u * ir_at(f, loop)->arg_count)
        size *= 2;
    memset(p->table, 0, size * sizeof *p->table);
    ir_value param = f->regions[ir_at(f, loop)->regions[0]].first;
    for (unsigned k = 0; k < ir_at(f, loop)->arg_count; k++, param = ir_at(f, param)->next) {
        if (ir_map_has(&p->map, param))
            continue;
        uint64_t hash = p->hash[k] = hash_param(p, loop, param, k);
        uint32_t at = (uint32_t)hash & (size - 1);
        for (; p->table[at]; at = (at + 1) & (size - 1))
            if (p->hash[ir_at(f, p->table[at])->imm] == hash &&
                same_param(p, loop, p->table[at], param))
                break;
        if (p->table[at])
            replace(p, param, p->table[at]);
        else
            p->table[at] = param;
    }
}

static void prune_params(pruner *p, ir_value loop) {
    ir_func *f = p->f;
    ir_value param = f->regions[ir_at(f, loop)->regions[0]].first;
    for (unsigned k = 0; k < ir_at(f, loop)->arg_count; k++, param = ir_at(f, param)->next)
        if (never_changes(p, loop, param, k))
            replace(p, param, now(p, ir_arg(f, loop, k)));
    if (ir_at(f, loop)->arg_count > 1)
        prune_duplicates(p, loop);
}

/* ---- Results ---- */

static ir_value from_breaks(const pruner *p, ir_value loop, unsigned k) {
    ir_value same = 0;
    for (ir_value t = ir_first_end(p->f, &p->ends, loop); t; t = ir_next_end(p->f, &p->ends, t)) {
        if (ir_op_of(p->f, t) != IR_BREAK)
            continue;
        ir_value v = now(p, ir_arg(p->f, t, k));
        if (same && same != v)
            return 0;
        same = v;
    }
    return same;
}

static ir_value from_yields(const pruner *p, ir_value op, unsigned k) {
    ir_value same = 0;
    for (unsigned side = 0; side < 2; side++) {
        ir_value end = p->f->regions[ir_at(p->f, op)->regions[side]].last;
        if (ir_op_of(p->f, end) != IR_YIELD)
            continue;
        ir_value v = now(p, ir_arg(p->f, end, k));
        if (same && same != v)
            return 0;
        same = v;
    }
    return same;
}

static void prune_results(pruner *p, ir_value op) {
    bool loop = ir_op_of(p->f, op) == IR_LOOP;
    ir_value r = ir_first_result(p->f, op);
    for (unsigned k = 0; r; r = ir_next_result(p->f, r), k++) {
        ir_value v = loop ? from_breaks(p, op, k) : from_yields(p, op, k);
        if (v && visible_before(p, v, op))
            replace(p, r, v);
    }
}

/* The operations from v on, up to an if or loop or the end of the region; returns the last one. */
static ir_value place_many(const pruner *p, ir_value v, uint32_t *position) {
    const ir_node *nodes = p->f->nodes;
    for (uint32_t at = *position;; v = nodes[v].next) {
        p->position[v] = ++at;
        if (!nodes[v].next || ir_has_regions(&nodes[v])) {
            *position = at;
            return v;
        }
    }
}

static void walk(pruner *p) {
    uint32_t position = 0;
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_read(&w)) != IR_AT_END;) {
        if (e == IR_AT_OP) {
            w.op = place_many(p, w.op, &position);
            continue;
        }
        ir_value owner = p->f->regions[w.region].owner;
        if (e != IR_LEAVE_REGION || !owner)
            continue;
        bool loop = ir_op_of(p->f, owner) == IR_LOOP;
        if (!loop && ir_at(p->f, owner)->regions[0] == w.region)
            continue;
        if (loop)
            prune_params(p, owner);
        prune_results(p, owner);
    }
}

static size_t most_params(const ir_func *f) {
    size_t most = 0;
    for (ir_value v = 1; ir_made(f, IR_LOOP) && v < f->node_count; v++)
        if (ir_op_of(f, v) == IR_LOOP && ir_at(f, v)->arg_count > most)
            most = ir_at(f, v)->arg_count;
    return most;
}

bool ir_opt_prune(ir_func *f) {
    pruner p = {.f = f};
    size_t most = most_params(f);
    bool ok = ir_find_ends(f, &p.ends);
    p.position = malloc(f->node_count * sizeof *p.position);
    p.hash = calloc(most + 1, sizeof *p.hash);
    p.table = calloc(4 * most + 4, sizeof *p.table);
    if (ok && p.position && p.hash && p.table) {
        walk(&p);
        if (p.changed)
            ir_map_apply(&p.map, f);
    } else {
        f->failed = true;
    }
    ir_map_free(&p.map);
    ir_free_ends(&p.ends);
    free(p.position);
    free(p.hash);
    free(p.table);
    return p.changed;
}
