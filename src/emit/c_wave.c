/* Wave operations, the barrier and fences, for the C family. After convergence lowering, all
 * existing lanes execute a wave operation together, so each of them is a row of the target's table
 * (c_target.waves). Shuffles by a constant or uniform number may have better rows. */
#include "emit/c_printer.h"

#include <string.h>

/* ---- Words in the forms of wave operations ---- */

static void put_lane(c_printer *p) {
    c_use(p, (c_name)C_SPECIAL_NAME(LANE_ID));
}

/* "lane - by" or "lane + by"; a number outside the wave if there is no such lane. A difference
 * below lane 0 wraps to a large number, but a large `by` may wrap around to an existing lane, so
 * `by` is compared first. */
static void put_distance(c_printer *p, ir_value by, bool up) {
    uint32_t width = p->f->wave_width, bits;
    bool small = c_const(p, by, &bits) && bits < width;
    if (!small) {
        c_expression(p, by, C_ADD);
        buf_text(p->out, up ? " <= " : " < ");
        if (up)
            put_lane(p);
        else
            c_u32(p->out, width);
        buf_text(p->out, " ? ");
    }
    put_lane(p);
    buf_text(p->out, up ? " - " : " + ");
    c_expression(p, by, C_MULTIPLY);
    if (!small) {
        buf_text(p->out, " : ");
        c_u32(p->out, width);
    }
}

size_t c_wave_word(c_printer *p, const char *word, const ir_value *operands) {
    if (strncmp(word, "@below", 6) == 0 || strncmp(word, "@above", 6) == 0) {
        put_distance(p, operands[1], word[1] == 'b');
        return 6;
    }
    if (strncmp(word, "@lanes", 6) == 0 && !p->whole)
        c_use(p, p->t->lanes);
    else
        c_u32(p->out, p->f->wave_width);
    return 6;
}

/* ---- Barrier and fences ---- */

ir_value c_find_fence(const ir_func *f, unsigned scope, bool releases) {
    ir_walk w;
    if (!ir_made(f, IR_FENCE) && !ir_made(f, IR_LANE_FENCE))
        return 0;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_op op = e == IR_AT_OP ? ir_op_of(f, w.op) : IR_NONE;
        if (op != IR_FENCE && op != IR_LANE_FENCE)
            continue;
        ir_access a = ir_access_unpack(ir_at(f, w.op)->imm);
        if (a.scope >= scope && !(releases && a.atomic == IR_FENCE_ACQUIRE))
            return w.op;
    }
    return 0;
}

static void put_statement(c_printer *p, const c_form *form) {
    if (!form->text)
        return;
    c_line(p);
    c_format(p, form, NULL);
    c_end(p);
}

static void put_barrier(c_printer *p) {
    if (p->releases)
        put_statement(p, &p->t->fences->release);
    put_statement(p, &p->t->fences->barrier);
}

static void put_sync(c_printer *p) {
    put_statement(p, &p->t->fences->sync[0]);
    put_statement(p, &p->t->fences->sync[1]);
}

/* The scope of a fence. One that a barrier's `release` would precede has the same effect as that
 * release. */
static unsigned fence_scope(const c_printer *p, ir_access a) {
    bool narrow = a.scope == ISA_SCOPE_WORKGROUP && a.atomic != IR_FENCE_ACQUIRE;
    return narrow && p->releases && p->t->fences->release.text ? ISA_SCOPE_DEVICE : a.scope;
}

/* A wave's fence is printed between wave synchronisations, so that what one lane does after a
 * release, or did before an acquire, counts for all of them. */
static void put_fence(c_printer *p, ir_value v) {
    const c_fences *fences = p->t->fences;
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool wave = ir_op_of(p->f, v) == IR_FENCE, only = a.scope == ISA_SCOPE_WAVE;
    if (wave && (only || a.atomic != IR_FENCE_ACQUIRE))
        put_sync(p);
    if (!only) {
        const char *const words[] = {"order", fences->orders[a.atomic == IR_FENCE_SC], "scope",
                                     fences->scopes[fence_scope(p, a)], NULL};
        c_line(p);
        c_put_words(words, fences->fence, p->out);
        c_end(p);
    }
    if (wave && !only && a.atomic != IR_FENCE_RELEASE)
        put_sync(p);
}

static bool is_shuffle(ir_op op) {
    return op >= IR_WAVE_SHUFFLE && op <= IR_WAVE_BROADCAST;
}

/* A better form for the operand; false: there is none. A shuffle up reads only lower lanes, which
 * exist in a partial wave too. */
static bool put_shuffle(c_printer *p, ir_value v) {
    const c_target *t = p->t;
    ir_op op = ir_op_of(p->f, v);
    ir_value by = ir_arg(p->f, v, 2);
    uint32_t bits;
    bool constant = c_const(p, by, &bits) && bits < p->f->wave_width;
    bool exists = p->whole || op == IR_WAVE_SHUFFLE_UP;
    if (op == IR_WAVE_SHUFFLE_XOR && constant && t->exchange) {
        t->exchange(p, v, bits);
        return true;
    }
    const c_form *form = &t->constant_shuffles[C_SHUFFLE_OF(op)];
    if (!form->text || !constant || !exists) {
        form = &t->uniform_shuffles[C_SHUFFLE_OF(op)];
        if (!form->text || !c_is_uniform(p, by))
            return false;
    }
    c_assign(p, v, form, ir_args(p->f, v) + 1);
    return true;
}

bool c_wave(c_printer *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    const c_form *form = &p->t->waves[op];
    if (op == IR_BARRIER)
        put_barrier(p);
    else if (op == IR_FENCE || op == IR_LANE_FENCE)
        put_fence(p, v);
    else if (!form->text)
        return false;
    else if (!is_shuffle(op) || !put_shuffle(p, v))
        c_assign(p, v, form, ir_args(p->f, v) + 1);
    return true;
}
