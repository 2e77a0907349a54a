/* wave-emu: runs a kernel on the reference emulator. This file runs the steps in order and computes
 * the exit status; options, memory, traces and breakpoints are in emu_*.c. */
#include "cli/arguments.h"
#include "cli/emu_memory.h"
#include "cli/emu_test.h"
#include "cli/emu_watch.h"

#include <wave/compile.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIAGNOSTICS = 10000, MAX_OBSERVERS = 3 };

typedef struct session {
    emu_options options;
    cli_input input;
    wave_blob assembled, optimised;
    wave_module *module;
    wave_diags *diags;
    size_t shown; /* diagnostics already printed */
    emu_arena arena;
    emu_test test;
    emu_texts texts;
    wave_stats stats;
    wave_profile *profile;
    emu_tracer *tracer;
    emu_registers *registers;
    emu_debugger *debugger;
    cli_sources *sources;
    wave_launch_buffer *buffers; /* those of known size */
    wave_observer observers[MAX_OBSERVERS];
} session;

/* ---- Diagnostics ---- */

/* The user-visible names of run-time errors. */
static const char *error_name(const wave_diag *d) {
    static const char *const names[][2] = {
        {"E_OUT_OF_BOUNDS", "memory access out of bounds"},
        {"E_BUFFER_BOUNDS", "access outside a buffer"},
        {"E_MISALIGNED", "misaligned access"},
        {"E_BARRIER_DIVERGENCE", "barrier divergence"},
        {"E_BARRIER_MISMATCH", "barrier mismatch"},
        {"E_DEADLOCK", "deadlock detected"},
        {"E_CALL_DEPTH", "stack overflow: call"},
        {"E_CONTROL_DEPTH", "stack overflow: control flow"},
        {"E_LIMIT", "instruction limit exceeded"},
        {"E_ASSERT", "assertion failed"},
        {"E_RACE", "data race"},
        {"E_SCHEDULE", "memory differs"},
        {"E_UNINIT", "uninitialised read"},
        {"E_LAUNCH", "invalid launch"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(d->code, names[i][0]) == 0 && !strstr(d->message, names[i][1]))
            return names[i][1];
    return NULL;
}

static void print_place(const session *s, const wave_diag *d, const wave_related *related) {
    wave_blob text = {0};
    wave_status made = related ? wave_related_place(d, related, s->input.name, &text)
                               : wave_diag_place(d, s->input.name, &text);
    fprintf(stderr, "    %s %s", related ? "and" : "at",
            made == WAVE_OK ? (const char *)text.data : "?");
    wave_blob_free(&text);
}

static void print_source(const session *s, const char *file, uint32_t line) {
    const char *text;
    size_t length;
    if (!line || !cli_source_line(s->sources, file ? file : s->input.name, line, &text, &length))
        return;
    fprintf(stderr, "  %6" PRIu32 " | ", line);
    cli_put_source(stderr, text, length);
    fputc('\n', stderr);
}

/* Run-time diagnostics start with what happened; the place follows. */
static void print_diag(const session *s, const wave_diag *d) {
    bool error = d->severity == WAVE_ERROR, color = cli_wants_color(2);
    fprintf(stderr, "%s%s:%s ",
            !color  ? ""
            : error ? "\033[1;31m"
                    : "\033[1;35m",
            error ? EMU_ERROR : "Warning", color ? "\033[0m" : "");
    if (error_name(d))
        fprintf(stderr, "%s: ", error_name(d));
    cli_put_text(stderr, d->message, false);
    fprintf(stderr, " [%s]\n", d->code);
    if (d->kernel && d->offset >= 0) {
        print_place(s, d, NULL);
        fputs(d->text ? ": " : "", stderr);
        cli_put_text(stderr, d->text ? d->text : "", false);
        fputc('\n', stderr);
        print_source(s, d->file, d->line);
    }
    for (size_t k = 0; k < d->related_count; k++) {
        if (!d->related[k].line)
            continue; /* already in the message */
        print_place(s, d, &d->related[k]);
        fputs(": ", stderr);
        cli_put_text(stderr, d->related[k].message, false);
        fputc('\n', stderr);
        print_source(s, d->related[k].file, d->related[k].line);
    }
    if (d->hint)
        fprintf(stderr, "    hint: %s\n", d->hint);
}

/* JSON is one document, printed once everything is known. */
static void show_run_diags(session *s) {
    if (s->options.reading.diagnostics == CLI_DIAG_JSON) {
        cli_show_diags(s->diags, s->input.name, CLI_DIAG_JSON);
        return;
    }
    fflush(stdout);
    for (; s->shown < wave_diags_count(s->diags); s->shown++)
        print_diag(s, wave_diags_at(s->diags, s->shown));
    size_t total =
        wave_diags_total(s->diags, WAVE_ERROR) + wave_diags_total(s->diags, WAVE_WARNING);
    if (total > s->shown)
        fprintf(stderr, "%zu more not shown\n", total - s->shown);
}

static int exit_status(wave_status status) {
    switch (status) {
    case WAVE_OK: return CLI_OK;
    case WAVE_ERROR_INPUT: return CLI_BAD_INPUT;
    case WAVE_ERROR_LIMIT: return EMU_LIMIT_REACHED;
    case WAVE_ERROR_USAGE:
    case WAVE_ERROR_MEMORY: break;
    }
    return CLI_USAGE;
}

/* ---- Input ---- */

/* Replaces the module with the compiler's output; source lines remain known. */
static wave_status optimise(session *s) {
    wave_compile_options options;
    wave_module *before = s->module;
    wave_compile_init(&options);
    options.target = WAVE_TARGET_WBIN;
    wave_status status = wave_compile(before, &options, &s->optimised, s->diags);
    if (status != WAVE_OK)
        return status;
    s->module = NULL;
    wave_module_destroy(before);
    return wave_module_load(s->optimised.data, s->optimised.size, &s->options.load, &s->module,
                            s->diags);
}

static int load(session *s) {
    const void *data = s->input.data;
    size_t size = s->input.size;
    wave_status status = WAVE_OK;
    bool source = s->options.test || cli_is_source(s->options.path, &s->input);
    if (source) {
        int made = cli_assemble_source(s->sources, EMU_TOOL, s->options.path, &s->input,
                                       &s->assembled, s->diags);
        if (made == CLI_USAGE)
            return made;
        status = made == CLI_OK ? WAVE_OK : WAVE_ERROR_INPUT;
        data = s->assembled.data;
        size = s->assembled.size;
    }
    if (status == WAVE_OK)
        status = wave_module_load(data, size, &s->options.load, &s->module, s->diags);
    if (status == WAVE_OK && s->options.optimise)
        status = optimise(s);
    bool json = s->options.reading.diagnostics == CLI_DIAG_JSON;
    if (!json || status != WAVE_OK)
        cli_show_diags(s->diags, s->input.name, s->options.reading.diagnostics);
    s->shown = wave_diags_count(s->diags);
    if (status == WAVE_OK)
        return CLI_OK;
    if (status == WAVE_ERROR_MEMORY)
        return cli_fail(EMU_ERROR, "out of memory");
    if (!json)
        cli_fail(EMU_ERROR, "%s: %s", source ? "cannot assemble" : "invalid WBIN file",
                 s->input.name);
    return exit_status(status);
}

static int choose_kernel(session *s) {
    const char *wanted = s->options.kernel;
    if (arg_find_kernel(s->module, wanted, &s->options.launch.kernel))
        return CLI_OK;
    cli_fail(EMU_ERROR, "%s has no kernel '%s'; it has", s->input.name, wanted);
    for (size_t i = 0; i < wave_module_kernel_count(s->module) && i < 20; i++) {
        const char *name = wave_module_kernel(s->module, i)->name;
        fprintf(stderr, "    %zu ", i);
        cli_put_text(stderr, *name ? name : "(anonymous)", false);
        fputc('\n', stderr);
    }
    return CLI_USAGE;
}

/* Places the buffers one after another, starting at 256, because OpenCL kernels compare pointers
 * with 0; the arena grows as needed. */
static int place_arguments(session *s) {
    enum { ALIGNMENT = 256 };
    emu_options *o = &s->options;
    wave_launch *launch = &o->launch;
    arg_named *all = o->arguments.at;
    arg_words words = {0};
    uint64_t at = ALIGNMENT;
    memcpy(words.word, o->registers, sizeof words.word);
    memcpy(words.given, o->given, sizeof words.given);
    if (!arg_bind(EMU_TOOL, s->module, launch->kernel, &o->arguments, &words))
        return CLI_USAGE;
    for (size_t k = 0; k < o->arguments.count; k++) {
        if (!arg_needs_place(&all[k]))
            continue;
        if (at + all[k].size > (uint64_t)1 << 32)
            return cli_fail(EMU_TOOL, "the buffers need more than 4294967296 bytes");
        arg_place(&all[k], at, &words);
        at = (at + all[k].size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (launch->device_size < all[k].offset + all[k].size)
            launch->device_size = all[k].offset + all[k].size;
    }
    bool quiet = o->reading.diagnostics == CLI_DIAG_JSON &&
                 !wave_module_kernel(s->module, launch->kernel)->arguments;
    if (!quiet && !arg_complete(EMU_TOOL, s->module, launch->kernel, &words))
        return CLI_USAGE;
    memcpy(o->registers, words.word, sizeof words.word);
    for (uint32_t w = 0; w < ARG_MAX_WORDS; w++)
        if (words.given[w] && launch->initial_count <= w)
            launch->initial_count = w + 1;
    s->buffers = arg_buffers(&o->arguments, &launch->buffer_count);
    launch->buffers = s->buffers;
    return s->buffers ? CLI_OK : cli_fail(EMU_ERROR, "out of memory");
}

/* ---- The run ---- */

static int add_observers(session *s, size_t *count) {
    const emu_options *o = &s->options;
    wave_observer *observers = s->observers;
    int status = CLI_OK;
    bool good = emu_texts_init(&s->texts, s->module, o->launch.kernel, s->sources, s->input.name);
    *count = 0;
    if (good && o->breaks.count) {
        s->debugger = emu_debugger_create(o, &s->texts, &observers[(*count)++], &status);
        if (!s->debugger)
            return status;
    }
    if (good && (o->trace != EMU_TRACE_OFF || o->memory_trace)) {
        s->tracer = emu_tracer_create(o, &s->texts, &observers[(*count)++]);
        good = s->tracer != NULL;
    }
    if (good && o->dump_registers) {
        s->registers = emu_registers_create(&observers[(*count)++]);
        good = s->registers != NULL;
    }
    return good ? CLI_OK : cli_fail(EMU_ERROR, "out of memory");
}

static int run(session *s, wave_status *status) {
    wave_launch *launch = &s->options.launch;
    launch->device_memory = s->arena.data;
    launch->initial = s->options.registers;
    launch->initialised = s->arena.initialised.at;
    launch->initialised_count = s->arena.initialised.count;
    launch->initialised_known = true;
    launch->observers = s->observers;
    launch->stats = &s->stats;
    launch->profile = s->options.profile ? &s->profile : NULL;
    *status = s->options.sweep.runs
                  ? wave_emulate_seeds(s->module, launch, &s->options.sweep, s->diags)
                  : wave_emulate(s->module, launch, s->diags);
    emu_tracer_destroy(s->tracer);
    s->tracer = NULL;
    bool complete = emu_registers_destroy(s->registers);
    s->registers = NULL;
    return complete ? CLI_OK : cli_fail(EMU_ERROR, "out of memory");
}

/* ---- Output ---- */

/* INPUT.profile.html, without the input's own suffix. */
static char *default_page(const char *input) {
    return cli_with_suffix(strcmp(input, "-") == 0 ? "stdin" : input, ".profile.html");
}

static int write_profile(const session *s) {
    const emu_options *o = &s->options;
    bool page = o->profile_style == WAVE_PROFILE_HTML && !o->profile_path;
    char *made = page ? default_page(o->path) : NULL;
    const char *path = o->profile_path ? o->profile_path : page ? made : "-";
    wave_blob text = {0};
    int status = CLI_USAGE;
    wave_profile_read_lines(s->profile, cli_read_line, s->sources);
    if (!path || wave_profile_format(s->profile, s->input.name, o->profile_style, &text) != WAVE_OK)
        cli_fail(EMU_ERROR, "out of memory");
    else
        status = cli_write(EMU_ERROR, path, text.data, text.size);
    if (status == CLI_OK && page)
        cli_fail(EMU_TOOL, "wrote %s", path);
    wave_blob_free(&text);
    free(made);
    return status;
}

/* After a failed run, the memory and the statistics are those at the time of the failure. */
static int print_results(session *s, wave_status run_status) {
    wave_blob text;
    int status = exit_status(run_status);
    emu_arena_dump(&s->arena, &s->options);
    if (s->options.stats && wave_stats_format(&s->stats, &text) == WAVE_OK) {
        cli_print((const char *)text.data, text.size);
        wave_blob_free(&text);
    }
    if (s->profile && write_profile(s) != CLI_OK)
        status = CLI_USAGE;
    show_run_diags(s);
    if (emu_arena_assert(&s->arena, &s->options) && status == CLI_OK)
        status = CLI_BAD_INPUT;
    if (status == CLI_OK && s->test.test && !emu_test_compare(&s->test, &s->arena, s->input.name))
        status = CLI_BAD_INPUT;
    return status;
}

static int prepare(session *s) {
    int status = s->options.test ? emu_test_read(&s->test, &s->options, &s->input) : CLI_OK;
    if (status == CLI_OK)
        status = load(s);
    if (status == CLI_OK)
        status = choose_kernel(s);
    if (status == CLI_OK)
        status = add_observers(s, &s->options.launch.observer_count);
    if (status == CLI_OK && !s->options.test)
        status = place_arguments(s);
    if (status == CLI_OK)
        status = emu_arena_prepare(&s->arena, &s->options);
    if (status == CLI_OK && s->options.test && !emu_test_fill(&s->test, &s->arena))
        status = CLI_USAGE;
    return status;
}

static int work(session *s) {
    wave_status run_status = WAVE_OK;
    if (s->options.trace != EMU_TRACE_OFF || s->options.memory_trace)
        setvbuf(stderr, NULL, _IOFBF, 1 << 16); /* a trace is long; prompts flush */
    s->diags = wave_diags_create(MAX_DIAGNOSTICS);
    s->sources = cli_sources_create();
    if (!s->diags || !s->sources)
        return cli_fail(EMU_ERROR, "out of memory");
    wave_diags_read_lines(s->diags, cli_read_line, s->sources);
    if (!cli_read(EMU_ERROR, s->options.path, CLI_MOST_PROGRAM, &s->input))
        return CLI_USAGE;
    int status = prepare(s);
    if (status == CLI_OK)
        status = run(s, &run_status);
    if (status != CLI_OK)
        return status;
    if (emu_debugger_quit(s->debugger))
        return CLI_BAD_INPUT;
    if (run_status == WAVE_ERROR_USAGE || run_status == WAVE_ERROR_MEMORY) {
        show_run_diags(s);
        return CLI_USAGE;
    }
    return print_results(s, run_status);
}

int main(int argc, char **argv) {
    session s = {0};
    int status;
    if (emu_parse(&s.options, argc, argv, &status) == 0)
        status = cli_finish(EMU_ERROR, work(&s));
    emu_tracer_destroy(s.tracer);
    emu_registers_destroy(s.registers);
    wave_profile_destroy(s.profile);
    emu_debugger_destroy(s.debugger);
    emu_texts_free(&s.texts);
    cli_sources_destroy(s.sources);
    emu_arena_free(&s.arena);
    emu_test_free(&s.test);
    wave_module_destroy(s.module);
    wave_blob_free(&s.assembled);
    wave_blob_free(&s.optimised);
    wave_diags_destroy(s.diags);
    cli_close(&s.input);
    emu_options_free(&s.options);
    free(s.buffers);
    return status;
}
