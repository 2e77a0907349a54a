/* Uses what is known about the bits of values.
 *
 *   %1 = and sr_thread_id_x, 0xFFFF          sr_thread_id_x
 *   %2 = idiv sr_thread_id_x, 16      →      %2 = shr sr_thread_id_x, 4
 *   %3 = icmp_lt sr_lane_id, 64              true
 *   sr_workgroup_size_x                      256, when the kernel fixes it
 *
 * One analysis, then one walk. */
#include "ir/analyse.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>

typedef struct user {
    ir_func *f;
    ir_bits bits;
    ir_map map;
    bool changed;
} user;

static ir_value u32(user *u, uint32_t bits) {
    return ir_const(u->f, IR_U32, bits);
}

static uint32_t max_of(const user *u, ir_value v) {
    uint64_t bits;
    if (ir_is_const(u->f, v, &bits)) /* it may be younger than the analysis */
        return (uint32_t)bits;
    return v < u->bits.count ? u->bits.max[v] : UINT32_MAX;
}

static ir_value become(user *u, ir_value v, ir_op op, ir_value a, ir_value b) {
    ir_at(u->f, v)->op = (uint8_t)op;
    ir_set_args(u->f, v, (ir_value[]){a, b}, 2);
    u->changed = true;
    return v;
}

/* Division of numbers that are not negative. */
static ir_value divide(user *u, ir_value v, ir_value a, uint32_t c, bool rest) {
    uint32_t shift = 0;
    if (c == 0 || c > INT32_MAX || max_of(u, a) > INT32_MAX)
        return v;
    if (max_of(u, a) < c)
        return rest ? a : u32(u, 0);
    if (c & (c - 1))
        return become(u, v, rest ? IR_UMOD : IR_UDIV, a, ir_arg(u->f, v, 1));
    while (c >> shift > 1)
        shift++;
    return rest ? become(u, v, IR_AND, a, u32(u, c - 1)) : become(u, v, IR_SHR, a, u32(u, shift));
}

/* Compares with a constant that the bound decides. */
static ir_value compare(user *u, ir_value v, ir_value a, uint32_t c) {
    ir_op op = ir_op_of(u->f, v);
    bool is_signed = op >= IR_ICMP_LT && op <= IR_ICMP_GE;
    uint32_t max = max_of(u, a);
    if (is_signed && (max > INT32_MAX || c > INT32_MAX))
        return v;
    switch (op) {
    case IR_ICMP_LT:
    case IR_UCMP_LT: return max < c ? ir_const(u->f, IR_BOOL, 1) : v;
    case IR_ICMP_GE:
    case IR_UCMP_GE: return max < c ? ir_const(u->f, IR_BOOL, 0) : v;
    case IR_ICMP_LE:
    case IR_UCMP_LE: return max <= c ? ir_const(u->f, IR_BOOL, 1) : v;
    case IR_ICMP_GT:
    case IR_UCMP_GT: return max <= c ? ir_const(u->f, IR_BOOL, 0) : v;
    case IR_ICMP_EQ: return max < c ? ir_const(u->f, IR_BOOL, 0) : v;
    case IR_ICMP_NE: return max < c ? ir_const(u->f, IR_BOOL, 1) : v;
    default: return v;
    }
}

static ir_value better(user *u, ir_value v) {
    ir_value a = ir_arg(u->f, v, 0);
    uint64_t bits;
    if (!ir_is_const(u->f, ir_arg(u->f, v, 1), &bits))
        return v;
    uint32_t c = (uint32_t)bits, max = max_of(u, a);
    switch (ir_op_of(u->f, v)) {
    case IR_AND: return a < u->bits.count && (~c & ~u->bits.zeros[a]) == 0 ? a : v;
    case IR_IDIV: return divide(u, v, a, c, false);
    case IR_IMOD: return divide(u, v, a, c, true);
    case IR_UDIV: return max < c ? u32(u, 0) : v;
    case IR_UMOD: return max < c ? a : v;
    case IR_UMIN: return max <= c ? a : v;
    case IR_UMAX: return max <= c ? ir_arg(u->f, v, 1) : v;
    case IR_IMIN: return max <= c && c <= INT32_MAX ? a : v;
    case IR_IMAX: return max <= c && c <= INT32_MAX ? ir_arg(u->f, v, 1) : v;
    case IR_SAR: return max <= INT32_MAX ? become(u, v, IR_SHR, a, ir_arg(u->f, v, 1)) : v;
    default: return compare(u, v, a, c);
    }
}

static void replace(user *u, ir_value v, ir_value by) {
    u->map.to[v] = by;
    ir_remove(u->f, v);
    u->changed = true;
}

static void visit(user *u, ir_value v) {
    ir_func *f = u->f;
    uint64_t bits;
    if (u->changed)
        ir_map_args(&u->map, f, v);
    if (ir_op_of(f, v) == IR_SELECT && ir_is_const(f, ir_arg(f, v, 0), &bits)) {
        replace(u, v, ir_arg(f, v, bits ? 1 : 2));
        return;
    }
    if (!ir_has(f, v, IR_PURE) || ir_has(f, v, IR_WAVE) || ir_at(f, v)->arg_count != 2 ||
        ir_type_of(f, ir_arg(f, v, 0)) != IR_U32)
        return;
    ir_value by = better(u, v);
    if (by != v)
        replace(u, v, by);
}

/* Special registers that can have one value only. */
static void fix_specials(user *u) {
    for (ir_value v = 1; v < u->bits.count; v++) {
        uint64_t which = ir_at(u->f, v)->imm;
        if (ir_op_of(u->f, v) != IR_SPECIAL)
            continue;
        bool size = which >= ISA_SR_WORKGROUP_SIZE_X && which <= ISA_SR_WORKGROUP_SIZE_Z;
        bool exact = (size && u->f->workgroup[0]) || which == ISA_SR_WAVE_WIDTH ||
                     (which == ISA_SR_NUM_WAVES && u->f->workgroup[0]);
        if (u->bits.max[v] == 0 || (exact && u->bits.zeros[v] == ~u->bits.max[v])) {
            u->map.to[v] = u32(u, u->bits.max[v]);
            u->changed = true;
        }
    }
}

/* Whether there is anything the analysis could help: it is not cheap. */
static bool has_work(const ir_func *f) {
    for (ir_value v = 1; v < f->node_count; v++) {
        const ir_node *n = ir_at(f, v);
        bool special = n->op == IR_SPECIAL && n->imm >= ISA_SR_WAVE_ID;
        if (special || (n->op >= IR_IDIV && n->op <= IR_UMOD) ||
            (n->op >= IR_IMIN && n->op <= IR_AND) || n->op == IR_SAR ||
            (n->op >= IR_ICMP_EQ && n->op <= IR_UCMP_GE))
            return true;
    }
    return false;
}

bool ir_opt_bits(ir_func *f) {
    user u = {.f = f};
    if (!has_work(f))
        return false;
    if (!ir_map_init(&u.map, f) || !ir_find_bits(f, &u.bits)) {
        ir_map_free(&u.map);
        f->failed = true;
        return false;
    }
    fix_specials(&u);
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP)
            visit(&u, w.op);
    ir_map_free(&u.map);
    ir_free_bits(&u.bits);
    return u.changed;
}
