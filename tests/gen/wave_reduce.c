/* wave-reduce: makes a program on which a target differs from the emulator as small as possible. */
#include "gen/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(int status) {
    fprintf(
        status ? stderr : stdout,
        "usage: wave-reduce --target=NAME [-O0|-O2] [--width=N] [--defect=FROM:TO] FILE.wave\n\n"
        "Prints the smallest program found that still differs in the same way. Every program on\n"
        "the way is valid, ends, has no race and reads nothing uninitialised.\n\n"
        "  --target=NAME     emu, ptx, hip, msl, sycl, sycl-simt, wbin, passes, defect\n"
        "  -O0, -O2          the level at which it differs (-O2)\n"
        "  --width=N         the wave width at which it differs (32)\n"
        "  --folder=FOLDER   for files of the compilers\n"
        "  --sycl-way=WAY    as for wave-diff\n"
        "  --defect=FROM:TO  for the target `defect`: the emulator executes FROM as TO\n");
    return status;
}

typedef struct request {
    diff_options options;
    const char *path;
    int target;
    bool optimise;
    uint32_t width;
} request;

static bool set_option(request *r, char *word) {
    if (strncmp(word, "--target=", 9) == 0)
        return (r->target = diff_find_target(word + 9, strlen(word + 9))) >= 0;
    if (strncmp(word, "--width=", 8) == 0)
        return (r->width = (uint32_t)strtoul(word + 8, NULL, 10)) - 1 < 64;
    if (strncmp(word, "--folder=", 9) == 0) {
        r->options.folder = word + 9;
        return true;
    }
    if (strncmp(word, "--defect=", 9) == 0 && strchr(word, ':')) {
        r->options.defect_from = word + 9;
        *strchr(word, ':') = '\0';
        r->options.defect_to = strchr(word, '\0') + 1;
        return true;
    }
    if (strncmp(word, "--sycl-way=", 11) == 0)
        return diff_find_way(word + 11, &r->options.way);
    if (strcmp(word, "-O0") == 0 || strcmp(word, "-O2") == 0) {
        r->optimise = word[2] == '2';
        return true;
    }
    if (word[0] == '-' || r->path)
        return false;
    r->path = word;
    return true;
}

static int reduce(const request *r, char *text, size_t size) {
    diff_program p;
    diff_run run = {.program = &p,
                    .answer = &p.answers[0],
                    .target = (diff_target)r->target,
                    .optimise = r->optimise};
    bool opened = diff_open(&p, text, size, &r->width, 1, &run.verdict);
    if (opened && !diff_applies(&p, run.target, r->width))
        opened = diff_fail(&run.verdict, DIFF_INVALID, "%s does not run this program at width %u",
                           diff_target_name[run.target], r->width);
    if (opened)
        diff_execute(&run, 1, &r->options);
    int status = 0;
    if (!opened || run.verdict.kind == DIFF_NONE) {
        fprintf(stderr, "wave-reduce: %s: %s%s%s\n", r->path,
                opened ? "does not differ" : run.verdict.why, run.vendor ? ": " : "",
                run.vendor ? run.vendor : "");
        status = 1;
    } else {
        unsigned instructions;
        char *smaller = diff_reduce(&run, &r->options, &instructions);
        fputs(smaller, stdout);
        fprintf(stderr, "wave-reduce: %s: %u instructions\n", run.verdict.why, instructions);
        free(smaller);
    }
    diff_close(&p);
    free(run.vendor);
    return status;
}

int main(int argc, char **argv) {
    request r = {.target = -1, .optimise = true, .width = 32, .options = {.jobs = 1}};
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--help") == 0)
            return usage(0);
        if (!set_option(&r, argv[k])) {
            fprintf(stderr, "wave-reduce: malformed %s (see --help)\n", argv[k]);
            return 2;
        }
    }
    if (!r.path || r.target < 0)
        return usage(2);
    char why[300] = "";
    if (!diff_available((diff_target)r.target, &r.options, why, sizeof why)) {
        fprintf(stderr, "wave-reduce: %s: %s\n", diff_target_name[r.target], why);
        return 2;
    }
    size_t size;
    char *text = tf_read_file(r.path, &size);
    if (!text) {
        fprintf(stderr, "wave-reduce: %s cannot be read\n", r.path);
        return 2;
    }
    return reduce(&r, text, size);
}
