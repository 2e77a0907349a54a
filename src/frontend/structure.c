/* Control flow: one explicit stack of open ifs and loops, then the calls. Every partner is set
 * here; instructions themselves are checked in validate.c. */
#include "frontend/structure.h"
#include "frontend/inspect.h"

#include <stdlib.h>
#include <string.h>

/* The arrays at the end are not zeroed, because they are written before they are read: files may
 * hold many small kernels. */
fe_structure *fe_structure_create(fe_context *context) {
    fe_structure *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, offsetof(fe_structure, loops));
    s->context = context;
    return s;
}

static void error(fe_structure *s, diag_code code, uint32_t index, const char *message) {
    if (!s->unsure)
        fe_report(s->context, WAVE_ERROR, code, &s->insns[index], NULL, "%s", message);
}

static void keep(fe_structure *s, fe_indices *list, uint32_t index) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? (size_t)list->capacity * 2 : 64;
        uint32_t *at = capacity <= UINT32_MAX ? realloc(list->at, capacity * sizeof *at) : NULL;
        if (!at) {
            s->out_of_memory = true;
            return;
        }
        list->at = at;
        list->capacity = (uint32_t)capacity;
    }
    list->at[list->count++] = index;
}

static void open_frame(fe_structure *s, uint32_t index, bool loop) {
    if (s->depth == ISA_MAX_DEPTH) {
        s->overflow++;
        if (!s->too_deep)
            fe_report(s->context, WAVE_ERROR, DIAG_E_DEPTH, &s->insns[index], NULL,
                      "ifs and loops nest more than %d deep", ISA_MAX_DEPTH);
        s->too_deep = true;
        return;
    }
    if (s->depth == ISA_PORTABLE_DEPTH && s->max_depth == ISA_PORTABLE_DEPTH)
        fe_report(s->context, WAVE_WARNING, DIAG_W_DEPTH, &s->insns[index], NULL,
                  "ifs and loops nest more than %d deep", ISA_PORTABLE_DEPTH);
    if (s->depth == 0)
        keep(s, &s->outermost, index);
    if (loop)
        s->loops[s->loop_count++] = (uint16_t)s->depth;
    else
        s->open_ifs++;
    s->frame[s->depth++] = (fe_frame){.opener = index, .last = index, .loop = loop};
    if (s->depth > s->max_depth)
        s->max_depth = s->depth;
}

/* Removes the innermost frame of this kind from the stack even when others are open inside it, so
 * that crossed constructs are reported once. Such a frame must exist. */
static fe_frame take_frame(fe_structure *s, bool loop) {
    uint32_t at = s->depth - 1;
    while (s->frame[at].loop != loop)
        at--;
    fe_frame frame = s->frame[at];
    for (uint32_t i = at; i + 1 < s->depth; i++)
        s->frame[i] = s->frame[i + 1];
    s->depth--;
    if (loop) {
        s->loop_count--; /* the innermost one */
    } else {
        s->open_ifs--;
        for (uint32_t i = s->loop_count; i > 0 && s->loops[i - 1] > at; i--)
            s->loops[i - 1]--;
    }
    return frame;
}

static void close_frame(fe_structure *s, uint32_t index, bool loop) {
    if (s->overflow) {
        s->overflow--;
        return;
    }
    diag_code code = loop ? DIAG_E_ENDLOOP : DIAG_E_ENDIF;
    if (loop ? s->loop_count == 0 : s->open_ifs == 0) {
        error(s, code, index, loop ? "there is no open loop here" : "there is no open if here");
        return;
    }
    if (s->frame[s->depth - 1].loop != loop)
        error(s, code, index,
              loop ? "an if inside the loop is still open" : "a loop inside the if is still open");
    fe_frame frame = take_frame(s, loop);
    s->insns[frame.last].partner = index;
    s->insns[index].partner = frame.opener;
}

static void meet_else(fe_structure *s, uint32_t index) {
    if (s->overflow)
        return;
    fe_frame *top = s->depth ? &s->frame[s->depth - 1] : NULL;
    if (!top || top->loop) {
        error(s, DIAG_E_ELSE, index,
              top && s->open_ifs ? "a loop inside the if is still open"
                                 : "there is no open if here");
    } else if (top->has_else) {
        error(s, DIAG_E_ELSE, index, "the if already has an else");
    } else {
        s->insns[top->last].partner = index;
        top->last = index;
        top->has_else = true;
    }
}

static void meet_exit(fe_structure *s, uint32_t index) {
    if (s->loop_count)
        s->insns[index].partner = s->frame[s->loops[s->loop_count - 1]].opener;
    else if (!s->overflow)
        error(s, DIAG_E_LOOP_EXIT, index, "there is no open loop here");
}

void fe_structure_step(fe_structure *s, uint32_t index) {
    const fe_insn *insn = &s->insns[index];
    bool final = insn->guard == 0 && s->depth == 0;
    switch (insn->op) {
    case ISA_IF: open_frame(s, index, false); break;
    case ISA_ELSE: meet_else(s, index); break;
    case ISA_ENDIF: close_frame(s, index, false); break;
    case ISA_LOOP: open_frame(s, index, true); break;
    case ISA_ENDLOOP: close_frame(s, index, true); break;
    case ISA_BREAK:
    case ISA_CONTINUE: meet_exit(s, index); break;
    case ISA_CALL: keep(s, &s->calls, index); break;
    case ISA_RETURN:
        if (final)
            s->last_return = index + 1;
        s->terminated |= final;
        break;
    case ISA_HALT: s->terminated |= final; break;
    default: break;
    }
}

/* ---- Calls ---- */

/* The endif or endloop of an if or loop. */
static uint32_t closer(const fe_structure *s, uint32_t opener) {
    uint32_t partner = s->insns[opener].partner;
    return s->insns[partner].op == ISA_ELSE ? s->insns[partner].partner : partner;
}

/* True when the instruction is reached with an if or loop open. */
static bool is_inside(const fe_structure *s, uint32_t index) {
    uint32_t low = 0, high = s->outermost.count; /* openers before the instruction */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->outermost.at[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && index <= closer(s, s->outermost.at[low - 1]);
}

/* The index of the function at byte offset `pc`, or UINT32_MAX after reporting why it is not a
 * valid target. */
static uint32_t find_function(fe_structure *s, uint32_t call, uint32_t count, uint32_t pc) {
    uint32_t target = fe_find_pc(s->insns, count, pc);
    if (target == UINT32_MAX)
        error(s, DIAG_E_CALL_TARGET, call, "no instruction starts at the call's target");
    else if (is_inside(s, target))
        error(s, DIAG_E_CALL_TARGET, call, "the call's target is inside an if or loop");
    else if (target >= s->last_return)
        error(s, DIAG_E_FUNCTION_END, call, "the called function has no unguarded return");
    else
        return target;
    return UINT32_MAX;
}

/* Most calls target few functions, so recent ones are cached by their offset. */
static void resolve_calls(fe_structure *s, uint32_t count) {
    enum { REMEMBERED = 64 };
    struct {
        uint32_t pc, target;
    } known[REMEMBERED];
    for (unsigned i = 0; i < REMEMBERED; i++)
        known[i].target = UINT32_MAX;
    for (uint32_t i = 0; i < s->calls.count; i++) {
        fe_insn *call = &s->insns[s->calls.at[i]];
        unsigned slot = call->imm / 4 % REMEMBERED;
        if (known[slot].target == UINT32_MAX || known[slot].pc != call->imm) {
            uint32_t target = find_function(s, s->calls.at[i], count, call->imm);
            if (target == UINT32_MAX)
                continue;
            keep(s, &s->targets, target);
            known[slot].pc = call->imm;
            known[slot].target = target;
        }
        call->partner = known[slot].target;
    }
}

void fe_structure_end(fe_structure *s, uint32_t count) {
    for (uint32_t i = 0; i < s->depth && !s->too_deep; i++)
        error(s, DIAG_E_UNCLOSED, s->frame[i].opener,
              s->frame[i].loop ? "the loop is not closed" : "the if is not closed");
    if (s->unsure || s->too_deep || s->depth)
        return; /* offsets and depths are unreliable now */
    if (!s->terminated)
        fe_report(s->context, WAVE_WARNING, DIAG_W_NO_TERMINATOR, NULL, NULL,
                  "the kernel does not end with an unguarded halt or return");
    if (s->calls.count)
        resolve_calls(s, count);
    if (s->out_of_memory)
        fe_report(s->context, WAVE_ERROR, DIAG_E_MEMORY, NULL, NULL, "out of memory");
}

void fe_structure_free(fe_structure *s) {
    if (!s)
        return;
    free(s->calls.at);
    free(s->outermost.at);
    free(s->targets.at);
    free(s);
}
