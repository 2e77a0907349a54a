/* Operations under a mask, for the convergence lowering: masks are booleans that are folded as they
 * are made, wave operations see the identity from lanes outside, effects stand in an if. */
#include "ir/convergence.h"

/* ---- Booleans, folded as they are made ---- */

bool conv_is_bool(const lowering *w, ir_value v, bool value) {
    uint64_t bits;
    return ir_is_const(w->new, v, &bits) && bits == value;
}

ir_value conv_truth(lowering *w, bool value) {
    return ir_const(w->new, IR_BOOL, value);
}

ir_value conv_both(lowering *w, ir_value a, ir_value b) {
    if (conv_is_bool(w, a, true) || conv_is_bool(w, b, false) || a == b)
        return b;
    if (conv_is_bool(w, b, true) || conv_is_bool(w, a, false))
        return a;
    return ssa_emit(&w->s, IR_BAND, IR_BOOL, (ir_value[]){a, b}, 2, 0);
}

ir_value conv_either(lowering *w, ir_value a, ir_value b) {
    if (conv_is_bool(w, a, false) || conv_is_bool(w, b, true) || a == b)
        return b;
    if (conv_is_bool(w, b, false) || conv_is_bool(w, a, true))
        return a;
    return ssa_emit(&w->s, IR_BOR, IR_BOOL, (ir_value[]){a, b}, 2, 0);
}

ir_value conv_not(lowering *w, ir_value a) {
    uint64_t bits;
    if (ir_is_const(w->new, a, &bits))
        return conv_truth(w, !bits);
    return ssa_emit(&w->s, IR_BNOT, IR_BOOL, &a, 1, 0);
}

ir_value conv_choose(lowering *w, ir_value condition, ir_value yes, ir_value no) {
    if (yes == no || conv_is_bool(w, condition, true))
        return yes;
    if (conv_is_bool(w, condition, false))
        return no;
    return ssa_emit(&w->s, IR_SELECT, ir_type_of(w->new, yes), (ir_value[]){condition, yes, no}, 3,
                    0);
}

ir_value conv_any(lowering *w, ir_value mask) {
    uint64_t bits;
    if (ir_is_const(w->new, mask, &bits))
        return mask;
    return ssa_emit(&w->s, IR_WAVE_ANY, IR_BOOL, (ir_value[]){w->token, mask}, 2, 0);
}

ir_value conv_active(const lowering *w) {
    return ssa_read(&w->s, w->active);
}

void conv_set_active(lowering *w, ir_value mask) {
    ssa_write(&w->s, w->active, mask);
}

/* ---- Values ---- */

ir_value conv_mapped(lowering *w, ir_value v) {
    const ir_node *n = ir_at(w->old, v);
    if (ir_has(w->old, v, IR_LEAF))
        return ir_leaf(w->new, (ir_op)n->op, (ir_type)n->type, n->imm);
    return w->to[v];
}

ir_value conv_arg(lowering *w, ir_value v, unsigned index) {
    return conv_mapped(w, ir_arg(w->old, v, index));
}

ir_value conv_zero(lowering *w, ir_type type) {
    return ir_const(w->new, type, 0);
}

/* The same operation with mapped operands. */
ir_value conv_copy(lowering *w, ir_value v) {
    const ir_node *n = ir_at(w->old, v);
    ir_value args[8];
    unsigned count = n->arg_count; /* effects and pure operations have few */
    for (unsigned k = 0; k < count; k++)
        args[k] = conv_arg(w, v, k);
    return ssa_emit(&w->s, (ir_op)n->op, (ir_type)n->type, args, count, n->imm);
}

/* ---- Convergent operations under a mask ---- */

static ir_value wave1(lowering *w, ir_op op, ir_type type, ir_value x) {
    return ssa_emit(&w->s, op, type, (ir_value[]){w->token, x}, 2, 0);
}

static ir_value wave2(lowering *w, ir_op op, ir_value x, ir_value y) {
    return ssa_emit(&w->s, op, IR_U32, (ir_value[]){w->token, x, y}, 3, 0);
}

/* The lane number comes from the lowest active lane. */
static ir_value broadcast(lowering *w, ir_value mask, ir_value value, ir_value lane) {
    ir_value self = ir_leaf(w->new, IR_SPECIAL, IR_U32, ISA_SR_LANE_ID);
    ir_value none = ir_const(w->new, IR_U32, UINT32_MAX);
    ir_value lowest = wave1(w, IR_WAVE_REDUCE_MIN, IR_U32, conv_choose(w, mask, self, none));
    ir_value source = wave2(w, IR_WAVE_SHUFFLE, lane, lowest);
    return wave2(w, IR_WAVE_SHUFFLE, value, source);
}

ir_value conv_wave(lowering *w, ir_value v) {
    ir_op op = ir_op_of(w->old, v);
    ir_type type = ir_type_of(w->old, v);
    ir_value mask = conv_active(w);
    /* At a barrier every live lane is here; the halted ones come along. At a fence lanes outside
     * the mask come along too: that only adds order. */
    if (op == IR_BARRIER || op == IR_FENCE)
        return ssa_emit(&w->s, op, IR_VOID, &w->token, 1, ir_at(w->old, v)->imm);
    ir_value x = conv_arg(w, v, 1);
    uint32_t identity = op == IR_WAVE_REDUCE_MIN || op == IR_WAVE_REDUCE_AND ? UINT32_MAX : 0;
    switch (op) {
    case IR_WAVE_BALLOT:
    case IR_WAVE_ANY: return wave1(w, op, type, conv_both(w, x, mask));
    case IR_WAVE_ALL: return wave1(w, op, type, conv_either(w, x, conv_not(w, mask)));
    case IR_WAVE_BROADCAST:
        x = conv_choose(w, mask, x, conv_zero(w, IR_U32));
        if (conv_is_bool(w, mask, true))
            return wave2(w, op, x, conv_arg(w, v, 2));
        return broadcast(w, mask, x, conv_arg(w, v, 2));
    case IR_WAVE_SHUFFLE:
    case IR_WAVE_SHUFFLE_UP:
    case IR_WAVE_SHUFFLE_DOWN:
    case IR_WAVE_SHUFFLE_XOR:
        return wave2(w, op, conv_choose(w, mask, x, conv_zero(w, IR_U32)), conv_arg(w, v, 2));
    default: return wave1(w, op, type, conv_choose(w, mask, x, ir_const(w->new, IR_U32, identity)));
    }
}

/* ---- Plain operations ---- */

/* The values an operation defines, one after the other: itself, or the results behind it. */
ir_value conv_next_value(const ir_func *f, ir_value op, ir_value v) {
    if (ir_type_of(f, op) != IR_VOID)
        return v ? 0 : op;
    ir_value r = ir_at(f, v ? v : op)->next;
    return r && ir_op_of(f, r) == IR_RESULT && ir_arg(f, r, 0) == op ? r : 0;
}

static void copy_with_results(lowering *w, ir_value v) {
    ir_value made = conv_copy(w, v);
    w->to[v] = made;
    if (ir_type_of(w->old, v) != IR_VOID)
        return;
    for (ir_value r = 0; (r = conv_next_value(w->old, v, r));)
        w->to[r] = ssa_emit(&w->s, IR_RESULT, (ir_type)ir_at(w->old, r)->type, &made, 1,
                            ir_at(w->old, r)->imm);
}

/* An effect under a mask stands in an if; lanes outside get 0. */
void conv_effect(lowering *w, ir_value v) {
    if (w->plain_depth || conv_is_bool(w, conv_active(w), true)) {
        copy_with_results(w, v);
        return;
    }
    uint32_t first = w->s.count, k = first;
    for (ir_value r = 0; (r = conv_next_value(w->old, v, r));)
        ssa_variable(&w->s, ir_type_of(w->old, r), conv_zero(w, ir_type_of(w->old, r)));
    ssa_if guard;
    ssa_if_open(&w->s, &guard, conv_active(w));
    copy_with_results(w, v);
    for (ir_value r = 0; (r = conv_next_value(w->old, v, r)); k++)
        ssa_write(&w->s, k, w->to[r]);
    ssa_if_close(&w->s, &guard);
    k = first;
    for (ir_value r = 0; (r = conv_next_value(w->old, v, r)); k++) {
        w->to[r] = ssa_read(&w->s, k);
        w->s.unused[k] = true;
    }
}
