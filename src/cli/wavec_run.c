/* The work of wavec: read, load, then validate, describe or compile, and write
 * what comes out. */
#include "cli/wavec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- --check: a line for each kernel ---- */

static void print_uses(uint32_t uses) {
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {{WAVE_USES_F16, "f16"},         {WAVE_USES_BF16, "bf16"},
                 {WAVE_USES_F64, "f64"},         {WAVE_USES_LOCAL, "local"},
                 {WAVE_USES_ATOMIC, "atomic"},   {WAVE_USES_WAVE_OPS, "wave-ops"},
                 {WAVE_USES_BARRIER, "barrier"}, {WAVE_USES_MMA, "mma"},
                 {WAVE_USES_CALL, "call"},       {WAVE_USES_ASSERT, "assert"}};
    const char *separator = " uses=";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (uses & names[i].bit) {
            cli_printf("%s%s", separator, names[i].name);
            separator = ",";
        }
}

static void print_kernel(const wave_kernel_info *kernel) {
    cli_printf("%s: instructions=%" PRIu32 " registers=%" PRIu32,
               *kernel->name ? kernel->name : "(anonymous)", kernel->instructions,
               kernel->registers);
    cli_printf(" local=%" PRIu32, kernel->local_memory);
    if (kernel->workgroup[0])
        cli_printf(" workgroup=%" PRIu32 "x%" PRIu32 "x%" PRIu32, kernel->workgroup[0],
                   kernel->workgroup[1], kernel->workgroup[2]);
    else
        cli_printf(" workgroup=any");
    cli_printf(" arguments=%" PRIu32, kernel->argument_words);
    print_uses(kernel->uses);
    cli_printf("\n");
}

static int print_kernels(const wave_module *module) {
    for (size_t i = 0; i < wave_module_kernel_count(module); i++)
        print_kernel(wave_module_kernel(module, i));
    return CLI_OK;
}

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

static int write_output(const wavec_settings *s, wave_target target, const wave_blob *text) {
    char *path = output_path(s, target);
    if (!path)
        return cli_fail(s->tool, "out of memory");
    bool standard = strcmp(path, "-") == 0;
    int status = cli_write(s->tool, path, text->data, text->size);
    if (status == CLI_OK && s->depend && !standard)
        status = write_depend(s, path);
    if (status == CLI_OK && s->build)
        status = standard ? cli_fail(s->tool, "--build needs a file: -o FILE")
                          : wavec_build(s, target, s->compile.arch, path);
    free(path);
    return status;
}

typedef struct work {
    const wavec_settings *s;
    const wave_module *module;
    const cli_input *ir; /* instead of a module */
    wave_compile_options options;
    wave_diags *diags;
} work;

static int compile_one(work *w, wave_target target) {
    wave_blob text = {0}, dump = {0};
    w->options.target = target;
    w->options.dump = &dump;
    w->options.timed = w->s->time_passes ? print_time : NULL;
    wave_status result = w->ir ? wave_compile_ir((const char *)w->ir->data, w->ir->size,
                                                 &w->options, &text, w->diags)
                               : wave_compile(w->module, &w->options, &text, w->diags);
    int status = cli_status(w->s->tool, result);
    if (w->s->mode == WAVEC_DUMP_IR)
        cli_print((const char *)dump.data, dump.size);
    else if (result == WAVE_OK)
        status = write_output(w->s, target, &text);
    wave_blob_free(&text);
    wave_blob_free(&dump);
    return status;
}

static int compile_targets(work *w) {
    int status = CLI_OK;
    bool any = false;
    for (int k = 0; k < WAVE_TARGET_COUNT && status == CLI_OK; k++)
        if (w->s->targets[k]) {
            any = true;
            status = compile_one(w, (wave_target)k);
        }
    return any ? status : compile_one(w, WAVE_TARGET_PTX); /* --dump-ir without a target */
}

/* ---- --reflect, --header ---- */

/* A macro name made of the file's. */
static void make_guard(const char *path, char *guard, size_t size) {
    const char *slash = strrchr(path, '/');
    size_t n = (size_t)snprintf(guard, size, "WAVE_");
    for (const char *c = slash ? slash + 1 : path; *c && n + 3 < size; c++) {
        bool letter =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        guard[n++] = (char)(!letter ? '_' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    snprintf(guard + n, size - n, "_H");
}

static int describe(work *w) {
    wave_blob text = {0};
    char guard[128];
    const wavec_settings *s = w->s;
    for (int k = WAVE_TARGET_COUNT; k-- > 0;)
        if (s->targets[k])
            w->options.target = (wave_target)k;
    make_guard(s->path, guard, sizeof guard);
    wave_status result = s->mode == WAVEC_REFLECT
                             ? wave_reflect(w->module, &w->options, &text, w->diags)
                             : wave_host_header(w->module, &w->options, guard, &text, w->diags);
    int status = cli_status(s->tool, result);
    if (result == WAVE_OK)
        status = cli_write(s->tool, s->output ? s->output : "-", text.data, text.size);
    wave_blob_free(&text);
    return status;
}

static int work_on(work *w) {
    switch (w->s->mode) {
    case WAVEC_CHECK: return print_kernels(w->module);
    case WAVEC_REFLECT:
    case WAVEC_HEADER: return describe(w);
    default: return compile_targets(w);
    }
}

/* ---- Reading ---- */

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int read_ir_and_work(const wavec_settings *s, const cli_input *input, wave_diags *diags) {
    work w = {.s = s, .ir = input, .options = s->compile, .diags = diags};
    w.options.source = s->path;
    return compile_targets(&w);
}

/* `lines`: of the source, or NULL; -g then points into the disassembly, `wave-dis k.wbin >k.dis`.
 */
static int load_and_work(const wavec_settings *s, const void *data, size_t size,
                         const wave_blob *lines, wave_diags *diags) {
    wave_module *module;
    wave_status result = wave_module_load(data, size, &s->load, &module, diags);
    int status = cli_status(s->tool, result);
    if (result == WAVE_OK) {
        work w = {.s = s, .module = module, .options = s->compile, .diags = diags};
        char *listing = lines ? NULL : wavec_with_suffix(s->path, ".dis");
        w.options.source = s->path;
        w.options.line_file = lines ? s->path : listing;
        w.options.lines = lines ? (const uint32_t *)(const void *)lines->data : NULL;
        w.options.line_count = lines ? lines->size / sizeof(uint32_t) : 0;
        status = work_on(&w);
        free(listing);
    }
    wave_module_destroy(module);
    return status;
}

static int assemble_and_work(const wavec_settings *s, const cli_input *input, wave_diags *diags) {
    wave_blob binary, lines = {0};
    const wave_asm_options options = {.lines = s->compile.debug ? &lines : NULL};
    wave_status result =
        wave_assemble((const char *)input->data, input->size, &options, &binary, diags);
    int status = cli_status(s->tool, result);
    if (result == WAVE_OK)
        status = load_and_work(s, binary.data, binary.size, lines.data ? &lines : NULL, diags);
    wave_blob_free(&binary);
    wave_blob_free(&lines);
    return status;
}

int wavec_run(const wavec_settings *s) {
    cli_input input;
    if (!cli_read(s->tool, s->path, &input))
        return CLI_USAGE;
    wave_diags *diags = wave_diags_create(s->limit);
    int status = CLI_USAGE;
    if (!diags) {
        cli_fail(s->tool, "out of memory");
    } else {
        /* A file that is neither is judged by its name; a nameless one is source.
         */
        bool standard = strcmp(s->path, "-") == 0;
        bool binary = cli_is_wbin(&input) || (!standard && !ends_with(s->path, ".wave"));
        status = s->parse_ir ? read_ir_and_work(s, &input, diags)
                 : binary    ? load_and_work(s, input.data, input.size, NULL, diags)
                             : assemble_and_work(s, &input, diags);
        cli_show_diags(diags, input.name, s->diagnostics);
    }
    wave_diags_destroy(diags);
    cli_close(&input);
    return cli_finish(s->tool, status);
}
