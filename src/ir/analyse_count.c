/* The iteration count of loops with a constant trip count. The operations that the exit condition
 * depends on are evaluated with the emulator's arithmetic, iteration by iteration, as LLVM's
 * computeExitCountExhaustively does. Wrapping, signed compares and steps of any kind (i + 1, m <<
 * 1, m * 3) therefore need no special cases. Everything is bounded: the values a condition may
 * depend on, the exits tried, the operations evaluated.
 *
 * A value that is not constant, such as a thread number, is a range. Sums of ranges are ranges, and
 * a compare must have the same result for all values in them: a loop that starts at a thread number
 * below 64 and counts in steps of 64 has one count for all threads. */
#include "ir/analyse.h"
#include "ir/fold.h"

enum {
    MOST_SLOTS = 24,     /* values an exit may depend on */
    MOST_OPERANDS = 4,   /* of an operation */
    MOST_EXITS = 4,      /* of a loop that are tried */
    MOST_STEPS = 4 * 256 /* operations run for one exit */
};

/* A constant, a range, a parameter of the loop, or an operation on earlier slots. */
typedef struct slot {
    ir_value v;
    uint8_t operands[MOST_OPERANDS];
    bool fixed;   /* not computed */
    uint8_t next; /* of a parameter: the slot with its value in the next iteration */
    ir_range now;
} slot;

typedef struct sequence {
    const ir_func *f;
    const ir_bits *bits;
    ir_value loop, next;
    slot slots[MOST_SLOTS];
    unsigned count, steps;
    bool open; /* compares may have both results */
} sequence;

/* ---- Ranges ---- */

/* The range of a sum or difference, if its two ends wrap equally often: what is between them is
 * then one range, too. */
static bool moved(ir_op op, ir_range x, ir_range y, ir_range *to) {
    bool down = op == IR_ISUB;
    uint64_t least = down ? x.least - y.most : x.least + y.least;
    uint64_t most = down ? x.most - y.least : x.most + y.most;
    if ((op != IR_IADD && !down) || least >> 32 != most >> 32)
        return false;
    *to = (ir_range){(uint32_t)least, (uint32_t)most};
    return true;
}

/* The result of a compare that is the same for all values in the ranges. */
static bool compared(ir_op op, ir_range x, ir_range y, ir_range *to) {
    uint64_t args[4] = {x.least, y.most}, others[4] = {x.most, y.least};
    switch (op) {
    case IR_ICMP_EQ:
    case IR_ICMP_NE:
        if (x.most >= y.least && y.most >= x.least)
            return false;
        break;
    case IR_ICMP_LT:
    case IR_ICMP_LE:
    case IR_ICMP_GT:
    case IR_ICMP_GE: /* a range with numbers of both signs is not one in this order */
        if ((x.least ^ x.most) >> 31 || (y.least ^ y.most) >> 31)
            return false;
        break;
    case IR_UCMP_LT:
    case IR_UCMP_LE:
    case IR_UCMP_GT:
    case IR_UCMP_GE: break;
    default: return false;
    }
    if (!ir_fold(op, IR_BOOL, args, &to->least) || !ir_fold(op, IR_BOOL, others, &to->most))
        return false;
    return to->least == to->most;
}

static ir_range known_range(const ir_func *f, const ir_bits *bits, ir_value v) {
    uint64_t c;
    if (ir_is_const(f, v, &c))
        return (ir_range){c, c};
    return (ir_range){0, v < bits->count ? bits->of[v].max : UINT32_MAX};
}

ir_range ir_range_of(const ir_func *f, const ir_bits *bits, ir_value v) {
    ir_range r = known_range(f, bits, v);
    ir_op op = ir_op_of(f, v);
    if (op == IR_IADD || op == IR_ISUB)
        moved(op, known_range(f, bits, ir_arg(f, v, 0)), known_range(f, bits, ir_arg(f, v, 1)), &r);
    return r;
}

/* ---- Evaluation ---- */

static unsigned find(const sequence *s, ir_value v) {
    unsigned k = 0;
    while (k < s->count && s->slots[k].v != v)
        k++;
    return k;
}

static bool is_param(const sequence *s, ir_value v) {
    return ir_op_of(s->f, v) == IR_PARAM &&
           ir_at(s->f, v)->region == ir_at(s->f, s->loop)->regions[0];
}

static bool can_run(const sequence *s, ir_value v) {
    unsigned flags = ir_ops[ir_op_of(s->f, v)].flags;
    return flags & IR_PURE && !(flags & (IR_WAVE | IR_LEAF | IR_UNIQUE)) &&
           ir_at(s->f, v)->arg_count <= MOST_OPERANDS;
}

static bool is_single(ir_range r) {
    return r.least == r.most;
}

/* What is known about a value that is not computed here. */
static bool start_with(const sequence *s, ir_value v, ir_range *now) {
    *now = ir_range_of(s->f, s->bits, v);
    return is_single(*now) ||
           (ir_type_of(s->f, v) == IR_U32 && now->most - now->least < UINT32_MAX);
}

/* Adds the value and its operands; each call adds a slot or fails, so the depth is bounded. */
static bool add(sequence *s, ir_value v, unsigned depth) {
    slot made = {.v = v};
    if (find(s, v) < s->count)
        return true;
    if (depth == MOST_SLOTS)
        return false;
    if (is_param(s, v)) {
        if (!start_with(s, ir_arg(s->f, s->loop, (unsigned)ir_at(s->f, v)->imm), &made.now))
            return false;
    } else if (ir_op_of(s->f, v) == IR_CONST || !can_run(s, v)) {
        if (!start_with(s, v, &made.now))
            return false;
        made.fixed = true;
    } else {
        for (unsigned k = 0; k < ir_at(s->f, v)->arg_count; k++)
            if (!add(s, ir_arg(s->f, v, k), depth + 1))
                return false;
        for (unsigned k = 0; k < ir_at(s->f, v)->arg_count; k++)
            made.operands[k] = (uint8_t)find(s, ir_arg(s->f, v, k));
        s->steps++;
    }
    if (s->count == MOST_SLOTS)
        return false;
    s->slots[s->count++] = made;
    return true;
}

/* Collects the condition, then the next values of its parameters, and of the parameters those
 * depend on. */
static bool collect(sequence *s, ir_value condition) {
    if (!add(s, condition, 0))
        return false;
    for (unsigned k = 0; k < s->count; k++) {
        if (!is_param(s, s->slots[k].v))
            continue;
        ir_value then = ir_arg(s->f, s->next, (unsigned)ir_at(s->f, s->slots[k].v)->imm);
        if (!add(s, then, 0))
            return false;
        s->slots[k].next = (uint8_t)find(s, then);
    }
    return true;
}

static bool run_slot(const sequence *s, slot *t) {
    ir_op op = ir_op_of(s->f, t->v);
    uint64_t args[MOST_OPERANDS] = {0};
    ir_range ranges[MOST_OPERANDS] = {{0}};
    bool single = true;
    for (unsigned n = 0; n < ir_at(s->f, t->v)->arg_count; n++) {
        ranges[n] = s->slots[t->operands[n]].now;
        args[n] = ranges[n].least;
        single = single && is_single(ranges[n]);
    }
    if (!single) {
        if (moved(op, ranges[0], ranges[1], &t->now) || compared(op, ranges[0], ranges[1], &t->now))
            return true;
        t->now = (ir_range){0, 1};
        return s->open && ir_type_of(s->f, t->v) == IR_BOOL;
    }
    if (!ir_fold(op, ir_type_of(s->f, t->v), args, &t->now.least))
        return false;
    t->now.most = t->now.least;
    return true;
}

static bool run(sequence *s) {
    for (unsigned k = 0; k < s->count; k++) {
        slot *t = &s->slots[k];
        if (!t->fixed && !is_param(s, t->v) && !run_slot(s, t))
            return false;
    }
    return true;
}

static void advance(sequence *s) {
    ir_range then[MOST_SLOTS];
    for (unsigned k = 0; k < s->count; k++)
        then[k] = s->slots[is_param(s, s->slots[k].v) ? s->slots[k].next : k].now;
    for (unsigned k = 0; k < s->count; k++)
        s->slots[k].now = then[k];
}

/* An exit: an if in the body's own region with the break on one side, whose other side yields. */
static bool is_exit(const ir_func *f, ir_value loop, ir_value leave, ir_counted *c) {
    ir_region side = ir_at(f, leave)->region;
    ir_value exit = f->regions[side].owner;
    if (ir_op_of(f, exit) != IR_IF || ir_at(f, exit)->region != ir_at(f, loop)->regions[0])
        return false;
    c->exit = exit;
    c->side = ir_at(f, exit)->regions[1] == side;
    c->leave = leave;
    return ir_op_of(f, f->regions[ir_at(f, exit)->regions[!c->side]].last) == IR_YIELD;
}

bool ir_find_exit(const ir_func *f, const ir_ends *ends, ir_value loop, ir_counted *c) {
    ir_value last = ir_first_end(f, ends, loop), other = last ? ir_next_end(f, ends, last) : 0;
    if (!other || ir_next_end(f, ends, other) || ir_op_of(f, last) != IR_CONTINUE ||
        ir_op_of(f, other) != IR_BREAK || ir_at(f, last)->region != ir_at(f, loop)->regions[0])
        return false;
    c->next = last;
    c->only = true;
    return is_exit(f, loop, other, c);
}

/* The iteration that takes the exit, if it is reached; 0 when unknown or later than `limit`. An
 * earlier one may take it if `open`. */
static uint32_t count(const ir_func *f, const ir_bits *bits, ir_value loop, const ir_counted *c,
                      uint32_t limit, bool open) {
    sequence s = {.f = f, .bits = bits, .loop = loop, .next = c->next, .open = open};
    ir_value condition = ir_arg(f, c->exit, 0);
    if (!collect(&s, condition))
        return 0;
    unsigned at = find(&s, condition);
    for (uint32_t n = 1; n <= limit && n * s.steps <= MOST_STEPS && run(&s); n++) {
        if (is_single(s.slots[at].now) && (s.slots[at].now.least != 0) == (c->side == 0))
            return n;
        advance(&s);
    }
    return 0;
}

bool ir_runs_once(const ir_func *f, const ir_bits *bits, ir_value loop, ir_counted *c) {
    if (!ir_find_exit(f, &bits->ends, loop, c))
        return false;
    c->iterations = count(f, bits, loop, c, 2, true);
    return c->iterations == 2;
}

/* The loop has one continue, at the end of the body, and breaks: the break that is reached first
 * counts. */
bool ir_count_loop(const ir_func *f, const ir_bits *bits, ir_value loop, uint32_t limit,
                   ir_counted *counted) {
    const ir_ends *ends = &bits->ends;
    ir_value last = ir_first_end(f, ends, loop), first = last ? ir_next_end(f, ends, last) : 0;
    if (!first || ir_op_of(f, last) != IR_CONTINUE ||
        ir_at(f, last)->region != ir_at(f, loop)->regions[0])
        return false;
    for (ir_value t = first; t; t = ir_next_end(f, ends, t))
        if (ir_op_of(f, t) != IR_BREAK)
            return false;
    *counted = (ir_counted){0};
    ir_counted c = {.next = last, .only = !ir_next_end(f, ends, first)};
    unsigned tried = 0;
    for (ir_value t = first; t && tried < MOST_EXITS; t = ir_next_end(f, ends, t)) {
        if (!is_exit(f, loop, t, &c))
            continue;
        tried++;
        c.iterations = count(f, bits, loop, &c, limit, false);
        if (c.iterations && (!counted->exit || c.iterations <= counted->iterations))
            *counted = c;
    }
    return counted->exit;
}
