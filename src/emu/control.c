/* Control flow, following the execution model of the ISA reference: each live lane is in exactly
 * one place, the active set or one set of one frame. A wave without active lanes jumps directly to
 * the instruction that can reactivate some: the enclosing else, endif or endloop, or, outside all
 * of them, the return that pops the call (emu_insn.skip). The instructions in between are not
 * executed. */
#include "emu/machine.h"

static void jump(const emu_machine *m, emu_wave *w, uint32_t index) {
    w->next = &m->code[index];
}

static void skip_if_empty(const emu_machine *m, emu_wave *w, const emu_insn *in) {
    if (w->active == 0)
        jump(m, w, in->skip);
}

static emu_frame *top(emu_wave *w) {
    return &w->frames[w->depth - 1];
}

/* NULL: nested too deeply, already reported. */
static emu_frame *push(emu_machine *m, emu_wave *w, const emu_insn *in, emu_frame_kind kind) {
    if (kind == EMU_CALL && w->calls == ISA_MAX_CALL_DEPTH) {
        emu_fail(m, w, in, EMU_NO_LANE, DIAG_E_CALL_DEPTH,
                 "stack overflow: call level %d exceeds the limit of %d", ISA_MAX_CALL_DEPTH + 1,
                 ISA_MAX_CALL_DEPTH);
        return NULL;
    }
    if (kind != EMU_CALL && w->nest == ISA_MAX_DEPTH) {
        emu_fail(m, w, in, EMU_NO_LANE, DIAG_E_CONTROL_DEPTH,
                 "stack overflow: %d ifs and loops are already open", ISA_MAX_DEPTH);
        return NULL;
    }
    emu_frame *frame = &w->frames[w->depth++];
    *frame = (emu_frame){.kind = (uint8_t)kind,
                         .outer_loop = w->loop,
                         .outer_call = w->call,
                         .origin = emu_index(m, in)};
    if (kind == EMU_CALL)
        w->calls++;
    else
        w->nest++;
    return frame;
}

void emu_if(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    uint64_t taken = lanes & emu_operand_mask(w, in->ps), other = lanes & ~taken;
    emu_frame *frame = push(m, w, in, EMU_IF);
    if (!frame)
        return;
    frame->first = other;
    w->active = taken;
    if (taken == 0)
        jump(m, w, in->jump);
    else if (other != 0)
        m->divergent++;
}

void emu_else(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_frame *frame = top(w);
    frame->second = lanes;
    frame->else_seen = true;
    w->active = frame->first;
    frame->first = 0;
    if (w->active == 0)
        jump(m, w, in->jump);
}

void emu_endif(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const emu_frame *frame = top(w);
    w->active = lanes | frame->first | frame->second;
    w->depth--;
    w->nest--;
    skip_if_empty(m, w, in);
}

void emu_loop(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    (void)lanes;
    if (push(m, w, in, EMU_LOOP))
        w->loop = w->depth;
}

void emu_break(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    lanes &= emu_operand_mask(w, in->ps);
    w->frames[w->loop - 1].first |= lanes;
    w->active &= ~lanes;
    skip_if_empty(m, w, in);
}

void emu_continue(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    lanes &= emu_operand_mask(w, in->ps);
    w->frames[w->loop - 1].second |= lanes;
    w->active &= ~lanes;
    skip_if_empty(m, w, in);
}

void emu_endloop(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_frame *frame = top(w);
    w->active = lanes | frame->second;
    frame->second = 0;
    if (w->active != 0) {
        jump(m, w, frame->origin + 1);
        return;
    }
    w->active = frame->first;
    w->loop = frame->outer_loop;
    w->depth--;
    w->nest--;
    skip_if_empty(m, w, in);
}

void emu_halt(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    w->live &= ~lanes;
    w->active &= ~lanes;
    if (w->live == 0)
        emu_end_wave(m, w);
    else
        skip_if_empty(m, w, in);
}

void emu_end_of_code(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    (void)in;
    m->left++; /* the end of the code does not count as an instruction */
    w->live &= ~lanes;
    w->active = 0;
    emu_end_wave(m, w);
}

void emu_call(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    (void)lanes;
    if (!push(m, w, in, EMU_CALL))
        return;
    w->call = w->depth;
    w->loop = 0;
    jump(m, w, in->jump);
}

/* Also executed without active lanes: this is how a wave leaves a function in which all lanes have
 * already returned or halted. */
void emu_return(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    if (w->call == 0) {
        emu_halt(m, w, in, lanes);
        return;
    }
    emu_frame *frame = &w->frames[w->call - 1];
    frame->first |= lanes;
    w->active &= ~lanes;
    if (w->active != 0)
        return;
    if (frame != top(w)) {
        jump(m, w, in->skip);
        return;
    }
    w->active = frame->first;
    w->loop = frame->outer_loop;
    w->call = frame->outer_call;
    w->depth--;
    w->calls--;
    jump(m, w, frame->origin + 1);
    if (w->active == 0)
        jump(m, w, m->code[frame->origin].skip);
}

void emu_barrier(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    if (lanes != w->live) {
        emu_fail(m, w, in, EMU_NO_LANE, DIAG_E_BARRIER_DIVERGENCE,
                 "%u of %u live lanes are at the barrier", emu_lane_count(lanes),
                 emu_lane_count(w->live));
        return;
    }
    w->next = &m->code[emu_index(m, in)];
    m->ready &= ~((uint64_t)1 << w->number);
    m->waiting |= (uint64_t)1 << w->number;
}

/* nop, wait, and the fences: memory is sequentially consistent and loads complete at once. */
void emu_nothing(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    (void)m;
    (void)w;
    (void)in;
    (void)lanes;
}

/* Includes the assertion's text if the file has one. */
static void fail_assert(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t lane) {
    enum { LONGEST = 1000 };
    const fe_message *text = fe_extras_message(&m->module->extras, in->value);
    if (text)
        emu_fail(m, w, in, lane, DIAG_E_ASSERT, "assertion %u failed: %.*s", in->value,
                 text->length < LONGEST ? (int)text->length : LONGEST, text->text);
    else
        emu_fail(m, w, in, lane, DIAG_E_ASSERT, "assertion %u failed", in->value);
}

void emu_assert(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    uint64_t failed = lanes & ~w->pred[in->ps];
    if (failed && !m->launch->skip_asserts)
        fail_assert(m, w, in, emu_lowest(failed));
}
