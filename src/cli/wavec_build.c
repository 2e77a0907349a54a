/* wavec --build: runs the vendor's compiler on the generated file, with the options in the file's
 * first comment, and prints its report on each kernel in a small table. The compiler writes to a
 * temporary folder; its output is moved into place when it is complete. */
#include "cli/signals.h"
#include "cli/wavec.h"
#include "cli/wavec_tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file being compiled by a vendor's compiler. */
typedef struct build {
    const wavec_settings *s;
    const wave_blob *text; /* of the file */
    const char *path;
    const char *arch;   /* NULL: the target's default */
    const char *folder; /* for the compiler's output */
    bool *complete;     /* false: assembly only */
} build;

/* ---- The command ---- */

/* The words after "// Compile with PROGRAM" in the first comment, and of the lines "//   …" that
 * follow. */
static void add_flags(tool_command *c, const wave_blob *text) {
    static const char start[] = "// Compile with ", more[] = "//   ";
    const char *end = (const char *)text->data + text->size;
    bool inside = false;
    for (const char *line = (const char *)text->data; line < end && *line == '/';) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        size_t n = (size_t)(stop - line);
        if (!inside && n > sizeof start && memcmp(line, start, sizeof start - 1) == 0) {
            inside = true;
            const char *program = line + sizeof start - 1;
            const char *blank = memchr(program, ' ', (size_t)(stop - program));
            if (blank)
                tool_add_words(c, blank, (size_t)(stop - blank));
        } else if (inside && n > sizeof more && memcmp(line, more, sizeof more - 1) == 0) {
            tool_add_words(c, line + sizeof more - 1, n - sizeof more + 1);
        } else if (inside) {
            return;
        }
        line = stop + 1;
    }
}

/* The path where the compiler writes what becomes `made`: the same name, in the folder. */
static bool find_place(const build *b, const char *made, char place[TOOL_PATH_SIZE]) {
    const char *slash = strrchr(made, '/');
    int n = snprintf(place, TOOL_PATH_SIZE, "%s/%s", b->folder, slash ? slash + 1 : made);
    return n > 0 && n < TOOL_PATH_SIZE;
}

static void add_output(tool_command *c, const build *b, const char *made) {
    char place[TOOL_PATH_SIZE];
    if (!find_place(b, made, place))
        c->error = ENAMETOOLONG;
    tool_add(c, "-o");
    tool_add_path(c, place);
    tool_add_path(c, b->path);
}

/* ---- The compiler's report ---- */

/* The number before `word` in a line, or after it if `after` is set. */
static unsigned long number_by(const char *line, const char *end, const char *word, bool after) {
    const char *at = strstr(line, word);
    if (!at || at >= end)
        return 0;
    if (after)
        return strtoul(at + strlen(word), NULL, 10);
    while (at > line && at[-1] == ' ')
        at--;
    while (at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return strtoul(at, NULL, 10);
}

static bool contains(const char *line, const char *end, const char *word) {
    const char *at = strstr(line, word);
    return at && at < end;
}

/* The next line; NULL after the last. */
static const char *next_line(const char *line, const char **end) {
    *end = strchr(line, '\n');
    *end = *end ? *end : line + strlen(line);
    return *line ? line : NULL;
}

static void copy_name(char *name, size_t size, const char *line, const char *word,
                      const char *stop) {
    const char *at = strstr(line, word) + strlen(word);
    snprintf(name, size, "%.*s", (int)strcspn(at, stop), at);
}

static void print_ptx_table(const char *text, const cli_input *elf) {
    char kernel[256] = "";
    unsigned long stores = 0, loads = 0;
    const char *end;
    cli_printf("%-32s %9s %13s %9s\n", "kernel", "registers", "spills (bytes)", "code");
    for (const char *line = text; (line = next_line(line, &end)); line = end + (*end == '\n')) {
        if (contains(line, end, "Compiling entry function '"))
            copy_name(kernel, sizeof kernel, line, "Compiling entry function '", "'");
        if (contains(line, end, "spill stores")) {
            stores = number_by(line, end, "bytes spill stores", false);
            loads = number_by(line, end, "bytes spill loads", false);
        }
        if (contains(line, end, "Used "))
            cli_printf("%-32s %9lu %14lu %9llu\n", kernel, number_by(line, end, "Used ", true),
                       stores + loads, (unsigned long long)tool_code_size(elf, kernel));
    }
}

/* clang's remarks, one per line, in this order: Function Name, SGPRs, VGPRs, AGPRs, …, LDS Size. */
static void print_hip_table(const char *text, const cli_input *elf) {
    char kernel[256] = "";
    unsigned long vector = 0, scalar = 0, spills = 0;
    const char *end;
    cli_printf("%-32s %9s %9s %9s %9s %9s\n", "kernel", "VGPRs", "SGPRs", "spills", "LDS", "code");
    for (const char *line = text; (line = next_line(line, &end)); line = end + (*end == '\n')) {
        if (contains(line, end, "Function Name: ")) {
            copy_name(kernel, sizeof kernel, line, "Function Name: ", " \n");
            vector = scalar = spills = 0;
        }
        if (contains(line, end, " SGPRs: "))
            scalar = number_by(line, end, " SGPRs: ", true);
        if (contains(line, end, " VGPRs: "))
            vector = number_by(line, end, " VGPRs: ", true);
        if (contains(line, end, " AGPRs: "))
            vector += number_by(line, end, " AGPRs: ", true);
        if (contains(line, end, "GPRs Spill: "))
            spills += number_by(line, end, "GPRs Spill: ", true);
        if (contains(line, end, "LDS Size [bytes/block]: "))
            cli_printf("%-32s %9lu %9lu %9lu %9lu %9llu\n", kernel, vector, scalar, spills,
                       number_by(line, end, "LDS Size [bytes/block]: ", true),
                       (unsigned long long)tool_code_size(elf, kernel));
    }
}

/* For compilers that do not report registers. */
static void print_size(const char *text, const cli_input *made) {
    (void)text;
    cli_put_text(stdout, made->name, false);
    cli_printf(": %llu bytes\n", (unsigned long long)made->size);
}

typedef void table_printer(const char *text, const cli_input *made);

/* After the command has run: reports why it failed, or moves the file into place and prints the
 * table. Frees the text. */
static int conclude(const build *b, const tool_command *c, const tool_result *result,
                    const char *made, table_printer *print) {
    int status = CLI_USAGE;
    cli_input file = {0};
    char place[TOOL_PATH_SIZE];
    if (!result->ok) {
        tool_report_failure(b->s->tool, "--build: ", c, result);
        status = result->error ? CLI_USAGE : CLI_BAD_INPUT;
    } else if (find_place(b, made, place) && cli_move(b->s->tool, place, made) == CLI_OK &&
               cli_read(b->s->tool, access(place, F_OK) == 0 ? place : made, CLI_MOST_DATA,
                        &file)) {
        file.name = made; /* a pipe received a copy, which cannot be read again */
        print(result->text, &file);
        cli_close(&file);
        status = CLI_OK;
    }
    free(result->text);
    return status;
}

/* Runs the command and frees it. */
static int finish(const build *b, tool_command *c, const char *made, table_printer *print) {
    tool_result result;
    (void)tool_run(c, &result);
    int status = conclude(b, c, &result, made, print);
    tool_free(c);
    return status;
}

/* ---- PTX ---- */

/* The usual installation folders of CUDA, and the folder where our scripts put the PyPI package. */
static const tool_search ptxas_search = {
    "WAVE_PTXAS", (const char *const[]){"ptxas", NULL},
    (const char *const[]){"$CUDA_HOME/bin", "/usr/local/cuda/bin",
                          "$XDG_CACHE_HOME/wavec/cuda/nvidia/cu13/bin",
                          "$HOME/.cache/wavec/cuda/nvidia/cu13/bin", NULL}};

static int build_ptx(const build *b, const char *made) {
    char tool[TOOL_PATH_SIZE], option[64];
    if (!tool_find(&ptxas_search, tool))
        return cli_fail(b->s->tool,
                        "--build: cannot find ptxas; install CUDA, or the Python package "
                        "nvidia-cuda-nvcc, and put it in the PATH or in WAVE_PTXAS");
    tool_command c = {0};
    snprintf(option, sizeof option, "-arch=%.40s",
             b->arch ? b->arch : wave_target_arch(WAVE_TARGET_PTX, 0));
    tool_add(&c, tool);
    tool_add(&c, "-v");
    tool_add(&c, option);
    add_output(&c, b, made);
    return finish(b, &c, made, print_ptx_table);
}

/* ---- HIP ---- */

enum { LEAST_CLANG = 15 }; /* the first that supports HIP */

/* 0: unknown. A crash is reported; for a compiler that was requested explicitly, so is every
 * failure. */
static unsigned long clang_version(const build *b, const char *tool, bool asked) {
    tool_command c = {0};
    tool_result result;
    tool_add(&c, tool);
    tool_add(&c, "-dumpversion");
    unsigned long version = tool_run(&c, &result) ? strtoul(result.text, NULL, 10) : 0;
    if (!result.ok && (asked || result.error || result.signal))
        tool_report_failure(b->s->tool, "--build: ", &c, &result);
    free(result.text);
    tool_free(&c);
    return version;
}

static bool is_new_clang(const build *b, const char *tool) {
    return clang_version(b, tool, false) >= LEAST_CLANG;
}

static const tool_search hipcc_search = {
    "WAVE_HIPCC", (const char *const[]){"hipcc", NULL},
    (const char *const[]){"$ROCM_PATH/bin", "$HIP_PATH/bin", "/opt/rocm/bin", NULL}};

/* ROCm's own clang matches the headers it comes with, so it precedes those in the PATH. */
static const char *const rocm_folders[] = {"$ROCM_PATH/llvm/bin", "/opt/rocm/llvm/bin", NULL};
static const char *const clang_names[] = {"clang++",    "clang++-22", "clang++-21", "clang++-20",
                                          "clang++-19", "clang++-18", "clang++-17", "clang++-16",
                                          "clang++-15", NULL};
static const char *const nowhere[] = {NULL};

typedef enum device_libraries {
    LIBRARIES_USUAL,
    LIBRARIES_DEBIAN,
    LIBRARIES_NONE
} device_libraries;

static void hip_command(tool_command *c, const build *b, const char *tool,
                        device_libraries libraries, const char *made) {
    tool_add(c, tool);
    tool_add(c, "-x");
    tool_add(c, "hip");
    add_flags(c, b->text);
    tool_add(c, "--cuda-device-only");
    tool_add(c, "-Rpass-analysis=kernel-resource-usage");
    switch (libraries) {
    case LIBRARIES_USUAL: tool_add(c, "--no-gpu-bundle-output"); break;
    case LIBRARIES_DEBIAN:
        tool_add(c, "--no-gpu-bundle-output");
        tool_add(c, "--rocm-path=/usr");
        tool_add(c, "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
        break;
    case LIBRARIES_NONE:
        tool_add(c, "-nogpulib");
        tool_add(c, "-S");
        break;
    }
    add_output(c, b, made);
}

/* The outcome of trying one compiler. */
typedef struct hip_attempt {
    const build *b;
    const char *made, *assembly;
    bool found;   /* a compiler was found */
    bool settled; /* no other compiler is tried: `status` is the result */
    int status;
} hip_attempt;

/* Whether a compiler accepts the vendor's headers alone. Checked after it has rejected our text. */
static bool accepts_headers(const build *b, const char *tool) {
    static const char includes[] = "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n";
    char place[TOOL_PATH_SIZE];
    tool_result result;
    if (!find_place(b, "headers.hip", place) ||
        cli_write(b->s->tool, place, includes, sizeof includes - 1) != CLI_OK)
        return true;
    tool_command c = {0};
    tool_add(&c, tool);
    tool_add(&c, "-x");
    tool_add(&c, "hip");
    add_flags(&c, b->text);
    tool_add(&c, "--cuda-device-only");
    tool_add(&c, "-nogpulib");
    tool_add(&c, "-fsyntax-only");
    tool_add_path(&c, place);
    bool refused = !tool_run(&c, &result) && result.exit;
    free(result.text);
    tool_free(&c);
    return !refused;
}

/* Reports that a compiler rejects the vendor's headers, with its first error. */
static void report_refusal(const build *b, const char *tool, const char *text) {
    const char *end;
    cli_fail(b->s->tool, "--build: %s does not accept the installed HIP headers:", tool);
    for (const char *line = text; (line = next_line(line, &end)); line = end + (*end == '\n'))
        if (contains(line, end, "error:")) {
            char first[400];
            snprintf(first, sizeof first, "%.*s", (int)(end - line), line);
            fputs("  ", stderr);
            cli_put_text(stderr, first, false);
            fputc('\n', stderr);
            return;
        }
}

static void report_success(const char *tool, const char *output, bool assembly) {
    cli_printf("Compiled with ");
    cli_put_text(stdout, tool, false);
    cli_printf("\n");
    if (!assembly)
        return;
    cli_printf("The ROCm device libraries for this GPU are missing: assembly in ");
    cli_put_text(stdout, output, false);
    cli_printf(", no code object.\nRegisters include those of calls that the libraries "
               "would replace. HIP_DEVICE_LIB_PATH names their folder.\n");
}

/* Uses the libraries that the compiler finds itself, those of Debian's package, or none: then only
 * assembly is generated. When `only` is set, there is no other compiler to try. */
static void run_hip(hip_attempt *a, const char *tool, bool only) {
    device_libraries libraries = LIBRARIES_USUAL;
    a->found = true;
    for (;; libraries++) {
        bool last = libraries == LIBRARIES_NONE;
        tool_command c = {0};
        tool_result result;
        const char *output = last ? a->assembly : a->made;
        hip_command(&c, a->b, tool, libraries, output);
        bool refused = !tool_run(&c, &result) && result.exit && result.text;
        bool missing = !last && refused && strstr(result.text, "cannot find ROCm device library");
        if (!missing && refused && !only && !accepts_headers(a->b, tool)) {
            report_refusal(a->b, tool, result.text);
            free(result.text);
        } else if (missing) {
            free(result.text);
        } else {
            a->settled = true;
            a->status = conclude(a->b, &c, &result, output, print_hip_table);
            *a->b->complete = !last;
            if (a->status == CLI_OK)
                report_success(tool, output, last);
        }
        tool_free(&c);
        if (!missing)
            return;
    }
}

/* A compiler named by a variable is the only one tried. */
static void try_named(hip_attempt *a, const char *variable, bool clang) {
    char tool[TOOL_PATH_SIZE];
    const tool_search search = {variable, nowhere, nowhere};
    if (a->settled || !tool_find(&search, tool))
        return;
    unsigned long version = clang ? clang_version(a->b, tool, true) : LEAST_CLANG;
    a->settled = version == 0;
    a->status = CLI_USAGE;
    if (version >= LEAST_CLANG)
        run_hip(a, tool, true);
}

/* Tries one after the other until one accepts the headers. The unversioned name may be an old
 * version. */
static void try_clangs(hip_attempt *a) {
    char tool[TOOL_PATH_SIZE];
    for (const char *const *folder = rocm_folders; *folder && !a->settled; folder++)
        if (tool_find_in(*folder, "clang++", tool) && is_new_clang(a->b, tool))
            run_hip(a, tool, false);
    for (const char *const *name = clang_names; *name && !a->settled; name++) {
        const char *const names[] = {*name, NULL};
        const tool_search search = {"WAVE_HIP_CLANG", names, nowhere};
        if (tool_find(&search, tool) && is_new_clang(a->b, tool))
            run_hip(a, tool, false);
    }
}

static int try_all(hip_attempt *a) {
    char tool[TOOL_PATH_SIZE];
    bool named = getenv("WAVE_HIP_CLANG") != NULL;
    try_named(a, "WAVE_HIPCC", false);
    try_named(a, "WAVE_HIP_CLANG", true);
    if (!a->settled && !getenv("WAVE_HIPCC") && !named && tool_find(&hipcc_search, tool))
        run_hip(a, tool, false);
    if (!a->settled && !named)
        try_clangs(a);
    if (a->settled)
        return a->status;
    if (cli_pending_signal())
        return CLI_USAGE;
    if (a->found)
        return cli_fail(a->b->s->tool,
                        "--build: no compiler here accepts the installed HIP headers; install the "
                        "clang they were made for, and name it in WAVE_HIP_CLANG");
    return cli_fail(a->b->s->tool,
                    "--build: cannot find hipcc, or clang++ of version 15 or newer; install "
                    "ROCm, or clang with AMD's headers (Debian: clang, lld, libamdhip64-dev, "
                    "rocm-device-libs), and put it in the PATH, WAVE_HIPCC or WAVE_HIP_CLANG");
}

static int build_hip(const build *b, const char *made) {
    char *assembly = cli_with_suffix(b->path, ".s");
    if (!assembly)
        return cli_fail(b->s->tool, "out of memory");
    hip_attempt a = {.b = b, .made = made, .assembly = assembly};
    int status = try_all(&a);
    free(assembly);
    return status;
}

/* ---- SYCL and Metal ---- */

static const tool_search icpx_search = {
    "WAVE_ICPX", (const char *const[]){"icpx", NULL},
    (const char *const[]){"$ONEAPI_ROOT/compiler/latest/bin",
                          "/opt/intel/oneapi/compiler/latest/bin", NULL}};

static int build_sycl(const build *b, const char *made) {
    char tool[TOOL_PATH_SIZE];
    if (!tool_find(&icpx_search, tool))
        return cli_fail(
            b->s->tool,
            "--build: cannot find icpx; install Intel's oneAPI DPC++/C++ compiler "
            "(intel-oneapi-compiler-dpcpp-cpp), and put it in the PATH or in WAVE_ICPX");
    tool_command c = {0};
    tool_add(&c, tool);
    add_flags(&c, b->text);
    tool_add(&c, "-c");
    add_output(&c, b, made);
    return finish(b, &c, made, print_size);
}

static const tool_search xcrun_search = {"WAVE_XCRUN", (const char *const[]){"xcrun", NULL},
                                         (const char *const[]){"/usr/bin", NULL}};

/* Without xcrun, drops the words that tell it what to run: all up to "metal". */
static void drop_xcrun_words(tool_command *c) {
    unsigned metal = 1;
    while (metal < c->count && strcmp(c->words[metal], "metal") != 0)
        metal++;
    if (metal >= c->count)
        return;
    for (unsigned k = 1; k <= metal; k++)
        free(c->words[k]);
    memmove(c->words + 1, c->words + metal + 1, (c->count - metal - 1) * sizeof *c->words);
    memset(c->words + c->count - metal, 0, metal * sizeof *c->words);
    c->count -= metal;
}

/* WAVE_METAL names the compiler itself. */
static int build_msl(const build *b, const char *made) {
    char tool[TOOL_PATH_SIZE];
    const tool_search metal_search = {"WAVE_METAL", nowhere, nowhere};
    bool direct = getenv("WAVE_METAL") != NULL;
    if (!tool_find(direct ? &metal_search : &xcrun_search, tool))
        return cli_fail(b->s->tool,
                        "--build: cannot find %s; Metal is compiled on a Mac with Xcode: copy %s "
                        "there, or put xcrun in the PATH or in WAVE_XCRUN, or metal in WAVE_METAL",
                        direct ? "the program named by WAVE_METAL" : "xcrun", b->path);
    tool_command c = {0};
    tool_add(&c, tool);
    add_flags(&c, b->text); /* -sdk macosx metal -std=… */
    if (direct)
        drop_xcrun_words(&c);
    add_output(&c, b, made);
    return finish(b, &c, made, print_size);
}

static const struct {
    int (*run)(const build *b, const char *made);
    const char *suffix;
} vendors[WAVE_TARGET_COUNT] = {[WAVE_TARGET_PTX] = {build_ptx, ".cubin"},
                                [WAVE_TARGET_HIP] = {build_hip, ".hsaco"},
                                [WAVE_TARGET_SYCL] = {build_sycl, ".o"},
                                [WAVE_TARGET_MSL] = {build_msl, ".metallib"}};

const char *wavec_build_suffix(wave_target target) {
    return vendors[target].suffix;
}

int wavec_build(const wavec_settings *s, const wavec_job *job, const char *path,
                const wave_blob *text, bool *complete) {
    char *made = cli_with_suffix(path, wavec_build_suffix(job->target));
    *complete = true;
    if (!made)
        return cli_fail(s->tool, "out of memory");
    int status = CLI_USAGE;
    char *folder = cli_make_folder(s->tool, made);
    if (folder) {
        const build b = {.s = s,
                         .text = text,
                         .path = path,
                         .arch = job->arch,
                         .folder = folder,
                         .complete = complete};
        status = vendors[job->target].run(&b, made);
        cli_remove_folder(folder);
    }
    free(made);
    return status;
}
