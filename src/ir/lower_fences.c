/* Fences that at most one lane of a wave executes need no other lane.
 *
 *   %c = icmp_eq sr_lane_id, 0                 if %c {
 *   if %c {                                      lane_fence(release, device)
 *     fence(release, device) %t         →        …
 *     …
 *
 * All other fences involve the whole wave: every lane must reach them, which the convergence
 * lowering ensures. A fence of wave scope only synchronises the wave, so it is kept. */
#include "ir/analyse.h"
#include "ir/lower.h"

static bool lower(ir_func *f, const ir_lanes *l) {
    bool changed = false;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_AT_OP || ir_op_of(f, w.op) != IR_FENCE || !l->one[w.region] ||
            ir_access_unpack(ir_at(f, w.op)->imm).scope == ISA_SCOPE_WAVE)
            continue;
        ir_node old = *ir_at(f, w.op);
        ir_value v = ir_make(f, IR_LANE_FENCE, IR_VOID, NULL, 0, old.imm);
        if (!v)
            return changed;
        ir_at(f, v)->pc = old.pc;
        ir_insert_before(f, w.op, v);
        ir_remove(f, w.op);
        changed = true;
    }
    return changed;
}

bool ir_lower_fences(ir_func *f) {
    ir_uniformity u = {0};
    ir_lanes l = {0};
    bool changed = false;
    if (!ir_made(f, IR_FENCE))
        return false;
    if (ir_find_uniformity(f, &u) && ir_find_lanes(f, &u, false, &l))
        changed = lower(f, &l);
    else
        f->failed = true;
    ir_free_lanes(&l);
    ir_free_uniformity(&u);
    return changed;
}
