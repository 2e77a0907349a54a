/* Aggressive dead-code elimination: mark and sweep (Cytron et al., 1991).
 *
 *   %1 = iadd arg0, arg1                       loop %9 {
 *   loop 0, %9 {                                 %3 = param(0)
 *     %2 = param(0)                              …
 *     %3 = param(1)                    →         continue %5
 *     %4 = iadd %2, 1                          }
 *     continue %4, %5
 *   }
 *
 * Operations with an effect are needed, and so are the operands of needed operations; an if or loop
 * around a needed operation is needed with its condition. Results and parameters are marked
 * individually, so a value that only feeds itself around a loop is removed. Loops are kept: nothing
 * proves that they terminate. Linear time. */
#include "ir/analyse.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>

typedef struct cleaner {
    ir_func *f;
    uint8_t *needed;
    ir_ends ends;
    ir_value *work;
    uint32_t work_count;
    ir_region region; /* of the last needed operation */
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

/* Marks the k-th value of the terminators that pass a result or the next iteration's parameter. */
static void need_passed(cleaner *c, ir_value owner, ir_op by, uint64_t k) {
    const ir_node *n = ir_at(c->f, owner);
    if (n->op == IR_IF) {
        for (unsigned side = 0; side < 2; side++) {
            ir_value end = c->f->regions[n->regions[side]].last;
            if (ir_op_of(c->f, end) == IR_YIELD)
                need(c, ir_arg(c->f, end, (unsigned)k));
        }
        return;
    }
    for (ir_value t = ir_first_end(c->f, &c->ends, owner); t; t = ir_next_end(c->f, &c->ends, t))
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
            need_passed(c, owner, IR_BREAK, n->imm);
        break;
    }
    case IR_PARAM: {
        ir_value loop = c->f->regions[n->region].owner;
        need(c, ir_arg(c->f, loop, (unsigned)n->imm));
        need_passed(c, loop, IR_CONTINUE, n->imm);
        break;
    }
    case IR_LOOP: /* their values are marked individually with parameters and results */
    case IR_YIELD:
    case IR_BREAK:
    case IR_CONTINUE: break;
    default: need_args(c, v); break;
    }
}

static void find_roots(cleaner *c) {
    for (ir_value v = ir_first_op(c->f); v; v = ir_next_op(c->f, v)) {
        ir_op op = ir_op_of(c->f, v);
        if (ir_has(c->f, v, IR_WRITES | IR_REGIONS | IR_ENDS) && op != IR_IF && op != IR_YIELD)
            need(c, v);
    }
}

/* ---- Sweeping ---- */

/* Drops the values of a terminator or loop whose result or parameter is not needed; `first` is the
 * first of these results or parameters. */
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

/* Renumbers results and parameters after some were removed. A load keeps all its results. */
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

static void shorten_if(cleaner *c, ir_value op) {
    ir_value first = ir_first_result(c->f, op);
    for (unsigned side = 0; side < 2; side++) {
        ir_value end = c->f->regions[ir_at(c->f, op)->regions[side]].last;
        if (ir_op_of(c->f, end) == IR_YIELD)
            drop_values(c, end, first, IR_RESULT);
    }
    renumber(c, first, IR_RESULT);
}

static void shorten_loop(cleaner *c, ir_value op) {
    ir_value result = ir_first_result(c->f, op);
    ir_value param = c->f->regions[ir_at(c->f, op)->regions[0]].first;
    drop_values(c, op, param, IR_PARAM);
    for (ir_value t = ir_first_end(c->f, &c->ends, op); t; t = ir_next_end(c->f, &c->ends, t)) {
        if (ir_op_of(c->f, t) == IR_BREAK)
            drop_values(c, t, result, IR_RESULT);
        else
            drop_values(c, t, param, IR_PARAM);
    }
    renumber(c, result, IR_RESULT);
    renumber(c, param, IR_PARAM);
}

static bool is_kept(const cleaner *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    if (n->op == IR_RESULT && ir_op_of(c->f, n->args[0]) == IR_LOADS)
        return c->needed[n->args[0]];
    return c->needed[v] || ir_has(c->f, v, IR_ENDS);
}

/* Removing an if removes its sides. */
static void sweep(cleaner *c) {
    ir_walk w;
    ir_walk_init(&w, c->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_AT_OP)
            continue;
        ir_op op = ir_op_of(c->f, w.op);
        if (!is_kept(c, w.op)) {
            ir_remove(c->f, w.op);
            c->changed = true;
        } else if (op == IR_IF) {
            shorten_if(c, w.op);
        } else if (op == IR_LOOP) {
            shorten_loop(c, w.op);
        }
    }
}

/* ---- Without loops ---- */

/* The operation before v in program order, or 0, for a walk that visits an if after its sides; at
 * the start of a region, or after an if. */
static ir_value before_region(const ir_func *f, ir_value v) {
    const ir_node *n = ir_at(f, v);
    ir_value prev = n->prev;
    if (!prev) {
        ir_value owner = f->regions[n->region].owner;
        if (!owner || ir_at(f, owner)->regions[0] == n->region)
            return owner;
        return f->regions[ir_at(f, owner)->regions[0]].last;
    }
    return ir_op_of(f, prev) == IR_IF ? f->regions[ir_at(f, prev)->regions[1]].last : prev;
}

static inline ir_value before(const ir_func *f, ir_value v) {
    ir_value prev = ir_at(f, v)->prev;
    return prev && !ir_has_regions(ir_at(f, prev)) ? prev : before_region(f, v);
}

static void remove_results(ir_func *f, ir_value op) {
    for (ir_value r = ir_first_result(f, op), next; r; r = next) {
        next = ir_next_result(f, r);
        ir_remove(f, r);
    }
}

/* A yield passes what the results of its if need. */
static void need_yielded(cleaner *c, ir_value v) {
    ir_value owner = c->f->regions[ir_at(c->f, v)->region].owner;
    const ir_value *args = ir_args(c->f, v);
    for (ir_value r = ir_first_result(c->f, owner); r; r = ir_next_result(c->f, r), args++)
        c->needed[*args] |= c->needed[r];
}

static inline void need_operands(cleaner *c, const ir_node *n) {
    _Static_assert(IR_INLINE_ARGS == 3, "operands in a node");
    uint8_t *needed = c->needed;
    if (n->arg_count <= IR_INLINE_ARGS) { /* missing operands are 0 */
        needed[n->args[0]] = needed[n->args[1]] = needed[n->args[2]] = 1;
        return;
    }
    for (unsigned k = 0; k < n->arg_count; k++)
        needed[c->f->pool[n->args[0] + k]] = 1;
}

/* The operation is needed, and so is the if around it. Successive operations of one region mark it
 * once. */
static inline void need_region(cleaner *c, const ir_node *n) {
    if (n->region != c->region) {
        c->region = n->region;
        c->needed[c->f->regions[n->region].owner] = 1;
    }
}

/* Marks what the operation needs, or removes it. Results are removed with their operation. */
static void visit_last_first(cleaner *c, ir_value v) {
    ir_func *f = c->f;
    const ir_node *n = ir_at(f, v);
    if (n->op == IR_YIELD) {
        need_yielded(c, v);
    } else if (n->op == IR_RESULT) {
        c->needed[n->args[0]] |= c->needed[v];
    } else if (c->needed[v] || ir_has(f, v, IR_WRITES | IR_ENDS)) {
        need_operands(c, n);
        need_region(c, n);
        if (n->op == IR_IF)
            shorten_if(c, v);
    } else {
        if (n->op == IR_LOADS || n->op == IR_IF)
            remove_results(f, v);
        ir_remove(f, v);
        c->changed = true;
    }
}

/* Needs no propagation of marks: walking backwards, every use is seen before its definition. */
static bool clean_without_loops(ir_func *f) {
    _Static_assert(IR_IF < IR_YIELD && IR_RESULT < IR_YIELD, "the others need no more than marks");
    cleaner c = {.f = f, .needed = calloc(f->node_count, 1)};
    if (!c.needed) {
        f->failed = true;
        return false;
    }
    for (ir_value v = f->regions[1].last, next; v; v = next) {
        const ir_node *n = ir_at(f, v);
        next = before(f, v);
        if (c.needed[v] && n->op > IR_YIELD) { /* most */
            need_operands(&c, n);
            need_region(&c, n);
        } else {
            visit_last_first(&c, v);
        }
    }
    free(c.needed);
    return c.changed;
}

static bool clean(ir_func *f) {
    size_t n = f->node_count;
    cleaner c = {.f = f, .needed = calloc(n, 1), .work = malloc(n * sizeof *c.work)};
    if (c.needed && c.work && ir_find_ends(f, &c.ends)) {
        find_roots(&c);
        while (c.work_count)
            follow(&c, c.work[--c.work_count]);
        sweep(&c);
    } else {
        f->failed = true;
    }
    free(c.needed);
    ir_free_ends(&c.ends);
    free(c.work);
    return c.changed;
}

bool ir_opt_dead_code(ir_func *f) {
    return ir_made(f, IR_LOOP) || ir_made(f, IR_FUNCTION) ? clean(f) : clean_without_loops(f);
}
