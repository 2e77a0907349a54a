/* --wave-order=lockstep: inserts the missing fences into files written under the assumption that
 * lanes run in lockstep.
 *
 *   store(local, 4, +0) %own, %1            store(local, 4, +0) %own, %1
 *   %2 = load(local, 4, +0) %next     →     fence(acq_rel, wave) %t
 *                                           %2 = load(local, 4, +0) %next
 *
 * A fence precedes every access that may touch the bytes of another lane's earlier access, if one
 * of the two writes (analyse_order.c). The convergence lowering then makes all lanes of the wave
 * reach it. */
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
    f->failed |= !ir_find_order(f, &all, &order);
    uint32_t count = f->failed ? 0 : order.count;
    for (uint32_t k = 0; k < count && !f->failed; k++)
        put_fence(f, order.list[k].later);
    ir_free_order(&order);
    return count != 0;
}
