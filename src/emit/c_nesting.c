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
    return all || !nested || find_holders(p);
}
