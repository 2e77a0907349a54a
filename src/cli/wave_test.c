/* wave-test: runs `.wave` files of the test format on the emulator at every width, several
 * schedules and seeds of scoped memory, with the race checker; checks that each survives dis and
 * asm, and compares memory and diagnostics. */
#include "cli/cli.h"
#include "testfile/memory.h"
#include "testfile/testfile.h"

#include <wave/emu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "wave-test"

typedef struct options {
    unsigned checks;     /* added to every test */
    unsigned only_width; /* 0: as the file says */
    bool verbose;
    bool lockstep; /* lanes of a wave count as ordered: for files that rely on it */
    bool scoped;   /* memory with views, under each of these seeds */
    uint64_t first_seed, last_seed;
} options;

typedef struct job {
    const char *path;
    const options *options;
    const tf_test *test;
    const wave_module *module;
    const wave_diags *before; /* of assembling and loading */
} job;

static void print_diags(const job *j, const wave_diags *diags) {
    wave_blob text;
    if (wave_diags_format(diags, j->path, WAVE_DIAG_TEXT, &text) == WAVE_OK && text.data)
        printf("%s", (const char *)text.data);
    wave_blob_free(&text);
}

static bool complain(const job *j, uint32_t width, int schedule, const char *what) {
    printf("FAIL %s", j->path);
    if (width)
        printf(" (width %u%s", width, schedule < 0 ? ")" : "");
    if (width && schedule >= 0)
        printf(", schedule %d)", schedule);
    printf(": %s\n", what);
    return false;
}

/* ---- Diagnostics against `error` and `warning` lines ---- */

static bool matches(const tf_event *e, const wave_diag *d) {
    return strcmp(e->code, d->code) == 0 && (e->pc < 0 || e->pc == d->offset);
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
/* A program without races runs under the first so many seeds of scoped memory; one with a race has
 * to show it under one of the rest. */
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
    launch->initialised = run->initialised;
    launch->initialised_count = run->initialised_count;
    launch->initialised_known = (launch->checks & WAVE_CHECK_UNINIT) != 0;
}

/* The launch once more, with bounds. */
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

/* What a run comes to: memory as expected, and in `report` how it differs. Where only targets are
 * expected to give an answer, any memory will do. */
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
    if (ok && (status != WAVE_OK) != (j->test->error_count > 0)) {
        char text[80];
        snprintf(text, sizeof text, "the run ended with status %d", (int)status);
        ok = complain(j, run->width, schedule, text);
    }
    if (ok && !same) {
        ok = complain(j, run->width, schedule, "memory differs");
        printf("%s", report);
    }
    if (!ok && memory_seed != PLAIN_MEMORY)
        printf("  with scoped memory of seed %llu\n", (unsigned long long)memory_seed);
    wave_diags_destroy(diags);
    return ok;
}

/* What is missing must show in memory under some seed. */
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
    if (j->test->race && !j->test->race_hidden)
        ok = ok && shows_its_race(j, &run, kernel);
    const bool seeds = !o->scoped && !o->lockstep && !j->test->race;
    for (uint64_t s = 1; seeds && s <= FEW_SEEDS && ok; s++, ++*runs)
        ok = run_once(j, &run, kernel, -1, s);
    run.flushed = true; /* the other way */
    if (ok && j->test->ftz_sensitive && !o->scoped)
        ok = run_once(j, &run, kernel, -1, PLAIN_MEMORY) || complain(j, width, -1, "flushed");
    *runs += j->test->ftz_sensitive && !o->scoped;
    tf_run_free(&run);
    return ok;
}

/* ---- One file ---- */

static bool round_trips(const job *j, const wave_blob *binary) {
    wave_blob text = {0}, again = {0};
    const wave_dis_options lenient = {.load.mode = WAVE_MODE_LENIENT};
    bool ok = wave_disassemble(binary->data, binary->size, &lenient, &text, NULL) == WAVE_OK &&
              wave_assemble((const char *)text.data, text.size, NULL, &again, NULL) == WAVE_OK &&
              again.size == binary->size && memcmp(again.data, binary->data, again.size) == 0;
    wave_blob_free(&text);
    wave_blob_free(&again);
    return ok || complain(j, 0, -1, "assembling its disassembly gives other bytes");
}

static bool run_module(job *j, unsigned *runs) {
    const tf_test *t = j->test;
    long kernel = t->kernel ? wave_module_find_kernel(j->module, t->kernel) : 0;
    if (kernel < 0)
        return complain(j, 0, -1, "the named kernel is not in the file");
    if (!all_listed(t, j->before)) {
        complain(j, 0, -1, "diagnostics that the test does not list:");
        print_diags(j, j->before);
        return false;
    }
    bool ok = true, flushed = !t->ftz_sensitive;
    for (size_t k = 0; k < t->expect_count; k++)
        flushed |= t->expects[k].flushed;
    if (!flushed)
        return complain(j, 0, -1, "an ftz-sensitive test says what is expected flushed, too");
    for (size_t k = 0; k < t->width_count; k++)
        if (!j->options->only_width || j->options->only_width == t->widths[k])
            ok &= run_width(j, t->widths[k], (size_t)kernel, runs);
    return ok;
}

static bool run_source(job *j, const char *source, size_t size, wave_diags *diags, unsigned *runs) {
    wave_blob binary = {0};
    wave_module *module = NULL;
    const wave_load_options load = tf_load_options(j->test);
    bool ok = wave_assemble(source, size, NULL, &binary, diags) == WAVE_OK &&
              wave_module_load(binary.data, binary.size, &load, &module, diags) == WAVE_OK;
    if (!ok) {
        complain(j, 0, -1, "does not assemble or validate:");
        print_diags(j, diags);
    } else {
        j->module = module;
        ok = round_trips(j, &binary) && run_module(j, runs);
    }
    wave_module_destroy(module);
    wave_blob_free(&binary);
    return ok;
}

static bool run_text(job *j, const cli_input *input, unsigned *runs) {
    const char *source = (const char *)input->data;
    char error[300];
    tf_test *test = tf_parse(source, input->size, error, sizeof error);
    if (!test)
        return complain(j, 0, -1, error);
    wave_diags *diags = tf_need(wave_diags_create(0));
    j->test = test;
    j->before = diags;
    bool ok = run_source(j, source, input->size, diags, runs);
    if (ok && j->options->verbose) {
        fputs("ok   ", stdout);
        cli_put_text(stdout, j->path, false);
        fputs(": ", stdout);
        cli_put_text(stdout, test->title, false);
        fputc('\n', stdout);
    }
    wave_diags_destroy(diags);
    tf_destroy(test);
    return ok;
}

static bool run_file(const char *path, const options *o, unsigned *runs) {
    cli_input input;
    if (!cli_read(TOOL, path, CLI_MOST_PROGRAM, &input))
        return false;
    job j = {.path = input.name, .options = o};
    bool ok = run_text(&j, &input, runs);
    cli_close(&input);
    return ok;
}

/* ---- Options ---- */

enum { OPT_VERBOSE = 1, OPT_WIDTH, OPT_CHECK, OPT_MEMORY, OPT_LOCKSTEP };

static const cli_option table[] = {
    {"verbose", 'v', OPT_VERBOSE, NULL, "a line for every file that passes"},
    {"width", 0, OPT_WIDTH, "N", "only this one of the wave widths that a file lists"},
    {"check", 0, OPT_CHECK, "LIST", "race (always on), uninit, with a comma: added to each file"},
    {"memory", 0, OPT_MEMORY, "scoped:SEED[-SEED]", "run under these seeds of scoped memory"},
    {"lockstep", 0, OPT_LOCKSTEP, NULL, "for the race check every access of a wave is ordered"},
    {0}};

/* scoped:SEED or scoped:FIRST-LAST */
static bool parse_memory(const char *text, options *o) {
    char *end = NULL;
    if (strncmp(text, "scoped:", 7) != 0)
        return false;
    o->scoped = true;
    o->first_seed = o->last_seed = strtoull(text + 7, &end, 10);
    if (end != text + 7 && *end == '-')
        o->last_seed = strtoull(end + 1, &end, 10);
    return end != text + 7 && *end == '\0' && o->first_seed <= o->last_seed &&
           o->last_seed < UINT64_MAX;
}

static bool parse_checks(const char *text, options *o) {
    static const char *const names[] = {"race", "uninit", "race,uninit", "uninit,race", NULL};
    int choice = cli_choice(text, names);
    o->checks |= choice > 0 ? WAVE_CHECK_UNINIT : 0;
    return choice >= 0;
}

static bool apply(options *o, int id, const char *value) {
    uint64_t width;
    switch (id) {
    case OPT_VERBOSE: o->verbose = true; return true;
    case OPT_LOCKSTEP: o->lockstep = true; return true;
    case OPT_CHECK: return parse_checks(value, o);
    case OPT_MEMORY: return parse_memory(value, o);
    default:
        if (!cli_number(value, 64, &width) || width == 0)
            return false;
        o->only_width = (unsigned)width;
        return true;
    }
}

int main(int argc, char **argv) {
    cli_args args = {.tool = TOOL,
                     .usage = "wave-test [options] FILE.wave...",
                     .about = "Runs assembly files that hold their launch and the memory they "
                              "expect, in lines that begin\nwith ;@, on the emulator: at every "
                              "wave width, under several schedules, with the race\nchecker. "
                              "wave-emu --test runs one of them once, to look at it.",
                     .notes = "Exit status: 0 all passed, 1 a file failed or cannot be read, 2 "
                              "wrong usage.",
                     .options = table};
    options o = {0};
    unsigned passed = 0, failed = 0, runs = 0;
    const char **paths = tf_need(calloc((size_t)argc + 1, sizeof *paths));
    size_t count = 0;
    int id, status = CLI_USAGE;
    while ((id = cli_next(&args, argc, argv)) > 0) {
        if (id == CLI_OPERAND) {
            paths[count++] = args.value;
        } else if (!apply(&o, id, args.value)) {
            cli_fail(TOOL, "'%s' is no value of that option; try wave-test --help", args.value);
            break;
        }
    }
    if (id < 0) {
        status = args.status;
    } else if (id == 0 && count == 0) {
        cli_fail_usage(&args, "no input file");
    } else if (id == 0) {
        for (size_t k = 0; k < count; k++)
            *(run_file(paths[k], &o, &runs) ? &passed : &failed) += 1;
        printf("wave-test: %u runs at their widths and schedules\n", runs);
        printf("wave-test: %u passed, %u failed\n", passed, failed);
        status = cli_finish(TOOL, failed ? CLI_BAD_INPUT : CLI_OK);
    }
    free(paths);
    return status;
}
