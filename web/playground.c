/* The playground's interface to libwave, for WebAssembly: one program at a time, called by
 * web/engine.js in a worker. Each call leaves numbered outputs, which are fetched with pg_output
 * and pg_output_size until the next call. Only numbers and strings cross the boundary, no
 * structures. */
#include "base/buf.h"
#include "cli/emu_watch.h"
#include "testfile/testfile.h"

#include <wave/compile.h>
#include <wave/emu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

enum { OUTPUTS = 6, NO_PROGRAM = -1 };
/* pg_compile */
enum { OPTIMISE = 1, FAST = 2, BOUNDS = 4, LOCKSTEP = 8, DETERMINISTIC = 16, EXTENSIONS = 32 };
/* pg_run */
enum { CHECK_RACE = 1, CHECK_UNINIT = 2, PROFILE = 4, TRACE_WAVES = 8, TRACE_LANES = 16 };

static struct {
    char *name, *text; /* the source, as in the editor */
    size_t size;
    wave_blob binary;
    wave_module *module;
    wave_blob output[OUTPUTS];
} pg;

/* ---- Memory and outputs ---- */

EXPORT(pg_room) void *pg_room(size_t size) {
    return malloc(size ? size : 1);
}

EXPORT(pg_drop) void pg_drop(void *memory) {
    free(memory);
}

EXPORT(pg_output) const void *pg_output(unsigned index) {
    return index < OUTPUTS ? pg.output[index].data : NULL;
}

EXPORT(pg_output_size) size_t pg_output_size(unsigned index) {
    return index < OUTPUTS ? pg.output[index].size : 0;
}

static void clear_outputs(void) {
    for (unsigned k = 0; k < OUTPUTS; k++)
        wave_blob_free(&pg.output[k]);
}

static void put_diags_of(const char *file, wave_diags *diags) {
    wave_diags_format(diags, file, WAVE_DIAG_JSON, &pg.output[0]);
    wave_diags_destroy(diags);
}

static void put_diags(wave_diags *diags) {
    put_diags_of(pg.name, diags);
}

/* ---- The program ---- */

static void drop_program(void) {
    wave_module_destroy(pg.module);
    wave_blob_free(&pg.binary);
    free(pg.name);
    free(pg.text);
    pg.module = NULL;
    pg.name = pg.text = NULL;
    pg.size = 0;
}

static char *copy_text(const char *text, size_t size) {
    char *copy = malloc(size + 1);
    if (!copy)
        abort();
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static void put_arguments(buf *out, size_t kernel, const wave_kernel_info *info) {
    for (uint32_t k = 0; k < info->arguments; k++) {
        static const char *const kinds[] = {"scalar", "buffer", "local"};
        const wave_argument *a = wave_module_argument(pg.module, kernel, k);
        buf_printf(out, "%s{\"name\":", k ? "," : "");
        buf_json_string(out, a->name);
        buf_printf(out, ",\"kind\":\"%s\",\"type\":\"%s\",\"word\":%u,\"words\":%u}",
                   kinds[a->kind], wave_type_name((wave_type)a->type), a->first_word, a->words);
    }
}

/* Writes [offset, line] for each instruction with a known line. */
static void put_lines(buf *out, size_t kernel, const wave_kernel_info *info) {
    bool any = false;
    for (uint32_t k = 0; k < info->instructions; k++) {
        wave_source_place place;
        uint32_t offset = wave_instruction_offset(pg.module, kernel, k);
        if (!wave_module_source(pg.module, kernel, offset, &place) || !place.line)
            continue;
        buf_printf(out, "%s[%u,%u]", any ? "," : "", offset, place.line);
        any = true;
    }
}

static void put_kernels(unsigned index) {
    buf out = {0};
    buf_char(&out, '[');
    for (size_t k = 0; k < wave_module_kernel_count(pg.module); k++) {
        const wave_kernel_info *info = wave_module_kernel(pg.module, k);
        buf_text(&out, k ? ",{\"name\":" : "{\"name\":");
        buf_json_string(&out, info->name);
        buf_printf(&out,
                   ",\"words\":%u,\"workgroup\":[%u,%u,%u],\"instructions\":%u,\"arguments\":[",
                   info->argument_words, info->workgroup[0], info->workgroup[1], info->workgroup[2],
                   info->instructions);
        put_arguments(&out, k, info);
        buf_text(&out, "],\"lines\":[");
        put_lines(&out, k, info);
        buf_text(&out, "]}");
    }
    buf_char(&out, ']');
    buf_take(&out, &pg.output[index]);
}

/* Assembles the editor's text. Output 0: diagnostics, 1: the kernels. */
EXPORT(pg_load) int pg_load(const char *name, const char *text, size_t size) {
    wave_diags *diags = wave_diags_create(200);
    char *kept_name = copy_text(name, strlen(name)), *kept = copy_text(text, size);
    clear_outputs();
    drop_program();
    pg.name = kept_name;
    pg.text = kept;
    pg.size = size;
    wave_asm_options options = {.debug = true, .file = pg.name};
    wave_status status = wave_assemble(pg.text, size, &options, &pg.binary, diags);
    if (status == WAVE_OK)
        status = wave_module_load(pg.binary.data, pg.binary.size, NULL, &pg.module, diags);
    if (status == WAVE_OK)
        wave_check_arguments(pg.module, diags);
    if (status == WAVE_OK)
        wave_check_kernels(pg.module, 32, false, diags);
    put_diags(diags);
    if (status == WAVE_OK)
        put_kernels(1);
    return (int)status;
}

/* A WBIN or SPIR-V file as text for the editor; the program stays as it is. Output 0: diagnostics,
 * 1: the text. */
EXPORT(pg_import) int pg_import(const char *name, const void *data, size_t size) {
    wave_diags *diags = wave_diags_create(200);
    wave_blob binary = {0};
    wave_status status = WAVE_OK;
    clear_outputs();
    bool is_wbin = size >= 4 && memcmp(data, "WAVE", 4) == 0;
    if (!is_wbin)
        status = wave_from_spirv(data, size, NULL, &binary, diags);
    if (status == WAVE_OK)
        status = wave_disassemble(is_wbin ? data : binary.data, is_wbin ? size : binary.size, NULL,
                                  &pg.output[1], diags);
    wave_blob_free(&binary);
    put_diags_of(name, diags);
    return (int)status;
}

/* ---- Compiling ---- */

static wave_compile_options options_of(unsigned target, const char *arch, uint32_t width,
                                       unsigned flags) {
    wave_compile_options o;
    wave_compile_init(&o);
    o.target = (wave_target)target;
    o.arch = *arch ? arch : NULL;
    o.wave_width = width;
    o.optimise = flags & OPTIMISE;
    o.fast_math = flags & FAST;
    o.bounds = flags & BOUNDS;
    o.lockstep = flags & LOCKSTEP;
    o.deterministic = flags & DETERMINISTIC;
    o.extensions = flags & EXTENSIONS;
    o.source = pg.name;
    return o;
}

/* Output 0: diagnostics, 1: the text as wavec prints it, 2: the same with the lines of -g. */
EXPORT(pg_compile)
int pg_compile(unsigned target, const char *arch, uint32_t width, unsigned flags) {
    clear_outputs();
    if (!pg.module)
        return NO_PROGRAM;
    wave_diags *diags = wave_diags_create(200);
    wave_compile_options o = options_of(target, arch, width, flags);
    o.warn_width = true;
    wave_status status = wave_compile(pg.module, &o, &pg.output[1], diags);
    o.debug = true;
    o.warn_width = false;
    if (status == WAVE_OK)
        status = wave_compile(pg.module, &o, &pg.output[2], NULL);
    put_diags(diags);
    return (int)status;
}

/* The IR after a pass. Output 0: diagnostics, 1: the text, each line with its offset. */
EXPORT(pg_ir)
int pg_ir(const char *pass, unsigned target, const char *arch, uint32_t width, unsigned flags) {
    wave_blob text = {0};
    clear_outputs();
    if (!pg.module)
        return NO_PROGRAM;
    wave_diags *diags = wave_diags_create(200);
    wave_compile_options o = options_of(target, arch, width, flags);
    o.debug = true;
    o.dump_ir = pass;
    o.dump = &pg.output[1];
    wave_status status = wave_compile(pg.module, &o, &text, diags);
    wave_blob_free(&text);
    put_diags(diags);
    return (int)status;
}

/* Output 0: diagnostics, 1: the text, 2: the same with offsets. */
EXPORT(pg_disassemble) int pg_disassemble(void) {
    clear_outputs();
    if (!pg.module)
        return NO_PROGRAM;
    wave_diags *diags = wave_diags_create(200);
    wave_dis_options o = {.offsets = false};
    wave_status status = wave_disassemble(pg.binary.data, pg.binary.size, &o, &pg.output[1], diags);
    o.offsets = true;
    if (status == WAVE_OK)
        status = wave_disassemble(pg.binary.data, pg.binary.size, &o, &pg.output[2], NULL);
    put_diags(diags);
    return (int)status;
}

/* The WBIN file itself, to save. Output 1. */
EXPORT(pg_binary) int pg_binary(void) {
    buf out = {0};
    clear_outputs();
    if (!pg.module)
        return NO_PROGRAM;
    buf_bytes(&out, pg.binary.data, pg.binary.size);
    return (int)buf_take(&out, &pg.output[1]);
}

/* The available choices. Output 1: targets with architectures and widths, passes, the version. */
EXPORT(pg_choices) int pg_choices(void) {
    buf out = {0};
    const char *name;
    clear_outputs();
    buf_printf(&out, "{\"version\":\"%s\",\"targets\":[", wave_version());
    for (unsigned t = 0; t < WAVE_TARGET_COUNT; t++) {
        buf_printf(&out, "%s{\"name\":\"%s\",\"archs\":[", t ? "," : "",
                   wave_target_name((wave_target)t));
        for (unsigned k = 0; (name = wave_target_arch((wave_target)t, k)); k++)
            buf_printf(&out, "%s{\"name\":\"%s\",\"widths\":%u}", k ? "," : "", name,
                       wave_target_widths((wave_target)t, name));
        buf_text(&out, "]}");
    }
    buf_text(&out, "],\"passes\":[\"build\"");
    for (unsigned k = 0; (name = wave_pass_name(k)); k++)
        buf_printf(&out, ",\"%s\"", name);
    buf_text(&out, "]}");
    return (int)buf_take(&out, &pg.output[1]);
}

/* ---- Lines of the source, for messages, the trace and the profile ---- */

static bool read_line(void *user, const char *file, uint32_t line, const char **text,
                      size_t *length) {
    const char *at = pg.text, *end = pg.text + pg.size;
    (void)user;
    (void)file;
    for (; at && at < end && line > 1; line--) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : NULL;
    }
    if (!at || at >= end || !line)
        return false;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    *text = at;
    *length = (size_t)((stop ? stop : end) - at);
    return true;
}

/* The tracer's query that cli/sources.c answers elsewhere: here there is only one source. */
bool cli_source_line(cli_sources *sources, const char *name, uint32_t line, const char **text,
                     size_t *length) {
    return read_line(sources, name, line, text, length);
}

uint32_t cli_source_label(cli_sources *sources, const char *name, const char *label) {
    (void)sources;
    (void)name;
    (void)label;
    return 0; /* only breakpoints need labels */
}

void cli_put_source(FILE *out, const char *text, size_t length) {
    fwrite(text, 1, length, out);
}

/* ---- Running ---- */

static void put_memory(unsigned index, const uint8_t *memory, uint64_t size) {
    buf out = {0};
    buf_bytes(&out, memory, (size_t)size);
    buf_take(&out, &pg.output[index]);
}

/* The page's view of a run: buffers, the verdict on `expect` lines, counts. */
static void put_report(const tf_test *test, const tf_run *run, const wave_stats *stats,
                       const char *verdict) {
    buf out = {0};
    wave_blob text = {0};
    buf_printf(&out, "{\"width\":%u,\"grid\":[%u,%u,%u],\"expects\":%zu,\"buffers\":[", run->width,
               run->grid[0], run->grid[1], run->grid[2], test->expect_count);
    for (size_t k = 0; k < test->buffer_count; k++) {
        buf_printf(&out, "%s{\"name\":", k ? "," : "");
        buf_json_string(&out, test->buffers[k].name);
        buf_printf(&out, ",\"type\":\"%s\",\"address\":%llu,\"count\":%llu}",
                   val_type_name(test->buffers[k].type), (unsigned long long)run->places[k].address,
                   (unsigned long long)run->places[k].count);
    }
    buf_text(&out, "],\"verdict\":");
    buf_json_string(&out, verdict);
    buf_text(&out, ",\"stats\":");
    wave_stats_format(stats, &text);
    buf_json_bytes(&out, (const char *)text.data, text.size);
    wave_blob_free(&text);
    buf_char(&out, '}');
    buf_take(&out, &pg.output[1]);
}

/* The tracer's output on standard error is the page's trace. */
typedef struct watch {
    emu_options options;
    emu_texts texts;
    emu_tracer *tracer;
    wave_observer observer;
} watch;

static void watch_begin(watch *w, wave_launch *launch, unsigned flags) {
    w->options.pc_high = UINT32_MAX;
    w->options.trace = flags & TRACE_LANES ? EMU_TRACE_LANES : EMU_TRACE_WAVES;
    if (!emu_texts_init(&w->texts, pg.module, launch->kernel, NULL, pg.name))
        abort();
    w->tracer = emu_tracer_create(&w->options, &w->texts, &w->observer);
    if (!w->tracer)
        abort();
    launch->observers = &w->observer;
    launch->observer_count = 1;
}

static void watch_end(watch *w) {
    emu_tracer_destroy(w->tracer);
    emu_texts_free(&w->texts);
    fflush(stderr);
}

static int run_test(const tf_test *test, const tf_run *run, long kernel, unsigned flags,
                    uint32_t seed, uint32_t limit) {
    wave_diags *diags = wave_diags_create(50);
    wave_profile *profile = NULL;
    wave_stats stats = {0};
    wave_launch launch;
    char verdict[2000] = "";
    watch w = {.tracer = NULL};
    wave_diags_read_lines(diags, read_line, NULL);
    wave_launch_init(&launch);
    tf_fill_launch(test, run, &launch);
    launch.kernel = (size_t)kernel;
    launch.checks |= (flags & CHECK_RACE ? WAVE_CHECK_RACE : 0u) |
                     (flags & CHECK_UNINIT ? WAVE_CHECK_UNINIT : 0u);
    launch.initialised = run->initialised;
    launch.initialised_count = run->initialised_count;
    launch.initialised_known = true;
    launch.random_schedule = seed != 0;
    launch.seed = seed;
    if (limit)
        launch.max_instructions = limit == UINT32_MAX ? 0 : limit;
    launch.stats = &stats;
    launch.profile = flags & PROFILE ? &profile : NULL;
    launch.device_size = run->size;
    launch.device_memory = pg_room((size_t)run->size);
    if (!launch.device_memory)
        abort();
    memcpy(launch.device_memory, run->memory, (size_t)run->size);
    if (flags & (TRACE_WAVES | TRACE_LANES))
        watch_begin(&w, &launch, flags);
    wave_status status = wave_emulate(pg.module, &launch, diags);
    if (w.tracer)
        watch_end(&w);
    if (status == WAVE_OK)
        tf_compare(test, run, launch.device_memory, verdict, sizeof verdict);
    put_report(test, run, &stats, verdict);
    put_memory(2, run->memory, run->size);
    put_memory(3, launch.device_memory, run->size);
    if (profile) {
        wave_profile_read_lines(profile, read_line, NULL);
        wave_profile_format(profile, pg.name, WAVE_PROFILE_HTML, &pg.output[4]);
        wave_profile_format(profile, pg.name, WAVE_PROFILE_JSON, &pg.output[5]);
        wave_profile_destroy(profile);
    }
    free(launch.device_memory);
    put_diags(diags);
    return (int)status;
}

static int say(const char *code, const char *message) {
    buf out = {0};
    buf_printf(&out,
               "{\"diagnostics\":[{\"severity\":\"error\",\"code\":\"%s\",\"message\":", code);
    buf_json_string(&out, message);
    unsigned line = 0;
    if (sscanf(message, "line %u:", &line) == 1)
        buf_printf(&out, ",\"line\":%u", line);
    buf_text(&out, "}],\"errors\":1,\"warnings\":0}");
    buf_take(&out, &pg.output[0]);
    return WAVE_ERROR_INPUT;
}

/* Runs the launches of the ;@ lines, for waves of `width` lanes; 0: the first listed width.
 * Outputs: 0 diagnostics, 1 a report, 2 and 3 memory before and after, 4 and 5 the profile as HTML
 * and JSON. A seed other than 0 determines the interleaving of waves. The limit of
 * wave-instructions is that of the lines (0), none (UINT32_MAX) or this value. */
EXPORT(pg_run) int pg_run(uint32_t width, unsigned flags, uint32_t seed, uint32_t limit) {
    char why[300] = "";
    tf_run run;
    clear_outputs();
    if (!pg.module)
        return NO_PROGRAM;
    tf_test *test = tf_parse(pg.text, pg.size, why, sizeof why);
    if (!test)
        return say("E_LAUNCH", why);
    int status = WAVE_ERROR_INPUT;
    long kernel = test->kernel ? wave_module_find_kernel(pg.module, test->kernel) : 0;
    if (kernel < 0)
        say("E_LAUNCH", "the ;@ lines name a kernel that does not exist");
    else if (!tf_instantiate(test, width ? width : test->widths[0], &run, why, sizeof why))
        say("E_LAUNCH", why);
    else {
        status = run_test(test, &run, kernel, flags, seed, limit);
        tf_run_free(&run);
    }
    tf_destroy(test);
    return status;
}
