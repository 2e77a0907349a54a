/* Which loops have a way out that a compiler cannot take away.
 *
 * A condition that is the same in every iteration can be asked before the loop, once, and the loop
 * be copied: one copy leaves at once, the other has no exit at all. That is so for a break under
 * such a condition, for one under a changing condition inside of it, and for one behind a continue
 * under it:
 *
 *   loop { if p { break } }                  becomes   if p { } else { loop { } }
 *   loop { i = i + 1; if p { if i > n { break } } }    the same
 *
 * A value changes in a loop if it comes from a parameter that does, from an address that does, or
 * from an atomic. It is guessed in a few walks; a value taken for one that stays costs little. */
#include "ir/analyse.h"

#include <stdlib.h>

enum { WALKS = 3 };

typedef struct looker {
    const ir_func *f;
    ir_ends ends;
    uint32_t *rate;   /* by value: loops around it, down to the innermost it changes in; 0: none */
    uint32_t *depth;  /* by region: loops around it */
    ir_value *loop;   /* by region: the innermost of them */
    uint8_t *frozen;  /* by region: a condition on the way from that loop's body stays the same */
    uint8_t *steady;  /* by parameter: stays the same from the second iteration on */
    uint8_t *stalled; /* by loop: a continue under such a condition has been passed */
    uint8_t *live;    /* by loop: the answer */
    bool changed;     /* the last walk has found other steady parameters than the one before */
} looker;

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* The slower one; constants do not count. */
static uint32_t slower(const looker *l, ir_value a, ir_value b) {
    uint32_t rate = ir_op_of(l->f, a) == IR_CONST ? UINT32_MAX : l->rate[a];
    return ir_op_of(l->f, b) == IR_CONST ? rate : least(rate, l->rate[b]);
}

/* Of a choice between two: constants differ, anything else that stays may be the same on both
 * sides.
 */
static uint32_t rate_of_choice(const looker *l, ir_value condition, ir_value a, ir_value b) {
    return most(least(l->rate[a], l->rate[b]), least(l->rate[condition], slower(l, a, b)));
}

static uint32_t rate_of_args(const looker *l, ir_value v) {
    uint32_t rate = 0;
    for (unsigned k = 0; k < ir_at(l->f, v)->arg_count; k++)
        rate = most(rate, l->rate[ir_arg(l->f, v, k)]);
    return rate;
}

static uint32_t rate_behind_if(const looker *l, ir_value op, uint64_t k) {
    const ir_node *n = ir_at(l->f, op);
    const ir_value ends[2] = {l->f->regions[n->regions[0]].last, l->f->regions[n->regions[1]].last};
    if (ir_op_of(l->f, ends[0]) != IR_YIELD)
        return l->rate[ir_arg(l->f, ends[1], (unsigned)k)];
    if (ir_op_of(l->f, ends[1]) != IR_YIELD)
        return l->rate[ir_arg(l->f, ends[0], (unsigned)k)];
    return rate_of_choice(l, n->args[0], ir_arg(l->f, ends[0], (unsigned)k),
                          ir_arg(l->f, ends[1], (unsigned)k));
}

/* What changes in the loop itself depends on what it began with. */
static uint32_t rate_behind_loop(const looker *l, ir_value loop, uint64_t k) {
    uint32_t inside = l->depth[ir_at(l->f, loop)->regions[0]], rate = 0;
    for (ir_value t = l->ends.first[loop]; t; t = l->ends.next[t])
        if (ir_op_of(l->f, t) == IR_BREAK) {
            uint32_t brought = l->rate[ir_arg(l->f, t, (unsigned)k)];
            rate = most(rate, brought < inside ? brought : l->rate[loop]);
        }
    return rate;
}

static uint32_t rate_of(const looker *l, ir_value v, ir_region region) {
    const ir_node *n = ir_at(l->f, v);
    switch (n->op) {
    case IR_PARAM: {
        ir_value loop = l->f->regions[region].owner;
        return l->steady[v] ? l->rate[ir_arg(l->f, loop, (unsigned)n->imm)] : l->depth[region];
    }
    case IR_RESULT: {
        ir_value owner = n->args[0];
        ir_op op = ir_op_of(l->f, owner);
        return op == IR_IF     ? rate_behind_if(l, owner, n->imm)
               : op == IR_LOOP ? rate_behind_loop(l, owner, n->imm)
                               : l->rate[owner];
    }
    case IR_SELECT: return rate_of_choice(l, n->args[0], n->args[1], n->args[2]);
    case IR_BAND:
    case IR_BOR: {
        uint32_t rate = slower(l, n->args[0], n->args[1]);
        return rate == UINT32_MAX ? 0 : rate; /* of two constants */
    }
    case IR_LOOP: return rate_of_args(l, v);
    default: return ir_has(l->f, v, IR_WRITES) ? l->depth[region] : rate_of_args(l, v);
    }
}

/* Parameters that every continue brings something that stays. */
static void find_steady(looker *l, ir_value loop) {
    ir_region body = ir_at(l->f, loop)->regions[0];
    ir_value param = l->f->regions[body].first;
    for (unsigned k = 0; k < ir_at(l->f, loop)->arg_count; k++, param = ir_at(l->f, param)->next) {
        bool changes = false;
        for (ir_value t = l->ends.first[loop]; t && !changes; t = l->ends.next[t]) {
            ir_value v = ir_op_of(l->f, t) == IR_CONTINUE ? ir_arg(l->f, t, k) : param;
            changes = v != param && l->rate[v] >= l->depth[body];
        }
        l->changed |= l->steady[param] == changes;
        l->steady[param] = !changes;
    }
}

static void enter(looker *l, ir_region region) {
    ir_value owner = l->f->regions[region].owner;
    ir_region parent = ir_parent(l->f, region);
    if (owner && ir_op_of(l->f, owner) == IR_LOOP) {
        l->depth[region] = l->depth[parent] + 1;
        l->loop[region] = owner;
        l->stalled[owner] = l->live[owner] = 0;
    } else if (owner) {
        l->depth[region] = l->depth[parent];
        l->loop[region] = l->loop[parent];
        l->frozen[region] = l->frozen[parent] || l->rate[ir_arg(l->f, owner, 0)] < l->depth[parent];
    }
}

static void look_at(looker *l, ir_value v, ir_region region) {
    ir_op op = ir_op_of(l->f, v);
    ir_value loop = l->loop[region];
    if (op == IR_BREAK || (op == IR_HALT && loop))
        l->live[loop] |= !l->frozen[region] && !l->stalled[loop];
    else if (op == IR_CONTINUE)
        l->stalled[loop] |= l->frozen[region];
    else
        l->rate[v] = rate_of(l, v, region);
}

static void walk(looker *l) {
    ir_walk w;
    l->changed = false;
    ir_walk_init(&w, l->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value owner = l->f->regions[w.region].owner;
        if (e == IR_ENTER_REGION)
            enter(l, w.region);
        else if (e == IR_AT_OP)
            look_at(l, w.op, w.region);
        else if (owner && ir_op_of(l->f, owner) == IR_LOOP)
            find_steady(l, owner);
    }
}

bool ir_find_exits(const ir_func *f, ir_exits *exits) {
    looker l = {.f = f};
    size_t n = f->node_count, regions = f->region_count;
    bool ok = ir_find_ends(f, &l.ends);
    l.rate = calloc(n, sizeof *l.rate);
    l.steady = calloc(n, 1);
    l.stalled = calloc(n, 1);
    l.live = calloc(n, 1);
    l.depth = calloc(regions, sizeof *l.depth);
    l.loop = calloc(regions, sizeof *l.loop);
    l.frozen = calloc(regions, 1);
    ok = ok && l.rate && l.steady && l.stalled && l.live && l.depth && l.loop && l.frozen;
    l.changed = ok;
    for (unsigned k = 0; k < WALKS && l.changed; k++)
        walk(&l);
    exits->live = ok ? l.live : NULL;
    if (!ok)
        free(l.live);
    ir_free_ends(&l.ends);
    free(l.rate);
    free(l.steady);
    free(l.stalled);
    free(l.depth);
    free(l.loop);
    free(l.frozen);
    return ok;
}

void ir_free_exits(ir_exits *exits) {
    free(exits->live);
    exits->live = NULL;
}
