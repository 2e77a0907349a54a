/* Which values are the same in all lanes of a wave: the simple divergence analysis of Sampaio et
 * al. (2013), on structured control flow. Values start as uniform; divergence starts at lane and
 * thread ids, loads, atomics, shuffles and prefix sums and spreads along data and control
 * dependences. A wave_shuffle is uniform if the lane it reads from is.
 *
 * One walk in program order settles every value outside of loops. In a loop, a value may turn
 * divergent after its users were visited, because a continue carries it back. There, each value
 * that is still uniform keeps a list of the values it would make divergent, and a work list
 * propagates them when the outermost loop ends. Each value turns divergent once and each use is
 * visited once.
 *
 * Uniform has a strong meaning: if all lanes, active or not, execute every pure operation on the
 * way, all of them get the same value. The convergence lowering relies on this. */
#include "ir/analyse.h"

#include <stdlib.h>

enum { HAS_BREAK = 1, HAS_CONTINUE = 2, HAS_HALT = 4 };

/* A value that becomes divergent when another one does. */
typedef struct edge {
    ir_value to;
    uint32_t next; /* of the same value; 0: none */
} edge;

typedef struct analyser {
    const ir_func *f;
    uint8_t *divergent;
    uint8_t *exits; /* by the first region of an if or loop: HAS_… for its exits */
    ir_ends ends;
    uint32_t *edges_of; /* by value: its first edge, or 0 */
    edge *edges;        /* index 0 is not used */
    uint32_t edge_count, edge_capacity;
    ir_value *work; /* divergent, edges not yet processed */
    uint32_t work_count;
    uint32_t loops; /* number of open loops */
    bool failed;
} analyser;

static uint8_t *exits_of(const analyser *a, ir_value op) {
    return &a->exits[ir_at(a->f, op)->regions[0]];
}

static void diverge(analyser *a, ir_value v) {
    if (a->divergent[v])
        return;
    a->divergent[v] = 1;
    a->work[a->work_count++] = v;
}

/* Results follow their operation, in order. */
static ir_value first_result(const ir_func *f, ir_value op) {
    ir_value r = ir_at(f, op)->next;
    return r && ir_op_of(f, r) == IR_RESULT ? r : 0;
}

static ir_value next_result(const ir_func *f, ir_value r) {
    r = ir_at(f, r)->next;
    return r && ir_op_of(f, r) == IR_RESULT ? r : 0;
}

static ir_value first_param(const ir_func *f, ir_value loop) {
    return f->regions[ir_at(f, loop)->regions[0]].first;
}

/* ---- Kinds of operations ---- */

enum {
    FOLLOWS,       /* its operands */
    SOURCE,        /* divergent, whatever the operands */
    UNIFORM,       /* the same in every participating lane, whatever the operands */
    FOLLOWS_THIRD, /* uniform if the lane number to read from is, whatever that lane holds */
    RESULT,
    LOOP,
    ENDS
};

static const uint8_t kind_of[IR_OP_COUNT] = {
    [IR_LOAD] = SOURCE, /* even of constant memory: lanes outside the mask get 0 */
    [IR_LOADS] = SOURCE,
    [IR_LOAD64] = SOURCE,
    [IR_ATOMIC] = SOURCE,
    [IR_INPUT] = SOURCE, /* depends on the call */
    [IR_MMA_LOAD] = SOURCE,
    [IR_WAVE_SHUFFLE_UP] = SOURCE,
    [IR_WAVE_SHUFFLE_DOWN] = SOURCE,
    [IR_WAVE_SHUFFLE_XOR] = SOURCE,
    [IR_WAVE_PREFIX_SUM] = SOURCE,
    [IR_WAVE_BROADCAST] = UNIFORM,
    [IR_WAVE_BALLOT] = UNIFORM,
    [IR_WAVE_BALLOT64] = UNIFORM,
    [IR_WAVE_ANY] = UNIFORM,
    [IR_WAVE_ALL] = UNIFORM,
    [IR_WAVE_REDUCE_ADD] = UNIFORM,
    [IR_WAVE_REDUCE_MIN] = UNIFORM,
    [IR_WAVE_REDUCE_MAX] = UNIFORM,
    [IR_WAVE_REDUCE_AND] = UNIFORM,
    [IR_WAVE_REDUCE_OR] = UNIFORM,
    [IR_WAVE_REDUCE_XOR] = UNIFORM,
    [IR_TILE_LOAD] = UNIFORM, /* a tile belongs to the wave */
    [IR_TILE_FILL] = UNIFORM,
    [IR_TILE_MMA] = UNIFORM,
    [IR_WAVE_SHUFFLE] = FOLLOWS_THIRD,
    [IR_RESULT] = RESULT,
    [IR_LOOP] = LOOP,
    [IR_YIELD] = ENDS,
    [IR_BREAK] = ENDS,
    [IR_CONTINUE] = ENDS,
    [IR_HALT] = ENDS,
};

static bool tells_lanes_apart(const ir_node *n) {
    return n->op == IR_SPECIAL && (n->imm <= ISA_SR_THREAD_ID_Z || n->imm == ISA_SR_LANE_ID);
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

/* Lanes leave the loop, or one of its iterations, at different times. Lanes that are already in the
 * next iteration do not reach a later break, so its results differ. Lanes outside the mask keep the
 * value of one continue while others take the value of the next, so a parameter stays uniform only
 * if all continues pass the same value. */
static void part_in_loop(analyser *a, ir_value loop) {
    for (ir_value r = first_result(a->f, loop); r; r = next_result(a->f, r))
        diverge(a, r);
    ir_value param = first_param(a->f, loop);
    for (unsigned k = 0; k < ir_at(a->f, loop)->arg_count; k++, param = ir_at(a->f, param)->next)
        if (!a->divergent[param] && ir_continues_differ(a->f, &a->ends, loop, k))
            diverge(a, param);
}

/* The if, with everything in it, has been visited; the enclosing loop may not have been. In that
 * case the effect on the loop follows at the loop's end. */
static void part_at_if(analyser *a, ir_value op, bool walking) {
    const ir_node *n = ir_at(a->f, op);
    ir_value r = first_result(a->f, op);
    for (unsigned k = 0; r; r = next_result(a->f, r), k++)
        if (!a->divergent[r] && ir_sides_differ(a->f, op, k))
            diverge(a, r);
    ir_value loop = *exits_of(a, op) ? ir_loop_around(a->f, n->region) : 0;
    if (!loop || a->divergent[loop])
        return;
    a->divergent[loop] = 1;
    if (!walking)
        part_in_loop(a, loop);
}

/* ---- Propagation ---- */

static void add_edge(analyser *a, ir_value from, ir_value to) {
    if (a->edge_count >= a->edge_capacity) {
        uint32_t capacity = a->edge_capacity * 2 + 256;
        edge *edges = realloc(a->edges, capacity * sizeof *edges);
        a->failed |= !edges;
        if (!edges)
            return;
        a->edges = edges;
        a->edge_capacity = capacity;
    }
    a->edges[a->edge_count] = (edge){to, a->edges_of[from]};
    a->edges_of[from] = a->edge_count++;
}

/* `to` is divergent if `from` is. Values outside of loops, and leaves, no longer change. */
static void follow(analyser *a, ir_value from, ir_value to) {
    if (a->divergent[to])
        return;
    if (a->divergent[from])
        diverge(a, to);
    else if (a->loops && !ir_has(a->f, from, IR_LEAF))
        add_edge(a, from, to);
}

/* Processes the work list after the outermost loop has been visited. */
static void spread(analyser *a) {
    while (a->work_count) {
        ir_value v = a->work[--a->work_count];
        for (uint32_t k = a->edges_of[v]; k; k = a->edges[k].next) {
            ir_value to = a->edges[k].to;
            bool seen = a->divergent[to];
            diverge(a, to);
            if (!seen && ir_op_of(a->f, to) == IR_IF)
                part_at_if(a, to, false);
        }
    }
}

/* ---- The walk ---- */

/* Passes values to an if or loop: each to the result or parameter with its number. */
static void pass_values(analyser *a, ir_value v, ir_value to, bool results) {
    const ir_value *args = ir_args(a->f, v);
    for (unsigned k = 0; k < ir_at(a->f, v)->arg_count && to; k++) {
        follow(a, args[k], to);
        to = results ? next_result(a->f, to) : ir_at(a->f, to)->next;
    }
}

/* An unreachable halt removes no lane. */
static uint8_t exit_by_halt(const analyser *a, ir_value v) {
    ir_value before = ir_at(a->f, v)->prev, end = 0;
    if (ir_op_of(a->f, before) == IR_LOOP)
        end = ir_first_end(a->f, &a->ends, before);
    while (end && ir_op_of(a->f, end) != IR_BREAK)
        end = ir_next_end(a->f, &a->ends, end);
    return ir_goes_on(a->f, before, end != 0) ? HAS_HALT : 0;
}

/* The effect of a terminator on its if or loop. */
static void visit_end(analyser *a, ir_value v, ir_region region) {
    const ir_func *f = a->f;
    ir_op op = ir_op_of(f, v);
    ir_value owner = f->regions[region].owner;
    bool in_if = owner && ir_op_of(f, owner) == IR_IF;
    if (op == IR_HALT) {
        if (owner)
            *exits_of(a, owner) |= exit_by_halt(a, v);
    } else if (op == IR_YIELD) {
        pass_values(a, v, first_result(f, owner), true);
    } else {
        ir_value loop = ir_loop_around(f, region);
        bool leaves = op == IR_BREAK;
        pass_values(a, v, leaves ? first_result(f, loop) : first_param(f, loop), leaves);
        if (in_if)
            *exits_of(a, owner) |= leaves ? HAS_BREAK : HAS_CONTINUE;
    }
}

static void follow_operands(analyser *a, ir_value v) {
    const ir_value *args = ir_args(a->f, v);
    const uint8_t *divergent = a->divergent;
    unsigned count = ir_at(a->f, v)->arg_count;
    _Static_assert(IR_INLINE_ARGS == 3, "operands in a node");
    uint8_t any = divergent[args[0]] | divergent[args[1]] | divergent[args[2]]; /* or 0, uniform */
    for (unsigned k = IR_INLINE_ARGS; k < count; k++)
        any |= divergent[args[k]];
    if (any)
        a->divergent[v] = 1; /* it has no edges yet */
    else if (a->loops)
        for (unsigned k = 0; k < count; k++)
            follow(a, args[k], v);
}

static void visit(analyser *a, ir_value v, ir_region region) {
    const ir_func *f = a->f;
    const ir_node *n = ir_at(f, v);
    uint8_t kind = kind_of[n->op];
    if (kind == FOLLOWS) { /* most do */
        follow_operands(a, v);
        return;
    }
    switch (kind) {
    case SOURCE: a->divergent[v] = 1; break;
    case UNIFORM: break;
    case FOLLOWS_THIRD: follow(a, n->args[2], v); break;
    case RESULT:
        if (ir_op_of(f, n->args[0]) == IR_LOADS)
            a->divergent[v] = 1;
        break;
    case LOOP: pass_values(a, v, first_param(f, v), false); break;
    default: visit_end(a, v, region); break;
    }
}

/* Most operations, outside of loops: they follow their operands, and nothing changes later. Settles
 * those from v on in its region and returns the last one, or 0 when there are none. */
static ir_value follow_quickly(analyser *a, ir_value v) {
    _Static_assert(IR_INLINE_ARGS == 3, "operands in a node");
    const ir_node *nodes = a->f->nodes, *n = &nodes[v];
    uint8_t *d = a->divergent;
    ir_value last = 0;
    while (kind_of[n->op] == FOLLOWS && n->arg_count <= IR_INLINE_ARGS) {
        d[v] = d[n->args[0]] | d[n->args[1]] | d[n->args[2]]; /* a missing one is 0, uniform */
        last = v;
        if (!n->next || ir_has_regions(n))
            break;
        v = n->next;
        n = &nodes[v];
    }
    return last;
}

static void leave_region(analyser *a, ir_region region) {
    const ir_func *f = a->f;
    ir_value owner = f->regions[region].owner;
    if (!owner)
        return;
    const ir_node *n = ir_at(f, owner);
    ir_value outer = f->regions[n->region].owner;
    if (outer)
        *exits_of(a, outer) |= *exits_of(a, owner) & (n->op == IR_LOOP ? HAS_HALT : UINT8_MAX);
    if (n->op == IR_LOOP) {
        if (a->divergent[owner])
            part_in_loop(a, owner);
        if (--a->loops == 0)
            spread(a);
    } else if (n->regions[1] == region && a->divergent[owner]) {
        part_at_if(a, owner, true);
    }
}

static void walk(analyser *a) {
    const ir_func *f = a->f;
    ir_walk w;
    for (uint32_t k = 0; k < f->leaf_capacity; k++)
        if (f->leaves[k] && tells_lanes_apart(ir_at(f, f->leaves[k])))
            a->divergent[f->leaves[k]] = 1;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_read(&w)) != IR_AT_END && !a->failed;) {
        if (e == IR_AT_OP) {
            ir_value last = a->loops ? 0 : follow_quickly(a, w.op);
            if (last)
                w.op = last;
            else
                visit(a, w.op, w.region);
        } else if (e == IR_LEAVE_REGION) {
            leave_region(a, w.region);
        } else {
            ir_value owner = f->regions[w.region].owner;
            a->loops += owner && ir_op_of(f, owner) == IR_LOOP;
        }
    }
}

bool ir_find_uniformity(const ir_func *f, ir_uniformity *u) {
    size_t n = f->node_count;
    analyser a = {.f = f, .edge_count = 1};
    a.divergent = calloc(n, 1);
    a.exits = calloc(f->region_count, 1);
    a.edges_of = calloc(ir_made(f, IR_LOOP) ? n : 1, sizeof *a.edges_of);
    a.work = malloc(n * sizeof *a.work);
    a.failed = !ir_find_ends(f, &a.ends) || !a.divergent || !a.exits || !a.edges_of || !a.work;
    if (!a.failed)
        walk(&a);
    u->divergent = a.failed ? NULL : a.divergent;
    if (a.failed)
        free(a.divergent);
    free(a.exits);
    ir_free_ends(&a.ends);
    free(a.edges_of);
    free(a.edges);
    free(a.work);
    return !a.failed;
}

/* ---- One value ---- */

typedef enum verdict { UNKNOWN, SAME, DIFFERS } verdict;

static verdict look(const ir_func *f, ir_value v, unsigned *steps);

static verdict look_at_all(const ir_func *f, const ir_value *values, unsigned count,
                           unsigned *steps) {
    verdict all = SAME;
    for (unsigned k = 0; k < count && all != DIFFERS; k++) {
        verdict one = look(f, values[k], steps);
        all = one == SAME ? all : one == DIFFERS ? DIFFERS : UNKNOWN;
    }
    return all;
}

/* A result of an if whose sides both yield. */
static verdict look_at_result(const ir_func *f, ir_value v, unsigned *steps) {
    ir_value op = ir_arg(f, v, 0), ends[2];
    if (ir_op_of(f, op) == IR_LOADS)
        return DIFFERS;
    if (!both_yield(f, op, ends))
        return UNKNOWN;
    unsigned k = 0;
    for (ir_value r = ir_at(f, op)->next; r != v; r = ir_at(f, r)->next)
        k++;
    const ir_value values[3] = {ir_arg(f, ends[0], k), ir_arg(f, ends[1], k), ir_arg(f, op, 0)};
    return look_at_all(f, values, values[0] == values[1] ? 1 : 3, steps);
}

static verdict look(const ir_func *f, ir_value v, unsigned *steps) {
    const ir_node *n = ir_at(f, v);
    if (*steps == 0 || n->op == IR_PARAM)
        return UNKNOWN;
    --*steps;
    switch (kind_of[n->op]) {
    case FOLLOWS:
        return tells_lanes_apart(n) ? DIFFERS : look_at_all(f, ir_args(f, v), n->arg_count, steps);
    case SOURCE: return DIFFERS;
    case UNIFORM: return SAME;
    case FOLLOWS_THIRD: return look(f, n->args[2], steps);
    case RESULT: return look_at_result(f, v, steps);
    default: return UNKNOWN;
    }
}

bool ir_is_uniform(const ir_func *f, ir_uniformity *u, ir_value v, bool *failed) {
    unsigned steps = 32;
    verdict is = u->divergent ? UNKNOWN : look(f, v, &steps);
    if (is != UNKNOWN)
        return is == SAME;
    if (!u->divergent && !ir_find_uniformity(f, u))
        *failed = true;
    return u->divergent && !u->divergent[v];
}

void ir_free_uniformity(ir_uniformity *u) {
    free(u->divergent);
    u->divergent = NULL;
}
