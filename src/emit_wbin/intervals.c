/* Computes the live interval of each virtual register.
 *
 * Instruction i reads at position 2i and writes at 2i + 1, so that a destination can reuse the
 * register of a source that ends there. An instruction that writes its destination before it has
 * read all sources keeps them live to 2i + 2. An interval is one range from the first definition to
 * the last use. A use in a loop of a register defined before the loop extends to the loop's end.
 * Parameters are defined by the loop, results by the end of their if or loop. The moves on the
 * edges to them read, but write outside of all intervals: see code.h.
 *
 * Intervals have lifetime holes (Traub, Holloway and Smith 1998). A register whose last use is in
 * the second side of an if is not needed by the lanes of the first side after their own last use:
 *
 *     if p                      r4 is live here
 *       iadd r5, r4, r3         and dead from here on: r5 may be r4
 *     else                      live again
 *       … r4
 *     endif
 *
 * An interval that begins in the first side ends there, so the register is free again at the
 * else. */
#include "emit_wbin/code.h"

#include <stdlib.h>

/* An open if or loop, by positions. */
typedef struct block {
    uint32_t start, middle, end; /* middle: the else, once it has been seen; 0 in a first side */
} block;

typedef struct finder {
    wb_code *c;
    block *loops, *ifs; /* the open ones, outermost first */
    uint32_t loop_count, loop_capacity, if_count, if_capacity;
    uint32_t *ends; /* by instruction: the endloop of a loop, the endif of an if */
} finder;

static bool match_blocks(finder *s) {
    wb_code *c = s->c;
    uint32_t *stack = NULL, depth = 0, capacity = 0;
    s->ends = calloc((size_t)c->insn_count + 1, sizeof *s->ends);
    c->failed |= !s->ends;
    for (uint32_t i = 0; s->ends && i < c->insn_count && !c->failed; i++) {
        unsigned op = c->insns[i].op;
        if (op == ISA_LOOP || op == ISA_IF) {
            stack = wb_grow(c, stack, depth, &capacity, sizeof *stack);
            if (!c->failed)
                stack[depth++] = i;
        } else if (depth && (op == ISA_ENDLOOP || op == ISA_ENDIF)) {
            s->ends[stack[--depth]] = i;
        }
    }
    free(stack);
    return s->ends && !c->failed;
}

/* The position to which a use extends the interval: the end of the outermost loop that began after
 * the definition. */
static uint32_t reach(const finder *s, const wb_vreg *v, uint32_t at) {
    uint32_t low = 0, high = s->loop_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        *(s->loops[middle].start > v->start ? &high : &low) =
            s->loops[middle].start > v->start ? middle : middle + 1;
    }
    return low < s->loop_count && s->loops[low].end > at ? s->loops[low].end : at;
}

/* ---- Holes ---- */

static void add_hole(finder *s, uint32_t vreg, uint32_t from, const block *b) {
    wb_code *c = s->c;
    if (!c->hole_count)
        c->hole_count = 1;
    c->holes = wb_grow(c, c->holes, c->hole_count, &c->hole_capacity, sizeof *c->holes);
    if (c->failed || from >= b->middle)
        return;
    c->holes[c->hole_count] = (wb_hole){vreg, from, b->middle, b->end, c->vregs[vreg].hole};
    c->vregs[vreg].hole = c->hole_count++;
}

/* A use in second sides, after the last use at v->end: the first sides did not need the register. A
 * use that extends past the if is needed in both sides. */
static void find_holes(finder *s, const wb_vreg *v, uint32_t vreg, uint32_t end) {
    uint32_t k = s->if_count;
    while (k > 0 && s->ifs[k - 1].start > v->start &&
           (!s->ifs[k - 1].middle || s->ifs[k - 1].middle > v->end))
        k--;
    for (; k < s->if_count; k++) {
        const block *b = &s->ifs[k];
        if (b->middle && end <= b->end)
            add_hole(s, vreg, v->end > b->start + 1 ? v->end : b->start + 1, b);
    }
}

static void use(finder *s, wb_ref r, uint32_t at) {
    if (!r || wb_is_leaf(r))
        return;
    wb_vreg *v = wb_at(s->c, r);
    if (v->start == UINT32_MAX) /* a tile that is 0 from the start */
        v->start = 0;
    uint32_t end = reach(s, v, at);
    while (v->hole && s->c->holes[v->hole].end < end) {
        s->c->holes[v->hole].vreg = 0; /* it is needed after that if */
        v->hole = s->c->holes[v->hole].next;
    }
    if (end <= v->end)
        return;
    if (s->if_count)
        find_holes(s, v, wb_vreg_of(r), end);
    v->end = end;
}

static void define(finder *s, wb_ref r, uint32_t at) {
    if (!r)
        return;
    wb_vreg *v = wb_at(s->c, r);
    if (v->start != UINT32_MAX) { /* another word of it */
        use(s, r, at + 1);
        return;
    }
    v->start = at;
    v->end = at + 1;
}

/* ---- The walk ---- */

static void visit_moves(finder *s, const wb_insn *insn, uint32_t at) {
    if (!insn->move_count)
        return;
    const wb_move *moves = s->c->moves + insn->moves;
    for (uint32_t k = 0; k < insn->move_count; k++)
        use(s, moves[k].from, at);
    for (uint32_t k = 0; k < insn->move_count && !(insn->flags & WB_EDGE); k++)
        define(s, moves[k].to, at + 1);
}

/* The value that dst starts with may stay in its register while it is read. Another word of the
 * same pair may not: dst can take that word's register and would be written before the word is
 * read. */
static bool is_tied(const wb_insn *insn, wb_ref r) {
    return insn->tied && !wb_is_leaf(insn->tied) && r && (r | 1) == (insn->tied | 1);
}

/* p0 can only be a negated guard; `and` and `or` are made of guards (predicates.c). */
static void note_guards(finder *s, const wb_insn *insn) {
    if (insn->guard && !wb_negated(insn->guard))
        wb_at(s->c, insn->guard)->flags |= WB_NOT_P0;
    for (unsigned k = 0; (insn->op == WB_PAND || insn->op == WB_POR) && k < 2; k++)
        if (wb_negated(insn->src[k]) == (insn->op == WB_PAND))
            wb_at(s->c, insn->src[k])->flags |= WB_NOT_P0;
}

static void visit_operands(finder *s, const wb_insn *insn, uint32_t at) {
    uint32_t late = insn->flags & WB_LATE ? at + 2 : at;
    note_guards(s, insn);
    use(s, insn->tied, at);
    for (unsigned k = 0; k < 4; k++)
        if (insn->src[k])
            use(s, insn->src[k], is_tied(insn, insn->src[k]) ? at : late);
    use(s, insn->guard, insn->move_count ? at + 2 : is_tied(insn, insn->guard) ? at : late);
    define(s, insn->dst, at + 1);
}

static void open_block(finder *s, uint32_t i) {
    bool loop = s->c->insns[i].op == ISA_LOOP;
    block **list = loop ? &s->loops : &s->ifs;
    uint32_t *count = loop ? &s->loop_count : &s->if_count;
    *list = wb_grow(s->c, *list, *count, loop ? &s->loop_capacity : &s->if_capacity, sizeof **list);
    if (!s->c->failed)
        (*list)[(*count)++] = (block){.start = 2 * i, .end = 2 * s->ends[i]};
}

/* A loop's moves read outside the loop and write inside. */
static void visit_loop(finder *s, uint32_t i) {
    const wb_insn *insn = &s->c->insns[i];
    const wb_move *moves = insn->move_count ? s->c->moves + insn->moves : NULL;
    for (uint32_t k = 0; k < insn->move_count; k++)
        use(s, moves[k].from, 2 * i);
    open_block(s, i);
    for (uint32_t k = 0; k < insn->move_count; k++) {
        define(s, moves[k].to, 2 * i + 1);
        wb_at(s->c, moves[k].to)->until = 2 * s->ends[i];
    }
}

static void visit(finder *s, uint32_t i) {
    const wb_insn *insn = &s->c->insns[i];
    switch (insn->op) {
    case ISA_LOOP: visit_loop(s, i); return;
    case ISA_ENDLOOP: s->loop_count--; break;
    case ISA_ENDIF: s->if_count--; break;
    case ISA_ELSE:
        if (s->if_count)
            s->ifs[s->if_count - 1].middle = 2 * i;
        break;
    default: break;
    }
    visit_operands(s, insn, 2 * i);
    visit_moves(s, insn, 2 * i);
    if (insn->op == ISA_IF)
        open_block(s, i);
}

bool wb_find_intervals(wb_code *c) {
    finder s = {.c = c};
    bool ok = match_blocks(&s);
    for (uint32_t i = 0; i < c->insn_count && ok && !c->failed; i++)
        visit(&s, i);
    c->positions = 2 * c->insn_count + 4;
    free(s.loops);
    free(s.ifs);
    free(s.ends);
    return ok && !c->failed;
}
