/* The scheduler: lanes as fibers, the operations where they meet, and the errors of programs in
 * which they do not meet as required. Runs one launch at a time, one workgroup after the other. */
#include "simt/machine.h"
#include "simt/fiber.h"
#include "simt/weak.h"
#include "support/random.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum lane_state { READY, AT_COLLECTIVE, AT_BARRIER, ENDED } lane_state;

typedef struct wave {
    uint64_t exists, arrived, at_barrier, ended; /* lanes */
    uint32_t site;
    const char *kind;
    uint32_t phase;
    /* Two sets: a lane may contribute its next value while another lane still reads the previous
     * ones. */
    uint32_t values[2][SIMT_MAX_WIDTH];
} wave;

typedef struct lane {
    simt_lane info; /* first: simt_self points to it */
    lane_state state;
    wave *wave;
    fiber fiber;
} lane;

static struct {
    lane lanes[SIMT_MAX_THREADS];
    wave waves[SIMT_MAX_THREADS];
    uint32_t threads, ready_count, ended, at_barrier;
    uint32_t barrier_site;
    uint32_t ready[SIMT_MAX_THREADS]; /* a queue, or a set to choose from at random */
    uint32_t first_ready;
    void *stacks[SIMT_MAX_THREADS];
    size_t stack_size;
    lane *current;
    fiber scheduler;
    const simt_entry *entry;
    const machine_launch *launch;
    machine_result *result;
    uint64_t random;
    int64_t quantum;
    sigjmp_buf fault;
    volatile sig_atomic_t in_lane;
} machine;

const simt_lane *simt_self;
simt_launch_info simt_info;
int64_t simt_ticks;

/* ---- Random numbers ---- */

static uint64_t draw(void) {
    return random_next(&machine.random);
}

uint32_t simt_garbage(void) {
    return (uint32_t)(draw() >> 32);
}

static bool at_random(void) {
    return machine.launch->seed > 1;
}

/* Every other random schedule has weak memory. */
static bool stores_wait(void) {
    return at_random() && machine.launch->seed % 2 == 0;
}

/* ---- Which lane runs ---- */

static void make_ready(lane *l) {
    l->state = READY;
    uint32_t at = (machine.first_ready + machine.ready_count++) % machine.threads;
    machine.ready[at] = (uint32_t)(l - machine.lanes);
}

/* In order of arrival, or at random: either way every lane gets its turn. */
static lane *take_ready(void) {
    uint32_t *first = &machine.ready[machine.first_ready];
    if (at_random()) {
        uint32_t pick =
            (machine.first_ready + (uint32_t)(draw() % machine.ready_count)) % machine.threads;
        uint32_t lane_index = machine.ready[pick];
        machine.ready[pick] = *first;
        *first = lane_index;
    }
    machine.first_ready = (machine.first_ready + 1) % machine.threads;
    machine.ready_count--;
    return &machine.lanes[*first];
}

static void leave(void) {
    weak_settle();
    machine.in_lane = 0;
    fiber_switch(&machine.current->fiber, &machine.scheduler);
}

static void count_steps(void) {
    int64_t used = machine.quantum - (simt_ticks < 0 ? 0 : simt_ticks);
    machine.result->steps += (uint64_t)used;
    machine.quantum = simt_ticks = 0;
}

static void resume(lane *l) {
    machine.current = l;
    simt_self = &l->info;
    simt_info.exists = l->wave->exists;
    machine.quantum = at_random() ? (int64_t)(1 + draw() % 64) : 256;
    simt_ticks = machine.quantum;
    machine.in_lane = 1;
    fiber_switch(&machine.scheduler, &l->fiber);
    count_steps();
    machine.result->steps++;
}

static void yield(void) {
    make_ready(machine.current);
    leave();
}

void simt_pause(void) {
    weak_settle();
    if (at_random() ? draw() % 4 == 0 : machine.result->steps % 3 == 0)
        yield();
}

void simt_fail(simt_error error, const char *message) {
    machine.result->error = error;
    snprintf(machine.result->message, sizeof machine.result->message, "%s (thread %u %u %u)",
             message, machine.current->info.position[0], machine.current->info.position[1],
             machine.current->info.position[2]);
    leave();
    abort(); /* the scheduler never resumes a lane that has ended */
}

void simt_tick_over(void) {
    simt_ticks = 0;
    if (machine.result->steps + (uint64_t)machine.quantum >= machine.launch->step_limit) {
        for (uint32_t k = 0; k < machine.threads; k++)
            if (machine.lanes[k].state == AT_COLLECTIVE || machine.lanes[k].state == AT_BARRIER)
                simt_fail(SIMT_DEADLOCK, "an endless loop, while other lanes wait");
        simt_fail(SIMT_ENDLESS, "an endless loop");
    }
    yield();
}

/* ---- Collectives and barriers ---- */

static void wake_wave(const wave *w) {
    uint32_t first = (uint32_t)(w - machine.waves) * simt_info.width;
    for (uint32_t k = first; k < first + simt_info.width && k < machine.threads; k++)
        if (machine.lanes[k].state == AT_COLLECTIVE)
            make_ready(&machine.lanes[k]);
}

static void check_collective(const wave *w, uint32_t site, const char *kind) {
    char text[160];
    if (w->ended)
        snprintf(text, sizeof text, "%s, but lanes of the wave have ended", kind);
    else if (w->at_barrier)
        snprintf(text, sizeof text, "%s, but lanes of the wave wait at a barrier", kind);
    else if (w->arrived && strcmp(w->kind, kind) != 0)
        snprintf(text, sizeof text, "%s, but lanes of the wave wait at %s", kind, w->kind);
    else if (w->arrived && w->site != site)
        snprintf(text, sizeof text, "%s, but lanes of the wave wait at another %s", kind, kind);
    else
        return;
    simt_fail(SIMT_PARTIAL_COLLECTIVE, text);
}

const uint32_t *simt_exchange(uint32_t site, const char *kind, uint32_t value) {
    lane *me = machine.current;
    wave *w = me->wave;
    uint32_t *values = w->values[w->phase & 1];
    check_collective(w, site, kind);
    w->site = site;
    w->kind = kind;
    w->arrived |= (uint64_t)1 << me->info.lane;
    values[me->info.lane] = value;
    if (w->arrived != w->exists) {
        me->state = AT_COLLECTIVE;
        leave();
    } else {
        w->arrived = 0;
        w->phase++;
        wake_wave(w);
        simt_pause();
    }
    return values;
}

void simt_barrier(uint32_t site, simt_scope scope, uint32_t spaces) {
    lane *me = machine.current;
    wave *w = me->wave;
    weak_release(scope, spaces);
    if (machine.ended)
        simt_fail(SIMT_DIVERGENT_BARRIER, "a barrier, but threads of the workgroup have ended");
    if (w->arrived)
        simt_fail(SIMT_DIVERGENT_BARRIER, "a barrier, but lanes of the wave wait at a collective");
    if (machine.at_barrier && machine.barrier_site != site)
        simt_fail(SIMT_DIVERGENT_BARRIER, "a barrier, but other threads wait at another one");
    machine.barrier_site = site;
    w->at_barrier |= (uint64_t)1 << me->info.lane;
    me->state = AT_BARRIER;
    if (++machine.at_barrier == machine.threads) {
        machine.at_barrier = 0;
        for (uint32_t k = 0; k < machine.threads; k++) {
            machine.lanes[k].wave->at_barrier = 0;
            make_ready(&machine.lanes[k]);
        }
    }
    leave();
    weak_acquire(scope, spaces);
}

/* ---- Fences ---- */

void simt_wave_barrier(uint32_t site, const char *kind, simt_scope scope, uint32_t order,
                       uint32_t spaces) {
    if (order & SIMT_RELEASE)
        weak_release(scope, spaces);
    simt_exchange(site, kind, 0);
    if (order & SIMT_ACQUIRE)
        weak_acquire(scope, spaces);
}

void simt_fence(simt_scope scope, uint32_t order, uint32_t spaces) {
    simt_pause();
    if (order & SIMT_RELEASE)
        weak_release(scope, spaces);
    if (order & SIMT_ACQUIRE)
        weak_acquire(scope, spaces);
}

void simt_atomic(const volatile void *at, size_t size) {
    simt_pause();
    weak_atomic(at, size);
}

static void end_lane(lane *me) {
    wave *w = me->wave;
    if (w->arrived)
        simt_fail(SIMT_PARTIAL_COLLECTIVE, "a lane ends while others wait at a collective");
    if (machine.at_barrier)
        simt_fail(SIMT_DIVERGENT_BARRIER, "a thread ends while others wait at a barrier");
    w->ended |= (uint64_t)1 << me->info.lane;
    me->state = ENDED;
    machine.ended++;
    leave();
}

static void lane_main(void) {
    machine.entry->call(&machine.launch->params);
    end_lane(machine.current);
    abort();
}

/* ---- Signals ---- */

static void on_signal(int signal, siginfo_t *info, void *context) {
    (void)context;
    if (!machine.in_lane || (signal != SIGSEGV && signal != SIGBUS)) {
        /* not caused by an access of the kernel: the process ends, and the parent reports it */
        struct sigaction usual = {.sa_handler = SIG_DFL};
        sigaction(signal, &usual, NULL);
        raise(signal);
        return;
    }
    machine_result *r = machine.result;
    r->error = machine_fault(info->si_addr, r->message, sizeof r->message);
    machine.in_lane = 0;
    siglongjmp(machine.fault, 1);
}

bool machine_open(void) {
    enum { SIGNAL_STACK = 64 * 1024 };
    static char stack[SIGNAL_STACK];
    const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_signal;
    return sigaltstack(&alternative, NULL) == 0 && sigaction(SIGSEGV, &action, NULL) == 0 &&
           sigaction(SIGBUS, &action, NULL) == 0;
}

/* ---- A workgroup, a launch ---- */

static void make_lane(uint32_t index) {
    const uint32_t *group = simt_info.group;
    lane *l = &machine.lanes[index];
    if (!machine.stacks[index])
        machine.stacks[index] = machine_stack(index, &machine.stack_size);
    l->info.linear = index;
    l->info.lane = index % simt_info.width;
    l->info.position[0] = index % group[0];
    l->info.position[1] = index / group[0] % group[1];
    l->info.position[2] = index / group[0] / group[1];
    l->wave = &machine.waves[index / simt_info.width];
    l->wave->exists |= (uint64_t)1 << l->info.lane;
    fiber_make(&l->fiber, machine.stacks[index], machine.stack_size, lane_main);
}

static bool make_lanes(void) {
    memset(machine.waves, 0, sizeof machine.waves[0] * simt_info.waves);
    machine.ready_count = machine.first_ready = machine.ended = machine.at_barrier = 0;
    for (uint32_t k = 0; k < machine.threads; k++) {
        make_lane(k);
        if (!machine.stacks[k])
            return false;
    }
    for (uint32_t k = 0; k < machine.threads; k++)
        make_ready(&machine.lanes[machine.launch->seed == 1 ? machine.threads - 1 - k : k]);
    return true;
}

/* Local memory starts with garbage: no kernel may rely on its initial contents. */
static void fill_shared(const simt_entry *entry) {
    for (uint8_t *p = entry->shared; p < entry->shared_end;) {
        uint64_t word = draw();
        size_t left = (size_t)(entry->shared_end - p);
        memcpy(p, &word, left < sizeof word ? left : sizeof word);
        p += left < sizeof word ? left : sizeof word;
    }
    for (int k = 0; k < 2; k++)
        if (entry->guards[k])
            memset(entry->guards[k], 0x5A, entry->guard_bytes);
}

static bool guards_intact(const simt_entry *entry) {
    for (int k = 0; k < 2; k++)
        for (size_t b = 0; entry->guards[k] && b < entry->guard_bytes; b++)
            if (entry->guards[k][b] != 0x5A)
                return false;
    return true;
}

static void set_error(simt_error error, const char *message) {
    machine.result->error = error;
    snprintf(machine.result->message, sizeof machine.result->message, "%s", message);
}

static void run_workgroup(void) {
    fill_shared(machine.entry);
    if (!make_lanes()) {
        set_error(SIMT_CRASH, "out of memory for stacks");
        return;
    }
    machine.result->steps = 0;
    weak_start_workgroup();
    if (sigsetjmp(machine.fault, 1) == 0)
        while (machine.ready_count && !machine.result->error)
            resume(take_ready());
    if (machine.result->error)
        return;
    weak_end_workgroup();
    if (machine.ended != machine.threads)
        set_error(SIMT_DEADLOCK, "lanes wait and none can run");
    else if (!guards_intact(machine.entry))
        set_error(SIMT_OUT_OF_BOUNDS, "a store next to local memory");
    else if (!machine_arena_intact())
        set_error(SIMT_OUT_OF_BOUNDS, "a store next to device memory");
}

/* The n-th workgroup to run. A random start and two directions are enough variety, because
 * workgroups cannot wait for each other. */
static void choose_workgroup(uint64_t n, uint64_t count, uint64_t start) {
    uint64_t index = (start + n) % count;
    if (machine.launch->seed == 1)
        index = count - 1 - n;
    simt_info.workgroup[0] = (uint32_t)(index % simt_info.grid[0]);
    simt_info.workgroup[1] = (uint32_t)(index / simt_info.grid[0] % simt_info.grid[1]);
    simt_info.workgroup[2] = (uint32_t)(index / simt_info.grid[0] / simt_info.grid[1]);
}

void machine_run(const simt_entry *entry, const machine_launch *launch, machine_result *result) {
    uint64_t count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint64_t threads = (uint64_t)launch->group[0] * launch->group[1] * launch->group[2];
    machine.entry = entry;
    machine.launch = launch;
    machine.result = result;
    machine.random = launch->seed;
    *result = (machine_result){.error = SIMT_OK};
    memcpy(simt_info.grid, launch->grid, sizeof simt_info.grid);
    memcpy(simt_info.group, launch->group, sizeof simt_info.group);
    simt_info.width = launch->width;
    simt_info.gfx = launch->gfx;
    simt_info.dot = launch->dot;
    simt_info.shared = entry->shared;
    simt_info.shared_end = entry->shared_end;
    if (!threads || threads > SIMT_MAX_THREADS || !launch->width ||
        launch->width > SIMT_MAX_WIDTH) {
        set_error(SIMT_UNDEFINED, "no such workgroup or width");
        return;
    }
    machine.threads = (uint32_t)threads;
    simt_info.waves = (machine.threads + launch->width - 1) / launch->width;
    if (stores_wait() && !weak_open(entry, launch, machine.threads)) {
        set_error(SIMT_CRASH, "out of memory for delayed stores");
        return;
    }
    uint64_t start = at_random() ? draw() % (count ? count : 1) : 0;
    for (uint64_t k = 0; k < count && !result->error; k++) {
        choose_workgroup(k, count, start);
        run_workgroup();
    }
    if (!weak_close() && !result->error)
        set_error(SIMT_CRASH, "out of memory for delayed stores");
    if (!result->error && !machine_arena_intact())
        set_error(SIMT_OUT_OF_BOUNDS, "a store next to device memory");
}
