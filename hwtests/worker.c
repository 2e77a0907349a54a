/* The child process: opens the device, compiles tests in groups, launches, compares, reports. */
#include "hwtest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct worker {
    const hw_session *session;
    const hw_device *device;
    unsigned level;
    int out;
    wave_rt_device *open;
    wave_rt_queue *queue;
    hw_traffic *traffic; /* NULL: no litmus program so far */
} worker;

enum { LARGEST_GROUP = 64 };

typedef struct group {
    size_t indices[LARGEST_GROUP];
    const hw_test *tests[LARGEST_GROUP];
    size_t count;
} group;

/* ---- Reporting ---- */

static void send_news(const worker *w, const hw_news *news) {
    hw_limit_silence(w->session->options.timeout);
    if (write(w->out, news, sizeof *news) != (ssize_t)sizeof *news)
        _exit(2);
}

static void tell(const worker *w, uint32_t kind, size_t test, hw_verdict verdict, double seconds,
                 const char *text) {
    hw_news news = {.kind = kind,
                    .test = (uint32_t)test,
                    .level = w->level,
                    .verdict = (uint32_t)verdict,
                    .seconds = seconds};
    snprintf(news.text, sizeof news.text, "%s", text);
    send_news(w, &news);
}

static void tell_compiling(const worker *w, const group *g) {
    hw_news news = {.kind = HW_NEWS_COMPILING,
                    .test = (uint32_t)g->indices[0],
                    .level = w->level,
                    .last = (uint32_t)g->indices[g->count - 1]};
    send_news(w, &news);
}

static void join(char *text, size_t size, const wave_rt_error *error) {
    snprintf(text, size, "%s: %s%s%.800s", wave_rt_status_text(error->status), error->message,
             error->log[0] ? "\n" : "", error->log);
}

/* True for a software device; memory traffic there costs time and reveals nothing. */
static bool is_simulated(const worker *w) {
    const char *title = wave_rt_device_describe(w->open)->title;
    return w->device->target == TF_EMU || strstr(title, "Simulated");
}

/* ---- One launch ---- */

/* Errors after which the device may be in a bad state: a new process continues. */
static bool is_poisoned(wave_rt_status status) {
    return status == WAVE_RT_LAUNCH || status == WAVE_RT_LOST;
}

/* Waits for the kernel. A test that expects an assert must fail with it; the assert's text may
 * follow its number. */
static wave_rt_status wait_for(const worker *w, const ref_case *c, wave_rt_error *error) {
    char expected[80];
    wave_rt_status status = wave_rt_wait(w->queue, error);
    if (!c->test->fails)
        return status;
    const int length = snprintf(expected, sizeof expected, "assert number %u of the kernel failed",
                                (unsigned)c->test->status);
    if (status == WAVE_RT_LAUNCH && strncmp(error->message, expected, (size_t)length) == 0 &&
        (!error->message[length] || error->message[length] == ':'))
        return WAVE_RT_OK;
    if (status == WAVE_RT_OK) {
        error->status = WAVE_RT_LAUNCH;
        snprintf(error->message, sizeof error->message, "no assert failed");
    }
    return error->status;
}

void hw_fill_launch(const ref_case *c, const wave_rt_module *module, size_t kernel,
                    wave_rt_arena *arena, uint32_t *words, wave_rt_launch *l) {
    wave_rt_launch_init(l);
    l->module = module;
    l->kernel = kernel;
    l->arena = arena;
    l->words = words;
    l->word_count = ref_arguments(c, words);
    memcpy(l->grid, c->run.grid, sizeof l->grid);
    memcpy(l->workgroup, c->group, sizeof l->workgroup);
}

static wave_rt_status launch(const worker *w, const ref_case *c, const wave_rt_module *module,
                             size_t kernel, uint8_t *memory, wave_rt_error *error) {
    uint32_t words[TF_MAX_ARGS];
    wave_rt_arena *arena;
    wave_rt_launch l;
    wave_rt_status status = wave_rt_arena_create(w->open, c->run.size, &arena, error);
    if (status != WAVE_RT_OK)
        return status;
    wave_rt_buffer whole = wave_rt_arena_whole(arena);
    hw_fill_launch(c, module, kernel, arena, words, &l);
    if ((status = wave_rt_upload(w->queue, &whole, 0, memory, c->run.size, error)) == WAVE_RT_OK &&
        (status = wave_rt_dispatch(w->queue, &l, error)) == WAVE_RT_OK &&
        (status = wait_for(w, c, error)) == WAVE_RT_OK)
        status = wave_rt_download(w->queue, &whole, 0, memory, c->run.size, error);
    wave_rt_arena_destroy(arena);
    return status;
}

typedef struct life {
    const worker *worker;
    hw_news sign;
} life;

static void tell_alive(const void *user) {
    const life *l = user;
    send_news(l->worker, &l->sign);
}

/* Runs a litmus program repeatedly. False on failure; `news` has the reason or the counts. */
static bool repeat(worker *w, const ref_case *c, const wave_rt_module *module, size_t kernel,
                   hw_news *news, wave_rt_status *status) {
    wave_rt_error error = {0};
    const life user = {w, {.kind = HW_NEWS_BEGIN, .test = news->test, .level = w->level}};
    hw_litmus_job job = {.device = w->open,
                         .queue = w->queue,
                         .test = c,
                         .module = module,
                         .kernel = kernel,
                         .runs = hw_litmus_runs(&w->session->options, w->device),
                         .alive = tell_alive,
                         .user = &user};
    if (!job.runs)
        return true;
    if (!w->traffic)
        *status = hw_traffic_start(w->open, is_simulated(w), &w->traffic, &error);
    job.traffic = w->traffic;
    if (*status == WAVE_RT_OK)
        *status = hw_repeat_litmus(&job, &news->litmus, &error);
    if (*status == WAVE_RT_OK)
        return !hw_complain_litmus(&news->litmus, news->text, sizeof news->text);
    join(news->text, sizeof news->text, &error);
    return false;
}

/* False when this process must not continue. */
static bool run_case(worker *w, const ref_case *c, size_t index, const wave_rt_module *module,
                     size_t kernel) {
    wave_rt_error error = {0};
    hw_news news = {.kind = HW_NEWS_END, .test = (uint32_t)index, .level = w->level};
    uint8_t *memory = ref_fresh_memory(c);
    double begin = hw_now();
    tell(w, HW_NEWS_BEGIN, index, HW_PENDING, 0, "");
    wave_rt_status status = launch(w, c, module, kernel, memory, &error);
    bool good = status == WAVE_RT_OK;
    if (!good)
        join(news.text, sizeof news.text, &error);
    else if (!(good = ref_compare(c, memory, hw_compare_mode(w->device), news.text,
                                  sizeof news.text)) &&
             !*news.text)
        snprintf(news.text, sizeof news.text, "memory differs");
    /* repeat even after a failure: the frequency of a forbidden outcome matters */
    if (status == WAVE_RT_OK && hw_is_litmus(&w->session->tests[index]))
        good = repeat(w, c, module, kernel, &news, &status) && good;
    news.verdict = good ? HW_PASSED : HW_FAILED;
    news.seconds = hw_now() - begin;
    send_news(w, &news);
    free(memory);
    return !is_poisoned(status);
}

/* ---- Groups ---- */

static wave_rt_status compile(const worker *w, const char *source, size_t size,
                              const wave_load_options *load, wave_rt_module **module,
                              wave_rt_error *error) {
    wave_rt_module_options options;
    wave_blob binary = {0};
    *module = NULL;
    if (wave_assemble(source, size, NULL, &binary, NULL) != WAVE_OK) {
        error->status = WAVE_RT_BAD_INPUT;
        snprintf(error->message, sizeof error->message, "does not assemble");
        return WAVE_RT_BAD_INPUT;
    }
    wave_rt_module_init(&options);
    options.load = *load;
    options.optimise = w->level != 0;
    options.cache = ""; /* the test must compile afresh */
    wave_rt_status status =
        wave_rt_module_load(w->open, binary.data, binary.size, &options, module, error);
    wave_blob_free(&binary);
    return status;
}

/* Must be loaded separately: it has unusual load options, or file-scope names. */
static bool is_special(const hw_test *t) {
    return !hw_can_merge(t) || t->test->lenient || t->test->registers || t->test->local_memory;
}

/* Finds the kernel of a test in the module of its group, where all are renamed. */
static long find_kernel(const ref_case *c, const wave_rt_module *module, size_t number) {
    char name[300];
    snprintf(name, sizeof name, "t%zu_%s", number, c->info->name);
    return wave_module_find_kernel(wave_rt_module_kernels(module), name);
}

static bool run_group_case(worker *w, const group *g, size_t number, const wave_rt_module *module) {
    const hw_test *t = g->tests[number];
    ref_case c;
    bool go_on = true;
    ref_status status = ref_open_text(&c, t->path, t->source, t->size, w->device->target,
                                      w->device->info.wave_width);
    long kernel = status == REF_READY ? find_kernel(&c, module, number) : -1;
    if (status != REF_READY || kernel < 0)
        tell(w, HW_NEWS_END, g->indices[number], HW_FAILED, 0, "the emulator cannot run it");
    else
        go_on = run_case(w, &c, g->indices[number], module, (size_t)kernel);
    ref_close(&c);
    return go_on;
}

/* Bisects a group that does not compile, until the failing test is found. */
static bool run_group(worker *w, const group *g) {
    wave_rt_module *module;
    wave_rt_error error = {0};
    size_t size;
    char *source = hw_merge(g->tests, g->count, &size);
    bool go_on = true;
    tell_compiling(w, g);
    wave_load_options load = tf_load_options(g->tests[0]->test);
    wave_rt_status status = compile(w, source, size, &load, &module, &error);
    free(source);
    if (status == WAVE_RT_OK) {
        for (size_t k = 0; k < g->count && go_on; k++)
            go_on = run_group_case(w, g, k, module);
    } else if (g->count == 1) {
        char text[HW_TEXT];
        /* libwave refuses features that the target does not support, with a separate code */
        bool refused = status == WAVE_RT_BAD_INPUT && strstr(error.log, "E_TARGET_");
        join(text, sizeof text, &error);
        tell(w, HW_NEWS_END, g->indices[0], refused ? HW_SKIPPED : HW_FAILED, 0, text);
    } else {
        for (size_t half = 0; half < 2 && go_on; half++) {
            size_t middle = g->count / 2, first = half ? middle : 0;
            group part = {.count = half ? g->count - middle : middle};
            memcpy(part.indices, &g->indices[first], part.count * sizeof *part.indices);
            memcpy(part.tests, &g->tests[first], part.count * sizeof(hw_test *));
            go_on = run_group(w, &part);
        }
    }
    wave_rt_module_destroy(module);
    return go_on;
}

/* Takes the next pending tests from *at on; a special one forms its own group. */
static void next_group(const worker *w, size_t *at, size_t most, group *g) {
    const hw_session *s = w->session;
    g->count = 0;
    for (; *at < s->test_count && g->count < most; ++*at) {
        const hw_test *t = &s->tests[*at];
        if (w->device->outcomes[*at * HW_LEVELS + w->level].verdict != HW_PENDING || !t->test)
            continue;
        if ((is_special(t) || *at < w->device->alone) && g->count)
            return;
        g->indices[g->count] = *at;
        g->tests[g->count++] = t;
        if (is_special(t) || *at < w->device->alone) {
            ++*at;
            return;
        }
    }
}

/* Reads the job and the part of the device that the worker uses. */
static bool read_job(const hw_session *s, hw_device *d, unsigned *level) {
    size_t size = sizeof(hw_job) + s->test_count;
    uint8_t *bytes = hw_allocate(size);
    hw_job job = {0};
    bool good = hw_read_job(bytes, size);
    if (good)
        memcpy(&job, bytes, sizeof job);
    good = good && job.level < HW_LEVELS && memchr(job.device, '\0', sizeof job.device);
    *d = (hw_device){.target = job.target, .alone = (size_t)job.alone};
    *level = job.level;
    if (good) {
        d->info.wave_width = job.wave_width;
        snprintf(d->info.name, sizeof d->info.name, "%s", job.device);
        d->outcomes = hw_allocate(s->test_count * HW_LEVELS * sizeof *d->outcomes);
        for (size_t k = 0; k < s->test_count; k++)
            d->outcomes[k * HW_LEVELS + job.level].verdict = (hw_verdict)bytes[sizeof job + k];
    }
    free(bytes);
    return good;
}

/* Reports files that the parent could read and that have changed since. */
static void tell_broken(const worker *w) {
    for (size_t k = 0; k < w->session->test_count; k++)
        if (!w->session->tests[k].test &&
            w->device->outcomes[k * HW_LEVELS + w->level].verdict == HW_PENDING)
            tell(w, HW_NEWS_END, k, HW_FAILED, 0, w->session->tests[k].broken);
}

_Noreturn void hw_work(const hw_session *s) {
    hw_device d;
    worker w = {.session = s, .device = &d, .out = HW_ANSWERS};
    wave_rt_error error = {0};
    group g;
    size_t at = 0;
    bool go_on = true;
    if (!read_job(s, &d, &w.level)) {
        fprintf(stderr,
                "wave-hwtest: --child is only for processes that wave-hwtest starts itself\n");
        exit(2);
    }
    size_t most = d.target == TF_EMU ? 1 : s->options.batch;
    tell_broken(&w);
    hw_limit_silence(s->options.timeout);
    /* A crashing compiler may kill this process: that is what the process is for. */
    (void)setenv("WAVE_RT_TRIAL", "off", 1);
    if (wave_rt_open(d.info.name, &w.open, &error) != WAVE_RT_OK ||
        wave_rt_queue_create(w.open, &w.queue, &error) != WAVE_RT_OK) {
        char text[HW_TEXT];
        join(text, sizeof text, &error);
        tell(&w, HW_NEWS_FATAL, 0, HW_FAILED, 0, text);
        _exit(2);
    }
    while (go_on && (next_group(&w, &at, most < LARGEST_GROUP ? most : LARGEST_GROUP, &g), g.count))
        go_on = run_group(&w, &g);
    hw_traffic_end(w.traffic);
    wave_rt_queue_destroy(w.queue);
    wave_rt_close(w.open);
    free(d.outcomes);
    fflush(stdout);
    exit(go_on ? 0 : 1);
}
