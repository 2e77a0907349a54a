/* Integer operations of 32 and 64 bits whose edge cases PTX leaves undefined or defines
 * differently: shifts, bit fields, division; and products that are added. The others are in the
 * table of ptx_ops.c. */
#include "emit_ptx/ptx.h"

static ptx_operand arg(ptx *p, ir_value v, unsigned k) {
    return ptx_use(p, ir_arg(p->f, v, k));
}

bool ptx_is_product(ir_op op) {
    return op == IR_IMUL || op == IR_LMUL;
}

/* Fuses a product and an addition into mad. */
void ptx_add(ptx *p, ir_value v, const char *format) {
    bool wide = ir_op_of(p->f, v) == IR_LADD;
    for (unsigned k = 0; k < 2; k++) {
        ir_value product = ir_arg(p->f, v, k);
        if (!ptx_is_product(ir_op_of(p->f, product)) || p->m.kind[product] != MAT_INLINE)
            continue;
        ptx_operand a = arg(p, product, 0), b = arg(p, product, 1), c = arg(p, v, 1 - k);
        ptx_line(p, wide ? "mad.lo.s64 $, $, $, $" : "mad.lo.s32 $, $, $, $", ptx_dest(p, v), a, b,
                 c);
        return;
    }
    ptx_put_one(p, v, format);
}

/* The shift amount modulo 32 or 64; PTX would clamp it. */
static ptx_operand amount_below(ptx *p, ir_value v, uint32_t mask) {
    uint32_t bits;
    if (ptx_const(p, v, &bits))
        return ptx_u32(bits & mask);
    const ir_node *n = ir_at(p->f, v);
    if (n->op == IR_AND && ((ptx_const(p, ir_arg(p->f, v, 1), &bits) && bits <= mask) ||
                            (ptx_const(p, ir_arg(p->f, v, 0), &bits) && bits <= mask)))
        return ptx_use(p, v); /* already masked */
    ptx_operand x = ptx_use(p, v), masked = ptx_new(p, PTX_B32);
    ptx_line(p, "and.b32 $, $, $", masked, x, ptx_u32(mask));
    return masked;
}

static ptx_operand amount(ptx *p, ir_value v) {
    return amount_below(p, v, 31);
}

static void put_shift(ptx *p, ir_value v, const char *format) {
    uint32_t mask = ir_type_of(p->f, v) == IR_U64 ? 63 : 31;
    ptx_operand x = arg(p, v, 0), by = amount_below(p, ir_arg(p->f, v, 1), mask);
    ptx_line(p, format, ptx_dest(p, v), x, by);
}

static void put_bfe(ptx *p, ir_value v) {
    ptx_operand x = arg(p, v, 0), at = amount(p, ir_arg(p->f, v, 1)),
                width = amount(p, ir_arg(p->f, v, 2));
    ptx_line(p, "bfe.u32 $, $, $, $", ptx_dest(p, v), x, at, width);
}

static void put_bfi(ptx *p, ir_value v) {
    ptx_operand base = arg(p, v, 0), insert = arg(p, v, 1), at = amount(p, ir_arg(p->f, v, 2)),
                width = amount(p, ir_arg(p->f, v, 3));
    ptx_line(p, "bfi.b32 $, $, $, $, $", ptx_dest(p, v), insert, base, at, width);
}

/* The divisor, if it is a constant. */
static bool divisor(const ptx *p, ir_value v, uint64_t *bits) {
    ir_value by = ir_arg(p->f, v, 1);
    uint32_t word = 0;
    if (ir_type_of(p->f, by) == IR_U64)
        return ir_is_const(p->f, by, bits);
    bool is = ptx_const(p, by, &word);
    *bits = word;
    return is;
}

/* The instructions of a division, by width. */
typedef struct division {
    const char *quotient[2], *remainder[2]; /* unsigned, signed */
    const char *negate, *move, *increment, *is_odd, *pick_one, *multiply, *choose;
    const char *at_least_one, *is_zero, *or_zero;
} division;

#define DIVISION(bits)                                                                             \
    {                                                                                              \
        .quotient = {"div.u" bits " $, $, $", "div.s" bits " $, $, $"},                            \
        .remainder = {"rem.u" bits " $, $, $", "rem.s" bits " $, $, $"},                           \
        .negate = "neg.s" bits " $, $", .move = "mov.u" bits " $, $",                              \
        .increment = "add.s" bits " $, $, 1", .is_odd = "setp.le.u" bits " $, $, 1",               \
        .pick_one = "selp.b" bits " $, 1, $, $", .multiply = "mul.lo.s" bits " $, $, $",           \
        .choose = "selp.b" bits " $, $, $, $", .at_least_one = "max.u" bits " $, $, 1",            \
        .is_zero = "setp.eq.u" bits " $, $, 0", .or_zero = "selp.b" bits " $, 0, $, $"             \
    }

static const division divisions[2] = {DIVISION("32"), DIVISION("64")};

/* Signed division. The divisors 0 and -1, for which PTX guarantees nothing, are replaced by 1. The
 * remainder is then 0, as required; the quotient is a * b, which is 0 or -a. */
static void put_signed_division(ptx *p, ir_value v, bool quotient) {
    ir_type type = ir_type_of(p->f, v);
    const division *d = &divisions[type == IR_U64];
    ptx_class c = ptx_class_of(type);
    const char *format = quotient ? d->quotient[1] : d->remainder[1];
    ptx_operand a = arg(p, v, 0), b = arg(p, v, 1);
    uint64_t bits;
    if (divisor(p, v, &bits)) {
        bool minus_one = bits == (type == IR_U64 ? UINT64_MAX : UINT32_MAX);
        if (bits && !minus_one)
            ptx_line(p, format, ptx_dest(p, v), a, b);
        else if (bits && quotient)
            ptx_line(p, d->negate, ptx_dest(p, v), a);
        else
            ptx_line(p, d->move, ptx_dest(p, v), ptx_imm(type, 0));
        return;
    }
    ptx_operand t = ptx_new(p, c), odd = ptx_new(p, PTX_PRED), by = ptx_new(p, c);
    ptx_line(p, d->increment, t, b);
    ptx_line(p, d->is_odd, odd, t);
    ptx_line(p, d->pick_one, by, b, odd);
    if (!quotient) {
        ptx_line(p, format, ptx_dest(p, v), a, by);
        return;
    }
    ptx_operand q = ptx_new(p, c), product = ptx_new(p, c);
    ptx_line(p, format, q, a, by);
    ptx_line(p, d->multiply, product, a, b);
    ptx_line(p, d->choose, ptx_dest(p, v), product, q, odd);
}

static void put_unsigned_division(ptx *p, ir_value v, bool quotient) {
    ir_type type = ir_type_of(p->f, v);
    const division *d = &divisions[type == IR_U64];
    ptx_class c = ptx_class_of(type);
    const char *format = quotient ? d->quotient[0] : d->remainder[0];
    ptx_operand a = arg(p, v, 0), b = arg(p, v, 1);
    uint64_t bits;
    if (divisor(p, v, &bits)) {
        if (bits)
            ptx_line(p, format, ptx_dest(p, v), a, b);
        else
            ptx_line(p, d->move, ptx_dest(p, v), ptx_imm(type, 0));
        return;
    }
    ptx_operand by = ptx_new(p, c);
    ptx_line(p, d->at_least_one, by, b);
    if (!quotient) {
        ptx_line(p, format, ptx_dest(p, v), a, by);
        return;
    }
    ptx_operand q = ptx_new(p, c), zero = ptx_new(p, PTX_PRED);
    ptx_line(p, format, q, a, by);
    ptx_line(p, d->is_zero, zero, b);
    ptx_line(p, d->or_zero, ptx_dest(p, v), q, zero);
}

bool ptx_integer(ptx *p, ir_value v) {
    switch (ir_op_of(p->f, v)) {
    case IR_SHL: put_shift(p, v, "shl.b32 $, $, $"); return true;
    case IR_SHR: put_shift(p, v, "shr.b32 $, $, $"); return true;
    case IR_SAR: put_shift(p, v, "shr.s32 $, $, $"); return true;
    case IR_LSHL: put_shift(p, v, "shl.b64 $, $, $"); return true;
    case IR_LSHR: put_shift(p, v, "shr.b64 $, $, $"); return true;
    case IR_LSAR: put_shift(p, v, "shr.s64 $, $, $"); return true;
    case IR_BFE: put_bfe(p, v); return true;
    case IR_BFI: put_bfi(p, v); return true;
    case IR_IDIV:
    case IR_LDIV: put_signed_division(p, v, true); return true;
    case IR_IMOD:
    case IR_LMOD: put_signed_division(p, v, false); return true;
    case IR_UDIV:
    case IR_LUDIV: put_unsigned_division(p, v, true); return true;
    case IR_UMOD:
    case IR_LUMOD: put_unsigned_division(p, v, false); return true;
    default: return false;
    }
}
