/* Which values are the same in all lanes of a wave. Everything is uniform until something shows
 * otherwise: divergence starts at lane and thread ids, loads, atomics, shuffles and prefix sums and
 * spreads along uses and control. A wave_shuffle is uniform where the lane it reads from is. Each
 * value turns divergent once and each use is looked at once.
 *
 * Uniform holds in a strong sense: when every pure operation on the way is executed by all lanes,
 * active or not, all of them get the same value. The convergence lowering relies on it. */
#include "ir/analyse.h"

#include <stdlib.h>

enum { HAS_BREAK = 1, HAS_CONTINUE = 2, HAS_HALT = 4 };

typedef struct analyser {
    const ir_func *f;
    ir_uses uses;
    uint8_t *divergent;
    uint8_t *exits; /* by if and loop: HAS_… for what leaves it to the outside */
    ir_ends ends;
    ir_value *work; /* divergent, users not looked at yet */
    uint32_t work_count;
} analyser;

static void diverge(analyser *a, ir_value v) {
    if (a->divergent[v])
        return;
    a->divergent[v] = 1;
    a->work[a->work_count++] = v;
}

/* Results stand behind their operation, in order. */
static void diverge_results(analyser *a, ir_value op) {
    for (ir_value r = ir_at(a->f, op)->next; r && ir_op_of(a->f, r) == IR_RESULT;
         r = ir_at(a->f, r)->next)
        diverge(a, r);
}

static ir_value nth_result(const ir_func *f, ir_value op, unsigned index) {
    ir_value r = ir_at(f, op)->next;
    while (index-- && r)
        r = ir_at(f, r)->next;
    return r && ir_op_of(f, r) == IR_RESULT && ir_arg(f, r, 0) == op ? r : 0;
}

static ir_value nth_param(const ir_func *f, ir_value loop, unsigned index) {
    ir_value p = f->regions[ir_at(f, loop)->regions[0]].first;
    while (index--)
        p = ir_at(f, p)->next;
    return p;
}

/* ---- Sources ---- */

static bool is_source(const ir_func *f, ir_value v) {
    const ir_node *n = ir_at(f, v);
    switch (n->op) {
    case IR_SPECIAL: return n->imm <= ISA_SR_THREAD_ID_Z || n->imm == ISA_SR_LANE_ID;
    case IR_LOAD: /* of constant memory too: the lowering guards it with a mask */
    case IR_LOADS:
    case IR_ATOMIC:
    case IR_MMA_LOAD:
    case IR_WAVE_SHUFFLE_UP:
    case IR_WAVE_SHUFFLE_DOWN:
    case IR_WAVE_SHUFFLE_XOR:
    case IR_WAVE_PREFIX_SUM: return true;
    default: return false;
    }
}

/* The same in every lane that takes part, whatever the operands. */
static bool is_uniform_by_itself(ir_op op) {
    switch (op) {
    case IR_WAVE_BROADCAST:
    case IR_WAVE_BALLOT:
    case IR_WAVE_ANY:
    case IR_WAVE_ALL:
    case IR_WAVE_REDUCE_ADD:
    case IR_WAVE_REDUCE_MIN:
    case IR_WAVE_REDUCE_MAX:
    case IR_WAVE_REDUCE_AND:
    case IR_WAVE_REDUCE_OR:
    case IR_WAVE_REDUCE_XOR: return true;
    default: return false;
    }
}

/* ---- Control ---- */

/* The terminators of both sides, when both are yields. */
static bool both_yield(const ir_func *f, ir_value op, ir_value ends[2]) {
    const ir_node *n = ir_at(f, op);
    if (n->op != IR_IF)
        return false;
    for (unsigned side = 0; side < 2; side++) {
        ends[side] = f->regions[n->regions[side]].last;
        if (ir_op_of(f, ends[side]) != IR_YIELD)
            return false;
    }
    return true;
}

bool ir_sides_differ(const ir_func *f, ir_value op, unsigned k) {
    ir_value ends[2];
    return both_yield(f, op, ends) && ir_arg(f, ends[0], k) != ir_arg(f, ends[1], k);
}

ir_value ir_sides_agree(const ir_func *f, ir_value op, unsigned k) {
    ir_value ends[2];
    return both_yield(f, op, ends) && !ir_sides_differ(f, op, k) ? ir_arg(f, ends[0], k) : 0;
}

/* Lanes leave the loop, or an iteration of it, at different times. Those that have gone on to the
 * next iteration do not reach a break behind, so its results differ. Lanes outside the mask keep
 * what one continue brought while others take what the next one brings, so a parameter stays
 * uniform only if all bring the same. */
static void diverge_loop(analyser *a, ir_value loop) {
    if (a->divergent[loop])
        return;
    diverge(a, loop);
    diverge_results(a, loop);
    ir_value param = a->f->regions[ir_at(a->f, loop)->regions[0]].first;
    for (unsigned k = 0; k < ir_at(a->f, loop)->arg_count; k++, param = ir_at(a->f, param)->next)
        if (ir_continues_differ(a->f, &a->ends, loop, k))
            diverge(a, param);
}

static void diverge_if(analyser *a, ir_value op) {
    const ir_node *n = ir_at(a->f, op);
    diverge(a, op);
    ir_value r = n->next;
    for (unsigned k = 0; r && ir_op_of(a->f, r) == IR_RESULT; r = ir_at(a->f, r)->next, k++)
        if (ir_sides_differ(a->f, op, k))
            diverge(a, r);
    ir_value loop = ir_loop_around(a->f, n->region);
    if (loop && a->exits[op])
        diverge_loop(a, loop);
}

/* ---- Spreading ---- */

static void spread_transfer(analyser *a, ir_value user, ir_value v) {
    ir_region region = ir_at(a->f, user)->region;
    ir_op op = ir_op_of(a->f, user);
    ir_value owner = op == IR_YIELD ? a->f->regions[region].owner : ir_loop_around(a->f, region);
    for (unsigned k = 0; k < ir_at(a->f, user)->arg_count; k++) {
        if (ir_arg(a->f, user, k) != v)
            continue;
        ir_value to = op == IR_CONTINUE ? nth_param(a->f, owner, k) : nth_result(a->f, owner, k);
        if (to)
            diverge(a, to);
    }
}

static void spread(analyser *a, ir_value user, ir_value v) {
    switch (ir_op_of(a->f, user)) {
    case IR_IF: diverge_if(a, user); break;
    case IR_LOOP:
        for (unsigned k = 0; k < ir_at(a->f, user)->arg_count; k++)
            if (ir_arg(a->f, user, k) == v)
                diverge(a, nth_param(a->f, user, k));
        break;
    case IR_YIELD:
    case IR_BREAK:
    case IR_CONTINUE: spread_transfer(a, user, v); break;
    case IR_RESULT:
        if (ir_op_of(a->f, ir_arg(a->f, user, 0)) == IR_LOADS)
            diverge(a, user);
        break;
    case IR_WAVE_SHUFFLE: /* all read from one lane if its number is uniform, whatever it holds */
        if (ir_arg(a->f, user, 2) == v)
            diverge(a, user);
        break;
    default:
        if (!is_uniform_by_itself(ir_op_of(a->f, user)))
            diverge(a, user);
    }
}

/* What the operation does to its if or loop. A halt that nothing reaches takes no lane away. */
static uint8_t exit_by(const analyser *a, ir_value v, bool in_if) {
    ir_op op = ir_op_of(a->f, v);
    if (op == IR_BREAK)
        return in_if ? HAS_BREAK : 0;
    if (op == IR_CONTINUE)
        return in_if ? HAS_CONTINUE : 0;
    if (op != IR_HALT)
        return 0;
    ir_value before = ir_at(a->f, v)->prev;
    bool left = false;
    for (ir_value t = a->ends.first[before]; t && !left; t = a->ends.next[t])
        left = ir_op_of(a->f, t) == IR_BREAK;
    return ir_goes_on(a->f, before, left) ? HAS_HALT : 0;
}

/* One walk before: the sources, and what leaves each if and loop. */
static void prepare(analyser *a) {
    ir_walk w;
    ir_walk_init(&w, a->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value owner = a->f->regions[w.region].owner;
        if (e == IR_AT_OP) {
            if (is_source(a->f, w.op))
                diverge(a, w.op);
            if (owner)
                a->exits[owner] |= exit_by(a, w.op, ir_op_of(a->f, owner) == IR_IF);
        } else if (e == IR_LEAVE_REGION && owner) {
            ir_value outer = a->f->regions[ir_at(a->f, owner)->region].owner;
            bool loop = ir_op_of(a->f, owner) == IR_LOOP;
            if (outer)
                a->exits[outer] |= loop ? a->exits[owner] & HAS_HALT : a->exits[owner];
        }
    }
    for (ir_value v = 1; v < a->f->node_count; v++)
        if (ir_op_of(a->f, v) == IR_SPECIAL && is_source(a->f, v))
            diverge(a, v);
}

bool ir_find_uniformity(const ir_func *f, ir_uniformity *u) {
    analyser a = {.f = f};
    size_t n = f->node_count;
    bool ok = ir_find_uses(f, &a.uses) && ir_find_ends(f, &a.ends);
    a.divergent = calloc(n, 1);
    a.exits = calloc(n, 1);
    a.work = malloc(n * sizeof *a.work);
    ok = ok && a.divergent && a.exits && a.work;
    if (ok) {
        prepare(&a);
        while (a.work_count) {
            ir_value v = a.work[--a.work_count];
            for (uint32_t k = a.uses.first[v]; k < a.uses.first[v + 1]; k++)
                spread(&a, a.uses.users[k], v);
        }
    }
    u->divergent = ok ? a.divergent : NULL;
    if (!ok)
        free(a.divergent);
    ir_free_uses(&a.uses);
    free(a.exits);
    ir_free_ends(&a.ends);
    free(a.work);
    return ok;
}

void ir_free_uniformity(ir_uniformity *u) {
    free(u->divergent);
    u->divergent = NULL;
}
