/* Accesses of one wave that may touch the same bytes in different lanes with no fence or barrier
 * between them to order the two.
 *
 *   store(local, 4) %own         open: the store
 *   %x = load(local, 4) %next    may meet the store of the next lane
 *
 * A data-flow walk keeps the open accesses, those since the last fence or barrier, as a bounded
 * number of spans with their effects. The sides of an if are joined after it. Accesses open at the
 * end of an iteration are open at the start of the next: a first walk finds these for every loop, a
 * second walk looks for conflicts. */
#include "ir/order.h"

#include "isa/tile.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPEN = 12, READS = 1, WRITES = 2, ATOMIC = 4 };

typedef struct entry {
    address_span span;
    ir_value access;
    ir_value one;    /* the compare that leaves only its lane active, or 0 */
    ir_value enters; /* a loop in its first iteration, if open before that; or 0 */
    uint8_t space, does;
} entry;

typedef struct state {
    unsigned count;
    bool dead;    /* unreachable */
    bool lost;    /* there was no room for all accesses */
    bool through; /* accesses open when the enclosing loop began may still be open */
    bool fresh;   /* the enclosing loop has not done anything in this iteration */
    bool stores;  /* an open access writes */
    entry open[MOST_OPEN];
} state;

/* An open if: its state at entry, and the states its sides yield. An open loop: the states at its
 * breaks and continues. */
typedef struct frame {
    ir_value op;
    state entered, left, again;
    bool through;
} frame;

typedef struct finder {
    const ir_func *f;
    ir_wave *wave;
    ir_ends ends;
    addresses addresses;
    uint32_t *serial; /* by operation: when it was visited */
    /* by the body of a loop: 1 + its first entry in `pool`, where access 0 follows its last one */
    uint32_t *kept;
    entry *pool;
    uint32_t pool_count, pool_capacity;
    frame *frames;
    uint32_t frame_count, frame_capacity;
    state now;
    const ir_order_options *options;
    bool second; /* the walk that looks for conflicts */
    ir_meeting *found;
    uint32_t found_count, found_capacity;
    bool failed;
} finder;

/* ---- States ---- */

static void make_empty(state *s) {
    s->count = 0;
    s->dead = true;
    s->lost = s->through = s->fresh = s->stores = false;
}

/* Only the entries in use. */
static void copy(state *to, const state *from) {
    memcpy(to, from, offsetof(state, open) + from->count * sizeof from->open[0]);
}

static bool joins(const entry *a, const entry *b) {
    return a->span.shape == b->span.shape && a->span.stale == b->span.stale &&
           a->space == b->space && a->does == b->does && a->one == b->one && a->enters == b->enters;
}

/* Spans that touch are merged; when there is no room, all of a kind are. */
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
        s->stores |= e->does & WRITES;
    } else {
        s->lost = true;
    }
}

static void join(state *to, const state *from) {
    if (from->dead)
        return;
    if (to->dead) {
        copy(to, from);
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
    s->lost = s->through = s->fresh = s->stores = false;
}

/* ---- Accesses ---- */

/* A matrix in memory: rows of row_bytes bytes, with the second operand as stride. */
typedef struct matrix {
    uint32_t rows, row_bytes; /* 0 rows: not a matrix */
    uint8_t space;
    uint8_t does;
    bool of_wave; /* any lane may make any part of the access */
} matrix;

/* build_fixed in build_tile.c defines the encoding. */
static matrix fixed_tile(uint64_t imm) {
    uint64_t modifier = imm >> 20, place = imm >> 4 * ISA_FIELD_RS4 & 15;
    uint64_t type = imm >> 4 * ISA_FIELD_RS3 & 15;
    if (modifier > isa_table[ISA_TILE_STORE_C].modifier || type >= ISA_TILE_TYPES)
        return (matrix){0};
    bool store = modifier == isa_table[ISA_TILE_STORE_C].modifier;
    return (matrix){.rows = ISA_TILE_SIDE,
                    .row_bytes = ISA_TILE_SIDE * (uint32_t)isa_tile_bytes[type],
                    .space = place & ISA_TILE_DEVICE ? IR_DEVICE : IR_LOCAL,
                    .does = store ? WRITES : READS,
                    .of_wave = true};
}

static matrix matrix_of(const ir_func *f, ir_value v) {
    ir_op op = ir_op_of(f, v);
    ir_type type;
    switch (op) {
    case IR_MMA_LOAD: return (matrix){4, 16, IR_LOCAL, READS, false};
    case IR_MMA_STORE: return (matrix){4, 16, IR_LOCAL, WRITES, false};
    case IR_TILE_FIXED:
        return ir_at(f, v)->arg_count > 2 ? fixed_tile(ir_at(f, v)->imm) : (matrix){0};
    case IR_TILE_LOAD:
    case IR_TILE_STORE:
        type = ir_type_of(f, op == IR_TILE_LOAD ? v : ir_arg(f, v, 2));
        return (matrix){.rows = ISA_TILE_SIDE,
                        .row_bytes = ISA_TILE_SIDE * ir_element_bytes[ir_tile_element(type)],
                        .space = ir_access_unpack(ir_at(f, v)->imm).space,
                        .does = op == IR_TILE_LOAD ? READS : WRITES,
                        .of_wave = true};
    default: return (matrix){0};
    }
}

static uint8_t what_it_does(const ir_func *f, ir_value v) {
    switch (ir_op_of(f, v)) {
    case IR_LOAD:
    case IR_LOADS: return ir_space_shared(ir_access_unpack(ir_at(f, v)->imm).space) ? READS : 0;
    case IR_STORE: return ir_space_shared(ir_access_unpack(ir_at(f, v)->imm).space) ? WRITES : 0;
    case IR_ATOMIC:
        switch (ir_access_unpack(ir_at(f, v)->imm).atomic) {
        case IR_ATOMIC_LOAD: return ATOMIC | READS;
        case IR_ATOMIC_STORE: return ATOMIC | WRITES;
        default: return ATOMIC | READS | WRITES;
        }
    default: return matrix_of(f, v).does;
    }
}

static void matrix_span(const ir_func *f, ir_value v, const matrix *m, address_span *span) {
    uint64_t stride;
    bool known = ir_is_const(f, ir_arg(f, v, 1), &stride) && stride <= INT32_MAX / m->rows;
    span->to += known ? (m->rows - 1) * (int64_t)stride + m->row_bytes : UINT32_MAX;
}

static void describe(finder *x, ir_value v, ir_region region, uint8_t does, entry *e) {
    const ir_func *f = x->f;
    uint32_t constant, spread;
    const ir_op op = ir_op_of(f, v);
    matrix m = {0};
    if (op != IR_LOAD && op != IR_STORE)
        m = matrix_of(f, v);
    ir_access a = ir_access_unpack(ir_at(f, v)->imm);
    ir_value address = ir_arg(f, v, 0);
    if (ir_op_of(f, address) == IR_POINTER)
        address = ir_arg(f, address, 0);
    *e = (entry){.access = v,
                 .one = m.of_wave ? 0 : x->wave->lanes.one[region],
                 .space = m.rows ? m.space : a.space,
                 .does = does,
                 .span = {.shape = address_shape_of(&x->addresses, address, &constant, &spread)}};
    e->span.from = (int32_t)constant + (int64_t)(m.rows ? 0 : a.offset);
    e->span.to = e->span.from + spread + (m.rows ? 0 : a.bytes);
    if (m.rows)
        matrix_span(f, v, &m, &e->span);
    x->failed |= x->addresses.failed;
}

/* Whether the caller asks about the order of these two accesses in different lanes. */
static bool matters(const finder *x, uint8_t earlier, uint8_t later) {
    if (x->options->all)
        return (earlier | later) & WRITES;
    return earlier & WRITES && later & READS && !(earlier & later & ATOMIC);
}

/* The one lane that makes an access, if known: a special register and its value there. */
static bool known_lane(const finder *x, const entry *e, ir_value *v, uint32_t *value) {
    uint64_t bits = 0;
    if (!e->one)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        *v = ir_arg(x->f, e->one, k);
        if (ir_is_const(x->f, ir_arg(x->f, e->one, !k), &bits) && x->wave->lanes.apart[*v]) {
            *value = (uint32_t)bits;
            return true;
        }
    }
    return false;
}

/* Lane 0's access to word 0 is an access to its own word if all lanes have one. */
static address_verdict meet(finder *x, const entry *o, const entry *e) {
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

/* The open access that may conflict with a new one, or 0. */
static ir_value met_by(finder *x, const entry *e) {
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

static void note(finder *x, ir_value later, ir_value earlier) {
    if (x->found_count == x->found_capacity) {
        uint32_t capacity = x->found_capacity * 2 + 64;
        ir_meeting *found = realloc(x->found, capacity * sizeof *found);
        if (!found) {
            x->failed = true;
            return;
        }
        x->found = found;
        x->found_capacity = capacity;
    }
    x->found[x->found_count++] = (ir_meeting){later, earlier};
}

/* Whether later accesses may matter after one that does this. */
static bool stays_open(const finder *x, uint8_t does) {
    return does & WRITES || (does && x->options->all);
}

static void access(finder *x, ir_value v, ir_region region) {
    entry e;
    uint8_t does = what_it_does(x->f, v);
    bool may_meet = does && (x->options->all || (x->now.stores && does & READS));
    if (does)
        x->now.fresh = false;
    if (!may_meet && !stays_open(x, does))
        return;
    describe(x, v, region, does, &e);
    if (x->failed)
        return;
    ir_value earlier = x->second && may_meet ? met_by(x, &e) : 0;
    if (earlier) {
        clear(&x->now); /* a fence will be, or should be, inserted here */
        note(x, v, earlier);
    }
    if (stays_open(x, does))
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
    fr->op = op;
    fr->through = x->now.through;
    copy(&fr->entered, &x->now);
    make_empty(&fr->left);
    make_empty(&fr->again);
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

/* An entry in the next iteration: values computed in this iteration may change. */
static entry aged(finder *x, const entry *e, ir_value loop) {
    entry old = *e;
    old.enters = 0;
    old.span.stale |= address_newest(&x->addresses, e->span.shape) > x->serial[loop];
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
    x->kept[ir_at(x->f, fr->op)->regions[0]] = x->pool_count + 1;
    for (unsigned k = 0; k < fr->again.count; k++) {
        entry old = aged(x, &fr->again.open[k], fr->op);
        keep(x, &old);
    }
    keep(x, &(entry){.does = fr->again.lost ? WRITES : 0});
}

static void bring_back(const finder *x, ir_value loop, state *s) {
    uint32_t at = x->kept[ir_at(x->f, loop)->regions[0]];
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

/* A loop that tests its exit before it does anything is assumed to run at least once. Only the
 * placement of fences must consider that it may not. */
static void leave_loop(finder *x) {
    frame *fr = innermost_loop(x);
    state left;
    copy(&left, &x->now);
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
    copy(&x->now, &fr->left);
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
    /* Lanes diverge: one side runs before the other, and both run before the code after the if.
     * This also holds for sides that leave the loop or halt. */
    bool diverges = n->op == IR_IF && x->wave->uniform.divergent[fr->op];
    if (diverges)
        join(&fr->left, &x->now);
    if (n->op == IR_IF && n->regions[0] == region) {
        state first;
        if (diverges)
            copy(&first, &x->now);
        copy(&x->now, &fr->entered);
        if (diverges)
            join(&x->now, &first);
        return;
    }
    if (n->op == IR_IF)
        copy(&x->now, &fr->left);
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
    default:
        if (ir_has(x->f, v, IR_READS | IR_WRITES))
            access(x, v, region);
        break;
    }
}

/* The operations from v on, up to an if or loop or the end of the region; returns the last one. */
static ir_value visit_many(finder *x, ir_value v, ir_region region, uint32_t *serial) {
    const unsigned looks = IR_READS | IR_WRITES | IR_REGIONS | IR_ENDS | IR_WAVE;
    for (;;) {
        const ir_node *n = ir_at(x->f, v);
        x->serial[v] = ++*serial;
        if (ir_op_flags[n->op] & looks) {
            visit(x, v, region);
            if (ir_has_regions(n))
                return v;
        }
        if (!n->next)
            return v;
        v = n->next;
    }
}

static void walk(finder *x) {
    uint32_t serial = 0;
    ir_walk w;
    ir_walk_init(&w, x->f);
    x->now = (state){0};
    x->frame_count = 0;
    for (ir_event e; (e = ir_walk_read(&w)) != IR_AT_END && !x->failed;) {
        if (e == IR_AT_OP) {
            w.op = visit_many(x, w.op, w.region, &serial);
        } else if (e == IR_LEAVE_REGION) {
            leave_region(x, w.region);
        }
    }
}

/* ---- The result ---- */

/* Most kernels load first and store last, or have the barriers they need: one cheap scan shows that
 * there is nothing to find. In a loop, any access may precede any other. */
typedef struct glance {
    uint8_t done[2];    /* by space: READS, WRITES since the last fence outside of ifs and loops */
    uint8_t in_loop[2]; /* the same, in the outermost loop that is open */
    uint32_t loops;
    bool found;
} glance;

static void glance_at(glance *g, const ir_func *f, ir_value v, ir_region region) {
    ir_op op = ir_op_of(f, v);
    if (!ir_has(f, v, IR_READS | IR_WRITES))
        return;
    const matrix m = matrix_of(f, v);
    bool local = (m.rows ? m.space : ir_access_unpack(ir_at(f, v)->imm).space) == IR_LOCAL;
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
    for (ir_event e; (e = ir_walk_read(&w)) != IR_AT_END && !g.found;) {
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
    x->kept = calloc(x->f->region_count, sizeof *x->kept);
    return x->serial && x->kept && ir_find_wave(x->f, !x->options->all, x->wave) &&
           ir_find_ends(x->f, &x->ends) &&
           addresses_init(&x->addresses, x->f, &x->wave->uniform, &x->ends, x->serial);
}

static void find(finder *x) {
    if (ir_made(x->f, IR_LOOP))
        walk(x);
    x->second = true;
    if (!x->failed)
        walk(x);
}

bool ir_find_order(const ir_func *f, const ir_order_options *options, ir_order *order) {
    ir_wave own = {0};
    finder x = {.f = f, .options = options, .wave = options->wave ? options->wave : &own};
    const uint32_t *group = f->workgroup;
    bool alone = group[0] == 1 && group[1] == 1 && group[2] == 1; /* no other lane */
    if (!alone && (options->all || may_find(f))) {
        x.failed = !prepare(&x);
        if (!x.failed)
            find(&x);
    }
    *order = (ir_order){x.found, x.found_count};
    addresses_free(&x.addresses);
    ir_free_ends(&x.ends);
    ir_free_wave(&own);
    free(x.serial);
    free(x.kept);
    free(x.pool);
    free(x.frames);
    return !x.failed;
}

void ir_free_order(ir_order *order) {
    free(order->list);
    *order = (ir_order){0};
}
