/* Small rewrites of the IR that depend on an operation's context.
 *
 *   if %c { store %a, (select %c, %x, %y) }      →   if %c { store %a, %x }
 *   icmp_eq %a, %b … icmp_ne %a, %b              →   icmp_eq %a, %b … bnot of it, for guards
 *   shl %i, 3 where 8 is in a register anyway    →   imul %i, 8 */
#include "emit_wbin/code.h"

#include <stdlib.h>

/* ---- Conditions that are known in one side of an if ---- */

enum { UNKNOWN, HOLDS, FAILS };

static void learn(const ir_func *f, uint8_t *known, ir_value condition, uint8_t what) {
    known[condition] = what;
    if (ir_op_of(f, condition) == IR_BNOT)
        known[ir_arg(f, condition, 0)] = what == UNKNOWN ? UNKNOWN : what == HOLDS ? FAILS : HOLDS;
}

typedef struct selects {
    ir_func *f;
    uint8_t *known;
    uint32_t *uses, *free; /* by value: number of uses, and of those that need no select */
} selects;

/* The value that a select yields where its condition is known, or 0. */
static ir_value chosen(const selects *s, ir_value v) {
    uint8_t what = ir_op_of(s->f, v) == IR_SELECT ? s->known[ir_arg(s->f, v, 0)] : UNKNOWN;
    return what == UNKNOWN ? 0 : ir_arg(s->f, v, what == HOLDS ? 1 : 2);
}

static void count_operands(const selects *s, ir_value op) {
    for (unsigned k = 0; k < ir_at(s->f, op)->arg_count; k++) {
        s->uses[ir_arg(s->f, op, k)]++;
        s->free[ir_arg(s->f, op, k)] += chosen(s, ir_arg(s->f, op, k)) != 0;
    }
}

/* Only if no user needs the select: otherwise there would be two values instead of one. */
static void replace_operands(const selects *s, ir_value op) {
    for (unsigned k = 0; k < ir_at(s->f, op)->arg_count; k++) {
        ir_value v = ir_arg(s->f, op, k);
        if (s->uses[v] == s->free[v] && chosen(s, v))
            ir_args(s->f, op)[k] = chosen(s, v);
    }
}

/* Leaving an if forgets its condition, even inside an outer if with the same condition. That only
 * misses selects. */
static void walk(const selects *s, void (*visit)(const selects *s, ir_value op)) {
    ir_func *f = s->f;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value owner = f->regions[w.region].owner;
        if (e == IR_AT_OP) {
            visit(s, w.op);
        } else if (owner && ir_op_of(f, owner) == IR_IF) {
            bool first = ir_at(f, owner)->regions[0] == w.region;
            learn(f, s->known, ir_arg(f, owner, 0),
                  e == IR_LEAVE_REGION ? UNKNOWN
                  : first              ? HOLDS
                                       : FAILS);
        }
    }
}

void wb_use_conditions(ir_func *f) {
    selects s = {.f = f,
                 .known = calloc(f->node_count, sizeof *s.known),
                 .uses = calloc(f->node_count, sizeof *s.uses),
                 .free = calloc(f->node_count, sizeof *s.free)};
    f->failed |= !s.known || !s.uses || !s.free;
    if (!f->failed) {
        walk(&s, count_operands);
        walk(&s, replace_operands);
    }
    free(s.known);
    free(s.uses);
    free(s.free);
}

/* ---- Comparisons ---- */

static bool is_around(const ir_func *f, ir_region outer, ir_region inner) {
    enum { MOST_STEPS = 8 };
    for (unsigned k = 0; k < MOST_STEPS && inner && inner != outer; k++)
        inner = ir_parent(f, inner);
    return inner == outer;
}

/* Whether the user can negate `v`: a guard can, and so can an if without an else. */
static bool may_be_negated(const ir_func *f, ir_value user, ir_value v) {
    const ir_node *n = ir_at(f, user);
    if (n->op == IR_SELECT)
        return ir_arg(f, user, 1) != v && ir_arg(f, user, 2) != v;
    if (n->op != IR_IF)
        return n->op == IR_BAND || n->op == IR_BOR;
    const ir_region_node *first = &f->regions[n->regions[0]], *second = &f->regions[n->regions[1]];
    return ir_op_of(f, first->last) == IR_YIELD && second->first == second->last &&
           ir_op_of(f, second->last) == IR_YIELD && ir_at(f, second->last)->arg_count == 0;
}

/* `earlier`: by first operand, the last comparison with it. */
void wb_share_compare(ir_func *f, const ir_uses *uses, ir_value *earlier, ir_value v) {
    ir_op inverse = wb_inverse(ir_op_of(f, v));
    ir_value a = ir_arg(f, v, 0), other = earlier[a];
    earlier[a] = v;
    if (!other || ir_op_of(f, other) != inverse || ir_arg(f, other, 1) != ir_arg(f, v, 1) ||
        !is_around(f, ir_at(f, other)->region, ir_at(f, v)->region))
        return;
    for (uint32_t k = uses->first[v]; k < uses->first[v + 1]; k++)
        if (!may_be_negated(f, uses->users[k], v))
            return;
    earlier[a] = other;
    ir_at(f, v)->op = IR_BNOT;
    ir_set_args(f, v, &other, 1);
}

/* ---- Shifts ---- */

static bool is_power(uint64_t bits, unsigned *exponent) {
    if (!bits || bits > (uint64_t)1 << 31 || (bits & (bits - 1)))
        return false;
    for (*exponent = 0; bits != (uint64_t)1 << *exponent; ++*exponent)
        ;
    return true;
}

/* Notes an operand that stays in a register whatever the operation becomes. */
static void note_operand(const ir_func *f, ir_value op, unsigned k, wb_constants *have) {
    uint64_t bits = ir_at(f, ir_arg(f, op, k))->imm;
    unsigned exponent;
    ir_op kind = ir_op_of(f, op);
    bool moved = kind == IR_SELECT || kind == IR_PACK64 || ir_has(f, op, IR_ENDS | IR_REGIONS) ||
                 (kind == IR_STORE && (k || ir_at(f, op)->arg_count > 2));
    if (moved)
        return;
    if (is_power(bits, &exponent))
        have->power[exponent] = true;
    if (bits < 32)
        have->number[bits] = true;
}

void wb_note_constants(const ir_func *f, wb_constants *have) {
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_AT_OP)
            continue;
        const ir_value *args = ir_args(f, w.op);
        unsigned count = ir_op_of(f, w.op) == IR_SHL ? 1 : ir_at(f, w.op)->arg_count;
        for (unsigned k = 0; k < count; k++)
            if (ir_op_of(f, args[k]) == IR_CONST)
                note_operand(f, w.op, k, have);
    }
}

void wb_turn_shift(ir_func *f, const wb_constants *have, ir_value v) {
    uint64_t by;
    if (!ir_is_const(f, ir_arg(f, v, 1), &by) || by > 31 || !have->power[by] || have->number[by])
        return;
    ir_value factor = ir_const(f, IR_U32, (uint64_t)1 << by);
    ir_at(f, v)->op = IR_IMUL;
    ir_args(f, v)[1] = factor;
}
