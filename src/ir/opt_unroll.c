/* Writes out loops whose number of iterations is known.
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
 * A small body with few iterations is written out as a whole; of one that runs more often, several
 * iterations become one when their number divides the count, so only the last of them asks for the
 * end. Inner loops come first. What a function may grow is bounded. */
#include "ir/analyse.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_FULL = 32,     /* iterations written out as a whole … */
    MOST_OPS = 512,     /* … and operations that gives */
    MOST_COUNTED = 256, /* iterations that are counted at all */
    MOST_PARTIAL = 256, /* operations of several iterations in one */
    MOST_VALUES = 256,  /* parameters */
    FREE_GROWTH = 8192  /* operations a function may grow by, plus twice its size */
};

typedef struct unroller {
    ir_func *f;
    ir_ends ends;
    ir_value *to;    /* by value: what a result of a loop that is gone stands for */
    ir_value *copy;  /* by value of the body: its newest copy, if … */
    uint32_t *stamp; /* … this is the serial number of the iteration */
    uint32_t capacity, serial;
    uint32_t budget;
    bool changed;
} unroller;

/* ---- Tables that grow with the function ---- */

static void *grown(unroller *u, void *list, size_t size, uint32_t count) {
    void *bigger = u->f->failed ? NULL : realloc(list, count * size);
    if (!bigger) {
        u->f->failed = true;
        return list;
    }
    memset((char *)bigger + u->capacity * size, 0, (count - u->capacity) * size);
    return bigger;
}

static bool make_room(unroller *u) {
    if (u->capacity >= u->f->node_count)
        return true;
    uint32_t count = u->f->node_count + u->f->node_count / 2 + 64;
    u->to = grown(u, u->to, sizeof *u->to, count);
    u->copy = grown(u, u->copy, sizeof *u->copy, count);
    u->stamp = grown(u, u->stamp, sizeof *u->stamp, count);
    if (!u->f->failed)
        u->capacity = count;
    return !u->f->failed;
}

static ir_value mapped(const unroller *u, ir_value v) {
    while (v < u->capacity && u->to[v])
        v = u->to[v];
    return v < u->capacity && u->stamp[v] == u->serial ? u->copy[v] : v;
}

static void set(unroller *u, ir_value v, ir_value copy) {
    if (v >= u->capacity && !make_room(u))
        return;
    u->copy[v] = copy;
    u->stamp[v] = u->serial;
}

/* ---- Copying ---- */

static ir_value copy_op(unroller *u, ir_value v) {
    ir_func *f = u->f;
    ir_node old = *ir_at(f, v); /* growing moves the operations; the pool looks after itself */
    const ir_value *from = old.arg_count <= IR_INLINE_ARGS ? old.args : f->pool + old.args[0];
    uint64_t imm = ir_ops[old.op].flags & IR_REGIONS ? 0 : old.imm;
    ir_value copy = ir_make(f, (ir_op)old.op, (ir_type)old.type, from, old.arg_count, imm);
    if (!copy)
        return 0;
    ir_at(f, copy)->pc = old.pc;
    ir_value *args = ir_args(f, copy);
    for (unsigned k = 0; k < old.arg_count; k++)
        args[k] = mapped(u, args[k]);
    set(u, v, copy);
    return copy;
}

static void copy_regions(unroller *u, ir_value v, ir_value copy) {
    ir_func *f = u->f;
    unsigned count = ir_op_of(f, v) == IR_IF ? 2 : 1;
    for (unsigned k = 0; k < count; k++) {
        ir_region r = ir_new_region(f, copy);
        ir_at(f, copy)->regions[k] = r;
    }
}

/* Copies the operations from `v` to `stop`, with all that stands in them, in front of `at`. Both
 * trees are walked side by side: `from` and `into` are the regions, 0 for the outermost ones. */
static void copy_range(unroller *u, ir_value v, ir_value stop, ir_value at) {
    ir_func *f = u->f;
    ir_region from = 0, into = 0;
    uint32_t depth = 0;
    while (!f->failed && (depth || v != stop)) {
        if (!v) { /* the end of an inner region */
            ir_value owner = f->regions[from].owner, new_owner = f->regions[into].owner;
            const ir_node *o = ir_at(f, owner), *n = ir_at(f, new_owner);
            if (o->op == IR_IF && o->regions[0] == from) {
                from = o->regions[1];
                into = n->regions[1];
                v = f->regions[from].first;
            } else {
                from = o->region;
                into = n->region;
                v = o->next;
                depth--;
            }
            continue;
        }
        ir_value copy = copy_op(u, v);
        if (depth)
            ir_append(f, into, copy);
        else
            ir_insert_before(f, at, copy);
        if (ir_has(f, v, IR_REGIONS)) {
            copy_regions(u, v, copy);
            from = ir_at(f, v)->regions[0];
            into = ir_at(f, copy)->regions[0];
            v = f->regions[from].first;
            depth++;
        } else {
            v = ir_at(f, v)->next;
        }
    }
}

/* ---- Iterations ---- */

typedef struct body {
    ir_value loop;
    ir_counted counted;
    ir_value first;  /* behind the parameters */
    ir_value behind; /* behind the exit and its results */
    ir_value now[MOST_VALUES], then[MOST_VALUES];
    unsigned count;
} body;

static ir_value side_start(const ir_func *f, const body *b, unsigned side) {
    return f->regions[ir_at(f, b->counted.exit)->regions[side]].first;
}

static ir_value side_end(const ir_func *f, const body *b, unsigned side) {
    return f->regions[ir_at(f, b->counted.exit)->regions[side]].last;
}

static void start_iteration(unroller *u, const body *b) {
    ir_value param = u->f->regions[ir_at(u->f, b->loop)->regions[0]].first;
    u->serial++;
    for (unsigned k = 0; k < b->count; k++, param = ir_at(u->f, param)->next)
        set(u, param, b->now[k]);
}

/* What stands behind the exit, and the values of the next iteration. */
static void end_iteration(unroller *u, body *b, ir_value at) {
    copy_range(u, b->behind, b->counted.next, at);
    for (unsigned k = 0; k < b->count; k++)
        b->then[k] = mapped(u, ir_arg(u->f, b->counted.next, k));
    memcpy(b->now, b->then, b->count * sizeof *b->now);
}

/* An iteration that is known to go on. */
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

static void write_out(unroller *u, body *b) {
    ir_func *f = u->f;
    for (uint32_t k = 1; k < b->counted.iterations && !f->failed; k++)
        copy_iteration(u, b, b->loop);
    start_iteration(u, b);
    copy_range(u, b->first, b->counted.exit, b->loop);
    copy_range(u, side_start(f, b, b->counted.side), b->counted.leave, b->loop);
    for (ir_value r = ir_first_result(f, b->loop), next; r && make_room(u); r = next) {
        next = ir_next_result(f, r);
        u->to[r] = mapped(u, ir_arg(f, b->counted.leave, (unsigned)ir_at(f, r)->imm));
        ir_remove(f, r);
    }
    if (!f->failed)
        ir_remove(f, b->loop);
}

/* `factor` iterations become one; only the last keeps its exit. */
static void widen(unroller *u, body *b, unsigned factor) {
    ir_func *f = u->f;
    for (unsigned k = 1; k < factor && !f->failed; k++)
        copy_iteration(u, b, b->first);
    start_iteration(u, b);
    copy_range(u, b->first, b->behind, b->first);
    end_iteration(u, b, b->first);
    if (f->failed)
        return;
    ir_set_args(f, b->counted.next, b->now, b->count);
    for (ir_value v = b->first, next; v != b->counted.next; v = next) {
        next = ir_at(f, v)->next;
        ir_remove(f, v);
    }
}

/* ---- Choosing ---- */

/* Operations of the body that cost something, or more than `most`. */
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
        ir_op op = ir_op_of(f, v);
        size += op != IR_RESULT && op != IR_PARAM && op != IR_YIELD && op != IR_BITCAST;
        if (ir_has(f, v, IR_REGIONS)) {
            r = ir_at(f, v)->regions[0];
            v = f->regions[r].first;
        } else {
            v = ir_at(f, v)->next;
        }
    }
    return v == b->counted.next ? size : UINT32_MAX;
}

static bool look(const unroller *u, ir_value loop, body *b) {
    const ir_func *f = u->f;
    b->loop = loop;
    b->count = ir_at(f, loop)->arg_count;
    if (b->count > MOST_VALUES || !ir_count_loop(f, &u->ends, loop, MOST_COUNTED, &b->counted))
        return false;
    b->first = f->regions[ir_at(f, loop)->regions[0]].first;
    for (unsigned k = 0; k < b->count; k++) {
        b->now[k] = ir_arg(f, loop, k);
        b->first = ir_at(f, b->first)->next;
    }
    b->behind = ir_at(f, b->counted.exit)->next;
    while (ir_op_of(f, b->behind) == IR_RESULT)
        b->behind = ir_at(f, b->behind)->next;
    return true;
}

static void unroll(unroller *u, ir_value loop) {
    body b;
    if (!look(u, loop, &b))
        return;
    uint32_t size = size_of(u->f, &b, MOST_OPS), before = u->f->node_count;
    uint32_t iterations = b.counted.iterations;
    if (size > MOST_OPS)
        return;
    u->serial++; /* nothing is copied yet */
    for (unsigned k = 0; k < b.count; k++)
        b.now[k] = mapped(u, b.now[k]);
    if (iterations <= MOST_FULL && size * iterations <= MOST_OPS &&
        size * iterations <= u->budget) {
        write_out(u, &b);
    } else {
        unsigned factor = iterations % 4 == 0 ? 4 : iterations % 2 == 0 ? 2 : 1;
        if (factor == 1 || size * factor > MOST_PARTIAL || size * factor > u->budget)
            return;
        ir_value param = u->f->regions[ir_at(u->f, loop)->regions[0]].first;
        for (unsigned k = 0; k < b.count; k++, param = ir_at(u->f, param)->next)
            b.now[k] = param;
        widen(u, &b, factor);
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
    u->serial++;
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
    unroller u = {.f = f, .budget = FREE_GROWTH + 2 * f->node_count};
    uint32_t room = f->node_limit > f->node_count ? (f->node_limit - f->node_count) / 2 : 0;
    if (u.budget > room)
        u.budget = room; /* what is only for speed must not make the kernel too large */
    ir_value *list = malloc(loops * sizeof *list);
    if (list && ir_find_ends(f, &u.ends))
        run(&u, list);
    else
        f->failed = true;
    free(list);
    ir_free_ends(&u.ends);
    free(u.to);
    free(u.copy);
    free(u.stamp);
    return u.changed;
}
