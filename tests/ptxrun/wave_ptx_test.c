/* wave-ptx-test: compiles `.wave` files of the test format to PTX and runs them on the interpreter
 * of tests/ptxvm, under several schedules, with and without optimisation. Memory must be what the
 * test expects and, bit for bit, what the emulator leaves. */
#include "emit/emit.h"
#include "ir/build.h"
#include "ir/passes.h"
#include "ptxvm/ptxvm.h"
#include "runner/testfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 32, STATIC_SHARED = 48 * 1024, INSTRUCTION_LIMIT = 50000000 };
#define ARENA_ADDRESS 0x10000000u

typedef struct options {
    emit_options emit;
    int only_level; /* -1: both */
    unsigned schedules;
    bool verbose, show;
} options;

typedef struct job {
    const char *path;
    const options *options;
    const tf_test *test;
    const wave_module *module;
    size_t kernel;
    tf_run run;
    uint8_t *reference; /* memory after the emulator */
    uint32_t group[3];
    unsigned runs;
} job;

static void *allocate(size_t size) {
    void *p = calloc(1, size ? size : 1);
    if (!p)
        abort();
    return p;
}

static bool complain(const job *j, const char *what) {
    printf("FAIL %s: %s\n", j->path, what);
    return false;
}

static void print_diags(const job *j, const wave_diags *diags) {
    wave_blob text;
    if (wave_diags_format(diags, j->path, WAVE_DIAG_TEXT, &text) == WAVE_OK && text.data)
        printf("%s", (const char *)text.data);
    wave_blob_free(&text);
}

/* ---- The emulator's answer ---- */

static bool emulate(job *j) {
    wave_diags *diags = wave_diags_create(0);
    wave_launch launch;
    const tf_test *t = j->test;
    wave_launch_init(&launch);
    launch.kernel = j->kernel;
    memcpy(launch.grid, j->run.grid, sizeof launch.grid);
    memcpy(launch.workgroup, j->group, sizeof launch.workgroup);
    if (t->registers)
        launch.registers = t->registers;
    if (t->local_memory)
        launch.local_memory = t->local_memory;
    launch.wave_width = WIDTH;
    launch.device_memory = j->reference;
    launch.device_size = j->run.size;
    launch.initial = j->run.args;
    launch.initial_count = j->run.arg_count;
    launch.max_instructions = t->max_instructions;
    bool ok = diags && wave_emulate(j->module, &launch, diags) == WAVE_OK;
    if (!ok) {
        complain(j, "the emulator reports an error");
        print_diags(j, diags);
    }
    wave_diags_destroy(diags);
    return ok;
}

/* ---- Compiling ---- */

static bool compile(const job *j, bool optimise, ir_func *f, buf *text) {
    wave_diags *diags = wave_diags_create(0);
    const fe_kernel *kernel = &j->module->kernels[j->kernel];
    emit_options o = j->options->emit;
    const ir_pass_options passes = {.optimise = optimise, .fast_math = o.fp_fast, .verify = true};
    o.symbol = "kernel_under_test";
    bool ok = ir_build(f, kernel, (unsigned)j->kernel, WIDTH, diags);
    if (ok && j->test->local_memory && !kernel->info.local_memory)
        f->local_memory = j->test->local_memory;
    ok = ok && ir_run_passes(f, &passes, diags) && emit_ptx_header(&o, text, diags) &&
         emit_ptx_kernel(f, &o, text, diags) && !text->failed;
    if (!ok) {
        complain(j, "does not compile:");
        print_diags(j, diags);
    }
    wave_diags_destroy(diags);
    return ok;
}

/* ---- Running ---- */

/* The order of atomics is free, and what they leave may depend on it: a buffer the test says
 * nothing about is not compared then. */
static void forget_free_buffers(const job *j, uint8_t *memory) {
    const wave_kernel_info *info = wave_module_kernel(j->module, j->kernel);
    for (size_t b = 0; b < j->test->buffer_count && (info->uses & WAVE_USES_ATOMIC); b++) {
        bool expected = false;
        for (size_t k = 0; k < j->test->expect_count; k++)
            expected |= j->test->expects[k].buffer == b && !j->test->expects[k].low;
        uint64_t size = j->run.places[b].count * val_size(j->test->buffers[b].type);
        if (!expected)
            memcpy(memory + j->run.places[b].address, j->reference + j->run.places[b].address,
                   size);
    }
}

static bool same_memory(const job *j, uint8_t *memory, char *report, size_t size) {
    if (!tf_compare(j->test, &j->run, memory, report, size))
        return false;
    forget_free_buffers(j, memory);
    for (uint64_t k = 0; k < j->run.size; k++)
        if (memory[k] != j->reference[k]) {
            snprintf(report, size, "  byte 0x%llx is %02x, the emulator has %02x\n",
                     (unsigned long long)k, memory[k], j->reference[k]);
            return false;
        }
    return true;
}

/* One schedule. With the GPU's own NaNs only the test's expectations can be compared. */
static bool run_once(job *j, const ptxvm_module *module, const ir_func *f, uint64_t seed,
                     bool gpu_nan) {
    struct {
        uint64_t mem;
        uint32_t args[TF_MAX_ARGS];
    } params = {.mem = ARENA_ADDRESS};
    uint8_t bytes[sizeof params + 8];
    size_t size = 8 + 4 * (size_t)f->arg_words;
    for (uint32_t k = 0; k < f->arg_words && k < j->run.arg_count; k++)
        params.args[k] = j->run.args[k];
    memcpy(bytes, &params, size);
    if (j->options->emit.bounds) {
        uint64_t end = j->run.size;
        size = (size + 7) / 8 * 8;
        memcpy(bytes + size, &end, 8);
        size += 8;
    }
    uint8_t *memory = allocate(j->run.size);
    memcpy(memory, j->run.memory, j->run.size);
    const ptxvm_range range = {.address = ARENA_ADDRESS, .host = memory, .size = j->run.size};
    ptxvm_launch_options o = ptxvm_default_options("kernel_under_test");
    memcpy(o.grid, j->run.grid, sizeof o.grid);
    memcpy(o.block, j->group, sizeof o.block);
    o.params = bytes;
    o.param_bytes = size;
    o.dynamic_shared_bytes = f->local_memory > STATIC_SHARED ? f->local_memory : 0;
    o.ranges = &range;
    o.range_count = 1;
    o.seed = seed;
    /* masks are full, and the last warp may be short */
    o.checks = (uint32_t)PTXVM_ALL_CHECKS & ~(uint32_t)PTXVM_CHECK_MASK_LANES;
    o.shared_fill = j->test->poison ? 0xCD : 0;
    o.plain_nan = !gpu_nan;
    o.instruction_limit = INSTRUCTION_LIMIT;
    ptxvm_error error;
    char report[2000] = "";
    bool ok = ptxvm_launch(module, &o, NULL, &error) == PTXVM_OK;
    j->runs++;
    if (!ok) {
        complain(j, "the interpreter reports:");
        printf("  %s\n", error.message);
    } else if (gpu_nan ? !tf_compare(j->test, &j->run, memory, report, sizeof report)
                       : !same_memory(j, memory, report, sizeof report)) {
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
        ok = complain(j, "the interpreter does not read it:");
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

static bool run_kernel(job *j) {
    const wave_kernel_info *info = wave_module_kernel(j->module, j->kernel);
    char error[300];
    if (!tf_instantiate(j->test, WIDTH, &j->run, error, sizeof error))
        return complain(j, error);
    memcpy(j->group, info->workgroup[0] ? info->workgroup : j->run.group, sizeof j->group);
    j->reference = allocate(j->run.size);
    memcpy(j->reference, j->run.memory, j->run.size);
    bool ok = emulate(j);
    for (int level = 0; level < 2; level++)
        if (ok && (j->options->only_level < 0 || j->options->only_level == level))
            ok = run_level(j, level != 0);
    free(j->reference);
    tf_run_free(&j->run);
    return ok;
}

/* Tests of the emulator's errors and of other widths say nothing about PTX. */
static bool applies(const tf_test *t) {
    bool width = false;
    for (size_t k = 0; k < t->width_count; k++)
        width |= t->widths[k] == WIDTH;
    return width && (t->targets & TF_PTX) && !(t->todo & TF_PTX) && !t->error_count;
}

static bool run_source(job *j, const char *source, size_t size) {
    wave_diags *diags = wave_diags_create(0);
    wave_blob binary = {0};
    wave_module *module = NULL;
    const wave_load_options load = {.mode =
                                        j->test->lenient ? WAVE_MODE_LENIENT : WAVE_MODE_DEFAULT};
    bool ok = wave_assemble(source, size, NULL, &binary, diags) == WAVE_OK &&
              wave_module_load(binary.data, binary.size, &load, &module, diags) == WAVE_OK;
    if (!ok) {
        complain(j, "does not assemble or validate:");
        print_diags(j, diags);
    } else {
        long kernel = j->test->kernel ? wave_module_find_kernel(module, j->test->kernel) : 0;
        j->module = module;
        j->kernel = (size_t)kernel;
        ok = kernel >= 0 ? run_kernel(j) : complain(j, "the named kernel is not in the file");
    }
    wave_module_destroy(module);
    wave_blob_free(&binary);
    wave_diags_destroy(diags);
    return ok;
}

typedef struct totals {
    unsigned passed, failed, skipped, runs;
} totals;

static void run_file(const char *path, const options *o, totals *sum) {
    size_t size;
    char error[300];
    char *source = tf_read_file(path, &size);
    job j = {.path = path, .options = o};
    tf_test *test = source ? tf_parse(source, size, error, sizeof error) : NULL;
    if (!test) {
        complain(&j, source ? error : "cannot be read");
        sum->failed++;
    } else if (!applies(test)) {
        sum->skipped++;
    } else {
        j.test = test;
        bool ok = run_source(&j, source, size);
        *(ok ? &sum->passed : &sum->failed) += 1;
        if (ok && o->verbose)
            printf("ok   %s: %s\n", path, test->title);
    }
    sum->runs += j.runs;
    tf_destroy(test);
    free(source);
}

static int usage(void) {
    fprintf(stderr, "usage: wave-ptx-test [-v] [-O0|-O2] [--arch=N] [--bounds] [--schedules=N] "
                    "[--show] FILE.wave...\n");
    return 2;
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
