/* Folds constants and applies algebra that is exact to the bit.
 *
 *   %2 = iadd %1, 4                       %3 = iadd %1, 12
 *   %3 = iadd %2, 8            →          …
 *   if true { … yield %4 } else { … }     the operations of the first side, in place
 *
 * One walk in program order with a map of replaced values: operands are always seen in their
 * simplest form. Float rules hold for every value, except for the payload of a NaN. */
#include "ir/fold.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>

typedef struct simplifier {
    ir_func *f;
    ir_map map; /* new operations precede the one visited, so it covers all replaced values */
    bool changed;
} simplifier;

static bool constant(const simplifier *s, ir_value v, uint64_t *bits) {
    return ir_is_const(s->f, v, bits);
}

static bool is(const simplifier *s, ir_value v, uint64_t bits) {
    uint64_t have;
    return constant(s, v, &have) && have == bits;
}

static ir_value u32(simplifier *s, uint32_t bits) {
    return ir_const(s->f, IR_U32, bits);
}

/* Changes the operation in place. */
static ir_value become(simplifier *s, ir_value v, ir_op op, ir_value a, ir_value b) {
    ir_at(s->f, v)->op = (uint8_t)op;
    ir_set_args(s->f, v, (ir_value[]){a, b}, b ? 2 : 1);
    s->changed = true;
    return v;
}

/* ---- Rules: each returns the simplest equal value, or v itself ---- */

static ir_value simplify_add(simplifier *s, ir_value v, ir_value a, ir_value b) {
    uint64_t c, inner;
    if (is(s, b, 0))
        return a;
    if (constant(s, b, &c) && ir_op_of(s->f, a) == IR_IADD &&
        constant(s, ir_arg(s->f, a, 1), &inner))
        return become(s, v, IR_IADD, ir_arg(s->f, a, 0), u32(s, (uint32_t)(c + inner)));
    return v;
}

static bool power_of_two(uint64_t c, uint32_t *exponent) {
    if (c == 0 || (c & (c - 1)))
        return false;
    for (*exponent = 0; c > 1; c >>= 1)
        ++*exponent;
    return true;
}

static ir_value simplify_integer(simplifier *s, ir_value v, ir_value a, ir_value b) {
    uint64_t c = 0, inner;
    uint32_t shift;
    bool has = constant(s, b, &c);
    switch (ir_op_of(s->f, v)) {
    case IR_IADD: return simplify_add(s, v, a, b);
    case IR_ISUB:
        if (a == b)
            return u32(s, 0);
        if (has)
            return simplify_add(s, become(s, v, IR_IADD, a, u32(s, 0 - (uint32_t)c)), a,
                                u32(s, 0 - (uint32_t)c));
        return v;
    case IR_IMUL:
        if (has && c == 0)
            return b;
        if (has && c == 1)
            return a;
        if (has && power_of_two(c, &shift))
            return become(s, v, IR_SHL, a, u32(s, shift));
        return v;
    case IR_UDIV:
        if (has && power_of_two(c, &shift))
            return shift ? become(s, v, IR_SHR, a, u32(s, shift)) : a;
        return v;
    case IR_UMOD:
        if (has && power_of_two(c, &shift))
            return become(s, v, IR_AND, a, u32(s, (uint32_t)c - 1));
        return v;
    case IR_IDIV: return has && c == 1 ? a : v;
    case IR_AND:
        if (a == b || (has && c == UINT32_MAX))
            return a;
        if (has && ir_op_of(s->f, a) == IR_IADD && constant(s, ir_arg(s->f, a, 1), &inner) &&
            c < (inner & (0 - inner))) /* (x + 64) & 7: the sum changes only higher bits */
            return become(s, v, IR_AND, ir_arg(s->f, a, 0), b);
        return has && c == 0 ? b : v;
    case IR_OR:
        if (a == b || (has && c == 0))
            return a;
        return has && c == UINT32_MAX ? b : v;
    case IR_XOR:
        if (a == b)
            return u32(s, 0);
        return has && c == 0 ? a : v;
    case IR_SHL:
    case IR_SHR:
    case IR_SAR: return has && (c & 31) == 0 ? a : v;
    case IR_IMIN:
    case IR_IMAX:
    case IR_UMIN:
    case IR_UMAX: return a == b ? a : v;
    default: return v;
    }
}

/* The same for u64. */
static ir_value simplify_u64(simplifier *s, ir_value v, ir_value a, ir_value b) {
    uint64_t c = 0, inner;
    uint32_t shift;
    bool has = constant(s, b, &c);
    switch (ir_op_of(s->f, v)) {
    case IR_LADD:
        if (has && c == 0)
            return a;
        if (has && ir_op_of(s->f, a) == IR_LADD && constant(s, ir_arg(s->f, a, 1), &inner))
            return become(s, v, IR_LADD, ir_arg(s->f, a, 0), ir_const(s->f, IR_U64, c + inner));
        return v;
    case IR_LSUB:
        if (a == b)
            return ir_const(s->f, IR_U64, 0);
        return has ? simplify_u64(s, become(s, v, IR_LADD, a, ir_const(s->f, IR_U64, 0 - c)), a,
                                  ir_const(s->f, IR_U64, 0 - c))
                   : v;
    case IR_LMUL:
        if (has && c <= 1)
            return c ? a : b;
        return has && power_of_two(c, &shift) ? become(s, v, IR_LSHL, a, u32(s, shift)) : v;
    case IR_LMUL_HI: return has && c <= 1 ? ir_const(s->f, IR_U64, 0) : v;
    case IR_LUDIV:
        if (has && power_of_two(c, &shift))
            return shift ? become(s, v, IR_LSHR, a, u32(s, shift)) : a;
        return v;
    case IR_LDIV: return has && c == 1 ? a : v;
    case IR_LMOD:
    case IR_LUMOD: return has && c == 1 ? ir_const(s->f, IR_U64, 0) : v;
    case IR_LSHL:
    case IR_LSHR:
    case IR_LSAR: return has && (c & 63) == 0 ? a : v;
    default: return v;
    }
}

static ir_value simplify_bool(simplifier *s, ir_value v, ir_value a, ir_value b);

/* icmp_ne (select %c, 7, 9), 9: the compares with both constants are known, so %c alone decides. */
static ir_value compare_choice(simplifier *s, ir_value v, ir_value a, ir_value b) {
    uint64_t with[2], args[4] = {0}, yes, no;
    ir_op op = ir_op_of(s->f, v);
    if (ir_op_of(s->f, a) != IR_SELECT || !constant(s, ir_arg(s->f, a, 1), &with[0]) ||
        !constant(s, ir_arg(s->f, a, 2), &with[1]) || !constant(s, b, &args[1]))
        return v;
    ir_value c = ir_arg(s->f, a, 0);
    args[0] = with[0];
    bool known = ir_fold(op, IR_BOOL, args, &yes);
    args[0] = with[1];
    if (!known || !ir_fold(op, IR_BOOL, args, &no))
        return v;
    if (yes == no)
        return ir_const(s->f, IR_BOOL, yes);
    return yes ? c : simplify_bool(s, become(s, v, IR_BNOT, c, 0), c, 0);
}

static ir_value simplify_compare(simplifier *s, ir_value v, ir_value a, ir_value b) {
    if (a != b)
        return b ? compare_choice(s, v, a, b) : v;
    switch (ir_op_of(s->f, v)) {
    case IR_ICMP_EQ:
    case IR_ICMP_LE:
    case IR_ICMP_GE:
    case IR_UCMP_LE:
    case IR_UCMP_GE:
    case IR_LCMP_EQ:
    case IR_LCMP_LE:
    case IR_LCMP_GE:
    case IR_LUCMP_LE:
    case IR_LUCMP_GE: return ir_const(s->f, IR_BOOL, 1);
    case IR_ICMP_NE:
    case IR_ICMP_LT:
    case IR_ICMP_GT:
    case IR_UCMP_LT:
    case IR_UCMP_GT:
    case IR_LCMP_NE:
    case IR_LCMP_LT:
    case IR_LCMP_GT:
    case IR_LUCMP_LT:
    case IR_LUCMP_GT:
    case IR_FCMP_LT:
    case IR_FCMP_GT:
    case IR_DCMP_LT:
    case IR_DCMP_GT: return ir_const(s->f, IR_BOOL, 0);
    default: return v;
    }
}

/* The compare that is true where this one is false; IR_NONE where NaNs prevent that. */
static ir_op opposite(ir_op op) {
    switch (op) {
    case IR_ICMP_EQ: return IR_ICMP_NE;
    case IR_ICMP_NE: return IR_ICMP_EQ;
    case IR_ICMP_LT: return IR_ICMP_GE;
    case IR_ICMP_GE: return IR_ICMP_LT;
    case IR_ICMP_GT: return IR_ICMP_LE;
    case IR_ICMP_LE: return IR_ICMP_GT;
    case IR_UCMP_LT: return IR_UCMP_GE;
    case IR_UCMP_GE: return IR_UCMP_LT;
    case IR_UCMP_GT: return IR_UCMP_LE;
    case IR_UCMP_LE: return IR_UCMP_GT;
    case IR_LCMP_EQ: return IR_LCMP_NE;
    case IR_LCMP_NE: return IR_LCMP_EQ;
    case IR_LCMP_LT: return IR_LCMP_GE;
    case IR_LCMP_GE: return IR_LCMP_LT;
    case IR_LCMP_GT: return IR_LCMP_LE;
    case IR_LCMP_LE: return IR_LCMP_GT;
    case IR_LUCMP_LT: return IR_LUCMP_GE;
    case IR_LUCMP_GE: return IR_LUCMP_LT;
    case IR_LUCMP_GT: return IR_LUCMP_LE;
    case IR_LUCMP_LE: return IR_LUCMP_GT;
    case IR_DCMP_EQ: return IR_DCMP_NE;
    case IR_DCMP_NE: return IR_DCMP_EQ;
    case IR_DCMP_ORD: return IR_DCMP_UNORD;
    case IR_DCMP_UNORD: return IR_DCMP_ORD;
    case IR_FCMP_EQ: return IR_FCMP_NE;
    case IR_FCMP_NE: return IR_FCMP_EQ;
    case IR_FCMP_ORD: return IR_FCMP_UNORD;
    case IR_FCMP_UNORD: return IR_FCMP_ORD;
    default: return IR_NONE;
    }
}

static ir_value simplify_bool(simplifier *s, ir_value v, ir_value a, ir_value b) {
    ir_op op = ir_op_of(s->f, v);
    if (op == IR_BNOT) {
        ir_op other = opposite(ir_op_of(s->f, a));
        if (ir_op_of(s->f, a) == IR_BNOT)
            return ir_arg(s->f, a, 0);
        return other ? become(s, v, other, ir_arg(s->f, a, 0), ir_arg(s->f, a, 1)) : v;
    }
    if (op == IR_BAND)
        return a == b || is(s, b, 1) ? a : is(s, b, 0) ? b : v;
    if (op == IR_BOR)
        return a == b || is(s, b, 0) ? a : is(s, b, 1) ? b : v;
    return is(s, b, 0) ? a : v; /* bxor */
}

/* The negation of a condition, made before v: an opposite compare if there is one. */
static ir_value negated(simplifier *s, ir_value v, ir_value c) {
    ir_op other = opposite(ir_op_of(s->f, c));
    if (ir_op_of(s->f, c) == IR_BNOT)
        return ir_arg(s->f, c, 0);
    if (!other)
        return ir_make_before(s->f, v, IR_BNOT, IR_BOOL, &c, 1, 0);
    ir_value args[2] = {ir_arg(s->f, c, 0), ir_arg(s->f, c, 1)};
    return ir_make_before(s->f, v, other, IR_BOOL, args, 2, 0);
}

static ir_value simplify_select(simplifier *s, ir_value v) {
    ir_value c = ir_arg(s->f, v, 0), yes = ir_arg(s->f, v, 1), no = ir_arg(s->f, v, 2);
    uint64_t bits;
    if (yes == no)
        return yes;
    if (constant(s, c, &bits))
        return bits ? yes : no;
    if (ir_op_of(s->f, c) == IR_BNOT) {
        ir_set_args(s->f, v, (ir_value[]){ir_arg(s->f, c, 0), no, yes}, 3);
        s->changed = true;
        return simplify_select(s, v);
    }
    if (ir_type_of(s->f, v) != IR_BOOL)
        return v;
    if (is(s, yes, 1) && is(s, no, 0))
        return c;
    if (is(s, yes, 0) && is(s, no, 1))
        return simplify_bool(s, become(s, v, IR_BNOT, c, 0), c, 0);
    if (is(s, no, 0))
        return become(s, v, IR_BAND, c, yes);
    if (is(s, yes, 1))
        return become(s, v, IR_BOR, c, no);
    if (is(s, yes, 0))
        return become(s, v, IR_BAND, negated(s, v, c), no);
    return is(s, no, 1) ? become(s, v, IR_BOR, negated(s, v, c), yes) : v;
}

static ir_value simplify_float(simplifier *s, ir_value v, ir_value a, ir_value b) {
    const uint64_t one = 0x3F800000, minus_zero = 0x80000000u;
    uint64_t c;
    switch (ir_op_of(s->f, v)) {
    case IR_FADD: return is(s, b, minus_zero) ? a : is(s, a, minus_zero) ? b : v;
    case IR_FSUB: return is(s, b, 0) ? a : v;
    case IR_FMUL: return is(s, b, one) ? a : is(s, a, one) ? b : v;
    case IR_FDIV:
        if (is(s, b, one))
            return a;
        /* by a power of two: multiply by its reciprocal, which is exact and normal */
        if (constant(s, b, &c) && (c & 0x7FFFFF) == 0 && (c >> 23 & 0xFF) > 1 &&
            (c >> 23 & 0xFF) < 253)
            return become(
                s, v, IR_FMUL, a,
                ir_const(s->f, IR_F32, (c & 0x80000000u) | (254 - (c >> 23 & 0xFF)) << 23));
        return v;
    case IR_FNEG: return ir_op_of(s->f, a) == IR_FNEG ? ir_arg(s->f, a, 0) : v;
    case IR_FABS:
        if (ir_op_of(s->f, a) == IR_FABS)
            return a;
        return ir_op_of(s->f, a) == IR_FNEG ? become(s, v, IR_FABS, ir_arg(s->f, a, 0), 0) : v;
    case IR_FMA: return is(s, ir_arg(s->f, v, 2), minus_zero) ? become(s, v, IR_FMUL, a, b) : v;
    default: return v;
    }
}

static ir_value simplify_bits(simplifier *s, ir_value v, ir_value a, ir_value b) {
    ir_func *f = s->f;
    ir_op of = ir_op_of(f, a);
    switch (ir_op_of(f, v)) {
    case IR_BITCAST:
        if (ir_type_of(f, a) == ir_type_of(f, v))
            return a;
        if (of != IR_BITCAST)
            return v;
        a = ir_arg(f, a, 0);
        return ir_type_of(f, a) == ir_type_of(f, v) ? a : become(s, v, IR_BITCAST, a, 0);
    case IR_LOW16:
        if (of == IR_ZEXT16)
            return ir_arg(f, a, 0);
        if (of == IR_AND && is(s, ir_arg(f, a, 1), 0xFFFF))
            return become(s, v, IR_LOW16, ir_arg(f, a, 0), 0);
        return v;
    case IR_ZEXT16:
        return of == IR_LOW16 ? become(s, v, IR_AND, ir_arg(f, a, 0), u32(s, 0xFFFF)) : v;
    case IR_LO64: return of == IR_PACK64 ? ir_arg(f, a, 0) : v;
    case IR_HI64: return of == IR_PACK64 ? ir_arg(f, a, 1) : v;
    case IR_PACK64:
        if (of == IR_LO64 && ir_op_of(f, b) == IR_HI64 && ir_arg(f, a, 0) == ir_arg(f, b, 0))
            return ir_arg(f, a, 0);
        return v;
    default: return v;
    }
}

static bool commutes(ir_op op) {
    switch (op) {
    case IR_IADD:
    case IR_IMUL:
    case IR_IMUL_HI:
    case IR_LADD:
    case IR_LMUL:
    case IR_LMUL_HI:
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_IMIN:
    case IR_IMAX:
    case IR_UMIN:
    case IR_UMAX:
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR:
    case IR_ICMP_EQ:
    case IR_ICMP_NE:
    case IR_LCMP_EQ:
    case IR_LCMP_NE: return true;
    default: return false;
    }
}

/* If all operands are constants, the result is. */
static ir_value fold(simplifier *s, ir_value v) {
    const ir_node *n = ir_at(s->f, v);
    uint64_t args[4] = {0}, out;
    if (n->arg_count == 0 || n->arg_count > 4)
        return v;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (!constant(s, ir_arg(s->f, v, k), &args[k]))
            return v;
    return ir_fold((ir_op)n->op, (ir_type)n->type, args, &out)
               ? ir_const(s->f, (ir_type)n->type, out)
               : v;
}

static ir_value simplify(simplifier *s, ir_value v) {
    uint64_t bits;
    ir_value folded = fold(s, v);
    if (folded != v)
        return folded;
    if (commutes(ir_op_of(s->f, v)) && constant(s, ir_arg(s->f, v, 0), &bits))
        become(s, v, ir_op_of(s->f, v), ir_arg(s->f, v, 1), ir_arg(s->f, v, 0));
    unsigned count = ir_at(s->f, v)->arg_count;
    if (ir_op_of(s->f, v) == IR_SELECT)
        return simplify_select(s, v);
    ir_value a = count ? ir_arg(s->f, v, 0) : 0, b = count > 1 ? ir_arg(s->f, v, 1) : 0;
    switch (ir_ops[ir_op_of(s->f, v)].signature[0]) {
    case 'b':
        return ir_type_of(s->f, a) == IR_BOOL ? simplify_bool(s, v, a, b)
                                              : simplify_compare(s, v, a, b);
    case 'f':
        if (count)
            return simplify_float(s, v, a, b);
        return v;
    case 'd':
        if (ir_op_of(s->f, v) == IR_DNEG && ir_op_of(s->f, a) == IR_DNEG)
            return ir_arg(s->f, a, 0);
        return v;
    default: break;
    }
    if (ir_type_of(s->f, v) == IR_U64 && count == 2 && ir_op_of(s->f, v) != IR_PACK64)
        return simplify_u64(s, v, a, b);
    ir_value simple = count ? simplify_bits(s, v, a, b) : v;
    return simple == v && count == 2 ? simplify_integer(s, v, a, b) : simple;
}

/* ---- Structure ---- */

/* if true, if false: the side that runs replaces the if. */
static void splice(simplifier *s, ir_value v, bool first) {
    ir_func *f = s->f;
    ir_region side = ir_at(f, v)->regions[!first];
    ir_value end = f->regions[side].last;
    bool yields = ir_op_of(f, end) == IR_YIELD;
    for (ir_value op; (op = f->regions[side].first) && op != end;) {
        ir_remove(f, op);
        ir_insert_before(f, v, op);
    }
    if (yields) {
        ir_value r = ir_at(f, v)->next, next;
        for (; r && ir_op_of(f, r) == IR_RESULT && ir_arg(f, r, 0) == v; r = next) {
            next = ir_at(f, r)->next;
            s->map.to[r] = ir_map_find(&s->map, ir_arg(f, end, (unsigned)ir_at(f, r)->imm));
            ir_remove(f, r);
        }
        ir_remove(f, end);
    } else { /* the code after the if is unreachable */
        for (ir_value dead = ir_at(f, v)->next, next; dead; dead = next) {
            next = ir_at(f, dead)->next;
            ir_remove(f, dead);
        }
        ir_remove(f, end);
        ir_insert_before(f, v, end);
    }
    ir_remove(f, v);
    s->changed = true;
}

/* A quick test for the common case: different operands, none a constant, and an operation whose
 * rules all need equal or constant operands. */
static bool nothing_to_do(const ir_func *f, const ir_node *n) {
    const ir_node *a = ir_at(f, n->args[0]);
    if (n->op == IR_BITCAST)
        return a->op != IR_BITCAST && a->op != IR_CONST && a->type != n->type;
    if (n->op < IR_IADD || n->arg_count - 1u >= IR_INLINE_ARGS || a->op == IR_CONST)
        return false;
    if (n->arg_count == 1)
        return n->op != IR_FNEG && n->op != IR_FABS && n->op != IR_DNEG;
    return n->args[0] != n->args[1] && ir_op_of(f, n->args[1]) != IR_CONST &&
           ir_op_of(f, n->args[2]) != IR_CONST; /* a missing third operand is 0, no constant */
}

static void visit(simplifier *s, ir_value v) {
    ir_value simple = simplify(s, v);
    if (simple == v)
        return;
    s->map.to[v] = simple;
    ir_remove(s->f, v);
    s->changed = true;
}

/* At the end of a region, or at an if or loop: what follows v, which may have been replaced by one
 * of its sides. */
static ir_value go_on(simplifier *s, ir_value v) {
    ir_func *f = s->f;
    uint64_t bits;
    if (ir_op_of(f, v) != IR_IF || !constant(s, ir_arg(f, v, 0), &bits))
        return ir_next_beyond(f, v);
    ir_value before = ir_at(f, v)->prev;
    ir_region region = ir_at(f, v)->region;
    splice(s, v, bits != 0);
    /* continue with the first operation that took its place */
    return before ? ir_at(f, before)->next : f->regions[region].first;
}

static void walk(simplifier *s) {
    ir_func *f = s->f;
    for (ir_value v = ir_first_op(f), next; v && !f->failed; v = next) {
        if (s->changed)
            ir_map_args(&s->map, f, v);
        const ir_node *n = ir_at(f, v);
        next = n->next && !ir_has_regions(n) ? n->next : go_on(s, v); /* v may be removed */
        if ((ir_op_flags[n->op] & (IR_PURE | IR_UNIQUE | IR_WAVE)) == IR_PURE &&
            !nothing_to_do(f, n))
            visit(s, v);
    }
}

bool ir_opt_simplify(ir_func *f) {
    simplifier s = {.f = f};
    if (ir_map_init(&s.map, f))
        walk(&s);
    ir_map_names(&s.map, f);
    ir_map_free(&s.map);
    return s.changed;
}
