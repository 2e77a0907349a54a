/* The breaks and continues of loops. */
#include "ir/analyse.h"

#include <stdlib.h>

bool ir_goes_on(const ir_func *f, ir_value op, bool left) {
    const ir_node *n = ir_at(f, op);
    if (n->op != IR_IF)
        return n->op != IR_LOOP || left;
    return ir_op_of(f, f->regions[n->regions[0]].last) == IR_YIELD ||
           ir_op_of(f, f->regions[n->regions[1]].last) == IR_YIELD;
}

static bool start(const ir_func *f, ir_ends *ends) {
    ends->first = calloc(f->region_count, sizeof *ends->first);
    ends->next = calloc(f->region_count, sizeof *ends->next);
    if (ends->first && ends->next)
        return true;
    ir_free_ends(ends);
    return false;
}

static void add(const ir_func *f, ir_ends *ends, ir_value loop, ir_value end) {
    ir_region region = ir_at(f, end)->region, body = ir_at(f, loop)->regions[0];
    ends->next[region] = ends->first[body];
    ends->first[body] = end;
}

/* `loop`, by region: the innermost loop around it, or 0. */
static void add_all(const ir_func *f, ir_ends *ends, ir_value *loop) {
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v)) {
        const ir_node *n = ir_at(f, v);
        if (n->op == IR_BREAK || n->op == IR_CONTINUE)
            add(f, ends, loop[n->region], v);
        if (!ir_has_regions(n))
            continue;
        loop[n->regions[0]] = n->op == IR_LOOP ? v : loop[n->region];
        if (n->op == IR_IF)
            loop[n->regions[1]] = loop[n->region];
    }
}

bool ir_find_ends(const ir_func *f, ir_ends *ends) {
    if (!start(f, ends))
        return false;
    if (!ir_made(f, IR_LOOP))
        return true;
    ir_value *loop = calloc(f->region_count, sizeof *loop);
    if (loop)
        add_all(f, ends, loop);
    else
        ir_free_ends(ends);
    bool ok = loop != NULL;
    free(loop);
    return ok;
}

void ir_free_ends(ir_ends *ends) {
    free(ends->first);
    free(ends->next);
    *ends = (ir_ends){0};
}

bool ir_continues_differ(const ir_func *f, const ir_ends *ends, ir_value loop, unsigned k) {
    ir_value same = 0;
    for (ir_value t = ir_first_end(f, ends, loop); t; t = ir_next_end(f, ends, t)) {
        if (ir_op_of(f, t) != IR_CONTINUE)
            continue;
        ir_value v = ir_arg(f, t, k);
        if (same && same != v)
            return true;
        same = v;
    }
    return false;
}
