/* wave-threads: eight threads do everything the library does with several files at once, each in a
 * different order; all results must be the same as in one thread. Built with ThreadSanitizer it
 * also shows that nothing is shared. */
#include "harden/actions.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, MOST_SUBJECTS = 64, MOST_JOBS = 4096 };

typedef struct job {
    const subject *s;
    const action *a;
    unsigned variant;
    outcome alone;
} job;

typedef struct worker {
    pthread_t thread;
    const job *jobs;
    size_t count, start, step;
    size_t done, different, first_different;
} worker;

static void *work(void *argument) {
    worker *w = argument;
    uint8_t *memory = malloc(ACTION_MEMORY);
    for (size_t k = 0; memory && k < w->count; k++) {
        size_t at = (w->start + k * w->step) % w->count;
        const job *j = &w->jobs[at];
        outcome o = action_run(j->s, j->a, j->variant, memory);
        bool same =
            o.status == j->alone.status && o.hash == j->alone.hash && o.errors == j->alone.errors;
        if (!same && w->different++ == 0)
            w->first_different = at;
        w->done++;
    }
    free(memory);
    return NULL;
}

static size_t list_jobs(const subject *subjects, int count, job *jobs) {
    static uint8_t memory[ACTION_MEMORY];
    size_t n = 0;
    for (int k = 0; k < count; k++)
        for (const action *a = actions; a < actions + action_count; a++)
            for (unsigned v = 0; subject_fits(&subjects[k], a) && v < a->variants; v++)
                if (n < MOST_JOBS)
                    jobs[n++] = (job){&subjects[k], a, v, action_run(&subjects[k], a, v, memory)};
    return n;
}

static bool coprime(size_t a, size_t b) {
    while (b) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

/* Every thread executes all jobs, with a different start and stride. */
static void run_threads(const job *jobs, size_t count, size_t *passed, size_t *failed) {
    static worker workers[THREADS];
    bool started[THREADS];
    size_t step = 1;
    for (size_t t = 0; t < THREADS; t++) {
        do
            step += 2;
        while (!coprime(step, count));
        workers[t] =
            (worker){.jobs = jobs, .count = count, .start = t * count / THREADS, .step = step};
        started[t] = pthread_create(&workers[t].thread, NULL, work, &workers[t]) == 0;
    }
    for (size_t t = 0; t < THREADS; t++) {
        if (started[t])
            pthread_join(workers[t].thread, NULL);
        const job *bad = &jobs[workers[t].first_different];
        *passed += workers[t].done - workers[t].different;
        *failed += workers[t].different + (workers[t].done != count);
        if (workers[t].different)
            printf("FAIL %s, %s %u: a different result in thread %zu\n", bad->s->path, bad->a->name,
                   bad->variant, t);
    }
}

int main(int argc, char **argv) {
    static subject subjects[MOST_SUBJECTS];
    static job jobs[MOST_JOBS];
    size_t passed = 0, failed = 0;
    int count = argc - 1 < MOST_SUBJECTS ? argc - 1 : MOST_SUBJECTS;
    failed += argc - 1 > count;
    for (int k = 0; k < count; k++)
        failed += !subject_open(&subjects[k], argv[k + 1]);
    size_t n = failed ? 0 : list_jobs(subjects, count, jobs);
    if (n)
        run_threads(jobs, n, &passed, &failed);
    for (int k = 0; k < count; k++)
        subject_close(&subjects[k]);
    printf("wave-threads: %zu passed, %zu failed\n", passed, failed);
    return failed || !passed ? 1 : 0;
}
