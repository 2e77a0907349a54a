/* Parallel copy sequentialisation: a register is written once no pending move reads it. The
 * remaining moves are cycles. A cycle of general registers goes through a register that the kernel
 * does not use otherwise. If there is none, or the cycle has two registers, three xors exchange two
 * registers at a time, so no register has to be kept free. A cycle with predicates goes through
 * p0. */
#include "emit_wbin/code.h"

enum { PLACES = ISA_MAX_REGISTERS + ISA_PREDICATES, P0 = ISA_MAX_REGISTERS, NOWHERE = PLACES };

/* Pending moves by destination. Indices are places: general registers, then predicates. */
typedef struct pending {
    wb_code *c;
    uint32_t guard;
    wb_move moves[PLACES];
    uint16_t from[PLACES]; /* NOWHERE: a leaf, or no move to this place */
    uint16_t readers[PLACES];
    bool waiting[PLACES];
    uint16_t ready[PLACES];
    unsigned ready_count;
} pending;

static unsigned place_of(const wb_code *c, wb_ref r) {
    const wb_vreg *v = wb_at(c, r);
    bool predicate = v->kind == WB_PREDICATE && !(v->flags & WB_WORD);
    return predicate ? (unsigned)P0 + v->reg : v->reg + wb_word(r);
}

/* ---- One move ---- */

static bool is_predicate(const wb_code *c, wb_ref r) {
    return wb_at(c, r)->kind == WB_PREDICATE;
}

void wb_put_move(wb_code *c, wb_ref to, wb_ref from, uint32_t guard) {
    const wb_vreg *v = wb_at(c, to);
    wb_fields f = {.guard = guard};
    if (is_predicate(c, to)) {
        wb_insn set = {.op = WB_PMOVE, .dst = to, .src = {from}, .guard = guard};
        if (wb_is_leaf(from)) {
            set.op = WB_PSET;
            set.src[0] = 0;
            set.imm = (uint32_t)ir_at(c->f, wb_leaf_of(from))->imm;
        }
        wb_put_predicate(c, &set);
        return;
    }
    f.field[ISA_FIELD_RD] = v->reg + wb_word(to);
    if (!wb_is_leaf(from)) {
        f.field[ISA_FIELD_RS1] = wb_at(c, from)->reg + wb_word(from);
        if (f.field[ISA_FIELD_RS1] != f.field[ISA_FIELD_RD])
            wb_put(c, ISA_MOV, &f);
        return;
    }
    const ir_node *n = ir_at(c->f, wb_leaf_of(from));
    if (n->op == IR_SPECIAL)
        f.field[ISA_FIELD_RS1] = (uint32_t)n->imm;
    else
        f.tail = (uint32_t)(n->imm >> 32 * wb_word(from));
    wb_put(c, n->op == IR_SPECIAL ? ISA_MOV_SR : ISA_MOV_IMM, &f);
}

/* ---- Parallel moves ---- */

/* A move whose source value may no longer be in its original place. */
static void put_from_place(pending *p, unsigned to) {
    wb_move m = p->moves[to];
    wb_code *c = p->c;
    if (p->from[to] == NOWHERE || p->from[to] == place_of(c, m.from)) {
        wb_put_move(c, m.to, m.from, p->guard);
        return;
    }
    /* A stand-in: a virtual register at the value's current place. */
    wb_vreg *stand_in = &c->vregs[0];
    bool predicate = p->from[to] >= P0;
    *stand_in = (wb_vreg){.kind = is_predicate(c, m.from) ? WB_PREDICATE : WB_GENERAL,
                          .width = 1,
                          .reg = (uint8_t)(predicate ? p->from[to] - P0 : p->from[to])};
    if (stand_in->kind == WB_PREDICATE && !predicate)
        stand_in->flags = WB_WORD;
    wb_put_move(c, m.to, wb_negated(m.from) ? 1 : 0, p->guard);
}

static void finish(pending *p, unsigned to) {
    unsigned from = p->from[to];
    put_from_place(p, to);
    p->waiting[to] = false;
    if (from != NOWHERE && --p->readers[from] == 0 && p->waiting[from])
        p->ready[p->ready_count++] = (uint16_t)from;
}

static void drain(pending *p) {
    while (p->ready_count)
        finish(p, p->ready[--p->ready_count]);
}

/* Makes everything that reads `old` read `now`. A place in a cycle has one reader. */
static void redirect(pending *p, unsigned old, unsigned now) {
    unsigned at = p->from[old]; /* along the cycle, to the reader */
    while (p->from[at] != old)
        at = p->from[at];
    p->from[at] = (uint16_t)now;
    p->readers[old]--;
    p->readers[now]++;
}

/* Resolves a cycle of general registers through a register that is not used otherwise. */
static void rotate(pending *p, unsigned start) {
    wb_code *c = p->c;
    unsigned spare = c->registers;
    wb_fields save_it = {.field = {spare, start}, .guard = p->guard};
    wb_put(c, ISA_MOV, &save_it);
    c->spare_register = true;
    redirect(p, start, spare);
    p->ready[p->ready_count++] = (uint16_t)start;
}

static void put_xor(pending *p, unsigned to, unsigned with) {
    wb_fields f = {.field = {to, to, with}, .guard = p->guard};
    wb_put(p->c, ISA_XOR, &f);
}

/* Swaps `to` with its source. */
static void exchange(pending *p, unsigned to) {
    unsigned from = p->from[to];
    put_xor(p, to, from);
    put_xor(p, from, to);
    put_xor(p, to, from);
    redirect(p, to, from);
    wb_ref m = p->moves[to].from;
    if (is_predicate(p->c, m) && wb_negated(m)) {
        wb_ref self = p->moves[to].to;
        wb_put_move(p->c, self, wb_negate(self), 0);
    }
    p->waiting[to] = false;
    p->readers[from]--;
    if (p->from[from] == from && !wb_negated(p->moves[from].from)) {
        p->waiting[from] = false; /* the cycle had two places */
        p->readers[from]--;
    } else if (p->readers[from] == 0 && p->waiting[from]) {
        p->ready[p->ready_count++] = (uint16_t)from;
    }
}

/* Predicates: saves the value of `to` in p0. */
static void save(pending *p, unsigned to) {
    wb_code *c = p->c;
    c->scratch = true;
    c->vregs[0] = (wb_vreg){.kind = WB_PREDICATE, .width = 1, .reg = 0};
    wb_put_move(c, 0, p->moves[to].to, 0);
    redirect(p, to, P0);
    p->ready[p->ready_count++] = (uint16_t)to;
}

static void break_cycle(pending *p, unsigned start) {
    unsigned at = start;
    if (p->from[start] == start) { /* a predicate that is only negated */
        p->readers[start] = 0;
        p->waiting[start] = false;
        wb_put_move(p->c, p->moves[start].to, p->moves[start].from, 0);
        return;
    }
    while (at < P0 && p->from[at] != start)
        at = p->from[at];
    bool swap = p->from[p->from[start]] == start;
    if (at >= P0)
        save(p, at);
    else if (!swap && p->c->registers < ISA_MAX_REGISTERS)
        rotate(p, start);
    else
        exchange(p, start);
    drain(p);
}

static void note(pending *p, const wb_move *m) {
    wb_code *c = p->c;
    unsigned to = place_of(c, m->to);
    bool leaf = wb_is_leaf(m->from);
    if (wb_at(c, m->to)->kind == WB_TILE)
        return; /* the same fragment: see allocate.c */
    if (!leaf && place_of(c, m->from) == to && !wb_negated(m->from))
        return;
    p->moves[to] = *m;
    p->waiting[to] = true;
    p->from[to] = (uint16_t)(leaf ? NOWHERE : place_of(c, m->from));
    if (!leaf)
        p->readers[p->from[to]]++;
}

void wb_put_moves(wb_code *c, const wb_move *moves, uint32_t count, uint32_t guard) {
    if (count == 1) {
        bool tile = wb_at(c, moves->to)->kind == WB_TILE;
        if (!tile)
            wb_put_move(c, moves->to, moves->from, guard);
        return;
    }
    pending p = {.c = c, .guard = guard};
    for (uint32_t k = 0; k < count; k++)
        note(&p, &moves[k]);
    for (uint32_t k = 0; k < count; k++) {
        unsigned to = place_of(c, moves[k].to);
        if (p.waiting[to] && p.readers[to] == 0 && wb_at(c, moves[k].to)->kind != WB_TILE)
            p.ready[p.ready_count++] = (uint16_t)to;
    }
    drain(&p);
    for (uint32_t k = 0; k < count; k++) {
        unsigned to = place_of(c, moves[k].to);
        while (wb_at(c, moves[k].to)->kind != WB_TILE && p.waiting[to])
            break_cycle(&p, to);
    }
}
