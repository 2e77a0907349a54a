/* Spilling, for kernels that need more than 256 registers. Some virtual registers live in private
 * memory (an extension, ISA.md 2.8), after the part that the kernel uses. Every use loads into a
 * separate register, every definition stores from one:
 *
 *   iadd v1, v2, v3          mov_imm t0, 64          v2 spilled to 64, v1 to 68
 *                            private_load t1, t0
 *                            iadd t2, t1, v3
 *                            mov_imm t3, 68
 *                            private_store t3, t2
 *
 * The registers that are live longest where the allocator got stuck are chosen. The moves of an
 * edge first load what they need, then store, then move what stays in registers. */
#include "emit_wbin/code.h"

#include <stdlib.h>
#include <string.h>

enum { AT_A_TIME = 24, MOST_PRIVATE = FE_MAX_PRIVATE };

/* ---- Choosing ---- */

static bool can_spill(const wb_vreg *v, uint32_t at) {
    return v->kind == WB_GENERAL && !(v->flags & (WB_TEMPORARY | WB_SPILLED)) && v->start <= at &&
           v->end > at;
}

static bool give_slot(wb_code *c, wb_vreg *v) {
    uint32_t size = 4u * v->width, at = (c->frame + size - 1) / size * size;
    if (at + size > MOST_PRIVATE)
        return false;
    v->slot = at;
    v->flags |= WB_SPILLED;
    c->frame = at + size;
    return true;
}

/* Chooses the registers with the latest ends, as Poletto and Sarkar do. */
static bool choose(wb_code *c) {
    uint32_t best[AT_A_TIME], count = 0;
    for (uint32_t v = 1; v < c->vreg_count; v++) {
        if (!can_spill(&c->vregs[v], c->stuck))
            continue;
        bool full = count == AT_A_TIME;
        if (full && c->vregs[best[count - 1]].end >= c->vregs[v].end)
            continue;
        uint32_t k = full ? count - 1 : count++;
        for (; k > 0 && c->vregs[best[k - 1]].end < c->vregs[v].end; k--)
            best[k] = best[k - 1];
        best[k] = v;
    }
    for (uint32_t k = 0; k < count; k++)
        if (!give_slot(c, &c->vregs[best[k]]))
            return false;
    return count > 0;
}

/* ---- Loading and storing ---- */

static wb_ref temporary(wb_code *c, unsigned width) {
    uint32_t v = wb_new_vreg(c, WB_GENERAL, width);
    if (!c->failed)
        c->vregs[v].flags = WB_TEMPORARY;
    return wb_reg(v);
}

static wb_ref address(wb_code *c, uint32_t offset) {
    wb_ref t = temporary(c, 1);
    wb_insn *insn = wb_add(c, ISA_MOV_IMM);
    insn->dst = t;
    insn->imm = offset;
    return t;
}

static unsigned sized(unsigned words, unsigned one, unsigned two, unsigned four) {
    return words == 4 ? four : words == 2 ? two : one;
}

static bool is_spilled(const wb_code *c, wb_ref r) {
    return r && !wb_is_leaf(r) && wb_at(c, r)->flags & WB_SPILLED;
}

/* The replacement of an operand: its whole register, reloaded. */
static wb_ref reload(wb_code *c, wb_ref r) {
    if (!is_spilled(c, r))
        return r;
    unsigned width = wb_at(c, r)->width;
    wb_ref from = address(c, wb_at(c, r)->slot), t = temporary(c, width);
    wb_insn *insn =
        wb_add(c, sized(width, ISA_PRIVATE_LOAD_U32, ISA_PRIVATE_LOAD_U64, ISA_PRIVATE_LOAD_U128));
    insn->dst = t;
    insn->src[0] = from;
    return wb_part(t, wb_word(r));
}

static void store(wb_code *c, wb_ref to, wb_ref value, unsigned words, wb_ref guard) {
    wb_ref at = address(c, wb_at(c, to)->slot + 4 * wb_word(to));
    wb_insn *insn = wb_add(
        c, sized(words, ISA_PRIVATE_STORE_U32, ISA_PRIVATE_STORE_U64, ISA_PRIVATE_STORE_U128));
    insn->guard = guard;
    insn->src[0] = at;
    insn->src[1] = value;
}

/* A constant or special register in a register, as the source of a store. */
static wb_ref in_register(wb_code *c, wb_ref from) {
    if (!wb_is_leaf(from))
        return from;
    const ir_node *n = ir_at(c->f, wb_leaf_of(from));
    wb_ref t = temporary(c, 1);
    wb_insn *insn = wb_add(c, n->op == IR_SPECIAL ? ISA_MOV_SR : ISA_MOV_IMM);
    insn->dst = t;
    insn->imm = (uint32_t)(n->imm >> 32 * wb_word(from));
    return t;
}

/* ---- Rewriting ---- */

/* Appends the list of the moves that remain to the pool. */
static void rewrite_moves(wb_code *c, wb_insn *insn) {
    uint32_t first = insn->moves, count = insn->move_count;
    uint32_t kept = c->move_count;
    wb_insn list = {0};
    for (uint32_t k = 0; k < count && !c->failed; k++) { /* loads precede all stores */
        wb_move m = c->moves[first + k];
        wb_add_move(c, &list, m.to, m.from ? reload(c, m.from) : 0);
    }
    uint32_t stays = kept;
    for (uint32_t k = kept; k < kept + list.move_count && !c->failed; k++) {
        wb_move m = c->moves[k];
        if (!is_spilled(c, m.to))
            c->moves[stays++] = m;
        else if (m.from)
            store(c, m.to, in_register(c, m.from), 1, insn->guard);
    }
    insn->moves = kept;
    insn->move_count = stays - kept;
    c->move_count = stays;
}

/* An argument arrives in its register and is stored from there. */
static void rewrite_arguments(wb_code *c, wb_insn insn) {
    uint32_t count = insn.move_count, first = insn.moves;
    uint32_t at = c->insn_count;
    wb_add(c, WB_ARGUMENTS);
    for (uint32_t k = 0; k < count && !c->failed; k++) {
        wb_ref to = c->moves[first + k].to;
        if (!is_spilled(c, to))
            continue;
        wb_ref t = temporary(c, 1);
        if (c->failed)
            return;
        wb_at(c, t)->reg = wb_at(c, to)->reg;
        wb_at(c, t)->flags |= WB_FIXED;
        c->moves[first + k].to = t;
        store(c, to, t, 1, 0);
    }
    if (!c->failed)
        c->insns[at] = insn;
}

static void rewrite(wb_code *c, wb_insn insn) {
    c->pc = insn.pc;
    if (insn.op == WB_ARGUMENTS) {
        rewrite_arguments(c, insn);
        return;
    }
    insn.tied = reload(c, insn.tied);
    for (unsigned k = 0; k < 4; k++) {
        unsigned same = 0;
        wb_ref was = insn.src[k];
        insn.src[k] = reload(c, was);
        for (same = k + 1; same < 4 && insn.src[k] != was; same++)
            if (insn.src[same] == was)
                insn.src[same] = insn.src[k];
    }
    if (insn.move_count)
        rewrite_moves(c, &insn);
    wb_ref dst = insn.dst;
    bool spilled = is_spilled(c, dst);
    if (spilled)
        insn.dst = wb_part(temporary(c, wb_at(c, dst)->width), wb_word(dst));
    wb_insn *kept = wb_add(c, insn.op);
    *kept = insn;
    if (insn.op == WB_MOVES && !insn.move_count && c->insn_count)
        c->insn_count--;
    if (spilled) {
        unsigned words = isa_role_registers((isa_role)isa_table[insn.op].role[ISA_FIELD_RD]);
        bool atomic = isa_table[insn.op].klass == ISA_CLASS_ATOMIC;
        if (atomic && !c->failed)
            wb_at(c, insn.dst)->flags |= WB_NOT_R0;
        store(c, dst, insn.dst, words, insn.tied ? 0 : insn.guard);
    }
}

/* Discards the intervals, which are computed again. */
static void forget(wb_code *c) {
    for (uint32_t v = 0; v < c->vreg_count; v++) {
        wb_vreg *r = &c->vregs[v];
        r->start = UINT32_MAX;
        r->end = r->hole = r->next = 0;
        r->flags &= WB_NOT_R0 | WB_SPILLED | WB_TEMPORARY | WB_FIXED;
    }
    c->hole_count = 0;
}

/* The most instructions that one becomes: two for each of its five operands and its result, itself;
 * and for each of its moves, two to load, one to make a leaf, two to store. */
enum { MOST_ADDED = 13, MOST_PER_MOVE = 5 };

/* Moves the last `rest` instructions, which are not rewritten yet, to the end of a list with room
 * for `more` between them and the rewritten ones. */
static void make_room(wb_code *c, uint32_t rest, uint32_t more) {
    uint32_t capacity = c->insn_capacity, next = capacity - rest;
    while (capacity - rest - c->insn_count < more)
        capacity += capacity / 2 + more;
    if (capacity == c->insn_capacity)
        return;
    wb_insn *bigger = realloc(c->insns, capacity * sizeof *bigger);
    c->failed |= !bigger;
    if (!bigger)
        return;
    memmove(bigger + capacity - rest, bigger + next, rest * sizeof *bigger);
    c->insns = bigger;
    c->insn_capacity = capacity;
}

/* In place: a second list of all instructions would be the largest need of memory. */
static void rewrite_all(wb_code *c) {
    uint32_t count = c->insn_count;
    memmove(c->insns + c->insn_capacity - count, c->insns, count * sizeof *c->insns);
    c->insn_count = 0;
    for (uint32_t rest = count; rest > 0 && !c->failed; rest--) {
        uint32_t moves = c->insns[c->insn_capacity - rest].move_count;
        make_room(c, rest, MOST_ADDED + MOST_PER_MOVE * moves);
        if (!c->failed)
            rewrite(c, c->insns[c->insn_capacity - rest]);
    }
}

bool wb_spill(wb_code *c) {
    if (!c->frame)
        c->frame = (c->f->private_memory + 15) / 16 * 16;
    if (!choose(c))
        return false;
    rewrite_all(c);
    forget(c);
    return !c->failed;
}
