/* See cc_options.h. */
#include "cli/cc_options.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_OUTPUT = 1,
    OPT_VERBOSE,
    OPT_DEFINE,
    OPT_UNDEFINE,
    OPT_INCLUDE,
    OPT_WARN,
    OPT_CL,
    OPT_STANDARD,
    OPT_OPTIMISE,
    OPT_DEBUG,
    OPT_ASSEMBLY,
    OPT_SAVE,
    OPT_SAVE_TEMPS,
    OPT_KERNEL,
    OPT_LOCAL,
    OPT_SPEC,
    OPT_DEPEND,
    OPT_DIAG
};

static const cli_option options[] = {
    {"output", 'o', OPT_OUTPUT, "FILE", "write to FILE (default: the input's name with .wbin)"},
    {"assembly", 'S', OPT_ASSEMBLY, "", "write assembly (.wave), with the source's test lines"},
    {"verbose", 'v', OPT_VERBOSE, "", "print the commands that are run on standard error"},
    {"kernel", 0, OPT_KERNEL, "NAME", "compile only this kernel"},
    {"local", 0, OPT_LOCAL, "NAME=BYTES",
     "size of the memory for an argument that points to local memory"},
    {"spec", 0, OPT_SPEC, "ID=VALUE", "the value of a specialisation constant"},
    {"save-temps", 0, OPT_SAVE, "", "keep the SPIR-V module; also written -save-temps"},
    {"s", 's', OPT_SAVE_TEMPS, "[ave-temps]", ""},
    DEPEND_OPTION(OPT_DEPEND),
    {"diagnostics", 0, OPT_DIAG, "text|json", "how problems of the SPIR-V module are printed"},
    {"", 0, 0, "", "for clang"},
    {"define", 'D', OPT_DEFINE, "NAME[=TEXT]", "define a macro"},
    {"undefine", 'U', OPT_UNDEFINE, "NAME", "undefine a macro"},
    {"include-path", 'I', OPT_INCLUDE, "FOLDER", "add a folder to the search path of #include"},
    {"warn", 'W', OPT_WARN, "NAME", "clang's warnings, such as -Wall"},
    {"cl-std", 0, OPT_STANDARD, "CL2.0",
     "version of OpenCL C: CL1.2, CL2.0, CL3.0; also written -cl-std="},
    {"c", 'c', OPT_CL, "[l-…]", ""},
    {"optimise", 'O', OPT_OPTIMISE, "0|2", "-O0: no optimisation; -O2 (default)"},
    {"debug", 'g', OPT_DEBUG, "", "write the source line of each instruction into the file"},
    {.id = 0}};

/* ---- Keeping texts ---- */

static char *keep(cc_options *o, const char *text, size_t size) {
    char **texts = realloc(o->texts, (o->text_count + 1) * sizeof *texts);
    char *copy = texts ? malloc(size + 1) : NULL;
    if (texts)
        o->texts = texts;
    if (!copy)
        return NULL;
    if (text)
        memcpy(copy, text, size);
    copy[size] = '\0';
    o->texts[o->text_count++] = copy;
    return copy;
}

static bool no_memory(const cc_options *o) {
    cli_fail(o->tool, "out of memory");
    return false;
}

/* A word for clang: "-D" and its value. */
static bool add_flag(cc_options *o, const char *option, const char *value) {
    char *word = keep(o, NULL, strlen(option) + strlen(value));
    const char **flags = realloc(o->flags, (o->flag_count + 1) * sizeof *flags);
    if (flags)
        o->flags = flags;
    if (!word || !flags)
        return no_memory(o);
    (void)snprintf(word, strlen(option) + strlen(value) + 1, "%s%s", option, value);
    o->flags[o->flag_count++] = word;
    return true;
}

/* ---- NAME=VALUE ---- */

static bool add_local(cc_options *o, const char *value) {
    const char *equals = strrchr(value, '=');
    uint64_t bytes;
    if (!equals || equals == value || !cli_number(equals + 1, 65536, &bytes)) {
        cli_fail(o->tool, "--local is NAME=BYTES with at most 65536 bytes, not '%s'", value);
        return false;
    }
    char *name = keep(o, value, (size_t)(equals - value));
    wave_spirv_local *locals = realloc(o->locals, (o->spirv.local_count + 1) * sizeof *locals);
    if (locals)
        o->locals = locals;
    if (!name || !locals)
        return no_memory(o);
    o->locals[o->spirv.local_count++] = (wave_spirv_local){name, (uint32_t)bytes};
    o->spirv.locals = o->locals;
    return true;
}

/* An integer, possibly 0x…, or else a float. One below the least 64-bit integer is a float. */
static bool parse_value(const char *text, wave_spirv_spec *spec) {
    bool negative = *text == '-';
    const uint64_t most = negative ? (uint64_t)1 << 63 : UINT64_MAX;
    if (cli_number(text + negative, most, &spec->bits)) {
        spec->bits = negative ? 0 - spec->bits : spec->bits;
        spec->is_signed = negative;
        return true;
    }
    char *end;
    spec->is_float = true;
    spec->number = strtod(text, &end);
    return cli_is_real(text) && end != text && !*end;
}

static bool add_spec(cc_options *o, const char *value) {
    const char *equals = strchr(value, '=');
    wave_spirv_spec spec = {0};
    uint64_t id = 0;
    char *number = equals ? keep(o, value, (size_t)(equals - value)) : NULL;
    if (equals && !number)
        return no_memory(o);
    if (!equals || !cli_number(number, UINT32_MAX, &id) || !parse_value(equals + 1, &spec)) {
        cli_fail(o->tool, "--spec is ID=VALUE with two numbers, not '%s'", value);
        return false;
    }
    spec.id = (uint32_t)id;
    wave_spirv_spec *specs = realloc(o->specs, (o->spirv.spec_count + 1) * sizeof *specs);
    if (!specs)
        return no_memory(o);
    o->specs = specs;
    o->specs[o->spirv.spec_count++] = spec;
    o->spirv.specs = o->specs;
    return true;
}

/* ---- Options ---- */

/* An option of several letters, which is parsed as its first letter and a value. */
static bool wrong(const cc_options *o, const char *option, const char *value) {
    cli_fail(o->tool, "unknown option %s%s; try %s --help", option, value ? value : "", o->tool);
    return false;
}

static bool set_cl(cc_options *o, const char *value) {
    if (value && strncmp(value, "l-std=", 6) == 0) {
        o->standard = value + 6;
        return true;
    }
    return value && strncmp(value, "l-", 2) == 0 ? add_flag(o, "-c", value) : wrong(o, "-c", value);
}

static bool set_level(cc_options *o, const char *value) {
    if (strcmp(value, "0") != 0 && strcmp(value, "2") != 0) {
        cli_fail(o->tool, "-O is 0 or 2, not '%s'", value);
        return false;
    }
    o->spirv.no_optimise = *value == '0';
    return true;
}

static bool apply_to_clang(cc_options *o, const cli_args *args, int id) {
    switch (id) {
    case OPT_DEFINE: return add_flag(o, "-D", args->value);
    case OPT_UNDEFINE: return add_flag(o, "-U", args->value);
    case OPT_INCLUDE: return add_flag(o, "-I", args->value);
    case OPT_WARN: return add_flag(o, "-W", args->value);
    case OPT_CL: return set_cl(o, args->value);
    case OPT_STANDARD: o->standard = args->value; return true;
    case OPT_OPTIMISE: return set_level(o, args->value);
    default: o->spirv.debug = true; return true;
    }
}

static bool apply(cc_options *o, const cli_args *args, int id) {
    switch (id) {
    case OPT_OUTPUT: o->output = args->value; return true;
    case OPT_ASSEMBLY: o->assembly = true; return true;
    case OPT_VERBOSE: o->verbose = true; return true;
    case OPT_KERNEL: o->spirv.kernel = args->value; return true;
    case OPT_LOCAL: return add_local(o, args->value);
    case OPT_SPEC: return add_spec(o, args->value);
    case OPT_DIAG: return cli_diag_format_option(o->tool, args->value, &o->diagnostics);
    case OPT_SAVE: o->save_temps = true; return true;
    case OPT_SAVE_TEMPS:
        o->save_temps = args->value && strcmp(args->value, "ave-temps") == 0;
        return o->save_temps || wrong(o, "-s", args->value);
    default: return apply_to_clang(o, args, id);
    }
}

bool cc_parse(cc_options *o, int argc, char **argv, int *status) {
    cli_args args = {.tool = o->tool,
                     .usage = "wave-cc [options] FILE",
                     .about = "Compiles OpenCL C (.cl) or SPIR-V (.spv; .spvasm is text) to a WBIN "
                              "file. OpenCL C goes through\nclang 22 or newer: $WAVE_CLANG, or "
                              "else clang-22 to clang-25 or clang in the PATH.\nNothing is "
                              "written when there is an error.",
                     .notes = "Exit status: 0 compiled, 1 errors in the source, 2 wrong usage or "
                              "I/O error.",
                     .options = options};
    int id;
    while ((id = cli_next(&args, argc, argv)) > 0) {
        bool good = true;
        if (id == CLI_OPERAND && o->input)
            good = cli_unexpected(&args, args.value) == CLI_OK;
        else if (id == CLI_OPERAND)
            o->input = args.value;
        else if (id == OPT_DEPEND)
            good = depend_parse(&o->depend, &args, argc, argv);
        else
            good = apply(o, &args, id);
        *status = CLI_USAGE;
        if (!good)
            return false;
    }
    *status = id < 0 ? args.status : CLI_USAGE;
    if (id == 0 && !o->input)
        cli_fail_usage(&args, "no input file");
    return id == 0 && o->input;
}

/* ---- Options in a source and in the environment ---- */

/* Where options come from besides the command line. */
typedef struct origin {
    const char *place; /* for messages */
    bool trusted;      /* written by the user, not by the author of a source */
} origin;

/* Options that cli_next answers by itself. */
static bool is_question(const char *word) {
    static const char completion[] = "--completion=";
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
           strcmp(word, "--version") == 0 || strncmp(word, completion, sizeof completion - 1) == 0;
}

/* -Wp, -Wa and -Wl pass words to other tools, which can write files. */
static bool is_passed_on(const char *warning) {
    return *warning && strchr("pal", *warning) && warning[1] == ',';
}

static bool parse_inside(cc_options *o, int argc, char **argv, const origin *from) {
    cli_args args = {.tool = o->tool, .usage = "wave-cc [options] FILE", .options = options};
    int id = 0;
    bool good = true;
    for (int k = 1; k < argc; k++)
        good = good && !is_question(argv[k]);
    while (good && (id = cli_next(&args, argc, argv)) > 0) {
        good = id != CLI_OPERAND && id != OPT_OUTPUT && id != OPT_DEPEND && id != OPT_ASSEMBLY &&
               (id != OPT_WARN || from->trusted || !is_passed_on(args.value));
        if (good && !apply(o, &args, id))
            return false;
    }
    if (!good)
        cli_fail(o->tool, "unknown option %s", from->place);
    return good && id == 0;
}

static bool parse_words(cc_options *o, const char *text, size_t size, const origin *from) {
    enum { MOST = 64 };
    char *argv[MOST + 1] = {(char *)o->tool};
    int argc = 1;
    char *copy = keep(o, text, size);
    if (!copy)
        return no_memory(o);
    for (char *at = copy; *at;) {
        size_t blanks = strspn(at, " \t\r\n");
        at[0] = blanks ? '\0' : at[0];
        at += blanks;
        if (!*at)
            break;
        if (argc == MOST) {
            cli_fail(o->tool, "too many words %s", from->place);
            return false;
        }
        argv[argc++] = at;
        at += strcspn(at, " \t\r\n");
    }
    return parse_inside(o, argc, argv, from);
}

bool cc_parse_environment(cc_options *o) {
    static const origin environment = {"in WAVE_CC_FLAGS", true};
    const char *flags = getenv("WAVE_CC_FLAGS");
    return !flags || parse_words(o, flags, strlen(flags), &environment);
}

bool cc_parse_source(cc_options *o, const char *text, size_t size) {
    static const origin line = {"on the '//@ cc:' line", false};
    static const char mark[] = "//@ cc:";
    const size_t n = sizeof mark - 1;
    const char *end = text + size;
    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        while (at < stop && (*at == ' ' || *at == '\t'))
            at++;
        size_t length = (size_t)(stop - at);
        if (length > n && memcmp(at, mark, n) == 0 && !parse_words(o, at + n, length - n, &line))
            return false;
        at = newline ? newline + 1 : end;
    }
    return true;
}

void cc_free(cc_options *o) {
    for (size_t k = 0; k < o->text_count; k++)
        free(o->texts[k]);
    free(o->texts);
    free(o->flags);
    free(o->specs);
    free(o->locals);
}
