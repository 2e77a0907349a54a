/* The builder's walk over the decoded code: control flow becomes regions, writes become SSA values.
 *
 *   if p1                       if %p1 {
 *     iadd r2, r2, r3             %5 = iadd %2, %3
 *   endif                         yield %5
 *                               } else { yield %2 }
 *                               %6 = result 0
 *
 * One map holds the current value of every slot. Writes inside an if side are logged; at its end
 * they are undone and become yields and results. Slots that a loop writes become its parameters and
 * results. This is the single-pass construction of SSA for structured languages of Brandis and
 * Mössenböck (1994). Calls are inlined: a function with early returns becomes a loop that runs
 * once, and a return from an inner loop sets a flag on its way out. Linear time, no recursion: open
 * ifs, loops and calls are frames on an explicit stack. */
#include "ir/build.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

typedef enum frame_kind { FRAME_IF, FRAME_LOOP, FRAME_CALL } frame_kind;

/* How far lanes that leave a frame go. */
enum { LEAVES_LOOP = 1, LEAVES_CALL = 2, LEAVES_ALL = 4 };

typedef struct frame {
    frame_kind kind;
    uint32_t insn;   /* the if, loop or call */
    ir_value token;  /* the token before it */
    unsigned leaves; /* LEAVES_… of the code inside */
    ssa_if branch;   /* if */
    ssa_loop loop;   /* loop, and call with early returns */
    bool is_loop;    /* `loop` is in use */
    uint32_t slots;  /* where its list in b->slots starts */
    uint32_t end;    /* call: the function's last return */
} frame;

/* ---- Small helpers ---- */

static frame *top(builder *b) {
    return b->frame_count ? &b->frames[b->frame_count - 1] : NULL;
}

static frame *push(builder *b, frame_kind kind, uint32_t insn) {
    frame *fr = &b->frames[b->frame_count++];
    *fr = (frame){.kind = kind, .insn = insn, .token = b->token, .slots = b->slot_count};
    return fr;
}

static ir_value new_token(builder *b) {
    return ssa_emit(&b->s, IR_NEW_TOKEN, IR_TOKEN, NULL, 0, 0);
}

static void leave(builder *b, unsigned how) {
    if (b->frame_count)
        top(b)->leaves |= how;
}

/* After a frame is closed: lanes that went beyond it are missing from here on. */
static void resume(builder *b, const frame *fr, unsigned further) {
    leave(b, further);
    if (!b->s.dead)
        b->token = further ? new_token(b) : fr->token;
}

/* ---- if ---- */

static void open_if(builder *b, uint32_t insn, ir_value condition) {
    frame *fr = push(b, FRAME_IF, insn);
    ssa_if_open(&b->s, &fr->branch, condition);
    b->token = new_token(b);
}

static void open_else(builder *b) {
    ssa_if_else(&b->s, &top(b)->branch);
    b->token = new_token(b);
}

static void close_if(builder *b) {
    frame fr = *top(b);
    ssa_if_close(&b->s, &fr.branch);
    b->frame_count--;
    resume(b, &fr, fr.leaves);
}

void build_open_if(builder *b, ir_value condition) {
    open_if(b, 0, condition);
}

void build_close_if(builder *b) {
    close_if(b);
}

/* ---- loop ---- */

static void add_slot(builder *b, uint32_t slot) {
    if (b->slot_count == b->slot_capacity) {
        uint32_t capacity = b->slot_capacity ? b->slot_capacity * 2 : 256;
        uint32_t *bigger = realloc(b->slots, capacity * sizeof *bigger);
        if (!bigger) {
            b->s.f->failed = true;
            return;
        }
        b->slots = bigger;
        b->slot_capacity = capacity;
    }
    b->slots[b->slot_count++] = slot;
}

/* Opens a loop that carries the slots its code writes. The lists of open loops may move; the frames
 * are updated. */
static void open_carrying(builder *b, frame *fr, const scan_facts *facts, bool once) {
    slot_set set = facts->writes;
    const uint32_t *old = b->slots;
    if (facts->returns && b->calls && !once)
        slot_add(&set, SLOT_RETURNED + b->calls - 1);
    for (unsigned word = 0; word < SLOT_WORDS; word++)
        for (uint64_t rest = set.words[word] & b->facts.reads.words[word]; rest; rest &= rest - 1)
            add_slot(b, word * 64 + bits_lowest(rest));
    for (uint32_t k = 0; k < b->frame_count && b->slots != old; k++)
        b->frames[k].loop.carried = b->slots + b->frames[k].slots;
    fr->is_loop = true;
    /* A loop that carries nothing, in a kernel that has carried nothing yet, has no list. */
    const uint32_t *carried = b->slots ? b->slots + fr->slots : NULL;
    ssa_loop_open(&b->s, &fr->loop, carried, b->slot_count - fr->slots, once);
    b->token = new_token(b);
}

static void open_loop(builder *b, uint32_t insn) {
    frame *fr = push(b, FRAME_LOOP, insn);
    open_carrying(b, fr, &b->facts.loops[b->facts.loop_index[insn]], false);
}

static frame *innermost_loop_or_call(builder *b) {
    for (uint32_t k = b->frame_count; k-- > 0;)
        if (b->frames[k].kind != FRAME_IF)
            return &b->frames[k];
    return NULL;
}

/* break p, continue p: an if whose first side leaves the loop. */
static void leave_loop(builder *b, const fe_insn *insn) {
    ir_value condition = build_predicate(b, insn->field[ISA_FIELD_RS1]);
    ir_value guard = build_guard(b, insn);
    if (guard)
        condition = ssa_emit(&b->s, IR_BAND, IR_BOOL, (ir_value[]){condition, guard}, 2, 0);
    open_if(b, 0, condition);
    ssa_loop *loop = &innermost_loop_or_call(b)->loop;
    if (insn->op == ISA_BREAK)
        ssa_loop_break(&b->s, loop);
    else
        ssa_loop_continue(&b->s, loop);
    leave(b, LEAVES_LOOP);
    close_if(b);
}

/* ---- call and return ---- */

/* All lanes here return from the innermost call. From an inner loop they set a flag to leave it. */
static void return_now(builder *b) {
    frame *fr = innermost_loop_or_call(b);
    if (fr->kind == FRAME_LOOP)
        ssa_write(&b->s, SLOT_RETURNED + b->calls - 1, ir_const(b->s.f, IR_BOOL, 1));
    leave(b, LEAVES_CALL);
    ssa_loop_break(&b->s, &fr->loop);
}

static void close_loop(builder *b) {
    frame fr = *top(b);
    ssa_loop_close(&b->s, &fr.loop);
    b->frame_count--;
    b->slot_count = fr.slots;
    resume(b, &fr, fr.leaves & ~(unsigned)LEAVES_LOOP);
    if (!b->s.dead && (fr.leaves & LEAVES_CALL)) {
        open_if(b, 0, ssa_read(&b->s, SLOT_RETURNED + b->calls - 1));
        return_now(b);
        close_if(b);
    }
}

static void open_call(builder *b, uint32_t insn) {
    uint32_t target = b->kernel->insns[insn].partner;
    uint32_t function = b->facts.function_index[target] - 1;
    frame *fr = push(b, FRAME_CALL, insn);
    fr->end = b->facts.function_end[function];
    b->calls++;
    ssa_write(&b->s, SLOT_RETURNED + b->calls - 1, ir_const(b->s.f, IR_BOOL, 0));
    if (b->facts.functions[function].returns)
        open_carrying(b, fr, &b->facts.functions[function], true);
}

static void close_call(builder *b) {
    frame fr = *top(b);
    if (fr.is_loop && !b->s.dead)
        ssa_loop_break(&b->s, &fr.loop);
    b->frame_count--;
    b->calls--;
    /* the flag may hold a value of the function's loop, which ends here */
    ssa_write(&b->s, SLOT_RETURNED + b->calls, ir_const(b->s.f, IR_BOOL, 0));
    if (fr.is_loop) {
        ssa_loop_close(&b->s, &fr.loop);
        b->slot_count = fr.slots;
        resume(b, &fr, fr.leaves & LEAVES_ALL);
    } else { /* the code is in the caller's own region */
        leave(b, fr.leaves & LEAVES_ALL);
    }
}

/* halt and early return, guarded or not */
static void leave_lanes(builder *b, const fe_insn *insn) {
    ir_value guard = build_guard(b, insn);
    if (guard)
        open_if(b, 0, guard);
    if (insn->op == ISA_RETURN && b->calls) {
        return_now(b);
    } else {
        ssa_end(&b->s, IR_HALT, NULL, 0);
        leave(b, LEAVES_ALL);
    }
    if (guard)
        close_if(b);
}

/* assert: lanes in which the predicate is false report it and halt. */
static void build_assert(builder *b, const fe_insn *insn) {
    ir_value no = ir_const(b->s.f, IR_BOOL, 0), guard = build_guard(b, insn);
    ir_value holds = build_predicate(b, insn->field[ISA_FIELD_RS1]);
    ir_value failed = ssa_emit(&b->s, IR_BNOT, IR_BOOL, &holds, 1, 0);
    if (guard)
        failed = ssa_emit(&b->s, IR_BAND, IR_BOOL, (ir_value[]){failed, guard}, 2, 0);
    open_if(b, 0, failed);
    ssa_emit(&b->s, IR_ASSERT, IR_VOID, &no, 1, insn->imm);
    ssa_end(&b->s, IR_HALT, NULL, 0);
    leave(b, LEAVES_ALL);
    close_if(b);
}

/* ---- The walk ---- */

/* Where building continues once the region has its terminator. */
static uint32_t end_of_region(builder *b) {
    const fe_insn *insns = b->kernel->insns;
    const frame *fr = top(b);
    if (!fr)
        return b->kernel->info.instructions;
    if (fr->kind == FRAME_CALL)
        return fr->end;
    uint32_t partner = insns[fr->insn].partner;
    return fr->kind == FRAME_IF && fr->branch.in_else ? insns[partner].partner : partner;
}

static bool ends_call(builder *b, uint32_t at) {
    const frame *fr = top(b);
    return fr && fr->kind == FRAME_CALL && fr->end == at;
}

/* Builds the instruction and returns the index of the next one. */
static uint32_t build_one(builder *b, uint32_t at) {
    const fe_insn *insn = &b->kernel->insns[at];
    b->s.pc = insn->pc;
    switch (insn->op) {
    case ISA_IF: open_if(b, at, build_predicate(b, insn->field[ISA_FIELD_RS1])); break;
    case ISA_ELSE: open_else(b); break;
    case ISA_ENDIF: close_if(b); break;
    case ISA_LOOP: open_loop(b, at); break;
    case ISA_ENDLOOP: close_loop(b); break;
    case ISA_BREAK:
    case ISA_CONTINUE: leave_loop(b, insn); break;
    case ISA_HALT: leave_lanes(b, insn); break;
    case ISA_ASSERT:
        if (b->how & IR_BUILD_ASSERTS)
            build_assert(b, insn);
        break;
    case ISA_RETURN:
        if (ends_call(b, at)) {
            uint32_t caller = top(b)->insn;
            close_call(b);
            return caller + 1;
        }
        leave_lanes(b, insn);
        break;
    case ISA_CALL: open_call(b, at); return insn->partner;
    default:
        if (!b->omitted || !(b->omitted[at / 64] >> (at % 64) & 1))
            build_instruction(b, insn);
        break;
    }
    return at + 1;
}

static void build_code(builder *b) {
    b->token = new_token(b);
    build_tile_variables(b);
    for (uint32_t at = 0; !b->s.f->failed;) {
        if (b->s.dead)
            at = end_of_region(b);
        if (at >= b->kernel->info.instructions)
            break;
        at = build_one(b, at);
    }
    if (!b->s.dead && !b->s.f->failed)
        ssa_end(&b->s, IR_HALT, NULL, 0);
}

/* Registers start as argument words or 0, predicates as false, tiles as 0. */
static void make_variables(builder *b) {
    ir_func *f = b->s.f;
    ir_value zero = ir_const(f, IR_U32, 0), no = ir_const(f, IR_BOOL, 0);
    ir_value tile = ir_const(f, IR_TILE, 0);
    unsigned limit = slot_limit(b->kernel);
    ssa_reserve(&b->s, limit);
    ssa_variables(&b->s, IR_U32, zero, SLOT_PREDICATE);
    ssa_variables(&b->s, IR_BOOL, no, SLOT_TILE - SLOT_PREDICATE);
    if (limit > SLOT_TILE) {
        ssa_variables(&b->s, IR_TILE, tile, SLOT_WAVE_TILE - SLOT_TILE);
        for (unsigned k = IR_A_F16; k < IR_TYPE_COUNT; k++)
            ssa_variables(&b->s, (ir_type)k, tile, ISA_TILES);
    }
    if (f->failed)
        return;
    for (unsigned k = 0; k < f->arg_words; k++)
        b->s.map[k] = ir_leaf(f, IR_ARG, IR_U32, k);
    memset(b->s.unused, true, limit);
    for (unsigned k = 0; k < limit; k++) {
        if (!b->facts.reads.words[k / 64])
            k |= 63; /* none of these is read */
        else
            b->s.unused[k] = !slot_in(&b->facts.reads, k);
    }
}

/* Every call level may nest as deeply as the code does, plus the builder's own ifs. */
static void make_frames(builder *b) {
    size_t levels = b->kernel->info.uses & WAVE_USES_CALL ? ISA_MAX_CALL_DEPTH + 1 : 1;
    b->frames = calloc(levels * (b->kernel->info.max_depth + 4), sizeof *b->frames);
    if (!b->frames)
        b->s.f->failed = true;
}

static void describe(ir_func *f, const fe_kernel *kernel, uint32_t wave_width) {
    const wave_kernel_info *info = &kernel->info;
    f->name = info->name;
    f->arg_words = info->argument_words;
    memcpy(f->workgroup, info->workgroup, sizeof f->workgroup);
    f->local_memory = fe_local_memory(info);
    f->wave_width = wave_width;
    f->private_memory = info->private_memory;
}

void ir_take_constants(ir_func *f, const wave_module *module) {
    size_t size;
    f->constants = wave_module_constants(module, &size);
    f->constant_size = (uint32_t)size;
}

bool ir_build(ir_func *f, const fe_kernel *kernel, unsigned kernel_index, uint32_t wave_width,
              unsigned how, wave_diags *diags) {
    builder b = {.kernel = kernel, .how = how};
    ir_init(f);
    ssa_init(&b.s, f);
    bool ok = scan_kernel(&b.facts, kernel, kernel_index, diags);
    if (ok && !f->failed) {
        describe(f, kernel, wave_width);
        make_frames(&b);
        make_variables(&b);
        build_make_names(&b);
        if (how & IR_BUILD_LIVE) {
            b.omitted = build_find_omitted(kernel);
            f->failed |= !b.omitted;
        }
        if (!f->failed)
            build_code(&b);
    }
    scan_free(&b.facts);
    ssa_free(&b.s);
    free(b.frames);
    free(b.slots);
    free(b.omitted);
    free(b.names);
    if (ok && f->failed)
        ir_report_failure(f, diags);
    return ok && !f->failed;
}
