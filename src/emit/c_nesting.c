/* Facts about blocks, collected before printing: the depth of each and its innermost loop. */
#include "emit/c_printer.h"

bool c_look_around(c_printer *p) {
    uint32_t depth = 0, deepest = 0;
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_read(&w)) != IR_AT_END;) {
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
