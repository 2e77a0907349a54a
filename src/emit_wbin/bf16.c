/* Recognises bf16 instructions in the IR, which expresses them as f32 arithmetic and shifts
 * (ir/build_ops.c):
 *
 *   widened:   bitcast (shl w, 16)  of the low half,  bitcast (and w, FFFF0000) of the high one
 *   narrowed:  select (fcmp_unord x, x), 7FC0, (shr (bitcast x), 16)
 *
 *   a narrowed sum of two widened words is badd; an `or` of a low and a high one is badd2. */
#include "emit_wbin/code.h"

enum { SHIFT = 16, NOT_A_NUMBER = 0x7FC0, MOST = 32 };
static const uint32_t HIGH = 0xFFFF0000u;

/* The operations of a pattern, users before their operands. */
typedef struct matcher {
    wb_code *c;
    ir_region region;
    ir_value parts[MOST];
    unsigned count;
    bool elsewhere; /* one of them is in another region */
} matcher;

static bool is(matcher *m, ir_value v, ir_op op) {
    if (ir_op_of(m->c->f, v) != op)
        return false;
    m->elsewhere |= ir_at(m->c->f, v)->region != m->region || m->count == MOST;
    if (!m->elsewhere)
        m->parts[m->count++] = v;
    return true;
}

static ir_value arg(const matcher *m, ir_value v, unsigned k) {
    return ir_arg(m->c->f, v, k);
}

static bool is_number(const matcher *m, ir_value v, uint64_t number) {
    uint64_t bits;
    return ir_is_const(m->c->f, v, &bits) && bits == number;
}

/* The f32 that is narrowed, or 0. */
static ir_value narrowed(matcher *m, ir_value v) {
    if (!is(m, v, IR_SELECT) || !is_number(m, arg(m, v, 1), NOT_A_NUMBER))
        return 0;
    ir_value test = arg(m, v, 0), shift = arg(m, v, 2);
    if (!is(m, test, IR_FCMP_UNORD) || !is(m, shift, IR_SHR) ||
        !is_number(m, arg(m, shift, 1), SHIFT) || !is(m, arg(m, shift, 0), IR_BITCAST))
        return 0;
    ir_value x = arg(m, arg(m, shift, 0), 0);
    return arg(m, test, 0) == x && arg(m, test, 1) == x ? x : 0;
}

/* The word whose low or high half is widened, or 0. */
static ir_value widened(matcher *m, ir_value v, bool high) {
    if (!is(m, v, IR_BITCAST))
        return 0;
    ir_value w = arg(m, v, 0);
    return is(m, w, high ? IR_AND : IR_SHL) &&
                   is_number(m, arg(m, w, 1), high ? HIGH : (uint32_t)SHIFT)
               ? arg(m, w, 0)
               : 0;
}

static const struct {
    uint8_t op, one, two; /* of the IR; of the ISA, for one half and for two */
} kinds[] = {{IR_FADD, ISA_BADD, ISA_BADD2},
             {IR_FSUB, ISA_BSUB, ISA_NONE},
             {IR_FMUL, ISA_BMUL, ISA_BMUL2},
             {IR_FMA, ISA_BMA, ISA_BMA2}};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* The kind of arithmetic on widened words that x is, and the words; KINDS if it is none. */
static unsigned arithmetic(matcher *m, ir_value x, bool high, ir_value words[3]) {
    unsigned k = 0;
    while (k < KINDS && kinds[k].op != ir_op_of(m->c->f, x))
        k++;
    if (k == KINDS || !is(m, x, (ir_op)kinds[k].op))
        return KINDS;
    for (unsigned i = 0; i < ir_at(m->c->f, x)->arg_count; i++)
        if (!(words[i] = widened(m, arg(m, x, i), high)))
            return KINDS;
    return k;
}

static isa_op match_one(matcher *m, ir_value v, ir_value words[3]) {
    ir_value x = narrowed(m, v);
    unsigned before = m->count;
    if (!x)
        return ISA_NONE;
    unsigned kind = arithmetic(m, x, false, words);
    if (kind < KINDS && !m->elsewhere)
        return (isa_op)kinds[kind].one;
    m->count = before;
    m->elsewhere = false;
    words[0] = x;
    words[1] = words[2] = 0;
    return ISA_CVT_BF16_F32;
}

static isa_op match_two(matcher *m, ir_value v, ir_value words[3]) {
    ir_value high_words[3] = {0}, shift = arg(m, v, 1);
    if (!is(m, v, IR_OR) || !is(m, shift, IR_SHL) || !is_number(m, arg(m, shift, 1), SHIFT))
        return ISA_NONE;
    ir_value low = narrowed(m, arg(m, v, 0)), high = narrowed(m, arg(m, shift, 0));
    if (!low || !high)
        return ISA_NONE;
    unsigned kind = arithmetic(m, low, false, words);
    if (kind == KINDS || arithmetic(m, high, true, high_words) != kind)
        return ISA_NONE;
    bool same = words[0] == high_words[0] && words[1] == high_words[1];
    bool commutes = kinds[kind].op != IR_FSUB;
    bool swapped = commutes && words[0] == high_words[1] && words[1] == high_words[0];
    return (same || swapped) && words[2] == high_words[2] ? (isa_op)kinds[kind].two : ISA_NONE;
}

static isa_op match(matcher *m, ir_value v, ir_value words[3]) {
    isa_op op = ISA_NONE;
    if (ir_op_of(m->c->f, v) == IR_SELECT)
        op = match_one(m, v, words);
    else if (ir_op_of(m->c->f, v) == IR_OR)
        op = match_two(m, v, words);
    else if (ir_op_of(m->c->f, v) == IR_BITCAST && ir_type_of(m->c->f, v) == IR_F32 &&
             (words[0] = widened(m, v, false)))
        op = ISA_CVT_F32_BF16;
    return m->elsewhere ? ISA_NONE : op;
}

isa_op wb_match_bf16(wb_code *c, ir_value v, ir_value words[3]) {
    matcher m = {.c = c, .region = ir_at(c->f, v)->region};
    return match(&m, v, words);
}

/* Parts of the pattern that nothing else uses need no instruction. */
static void swallow(matcher *m, ir_value root) {
    wb_code *c = m->c;
    for (unsigned k = 0; k < m->count; k++) {
        ir_value v = m->parts[k];
        bool inside = v != root;
        for (uint32_t i = c->uses.first[v]; inside && i < c->uses.first[v + 1]; i++)
            inside = c->uses.users[i] == root || c->how[c->uses.users[i]] == WB_SWALLOWED;
        if (inside)
            c->how[v] = WB_SWALLOWED;
    }
}

bool wb_plan_bf16(wb_code *c, ir_value v) {
    matcher m = {.c = c, .region = ir_at(c->f, v)->region};
    ir_value words[3] = {0};
    isa_op op = match(&m, v, words);
    if (op == ISA_NONE || (op == ISA_CVT_F32_BF16 && wb_only_user(c, ir_arg(c->f, v, 0)) != v))
        return false;
    c->pattern[v] = (uint8_t)op;
    swallow(&m, v);
    swallow(&m, v); /* again: a part may be listed before its last user */
    return true;
}
