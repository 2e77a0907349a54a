/* Finds how often values change: in which of the loops around it a value may differ from one
 * iteration to the next.
 *
 *   loop { i = param …              i changes in the outer loop,
 *     loop { j = param …            i + j in the inner one,
 *       a = i + j; b = i * 2 } }    b in the outer one
 *
 * A value changes in a loop if it depends on a parameter or an address that changes, or on an
 * atomic. A few walks approximate this: whether a parameter is steady is only found at the end of
 * its loop, after the values that depend on it were visited. */
#include "ir/analyse.h"

#include <stdlib.h>

enum { WALKS = 3 };

typedef struct finder {
    const ir_func *f;
    ir_ends ends;
    uint32_t *rate, *depth; /* the results */
    uint8_t *steady;        /* by parameter: invariant from the second iteration on */
    bool changed;           /* the last walk changed `steady` */
} finder;

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* The lower rate of two values, ignoring constants. */
static uint32_t slower(const finder *x, ir_value a, ir_value b) {
    uint32_t rate = ir_op_of(x->f, a) == IR_CONST ? UINT32_MAX : x->rate[a];
    return ir_op_of(x->f, b) == IR_CONST ? rate : least(rate, x->rate[b]);
}

/* The rate of a choice between two values. Constants are different; other invariant values may be
 * equal on both sides. */
static uint32_t rate_of_choice(const finder *x, ir_value condition, ir_value a, ir_value b) {
    return most(least(x->rate[a], x->rate[b]), least(x->rate[condition], slower(x, a, b)));
}

static uint32_t rate_of_args(const finder *x, ir_value v) {
    uint32_t rate = 0;
    for (unsigned k = 0; k < ir_at(x->f, v)->arg_count; k++)
        rate = most(rate, x->rate[ir_arg(x->f, v, k)]);
    return rate;
}

static uint32_t rate_after_if(const finder *x, ir_value op, uint64_t k) {
    const ir_node *n = ir_at(x->f, op);
    const ir_value ends[2] = {x->f->regions[n->regions[0]].last, x->f->regions[n->regions[1]].last};
    if (ir_op_of(x->f, ends[0]) != IR_YIELD)
        return x->rate[ir_arg(x->f, ends[1], (unsigned)k)];
    if (ir_op_of(x->f, ends[1]) != IR_YIELD)
        return x->rate[ir_arg(x->f, ends[0], (unsigned)k)];
    return rate_of_choice(x, n->args[0], ir_arg(x->f, ends[0], (unsigned)k),
                          ir_arg(x->f, ends[1], (unsigned)k));
}

/* A value that changes in the loop itself depends on the loop's initial values. */
static uint32_t rate_after_loop(const finder *x, ir_value loop, uint64_t k) {
    uint32_t inside = x->depth[ir_at(x->f, loop)->regions[0]], rate = 0;
    for (ir_value t = ir_first_end(x->f, &x->ends, loop); t; t = ir_next_end(x->f, &x->ends, t))
        if (ir_op_of(x->f, t) == IR_BREAK) {
            uint32_t passed = x->rate[ir_arg(x->f, t, (unsigned)k)];
            rate = most(rate, passed < inside ? passed : x->rate[loop]);
        }
    return rate;
}

static uint32_t rate_of(const finder *x, ir_value v, ir_region region) {
    const ir_node *n = ir_at(x->f, v);
    switch (n->op) {
    case IR_PARAM: {
        ir_value loop = x->f->regions[region].owner;
        return x->steady[v] ? x->rate[ir_arg(x->f, loop, (unsigned)n->imm)] : x->depth[region];
    }
    case IR_RESULT: {
        ir_value owner = n->args[0];
        ir_op op = ir_op_of(x->f, owner);
        return op == IR_IF     ? rate_after_if(x, owner, n->imm)
               : op == IR_LOOP ? rate_after_loop(x, owner, n->imm)
                               : x->rate[owner];
    }
    case IR_SELECT: return rate_of_choice(x, n->args[0], n->args[1], n->args[2]);
    case IR_BAND:
    case IR_BOR: {
        uint32_t rate = slower(x, n->args[0], n->args[1]);
        return rate == UINT32_MAX ? 0 : rate; /* both are constants */
    }
    case IR_LOOP: return rate_of_args(x, v);
    default: return ir_has(x->f, v, IR_WRITES) ? x->depth[region] : rate_of_args(x, v);
    }
}

/* Finds the parameters to which every continue passes an invariant value. */
static void find_steady(finder *x, ir_value loop) {
    ir_region body = ir_at(x->f, loop)->regions[0];
    ir_value param = x->f->regions[body].first;
    for (unsigned k = 0; k < ir_at(x->f, loop)->arg_count; k++, param = ir_at(x->f, param)->next) {
        bool changes = false;
        for (ir_value t = ir_first_end(x->f, &x->ends, loop); t && !changes;
             t = ir_next_end(x->f, &x->ends, t)) {
            ir_value v = ir_op_of(x->f, t) == IR_CONTINUE ? ir_arg(x->f, t, k) : param;
            changes = v != param && x->rate[v] >= x->depth[body];
        }
        x->changed |= x->steady[param] == changes;
        x->steady[param] = !changes;
    }
}

static void enter(finder *x, ir_region region) {
    ir_value owner = x->f->regions[region].owner;
    if (owner)
        x->depth[region] = x->depth[ir_parent(x->f, region)] + (ir_op_of(x->f, owner) == IR_LOOP);
}

static void walk(finder *x) {
    ir_walk w;
    x->changed = false;
    ir_walk_init(&w, x->f);
    for (ir_event e; (e = ir_walk_read(&w)) != IR_AT_END;) {
        ir_value owner = x->f->regions[w.region].owner;
        if (e == IR_ENTER_REGION)
            enter(x, w.region);
        else if (e == IR_AT_OP)
            x->rate[w.op] = rate_of(x, w.op, w.region);
        else if (owner && ir_op_of(x->f, owner) == IR_LOOP)
            find_steady(x, owner);
    }
}

bool ir_find_rates(const ir_func *f, ir_rates *r) {
    finder x = {.f = f};
    x.rate = r->of = calloc(f->node_count, sizeof *x.rate);
    x.depth = r->depth = calloc(f->region_count, sizeof *x.depth);
    x.steady = calloc(f->node_count, 1);
    bool ok = ir_find_ends(f, &x.ends) && x.rate && x.depth && x.steady;
    x.changed = ok;
    for (unsigned k = 0; k < WALKS && x.changed; k++)
        walk(&x);
    ir_free_ends(&x.ends);
    free(x.steady);
    if (!ok)
        ir_free_rates(r);
    return ok;
}

void ir_free_rates(ir_rates *r) {
    free(r->of);
    free(r->depth);
    *r = (ir_rates){0};
}
