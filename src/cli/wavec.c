/* wavec: compiles WAVE kernels to the source text of GPU vendors, and validates
 * and describes them. Only the command line is here. */
#include "cli/wavec.h"

#include <string.h>

enum {
    OPT_CHECK = 1,
    OPT_TARGET,
    OPT_ARCH,
    OPT_WIDTH,
    OPT_KERNEL,
    OPT_LEVEL,
    OPT_OUTPUT,
    OPT_STRICT,
    OPT_LENIENT,
    OPT_COMPAT,
    OPT_CAS,
    OPT_CVT,
    OPT_FP,
    OPT_BOUNDS,
    OPT_ASSERT,
    OPT_ORDER,
    OPT_DEBUG,
    OPT_DEPEND,
    OPT_REFLECT,
    OPT_HEADER,
    OPT_DUMP,
    OPT_PARSE,
    OPT_VERIFY,
    OPT_TIME,
    OPT_BUILD,
    OPT_STRIP,
    OPT_DIAG,
    OPT_MAX
};

static const cli_option options[] = {
    {"", 0, 0, NULL, "What to do"},
    {"target", 0, OPT_TARGET, "ptx|hip|sycl|msl|all", "compile for this target; may be repeated"},
    {"check", 0, OPT_CHECK, NULL, "validate only: print every problem, or a line for each kernel"},
    {"reflect", 0, OPT_REFLECT, NULL, "print JSON about the kernels: symbols, arguments, sizes"},
    {"header", 0, OPT_HEADER, NULL, "print a C header for host code"},
    {"strip", 0, OPT_STRIP, NULL,
     "write the WBIN file (-o) without lines, texts and names of arguments"},
    {"build", 0, OPT_BUILD, NULL, "go on with ptxas, hipcc or clang, icpx, xcrun metal"},
    {"", 0, 0, NULL, "How to compile"},
    {"arch", 0, OPT_ARCH, "NAME|help", "architecture, for the target that has it; help lists them"},
    {"wave-width", 0, OPT_WIDTH, "N", "lanes of a wave, where the target leaves a choice"},
    {"kernel", 0, OPT_KERNEL, "NAME", "compile this kernel; may be repeated (all)"},
    {"optimise", 'O', OPT_LEVEL, "0|2", "-O0: only what must be done; -O2: all passes (2)"},
    {"fp", 0, OPT_FP, "exact|fast", "fast: the vendor's sine, cosine, exp2, log2 (exact)"},
    {"bounds", 0, OPT_BOUNDS, NULL, "check every access; out of bounds loads give 0"},
    {"assert", 0, OPT_ASSERT, "trap|off", "what a failing assert does (trap)"},
    {"wave-order", 0, OPT_ORDER, "fences|lockstep",
     "lockstep: fences where lanes of a wave may meet, for old files"},
    {"debug", 'g', OPT_DEBUG, NULL, "say which instruction each group of lines comes from"},
    {"", 0, 0, NULL, "Input and output"},
    {"output", 'o', OPT_OUTPUT, "FILE", "write to FILE; with --target=all, into this folder"},
    {"depend", 'M', OPT_DEPEND, "D|F FILE", "-MD: write a make dependency file; -MF FILE: here"},
    {"strict", 0, OPT_STRICT, NULL, "reserved bits that are not 0 are errors"},
    {"lenient", 0, OPT_LENIENT, NULL, "accept what has a sane reading, with warnings"},
    {"compat", 0, OPT_COMPAT, NULL, "accept stripped files of the upstream assembler"},
    {"fix-upstream-cas", 0, OPT_CAS, NULL, "read upstream's compare-and-swap encoding as one"},
    {"fix-upstream-cvt", 0, OPT_CVT, NULL, "read conversions as the upstream compiler means them"},
    {"diagnostics", 0, OPT_DIAG, "text|json", "how problems are printed on standard error"},
    {"max-errors", 0, OPT_MAX, "N", "print at most N problems (100)"},
    {"", 0, 0, NULL, "Looking inside"},
    {"dump-ir", 0, OPT_DUMP, "[PASS]", "print the IR after a pass, or at the end"},
    {"parse-ir", 0, OPT_PARSE, NULL, "the input is the IR of one kernel, as --dump-ir prints it"},
    {"verify-ir", 0, OPT_VERIFY, NULL, "check the IR after every pass"},
    {"time-passes", 0, OPT_TIME, NULL, "print the time of every pass"},
    {0}};

static bool wrong(const cli_args *args, const char *what) {
    cli_fail(args->tool, "%s, not '%.80s'", what, args->value);
    return false;
}

static bool set_target(wavec_settings *s, const cli_args *args) {
    if (strcmp(args->value, "all") == 0) {
        s->all_targets = true;
        for (int k = 0; k < WAVE_TARGET_COUNT; k++)
            s->targets[k] = true;
        return true;
    }
    int target = wave_target_find(args->value);
    if (target < 0)
        return wrong(args, "--target is ptx, hip, sycl, msl or all");
    s->targets[target] = true;
    return true;
}

static bool add_kernel(wavec_settings *s, const cli_args *args) {
    if (s->compile.kernel_count == WAVEC_MAX_KERNELS)
        return wrong(args, "at most 256 kernels can be named");
    s->kernels[s->compile.kernel_count++] = args->value;
    return true;
}

/* Both spellings of an option with two values; `second` is set for the second
 * one. */
static bool choose(const cli_args *args, const char *first, const char *second, bool *is_second,
                   const char *what) {
    *is_second = strcmp(args->value, second) == 0;
    return *is_second || strcmp(args->value, first) == 0 || wrong(args, what);
}

static bool set_number(const cli_args *args, uint64_t most, const char *what, uint64_t *out) {
    return (cli_number(args->value, most, out) && *out > 0) || wrong(args, what);
}

static bool set_pass(wavec_settings *s, const cli_args *args) {
    unsigned last = 0;
    s->mode = WAVEC_DUMP_IR;
    for (unsigned k = 0; wave_pass_name(k); k++) {
        last = k;
        if (args->value && strcmp(args->value, wave_pass_name(k)) == 0)
            s->compile.dump_ir = wave_pass_name(k);
    }
    if (!args->value)
        s->compile.dump_ir = wave_pass_name(last);
    else if (strcmp(args->value, "all") == 0)
        s->compile.dump_ir = "all";
    else if (strncmp(args->value, "after-", 6) == 0) {
        cli_args inner = *args;
        inner.value += 6;
        return set_pass(s, &inner);
    }
    if (s->compile.dump_ir)
        return true;
    cli_fail(args->tool, "there is no pass '%.80s'; the passes are:", args->value);
    for (unsigned k = 0; wave_pass_name(k); k++)
        cli_fail(args->tool, "  %s", wave_pass_name(k));
    return false;
}

/* False when the option's value is wrong, which has been printed. */
static bool apply(wavec_settings *s, const cli_args *args, int id) {
    uint64_t number = 0;
    bool second = false;
    switch (id) {
    case OPT_CHECK: s->mode = WAVEC_CHECK; return true;
    case OPT_REFLECT: s->mode = WAVEC_REFLECT; return true;
    case OPT_STRIP: s->mode = WAVEC_STRIP; return true;
    case OPT_HEADER: s->mode = WAVEC_HEADER; return true;
    case OPT_DUMP: return set_pass(s, args);
    case OPT_BUILD: s->build = true; return true;
    case OPT_TARGET: return set_target(s, args);
    case OPT_ARCH:
        s->compile.arch = args->value;
        if (strcmp(args->value, "help") == 0)
            s->mode = WAVEC_LIST_ARCHS;
        return true;
    case OPT_KERNEL: return add_kernel(s, args);
    case OPT_OUTPUT: s->output = args->value; return true;
    case OPT_STRICT: s->strict = true; return true;
    case OPT_LENIENT: s->lenient = true; return true;
    case OPT_COMPAT: s->load.compat = true; return true;
    case OPT_CAS: s->load.fix_upstream_cas = true; return true;
    case OPT_CVT: s->load.fix_upstream_cvt = true; return true;
    case OPT_BOUNDS: s->compile.bounds = true; return true;
    case OPT_DEBUG: s->compile.debug = true; return true;
    case OPT_PARSE: s->parse_ir = true; return true;
    case OPT_VERIFY: s->compile.verify_ir = true; return true;
    case OPT_TIME: s->time_passes = true; return true;
    case OPT_DIAG: return cli_diag_format_option(args->tool, args->value, &s->diagnostics);
    case OPT_WIDTH:
        if (!set_number(args, 64, "--wave-width is a number from 1 to 64", &number))
            return false;
        s->compile.wave_width = (uint32_t)number;
        return true;
    case OPT_MAX:
        if (!set_number(args, 1000000, "--max-errors is a number from 1 to 1000000", &number))
            return false;
        s->limit = (size_t)number;
        return true;
    case OPT_LEVEL:
        if (!choose(args, "0", "2", &second, "-O is 0 or 2"))
            return false;
        s->compile.optimise = second;
        return true;
    case OPT_FP:
        return choose(args, "exact", "fast", &s->compile.fast_math, "--fp is exact or fast");
    case OPT_ASSERT:
        return choose(args, "off", "trap", &s->compile.assert_trap, "--assert is trap or off");
    case OPT_ORDER:
        return choose(args, "fences", "lockstep", &s->compile.lockstep,
                      "--wave-order is fences or lockstep");
    default: /* -MD, -MF */
        s->depend = true;
        return choose(args, "D", "F", &second, "-MD or -MF FILE");
    }
}

static int parse(wavec_settings *s, cli_args *args, int argc, char **argv) {
    int id;
    bool file_next = false; /* after -MF */
    while ((id = cli_next(args, argc, argv)) > 0) {
        if (id == CLI_OPERAND && file_next && !*args->value) {
            return cli_fail(args->tool, "-MF needs the name of a file");
        } else if (id == CLI_OPERAND && file_next) {
            s->depend_file = args->value;
            file_next = false;
        } else if (id == CLI_OPERAND && s->path) {
            return cli_unexpected(args, args->value);
        } else if (id == CLI_OPERAND) {
            s->path = args->value;
        } else if (!apply(s, args, id)) {
            return CLI_USAGE;
        }
        if (id == OPT_DEPEND)
            file_next = strcmp(args->value, "F") == 0;
    }
    return id < 0 ? args->status : -1;
}

/* With several targets: what none of them has is wrong; a width that some have not is worth a line.
 */
static bool fits_some_target(const wavec_settings *s) {
    uint32_t width = s->compile.wave_width;
    const char *arch = s->compile.arch;
    bool arch_known = !arch, width_known = !width;
    for (int k = 0; k < WAVE_TARGET_COUNT; k++) {
        if (!s->targets[k])
            continue;
        bool own = arch && wave_target_widths((wave_target)k, arch);
        uint32_t widths = wave_target_widths((wave_target)k, own ? arch : NULL);
        arch_known |= own;
        width_known |= (width & (width - 1)) == 0 && (widths & width);
    }
    if (!arch_known)
        cli_fail(s->tool,
                 "none of these targets has an architecture '%.40s'; --arch=help lists them", arch);
    else if (!width_known)
        cli_fail(s->tool,
                 "none of these targets has waves of %u lanes; --arch=help lists what they "
                 "have",
                 width);
    return arch_known && width_known;
}

int main(int argc, char **argv) {
    cli_args args = {
        .tool = "wavec",
        .usage = "wavec --target=ptx|hip|sycl|msl|all [options] FILE",
        .about =
            "Compiles the kernels of a WBIN or assembly file (- is standard input) to a GPU "
            "vendor's\nsource text, FILE with another suffix. Nothing is written when there is an "
            "error.\nOf several targets each gets its file; one that cannot have the kernels "
            "(Metal has no f64)\nis named, and the exit status is 1.",
        .notes = "Exit status: 0 ok, 1 bad input, 2 wrong usage or I/O error.",
        .options = options};
    wavec_settings s = {.tool = args.tool};
    wave_compile_init(&s.compile);
    int status = parse(&s, &args, argc, argv);
    if (status >= 0)
        return status;
    int count = 0;
    for (int k = 0; k < WAVE_TARGET_COUNT; k++)
        count += s.targets[k];
    s.several = count > 1;
    if (s.mode == WAVEC_LIST_ARCHS)
        return cli_finish(args.tool, wavec_list_archs());
    if (s.mode == WAVEC_COMPILE && !count)
        return cli_fail(args.tool,
                        "say what to do: --target=ptx, hip, sycl, msl or all, or --check, "
                        "--reflect, --header");
    if (s.several && !fits_some_target(&s))
        return CLI_USAGE;
    if (s.several && s.output && !s.all_targets && s.mode == WAVEC_COMPILE)
        return cli_fail(args.tool,
                        "-o names one file; several targets go beside the input, or into "
                        "a folder with --target=all");
    if (s.strict && s.lenient)
        return cli_fail(args.tool, "--strict and --lenient exclude each other");
    if (!s.path)
        return cli_fail_usage(&args, "no input file");
    if (s.parse_ir && s.mode != WAVEC_COMPILE && s.mode != WAVEC_DUMP_IR)
        return cli_fail(args.tool, "--parse-ir goes with --target or --dump-ir");
    if (s.mode == WAVEC_STRIP && !s.output)
        return cli_fail(args.tool, "--strip needs the name of the new file: -o FILE");
    if (s.compile.kernel_count)
        s.compile.kernels = s.kernels;
    s.load.mode = s.strict ? WAVE_MODE_STRICT : s.lenient ? WAVE_MODE_LENIENT : WAVE_MODE_DEFAULT;
    return wavec_run(&s);
}
