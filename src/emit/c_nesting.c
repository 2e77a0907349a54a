/* What is known about blocks before one is printed: how deep each is, which loop is around it, and
 * what leaves a loop. One walk over the kernel. */
#include "emit/c_printer.h"

static ir_region body_of(const c_printer *p, ir_value loop) {
    return ir_at(p->f, loop)->regions[0];
}

/* The side of an if that a constant closes. */
static bool is_closed(const c_printer *p, ir_region region) {
    ir_value owner = p->f->regions[region].owner;
    uint64_t bits;
    if (!owner || ir_op_of(p->f, owner) != IR_IF ||
        !ir_is_const(p->f, ir_arg(p->f, owner, 0), &bits))
        return false;
    return ir_at(p->f, owner)->regions[bits & 1] == region;
}

/* The end of the kernel leaves every loop around it; outside of a marked one all are marked. */
static void note_exit(c_printer *p, ir_value end) {
    ir_op op = ir_op_of(p->f, end);
    ir_region region = ir_at(p->f, end)->region;
    if ((op != IR_BREAK && op != IR_HALT) || is_closed(p, region))
        return;
    ir_value loop = p->loop[region];
    if (op == IR_BREAK) {
        p->flags[body_of(p, loop)] |= C_BREAKS;
        return;
    }
    for (; loop && !(p->flags[body_of(p, loop)] & C_HALTS);
         loop = p->loop[ir_at(p->f, loop)->region])
        p->flags[body_of(p, loop)] |= C_HALTS;
}

bool c_look_around(c_printer *p) {
    uint32_t depth = 0, deepest = 0;
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e == IR_ENTER_REGION) {
            ir_value owner = p->f->regions[w.region].owner;
            bool body = owner && ir_op_of(p->f, owner) == IR_LOOP;
            p->loop[w.region] = body ? owner : p->loop[ir_parent(p->f, w.region)];
            p->depth[w.region] = depth++;
            deepest = depth > deepest ? depth : deepest;
        } else if (e == IR_LEAVE_REGION) {
            depth--;
        } else {
            note_exit(p, w.op);
        }
    }
    return deepest > C_MOST_LEVELS;
}
