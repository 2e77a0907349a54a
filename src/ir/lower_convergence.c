/* Makes convergent operations stand in wave-uniform control flow only.
 *
 *   if %c {                              %m = band %active, %c
 *     %2 = wave_reduce_add %t, %1        if any(%m) {
 *     yield %2                             %s = select %m, %1, 0
 *   } else {                        →      %2 = wave_reduce_add %t0, %s
 *     yield 0                              yield %2
 *   }                                    } else { yield 0 }
 *   %3 = result                          %3 = select %c, %4, 0
 *
 * A divergent if or loop that contains a convergent operation is entered while any lane of the wave
 * is active, with a mask of the active lanes: break, continue and halt only take lanes out of it.
 * Pure operations are executed by all lanes, effects stand in an if of the mask, and lanes outside
 * the mask give convergent operations the identity. Uniform ifs and loops stay, and so do divergent
 * ones without convergent operations. Afterwards all lanes of a wave execute every convergent
 * operation together. The function is written anew in one walk. */
#include "ir/analyse.h"
#include "ir/lower.h"
#include "ir/ssa.h"

#include <stdlib.h>
#include <string.h>

/* What stands in an if or loop. */
enum { HOLDS_WAVE = 1, HOLDS_HALT = 2, HOLDS_LOOP_EXIT = 4, HOLDS_DIVERGENT_HALT = 8 };

typedef enum frame_mode { KEEP_IF, KEEP_LOOP, MASK_IF, MASK_LOOP } frame_mode;

typedef struct frame {
    frame_mode mode;
    ir_value old; /* the operation in the old function */
    bool guarded; /* an if of the mask stands around it */
    bool plain;   /* copied as it is, all the way down */
    bool bare;    /* masked if: nothing is done in its second side */
    ssa_if guard, branch;
    ssa_loop loop;
    ir_value condition;   /* masked if */
    ir_value entered;     /* the mask when it was reached */
    ir_value after_first; /* masked if: lanes left at the end of its first side */
    uint32_t results;     /* first variable of its results */
    uint32_t params; /* first variable of a loop's parameters; of a masked loop the next ones' */
    uint32_t result_count, param_count;
    uint32_t waiting; /* masked loop: variable of the lanes that wait for its next iteration */
    uint32_t *carried;
    bool *same; /* masked loop, by parameter: every continue brings the same value */
} frame;

typedef struct lowering {
    const ir_func *old;
    ir_func *new;
    ssa s;
    ir_uniformity uniform;
    ir_ends ends;
    uint8_t *holds; /* by operation: HOLDS_… */
    ir_value *to;   /* new value of each old one */
    frame *frames;
    uint32_t frame_count, plain_depth;
    bool mask_halts;       /* a halted lane would be missed */
    uint32_t active, live; /* variables: the mask; lanes that have not halted */
    ir_value token;
} lowering;

/* ---- Booleans, folded as they are made ---- */

static bool is_bool(const lowering *w, ir_value v, bool value) {
    uint64_t bits;
    return ir_is_const(w->new, v, &bits) && bits == value;
}

static ir_value truth(lowering *w, bool value) {
    return ir_const(w->new, IR_BOOL, value);
}

static ir_value both(lowering *w, ir_value a, ir_value b) {
    if (is_bool(w, a, true) || is_bool(w, b, false) || a == b)
        return b;
    if (is_bool(w, b, true) || is_bool(w, a, false))
        return a;
    return ssa_emit(&w->s, IR_BAND, IR_BOOL, (ir_value[]){a, b}, 2, 0);
}

static ir_value either(lowering *w, ir_value a, ir_value b) {
    if (is_bool(w, a, false) || is_bool(w, b, true) || a == b)
        return b;
    if (is_bool(w, b, false) || is_bool(w, a, true))
        return a;
    return ssa_emit(&w->s, IR_BOR, IR_BOOL, (ir_value[]){a, b}, 2, 0);
}

static ir_value opposite(lowering *w, ir_value a) {
    uint64_t bits;
    if (ir_is_const(w->new, a, &bits))
        return truth(w, !bits);
    return ssa_emit(&w->s, IR_BNOT, IR_BOOL, &a, 1, 0);
}

static ir_value choose(lowering *w, ir_value condition, ir_value yes, ir_value no) {
    if (yes == no || is_bool(w, condition, true))
        return yes;
    if (is_bool(w, condition, false))
        return no;
    return ssa_emit(&w->s, IR_SELECT, ir_type_of(w->new, yes), (ir_value[]){condition, yes, no}, 3,
                    0);
}

static ir_value any(lowering *w, ir_value mask) {
    uint64_t bits;
    if (ir_is_const(w->new, mask, &bits))
        return mask;
    return ssa_emit(&w->s, IR_WAVE_ANY, IR_BOOL, (ir_value[]){w->token, mask}, 2, 0);
}

static ir_value active(const lowering *w) {
    return ssa_read(&w->s, w->active);
}

static void set_active(lowering *w, ir_value mask) {
    ssa_write(&w->s, w->active, mask);
}

/* ---- Values ---- */

static ir_value mapped(lowering *w, ir_value v) {
    const ir_node *n = ir_at(w->old, v);
    if (ir_has(w->old, v, IR_LEAF))
        return ir_leaf(w->new, (ir_op)n->op, (ir_type)n->type, n->imm);
    return w->to[v];
}

static ir_value arg(lowering *w, ir_value v, unsigned index) {
    return mapped(w, ir_arg(w->old, v, index));
}

static ir_value zero(lowering *w, ir_type type) {
    return ir_const(w->new, type, 0);
}

/* The same operation with mapped operands. */
static ir_value copy(lowering *w, ir_value v) {
    const ir_node *n = ir_at(w->old, v);
    ir_value args[8];
    unsigned count = n->arg_count; /* effects and pure operations have few */
    for (unsigned k = 0; k < count; k++)
        args[k] = arg(w, v, k);
    return ssa_emit(&w->s, (ir_op)n->op, (ir_type)n->type, args, count, n->imm);
}

/* ---- Convergent operations under a mask ---- */

static ir_value wave1(lowering *w, ir_op op, ir_type type, ir_value x) {
    return ssa_emit(&w->s, op, type, (ir_value[]){w->token, x}, 2, 0);
}

static ir_value wave2(lowering *w, ir_op op, ir_value x, ir_value y) {
    return ssa_emit(&w->s, op, IR_U32, (ir_value[]){w->token, x, y}, 3, 0);
}

/* The lane number comes from the lowest active lane. */
static ir_value broadcast(lowering *w, ir_value mask, ir_value value, ir_value lane) {
    ir_value self = ir_leaf(w->new, IR_SPECIAL, IR_U32, ISA_SR_LANE_ID);
    ir_value none = ir_const(w->new, IR_U32, UINT32_MAX);
    ir_value lowest = wave1(w, IR_WAVE_REDUCE_MIN, IR_U32, choose(w, mask, self, none));
    ir_value source = wave2(w, IR_WAVE_SHUFFLE, lane, lowest);
    return wave2(w, IR_WAVE_SHUFFLE, value, source);
}

static ir_value lower_wave(lowering *w, ir_value v) {
    ir_op op = ir_op_of(w->old, v);
    ir_type type = ir_type_of(w->old, v);
    ir_value mask = active(w);
    if (op == IR_BARRIER) /* every live lane is here; the halted ones come along */
        return ssa_emit(&w->s, IR_BARRIER, IR_VOID, &w->token, 1, 0);
    ir_value x = arg(w, v, 1);
    uint32_t identity = op == IR_WAVE_REDUCE_MIN || op == IR_WAVE_REDUCE_AND ? UINT32_MAX : 0;
    switch (op) {
    case IR_WAVE_BALLOT:
    case IR_WAVE_ANY: return wave1(w, op, type, both(w, x, mask));
    case IR_WAVE_ALL: return wave1(w, op, type, either(w, x, opposite(w, mask)));
    case IR_WAVE_BROADCAST:
        x = choose(w, mask, x, zero(w, IR_U32));
        if (is_bool(w, mask, true))
            return wave2(w, op, x, arg(w, v, 2));
        return broadcast(w, mask, x, arg(w, v, 2));
    case IR_WAVE_SHUFFLE:
    case IR_WAVE_SHUFFLE_UP:
    case IR_WAVE_SHUFFLE_DOWN:
    case IR_WAVE_SHUFFLE_XOR:
        return wave2(w, op, choose(w, mask, x, zero(w, IR_U32)), arg(w, v, 2));
    default: return wave1(w, op, type, choose(w, mask, x, ir_const(w->new, IR_U32, identity)));
    }
}

/* ---- Plain operations ---- */

/* The values an operation defines, one after the other: itself, or the results behind it. */
static ir_value next_value(const ir_func *f, ir_value op, ir_value v) {
    if (ir_type_of(f, op) != IR_VOID)
        return v ? 0 : op;
    ir_value r = ir_at(f, v ? v : op)->next;
    return r && ir_op_of(f, r) == IR_RESULT && ir_arg(f, r, 0) == op ? r : 0;
}

static void copy_with_results(lowering *w, ir_value v) {
    ir_value made = copy(w, v);
    w->to[v] = made;
    if (ir_type_of(w->old, v) != IR_VOID)
        return;
    for (ir_value r = 0; (r = next_value(w->old, v, r));)
        w->to[r] = ssa_emit(&w->s, IR_RESULT, (ir_type)ir_at(w->old, r)->type, &made, 1,
                            ir_at(w->old, r)->imm);
}

/* An effect under a mask stands in an if; lanes outside get 0. */
static void lower_effect(lowering *w, ir_value v) {
    if (w->plain_depth || is_bool(w, active(w), true)) {
        copy_with_results(w, v);
        return;
    }
    uint32_t first = w->s.count, k = first;
    for (ir_value r = 0; (r = next_value(w->old, v, r));)
        ssa_variable(&w->s, ir_type_of(w->old, r), zero(w, ir_type_of(w->old, r)));
    ssa_if guard;
    ssa_if_open(&w->s, &guard, active(w));
    copy_with_results(w, v);
    for (ir_value r = 0; (r = next_value(w->old, v, r)); k++)
        ssa_write(&w->s, k, w->to[r]);
    ssa_if_close(&w->s, &guard);
    k = first;
    for (ir_value r = 0; (r = next_value(w->old, v, r)); k++) {
        w->to[r] = ssa_read(&w->s, k);
        w->s.unused[k] = true;
    }
}

/* ---- Results and parameters as variables ---- */

static uint32_t result_variables(lowering *w, ir_value op, uint32_t *count) {
    uint32_t first = w->s.count;
    *count = 0;
    for (ir_value r = 0; (r = next_value(w->old, op, r)); ++*count)
        ssa_variable(&w->s, ir_type_of(w->old, r), zero(w, ir_type_of(w->old, r)));
    return first;
}

/* What both sides of an if yield stands in front of it: uniform where the value is, whatever the
 * condition. The analysis counts on it. */
static ir_value yielded_by_both(lowering *w, ir_value op, unsigned k) {
    const ir_node *n = ir_at(w->old, op);
    if (n->op != IR_IF)
        return 0;
    ir_value first = w->old->regions[n->regions[0]].last;
    ir_value second = w->old->regions[n->regions[1]].last;
    bool both_yield = ir_op_of(w->old, first) == IR_YIELD && ir_op_of(w->old, second) == IR_YIELD;
    if (!both_yield || ir_arg(w->old, first, k) != ir_arg(w->old, second, k))
        return 0;
    return arg(w, first, k);
}

/* Behind the operation: the variables have served. */
static void take_results(lowering *w, const frame *fr) {
    uint32_t k = fr->results;
    for (ir_value r = 0; (r = next_value(w->old, fr->old, r)); k++) {
        ir_value same = yielded_by_both(w, fr->old, k - fr->results);
        w->to[r] = same ? same : ssa_read(&w->s, k);
        w->s.unused[k] = true;
    }
    for (k = 0; k < fr->param_count; k++)
        w->s.unused[fr->params + k] = true;
}

/* ---- Opening ---- */

static frame *push(lowering *w, frame_mode mode, ir_value old) {
    frame *fr = &w->frames[w->frame_count++];
    *fr = (frame){.mode = mode, .old = old, .entered = active(w)};
    fr->results = result_variables(w, old, &fr->result_count);
    return fr;
}

/* An operation without convergent ones inside keeps its shape; under a mask it stands in an if. */
static void guard_plain(lowering *w, frame *fr) {
    fr->plain = true;
    if (w->plain_depth++ == 0 && !is_bool(w, fr->entered, true)) {
        fr->guarded = true;
        ssa_if_open(&w->s, &fr->guard, fr->entered);
    }
}

static void open_if(lowering *w, ir_value v) {
    bool divergent = w->uniform.divergent[v];
    unsigned held = w->holds[v];
    bool leaves = held & HOLDS_LOOP_EXIT || (held & HOLDS_HALT && w->mask_halts);
    bool masked = divergent && !w->plain_depth && ((held & HOLDS_WAVE) || leaves);
    ir_value condition = arg(w, v, 0);
    frame *fr = push(w, masked ? MASK_IF : KEEP_IF, v);
    fr->condition = condition;
    if (!masked) {
        if (w->plain_depth || divergent)
            guard_plain(w, fr);
        ssa_if_open(&w->s, &fr->branch, condition);
        return;
    }
    set_active(w, both(w, fr->entered, condition));
    ssa_if_open(&w->s, &fr->branch, any(w, active(w)));
}

/* A loop that stays as it is goes round without lanes once all of them have halted in it, and the
 * condition of its own end may never come true. */
static void leave_when_empty(lowering *w, frame *fr) {
    ssa_if over;
    ssa_if_open(&w->s, &over, opposite(w, any(w, active(w))));
    ssa_loop_break(&w->s, &fr->loop);
    ssa_if_close(&w->s, &over);
}

/* Parameters that every continue brings the same value need no choice among lanes, and stay uniform
 * where it is: the analysis counts on it. */
static void find_same(lowering *w, frame *fr) {
    fr->same = calloc((size_t)fr->param_count + 1, sizeof *fr->same);
    if (!fr->same) {
        w->new->failed = true;
        return;
    }
    for (uint32_t k = 0; k < fr->param_count; k++) {
        ir_value same = 0;
        fr->same[k] = true;
        for (ir_value t = w->ends.first[fr->old]; t && fr->same[k]; t = w->ends.next[t]) {
            if (ir_op_of(w->old, t) != IR_CONTINUE)
                continue;
            fr->same[k] = !same || same == ir_arg(w->old, t, k);
            same = ir_arg(w->old, t, k);
        }
    }
}

/* Parameters, results, and of a masked loop the masks, all carried. */
static void open_loop(lowering *w, ir_value v) {
    unsigned held = w->holds[v];
    bool must = held & HOLDS_WAVE || (held & HOLDS_HALT && w->mask_halts);
    bool masked = w->uniform.divergent[v] && !w->plain_depth && must;
    frame *fr = push(w, masked ? MASK_LOOP : KEEP_LOOP, v);
    if (!masked && (w->plain_depth || w->uniform.divergent[v])) {
        guard_plain(w, fr);
    } else if (!masked && !is_bool(w, fr->entered, true)) {
        /* without lanes, what its end depends on may never come true */
        fr->guarded = true;
        ssa_if_open(&w->s, &fr->guard, any(w, fr->entered));
    }
    fr->param_count = ir_at(w->old, v)->arg_count;
    fr->params = w->s.count;
    for (uint32_t k = 0; k < fr->param_count; k++)
        ssa_variable(&w->s, ir_type_of(w->old, ir_arg(w->old, v, k)), arg(w, v, k));
    if (masked) {
        fr->waiting = ssa_variable(&w->s, IR_BOOL, truth(w, false));
        find_same(w, fr);
    }
    uint32_t count = fr->param_count + fr->result_count, at = 0;
    fr->carried = calloc((size_t)count + 2, sizeof *fr->carried);
    if (!fr->carried || w->new->failed) {
        w->new->failed = true;
        return;
    }
    for (uint32_t k = 0; k < fr->param_count; k++)
        fr->carried[at++] = fr->params + k;
    for (uint32_t k = 0; k < fr->result_count; k++)
        fr->carried[at++] = fr->results + k;
    bool halts = w->mask_halts && !w->plain_depth;
    if (masked || halts)
        fr->carried[at++] = w->active;
    if (halts)
        fr->carried[at++] = w->live;
    ssa_loop_open(&w->s, &fr->loop, fr->carried, at, false);
    ir_value p = w->old->regions[ir_at(w->old, v)->regions[0]].first;
    for (uint32_t k = 0; k < fr->param_count; k++, p = ir_at(w->old, p)->next)
        w->to[p] = ssa_read(&w->s, fr->params + k);
    if (fr->mode == MASK_LOOP)
        ssa_write(&w->s, fr->waiting, truth(w, false));
    else if (halts && held & HOLDS_HALT)
        leave_when_empty(w, fr);
}

/* ---- Terminators ---- */

static frame *innermost_loop(lowering *w) {
    uint32_t k = w->frame_count - 1;
    while (w->frames[k].mode != KEEP_LOOP && w->frames[k].mode != MASK_LOOP)
        k--;
    return &w->frames[k];
}

static void lower_yield(lowering *w, ir_value v) {
    frame *fr = &w->frames[w->frame_count - 1];
    const ir_node *n = ir_at(w->old, fr->old);
    bool second = n->regions[1] == ir_at(w->old, v)->region;
    ir_value other = w->old->regions[n->regions[!second]].last;
    bool merges = fr->mode == MASK_IF && second && ir_op_of(w->old, other) == IR_YIELD;
    for (uint32_t k = 0; k < fr->result_count; k++) {
        ir_value value = arg(w, v, k);
        if (merges)
            value = choose(w, fr->condition, ssa_read(&w->s, fr->results + k), value);
        ssa_write(&w->s, fr->results + k, value);
    }
}

static void lower_break(lowering *w, ir_value v) {
    frame *fr = innermost_loop(w);
    bool masked = fr->mode == MASK_LOOP;
    for (uint32_t k = 0; k < fr->result_count; k++) {
        ir_value value = arg(w, v, k);
        if (masked)
            value = choose(w, active(w), value, ssa_read(&w->s, fr->results + k));
        ssa_write(&w->s, fr->results + k, value);
    }
    if (masked)
        set_active(w, truth(w, false));
    else
        ssa_loop_break(&w->s, &fr->loop);
}

/* In a masked loop the next iteration's values are collected until its end. */
static void lower_continue(lowering *w, ir_value v) {
    frame *fr = innermost_loop(w);
    bool masked = fr->mode == MASK_LOOP;
    ir_value waiting = masked ? ssa_read(&w->s, fr->waiting) : 0;
    bool first = !masked || is_bool(w, waiting, false);
    for (uint32_t k = 0; k < fr->param_count; k++) {
        ir_value value = arg(w, v, k);
        if (!first && !(fr->same && fr->same[k]))
            value = choose(w, active(w), value, ssa_read(&w->s, fr->params + k));
        ssa_write(&w->s, fr->params + k, value);
    }
    if (!masked) {
        ssa_loop_continue(&w->s, &fr->loop);
        return;
    }
    ssa_write(&w->s, fr->waiting, either(w, waiting, active(w)));
    set_active(w, truth(w, false));
}

/* Out of the mask for good; in plain code, for real. */
static void lower_halt(lowering *w, ir_region region) {
    if (region == 1 || w->plain_depth || !w->mask_halts) {
        ssa_end(&w->s, IR_HALT, NULL, 0);
        return;
    }
    ir_value live = ssa_read(&w->s, w->live);
    ssa_write(&w->s, w->live, both(w, live, opposite(w, active(w))));
    set_active(w, truth(w, false));
}

/* ---- Closing ---- */

static void pop(lowering *w) {
    frame *fr = &w->frames[--w->frame_count];
    if (fr->guarded)
        ssa_if_close(&w->s, &fr->guard);
    if (fr->plain)
        w->plain_depth--;
    take_results(w, fr);
    free(fr->carried);
    free(fr->same);
}

/* Between the sides of a masked if. A second side that only yields needs no if of its own. */
static void turn_masked(lowering *w, frame *fr) {
    ir_region second = ir_at(w->old, fr->old)->regions[1];
    ir_value first = w->old->regions[second].first;
    while (ir_op_of(w->old, first) == IR_NEW_TOKEN)
        first = ir_at(w->old, first)->next;
    ssa_if_close(&w->s, &fr->branch);
    fr->after_first = active(w);
    set_active(w, both(w, fr->entered, opposite(w, fr->condition)));
    fr->bare = ir_op_of(w->old, first) == IR_YIELD;
    if (!fr->bare)
        ssa_if_open(&w->s, &fr->branch, any(w, active(w)));
}

static void close_masked_if(lowering *w, frame *fr) {
    unsigned exits = HOLDS_LOOP_EXIT | HOLDS_HALT;
    if (!fr->bare)
        ssa_if_close(&w->s, &fr->branch);
    set_active(w, w->holds[fr->old] & exits ? either(w, fr->after_first, active(w)) : fr->entered);
}

/* The lanes that wait go on; without any the loop is over. */
static void close_masked_loop(lowering *w, frame *fr) {
    set_active(w, ssa_read(&w->s, fr->waiting));
    leave_when_empty(w, fr);
    ssa_loop_close(&w->s, &fr->loop);
    w->s.unused[fr->waiting] = true;
    ir_value live = w->mask_halts ? ssa_read(&w->s, w->live) : truth(w, true);
    set_active(w, both(w, fr->entered, live));
}

static void leave_region(lowering *w, ir_region region) {
    if (region == 1)
        return;
    frame *fr = &w->frames[w->frame_count - 1];
    bool first = ir_at(w->old, fr->old)->regions[0] == region;
    switch (fr->mode) {
    case KEEP_IF:
        if (first) {
            ssa_if_else(&w->s, &fr->branch);
            return;
        }
        ssa_if_close(&w->s, &fr->branch);
        break;
    case MASK_IF:
        if (first) {
            turn_masked(w, fr);
            return;
        }
        close_masked_if(w, fr);
        break;
    case KEEP_LOOP: ssa_loop_close(&w->s, &fr->loop); break;
    case MASK_LOOP: close_masked_loop(w, fr); break;
    }
    pop(w);
}

/* ---- The walk ---- */

static void lower_op(lowering *w, ir_value v, ir_region region) {
    w->s.pc = ir_at(w->old, v)->pc;
    switch (ir_op_of(w->old, v)) {
    case IR_NEW_TOKEN:
    case IR_RESULT:
    case IR_PARAM: break; /* mapped with what they belong to */
    case IR_IF: open_if(w, v); break;
    case IR_LOOP: open_loop(w, v); break;
    case IR_YIELD: lower_yield(w, v); break;
    case IR_BREAK: lower_break(w, v); break;
    case IR_CONTINUE: lower_continue(w, v); break;
    case IR_HALT: lower_halt(w, region); break;
    default:
        if (ir_has(w->old, v, IR_WAVE))
            w->to[v] = lower_wave(w, v);
        else if (ir_has(w->old, v, IR_READS | IR_WRITES))
            lower_effect(w, v);
        else
            w->to[v] = copy(w, v);
    }
}

/* Nothing behind a loop without a break is reached: it is left out with all that stands in it. */
static void lower_all(lowering *w) {
    ir_value left_out = 0;
    uint32_t inside = 0; /* regions of what is left out that are open */
    ir_walk walk;
    ir_walk_init(&walk, w->old);
    for (ir_event e; (e = ir_walk_next(&walk)) != IR_AT_END && !w->new->failed;) {
        bool skipped = inside || (left_out && w->old->regions[walk.region].owner == left_out);
        if (e == IR_AT_OP && !inside && w->s.dead)
            left_out = walk.op;
        else if (e == IR_AT_OP && !inside)
            lower_op(w, walk.op, walk.region);
        else if (e == IR_ENTER_REGION)
            inside += skipped;
        else if (e == IR_LEAVE_REGION && inside)
            inside--;
        else if (e == IR_LEAVE_REGION)
            leave_region(w, walk.region);
    }
}

/* What each if and loop holds, and whether a convergent operation could miss a halted lane: one
 * stands behind a divergent halt or shares an if or loop with it. Returns the deepest nesting. */
static uint32_t look(lowering *w) {
    uint32_t depth = 0, deepest = 0, divergent = 0;
    bool halted = false;
    ir_walk walk;
    ir_walk_init(&walk, w->old);
    for (ir_event e; (e = ir_walk_next(&walk)) != IR_AT_END;) {
        ir_value owner = w->old->regions[walk.region].owner;
        uint8_t *held = &w->holds[owner];
        if (e == IR_ENTER_REGION) {
            depth++;
            deepest = depth > deepest ? depth : deepest;
            divergent += owner && w->uniform.divergent[owner];
        } else if (e == IR_LEAVE_REGION) {
            ir_value outer = owner ? w->old->regions[ir_at(w->old, owner)->region].owner : 0;
            uint8_t mine = *held;
            if (ir_op_of(w->old, owner) == IR_LOOP)
                mine &= (uint8_t)~HOLDS_LOOP_EXIT;
            w->mask_halts |= owner && *held & HOLDS_WAVE && *held & HOLDS_DIVERGENT_HALT;
            w->holds[outer] |= owner ? mine : 0;
            divergent -= owner && w->uniform.divergent[owner];
            depth--;
        } else if (ir_has(w->old, walk.op, IR_WAVE)) {
            *held |= HOLDS_WAVE;
            w->mask_halts |= halted;
        } else if (ir_op_of(w->old, walk.op) == IR_HALT) {
            *held |= divergent ? HOLDS_HALT | HOLDS_DIVERGENT_HALT : HOLDS_HALT;
            halted |= divergent != 0;
        } else if (ir_op_of(w->old, walk.op) == IR_BREAK ||
                   ir_op_of(w->old, walk.op) == IR_CONTINUE) {
            *held |= HOLDS_LOOP_EXIT;
        }
    }
    return deepest;
}

static void describe(ir_func *to, const ir_func *from) {
    to->name = from->name;
    to->arg_words = from->arg_words;
    memcpy(to->workgroup, from->workgroup, sizeof to->workgroup);
    to->local_memory = from->local_memory;
    to->wave_width = from->wave_width;
}

static void rewrite(lowering *w, uint32_t deepest) {
    w->to = calloc(w->old->node_count, sizeof *w->to);
    w->frames = calloc((size_t)deepest + 1, sizeof *w->frames);
    if (!w->to || !w->frames) {
        w->new->failed = true;
        return;
    }
    describe(w->new, w->old);
    ssa_init(&w->s, w->new);
    w->active = ssa_variable(&w->s, IR_BOOL, truth(w, true));
    w->live = ssa_variable(&w->s, IR_BOOL, truth(w, true));
    w->token = ssa_emit(&w->s, IR_NEW_TOKEN, IR_TOKEN, NULL, 0, 0);
    lower_all(w);
    ssa_free(&w->s);
}

static bool lower(ir_func *f, ir_func *fresh) {
    lowering w = {.old = f, .new = fresh};
    ir_init(fresh);
    w.holds = calloc(f->node_count, 1);
    if (w.holds && !fresh->failed && ir_find_uniformity(f, &w.uniform) && ir_find_ends(f, &w.ends))
        rewrite(&w, look(&w));
    else
        fresh->failed = true;
    for (; w.frame_count; w.frame_count--) { /* only after a failure */
        free(w.frames[w.frame_count - 1].carried);
        free(w.frames[w.frame_count - 1].same);
    }
    ir_free_uniformity(&w.uniform);
    ir_free_ends(&w.ends);
    free(w.holds);
    free(w.to);
    free(w.frames);
    return !fresh->failed;
}

bool ir_lower_convergence(ir_func *f) {
    ir_func fresh;
    f->converged = true;
    if (!ir_made_any(f, IR_WAVE))
        return false;
    if (!lower(f, &fresh)) {
        ir_free(&fresh);
        f->failed = true;
        return false;
    }
    ir_free(f);
    *f = fresh;
    f->converged = true;
    return true;
}
