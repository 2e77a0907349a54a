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

/* A fence where there may be a single lane, and not of wave scope. */
static bool is_candidate(const ir_func *f, const ir_node *n) {
    return n->op == IR_FENCE && ir_access_unpack(n->imm).scope != ISA_SCOPE_WAVE &&
           ir_may_have_one_lane(f, n->region);
}

/* The first candidate from v on; the end of the nodes when there is none. */
static ir_value next_candidate(const ir_func *f, ir_value v) {
    while (v < f->node_count && !is_candidate(f, ir_at(f, v)))
        v++;
    return v;
}

static bool lower(ir_func *f, const ir_lanes *l) {
    bool changed = false;
    for (ir_value v = 0; (v = next_candidate(f, v)) < f->node_count; v++) {
        ir_node old = *ir_at(f, v);
        if (!l->one[old.region])
            continue;
        ir_value made = ir_make(f, IR_LANE_FENCE, IR_VOID, NULL, 0, old.imm);
        if (!made)
            return changed;
        ir_at(f, made)->pc = old.pc;
        ir_insert_before(f, v, made);
        ir_remove(f, v);
        changed = true;
    }
    return changed;
}

bool ir_lower_fences(ir_func *f) {
    ir_wave wave = {0};
    bool changed = false;
    if (!ir_made(f, IR_FENCE) || next_candidate(f, 0) == f->node_count)
        return false;
    if (ir_find_wave(f, false, &wave))
        changed = lower(f, &wave.lanes);
    else
        f->failed = true;
    ir_free_wave(&wave);
    return changed;
}
