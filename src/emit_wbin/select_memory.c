/* Selects loads, stores and atomics. Values that one of them needs in consecutive registers are
 * gathered there. */
#include "emit_wbin/code.h"

/* The instruction for a space, hint and size. */
static unsigned access_op(const ir_access *a, bool store) {
    static const uint16_t first[IR_SPACE_COUNT][2] = {
        [IR_LOCAL] = {ISA_LOCAL_LOAD_U8, ISA_LOCAL_STORE_U8},
        [IR_DEVICE] = {ISA_DEVICE_LOAD_U8, ISA_DEVICE_STORE_U8},
        [IR_PRIVATE] = {ISA_PRIVATE_LOAD_U8, ISA_PRIVATE_STORE_U8},
        [IR_CONSTANT] = {ISA_CONSTANT_LOAD_U8, ISA_NONE}};
    static const uint16_t hinted[ISA_HINT_COUNT][2] = {
        [ISA_HINT_UNCACHED] = {ISA_DEVICE_LOAD_U8_UNCACHED, ISA_DEVICE_STORE_U8_UNCACHED},
        [ISA_HINT_STREAMING] = {ISA_DEVICE_LOAD_U8_STREAMING, ISA_DEVICE_STORE_U8_STREAMING}};
    unsigned size = 0;
    while (1u << size < a->bytes)
        size++;
    return (a->hint ? hinted[a->hint] : first[a->space])[store] + size;
}

/* Consecutive words of one pair or quad are used in place. */
static wb_ref whole(wb_code *c, const ir_value *values, unsigned count) {
    wb_ref first = c->of[values[0]];
    if (!first || wb_is_leaf(first) || c->failed || wb_at(c, first)->kind != WB_GENERAL ||
        wb_word(first) + count > wb_at(c, first)->width)
        return 0;
    for (unsigned k = 1; k < count; k++)
        if (c->of[values[k]] != wb_part(first, k))
            return 0;
    return first;
}

wb_ref wb_gather(wb_code *c, ir_value host, const ir_value *values, unsigned count) {
    wb_ref pair = whole(c, values, count);
    if (pair)
        return pair;
    if (!c->of[host])
        c->of[host] = wb_reg(wb_new_vreg(c, WB_GENERAL, count));
    wb_insn *insn = wb_add(c, WB_MOVES);
    for (unsigned k = 0; k < count; k++) {
        wb_ref to = wb_part(c->of[host], k), from = wb_source(c, values[k]);
        if (to != from)
            wb_add_move(c, insn, to, from);
    }
    if (!insn->move_count)
        c->insn_count--;
    return c->of[host];
}

static void select_load(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied) {
    const ir_node *n = ir_at(c->f, v);
    ir_access access = ir_access_unpack(n->imm);
    wb_ref address = wb_operand(c, ir_arg(c->f, v, 0));
    if (n->op == IR_LOADS) {
        dst = wb_reg(wb_new_vreg(c, WB_GENERAL, access.bytes / 4u));
        ir_value r = n->next;
        for (; r && ir_op_of(c->f, r) == IR_RESULT; r = ir_at(c->f, r)->next)
            if (ir_arg(c->f, r, 0) == v)
                c->of[r] = wb_part(dst, (unsigned)ir_at(c->f, r)->imm);
    } else if (!dst) {
        dst = wb_define(c, v);
    }
    wb_insn *insn = wb_add(c, access_op(&access, false));
    insn->dst = dst;
    insn->guard = guard;
    insn->tied = tied;
    insn->flags = tied ? WB_LATE : 0;
    insn->src[0] = address;
    wb_like(c, tied, dst);
}

static void select_store(wb_code *c, ir_value v, wb_ref guard) {
    const ir_node *n = ir_at(c->f, v);
    ir_access access = ir_access_unpack(n->imm);
    unsigned among = wb_address_among_values(c, v);
    ir_value at = ir_arg(c->f, v, 0);
    wb_ref address = among && !c->of[at] ? 0 : wb_operand(c, at);
    wb_ref value = n->arg_count == 2 ? wb_operand(c, ir_arg(c->f, v, 1))
                                     : wb_gather(c, v, ir_args(c->f, v) + 1, n->arg_count - 1u);
    if (!address)
        address = wb_part(value, among - 1);
    wb_insn *insn = wb_add(c, access_op(&access, true));
    insn->guard = guard;
    insn->src[0] = address;
    insn->src[1] = value;
}

/* Atomics have the same order in the ISA and in the IR; the 64-bit ones have no float addition. */
static unsigned atomic_op(const ir_access *a) {
    _Static_assert(ISA_ATOMIC_STORE - ISA_ATOMIC_ADD == IR_ATOMIC_STORE &&
                       ISA_LOCAL_ATOMIC_STORE - ISA_LOCAL_ATOMIC_ADD == IR_ATOMIC_STORE &&
                       ISA_ATOMIC_CAS - ISA_ATOMIC_ADD == IR_ATOMIC_CAS &&
                       ISA_ATOMIC64_CAS - ISA_ATOMIC64_ADD == IR_ATOMIC_CAS &&
                       ISA_ATOMIC64_STORE - ISA_ATOMIC64_ADD == IR_ATOMIC_STORE - 1 &&
                       ISA_LOCAL_ATOMIC64_STORE - ISA_LOCAL_ATOMIC64_ADD == IR_ATOMIC_STORE - 1,
                   "same order");
    if (a->bytes == 8)
        return (unsigned)(a->space == IR_LOCAL ? ISA_LOCAL_ATOMIC64_ADD : ISA_ATOMIC64_ADD) +
               a->atomic - (a->atomic > IR_ATOMIC_FADD ? 1u : 0u);
    unsigned first = a->space == IR_LOCAL ? ISA_LOCAL_ATOMIC_ADD : ISA_ATOMIC_ADD;
    return first + a->atomic;
}

static void select_atomic(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied) {
    const ir_node *n = ir_at(c->f, v);
    ir_access access = ir_access_unpack(n->imm);
    wb_ref src[3] = {0};
    for (unsigned k = 0; k < n->arg_count; k++)
        src[k] = wb_operand(c, ir_arg(c->f, v, k));
    if (!dst && wb_is_used(c, v))
        dst = wb_define(c, v);
    if (dst && !c->failed)
        wb_at(c, dst)->flags |= WB_NOT_R0;
    wb_insn *insn = wb_add(c, atomic_op(&access));
    insn->dst = dst;
    insn->guard = guard;
    insn->tied = tied;
    insn->flags = tied ? WB_LATE : 0;
    insn->scope = access.space == IR_LOCAL ? 0 : access.scope;
    for (unsigned k = 0; k < n->arg_count; k++)
        insn->src[k] = src[k];
    wb_like(c, tied, dst);
}

void wb_select_memory(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied) {
    switch (ir_op_of(c->f, v)) {
    case IR_STORE:
    case IR_STORE64: select_store(c, v, guard); break;
    case IR_ATOMIC: select_atomic(c, v, dst, guard, tied); break;
    default: select_load(c, v, dst, guard, tied); break;
    }
}
