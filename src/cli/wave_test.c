/* wave-test: runs `.wave` and `.cl` files of the test format on the emulator at every width, with
 * several schedules and seeds of scoped memory, and with the race checker. Checks that each
 * survives disassembly and reassembly, and compares memory and diagnostics. */
#include "cli/opencl.h"
#include "testfile/memory.h"
#include "testfile/testfile.h"

#include <wave/compile.h>
#include <wave/emu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "wave-test"

typedef struct options {
    unsigned checks;     /* added to every test */
    unsigned only_width; /* 0: as specified by the file */
    bool verbose;
    bool lockstep; /* lanes of a wave count as ordered: for files that rely on it */
    bool through;  /* run the output of wavec --target=wbin for the file */
    bool unoptimised, extensions, always;
    bool count;              /* print wave-instructions before and after */
    const char *for_through; /* an option that needs --through, or NULL */
    bool scoped;             /* scoped memory, under each of these seeds */
    uint64_t first_seed, last_seed;
} options;

typedef enum outcome { FAILED, PASSED, SKIPPED, OUTCOMES } outcome;

typedef struct job {
    const char *path;
    const options *options;
    const tf_test *test;
    const wave_module *module;
    const wave_diags *before; /* from assembling and loading */
} job;

static void print_diags(const job *j, const wave_diags *diags) {
    wave_blob text;
    if (wave_diags_format(diags, j->path, WAVE_DIAG_TEXT, &text) == WAVE_OK && text.data)
        printf("%s", (const char *)text.data);
    wave_blob_free(&text);
}

static bool complain(const job *j, uint32_t width, int schedule, const char *what) {
    fputs("FAIL ", stdout);
    cli_put_text(stdout, j->path, false);
    if (width)
        printf(" (width %u%s", width, schedule < 0 ? ")" : "");
    if (width && schedule >= 0)
        printf(", schedule %d)", schedule);
    fputs(": ", stdout);
    cli_put_text(stdout, what, false);
    fputc('\n', stdout);
    return false;
}

/* ---- Diagnostics against `error` and `warning` lines ---- */

static bool matches(const tf_event *e, const wave_diag *d) {
    return strcmp(e->code, d->code) == 0 && (e->pc < 0 || e->pc == d->offset);
}

static bool has_code(const wave_diags *diags, const char *code) {
    for (size_t k = 0; k < wave_diags_count(diags); k++)
        if (strcmp(wave_diags_at(diags, k)->code, code) == 0)
            return true;
    return false;
}

/* The optimiser may remove the cause of an error, such as a load whose value is not used. Without
 * it every error stays, possibly at another offset, except those that depend on the number of
 * instructions or on a check that is off (fill_launch). */
static bool keeps_errors(const job *j, const wave_diags *diags) {
    for (size_t k = 0; j->options->unoptimised && k < j->test->error_count; k++) {
        const char *code = j->test->errors[k].code;
        bool kept = has_code(diags, code) || has_code(j->before, code);
        if (!kept && strcmp(code, "E_LIMIT") != 0 && strcmp(code, "E_UNINIT") != 0)
            return false;
    }
    return true;
}

/* Whether all errors are expected. The compiler may add and remove warnings. */
static bool check_errors(const tf_test *t, const wave_diags *diags) {
    for (size_t k = 0; k < wave_diags_count(diags); k++) {
        const wave_diag *d = wave_diags_at(diags, k);
        bool expected = d->severity != WAVE_ERROR;
        for (size_t i = 0; i < t->error_count; i++)
            expected |= strcmp(t->errors[i].code, d->code) == 0;
        if (!expected)
            return false;
    }
    return true;
}

static bool listed(const tf_event *events, size_t count, const wave_diag *d) {
    for (size_t k = 0; k < count; k++)
        if (matches(&events[k], d))
            return true;
    return false;
}

static bool all_listed(const tf_test *t, const wave_diags *diags) {
    for (size_t k = 0; k < wave_diags_count(diags); k++) {
        const wave_diag *d = wave_diags_at(diags, k);
        bool error = d->severity == WAVE_ERROR;
        if (!error && listed(t->allowed, t->allowed_count, d))
            continue;
        if (!listed(error ? t->errors : t->warnings, error ? t->error_count : t->warning_count, d))
            return false;
    }
    return true;
}

static bool reported(const tf_event *e, const wave_diags *diags) {
    for (size_t k = 0; k < wave_diags_count(diags); k++)
        if (matches(e, wave_diags_at(diags, k)))
            return true;
    return false;
}

static bool check_diags(const job *j, const wave_diags *diags, uint32_t width, int schedule) {
    const tf_test *t = j->test;
    char text[200];
    if (j->options->through && check_errors(t, diags) && keeps_errors(j, diags))
        return true;
    for (size_t k = 0; k < t->error_count + t->warning_count; k++) {
        const tf_event *e = k < t->error_count ? &t->errors[k] : &t->warnings[k - t->error_count];
        if (reported(e, diags) || reported(e, j->before))
            continue;
        snprintf(text, sizeof text, "expected %s, which was not reported", e->code);
        complain(j, width, schedule, text);
        print_diags(j, diags);
        return false;
    }
    if (all_listed(t, diags))
        return true;
    complain(j, width, schedule, "diagnostics that the test does not list:");
    print_diags(j, diags);
    return false;
}

/* ---- One run ---- */

/* Not a seed: memory is the same for all lanes. */
static const uint64_t PLAIN_MEMORY = UINT64_MAX;
/* A race-free program runs under the first FEW_SEEDS seeds of scoped memory; a program with a race
 * must reveal it under one of the first MANY_SEEDS. */
enum { FEW_SEEDS = 2, MANY_SEEDS = 50 };

static void fill_launch(const job *j, const tf_run *run, size_t kernel, int schedule,
                        uint64_t memory_seed, uint8_t *memory, wave_launch *launch) {
    wave_launch_init(launch);
    tf_fill_launch(j->test, run, launch);
    launch->kernel = kernel;
    launch->device_memory = memory;
    launch->random_schedule = schedule >= 0;
    launch->seed = (uint64_t)(schedule + 1) * 7919;
    launch->scoped_memory = memory_seed != PLAIN_MEMORY;
    launch->memory_seed = memory_seed;
    launch->lockstep = j->options->lockstep;
    launch->flush_subnormals = run->flushed;
    launch->checks |= j->options->checks | WAVE_CHECK_RACE;
    if (j->options->through) /* copies of uninitialised values are not the file's fault */
        launch->checks &= ~(unsigned)WAVE_CHECK_UNINIT;
    launch->initialised = run->initialised;
    launch->initialised_count = run->initialised_count;
    launch->initialised_known = (launch->checks & WAVE_CHECK_UNINIT) != 0;
}

/* Runs the launch again, with bounds. */
static bool execute_bounded(const job *j, const tf_run *run, wave_launch *launch, char *report,
                            size_t report_size) {
    wave_diags *diags = wave_diags_create(0);
    memcpy(launch->device_memory, run->memory, run->size);
    launch->bounds = true;
    snprintf(report, report_size, "the run with bounds failed\n");
    bool same = wave_emulate(j->module, launch, diags) == WAVE_OK &&
                tf_compare(j->test, run, launch->device_memory, report, report_size);
    wave_diags_destroy(diags);
    return same;
}

/* Runs and compares: differences from the expected memory go to `report`. If only targets are
 * expected to produce a result, any memory is accepted. */
static wave_status execute(const job *j, const tf_run *run, size_t kernel, int schedule,
                           uint64_t memory_seed, wave_diags *diags, bool *same, char *report,
                           size_t report_size) {
    uint8_t *memory = tf_need(malloc(run->size ? run->size : 1));
    memcpy(memory, run->memory, run->size);
    wave_launch launch;
    fill_launch(j, run, kernel, schedule, memory_seed, memory, &launch);
    wave_status status = wave_emulate(j->module, &launch, diags);
    if (j->test->bounded)
        *same = execute_bounded(j, run, &launch, report, report_size);
    else
        *same = j->test->fails || tf_compare(j->test, run, memory, report, report_size);
    free(memory);
    return status;
}

/* schedule -1 is the deterministic round-robin, the others are seeds. */
static bool run_once(const job *j, const tf_run *run, size_t kernel, int schedule,
                     uint64_t memory_seed) {
    wave_diags *diags = tf_need(wave_diags_create(0));
    char report[2000];
    bool same;
    wave_status status =
        execute(j, run, kernel, schedule, memory_seed, diags, &same, report, sizeof report);
    bool ok = check_diags(j, diags, run->width, schedule);
    if (ok && j->options->through && j->test->error_count) {
        wave_diags_destroy(diags);
        return true; /* the memory left by a faulty program does not matter */
    }
    if (ok && (status != WAVE_OK) != (j->test->error_count > 0)) {
        char text[80];
        snprintf(text, sizeof text, "the run ended with status %d", (int)status);
        ok = complain(j, run->width, schedule, text);
    }
    if (ok && !same) {
        ok = complain(j, run->width, schedule, "memory differs");
        cli_put_text(stdout, report, true);
    }
    if (!ok && memory_seed != PLAIN_MEMORY)
        printf("  with scoped memory of seed %llu\n", (unsigned long long)memory_seed);
    wave_diags_destroy(diags);
    return ok;
}

/* The race must be visible in memory under some seed. */
static bool shows_its_race(const job *j, const tf_run *run, size_t kernel) {
    char report[2000];
    bool same = true;
    for (uint64_t seed = 1; same && seed <= MANY_SEEDS; seed++) {
        wave_diags *diags = tf_need(wave_diags_create(0));
        execute(j, run, kernel, -1, seed, diags, &same, report, sizeof report);
        wave_diags_destroy(diags);
    }
    return !same || complain(j, run->width, -1, "no seed of scoped memory shows the race");
}

static int schedule_count(const job *j, const tf_run *run, size_t kernel) {
    if (j->test->schedules >= 0)
        return j->test->schedules;
    const wave_kernel_info *info = wave_module_kernel(j->module, kernel);
    const uint32_t *group = info->workgroup[0] ? info->workgroup : run->group;
    return (uint64_t)group[0] * group[1] * group[2] > run->width ? 2 : 0;
}

static bool run_width(const job *j, uint32_t width, size_t kernel, unsigned *runs) {
    char error[300];
    tf_run run;
    if (!tf_instantiate(j->test, width, &run, error, sizeof error))
        return complain(j, width, -1, error);
    bool ok = true;
    int schedules = schedule_count(j, &run, kernel);
    const options *o = j->options;
    for (int k = -1; k < schedules && ok; k++) {
        if (!o->scoped)
            ok = run_once(j, &run, kernel, k, PLAIN_MEMORY);
        for (uint64_t s = o->first_seed; o->scoped && s <= o->last_seed && ok; s++, ++*runs)
            ok = run_once(j, &run, kernel, k, s);
        *runs += !o->scoped;
    }
    if (j->test->race && !j->test->race_hidden && !o->through)
        ok = ok && shows_its_race(j, &run, kernel);
    const bool seeds = !o->scoped && !o->lockstep && !j->test->race;
    for (uint64_t s = 1; seeds && s <= FEW_SEEDS && ok; s++, ++*runs)
        ok = run_once(j, &run, kernel, -1, s);
    run.flushed = tf_has_flushed(j->test) && !o->scoped;
    if (ok && run.flushed)
        ok = run_once(j, &run, kernel, -1, PLAIN_MEMORY) || complain(j, width, -1, "flushed");
    *runs += run.flushed;
    tf_run_free(&run);
    return ok;
}

/* ---- One file ---- */

static bool round_trips(const job *j, const wave_blob *binary) {
    wave_blob text = {0}, again = {0};
    const wave_dis_options lenient = {.load.mode = WAVE_MODE_LENIENT, .source = true};
    bool ok = wave_disassemble(binary->data, binary->size, &lenient, &text, NULL) == WAVE_OK &&
              wave_assemble((const char *)text.data, text.size, NULL, &again, NULL) == WAVE_OK &&
              again.size == binary->size && memcmp(again.data, binary->data, again.size) == 0;
    wave_blob_free(&text);
    wave_blob_free(&again);
    return ok || complain(j, 0, -1, "assembling its disassembly yields different bytes");
}

static bool run_module(job *j, unsigned *runs) {
    const tf_test *t = j->test;
    long kernel = t->kernel ? wave_module_find_kernel(j->module, t->kernel) : 0;
    if (kernel < 0)
        return complain(j, 0, -1, "the named kernel is not in the file");
    if (j->options->through ? !check_errors(t, j->before) : !all_listed(t, j->before)) {
        complain(j, 0, -1, "diagnostics that the test does not list:");
        print_diags(j, j->before);
        return false;
    }
    bool ok = true;
    for (size_t k = 0; k < t->width_count; k++)
        if (!j->options->only_width || j->options->only_width == t->widths[k])
            ok &= run_width(j, t->widths[k], (size_t)kernel, runs);
    return ok;
}

/* ---- Through the compiler ---- */

/* Wave-instructions at the last width, in plain order. */
static uint64_t count_instructions(const job *j, const wave_module *module, size_t kernel) {
    char error[300];
    tf_run run;
    wave_launch launch;
    wave_stats stats = {0};
    if (!tf_instantiate(j->test, j->test->widths[j->test->width_count - 1], &run, error,
                        sizeof error))
        return 0;
    uint8_t *memory = tf_need(malloc(run.size ? run.size : 1));
    memcpy(memory, run.memory, run.size);
    fill_launch(j, &run, kernel, -1, PLAIN_MEMORY, memory, &launch);
    launch.stats = &stats;
    wave_emulate(module, &launch, NULL);
    free(memory);
    tf_run_free(&run);
    return stats.instructions;
}

static void print_counts(const job *j, const wave_module *before, const wave_module *after) {
    long kernel = j->test->kernel ? wave_module_find_kernel(before, j->test->kernel) : 0;
    uint64_t old = count_instructions(j, before, (size_t)kernel);
    uint64_t now = count_instructions(j, after, (size_t)kernel);
    if (old && j->test->error_count == 0)
        printf("%s %llu %llu\n", j->path, (unsigned long long)old, (unsigned long long)now);
}

/* The compiler rejects recursive kernels, and those that nest too deeply once calls are inlined. */
static bool is_refusal(const wave_diags *diags) {
    size_t count = wave_diags_count(diags);
    const char *code = count ? wave_diags_at(diags, count - 1)->code : "";
    return strcmp(code, "E_RECURSION") == 0 || strcmp(code, "E_DEPTH") == 0;
}

/* Runs the compiler's output for the module. */
static bool run_through(job *j, const wave_module *module, const wave_load_options *load,
                        wave_diags *diags, unsigned *runs) {
    wave_compile_options compile;
    wave_blob binary = {0};
    wave_module *after = NULL;
    wave_compile_init(&compile);
    compile.target = WAVE_TARGET_WBIN;
    compile.optimise = !j->options->unoptimised;
    compile.extensions = j->options->extensions;
    compile.always = j->options->always;
    compile.verify_ir = true;
    bool ok = wave_compile(module, &compile, &binary, diags) == WAVE_OK &&
              wave_module_load(binary.data, binary.size, load, &after, diags) == WAVE_OK;
    if (!ok && is_refusal(diags)) {
        ok = true;
    } else if (!ok) {
        complain(j, 0, -1, "does not compile to WBIN:");
        print_diags(j, diags);
    } else {
        j->module = after;
        ok = round_trips(j, &binary) && run_module(j, runs);
        if (j->options->count)
            print_counts(j, module, after);
    }
    wave_module_destroy(after);
    wave_blob_free(&binary);
    return ok;
}

/* Assembly, or OpenCL C. */
static bool make_binary(const job *j, const cli_input *input, wave_blob *binary,
                        wave_diags *diags) {
    if (opencl_language_of(j->path, input) != OPENCL_NONE)
        return opencl_load(TOOL, j->path, input, false, NULL, binary, diags) == CLI_OK;
    const char *text = (const char *)input->data;
    return wave_assemble(text, input->size, NULL, binary, diags) == WAVE_OK;
}

static bool run_source(job *j, const cli_input *input, wave_diags *diags, unsigned *runs) {
    wave_blob binary = {0};
    wave_module *module = NULL;
    const wave_load_options load = tf_load_options(j->test);
    bool ok = make_binary(j, input, &binary, diags) &&
              wave_module_load(binary.data, binary.size, &load, &module, diags) == WAVE_OK;
    if (!ok) {
        complain(j, 0, -1, "does not assemble or validate:");
        print_diags(j, diags);
    } else {
        j->module = module;
        if (j->options->through)
            ok = run_through(j, module, &load, diags, runs);
        else
            ok = round_trips(j, &binary) && run_module(j, runs);
    }
    wave_module_destroy(module);
    wave_blob_free(&binary);
    return ok;
}

/* With -v: what became of a file that did not fail. */
static void print_outcome(const job *j, const char *word, const char *text) {
    if (!j->options->verbose)
        return;
    fputs(word, stdout);
    cli_put_text(stdout, j->path, false);
    fputs(": ", stdout);
    cli_put_text(stdout, text, false);
    fputc('\n', stdout);
}

static bool has_width(const tf_test *t, uint32_t width) {
    for (size_t k = 0; k < t->width_count; k++)
        if (t->widths[k] == width)
            return true;
    return false;
}

static outcome run_test(job *j, tf_test *test, const cli_input *input, unsigned *runs) {
    if (j->options->only_width && !has_width(test, j->options->only_width)) {
        print_outcome(j, "skip ", "it does not list this width");
        return SKIPPED;
    }
    wave_diags *diags = tf_need(wave_diags_create(0));
    test->path = j->path;
    j->test = test;
    j->before = diags;
    bool ok = run_source(j, input, diags, runs);
    if (ok)
        print_outcome(j, "ok   ", test->title);
    wave_diags_destroy(diags);
    return ok ? PASSED : FAILED;
}

static outcome run_file(const char *path, const options *o, unsigned *runs) {
    cli_input input;
    char error[300];
    outcome result = FAILED;
    if (!cli_read(TOOL, path, CLI_MOST_PROGRAM, &input))
        return FAILED;
    job j = {.path = input.name, .options = o};
    tf_test *test = tf_parse((const char *)input.data, input.size, error, sizeof error);
    if (test)
        result = run_test(&j, test, &input, runs);
    else
        complain(&j, 0, -1, error);
    tf_destroy(test);
    cli_close(&input);
    return result;
}

/* ---- Options ---- */

enum {
    OPT_VERBOSE = 1,
    OPT_WIDTH,
    OPT_CHECK,
    OPT_MEMORY,
    OPT_LOCKSTEP,
    OPT_THROUGH,
    OPT_LEVEL,
    OPT_EXTENSIONS,
    OPT_ALWAYS,
    OPT_COUNT
};

static const cli_option table[] = {
    {"verbose", 'v', OPT_VERBOSE, "", "print a line for every file that passes or is skipped"},
    {"width", 0, OPT_WIDTH, "N", "run only this width, and skip files that do not list it"},
    {"check", 0, OPT_CHECK, "LIST",
     "race (always on) and uninit, separated by commas; added to each file's checks"},
    {"memory", 0, OPT_MEMORY, "scoped:SEED[-SEED]", "run under these seeds of scoped memory"},
    {"lockstep", 0, OPT_LOCKSTEP, "", "the race check treats all accesses of a wave as ordered"},
    {"through", 0, OPT_THROUGH, "wbin", "run the output of wavec --target=wbin for each file"},
    {"optimise", 'O', OPT_LEVEL, "0|2", "with --through: the optimisation level (2)"},
    {"extensions", 0, OPT_EXTENSIONS, "", "with --through: allow extensions of the ISA"},
    {"always", 0, OPT_ALWAYS, "", "with --through: use the new code even if it is not faster"},
    {"count", 0, OPT_COUNT, "", "with --through: print the wave-instructions before and after"},
    {.id = 0}};

/* scoped:SEED or scoped:FIRST-LAST */
static bool parse_memory(const char *text, options *o) {
    char first[24] = "";
    const char *seeds = text + strlen("scoped:"), *dash;
    if (strncmp(text, "scoped:", strlen("scoped:")) != 0)
        return false;
    dash = strchr(seeds, '-');
    const size_t length = dash ? (size_t)(dash - seeds) : strlen(seeds);
    if (length >= sizeof first)
        return false;
    (void)snprintf(first, sizeof first, "%.*s", (int)length, seeds);
    o->scoped = cli_number(first, UINT64_MAX - 1, &o->first_seed) &&
                cli_number(dash ? dash + 1 : first, UINT64_MAX - 1, &o->last_seed);
    return o->scoped && o->first_seed <= o->last_seed;
}

static bool parse_checks(const char *text, options *o) {
    static const char *const names[] = {"race", "uninit", "race,uninit", "uninit,race", NULL};
    int choice = cli_choice(text, names);
    o->checks |= choice > 0 ? WAVE_CHECK_UNINIT : 0;
    return choice >= 0;
}

static bool needs_through(options *o, const char *option) {
    o->for_through = option;
    return true;
}

static bool apply(options *o, int id, const char *value) {
    uint64_t width;
    switch (id) {
    case OPT_VERBOSE: o->verbose = true; return true;
    case OPT_LOCKSTEP: o->lockstep = true; return true;
    case OPT_THROUGH: o->through = true; return strcmp(value, "wbin") == 0;
    case OPT_EXTENSIONS: o->extensions = true; return needs_through(o, "--extensions");
    case OPT_ALWAYS: o->always = true; return needs_through(o, "--always");
    case OPT_COUNT: o->count = true; return needs_through(o, "--count");
    case OPT_LEVEL:
        o->unoptimised = strcmp(value, "0") == 0;
        return needs_through(o, "-O") && (o->unoptimised || strcmp(value, "2") == 0);
    case OPT_CHECK: return parse_checks(value, o);
    case OPT_MEMORY: return parse_memory(value, o);
    default:
        if (!cli_number(value, 64, &width) || width == 0)
            return false;
        o->only_width = (unsigned)width;
        return true;
    }
}

static int run_files(const options *o, const char *const *paths, size_t count) {
    unsigned files[OUTCOMES] = {0}, runs = 0;
    for (size_t k = 0; k < count; k++)
        files[run_file(paths[k], o, &runs)]++;
    printf("wave-test: %u runs at their widths and schedules\n", runs);
    printf("wave-test: %u passed, %u failed", files[PASSED], files[FAILED]);
    if (files[SKIPPED])
        printf(", %u skipped: without width %u", files[SKIPPED], o->only_width);
    printf("\n");
    return cli_finish(TOOL, files[FAILED] || !files[PASSED] ? CLI_BAD_INPUT : CLI_OK);
}

int main(int argc, char **argv) {
    cli_args args = {.tool = TOOL,
                     .usage = "wave-test [options] FILE...",
                     .about = "Runs assembly files that contain their launch and the memory they "
                              "expect, in lines that\nbegin with ;@, on the emulator: at every "
                              "wave width, under several schedules, with the\nrace checker. "
                              "wave-emu --test runs one of them once, for a closer look.",
                     .notes = "Exit status: 0 all passed, 1 a file failed or cannot be read, or "
                              "all were skipped,\n2 wrong usage.",
                     .options = table};
    options o = {0};
    const char **paths = tf_need(calloc((size_t)argc + 1, sizeof *paths));
    size_t count = 0;
    int id, status = CLI_USAGE;
    while ((id = cli_next(&args, argc, argv)) > 0) {
        if (id == CLI_OPERAND) {
            paths[count++] = args.value;
        } else if (!apply(&o, id, args.value)) {
            cli_fail(TOOL, "invalid value '%s'; try wave-test --help", args.value);
            break;
        }
    }
    if (id < 0) {
        status = args.status;
    } else if (id == 0 && count == 0) {
        cli_fail_usage(&args, "no input file");
    } else if (id == 0 && o.for_through && !o.through) {
        cli_fail(TOOL, "%s needs --through=wbin", o.for_through);
    } else if (id == 0) {
        status = run_files(&o, paths, count);
    }
    free(paths);
    return status;
}
