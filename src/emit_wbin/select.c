/* Instruction selection: operations to instructions of the ISA over virtual registers. Most are one
 * instruction of the same name, some are an alias of a register, and a few patterns are better than
 * their parts. */
#include "emit_wbin/code.h"

#include <stdlib.h>

/* ---- Lists ---- */

void *wb_grow(wb_code *c, void *list, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity)
        return list;
    uint32_t more = *capacity ? *capacity * 2 : 256;
    void *bigger = realloc(list, more * size);
    if (!bigger) {
        c->failed = true;
        return list;
    }
    *capacity = more;
    return bigger;
}

void wb_reserve(wb_code *c) {
    uint32_t count = c->f->node_count + 1;
    if (c->vreg_capacity < count) {
        free(c->vregs);
        c->vregs = malloc(count * sizeof *c->vregs);
        c->vreg_capacity = count;
    }
    if (c->insn_capacity < count) {
        free(c->insns);
        c->insns = malloc(count * sizeof *c->insns);
        c->insn_capacity = count;
    }
    c->failed |= !c->vregs || !c->insns;
}

uint32_t wb_new_vreg(wb_code *c, wb_kind kind, unsigned width) {
    c->vregs = wb_grow(c, c->vregs, c->vreg_count, &c->vreg_capacity, sizeof *c->vregs);
    if (c->failed)
        return 0;
    uint32_t v = c->vreg_count++;
    c->vregs[v] =
        (wb_vreg){.start = UINT32_MAX, .group = v, .kind = (uint8_t)kind, .width = (uint8_t)width};
    return v;
}

wb_insn *wb_add(wb_code *c, unsigned op) {
    c->insns = wb_grow(c, c->insns, c->insn_count, &c->insn_capacity, sizeof *c->insns);
    wb_insn *insn = c->failed ? &c->spare : &c->insns[c->insn_count++];
    *insn = (wb_insn){.op = (uint16_t)op, .pc = c->pc, .moves = c->move_count};
    return insn;
}

void wb_add_move(wb_code *c, wb_insn *insn, wb_ref to, wb_ref from) {
    c->moves = wb_grow(c, c->moves, c->move_count, &c->move_capacity, sizeof *c->moves);
    if (c->failed)
        return;
    c->moves[c->move_count++] = (wb_move){to, from};
    insn->move_count++;
}

uint32_t wb_group(wb_code *c, uint32_t v) {
    while (c->vregs[v].group != v) {
        c->vregs[v].group = c->vregs[c->vregs[v].group].group;
        v = c->vregs[v].group;
    }
    return v;
}

void wb_like(wb_code *c, wb_ref a, wb_ref b) {
    if (!a || !b || wb_is_leaf(a) || wb_is_leaf(b) || c->failed)
        return;
    const wb_vreg *x = wb_at(c, a), *y = wb_at(c, b);
    if (x->kind != y->kind || x->width != y->width || wb_word(a) != wb_word(b))
        return;
    uint32_t p = wb_group(c, wb_vreg_of(a)), q = wb_group(c, wb_vreg_of(b));
    c->vregs[p].slot |= c->vregs[q].slot; /* bit sets of banks, for tiles */
    c->vregs[q].group = p;
}

/* ---- Places of values ---- */

static wb_ref new_for(wb_code *c, ir_value v) {
    ir_type type = ir_type_of(c->f, v);
    return wb_reg(wb_new_vreg(c, wb_kind_of(type), wb_width(type)));
}

/* All registers of a wide store or pair; the first of the values allocates them. */
static wb_ref host_registers(wb_code *c, ir_value host) {
    if (!c->of[host]) {
        unsigned count = ir_op_of(c->f, host) == IR_PACK64 ? 2 : ir_at(c->f, host)->arg_count - 1u;
        c->of[host] = wb_reg(wb_new_vreg(c, WB_GENERAL, count));
    }
    return c->of[host];
}

wb_ref wb_define(wb_code *c, ir_value v) {
    if (c->host[v])
        c->of[v] = wb_part(host_registers(c, c->host[v]), c->host_word[v]);
    else
        c->of[v] = new_for(c, v);
    return c->of[v];
}

static void make_leaf(wb_code *c, ir_value leaf, wb_ref to) {
    const ir_node *n = ir_at(c->f, leaf);
    for (unsigned k = 0; k < wb_width((ir_type)n->type); k++) {
        wb_insn *insn = wb_add(c, n->op == IR_SPECIAL ? ISA_MOV_SR : ISA_MOV_IMM);
        insn->dst = wb_part(to, k);
        insn->imm = (uint32_t)(n->imm >> 32 * k);
    }
}

wb_ref wb_make_leaf(wb_code *c, ir_value leaf) {
    wb_ref r = new_for(c, leaf);
    make_leaf(c, leaf, r);
    return r;
}

void wb_select_leaves(wb_code *c, ir_value op) {
    for (ir_value leaf = c->leaves[op]; leaf; leaf = c->leaf_next[leaf]) {
        c->of[leaf] = new_for(c, leaf);
        make_leaf(c, leaf, c->of[leaf]);
    }
}

wb_ref wb_source(wb_code *c, ir_value v) {
    bool leaf = ir_has(c->f, v, IR_LEAF) && ir_op_of(c->f, v) != IR_ARG;
    return leaf ? wb_leaf(v, 0) : c->of[v];
}

wb_ref wb_operand(wb_code *c, ir_value v) {
    wb_ref r = c->of[v];
    if (r && !wb_is_leaf(r) && !wb_negated(r))
        return r;
    wb_ref fresh = new_for(c, v);
    if (ir_type_of(c->f, v) != IR_BOOL) {
        make_leaf(c, wb_is_leaf(r) ? wb_leaf_of(r) : v, fresh);
    } else {
        wb_insn *insn = wb_add(c, r ? WB_PMOVE : WB_PSET);
        insn->dst = fresh;
        insn->src[0] = r;
        insn->imm = r ? 0 : (uint32_t)ir_at(c->f, v)->imm;
    }
    return fresh;
}

wb_ref wb_condition(wb_code *c, ir_value v) {
    return c->of[v] ? c->of[v] : wb_operand(c, v);
}

/* ---- One instruction ---- */

static wb_insn *add_into(wb_code *c, unsigned op, wb_ref dst, wb_ref guard, wb_ref tied) {
    wb_insn *insn = wb_add(c, op);
    insn->dst = dst;
    insn->guard = guard;
    insn->tied = tied;
    insn->flags = tied ? WB_LATE : 0;
    wb_like(c, tied, dst);
    return insn;
}

/* Operands are made before the instruction. */
static void select_with(wb_code *c, unsigned op, const ir_value *args, unsigned count, wb_ref dst,
                        wb_ref guard, wb_ref tied) {
    wb_ref src[4] = {0};
    for (unsigned k = 0; k < count; k++)
        src[k] = wb_operand(c, args[k]);
    wb_insn *insn = add_into(c, op, dst, guard, tied);
    for (unsigned k = 0; k < count; k++)
        insn->src[k] = src[k];
}

static bool absorbed(const wb_code *c, ir_value v) {
    return c->how[v] == WB_ABSORBED;
}

/* iadd and min with an absorbed operation: the operands of the inner one, then the remaining
 * one. */
static bool select_nested(wb_code *c, ir_value v, unsigned op, wb_ref dst, wb_ref guard,
                          wb_ref tied) {
    const ir_value *args = ir_args(c->f, v);
    for (unsigned k = 0; k < 2; k++)
        if (absorbed(c, args[k])) {
            const ir_value *inner = ir_args(c->f, args[k]);
            ir_value three[3] = {inner[0], inner[1], args[1 - k]};
            select_with(c, op, three, 3, dst, guard, tied);
            return true;
        }
    return false;
}

static bool select_reciprocal(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied) {
    enum { ONE = 0x3F800000 };
    uint64_t bits;
    ir_value x = ir_arg(c->f, v, 1);
    if (!ir_is_const(c->f, ir_arg(c->f, v, 0), &bits) || bits != ONE)
        return false;
    if (absorbed(c, x))
        select_with(c, ISA_FRSQRT, ir_args(c->f, x), 1, dst, guard, tied);
    else
        select_with(c, ISA_FRCP, &x, 1, dst, guard, tied);
    return true;
}

void wb_select_into(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied) {
    const ir_node *n = ir_at(c->f, v);
    bool token = (ir_op_flags[n->op] & IR_WAVE) != 0;
    if (c->pattern[v]) {
        ir_value words[3] = {0};
        isa_op op = wb_match_bf16(c, v, words);
        select_with(c, op, words, words[2] ? 3 : words[1] ? 2 : 1, dst, guard, tied);
        return;
    }
    switch (n->op) {
    case IR_LOAD:
    case IR_ATOMIC: wb_select_memory(c, v, dst, guard, tied); return;
    case IR_MMA_LOAD:
    case IR_MMA_COMPUTE: wb_select_tile(c, v, dst, guard, tied); return;
    case IR_IADD:
        if (select_nested(c, v, ISA_IMAD, dst, guard, tied))
            return;
        break;
    case IR_IMIN:
        if (select_nested(c, v, ISA_ICLAMP, dst, guard, tied))
            return;
        break;
    case IR_FMIN:
        if (select_nested(c, v, ISA_FCLAMP, dst, guard, tied))
            return;
        break;
    case IR_FDIV:
        if (select_reciprocal(c, v, dst, guard, tied))
            return;
        break;
    default: break;
    }
    select_with(c, c->same[n->op], ir_args(c->f, v) + token, n->arg_count - (unsigned)token, dst,
                guard, tied);
}

/* ---- Selects ---- */

/* dst = tied and, where the guard is true, the other value. */
static void select_guarded(wb_code *c, ir_value v, ir_value taken, ir_value left, wb_ref guard) {
    bool tile = ir_type_of(c->f, v) == IR_TILE;
    wb_ref tied = tile ? wb_tile(c, left) : wb_source(c, left);
    if (absorbed(c, taken)) {
        wb_select_into(c, taken, wb_define(c, v), guard, tied);
        return;
    }
    wb_ref from = wb_source(c, taken), dst = wb_define(c, v);
    for (unsigned k = 0; k < wb_width(ir_type_of(c->f, v)); k++) {
        const ir_node *n = wb_is_leaf(from) ? ir_at(c->f, wb_leaf_of(from)) : NULL;
        unsigned op = !n ? ISA_MOV : n->op == IR_SPECIAL ? ISA_MOV_SR : ISA_MOV_IMM;
        wb_insn *insn = add_into(c, op, wb_part(dst, k), guard, wb_part(tied, k));
        insn->imm = n ? (uint32_t)(n->imm >> 32 * k) : 0;
        insn->src[0] = n ? 0 : wb_part(from, k);
    }
}

static void select_choice(wb_code *c, ir_value v) {
    ir_value condition = ir_arg(c->f, v, 0), yes = ir_arg(c->f, v, 1), no = ir_arg(c->f, v, 2);
    wb_ref guard = wb_condition(c, condition);
    if (c->choice[v] == WB_SELECT_FIRST) {
        select_guarded(c, v, yes, no, guard);
        return;
    }
    if (c->choice[v] == WB_SELECT_SECOND) {
        select_guarded(c, v, no, yes, wb_negate(guard));
        return;
    }
    if (ir_type_of(c->f, v) == IR_TILE) {
        c->no_tiles = true;
        return;
    }
    ir_value swap = wb_negated(guard) ? yes : 0;
    yes = swap ? no : yes;
    no = swap ? swap : no;
    guard = wb_negated(guard) ? wb_negate(guard) : guard;
    wb_ref a = wb_operand(c, yes), b = wb_operand(c, no), dst = wb_define(c, v);
    bool predicate = ir_type_of(c->f, v) == IR_BOOL;
    for (unsigned k = 0; k < wb_width(ir_type_of(c->f, v)); k++) {
        wb_insn *insn = wb_add(c, predicate ? (unsigned)WB_PSELECT : ISA_SELECT);
        insn->dst = wb_part(dst, k);
        insn->src[0] = guard;
        insn->src[1] = wb_part(a, k);
        insn->src[2] = wb_part(b, k);
        insn->flags = predicate ? WB_LATE : 0;
    }
}

/* ---- Predicates ---- */

static void select_logic(wb_code *c, ir_value v, unsigned op) {
    wb_ref a = wb_condition(c, ir_arg(c->f, v, 0)), b = wb_condition(c, ir_arg(c->f, v, 1));
    wb_ref dst = wb_define(c, v);
    wb_insn *insn = wb_add(c, op);
    insn->dst = dst;
    insn->src[0] = a;
    insn->src[1] = b;
    wb_like(c, dst, a & ~1u);
    if (op != WB_PXOR)
        wb_like(c, dst, b & ~1u);
}

static void select_not(wb_code *c, ir_value v) {
    wb_ref p = wb_condition(c, ir_arg(c->f, v, 0));
    if (c->how[v] == WB_INVERTED) {
        c->of[v] = wb_negate(p);
        return;
    }
    wb_ref dst = wb_define(c, v);
    wb_insn *insn = wb_add(c, WB_PMOVE);
    insn->dst = dst;
    insn->src[0] = wb_negate(p);
}

/* ---- Operations with effects, other than accesses ---- */

static void select_effect(wb_code *c, ir_value v) {
    static const uint16_t fences[IR_FENCE_KINDS] = {[IR_FENCE_ACQUIRE] = ISA_FENCE_ACQUIRE,
                                                    [IR_FENCE_RELEASE] = ISA_FENCE_RELEASE,
                                                    [IR_FENCE_ACQ_REL] = ISA_FENCE_ACQ_REL,
                                                    [IR_FENCE_SC] = ISA_FENCE_SC};
    const ir_node *n = ir_at(c->f, v);
    ir_access access = ir_access_unpack(n->imm);
    wb_insn *insn;
    uint64_t bits;
    if (n->op == IR_BARRIER) {
        wb_add(c, ISA_BARRIER);
    } else if (n->op == IR_ASSERT) {
        bool fails = ir_is_const(c->f, ir_arg(c->f, v, 0), &bits) && !bits;
        wb_ref holds = fails ? 0 : wb_operand(c, ir_arg(c->f, v, 0));
        insn = wb_add(c, ISA_ASSERT);
        insn->guard = c->guard;
        insn->src[0] = holds;
        insn->imm = (uint32_t)n->imm;
    } else {
        insn = wb_add(c, fences[access.atomic]);
        insn->guard = c->guard;
        insn->scope = access.scope;
    }
}

/* An instruction on tiles of the wave: the operands are registers, the last one is the token. */
static void select_fixed(wb_code *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    wb_ref src[4] = {0};
    for (unsigned k = 0; k + 1u < n->arg_count && k < 4; k++)
        src[k] = wb_operand(c, ir_arg(c->f, v, k));
    wb_insn *insn = wb_add(c, isa_by_encoding[0x400 | (n->imm >> 20 & 15)]);
    memcpy(insn->src, src, sizeof src);
    insn->imm = (uint32_t)n->imm;
}

static void select_plain(wb_code *c, ir_value v) {
    bool wave = ir_has(c->f, v, IR_WAVE); /* the set of active lanes matters */
    wb_ref dst = wb_define(c, v);
    wb_select_into(c, v, dst, wave ? c->guard : 0, 0);
}

void wb_select_op(wb_code *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    bool pure = (ir_op_flags[n->op] & (IR_PURE | IR_UNIQUE)) == IR_PURE;
    if (c->how[v] == WB_ABSORBED || c->how[v] == WB_SWALLOWED || (pure && !wb_is_used(c, v)))
        return;
    c->pc = n->pc;
    if (c->pattern[v]) {
        select_plain(c, v);
        return;
    }
    switch (n->op) {
    case IR_NEW_TOKEN:
    case IR_PARAM:
    case IR_RESULT: break;
    case IR_BITCAST:
    case IR_LOW16:
    case IR_ZEXT16:
    case IR_LO64: c->of[v] = wb_operand(c, ir_arg(c->f, v, 0)); break;
    case IR_HI64: c->of[v] = wb_part(wb_operand(c, ir_arg(c->f, v, 0)), 1); break;
    case IR_PACK64: c->of[v] = wb_gather(c, v, ir_args(c->f, v), 2); break;
    case IR_BAND: select_logic(c, v, WB_PAND); break;
    case IR_BOR: select_logic(c, v, WB_POR); break;
    case IR_BXOR: select_logic(c, v, WB_PXOR); break;
    case IR_BNOT: select_not(c, v); break;
    case IR_SELECT: select_choice(c, v); break;
    case IR_LOAD:
    case IR_LOADS:
    case IR_LOAD64:
    case IR_STORE:
    case IR_STORE64:
    case IR_ATOMIC: wb_select_memory(c, v, 0, c->guard, 0); break;
    case IR_MMA_LOAD:
    case IR_MMA_STORE:
    case IR_MMA_COMPUTE: wb_select_tile(c, v, 0, c->guard, 0); break;
    case IR_TILE_FIXED: select_fixed(c, v); break;
    case IR_FENCE:
    case IR_LANE_FENCE:
    case IR_ASSERT:
    case IR_BARRIER: select_effect(c, v); break;
    default: select_plain(c, v); break;
    }
}
