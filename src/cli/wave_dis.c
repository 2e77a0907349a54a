/* wave-dis: a WBIN file, or an assembled source, as assembly or JSON. Options and printing only;
 * the disassembler is in src/asm. */
#include "cli/common_options.h"
#include "cli/sources.h"

#include <string.h>
#include <unistd.h>

enum { OPT_OUTPUT = 1, OPT_OFFSETS, OPT_FILE_OFFSETS, OPT_RAW, OPT_SOURCE, OPT_JSON, OPT_COLOR };

static const cli_option options[] = {
    {"output", 'o', OPT_OUTPUT, "FILE", "write to FILE instead of standard output"},
    {"offsets", 0, OPT_OFFSETS, "", "print the offset in the kernel before each instruction"},
    {"file-offsets", 0, OPT_FILE_OFFSETS, "", "print the offset in the file"},
    {"source", 0, OPT_SOURCE, "", "print the source lines that the instructions come from"},
    {"raw", 0, OPT_RAW, "", "print the words before each instruction"},
    {"json", 0, OPT_JSON, "", "print one JSON object"},
    {"color", 0, OPT_COLOR, "auto|always|never", "colour the text (auto: on a terminal)"},
    {"strict", 0, CLI_STRICT, "", "read the container strictly"},
    {"lenient", 0, CLI_LENIENT, "", "read containers with harmless defects"},
    CLI_UPSTREAM_OPTIONS,
    {.id = 0}};

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

typedef struct settings {
    const char *input, *output;
    int color;
    wave_dis_options disassemble;
    cli_reading reading;
} settings;

typedef struct session {
    const char *tool;
    const settings *settings;
    cli_input input;
    cli_sources *sources;
    wave_diags *diags;
    wave_blob assembled;
} session;

static int print(session *d, const void *data, size_t size) {
    wave_dis_options chosen = d->settings->disassemble;
    wave_blob text = {0};
    chosen.read_line = cli_read_line;
    chosen.read_user = d->sources;
    chosen.input = d->input.name;
    wave_status result = wave_disassemble(data, size, &chosen, &text, d->diags);
    int status = cli_status(d->tool, result);
    cli_show_diags(d->diags, d->input.name, d->settings->reading.diagnostics);
    if (text.data) { /* even if words did not decode: they print as .unknown */
        int written = cli_write(d->tool, d->settings->output, text.data, text.size);
        status = written == CLI_OK ? status : written;
    }
    wave_blob_free(&text);
    return status;
}

static int work(session *d) {
    if (!d->sources || !d->diags)
        return cli_fail(d->tool, "out of memory");
    wave_diags_read_lines(d->diags, cli_read_line, d->sources);
    if (!cli_is_source(d->settings->input, &d->input) || d->input.size == 0)
        return print(d, d->input.data, d->input.size);
    int status = cli_assemble_source(d->sources, d->tool, d->settings->input, &d->input,
                                     &d->assembled, d->diags);
    if (status == CLI_OK)
        return print(d, d->assembled.data, d->assembled.size);
    cli_show_diags(d->diags, d->input.name, d->settings->reading.diagnostics);
    return status;
}

static int disassemble(const char *tool, const settings *s) {
    session d = {.tool = tool, .settings = s};
    if (!cli_read(tool, s->input, CLI_MOST_PROGRAM, &d.input))
        return CLI_USAGE;
    d.sources = cli_sources_create();
    d.diags = wave_diags_create(0);
    int status = work(&d);
    wave_blob_free(&d.assembled);
    wave_diags_destroy(d.diags);
    cli_sources_destroy(d.sources);
    cli_close(&d.input);
    return cli_finish(tool, status);
}

/* False when the option's value is invalid, which has been printed. */
static bool apply(settings *s, const cli_args *args, int id) {
    static const char *const colors[] = {"auto", "always", "never", NULL};
    if (cli_is_reading(id))
        return cli_reading_option(args->tool, id, args->value, &s->reading, &s->disassemble.load);
    switch (id) {
    case OPT_OUTPUT: s->output = args->value; return true;
    case OPT_OFFSETS: s->disassemble.offsets = true; return true;
    case OPT_FILE_OFFSETS: s->disassemble.file_offsets = true; return true;
    case OPT_RAW: s->disassemble.raw = true; return true;
    case OPT_SOURCE: s->disassemble.source = true; return true;
    case OPT_JSON: s->disassemble.json = true; return true;
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
                     .about = "Prints a WBIN file, or what a .wave file assembles to, as assembly "
                              "that assembles to the\nsame bytes; - is standard input.",
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
    if (!cli_reading_mode(args.tool, &s.reading, &s.disassemble.load))
        return CLI_USAGE;
    if (!s.input)
        return cli_fail_usage(&args, "no input file");
    bool standard = strcmp(s.output, "-") == 0;
    s.disassemble.color = !s.disassemble.json &&
                          (s.color == COLOR_ALWAYS ||
                           (s.color == COLOR_AUTO && standard && cli_wants_color(STDOUT_FILENO)));
    return disassemble(args.tool, &s);
}
