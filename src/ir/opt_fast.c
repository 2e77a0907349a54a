/* The transformations that --fp=fast allows beyond the target's own approximations: reciprocals
 * instead of divisions, and contraction.
 *
 *   %1 = fsqrt %x                %1 = frsqrt %x
 *   %2 = fdiv %a, %1       →     %2 = fmul %a, %1
 *   %3 = fdiv 1.0, %y            %3 = frcp %y
 *   %4 = fdiv %b, 3.0            %4 = fmul %b, 0x3EAAAAAB
 *
 *   %1 = fmul %a, %b             %2 = fma %a, %b, %c
 *   %2 = fadd %1, %c       →
 *
 * A product is contracted when it has no other use, so no operation is added.
 * docs/reference/math.md lists the errors. One walk. */
#include "base/scalar.h"
#include "ir/analyse.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

enum { ONE = 0x3F800000 };

typedef struct speeder {
    ir_func *f;
    ir_uses uses;
    uint32_t known; /* number of values covered by `uses` */
    bool changed;
} speeder;

static void become(speeder *s, ir_value v, ir_op op, const ir_value *args, unsigned count) {
    ir_at(s->f, v)->op = (uint8_t)op;
    ir_set_args(s->f, v, args, count);
    s->changed = true;
}

/* ---- Division ---- */

/* 1 / c, unless it is subnormal, infinite or NaN. */
static bool reciprocal(const ir_func *f, ir_value v, uint32_t *bits) {
    uint64_t c;
    if (!ir_is_const(f, v, &c))
        return false;
    *bits = sc_frcp((uint32_t)c);
    uint32_t exponent = *bits >> 23 & 0xFF;
    return exponent > 0 && exponent < 0xFF;
}

static void divide(speeder *s, ir_value v) {
    ir_func *f = s->f;
    ir_value a = ir_arg(f, v, 0), b = ir_arg(f, v, 1);
    uint64_t bits;
    uint32_t factor;
    bool inverts = ir_is_const(f, a, &bits) && bits == ONE;
    if (ir_op_of(f, b) == IR_FSQRT) {
        ir_value x = ir_arg(f, b, 0);
        if (inverts) {
            become(s, v, IR_FRSQRT, &x, 1);
            return;
        }
        ir_value root = ir_make_before(f, v, IR_FRSQRT, IR_F32, &x, 1, 0);
        if (!f->failed)
            become(s, v, IR_FMUL, (ir_value[]){a, root}, 2);
    } else if (reciprocal(f, b, &factor)) {
        become(s, v, IR_FMUL, (ir_value[]){a, ir_const(f, IR_F32, factor)}, 2);
    } else if (inverts) {
        become(s, v, IR_FRCP, &b, 1);
    }
}

/* ---- Contraction ---- */

/* Sums with the products and fused operations of their type. A difference also needs a negation,
 * which f16 lacks: there is no row for hsub. */
static const struct {
    ir_op sum, product, fused, negation;
    bool subtracts;
} sums[] = {
    {IR_FADD, IR_FMUL, IR_FMA, IR_NONE, false}, {IR_FSUB, IR_FMUL, IR_FMA, IR_FNEG, true},
    {IR_DADD, IR_DMUL, IR_DMA, IR_NONE, false}, {IR_DSUB, IR_DMUL, IR_DMA, IR_DNEG, true},
    {IR_HADD, IR_HMUL, IR_HMA, IR_NONE, false}, {IR_HADD2, IR_HMUL2, IR_HMA2, IR_NONE, false},
};

static bool is_free_product(const speeder *s, ir_value v, ir_op product) {
    return v < s->known && ir_op_of(s->f, v) == product &&
           s->uses.first[v + 1] == s->uses.first[v] + 1;
}

static ir_value negated(speeder *s, ir_value at, ir_op op, ir_value v) {
    return ir_make_before(s->f, at, op, ir_type_of(s->f, v), &v, 1, 0);
}

/* a * b + c, a * b - c or c - a * b */
static void contract(speeder *s, ir_value v, unsigned row) {
    ir_func *f = s->f;
    unsigned k = is_free_product(s, ir_arg(f, v, 0), sums[row].product) ? 0 : 1;
    ir_value product = ir_arg(f, v, k), other = ir_arg(f, v, !k);
    if (!is_free_product(s, product, sums[row].product))
        return;
    ir_value a = ir_arg(f, product, 0), b = ir_arg(f, product, 1);
    if (sums[row].subtracts && k == 0)
        other = negated(s, v, sums[row].negation, other);
    else if (sums[row].subtracts)
        a = negated(s, v, sums[row].negation, a);
    if (!f->failed)
        become(s, v, sums[row].fused, (ir_value[]){a, b, other}, 3);
}

static void visit(speeder *s, ir_value v) {
    ir_op op = ir_op_of(s->f, v);
    if (op == IR_FDIV) {
        divide(s, v);
        return;
    }
    for (unsigned row = 0; row < sizeof sums / sizeof *sums; row++)
        if (sums[row].sum == op) {
            contract(s, v, row);
            return;
        }
}

bool ir_opt_fast(ir_func *f) {
    speeder s = {.f = f, .known = f->node_count};
    if (!ir_find_uses(f, &s.uses)) {
        f->failed = true;
        return false;
    }
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END && !f->failed;)
        if (e == IR_AT_OP)
            visit(&s, w.op);
    ir_free_uses(&s.uses);
    return s.changed;
}
