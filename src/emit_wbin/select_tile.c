/* Tiles to fragments of the ISA. No instruction copies or clears a fragment, so all values that
 * flow into each other must be one fragment: they form a group, and the allocator determines
 * whether they can be. Fragments are 0 at the start of the kernel, and a fragment that belongs to
 * one group stays 0 until the group writes it. So a constant tile needs no instruction, except
 * in a loop, where it would be 0 in the first iteration only. */
#include "emit_wbin/code.h"

#include <stddef.h>

static wb_ref in_bank(wb_code *c, wb_ref tile, unsigned bank) {
    if (!c->failed)
        c->vregs[wb_group(c, wb_vreg_of(tile))].slot |= bank;
    return tile;
}

wb_ref wb_tile(wb_code *c, ir_value v) {
    if (ir_op_of(c->f, v) == IR_CONST)
        return wb_reg(wb_new_vreg(c, WB_TILE, 1));
    return c->of[v];
}

static void select_load(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied) {
    wb_ref address = wb_operand(c, ir_arg(c->f, v, 0));
    wb_ref stride = wb_operand(c, ir_arg(c->f, v, 1));
    wb_insn *insn = wb_add(c, ISA_MMA_LOAD_A); /* or B, or both: known once the group is complete */
    insn->dst = dst;
    insn->guard = guard;
    insn->tied = tied;
    insn->src[0] = address;
    insn->src[1] = stride;
}

static void select_store(wb_code *c, ir_value v, wb_ref guard) {
    wb_ref address = wb_operand(c, ir_arg(c->f, v, 0));
    wb_ref stride = wb_operand(c, ir_arg(c->f, v, 1));
    wb_ref tile = in_bank(c, wb_tile(c, ir_arg(c->f, v, 2)), WB_BANK_C);
    wb_insn *insn = wb_add(c, ISA_MMA_STORE_C);
    insn->guard = guard;
    insn->src[0] = address;
    insn->src[1] = stride;
    insn->src[2] = tile;
}

static void select_compute(wb_code *c, ir_value v, wb_ref dst, wb_ref guard) {
    wb_ref a = in_bank(c, wb_tile(c, ir_arg(c->f, v, 0)), WB_BANK_A);
    wb_ref b = in_bank(c, wb_tile(c, ir_arg(c->f, v, 1)), WB_BANK_B);
    ir_value old = ir_arg(c->f, v, 2);
    wb_ref sum = in_bank(c, wb_tile(c, old), WB_BANK_C);
    if (ir_op_of(c->f, old) == IR_CONST && c->loops[ir_at(c->f, v)->region])
        c->no_tiles = true; /* it would be 0 in the first iteration only */
    wb_insn *insn = wb_add(c, ISA_MMA_COMPUTE);
    insn->dst = dst;
    insn->guard = guard;
    insn->src[0] = a;
    insn->src[1] = b;
    insn->src[2] = sum;
    wb_like(c, sum, dst);
}

void wb_select_tile(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied) {
    ir_op op = ir_op_of(c->f, v);
    if (!dst && op != IR_MMA_STORE)
        dst = wb_define(c, v);
    if (tied)
        wb_like(c, tied, dst);
    if (op == IR_MMA_LOAD)
        select_load(c, v, dst, guard, tied);
    else if (op == IR_MMA_STORE)
        select_store(c, v, guard);
    else
        select_compute(c, v, dst, guard);
}
