/* Predicate operations that take the ISA several steps: constants, copies, logic.
 *
 *   p = false     icmp_ne p, r0, r0          p = true    icmp_eq p, r0, r0
 *   p = q         p = false; @q p = true
 *   p = p and q   @!q p = false              p = p or q   @q p = true
 *
 * A predicate that lives in a register is a NaN where it is true and 0 where it is false:
 * fcmp_unord with itself fetches it, fcmp_ord its negation, and `and`, `or`, `xor` work on the
 * words. p0 holds only fetched predicates. */
#include "emit_wbin/code.h"

static bool in_word(const wb_code *c, wb_ref r) {
    return (wb_at(c, r)->flags & WB_WORD) != 0;
}

static bool same_place(const wb_code *c, wb_ref a, wb_ref b) {
    return wb_at(c, a)->reg == wb_at(c, b)->reg && in_word(c, a) == in_word(c, b);
}

static void put_three(wb_code *c, isa_op op, uint32_t rd, uint32_t a, uint32_t b, uint32_t guard) {
    wb_fields f = {.field = {rd, a, b}, .guard = guard};
    wb_put(c, op, &f);
}

static void put_word(wb_code *c, uint32_t rd, bool value, uint32_t guard) {
    wb_fields f = {.field = {rd}, .tail = value ? WB_TRUE_WORD : 0, .guard = guard};
    wb_put(c, ISA_MOV_IMM, &f);
}

/* p = value, by number. */
static void set_number(wb_code *c, unsigned p, bool value, uint32_t guard) {
    put_three(c, value ? ISA_ICMP_EQ : ISA_ICMP_NE, p, 0, 0, guard);
}

/* Whether the predicate still has its initial value, false. */
static bool is_false_yet(const wb_code *c, unsigned p) {
    return !c->loop_depth && !(c->written >> p & 1);
}

static void set(wb_code *c, wb_ref p, bool value, uint32_t guard) {
    if (in_word(c, p))
        put_word(c, wb_at(c, p)->reg, value, guard);
    else if (value || guard || !is_false_yet(c, wb_at(c, p)->reg))
        set_number(c, wb_at(c, p)->reg, value, guard);
}

/* Predicate number `p` = the word in a register, or its negation. */
static void fetch(wb_code *c, unsigned p, unsigned reg, bool opposite) {
    put_three(c, opposite ? ISA_FCMP_ORD : ISA_FCMP_UNORD, p, reg, reg, 0);
}

uint32_t wb_guard_bits(wb_code *c, wb_ref guard) {
    enum { NOT = 4 };
    if (!guard)
        return 0;
    unsigned reg = wb_at(c, guard)->reg;
    c->scratch |= !in_word(c, guard) && reg == 0 && !wb_negated(guard);
    if (!in_word(c, guard))
        return reg | (wb_negated(guard) ? NOT : 0u);
    fetch(c, 0, reg, !wb_negated(guard)); /* @p0 does not exist, @!p0 does */
    return NOT;
}

/* ---- Copies ---- */

static void move_negated_in_place(wb_code *c, wb_ref p) {
    unsigned reg = wb_at(c, p)->reg;
    c->scratch = true;
    if (in_word(c, p)) {
        fetch(c, 0, reg, false);
        put_word(c, reg, false, 0);
        put_word(c, reg, true, 4);
        return;
    }
    set_number(c, 0, true, 0);
    set_number(c, 0, false, reg); /* p0 = !p */
    set_number(c, reg, true, 0);
    set_number(c, reg, false, 4);
}

static void move(wb_code *c, wb_ref to, wb_ref from) {
    bool negated = wb_negated(from);
    unsigned source = wb_at(c, from)->reg, target = wb_at(c, to)->reg;
    if (same_place(c, to, from)) {
        if (negated)
            move_negated_in_place(c, to);
    } else if (in_word(c, from) && !in_word(c, to)) {
        fetch(c, target, source, negated);
    } else if (in_word(c, from)) {
        wb_fields copy = {.field = {target, source}};
        wb_put(c, ISA_MOV, &copy);
        if (negated)
            move_negated_in_place(c, to);
    } else {
        /* @p0 does not exist: with p0 as the source, the values are reversed. */
        bool reversed = source == 0;
        set(c, to, reversed != negated, 0);
        set(c, to, reversed == negated, source | (reversed ? 4u : 0u));
    }
}

/* ---- Logic ---- */

/* dst = a, then the part that b decides. dst and b are in different places. */
static void and_or(wb_code *c, wb_ref dst, wb_ref a, wb_ref b, bool is_and) {
    move(c, dst, a);
    set(c, dst, !is_and, wb_guard_bits(c, is_and ? wb_negate(b) : b));
}

static void open_if(wb_code *c, wb_ref condition) {
    wb_fields f = {.field = {0, wb_at(c, condition)->reg}};
    if (in_word(c, condition)) {
        fetch(c, 0, wb_at(c, condition)->reg, false);
        f.field[ISA_FIELD_RS1] = 0;
    }
    wb_put(c, ISA_IF, &f);
}

static void close_if(wb_code *c) {
    wb_fields f = {0};
    wb_put(c, ISA_ENDIF, &f);
}

/* dst and b are in different places; b is not negated. */
static void exclusive_or(wb_code *c, wb_ref dst, wb_ref a, wb_ref b) {
    move(c, dst, a);
    open_if(c, b);
    move(c, dst, wb_negate(dst));
    close_if(c);
}

/* Both operands are the same predicate. */
static void logic_of_one(wb_code *c, const wb_insn *insn) {
    bool equal = wb_negated(insn->src[0]) == wb_negated(insn->src[1]);
    if (insn->op == WB_PXOR)
        set(c, insn->dst, !equal, 0);
    else if (equal)
        move(c, insn->dst, insn->src[0]);
    else
        set(c, insn->dst, insn->op == WB_POR, 0);
}

static bool logic_of_words(wb_code *c, const wb_insn *insn) {
    wb_ref a = insn->src[0], b = insn->src[1];
    if (!in_word(c, insn->dst) || !in_word(c, a) || !in_word(c, b) || wb_negated(a) ||
        wb_negated(b))
        return false;
    isa_op op = insn->op == WB_PAND ? ISA_AND : insn->op == WB_POR ? ISA_OR : ISA_XOR;
    put_three(c, op, wb_at(c, insn->dst)->reg, wb_at(c, a)->reg, wb_at(c, b)->reg, 0);
    return true;
}

static void put_logic(wb_code *c, const wb_insn *insn) {
    wb_ref a = insn->src[0], b = insn->src[1], dst = insn->dst;
    if (same_place(c, a, b)) {
        logic_of_one(c, insn);
        return;
    }
    if (logic_of_words(c, insn))
        return;
    if (same_place(c, dst, b)) {
        wb_ref swap = a;
        a = b;
        b = swap;
    }
    if (insn->op == WB_PXOR && wb_negated(b)) {
        a = wb_negate(a);
        b = wb_negate(b);
    }
    if (insn->op == WB_PXOR)
        exclusive_or(c, dst, a, b);
    else
        and_or(c, dst, a, b, insn->op == WB_PAND);
}

void wb_put_predicate(wb_code *c, const wb_insn *insn) {
    switch (insn->op) {
    case WB_PSET: set(c, insn->dst, insn->imm != 0, insn->guard); break;
    case WB_PMOVE: move(c, insn->dst, insn->src[0]); break;
    case WB_PSELECT:
        move(c, insn->dst, insn->src[2]);
        open_if(c, insn->src[0]);
        move(c, insn->dst, insn->src[1]);
        close_if(c);
        break;
    default: put_logic(c, insn); break;
    }
}
