/* wave-asm: assembles a WAVE source file to WBIN. Options and printing only; the assembler is in
 * src/asm. */
#include "asm/dump.h"
#include "cli/depend.h"
#include "cli/opencl.h"
#include "cli/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_OUTPUT = 1,
    OPT_VERBOSE,
    OPT_AST,
    OPT_HEX,
    OPT_NO_SYMBOLS,
    OPT_WARNINGS,
    OPT_COMPAT,
    OPT_DEBUG,
    OPT_STDIN_NAME,
    OPT_DEPEND,
    OPT_DEFINE,
    OPT_DIAG
};

static const cli_option options[] = {
    {"output", 'o', OPT_OUTPUT, "FILE", "write to FILE (default: the input's name with .wbin)"},
    {"verbose", 'v', OPT_VERBOSE, "", "print on standard error what was written"},
    {"dump-ast", 0, OPT_AST, "", "print the parsed statements; writes a file only with -o"},
    {"dump-hex", 0, OPT_HEX, "", "print the bytes instead of writing a file"},
    {"no-symbols", 0, OPT_NO_SYMBOLS, "", "omit the kernel names"},
    {"warnings", 'W', OPT_WARNINGS, "all|none|error",
     "show warnings, hide them, or treat them as errors"},
    {"compat-upstream", 0, OPT_COMPAT, "",
     "reproduce the bytes of the upstream assembler, defects included; no extensions"},
    {"debug", 'g', OPT_DEBUG, "", "write the source line of each instruction into the file"},
    {"stdin-filename", 0, OPT_STDIN_NAME, "NAME", "name of standard input in messages"},
    DEPEND_OPTION(OPT_DEPEND),
    {"define", 'D', OPT_DEFINE, "NAME[=NUMBER]", "define a constant, 1 by default"},
    {"diagnostics", 0, OPT_DIAG, "text|json", "how problems are printed on standard error"},
    {.id = 0}};

typedef struct settings {
    const char *input, *output;
    const char *stdin_name; /* or NULL */
    bool verbose, ast, hex;
    depend_options depend;
    wave_asm_options assemble;
    const char **defines; /* room for all words of the command line */
    cli_includes includes;
    cli_diag_format diagnostics;
} settings;

static void print_hex(const wave_blob *file) {
    static const char digits[] = "0123456789abcdef";
    for (size_t at = 0; at < file->size; at += 16) {
        char line[80];
        int used = snprintf(line, sizeof line, "%08zx:", at);
        size_t length = used > 0 ? (size_t)used : 0;
        for (size_t i = at; i < file->size && i < at + 16; i++) {
            line[length++] = ' ';
            line[length++] = digits[file->data[i] >> 4];
            line[length++] = digits[file->data[i] & 15];
        }
        line[length++] = '\n';
        cli_print(line, length);
    }
}

static uint32_t header_field(const wave_blob *file, size_t offset) {
    const uint8_t *at = file->data + offset;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void print_summary(const settings *s, const wave_blob *file, const char *output) {
    enum { CODE_SIZE = 12, METADATA_OFFSET = 24 };
    uint32_t metadata = header_field(file, METADATA_OFFSET);
    if (metadata == 0) /* as upstream does */
        metadata = 32 + header_field(file, CODE_SIZE);
    unsigned kernels = (unsigned)header_field(file, metadata);
    cli_put_text(stderr, s->input, false);
    fprintf(stderr, ": %u kernel%s, %u bytes of code, %zu bytes -> ", kernels,
            kernels == 1 ? "" : "s", (unsigned)header_field(file, CODE_SIZE), file->size);
    cli_put_text(stderr, output, false);
    fputc('\n', stderr);
}

static int write_output(const char *tool, const settings *s, const wave_blob *file) {
    if (s->hex) {
        print_hex(file);
        return CLI_OK;
    }
    if (s->ast && !s->output)
        return CLI_OK;
    bool standard = strcmp(s->input, "-") == 0;
    char *chosen = s->output || standard ? NULL : cli_with_suffix(s->input, ".wbin");
    const char *output = s->output ? s->output : standard ? "-" : chosen;
    if (!output)
        return cli_fail(tool, "out of memory");
    const depend_inputs inputs = {s->input, &s->includes};
    int status = depend_write_output(tool, &s->depend, output, file, &inputs);
    if (status == CLI_OK && s->verbose)
        print_summary(s, file, output);
    free(chosen);
    return status;
}

/* A file for another tool. False after printing which one. Only a binary has a zero byte. */
static bool is_assembly(const settings *s, const char *tool, const cli_input *input) {
    const bool zero = input->size >= 8 && memchr(input->data, 0, 8);
    if (cli_is_wbin(input) && zero)
        cli_fail(tool, "%s is a WBIN file: wave-dis writes its assembly", input->name);
    else if (opencl_language_of(s->input, input) != OPENCL_NONE)
        cli_fail(tool, "%s is %s: wave-cc compiles it", input->name,
                 opencl_language_of(s->input, input) == OPENCL_C ? "OpenCL C" : "SPIR-V");
    else
        return true;
    return false;
}

static int assemble(const char *tool, settings *s) {
    cli_input input;
    wave_asm_options files = cli_asm_options(s->input, &s->includes);
    s->assemble.include = files.include;
    s->assemble.include_user = files.include_user;
    s->assemble.defines = s->defines;
    if (!cli_read(tool, s->input, CLI_MOST_PROGRAM, &input))
        return CLI_USAGE;
    if (s->stdin_name && strcmp(s->input, "-") == 0)
        input.name = s->stdin_name;
    if (!is_assembly(s, tool, &input)) {
        cli_close(&input);
        return CLI_USAGE;
    }
    s->assemble.file = input.name;
    wave_diags *diags = wave_diags_create(0);
    cli_sources *sources = cli_sources_create();
    int status = CLI_USAGE;
    if (!diags || !sources ||
        !cli_sources_add(sources, input.name, (const char *)input.data, input.size)) {
        cli_fail(tool, "out of memory");
    } else {
        wave_diags_read_lines(diags, cli_read_line, sources);
        wave_blob file = {0}, tree = {0};
        const char *source = (const char *)input.data;
        wave_status result =
            s->ast ? asm_dump_tree(source, input.size, &s->assemble, &tree, &file, diags)
                   : wave_assemble(source, input.size, &s->assemble, &file, diags);
        cli_print((const char *)tree.data, tree.size);
        cli_show_diags(diags, input.name, s->diagnostics);
        status = cli_status(tool, result);
        if (status == CLI_OK)
            status = write_output(tool, s, &file);
        wave_blob_free(&file);
        wave_blob_free(&tree);
    }
    wave_diags_destroy(diags);
    cli_sources_destroy(sources);
    cli_close(&input);
    return cli_finish(tool, status);
}

/* False when the option's value is invalid, which has been printed. */
static bool apply(settings *s, const cli_args *args, int id) {
    static const char *const levels[] = {"all", "none", "error", NULL};
    int level;
    switch (id) {
    case OPT_OUTPUT: s->output = args->value; return true;
    case OPT_VERBOSE: s->verbose = true; return true;
    case OPT_AST: s->ast = true; return true;
    case OPT_HEX: s->hex = true; return true;
    case OPT_NO_SYMBOLS: s->assemble.no_symbols = true; return true;
    case OPT_COMPAT: s->assemble.compat_upstream = true; return true;
    case OPT_DEBUG: s->assemble.debug = true; return true;
    case OPT_STDIN_NAME: s->stdin_name = args->value; return true;
    case OPT_DEFINE: s->defines[s->assemble.define_count++] = args->value; return true;
    case OPT_DIAG: return cli_diag_format_option(args->tool, args->value, &s->diagnostics);
    default:
        level = cli_choice(args->value, levels);
        if (level < 0)
            cli_fail(args->tool, "-W is all, none or error, not '%s'", args->value);
        else
            s->assemble.warnings = (wave_warnings)level;
        return level >= 0;
    }
}

/* False, after printing an error, when an option about the file would be ignored: no file is
 * written. */
static bool writes_what_is_named(const char *tool, const settings *s) {
    const bool no_file = s->hex || (s->ast && !s->output);
    const char *unused = s->output && s->hex ? "-o" : s->depend.wanted && no_file ? "-MD" : NULL;
    if (unused)
        cli_fail(tool, "%s and --dump-%s cannot be combined%s", unused, s->hex ? "hex" : "ast",
                 s->hex ? "" : " without -o");
    return !unused;
}

static int release(settings *s, int status) {
    free(s->defines);
    cli_free_includes(&s->includes);
    return status;
}

int main(int argc, char **argv) {
    cli_args args = {.tool = "wave-asm",
                     .usage = "wave-asm [options] FILE",
                     .about = "Assembles WAVE source to a WBIN file. With - the source is standard "
                              "input and the file\nstandard output. Nothing is written when "
                              "there is an error.",
                     .notes = "Exit status: 0 assembled, 1 errors in the source, 2 wrong usage or "
                              "I/O error.",
                     .options = options};
    settings s = {.defines = calloc((size_t)argc + 1, sizeof *s.defines)};
    int id;
    if (!s.defines)
        return cli_fail(args.tool, "out of memory");
    while ((id = cli_next(&args, argc, argv)) > 0) {
        int wrong = CLI_OK;
        if (id == CLI_OPERAND && s.input)
            wrong = cli_unexpected(&args, args.value);
        else if (id == CLI_OPERAND)
            s.input = args.value;
        else if (id == OPT_DEPEND)
            wrong = depend_parse(&s.depend, &args, argc, argv) ? CLI_OK : CLI_USAGE;
        else if (!apply(&s, &args, id))
            wrong = CLI_USAGE;
        if (wrong != CLI_OK)
            return release(&s, wrong);
    }
    if (id < 0)
        return release(&s, args.status);
    if (!s.input)
        return release(&s, cli_fail_usage(&args, "no input file"));
    if (!writes_what_is_named(args.tool, &s))
        return release(&s, CLI_USAGE);
    return release(&s, assemble(args.tool, &s));
}
