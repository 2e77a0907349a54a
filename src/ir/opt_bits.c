/* Simplifies operations using the known bits of values.
 *
 *   %1 = and sr_thread_id_x, 0xFFFF          sr_thread_id_x
 *   %2 = idiv sr_thread_id_x, 16      →      %2 = shr sr_thread_id_x, 4
 *   %3 = icmp_lt sr_lane_id, 64              true
 *   sr_workgroup_size_x                      256, when the kernel fixes it
 *   hi64 (pack64 x, 0)                       0
 *   select (icmp_eq %5, 0), %6, 16           select (icmp_eq %5, 0), %6, %5, when only bit 4 of %5
 *                                            may be set
 *
 * One walk: the bits of an operation are found when it is reached. */
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

static uint64_t max_of(const user *u, ir_value v) {
    uint64_t bits;
    if (ir_is_const(u->f, v, &bits)) /* it may be newer than the analysis */
        return bits;
    return v < u->bits.count ? u->bits.of[v].max : UINT64_MAX;
}

/* The largest signed number of the type of v. */
static uint64_t largest(const user *u, ir_value v) {
    return ir_type_of(u->f, v) == IR_U64 ? INT64_MAX : INT32_MAX;
}

static ir_value become(user *u, ir_value v, ir_op op, ir_value a, ir_value b) {
    ir_at(u->f, v)->op = (uint8_t)op;
    ir_set_args(u->f, v, (ir_value[]){a, b}, 2);
    u->changed = true;
    return v;
}

/* Division of non-negative numbers. */
static ir_value divide(user *u, ir_value v, ir_value a, uint64_t c, bool modulo) {
    bool wide = ir_type_of(u->f, a) == IR_U64;
    uint32_t shift = 0;
    if (c == 0 || c > largest(u, a) || max_of(u, a) > largest(u, a))
        return v;
    if (max_of(u, a) < c)
        return modulo ? a : ir_const(u->f, ir_type_of(u->f, a), 0);
    if ((c & (c - 1)) || (wide && modulo)) {
        if (u->f->plain)
            return v;
        ir_op quotient = wide ? IR_LUDIV : IR_UDIV, remainder = wide ? IR_LUMOD : IR_UMOD;
        return become(u, v, modulo ? remainder : quotient, a, ir_arg(u->f, v, 1));
    }
    while (c >> shift > 1)
        shift++;
    return modulo ? become(u, v, IR_AND, a, u32(u, (uint32_t)c - 1))
                  : become(u, v, wide ? IR_LSHR : IR_SHR, a, u32(u, shift));
}

static bool is_signed(ir_op op) {
    return (op >= IR_ICMP_LT && op <= IR_ICMP_GE) || (op >= IR_LCMP_LT && op <= IR_LCMP_GE);
}

/* Compares with a constant that the bound decides. */
static ir_value compare(user *u, ir_value v, ir_value a, uint64_t c) {
    ir_op op = ir_op_of(u->f, v);
    uint64_t max = max_of(u, a);
    if (is_signed(op) && (max > largest(u, a) || c > largest(u, a)))
        return v;
    switch (op) {
    case IR_ICMP_LT:
    case IR_UCMP_LT:
    case IR_LCMP_LT:
    case IR_LUCMP_LT:
    case IR_ICMP_NE:
    case IR_LCMP_NE: return max < c ? ir_const(u->f, IR_BOOL, 1) : v;
    case IR_ICMP_GE:
    case IR_UCMP_GE:
    case IR_LCMP_GE:
    case IR_LUCMP_GE:
    case IR_ICMP_EQ:
    case IR_LCMP_EQ: return max < c ? ir_const(u->f, IR_BOOL, 0) : v;
    case IR_ICMP_LE:
    case IR_UCMP_LE:
    case IR_LCMP_LE:
    case IR_LUCMP_LE: return max <= c ? ir_const(u->f, IR_BOOL, 1) : v;
    case IR_ICMP_GT:
    case IR_UCMP_GT:
    case IR_LCMP_GT:
    case IR_LUCMP_GT: return max <= c ? ir_const(u->f, IR_BOOL, 0) : v;
    default: return v;
    }
}

static ir_value better(user *u, ir_value v) {
    ir_value a = ir_arg(u->f, v, 0), b = ir_arg(u->f, v, 1); /* b is a constant */
    uint64_t c = ir_at(u->f, b)->imm, max = max_of(u, a);
    switch (ir_op_of(u->f, v)) {
    case IR_AND: return a < u->bits.count && (~c & UINT32_MAX & ~u->bits.of[a].zeros) == 0 ? a : v;
    case IR_IDIV:
    case IR_LDIV: return divide(u, v, a, c, false);
    case IR_IMOD:
    case IR_LMOD: return divide(u, v, a, c, true);
    case IR_UDIV:
    case IR_LUDIV: return max < c ? ir_const(u->f, ir_type_of(u->f, v), 0) : v;
    case IR_UMOD:
    case IR_LUMOD: return max < c ? a : v;
    case IR_UMIN: return max <= c ? a : v;
    case IR_UMAX: return max <= c ? b : v;
    case IR_IMIN: return max <= c && c <= INT32_MAX ? a : v;
    case IR_IMAX: return max <= c && c <= INT32_MAX ? b : v;
    case IR_SAR: return max <= INT32_MAX ? become(u, v, IR_SHR, a, b) : v;
    case IR_LSAR: return max <= INT64_MAX ? become(u, v, IR_LSHR, a, b) : v;
    default: return compare(u, v, a, c);
    }
}

static void replace(user *u, ir_value v, ir_value by) {
    u->map.to[v] = by;
    ir_remove(u->f, v);
    u->changed = true;
}

/* A select between two constants that tests a value with one bit that may be set: the value is the
 * constant of the side where the bit is set. With only one constant left, the select takes one
 * instruction; if that constant is 0, the select is the value itself. */
static void reuse_bit(user *u, ir_value v) {
    ir_func *f = u->f;
    ir_value tested = ir_arg(f, v, 0);
    uint64_t zero, bit, other;
    bool equal = ir_op_of(f, tested) == IR_ICMP_EQ;
    unsigned set = equal ? 2 : 1; /* the operand for the set bit */
    if ((!equal && ir_op_of(f, tested) != IR_ICMP_NE) || ir_type_of(f, v) != IR_U32 ||
        !ir_is_const(f, ir_arg(f, tested, 1), &zero) || zero)
        return;
    ir_value x = ir_arg(f, tested, 0);
    if (x >= u->bits.count || !ir_is_const(f, ir_arg(f, v, set), &bit) || !bit || bit & (bit - 1) ||
        !ir_is_const(f, ir_arg(f, v, 3 - set), &other) || ~u->bits.of[x].zeros != bit)
        return;
    if (other == 0) {
        replace(u, v, x);
    } else {
        ir_args(f, v)[set] = x;
        u->changed = true;
    }
}

static void visit(user *u, ir_value v) {
    ir_func *f = u->f;
    uint64_t bits;
    ir_learn_bits(f, &u->bits, v);
    if (u->changed)
        ir_map_args(&u->map, f, v);
    const ir_node *n = ir_at(f, v);
    if (n->arg_count != 2 && n->op != IR_SELECT && n->op != IR_HI64)
        return;
    if (n->op == IR_SELECT && ir_is_const(f, ir_arg(f, v, 0), &bits)) {
        replace(u, v, ir_arg(f, v, bits ? 1 : 2));
        return;
    }
    if (n->op == IR_SELECT) {
        reuse_bit(u, v);
        return;
    }
    if (n->op == IR_HI64 && max_of(u, ir_arg(f, v, 0)) <= UINT32_MAX) {
        replace(u, v, u32(u, 0));
        return;
    }
    if (n->arg_count != 2 || ir_op_of(f, n->args[1]) != IR_CONST || !ir_has(f, v, IR_PURE) ||
        ir_has(f, v, IR_WAVE))
        return;
    ir_type type = ir_type_of(f, n->args[0]);
    if (type != IR_U32 && type != IR_U64)
        return;
    ir_value by = better(u, v);
    if (by != v)
        replace(u, v, by);
}

/* A special register that can have only one value. */
static void fix_special(user *u, ir_value v) {
    uint64_t which = ir_at(u->f, v)->imm;
    bool size = which >= ISA_SR_WORKGROUP_SIZE_X && which <= ISA_SR_WORKGROUP_SIZE_Z;
    bool exact = (size && u->f->workgroup[0]) || which == ISA_SR_WAVE_WIDTH ||
                 (which == ISA_SR_NUM_WAVES && u->f->workgroup[0]);
    if (u->bits.of[v].max == 0 || (exact && u->bits.of[v].zeros == ~u->bits.of[v].max)) {
        u->map.to[v] = u32(u, (uint32_t)u->bits.of[v].max);
        u->changed = true;
    }
}

/* They are collected first, because new constants move the leaves in their table. */
static void fix_specials(user *u) {
    ir_value specials[ISA_SPECIAL_COUNT];
    unsigned count = 0;
    for (uint32_t k = 0; k < u->f->leaf_capacity && count < ISA_SPECIAL_COUNT; k++)
        if (ir_op_of(u->f, u->f->leaves[k]) == IR_SPECIAL)
            specials[count++] = u->f->leaves[k];
    for (unsigned k = 0; k < count; k++)
        fix_special(u, specials[k]);
}

static bool made_any(const ir_func *f, unsigned first, unsigned last) {
    for (unsigned op = first; op <= last; op++)
        if (ir_made(f, (ir_op)op))
            return true;
    return false;
}

/* Whether the analysis, which is not cheap, could help anything. */
static bool has_work(const ir_func *f) {
    for (uint32_t k = 0; k < f->leaf_capacity; k++) {
        const ir_node *n = ir_at(f, f->leaves[k]);
        if (n->op == IR_SPECIAL && n->imm >= ISA_SR_WAVE_ID)
            return true;
    }
    return made_any(f, IR_IDIV, IR_UMOD) || made_any(f, IR_IMIN, IR_AND) || ir_made(f, IR_SAR) ||
           made_any(f, IR_ICMP_EQ, IR_UCMP_GE) || made_any(f, IR_LDIV, IR_LSAR) ||
           made_any(f, IR_LCMP_EQ, IR_LUCMP_GE) || ir_made(f, IR_HI64);
}

bool ir_opt_bits(ir_func *f) {
    user u = {.f = f};
    if (!has_work(f))
        return false;
    if (!ir_map_init(&u.map, f) || !ir_start_bits(f, &u.bits)) {
        ir_map_free(&u.map);
        f->failed = true;
        return false;
    }
    fix_specials(&u);
    for (ir_value v = ir_first_op(f), next; v && !f->failed; v = next) {
        next = ir_next_op(f, v); /* v may be removed */
        visit(&u, v);
    }
    ir_map_names(&u.map, f);
    ir_map_free(&u.map);
    ir_free_bits(&u.bits);
    return u.changed;
}
