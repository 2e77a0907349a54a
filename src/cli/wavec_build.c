/* wavec --build: runs ptxas on what was written and prints registers, spills
 * and code size of each kernel in a small table. */
#include "cli/wavec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_LIMIT = 1 << 20 };

/* ---- Finding the tool ---- */

static bool usable(const char *folder, size_t length, const char *tool, char *out, size_t size) {
    int n = snprintf(out, size, "%.*s/%s", (int)length, folder, tool);
    return n > 0 && (size_t)n < size && access(out, X_OK) == 0;
}

/* WAVE_PTXAS, the PATH, CUDA_HOME, where CUDA is installed as a rule, and where our scripts put the
 * package from PyPI. */
static bool find_ptxas(char *out, size_t size) {
    const char *named = getenv("WAVE_PTXAS"), *home = getenv("CUDA_HOME"), *path = getenv("PATH");
    const char *cache = getenv("XDG_CACHE_HOME"), *user = getenv("HOME");
    static const char wheel[] = "wavec/cuda/nvidia/cu13/bin/ptxas";
    static const char user_wheel[] = ".cache/wavec/cuda/nvidia/cu13/bin/ptxas";
    if (named)
        return snprintf(out, size, "%s", named) < (int)size && access(out, X_OK) == 0;
    for (const char *at = path; at && *at;) {
        size_t n = strcspn(at, ":");
        if (n && usable(at, n, "ptxas", out, size))
            return true;
        at += n + (at[n] == ':');
    }
    if (home && usable(home, strlen(home), "bin/ptxas", out, size))
        return true;
    static const char usual[] = "/usr/local/cuda";
    return usable(usual, sizeof usual - 1, "bin/ptxas", out, size) ||
           (cache && usable(cache, strlen(cache), wheel, out, size)) ||
           (user && usable(user, strlen(user), user_wheel, out, size));
}

/* ---- Running it ---- */

/* The tool's standard error, malloc'ed; NULL when it could not be run. */
static char *run(char *const *arguments, int *status) {
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execv(arguments[0], arguments);
        _exit(127);
    }
    close(ends[1]);
    char *text = calloc(1, OUTPUT_LIMIT + 1);
    size_t used = 0;
    for (ssize_t n; text && child > 0 && (n = read(ends[0], text + used, OUTPUT_LIMIT - used)) > 0;)
        used += (size_t)n;
    close(ends[0]);
    if (child < 0 || waitpid(child, status, 0) < 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- Code size: the .text sections of the ELF file ptxas writes ---- */

static uint64_t little(const uint8_t *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned k = bytes; k-- > 0;)
        value = value << 8 | at[k];
    return value;
}

static uint64_t code_size(const cli_input *elf, const char *kernel) {
    char wanted[300];
    snprintf(wanted, sizeof wanted, ".text.%s", kernel);
    if (elf->size < 64 || memcmp(elf->data, "\177ELF\2", 5) != 0)
        return 0;
    uint64_t table = little(elf->data + 40, 8), count = little(elf->data + 60, 2);
    uint64_t names = table + 64 * little(elf->data + 62, 2);
    if (table > elf->size || count * 64 > elf->size - table || names > elf->size - 64)
        return 0;
    uint64_t strings = little(elf->data + names + 24, 8);
    for (uint64_t k = 0; k < count; k++) {
        const uint8_t *section = elf->data + table + 64 * k;
        uint64_t name = strings + little(section, 4);
        if (name < elf->size && elf->size - name > strlen(wanted) &&
            memcmp(elf->data + name, wanted, strlen(wanted) + 1) == 0)
            return little(section + 32, 8);
    }
    return 0;
}

/* ---- What it said ---- */

/* The number before `word` in a line, or after it when `behind`. */
static unsigned long number_by(const char *line, const char *end, const char *word, bool behind) {
    const char *at = strstr(line, word);
    if (!at || at >= end)
        return 0;
    if (behind)
        return strtoul(at + strlen(word), NULL, 10);
    while (at > line && at[-1] == ' ')
        at--;
    while (at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return strtoul(at, NULL, 10);
}

static void print_table(const char *text, const cli_input *elf) {
    char kernel[256] = "";
    unsigned long stores = 0, loads = 0;
    cli_printf("%-32s %9s %13s %9s\n", "kernel", "registers", "spills (bytes)", "code");
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        end = end ? end : line + strlen(line);
        const char *entry = strstr(line, "Compiling entry function '");
        if (entry && entry < end) {
            entry += strlen("Compiling entry function '");
            snprintf(kernel, sizeof kernel, "%.*s", (int)strcspn(entry, "'"), entry);
        }
        if (strstr(line, "spill stores") && strstr(line, "spill stores") < end) {
            stores = number_by(line, end, "bytes spill stores", false);
            loads = number_by(line, end, "bytes spill loads", false);
        }
        if (strstr(line, "Used ") && strstr(line, "Used ") < end)
            cli_printf("%-32s %9lu %14lu %9llu\n", kernel, number_by(line, end, "Used ", true),
                       stores + loads, (unsigned long long)code_size(elf, kernel));
        line = *end ? end + 1 : end;
    }
}

static int build_ptx(const wavec_settings *s, const char *arch, const char *path) {
    char tool[4096], option[64];
    if (!find_ptxas(tool, sizeof tool))
        return cli_fail(s->tool, "--build: there is no ptxas; install CUDA, or the Python package "
                                 "nvidia-cuda-nvcc, and put it in the PATH or in WAVE_PTXAS");
    char *cubin = wavec_with_suffix(path, ".cubin");
    snprintf(option, sizeof option, "-arch=%.40s", arch ? arch : "sm_75");
    char verbose[] = "-v", output[] = "-o";
    char *input = strdup(path);
    int result = 0, status = CLI_USAGE;
    char *text = NULL;
    if (cubin && input)
        text = run((char *[]){tool, verbose, option, output, cubin, input, NULL}, &result);
    cli_input elf = {0};
    if (!text) {
        cli_fail(s->tool, "%s cannot be run", tool);
    } else if (!WIFEXITED(result) || WEXITSTATUS(result) != 0) {
        fputs(text, stderr);
        status = CLI_BAD_INPUT;
    } else if (cli_read(s->tool, cubin, &elf)) {
        print_table(text, &elf);
        cli_close(&elf);
        status = CLI_OK;
    }
    free(text);
    free(cubin);
    free(input);
    return status;
}

int wavec_build(const wavec_settings *s, wave_target target, const char *arch, const char *path) {
    (void)target; /* PTX is the only one */
    return build_ptx(s, arch, path);
}
