/* Decisions before selection: which values need no separate instruction, how selects are
 * implemented, and where constants and special registers are made.
 *
 * A value with one user may be part of that user's instruction:
 *
 *   iadd (imul a, b), c            →   imad
 *   imin (imax x, lo), hi          →   iclamp
 *   fdiv 1.0, (fsqrt x)            →   frsqrt
 *   select p, (iadd a, b), c       →   @p iadd, in the register of c
 *
 * A leaf that an instruction reads is made once, outside of all loops, before the first operation
 * that contains its users. Leaves that are only moved need no register. */
#include "emit_wbin/code.h"

#include <stdlib.h>

unsigned wb_width(ir_type type) {
    return type == IR_U64 || type == IR_F64 ? 2 : 1;
}

wb_kind wb_kind_of(ir_type type) {
    return type == IR_BOOL ? WB_PREDICATE : type == IR_TILE ? WB_TILE : WB_GENERAL;
}

bool wb_is_used(const wb_code *c, ir_value v) {
    return c->uses.first[v] != c->uses.first[v + 1];
}

ir_value wb_only_user(const wb_code *c, ir_value v) {
    uint32_t first = c->uses.first[v];
    return c->uses.first[v + 1] == first + 1 ? c->uses.users[first] : 0;
}

static bool is_leaf(const wb_code *c, ir_value v) {
    return ir_has(c->f, v, IR_LEAF) && ir_op_of(c->f, v) != IR_ARG;
}

/* Whether `v` can be computed by its only user: nothing in between affects it. */
static bool can_absorb(const wb_code *c, ir_value user, ir_value v, ir_op op) {
    const ir_node *n = ir_at(c->f, v);
    return n->op == op && wb_only_user(c, v) == user && n->region == ir_at(c->f, user)->region &&
           c->how[v] == WB_OWN;
}

/* ---- Absorbed operations ---- */

/* A product whose uses are all sums is absorbed by each of them, which extends the live ranges of
 * its factors. A sum absorbs only one product. */
static void plan_product(wb_code *c, ir_value v) {
    for (uint32_t k = c->uses.first[v]; k < c->uses.first[v + 1]; k++) {
        ir_value sum = c->uses.users[k];
        bool twice = ir_op_of(c->f, sum) == IR_IADD && ir_arg(c->f, sum, 0) == ir_arg(c->f, sum, 1);
        if (ir_op_of(c->f, sum) != IR_IADD || twice || c->choice[sum])
            return;
    }
    for (uint32_t k = c->uses.first[v]; k < c->uses.first[v + 1]; k++)
        c->choice[c->uses.users[k]] = 1;
    c->how[v] = WB_ABSORBED;
}

static bool absorb_either(wb_code *c, ir_value user, ir_op op) {
    for (unsigned k = 0; k < 2; k++)
        if (can_absorb(c, user, ir_arg(c->f, user, k), op)) {
            c->how[ir_arg(c->f, user, k)] = WB_ABSORBED;
            return true;
        }
    return false;
}

enum { ONE = 0x3F800000 };

static void plan_division(wb_code *c, ir_value v) {
    uint64_t bits;
    if (ir_is_const(c->f, ir_arg(c->f, v, 0), &bits) && bits == ONE &&
        can_absorb(c, v, ir_arg(c->f, v, 1), IR_FSQRT))
        c->how[ir_arg(c->f, v, 1)] = WB_ABSORBED;
}

/* ---- Selects ---- */

/* Whether a guarded instruction can compute the value. */
static bool can_guard(const wb_code *c, ir_value user, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    bool one = c->same[n->op] || n->op == IR_MMA_COMPUTE;
    if (!one || ir_op_flags[n->op] & IR_WAVE)
        return false;
    return can_absorb(c, user, v, (ir_op)n->op);
}

/* Whether only the select uses the value, so that its register can be reused. */
static bool ends_in(const wb_code *c, ir_value user, ir_value v) {
    return !is_leaf(c, v) && wb_only_user(c, v) == user;
}

/* Whether the leaf is in a register anyway: an instruction reads it there, or many selects do. */
static bool is_shared(const wb_code *c, ir_value leaf) {
    enum { MANY = 3, MOST_LOOKED_AT = 16 };
    unsigned selects = 0;
    uint32_t first = c->uses.first[leaf], end = c->uses.first[leaf + 1];
    for (uint32_t k = first; k < end && k < first + MOST_LOOKED_AT; k++) {
        ir_op op = ir_op_of(c->f, c->uses.users[k]);
        selects += op == IR_SELECT;
        if (op != IR_SELECT && !ir_has(c->f, c->uses.users[k], IR_ENDS | IR_REGIONS) &&
            op != IR_PACK64 && op != IR_STORE)
            return true;
    }
    return selects >= MANY;
}

/* Whether the constants of a select are better kept in registers than made under guards. */
static bool is_plain(const wb_code *c, ir_value yes, ir_value no) {
    bool first = is_leaf(c, yes) && is_shared(c, yes), second = is_leaf(c, no) && is_shared(c, no);
    return first && second;
}

static void plan_select(wb_code *c, ir_value v) {
    ir_value yes = ir_arg(c->f, v, 1), no = ir_arg(c->f, v, 2);
    bool in_loop = c->loops[ir_at(c->f, v)->region] > 0;
    if (yes != no && can_guard(c, v, yes)) {
        c->choice[v] = WB_SELECT_FIRST;
        c->how[yes] = WB_ABSORBED;
    } else if (yes != no && can_guard(c, v, no)) {
        c->choice[v] = WB_SELECT_SECOND;
        c->how[no] = WB_ABSORBED;
    } else if (wb_kind_of(ir_type_of(c->f, v)) != WB_GENERAL || is_plain(c, yes, no)) {
        return;
    } else if (is_leaf(c, yes) && (ends_in(c, v, no) || !in_loop)) {
        c->choice[v] = WB_SELECT_FIRST;
    } else if (is_leaf(c, no) && (ends_in(c, v, yes) || !in_loop)) {
        c->choice[v] = WB_SELECT_SECOND;
    }
}

/* Whether the user can read its predicate `v` negated. */
static bool takes_negated(const wb_code *c, ir_value user, ir_value v) {
    switch (ir_op_of(c->f, user)) {
    case IR_IF:
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR: return true;
    case IR_SELECT: return ir_arg(c->f, user, 1) != v && ir_arg(c->f, user, 2) != v;
    default: return false;
    }
}

static void plan_not(wb_code *c, ir_value v) {
    for (uint32_t k = c->uses.first[v]; k < c->uses.first[v + 1]; k++)
        if (!takes_negated(c, c->uses.users[k], v))
            return;
    c->how[v] = WB_INVERTED;
}

/* ---- Values computed in the registers of a pair or quad ---- */

/* The loop or if where a parameter or result is defined, 0 for other values. Those of one loop or
 * if can be neighbours. */
static ir_value joined_at(const wb_code *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    if (n->op == IR_PARAM)
        return c->f->regions[n->region].owner;
    return n->op == IR_RESULT && ir_op_of(c->f, ir_arg(c->f, v, 0)) != IR_LOADS ? ir_arg(c->f, v, 0)
                                                                                : 0;
}

/* Whether the value can be computed in a pair or quad: an instruction computes it, or it is defined
 * together with all the others; and no other pair or quad has it. */
static bool can_host(const wb_code *c, ir_value v, ir_value joined) {
    const ir_node *n = ir_at(c->f, v);
    bool load = n->op == IR_LOAD || n->op == IR_ATOMIC || n->op == IR_SELECT;
    bool made = (load || c->same[n->op]) && !(ir_op_flags[n->op] & IR_LEAF);
    return (made || (joined && joined_at(c, v) == joined)) && wb_width((ir_type)n->type) == 1 &&
           n->type != IR_BOOL && c->how[v] == WB_OWN && !c->host[v];
}

static ir_value all_joined_at(const wb_code *c, const ir_value *values, unsigned count) {
    ir_value joined = joined_at(c, values[0]);
    for (unsigned k = 1; k < count; k++)
        if (joined_at(c, values[k]) != joined)
            return 0;
    return joined;
}

static void plan_host(wb_code *c, ir_value host, const ir_value *values, unsigned count) {
    ir_value joined = all_joined_at(c, values, count);
    for (unsigned k = 0; k < count; k++)
        if (can_host(c, values[k], joined)) {
            c->host[values[k]] = host;
            c->host_word[values[k]] = (uint8_t)k;
        }
}

static bool is_half(const wb_code *c, ir_value v, ir_op op) {
    return ir_op_of(c->f, v) == op;
}

static void plan_pair(wb_code *c, ir_value v) {
    const ir_value *args = ir_args(c->f, v);
    if (!is_half(c, args[0], IR_LO64) && !is_half(c, args[1], IR_HI64))
        plan_host(c, v, args, 2);
}

static void plan_op(wb_code *c, ir_value v) {
    switch (ir_op_of(c->f, v)) {
    case IR_IMUL: plan_product(c, v); break;
    case IR_IMIN: absorb_either(c, v, IR_IMAX); break;
    case IR_FMIN: absorb_either(c, v, IR_FMAX); break;
    case IR_FDIV: plan_division(c, v); break;
    case IR_SELECT:
        if (!wb_plan_bf16(c, v))
            plan_select(c, v);
        break;
    case IR_OR:
    case IR_BITCAST: wb_plan_bf16(c, v); break;
    case IR_BNOT: plan_not(c, v); break;
    case IR_PACK64: plan_pair(c, v); break;
    case IR_STORE:
        if (ir_at(c->f, v)->arg_count > 2)
            plan_host(c, v, ir_args(c->f, v) + 1, ir_at(c->f, v)->arg_count - 1u);
        break;
    default: break;
    }
}

/* ---- Leaves ---- */

unsigned wb_address_among_values(const wb_code *c, ir_value store) {
    const ir_node *n = ir_at(c->f, store);
    for (unsigned k = 1; n->arg_count > 2 && k < n->arg_count; k++)
        if (ir_arg(c->f, store, k) == ir_arg(c->f, store, 0) && is_leaf(c, ir_arg(c->f, store, 0)))
            return k;
    return 0;
}

/* Whether the operation's instruction reads the operand from a register. */
static bool reads_register(const wb_code *c, ir_value user, unsigned k) {
    const ir_node *n = ir_at(c->f, user);
    uint64_t bits;
    if (c->pattern[user] || c->how[user] == WB_SWALLOWED)
        return false;
    switch (n->op) {
    case IR_LOOP:
    case IR_YIELD:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_PACK64: return false;
    case IR_STORE: return n->arg_count == 2 || (k == 0 && !wb_address_among_values(c, user));
    case IR_FDIV: return k || !ir_is_const(c->f, ir_arg(c->f, user, 0), &bits) || bits != ONE;
    case IR_SELECT: return k > 0 && c->choice[user] == WB_SELECT_PLAIN;
    default: return true;
    }
}

typedef struct leaf_place {
    ir_value first;   /* the first user */
    ir_region region; /* contains all of them */
} leaf_place;

static ir_region up(const wb_code *c, ir_region r) {
    return ir_parent(c->f, r);
}

/* The innermost region that contains both; `depth` is by region. */
static ir_region around(const wb_code *c, const uint32_t *depth, ir_region a, ir_region b) {
    while (a != b) {
        if (depth[a] >= depth[b])
            a = up(c, a);
        else
            b = up(c, b);
    }
    return a;
}

/* The operation of `region` that contains `v`, or v itself. */
static ir_value holder(const wb_code *c, ir_value v, ir_region region) {
    while (ir_at(c->f, v)->region != region)
        v = c->f->regions[ir_at(c->f, v)->region].owner;
    return v;
}

static void note_leaves(const wb_code *c, const uint32_t *depth, leaf_place *places, ir_value op) {
    const ir_value *args = ir_args(c->f, op);
    for (unsigned k = 0; k < ir_at(c->f, op)->arg_count; k++) {
        ir_value leaf = args[k];
        if (!is_leaf(c, leaf) || ir_type_of(c->f, leaf) == IR_BOOL ||
            ir_type_of(c->f, leaf) == IR_TILE || !reads_register(c, op, k))
            continue;
        leaf_place *p = &places[leaf];
        ir_region here = ir_at(c->f, op)->region;
        if (!p->first)
            *p = (leaf_place){op, here};
        else
            p->region = around(c, depth, p->region, here);
    }
}

/* The innermost enclosing region outside of all loops. */
static ir_region outside(const wb_code *c, ir_region r) {
    while (c->loops[r])
        r = up(c, r);
    return r;
}

static bool place_leaves(wb_code *c, const uint32_t *depth) {
    leaf_place *places = calloc(c->f->node_count, sizeof *places);
    if (!places)
        return false;
    ir_walk w;
    ir_walk_init(&w, c->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP)
            note_leaves(c, depth, places, w.op);
    for (ir_value leaf = c->f->node_count; leaf-- > 1;) {
        if (!places[leaf].first)
            continue;
        ir_value at = holder(c, places[leaf].first, outside(c, places[leaf].region));
        c->leaf_next[leaf] = c->leaves[at];
        c->leaves[at] = leaf;
    }
    free(places);
    return true;
}

/* ---- Entry points ---- */

static void measure_regions(wb_code *c, uint32_t *depth) {
    ir_walk w;
    ir_walk_init(&w, c->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_ENTER_REGION)
            continue;
        ir_value owner = c->f->regions[w.region].owner;
        ir_region parent = up(c, w.region);
        depth[w.region] = parent ? depth[parent] + 1 : 0;
        c->loops[w.region] =
            (parent ? c->loops[parent] : 0) + (owner && ir_op_of(c->f, owner) == IR_LOOP);
    }
}

static bool plan_all(wb_code *c, uint32_t *depth) {
    ir_walk w;
    measure_regions(c, depth);
    ir_walk_init(&w, c->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP)
            plan_op(c, w.op);
    return c->at_use || place_leaves(c, depth);
}

bool wb_plan(wb_code *c) {
    size_t values = c->f->node_count, regions = c->f->region_count;
    if (!ir_find_uses(c->f, &c->uses) || !ir_find_ends(c->f, &c->ends))
        return false;
    c->how = calloc(values, sizeof *c->how);
    c->choice = calloc(values, sizeof *c->choice);
    c->of = calloc(values, sizeof *c->of);
    c->leaves = calloc(values, sizeof *c->leaves);
    c->leaf_next = calloc(values, sizeof *c->leaf_next);
    c->pattern = calloc(values, sizeof *c->pattern);
    c->host = calloc(values, sizeof *c->host);
    c->host_word = calloc(values, sizeof *c->host_word);
    c->loops = calloc(regions, sizeof *c->loops);
    uint32_t *depth = calloc(regions, sizeof *depth);
    bool ok = c->how && c->choice && c->of && c->leaves && c->leaf_next && c->host && c->pattern &&
              c->host_word && c->loops && depth && plan_all(c, depth);
    free(depth);
    return ok;
}

void wb_plan_free(wb_code *c) {
    ir_free_uses(&c->uses);
    free(c->how);
    free(c->choice);
    free(c->of);
    free(c->leaves);
    free(c->leaf_next);
    free(c->pattern);
    free(c->host);
    free(c->host_word);
    free(c->loops);
    c->how = c->choice = c->host_word = c->pattern = NULL;
    c->of = NULL;
    c->leaves = c->leaf_next = c->host = NULL;
    c->loops = NULL;
}
