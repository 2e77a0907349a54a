/* wave-simt-test: compiles `.wave` files of the test format to HIP, MSL or SYCL and runs the text
 * on the CPU (simt_run.h), under several schedules, with and without optimisation. Memory must be
 * what the test expects and what the emulator leaves, and the compiler must reject the kernels that
 * the target cannot express. With --fast the fast functions have noise, so results are compared
 * only with what the test expects. With --mma=native matrix units sum as the ISA specifies; with
 * --mma=gfx90a and gfx942 they and the emulator sum as those processors do; with --mma=other the
 * units sum in yet another order. */
#include "base/mma_model.h"
#include "base/scalar.h"
#include "runner/reference.h"
#include "simt/simt_run.h"

#include <wave/compile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SCHEDULES = 16, LEVELS = 2, METAL_THREADS = 1024, METAL_LOCAL = 32768 };

typedef struct options {
    simt_target target;
    unsigned flag; /* TF_HIP, TF_MSL or TF_SYCL */
    const char *name;
    const char *arch;
    uint32_t width;
    int only_level; /* -1: both */
    size_t schedules;
    unsigned jobs; /* 0: the default */
    bool half;     /* -O0 only for a fixed half of the files */
    wave_mma mma;  /* how the emulator sums products of matrices */
    simt_dot *dot; /* how the units do; NULL: as the ISA specifies */
    bool verbose, show, bounds, lockstep, deterministic, fast, native;
} options;

typedef struct job {
    ref_case test;
    bool failed;
    uint32_t args[TF_MAX_ARGS];
    simt_launch launches[MAX_SCHEDULES];
    wave_blob texts[LEVELS];
} job;

typedef struct suite {
    options options;
    job **jobs;
    simt_program *programs;
    size_t job_count, program_count, runs;
    unsigned passed, failed, skipped, refused_f64, refused_atomic64, refused_limit, refused_fence;
} suite;

/* ---- Matrix units ---- */

static uint32_t dot_gfx90a(bool bf16, const uint16_t *a, const uint16_t *b, uint32_t count,
                           uint32_t sum) {
    (void)count;
    return mma_model_dot(WAVE_MMA_GFX90A, bf16, a, b, sum);
}

static uint32_t dot_gfx942(bool bf16, const uint16_t *a, const uint16_t *b, uint32_t count,
                           uint32_t sum) {
    (void)count;
    return mma_model_dot(WAVE_MMA_GFX942, bf16, a, b, sum);
}

static float widened(bool bf16, uint16_t bits) {
    return bf16 ? sc_f32_of((uint32_t)bits << 16) : sc_f16_value(bits);
}

/* A unit that no vendor has described: a tree of f32 sums to which C is added last. The result is
 * within the bound of ISA.md 9.2 but differs from the emulator's bits. */
static uint32_t dot_other(bool bf16, const uint16_t *a, const uint16_t *b, uint32_t count,
                          uint32_t sum) {
    float terms[MMA_MODEL_K];
    for (uint32_t k = 0; k < count; k++)
        terms[k] = widened(bf16, a[k]) * widened(bf16, b[k]);
    for (uint32_t left = count / 2; left > 0; left /= 2)
        for (uint32_t k = 0; k < left; k++)
            terms[k] += terms[k + left];
    return sc_bits_of_f32(terms[0] + sc_f32_of(sum));
}

static const struct {
    const char *name;
    wave_mma mma;
    simt_dot *dot;
} units[] = {{"native", WAVE_MMA_EXACT, NULL},
             {"other", WAVE_MMA_EXACT, dot_other},
             {"gfx90a", WAVE_MMA_GFX90A, dot_gfx90a},
             {"gfx942", WAVE_MMA_GFX942, dot_gfx942}};

static bool choose_units(options *o, const char *name) {
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        if (strcmp(units[k].name, name) == 0) {
            o->mma = units[k].mma;
            o->dot = units[k].dot;
            return o->native = true;
        }
    }
    return false;
}

/* ---- Compiling to the target ---- */

static bool compile(suite *s, job *j, bool optimise, wave_blob *text, wave_diags *diags) {
    wave_compile_options o;
    wave_compile_init(&o);
    o.target = (wave_target)wave_target_find(s->options.name);
    o.arch = s->options.arch;
    o.wave_width = s->options.width;
    o.optimise = optimise;
    o.bounds = s->options.bounds;
    o.lockstep = s->options.lockstep;
    o.fast_math = s->options.fast;
    o.native_mma = s->options.native;
    o.deterministic = s->options.deterministic;
    o.assert_trap = true;
    o.verify_ir = true;
    o.source = j->test.path;
    if (j->test.info->name[0]) {
        o.kernels = &j->test.info->name;
        o.kernel_count = 1;
    }
    return wave_compile(j->test.module, &o, text, diags) == WAVE_OK;
}

/* The error with which the target must reject the kernel; NULL: it must accept it. */
static const char *refusal(const suite *s, const ref_case *c) {
    const wave_kernel_info *info = c->info;
    if (s->options.target != SIMT_MSL)
        return NULL;
    if (info->uses & WAVE_USES_F64)
        return "E_TARGET_F64";
    if (info->uses & WAVE_USES_ATOMIC_64)
        return "E_TARGET_ATOMIC64";
    if ((uint64_t)info->workgroup[0] * info->workgroup[1] * info->workgroup[2] > METAL_THREADS ||
        info->local_memory > METAL_LOCAL)
        return "E_TARGET_LIMIT";
    return NULL;
}

static bool has_code(const wave_diags *diags, const char *code) {
    for (size_t k = 0; k < wave_diags_count(diags); k++)
        if (strcmp(wave_diags_at(diags, k)->code, code) == 0)
            return true;
    return false;
}

/* Metal before 3.2 has no fences beyond the wave; only the target knows which kernels need one. */
static bool refused_fence(suite *s, const wave_diags *diags) {
    const char *arch = s->options.arch;
    return s->options.target == SIMT_MSL && arch && strcmp(arch, "metal3.2") < 0 &&
           has_code(diags, "E_TARGET_FENCE");
}

static void count_refusal(suite *s, const job *j, int level, const char *code) {
    *(strcmp(code, "E_TARGET_F64") == 0        ? &s->refused_f64
      : strcmp(code, "E_TARGET_ATOMIC64") == 0 ? &s->refused_atomic64
      : strcmp(code, "E_TARGET_LIMIT") == 0    ? &s->refused_limit
                                               : &s->refused_fence) += 1;
    if (s->options.verbose)
        printf("refused %s -O%d: %s\n", j->test.path, level ? 2 : 0, code);
}

/* False: nothing to run, because the kernel was rejected or failed. The optimiser may compute all
 * f64 operations at compile time; such a kernel is accepted and runs like any other. */
static bool compile_level(suite *s, job *j, int level) {
    wave_diags *diags = wave_diags_create(0);
    const char *code = refusal(s, &j->test);
    bool ok = compile(s, j, level != 0, &j->texts[level], diags);
    bool may_take = !code || (level && strcmp(code, "E_TARGET_F64") == 0);
    if (!ok && code && has_code(diags, code)) {
        count_refusal(s, j, level, code);
    } else if (!ok && refused_fence(s, diags)) {
        count_refusal(s, j, level, "E_TARGET_FENCE");
    } else if (!ok) {
        j->failed = !ref_complain(j->test.path, "does not compile:");
        ref_print_diags(j->test.path, diags);
    } else if (!may_take) {
        char text[80];
        snprintf(text, sizeof text, "was not rejected with %s", code);
        j->failed = !ref_complain(j->test.path, text);
    }
    wave_diags_destroy(diags);
    return ok && may_take;
}

/* ---- Collecting ---- */

/* gfx90a and gfx942 are of generation 9, gfx1100 of 11. */
static uint32_t generation(const options *o) {
    size_t digits = o->arch ? strspn(o->arch + 3, "0123456789abcdef") : 0;
    if (!o->arch)
        return o->width == 32 ? 11 : 9;
    return digits > 3 ? 10 + (uint32_t)(o->arch[4] - '0') : 9;
}

/* Chooses by a hash of the name (FNV-1a), so that the half does not depend on which other files
 * exist. */
static bool in_half(const char *path) {
    uint32_t h = 0x811C9DC5u;
    for (; *path; path++)
        h = (h ^ (uint8_t)*path) * 0x01000193u;
    return (h & 1) == 0;
}

static bool wants_level(const options *o, const char *path, int level) {
    if (o->only_level >= 0)
        return o->only_level == level;
    return level || !o->half || in_half(path);
}

static void add_programs(suite *s, job *j) {
    const ref_case *c = &j->test;
    uint32_t words = ref_arguments(c, j->args);
    j->test.run.fast = s->options.fast;
    simt_contract contract = {.row = false};
    if (s->options.target == SIMT_SYCL)
        contract = simt_sycl_contract(c->info, s->options.bounds,
                                      s->options.lockstep || s->options.deterministic);
    for (size_t k = 0; k < s->options.schedules; k++) {
        simt_launch *l = &j->launches[k];
        *l = (simt_launch){.args = j->args, .arg_count = words, .seed = k};
        l->memory = c->run.memory;
        l->memory_size = c->run.size;
        memcpy(l->grid, c->run.grid, sizeof l->grid);
        memcpy(l->group, c->group, sizeof l->group);
    }
    for (int level = 0; level < LEVELS; level++) {
        if (j->failed || !wants_level(&s->options, c->path, level) || !compile_level(s, j, level))
            continue;
        s->programs[s->program_count++] = (simt_program){.name = c->path,
                                                         .target = s->options.target,
                                                         .width = s->options.width,
                                                         .gfx = generation(&s->options),
                                                         .dot = s->options.dot,
                                                         .contract = contract,
                                                         .text = (const char *)j->texts[level].data,
                                                         .launches = j->launches,
                                                         .launch_count = s->options.schedules,
                                                         .user = j};
    }
}

/* A test that does not apply to Metal because of f64 is one that Metal must reject. */
static ref_status open_test(const suite *s, ref_case *c, const char *path) {
    ref_status status = ref_open_mma(c, path, s->options.flag, s->options.width, s->options.mma);
    if (status != REF_OTHER_TARGET || s->options.target != SIMT_MSL)
        return status;
    ref_close(c);
    status = ref_open(c, path, TF_PTX, s->options.width);
    return status == REF_READY && !refusal(s, c) ? REF_OTHER_TARGET : status;
}

static void add_file(suite *s, const char *path) {
    job *j = ref_allocate(sizeof *j);
    ref_status status = open_test(s, &j->test, path);
    if (status == REF_READY && j->test.test->bounded && !s->options.bounds)
        status = REF_OTHER_TARGET;
    if (status == REF_OTHER_TARGET) {
        s->skipped++;
        ref_close(&j->test);
        free(j);
        return;
    }
    j->failed = status == REF_BROKEN;
    s->jobs[s->job_count++] = j;
    if (!j->failed)
        add_programs(s, j);
}

/* ---- Comparing ---- */

/* The emulator cannot predict these results. */
static bool only_expected(const options *o) {
    return o->fast || (o->dot && o->mma == WAVE_MMA_EXACT);
}

static void visit(void *user, const simt_program *p, size_t launch, const simt_outcome *outcome) {
    suite *s = user;
    job *j = p->user;
    char report[2000] = "";
    s->runs++;
    if (j->failed)
        return;
    if (outcome->error != SIMT_OK) {
        ref_complain(p->name, simt_error_name(outcome->error));
        printf("  %s\n", outcome->message);
    } else if (!ref_status_fits(&j->test, outcome->status, report, sizeof report)) {
        ref_complain(p->name, "an assert fails unexpectedly, or does not fail");
        printf("%s", report);
    } else if (!ref_compare(&j->test, outcome->memory,
                            only_expected(&s->options) ? REF_EXPECTED : REF_SAME_BUT_NAN, report,
                            sizeof report)) {
        ref_complain(p->name, "memory differs");
        printf("%s", report);
    } else {
        return;
    }
    j->failed = true;
    printf("  (-O%d, schedule %zu)\n", p->text == (const char *)j->texts[1].data ? 2 : 0, launch);
    if (s->options.show)
        printf("%s", p->text);
}

static void finish(suite *s) {
    for (size_t k = 0; k < s->job_count; k++) {
        job *j = s->jobs[k];
        *(j->failed ? &s->failed : &s->passed) += 1;
        if (!j->failed && s->options.verbose)
            printf("ok   %s: %s\n", j->test.path, j->test.test->title);
        for (int level = 0; level < LEVELS; level++)
            wave_blob_free(&j->texts[level]);
        ref_close(&j->test);
        free(j);
    }
    free(s->jobs);
    free(s->programs);
}

/* ---- The command line ---- */

static int usage(void) {
    fprintf(stderr, "usage: wave-simt-test --target=hip|msl|sycl [--arch=NAME] [--width=N] "
                    "[-O0|-O2|--half] [--mma=native|gfx90a|gfx942|other] [--bounds] [--lockstep] "
                    "[--deterministic] [--fast] "
                    "[--schedules=N] [--jobs=N] [-v] [--show] "
                    "FILE.wave...\n");
    return 2;
}

static bool read_option(options *o, const char *a) {
    if (strcmp(a, "-v") == 0)
        o->verbose = true;
    else if (strcmp(a, "--show") == 0)
        o->show = true;
    else if (strcmp(a, "--bounds") == 0)
        o->bounds = true;
    else if (strcmp(a, "--half") == 0)
        o->half = true;
    else if (strncmp(a, "--mma=", 6) == 0)
        return choose_units(o, a + 6);
    else if (strcmp(a, "--lockstep") == 0)
        o->lockstep = true;
    else if (strcmp(a, "--fast") == 0)
        o->fast = true;
    else if (strcmp(a, "--deterministic") == 0)
        o->deterministic = true;
    else if (strcmp(a, "-O0") == 0 || strcmp(a, "-O2") == 0)
        o->only_level = a[2] == '2';
    else if (strcmp(a, "--target=hip") == 0)
        o->flag = TF_HIP, o->target = SIMT_HIP, o->name = "hip";
    else if (strcmp(a, "--target=msl") == 0)
        o->flag = TF_MSL, o->target = SIMT_MSL, o->name = "msl";
    else if (strcmp(a, "--target=sycl") == 0)
        o->flag = TF_SYCL, o->target = SIMT_SYCL, o->name = "sycl";
    else if (strncmp(a, "--arch=", 7) == 0)
        o->arch = a + 7;
    else if (strncmp(a, "--width=", 8) == 0)
        o->width = (uint32_t)strtoul(a + 8, NULL, 10);
    else if (strncmp(a, "--schedules=", 12) == 0)
        o->schedules = strtoul(a + 12, NULL, 10);
    else if (strncmp(a, "--jobs=", 7) == 0)
        o->jobs = (unsigned)strtoul(a + 7, NULL, 10);
    else
        return false;
    return true;
}

static bool has_width(simt_target target, uint32_t width) {
    switch (target) {
    case SIMT_HIP: return width == 32 || width == 64;
    case SIMT_SYCL: return width >= 4 && width <= 64 && (width & (width - 1)) == 0;
    default: return width == 32;
    }
}

/* Defaults: width 32 on Metal and SYCL; on HIP the width of the given architecture, or an
 * architecture with the given width. */
static bool complete(options *o) {
    if (o->target == SIMT_HIP && !o->arch)
        o->arch = o->width == 32 ? "gfx1100" : "gfx942";
    if (!o->width)
        o->width = o->target == SIMT_HIP && generation(o) == 9 ? 64 : 32;
    return o->flag && o->schedules > 0 && o->schedules <= MAX_SCHEDULES &&
           has_width(o->target, o->width);
}

int main(int argc, char **argv) {
    suite s = {.options = {.only_level = -1, .schedules = 3}};
    simt_options run = simt_default_options();
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++)
        if (!read_option(&s.options, argv[first]))
            return usage();
    if (first == argc || !complete(&s.options))
        return usage();
    if (wave_target_find(s.options.name) < 0) {
        fprintf(stderr, "wave-simt-test: this build of the library does not have the target\n");
        return 2;
    }
    s.jobs = ref_allocate((size_t)argc * sizeof *s.jobs);
    s.programs = ref_allocate((size_t)argc * LEVELS * sizeof *s.programs);
    for (int k = first; k < argc; k++)
        add_file(&s, argv[k]);
    run.visit = visit;
    run.user = &s;
    run.jobs = s.options.jobs ? s.options.jobs : run.jobs;
    bool ran = simt_run(&run, s.programs, s.program_count);
    finish(&s);
    printf("wave-simt-test %s %s width %u%s: %u passed, %u failed, %u not for it, %zu runs",
           s.options.name, s.options.arch ? s.options.arch : "", s.options.width,
           s.options.bounds ? " bounds" : "", s.passed, s.failed, s.skipped, s.runs);
    if (s.refused_f64 || s.refused_atomic64 || s.refused_limit || s.refused_fence)
        printf(", refused as they must be: %u E_TARGET_F64, %u E_TARGET_ATOMIC64, "
               "%u E_TARGET_LIMIT, %u E_TARGET_FENCE",
               s.refused_f64, s.refused_atomic64, s.refused_limit, s.refused_fence);
    printf("\n");
    return s.failed || !ran || !s.passed ? 1 : 0;
}
