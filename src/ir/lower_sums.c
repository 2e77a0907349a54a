/* --deterministic: float sums in local memory add their lanes one after another, lowest first, as
 * the emulator does.
 *
 *   atomic(fadd, local) %a, %x     →     loop (%l = 0) {
 *                                          if (icmp_eq sr_lane_id, %l) {
 *                                            atomic(fadd, local) %a, %x
 *                                          }
 *                                          fence(acq_rel, wave) %t
 *                                          if (icmp_eq (iadd %l, 1), W) { break }
 *                                          continue (iadd %l, 1)
 *                                        }
 *
 * Applies only if a workgroup is one wave: then no other wave adds to its local memory, and the
 * fence orders each addition before the next, of this instruction and of those that follow. */
#include "ir/lower.h"
#include "ir/rewrite.h"

#include <stdlib.h>

ir_sum ir_sum_of(const ir_func *f, const uint8_t *used, ir_value v) {
    const ir_node *n = ir_at(f, v);
    uint64_t threads = (uint64_t)f->workgroup[0] * f->workgroup[1] * f->workgroup[2];
    if (n->op != IR_ATOMIC)
        return IR_SUM_NONE;
    ir_access a = ir_access_unpack(n->imm);
    if (a.atomic != IR_ATOMIC_FADD)
        return IR_SUM_NONE;
    if (a.space == IR_DEVICE)
        return IR_SUM_OF_GRID;
    if (threads == 1)
        return IR_SUM_NONE; /* one lane, in program order */
    if (threads == 0 || threads > f->wave_width)
        return IR_SUM_OF_WAVES;
    return used && used[v] ? IR_SUM_RETURNED : IR_SUM_IN_ORDER;
}

static ir_value put(ir_func *f, ir_region region, ir_op op, ir_type type, const ir_value *args,
                    size_t count, uint64_t imm, uint32_t pc) {
    return ir_make_last(f, region, op, type, args, count, imm, pc);
}

/* Makes an if at the end of a region. The caller fills its first side; the second yields. */
static ir_region put_if(ir_func *f, ir_region region, ir_value condition, uint32_t pc) {
    ir_value v = put(f, region, IR_IF, IR_VOID, &condition, 1, 0, pc);
    ir_region first = ir_new_region(f, v), second = ir_new_region(f, v);
    if (f->failed)
        return 0;
    ir_at(f, v)->regions[0] = first;
    ir_at(f, v)->regions[1] = second;
    put(f, second, IR_YIELD, IR_VOID, NULL, 0, 0, pc);
    return first;
}

static void put_fence(ir_func *f, ir_region region, uint32_t pc) {
    const ir_access access = {.atomic = IR_FENCE_ACQ_REL, .scope = ISA_SCOPE_WAVE};
    ir_value token = put(f, region, IR_NEW_TOKEN, IR_TOKEN, NULL, 0, 0, pc);
    put(f, region, IR_FENCE, IR_VOID, &token, 1, ir_access_pack(access), pc);
}

static void put_in_order(ir_func *f, ir_value atomic) {
    uint32_t pc = ir_at(f, atomic)->pc;
    ir_value zero = ir_const(f, IR_U32, 0), one = ir_const(f, IR_U32, 1);
    ir_value width = ir_const(f, IR_U32, f->wave_width);
    ir_value lane = ir_leaf(f, IR_SPECIAL, IR_U32, ISA_SR_LANE_ID);
    ir_value loop = ir_make_before(f, atomic, IR_LOOP, IR_VOID, &zero, 1, 0);
    ir_region body = ir_new_region(f, loop);
    if (f->failed)
        return;
    ir_at(f, loop)->regions[0] = body;
    ir_value turn = put(f, body, IR_PARAM, IR_U32, NULL, 0, 0, pc);
    ir_value mine = put(f, body, IR_ICMP_EQ, IR_BOOL, (ir_value[]){lane, turn}, 2, 0, pc);
    ir_region first = put_if(f, body, mine, pc);
    if (f->failed)
        return;
    ir_remove(f, atomic);
    ir_append(f, first, atomic);
    put(f, first, IR_YIELD, IR_VOID, NULL, 0, 0, pc);
    put_fence(f, body, pc);
    ir_value next = put(f, body, IR_IADD, IR_U32, (ir_value[]){turn, one}, 2, 0, pc);
    ir_value last = put(f, body, IR_ICMP_EQ, IR_BOOL, (ir_value[]){next, width}, 2, 0, pc);
    ir_region leave = put_if(f, body, last, pc);
    if (f->failed)
        return;
    put(f, leave, IR_BREAK, IR_VOID, NULL, 0, 0, pc);
    put(f, body, IR_CONTINUE, IR_VOID, &next, 1, 0, pc);
}

bool ir_lower_sums(ir_func *f) {
    uint32_t count = f->node_count; /* excludes operations added below */
    bool changed = false;
    uint8_t *used = ir_find_used(f);
    if (!used) {
        f->failed = true;
        return false;
    }
    for (ir_value v = 1; v < count && !f->failed; v++)
        if (ir_at(f, v)->region && ir_sum_of(f, used, v) == IR_SUM_IN_ORDER) {
            put_in_order(f, v);
            changed = true;
        }
    free(used);
    return changed;
}
