/* wavec: compiles WAVE kernels to the source languages of GPU vendors, and validates and describes
 * them. This file is only the command line. */
#include "cli/wavec.h"

#include <string.h>

enum {
    OPT_CHECK = 1,
    OPT_TARGET,
    OPT_ARCH,
    OPT_WIDTH,
    OPT_REGISTERS,
    OPT_LOCAL,
    OPT_KERNEL,
    OPT_OUTPUT,
    OPT_EXTENSIONS,
    OPT_ALWAYS,
    OPT_DEBUG,
    OPT_DEPEND,
    OPT_REFLECT,
    OPT_HEADER,
    OPT_DUMP,
    OPT_PARSE,
    OPT_VERIFY,
    OPT_TIME,
    OPT_BUILD,
    OPT_QUERY,
    OPT_STRIP,
    OPT_MAX
};

static const cli_option options[] = {
    {"", 0, 0, "", "What to do"},
    {"target", 0, OPT_TARGET, "ptx|hip|sycl|msl|wbin|all",
     "compile for this target; may be repeated (all: the GPU targets)"},
    {"check", 0, OPT_CHECK, "", "validate only: print every problem, or one line per kernel"},
    {"reflect", 0, OPT_REFLECT, "", "print JSON about the kernels: symbols, arguments, sizes"},
    {"header", 0, OPT_HEADER, "", "print a C header for host code"},
    {"strip", 0, OPT_STRIP, "",
     "write the WBIN file (-o) without lines, texts and names of arguments"},
    {"build", 0, OPT_BUILD, "", "compile the text with ptxas, hipcc or clang, icpx, xcrun metal"},
    {"query", 0, OPT_QUERY, "[text|json]",
     "print the constants and capabilities of an architecture; takes no FILE"},
    {"", 0, 0, "", "How to compile"},
    {"arch", 0, OPT_ARCH, "NAME|help", "architecture, for the target that has it; may be repeated"},
    {"wave-width", 0, OPT_WIDTH, "N", "lanes of a wave, if the target supports several widths"},
    {"registers", 0, OPT_REGISTERS, "N", "registers, for kernels that declare 0 (32)"},
    {"local-memory", 0, OPT_LOCAL, "BYTES", "local memory, for kernels that declare 0 (16384)"},
    {"kernel", 0, OPT_KERNEL, "NAME", "compile this kernel; may be repeated (all)"},
    CLI_COMPILE_OPTIONS,
    {"extensions", 0, OPT_EXTENSIONS, "",
     "wbin: allow extensions of the ISA even if the file has none"},
    {"always", 0, OPT_ALWAYS, "",
     "wbin: use the new code even if it is not estimated to be faster"},
    {"debug", 'g', OPT_DEBUG, "", "name the instruction that each group of lines comes from"},
    {"", 0, 0, "", "Input and output"},
    {"output", 'o', OPT_OUTPUT, "FILE", "write to FILE; FOLDER/, or with --target=all: into it"},
    DEPEND_OPTION(OPT_DEPEND),
    CLI_READING_OPTIONS,
    {"max-errors", 0, OPT_MAX, "N", "print at most N problems (100)"},
    {"", 0, 0, "", "Looking inside"},
    {"dump-ir", 0, OPT_DUMP, "[PASS]", "print the IR after a pass, or at the end"},
    {"parse-ir", 0, OPT_PARSE, "", "the input is the IR of one kernel, as --dump-ir prints it"},
    {"verify-ir", 0, OPT_VERIFY, "", "check the IR after every pass"},
    {"time-passes", 0, OPT_TIME, "", "print the time of every pass"},
    {.id = 0}};

static bool wrong(const cli_args *args, const char *what) {
    cli_fail(args->tool, "%s, not '%.80s'", what, args->value);
    return false;
}

static bool exclude(const char *tool, const char *option, const char *other) {
    cli_fail(tool, "%s and %s cannot be combined", option, other);
    return false;
}

static bool set_mode(wavec_settings *s, wavec_mode mode, const char *option) {
    if (s->mode_option && s->mode != mode)
        return exclude(s->tool, s->mode_option, option);
    s->mode = mode;
    s->mode_option = option;
    return true;
}

/* False, after printing an error, when the mode would ignore an option that asks for other work. */
static bool mode_is_clear(const wavec_settings *s) {
    const bool compiles = s->mode == WAVEC_COMPILE;
    const bool targets = s->mode != WAVEC_CHECK && s->mode != WAVEC_STRIP;
    const bool writes =
        compiles || s->mode == WAVEC_REFLECT || s->mode == WAVEC_HEADER || s->mode == WAVEC_STRIP;
    const char *unused = s->build && !compiles         ? "--build"
                         : s->any_target && !targets   ? "--target"
                         : s->arch_count && !targets   ? "--arch"
                         : s->depend.wanted && !writes ? "-MD"
                         : s->output && !writes        ? "-o"
                                                       : NULL;
    return !unused || exclude(s->tool, unused, s->mode_option);
}

static bool set_target(wavec_settings *s, const cli_args *args) {
    if (strcmp(args->value, "all") == 0) {
        s->all_targets = s->any_target = true;
        for (int k = 0; k < WAVE_TARGET_VENDORS; k++)
            s->targets[k] = true;
        return true;
    }
    int target = wave_target_find(args->value);
    if (target < 0)
        return wrong(args, "--target is ptx, hip, sycl, msl, wbin or all");
    s->targets[target] = s->any_target = true;
    return true;
}

static bool add_kernel(wavec_settings *s, const cli_args *args) {
    if (s->compile.kernel_count == WAVEC_MAX_KERNELS)
        return wrong(args, "at most 256 kernels can be named");
    s->kernels[s->compile.kernel_count++] = args->value;
    return true;
}

static bool add_arch(wavec_settings *s, const cli_args *args) {
    if (strcmp(args->value, "help") == 0)
        s->list_archs = true;
    for (size_t k = 0; k < s->arch_count; k++)
        if (strcmp(s->archs[k], args->value) == 0)
            return true;
    if (s->arch_count == WAVEC_MAX_ARCHS)
        return wrong(args, "at most 32 architectures can be named");
    s->archs[s->arch_count++] = args->value;
    return true;
}

/* Parses an option with two values; *is_second says whether it is the second one. */
static bool choose(const cli_args *args, const char *first, const char *second, bool *is_second,
                   const char *what) {
    *is_second = strcmp(args->value, second) == 0;
    return *is_second || strcmp(args->value, first) == 0 || wrong(args, what);
}

static bool set_number(const cli_args *args, uint64_t most, const char *what, uint64_t *out) {
    return (cli_number(args->value, most, out) && *out > 0) || wrong(args, what);
}

static bool set_pass(wavec_settings *s, const cli_args *args) {
    static const char after[] = "after-";
    const char *wanted = args->value, *found = NULL;
    if (!set_mode(s, WAVEC_DUMP_IR, "--dump-ir"))
        return false;
    if (wanted && strncmp(wanted, after, sizeof after - 1) == 0)
        wanted += sizeof after - 1;
    if (wanted && strcmp(wanted, "all") == 0)
        found = "all";
    for (unsigned k = 0; wave_pass_name(k); k++)
        if (!wanted || strcmp(wanted, wave_pass_name(k)) == 0)
            found = wave_pass_name(k); /* without a name: the last */
    s->compile.dump_ir = found;
    if (found)
        return true;
    cli_fail(args->tool, "there is no pass '%.80s'; the passes are:", wanted);
    for (unsigned k = 0; wave_pass_name(k); k++)
        cli_fail(args->tool, "  %s", wave_pass_name(k));
    return false;
}

/* False when the option's value is invalid, which has been printed. */
static bool apply(wavec_settings *s, const cli_args *args, int id) {
    uint64_t number = 0;
    if (cli_is_reading(id))
        return cli_reading_option(args->tool, id, args->value, &s->reading, &s->load);
    if (cli_is_compiling(id))
        return cli_compiling_option(args->tool, id, args->value, &s->compiling);
    switch (id) {
    case OPT_CHECK: return set_mode(s, WAVEC_CHECK, "--check");
    case OPT_REFLECT: return set_mode(s, WAVEC_REFLECT, "--reflect");
    case OPT_STRIP: return set_mode(s, WAVEC_STRIP, "--strip");
    case OPT_HEADER: return set_mode(s, WAVEC_HEADER, "--header");
    case OPT_DUMP: return set_pass(s, args);
    case OPT_QUERY:
        return set_mode(s, WAVEC_QUERY, "--query") &&
               (!args->value ||
                choose(args, "text", "json", &s->json, "--query prints text or json"));
    case OPT_BUILD: s->build = true; return true;
    case OPT_TARGET: return set_target(s, args);
    case OPT_ARCH: return add_arch(s, args);
    case OPT_REGISTERS: return cli_registers(args->tool, args->value, &s->load);
    case OPT_LOCAL: return cli_local_memory(args->tool, args->value, &s->load);
    case OPT_KERNEL: return add_kernel(s, args);
    case OPT_OUTPUT: s->output = args->value; return true;
    case OPT_EXTENSIONS: s->compile.extensions = true; return true;
    case OPT_ALWAYS: s->compile.always = true; return true;
    case OPT_DEBUG: s->compile.debug = true; return true;
    case OPT_PARSE: s->parse_ir = true; return true;
    case OPT_VERIFY: s->compile.verify_ir = true; return true;
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
    default: s->time_passes = true; return true;
    }
}

/* The options that wavec shares with wave-run, as those of the library. */
static void set_compiling(wave_compile_options *to, const cli_compiling *from) {
    to->optimise = from->optimise;
    to->fast_math = from->fast_math;
    to->native_mma = from->native_mma;
    to->bounds = from->bounds;
    to->assert_trap = from->assert_trap;
    to->lockstep = from->lockstep;
    to->deterministic = from->deterministic;
}

static int parse(wavec_settings *s, cli_args *args, int argc, char **argv) {
    int id;
    while ((id = cli_next(args, argc, argv)) > 0) {
        if (id == CLI_OPERAND && s->path) {
            return cli_unexpected(args, args->value);
        } else if (id == CLI_OPERAND) {
            s->path = args->value;
        } else if (id == OPT_DEPEND ? !depend_parse(&s->depend, args, argc, argv)
                                    : !apply(s, args, id)) {
            return CLI_USAGE;
        }
    }
    return id < 0 ? args->status : -1;
}

int main(int argc, char **argv) {
    cli_args args = {
        .tool = "wavec",
        .usage = "wavec --target=ptx|hip|sycl|msl|wbin|all [options] FILE",
        .about = "Compiles the kernels of a WBIN or assembly file (- is standard input) to a GPU "
                 "vendor's\nsource text, in FILE with another suffix. Nothing is written when "
                 "there is an "
                 "error.\nEach of several targets gets its own file. A target that cannot run the "
                 "kernels "
                 "(Metal has\nno f64) is reported, and the exit status is 1.",
        .notes = "Exit status: 0 ok, 1 bad input, 2 wrong usage or I/O error.",
        .options = options};
    wavec_settings s = {.tool = args.tool};
    wave_compile_init(&s.compile);
    s.compiling = (cli_compiling){.optimise = true, .assert_trap = true};
    int status = parse(&s, &args, argc, argv);
    if (status >= 0)
        return status;
    set_compiling(&s.compile, &s.compiling);
    if (s.list_archs)
        return cli_finish(args.tool, wavec_list_archs());
    if (!mode_is_clear(&s))
        return CLI_USAGE;
    if (s.mode == WAVEC_COMPILE && !s.any_target)
        return cli_fail(args.tool,
                        "nothing to do; use --target=ptx, hip, sycl, msl, wbin or all, or --check, "
                        "--reflect, --header");
    if (!wavec_plan_jobs(&s))
        return CLI_USAGE;
    if (s.mode == WAVEC_QUERY && s.path)
        return cli_unexpected(&args, s.path);
    if (s.mode == WAVEC_QUERY)
        return cli_finish(args.tool, wavec_query(&s));
    s.folder = wavec_wants_folder(&s);
    if (s.job_count > 1 && s.output && !s.folder && s.mode == WAVEC_COMPILE)
        return cli_fail(args.tool,
                        "-o names one file; the files of several targets and architectures go "
                        "next to the input, or into a folder: -o %s/",
                        s.output);
    if (!cli_reading_mode(args.tool, &s.reading, &s.load))
        return CLI_USAGE;
    if (s.targets[WAVE_TARGET_WBIN] && (s.build || s.compile.bounds))
        return cli_fail(args.tool, "%s is for GPU targets, not for --target=wbin",
                        s.build ? "--build" : "--bounds");
    if (!s.path)
        return cli_fail_usage(&args, "no input file");
    if (s.parse_ir && s.mode != WAVEC_COMPILE && s.mode != WAVEC_DUMP_IR)
        return cli_fail(args.tool, "--parse-ir needs --target or --dump-ir");
    if (s.mode == WAVEC_STRIP && !s.output)
        return cli_fail(args.tool, "--strip needs the name of the new file: -o FILE");
    if (s.compile.kernel_count)
        s.compile.kernels = s.kernels;
    return wavec_run(&s);
}
