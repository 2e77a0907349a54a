/* wave-dis: a WBIN file as assembly or JSON. Options and printing only; the disassembler is in
 * src/asm. */
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

enum {
    OPT_OUTPUT = 1,
    OPT_OFFSETS,
    OPT_RAW,
    OPT_SOURCE,
    OPT_JSON,
    OPT_COLOR,
    OPT_STRICT,
    OPT_LENIENT,
    OPT_COMPAT,
    OPT_CAS,
    OPT_CVT,
    OPT_DIAG
};

static const cli_option options[] = {
    {"output", 'o', OPT_OUTPUT, "FILE", "write to FILE instead of standard output"},
    {"offsets", 0, OPT_OFFSETS, NULL, "print the file offset before each instruction"},
    {"raw", 0, OPT_RAW, NULL, "print the words before each instruction"},
    {"source", 0, OPT_SOURCE, NULL, "print the source places that the file knows"},
    {"json", 0, OPT_JSON, NULL, "print one JSON object"},
    {"color", 0, OPT_COLOR, "auto|always|never", "colour the text (auto: on a terminal)"},
    {"strict", 0, OPT_STRICT, NULL, "read the container strictly"},
    {"lenient", 0, OPT_LENIENT, NULL, "read containers with harmless defects"},
    {"compat", 0, OPT_COMPAT, NULL, "accept stripped files of the upstream assembler"},
    {"fix-upstream-cas", 0, OPT_CAS, NULL, "read upstream's compare-and-swap encoding as one"},
    {"fix-upstream-cvt", 0, OPT_CVT, NULL, "read conversions as the upstream compiler means them"},
    {"diagnostics", 0, OPT_DIAG, "text|json", "how problems are printed on standard error"},
    {0}};

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

typedef struct settings {
    const char *input, *output;
    bool strict, lenient;
    int color;
    wave_dis_options disassemble;
    cli_diag_format diagnostics;
} settings;

static int disassemble(const char *tool, const settings *s) {
    cli_input input;
    if (!cli_read(tool, s->input, &input))
        return CLI_USAGE;
    wave_diags *diags = wave_diags_create(0);
    int status = CLI_USAGE;
    if (!diags) {
        cli_fail(tool, "out of memory");
    } else {
        wave_blob text = {0};
        wave_status result =
            wave_disassemble(input.data, input.size, &s->disassemble, &text, diags);
        cli_show_diags(diags, input.name, s->diagnostics);
        status = cli_status(tool, result);
        if (text.data) { /* also when words did not decode: they print as .unknown */
            int written = cli_write(tool, s->output, text.data, text.size);
            status = written == CLI_OK ? status : written;
        }
        wave_blob_free(&text);
    }
    wave_diags_destroy(diags);
    cli_close(&input);
    return cli_finish(tool, status);
}

/* False when the option's value is wrong, which has been printed. */
static bool apply(settings *s, const cli_args *args, int id) {
    static const char *const colors[] = {"auto", "always", "never", NULL};
    switch (id) {
    case OPT_OUTPUT: s->output = args->value; return true;
    case OPT_OFFSETS: s->disassemble.offsets = true; return true;
    case OPT_RAW: s->disassemble.raw = true; return true;
    case OPT_SOURCE: s->disassemble.source = true; return true;
    case OPT_JSON: s->disassemble.json = true; return true;
    case OPT_STRICT: s->strict = true; return true;
    case OPT_LENIENT: s->lenient = true; return true;
    case OPT_COMPAT: s->disassemble.load.compat = true; return true;
    case OPT_CAS: s->disassemble.load.fix_upstream_cas = true; return true;
    case OPT_CVT: s->disassemble.load.fix_upstream_cvt = true; return true;
    case OPT_DIAG: return cli_diag_format_option(args->tool, args->value, &s->diagnostics);
    default:
        s->color = cli_choice(args->value, colors);
        if (s->color < 0)
            cli_fail(args->tool, "--color is auto, always or never, not '%s'", args->value);
        return s->color >= 0;
    }
}

int main(int argc, char **argv) {
    cli_args args = {.tool = "wave-dis",
                     .usage = "wave-dis [options] FILE",
                     .about = "Prints a WBIN file as assembly that assembles to the same bytes; - "
                              "is standard input.",
                     .notes = "Exit status: 0 all of it decoded, 1 not a WBIN file or words that "
                              "do not decode,\n2 wrong usage or I/O error.",
                     .options = options};
    settings s = {.output = "-"};
    int id;
    while ((id = cli_next(&args, argc, argv)) > 0) {
        if (id == CLI_OPERAND && s.input)
            return cli_unexpected(&args, args.value);
        if (id == CLI_OPERAND)
            s.input = args.value;
        else if (!apply(&s, &args, id))
            return CLI_USAGE;
    }
    if (id < 0)
        return args.status;
    if (s.strict && s.lenient)
        return cli_fail(args.tool, "--strict and --lenient exclude each other");
    if (!s.input)
        return cli_fail_usage(&args, "no input file");
    s.disassemble.load.mode = s.strict    ? WAVE_MODE_STRICT
                              : s.lenient ? WAVE_MODE_LENIENT
                                          : WAVE_MODE_DEFAULT;
    bool standard = strcmp(s.output, "-") == 0;
    s.disassemble.color = !s.disassemble.json &&
                          (s.color == COLOR_ALWAYS ||
                           (s.color == COLOR_AUTO && standard && cli_wants_color(STDOUT_FILENO)));
    return disassemble(args.tool, &s);
}
