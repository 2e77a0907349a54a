/* wave-ptx-test: compiles `.wave` files of the test format to PTX and runs them on the interpreter
 * of tests/ptxvm, under several schedules, with and without optimisation. Memory must be what the
 * test expects and, bit for bit, what the emulator leaves; with --fast approximations have noise,
 * and only what the test expects counts. With --mma=native tensor cores sum exactly, as the ISA
 * specifies; with the name of an architecture, such as --mma=sm_75, they and the emulator have its
 * bits. */
#include "base/mma_model.h"
#include "emit/emit.h"
#include "ir/build.h"
#include "ir/passes.h"
#include "ptxvm/ptxvm.h"
#include "runner/reference.h"
#include "support/emit_whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 32, STATIC_SHARED = 48 * 1024, INSTRUCTION_LIMIT = 50000000 };
#define ARENA_ADDRESS  0x10000000u
#define STATUS_ADDRESS 0x8000000u

typedef struct options {
    emit_options emit;
    int only_level; /* -1: both */
    unsigned schedules;
    wave_mma mma; /* how tensor cores sum, here and in the emulator */
    bool lockstep, deterministic, native, verbose, show;
} options;

typedef struct job {
    const options *options;
    ref_case test;
    unsigned runs;
} job;

static bool complain(const job *j, const char *what) {
    return ref_complain(j->test.path, what);
}

/* ---- Compiling ---- */

static bool compile(const job *j, bool optimise, ir_func *f, buf *text) {
    wave_diags *diags = wave_diags_create(0);
    const fe_kernel *kernel = &j->test.module->kernels[j->test.kernel];
    emit_options o = j->options->emit;
    const ir_pass_options passes = {.optimise = optimise,
                                    .bounds = o.bounds,
                                    .fast_math = o.fp_fast,
                                    .lockstep = j->options->lockstep,
                                    .deterministic = j->options->deterministic,
                                    .verify = true};
    o.symbol = "kernel_under_test";
    o.uses = kernel->info.uses;
    bool ok = ir_build(f, kernel, (unsigned)j->test.kernel, WIDTH, IR_BUILD_ASSERTS, diags);
    if (!o.bounds && !j->options->lockstep)
        f->units = emit_ptx.units(f, o.arch, j->options->native);
    f->advances = o.arch >= emit_ptx.advances_from && !o.bounds;
    ir_take_constants(f, j->test.module);
    ok = ok && ir_run_passes(f, &passes, diags) && emit_whole(&emit_ptx, f, &o, text, diags);
    if (!ok) {
        complain(j, "does not compile:");
        ref_print_diags(j->test.path, diags);
    }
    wave_diags_destroy(diags);
    return ok;
}

/* ---- Running ---- */

static uint32_t dot(int unit, bool bf16, const uint16_t *a, const uint16_t *b, uint32_t c) {
    return mma_model_dot((wave_mma)unit, bf16, a, b, c);
}

/* One schedule. With the GPU's own NaNs only the test's expectations can be compared. Under every
 * third seed stores wait for fences. Under every seed local memory starts with garbage. */
static bool run_once(job *j, const ptxvm_module *module, const ir_func *f, uint64_t seed,
                     bool gpu_nan) {
    const ref_case *c = &j->test;
    bool fast = j->test.run.fast = j->options->emit.fp_fast;
    struct {
        uint64_t mem;
        uint32_t args[TF_MAX_ARGS];
    } params = {.mem = ARENA_ADDRESS};
    uint8_t bytes[sizeof params + 16];
    uint32_t status[2] = {0};
    size_t size = 8 + 4 * (size_t)ref_arguments(c, params.args);
    memcpy(bytes, &params, size);
    if (j->options->emit.bounds) {
        uint64_t end = c->run.size;
        size = (size + 7) / 8 * 8;
        memcpy(bytes + size, &end, 8);
        size += 8;
    }
    if (c->info->uses & WAVE_USES_ASSERT) {
        const uint64_t address = STATUS_ADDRESS;
        size = (size + 7) / 8 * 8;
        memcpy(bytes + size, &address, 8);
        size += 8;
    }
    uint8_t *memory = ref_fresh_memory(c);
    const ptxvm_range ranges[2] = {
        {.address = ARENA_ADDRESS, .host = memory, .size = c->run.size},
        {.address = STATUS_ADDRESS, .host = status, .size = sizeof status}};
    ptxvm_launch_options o = ptxvm_default_options("kernel_under_test");
    memcpy(o.grid, c->run.grid, sizeof o.grid);
    memcpy(o.block, c->group, sizeof o.block);
    o.params = bytes;
    o.param_bytes = size;
    o.dynamic_shared_bytes = f->local_memory > STATIC_SHARED ? f->local_memory : 0;
    o.ranges = ranges;
    o.range_count = 2;
    o.seed = seed;
    o.weak = seed % 3 == 2;
    /* masks are full, and the last warp may be short */
    o.checks = (uint32_t)PTXVM_ALL_CHECKS & ~(uint32_t)PTXVM_CHECK_MASK_LANES;
    o.plain_nan = !gpu_nan;
    o.noise = fast;
    o.dot = j->options->mma == WAVE_MMA_EXACT ? NULL : dot;
    o.unit = (int)j->options->mma;
    if (fast)
        o.checks &= ~(uint32_t)PTXVM_CHECK_INEXACT;
    o.instruction_limit = INSTRUCTION_LIMIT;
    ptxvm_error error;
    char report[2000] = "";
    bool ok = ptxvm_launch(module, &o, NULL, &error) == PTXVM_OK;
    j->runs++;
    if (!ok) {
        complain(j, "the interpreter reports:");
        printf("  %s\n", error.message);
    } else if (!ref_status_fits(c, status, report, sizeof report)) {
        ok = complain(j, "an assert fails unexpectedly, or does not fail");
        printf("%s", report);
    } else if (!ref_compare(c, memory, gpu_nan || fast ? REF_EXPECTED : REF_SAME, report,
                            sizeof report)) {
        ok = complain(j, "memory differs");
        printf("%s", report);
    }
    free(memory);
    return ok;
}

static bool run_level(job *j, bool optimise) {
    ir_func f;
    buf text = {0};
    ptxvm_module *module = NULL;
    ptxvm_error error;
    bool ok = compile(j, optimise, &f, &text);
    if (ok && ptxvm_parse((const char *)text.data, text.size, &module, &error) != PTXVM_OK) {
        ok = complain(j, "the interpreter rejects it:");
        printf("  %s\n", error.message);
    }
    for (unsigned k = 0; k < j->options->schedules && ok; k++)
        ok = run_once(j, module, &f, k + 1, k + 1 == j->options->schedules);
    if (!ok && text.data && j->options->show)
        fwrite(text.data, 1, text.size, stdout);
    if (!ok)
        printf("  (-O%d)\n", optimise ? 2 : 0);
    ptxvm_free(module);
    buf_free(&text);
    ir_free(&f);
    return ok;
}

/* ---- One file ---- */

typedef struct totals {
    unsigned passed, failed, skipped, runs;
} totals;

static void run_file(const char *path, const options *o, totals *sum) {
    job j = {.options = o};
    ref_status status = ref_open_mma(&j.test, path, TF_PTX, WIDTH, o->mma);
    if (status == REF_READY && j.test.test->bounded && !o->emit.bounds)
        status = REF_OTHER_TARGET;
    bool ok = status == REF_READY;
    for (int level = 0; level < 2; level++)
        if (ok && (o->only_level < 0 || o->only_level == level))
            ok = run_level(&j, level != 0);
    *(status == REF_OTHER_TARGET ? &sum->skipped : ok ? &sum->passed : &sum->failed) += 1;
    if (ok && o->verbose)
        printf("ok   %s: %s\n", path, j.test.test->title);
    sum->runs += j.runs;
    ref_close(&j.test);
}

static int usage(void) {
    fprintf(stderr,
            "usage: wave-ptx-test [-v] [-O0|-O2] [--arch=N] [--mma=native|sm_75|sm_80|sm_90] "
            "[--bounds] [--lockstep] [--fast] [--deterministic] [--schedules=N] "
            "[--show] FILE.wave...\n");
    return 2;
}

static bool read_mma(options *o, const char *name) {
    for (int k = WAVE_MMA_SM_75; k <= WAVE_MMA_SM_90; k++)
        if (strcmp(name, wave_mma_name((wave_mma)k)) == 0)
            o->mma = (wave_mma)k;
    return o->mma != WAVE_MMA_EXACT || strcmp(name, "native") == 0;
}

int main(int argc, char **argv) {
    options o = {.emit = {.arch = 75, .assert_trap = true}, .only_level = -1, .schedules = 3};
    totals sum = {0};
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        const char *a = argv[first];
        if (strcmp(a, "-v") == 0)
            o.verbose = true;
        else if (strcmp(a, "-O0") == 0 || strcmp(a, "-O2") == 0)
            o.only_level = a[2] == '2';
        else if (strncmp(a, "--arch=", 7) == 0)
            o.emit.arch = (unsigned)strtoul(a + 7, NULL, 10);
        else if (strncmp(a, "--schedules=", 12) == 0)
            o.schedules = (unsigned)strtoul(a + 12, NULL, 10);
        else if (strcmp(a, "--bounds") == 0)
            o.emit.bounds = true;
        else if (strncmp(a, "--mma=", 6) == 0 && read_mma(&o, a + 6))
            o.native = true;
        else if (strcmp(a, "--fast") == 0)
            o.emit.fp_fast = true;
        else if (strcmp(a, "--lockstep") == 0)
            o.lockstep = true;
        else if (strcmp(a, "--deterministic") == 0)
            o.deterministic = true;
        else if (strcmp(a, "--show") == 0)
            o.show = true;
        else
            return usage();
    }
    if (first == argc)
        return usage();
    for (int k = first; k < argc; k++)
        run_file(argv[k], &o, &sum);
    printf("wave-ptx-test: %u passed, %u failed, %u not for PTX, %u runs\n", sum.passed, sum.failed,
           sum.skipped, sum.runs);
    return sum.failed ? 1 : 0;
}
