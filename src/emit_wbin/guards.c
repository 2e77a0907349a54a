/* Finds the ifs that need no control flow: their instructions are few, and a guard selects the
 * same lanes as the side (if-conversion). */
#include "emit_wbin/code.h"

enum { TOO_MUCH = 100, MOST_GUARDED = 2 };

/* Number of values of a wide store that must be moved to its registers. */
static unsigned unhosted(const wb_code *c, ir_value v) {
    unsigned count = 0;
    for (unsigned k = 1; ir_at(c->f, v)->arg_count > 2 && k < ir_at(c->f, v)->arg_count; k++)
        count +=
            c->host[ir_arg(c->f, v, k)] != v && ir_op_of(c->f, ir_arg(c->f, v, k)) != IR_RESULT;
    return count;
}

/* The maximum number of instructions for an operation in a guarded side. */
static unsigned guarded_cost(const wb_code *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    switch (n->op) {
    case IR_IF:
    case IR_LOOP:
    case IR_BARRIER:
    case IR_TILE_FIXED:
    case IR_LOADS:
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR:
    case IR_BNOT:
    case IR_PACK64: return TOO_MUCH;
    case IR_NEW_TOKEN:
    case IR_RESULT:
    case IR_BITCAST:
    case IR_LOW16:
    case IR_ZEXT16:
    case IR_LO64:
    case IR_HI64: return 0;
    case IR_STORE: return 1 + unhosted(c, v);
    case IR_SELECT: return n->type == IR_BOOL ? TOO_MUCH : wb_width((ir_type)n->type);
    default: return c->how[v] == WB_ABSORBED ? 0 : 1;
    }
}

static unsigned side_cost(const wb_code *c, ir_value op, unsigned side) {
    unsigned sum = 0, count = 0;
    ir_value end = wb_end_of(c, op, side);
    for (ir_value v = wb_start_of(c, op, side); v != end; v = ir_at(c->f, v)->next, count++) {
        sum += guarded_cost(c, v);
        if (sum > MOST_GUARDED + 1 || count > 16)
            return TOO_MUCH;
    }
    return sum;
}

/* Whether the value is computed in the side by an instruction and has no other use, so that it can
 * be written directly to the result's register. */
static bool is_direct(const wb_code *c, ir_value op, unsigned side, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    bool makes = n->op == IR_LOAD || n->op == IR_ATOMIC ||
                 (c->same[n->op] && !(ir_op_flags[n->op] & IR_LEAF));
    return makes && n->region == ir_at(c->f, op)->regions[side] &&
           wb_only_user(c, v) == wb_end_of(c, op, side) && c->how[v] == WB_OWN && !c->host[v];
}

static bool is_outside(const wb_code *c, ir_value op, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    return ir_has(c->f, v, IR_LEAF) ||
           (n->region != ir_at(c->f, op)->regions[0] && n->region != ir_at(c->f, op)->regions[1]);
}

/* Whether each result is written directly by one side, while the other yields the previous
 * value. */
static bool results_direct(const wb_code *c, ir_value op) {
    const ir_value *first = ir_args(c->f, wb_end_of(c, op, 0));
    const ir_value *second = ir_args(c->f, wb_end_of(c, op, 1));
    for (unsigned k = 0; k < ir_at(c->f, wb_end_of(c, op, 0))->arg_count; k++) {
        bool one = is_direct(c, op, 0, first[k]) && is_outside(c, op, second[k]);
        bool other = is_direct(c, op, 1, second[k]) && is_outside(c, op, first[k]);
        if (!one && !other)
            return false;
    }
    return true;
}

bool wb_fits_guards(const wb_code *c, ir_value op) {
    unsigned first = side_cost(c, op, 0), second = side_cost(c, op, 1);
    unsigned most = first && second ? MOST_GUARDED + 1 : MOST_GUARDED;
    return first + second <= most && results_direct(c, op);
}

/* The number of additional moves is known only after allocation: see put_leaving in encode.c. */
bool wb_leaves_guarded(const wb_code *c, ir_value op) {
    return side_cost(c, op, 0) <= MOST_GUARDED;
}

/* if failed { assert false; halt } */
bool wb_is_assert(const wb_code *c, ir_value op) {
    ir_value v = wb_start_of(c, op, 0);
    uint64_t bits;
    while (ir_op_of(c->f, v) == IR_NEW_TOKEN)
        v = ir_at(c->f, v)->next;
    return ir_op_of(c->f, v) == IR_ASSERT && ir_is_const(c->f, ir_arg(c->f, v, 0), &bits) &&
           !bits && ir_op_of(c->f, ir_at(c->f, v)->next) == IR_HALT;
}
