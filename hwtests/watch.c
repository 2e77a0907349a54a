/* The parent's side: starts children, reads their messages, enforces time limits, and continues
 * after a test that killed its child. */
#include "hwtest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct watch {
    hw_session *session;
    hw_device *device;
    unsigned level;
    bool in_test; /* a test has begun */
    size_t test;  /* that test, or the first of those being compiled */
    bool compiling;
    size_t last; /* of the tests being compiled */
    size_t done, all;
} watch;

/* ---- Progress: one line, on a terminal only ---- */

static void show(const watch *w) {
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%s -O%d: %zu of %zu, %u failed: %s%s", w->device->info.name,
            w->level ? 2 : 0, w->done, w->all, w->device->failed, w->compiling ? "compiling " : "",
            w->session->tests[w->test].path);
    fflush(stderr);
}

static void clear_line(void) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

/* ---- Outcomes ---- */

static void keep_litmus(hw_outcome *o, const hw_litmus *counts) {
    if (o->litmus || !counts->runs)
        return;
    o->litmus = hw_allocate(sizeof *o->litmus);
    *o->litmus = *counts;
    if (o->litmus->kinds > HW_OUTCOMES)
        o->litmus->kinds = HW_OUTCOMES;
}

static void settle(watch *w, size_t test, hw_verdict verdict, double seconds, const char *reason) {
    hw_outcome *o = &w->device->outcomes[test * HW_LEVELS + w->level];
    if (o->verdict != HW_PENDING)
        return;
    o->verdict = verdict;
    o->seconds = seconds;
    o->reason = *reason ? hw_copy(reason) : NULL;
    w->done++;
    switch (verdict) {
    case HW_PASSED: w->device->passed++; break;
    case HW_FAILED: w->device->failed++; break;
    case HW_SKIPPED: w->device->skipped++; break;
    default: w->device->not_applicable++; break;
    }
    hw_record(w->session, w->device, test * HW_LEVELS + w->level);
    if (verdict == HW_FAILED && w->session->options.verbose)
        printf("FAIL %s -O%d %s: %s\n", w->device->info.name, w->level ? 2 : 0,
               w->session->tests[test].path, reason);
}

static void take(watch *w, const hw_news *news) {
    w->test = news->test < w->session->test_count ? news->test : 0;
    w->compiling = news->kind == HW_NEWS_COMPILING;
    w->in_test = news->kind == HW_NEWS_BEGIN || w->compiling;
    w->last = w->compiling ? news->last : w->test;
    if (news->kind == HW_NEWS_END)
        keep_litmus(&w->device->outcomes[w->test * HW_LEVELS + w->level], &news->litmus);
    if (news->kind == HW_NEWS_END)
        settle(w, w->test, (hw_verdict)news->verdict, news->seconds, news->text);
    if (news->kind == HW_NEWS_FATAL)
        for (size_t k = 0; k < w->session->test_count; k++)
            settle(w, k, HW_FAILED, 0, news->text);
    show(w);
}

/* ---- One child ---- */

typedef enum fate { FINISHED, GO_ON, HUNG, CRASHED } fate;

enum { SLICE = 1 }; /* seconds between two updates of the files */

/* 1: a message; 0: the end of the pipe; -1: silence for too long. */
static int next_news(hw_session *s, int in, hw_news *news) {
    double limit = hw_now() + s->options.timeout;
    size_t have = 0;
    while (have < sizeof *news) {
        int ready = hw_wait_input(in, SLICE);
        hw_keep_results(s);
        if (ready < 0 || (ready == 0 && hw_now() >= limit))
            return -1;
        if (ready == 0)
            continue;
        ssize_t got = read(in, (char *)news + have, sizeof *news - have);
        if (got <= 0)
            return 0;
        have += (size_t)got;
    }
    return 1;
}

static fate judge_end(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 2)
        return WEXITSTATUS(status) == 1 ? GO_ON : FINISHED;
    return CRASHED;
}

static pid_t start_worker(const watch *w, int *answers) {
    const hw_device *d = w->device;
    size_t count = w->session->test_count, size = sizeof(hw_job) + count;
    uint8_t *bytes = hw_allocate(size);
    hw_job job = {.target = d->target,
                  .wave_width = d->info.wave_width,
                  .level = w->level,
                  .alone = d->alone};
    memcpy(job.device, d->info.name, sizeof job.device);
    memcpy(bytes, &job, sizeof job);
    for (size_t k = 0; k < count; k++)
        bytes[sizeof job + k] = (uint8_t)d->outcomes[k * HW_LEVELS + w->level].verdict;
    pid_t child = hw_start_child(w->session->arguments, "worker", bytes, size, answers);
    free(bytes);
    return child;
}

static fate run_child(watch *w) {
    int answers, status = 0, got;
    hw_news news;
    pid_t child = start_worker(w, &answers);
    w->in_test = false;
    if (child < 0)
        return CRASHED;
    while ((got = next_news(w->session, answers, &news)) > 0)
        take(w, &news);
    close(answers);
    /* A child that has finished reporting may still need time to release the device. */
    if (got >= 0 && hw_wait_child(child, w->session->options.timeout, &status))
        return judge_end(status);
    w->device->stuck = !hw_end_child(child, &status);
    return HUNG;
}

/* Blames the test that a child was lost with. Without one no test can be blamed, and all remaining
 * tests fail. */
static void blame(watch *w, fate how) {
    char text[200];
    if (w->in_test && w->compiling && w->last != w->test) {
        w->device->alone = w->last + 1; /* one of these caused it: compile each separately */
        return;
    }
    const char *what = w->compiling ? "while it was compiled" : "while it ran";
    if (how == HUNG)
        snprintf(text, sizeof text, "%s did not answer for %u seconds %s", w->device->info.name,
                 w->session->options.timeout, what);
    else
        snprintf(text, sizeof text, "the process that drives %s died %s", w->device->info.name,
                 what);
    if (w->in_test)
        settle(w, w->test, HW_FAILED, w->session->options.timeout, text);
    else
        for (size_t k = 0; k < w->session->test_count; k++)
            settle(w, k, HW_FAILED, 0, text);
}

static bool is_pending(const watch *w) {
    for (size_t k = 0; k < w->session->test_count; k++)
        if (w->device->outcomes[k * HW_LEVELS + w->level].verdict == HW_PENDING)
            return true;
    return false;
}

static void give_up(watch *w) {
    char text[200];
    snprintf(text, sizeof text, "not run: a process that drives %s cannot be ended",
             w->device->info.name);
    for (size_t k = 0; k < w->session->test_count; k++)
        settle(w, k, HW_FAILED, 0, text);
}

static void run_level(watch *w) {
    while (is_pending(w)) {
        if (w->device->stuck) {
            give_up(w);
            return;
        }
        size_t before = w->done;
        fate how = run_child(w);
        if (how == HUNG || how == CRASHED)
            blame(w, how);
        else if (w->done == before) { /* it exited normally but made no progress, and never will */
            w->in_test = false;
            blame(w, CRASHED);
        }
        w->device->restarts += is_pending(w);
    }
}

void hw_run_device(hw_session *s, hw_device *d) {
    watch w = {.session = s, .device = d};
    double begin = hw_now();
    d->begun = true;
    for (size_t t = 0; t < s->test_count * HW_LEVELS; t++)
        w.all += hw_is_run(s, t);
    for (w.level = 0; w.level < HW_LEVELS; w.level++) {
        d->alone = 0;
        for (size_t k = 0; k < s->test_count; k++) {
            char reason[320] = "";
            hw_verdict v = s->options.levels[w.level]
                               ? hw_judge(&s->tests[k], d, reason, sizeof reason)
                               : HW_SKIPPED;
            if (!s->options.levels[w.level])
                d->outcomes[k * HW_LEVELS + w.level].verdict = HW_SKIPPED;
            else if (v != HW_PENDING)
                settle(&w, k, v, 0, reason);
        }
        run_level(&w);
    }
    clear_line();
    d->seconds = hw_now() - begin;
}
