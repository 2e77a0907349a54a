/* The text around a kernel's code: the module's header, the signature, registers, shared memory,
 * and the first lines, which load arguments and special registers. */
#include "emit_ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

/* ---- Architectures ---- */

/* Local memory is limited by the shared memory that a block can opt in to (CUDA programming guide,
 * technical specifications by compute capability). */
#define ARCH(number, local)                                                                        \
    { "sm_" #number, number, local, 32, 32, 64 }
static const emit_arch archs[] = {ARCH(75, 65536),
                                  ARCH(80, 166912),
                                  ARCH(86, 101376),
                                  ARCH(87, 166912),
                                  ARCH(88, 101376),
                                  ARCH(89, 101376),
                                  ARCH(90, 232448),
                                  ARCH(100, 232448),
                                  ARCH(103, 232448),
                                  ARCH(110, 232448),
                                  ARCH(120, 101376),
                                  ARCH(121, 101376),
                                  {0}};
#undef ARCH

/* The first PTX version that supports an architecture, but no older one than 7.5. */
static const char *version_of(unsigned arch) {
    switch (arch) {
    case 89:
    case 90: return "7.8";
    case 100: return "8.6";
    case 120: return "8.7";
    case 103:
    case 121: return "8.8";
    case 88:
    case 110: return "9.0";
    default: return "7.5";
    }
}

static void put_header(const emit_options *o, buf *out) {
    buf_text(out, "// WAVE kernels for sm_");
    buf_decimal(out, o->arch);
    emit_put_source(o, out);
    buf_printf(out, "\n.version %s\n.target sm_%u\n.address_size 64\n", version_of(o->arch),
               o->arch);
    for (uint32_t k = 1; o->debug && k <= o->file_count; k++) {
        if (!emit_file(o, k))
            continue;
        buf_printf(out, "%s.file %u ", k == 1 ? "\n" : "", k);
        emit_quoted_name(out, emit_file(o, k));
        buf_text(out, "\n");
    }
}

/* ---- What the prologue must load ---- */

typedef struct start {
    ir_value special[ISA_SPECIAL_COUNT]; /* the leaves in use, or 0 */
    ir_value *args;
    ptx_reg component[ISA_SPECIAL_COUNT]; /* special registers that only the prologue uses */
} start;

static void need_leaf(ptx *p, start *s, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    uint32_t bits;
    if (n->op == IR_ARG && n->imm < p->f->arg_words)
        s->args[n->imm] = v;
    else if (n->op == IR_SPECIAL && !ptx_const(p, v, &bits))
        s->special[n->imm] = v;
}

/* Wave operations note the fixed registers that they need while they are printed. The prologue's
 * registers have the lowest numbers, so code that is printed before these needs are known cannot be
 * kept. Each wave operation is therefore printed twice, and the first text is discarded. */
static void find_wave_needs(ptx *p, ir_value v) {
    p->out = &p->function;
    (void)ptx_wave(p, v);
    p->out = &p->code;
    p->code.failed |= p->function.failed; /* parts that could not be printed may have needs */
    p->function.size = 0;
}

static void forget_registers(ptx *p) {
    p->blank = true;
    memset(p->reg, 0, p->f->node_count * sizeof *p->reg);
    memset(p->count, 0, sizeof p->count);
}

/* Finds the leaves in use and the fixed registers that memory and wave operations need. */
static void find_needs(ptx *p, start *s) {
    for (uint32_t k = 0; k < p->m.op_count; k++) {
        ir_value v = p->m.ops[k];
        ir_op op = ir_op_of(p->f, v);
        if (op == IR_CONTINUE)
            ptx_note_continue(p, v);
        else if (op == IR_POINTER || op == IR_BUFFER || ir_has(p->f, v, IR_READS | IR_WRITES))
            ptx_memory_needs(p, v);
        else if (ir_has(p->f, v, IR_WAVE))
            find_wave_needs(p, v);
    }
    if (ir_made_any(p->f, IR_WAVE))
        forget_registers(p);
    for (uint32_t k = 0; k < p->f->leaf_capacity; k++) {
        ir_value v = p->f->leaves[k];
        if (v && mat_is_used(&p->m, v))
            need_leaf(p, s, v);
    }
    p->needs[PTX_LANES] |= p->needs[PTX_LANES_LEFT] && !p->whole;
    p->needs[PTX_LANE] |= s->special[ISA_SR_LANE_ID] || p->needs[PTX_LANES_LEFT];
    p->needs[PTX_LINEAR] |= s->special[ISA_SR_WAVE_ID] || p->needs[PTX_LANES];
}

/* ---- The prologue ---- */

static void load_argument(ptx *p, ptx_operand d, uint32_t index) {
    const emit_argument *m =
        p->o->arguments.count ? emit_argument_at(&p->o->arguments, index) : NULL;
    ptx_line(p, "ld.param.u32 $, [", d);
    buf_text(p->out, p->o->symbol);
    buf_text(p->out, "_args");
    if (index) {
        buf_char(p->out, '+');
        buf_decimal(p->out, 4 * (uint64_t)index);
    }
    buf_text(p->out, "];");
    if (m)
        buf_printf(p->out, " // %s", m->name);
    buf_char(p->out, '\n');
}

/* A special register: a constant, the register that the code also uses, or a new one. */
static ptx_operand component(ptx *p, start *s, unsigned special) {
    if (s->special[special])
        return ptx_dest(p, s->special[special]);
    if (!s->component[special]) {
        s->component[special] = ptx_new(p, PTX_B32).reg;
        ptx_load_special(p, ptx_at(s->component[special]), special);
    }
    return ptx_at(s->component[special]);
}

static ptx_operand thread_id(ptx *p, start *s, unsigned axis) {
    return p->f->workgroup[axis] == 1 ? ptx_u32(0) : component(p, s, ISA_SR_THREAD_ID_X + axis);
}

static ptx_operand group_size(ptx *p, start *s, unsigned axis) {
    uint32_t size = p->f->workgroup[axis];
    return size ? ptx_u32(size) : component(p, s, ISA_SR_WORKGROUP_SIZE_X + axis);
}

/* x + X * (y + Y * z); only x in a one-dimensional workgroup. */
static ptx_operand load_linear(ptx *p, start *s) {
    ptx_operand x = thread_id(p, s, 0);
    const uint32_t *group = p->f->workgroup;
    if (group[1] == 1 && group[2] == 1)
        return ptx_in_reg(p, x);
    ptx_operand width = group_size(p, s, 0);
    ptx_operand row = thread_id(p, s, 1);
    if (group[2] != 1) {
        ptx_operand height = group_size(p, s, 1);
        ptx_operand z = thread_id(p, s, 2), t = ptx_new(p, PTX_B32);
        ptx_line(p, "mad.lo.s32 $, $, $, $", t, z, height, row);
        row = t;
    }
    ptx_operand linear = ptx_new(p, PTX_B32);
    ptx_line(p, "mad.lo.s32 $, $, $, $", linear, row, width, x);
    return linear;
}

static ptx_operand load_threads(ptx *p, start *s) {
    const uint32_t *group = p->f->workgroup;
    if (group[0])
        return ptx_u32(group[0] * group[1] * group[2]);
    ptx_operand n[3];
    for (unsigned k = 0; k < 3; k++)
        n[k] = group_size(p, s, k);
    ptx_operand t = ptx_new(p, PTX_B32), threads = ptx_new(p, PTX_B32);
    ptx_line(p, "mul.lo.s32 $, $, $", t, n[0], n[1]);
    ptx_line(p, "mul.lo.s32 $, $, $", threads, t, n[2]);
    return threads;
}

/* min(32, number of threads from this warp's first thread on) */
static void load_lanes(ptx *p, start *s) {
    ptx_operand threads = load_threads(p, s), first = ptx_new(p, PTX_B32),
                rest = ptx_new(p, PTX_B32), count = ptx_new(p, PTX_B32);
    ptx_line(p, "and.b32 $, $, $", first, ptx_fixed_reg(p, PTX_LINEAR), ptx_u32(0xFFFFFFE0u));
    ptx_line(p, "sub.s32 $, $, $", rest, threads, first);
    ptx_line(p, "min.u32 $, $, 32", count, rest);
    p->fixed[PTX_LANES] = count.reg;
}

/* Loads the 64-bit parameter whose name is the kernel's symbol and `suffix`. */
static ptx_operand load_parameter(ptx *p, const char *suffix) {
    ptx_operand d = ptx_new(p, PTX_B64);
    ptx_line(p, "ld.param.u64 $, [", d);
    ptx_end_line(p, p->o->symbol, suffix, "]");
    return d;
}

/* The same for a generic address, as an address of global memory. */
static void load_pointer(ptx *p, ptx_fixed which, const char *suffix) {
    if (!p->needs[which])
        return;
    ptx_operand generic = load_parameter(p, suffix), pointer = ptx_new(p, PTX_B64);
    ptx_line(p, "cvta.to.global.u64 $, $", pointer, generic);
    p->fixed[which] = pointer.reg;
}

/* Loads the address of a variable. */
static void load_variable(ptx *p, ptx_fixed which, const char *symbol, const char *suffix) {
    if (!p->needs[which])
        return;
    bool wide = which != PTX_LOCAL;
    ptx_operand d = ptx_new(p, wide ? PTX_B64 : PTX_B32);
    ptx_line(p, wide ? "mov.u64 $, " : "mov.u32 $, ", d);
    ptx_end_line(p, symbol, suffix, "");
    p->fixed[which] = d.reg;
}

static void load_memories(ptx *p) {
    load_pointer(p, PTX_BASE, "_mem");
    if (p->needs[PTX_SIZE])
        p->fixed[PTX_SIZE] = load_parameter(p, "_size").reg;
    load_pointer(p, PTX_STATUS, "_status");
    load_variable(p, PTX_LOCAL, p->o->symbol, "_local");
    load_variable(p, PTX_PRIVATE, p->o->symbol, "_private");
    load_variable(p, PTX_CONSTANT, EMIT_CONSTANTS, "");
}

static void load_specials(ptx *p, start *s) {
    for (unsigned k = 0; k < ISA_SPECIAL_COUNT; k++)
        if (s->special[k] && ptx_has_special(k) && k != ISA_SR_LANE_ID)
            ptx_load_special(p, ptx_dest(p, s->special[k]), k);
    if (p->needs[PTX_LANE]) {
        ptx_operand lane = s->special[ISA_SR_LANE_ID] ? ptx_dest(p, s->special[ISA_SR_LANE_ID])
                                                      : ptx_new(p, PTX_B32);
        ptx_load_special(p, lane, ISA_SR_LANE_ID);
        p->fixed[PTX_LANE] = lane.reg;
    }
    if (p->needs[PTX_LINEAR])
        p->fixed[PTX_LINEAR] = load_linear(p, s).reg;
    if (s->special[ISA_SR_WAVE_ID])
        ptx_line(p, "shr.u32 $, $, 5", ptx_dest(p, s->special[ISA_SR_WAVE_ID]),
                 ptx_fixed_reg(p, PTX_LINEAR));
    if (s->special[ISA_SR_NUM_WAVES]) {
        ptx_operand threads = load_threads(p, s), t = ptx_new(p, PTX_B32);
        ptx_line(p, "add.s32 $, $, 31", t, threads);
        ptx_line(p, "shr.u32 $, $, 5", ptx_dest(p, s->special[ISA_SR_NUM_WAVES]), t);
    }
    if (p->needs[PTX_LANES])
        load_lanes(p, s);
    if (p->needs[PTX_LANES_LEFT]) {
        ptx_operand left = ptx_new(p, PTX_B32);
        ptx_line(p, "sub.s32 $, $, $", left, p->whole ? ptx_u32(32) : ptx_fixed_reg(p, PTX_LANES),
                 ptx_fixed_reg(p, PTX_LANE));
        p->fixed[PTX_LANES_LEFT] = left.reg;
    }
}

static void put_start(ptx *p, start *s) {
    load_memories(p);
    for (uint32_t k = 0; k < p->f->arg_words; k++)
        if (s->args[k])
            load_argument(p, ptx_dest(p, s->args[k]), k);
    load_specials(p, s);
}

/* ---- Around the code ---- */

/* The launch contract, as a comment. */
static void put_contract(const ptx *p, buf *out) {
    const ir_func *f = p->f;
    const char *symbol = p->o->symbol;
    emit_put_kernel_name(f, p->o, out);
    buf_printf(out, "//   %s_mem: address of the arena, which device addresses are offsets into\n",
               symbol);
    if (f->arg_words)
        buf_printf(out, "//   %s_args: the first %u registers\n", symbol, f->arg_words);
    if (p->o->bounds)
        buf_printf(out, "//   %s_size: bytes in the arena; accesses past it do nothing\n", symbol);
    if (emit_has_status(p->o))
        buf_printf(out,
                   "//   %s_status: address of two words, 0; after the first assert that fails 1 "
                   "and its number\n",
                   symbol);
    emit_put_workgroup(f, out);
    if (emit_ptx_dynamic(f->local_memory))
        buf_printf(out, "//   local memory: launch with %u bytes of dynamic shared memory\n",
                   f->local_memory);
    else if (f->local_memory)
        buf_printf(out, "//   local memory: %u bytes\n", f->local_memory);
}

/* Alignment of local memory: wmma requires 32 bytes. */
static unsigned alignment(const ir_func *f) {
    return ir_made(f, IR_TILE_LOAD) || ir_made(f, IR_TILE_STORE) ? 32 : 16;
}

/* .reqntid tells ptxas that the rows of a workgroup are whole warps; it then moves what depends on
 * %tid.y alone to uniform registers. A workgroup of 1,024 threads leaves 64 registers per thread.
 * With so few, recomputing the rest of the addresses around these costs more than it saves, and
 * spills. */
static bool is_crowded(const uint32_t *group) {
    return group[0] % 32 == 0 && group[0] < 1024 && group[0] * group[1] * group[2] == 1024;
}

static void put_signature(const ptx *p, buf *out) {
    const ir_func *f = p->f;
    const char *symbol = p->o->symbol;
    if (emit_ptx_dynamic(f->local_memory))
        buf_printf(out, ".extern .shared .align %u .b8 %s_local[];\n\n", alignment(f), symbol);
    buf_printf(out, ".visible .entry %s(\n    .param .u64 %s_mem", symbol, symbol);
    if (f->arg_words)
        buf_printf(out, ",\n    .param .align 4 .b8 %s_args[%u]", symbol, 4 * f->arg_words);
    if (p->o->bounds)
        buf_printf(out, ",\n    .param .u64 %s_size", symbol);
    if (emit_has_status(p->o))
        buf_printf(out, ",\n    .param .u64 %s_status", symbol);
    buf_text(out, "\n)\n");
    const uint32_t *group = f->workgroup;
    if (group[0])
        buf_printf(out, ".%s %u, %u, %u\n", is_crowded(group) ? "maxntid" : "reqntid", group[0],
                   group[1], group[2]);
    else
        buf_text(out, ".maxntid 1024, 1, 1\n");
}

void ptx_put_registers(const ptx *p, buf *out) {
    static const char *const text[PTX_CLASS_COUNT] = {".pred %p", ".b16  %h",  ".b32  %r",
                                                      ".f32  %f", ".b64  %rd", ".f64  %fd"};
    for (unsigned c = 0; c < PTX_CLASS_COUNT; c++)
        if (p->count[c]) {
            buf_text(out, "    .reg ");
            buf_text(out, text[c]);
            buf_char(out, '<');
            buf_decimal(out, p->count[c]);
            buf_text(out, ">;\n");
        }
}

static void put_declarations(const ptx *p, buf *out) {
    bool any = false;
    for (unsigned c = 0; c < PTX_CLASS_COUNT; c++)
        any |= p->count[c] != 0;
    ptx_put_registers(p, out);
    if (p->f->local_memory && !emit_ptx_dynamic(p->f->local_memory)) {
        buf_printf(out, "    .shared .align %u .b8 %s_local[%u];\n", alignment(p->f), p->o->symbol,
                   p->f->local_memory);
        any = true;
    }
    if (p->uses[IR_PRIVATE]) {
        buf_printf(out, "    .local .align 16 .b8 %s_private[%u];\n", p->o->symbol,
                   emit_private_bytes(p->f));
        any = true;
    }
    if (any)
        buf_char(out, '\n');
}

/* ---- One kernel ---- */

/* Bytes of text per node: a generous estimate, so that the buffer is rarely copied to grow. */
enum { TEXT_OF_NODE = 64 };

static bool prepare(ptx *p) {
    const ir_func *f = p->f;
    size_t n = f->node_count, regions = f->region_count;
    const uint32_t *group = f->workgroup;
    p->whole = group[0] && (uint64_t)group[0] * group[1] * group[2] % 32 == 0;
    p->out = &p->code;
    buf_reserve(p->out, n * TEXT_OF_NODE);
    p->blank = true;
    p->pc = UINT32_MAX;
    p->symbol_length = strlen(p->o->symbol);
    p->formats = malloc(PTX_FORMATS * sizeof *p->formats);
    if (p->formats)
        ptx_forget_formats(p);
    p->reg = calloc(n, sizeof *p->reg);
    p->pointer = malloc(n * sizeof *p->pointer);
    p->pointer_region = malloc(n * sizeof *p->pointer_region);
    p->pointer_space = calloc(n, 1);
    p->open = calloc(regions, 1);
    p->skip = calloc(regions, 1);
    p->flags = calloc(regions, 1);
    p->again = calloc(regions, 1);
    p->label = calloc(regions, sizeof *p->label);
    return p->formats && p->reg && p->pointer && p->pointer_region && p->pointer_space && p->open &&
           p->skip && p->flags && p->again && p->label && mat_find(&p->m, f, &ptx_mat_target);
}

static void finish(ptx *p) {
    mat_free(&p->m);
    ir_free_uniformity(&p->uniformity);
    free(p->formats);
    free(p->reg);
    free(p->pointer);
    free(p->pointer_region);
    free(p->pointer_space);
    free(p->open);
    free(p->skip);
    free(p->flags);
    free(p->again);
    free(p->label);
    free(p->digits);
    buf_free(&p->code);
    buf_free(&p->function);
    buf_free(&p->functions);
}

static bool print_kernel(ptx *p, emit_unit *unit) {
    buf *out = &unit->text;
    start s = {.args = calloc((size_t)p->f->arg_words + 1, sizeof *s.args)};
    if (!s.args || !prepare(p)) {
        free(s.args);
        return false;
    }
    if (p->m.loads_constants)
        emit_note_constants(p->f, unit);
    find_needs(p, &s);
    ptx_find_again(p, s.special);
    mat_forget_lives(&p->m);
    put_start(p, &s);
    if (p->code.size)
        ptx_blank(p);
    ptx_code(p);
    free(s.args);
    buf_join(out, &p->functions);
    put_contract(p, out);
    put_signature(p, out);
    buf_text(out, "{\n");
    put_declarations(p, out);
    buf_join(out, &p->code);
    buf_text(out, "}\n");
    return !out->failed;
}

static bool kernel(const ir_func *f, const emit_options *o, emit_unit *unit, wave_diags *diags) {
    if (!emit_within_limits(&emit_ptx, f, o, diags))
        return false;
    ptx p = {.f = f, .o = o, .diags = diags};
    bool ok = print_kernel(&p, unit);
    if (!ok && !p.rejected)
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile %s",
                    f->name);
    ok = ok && !p.rejected;
    finish(&p);
    return ok;
}

static void top(const emit_options *o, const emit_unit *unit, buf *out) {
    put_header(o, out);
    if (!(unit->uses & EMIT_USES_CONSTANTS))
        return;
    buf_printf(out, "\n// Constant memory, %u bytes.\n.const .align 16 .b32 %s[%u] = {",
               unit->constant_size, EMIT_CONSTANTS, emit_constant_words(unit));
    emit_put_constants(unit, "", out);
    buf_text(out, "};\n");
}

static bool reserves(const char *name) {
    return strcmp(name, EMIT_CONSTANTS) == 0;
}

const emit_backend emit_ptx = {.name = "ptx",
                               .suffix = ".ptx",
                               .archs = archs,
                               .advances_from = PTX_WIDE_FROM,
                               .units = ptx_units,
                               .kernel = kernel,
                               .top = top,
                               .reserves = reserves};
