/* If-conversion, and merging of neighbouring and nested ifs.
 *
 *   if %c { yield %a } else { yield %b }          %r = select %c, %a, %b
 *   %r = result(0)                          →
 *
 *   if %c { A } else { B }                  →     if %c { A C } else { B D }
 *   if %c { C } else { D }
 *
 *   if %a { if %b { A } }                   →     %c = band %a, %b
 *                                                 if %c { A }
 *
 * An if becomes selects when its sides contain only a few cheap operations without effect, which
 * all lanes may execute. Two ifs are merged when the operations between them have no effect and do
 * not use the first one's results. Ifs are visited from the inside out; each operation moves at
 * most once per rule. The growth of a merged if is bounded, and so are the users of results that
 * are looked at. */
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>

enum {
    MOST_COST = 8,     /* of both sides together, to become selects */
    MOST_SELECTS = 4,  /* made from one if */
    MOST_BETWEEN = 16, /* operations moved before two merged ifs */
    MOST_RESULTS = 16, /* of an if that absorbs others */
    MOST_HOISTED = 8,  /* cost of the operations moved before two nested ifs */
    MOST_LOOKS = 64,   /* at users of results, for every operation of the function */
    TOO_MUCH = 1000
};

/* A user of a result. */
typedef struct use {
    ir_value user;
    uint32_t next; /* of the same result */
} use;

typedef struct selector {
    ir_func *f;
    ir_map moved;        /* yields whose values were moved to another yield */
    uint32_t *first_use; /* by result; NULL until the first merge needs it */
    struct use *uses;    /* index 0 is not used */
    uint32_t use_count, use_capacity;
    uint32_t looks; /* that are left */
    bool changed;
} selector;

/* ---- Cost of speculative execution ---- */

static unsigned cost(const ir_func *f, ir_value v) {
    if (!ir_has(f, v, IR_PURE) || ir_has(f, v, IR_UNIQUE | IR_WAVE | IR_COSTLY) ||
        ir_type_of(f, v) == IR_TILE)
        return TOO_MUCH;
    if (ir_has(f, v, IR_SLOW))
        return 4;
    switch (ir_op_of(f, v)) {
    case IR_LMUL:
    case IR_LMUL_HI: return 4;
    case IR_BITCAST:
    case IR_LO64:
    case IR_HI64:
    case IR_PACK64: return 0;
    default: return 1;
    }
}

/* The cost of the operations from `v` to the region's terminator, or more than `most`. Free
 * operations eventually count too, so that the scan is bounded by the limit. */
static unsigned cost_of(const ir_func *f, ir_value v, ir_value end, unsigned most) {
    unsigned sum = 0, count = 0;
    for (; v != end && sum <= most && count <= 4 * MOST_COST; v = ir_at(f, v)->next, count++)
        sum += cost(f, v);
    return v == end ? sum : TOO_MUCH;
}

static ir_value end_of(const ir_func *f, ir_value op, unsigned side) {
    return f->regions[ir_at(f, op)->regions[side]].last;
}

static ir_value start_of(const ir_func *f, ir_value op, unsigned side) {
    return f->regions[ir_at(f, op)->regions[side]].first;
}

static bool yields(const ir_func *f, ir_value op, unsigned side) {
    return ir_op_of(f, end_of(f, op, side)) == IR_YIELD;
}

/* ---- if to select ---- */

static bool to_selects(selector *s, ir_value op) {
    ir_func *f = s->f;
    if (!yields(f, op, 0) || !yields(f, op, 1) ||
        ir_at(f, end_of(f, op, 0))->arg_count > MOST_SELECTS)
        return false;
    unsigned first = cost_of(f, start_of(f, op, 0), end_of(f, op, 0), MOST_COST);
    if (first > MOST_COST ||
        first + cost_of(f, start_of(f, op, 1), end_of(f, op, 1), MOST_COST) > MOST_COST)
        return false;
    ir_value condition = ir_arg(f, op, 0);
    for (unsigned side = 0; side < 2; side++)
        ir_move_before(f, op, start_of(f, op, side), end_of(f, op, side));
    ir_value r = ir_first_result(f, op);
    for (ir_value next; r; r = next) {
        next = ir_next_result(f, r);
        unsigned k = (unsigned)ir_at(f, r)->imm;
        ir_value args[3] = {condition, ir_arg(f, end_of(f, op, 0), k),
                            ir_arg(f, end_of(f, op, 1), k)};
        ir_at(f, r)->op = IR_SELECT;
        ir_at(f, r)->imm = 0;
        ir_set_args(f, r, args, 3);
    }
    ir_remove(f, op);
    s->changed = true;
    return true;
}

/* ---- Nested ifs ---- */

static bool is_bare(const ir_func *f, ir_value op, unsigned side) {
    return start_of(f, op, side) == end_of(f, op, side) && yields(f, op, side);
}

/* The inner if is the last operation of the outer one's first side. Whatever the outer if yields
 * there must, when the inner condition is false, equal what its else side yields. */
static bool same_otherwise(const ir_func *f, ir_value outer, ir_value inner) {
    ir_value end = end_of(f, outer, 0), other = end_of(f, outer, 1), none = end_of(f, inner, 1);
    for (unsigned k = 0; k < ir_at(f, end)->arg_count; k++) {
        ir_value v = ir_arg(f, end, k);
        if (ir_op_of(f, v) == IR_RESULT && ir_arg(f, v, 0) == inner)
            v = ir_arg(f, none, (unsigned)ir_at(f, v)->imm);
        if (v != ir_arg(f, other, k))
            return false;
    }
    return true;
}

static bool join_nested(selector *s, ir_value outer) {
    ir_func *f = s->f;
    if (!is_bare(f, outer, 1) || !yields(f, outer, 0))
        return false;
    ir_value end = end_of(f, outer, 0), inner = ir_at(f, end)->prev;
    while (inner && ir_op_of(f, inner) == IR_RESULT)
        inner = ir_arg(f, inner, 0);
    if (!inner || ir_op_of(f, inner) != IR_IF || !is_bare(f, inner, 1) ||
        ir_at(f, end)->arg_count > MOST_RESULTS || !same_otherwise(f, outer, inner) ||
        cost_of(f, start_of(f, outer, 0), inner, MOST_HOISTED) > MOST_HOISTED)
        return false;
    ir_move_before(f, outer, start_of(f, outer, 0), inner);
    ir_value both[2] = {ir_arg(f, outer, 0), ir_arg(f, inner, 0)};
    ir_value condition = ir_make_before(f, outer, IR_BAND, IR_BOOL, both, 2, 0);
    ir_set_args(f, outer, &condition, 1);
    ir_value values[MOST_RESULTS], last = end_of(f, inner, 0);
    unsigned count = ir_at(f, end)->arg_count;
    for (unsigned k = 0; k < count; k++) {
        ir_value v = ir_arg(f, end, k);
        bool result = ir_op_of(f, v) == IR_RESULT && ir_arg(f, v, 0) == inner;
        values[k] = result && ir_op_of(f, last) == IR_YIELD
                        ? ir_arg(f, last, (unsigned)ir_at(f, v)->imm)
                        : v;
    }
    for (ir_value r = ir_first_result(f, inner), next; r; r = next) {
        next = ir_next_result(f, r);
        ir_remove(f, r);
    }
    ir_move_before(f, end, start_of(f, inner, 0), last);
    if (ir_op_of(f, last) == IR_YIELD) {
        ir_set_args(f, end, values, count);
    } else {
        ir_remove(f, last);
        ir_insert_before(f, end, last);
        ir_remove(f, end);
    }
    ir_remove(f, inner);
    return s->changed = true;
}

/* ---- Neighbours with the same condition ---- */

/* The side of the if that contains a region, or 2. */
static unsigned side_of(const ir_func *f, ir_value op, ir_region r) {
    while (r && r != ir_at(f, op)->regions[0] && r != ir_at(f, op)->regions[1])
        r = ir_parent(f, r);
    return !r ? 2 : r == ir_at(f, op)->regions[1];
}

static void add_user(selector *s, ir_value v, ir_value user) {
    if (s->use_count + 1 >= s->use_capacity) {
        uint32_t capacity = s->use_capacity ? s->use_capacity * 2 : 64;
        use *bigger = realloc(s->uses, capacity * sizeof *bigger);
        if (!bigger) {
            s->f->failed = true;
            return;
        }
        s->uses = bigger;
        s->use_capacity = capacity;
    }
    s->uses[++s->use_count] = (use){user, s->first_use[v]};
    s->first_use[v] = s->use_count;
}

/* Lists the users of all results. */
static void find_uses(selector *s) {
    const ir_func *f = s->f;
    s->first_use = calloc(f->node_count, sizeof *s->first_use);
    if (!s->first_use) {
        s->f->failed = true;
        return;
    }
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v)) {
        const ir_value *args = ir_args(f, v);
        for (unsigned k = 0; k < ir_at(f, v)->arg_count; k++)
            if (ir_op_of(f, args[k]) == IR_RESULT)
                add_user(s, args[k], v);
    }
}

/* A result of the first if, used in a side of the second, becomes the value that the same side of
 * the first yields. */
static void see_in(selector *s, ir_value first, ir_value second, ir_value r, ir_value user) {
    ir_func *f = s->f;
    user = ir_map_find(&s->moved, user);
    unsigned side = ir_at(f, user)->region ? side_of(f, second, ir_at(f, user)->region) : 2;
    if (side == 2)
        return;
    ir_value by = ir_arg(f, end_of(f, first, side), (unsigned)ir_at(f, r)->imm);
    ir_value *args = ir_args(f, user);
    for (unsigned k = 0; k < ir_at(f, user)->arg_count; k++)
        if (args[k] == r)
            args[k] = by;
    if (ir_op_of(f, by) == IR_RESULT)
        add_user(s, by, user);
}

static void see_through(selector *s, ir_value first, ir_value second) {
    for (ir_value r = ir_first_result(s->f, first); r; r = ir_next_result(s->f, r)) {
        for (uint32_t k = s->first_use[r]; k; k = s->uses[k].next, s->looks -= s->looks != 0)
            see_in(s, first, second, r, s->uses[k].user);
    }
}

static bool uses_result_of(const ir_func *f, ir_value v, ir_value op) {
    for (unsigned k = 0; k < ir_at(f, v)->arg_count; k++) {
        ir_value a = ir_arg(f, v, k);
        if (ir_op_of(f, a) == IR_RESULT && ir_arg(f, a, 0) == op)
            return true;
    }
    return false;
}

/* The preceding if, when only operations that can move before it are in between. */
static ir_value neighbour(const ir_func *f, ir_value op) {
    ir_value v = ir_at(f, op)->prev, before = 0;
    for (unsigned k = 0; v && k < MOST_BETWEEN; v = ir_at(f, v)->prev, k++) {
        if (!ir_has(f, v, IR_PURE) || ir_has(f, v, IR_UNIQUE | IR_WAVE))
            break;
    }
    if (v)
        before = ir_op_of(f, v) == IR_RESULT ? ir_arg(f, v, 0) : v;
    if (!before || ir_op_of(f, before) != IR_IF || ir_arg(f, before, 0) != ir_arg(f, op, 0))
        return 0;
    for (v = ir_at(f, v)->next; v != op; v = ir_at(f, v)->next)
        if (uses_result_of(f, v, before))
            return 0;
    return before;
}

static unsigned result_count(const ir_func *f, ir_value op) {
    unsigned count = 0;
    for (ir_value r = ir_first_result(f, op); r; r = ir_next_result(f, r))
        count++;
    return count;
}

/* Appends the second if's side to the first one's. */
static void join_side(selector *s, ir_value first, ir_value second, unsigned side) {
    ir_func *f = s->f;
    ir_value end = end_of(f, first, side), last = end_of(f, second, side);
    ir_value values[MOST_RESULTS];
    unsigned count = 0;
    bool goes_on = ir_op_of(f, last) == IR_YIELD;
    ir_move_before(f, end, start_of(f, second, side), last);
    for (unsigned k = 0; goes_on && k < ir_at(f, end)->arg_count; k++)
        values[count++] = ir_arg(f, end, k);
    for (unsigned k = 0; goes_on && k < ir_at(f, last)->arg_count; k++)
        values[count++] = ir_arg(f, last, k);
    ir_remove(f, last);
    if (goes_on) {
        ir_set_args(f, end, values, count);
        s->moved.to[last] = end;
    } else {
        ir_insert_before(f, end, last);
        ir_remove(f, end);
    }
}

/* Merges an if into the preceding one. */
static void merge(selector *s, ir_value second) {
    ir_func *f = s->f;
    ir_value op = neighbour(f, second);
    if (!op || !yields(f, op, 0) || !yields(f, op, 1) || !s->looks)
        return;
    unsigned had = result_count(f, op);
    if (had + result_count(f, second) > MOST_RESULTS)
        return;
    if (!s->first_use)
        find_uses(s);
    if (f->failed)
        return;
    ir_value end = op; /* the last result */
    for (ir_value r = ir_first_result(f, op); r; r = ir_next_result(f, r))
        end = r;
    see_through(s, op, second);
    ir_move_before(f, op, ir_at(f, end)->next, second);
    for (unsigned side = 0; side < 2; side++)
        join_side(s, op, second, side);
    for (ir_value r = ir_first_result(f, second), next; r; r = next) {
        next = ir_next_result(f, r);
        ir_remove(f, r);
        ir_insert_after(f, end, r);
        ir_at(f, r)->imm = had++;
        ir_args(f, r)[0] = op;
        end = r;
    }
    ir_remove(f, second);
    s->changed = true;
}

/* ---- The order: from the inside out, and first to last within a region ---- */

static uint32_t collect(const ir_func *f, ir_value *list) {
    uint32_t count = 0;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_read(&w)) != IR_AT_END;) {
        ir_value owner = f->regions[w.region].owner;
        if (e == IR_AT_OP)
            w.op = ir_skip_plain(f, w.op);
        else if (e == IR_LEAVE_REGION && owner && ir_op_of(f, owner) == IR_IF &&
                 ir_at(f, owner)->regions[1] == w.region)
            list[count++] = owner;
    }
    return count;
}

static uint32_t count_ifs(const ir_func *f) {
    uint32_t count = 0;
    for (ir_value v = 1; v < f->node_count; v++)
        count += ir_op_of(f, v) == IR_IF && ir_at(f, v)->region;
    return count;
}

static void run(selector *s, ir_value *list) {
    ir_func *f = s->f;
    uint32_t count = collect(f, list);
    for (uint32_t k = 0; k < count && !f->failed; k++)
        merge(s, list[k]);
    if (s->changed)
        count = collect(f, list);
    for (uint32_t k = 0; k < count && !f->failed; k++)
        if (!to_selects(s, list[k]))
            join_nested(s, list[k]);
}

bool ir_opt_select(ir_func *f) {
    selector s = {.f = f, .looks = MOST_LOOKS * f->node_count};
    uint32_t count = count_ifs(f);
    if (count == 0)
        return false;
    ir_value *list = malloc(count * sizeof *list);
    if (list && ir_map_init(&s.moved, f))
        run(&s, list);
    else
        f->failed = true;
    free(list);
    free(s.first_use);
    free(s.uses);
    ir_map_free(&s.moved);
    return s.changed;
}
