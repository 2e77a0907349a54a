/* Executing workgroups on several threads. All threads draft a batch of workgroups, then the drafts
 * are committed in order (draft.h). A workgroup whose draft is stale, and those of the batch that
 * follow it, are executed one after the other; when this keeps happening, so are all the rest. */
#include "emu/draft.h"

#include <stdlib.h>

#if defined(__wasi__) || defined(__EMSCRIPTEN__)
#define HAVE_THREADS 0
#else
#define HAVE_THREADS 1
#include <pthread.h>
#include <unistd.h>
#endif

enum {
    MOST_JOBS = 64,
    WORTH = 300000,         /* instructions per launch that make threads worthwhile */
    FIRST_WORK = 1600000,   /* instructions of a job before the first synchronisation … */
    BATCH_WORK = 6400000,   /* … and at most between two later ones: threads wait at each */
    BATCH_MOST = 512,       /* workgroups of a job between two synchronisations */
    BATCH_WEIGHT = 1 << 24, /* bytes of drafts at which batches stop growing */
    MOST_FAILURES = 3       /* consecutive batches with stale drafts */
};

/* The workgroup with that number; x varies fastest. */
static void place(const wave_launch *launch, uint64_t number, uint32_t at[3]) {
    at[0] = (uint32_t)(number % launch->grid[0]);
    at[1] = (uint32_t)(number / launch->grid[0] % launch->grid[1]);
    at[2] = (uint32_t)(number / launch->grid[0] / launch->grid[1]);
}

static void run_in_turn(emu_machine *m, uint64_t from, uint64_t to) {
    for (uint64_t number = from; number < to && m->status == WAVE_OK; number++) {
        uint32_t at[3];
        place(m->launch, number, at);
        emu_begin_workgroup(m, at);
        emu_run_workgroup(m);
    }
}

#if HAVE_THREADS

typedef struct crew crew;

typedef struct worker {
    crew *all;
    emu_machine machine;
    emu_drafting drafting;
    pthread_t thread;
    bool started;
} worker;

/* State shared by the workers. */
struct crew {
    worker *workers;
    uint32_t count;
    emu_draft *drafts;
    uint32_t capacity; /* of drafts */
    uint32_t quota;    /* workgroups of the next batch */
    uint64_t *written; /* blocks written in this batch */

    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    uint64_t first;   /* of the batch */
    uint32_t size;    /* workgroups in it */
    uint32_t next;    /* the next to be drafted */
    uint32_t working; /* workers that have not finished it */
    uint32_t batch;   /* its number */
    uint64_t most;    /* instructions of a draft; limited, as a workgroup may wait for another */
    bool over;
};

static void draft_batch(worker *w) {
    crew *all = w->all;
    for (;;) {
        pthread_mutex_lock(&all->lock);
        const uint32_t k = all->next < all->size ? all->next++ : all->size;
        pthread_mutex_unlock(&all->lock);
        if (k == all->size)
            return;
        uint32_t at[3];
        place(w->machine.launch, all->first + k, at);
        emu_draft_workgroup(&w->machine, &all->drafts[k], at, all->most);
    }
}

static void *work(void *user) {
    worker *w = user;
    crew *all = w->all;
    uint32_t seen = 0;
    emu_set_environment();
    pthread_mutex_lock(&all->lock);
    while (!all->over) {
        if (all->batch == seen) {
            pthread_cond_wait(&all->begin, &all->lock);
            continue;
        }
        seen = all->batch;
        pthread_mutex_unlock(&all->lock);
        draft_batch(w);
        pthread_mutex_lock(&all->lock);
        if (--all->working == 0)
            pthread_cond_signal(&all->done);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

static bool prepare_worker(worker *w, crew *all, const emu_machine *m) {
    w->all = all;
    w->machine = (emu_machine){.launch = m->launch, .module = m->module, .kernel = m->kernel};
    w->machine.drafting = &w->drafting;
    return emu_drafting_init(&w->drafting, m->device_size) && emu_prepare(&w->machine);
}

static bool make_drafts(crew *all, const emu_machine *m, uint32_t capacity) {
    const size_t counts = 2 * ((size_t)m->kernel->info.instructions + 1);
    all->drafts = calloc(capacity, sizeof *all->drafts);
    all->capacity = all->drafts ? capacity : 0;
    for (uint32_t i = 0; m->launch->stats && i < all->capacity; i++) {
        all->drafts[i].counts = calloc(counts, sizeof(uint64_t));
        if (!all->drafts[i].counts)
            return false;
    }
    all->written = calloc((size_t)(m->device_size >> DRAFT_SHIFT) / 64 + 1, sizeof *all->written);
    return all->drafts && all->written;
}

/* The number of workgroups that gives every job about this many instructions. */
static uint32_t batch_of(uint64_t work, uint64_t cost, uint32_t jobs) {
    const uint64_t each = work / (cost ? cost : 1) + 1;
    return (uint32_t)(each < BATCH_MOST ? each : BATCH_MOST) * jobs;
}

/* If a thread cannot be started, the crew works without it. The first worker is the calling
 * thread. */
static bool open_crew(crew *all, const emu_machine *m, uint64_t cost, uint32_t jobs) {
    all->workers = calloc(jobs, sizeof *all->workers);
    all->quota = batch_of(FIRST_WORK, cost, jobs);
    if (!all->workers || !make_drafts(all, m, batch_of(BATCH_WORK, cost, jobs)))
        return false;
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->begin, NULL);
    pthread_cond_init(&all->done, NULL);
    for (; all->count < jobs; all->count++) {
        worker *w = &all->workers[all->count];
        if (!prepare_worker(w, all, m) ||
            (all->count > 0 && pthread_create(&w->thread, NULL, work, w) != 0))
            break;
        w->started = all->count > 0;
    }
    return all->count > 1;
}

static void stop_threads(crew *all) {
    pthread_mutex_lock(&all->lock);
    all->over = true;
    pthread_cond_broadcast(&all->begin);
    pthread_mutex_unlock(&all->lock);
    for (uint32_t i = 0; i < all->count; i++)
        if (all->workers[i].started)
            pthread_join(all->workers[i].thread, NULL);
    pthread_mutex_destroy(&all->lock);
    pthread_cond_destroy(&all->begin);
    pthread_cond_destroy(&all->done);
}

static void close_crew(crew *all, uint32_t jobs) {
    if (all->count)
        stop_threads(all);
    for (uint32_t i = 0; all->workers && i < jobs; i++) {
        emu_release(&all->workers[i].machine);
        emu_drafting_free(&all->workers[i].drafting);
    }
    for (uint32_t i = 0; i < all->capacity; i++)
        emu_draft_free(&all->drafts[i]);
    free(all->workers);
    free(all->drafts);
    free(all->written);
}

static void meet(crew *all, uint64_t first, uint32_t size) {
    pthread_mutex_lock(&all->lock);
    all->first = first;
    all->size = size;
    all->next = 0;
    all->working = all->count - 1;
    all->batch++;
    pthread_cond_broadcast(&all->begin);
    pthread_mutex_unlock(&all->lock);
    draft_batch(&all->workers[0]);
    pthread_mutex_lock(&all->lock);
    while (all->working)
        pthread_cond_wait(&all->done, &all->lock);
    pthread_mutex_unlock(&all->lock);
}

/* Commits the drafts of the batch that are valid and returns their number. */
static uint32_t commit_batch(emu_machine *m, crew *all) {
    uint32_t done = 0;
    for (; done < all->size; done++) {
        const emu_draft *draft = &all->drafts[done];
        if (!draft->valid || emu_draft_is_stale(draft, all->written))
            break;
        emu_draft_commit(m, draft, all->written);
        if (draft->instructions > all->most / 64)
            all->most = 64 * draft->instructions;
    }
    for (uint32_t i = 0; i < done; i++)
        emu_draft_forget(&all->drafts[i], all->written);
    return done;
}

/* Batches grow while all drafts are valid and small. */
static void grow_batch(crew *all) {
    size_t weight = 0;
    for (uint32_t i = 0; i < all->size; i++)
        weight += emu_draft_weight(&all->drafts[i]);
    if (weight < BATCH_WEIGHT)
        all->quota = 2 * all->quota < all->capacity ? 2 * all->quota : all->capacity;
}

/* Returns the number of the first workgroup that has not run. */
static uint64_t run_batches(emu_machine *m, crew *all, uint64_t first, uint64_t total) {
    uint32_t failures = 0;
    while (first < total && failures < MOST_FAILURES && m->status == WAVE_OK) {
        const uint32_t size = total - first < all->quota ? (uint32_t)(total - first) : all->quota;
        meet(all, first, size);
        const uint32_t done = commit_batch(m, all);
        failures = done == size ? 0 : failures + 1;
        if (done == size)
            grow_batch(all);
        run_in_turn(m, first + done, first + size);
        first += size;
    }
    return first;
}

/* Workgroups from `first` on, each of about `cost` instructions. */
static void run_jobs(emu_machine *m, uint64_t first, uint64_t total, uint64_t cost, uint32_t jobs) {
    crew all = {.most = 64 * (cost + 1000)};
    if (open_crew(&all, m, cost, jobs))
        first = run_batches(m, &all, first, total);
    close_crew(&all, jobs);
    run_in_turn(m, first, total);
}

/* What the launch requests, or the number of cores, but at most one per workgroup; 1 with observers
 * or a random order of waves. */
static uint32_t job_count(const emu_machine *m, uint64_t workgroups) {
    const wave_launch *launch = m->launch;
    if (m->observer_count || launch->random_schedule || launch->scoped_memory)
        return 1;
    const long jobs = launch->jobs ? (long)launch->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t most = workgroups < MOST_JOBS ? (uint32_t)workgroups : MOST_JOBS;
    return jobs < 1 ? 1 : jobs > (long)most ? most : (uint32_t)jobs;
}

#else

static void run_jobs(emu_machine *m, uint64_t first, uint64_t total, uint64_t cost, uint32_t jobs) {
    (void)cost;
    (void)jobs;
    run_in_turn(m, first, total);
}

static uint32_t job_count(const emu_machine *m, uint64_t workgroups) {
    (void)m;
    (void)workgroups;
    return 1;
}

#endif

/* The cost of the first workgroup predicts that of the others. */
void emu_run_grid(emu_machine *m) {
    const uint32_t *grid = m->launch->grid;
    const uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2];
    const uint64_t limit = m->launch->max_instructions ? m->launch->max_instructions : UINT64_MAX;
    const uint32_t jobs = job_count(m, total - 1);
    run_in_turn(m, 0, 1);
    const uint64_t cost = limit - m->left;
    if (m->status == WAVE_OK && jobs > 1 && cost > WORTH / total)
        run_jobs(m, 1, total, cost, jobs);
    else
        run_in_turn(m, 1, total);
}
