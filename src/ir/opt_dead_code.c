/* Removes what nothing needs.
 *
 *   %1 = iadd arg0, arg1                       loop %9 {
 *   loop 0, %9 {                                 %3 = param(0)
 *     %2 = param(0)                              …
 *     %3 = param(1)                    →         continue %5
 *     %4 = iadd %2, 1                          }
 *     continue %4, %5
 *   }
 *
 * Needed is what has an effect, and what something needed uses; an if or loop around something
 * needed is needed with its condition. Results and parameters are needed one by one, so a value
 * that only feeds itself around a loop goes away. Loops stay: nothing says that they end. Linear
 * time. */
#include "ir/opt.h"

#include <stdlib.h>

typedef struct cleaner {
    ir_func *f;
    uint8_t *needed;
    ir_value *ends;     /* by loop: its breaks and continues, chained … */
    ir_value *next_end; /* … by terminator */
    ir_value *work;
    uint32_t work_count;
    bool changed;
} cleaner;

static void need(cleaner *c, ir_value v) {
    if (c->needed[v])
        return;
    c->needed[v] = 1;
    c->work[c->work_count++] = v;
}

static void need_args(cleaner *c, ir_value v) {
    for (unsigned k = 0; k < ir_at(c->f, v)->arg_count; k++)
        need(c, ir_arg(c->f, v, k));
}

/* Everything around it must be reached. */
static void need_around(cleaner *c, ir_value v) {
    ir_value owner = c->f->regions[ir_at(c->f, v)->region].owner;
    if (owner)
        need(c, owner);
}

/* The k-th value of the terminators that bring a result or the next iteration's parameter. */
static void need_brought(cleaner *c, ir_value owner, ir_op by, uint64_t k) {
    const ir_node *n = ir_at(c->f, owner);
    if (n->op == IR_IF) {
        for (unsigned side = 0; side < 2; side++) {
            ir_value end = c->f->regions[n->regions[side]].last;
            if (ir_op_of(c->f, end) == IR_YIELD)
                need(c, ir_arg(c->f, end, (unsigned)k));
        }
        return;
    }
    for (ir_value t = c->ends[owner]; t; t = c->next_end[t])
        if (ir_op_of(c->f, t) == by)
            need(c, ir_arg(c->f, t, (unsigned)k));
}

static void follow(cleaner *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    if (n->region)
        need_around(c, v);
    switch (n->op) {
    case IR_RESULT: {
        ir_value owner = ir_arg(c->f, v, 0);
        need(c, owner);
        if (ir_has(c->f, owner, IR_REGIONS))
            need_brought(c, owner, IR_BREAK, n->imm);
        break;
    }
    case IR_PARAM: {
        ir_value loop = c->f->regions[n->region].owner;
        need(c, ir_arg(c->f, loop, (unsigned)n->imm));
        need_brought(c, loop, IR_CONTINUE, n->imm);
        break;
    }
    case IR_LOOP: /* their values are needed with parameters and results, one by one */
    case IR_YIELD:
    case IR_BREAK:
    case IR_CONTINUE: break;
    default: need_args(c, v); break;
    }
}

static void find_roots(cleaner *c) {
    ir_walk w;
    ir_walk_init(&w, c->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_AT_OP)
            continue;
        ir_op op = ir_op_of(c->f, w.op);
        if (op == IR_BREAK || op == IR_CONTINUE) {
            ir_value loop = ir_loop_around(c->f, w.region);
            c->next_end[w.op] = c->ends[loop];
            c->ends[loop] = w.op;
        }
        bool effect = ir_has(c->f, w.op, IR_WRITES) || op == IR_LOOP || op == IR_BREAK ||
                      op == IR_CONTINUE || op == IR_HALT;
        if (effect)
            need(c, w.op);
    }
}

/* ---- Sweeping ---- */

/* Drops the values of a terminator or loop whose result or parameter is not needed: `first` is the
 * first of those, in order. */
static void drop_values(cleaner *c, ir_value v, ir_value first, ir_op kind) {
    ir_value *args = ir_args(c->f, v);
    unsigned count = ir_at(c->f, v)->arg_count, kept = 0;
    ir_value r = first;
    for (unsigned k = 0; k < count; k++, r = ir_at(c->f, r)->next) {
        bool there = r && ir_op_of(c->f, r) == kind;
        if (there && c->needed[r])
            args[kept++] = args[k];
    }
    if (kept != count) {
        ir_value few[IR_INLINE_ARGS] = {0};
        for (unsigned k = 0; k < kept && k < IR_INLINE_ARGS; k++)
            few[k] = args[k];
        ir_set_args(c->f, v, kept <= IR_INLINE_ARGS ? few : args, kept);
        c->changed = true;
    }
}

static ir_value first_result(const ir_func *f, ir_value op) {
    ir_value r = ir_at(f, op)->next;
    return r && ir_op_of(f, r) == IR_RESULT && ir_arg(f, r, 0) == op ? r : 0;
}

static void shorten(cleaner *c, ir_value v) {
    ir_func *f = c->f;
    ir_region region = ir_at(f, v)->region;
    ir_value loop;
    switch (ir_op_of(f, v)) {
    case IR_YIELD: drop_values(c, v, first_result(f, f->regions[region].owner), IR_RESULT); break;
    case IR_BREAK: drop_values(c, v, first_result(f, ir_loop_around(f, region)), IR_RESULT); break;
    case IR_CONTINUE:
        loop = ir_loop_around(f, region);
        drop_values(c, v, f->regions[ir_at(f, loop)->regions[0]].first, IR_PARAM);
        break;
    case IR_LOOP: drop_values(c, v, f->regions[ir_at(f, v)->regions[0]].first, IR_PARAM); break;
    default: break;
    }
}

/* Results and parameters are counted anew after some went away. Those of a load all stay. */
static void renumber(cleaner *c, ir_value first, ir_op kind) {
    uint64_t index = 0;
    for (ir_value r = first, next; r && ir_op_of(c->f, r) == kind; r = next) {
        next = ir_at(c->f, r)->next;
        if (c->needed[r]) {
            ir_at(c->f, r)->imm = index++;
        } else {
            ir_remove(c->f, r);
            c->changed = true;
        }
    }
}

static void sweep(cleaner *c) {
    ir_walk w;
    ir_walk_init(&w, c->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && ir_has(c->f, w.op, IR_ENDS | IR_REGIONS))
            shorten(c, w.op);
    ir_walk_init(&w, c->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_AT_OP)
            continue;
        bool keeps = c->needed[w.op] || ir_has(c->f, w.op, IR_ENDS);
        ir_value owner = ir_op_of(c->f, w.op) == IR_RESULT ? ir_arg(c->f, w.op, 0) : 0;
        if (owner && ir_op_of(c->f, owner) == IR_LOADS)
            keeps = c->needed[owner];
        if (ir_has(c->f, w.op, IR_REGIONS) && keeps)
            renumber(c, first_result(c->f, w.op), IR_RESULT);
        if (ir_op_of(c->f, w.op) == IR_LOOP)
            renumber(c, c->f->regions[ir_at(c->f, w.op)->regions[0]].first, IR_PARAM);
        if (!keeps) {
            ir_remove(c->f, w.op);
            c->changed = true;
        }
    }
}

/* Straight-line code needs no marks that travel: from the end, every use is seen before its
 * definition. */
static bool clean_straight(ir_func *f) {
    uint8_t *needed = calloc(f->node_count, 1);
    bool changed = false;
    if (!needed) {
        f->failed = true;
        return false;
    }
    for (ir_value v = f->regions[1].last, before; v; v = before) {
        const ir_node *n = ir_at(f, v);
        before = n->prev;
        bool keeps = needed[v] || ir_has(f, v, IR_WRITES | IR_ENDS);
        if (n->op == IR_RESULT) { /* a load keeps all its results, or goes */
            keeps = true;
            needed[ir_arg(f, v, 0)] |= needed[v];
        } else if (n->op == IR_LOADS && !keeps) {
            for (ir_value r = n->next, next; ir_op_of(f, r) == IR_RESULT; r = next) {
                next = ir_at(f, r)->next;
                ir_remove(f, r);
            }
        } else if (keeps) {
            const ir_value *args = ir_args(f, v);
            for (unsigned k = 0; k < n->arg_count; k++)
                needed[args[k]] = 1;
        }
        if (!keeps) {
            ir_remove(f, v);
            changed = true;
        }
    }
    free(needed);
    return changed;
}

static bool clean(ir_func *f) {
    size_t n = f->node_count;
    cleaner c = {.f = f,
                 .needed = calloc(n, 1),
                 .ends = calloc(n, sizeof *c.ends),
                 .next_end = calloc(n, sizeof *c.next_end),
                 .work = malloc(n * sizeof *c.work)};
    if (c.needed && c.ends && c.next_end && c.work) {
        find_roots(&c);
        while (c.work_count)
            follow(&c, c.work[--c.work_count]);
        sweep(&c);
    } else {
        f->failed = true;
    }
    free(c.needed);
    free(c.ends);
    free(c.next_end);
    free(c.work);
    return c.changed;
}

bool ir_opt_dead_code(ir_func *f) {
    return f->region_count == 2 ? clean_straight(f) : clean(f);
}
