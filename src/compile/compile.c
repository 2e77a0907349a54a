/* wave_compile: build, passes, emitter, for each kernel in turn, into one text. */
#include "compile/compile.h"

#include "ir/build.h"
#include "ir/passes.h"

#include <fenv.h>

/* One kernel on its way through the passes. */
typedef struct job {
    const plan *plan;
    size_t index; /* among the kernels chosen */
    buf *out, *dump;
    wave_diags *diags;
} job;

static const fe_kernel *kernel_of(const job *j) {
    return &j->plan->module->kernels[j->plan->kernels[j->index]];
}

/* Instructions are stored by rising offset. */
static void instruction_text(void *context, uint32_t pc, buf *text, uint32_t *line) {
    const job *j = context;
    const fe_kernel *k = kernel_of(j);
    uint32_t low = 0, high = k->info.instructions;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(k->insns[middle].pc <= pc ? &low : &high) = middle;
    }
    fe_insn_text(text, &k->insns[low], k->insns, (unsigned)j->plan->kernels[j->index]);
    *line = low + 1;
}

static void timed(void *user, const char *pass, double seconds, uint32_t operations) {
    const job *j = user;
    const wave_compile_options *o = j->plan->options;
    o->timed(o->user, kernel_of(j)->info.name, pass, seconds, operations);
}

static bool compile_kernel(job *j) {
    const plan *p = j->plan;
    const wave_compile_options *o = p->options;
    ir_func f;
    const ir_pass_options passes = {.optimise = o->optimise,
                                    .fast_math = o->fast_math,
                                    .verify = o->verify_ir,
                                    .dump_after = o->dump_ir,
                                    .dump = j->dump,
                                    .timed = o->timed ? timed : NULL,
                                    .user = j};
    const emit_options emit = {.arch = p->arch,
                               .fp_fast = o->fast_math,
                               .bounds = o->bounds,
                               .assert_trap = o->assert_trap,
                               .debug = o->debug,
                               .source = o->source,
                               .command = o->command,
                               .symbol = p->symbols[j->index],
                               .instruction = instruction_text,
                               .instruction_context = j};
    bool ok = ir_build(&f, kernel_of(j), (unsigned)p->kernels[j->index], p->wave_width, j->diags) &&
              ir_run_passes(&f, &passes, j->diags) && emit_ptx_kernel(&f, &emit, j->out, j->diags);
    ir_free(&f);
    return ok;
}

static bool compile_all(const plan *p, buf *out, buf *dump, wave_diags *diags) {
    const emit_options header = {
        .arch = p->arch, .source = p->options->source, .command = p->options->command};
    bool ok = emit_ptx_header(&header, out, diags);
    for (size_t k = 0; k < p->kernel_count && ok; k++) {
        job j = {p, k, out, dump, diags};
        ok = compile_kernel(&j);
    }
    return ok;
}

wave_status wave_compile(const wave_module *module, const wave_compile_options *options,
                         wave_blob *out, wave_diags *diags) {
    plan p;
    buf text = {0}, dump = {0};
    fenv_t callers;
    *out = (wave_blob){0};
    if (!module || !options || (unsigned)options->target >= WAVE_TARGET_COUNT)
        return WAVE_ERROR_USAGE;
    fegetenv(&callers); /* constants are folded under the default rounding */
    fesetenv(FE_DFL_ENV);
    bool ok = plan_make(&p, module, options, diags) && compile_all(&p, &text, &dump, diags);
    fesetenv(&callers);
    plan_free(&p);
    wave_status status = WAVE_ERROR_INPUT;
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

const char *wave_pass_name(unsigned index) {
    return ir_pass_name(index);
}
