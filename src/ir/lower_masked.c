/* Operations under a mask, for the convergence lowering: masks are booleans that are folded as they
 * are made, wave operations see the identity from lanes outside the mask, effects are guarded by an
 * if. */
#include "ir/convergence.h"

/* ---- Boolean operations, folded as they are made ---- */

bool ir_conv_is_bool(const ir_conv *w, ir_value v, bool value) {
    uint64_t bits;
    return ir_is_const(w->new, v, &bits) && bits == value;
}

ir_value ir_conv_truth(ir_conv *w, bool value) {
    return ir_const(w->new, IR_BOOL, value);
}

ir_value ir_conv_both(ir_conv *w, ir_value a, ir_value b) {
    if (ir_conv_is_bool(w, a, true) || ir_conv_is_bool(w, b, false) || a == b)
        return b;
    if (ir_conv_is_bool(w, b, true) || ir_conv_is_bool(w, a, false))
        return a;
    return ssa_emit(&w->s, IR_BAND, IR_BOOL, (ir_value[]){a, b}, 2, 0);
}

ir_value ir_conv_either(ir_conv *w, ir_value a, ir_value b) {
    if (ir_conv_is_bool(w, a, false) || ir_conv_is_bool(w, b, true) || a == b)
        return b;
    if (ir_conv_is_bool(w, b, false) || ir_conv_is_bool(w, a, true))
        return a;
    return ssa_emit(&w->s, IR_BOR, IR_BOOL, (ir_value[]){a, b}, 2, 0);
}

ir_value ir_conv_not(ir_conv *w, ir_value a) {
    uint64_t bits;
    if (ir_is_const(w->new, a, &bits))
        return ir_conv_truth(w, !bits);
    return ssa_emit(&w->s, IR_BNOT, IR_BOOL, &a, 1, 0);
}

ir_value ir_conv_choose(ir_conv *w, ir_value condition, ir_value yes, ir_value no) {
    if (yes == no || ir_conv_is_bool(w, condition, true))
        return yes;
    if (ir_conv_is_bool(w, condition, false))
        return no;
    return ssa_emit(&w->s, IR_SELECT, ir_type_of(w->new, yes), (ir_value[]){condition, yes, no}, 3,
                    0);
}

ir_value ir_conv_any(ir_conv *w, ir_value mask) {
    uint64_t bits;
    if (ir_is_const(w->new, mask, &bits))
        return mask;
    return ssa_emit(&w->s, IR_WAVE_ANY, IR_BOOL, (ir_value[]){w->token, mask}, 2, 0);
}

ir_value ir_conv_active(const ir_conv *w) {
    return ssa_read(&w->s, w->active);
}

void ir_conv_set_active(ir_conv *w, ir_value mask) {
    ssa_write(&w->s, w->active, mask);
}

/* ---- Values ---- */

ir_value ir_conv_mapped(ir_conv *w, ir_value v) {
    const ir_node *n = ir_at(w->old, v);
    if (!w->to[v] && ir_has(w->old, v, IR_LEAF)) /* once, when it is first used */
        w->to[v] = ir_leaf(w->new, (ir_op)n->op, (ir_type)n->type, n->imm);
    return w->to[v];
}

ir_value ir_conv_arg(ir_conv *w, ir_value v, unsigned index) {
    return ir_conv_mapped(w, ir_arg(w->old, v, index));
}

ir_value ir_conv_zero(ir_conv *w, ir_type type) {
    return ir_const(w->new, type, 0);
}

/* The same operation with mapped operands. */
void ir_conv_copy(ir_conv *w, ir_value v) {
    const ir_node *n = ir_at(w->old, v);
    w->s.pc = n->pc;
    const ir_value *old = ir_args(w->old, v);
    ir_value args[8];
    unsigned count = n->arg_count; /* effects and pure operations have few */
    for (unsigned k = 0; k < count; k++)
        args[k] = w->to[old[k]] ? w->to[old[k]] : ir_conv_mapped(w, old[k]);
    w->to[v] = ssa_emit(&w->s, (ir_op)n->op, (ir_type)n->type, args, count, n->imm);
}

/* Most operations are copied node by node. Returns false for one that is not. */
static inline bool copy_node(ir_conv *w, const ir_node *n, ir_value v) {
    _Static_assert(IR_INLINE_ARGS == 3, "operands in a node");
    const ir_value *map = w->to;
    if (n->arg_count > IR_INLINE_ARGS) /* their operands are not in the node */
        return false;
    ir_value a = map[n->args[0]], b = map[n->args[1]], c = map[n->args[2]];
    ir_func *f = w->new;
    ir_value made = f->node_count;
    if ((!a && n->args[0]) || (!b && n->args[1]) || (!c && n->args[2]) || made == f->node_capacity)
        return false;
    ir_region_node *r = &f->regions[w->s.region];
    ir_value prev = r->last;
    ir_node *to = &f->nodes[made];
    *to = *n;
    to->args[0] = a;
    to->args[1] = b;
    to->args[2] = c;
    to->region = w->s.region;
    to->prev = prev;
    to->next = 0;
    *(prev ? &f->nodes[prev].next : &r->first) = made;
    r->last = made;
    f->node_count = made + 1;
    f->made[n->op / 64] |= (uint64_t)1 << (n->op % 64);
    w->to[v] = made;
    return true;
}

static bool is_masked(const ir_conv *w) {
    return !w->plain_depth && !ir_conv_is_bool(w, ir_conv_active(w), true);
}

ir_value ir_conv_copy_many(ir_conv *w, ir_value v) {
    bool masked = is_masked(w);
    unsigned look =
        masked ? IR_PURE | IR_WAVE | IR_UNIQUE : IR_WAVE | IR_UNIQUE | IR_REGIONS | IR_ENDS;
    unsigned plain = masked ? IR_PURE : 0;
    for (ir_value last = 0;; last = v, v = ir_at(w->old, v)->next) {
        const ir_node *n = ir_at(w->old, v);
        unsigned flags = ir_op_flags[n->op];
        if (!v || (flags & look) != plain || w->new->failed)
            return last;
        if (flags & (IR_READS | IR_WRITES))
            w->s.pc = n->pc;
        if (!copy_node(w, n, v))
            ir_conv_copy(w, v);
    }
}

/* ---- Convergent operations under a mask ---- */

static ir_value wave1(ir_conv *w, ir_op op, ir_type type, ir_value x) {
    return ssa_emit(&w->s, op, type, (ir_value[]){w->token, x}, 2, 0);
}

static ir_value wave2(ir_conv *w, ir_op op, ir_value x, ir_value y) {
    return ssa_emit(&w->s, op, IR_U32, (ir_value[]){w->token, x, y}, 3, 0);
}

/* The lane number is taken from the lowest active lane. */
static ir_value broadcast(ir_conv *w, ir_value mask, ir_value value, ir_value lane) {
    ir_value self = ir_leaf(w->new, IR_SPECIAL, IR_U32, ISA_SR_LANE_ID);
    ir_value none = ir_const(w->new, IR_U32, UINT32_MAX);
    ir_value lowest = wave1(w, IR_WAVE_REDUCE_MIN, IR_U32, ir_conv_choose(w, mask, self, none));
    ir_value source = wave2(w, IR_WAVE_SHUFFLE, lane, lowest);
    return wave2(w, IR_WAVE_SHUFFLE, value, source);
}

/* If any lane is active, all are, so an operation on tiles needs no mask. If none is, its address
 * may be meaningless; accesses are therefore guarded by an if. */
static ir_value tile(ir_conv *w, ir_value v) {
    ir_type type = ir_type_of(w->old, v);
    bool guarded =
        ir_has(w->old, v, IR_READS | IR_WRITES) && !ir_conv_is_bool(w, ir_conv_active(w), true);
    bool kept = guarded && type != IR_VOID;
    uint32_t result = kept ? ssa_variable(&w->s, type, ir_conv_zero(w, type)) : 0;
    ssa_if guard;
    if (guarded)
        ssa_if_open(&w->s, &guard, ir_conv_any(w, ir_conv_active(w)));
    ir_value args[4];
    unsigned last = ir_at(w->old, v)->arg_count - 1u;
    for (unsigned k = 0; k < last; k++)
        args[k] = ir_conv_arg(w, v, k);
    args[last] = w->token;
    ir_value made =
        ssa_emit(&w->s, ir_op_of(w->old, v), type, args, last + 1, ir_at(w->old, v)->imm);
    if (kept)
        ssa_write(&w->s, result, made);
    if (guarded)
        ssa_if_close(&w->s, &guard);
    if (kept) {
        made = ssa_read(&w->s, result);
        w->s.unused[result] = true;
    }
    return made;
}

ir_value ir_conv_wave(ir_conv *w, ir_value v) {
    ir_op op = ir_op_of(w->old, v);
    ir_type type = ir_type_of(w->old, v);
    ir_value mask = ir_conv_active(w);
    /* At a barrier every live lane is here; the halted lanes join. At a fence the lanes outside the
     * mask join too, which only adds ordering. */
    if (op == IR_BARRIER || op == IR_FENCE)
        return ssa_emit(&w->s, op, IR_VOID, &w->token, 1, ir_at(w->old, v)->imm);
    if (op >= IR_TILE_LOAD && op <= IR_TILE_MMA)
        return tile(w, v);
    ir_value x = ir_conv_arg(w, v, 1);
    uint32_t identity = op == IR_WAVE_REDUCE_MIN || op == IR_WAVE_REDUCE_AND ? UINT32_MAX : 0;
    switch (op) {
    case IR_WAVE_BALLOT:
    case IR_WAVE_BALLOT64:
    case IR_WAVE_ANY: return wave1(w, op, type, ir_conv_both(w, x, mask));
    case IR_WAVE_ALL: return wave1(w, op, type, ir_conv_either(w, x, ir_conv_not(w, mask)));
    case IR_WAVE_BROADCAST:
        x = ir_conv_choose(w, mask, x, ir_conv_zero(w, IR_U32));
        if (ir_conv_is_bool(w, mask, true))
            return wave2(w, op, x, ir_conv_arg(w, v, 2));
        return broadcast(w, mask, x, ir_conv_arg(w, v, 2));
    case IR_WAVE_SHUFFLE:
    case IR_WAVE_SHUFFLE_UP:
    case IR_WAVE_SHUFFLE_DOWN:
    case IR_WAVE_SHUFFLE_XOR:
        return wave2(w, op, ir_conv_choose(w, mask, x, ir_conv_zero(w, IR_U32)),
                     ir_conv_arg(w, v, 2));
    default:
        return wave1(w, op, type, ir_conv_choose(w, mask, x, ir_const(w->new, IR_U32, identity)));
    }
}

/* ---- Plain operations ---- */

/* The values an operation defines, one by one: itself, or the results that follow it. */
ir_value ir_conv_next_value(const ir_func *f, ir_value op, ir_value v) {
    if (ir_type_of(f, op) != IR_VOID)
        return v ? 0 : op;
    ir_value r = ir_at(f, v ? v : op)->next;
    return r && ir_op_of(f, r) == IR_RESULT && ir_arg(f, r, 0) == op ? r : 0;
}

static void copy_with_results(ir_conv *w, ir_value v) {
    ir_conv_copy(w, v);
    if (ir_type_of(w->old, v) != IR_VOID)
        return;
    for (ir_value r = 0; (r = ir_conv_next_value(w->old, v, r));)
        ir_conv_copy(w, r);
}

/* An effect under a mask is guarded by an if; lanes outside the mask get 0. Its results follow. */
void ir_conv_effect(ir_conv *w, ir_value v) {
    if (!is_masked(w)) {
        ir_conv_copy(w, v);
        return;
    }
    uint32_t first = w->s.count, k = first;
    for (ir_value r = 0; (r = ir_conv_next_value(w->old, v, r));)
        ssa_variable(&w->s, ir_type_of(w->old, r), ir_conv_zero(w, ir_type_of(w->old, r)));
    ssa_if guard;
    ssa_if_open(&w->s, &guard, ir_conv_active(w));
    copy_with_results(w, v);
    for (ir_value r = 0; (r = ir_conv_next_value(w->old, v, r)); k++)
        ssa_write(&w->s, k, w->to[r]);
    ssa_if_close(&w->s, &guard);
    k = first;
    for (ir_value r = 0; (r = ir_conv_next_value(w->old, v, r)); k++) {
        w->to[r] = ssa_read(&w->s, k);
        w->s.unused[k] = true;
    }
}
