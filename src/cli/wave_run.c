/* wave-run: compiles a kernel for the available device, launches it and shows the result.
 * libwave_rt does all the work; this file runs the steps in order and computes the exit status. */
#include "cli/emu_memory.h"
#include "cli/run_options.h"
#include "cli/sources.h"

#include "wave_rt.h"

#include <wave/compile.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DIAGNOSTICS = 100 };

typedef struct session {
    run_options options;
    cli_input input;
    wave_blob assembled;
    const void *data; /* the WBIN */
    size_t size;
    size_t kernel;
    wave_module *loaded; /* for places and names; the runtime has its own */
    wave_diags *diags;
    cli_sources *sources;
    wave_rt_device *device;
    wave_rt_module *module;
    wave_rt_arena *arena;
    wave_rt_queue *queue;
    arg_words words;
    wave_launch_buffer *buffers; /* those of known size */
    size_t buffer_count;
    wave_rt_buffer *places; /* one per --buffer */
    cli_input *files;       /* likewise, one per --buffer */
    wave_rt_error error;
} session;

/* ---- Progress and errors ---- */

/* One line on a terminal, replaced by the next and erased at the end; nothing anywhere else. */
static void progress(void *user, const char *what) {
    (void)user;
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
        cli_put_text(stderr, what ? what : "", false);
        fputs(what ? " ..." : "", stderr);
        fflush(stderr);
    }
}

static void warn(void *user, const char *what) {
    (void)user;
    progress(NULL, NULL);
    cli_fail(RUN_TOOL, "warning: %s", what);
}

static int exit_status(wave_rt_status status) {
    switch (status) {
    case WAVE_RT_OK: return CLI_OK;
    case WAVE_RT_BAD_INPUT:
    case WAVE_RT_BAD_BUILD:
    case WAVE_RT_LAUNCH:
    case WAVE_RT_LOST: return CLI_BAD_INPUT;
    default: return CLI_USAGE;
    }
}

/* "wave-run: cuda:0: out of device memory: cuMemAlloc: …" */
static int report(const session *s, wave_rt_status status) {
    const wave_rt_device_info *info = wave_rt_device_describe(s->device);
    if (status == WAVE_RT_OK)
        return CLI_OK;
    progress(NULL, NULL);
    fflush(stdout);
    fprintf(stderr, RUN_TOOL ": %s%s%s: ", info ? info->name : "", info ? ": " : "",
            wave_rt_status_text(status));
    cli_put_text(stderr, s->error.message, true);
    fputc('\n', stderr);
    if (s->error.log[0]) {
        cli_put_text(stderr, s->error.log, true);
        fputc('\n', stderr);
    }
    return exit_status(status);
}

/* ---- Devices ---- */

static int list_devices(session *s) {
    wave_rt_list list;
    wave_rt_status status = wave_rt_enumerate(&list, &s->error);
    if (status != WAVE_RT_OK)
        return report(s, status);
    for (size_t k = 0; k < list.count; k++) {
        const wave_rt_device_info *d = &list.devices[k];
        cli_printf("%-12s %s, %s%swaves of %" PRIu32 ", %s\n", d->name, d->title, d->arch,
                   *d->arch ? ", " : "", d->wave_width, d->driver);
    }
    for (size_t k = 0; k < list.absent_count; k++)
        cli_printf("%-12s not here: %s\n", list.absent[k].vendor, list.absent[k].reason);
    wave_rt_list_free(&list);
    return CLI_OK;
}

static int query(session *s) {
    const char *name;
    for (unsigned k = 0; (name = wave_rt_constant_name(k)); k++) {
        uint64_t value;
        if (wave_rt_query_constant(s->device, name, &value, NULL) != WAVE_RT_OK) {
            cli_printf("%-24s unknown\n", name);
            continue;
        }
        wave_blob types = {0};
        if (k == WAVE_CONSTANT_MMA_TYPES && wave_mma_types_text(value, &types) == WAVE_OK)
            cli_printf("%-24s %s\n", name, (const char *)types.data);
        else
            cli_printf("%-24s %" PRIu64 "\n", name, value);
        wave_blob_free(&types);
    }
    for (unsigned k = 0; (name = wave_rt_capability_name(k)); k++) {
        bool present;
        if (wave_rt_query_capability(s->device, name, &present, NULL) == WAVE_RT_OK)
            cli_printf("%-24s %s\n", name, present ? "yes" : "no");
    }
    return CLI_OK;
}

/* ---- Input ---- */

static int choose_kernel(session *s, const wave_module *module) {
    const char *wanted = s->options.kernel;
    if (arg_find_kernel(module, wanted, &s->kernel))
        return CLI_OK;
    return cli_fail(RUN_TOOL, "%s has no kernel '%s'; it has %zu kernels", s->input.name, wanted,
                    wave_module_kernel_count(module));
}

/* How a buffer of this type is printed. */
static emu_type print_type(const wave_argument *a) {
    const char *name = wave_type_name((wave_type)a->type);
    int type = cli_choice(name, emu_type_names);
    return type < 0 ? EMU_U32 : (emu_type)type;
}

static int bind_arguments(session *s, const wave_module *module) {
    run_options *o = &s->options;
    run_buffer *buffers = o->buffers.at;
    arg_named *all = o->arguments.at;
    memcpy(s->words.word, o->words, sizeof s->words.word);
    for (size_t k = 0; k < o->word_count; k++)
        s->words.given[k] = true;
    if (!arg_bind(RUN_TOOL, module, s->kernel, &o->arguments, &s->words))
        return CLI_USAGE;
    for (size_t k = 0; k < o->buffers.count; k++) {
        const arg_named *a = buffers[k].argument ? &all[buffers[k].argument - 1] : NULL;
        if (!a)
            continue;
        buffers[k].unplaced = !arg_needs_place(a);
        if (buffers[k].unplaced)
            continue;
        buffers[k].word = a->is->first_word;
        buffers[k].size = a->size;
        buffers[k].type = print_type(a->is);
        s->words.given[buffers[k].word] = true;
    }
    if (!arg_complete(RUN_TOOL, module, s->kernel, &s->words))
        return CLI_USAGE;
    memcpy(o->words, s->words.word, sizeof o->words);
    for (size_t w = 0; w < RUN_MAX_WORDS; w++)
        if (s->words.given[w] && o->word_count <= w)
            o->word_count = w + 1;
    s->buffers = arg_buffers(&o->arguments, &s->buffer_count);
    return s->buffers ? CLI_OK : cli_fail(RUN_TOOL, "out of memory");
}

/* Loaded here too, for diagnostics with places; the runtime loads its own copy. */
static int load_file(session *s) {
    wave_status status = WAVE_OK;
    s->diags = wave_diags_create(MAX_DIAGNOSTICS);
    s->sources = cli_sources_create();
    if (!s->diags || !s->sources)
        return cli_fail(RUN_TOOL, "out of memory");
    wave_diags_read_lines(s->diags, cli_read_line, s->sources);
    if (!cli_read(RUN_TOOL, s->options.path, CLI_MOST_PROGRAM, &s->input))
        return CLI_USAGE;
    s->data = s->input.data;
    s->size = s->input.size;
    if (cli_is_source(s->options.path, &s->input)) {
        int made = cli_assemble_source(s->sources, RUN_TOOL, s->options.path, &s->input,
                                       &s->assembled, s->diags);
        if (made == CLI_USAGE)
            return made;
        status = made == CLI_OK ? WAVE_OK : WAVE_ERROR_INPUT;
        s->data = s->assembled.data;
        s->size = s->assembled.size;
    }
    if (status == WAVE_OK)
        status = wave_module_load(s->data, s->size, &s->options.load, &s->loaded, s->diags);
    cli_show_diags(s->diags, s->input.name, s->options.reading.diagnostics);
    int result = cli_status(RUN_TOOL, status);
    if (result == CLI_OK)
        result = choose_kernel(s, s->loaded);
    if (result == CLI_OK)
        result = bind_arguments(s, s->loaded);
    return result;
}

static int read_buffers(session *s) {
    run_buffer *buffers = s->options.buffers.at;
    size_t count = s->options.buffers.count;
    s->files = calloc(count + 1, sizeof *s->files);
    s->places = calloc(count + 1, sizeof *s->places);
    if (!s->files || !s->places)
        return cli_fail(RUN_TOOL, "out of memory");
    for (size_t k = 0; k < count; k++) {
        if (!buffers[k].path)
            continue;
        if (!cli_read(RUN_TOOL, buffers[k].path, CLI_MOST_DATA, &s->files[k]))
            return CLI_USAGE;
        buffers[k].size = s->files[k].size;
    }
    return CLI_OK;
}

/* ---- The run ---- */

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static wave_rt_status compile(session *s) {
    const run_options *o = &s->options;
    wave_rt_module_options options;
    wave_rt_module_init(&options);
    options.load = o->load;
    options.optimise = o->compiling.optimise;
    options.fast_math = o->compiling.fast_math;
    options.native_mma = o->compiling.native_mma;
    options.bounds = o->compiling.bounds;
    options.assert_trap = o->compiling.assert_trap;
    options.lockstep = o->compiling.lockstep;
    options.deterministic = o->compiling.deterministic;
    options.wave_width = o->wave_width;
    options.cache = o->cache;
    options.progress = progress;
    options.warning = warn;
    return wave_rt_module_load(s->device, s->data, s->size, &options, &s->module, &s->error);
}

/* Reports the start-up time: that of the vendor's runtime by itself, and what the kernel adds,
 * which is little when its machine code is cached. */
static int start(session *s) {
    double begin = now();
    int result = report(s, wave_rt_open(s->options.device, &s->device, &s->error));
    double opened = now();
    if (result == CLI_OK && s->options.query)
        result = query(s);
    if (result != CLI_OK || !s->options.path)
        return result;
    double load = now();
    result = report(s, compile(s));
    if (result == CLI_OK && s->options.time)
        fprintf(stderr, "start: %.3f s to open %s, %.3f s to load the kernel\n", opened - begin,
                wave_rt_device_describe(s->device)->name, now() - load);
    return result;
}

/* The contents of a buffer, from --buffer or --arg. */
static const cli_input *file_of(const session *s, size_t index) {
    const run_buffer *b = (const run_buffer *)s->options.buffers.at + index;
    const arg_named *all = s->options.arguments.at;
    return b->argument ? &all[b->argument - 1].file : &s->files[index];
}

/* Places the buffers one after another, each aligned, but none at 0, because OpenCL kernels compare
 * pointers with 0; the whole arena is zero initially. */
static wave_rt_status fill_arena(session *s) {
    run_options *o = &s->options;
    const run_buffer *buffers = o->buffers.at;
    wave_rt_buffer null;
    uint64_t size = WAVE_RT_ALIGNMENT;
    for (size_t k = 0; k < o->buffers.count; k++)
        size += buffers[k].unplaced ? 0
                                    : (buffers[k].size + WAVE_RT_ALIGNMENT - 1) /
                                          WAVE_RT_ALIGNMENT * WAVE_RT_ALIGNMENT;
    size = size > o->memory ? size : o->memory;
    wave_rt_status status = wave_rt_arena_create(s->device, size, &s->arena, &s->error);
    if (status == WAVE_RT_OK)
        status = wave_rt_queue_create(s->device, &s->queue, &s->error);
    wave_rt_buffer whole = wave_rt_arena_whole(s->arena);
    if (status == WAVE_RT_OK)
        status = wave_rt_fill(s->queue, &whole, 0, &s->error);
    if (status == WAVE_RT_OK)
        status = wave_rt_arena_take(s->arena, WAVE_RT_ALIGNMENT, &null, &s->error);
    for (size_t k = 0; k < o->buffers.count && status == WAVE_RT_OK; k++) {
        if (buffers[k].unplaced)
            continue;
        status = wave_rt_arena_take(s->arena, buffers[k].size, &s->places[k], &s->error);
        o->words[buffers[k].word] = (uint32_t)s->places[k].offset;
        const cli_input *file = file_of(s, k);
        if (status == WAVE_RT_OK)
            status = wave_rt_upload(s->queue, &s->places[k], 0, file->data, file->size, &s->error);
    }
    return status;
}

static wave_rt_status launch(session *s) {
    const run_options *o = &s->options;
    wave_rt_launch launch;
    wave_rt_status status = WAVE_RT_OK;
    double best = 0;
    wave_rt_launch_init(&launch);
    launch.module = s->module;
    launch.kernel = s->kernel;
    launch.arena = s->arena;
    launch.words = o->words;
    launch.word_count = (uint32_t)o->word_count;
    launch.timed = o->time;
    launch.buffers = s->buffers;
    launch.buffer_count = s->buffer_count;
    memcpy(launch.grid, o->grid, sizeof launch.grid);
    memcpy(launch.workgroup, o->workgroup, sizeof launch.workgroup);
    for (uint32_t k = 0; k < o->repeat && status == WAVE_RT_OK; k++) {
        char text[60];
        double seconds = 0;
        (void)snprintf(text, sizeof text, "running %" PRIu32 " of %" PRIu32, k + 1, o->repeat);
        progress(NULL, text);
        status = wave_rt_dispatch(s->queue, &launch, &s->error);
        if (status == WAVE_RT_OK)
            status = wave_rt_wait(s->queue, &s->error);
        if (status == WAVE_RT_OK && o->time)
            status = wave_rt_elapsed(s->queue, &seconds, &s->error);
        best = k == 0 || seconds < best ? seconds : best;
    }
    progress(NULL, NULL);
    if (status == WAVE_RT_OK && o->time)
        fprintf(stderr, "time: %.3f us on %s\n", best * 1e6,
                wave_rt_device_describe(s->device)->name);
    return status;
}

/* ---- Results ---- */

static int print_result(const run_result *r, const run_buffer *b, const uint8_t *data) {
    emu_type type = r->typed ? r->type : b->type;
    uint64_t unit = r->hex ? 1 : emu_type_size(type), count = b->size / unit;
    if (r->counted && r->count > count)
        return cli_fail(RUN_TOOL, "--print %s: the buffer has %" PRIu64 " elements, not %" PRIu64,
                        r->name, count, r->count);
    count = r->counted ? r->count : count;
    if (r->hex) {
        emu_hex_lines(stdout, data, 0, count);
        return CLI_OK;
    }
    for (uint64_t k = 0; k < count; k++)
        run_print_value(data + k * unit, type);
    return CLI_OK;
}

static int show_result(session *s, const run_result *r) {
    const run_buffer *b = run_find_buffer(&s->options, r->name);
    if (b->unplaced)
        return cli_fail(RUN_TOOL, "%s is not a buffer", b->name);
    const wave_rt_buffer *place = &s->places[b - (const run_buffer *)s->options.buffers.at];
    uint8_t *data = malloc((size_t)b->size + 1);
    if (!data)
        return cli_fail(RUN_TOOL, "out of memory");
    int result = report(s, wave_rt_download(s->queue, place, 0, data, b->size, &s->error));
    if (result == CLI_OK)
        result = r->path ? cli_write(RUN_TOOL, r->path, data, (size_t)b->size)
                         : print_result(r, b, data);
    free(data);
    return result;
}

static int show_results(session *s) {
    const run_result *results = s->options.results.at;
    int result = CLI_OK;
    for (size_t k = 0; k < s->options.results.count && result == CLI_OK; k++)
        result = show_result(s, &results[k]);
    return result;
}

static int save_text(const session *s) {
    size_t size;
    const char *text = wave_rt_module_text(s->module, &size);
    return cli_write(RUN_TOOL, s->options.save_text, text, size);
}

static int work(session *s) {
    const run_options *o = &s->options;
    int result = o->list ? list_devices(s) : CLI_OK;
    if (result != CLI_OK || (!o->path && !o->query))
        return result;
    if (o->path)
        result = load_file(s);
    if (result == CLI_OK && o->path)
        result = read_buffers(s);
    if (result == CLI_OK)
        result = start(s);
    if (result != CLI_OK || !o->path)
        return result;
    if (result == CLI_OK && o->save_text)
        result = save_text(s);
    if (result == CLI_OK)
        result = report(s, fill_arena(s));
    if (result == CLI_OK)
        result = report(s, launch(s));
    return result == CLI_OK ? show_results(s) : result;
}

int main(int argc, char **argv) {
    session s = {0};
    int status;
    if (run_parse(&s.options, argc, argv, &status) == 0)
        status = cli_finish(RUN_TOOL, work(&s));
    wave_rt_queue_destroy(s.queue);
    wave_rt_arena_destroy(s.arena);
    wave_rt_module_destroy(s.module);
    wave_rt_close(s.device);
    for (size_t k = 0; s.files && k < s.options.buffers.count; k++)
        cli_close(&s.files[k]);
    free(s.files);
    free(s.buffers);
    free(s.places);
    wave_blob_free(&s.assembled);
    wave_module_destroy(s.loaded);
    wave_diags_destroy(s.diags);
    cli_sources_destroy(s.sources);
    cli_close(&s.input);
    run_options_free(&s.options);
    return status;
}
