/* The library of simt_run.h: several processes compile units at the same time; each unit runs as
 * soon as it is ready, in a child process that shares only the results. */
#include "simt/build.h"
#include "simt/machine.h"
#include "simt/simt_run.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEFAULT_STEPS = 50000000, CHUNK_BYTES = 64 << 20, UNIT_TEXT = 512 * 1024, MAX_JOBS = 16 };

static const char *const error_names[SIMT_ERROR_COUNT] = {
    "ok",
    "divergent-barrier",
    "partial-collective",
    "not-uniform",
    "deadlock",
    "endless",
    "out-of-bounds",
    "stack",
    "trap",
    "undefined",
    "crash",
    "no-compile",
};

const char *simt_error_name(simt_error error) {
    return error_names[error];
}

/* Every run, from any clone, that names the same cache finds the objects again
 * (tests/tools/cache.py). */
static const char *object_folder(void) {
    static char folder[BUILD_PATH];
    const char *cache = getenv("WAVE_TEST_CACHE");
    if (!cache || !*cache)
        return "build/simt";
    snprintf(folder, sizeof folder, "%s/simt", cache);
    return folder;
}

simt_options simt_default_options(void) {
    return (simt_options){.shims = "tests/simt",
                          .folder = object_folder(),
                          .keep = true,
                          .optimise = "-O1",
                          .jobs = 2,
                          .unit = 64};
}

/* ---- Running the compiled units ---- */

/* One launch of a unit, and the child's record of it. */
typedef struct item {
    const simt_program *program;
    size_t entry, launch;
    size_t offset; /* of its memory, which follows the records */
} item;

typedef struct record {
    machine_result result;
    uint32_t status[2];
    bool done;
} record;

/* Metal binds buffers by number: a kernel that uses no arguments may lack the parameter. */
static bool arguments_fit(const simt_program *p, const simt_entry *entry, const simt_launch *l) {
    return entry->arg_bytes == 4 * (size_t)l->arg_count ||
           (p->target == SIMT_MSL && entry->arg_bytes == 0);
}

static bool contract_fits(const simt_program *p, const simt_entry *entry) {
    return p->target != SIMT_SYCL ||
           (entry->takes == p->contract.takes && entry->local_bytes == p->contract.local_memory);
}

/* True, with the reason in *r, if the launch is impossible. */
static bool refuse(const simt_program *p, const simt_entry *entry, const simt_launch *l,
                   const uint8_t *memory, machine_result *r) {
    size_t size = sizeof r->message;
    if (!memory)
        snprintf(r->message, size, "out of memory for the launch");
    else if (!arguments_fit(p, entry, l))
        snprintf(r->message, size, "the kernel takes %zu bytes of arguments", entry->arg_bytes);
    else if (!contract_fits(p, entry))
        snprintf(r->message, size, "the kernel's parameters are not those of the contract");
    else
        return false;
    r->error = SIMT_UNDEFINED;
    return true;
}

/* Workgroups with too many threads keep their shape, and the machine reports them. */
static void shape_group(const simt_program *p, const simt_launch *l, machine_launch *m) {
    uint64_t plane = (uint64_t)l->group[0] * l->group[1];
    memcpy(m->group, l->group, sizeof m->group);
    if (!p->contract.row || plane > SIMT_MAX_THREADS || plane * l->group[2] > SIMT_MAX_THREADS)
        return;
    m->group[0] = (uint32_t)plane * l->group[2];
    m->group[1] = m->group[2] = 1;
}

/* In the child. */
static void run_item(const simt_entry *entries, const item *it, record *r, uint8_t *memory) {
    const simt_launch *l = &it->program->launches[it->launch];
    const simt_entry *entry = &entries[it->entry];
    const simt_program *p = it->program;
    machine_launch m = {.width = p->width, .gfx = p->gfx, .dot = p->dot, .seed = l->seed};
    memcpy(m.grid, l->grid, sizeof m.grid);
    shape_group(p, l, &m);
    m.step_limit = l->step_limit ? l->step_limit : DEFAULT_STEPS;
    m.params = (simt_params){.memory = machine_arena(l->memory_size),
                             .memory_size = l->memory_size,
                             .args = l->args,
                             .status = r->status,
                             .shape = {l->group[0], l->group[1]}};
    if (refuse(p, entry, l, m.params.memory, &r->result))
        return;
    memcpy(m.params.memory, l->memory, l->memory_size);
    machine_run(entry, &m, &r->result);
    memcpy(memory, m.params.memory, l->memory_size);
}

static void run_child(const char *object, const item *items, size_t count, record *records) {
    uint8_t *memory = (uint8_t *)(records + count);
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    const simt_entry *entries = library ? dlsym(library, "simt_entries") : NULL;
    if (!entries) {
        fprintf(stderr, "simt: %s\n", dlerror());
        _exit(3);
    }
    if (!machine_open())
        _exit(3);
    for (size_t k = 0; k < count; k++) {
        if (records[k].done)
            continue;
        run_item(entries, &items[k], &records[k], memory + items[k].offset);
        records[k].done = true;
    }
    _exit(0);
}

/* The first launch without an answer is the one that killed the child. */
static void blame(record *records, size_t count, int status) {
    for (size_t k = 0; k < count; k++) {
        if (records[k].done)
            continue;
        records[k].done = true;
        records[k].result.error = SIMT_CRASH;
        snprintf(records[k].result.message, sizeof records[k].result.message,
                 WIFSIGNALED(status) ? "the process ended by signal %d" : "exit status %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        return;
    }
}

static bool all_done(const record *records, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!records[k].done)
            return false;
    return true;
}

static void run_chunk(const simt_options *o, const char *object, const item *items, size_t count,
                      size_t bytes) {
    size_t size = count * sizeof(record) + bytes;
    record *records = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (records == MAP_FAILED)
        abort();
    while (!all_done(records, count)) {
        int status = 0;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            run_child(object, items, count, records);
        if (child < 0 || waitpid(child, &status, 0) != child)
            abort();
        if (status != 0)
            blame(records, count, status);
    }
    for (size_t k = 0; k < count; k++) {
        const simt_outcome outcome = {.error = records[k].result.error,
                                      .message = records[k].result.message,
                                      .memory = (uint8_t *)(records + count) + items[k].offset,
                                      .status = {records[k].status[0], records[k].status[1]}};
        o->visit(o->user, items[k].program, items[k].launch, &outcome);
    }
    munmap(records, size);
}

static void run_unit(const simt_options *o, const char *object, const simt_program *programs,
                     size_t count) {
    size_t total = 0, used = 0, bytes = 0;
    for (size_t k = 0; k < count; k++)
        total += programs[k].launch_count;
    item *items = calloc(total ? total : 1, sizeof *items);
    if (!items)
        abort();
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l < programs[k].launch_count; l++) {
            size_t need = (programs[k].launches[l].memory_size + 63) / 64 * 64;
            if (used && bytes + need > CHUNK_BYTES) {
                run_chunk(o, object, items, used, bytes);
                used = bytes = 0;
            }
            items[used++] = (item){&programs[k], k, l, bytes};
            bytes += need;
        }
    if (used)
        run_chunk(o, object, items, used, bytes);
    free(items);
}

/* ---- Compiling and running everything ---- */

typedef struct range {
    size_t first, count;
} range;

typedef struct slot {
    build unit;
    range range;
} slot;

typedef struct work {
    builder builder;
    const simt_options *options;
    const simt_program *programs;
    range *queue;
    size_t queued, capacity;
    slot slots[MAX_JOBS];
    size_t running;
} work;

static void push(work *w, range r) {
    if (w->queued == w->capacity) {
        w->capacity = w->capacity ? 2 * w->capacity : 64;
        w->queue = realloc(w->queue, w->capacity * sizeof *w->queue);
        if (!w->queue)
            abort();
    }
    w->queue[w->queued++] = r;
}

/* Splits the programs into ranges of neighbours with one target, limited in number and length. The
 * last range is processed first. */
static void divide(work *w, size_t count) {
    unsigned most = w->options->unit < SIMT_MAX_UNIT ? w->options->unit : SIMT_MAX_UNIT;
    for (size_t end = count; end > 0;) {
        size_t first = end - 1, text = strlen(w->programs[first].text);
        while (first > 0 && end - first < most &&
               w->programs[first - 1].target == w->programs[first].target &&
               text + strlen(w->programs[first - 1].text) < UNIT_TEXT)
            text += strlen(w->programs[--first].text);
        push(w, (range){first, end - first});
        end = first;
    }
}

/* A unit that does not compile is halved until the faulty program is alone. */
static void settle(work *w, slot *s, build_state state) {
    const simt_program *programs = w->programs + s->range.first;
    if (state == BUILD_READY) {
        run_unit(w->options, s->unit.object, programs, s->range.count);
    } else if (s->range.count > 1) {
        size_t half = s->range.count / 2;
        push(w, (range){s->range.first + half, s->range.count - half});
        push(w, (range){s->range.first, half});
    } else {
        char *log = build_log(&s->unit);
        const simt_outcome outcome = {.error = SIMT_NO_COMPILE, .message = log ? log : ""};
        w->options->visit(w->options->user, programs, 0, &outcome);
        free(log);
    }
    build_clean(&w->builder, &s->unit);
}

/* Waits for one of the compilers. */
static void reap(work *w) {
    int status;
    pid_t pid = wait(&status);
    for (size_t k = 0; k < MAX_JOBS && pid > 0; k++)
        if (w->slots[k].unit.pid == pid) {
            slot done = w->slots[k];
            w->slots[k].unit.pid = 0;
            w->running--;
            settle(w, &done, build_finish(&done.unit, status));
            return;
        }
    if (pid < 0 && errno != EINTR)
        abort();
}

static void start(work *w, range r) {
    slot s = {.range = r};
    build_state state = build_start(&w->builder, &s.unit, w->programs + r.first, r.count);
    if (state != BUILD_RUNNING) {
        settle(w, &s, state);
        return;
    }
    for (size_t k = 0; k < MAX_JOBS; k++)
        if (!w->slots[k].unit.pid) {
            w->slots[k] = s;
            w->running++;
            return;
        }
}

bool simt_run(const simt_options *options, const simt_program *programs, size_t count) {
    work *w = calloc(1, sizeof *w);
    unsigned jobs = !options->jobs ? 2 : options->jobs < MAX_JOBS ? options->jobs : MAX_JOBS;
    if (!w)
        abort();
    w->options = options;
    w->programs = programs;
    bool ok = builder_open(&w->builder, options);
    if (ok)
        divide(w, count);
    while (w->queued || w->running) {
        if (w->queued && w->running < jobs)
            start(w, w->queue[--w->queued]);
        else
            reap(w);
    }
    free(w->queue);
    free(w);
    return ok;
}
