/* Unrolls loops with a known number of iterations, fully or partially.
 *
 *   loop 0, %a {                                 %1 = load %a
 *     %i = param(0)                              %b = iadd %a, 4
 *     %p = param(1)                              %2 = load %b
 *     %1 = load %p                     →         …
 *     %2 = iadd %i, 1
 *     %3 = icmp_ge %2, 2
 *     if %3 { break } else { yield }
 *     %4 = iadd %p, 4
 *     continue %2, %4
 *   }
 *
 * A small body with few iterations is unrolled fully. For longer loops, several iterations become
 * one if their number divides the count, so that only the last of them tests the exit. Other exits
 * are kept in every iteration; a fully unrolled loop with other exits remains as the loop they
 * leave, without a continue; so does a loop that runs at most once. Inner loops come first.
 * Unrolling an outer loop may give the copies of an inner one, whose count was unknown, constants
 * to start from: the pass runs a second time for these. The growth of a function is bounded. */
#include "ir/analyse.h"
#include "ir/copy.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_FULL = 32,     /* iterations to unroll fully … */
    MOST_OPS = 512,     /* … and operations that result; */
    FEW = 8,            /* with at most this many iterations … */
    MOST_LARGE = 1024,  /* … more may result: the steps of a tiled product along K */
    MOST_SPARING = 32,  /* operations of an iteration, in a sparing function */
    MOST_COUNTED = 256, /* iterations that are counted at all */
    MOST_PARTIAL = 512, /* operations of several iterations joined into one */
    MOST_VALUES = 256,  /* parameters */
    FREE_GROWTH = 8192  /* operations a function may grow by, plus twice its size */
};

typedef struct unroller {
    ir_func *f;
    ir_bits bits;
    ir_copier copies;
    uint32_t budget;
    bool changed;
} unroller;

static bool make_room(unroller *u) {
    return ir_copier_room(&u->copies);
}

static ir_value mapped(const unroller *u, ir_value v) {
    return ir_copied(&u->copies, v);
}

static void set(unroller *u, ir_value v, ir_value copy) {
    ir_set_copy(&u->copies, v, copy);
}

static void copy_range(unroller *u, ir_value v, ir_value stop, ir_value at) {
    ir_copy_range(&u->copies, v, stop, at);
}

/* ---- Iterations ---- */

typedef struct body {
    ir_value loop;
    ir_counted counted;
    ir_value first;      /* the operation after the parameters */
    ir_value after_exit; /* the operation after the exit and its results */
    ir_value now[MOST_VALUES], then[MOST_VALUES];
    unsigned count;
    bool open; /* one iteration or none: both exits are kept */
} body;

static ir_value side_start(const ir_func *f, const body *b, unsigned side) {
    return f->regions[ir_at(f, b->counted.exit)->regions[side]].first;
}

static ir_value side_end(const ir_func *f, const body *b, unsigned side) {
    return f->regions[ir_at(f, b->counted.exit)->regions[side]].last;
}

static void start_iteration(unroller *u, const body *b) {
    ir_value param = u->f->regions[ir_at(u->f, b->loop)->regions[0]].first;
    u->copies.serial++;
    for (unsigned k = 0; k < b->count; k++, param = ir_at(u->f, param)->next)
        set(u, param, b->now[k]);
}

/* Copies the code after the exit, and finds the values of the next iteration. */
static void end_iteration(unroller *u, body *b, ir_value at) {
    copy_range(u, b->after_exit, b->counted.next, at);
    for (unsigned k = 0; k < b->count; k++)
        b->then[k] = mapped(u, ir_arg(u->f, b->counted.next, k));
    memcpy(b->now, b->then, b->count * sizeof *b->now);
}

/* Copies an iteration that is known not to be the last. */
static void copy_iteration(unroller *u, body *b, ir_value at) {
    unsigned stays = !b->counted.side;
    start_iteration(u, b);
    copy_range(u, b->first, b->counted.exit, at);
    ir_value end = side_end(u->f, b, stays);
    copy_range(u, side_start(u->f, b, stays), end, at);
    ir_value r = ir_first_result(u->f, b->counted.exit);
    for (; r && !u->f->failed; r = ir_next_result(u->f, r))
        set(u, r, mapped(u, ir_arg(u->f, end, (unsigned)ir_at(u->f, r)->imm)));
    end_iteration(u, b, at);
}

/* Copies an iteration with its exit. */
static void keep_iteration(unroller *u, body *b) {
    start_iteration(u, b);
    copy_range(u, b->first, b->after_exit, b->first);
    end_iteration(u, b, b->first);
}

static void write_out(unroller *u, body *b) {
    ir_func *f = u->f;
    for (uint32_t k = 1; k < b->counted.iterations && !f->failed; k++)
        copy_iteration(u, b, b->loop);
    start_iteration(u, b);
    copy_range(u, b->first, b->counted.exit, b->loop);
    copy_range(u, side_start(f, b, b->counted.side), b->counted.leave, b->loop);
    for (ir_value r = ir_first_result(f, b->loop), next; r && make_room(u); r = next) {
        next = ir_next_result(f, r);
        u->copies.to[r] = mapped(u, ir_arg(f, b->counted.leave, (unsigned)ir_at(f, r)->imm));
        ir_remove(f, r);
    }
    if (!f->failed)
        ir_remove(f, b->loop);
}

static void remove_range(ir_func *f, ir_value v, ir_value stop) {
    for (ir_value next; v != stop; v = next) {
        next = ir_at(f, v)->next;
        ir_remove(f, v);
    }
}

/* The same for loops with other exits: the loop remains for them to leave, but never repeats. */
static void write_inside(unroller *u, body *b) {
    ir_func *f = u->f;
    for (uint32_t k = 1; k < b->counted.iterations && !f->failed; k++)
        if (b->open)
            keep_iteration(u, b);
        else
            copy_iteration(u, b, b->first);
    start_iteration(u, b);
    copy_range(u, b->first, b->counted.exit, b->first);
    copy_range(u, side_start(f, b, b->counted.side), 0, b->first);
    if (f->failed)
        return;
    ir_value param = f->regions[ir_at(f, b->loop)->regions[0]].first;
    for (ir_value next; b->count; b->count--, param = next) {
        next = ir_at(f, param)->next;
        ir_remove(f, param);
    }
    remove_range(f, b->first, 0);
    ir_set_args(f, b->loop, NULL, 0);
}

/* Joins `factor` iterations into one; only the last keeps the counted exit. */
static void widen(unroller *u, body *b, unsigned factor) {
    ir_func *f = u->f;
    for (unsigned k = 1; k < factor && !f->failed; k++)
        copy_iteration(u, b, b->first);
    keep_iteration(u, b);
    if (f->failed)
        return;
    ir_set_args(f, b->counted.next, b->now, b->count);
    remove_range(f, b->first, b->counted.next);
}

/* ---- Selection ---- */

/* In WBIN, an operation on tiles is a single one, from which a vendor's compiler makes hundreds. */
static uint32_t size_of_one(ir_op op) {
    if (op == IR_TILE_FIXED || op == IR_MMA_LOAD || op == IR_MMA_STORE || op == IR_MMA_COMPUTE)
        return MOST_SPARING;
    return op != IR_RESULT && op != IR_PARAM && op != IR_YIELD && op != IR_BITCAST;
}

/* The number of operations of the body with a cost, or more than `most`. */
static uint32_t size_of(const ir_func *f, const body *b, uint32_t most) {
    uint32_t size = 0, seen = 0;
    ir_region r = ir_at(f, b->loop)->regions[0];
    ir_value v = b->first;
    while (v != b->counted.next && seen++ < 4 * most) {
        if (!v) {
            const ir_node *owner = ir_at(f, f->regions[r].owner);
            bool first = owner->op == IR_IF && owner->regions[0] == r;
            r = first ? owner->regions[1] : owner->region;
            v = first ? f->regions[r].first : owner->next;
            continue;
        }
        size += size_of_one(ir_op_of(f, v));
        if (ir_has(f, v, IR_REGIONS)) {
            r = ir_at(f, v)->regions[0];
            v = f->regions[r].first;
        } else {
            v = ir_at(f, v)->next;
        }
    }
    return v == b->counted.next ? size : UINT32_MAX;
}

static bool find_body(const unroller *u, ir_value loop, body *b) {
    const ir_func *f = u->f;
    b->loop = loop;
    b->count = ir_at(f, loop)->arg_count;
    b->open = false;
    if (b->count > MOST_VALUES)
        return false;
    if (!ir_count_loop(f, &u->bits, loop, MOST_COUNTED, &b->counted)) {
        b->open = ir_runs_once(f, &u->bits, loop, &b->counted);
        if (!b->open)
            return false;
    }
    b->first = f->regions[ir_at(f, loop)->regions[0]].first;
    for (unsigned k = 0; k < b->count; k++) {
        b->now[k] = ir_arg(f, loop, k);
        b->first = ir_at(f, b->first)->next;
    }
    b->after_exit = ir_at(f, b->counted.exit)->next;
    while (ir_op_of(f, b->after_exit) == IR_RESULT)
        b->after_exit = ir_at(f, b->after_exit)->next;
    return true;
}

static void unroll(unroller *u, ir_value loop) {
    body b;
    if (ir_iterations_of(u->f, loop).count || !find_body(u, loop, &b))
        return; /* a loop that was counted before keeps the form that it got then */
    uint32_t size = size_of(u->f, &b, MOST_OPS), before = u->f->node_count;
    uint32_t iterations = b.counted.iterations;
    ir_set_iterations(u->f, loop, (ir_iterations){(uint16_t)iterations, 1});
    if (size > (u->f->sparing ? MOST_SPARING : MOST_OPS))
        return;
    u->copies.serial++; /* nothing is copied yet */
    for (unsigned k = 0; k < b.count; k++)
        b.now[k] = mapped(u, b.now[k]);
    if (iterations <= MOST_FULL &&
        size * iterations <= (iterations <= FEW ? MOST_LARGE : MOST_OPS) &&
        size * iterations <= u->budget) {
        if (b.counted.only && !b.open)
            write_out(u, &b);
        else
            write_inside(u, &b);
    } else if (!u->f->sparing) {
        unsigned factor = iterations % 4 == 0 ? 4 : iterations % 2 == 0 ? 2 : 1;
        if (factor == 1 || size * factor > MOST_PARTIAL || size * factor > u->budget)
            return;
        ir_value param = u->f->regions[ir_at(u->f, loop)->regions[0]].first;
        for (unsigned k = 0; k < b.count; k++, param = ir_at(u->f, param)->next)
            b.now[k] = param;
        widen(u, &b, factor);
        ir_set_iterations(u->f, loop, (ir_iterations){(uint16_t)iterations, (uint16_t)factor});
    }
    uint32_t made = u->f->node_count - before;
    u->budget -= made < u->budget ? made : u->budget;
    u->changed = true;
}

static void run(unroller *u, ir_value *list) {
    uint32_t count = 0;
    ir_func *f = u->f;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value owner = f->regions[w.region].owner;
        if (e == IR_LEAVE_REGION && owner && ir_op_of(f, owner) == IR_LOOP)
            list[count++] = owner;
    }
    for (uint32_t k = 0; k < count && !f->failed && make_room(u); k++)
        unroll(u, list[k]);
    if (!u->changed || f->failed)
        return;
    u->copies.serial++;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        for (unsigned k = 0; e == IR_AT_OP && k < ir_at(f, w.op)->arg_count; k++)
            ir_args(f, w.op)[k] = mapped(u, ir_arg(f, w.op, k));
}

static uint32_t count_loops(const ir_func *f) {
    uint32_t count = 0;
    for (ir_value v = 1; v < f->node_count; v++)
        count += ir_op_of(f, v) == IR_LOOP && ir_at(f, v)->region;
    return count;
}

bool ir_opt_unroll(ir_func *f) {
    uint32_t loops = count_loops(f);
    if (loops == 0)
        return false;
    unroller u = {.f = f, .copies = {.f = f}, .budget = FREE_GROWTH + 2 * f->node_count};
    uint32_t room = f->node_limit > f->node_count ? (f->node_limit - f->node_count) / 2 : 0;
    if (u.budget > room)
        u.budget = room; /* optimisation alone must not make the kernel too large */
    ir_value *list = malloc(loops * sizeof *list);
    if (list && ir_find_bits(f, &u.bits))
        run(&u, list);
    else
        f->failed = true;
    free(list);
    ir_free_bits(&u.bits);
    ir_copier_free(&u.copies);
    return u.changed;
}
