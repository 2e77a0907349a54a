/* The work of wavec: read, load, then validate, describe or compile, and write
 * what comes out. */
#include "cli/wavec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- File names ---- */

char *wavec_with_suffix(const char *path, const char *suffix) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem =
        dot && (!slash || dot > slash + 1) && dot != path ? (size_t)(dot - path) : strlen(path);
    size_t more = strlen(suffix);
    char *name = malloc(stem + more + 1);
    if (!name)
        return NULL;
    memcpy(name, path, stem);
    memcpy(name + stem, suffix, more + 1);
    return name;
}

/* folder/file */
static char *inside(const char *folder, const char *path) {
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    size_t n = strlen(folder) + strlen(file) + 2;
    char *name = malloc(n);
    if (name)
        snprintf(name, n, "%s/%s", folder, file);
    return name;
}

/* Where the text for a target goes; malloc'ed. */
static char *output_path(const wavec_settings *s, wave_target target) {
    bool standard = strcmp(s->path, "-") == 0;
    if (s->output && !s->all_targets)
        return strdup(s->output);
    if (standard && !s->output)
        return strdup("-");
    char *beside = wavec_with_suffix(standard ? "kernel" : s->path, wave_target_suffix(target));
    if (!s->output || !beside)
        return beside;
    char *name = inside(s->output, beside);
    free(beside);
    return name;
}

/* ---- Compiling ---- */

static void print_time(void *user, const char *kernel, const char *pass, double seconds,
                       uint32_t operations) {
    (void)user;
    fprintf(stderr, "%-24s %-14s %10.3f ms %10" PRIu32 " operations\n",
            *kernel ? kernel : "(anonymous)", pass, seconds * 1000, operations);
}

/* Blanks, # and $ mean something to make. */
static void write_name(FILE *f, const char *name) {
    for (; *name; name++) {
        if (*name == ' ' || *name == '#')
            fputc('\\', f);
        if (*name == '$')
            fputc('$', f);
        fputc(*name, f);
    }
}

static int write_depend(const wavec_settings *s, const char *output) {
    char *made = s->depend_file ? strdup(s->depend_file) : wavec_with_suffix(output, ".d");
    char *text = NULL;
    size_t size = 0;
    FILE *f = made ? open_memstream(&text, &size) : NULL;
    int status = CLI_USAGE;
    if (!f) {
        cli_fail(s->tool, "out of memory");
    } else {
        write_name(f, output);
        fputs(": ", f);
        write_name(f, s->path);
        fputc('\n', f);
        status = fclose(f) == 0 ? cli_write(s->tool, made, text, size) : CLI_USAGE;
    }
    free(text);
    free(made);
    return status;
}

static int write_output(const wavec_settings *s, wave_target target, const char *arch,
                        const wave_blob *text) {
    char *path = output_path(s, target);
    if (!path)
        return cli_fail(s->tool, "out of memory");
    bool standard = strcmp(path, "-") == 0;
    int status = cli_write(s->tool, path, text->data, text->size);
    if (status == CLI_OK && s->depend && !standard)
        status = write_depend(s, path);
    if (status == CLI_OK && s->build)
        status = standard ? cli_fail(s->tool, "--build needs a file: -o FILE")
                          : wavec_build(s, target, arch, path, text);
    free(path);
    return status;
}

/* With several targets a name of an architecture belongs to the target that knows it, and a wave
 * width counts where there are such waves; the other targets take their defaults. */
void wavec_set_target(wavec_work *w, wave_target target) {
    const wave_compile_options *asked = &w->s->compile;
    w->options.target = target;
    w->options.arch = asked->arch;
    w->options.wave_width = asked->wave_width;
    if (!w->s->several)
        return;
    if (asked->arch && !wave_target_widths(target, asked->arch))
        w->options.arch = NULL;
    if (wave_target_widths(target, w->options.arch) & asked->wave_width)
        return;
    if (asked->wave_width && w->s->diagnostics == CLI_DIAG_TEXT)
        cli_fail(w->s->tool, "%s has no waves of %u lanes; it takes its own width",
                 wave_target_name(target), asked->wave_width);
    w->options.wave_width = 0;
}

static int compile_one(wavec_work *w, wave_target target) {
    wave_blob text = {0}, dump = {0};
    wavec_set_target(w, target);
    w->options.dump = &dump;
    w->options.timed = w->s->time_passes ? print_time : NULL;
    w->options.warn_order = !w->warned; /* once, not for every target */
    w->warned = true;
    wave_status result = w->ir ? wave_compile_ir((const char *)w->ir->data, w->ir->size,
                                                 &w->options, &text, w->diags)
                               : wave_compile(w->module, &w->options, &text, w->diags);
    int status = cli_status(w->s->tool, result);
    if (w->s->mode == WAVEC_DUMP_IR)
        cli_print((const char *)dump.data, dump.size);
    else if (result == WAVE_OK)
        status = write_output(w->s, target, w->options.arch, &text);
    wave_blob_free(&text);
    wave_blob_free(&dump);
    return status;
}

/* Whether the last problem is one of this target only: another may do without. */
static bool is_refusal(const wave_diags *diags, size_t before) {
    size_t count = wave_diags_count(diags);
    return count > before && strncmp(wave_diags_at(diags, count - 1)->code, "E_TARGET_", 9) == 0;
}

/* A refusal by one of several targets leaves the others their files. A tool of a vendor that is not
 * here does the same; what is wrong with the kernel itself is said once. */
static int compile_targets(wavec_work *w) {
    int status = CLI_OK;
    bool any = false;
    for (int k = 0; k < WAVE_TARGET_COUNT; k++) {
        if (!w->s->targets[k])
            continue;
        any = true;
        size_t before = wave_diags_count(w->diags);
        int got = compile_one(w, (wave_target)k);
        bool refused = got == CLI_BAD_INPUT && is_refusal(w->diags, before);
        w->refused[k] = refused && w->s->several;
        if (got != CLI_OK && (status == CLI_OK || got == CLI_BAD_INPUT))
            status = got;
        bool only_the_tool = w->s->build && wave_diags_count(w->diags) == before;
        if (got != CLI_OK && !refused && !only_the_tool)
            return status;
    }
    return any ? status : compile_one(w, WAVE_TARGET_PTX); /* --dump-ir without a target */
}

static int check(wavec_work *w) {
    const wave_compile_options *o = &w->options;
    wave_status result =
        o->lockstep ? WAVE_OK : wave_check_order(w->module, o->wave_width, w->diags);
    if (result == WAVE_OK)
        result = wave_check_arguments(w->module, w->diags);
    return result == WAVE_OK ? wavec_print_kernels(w->module) : cli_status(w->s->tool, result);
}

static int strip(wavec_work *w) {
    wave_blob file;
    wave_status result = wave_strip(w->data, w->size, &w->s->load, &file, NULL);
    int status = cli_status(w->s->tool, result);
    if (result == WAVE_OK)
        status = cli_write(w->s->tool, w->s->output, file.data, file.size);
    wave_blob_free(&file);
    return status;
}

static int work_on(wavec_work *w) {
    switch (w->s->mode) {
    case WAVEC_STRIP: return strip(w);
    case WAVEC_CHECK: return check(w);
    case WAVEC_REFLECT:
    case WAVEC_HEADER: return wavec_describe(w);
    default: return compile_targets(w);
    }
}

/* ---- Reading ---- */

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int read_ir_and_work(wavec_work *w, const cli_input *input) {
    w->ir = input;
    return compile_targets(w);
}

/* `lines`: of the source, or NULL; -g then points into the disassembly, `wave-dis k.wbin >k.dis`.
 */
static int load_and_work(wavec_work *w, const void *data, size_t size, const wave_blob *lines) {
    const wavec_settings *s = w->s;
    wave_module *module;
    wave_status result = wave_module_load(data, size, &s->load, &module, w->diags);
    int status = cli_status(s->tool, result);
    if (result == WAVE_OK) {
        char *listing = lines ? NULL : wavec_with_suffix(s->path, ".dis");
        w->module = module;
        w->data = data;
        w->size = size;
        w->options.line_file = lines ? s->path : listing;
        w->options.lines = lines ? (const uint32_t *)(const void *)lines->data : NULL;
        w->options.line_count = lines ? lines->size / sizeof(uint32_t) : 0;
        status = work_on(w);
        free(listing);
    }
    wave_module_destroy(module);
    return status;
}

static int assemble_and_work(wavec_work *w, const cli_input *input) {
    wave_blob binary, lines = {0};
    cli_includes includes = {0};
    wave_asm_options options = cli_asm_options(w->s->path, &includes);
    options.lines = w->s->compile.debug ? &lines : NULL;
    wave_status result =
        wave_assemble((const char *)input->data, input->size, &options, &binary, w->diags);
    int status = cli_status(w->s->tool, result);
    if (result == WAVE_OK)
        status = load_and_work(w, binary.data, binary.size, lines.data ? &lines : NULL);
    wave_blob_free(&binary);
    wave_blob_free(&lines);
    cli_free_includes(&includes);
    return status;
}

/* Below the diagnostics: which of the targets they are about. */
static void say_what_is_missing(const wavec_work *w) {
    for (int k = 0; k < WAVE_TARGET_COUNT && w->s->diagnostics == CLI_DIAG_TEXT; k++)
        if (w->refused[k])
            cli_fail(w->s->tool, "nothing is written for %s", wave_target_name((wave_target)k));
}

int wavec_run(const wavec_settings *s) {
    cli_input input;
    if (!cli_read(s->tool, s->path, &input))
        return CLI_USAGE;
    wavec_work w = {.s = s, .options = s->compile, .diags = wave_diags_create(s->limit)};
    int status = CLI_USAGE;
    w.options.source = s->path;
    if (!w.diags) {
        cli_fail(s->tool, "out of memory");
    } else {
        /* A file that is neither is judged by its name; a nameless one is source.
         */
        bool standard = strcmp(s->path, "-") == 0;
        bool binary = cli_is_wbin(&input) || (!standard && !ends_with(s->path, ".wave"));
        status = s->parse_ir ? read_ir_and_work(&w, &input)
                 : binary    ? load_and_work(&w, input.data, input.size, NULL)
                             : assemble_and_work(&w, &input);
        cli_show_diags(w.diags, input.name, s->diagnostics);
        say_what_is_missing(&w);
    }
    wave_diags_destroy(w.diags);
    cli_close(&input);
    return cli_finish(s->tool, status);
}
