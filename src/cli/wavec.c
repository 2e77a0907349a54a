/* wavec: validates WAVE kernels and reports every problem with its place and a cure. Assembly is
 * assembled on the way; nothing is written but the report. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_CHECK = 1, OPT_STRICT, OPT_LENIENT, OPT_COMPAT, OPT_CAS, OPT_DIAG, OPT_MAX, OPT_TARGET };

static const cli_option options[] = {
    {"check", 0, OPT_CHECK, NULL, "validate FILE: WBIN, or assembly, which is assembled first"},
    {"strict", 0, OPT_STRICT, NULL, "reserved bits that are not 0 are errors"},
    {"lenient", 0, OPT_LENIENT, NULL, "accept what has a sane reading, with warnings"},
    {"compat", 0, OPT_COMPAT, NULL, "accept stripped files of the upstream assembler"},
    {"fix-upstream-cas", 0, OPT_CAS, NULL, "read upstream's compare-and-swap encoding as one"},
    {"diagnostics", 0, OPT_DIAG, "text|json", "how problems are printed on standard error"},
    {"max-errors", 0, OPT_MAX, "N", "print at most N problems (100)"},
    {"target", 0, OPT_TARGET, "NAME", NULL},
    {0}};

typedef struct settings {
    const char *path;
    bool check, strict, lenient;
    wave_load_options load;
    cli_diag_format diagnostics;
    size_t limit;
} settings;

/* ---- The summary ---- */

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

/* ---- Checking ---- */

static wave_status check_wbin(const settings *s, const void *data, size_t size, wave_diags *diags) {
    wave_module *module;
    wave_status status = wave_module_load(data, size, &s->load, &module, diags);
    if (status == WAVE_OK)
        for (size_t i = 0; i < wave_module_kernel_count(module); i++)
            print_kernel(wave_module_kernel(module, i));
    wave_module_destroy(module);
    return status;
}

static wave_status check_source(const settings *s, const cli_input *input, wave_diags *diags) {
    wave_blob binary;
    wave_status status =
        wave_assemble((const char *)input->data, input->size, NULL, &binary, diags);
    if (status == WAVE_OK)
        status = check_wbin(s, binary.data, binary.size, diags);
    wave_blob_free(&binary);
    return status;
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int check(const char *tool, const settings *s) {
    cli_input input;
    if (!cli_read(tool, s->path, &input))
        return CLI_USAGE;
    wave_diags *diags = wave_diags_create(s->limit);
    int status = CLI_USAGE;
    if (!diags) {
        cli_fail(tool, "out of memory");
    } else {
        /* A file that is neither is judged by its name; a nameless one is source. */
        bool standard = strcmp(s->path, "-") == 0;
        bool binary = cli_is_wbin(&input) || (!standard && !ends_with(s->path, ".wave"));
        wave_status result =
            binary ? check_wbin(s, input.data, input.size, diags) : check_source(s, &input, diags);
        cli_show_diags(diags, input.name, s->diagnostics);
        status = cli_status(tool, result);
    }
    wave_diags_destroy(diags);
    cli_close(&input);
    return cli_finish(tool, status);
}

/* ---- Options ---- */

/* False when the option's value is wrong, which has been printed. */
static bool apply(settings *s, const cli_args *args, int id) {
    uint64_t number;
    switch (id) {
    case OPT_CHECK: s->check = true; return true;
    case OPT_STRICT: s->strict = true; return true;
    case OPT_LENIENT: s->lenient = true; return true;
    case OPT_COMPAT: s->load.compat = true; return true;
    case OPT_CAS: s->load.fix_upstream_cas = true; return true;
    case OPT_DIAG: return cli_diag_format_option(args->tool, args->value, &s->diagnostics);
    case OPT_MAX:
        if (!cli_number(args->value, 1000000, &number) || number == 0) {
            cli_fail(args->tool, "--max-errors is a number from 1 to 1000000");
            return false;
        }
        s->limit = (size_t)number;
        return true;
    default: cli_fail(args->tool, "--target: this build of wavec has --check only"); return false;
    }
}

int main(int argc, char **argv) {
    cli_args args = {.tool = "wavec",
                     .usage = "wavec --check [options] FILE",
                     .about = "Validates the kernels of a WBIN or assembly file; - is standard "
                              "input. Problems go to\nstandard error; a valid file prints one "
                              "line for each kernel.",
                     .notes = "Exit status: 0 valid, 1 not valid, 2 wrong usage or I/O error.",
                     .options = options};
    settings s = {0};
    int id;
    while ((id = cli_next(&args, argc, argv)) > 0) {
        if (id == CLI_OPERAND && s.path)
            return cli_unexpected(&args, args.value);
        if (id == CLI_OPERAND)
            s.path = args.value;
        else if (!apply(&s, &args, id))
            return CLI_USAGE;
    }
    if (id < 0)
        return args.status;
    if (!s.check)
        return cli_fail(args.tool, "this build of wavec has --check only: wavec --check FILE");
    if (s.strict && s.lenient)
        return cli_fail(args.tool, "--strict and --lenient exclude each other");
    if (!s.path)
        return cli_fail(args.tool, "no input file\nusage: %s", args.usage);
    s.load.mode = s.strict ? WAVE_MODE_STRICT : s.lenient ? WAVE_MODE_LENIENT : WAVE_MODE_DEFAULT;
    return check(args.tool, &s);
}
