/* wave_compile: build, passes, emitter, for each kernel in turn, into one text. */
#include "compile/compile.h"

#include "ir/build.h"
#include "ir/passes.h"
#include "ir/text.h"

#include <fenv.h>

/* One kernel on its way through the passes. */
typedef struct job {
    const plan *plan;
    size_t index; /* among the kernels chosen */
    emit_unit *unit;
    buf *dump;
    wave_diags *diags;
    uint32_t *operations; /* of the kernels before */
    uint32_t told;        /* the instruction that was told last */
} job;

static const fe_kernel *kernel_of(const job *j) {
    return &j->plan->module->kernels[j->plan->kernels[j->index]];
}

/* The instruction at an offset. They are stored by rising offset, most are asked for in turn. */
static uint32_t instruction_at(const fe_kernel *k, uint32_t pc, uint32_t last) {
    uint32_t low = 0, high = k->info.instructions;
    if (high - last > 1 && k->insns[last + 1].pc == pc)
        return last + 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(k->insns[middle].pc <= pc ? &low : &high) = middle;
    }
    return low;
}

static void instruction_text(void *context, uint32_t pc, buf *text, emit_line *line) {
    job *j = context;
    const fe_kernel *k = kernel_of(j);
    uint32_t low = j->told = instruction_at(k, pc, j->told);
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

/* What decides the parameters of a kernel that is given as IR. */
static uint32_t uses_of(const ir_func *f) {
    return (ir_made_any(f, IR_WAVE) ? (uint32_t)WAVE_USES_WAVE_OPS : 0) |
           (ir_made(f, IR_ASSERT) ? (uint32_t)WAVE_USES_ASSERT : 0);
}

/* From the IR to text. */
static bool finish_kernel(job *j, ir_func *f) {
    const plan *p = j->plan;
    const wave_compile_options *o = p->options;
    const ir_pass_options passes = {.optimise = o->optimise,
                                    .bounds = o->bounds,
                                    .fast_math = o->fast_math,
                                    .lockstep = o->lockstep,
                                    .deterministic = o->deterministic,
                                    .indexed = o->target != WAVE_TARGET_PTX,
                                    .verify = o->verify_ir,
                                    .dump_after = o->dump_ir,
                                    .dump = j->dump,
                                    .timed = o->timed ? timed : NULL,
                                    .user = j};
    emit_options emit = options_of(p);
    emit.symbol = p->symbols[j->index];
    emit.uses = plan_uses(p, p->module ? kernel_of(j)->info.uses : uses_of(f));
    emit.arguments = p->module ? p->arguments[j->index] : (emit_arguments){0};
    emit.instruction = p->module ? instruction_text : NULL;
    emit.instruction_context = j;
    return ir_run_passes(f, &passes, j->diags) &&
           plan_backend(o->target)->kernel(f, &emit, j->unit, j->diags);
}

/* Buffers that promise to be contained. */
static void note_buffers(const fe_kernel *kernel, ir_func *f) {
    for (uint32_t k = 0; k < kernel->extras.argument_count; k++) {
        const wave_argument *a = &kernel->extras.arguments[k];
        if (a->kind == WAVE_ARGUMENT_BUFFER && a->flags & WAVE_ARGUMENT_CONTAINED)
            f->contained[a->first_word / 64] |= (uint64_t)1 << (a->first_word % 64);
    }
}

/* What the smallest kernel costs, in operations. */
enum { KERNEL_COST = 64 };

static bool compile_kernel(job *j) {
    ir_func f;
    uint32_t width = j->plan->wave_width;
    bool ok = ir_build(&f, kernel_of(j), (unsigned)j->plan->kernels[j->index], width,
                       j->plan->options->assert_trap, j->diags);
    ir_take_constants(&f, j->plan->module);
    note_buffers(kernel_of(j), &f);
    f.node_limit -= *j->operations < f.node_limit ? *j->operations : f.node_limit;
    f.too_large |= f.node_count > f.node_limit;
    f.failed |= f.too_large; /* the passes tell */
    const wave_compile_options *o = j->plan->options;
    unsigned warnings = (o->warn_order && !o->lockstep ? COMPILE_WARN_WAVE_ORDER : 0u) |
                        (o->warn ? COMPILE_WARN_LOCAL_BOUNDS : 0u) |
                        (o->warn && !o->deterministic ? COMPILE_WARN_SUMS : 0u);
    if (ok && !f.failed)
        compile_warn(kernel_of(j), (unsigned)j->plan->kernels[j->index], &f, warnings, j->diags);
    if (ok && !f.failed && o->deterministic)
        ok = compile_refuse_sums(kernel_of(j), (unsigned)j->plan->kernels[j->index], &f, j->diags);
    ok = ok && finish_kernel(j, &f);
    *j->operations += f.node_count + KERNEL_COST;
    ir_free(&f);
    return ok;
}

/* The whole file: its top is printed last, when it is known what the kernels need. */
static bool finish_file(const plan *p, const emit_unit *unit, buf *out, wave_diags *diags) {
    const emit_options o = options_of(p);
    plan_backend(p->options->target)->top(&o, unit, out);
    buf_bytes(out, unit->text.data, unit->text.size);
    if (out->failed)
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
    return !out->failed;
}

/* ---- The two ways in ---- */

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
    bool ok = plan_make(&p, in->module, options, diags);
    for (size_t k = 0; k < p.kernel_count && ok; k++) {
        job j = {&p, k, &unit, dump, diags, &operations, 0};
        size_t before = diags->count;
        ok = compile_kernel(&j);
        fe_locate(&in->module->extras, &kernel_of(&j)->extras, diags, before);
    }
    ok = ok && finish_file(&p, &unit, out, diags);
    buf_free(&unit.text);
    plan_free(&p);
    return ok;
}

static bool compile_text(const input *in, const wave_compile_options *options, buf *out, buf *dump,
                         wave_diags *diags) {
    plan p = {0};
    ir_func f;
    arena memory = {0};
    emit_unit unit = {0};
    bool ok = ir_parse(&f, in->text, in->size, &memory, diags) &&
              plan_make_for_ir(&p, f.name, options, diags);
    job j = {.plan = &p, .unit = &unit, .dump = dump, .diags = diags};
    ok = ok && (!options->deterministic || compile_refuse_sums(NULL, 0, &f, diags)) &&
         finish_kernel(&j, &f);
    ok = ok && finish_file(&p, &unit, out, diags);
    buf_free(&unit.text);
    ir_free(&f);
    plan_free(&p);
    arena_free(&memory);
    return ok;
}

static wave_status compile(const input *in, const wave_compile_options *options, wave_blob *out,
                           wave_diags *diags) {
    buf text = {0}, dump = {0};
    fenv_t callers;
    diag_scope scope;
    *out = (wave_blob){0};
    if (!options || (unsigned)options->target >= WAVE_TARGET_COUNT)
        return WAVE_ERROR_USAGE;
    fegetenv(&callers); /* constants are folded under the default rounding */
    fesetenv(FE_DFL_ENV);
    diags = diag_begin(&scope, diags);
    bool ok = in->module ? compile_module(in, options, &text, &dump, diags)
                         : compile_text(in, options, &text, &dump, diags);
    fesetenv(&callers);
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
