/* Test programs instead of random ones: each runs on the requested targets, and differences are
 * reported by file name. Files that the emulator is expected to fail on, or that the compiler may
 * refuse, are skipped; a file that cannot be read is a failure. */
#include "gen/diff.h"
#include "gen/reduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_refusal(const diff_verdict *v) {
    return v->kind == DIFF_REFUSED && (strstr(v->why, "E_RECURSION") || strstr(v->why, "E_DEPTH"));
}

/* Returns the number of runs; *same is false when one differs. */
static unsigned run_program(const diff_program *p, const char *path, const bool *targets,
                            const diff_options *o, bool *same) {
    unsigned count = 0;
    for (size_t w = 0; w < p->answer_count; w++)
        for (int t = 0; t < DIFF_TARGETS; t++) {
            diff_run run = {
                .program = p, .answer = &p->answers[w], .target = (diff_target)t, .optimise = true};
            if (!targets[t] || !diff_applies(p, run.target, run.answer->run.width))
                continue;
            diff_execute(&run, 1, o);
            free(run.vendor);
            count++;
            if (run.verdict.kind == DIFF_NONE || is_refusal(&run.verdict))
                continue;
            printf("DIFFERENCE %s, %s, width %u: %s\n", path, diff_target_name[t],
                   run.answer->run.width, run.verdict.why);
            *same = false;
        }
    return count;
}

/* A file's workgroup depends on the width, so each width is a separate program. False: all are
 * skipped. */
static bool run_file(const char *path, const char *text, size_t size, const bool *targets,
                     const uint32_t *widths, size_t width_count, const diff_options *o, bool *same,
                     unsigned *runs) {
    bool any = false;
    for (size_t w = 0; w < width_count; w++) {
        diff_program p;
        diff_verdict verdict;
        bool opened = diff_open(&p, reduce_copy(text, size), size, &widths[w], 1, &verdict);
        if (opened)
            *runs += run_program(&p, path, targets, o, same);
        diff_close(&p);
        any |= opened;
    }
    return any;
}

int diff_files(char *const *paths, size_t count, const bool *targets, const uint32_t *widths,
               size_t width_count, const diff_options *o) {
    unsigned passed = 0, failed = 0, runs = 0;
    diff_options quiet = *o;
    quiet.before = NULL;
    for (size_t k = 0; k < count; k++) {
        size_t size;
        char *text = tf_read_file(paths[k], &size);
        if (!text) {
            fprintf(stderr, "wave-diff: %s cannot be read\n", paths[k]);
            failed++;
            continue;
        }
        bool same = true;
        bool opened =
            run_file(paths[k], text, size, targets, widths, width_count, &quiet, &same, &runs);
        free(text);
        passed += opened && same;
        failed += !same;
    }
    printf("wave-diff: %zu files, %u executions, %zu left out\n", count, runs,
           count - passed - failed);
    printf("wave-diff: %u passed, %u failed\n", passed, failed);
    return failed || !passed;
}
