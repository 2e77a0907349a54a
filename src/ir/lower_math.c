/* fsin, fcos, fexp2 and flog2 as plain f32 and u32 operations. The steps are exactly those of
 * base/exact_math.c, which explains them, so that every target produces the emulator's bits. A test
 * runs both on the same inputs.
 *
 * At most one argument of a call makes an operation: C does not define the order in which arguments
 * are evaluated, and the output must not depend on it. */
#include "ir/lower.h"

#include <string.h>

/* Where operations are made: before `at`, or at the end of `region` when `at` is 0. */
typedef struct maker {
    ir_func *f;
    ir_region region;
    ir_value at;
    uint32_t pc;
} maker;

typedef struct pair {
    ir_value hi, lo;
} pair;

/* ---- One operation each ---- */

static ir_value make(maker *m, ir_op op, ir_type type, const ir_value *args, size_t count,
                     uint64_t imm) {
    ir_value v = ir_make(m->f, op, type, args, count, imm);
    if (m->f->failed)
        return 0;
    m->f->nodes[v].pc = m->pc;
    if (m->at)
        ir_insert_before(m->f, m->at, v);
    else
        ir_append(m->f, m->region, v);
    return v;
}

static ir_value fc(maker *m, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return ir_const(m->f, IR_F32, bits);
}

static ir_value uc(maker *m, uint32_t value) {
    return ir_const(m->f, IR_U32, value);
}

static ir_value f2(maker *m, ir_op op, ir_value a, ir_value b) {
    return make(m, op, IR_F32, (ir_value[]){a, b}, 2, 0);
}

static ir_value u2(maker *m, ir_op op, ir_value a, ir_value b) {
    return make(m, op, IR_U32, (ir_value[]){a, b}, 2, 0);
}

static ir_value fma3(maker *m, ir_value a, ir_value b, ir_value c) {
    return make(m, IR_FMA, IR_F32, (ir_value[]){a, b, c}, 3, 0);
}

static ir_value neg(maker *m, ir_value a) {
    return make(m, IR_FNEG, IR_F32, &a, 1, 0);
}

static ir_value compare(maker *m, ir_op op, ir_value a, ir_value b) {
    return make(m, op, IR_BOOL, (ir_value[]){a, b}, 2, 0);
}

static ir_value choose(maker *m, ir_value condition, ir_value yes, ir_value no) {
    return make(m, IR_SELECT, ir_type_of(m->f, yes), (ir_value[]){condition, yes, no}, 3, 0);
}

static ir_value as_f32(maker *m, ir_value bits) {
    return make(m, IR_BITCAST, IR_F32, &bits, 1, 0);
}

static ir_value as_u32(maker *m, ir_value x) {
    return make(m, IR_BITCAST, IR_U32, &x, 1, 0);
}

static ir_value u_to_f(maker *m, ir_value x) {
    return make(m, IR_CVT_F32_U32, IR_F32, &x, 1, 0);
}

/* ---- Sums with their rounding error (Dekker's Fast2Sum, Knuth's TwoSum) ---- */

static pair fast_two_sum(maker *m, ir_value a, ir_value b) {
    ir_value sum = f2(m, IR_FADD, a, b);
    return (pair){sum, f2(m, IR_FSUB, b, f2(m, IR_FSUB, sum, a))};
}

static pair two_sum(maker *m, ir_value a, ir_value b) {
    ir_value sum = f2(m, IR_FADD, a, b);
    ir_value b_part = f2(m, IR_FSUB, sum, a);
    ir_value a_part = f2(m, IR_FSUB, sum, b_part);
    ir_value b_error = f2(m, IR_FSUB, b, b_part);
    ir_value a_error = f2(m, IR_FSUB, a, a_part);
    return (pair){sum, f2(m, IR_FADD, a_error, b_error)};
}

/* c[0] x^n + c[1] x^(n-1) + … by Horner's rule */
static ir_value horner(maker *m, ir_value x, const float *c, size_t count) {
    ir_value sum = fc(m, c[0]);
    for (size_t k = 1; k < count; k++)
        sum = fma3(m, sum, x, fc(m, c[k]));
    return sum;
}

/* ---- Argument reduction ---- */

#define PIO2_HI     0x1.921fb6p+0f
#define PIO2_MID    -0x1.777a5cp-25f
#define PIO2_LO     -0x1.ee59dap-50f
#define TWO_OVER_PI 0x1.45f306p-1f

enum { QUADRANT, REST_HI, REST_LO, REDUCED };

/* Cody and Waite: the multiple of pi/2 is subtracted in three parts. */
static void reduce_small(maker *m, ir_value ax, ir_value out[REDUCED]) {
    ir_value turns = fma3(m, ax, fc(m, TWO_OVER_PI), fc(m, 0.5f));
    out[QUADRANT] = make(m, IR_CVT_U32_F32, IR_U32, &turns, 1, 0);
    ir_value n = neg(m, u_to_f(m, out[QUADRANT]));
    ir_value first = fma3(m, n, fc(m, PIO2_HI), ax);
    ir_value product = f2(m, IR_FMUL, n, fc(m, PIO2_MID));
    ir_value error = fma3(m, n, fc(m, PIO2_MID), neg(m, product));
    pair sum = two_sum(m, first, product);
    ir_value low = f2(m, IR_FADD, sum.lo, fma3(m, n, fc(m, PIO2_LO), error));
    pair rest = fast_two_sum(m, sum.hi, low);
    out[REST_HI] = rest.hi;
    out[REST_LO] = rest.lo;
}

/* Word i of five, as a chain of selects. */
static ir_value pick(maker *m, ir_value i, const uint32_t words[5]) {
    ir_value w = choose(m, compare(m, IR_ICMP_EQ, i, uc(m, 0)), uc(m, words[0]), uc(m, words[1]));
    for (uint32_t k = 2; k < 5; k++)
        w = choose(m, compare(m, IR_ICMP_EQ, i, uc(m, k)), uc(m, words[k]), w);
    return w;
}

static ir_value funnel(maker *m, ir_value hi, ir_value lo, ir_value shift) {
    ir_value rest = u2(m, IR_ISUB, uc(m, 31), shift);
    ir_value low = u2(m, IR_SHR, u2(m, IR_SHR, lo, uc(m, 1)), rest);
    return u2(m, IR_OR, u2(m, IR_SHL, hi, shift), low);
}

/* The 96 relevant bits of 2/pi times the mantissa: quadrant and fraction in two words. */
static void multiply_two_over_pi(maker *m, ir_value ax, ir_value *high, ir_value *low) {
    static const uint32_t bits[8] = {0,           0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
                                     0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu};
    ir_value mantissa = u2(m, IR_OR, u2(m, IR_AND, ax, uc(m, 0x007FFFFF)), uc(m, 0x00800000));
    ir_value skip = u2(m, IR_ISUB, u2(m, IR_SHR, ax, uc(m, 23)), uc(m, 120));
    ir_value i = u2(m, IR_SHR, skip, uc(m, 5)), shift = u2(m, IR_AND, skip, uc(m, 31));
    ir_value t[4], w[3];
    for (unsigned k = 0; k < 4; k++)
        t[k] = pick(m, i, bits + k);
    for (unsigned k = 0; k < 3; k++)
        w[k] = funnel(m, t[k], t[k + 1], shift);
    ir_value carried = u2(m, IR_IMUL_HI, mantissa, w[2]);
    *low = u2(m, IR_IADD, u2(m, IR_IMUL, mantissa, w[1]), carried);
    ir_value carry = choose(m, compare(m, IR_UCMP_LT, *low, carried), uc(m, 1), uc(m, 0));
    ir_value upper = u2(m, IR_IMUL_HI, mantissa, w[1]);
    *high = u2(m, IR_IADD, u2(m, IR_IMUL, mantissa, w[0]), upper);
    *high = u2(m, IR_IADD, *high, carry);
}

/* Payne and Hanek: only the bits of 2/pi that matter for the exponent are multiplied. */
static void reduce_large(maker *m, ir_value ax, ir_value out[REDUCED]) {
    ir_value high, low;
    multiply_two_over_pi(m, ax, &high, &low);
    out[QUADRANT] = u2(m, IR_SHR, u2(m, IR_IADD, high, uc(m, 0x20000000)), uc(m, 30));
    high = u2(m, IR_ISUB, high, u2(m, IR_SHL, out[QUADRANT], uc(m, 30)));
    ir_value sign = u2(m, IR_AND, high, uc(m, 0x80000000u));
    ir_value negative = compare(m, IR_ICMP_NE, sign, uc(m, 0));
    ir_value flip = choose(m, negative, uc(m, UINT32_MAX), uc(m, 0));
    ir_value low_zero = compare(m, IR_ICMP_EQ, low, uc(m, 0));
    ir_value borrows = make(m, IR_BAND, IR_BOOL, (ir_value[]){negative, low_zero}, 2, 0);
    ir_value borrow = choose(m, borrows, uc(m, 1), uc(m, 0));
    high = u2(m, IR_IADD, u2(m, IR_XOR, high, flip), borrow);
    ir_value one = u2(m, IR_AND, flip, uc(m, 1));
    low = u2(m, IR_IADD, u2(m, IR_XOR, low, flip), one);

    ir_value a = f2(m, IR_FMUL, u_to_f(m, u2(m, IR_SHR, high, uc(m, 6))), fc(m, 0x1p-24f));
    ir_value middle = u2(m, IR_SHR, low, uc(m, 14));
    middle = u2(m, IR_OR, u2(m, IR_SHL, u2(m, IR_AND, high, uc(m, 63)), uc(m, 18)), middle);
    ir_value b = f2(m, IR_FMUL, u_to_f(m, middle), fc(m, 0x1p-48f));
    ir_value c = f2(m, IR_FMUL, u_to_f(m, u2(m, IR_AND, low, uc(m, 0x3FFF))), fc(m, 0x1p-62f));
    pair fraction = fast_two_sum(m, a, b);
    fraction.lo = f2(m, IR_FADD, fraction.lo, c);

    ir_value product = f2(m, IR_FMUL, fraction.hi, fc(m, PIO2_HI));
    ir_value error = fma3(m, fraction.hi, fc(m, PIO2_HI), neg(m, product));
    ir_value tail =
        fma3(m, fraction.lo, fc(m, PIO2_HI), fma3(m, fraction.hi, fc(m, PIO2_MID), error));
    pair rest = fast_two_sum(m, product, tail);
    out[REST_HI] = as_f32(m, u2(m, IR_XOR, as_u32(m, rest.hi), sign));
    out[REST_LO] = as_f32(m, u2(m, IR_XOR, as_u32(m, rest.lo), sign));
}

/* The two reductions as the sides of an if; most arguments are small. */
static void reduce(maker *m, ir_value ax, ir_value out[REDUCED]) {
    static const ir_type types[REDUCED] = {IR_U32, IR_F32, IR_F32};
    ir_value small = compare(m, IR_UCMP_LT, ax, uc(m, 0x47000000));
    ir_value op = make(m, IR_IF, IR_VOID, &small, 1, 0);
    for (unsigned side = 0; side < 2 && !m->f->failed; side++) {
        ir_region region = ir_new_region(m->f, op);
        m->f->nodes[op].regions[side] = region;
        maker inner = {.f = m->f, .region = region, .pc = m->pc};
        ir_value values[REDUCED];
        if (side == 0)
            reduce_small(&inner, as_f32(&inner, ax), values);
        else
            reduce_large(&inner, ax, values);
        make(&inner, IR_YIELD, IR_VOID, values, REDUCED, 0);
    }
    for (unsigned k = 0; k < REDUCED; k++)
        out[k] = make(m, IR_RESULT, types[k], &op, 1, k);
}

/* ---- The functions: bits of x in, bits of the result out ---- */

static ir_value sin_poly(maker *m, pair r) {
    static const float c[] = {0x1.7c151ap-19f, -0x1.a05926p-13f, 0x1.111174p-7f, -0x1.555556p-3f};
    ir_value z = f2(m, IR_FMUL, r.hi, r.hi);
    ir_value s = horner(m, z, c, 4);
    ir_value tail = fma3(m, f2(m, IR_FMUL, fc(m, -0.5f), z), r.lo, r.lo);
    return f2(m, IR_FADD, r.hi, fma3(m, f2(m, IR_FMUL, r.hi, z), s, tail));
}

static ir_value cos_poly(maker *m, pair r) {
    static const float c[] = {0x1.99e42ep-16f, -0x1.6c0c20p-10f, 0x1.55554ap-5f};
    ir_value z = f2(m, IR_FMUL, r.hi, r.hi);
    ir_value poly = horner(m, z, c, 3);
    ir_value half = f2(m, IR_FMUL, fc(m, -0.5f), r.hi), one = fc(m, 1.0f);
    ir_value top = fma3(m, half, r.hi, one);
    ir_value error = fma3(m, half, r.hi, f2(m, IR_FSUB, one, top));
    ir_value tail = fma3(m, neg(m, r.hi), r.lo, error);
    tail = fma3(m, f2(m, IR_FMUL, z, z), poly, tail);
    return f2(m, IR_FADD, top, tail);
}

static ir_value sin_turned(maker *m, ir_value x, uint32_t turn, ir_value sign) {
    ir_value ax = u2(m, IR_AND, x, uc(m, 0x7FFFFFFF)), r[REDUCED];
    reduce(m, ax, r);
    ir_value quadrant = u2(m, IR_IADD, r[QUADRANT], uc(m, turn));
    ir_value s = sin_poly(m, (pair){r[REST_HI], r[REST_LO]});
    ir_value c = cos_poly(m, (pair){r[REST_HI], r[REST_LO]});
    ir_value odd = compare(m, IR_ICMP_NE, u2(m, IR_AND, quadrant, uc(m, 1)), uc(m, 0));
    ir_value bits = as_u32(m, choose(m, odd, c, s));
    ir_value turned = u2(m, IR_SHL, u2(m, IR_AND, quadrant, uc(m, 2)), uc(m, 30));
    bits = u2(m, IR_XOR, bits, u2(m, IR_XOR, turned, sign));
    return choose(m, compare(m, IR_UCMP_GE, ax, uc(m, 0x7F800000)), uc(m, 0x7FC00000), bits);
}

static ir_value sine(maker *m, ir_value x) {
    return sin_turned(m, x, 0, u2(m, IR_AND, x, uc(m, 0x80000000u)));
}

static ir_value cosine(maker *m, ir_value x) {
    return sin_turned(m, x, 1, uc(m, 0));
}

static ir_value exp2_poly(maker *m, ir_value f) {
    static const float c[] = {0x1.fb3138p-17f, 0x1.4392f8p-13f, 0x1.5d8a18p-10f,
                              0x1.3b2accp-7f,  0x1.c6b08ep-5f,  0x1.ebfbe0p-3f};
    ir_value hi = fc(m, 0x1.62e430p-1f), lo = fc(m, -0x1.05c610p-29f);
    ir_value e = horner(m, f, c, 6);
    ir_value head = f2(m, IR_FMUL, f, hi);
    ir_value error = fma3(m, f, hi, neg(m, head));
    ir_value tail = fma3(m, f, lo, error);
    tail = fma3(m, f2(m, IR_FMUL, f, f), e, tail);
    pair sum = fast_two_sum(m, fc(m, 1.0f), head);
    return f2(m, IR_FADD, sum.hi, f2(m, IR_FADD, sum.lo, tail));
}

static ir_value exponential(maker *m, ir_value x) {
    ir_value value = as_f32(m, x), top = fc(m, 160.0f), bottom = fc(m, -160.0f);
    ir_value bounded = choose(m, compare(m, IR_FCMP_LT, value, top), value, top);
    bounded = choose(m, compare(m, IR_FCMP_GT, bounded, bottom), bounded, bottom);
    ir_value below = compare(m, IR_FCMP_LT, bounded, fc(m, 0.0f));
    ir_value half = choose(m, below, fc(m, -0.5f), fc(m, 0.5f));
    ir_value nearest = f2(m, IR_FADD, bounded, half);
    ir_value n = make(m, IR_CVT_I32_F32, IR_U32, &nearest, 1, 0);
    ir_value f = f2(m, IR_FSUB, bounded, make(m, IR_CVT_F32_I32, IR_F32, &n, 1, 0));
    ir_value p = exp2_poly(m, f);

    ir_value small = compare(m, IR_ICMP_LT, n, uc(m, (uint32_t)-125));
    ir_value scale = choose(m, small, u2(m, IR_IADD, n, uc(m, 64)), n);
    ir_value exponent = u2(m, IR_SHL, scale, uc(m, 23));
    ir_value bits = u2(m, IR_IADD, as_u32(m, p), exponent);
    ir_value factor = choose(m, small, fc(m, 0x1p-64f), fc(m, 1.0f));
    ir_value result = as_u32(m, f2(m, IR_FMUL, as_f32(m, bits), factor));
    ir_value over = compare(m, IR_FCMP_GE, value, fc(m, 128.0f));
    result = choose(m, over, uc(m, 0x7F800000), result);
    return choose(m, compare(m, IR_FCMP_UNORD, value, value), uc(m, 0x7FC00000), result);
}

static ir_value log2_poly(maker *m, ir_value f, ir_value e) {
    static const float c[] = {0x1.6c7718p-4f, -0x1.44a25ap-3f, 0x1.5c144ap-3f, -0x1.71b29ap-3f,
                              0x1.a4f4eep-3f, -0x1.ec564ep-3f, 0x1.277954p-2f, -0x1.7154b8p-2f,
                              0x1.ec709cp-2f, -0x1.715476p-1f};
    ir_value hi = fc(m, 0x1.715476p+0f), lo = fc(m, 0x1.4ae0c0p-26f);
    ir_value l = horner(m, f, c, 10);
    ir_value head = f2(m, IR_FMUL, f, hi);
    ir_value error = fma3(m, f, hi, neg(m, head));
    ir_value square = f2(m, IR_FMUL, f, f);
    ir_value square_error = fma3(m, f, f, neg(m, square));
    ir_value tail = fma3(m, square, l, fma3(m, square_error, l, fma3(m, f, lo, error)));
    pair sum = fast_two_sum(m, e, head);
    return f2(m, IR_FADD, sum.hi, f2(m, IR_FADD, sum.lo, tail));
}

static ir_value logarithm(maker *m, ir_value x) {
    ir_value sqrt_half = uc(m, 0x3F3504F3), inf = uc(m, 0x7F800000);
    ir_value subnormal = compare(m, IR_UCMP_LT, x, uc(m, 0x00800000));
    ir_value bits = choose(m, subnormal, as_u32(m, u_to_f(m, x)), x);
    ir_value offset = u2(m, IR_ISUB, bits, sqrt_half);
    ir_value less = choose(m, subnormal, uc(m, 149), uc(m, 0));
    ir_value exponent = u2(m, IR_ISUB, u2(m, IR_SAR, offset, uc(m, 23)), less);
    ir_value scaled = u2(m, IR_IADD, u2(m, IR_AND, offset, uc(m, 0x007FFFFF)), sqrt_half);
    ir_value f = f2(m, IR_FSUB, as_f32(m, scaled), fc(m, 1.0f));
    ir_value e = make(m, IR_CVT_F32_I32, IR_F32, &exponent, 1, 0);
    ir_value result = as_u32(m, log2_poly(m, f, e));
    result = choose(m, compare(m, IR_ICMP_EQ, x, inf), inf, result);
    result = choose(m, compare(m, IR_UCMP_GT, x, inf), uc(m, 0x7FC00000), result);
    ir_value magnitude = u2(m, IR_AND, x, uc(m, 0x7FFFFFFF));
    return choose(m, compare(m, IR_ICMP_EQ, magnitude, uc(m, 0)), uc(m, 0xFF800000u), result);
}

bool ir_lower_math(ir_func *f) {
    bool changed = false;
    if (!ir_made(f, IR_FSIN) && !ir_made(f, IR_FCOS) && !ir_made(f, IR_FEXP2) &&
        !ir_made(f, IR_FLOG2))
        return false;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END && !f->failed;) {
        ir_op op = e == IR_AT_OP ? ir_op_of(f, w.op) : IR_NONE;
        if (op != IR_FSIN && op != IR_FCOS && op != IR_FEXP2 && op != IR_FLOG2)
            continue;
        maker m = {.f = f, .region = w.region, .at = w.op, .pc = ir_at(f, w.op)->pc};
        ir_value x = as_u32(&m, ir_arg(f, w.op, 0));
        ir_value bits = op == IR_FSIN    ? sine(&m, x)
                        : op == IR_FCOS  ? cosine(&m, x)
                        : op == IR_FEXP2 ? exponential(&m, x)
                                         : logarithm(&m, x);
        ir_at(f, w.op)->op = IR_BITCAST; /* users keep the id */
        ir_set_args(f, w.op, &bits, 1);
        changed = true;
    }
    return changed;
}
