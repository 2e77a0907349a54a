/* What is known about blocks before one is printed: how deep each is, which loop is around it, and
 * of which loops the target must not see when they end. */
#include "emit/c_printer.h"

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
        }
    }
    return deepest > C_MOST_LEVELS;
}

/* The loop that the region is the body of, or 0; with the one around that, or 0. */
static ir_value loop_of_body(const c_printer *p, ir_region r, ir_value *around) {
    ir_value owner = p->f->regions[r].owner;
    if (!owner || p->loop[r] != owner)
        return 0;
    *around = p->loop[ir_parent(p->f, r)];
    return owner;
}

/* Of a loop around one that lanes leave at different times, a compiler must not see that all leave
 * it together. */
static bool find_holders(c_printer *p) {
    ir_uniformity u;
    if (!ir_find_uniformity(p->f, &u))
        return false;
    for (ir_region r = 0; r < p->f->region_count; r++) {
        ir_value around, loop = loop_of_body(p, r, &around);
        if (loop && around && u.divergent[loop])
            p->flags[ir_at(p->f, around)->regions[0]] |= C_ENDLESS;
    }
    ir_free_uniformity(&u);
    return true;
}

/* Flags the regions that lanes may go through and in which others halt. What is around a flagged
 * one is flagged already. */
static void find_halts(c_printer *p) {
    const ir_func *f = p->f;
    for (ir_region r = 0; r < f->region_count; r++) {
        if (!f->regions[r].owner || ir_op_of(f, f->regions[r].last) != IR_HALT)
            continue;
        for (ir_region at = ir_parent(f, r); !(p->flags[at] & C_HALTS); at = ir_parent(f, at)) {
            p->flags[at] |= C_HALTS;
            if (!f->regions[at].owner)
                break;
        }
    }
}

/* Whether lanes halt in the other side of the if that the region is one of. */
static bool is_beside_halts(const c_printer *p, ir_region r) {
    ir_value owner = p->f->regions[r].owner;
    if (!owner || ir_op_of(p->f, owner) != IR_IF)
        return false;
    const ir_node *n = ir_at(p->f, owner);
    return p->flags[n->regions[n->regions[0] == r]] & C_HALTS;
}

/* Where lanes halt in one side of an if, a compiler must not see what is known when a loop in the
 * other side has ended. */
static void find_beside_halts(c_printer *p) {
    uint32_t beside = 0;
    ir_walk w;
    if (!ir_made(p->f, IR_HALT))
        return;
    find_halts(p);
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e == IR_ENTER_REGION) {
            beside += is_beside_halts(p, w.region);
            if (beside && p->loop[w.region] == p->f->regions[w.region].owner)
                p->flags[w.region] |= C_ENDLESS;
        } else if (e == IR_LEAVE_REGION) {
            beside -= is_beside_halts(p, w.region);
        }
    }
}

/* A loop that a wave leaves by a vote; those that lanes halt in are made like that. */
static void find_votes(c_printer *p) {
    const ir_func *f = p->f;
    for (ir_region r = 0; r < f->region_count; r++) {
        ir_value owner = f->regions[r].owner;
        if (!owner || ir_op_of(f, owner) != IR_IF || ir_op_of(f, f->regions[r].last) != IR_BREAK)
            continue;
        ir_value vote = ir_arg(f, owner, 0);
        if (ir_op_of(f, vote) == IR_BNOT)
            vote = ir_arg(f, vote, 0);
        if (ir_op_of(f, vote) == IR_WAVE_ANY || ir_op_of(f, vote) == IR_WAVE_ALL)
            p->flags[ir_at(f, p->loop[r])->regions[0]] |= C_ENDLESS;
    }
}

/* "a = b; b = t;" in a loop: a gets what b had. */
void c_find_handed_on(c_printer *p) {
    const ir_func *f = p->f;
    ir_walk w;
    if (!p->t->hide_helper || !ir_made(f, IR_CONTINUE))
        return;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_AT_OP || ir_op_of(f, w.op) != IR_CONTINUE)
            continue;
        ir_region body = ir_at(f, p->loop[ir_at(f, w.op)->region])->regions[0];
        ir_value parameter = f->regions[body].first;
        for (unsigned k = 0; k < ir_at(f, w.op)->arg_count; k++) {
            ir_value next = ir_arg(f, w.op, k);
            if (next != parameter && ir_op_of(f, next) == IR_PARAM &&
                ir_at(f, next)->region == body)
                p->handed_on[parameter] = 1;
            parameter = ir_at(f, parameter)->next;
        }
    }
}

bool c_find_endless(c_printer *p) {
    bool nested = false, all = p->o->bounds || p->o->unoptimised;
    ir_exits exits = {0};
    if (!p->t->forever || !ir_made(p->f, IR_LOOP))
        return true;
    if (!all && !ir_find_exits(p->f, &exits))
        return false;
    for (ir_region r = 0; r < p->f->region_count; r++) {
        ir_value around, loop = loop_of_body(p, r, &around);
        if (!loop)
            continue;
        nested |= around != 0;
        if (all || !exits.live[loop])
            p->flags[r] |= C_ENDLESS;
    }
    ir_free_exits(&exits);
    if (all)
        return true;
    find_beside_halts(p);
    find_votes(p);
    return !nested || find_holders(p);
}
