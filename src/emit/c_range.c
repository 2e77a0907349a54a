/* A simple range analysis of f32 values. It proves that a conversion to an integer cannot overflow,
 * as in the expansion of fexp2, which clamps its argument first.
 *
 *   x < 160.0f ? x : 160.0f         never NaN, at most 160
 *
 * Out-of-range conversions are undefined in C++, so all others need a helper with branches. */
#include "emit/c_printer.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 6 };

/* A value in [low, high] that is never NaN; `known` is false if nothing is known. */
typedef struct range {
    float low, high;
    bool known;
} range;

static range range_of(const ir_func *f, ir_value v, unsigned steps);

/* Like fminf and fmaxf: if one operand is NaN, the other one. */
static float least_of(float a, float b) {
    return b < a || isnan(a) ? b : a;
}

static float most_of(float a, float b) {
    return b > a || isnan(a) ? b : a;
}

static range constant(const ir_node *n) {
    uint32_t bits = (uint32_t)n->imm;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (range){value, value, !isnan(value)};
}

/* select(x < y, x, y) is x only where x < y, so never a NaN of x. Likewise for <=, > and >=. */
static range bounded(const ir_func *f, const ir_value *args, unsigned steps, bool *is) {
    ir_op op = ir_op_of(f, args[0]);
    bool less = op == IR_FCMP_LT || op == IR_FCMP_LE,
         greater = op == IR_FCMP_GT || op == IR_FCMP_GE;
    *is = (less || greater) && ir_arg(f, args[0], 0) == args[1] && ir_arg(f, args[0], 1) == args[2];
    range x = {0}, y = {0};
    if (*is) {
        x = range_of(f, args[1], steps);
        y = range_of(f, args[2], steps);
    }
    if (!y.known)
        return (range){0};
    if (less)
        return (range){least_of(x.known ? x.low : -INFINITY, y.low), y.high, true};
    return (range){y.low, most_of(x.known ? x.high : INFINITY, y.high), true};
}

static range either(range a, range b) {
    return (range){least_of(a.low, b.low), most_of(a.high, b.high), a.known && b.known};
}

/* Rounding is monotonic, so the bounds of the sum are the sums of the bounds. */
static range sum(range a, range b) {
    range r = {a.low + b.low, a.high + b.high, a.known && b.known};
    r.known = r.known && isfinite(a.low) && isfinite(a.high) && isfinite(b.low) && isfinite(b.high);
    return r;
}

static range range_of(const ir_func *f, ir_value v, unsigned steps) {
    const ir_node *n = ir_at(f, v);
    if (steps == 0 || n->type != IR_F32)
        return (range){0};
    const ir_value *args = ir_args(f, v);
    steps--;
    switch (n->op) {
    case IR_CONST: return constant(n);
    case IR_FADD: return sum(range_of(f, args[0], steps), range_of(f, args[1], steps));
    case IR_SELECT: {
        bool is;
        range r = bounded(f, args, steps, &is);
        return is ? r : either(range_of(f, args[1], steps), range_of(f, args[2], steps));
    }
    default: return (range){0};
    }
}

bool c_fits_i32(const ir_func *f, ir_value v) {
    range r = range_of(f, v, MAX_STEPS);
    return r.known && r.low >= -2147483648.0f && r.high < 2147483648.0f;
}
