/* See opencl.h. clang and spirv-as write to their own temporary folder, as in wavec --build. */
#include "cli/opencl.h"

#include "cli/opencl_details.h"
#include "cli/prelude.h"
#include "cli/wavec_tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

opencl_language opencl_language_of(const char *path, const cli_input *input) {
    static const uint8_t little[] = {3, 2, 0x23, 7}, big[] = {7, 0x23, 2, 3};
    if (input->size >= 4 &&
        (memcmp(input->data, little, 4) == 0 || memcmp(input->data, big, 4) == 0))
        return OPENCL_SPIRV;
    return ends_with(path, ".cl")       ? OPENCL_C
           : ends_with(path, ".spvasm") ? OPENCL_TEXT
                                        : OPENCL_NONE;
}

/* ---- The commands ---- */

typedef struct run {
    const cc_options *o;
    const char *source; /* the file being compiled */
    const char *folder;
    const char *output;     /* the target of make's rule */
    opencl_details details; /* of the source */
} run;

enum { PATH_ROOM = TOOL_PATH_SIZE };

static bool name_in(const run *r, const char *name, char path[PATH_ROOM]) {
    int n = snprintf(path, PATH_ROOM, "%s/%s", r->folder, name);
    return n > 0 && n < PATH_ROOM;
}

/* A file in the folder as the value of an option. */
static void add_file(tool_command *c, const run *r, const char *option, const char *name) {
    char path[PATH_ROOM];
    tool_add(c, option);
    if (name_in(r, name, path))
        tool_add_path(c, path);
    else
        c->error = ENAMETOOLONG;
}

static const tool_search clang_search = {
    "WAVE_CLANG",
    (const char *const[]){"clang-22", "clang-23", "clang-24", "clang-25", "clang", NULL},
    (const char *const[]){"/usr/lib/llvm-22/bin", "/opt/homebrew/opt/llvm/bin",
                          "/usr/local/opt/llvm/bin", NULL}};

/* Required flags: 32-bit pointers, no fused arithmetic, names of arguments. */
static void add_clang_flags(tool_command *c, const run *r) {
    const cc_options *o = r->o;
    char standard[40];
    snprintf(standard, sizeof standard, "-cl-std=%s", o->standard ? o->standard : "CL2.0");
    /* -fno-jump-tables, because a jump table would be a variable that outlives the kernel. */
    static const char fixed[] = "-x cl -target spirv32 -ffp-contract=off -fno-discard-value-names "
                                "-fno-jump-tables";
    /* The back end fails on these features without naming a location. With the extensions disabled,
     * the front end reports them as ordinary errors. */
    static const char refused[] =
        "-Xclang -cl-ext=-__cl_clang_function_pointers,-__cl_clang_variadic_functions";
    tool_add_words(c, fixed, sizeof fixed - 1);
    tool_add_words(c, refused, sizeof refused - 1);
    tool_add(c, standard);
    tool_add(c, o->spirv.no_optimise ? "-O0" : "-O2");
    if (o->spirv.debug)
        tool_add(c, "-g");
    if (cli_wants_color(2))
        tool_add(c, "-fcolor-diagnostics");
    add_file(c, r, "-include", "prelude.h");
    for (size_t k = 0; k < o->flag_count; k++)
        tool_add(c, o->flags[k]);
    if (o->depend.wanted) {
        tool_add(c, "-MMD");
        add_file(c, r, "-MF", "rule.d");
        tool_add(c, "-MQ");
        tool_add(c, r->output);
    }
}

static bool is_too_old(const tool_result *result) {
    return result->text && (strstr(result->text, "unknown target triple") ||
                            strstr(result->text, "No available targets"));
}

static int finish(const run *r, const tool_command *c, const tool_result *result) {
    if (result->ok) {
        if (!r->o->silent)
            fputs(result->text, stderr); /* warnings */
        return CLI_OK;
    }
    if (is_too_old(result))
        return cli_fail(
            r->o->tool,
            "%s cannot generate SPIR-V: install clang 22 or newer (Debian: clang-22), and "
            "put it in the PATH or in WAVE_CLANG",
            c->words[0]);
    tool_report_failure(r->o->tool, "", c, result);
    return result->error || result->signal ? CLI_USAGE : CLI_BAD_INPUT;
}

static int run_command(const run *r, tool_command *c) {
    tool_result result;
    if (r->o->verbose && !r->o->silent) {
        for (unsigned k = 0; k < c->count; k++)
            fprintf(stderr, "%s%s", k ? " " : "", c->words[k]);
        fputc('\n', stderr);
    }
    (void)tool_run(c, &result);
    int status = finish(r, c, &result);
    free(result.text);
    tool_free(c);
    return status;
}

/* name_in, reporting a path that is too long. */
static bool place(const run *r, const char *name, char path[PATH_ROOM]) {
    bool fits = name_in(r, name, path);
    if (!fits)
        cli_fail(r->o->tool, "%s/%s: %s", r->folder, name, strerror(ENAMETOOLONG));
    return fits;
}

static int read_file(const run *r, const char *name, cli_input *file) {
    char path[PATH_ROOM];
    return place(r, name, path) && cli_read(r->o->tool, path, CLI_MOST_PROGRAM, file) ? CLI_OK
                                                                                      : CLI_USAGE;
}

/* Writes the LLVM IR with a call before each change of line. */
static int mark_lines(run *r, const cli_input *code, const char *name) {
    char path[PATH_ROOM];
    size_t size;
    char *text =
        opencl_mark_lines((const char *)code->data, code->size, r->folder, &r->details, &size);
    if (!text)
        return cli_fail(r->o->tool, "out of memory");
    int status = place(r, name, path) ? cli_write(r->o->tool, path, text, size) : CLI_USAGE;
    free(text);
    return status;
}

static int find_details(run *r) {
    cli_input code;
    int status = read_file(r, "made.ll", &code);
    if (status != CLI_OK)
        return status;
    if (!opencl_find_types((const char *)code.data, code.size, &r->details))
        status = cli_fail(r->o->tool, "out of memory");
    else if (r->o->spirv.debug)
        status = mark_lines(r, &code, "marked.ll");
    cli_close(&code);
    return status;
}

/* From LLVM IR to SPIR-V; clang's passes have already run. Without the extensions, the back end
 * dies on the functions that need them; the reader refuses the dot products and names the place. */
static int translate(run *r, const char *tool) {
    char code[PATH_ROOM];
    if (!place(r, r->o->spirv.debug ? "marked.ll" : "made.ll", code))
        return CLI_USAGE;
    tool_command c = {0};
    tool_add(&c, tool);
    static const char flags[] = "-x ir -target spirv32 -Xclang -disable-llvm-passes -c -mllvm "
                                "--spirv-ext=+SPV_KHR_bit_instructions,+SPV_KHR_subgroup_rotate,+"
                                "SPV_KHR_integer_dot_product";
    tool_add_words(&c, flags, sizeof flags - 1);
    tool_add(&c, r->o->spirv.no_optimise ? "-O0" : "-O2");
    tool_add_path(&c, code);
    add_file(&c, r, "-o", "made.spv");
    return run_command(r, &c);
}

static int run_clang(run *r) {
    char tool[PATH_ROOM], prelude[PATH_ROOM];
    if (!tool_find(&clang_search, tool))
        return cli_fail(r->o->tool, "cannot find a clang for OpenCL C: install clang 22 or newer "
                                    "(Debian: clang-22), and put it in the PATH or in WAVE_CLANG");
    char *text = cli_prelude();
    int status = CLI_USAGE;
    if (!text)
        cli_fail(r->o->tool, "out of memory");
    else if (place(r, "prelude.h", prelude))
        status = cli_write(r->o->tool, prelude, text, strlen(text));
    free(text);
    if (status != CLI_OK)
        return status;
    tool_command c = {0};
    tool_add(&c, tool);
    add_clang_flags(&c, r);
    static const char llvm[] = "-S -emit-llvm";
    tool_add_words(&c, llvm, sizeof llvm - 1);
    tool_add_path(&c, r->source);
    add_file(&c, r, "-o", "made.ll");
    status = run_command(r, &c);
    if (status == CLI_OK)
        status = find_details(r);
    return status == CLI_OK ? translate(r, tool) : status;
}

static const tool_search as_search = {"WAVE_SPIRV_AS", (const char *const[]){"spirv-as", NULL},
                                      (const char *const[]){"/opt/homebrew/bin", NULL}};

static int run_spirv_as(const run *r) {
    char tool[PATH_ROOM];
    if (!tool_find(&as_search, tool))
        return cli_fail(r->o->tool, "cannot find spirv-as for the text of SPIR-V: install "
                                    "spirv-tools, and put it in the PATH or in WAVE_SPIRV_AS");
    tool_command c = {0};
    tool_add(&c, tool);
    tool_add_path(&c, r->source);
    add_file(&c, r, "-o", "made.spv");
    return run_command(r, &c);
}

/* ---- Files ---- */

static int take(const run *r, const char *name, wave_blob *out) {
    cli_input made;
    if (read_file(r, name, &made) != CLI_OK)
        return CLI_USAGE;
    out->data = malloc(made.size + 1);
    out->size = made.size;
    if (out->data)
        memcpy(out->data, made.data, made.size);
    cli_close(&made);
    return out->data ? CLI_OK : cli_fail(r->o->tool, "out of memory");
}

/* ---- The rule for make ---- */

/* The length of the blanks at the start of a text: a backslash continues a line. */
static size_t blanks(const char *text, size_t size) {
    size_t n = 0;
    while (n < size && (text[n] == ' ' || (text[n] == '\\' && n + 1 < size && text[n + 1] == '\n')))
        n += text[n] == ' ' ? 1 : 2;
    return n;
}

/* The length of the word at the start of a text, which may have escaped blanks. */
static size_t word(const char *text, size_t size) {
    size_t n = 0;
    while (n < size && text[n] != '\n' && blanks(text + n, size - n) == 0)
        n += text[n] == '\\' && n + 1 < size ? 2 : 1;
    return n;
}

/* Whether a word names a file in our folder, whose name ends with a dot and random letters. */
static bool is_ours(const run *r, const char *text, size_t size) {
    const char *end = strrchr(r->folder, '.');
    const size_t length = end ? strlen(end) : 0;
    for (size_t k = 0; length && k + length < size; k++)
        if (text[k + length] == '/' && memcmp(text + k, end, length) == 0)
            return true;
    return false;
}

/* Removes our own files from clang's rule: the prelude, and the copy of standard input. They no
 * longer exist when make reads it. */
static void remove_ours(const run *r, wave_blob *rule) {
    char *text = (char *)rule->data;
    size_t kept = 0;
    for (size_t at = 0, length; at < rule->size; at += length) {
        const size_t before = blanks(text + at, rule->size - at);
        length = before + word(text + at + before, rule->size - at - before);
        if (length == 0)
            length = 1; /* the end of the line */
        else if (is_ours(r, text + at + before, length - before))
            continue;
        memmove(text + kept, text + at, length);
        kept += length;
    }
    rule->size = kept;
}

static int run_in_folder(run *r, const cli_input *input, opencl_result *result) {
    char stream[PATH_ROOM];
    bool text = opencl_language_of(r->o->input, input) == OPENCL_TEXT;
    r->source = r->o->input;
    if (strcmp(r->source, "-") == 0) {
        if (!place(r, "stdin.cl", stream) ||
            cli_write(r->o->tool, stream, input->data, input->size) != CLI_OK)
            return CLI_USAGE;
        r->source = stream;
    }
    int status = text ? run_spirv_as(r) : run_clang(r);
    if (status == CLI_OK)
        status = take(r, "made.spv", &result->spirv);
    if (status == CLI_OK && !opencl_splice(&result->spirv, &r->details))
        status = cli_fail(r->o->tool, "out of memory");
    if (status == CLI_OK && r->o->depend.wanted && !text)
        status = take(r, "rule.d", &result->depend);
    remove_ours(r, &result->depend);
    r->source = NULL;
    return status;
}

static const char *temporary_place(char path[PATH_ROOM]) {
    const char *folder = getenv("TMPDIR");
    int n = snprintf(path, PATH_ROOM, "%s/wave-cc", folder && *folder ? folder : "/tmp");
    return n > 0 && n < PATH_ROOM ? path : "/tmp/wave-cc";
}

/* Whether there can be a folder next to the output; not for standard output, pipes and devices. */
static bool is_file(const char *output) {
    struct stat there;
    return output && strcmp(output, "-") != 0 &&
           (stat(output, &there) != 0 || S_ISREG(there.st_mode));
}

int opencl_to_spirv(const cc_options *o, const cli_input *input, const char *output,
                    opencl_result *result) {
    char place[PATH_ROOM];
    *result = (opencl_result){0};
    char *folder = cli_make_folder(o->tool, is_file(output) ? output : temporary_place(place));
    if (!folder)
        return CLI_USAGE;
    run r = {.o = o, .folder = folder, .output = output ? output : "output"};
    int status = run_in_folder(&r, input, result);
    opencl_details_free(&r.details);
    cli_remove_folder(folder);
    return status;
}

void opencl_free(opencl_result *result) {
    wave_blob_free(&result->spirv);
    wave_blob_free(&result->depend);
}

/* ---- On the fly ---- */

static int convert(const cc_options *o, const void *data, size_t size, wave_blob *out,
                   wave_diags *diags) {
    return cli_status(o->tool, wave_from_spirv(data, size, &o->spirv, out, diags));
}

/* One file name of a rule, with clang's escapes removed: "\\ ", "\\#" and "$$". */
static bool add_include(const char *text, size_t size, cli_includes *includes) {
    char *name = malloc(size + 1);
    size_t length = 0;
    for (size_t k = 0; name && k < size; k++) {
        const bool escapes = k + 1 < size && ((text[k] == '\\' && strchr(" #", text[k + 1])) ||
                                              (text[k] == '$' && text[k + 1] == '$'));
        name[length++] = text[k += escapes];
    }
    const bool ok = name && cli_add_include(includes, name, length);
    free(name);
    return ok;
}

/* The files that clang's rule names after the target and the source. */
static bool add_includes(const wave_blob *rule, cli_includes *includes) {
    const char *text = (const char *)rule->data, *colon = memchr(text, ':', rule->size);
    size_t at = colon ? (size_t)(colon - text) + 1 : rule->size;
    bool ok = true, first = true; /* the source */
    while (ok && at < rule->size) {
        at += blanks(text + at, rule->size - at);
        const size_t length = word(text + at, rule->size - at);
        ok = length == 0 || first || add_include(text + at, length, includes);
        first = first && length == 0;
        at += length ? length : 1; /* the end of the line */
    }
    return ok;
}

static int compile(cc_options *o, const cli_input *input, cli_includes *includes, wave_blob *out,
                   wave_diags *diags) {
    opencl_result made;
    if (!cc_parse_environment(o))
        return CLI_USAGE;
    if (opencl_language_of(o->input, input) == OPENCL_SPIRV)
        return convert(o, input->data, input->size, out, diags);
    if (!cc_parse_source(o, (const char *)input->data, input->size))
        return CLI_USAGE;
    o->spirv.no_warnings = true; /* the user did not write the module */
    o->depend.wanted = includes != NULL;
    int status = opencl_to_spirv(o, input, NULL, &made);
    if (status == CLI_OK && made.depend.size && !add_includes(&made.depend, includes))
        status = cli_fail(o->tool, "out of memory");
    if (status == CLI_OK)
        status = convert(o, made.spirv.data, made.spirv.size, out, diags);
    opencl_free(&made);
    return status;
}

int opencl_load(const char *tool, const char *path, const cli_input *input, bool debug,
                cli_includes *includes, wave_blob *out, wave_diags *diags) {
    cc_options o = {.tool = tool, .input = path};
    o.spirv.debug = debug;
    *out = (wave_blob){0};
    int status = compile(&o, input, includes, out, diags);
    cc_free(&o);
    return status;
}
