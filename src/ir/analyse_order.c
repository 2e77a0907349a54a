/* Accesses of one wave that may meet each other's bytes in different lanes while nothing between
 * them, no fence and no barrier, orders the two.
 *
 *   store(local, 4) %own         open: the store
 *   %x = load(local, 4) %next    may meet the store of the next lane
 *
 * A walk keeps the accesses since the last fence or barrier, a bounded number of spans with what
 * they do. Sides of an if are joined behind it. What is open at the end of an iteration is open at
 * the start of the next: a first walk finds that for every loop, a second one looks for meetings.
 */
#include "ir/order.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPEN = 12, READS = 1, WRITES = 2, ATOMIC = 4 };

typedef struct entry {
    address_span span;
    ir_value access;
    ir_value one;    /* the compare that leaves its lane alone, or 0 */
    ir_value enters; /* the loop that it was open before, in the first iteration; or 0 */
    uint8_t space, does;
} entry;

typedef struct state {
    entry open[MOST_OPEN];
    unsigned count;
    bool dead;    /* nothing gets here */
    bool lost;    /* there was no room for all */
    bool through; /* what was open when the loop around began may still be */
    bool fresh;   /* the loop around has not done anything in this iteration */
} state;

/* An open if: what it began with, and what its sides yield. An open loop: what its breaks and
 * continues bring. */
typedef struct frame {
    ir_value op;
    state entered, left, again;
    bool through;
} frame;

typedef struct finder {
    const ir_func *f;
    ir_uniformity uniform;
    ir_lanes lanes;
    ir_ends ends;
    addresses addresses;
    uint32_t *serial; /* by operation: when it was walked over */
    uint32_t *kept;   /* by loop: 1 + its first entry in `pool`, which ends with access 0 */
    entry *pool;
    uint32_t pool_count, pool_capacity;
    frame *frames;
    uint32_t frame_count, frame_capacity;
    state now;
    const ir_order_options *options;
    bool second; /* the walk that looks for meetings */
    ir_value *meets;
    bool failed;
} finder;

/* ---- States ---- */

static const state empty = {.dead = true};

static bool joins(const entry *a, const entry *b) {
    return a->span.shape == b->span.shape && a->span.stale == b->span.stale &&
           a->space == b->space && a->does == b->does && a->one == b->one && a->enters == b->enters;
}

/* Spans that touch become one; where there is no room all of a kind do. */
static void add(state *s, const entry *e) {
    entry *wide = NULL;
    for (unsigned k = 0; k < s->count; k++) {
        entry *o = &s->open[k];
        if (!joins(o, e))
            continue;
        wide = o;
        if (e->span.from <= o->span.to && o->span.from <= e->span.to)
            break;
        if (s->count < MOST_OPEN)
            wide = NULL;
    }
    if (wide) {
        wide->span.from = e->span.from < wide->span.from ? e->span.from : wide->span.from;
        wide->span.to = e->span.to > wide->span.to ? e->span.to : wide->span.to;
    } else if (s->count < MOST_OPEN) {
        s->open[s->count++] = *e;
    } else {
        s->lost = true;
    }
}

static void join(state *to, const state *from) {
    if (from->dead)
        return;
    if (to->dead) {
        *to = *from;
        return;
    }
    for (unsigned k = 0; k < from->count; k++)
        add(to, &from->open[k]);
    to->lost |= from->lost;
    to->through |= from->through;
    to->fresh &= from->fresh;
}

static void clear(state *s) {
    s->count = 0;
    s->lost = s->through = s->fresh = false;
}

/* ---- Accesses ---- */

static uint8_t what_it_does(const ir_func *f, ir_value v) {
    switch (ir_op_of(f, v)) {
    case IR_LOAD:
    case IR_LOADS: return ir_space_shared(ir_access_unpack(ir_at(f, v)->imm).space) ? READS : 0;
    case IR_STORE: return ir_space_shared(ir_access_unpack(ir_at(f, v)->imm).space) ? WRITES : 0;
    case IR_MMA_LOAD: return READS;
    case IR_MMA_STORE: return WRITES;
    case IR_ATOMIC:
        switch (ir_access_unpack(ir_at(f, v)->imm).atomic) {
        case IR_ATOMIC_LOAD: return ATOMIC | READS;
        case IR_ATOMIC_STORE: return ATOMIC | WRITES;
        default: return ATOMIC | READS | WRITES;
        }
    default: return 0;
    }
}

/* Four rows of 16 bytes, as far apart as the second operand says. */
static void tile_span(const ir_func *f, ir_value v, address_span *span) {
    uint64_t stride;
    bool known = ir_is_const(f, ir_arg(f, v, 1), &stride) && stride <= INT32_MAX / 4;
    span->to += known ? 3 * (int64_t)stride + 16 : UINT32_MAX;
}

static bool describe(finder *x, ir_value v, ir_region region, entry *e) {
    const ir_func *f = x->f;
    uint32_t constant, spread;
    uint8_t does = what_it_does(f, v);
    if (!does)
        return false;
    bool tile = ir_op_of(f, v) == IR_MMA_LOAD || ir_op_of(f, v) == IR_MMA_STORE;
    ir_access a = ir_access_unpack(ir_at(f, v)->imm);
    ir_value address = ir_arg(f, v, 0);
    if (ir_op_of(f, address) == IR_POINTER)
        address = ir_arg(f, address, 0);
    *e = (entry){.access = v,
                 .one = x->lanes.one[region],
                 .space = tile ? IR_LOCAL : a.space,
                 .does = does,
                 .span = {.shape = address_shape_of(&x->addresses, address, &constant, &spread)}};
    e->span.from = (int32_t)constant + (int64_t)(tile ? 0 : a.offset);
    e->span.to = e->span.from + spread + a.bytes;
    if (tile)
        tile_span(f, v, &e->span);
    x->failed |= x->addresses.failed;
    return true;
}

/* Whether an order between the two, in different lanes, is what the caller asks for. */
static bool matters(const finder *x, uint8_t earlier, uint8_t later) {
    if (x->options->all)
        return (earlier | later) & WRITES;
    return earlier & WRITES && later & READS && !(earlier & later & ATOMIC);
}

/* What is known of the one lane that makes an access: a special register and its value there. */
static bool known_lane(const finder *x, const entry *e, ir_value *v, uint32_t *value) {
    uint64_t bits = 0;
    if (!e->one)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        *v = ir_arg(x->f, e->one, k);
        if (ir_is_const(x->f, ir_arg(x->f, e->one, !k), &bits) && x->lanes.apart[*v]) {
            *value = (uint32_t)bits;
            return true;
        }
    }
    return false;
}

/* Lane 0's access to word 0 is one to its own word, where all lanes have one. */
static address_verdict meet(const finder *x, const entry *o, const entry *e) {
    address_span own;
    ir_value v;
    uint32_t value;
    bool device = e->space == IR_DEVICE;
    if (known_lane(x, e, &v, &value) &&
        address_restate(&x->addresses, &e->span, v, value, o->span.shape, &own))
        return address_meet(&x->addresses, &o->span, &own, device);
    if (known_lane(x, o, &v, &value) &&
        address_restate(&x->addresses, &o->span, v, value, e->span.shape, &own))
        return address_meet(&x->addresses, &own, &e->span, device);
    return address_meet(&x->addresses, &o->span, &e->span, device);
}

/* The open access that a new one may meet, or 0. */
static ir_value met_by(const finder *x, const entry *e) {
    for (unsigned k = 0; k < x->now.count; k++) {
        const entry *o = &x->now.open[k];
        if (o->space != e->space || !matters(x, o->does, e->does))
            continue;
        if (o->one && e->one && ir_same_lane(x->f, o->one, e->one))
            continue;
        address_verdict verdict = meet(x, o, e);
        if (verdict == ADDRESS_MAY || (x->options->all && verdict == ADDRESS_UNLIKELY))
            return o->access;
    }
    return x->options->all && x->now.lost ? e->access : 0;
}

static void access(finder *x, ir_value v, ir_region region) {
    entry e;
    if (!describe(x, v, region, &e) || x->failed)
        return;
    if (x->second && (x->meets[v] = met_by(x, &e)))
        clear(&x->now); /* there will be a fence, or should be */
    x->now.fresh = false;
    add(&x->now, &e);
}

/* ---- Ifs and loops ---- */

static frame *push(finder *x, ir_value op) {
    if (x->frame_count == x->frame_capacity) {
        uint32_t capacity = x->frame_capacity * 2 + 16;
        frame *frames = realloc(x->frames, capacity * sizeof *frames);
        if (!frames) {
            x->failed = true;
            return NULL;
        }
        x->frames = frames;
        x->frame_capacity = capacity;
    }
    frame *fr = &x->frames[x->frame_count++];
    *fr = (frame){
        .op = op, .entered = x->now, .left = empty, .again = empty, .through = x->now.through};
    return fr;
}

static frame *innermost_loop(finder *x) {
    uint32_t k = x->frame_count - 1;
    while (ir_op_of(x->f, x->frames[k].op) != IR_LOOP)
        k--;
    return &x->frames[k];
}

static uint32_t newest_operand(const finder *x, ir_value compare) {
    uint32_t a = x->serial[ir_arg(x->f, compare, 0)], b = x->serial[ir_arg(x->f, compare, 1)];
    return a > b ? a : b;
}

/* Into the next iteration: what was computed in this one is no longer the same. */
static entry aged(const finder *x, const entry *e, ir_value loop) {
    entry old = *e;
    old.enters = 0;
    old.span.stale |= x->addresses.shapes[e->span.shape].newest > x->serial[loop];
    if (old.one && newest_operand(x, old.one) > x->serial[loop])
        old.one = 0;
    return old;
}

static void keep(finder *x, const entry *e) {
    if (x->pool_count == x->pool_capacity) {
        uint32_t capacity = x->pool_capacity * 2 + 64;
        entry *pool = realloc(x->pool, capacity * sizeof *pool);
        if (!pool) {
            x->failed = true;
            return;
        }
        x->pool = pool;
        x->pool_capacity = capacity;
    }
    x->pool[x->pool_count++] = *e;
}

static void keep_for_next(finder *x, const frame *fr) {
    if (fr->again.dead || !fr->again.count)
        return;
    x->kept[fr->op] = x->pool_count + 1;
    for (unsigned k = 0; k < fr->again.count; k++) {
        entry old = aged(x, &fr->again.open[k], fr->op);
        keep(x, &old);
    }
    keep(x, &(entry){.does = fr->again.lost ? WRITES : 0});
}

static void bring_back(const finder *x, ir_value loop, state *s) {
    uint32_t at = x->kept[loop];
    for (; at && x->pool[at - 1].access; at++)
        add(s, &x->pool[at - 1]);
    s->lost |= at && x->pool[at - 1].does;
}

static void open_loop(finder *x, ir_value op) {
    if (!push(x, op))
        return;
    x->now.through = x->now.fresh = true;
    for (unsigned k = 0; k < x->now.count; k++)
        x->now.open[k].enters = op;
    if (x->second)
        bring_back(x, op, &x->now);
}

/* A loop that asks whether to go on before it does anything is taken to go round once: only where
 * fences are put does it matter that it may not. */
static void leave_loop(finder *x) {
    frame *fr = innermost_loop(x);
    state left = x->now;
    if (left.fresh && !x->options->all) {
        left.count = 0;
        for (unsigned k = 0; k < x->now.count; k++)
            if (x->now.open[k].enters != fr->op)
                left.open[left.count++] = x->now.open[k];
        left.through = false;
    }
    join(&fr->left, &left);
}

static void close_loop(finder *x, frame *fr) {
    if (!x->second)
        keep_for_next(x, fr);
    x->now = fr->left;
    if (!x->second && x->now.through && !x->failed)
        bring_back(x, fr->op, &x->now);
    x->now.through &= fr->through;
    x->now.fresh = false;
    for (unsigned k = 0; k < x->now.count; k++)
        x->now.open[k].enters = 0;
}

static void leave_region(finder *x, ir_region region) {
    if (region == 1 || x->failed)
        return;
    frame *fr = &x->frames[x->frame_count - 1];
    const ir_node *n = ir_at(x->f, fr->op);
    /* Lanes that part: one side comes before the other, and both before what is behind, for those
     * that leave the loop or halt as well. */
    bool parts = n->op == IR_IF && x->uniform.divergent[fr->op];
    if (parts)
        join(&fr->left, &x->now);
    if (n->op == IR_IF && n->regions[0] == region) {
        state first = x->now;
        x->now = fr->entered;
        if (parts)
            join(&x->now, &first);
        return;
    }
    if (n->op == IR_IF)
        x->now = fr->left;
    else
        close_loop(x, fr);
    x->frame_count--;
}

static void visit(finder *x, ir_value v, ir_region region) {
    switch (ir_op_of(x->f, v)) {
    case IR_IF: push(x, v); break;
    case IR_LOOP: open_loop(x, v); break;
    case IR_YIELD: join(&x->frames[x->frame_count - 1].left, &x->now); break;
    case IR_BREAK: leave_loop(x); break;
    case IR_CONTINUE: join(&innermost_loop(x)->again, &x->now); break;
    case IR_FENCE:
    case IR_BARRIER: clear(&x->now); break;
    default: access(x, v, region); break;
    }
}

static void walk(finder *x) {
    uint32_t serial = 0;
    ir_walk w;
    ir_walk_init(&w, x->f);
    x->now = (state){0};
    x->frame_count = 0;
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END && !x->failed;) {
        if (e == IR_AT_OP) {
            x->serial[w.op] = ++serial;
            visit(x, w.op, w.region);
        } else if (e == IR_LEAVE_REGION) {
            leave_region(x, w.region);
        }
    }
}

/* ---- The answer ---- */

/* Most kernels load first and store then, or have barriers where they must: one look tells that
 * nothing can be found. In a loop everything may come before everything. */
typedef struct glance {
    uint8_t done[2];    /* by space: READS, WRITES since the last fence outside of ifs and loops */
    uint8_t in_loop[2]; /* the same, in the outermost loop that is open */
    uint32_t loops;
    bool found;
} glance;

static void glance_at(glance *g, const ir_func *f, ir_value v, ir_region region) {
    ir_op op = ir_op_of(f, v);
    bool local = op == IR_MMA_LOAD || op == IR_MMA_STORE ||
                 ir_access_unpack(ir_at(f, v)->imm).space == IR_LOCAL;
    uint8_t does = what_it_does(f, v), *done = &g->done[!local];
    if (region == 1 && (op == IR_FENCE || op == IR_BARRIER))
        g->done[0] = g->done[1] = 0;
    if (!does)
        return;
    g->found |= does & READS && *done & WRITES;
    *done |= does;
    g->in_loop[!local] |= g->loops ? does : 0;
}

static bool may_find(const ir_func *f) {
    glance g = {0};
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END && !g.found;) {
        ir_value owner = f->regions[w.region].owner;
        bool loop = owner && ir_op_of(f, owner) == IR_LOOP;
        if (e == IR_AT_OP)
            glance_at(&g, f, w.op, w.region);
        else if (loop && e == IR_ENTER_REGION)
            g.loops++;
        else if (loop && --g.loops == 0)
            for (unsigned space = 0; space < 2; space++) {
                g.found |= (g.in_loop[space] & (READS | WRITES)) == (READS | WRITES);
                g.in_loop[space] = 0;
            }
    }
    return g.found;
}

static bool prepare(finder *x) {
    x->serial = calloc(x->f->node_count, sizeof *x->serial);
    x->kept = calloc(x->f->node_count, sizeof *x->kept);
    return x->serial && x->kept && ir_find_uniformity(x->f, &x->uniform) &&
           ir_find_lanes(x->f, &x->uniform, !x->options->all, &x->lanes) &&
           ir_find_ends(x->f, &x->ends) &&
           addresses_init(&x->addresses, x->f, &x->uniform, &x->ends, x->serial);
}

static void find(finder *x) {
    if (ir_made(x->f, IR_LOOP))
        walk(x);
    x->second = true;
    if (!x->failed)
        walk(x);
}

bool ir_find_order(const ir_func *f, const ir_order_options *options, ir_order *order) {
    finder x = {.f = f, .options = options};
    const uint32_t *group = f->workgroup;
    bool alone = group[0] == 1 && group[1] == 1 && group[2] == 1; /* no other lane */
    x.meets = calloc(f->node_count, sizeof *x.meets);
    x.failed = !x.meets;
    if (!x.failed && !alone && (options->all || may_find(f))) {
        x.failed = !prepare(&x);
        if (!x.failed)
            find(&x);
    }
    order->meets = x.failed ? NULL : x.meets;
    if (x.failed)
        free(x.meets);
    addresses_free(&x.addresses);
    ir_free_ends(&x.ends);
    ir_free_lanes(&x.lanes);
    ir_free_uniformity(&x.uniform);
    free(x.serial);
    free(x.kept);
    free(x.pool);
    free(x.frames);
    return !x.failed;
}

void ir_free_order(ir_order *order) {
    free(order->meets);
    order->meets = NULL;
}
