/* wavec --build for several architectures: the vendor's tool bundles the builds into one file, from
 * which the driver picks the part for its GPU. NVIDIA and AMD have such files; SYCL objects and
 * Metal libraries stay separate. */
#include "cli/wavec.h"
#include "cli/wavec_tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts, in the order of the jobs. */
typedef struct parts {
    const char *archs[WAVEC_MAX_ARCHS];
    char *paths[WAVEC_MAX_ARCHS];
    size_t count;
} parts;

static void add_format(tool_command *c, const char *format, const char *a, const char *b) {
    int n = snprintf(NULL, 0, format, a, b);
    char *word = n < 0 ? NULL : malloc((size_t)n + 1);
    if (word) {
        (void)snprintf(word, (size_t)n + 1, format, a, b);
        tool_add(c, word);
    }
    c->error = word ? c->error : ENOMEM;
    free(word);
}

static void cuda_command(tool_command *c, const parts *p, const char *output) {
    add_format(c, "--create=%s%s", output, "");
    tool_add(c, "--64");
    for (size_t k = 0; k < p->count; k++)
        add_format(c, "--image3=kind=elf,sm=%s,file=%s", p->archs[k] + strlen("sm_"), p->paths[k]);
}

/* Bundles like hipcc: the first entry is the host's, and it is empty. */
static void hip_command(tool_command *c, const parts *p, const char *output) {
    static const char host[] = "-targets=host-x86_64-unknown-linux-gnu",
                      gpu[] = ",hipv4-amdgcn-amd-amdhsa--";
    char targets[sizeof host + WAVEC_MAX_ARCHS * (sizeof gpu + 40)];
    int used = snprintf(targets, sizeof targets, "%s", host);
    for (size_t k = 0; k < p->count; k++)
        used +=
            snprintf(targets + used, sizeof targets - (size_t)used, "%s%.40s", gpu, p->archs[k]);
    tool_add(c, "-type=o");
    tool_add(c, "-bundle-align=4096");
    tool_add(c, targets);
    tool_add(c, "-input=/dev/null");
    for (size_t k = 0; k < p->count; k++)
        add_format(c, "-input=%s%s", p->paths[k], "");
    add_format(c, "-output=%s%s", output, "");
}

typedef struct fat_format {
    const char *suffix;
    tool_search search;
    void (*command)(tool_command *c, const parts *p, const char *output);
} fat_format;

static const char
    *const fatbinary_names[] = {"fatbinary", NULL},
           *const fatbinary_folders[] = {"$CUDA_HOME/bin", "/usr/local/cuda/bin", NULL},
           *const bundler_names[] = {"clang-offload-bundler",    "clang-offload-bundler-22",
                                     "clang-offload-bundler-21", "clang-offload-bundler-20",
                                     "clang-offload-bundler-19", "clang-offload-bundler-18",
                                     "clang-offload-bundler-17", "clang-offload-bundler-16",
                                     "clang-offload-bundler-15", NULL},
           *const bundler_folders[] = {"$ROCM_PATH/llvm/bin", "/opt/rocm/llvm/bin", NULL};

static const fat_format formats[WAVE_TARGET_COUNT] = {
    [WAVE_TARGET_PTX] = {".fatbin",
                         {"WAVE_FATBINARY", fatbinary_names, fatbinary_folders},
                         cuda_command},
    [WAVE_TARGET_HIP] = {
        ".hipfb", {"WAVE_OFFLOAD_BUNDLER", bundler_names, bundler_folders}, hip_command}};

static void print_bundle(const char *made, const parts *p) {
    cli_put_text(stdout, made, false);
    for (size_t k = 0; k < p->count; k++)
        cli_printf("%s%s", k ? ", " : ": ", p->archs[k]);
    cli_printf("\n");
}

/* The tool writes to a temporary folder; complete output is moved into place. */
static int bundle(const wavec_settings *s, const fat_format *format, const char *tool,
                  const parts *p, const char *made) {
    static const char name[] = "/fat";
    char *folder = cli_make_folder(s->tool, made);
    size_t size = folder ? strlen(folder) + sizeof name : 0;
    char *place = folder ? malloc(size) : NULL;
    if (!place) {
        if (folder)
            cli_remove_folder(folder);
        return folder ? cli_fail(s->tool, "out of memory") : CLI_USAGE;
    }
    (void)snprintf(place, size, "%s%s", folder, name);
    tool_command c = {0};
    tool_result result;
    tool_add(&c, tool);
    format->command(&c, p, place);
    int status;
    if (tool_run(&c, &result)) {
        status = cli_move(s->tool, place, made);
    } else {
        tool_report_failure(s->tool, "--build: ", &c, &result);
        status = result.error ? CLI_USAGE : CLI_BAD_INPUT;
    }
    if (status == CLI_OK)
        print_bundle(made, p);
    tool_free(&c);
    free(result.text);
    free(place);
    cli_remove_folder(folder);
    return status;
}

int wavec_build_fat(const wavec_settings *s, wave_target target) {
    const fat_format *format = &formats[target];
    char tool[TOOL_PATH_SIZE];
    if (!format->suffix)
        return CLI_OK;
    if (!tool_find(&format->search, tool)) {
        cli_fail(
            s->tool,
            "--build: cannot find %s, so the files of the architectures stay separate; install "
            "it, or name it in %s",
            format->search.names[0], format->search.variable);
        return CLI_OK;
    }
    parts p = {0};
    bool complete = true;
    for (size_t k = 0; k < s->job_count; k++) {
        if (s->jobs[k].target != target || p.count == WAVEC_MAX_ARCHS)
            continue;
        char *text = wavec_output_path(s, &s->jobs[k]);
        p.archs[p.count] = s->jobs[k].arch;
        p.paths[p.count] = text ? cli_with_suffix(text, wavec_build_suffix(target)) : NULL;
        complete = complete && p.paths[p.count++];
        free(text);
    }
    char *made = wavec_common_path(s, format->suffix);
    int status =
        complete && made ? bundle(s, format, tool, &p, made) : cli_fail(s->tool, "out of memory");
    for (size_t k = 0; k < p.count; k++)
        free(p.paths[k]);
    free(made);
    return status;
}
