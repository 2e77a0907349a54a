/* Where loops end, and how often those run whose count is constant. The count is found by running
 * the exit condition with the arithmetic of the emulator, so wrapping and signed compares need no
 * thought. */
#include "ir/analyse.h"
#include "ir/fold.h"

#include <stdlib.h>

bool ir_goes_on(const ir_func *f, ir_value op, bool left) {
    const ir_node *n = ir_at(f, op);
    if (n->op != IR_IF)
        return n->op != IR_LOOP || left;
    return ir_op_of(f, f->regions[n->regions[0]].last) == IR_YIELD ||
           ir_op_of(f, f->regions[n->regions[1]].last) == IR_YIELD;
}

bool ir_find_ends(const ir_func *f, ir_ends *ends) {
    ends->first = calloc(f->node_count, sizeof *ends->first);
    ends->next = calloc(f->node_count, sizeof *ends->next);
    if (!ends->first || !ends->next) {
        ir_free_ends(ends);
        return false;
    }
    if (f->region_count == 2) /* the kernel's own only */
        return true;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_AT_OP)
            continue;
        ir_op op = ir_op_of(f, w.op);
        if (op != IR_BREAK && op != IR_CONTINUE)
            continue;
        ir_value loop = ir_loop_around(f, w.region);
        ends->next[w.op] = ends->first[loop];
        ends->first[loop] = w.op;
    }
    return true;
}

void ir_free_ends(ir_ends *ends) {
    free(ends->first);
    free(ends->next);
    *ends = (ir_ends){0};
}

bool ir_continues_differ(const ir_func *f, const ir_ends *ends, ir_value loop, unsigned k) {
    ir_value same = 0;
    for (ir_value t = ends->first[loop]; t; t = ends->next[t]) {
        if (ir_op_of(f, t) != IR_CONTINUE)
            continue;
        ir_value v = ir_arg(f, t, k);
        if (same && same != v)
            return true;
        same = v;
    }
    return false;
}

/* One break, in a side of an if of the body's own region, and one continue, at its end. */
static bool has_one_exit(const ir_func *f, const ir_ends *ends, ir_value loop, ir_counted *c) {
    ir_region body = ir_at(f, loop)->regions[0];
    ir_value last = ends->first[loop], other = last ? ends->next[last] : 0;
    if (!other || ends->next[other] || ir_op_of(f, last) != IR_CONTINUE ||
        ir_op_of(f, other) != IR_BREAK)
        return false;
    ir_region side = ir_at(f, other)->region;
    ir_value exit = f->regions[side].owner;
    if (ir_at(f, last)->region != body || ir_op_of(f, exit) != IR_IF ||
        ir_at(f, exit)->region != body)
        return false;
    c->exit = exit;
    c->side = ir_at(f, exit)->regions[1] == side;
    c->leave = other;
    c->next = last;
    return ir_op_of(f, f->regions[ir_at(f, exit)->regions[!c->side]].last) == IR_YIELD;
}

/* A parameter, or one plus a constant: *param and *add. */
static bool counts(const ir_func *f, ir_value v, ir_region body, ir_value *param, uint32_t *add) {
    uint64_t bits = 0;
    if (ir_op_of(f, v) == IR_IADD && ir_is_const(f, ir_arg(f, v, 1), &bits))
        v = ir_arg(f, v, 0);
    *param = v;
    *add = (uint32_t)bits;
    return ir_op_of(f, v) == IR_PARAM && ir_at(f, v)->region == body && ir_type_of(f, v) == IR_U32;
}

bool ir_count_loop(const ir_func *f, const ir_ends *ends, ir_value loop, uint32_t limit,
                   ir_counted *c) {
    if (!has_one_exit(f, ends, loop, c))
        return false;
    ir_region body = ir_at(f, loop)->regions[0];
    ir_value condition = ir_arg(f, c->exit, 0), param, stepped;
    bool negated = ir_op_of(f, condition) == IR_BNOT;
    if (negated)
        condition = ir_arg(f, condition, 0);
    uint64_t start, bound, taken;
    uint32_t add, step;
    if (ir_at(f, condition)->arg_count != 2 || ir_type_of(f, ir_arg(f, condition, 0)) != IR_U32 ||
        ir_has(f, condition, IR_WAVE) || ir_type_of(f, condition) != IR_BOOL ||
        !ir_is_const(f, ir_arg(f, condition, 1), &bound) ||
        !counts(f, ir_arg(f, condition, 0), body, &param, &add))
        return false;
    unsigned index = (unsigned)ir_at(f, param)->imm;
    if (!ir_is_const(f, ir_arg(f, loop, index), &start) ||
        !counts(f, ir_arg(f, c->next, index), body, &stepped, &step) || stepped != param)
        return false;
    uint32_t value = (uint32_t)start;
    for (c->iterations = 1; c->iterations <= limit; c->iterations++, value += step) {
        uint64_t args[4] = {value + add, bound, 0, 0};
        if (!ir_fold(ir_op_of(f, condition), IR_BOOL, args, &taken))
            return false;
        if ((taken != 0) == ((c->side == 0) != negated))
            return true;
    }
    return false;
}
