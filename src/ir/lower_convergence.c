/* Leaves convergent operations only in wave-uniform control flow, by predication with a lane mask,
 * as SPMD compilers for vector units do (ispc: Pharr and Mark 2012).
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
 * is active, with a mask of the active lanes: break, continue and halt only remove lanes from the
 * mask. All lanes execute pure operations, effects are guarded by an if of the mask, and lanes
 * outside the mask pass the identity to convergent operations. Uniform ifs and loops are kept, and
 * so are divergent ones without convergent operations. Afterwards all lanes of a wave execute every
 * convergent operation together. One walk rebuilds the function. */
#include "ir/convergence.h"

#include <stdlib.h>
#include <string.h>

/* ---- Results and parameters as variables ---- */

static uint32_t result_variables(ir_conv *w, ir_value op, uint32_t *count) {
    uint32_t first = w->s.count;
    *count = 0;
    for (ir_value r = 0; (r = ir_conv_next_value(w->old, op, r)); ++*count)
        ssa_variable(&w->s, ir_type_of(w->old, r), ir_conv_zero(w, ir_type_of(w->old, r)));
    return first;
}

/* After the operation its variables are no longer needed. A value that both sides of an if yield is
 * defined before the if, so the result is as uniform as that value. */
static void take_results(ir_conv *w, const ir_conv_frame *fr) {
    uint32_t k = fr->results;
    for (ir_value r = 0; (r = ir_conv_next_value(w->old, fr->old, r)); k++) {
        ir_value same = ir_sides_agree(w->old, fr->old, k - fr->results);
        w->to[r] = same ? ir_conv_mapped(w, same) : ssa_read(&w->s, k);
        w->s.unused[k] = true;
    }
    for (k = 0; k < fr->param_count; k++)
        w->s.unused[fr->params + k] = true;
}

/* ---- Opening ---- */

static ir_conv_frame *push(ir_conv *w, ir_conv_mode mode, ir_value old) {
    ir_conv_frame *fr = &w->frames[w->frame_count++];
    *fr = (ir_conv_frame){.mode = mode, .old = old, .entered = ir_conv_active(w)};
    fr->results = result_variables(w, old, &fr->result_count);
    return fr;
}

/* An if or loop without convergent operations keeps its structure; under a mask it is guarded by an
 * if. */
static void guard_plain(ir_conv *w, ir_conv_frame *fr) {
    fr->plain = true;
    if (w->plain_depth++ == 0 && !ir_conv_is_bool(w, fr->entered, true)) {
        fr->guarded = true;
        ssa_if_open(&w->s, &fr->guard, fr->entered);
    }
}

static void open_if(ir_conv *w, ir_value v) {
    bool divergent = w->uniform.divergent[v];
    unsigned held = w->holds[v];
    bool leaves = held & HOLDS_LOOP_EXIT || (held & HOLDS_HALT && w->mask_halts);
    bool masked = divergent && !w->plain_depth && ((held & HOLDS_WAVE) || leaves);
    ir_value condition = ir_conv_arg(w, v, 0);
    ir_conv_frame *fr = push(w, masked ? MASK_IF : KEEP_IF, v);
    fr->condition = condition;
    if (!masked) {
        if (w->plain_depth || divergent)
            guard_plain(w, fr);
        ssa_if_open(&w->s, &fr->branch, condition);
        return;
    }
    ir_conv_set_active(w, ir_conv_both(w, fr->entered, condition));
    ssa_if_open(&w->s, &fr->branch, ir_conv_any(w, ir_conv_active(w)));
}

/* A loop that is kept as it is would iterate without lanes once all of them have halted in it; its
 * own exit condition may then never become true. */
static void leave_when_empty(ir_conv *w, ir_conv_frame *fr) {
    ssa_if over;
    ssa_if_open(&w->s, &over, ir_conv_not(w, ir_conv_any(w, ir_conv_active(w))));
    ssa_loop_break(&w->s, &fr->loop);
    ssa_if_close(&w->s, &over);
}

/* Parameters, results and, for a masked loop, the masks: all are carried. */
static void open_loop(ir_conv *w, ir_value v) {
    unsigned held = w->holds[v];
    bool must = held & HOLDS_WAVE || (held & HOLDS_HALT && w->mask_halts);
    bool masked = w->uniform.divergent[v] && !w->plain_depth && must;
    ir_conv_frame *fr = push(w, masked ? MASK_LOOP : KEEP_LOOP, v);
    if (!masked && (w->plain_depth || w->uniform.divergent[v])) {
        guard_plain(w, fr);
    } else if (!masked && !ir_conv_is_bool(w, fr->entered, true)) {
        /* without active lanes, its exit condition may never become true */
        fr->guarded = true;
        ssa_if_open(&w->s, &fr->guard, ir_conv_any(w, fr->entered));
    }
    fr->param_count = ir_at(w->old, v)->arg_count;
    fr->params = w->s.count;
    for (uint32_t k = 0; k < fr->param_count; k++)
        ssa_variable(&w->s, ir_type_of(w->old, ir_arg(w->old, v, k)), ir_conv_arg(w, v, k));
    if (masked)
        fr->waiting = ssa_variable(&w->s, IR_BOOL, ir_conv_truth(w, false));
    uint32_t count = fr->param_count + fr->result_count, at = 0;
    fr->carried = calloc((size_t)count + 2, sizeof *fr->carried);
    fr->differ = calloc((size_t)fr->param_count + 1, sizeof *fr->differ);
    if (!fr->carried || !fr->differ || w->new->failed) {
        w->new->failed = true;
        return;
    }
    for (uint32_t k = 0; masked && k < fr->param_count; k++)
        fr->differ[k] = ir_continues_differ(w->old, &w->ends, v, k);
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
        ssa_write(&w->s, fr->waiting, ir_conv_truth(w, false));
    else if (halts && held & HOLDS_HALT)
        leave_when_empty(w, fr);
}

/* ---- Terminators ---- */

static ir_conv_frame *innermost_loop(ir_conv *w) {
    uint32_t k = w->frame_count - 1;
    while (w->frames[k].mode != KEEP_LOOP && w->frames[k].mode != MASK_LOOP)
        k--;
    return &w->frames[k];
}

static void lower_yield(ir_conv *w, ir_value v) {
    ir_conv_frame *fr = &w->frames[w->frame_count - 1];
    const ir_node *n = ir_at(w->old, fr->old);
    bool second = n->regions[1] == ir_at(w->old, v)->region;
    ir_value other = w->old->regions[n->regions[!second]].last;
    bool merges = fr->mode == MASK_IF && second && ir_op_of(w->old, other) == IR_YIELD;
    for (uint32_t k = 0; k < fr->result_count; k++) {
        ir_value value = ir_conv_arg(w, v, k);
        if (merges)
            value = ir_conv_choose(w, fr->condition, ssa_read(&w->s, fr->results + k), value);
        ssa_write(&w->s, fr->results + k, value);
    }
}

static void lower_break(ir_conv *w, ir_value v) {
    ir_conv_frame *fr = innermost_loop(w);
    bool masked = fr->mode == MASK_LOOP;
    for (uint32_t k = 0; k < fr->result_count; k++) {
        ir_value value = ir_conv_arg(w, v, k);
        if (masked)
            value = ir_conv_choose(w, ir_conv_active(w), value, ssa_read(&w->s, fr->results + k));
        ssa_write(&w->s, fr->results + k, value);
    }
    if (masked)
        ir_conv_set_active(w, ir_conv_truth(w, false));
    else
        ssa_loop_break(&w->s, &fr->loop);
}

/* In a masked loop, the values for the next iteration are collected until its end. */
static void lower_continue(ir_conv *w, ir_value v) {
    ir_conv_frame *fr = innermost_loop(w);
    bool masked = fr->mode == MASK_LOOP;
    ir_value waiting = masked ? ssa_read(&w->s, fr->waiting) : 0;
    bool first = !masked || ir_conv_is_bool(w, waiting, false);
    for (uint32_t k = 0; k < fr->param_count; k++) {
        ir_value value = ir_conv_arg(w, v, k);
        if (!first && fr->differ[k])
            value = ir_conv_choose(w, ir_conv_active(w), value, ssa_read(&w->s, fr->params + k));
        ssa_write(&w->s, fr->params + k, value);
    }
    if (!masked) {
        ssa_loop_continue(&w->s, &fr->loop);
        return;
    }
    ssa_write(&w->s, fr->waiting, ir_conv_either(w, waiting, ir_conv_active(w)));
    ir_conv_set_active(w, ir_conv_truth(w, false));
}

/* Removes the lanes from the mask permanently; in plain code, emits a halt. */
static void lower_halt(ir_conv *w, ir_region region) {
    if (region == 1 || w->plain_depth || !w->mask_halts) {
        ssa_end(&w->s, IR_HALT, NULL, 0);
        return;
    }
    ir_value live = ssa_read(&w->s, w->live);
    ssa_write(&w->s, w->live, ir_conv_both(w, live, ir_conv_not(w, ir_conv_active(w))));
    ir_conv_set_active(w, ir_conv_truth(w, false));
}

/* ---- Closing ---- */

static void pop(ir_conv *w) {
    ir_conv_frame *fr = &w->frames[--w->frame_count];
    if (fr->guarded)
        ssa_if_close(&w->s, &fr->guard);
    if (fr->plain)
        w->plain_depth--;
    take_results(w, fr);
    free(fr->carried);
    free(fr->differ);
}

/* Between the sides of a masked if. A second side that only yields needs no if. */
static void turn_masked(ir_conv *w, ir_conv_frame *fr) {
    ir_region second = ir_at(w->old, fr->old)->regions[1];
    ir_value first = w->old->regions[second].first;
    while (ir_op_of(w->old, first) == IR_NEW_TOKEN)
        first = ir_at(w->old, first)->next;
    ssa_if_close(&w->s, &fr->branch);
    fr->after_first = ir_conv_active(w);
    ir_conv_set_active(w, ir_conv_both(w, fr->entered, ir_conv_not(w, fr->condition)));
    fr->bare = ir_op_of(w->old, first) == IR_YIELD;
    if (!fr->bare)
        ssa_if_open(&w->s, &fr->branch, ir_conv_any(w, ir_conv_active(w)));
}

static void close_masked_if(ir_conv *w, ir_conv_frame *fr) {
    unsigned exits = HOLDS_LOOP_EXIT | HOLDS_HALT;
    if (!fr->bare)
        ssa_if_close(&w->s, &fr->branch);
    ir_conv_set_active(w, w->holds[fr->old] & exits
                              ? ir_conv_either(w, fr->after_first, ir_conv_active(w))
                              : fr->entered);
}

/* The waiting lanes continue; when there are none, the loop ends. */
static void close_masked_loop(ir_conv *w, ir_conv_frame *fr) {
    ir_conv_set_active(w, ssa_read(&w->s, fr->waiting));
    leave_when_empty(w, fr);
    ssa_loop_close(&w->s, &fr->loop);
    w->s.unused[fr->waiting] = true;
    ir_value live = w->mask_halts ? ssa_read(&w->s, w->live) : ir_conv_truth(w, true);
    ir_conv_set_active(w, ir_conv_both(w, fr->entered, live));
}

static void leave_region(ir_conv *w, ir_region region) {
    if (region == 1)
        return;
    ir_conv_frame *fr = &w->frames[w->frame_count - 1];
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

static void lower_op(ir_conv *w, ir_value v, ir_region region) {
    w->s.pc = ir_at(w->old, v)->pc;
    switch (ir_op_of(w->old, v)) {
    case IR_NEW_TOKEN:
    case IR_PARAM: break; /* mapped with their owner … */
    case IR_RESULT:       /* … and so are results, except those of effects that need no mask */
        if (!w->to[v])
            ir_conv_copy(w, v);
        break;
    case IR_IF: open_if(w, v); break;
    case IR_LOOP: open_loop(w, v); break;
    case IR_YIELD: lower_yield(w, v); break;
    case IR_BREAK: lower_break(w, v); break;
    case IR_CONTINUE: lower_continue(w, v); break;
    case IR_HALT: lower_halt(w, region); break;
    default:
        if (ir_has(w->old, v, IR_WAVE))
            w->to[v] = ir_conv_wave(w, v);
        else if (ir_has(w->old, v, IR_READS | IR_WRITES))
            ir_conv_effect(w, v);
        else
            ir_conv_copy(w, v);
    }
}

/* All lanes may execute it, whatever the mask. Most operations are plain. */
static bool is_plain(const ir_func *f, ir_value v) {
    unsigned flags = ir_op_flags[ir_op_of(f, v)];
    return (flags & (IR_PURE | IR_WAVE | IR_UNIQUE)) == IR_PURE;
}

/* The code after a loop without a break is unreachable: it is omitted with everything nested in
 * it. */
static void lower_all(ir_conv *w) {
    ir_value left_out = 0;
    uint32_t inside = 0; /* open regions of omitted code */
    ir_walk walk;
    ir_walk_init(&walk, w->old);
    for (ir_event e; (e = ir_walk_read(&walk)) != IR_AT_END && !w->new->failed;) {
        if (e == IR_AT_OP && !inside && !w->s.dead && is_plain(w->old, walk.op)) {
            ir_conv_copy(w, walk.op);
            continue;
        }
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

/* Finds what each if and loop contains, and whether a convergent operation could miss a halted
 * lane: it follows a divergent halt, or shares an if or loop with one. Returns the deepest
 * nesting. */
static uint32_t find_held(ir_conv *w) {
    uint32_t depth = 0, deepest = 0, divergent = 0;
    bool halted = false;
    ir_walk walk;
    ir_walk_init(&walk, w->old);
    for (ir_event e; (e = ir_walk_read(&walk)) != IR_AT_END;) {
        w->operations += e == IR_AT_OP;
        if (e == IR_AT_OP && !ir_has(w->old, walk.op, IR_WAVE | IR_ENDS))
            continue;
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
    to->private_memory = from->private_memory;
    to->constants = from->constants;
    to->constant_size = from->constant_size;
    to->wave_width = from->wave_width;
    to->units = from->units;
    to->advances = from->advances;
    memcpy(to->contained, from->contained, sizeof to->contained);
    memcpy(to->unwritten, from->unwritten, sizeof to->unwritten);
    memcpy(to->longs, from->longs, sizeof to->longs);
    memcpy(to->doubles, from->doubles, sizeof to->doubles);
}

static void rewrite(ir_conv *w, uint32_t deepest) {
    w->to = calloc(w->old->node_count, sizeof *w->to);
    w->frames = calloc((size_t)deepest + 1, sizeof *w->frames);
    if (!w->to || !w->frames) {
        w->new->failed = true;
        return;
    }
    describe(w->new, w->old);
    ir_reserve(w->new, w->operations + w->operations / 16 + w->old->leaf_count);
    ssa_init(&w->s, w->new);
    if (w->old->names && !ir_start_names(w->new))
        return;
    w->active = ssa_variable(&w->s, IR_BOOL, ir_conv_truth(w, true));
    w->live = ssa_variable(&w->s, IR_BOOL, ir_conv_truth(w, true));
    w->token = ssa_emit(&w->s, IR_NEW_TOKEN, IR_TOKEN, NULL, 0, 0);
    lower_all(w);
    ssa_free(&w->s);
    for (ir_value v = 1; v < w->old->node_count && w->new->names; v++)
        if (w->old->names[v] && !ir_has(w->old, v, IR_LEAF))
            ir_give_name(w->new, w->to[v], w->old->names[v]);
}

static bool lower(ir_func *f, ir_func *fresh) {
    ir_conv w = {.old = f, .new = fresh};
    ir_init(fresh);
    fresh->node_limit = f->node_limit;
    w.holds = calloc(f->node_count, 1);
    if (w.holds && !fresh->failed && ir_find_uniformity(f, &w.uniform) && ir_find_ends(f, &w.ends))
        rewrite(&w, find_held(&w));
    else
        fresh->failed = true;
    for (; w.frame_count; w.frame_count--) { /* only after a failure */
        free(w.frames[w.frame_count - 1].carried);
        free(w.frames[w.frame_count - 1].differ);
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
        f->too_large |= fresh.too_large;
        ir_free(&fresh);
        f->failed = true;
        return false;
    }
    ir_free(f);
    *f = fresh;
    f->converged = true;
    return true;
}
