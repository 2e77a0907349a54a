/* Unrolls loops with an unknown number of iterations: groups of iterations, and a remainder loop.
 *
 *   loop %a, 0 {                                 %l = bound for three more iterations
 *     %i = param(0)                              loop %a, 0 {
 *     %s = param(1)                                %i = param(0)
 *     %1 = icmp_ge %i, arg0                        %s = param(1)
 *     if %1 { break %s } else { yield }    →       %1 = icmp_lt %i, %l
 *     %2 = load %i                                 if %1 { yield } else { break %i, %s }
 *     %3 = fadd %s, %2                             four times: load, fadd
 *     %4 = iadd %i, 4                              %4 = iadd %i, 16
 *     continue %4, %3                              continue %4, …
 *   }                                            }
 *                                                the loop as it was, for the rest
 *
 * A group is entered when none of its iterations takes the exit. The compared value moves by the
 * same step in every iteration, so one compare is enough, with a bound reduced by the steps of the
 * other iterations. The bound saturates. If a step might wrap, the bound is one that no value
 * passes, and the remainder loop does all the work. All of this may differ between lanes. A group
 * has no more iterations than the least start and the largest bound allow.
 *
 * The low bits of a counter with constant start and step repeat in every group, so that `and %i,
 * 32` with a step of 32 is a constant in each iteration of a group of two, and so are the addresses
 * of a double buffer.
 *
 * Strength reduction: values that move by an invariant step (mostly addresses) are not recomputed
 * in every iteration of a group. Each is the value of the previous iteration plus its step.
 * Addresses become pointers for targets that want them (advance.c). */
#include "ir/advance.h"
#include "ir/analyse.h"
#include "ir/fold.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_GROUP = 8,  /* iterations */
    MOST_OPS = 192,  /* operations of a group … */
    MOST_WORDS = 32, /* … and words that it loads */
    MOST_PARAMS = 64,
    MOST_COUNTED = 256,  /* iterations that opt_unroll.c counts */
    MOST_STEP = 1 << 27, /* the steps of a group stay below 2^30 */
    FREE_GROWTH = 2048   /* operations a function may grow by, plus an eighth of its size */
};

typedef struct grouper {
    ir_func *f;
    ir_bits bits;
    ir_copier copies;
    ir_value *step; /* by value of a body: its step per iteration, or 0 */
    ir_value *was;  /* by value that moves: the copy from which the next one is made */
    ir_advances moving;
    uint32_t budget;
    bool changed;
} grouper;

/* The original loop, and the planned group. */
typedef struct group {
    ir_value loop;
    ir_counted ends;            /* its exit and its continue; the count is not known */
    ir_value first, after_exit; /* the operations after the parameters and after the exit */
    ir_value compared;          /* the value that moves towards … */
    ir_value bound;             /* … this bound; and … */
    ir_op stays;                /* … the compare that is true while the loop continues */
    unsigned params, factor;
    ir_value start[MOST_PARAMS]; /* the parameters of the group */
    ir_value whole[MOST_PARAMS]; /* their steps per group, if they move */
    ir_value now[MOST_PARAMS];   /* their values in the iteration being made */
} group;

static ir_region body_of(const ir_func *f, const group *b) {
    return ir_at(f, b->loop)->regions[0];
}

/* Whether an operand of an operation in the body's own region is defined outside the loop. */
static bool is_invariant(const ir_func *f, const group *b, ir_value v) {
    return ir_at(f, v)->region != body_of(f, b);
}

/* ---- The loop's shape ---- */

static void swap_sides(group *b) {
    static const struct {
        ir_op one, other;
    } swapped[] = {{IR_ICMP_LT, IR_ICMP_GT},
                   {IR_ICMP_LE, IR_ICMP_GE},
                   {IR_UCMP_LT, IR_UCMP_GT},
                   {IR_UCMP_LE, IR_UCMP_GE}};
    ir_value v = b->compared;
    b->compared = b->bound;
    b->bound = v;
    for (unsigned k = 0; k < sizeof swapped / sizeof *swapped; k++)
        if (b->stays == swapped[k].one || b->stays == swapped[k].other) {
            b->stays = b->stays == swapped[k].one ? swapped[k].other : swapped[k].one;
            return;
        }
}

/* The compare that is true when this one is false; IR_NONE if it is not an integer compare. */
static ir_op inverse(ir_op op) {
    static const struct {
        ir_op one, other;
    } pairs[] = {{IR_ICMP_EQ, IR_ICMP_NE},
                 {IR_ICMP_LT, IR_ICMP_GE},
                 {IR_ICMP_LE, IR_ICMP_GT},
                 {IR_UCMP_LT, IR_UCMP_GE},
                 {IR_UCMP_LE, IR_UCMP_GT}};
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (op == pairs[k].one || op == pairs[k].other)
            return op == pairs[k].one ? pairs[k].other : pairs[k].one;
    return IR_NONE;
}

/* The exit is a compare with a bound, and the side that stays in the loop is empty. */
static bool find_compare(const ir_func *f, group *b) {
    ir_value condition = ir_arg(f, b->ends.exit, 0);
    bool leaves = b->ends.side == 0;
    if (ir_op_of(f, condition) == IR_BNOT) {
        condition = ir_arg(f, condition, 0);
        leaves = !leaves;
    }
    ir_op op = ir_op_of(f, condition);
    if (inverse(op) == IR_NONE || is_invariant(f, b, condition))
        return false;
    b->stays = leaves ? inverse(op) : op;
    b->compared = ir_arg(f, condition, 0);
    b->bound = ir_arg(f, condition, 1);
    if (is_invariant(f, b, b->compared))
        swap_sides(b);
    const ir_region_node *side = &f->regions[ir_at(f, b->ends.exit)->regions[!b->ends.side]];
    return is_invariant(f, b, b->bound) && !is_invariant(f, b, b->compared) &&
           side->first == side->last && !ir_first_result(f, b->ends.exit);
}

static bool find_group(const grouper *g, ir_value loop, group *b) {
    const ir_func *f = g->f;
    b->loop = loop;
    b->params = ir_at(f, loop)->arg_count;
    ir_counted counted;
    if (b->params > MOST_PARAMS || !ir_find_exit(f, &g->bits.ends, loop, &b->ends) ||
        ir_count_loop(f, &g->bits, loop, MOST_COUNTED, &counted))
        return false;
    b->first = f->regions[body_of(f, b)].first;
    for (unsigned k = 0; k < b->params; k++)
        b->first = ir_at(f, b->first)->next;
    b->after_exit = ir_at(f, b->ends.exit)->next;
    return find_compare(f, b);
}

/* Registers that the words of a pending device load occupy. */
static unsigned words_of(const ir_func *f, ir_value v) {
    if (ir_op_of(f, v) != IR_LOAD && ir_op_of(f, v) != IR_LOADS)
        return 0;
    ir_access access = ir_access_unpack(ir_at(f, v)->imm);
    return access.space == IR_DEVICE ? (access.bytes + 3u) / 4 : 0;
}

/* The number of iterations per group, chosen by the operations and loaded words of the body; 1: no
 * group. */
static unsigned choose_factor(const ir_func *f, const group *b) {
    unsigned size = 0, words = 0, most = MOST_GROUP, seen = 0;
    for (ir_value v = b->first; v != b->ends.next && seen++ < 4 * MOST_OPS;
         v = ir_next_inside(f, v)) {
        ir_op op = ir_op_of(f, v);
        if (op == IR_LOOP || op == IR_FENCE || op == IR_LANE_FENCE)
            return 1;
        size += op != IR_RESULT && op != IR_YIELD && op != IR_BITCAST;
        words += words_of(f, v);
        if (ir_has(f, v, IR_WAVE) || ir_type_of(f, v) == IR_TILE)
            most = 2;
    }
    if (words == 0 && most > 4)
        most = 4;
    while (most > 1 &&
           (size * most > MOST_OPS || words * most > MOST_WORDS || seen >= 4 * MOST_OPS))
        most /= 2;
    return most;
}

/* ---- Values that move by an invariant step ---- */

static ir_value make(grouper *g, ir_value at, ir_op op, ir_value x, ir_value y) {
    return ir_make_before(g->f, at, op, IR_U32, (ir_value[]){x, y}, 2, 0);
}

static ir_value constant(grouper *g, uint32_t c) {
    return ir_const(g->f, IR_U32, c);
}

/* Computed before the loop, or folded to a constant. */
static ir_value compute(grouper *g, const group *b, ir_op op, ir_value x, ir_value y) {
    uint64_t args[4] = {0}, result;
    if (ir_is_const(g->f, x, &args[0]) && ir_is_const(g->f, y, &args[1]) &&
        ir_fold(op, IR_U32, args, &result))
        return constant(g, (uint32_t)result);
    return make(g, b->loop, op, x, y);
}

static ir_value step_of_sum(grouper *g, const group *b, ir_op op, ir_value x, ir_value y) {
    ir_value zero = constant(g, 0), dx = g->step[x], dy = g->step[y];
    if (!dx && !is_invariant(g->f, b, x))
        return 0;
    if (!dy && !is_invariant(g->f, b, y))
        return 0;
    if (!dx && !dy)
        return 0;
    if (!dy)
        return dx;
    return !dx && op == IR_IADD ? dy : compute(g, b, op, dx ? dx : zero, dy);
}

static ir_value step_of(grouper *g, const group *b, ir_value v) {
    const ir_func *f = g->f;
    ir_op op = ir_op_of(f, v);
    if (op != IR_IADD && op != IR_ISUB && op != IR_SHL && op != IR_IMUL)
        return 0;
    ir_value x = ir_arg(f, v, 0), y = ir_arg(f, v, 1);
    if (op == IR_IADD || op == IR_ISUB)
        return step_of_sum(g, b, op, x, y);
    if (op == IR_IMUL && g->step[y] && !g->step[x]) {
        ir_value other = x;
        x = y;
        y = other;
    }
    return g->step[x] && is_invariant(f, b, y) ? compute(g, b, op, g->step[x], y) : 0;
}

static void find_steps(grouper *g, const group *b) {
    const ir_func *f = g->f;
    ir_value v = f->regions[body_of(f, b)].first;
    for (unsigned k = 0; k < b->params; k++, v = ir_at(f, v)->next) {
        ir_value next = ir_arg(f, b->ends.next, k);
        ir_op op = ir_op_of(f, next);
        if ((op != IR_IADD && op != IR_ISUB) || is_invariant(f, b, next))
            continue;
        ir_value x = ir_arg(f, next, 0), y = ir_arg(f, next, 1);
        if (x == v && is_invariant(f, b, y))
            g->step[v] = op == IR_IADD ? y : compute(g, b, IR_ISUB, constant(g, 0), y);
        else if (y == v && op == IR_IADD && is_invariant(f, b, x))
            g->step[v] = x;
    }
    for (; v != b->ends.next && !f->failed; v = ir_at(f, v)->next)
        g->step[v] = step_of(g, b, v);
}

/* ---- When a group may run ---- */

/* One compare of the limit with the compared value: true when no iteration of the group leaves. */
typedef struct guard {
    ir_op compare;
    ir_value limit;
    uint32_t distance; /* if not 0: compare the distance to the limit with this instead */
    bool down;
} guard;

/* Towards a larger bound, signed or unsigned: limit = max(bound, lowest + span) - span. */
static void guard_up(grouper *g, const group *b, ir_value step, guard *to) {
    bool is_signed = b->stays == IR_ICMP_LT || b->stays == IR_ICMP_LE;
    ir_value lowest = constant(g, is_signed ? 0x80000000u : 0);
    ir_value span = compute(g, b, IR_IMUL, step, constant(g, b->factor - 1));
    ir_value least = is_signed ? compute(g, b, IR_IADD, span, lowest) : span;
    ir_value bound = compute(g, b, is_signed ? IR_IMAX : IR_UMAX, b->bound, least);
    to->compare = is_signed ? IR_ICMP_LT : IR_UCMP_LT;
    to->limit = compute(g, b, IR_ISUB, bound, span);
    uint64_t known;
    if (ir_is_const(g->f, step, &known))
        return;
    ir_value small = ir_make_before(g->f, b->loop, IR_UCMP_LT, IR_BOOL,
                                    (ir_value[]){step, constant(g, MOST_STEP)}, 2, 0);
    to->limit = ir_make_before(g->f, b->loop, IR_SELECT, IR_U32,
                               (ir_value[]){small, to->limit, lowest}, 3, 0);
}

static bool find_guard(grouper *g, const group *b, guard *to) {
    ir_value step = g->step[b->compared];
    uint64_t bits = 0;
    bool known = step && ir_is_const(g->f, step, &bits);
    bool down = known && bits >> 31;
    uint32_t by = down ? 0u - (uint32_t)bits : (uint32_t)bits;
    *to = (guard){.compare = IR_NONE, .down = down};
    if (!step || (known && (by == 0 || by >= MOST_STEP)))
        return false;
    switch (b->stays) {
    case IR_ICMP_LT:
    case IR_ICMP_LE:
    case IR_UCMP_LT:
    case IR_UCMP_LE:
        if (!down)
            guard_up(g, b, step, to);
        break;
    case IR_ICMP_GT:
    case IR_ICMP_GE:
        if (down) { /* limit = min(bound, largest - span) + span */
            uint32_t span = by * (b->factor - 1);
            ir_value bound = compute(g, b, IR_IMIN, b->bound, constant(g, INT32_MAX - span));
            to->compare = IR_ICMP_GT;
            to->limit = compute(g, b, IR_IADD, bound, constant(g, span));
        }
        break;
    case IR_ICMP_NE: /* the remaining distance, modulo 2^32 */
        if (known) {
            to->compare = IR_UCMP_GE;
            to->limit = b->bound;
            to->distance = by * b->factor;
        }
        break;
    default: break;
    }
    return to->compare != IR_NONE;
}

/* Whether the first group could run with this factor, judging by the ranges of start and bound. If
 * it cannot, no group runs: the others only follow the first. */
static bool may_run(const grouper *g, const group *b, unsigned factor) {
    const ir_func *f = g->f;
    uint64_t step;
    if (ir_op_of(f, b->compared) != IR_PARAM || !ir_is_const(f, g->step[b->compared], &step))
        return true;
    ir_value start = ir_arg(f, b->loop, (unsigned)ir_at(f, b->compared)->imm);
    ir_range from = ir_range_of(f, &g->bits, start), to = ir_range_of(f, &g->bits, b->bound);
    bool is_signed = b->stays != IR_UCMP_LT && b->stays != IR_UCMP_LE;
    if (is_signed && (from.most > INT32_MAX || to.most > INT32_MAX))
        return true;
    int64_t span = (int64_t)(int32_t)step * (factor - 1);
    switch (b->stays) {
    case IR_ICMP_LT:
    case IR_UCMP_LT: return (int64_t)from.least + span < (int64_t)to.most;
    case IR_ICMP_LE:
    case IR_UCMP_LE: return (int64_t)from.least + span <= (int64_t)to.most;
    case IR_ICMP_GT: return (int64_t)from.most + span > (int64_t)to.least;
    case IR_ICMP_GE: return (int64_t)from.most + span >= (int64_t)to.least;
    default: return true;
    }
}

/* ---- Building ---- */

static void start_iteration(grouper *g, const group *b) {
    ir_value param = g->f->regions[body_of(g->f, b)].first;
    g->copies.serial++;
    for (unsigned k = 0; k < b->params; k++, param = ir_at(g->f, param)->next)
        ir_set_copy(&g->copies, param, b->now[k]);
}

/* Makes the value for iteration `k` of the group. */
static void move_on(grouper *g, ir_value v, unsigned k, ir_value at) {
    uint64_t by;
    ir_value step = g->step[v];
    bool known = ir_is_const(g->f, step, &by);
    ir_value moved = make(g, at, IR_IADD, g->was[v], known ? constant(g, (uint32_t)by * k) : step);
    ir_set_copy(&g->copies, v, moved);
    if (!known)
        g->was[v] = moved;
}

/* `and (shr x, n), mask` in iteration `k` as a constant, which chooses the half of a double buffer.
 * The start and the step of x are constants, so the bits below the lowest set bit of a group's step
 * are the same in every group. 0 if a bit of the mask is not known. */
static ir_value known_bits(grouper *g, const group *b, ir_value v, unsigned k, ir_value at) {
    const ir_func *f = g->f;
    uint64_t mask, by = 0, step, start;
    if (ir_op_of(f, v) != IR_AND || !ir_is_const(f, ir_arg(f, v, 1), &mask))
        return 0;
    ir_value x = ir_arg(f, v, 0), loop = f->regions[ir_at(f, at)->region].owner;
    if (ir_op_of(f, x) == IR_SHR && ir_is_const(f, ir_arg(f, x, 1), &by) && by < 32)
        x = ir_arg(f, x, 0);
    if (ir_op_of(f, x) != IR_PARAM || is_invariant(f, b, x) || !g->step[x] ||
        !ir_is_const(f, g->step[x], &step) ||
        !ir_is_const(f, ir_arg(f, loop, (unsigned)ir_at(f, x)->imm), &start))
        return 0;
    uint32_t whole = (uint32_t)step * b->factor;
    bool known = mask << by < (whole & (0u - whole));
    return known ? constant(g, (uint32_t)((start + step * k) >> by & mask)) : 0;
}

static void copy_iteration(grouper *g, const group *b, unsigned k, ir_value at) {
    ir_func *f = g->f;
    ir_value v = b->first;
    while (v != b->ends.next && !f->failed) {
        ir_value next = v == b->ends.exit ? b->after_exit : ir_at(f, v)->next;
        ir_value known = known_bits(g, b, v, k, at);
        if (known)
            ir_set_copy(&g->copies, v, known);
        else if (v != b->ends.exit && g->step[v] && k > 0)
            move_on(g, v, k, at);
        else if (v != b->ends.exit)
            ir_copy_range(&g->copies, v, next, at);
        if (k == 0 && g->step[v])
            g->was[v] = ir_copied(&g->copies, v);
        v = next;
    }
}

/* The values of the parameters in iteration `k`, or after the group; those that move get there in
 * one step. All are found before any parameter gets a new copy: one may become the old value of
 * another. */
static void next_values(grouper *g, group *b, unsigned k, ir_value at) {
    ir_func *f = g->f;
    ir_value param = f->regions[body_of(f, b)].first;
    for (unsigned j = 0; j < b->params; j++)
        b->now[j] = ir_copied(&g->copies, ir_arg(f, b->ends.next, j));
    for (unsigned j = 0; j < b->params; j++, param = ir_at(f, param)->next) {
        if (!g->step[param])
            continue;
        if (k == b->factor) {
            b->now[j] = make(g, at, IR_IADD, b->start[j], b->whole[j]);
        } else {
            move_on(g, param, k, at);
            b->now[j] = ir_copied(&g->copies, param);
        }
    }
}

/* A moving value in the first iteration, before its operations are copied. */
static ir_value at_start(grouper *g, ir_value v, ir_value at) {
    ir_value x[2], copy = ir_copied(&g->copies, v);
    if (copy != v || !g->step[v])
        return copy;
    for (unsigned k = 0; k < 2; k++)
        x[k] = at_start(g, ir_arg(g->f, v, k), at);
    copy = make(g, at, ir_op_of(g->f, v), x[0], x[1]);
    ir_set_copy(&g->copies, v, copy);
    return copy;
}

/* The condition of the compare, and that no address of the group wraps. */
static ir_value with_addresses(grouper *g, ir_value stays, ir_value at) {
    for (unsigned k = 0; k < g->moving.chains && !g->f->failed; k++) {
        ir_value root = at_start(g, g->moving.chain[k].root, at);
        ir_value fits = ir_advance_fits(&g->moving, k, root, at);
        stays = ir_make_before(g->f, at, IR_BAND, IR_BOOL, (ir_value[]){stays, fits}, 2, 0);
    }
    return stays;
}

/* if the whole group stays { yield } else { break with the parameters } */
static void make_exit(grouper *g, const group *b, const guard *to, ir_value at) {
    ir_func *f = g->f;
    if (ir_op_of(f, b->compared) != IR_PARAM)
        ir_copy_range(&g->copies, b->compared, ir_at(f, b->compared)->next, at);
    ir_value moving = ir_copied(&g->copies, b->compared), limit = to->limit;
    if (to->distance) {
        moving =
            to->down ? make(g, at, IR_ISUB, moving, limit) : make(g, at, IR_ISUB, limit, moving);
        limit = constant(g, to->distance);
    }
    ir_value stays = ir_make_before(f, at, to->compare, IR_BOOL, (ir_value[]){moving, limit}, 2, 0);
    stays = with_addresses(g, stays, at);
    ir_value exit = ir_make_before(f, at, IR_IF, IR_VOID, &stays, 1, 0);
    if (f->failed)
        return;
    for (unsigned k = 0; k < 2; k++) {
        ir_region r = ir_new_region(f, exit);
        if (f->failed)
            return;
        ir_at(f, exit)->regions[k] = r;
        ir_append(
            f, r,
            ir_make(f, k == 0 ? IR_YIELD : IR_BREAK, IR_VOID, b->now, k == 0 ? 0 : b->params, 0));
    }
}

/* A parameter that alternates between two constants has the first one at the start of every group:
 * all factors are even. */
static void keep_toggles(const grouper *g, group *b) {
    const ir_func *f = g->f;
    ir_value param = f->regions[body_of(f, b)].first;
    for (unsigned k = 0; k < b->params; k++, param = ir_at(f, param)->next) {
        ir_value next = ir_arg(f, b->ends.next, k), start = ir_arg(f, b->loop, k);
        if (ir_op_of(f, next) == IR_XOR && ir_arg(f, next, 0) == param &&
            ir_op_of(f, ir_arg(f, next, 1)) == IR_CONST && ir_op_of(f, start) == IR_CONST)
            b->now[k] = start;
    }
}

/* Makes the loop of groups and returns its continue, before which they are inserted. */
static ir_value make_loop(grouper *g, group *b) {
    ir_func *f = g->f;
    ir_value args[MOST_PARAMS], param = f->regions[body_of(f, b)].first;
    memcpy(args, ir_args(f, b->loop), b->params * sizeof *args);
    ir_value loop = ir_make_before(f, b->loop, IR_LOOP, IR_VOID, args, b->params, 0);
    ir_region body = f->failed ? 0 : ir_new_region(f, loop);
    if (f->failed)
        return 0;
    ir_at(f, loop)->regions[0] = body;
    for (unsigned k = 0; k < b->params && !f->failed; k++, param = ir_at(f, param)->next) {
        ir_type type = ir_type_of(f, param);
        b->now[k] = ir_make(f, IR_PARAM, type, NULL, 0, k);
        ir_append(f, body, b->now[k]);
        ir_give_name(f, b->now[k], ir_name_of(f, param));
        args[k] = ir_make_before(f, b->loop, IR_RESULT, type, &loop, 1, k);
        ir_give_name(f, args[k], ir_name_of(f, param));
    }
    ir_value next = ir_make(f, IR_CONTINUE, IR_VOID, b->now, b->params, 0);
    if (f->failed)
        return 0;
    ir_at(f, next)->pc = ir_at(f, b->ends.next)->pc;
    ir_append(f, body, next);
    keep_toggles(g, b);
    ir_set_args(f, b->loop, args, b->params);
    return next;
}

static void build(grouper *g, group *b, const guard *to) {
    ir_func *f = g->f;
    ir_value param = f->regions[body_of(f, b)].first, at = param, factor = constant(g, b->factor);
    for (unsigned k = 0; k < b->params; k++, at = ir_at(f, at)->next)
        b->whole[k] = g->step[at] ? compute(g, b, IR_IMUL, g->step[at], factor) : 0;
    ir_prepare_advances(&g->moving, b->loop);
    ir_value next = make_loop(g, b);
    if (f->failed)
        return;
    memcpy(b->start, b->now, b->params * sizeof *b->now);
    for (unsigned k = 0; k < b->params; k++, param = ir_at(f, param)->next)
        g->was[param] = b->now[k];
    start_iteration(g, b);
    make_exit(g, b, to, next);
    for (unsigned k = 0; k < b->factor && !f->failed; k++) {
        ir_value before = ir_at(f, next)->prev;
        start_iteration(g, b);
        ir_advance(&g->moving, k, next);
        copy_iteration(g, b, k, next);
        ir_use_advances(&g->moving, &g->copies, k, ir_at(f, before)->next, next);
        next_values(g, b, k + 1, next);
    }
    if (!f->failed)
        ir_set_args(f, next, b->now, b->params);
    g->changed = true;
}

/* Whether the compared value is a parameter, or computed directly from parameters and values from
 * outside. */
static bool is_near(const ir_func *f, const group *b) {
    if (ir_op_of(f, b->compared) == IR_PARAM)
        return true;
    for (unsigned k = 0; k < ir_at(f, b->compared)->arg_count; k++) {
        ir_value v = ir_arg(f, b->compared, k);
        if (!is_invariant(f, b, v) && ir_op_of(f, v) != IR_PARAM)
            return false;
    }
    return true;
}

static void visit(grouper *g, ir_value loop) {
    group b;
    guard to;
    uint32_t before = g->f->node_count;
    if (!find_group(g, loop, &b) || !is_near(g->f, &b))
        return;
    b.factor = choose_factor(g->f, &b);
    if (b.factor == 1 || g->budget < MOST_OPS || !ir_copier_room(&g->copies))
        return;
    find_steps(g, &b);
    while (b.factor > 1 && g->step[b.compared] && !may_run(g, &b, b.factor))
        b.factor /= 2;
    if (b.factor == 1)
        return;
    g->moving = (ir_advances){.f = g->f, .step = g->step, .factor = b.factor};
    if (!g->f->failed && g->f->advances)
        ir_find_advances(&g->moving, b.first, b.ends.next);
    if (!g->f->failed && find_guard(g, &b, &to))
        build(g, &b, &to);
    uint32_t made = g->f->node_count - before;
    g->budget -= made < g->budget ? made : g->budget;
}

static void run(grouper *g, const ir_value *loops, uint32_t count) {
    for (uint32_t k = 0; k < count && !g->f->failed; k++)
        visit(g, loops[k]);
}

/* Writes all loops of the function that are in a region to the list, if there is one, and counts
 * them. */
static uint32_t list_loops(const ir_func *f, ir_value *list) {
    uint32_t count = 0;
    for (ir_value v = 1; v < f->node_count; v++)
        if (ir_op_of(f, v) == IR_LOOP && ir_at(f, v)->region) {
            if (list)
                list[count] = v;
            count++;
        }
    return count;
}

bool ir_opt_groups(ir_func *f) {
    uint32_t count = ir_made(f, IR_LOOP) ? list_loops(f, NULL) : 0;
    if (count == 0)
        return false;
    ir_value *loops = malloc(count * sizeof *loops);
    grouper g = {.f = f, .copies = {.f = f}, .budget = FREE_GROWTH + f->node_count / 8};
    uint32_t room = f->node_limit > f->node_count ? (f->node_limit - f->node_count) / 2 : 0;
    if (g.budget > room)
        g.budget = room; /* optimisation alone must not make the kernel too large */
    g.step = calloc(f->node_count, sizeof *g.step);
    g.was = calloc(f->node_count, sizeof *g.was);
    if (loops && g.step && g.was && ir_find_bits(f, &g.bits)) {
        list_loops(f, loops);
        run(&g, loops, count);
    } else {
        f->failed = true;
    }
    free(loops);
    free(g.step);
    free(g.was);
    ir_free_bits(&g.bits);
    ir_copier_free(&g.copies);
    return g.changed;
}
