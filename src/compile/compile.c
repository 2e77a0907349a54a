/* wave_compile: builds each kernel, runs the passes and the emitter, and joins the results into one
 * text. */
#include "compile/compile.h"

#include "base/float_env.h"
#include "emit_wbin/emit_wbin.h"
#include "ir/build.h"
#include "ir/opt.h"
#include "ir/passes.h"
#include "ir/text.h"

/* One kernel in the pipeline. */
typedef struct job {
    const plan *plan;
    size_t index; /* among the selected kernels */
    emit_unit *unit;
    wbin_unit *wbin; /* instead of unit, when that is the target */
    buf *dump;
    wave_diags *diags;
    uint32_t *operations;      /* of the preceding kernels */
    uint32_t last_instruction; /* looked up last */
} job;

static const fe_kernel *kernel_of(const job *j) {
    return &j->plan->module->kernels[j->plan->kernels[j->index]];
}

/* The instruction at an offset. Most queries come in order. */
static uint32_t instruction_at(const fe_kernel *k, uint32_t pc, uint32_t last) {
    bool next = k->info.instructions - last > 1 && k->insns[last + 1].pc == pc;
    return next ? last + 1 : compile_instruction(k, pc);
}

static void instruction_text(void *context, uint32_t pc, buf *text, emit_line *line) {
    job *j = context;
    const fe_kernel *k = kernel_of(j);
    uint32_t low = j->last_instruction = instruction_at(k, pc, j->last_instruction);
    fe_insn_text(text, &k->insns[low], k->insns, (unsigned)j->plan->kernels[j->index]);
    *line = plan_line(j->plan, j->plan->kernels[j->index], low);
}

static void timed(void *user, const char *pass, double seconds, uint32_t operations) {
    const job *j = user;
    const wave_compile_options *o = j->plan->options;
    o->timed(o->user, j->plan->symbols[j->index], pass, seconds, operations);
}

static emit_options options_of(const plan *p) {
    const wave_compile_options *o = p->options;
    return (emit_options){.arch = p->arch->number,
                          .wave_width = p->wave_width,
                          .fp_fast = o->fast_math,
                          .bounds = o->bounds,
                          .assert_trap = o->assert_trap,
                          .unoptimised = !o->optimise,
                          .debug = o->debug && p->module,
                          .source = o->source,
                          .files = p->files,
                          .file_count = p->file_count,
                          .command = o->command};
}

/* The WAVE_USES_… bits that decide the parameters of a kernel given as IR. */
static uint32_t uses_of(const ir_func *f) {
    return (ir_made_any(f, IR_WAVE) ? (uint32_t)WAVE_USES_WAVE_OPS : 0) |
           (ir_made(f, IR_ASSERT) ? (uint32_t)WAVE_USES_ASSERT : 0) |
           (ir_made(f, IR_TILE_LOAD) || ir_made(f, IR_TILE_STORE) ? (uint32_t)WAVE_USES_TILE : 0);
}

/* Whether extensions of the ISA may be used where plain instructions would do. */
static bool may_extend(const plan *p) {
    return p->options->extensions || (p->module && p->module->extended);
}

/* Whether the original code of the file is a valid result: no option changes it, and nothing in it
 * requires lenient mode. */
static bool may_keep_original(const job *j) {
    const wave_compile_options *o = j->plan->options;
    bool asserts = kernel_of(j)->info.uses & WAVE_USES_ASSERT;
    return o->optimise && !o->always && !o->lockstep && !o->deterministic &&
           (o->assert_trap || !asserts) && j->plan->module->mode != WAVE_MODE_LENIENT &&
           !j->plan->module->reinterpreted;
}

/* Adds the kernel to a WBIN file. Everything in its record and sections is kept. */
static bool add_to_wbin(job *j, ir_func *f) {
    wbin_kernel kernel = {.name = *f->name ? f->name : NULL,
                          .registers = ISA_DEFAULT_REGISTERS,
                          .local_memory = f->local_memory};
    if (j->plan->module) {
        const fe_kernel *k = kernel_of(j);
        if (k->register_limit < kernel.registers) /* a launch can set these: they remain */
            kernel.registers = k->register_limit;
        kernel.local_memory = k->info.local_memory;
        kernel.arguments = k->extras.arguments;
        kernel.argument_count = k->extras.argument_count;
        kernel.lines = k->extras.lines;
        kernel.line_count = k->extras.line_count;
        kernel.original = may_keep_original(j) ? k : NULL;
    }
    return wbin_add_kernel(j->wbin, f, &kernel, j->diags);
}

/* From IR to emitted text. */
static bool finish_kernel(job *j, ir_func *f) {
    const plan *p = j->plan;
    const wave_compile_options *o = p->options;
    const ir_pass_options passes = {.optimise = o->optimise,
                                    .bounds = o->bounds,
                                    .fast_math = o->fast_math,
                                    .lockstep = o->lockstep,
                                    .deterministic = o->deterministic,
                                    .indexed = o->target != WAVE_TARGET_PTX,
                                    .wbin = o->target == WAVE_TARGET_WBIN,
                                    .verify = o->verify_ir,
                                    .dump_after = o->dump_ir,
                                    .places = o->debug,
                                    .dump = j->dump,
                                    .timed = o->timed ? timed : NULL,
                                    .user = j};
    emit_options emit = options_of(p);
    emit.symbol = p->symbols[j->index];
    emit.uses = plan_uses(p, p->module ? kernel_of(j)->info.uses : uses_of(f));
    emit.arguments = p->module ? p->arguments[j->index] : (emit_arguments){0};
    emit.registers = p->module ? p->registers[j->index] : (emit_registers){0};
    emit.instruction = p->module ? instruction_text : NULL;
    emit.instruction_context = j;
    f->plain = passes.wbin && !may_extend(p);
    f->units = plan_units(p, f);
    f->sparing = passes.wbin;
    f->advances = plan_advances(p);
    if (!ir_run_passes(f, &passes, j->diags))
        return false;
    ir_compact(f);
    return passes.wbin ? add_to_wbin(j, f)
                       : plan_backend(o->target)->kernel(f, &emit, j->unit, j->diags);
}

/* Records the buffers that are declared as contained. */
static void note_buffers(const fe_kernel *kernel, ir_func *f) {
    for (uint32_t k = 0; k < kernel->extras.argument_count; k++) {
        const wave_argument *a = &kernel->extras.arguments[k];
        uint64_t bit = (uint64_t)1 << (a->first_word % 64);
        if (a->kind != WAVE_ARGUMENT_BUFFER || !(a->flags & WAVE_ARGUMENT_CONTAINED))
            continue;
        f->contained[a->first_word / 64] |= bit;
        if (a->access == WAVE_ARGUMENT_READ && a->flags & WAVE_ARGUMENT_RESTRICT)
            f->unwritten[a->first_word / 64] |= bit;
        if (a->type == WAVE_TYPE_F64)
            f->doubles[a->first_word / 64] |= bit;
        else if (wave_type_size((wave_type)a->type) == 8)
            f->longs[a->first_word / 64] |= bit;
    }
}

static unsigned build_flags(const plan *p) {
    return (unsigned)IR_BUILD_LIVE | (p->options->assert_trap ? (unsigned)IR_BUILD_ASSERTS : 0u) |
           (p->options->target == WAVE_TARGET_WBIN ? (unsigned)IR_BUILD_FIXED_TILES : 0u);
}

/* The cost of the smallest kernel, in operations. */
enum { KERNEL_COST = 64 };

static bool compile_kernel(job *j) {
    ir_func f;
    uint32_t width = j->plan->wave_width;
    bool ok = ir_build(&f, kernel_of(j), (unsigned)j->plan->kernels[j->index], width,
                       build_flags(j->plan), j->diags);
    ir_take_constants(&f, j->plan->module);
    note_buffers(kernel_of(j), &f);
    f.node_limit -= *j->operations < f.node_limit ? *j->operations : f.node_limit;
    f.too_large |= f.node_count > f.node_limit;
    f.failed |= f.too_large; /* ir_run_passes reports it */
    uint32_t limit = f.node_limit;
    const wave_compile_options *o = j->plan->options;
    unsigned warnings = (o->warn_order && !o->lockstep ? COMPILE_WARN_WAVE_ORDER : 0u) |
                        (o->warn ? COMPILE_WARN_LOCAL_BOUNDS : 0u) |
                        (o->warn && !o->deterministic ? COMPILE_WARN_SUMS : 0u) |
                        (o->warn_width ? COMPILE_WARN_BALLOTS : 0u);
    if (ok && !f.failed)
        compile_warn(kernel_of(j), (unsigned)j->plan->kernels[j->index], &f, warnings, j->diags);
    if (ok && !f.failed && o->deterministic)
        ok = compile_refuse_sums(kernel_of(j), (unsigned)j->plan->kernels[j->index], &f, j->diags);
    if (ok && !f.failed && o->target != WAVE_TARGET_WBIN)
        ok = compile_refuse_tiles(kernel_of(j), (unsigned)j->plan->kernels[j->index], &f, j->diags);
    ok = ok && finish_kernel(j, &f);
    *j->operations += limit - f.node_limit + f.node_count + KERNEL_COST;
    ir_free(&f);
    return ok;
}

/* Completes the file. Its top is printed last, when the needs of all kernels are known. */
static bool finish_file(const plan *p, emit_unit *unit, const wbin_unit *file, buf *out,
                        wave_diags *diags) {
    const emit_options o = options_of(p);
    if (file)
        return wbin_write(file, out, diags);
    plan_backend(p->options->target)->top(&o, unit, out);
    buf_join(out, &unit->text);
    if (out->failed)
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
    return !out->failed;
}

/* Returns false when out of memory; *unit is NULL for other targets. */
static bool open_wbin(const plan *p, const ir_func *f, wbin_unit **unit, wave_diags *diags) {
    wbin_settings settings = {.extensions = may_extend(p)};
    *unit = NULL;
    if (p->options->target != WAVE_TARGET_WBIN)
        return true;
    if (p->module) {
        const fe_extras *extras = &p->module->extras;
        settings.extended = p->module->extended;
        settings.stripped = p->module->stripped;
        settings.files = extras->files;
        settings.file_count = extras->file_count;
        settings.messages = extras->messages;
        settings.message_count = extras->message_count;
        settings.constants = extras->constants;
        settings.constant_size = extras->constant_size;
    } else if (f) {
        settings.constants = f->constants;
        settings.constant_size = f->constant_size;
    }
    *unit = wbin_unit_create(&settings);
    if (!*unit)
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
    return *unit != NULL;
}

/* ---- The two kinds of input ---- */

typedef struct input {
    const wave_module *module;
    const char *text; /* IR, when there is no module */
    size_t size;
} input;

static bool compile_module(const input *in, const wave_compile_options *options, buf *out,
                           buf *dump, wave_diags *diags) {
    plan p;
    emit_unit unit = {0};
    uint32_t operations = 0;
    wbin_unit *file = NULL;
    bool ok = plan_make(&p, in->module, options, diags) && open_wbin(&p, NULL, &file, diags);
    for (size_t k = 0; k < p.kernel_count && ok; k++) {
        job j = {&p, k, &unit, file, dump, diags, &operations, 0};
        size_t before = diags->count;
        ok = compile_kernel(&j);
        fe_locate(&in->module->extras, &kernel_of(&j)->extras, diags, before);
    }
    ok = ok && finish_file(&p, &unit, file, out, diags);
    wbin_unit_destroy(file);
    buf_free(&unit.text);
    plan_free(&p);
    return ok;
}

/* IR text may contain functions, which the passes do not support. */
static bool inlined(ir_func *f, wave_diags *diags) {
    ir_opt_inline(f);
    if (f->failed)
        ir_report_failure(f, diags);
    return !f->failed;
}

static bool compile_text(const input *in, const wave_compile_options *options, buf *out, buf *dump,
                         wave_diags *diags) {
    plan p = {0};
    ir_func f;
    arena memory = {0};
    emit_unit unit = {0};
    bool ok = ir_parse(&f, in->text, in->size, &memory, diags) && inlined(&f, diags) &&
              plan_make_for_ir(&p, f.name, options, diags);
    wbin_unit *file = NULL;
    ok = ok && open_wbin(&p, &f, &file, diags);
    job j = {.plan = &p, .unit = &unit, .wbin = file, .dump = dump, .diags = diags};
    ok = ok && (!options->deterministic || compile_refuse_sums(NULL, 0, &f, diags)) &&
         finish_kernel(&j, &f);
    ok = ok && finish_file(&p, &unit, file, out, diags);
    wbin_unit_destroy(file);
    buf_free(&unit.text);
    ir_free(&f);
    plan_free(&p);
    arena_free(&memory);
    return ok;
}

static wave_status compile(const input *in, const wave_compile_options *options, wave_blob *out,
                           wave_diags *diags) {
    buf text = {0}, dump = {0};
    diag_scope scope;
    *out = (wave_blob){0};
    if (!options || (unsigned)options->target >= WAVE_TARGET_COUNT)
        return WAVE_ERROR_USAGE;
    float_env callers = float_env_begin(); /* constants are folded under the default rounding */
    diags = diag_begin(&scope, diags);
    bool ok = in->module ? compile_module(in, options, &text, &dump, diags)
                         : compile_text(in, options, &text, &dump, diags);
    float_env_end(callers);
    wave_status status = diag_end(&scope, WAVE_ERROR_INPUT);
    if (ok)
        status = buf_take(&text, out);
    buf_free(&text);
    if (options->dump) {
        wave_status dumped = buf_take(&dump, options->dump);
        status = status == WAVE_OK ? dumped : status;
    }
    buf_free(&dump);
    return status;
}

wave_status wave_compile(const wave_module *module, const wave_compile_options *options,
                         wave_blob *out, wave_diags *diags) {
    const input in = {.module = module};
    return module ? compile(&in, options, out, diags) : WAVE_ERROR_USAGE;
}

wave_status wave_compile_ir(const char *text, size_t size, const wave_compile_options *options,
                            wave_blob *out, wave_diags *diags) {
    const input in = {.text = text, .size = size};
    return text ? compile(&in, options, out, diags) : WAVE_ERROR_USAGE;
}

const char *wave_pass_name(unsigned index) {
    return ir_pass_name(index);
}
