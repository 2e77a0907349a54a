/* The test that drives the reduction of a difference: does the text still differ in the same way?
 * Each candidate runs in a separate process, so that a crash or an endless loop is a verdict, too.
 */
#include "gen/diff.h"
#include "gen/reduce.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };

typedef struct subject {
    const diff_run *original;
    uint32_t width; /* the width at which it differs */
    const diff_options *options;
} subject;

static diff_kind kind_of(const subject *s, const char *text, size_t size) {
    diff_program p;
    diff_options o = *s->options;
    o.before = NULL;
    diff_run run = {.program = &p,
                    .answer = &p.answers[0],
                    .target = s->original->target,
                    .optimise = s->original->optimise};
    if (diff_open(&p, reduce_copy(text, size), size, &s->width, 1, &run.verdict) &&
        diff_applies(&p, run.target, s->width))
        diff_execute(&run, 1, &o);
    diff_close(&p);
    free(run.vendor);
    return run.verdict.kind;
}

static bool still_differs(void *user, const char *text, size_t size) {
    const subject *s = user;
    pid_t child = fork();
    if (child < 0)
        abort();
    if (child == 0) {
        alarm(SECONDS);
        _exit((int)kind_of(s, text, size));
    }
    int status;
    if (waitpid(child, &status, 0) != child)
        return false;
    int kind = WIFEXITED(status) ? WEXITSTATUS(status) : DIFF_CRASHED;
    return kind == (int)s->original->verdict.kind;
}

char *diff_reduce(const diff_run *run, const diff_options *o, unsigned *instructions) {
    const diff_program *original = run->program;
    subject s = {run, run->answer->run.width, o};
    reduce_figures figures;
    char *text = reduce_text(original->text, original->size, still_differs, &s, &figures);
    *instructions = figures.instructions;
    return text;
}
