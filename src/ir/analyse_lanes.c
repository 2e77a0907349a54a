/* Which values differ between any two lanes of a wave, and where at most one of its lanes is
 * active: inside an if that compares such a value with a uniform one.
 *
 *   if (icmp_eq sr_lane_id, 0) { one lane }
 *   if (icmp_ne (iadd sr_lane_id, 3), arg1) {} else { one lane }
 *
 * Lane numbers differ, and so do thread numbers along x if a wave is part of one row.
 * Multiplication by a constant, and adding or subtracting a uniform value, keep values distinct.
 * Linear time. */
#include "ir/analyse.h"

#include <stdlib.h>

/* ---- Values that differ between lanes ---- */

static bool is_uniform(const ir_uniformity *u, ir_value v) {
    return !u->divergent[v];
}

/* For leaves. Also sets the largest value. */
static bool leaf_apart(const ir_func *f, ir_value v, bool guess, uint32_t *most) {
    const ir_node *n = ir_at(f, v);
    const uint32_t *group = f->workgroup;
    uint32_t width = f->wave_width ? f->wave_width : (uint32_t)ISA_MAX_WIDTH;
    *most = UINT32_MAX;
    if (n->op != IR_SPECIAL)
        return false;
    if (n->imm == ISA_SR_LANE_ID) {
        *most = width - 1;
        return true;
    }
    if (n->imm != ISA_SR_THREAD_ID_X)
        return false;
    *most = (group[0] ? group[0] : (uint32_t)ISA_MAX_THREADS) - 1;
    if (!group[0])
        return guess;
    return (group[1] == 1 && group[2] == 1) || group[0] >= width;
}

/* x * c keeps values up to `most` distinct: no product wraps, or the factor is invertible modulo
 * 2^32. */
static bool scales_apart(uint64_t c, uint32_t most) {
    return c != 0 && (c & 1 || most * c <= UINT32_MAX);
}

static uint32_t scaled_most(uint64_t c, uint32_t most) {
    return most * c <= UINT32_MAX ? (uint32_t)(most * c) : UINT32_MAX;
}

/* For a u32 operation of one or two operands, at least one of which is apart. */
static void find_apart(const ir_func *f, const ir_uniformity *u, ir_lanes *l, ir_value v) {
    const ir_node *n = ir_at(f, v);
    ir_value a = n->args[0], b = n->args[n->arg_count - 1u];
    bool second = !l->apart[a]; /* the second operand is the one that differs */
    ir_value x = second ? b : a, other = second ? a : b;
    uint64_t c = 0;
    if (!l->apart[x] || (n->arg_count == 2 && !is_uniform(u, other)))
        return;
    bool constant = ir_is_const(f, other, &c);
    l->most[v] = UINT32_MAX;
    switch (n->op) {
    case IR_IADD:
        if (constant && l->most[x] <= UINT32_MAX - c)
            l->most[v] = (uint32_t)(l->most[x] + c);
        l->apart[v] = 1;
        break;
    case IR_ISUB:
    case IR_XOR:
    case IR_NOT:
    case IR_INEG: l->apart[v] = 1; break;
    case IR_IMUL:
        l->apart[v] = constant && scales_apart(c, l->most[x]);
        l->most[v] = scaled_most(c, l->most[x]);
        break;
    case IR_SHL:
        c = (uint64_t)1 << (c & 31);
        l->apart[v] = constant && !second && scales_apart(c, l->most[x]);
        l->most[v] = scaled_most(c, l->most[x]);
        break;
    default: break;
    }
}

/* ---- Where one lane is active ---- */

enum { MOST_PARTS = 8 }; /* operands of a condition that are examined */

static ir_value one_lane_compare(const ir_func *f, const ir_uniformity *u, const ir_lanes *l,
                                 ir_value v) {
    ir_value a = ir_arg(f, v, 0), b = ir_arg(f, v, 1);
    return (l->apart[a] && is_uniform(u, b)) || (l->apart[b] && is_uniform(u, a)) ? v : 0;
}

/* The compare that lets through at most one of the lanes where `v` is `truth`, or 0. One such
 * operand of a conjunction is enough. */
static ir_value one_lane(const ir_func *f, const ir_uniformity *u, const ir_lanes *l, ir_value v,
                         bool truth) {
    struct {
        ir_value v;
        bool truth;
    } parts[MOST_PARTS] = {{v, truth}};
    for (unsigned k = 0, count = 1; k < count; k++) {
        ir_op op = ir_op_of(f, parts[k].v);
        bool is = parts[k].truth;
        if (op == (is ? IR_ICMP_EQ : IR_ICMP_NE)) {
            ir_value found = one_lane_compare(f, u, l, parts[k].v);
            if (found)
                return found;
        } else if (op == IR_BNOT && count < MOST_PARTS) {
            parts[count].v = ir_arg(f, parts[k].v, 0);
            parts[count++].truth = !is;
        } else if (op == (is ? IR_BAND : IR_BOR) && count + 1 < MOST_PARTS) {
            for (unsigned side = 0; side < 2; side++) {
                parts[count].v = ir_arg(f, parts[k].v, side);
                parts[count++].truth = is;
            }
        }
    }
    return 0;
}

/* A cheap answer before the analysis: whether the value may differ between any two lanes, because
 * it is computed from a lane or thread number by operations that find_apart knows. */
static bool may_be_apart(const ir_func *f, ir_value v) {
    ir_value open[MOST_PARTS] = {v};
    for (unsigned count = 1; count;) {
        const ir_node *n = ir_at(f, open[--count]);
        if (n->op == IR_SPECIAL && (n->imm == ISA_SR_LANE_ID || n->imm == ISA_SR_THREAD_ID_X))
            return true;
        if (n->op != IR_IADD && n->op != IR_ISUB && n->op != IR_XOR && n->op != IR_NOT &&
            n->op != IR_INEG && n->op != IR_IMUL && n->op != IR_SHL)
            continue;
        if (count + 2 > MOST_PARTS)
            return true;
        for (unsigned k = 0; k < n->arg_count; k++)
            open[count++] = n->args[k];
    }
    return false;
}

static bool may_be_one_lane(const ir_func *f, ir_value condition) {
    ir_value open[MOST_PARTS] = {condition};
    for (unsigned count = 1; count;) {
        const ir_node *n = ir_at(f, open[--count]);
        if (n->op == IR_ICMP_EQ || n->op == IR_ICMP_NE) {
            if (may_be_apart(f, n->args[0]) || may_be_apart(f, n->args[1]))
                return true;
        } else if (n->op == IR_BNOT || n->op == IR_BAND || n->op == IR_BOR) {
            if (count + 2 > MOST_PARTS)
                return true;
            for (unsigned k = 0; k < n->arg_count; k++)
                open[count++] = n->args[k];
        }
    }
    return false;
}

bool ir_may_have_one_lane(const ir_func *f, ir_region r) {
    for (; r > 1; r = ir_parent(f, r)) {
        ir_value owner = f->regions[r].owner;
        if (ir_op_of(f, owner) == IR_IF && may_be_one_lane(f, ir_arg(f, owner, 0)))
            return true;
    }
    return false;
}

/* What holds around an if or loop also holds inside it. */
static void enter(const ir_func *f, const ir_uniformity *u, ir_lanes *l, ir_region r) {
    ir_value owner = f->regions[r].owner;
    const ir_node *n = ir_at(f, owner);
    l->one[r] = l->one[n->region];
    if (!l->one[r] && n->op == IR_IF)
        l->one[r] = one_lane(f, u, l, ir_arg(f, owner, 0), n->regions[0] == r);
}

/* ---- Both ---- */

bool ir_same_lane(const ir_func *f, ir_value a, ir_value b) {
    if (a == b)
        return true;
    ir_value a0 = ir_arg(f, a, 0), a1 = ir_arg(f, a, 1), b0 = ir_arg(f, b, 0), b1 = ir_arg(f, b, 1);
    return (a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0);
}

/* Returns whether any is apart. Without one, nothing is, and no condition leaves one lane. */
static bool find_leaves(const ir_func *f, bool guess, ir_lanes *l) {
    bool any = false;
    for (uint32_t k = 0; k < f->leaf_capacity; k++) {
        ir_value leaf = f->leaves[k];
        l->apart[leaf] = leaf && leaf_apart(f, leaf, guess, &l->most[leaf]);
        any |= l->apart[leaf];
    }
    return any;
}

static void find_ops(const ir_func *f, const ir_uniformity *u, ir_lanes *l) {
    const uint8_t *apart = l->apart;
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v)) {
        const ir_node *n = ir_at(f, v);
        if (n->type == IR_U32) { /* no if or loop; a missing operand is 0 */
            if (n->arg_count <= 2 && apart[n->args[0]] | apart[n->args[1]])
                find_apart(f, u, l, v);
            continue;
        }
        if (!ir_has_regions(n))
            continue;
        enter(f, u, l, n->regions[0]);
        if (n->op == IR_IF)
            enter(f, u, l, n->regions[1]);
    }
}

bool ir_find_lanes(const ir_func *f, const ir_uniformity *u, bool guess, ir_lanes *l) {
    l->apart = calloc(f->node_count, 1);
    l->most = malloc(f->node_count * sizeof *l->most); /* of those that are apart */
    l->one = calloc(f->region_count, sizeof *l->one);
    if (!l->apart || !l->most || !l->one) {
        ir_free_lanes(l);
        return false;
    }
    if (find_leaves(f, guess, l))
        find_ops(f, u, l);
    return true;
}

bool ir_find_wave(const ir_func *f, bool guess, ir_wave *wave) {
    return (wave->uniform.divergent || ir_find_uniformity(f, &wave->uniform)) &&
           (wave->lanes.one || ir_find_lanes(f, &wave->uniform, guess, &wave->lanes));
}

void ir_free_wave(ir_wave *wave) {
    ir_free_lanes(&wave->lanes);
    ir_free_uniformity(&wave->uniform);
}

void ir_free_lanes(ir_lanes *l) {
    free(l->apart);
    free(l->most);
    free(l->one);
    *l = (ir_lanes){0};
}
