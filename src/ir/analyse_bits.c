/* Known zero bits and unsigned bounds of u32 and u64 values: a forward analysis in one walk. The
 * upper half of a u32 counts as zeros. A loop parameter that only grows by a known step is known
 * before its loop is visited: the low zero bits common to both remain, and a constant iteration
 * count bounds it. */
#include "base/scalar_i64.h"
#include "ir/analyse.h"

#include <stdlib.h>

enum { MOST_ITERATIONS = 256 };

typedef ir_known known;

/* All ones for an integer type; other types may have any bits. */
static uint64_t top_of(ir_type type) {
    return type == IR_U32 ? UINT32_MAX : UINT64_MAX;
}

static known unknown(uint64_t top) {
    return (known){~top, top};
}

static bool is_integer(ir_type type) {
    return type == IR_U32 || type == IR_U64;
}

typedef struct finder {
    const ir_func *f;
    const ir_bits *bits;
} finder;

static known at(const finder *b, ir_value v) {
    return b->bits->of[v];
}

/* All ones up to the highest set bit of x. */
static uint64_t mask_of(uint64_t x) {
    for (unsigned k = 1; k < 64; k *= 2)
        x |= x >> k;
    return x;
}

/* The zero bits may improve the bound, or the bound the zero bits. `max` never exceeds ~zeros. */
static known settled(known k) {
    if (k.max >= ~k.zeros)
        return (known){k.zeros, ~k.zeros};
    k.zeros |= ~mask_of(k.max);
    return k;
}

static known exactly(uint64_t c) {
    return (known){~c, c};
}

static known at_most(uint64_t max) {
    return settled((known){0, max});
}

static known either(known a, known b) {
    return (known){a.zeros & b.zeros, a.max > b.max ? a.max : b.max};
}

/* Ones below the lowest bit that may be set. */
static uint64_t low_zeros(uint64_t zeros) {
    return zeros & ~(zeros + 1);
}

/* ---- Leaves ---- */

static known special(const ir_func *f, uint64_t which) {
    uint32_t product = f->workgroup[0] * f->workgroup[1] * f->workgroup[2];
    bool fixed = f->workgroup[0] && f->workgroup[1] && f->workgroup[2];
    uint32_t width = f->wave_width;
    switch (which) {
    case ISA_SR_THREAD_ID_X:
    case ISA_SR_THREAD_ID_Y:
    case ISA_SR_THREAD_ID_Z:
        return at_most(fixed ? f->workgroup[which - ISA_SR_THREAD_ID_X] - 1 : 1023);
    case ISA_SR_WORKGROUP_SIZE_X:
    case ISA_SR_WORKGROUP_SIZE_Y:
    case ISA_SR_WORKGROUP_SIZE_Z:
        return fixed ? exactly(f->workgroup[which - ISA_SR_WORKGROUP_SIZE_X]) : at_most(1024);
    case ISA_SR_LANE_ID: return at_most(width ? width - 1 : 63);
    case ISA_SR_WAVE_WIDTH: return width ? exactly(width) : at_most(64);
    case ISA_SR_WAVE_ID:
        return fixed && width ? at_most((product + width - 1) / width - 1) : at_most(1023);
    case ISA_SR_NUM_WAVES:
        return fixed && width ? exactly((product + width - 1) / width) : at_most(1024);
    default: return unknown(UINT32_MAX);
    }
}

static known leaf(const ir_func *f, const ir_node *n) {
    if (n->op == IR_CONST)
        return exactly(n->imm);
    return n->op == IR_SPECIAL ? special(f, n->imm) : unknown(UINT32_MAX);
}

/* ---- Operations ---- */

static known sum(known a, known b, uint64_t top) {
    if ((~a.zeros & ~b.zeros) == 0) /* no carry anywhere */
        return settled((known){a.zeros & b.zeros, a.max + b.max});
    known k = {(low_zeros(a.zeros) & low_zeros(b.zeros)) | ~top, top};
    if (a.max <= top - b.max)
        k.max = a.max + b.max;
    return settled(k);
}

static known product(known a, known b, uint64_t top) {
    uint64_t x = low_zeros(a.zeros) + 1, y = low_zeros(b.zeros) + 1; /* powers of two; 0: 2^64 */
    if (x == 0 || y == 0)
        return exactly(0);
    known k = {(x <= top / y ? x * y - 1 : 0) | ~top, top};
    if (b.max == 0 || a.max <= top / b.max)
        k.max = a.max * b.max;
    return settled(k);
}

static known shifted_left(known a, uint32_t by, uint64_t top) {
    return settled((known){a.zeros << by | (((uint64_t)1 << by) - 1) | ~top,
                           a.max <= top >> by ? a.max << by : top});
}

static known shifted_right(known a, uint32_t by, uint64_t top) {
    return settled((known){a.zeros >> by | ~(top >> by), a.max >> by});
}

static known by_constant(ir_op op, known a, uint64_t c, uint64_t top) {
    uint32_t by = (uint32_t)c & (top == UINT32_MAX ? 31 : 63);
    switch (op) {
    case IR_SHL:
    case IR_LSHL: return shifted_left(a, by, top);
    case IR_SAR:
    case IR_LSAR:
        if (a.max > top >> 1)
            return unknown(top);
        /* fall through */
    case IR_SHR:
    case IR_LSHR: return shifted_right(a, by, top);
    case IR_UDIV:
    case IR_LUDIV: return c ? at_most(a.max / c) : unknown(top);
    case IR_UMOD:
    case IR_LUMOD: return c ? at_most(a.max < c ? a.max : c - 1) : unknown(top);
    default: return unknown(top);
    }
}

static known binary(const finder *b, ir_value v) {
    known x = at(b, ir_arg(b->f, v, 0)), y = at(b, ir_arg(b->f, v, 1));
    uint64_t c, top = top_of(ir_type_of(b->f, v));
    bool positive = x.max <= INT32_MAX && y.max <= INT32_MAX;
    switch (ir_op_of(b->f, v)) {
    case IR_IADD:
    case IR_LADD: return sum(x, y, top);
    case IR_ISUB:
    case IR_LSUB: return settled((known){(low_zeros(x.zeros) & low_zeros(y.zeros)) | ~top, top});
    case IR_IMUL:
    case IR_LMUL: return product(x, y, top);
    case IR_LMUL_HI: return at_most(sc_lmul_hi(x.max, y.max));
    case IR_PACK64:
        return settled((known){(x.zeros & UINT32_MAX) | y.zeros << 32, y.max << 32 | x.max});
    case IR_AND: return settled((known){x.zeros | y.zeros, x.max < y.max ? x.max : y.max});
    case IR_OR:
    case IR_XOR: return settled((known){x.zeros & y.zeros, top});
    case IR_IMIN:
        if (!positive)
            return unknown(top);
        /* fall through */
    case IR_UMIN: return settled((known){x.zeros & y.zeros, x.max < y.max ? x.max : y.max});
    case IR_IMAX:
        if (!positive)
            return unknown(top);
        /* fall through */
    case IR_UMAX: return either(x, y);
    default:
        return ir_is_const(b->f, ir_arg(b->f, v, 1), &c) ? by_constant(ir_op_of(b->f, v), x, c, top)
                                                         : unknown(top);
    }
}

static known half(known pair, bool high) {
    if (high)
        return settled((known){pair.zeros >> 32 | ~(uint64_t)UINT32_MAX, pair.max >> 32});
    return settled((known){pair.zeros | ~(uint64_t)UINT32_MAX,
                           pair.max <= UINT32_MAX ? pair.max : UINT32_MAX});
}

/* ---- Values with several sources ---- */

/* What a terminator passes may be a constant made since the analysis began. */
static known passed(const finder *b, ir_value end, unsigned k) {
    ir_value v = ir_arg(b->f, end, k);
    return v < b->bits->count ? at(b, v) : leaf(b->f, ir_at(b->f, v));
}

static known result(const finder *b, ir_value v) {
    const ir_func *f = b->f;
    ir_value owner = ir_arg(f, v, 0);
    unsigned k = (unsigned)ir_at(f, v)->imm;
    known all = {UINT64_MAX, 0};
    bool any = false;
    if (ir_op_of(f, owner) == IR_IF)
        for (unsigned side = 0; side < 2; side++) {
            ir_value end = f->regions[ir_at(f, owner)->regions[side]].last;
            if (ir_op_of(f, end) != IR_YIELD)
                continue;
            all = either(all, passed(b, end, k));
            any = true;
        }
    else if (ir_op_of(f, owner) == IR_LOOP)
        for (ir_value t = ir_first_end(f, &b->bits->ends, owner); t;
             t = ir_next_end(f, &b->bits->ends, t))
            if (ir_op_of(f, t) == IR_BREAK) {
                all = either(all, passed(b, t, k));
                any = true;
            }
    return any ? all : unknown(top_of(ir_type_of(f, v)));
}

/* The value that every continue adds to the parameter, or 0. */
static ir_value step_of(const finder *b, ir_value loop, ir_value param) {
    const ir_func *f = b->f;
    unsigned k = (unsigned)ir_at(f, param)->imm;
    ir_value step = 0;
    for (ir_value t = ir_first_end(f, &b->bits->ends, loop); t;
         t = ir_next_end(f, &b->bits->ends, t)) {
        if (ir_op_of(f, t) != IR_CONTINUE || ir_arg(f, t, k) == param)
            continue;
        ir_value next = ir_arg(f, t, k);
        if (ir_op_of(f, next) != IR_IADD || ir_arg(f, next, 0) != param ||
            (step && step != ir_arg(f, next, 1)))
            return 0;
        step = ir_arg(f, next, 1);
    }
    return step;
}

static known param(const finder *b, ir_value v, ir_value loop, uint32_t iterations) {
    known start = at(b, ir_arg(b->f, loop, (unsigned)ir_at(b->f, v)->imm));
    ir_value by = step_of(b, loop, v);
    if (!by)
        return unknown(UINT32_MAX);
    known step = at(b, by); /* unknown when it is made in the loop */
    known k = {(low_zeros(start.zeros) & low_zeros(step.zeros)) | ~(uint64_t)UINT32_MAX,
               UINT32_MAX};
    uint64_t most = start.max + step.max * (iterations ? iterations - 1 : 0);
    if (iterations && most <= UINT32_MAX)
        k.max = most;
    return settled(k);
}

static void visit_params(finder *b, ir_value loop) {
    const ir_func *f = b->f;
    ir_counted counted = {0};
    uint32_t iterations = 0;
    if (ir_count_loop(f, b->bits, loop, MOST_ITERATIONS, &counted))
        iterations = counted.iterations;
    ir_value p = f->regions[ir_at(f, loop)->regions[0]].first;
    for (; ir_op_of(f, p) == IR_PARAM; p = ir_at(f, p)->next) {
        if (ir_type_of(f, p) != IR_U32)
            continue;
        b->bits->of[p] = param(b, p, loop, iterations);
    }
}

const bool ir_tells_bits[IR_OP_COUNT] = {
    [IR_RESULT] = true, [IR_SELECT] = true,   [IR_LO64] = true,
    [IR_HI64] = true,   [IR_PACK64] = true,   [IR_ZEXT16] = true,
    [IR_LOAD] = true,   [IR_BITCOUNT] = true, [IR_WAVE_BALLOT64] = true,
    [IR_IADD] = true,   [IR_ISUB] = true,     [IR_IMUL] = true,
    [IR_LADD] = true,   [IR_LSUB] = true,     [IR_LMUL] = true,
    [IR_AND] = true,    [IR_OR] = true,       [IR_XOR] = true,
    [IR_IMIN] = true,   [IR_IMAX] = true,     [IR_UMIN] = true,
    [IR_UMAX] = true,   [IR_SHL] = true,      [IR_SHR] = true,
    [IR_SAR] = true,    [IR_LSHL] = true,     [IR_LSHR] = true,
    [IR_LSAR] = true,   [IR_UDIV] = true,     [IR_UMOD] = true,
    [IR_LUDIV] = true,  [IR_LUMOD] = true,    [IR_LMUL_HI] = true,
    [IR_LOOP] = true, /* about its parameters */
};

static known of(const finder *b, ir_value v) {
    const ir_node *n = ir_at(b->f, v);
    switch (n->op) {
    case IR_RESULT: return result(b, v);
    case IR_SELECT: return either(at(b, n->args[1]), at(b, n->args[2]));
    case IR_LO64:
    case IR_HI64: return half(at(b, n->args[0]), n->op == IR_HI64);
    case IR_ZEXT16: return at_most(0xFFFF);
    case IR_BITCOUNT: return at_most(32);
    case IR_WAVE_BALLOT64:
        return b->f->wave_width && b->f->wave_width <= 32 ? at_most(UINT32_MAX)
                                                          : unknown(UINT64_MAX);
    case IR_LOAD: {
        unsigned bytes = ir_access_unpack(n->imm).bytes;
        return bytes < 4 ? at_most((1u << 8 * bytes) - 1) : unknown(UINT32_MAX);
    }
    default: return binary(b, v);
    }
}

void ir_learn_these_bits(const ir_func *f, ir_bits *bits, ir_value v) {
    const ir_node *n = ir_at(f, v);
    finder b = {f, bits};
    if (is_integer((ir_type)n->type))
        bits->of[v] = of(&b, v);
    else if (n->op == IR_LOOP)
        visit_params(&b, v);
}

bool ir_start_bits(const ir_func *f, ir_bits *bits) {
    known nothing[IR_TYPE_COUNT];
    bits->count = f->node_count;
    bits->of = malloc(f->node_count * sizeof *bits->of);
    if (!bits->of || !ir_find_ends(f, &bits->ends)) {
        ir_free_bits(bits);
        return false;
    }
    for (unsigned type = 0; type < IR_TYPE_COUNT; type++)
        nothing[type] = unknown(top_of((ir_type)type));
    for (ir_value v = 0, end = f->node_count; v < end; v++)
        bits->of[v] = nothing[ir_type_of(f, v)];
    for (uint32_t i = 0; i < f->leaf_capacity; i++) {
        ir_value v = f->leaves[i];
        if (v && is_integer(ir_type_of(f, v)))
            bits->of[v] = leaf(f, ir_at(f, v));
    }
    return true;
}

bool ir_find_bits(const ir_func *f, ir_bits *bits) {
    if (!ir_start_bits(f, bits))
        return false;
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v))
        ir_learn_bits(f, bits, v);
    return true;
}

static bool no_wrap(known k, uint32_t c) {
    return (c & ~k.zeros) == 0 || k.max <= UINT32_MAX - c;
}

static known ask(const ir_bits *bits, ir_value v) {
    return v < bits->count ? bits->of[v] : unknown(UINT32_MAX);
}

bool ir_bits_sum_no_wrap(const ir_bits *bits, ir_value a, ir_value b, uint32_t c) {
    return no_wrap(sum(ask(bits, a), ask(bits, b), UINT32_MAX), c);
}

bool ir_bits_shl_no_wrap(const ir_bits *bits, ir_value v, uint32_t by, uint32_t c) {
    return no_wrap(shifted_left(ask(bits, v), by & 31, UINT32_MAX), c);
}

void ir_free_bits(ir_bits *bits) {
    free(bits->of);
    ir_free_ends(&bits->ends);
    *bits = (ir_bits){0};
}
