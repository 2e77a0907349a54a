/* The walk over a kernel's structured program: steps become regions of the IR, blocks their
 * instructions. Explicit stacks hold the frames of inlined functions and the open regions. */
#include "spirv/to_ir.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAVES_LOOP = 1, LEAVES_ALL = 2 };

bool to_fail(builder *b, diag_code code, const char *format, ...) {
    char text[256];
    va_list args;
    if (b->s.f->failed) /* without memory, values are wrong: not an error of the input */
        return false;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!b->failed) /* the first error is the cause */
        spirv_report(b->frame ? to_module_of(b) : b->p->modules[0].m, b->insn, code, b->diags, "%s",
                     text);
    b->failed = true;
    return false;
}

/* ---- Regions ---- */

static void leave(builder *b, unsigned how) {
    if (b->control_count)
        b->control[b->control_count - 1].leaves |= how;
}

static to_control *push(builder *b, bool is_loop) {
    if (b->control_count >= TO_DEEPEST_CONTROL)
        to_fail(b, DIAG_E_DEPTH, "ifs and loops nest more than %d levels deep", TO_DEEPEST_CONTROL);
    uint32_t at = b->control_count < TO_DEEPEST_CONTROL ? b->control_count++ : b->control_count;
    b->control[at] = (to_control){.is_loop = is_loop, .token = b->token};
    b->token = 0;
    return &b->control[at];
}

/* After the region, lanes that left through it are missing. */
static void resume(builder *b, const to_control *c, unsigned further) {
    leave(b, further);
    b->token = further ? 0 : c->token;
}

void to_open_if(builder *b, ir_value condition) {
    ssa_if_open(&b->s, &push(b, false)->branch, condition);
}

void to_open_else(builder *b) {
    ssa_if_else(&b->s, &b->control[b->control_count - 1].branch);
    b->token = 0;
}

void to_close_if(builder *b) {
    to_control c = b->control[--b->control_count];
    ssa_if_close(&b->s, &c.branch);
    resume(b, &c, c.leaves);
}

void to_open_loop(builder *b, const uint32_t *carried, uint32_t count) {
    ssa_loop_open(&b->s, &push(b, true)->loop, carried, count, false);
}

void to_close_loop(builder *b) {
    to_control c = b->control[--b->control_count];
    ssa_loop_close(&b->s, &c.loop);
    resume(b, &c, c.leaves & ~(unsigned)LEAVES_LOOP);
}

static ssa_loop *innermost_loop(builder *b) {
    for (uint32_t k = b->control_count; k-- > 0;)
        if (b->control[k].is_loop)
            return &b->control[k].loop;
    return NULL;
}

static void leave_loop(builder *b, bool breaks) {
    ssa_loop *loop = innermost_loop(b);
    if (!loop)
        return;
    if (breaks)
        ssa_loop_break(&b->s, loop);
    else
        ssa_loop_continue(&b->s, loop);
    leave(b, LEAVES_LOOP);
}

void to_break_if(builder *b, ir_value condition) {
    to_open_if(b, condition);
    leave_loop(b, true);
    to_close_if(b);
}

uint32_t to_variable(builder *b, ir_type type, ir_value value) {
    return ssa_variable(&b->s, type, value);
}

ir_value to_token(builder *b) {
    if (!b->token)
        b->token = ssa_emit(&b->s, IR_NEW_TOKEN, IR_TOKEN, NULL, 0, 0);
    return b->token;
}

static void halt(builder *b) {
    ssa_end(&b->s, IR_HALT, NULL, 0);
    leave(b, LEAVES_ALL);
}

/* ---- Conditions ---- */

static ir_value is_case(builder *b, ir_value selector, const spirv_insn *insn, uint32_t which) {
    const spirv_module *m = to_module_of(b);
    uint32_t words = spirv_case_words(m, insn), at = 3 + (which - 1) * (words + 1);
    uint64_t bits = spirv_word(m, insn, at);
    if (words == 2)
        return to_2(
            b, IR_LCMP_EQ, IR_BOOL, selector,
            ir_const(to_func(b), IR_U64, bits | (uint64_t)spirv_word(m, insn, at + 1) << 32));
    unsigned width = to_type_of(b, spirv_word(m, insn, 1))->bits;
    if (width < 32)
        bits &= (1u << width) - 1;
    return to_2(b, IR_ICMP_EQ, IR_BOOL, selector, to_u32(b, bits));
}

static ir_value either(builder *b, ir_value x, ir_value y) {
    return x ? to_2(b, IR_BOR, IR_BOOL, x, y) : y;
}

/* Whether one of the edge's cases matches; for the default edge, none of the others. */
static ir_value switch_condition(builder *b, const spirv_insn *insn, uint32_t n, uint32_t edge) {
    const to_plan *plan = b->frame->plan;
    const spirv_block *block = &plan->function->blocks[n];
    uint32_t e = plan->graph.first[n] + edge, base = plan->case_base[n];
    uint32_t to = plan->graph.meant ? plan->graph.meant[e] : plan->graph.to[e];
    ir_value selector = to_read_scalar(b, spirv_word(to_module_of(b), insn, 1)), any = 0;
    if (!selector)
        return 0;
    if (to != block->targets[0]) {
        for (uint32_t k = plan->edge_case[e]; k; k = plan->next_case[base + k])
            any = either(b, any, is_case(b, selector, insn, k));
        return any ? any : to_zero(b, IR_BOOL);
    }
    for (uint32_t k = 1; k < block->target_count; k++)
        if (block->targets[k] != to)
            any = either(b, any, is_case(b, selector, insn, k));
    return any ? to_not(b, any) : ir_const(to_func(b), IR_BOOL, 1);
}

static ir_value edge_condition(builder *b, uint32_t n, uint32_t edge) {
    const to_plan *plan = b->frame->plan;
    const spirv_block *block = &plan->function->blocks[n];
    const spirv_insn *insn = &to_module_of(b)->insns[block->first + block->count - 1];
    uint32_t e = plan->graph.first[n] + edge;
    uint32_t to = plan->graph.meant ? plan->graph.meant[e] : plan->graph.to[e];
    b->insn = insn;
    if (insn->op == SPIRV_OpSwitch && to != plan->exit)
        return switch_condition(b, insn, n, edge);
    if (insn->op != SPIRV_OpBranchConditional || to == plan->exit ||
        block->targets[0] == block->targets[1])
        return ir_const(to_func(b), IR_BOOL,
                        to != plan->exit); /* the exit edge that was added is never taken */
    ir_value c = to_read_scalar(b, spirv_word(to_module_of(b), insn, 1));
    return c && to != block->targets[0] ? to_not(b, c) : c;
}

/* ---- Edges and phis ---- */

/* The memory space of a pointer, as far as its definition tells; follows only a few steps. */
static uint8_t guess_space(builder *b, spirv_id id) {
    const spirv_module *m = to_module_of(b);
    for (unsigned steps = 0; steps < 16; steps++) {
        const spirv_def *def = &m->defs[id];
        const spirv_insn *insn = &m->insns[def->insn];
        const spirv_type *type = spirv_type_of(m, id);
        uint8_t space = type ? to_space_of_storage(type->storage) : TO_MIXED;
        if (def->kind == SPIRV_ID_PARAMETER)
            return b->frame->space[b->frame->plan->in->slot[id]];
        if (space < IR_SPACE_COUNT)
            return space;
        bool follows = insn->op == SPIRV_OpPtrCastToGeneric || insn->op == SPIRV_OpBitcast ||
                       insn->op == SPIRV_OpCopyObject || insn->op == SPIRV_OpPtrAccessChain ||
                       insn->op == SPIRV_OpInBoundsPtrAccessChain ||
                       insn->op == SPIRV_OpAccessChain || insn->op == SPIRV_OpInBoundsAccessChain;
        if (def->kind != SPIRV_ID_VALUE || !follows)
            return TO_ANYWHERE;
        id = spirv_word(m, insn, 3);
    }
    return TO_ANYWHERE;
}

/* The space of an OpPhi whose known values are null: a value from a later edge decides. */
static uint8_t space_of_phi(builder *b, uint8_t known) {
    for (uint32_t k = 3; k < b->insn->count && known == TO_ANYWHERE; k += 2)
        known = guess_space(b, to_word(b, k));
    return known;
}

static void write_variables(builder *b, uint32_t first, const to_value *v) {
    to_frame *f = b->frame;
    for (uint32_t k = 0; k < v->count; k++) {
        ssa_write(&b->s, f->base + first + k, v->v[k]);
        f->variable_space[first + k] = to_merge_spaces(f->variable_space[first + k], v->space);
    }
}

static void take_edge(builder *b, uint32_t n, uint32_t edge) {
    to_frame *f = b->frame;
    const to_plan *plan = f->plan;
    const spirv_module *m = to_module_of(b);
    uint32_t e = plan->graph.first[n] + edge;
    uint32_t to = plan->graph.meant ? plan->graph.meant[e] : plan->graph.to[e];
    const spirv_block *from = &plan->function->blocks[n];
    to_value *v = &b->edge_value;
    if (to == plan->exit) {
        const spirv_insn *insn = &m->insns[from->first + from->count - 1];
        if (insn->op == SPIRV_OpReturnValue && to_read(b, spirv_word(m, insn, 1), v))
            write_variables(b, plan->result, v);
        return;
    }
    const spirv_block *block = &plan->function->blocks[to];
    for (uint32_t k = 0; k < block->count && !b->failed; k++) {
        const spirv_insn *insn = &m->insns[block->first + k];
        if (insn->op != SPIRV_OpPhi)
            break;
        b->insn = insn;
        uint32_t slot = plan->in->slot[insn->result];
        spirv_id id = plan->values[plan->phi_values[slot] + plan->edge_position[e]];
        if (!plan->phi[slot] || !id || !to_read(b, id, v))
            continue;
        bool was_read = v->count && b->s.unused[f->base + plan->phi[slot] - 1];
        if (was_read && v->space < IR_SPACE_COUNT && f->space[slot] != v->space &&
            v->flat->list[0].storage)
            to_fail(b, DIAG_E_GENERIC_POINTER,
                    "the pointer points to a different memory in the next iteration of the loop");
        write_variables(b, plan->phi[slot] - 1, v);
    }
}

static void build_phi(builder *b) {
    to_frame *f = b->frame;
    const to_plan *plan = f->plan;
    uint32_t slot = plan->in->slot[b->insn->result];
    uint32_t first = plan->phi[slot], count = plan->first[slot + 1] - plan->first[slot];
    ir_value *v = b->edge_value.v;
    if (!first || !count)
        return;
    for (uint32_t k = 0; k < count; k++) {
        v[k] = ssa_read(&b->s, f->base + first - 1 + k);
        b->s.unused[f->base + first - 1 + k] = true; /* until an edge writes it again */
    }
    const spirv_type *type = spirv_type_at(to_module_of(b), b->insn->type);
    uint8_t space = f->variable_space[first - 1];
    to_write(b, v, count, type->kind == SPIRV_POINTER ? space_of_phi(b, space) : space);
}

/* ---- Blocks ---- */

static void build_undef(builder *b) {
    const to_flat *flat = to_flat_in(b, b->insn->type);
    to_value *v = &b->edge_value;
    for (uint32_t k = 0; flat && k < flat->count; k++)
        v->v[k] = to_zero(b, (ir_type)flat->list[k].type);
    if (flat)
        to_write(b, v->v, flat->count, TO_ANYWHERE);
}

/* Room shared by all calls: to_call no longer needs it when it returns. */
static to_value *argument_room(builder *b, uint32_t count) {
    if (count >= b->argument_room) {
        b->argument_room = 2 * count + 4;
        b->arguments = arena_alloc(&b->memory, b->argument_room * sizeof *b->arguments);
        if (!b->arguments)
            b->s.f->failed = true;
    }
    return b->arguments;
}

static bool same_scalars(builder *b, to_module *in, spirv_id type, to_module *other_in,
                         spirv_id other_type) {
    const to_flat *one = to_flat_of(b->p, in, type),
                  *other = to_flat_of(b->p, other_in, other_type);
    bool same = one && other && one->count == other->count;
    for (uint32_t k = 0; same && k < one->count; k++) {
        const to_scalar *x = &one->list[k], *y = &other->list[k];
        same = x->type == y->type && x->bits == y->bits && x->storage == y->storage;
    }
    return same;
}

/* Whether results and parameters consist of the same scalars; the modules may differ. */
static bool same_signature(builder *b, to_module *in, uint32_t function, to_module *other_in,
                           uint32_t other_function) {
    const spirv_function *f = &in->m->functions[function];
    const spirv_function *other = &other_in->m->functions[other_function];
    bool same = f->parameter_count == other->parameter_count &&
                same_scalars(b, in, f->result, other_in, other->result);
    for (uint32_t k = 0; same && k < f->parameter_count; k++)
        same = same_scalars(b, in, in->m->defs[f->parameters[k]].type, other_in,
                            other_in->m->defs[other->parameters[k]].type);
    return same;
}

/* Replaces an import by its definition; false is reported. */
static bool find_definition(builder *b, to_module **in, uint32_t *function) {
    to_module *from = *in;
    const uint32_t import = *function;
    const char *name = from->m->functions[import].name;
    if (from->m->functions[import].block_count)
        return true;
    if (!to_find_function(b->p, name, in, function))
        return to_fail(b, DIAG_E_SPIRV_IMPORT, "the function %s is not defined",
                       *name ? name : "(without a name)");
    return same_signature(b, from, import, *in, *function) ||
           to_fail(b, DIAG_E_SPIRV_TYPE, "the definition of %s has a different type", name);
}

static void call_function(builder *b) {
    const spirv_module *m = to_module_of(b);
    uint32_t count = b->insn->count - 4u;
    to_module *in = b->frame->plan->in;
    uint32_t function = m->defs[to_word(b, 3)].index;
    if (!find_definition(b, &in, &function))
        return;
    to_value *args = argument_room(b, count);
    if (!args)
        return;
    for (uint32_t k = 0; k < count; k++)
        if (!to_read(b, to_word(b, 4 + k), &args[k]))
            return;
    to_call(b, in, function, args, count);
}

static void build_instruction(builder *b) {
    bool known = false, called = false;
    switch (b->insn->op) {
    case SPIRV_OpPhi: build_phi(b); return;
    case SPIRV_OpUndef: build_undef(b); return;
    case SPIRV_OpFunctionCall: call_function(b); return;
    case SPIRV_OpFRem:
    case SPIRV_OpFMod:
    case SPIRV_OpExtInst: to_opencl(b, &called); return;
    case SPIRV_OpNop:
    case SPIRV_OpLine:
    case SPIRV_OpNoLine:
    case SPIRV_OpLoopMerge:
    case SPIRV_OpSelectionMerge:
    case SPIRV_OpBranch:
    case SPIRV_OpBranchConditional:
    case SPIRV_OpSwitch:
    case SPIRV_OpReturn:
    case SPIRV_OpReturnValue:
    case SPIRV_OpUnreachable:
    case SPIRV_OpLifetimeStart:
    case SPIRV_OpLifetimeStop: return;
    default: break;
    }
    bool ok = to_arithmetic(b, &known) && (known || to_memory(b, &known)) &&
              (known || to_vector(b, &known)) && (known || to_conversion(b, &known)) &&
              (known || to_atomic(b, &known)) && (known || to_group(b, &known));
    if (ok && !known)
        to_fail(b, DIAG_E_SPIRV_FEATURE, "%s has no meaning in a kernel",
                spirv_op_name(b->insn->op));
}

static void next_instruction(builder *b) {
    to_frame *f = b->frame;
    b->insn = &to_module_of(b)->insns[f->insn++];
    b->s.pc = f->plan->in == &b->p->modules[0] ? b->insn->place : b->s.pc;
    if (++b->work > TO_MOST_WORK)
        to_fail(b, DIAG_E_INLINE_LIMIT,
                "with all calls inlined the kernel has more than %d instructions", TO_MOST_WORK);
    else
        build_instruction(b);
}

/* ---- Steps ---- */

static void open_block(builder *b, uint32_t n) {
    to_frame *f = b->frame;
    if (n >= f->plan->function->block_count)
        return;
    f->insn = f->plan->function->blocks[n].first;
    f->end = f->insn + f->plan->function->blocks[n].count;
}

static uint32_t flag_of(const builder *b, uint32_t flag) {
    return b->frame->base + b->frame->plan->flag[flag] - 1;
}

static void open_loop(builder *b, uint32_t loop) {
    const to_plan *plan = b->frame->plan;
    uint32_t from = plan->carried_first[loop], count = plan->carried_first[loop + 1] - from;
    uint32_t *list = arena_alloc(&b->memory, (count + (size_t)1) * sizeof *list);
    if (!list) {
        b->s.f->failed = true;
        return;
    }
    for (uint32_t k = 0; k < count; k++)
        list[k] = b->frame->base + plan->carried[from + k];
    to_open_loop(b, list, count);
}

static void close_loop(builder *b, uint32_t loop) {
    const to_plan *plan = b->frame->plan;
    to_close_loop(b);
    for (uint32_t k = plan->retired_first[loop]; k < plan->retired_first[loop + 1]; k++)
        b->s.unused[b->frame->base + plan->retired[k]] = true;
}

static void build_if(builder *b, ir_value condition) {
    if (condition)
        to_open_if(b, condition);
    else
        to_fail(b, DIAG_E_SPIRV_TYPE, "the branch has no condition");
}

static void build_step(builder *b, const step *s) {
    switch ((step_kind)s->kind) {
    case STEP_BLOCK: open_block(b, s->node); break;
    case STEP_EDGE: take_edge(b, s->node, s->edge); break;
    case STEP_IF: build_if(b, edge_condition(b, s->node, s->edge)); break;
    case STEP_IF_FLAG:
        /* A flag is tested in one place; only those of dispatchers are read after their test. */
        if (s->node < b->frame->plan->steps.first_dispatch)
            b->s.unused[flag_of(b, s->node)] = true;
        build_if(b, ssa_read(&b->s, flag_of(b, s->node)));
        break;
    case STEP_ELSE: to_open_else(b); break;
    case STEP_END_IF: to_close_if(b); break;
    case STEP_LOOP: open_loop(b, s->node); break;
    case STEP_END_LOOP: close_loop(b, s->node); break;
    case STEP_BREAK: leave_loop(b, true); break;
    case STEP_CONTINUE: leave_loop(b, false); break;
    case STEP_RAISE: ssa_write(&b->s, flag_of(b, s->node), ir_const(to_func(b), IR_BOOL, 1)); break;
    case STEP_LOWER: ssa_write(&b->s, flag_of(b, s->node), to_zero(b, IR_BOOL)); break;
    case STEP_END:
        if (s->node != b->frame->plan->exit)
            halt(b);
        break;
    }
}

/* In unreachable code, only the ends of open regions matter. */
static void next_step(builder *b) {
    const step *s = &b->frame->plan->steps.steps[b->frame->at++];
    bool opens = s->kind == STEP_IF || s->kind == STEP_IF_FLAG || s->kind == STEP_LOOP;
    bool closes = s->kind == STEP_END_IF || s->kind == STEP_END_LOOP;
    if (b->s.dead && opens) {
        b->skipped++;
        return;
    }
    if (b->skipped) {
        b->skipped -= closes;
        return;
    }
    if (!b->s.dead || closes || s->kind == STEP_ELSE)
        build_step(b, s);
}

/* ---- The kernel ---- */

static void build_code(builder *b) {
    while (b->frame && !b->failed && !b->s.f->failed) {
        to_frame *f = b->frame;
        if (f->insn < f->end && !b->s.dead)
            next_instruction(b);
        else if (f->insn < f->end)
            f->insn = f->end;
        else if (f->at < f->plan->steps.count)
            next_step(b);
        else
            to_return(b);
    }
    if (!b->failed && !b->s.f->failed && !b->s.dead)
        ssa_end(&b->s, IR_HALT, NULL, 0);
}

static void describe(builder *b, ir_func *f) {
    f->name = b->entry->name;
    memcpy(f->workgroup, b->entry->workgroup, sizeof f->workgroup);
    f->constants = b->p->constant_size ? b->p->constants : NULL;
    f->constant_size = b->p->constant_size;
    f->wave_width = 0; /* any */
}

static bool check_memory(builder *b, ir_func *f) {
    f->private_memory = (f->private_memory + 15) / 16 * 16;
    f->local_memory = b->local_top;
    if (b->failed || f->failed)
        return false;
    if (f->private_memory > 65536)
        return to_fail(b, DIAG_E_SPIRV_LIMIT,
                       "the kernel needs %u bytes of private memory; the limit is 65536",
                       f->private_memory);
    return f->local_memory <= 65536 ||
           to_fail(b, DIAG_E_SPIRV_LIMIT,
                   "the kernel needs %u bytes of local memory; the limit is 65536",
                   f->local_memory);
}

static bool build(builder *b, ir_func *f, uint32_t entry, spirv_kernel *kernel) {
    uint32_t start = b->p->compares_pointers ? 16 : 0;
    b->private_top = b->local_top = start;
    ssa_reserve(&b->s, 1); /* variable 0 can be read even when there is no memory for one */
    for (uint32_t k = 0; k < b->p->module_count; k++) {
        b->local_offset[k] = arena_alloc(
            &b->memory, (b->p->modules[k].m->variable_count + (size_t)1) * sizeof(uint32_t));
        f->failed |= !b->local_offset[k];
    }
    describe(b, f);
    uint32_t function = b->p->modules[0].m->entries[entry].function;
    b->insn = &b->p->modules[0].m->insns[b->p->modules[0].m->functions[function].insn];
    if (f->failed || !to_call(b, &b->p->modules[0], function, NULL, 0))
        return false;
    if (!to_arguments(b, b->frame, kernel))
        return false;
    build_code(b);
    return check_memory(b, f);
}

bool spirv_build_kernel(spirv_program *p, uint32_t entry, const spirv_options *options, ir_func *f,
                        spirv_kernel *kernel, wave_diags *diags) {
    static const spirv_options none;
    ir_init(f);
    builder *b = calloc(1, sizeof *b);
    if (!b) {
        f->failed = true;
        ir_report_failure(f, diags);
        return false;
    }
    b->p = p;
    b->options = options ? options : &none;
    b->entry = &p->modules[0].m->entries[entry];
    b->diags = diags;
    *kernel = (spirv_kernel){0};
    ssa_init(&b->s, f);
    bool ok = build(b, f, entry, kernel);
    if (!b->failed && f->failed)
        ir_report_failure(f, diags);
    ssa_free(&b->s);
    arena_free(&b->memory);
    while (b->frame_count) /* after an error */
        free(b->frames[--b->frame_count]);
    free(b->frames);
    free(b);
    return ok && !f->failed;
}
