/* Litmus programs: their observations may differ from run to run, so they run many times next to
 * memory traffic, and outcomes are counted. An outcome is the content of a program's buffer `seen`,
 * per workgroup, or else of `out`. It is forbidden when the same part of `out` differs from the
 * emulator's. */
#include "hwtest.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 16, PUSH_EVERY = 16, TELL_EVERY = 256 };

bool hw_is_litmus(const hw_test *t) {
    const char *slash = strrchr(t->path, '/');
    return strncmp(slash ? slash + 1 : t->path, "litmus_", 7) == 0;
}

unsigned hw_litmus_runs(const hw_options *o, const hw_device *d) {
    /* Intel's CPU device runs the waves of a workgroup one after the other, so there is little to
     * observe. */
    enum { EMULATED = 20, ON_CPU = 200, REAL = 10000 };
    if (o->litmus != HW_LITMUS_BY_DEVICE)
        return o->litmus;
    if (d->target == TF_EMU)
        return EMULATED;
    return strncmp(d->info.name, "sycl:cpu", 8) == 0 ? ON_CPU : REAL;
}

/* ---- Counting ---- */

typedef struct seen {
    uint32_t words[MOST_WORDS];
    bool forbidden;
} seen;

/* A buffer, counted in words. */
typedef struct extent {
    uint64_t address, words;
} extent;

typedef struct tally {
    const ref_case *c;
    extent shown, judged; /* what an outcome shows, and what decides whether it is allowed */
    uint64_t parts;       /* number of workgroups with separate parts */
    seen kinds[HW_OUTCOMES];
    hw_litmus *counts;
} tally;

/* No words: there is no such buffer, or its elements are smaller. */
static extent find_buffer(const ref_case *c, const char *name) {
    for (size_t k = 0; k < c->test->buffer_count; k++) {
        const size_t each = val_size(c->test->buffers[k].type) / sizeof(uint32_t);
        if (strcmp(c->test->buffers[k].name, name) == 0 && each)
            return (extent){c->run.places[k].address, c->run.places[k].count * each};
    }
    return (extent){0, 0};
}

static bool start_tally(tally *t, const ref_case *c, hw_litmus *counts) {
    const extent own = find_buffer(c, "seen");
    uint64_t groups = (uint64_t)c->run.grid[0] * c->run.grid[1] * c->run.grid[2];
    *t = (tally){.c = c, .judged = find_buffer(c, "out"), .parts = 1, .counts = counts};
    if (!t->judged.words)
        return false;
    t->shown = own.words ? own : t->judged;
    if (own.words && own.words % groups == 0 && t->judged.words % groups == 0)
        t->parts = groups;
    return true;
}

static bool is_same(const seen *a, const seen *b) {
    return a->forbidden == b->forbidden && memcmp(a->words, b->words, sizeof a->words) == 0;
}

static void count_outcome(tally *t, const seen *one) {
    hw_litmus *counts = t->counts;
    uint32_t k = 0;
    counts->forbidden += one->forbidden;
    while (k < counts->kinds && !is_same(&t->kinds[k], one))
        k++;
    if (k == HW_OUTCOMES) {
        counts->others++;
        return;
    }
    if (k == counts->kinds) {
        t->kinds[counts->kinds++] = *one;
        counts->outcomes[k].forbidden = one->forbidden;
    }
    counts->outcomes[k].times++;
}

static void count_run(tally *t, const uint8_t *memory) {
    uint64_t shown = t->shown.words / t->parts, judged = t->judged.words / t->parts;
    for (uint64_t part = 0; part < t->parts; part++) {
        seen one = {0};
        uint64_t from = t->shown.address + part * shown * 4;
        uint64_t out = t->judged.address + part * judged * 4;
        memcpy(one.words, memory + from, (shown < MOST_WORDS ? shown : MOST_WORDS) * 4);
        one.forbidden = memcmp(memory + out, t->c->memory + out, judged * 4) != 0;
        count_outcome(t, &one);
    }
    t->counts->runs++;
}

/* ---- As text ---- */

/* The number of significant words: those after it are zero in every outcome. */
static unsigned used_words(const tally *t) {
    uint64_t most = t->shown.words / t->parts;
    unsigned used = most < MOST_WORDS ? (unsigned)most : MOST_WORDS;
    for (; used > 1; used--)
        for (uint32_t k = 0; k < t->counts->kinds; k++)
            if (t->kinds[k].words[used - 1])
                return used;
    return used;
}

static void name_outcomes(const tally *t) {
    unsigned used = used_words(t);
    for (uint32_t k = 0; k < t->counts->kinds; k++) {
        char *text = t->counts->outcomes[k].text;
        size_t size = sizeof t->counts->outcomes[k].text, at = 0;
        for (unsigned w = 0; w < used && at < size; w++)
            at +=
                (size_t)snprintf(text + at, size - at, "%s%u", w ? " " : "", t->kinds[k].words[w]);
    }
}

/* ---- Running ---- */

static wave_rt_status run_once(const hw_litmus_job *job, const wave_rt_launch *l, uint8_t *memory,
                               wave_rt_error *error) {
    const ref_case *c = job->test;
    wave_rt_buffer whole = wave_rt_arena_whole(l->arena);
    wave_rt_status status =
        wave_rt_upload(job->queue, &whole, 0, c->run.memory, c->run.size, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_dispatch(job->queue, l, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_wait(job->queue, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_download(job->queue, &whole, 0, memory, c->run.size, error);
    return status;
}

static wave_rt_status run_all(const hw_litmus_job *job, const wave_rt_launch *l, tally *t,
                              wave_rt_error *error) {
    uint8_t *memory = hw_allocate(job->test->run.size);
    wave_rt_status status = WAVE_RT_OK;
    for (unsigned k = 0; k < job->runs && status == WAVE_RT_OK; k++) {
        if (k % PUSH_EVERY == 0) {
            status = hw_traffic_wait(job->traffic, error);
            if (status == WAVE_RT_OK)
                status = hw_traffic_push(job->traffic, k / PUSH_EVERY, error);
        }
        if (k % TELL_EVERY == 0)
            job->alive(job->user);
        if (status == WAVE_RT_OK)
            status = run_once(job, l, memory, error);
        if (status == WAVE_RT_OK)
            count_run(t, memory);
    }
    if (status == WAVE_RT_OK)
        status = hw_traffic_wait(job->traffic, error);
    free(memory);
    return status;
}

wave_rt_status hw_repeat_litmus(const hw_litmus_job *job, hw_litmus *counts, wave_rt_error *error) {
    uint32_t words[TF_MAX_ARGS];
    wave_rt_launch l;
    wave_rt_arena *arena;
    tally t;
    *counts = (hw_litmus){0};
    if (!start_tally(&t, job->test, counts)) {
        error->status = WAVE_RT_USAGE;
        snprintf(error->message, sizeof error->message,
                 "a litmus program needs a buffer 'out' of words");
        return WAVE_RT_USAGE;
    }
    wave_rt_status status = wave_rt_arena_create(job->device, job->test->run.size, &arena, error);
    if (status != WAVE_RT_OK)
        return status;
    hw_fill_launch(job->test, job->module, job->kernel, arena, words, &l);
    status = run_all(job, &l, &t, error);
    name_outcomes(&t);
    wave_rt_arena_destroy(arena);
    return status;
}

bool hw_complain_litmus(const hw_litmus *counts, char *text, size_t size) {
    for (uint32_t k = 0; k < counts->kinds; k++)
        if (counts->outcomes[k].forbidden) {
            snprintf(text, size, "%u forbidden outcomes in %u runs, among them: %s",
                     (unsigned)counts->forbidden, (unsigned)counts->runs, counts->outcomes[k].text);
            return true;
        }
    if (counts->forbidden)
        snprintf(text, size, "%u forbidden outcomes in %u runs", (unsigned)counts->forbidden,
                 (unsigned)counts->runs);
    return counts->forbidden != 0;
}
