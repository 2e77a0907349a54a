/* --wave-order=lockstep: files that were written when lanes were said to run in lockstep get the
 * fences they lack.
 *
 *   store(local, 4, +0) %own, %1            store(local, 4, +0) %own, %1
 *   %2 = load(local, 4, +0) %next     →     fence(acq_rel, wave) %t
 *                                           %2 = load(local, 4, +0) %next
 *
 * One stands before every access that may meet the bytes of another lane's earlier one, where one
 * of the two writes (analyse_order.c). The convergence lowering then brings all lanes of the wave
 * there. */
#include "ir/analyse.h"
#include "ir/lower.h"
#include "ir/rewrite.h"

static void put_fence(ir_func *f, ir_value before) {
    const ir_access access = {.atomic = IR_FENCE_ACQ_REL, .scope = ISA_SCOPE_WAVE};
    ir_value token = ir_make_before(f, before, IR_NEW_TOKEN, IR_TOKEN, NULL, 0, 0);
    ir_make_before(f, before, IR_FENCE, IR_VOID, &token, 1, ir_access_pack(access));
}

bool ir_lower_wave_order(ir_func *f) {
    const ir_order_options all = {.all = true};
    ir_order order;
    bool changed = false;
    if (!ir_find_order(f, &all, &order)) {
        f->failed = true;
        return false;
    }
    uint32_t count = f->node_count; /* without the fences */
    for (ir_value v = 1; v < count && !f->failed; v++)
        if (order.meets[v]) {
            put_fence(f, v);
            changed = true;
        }
    ir_free_order(&order);
    return changed;
}
