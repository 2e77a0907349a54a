/* Counts, traces and injects failures for the simulated drivers. */
#include "simgpu/sim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRACE_SIZE = 1 << 16, NAME_SIZE = 64 };

static struct {
    pthread_mutex_t lock;
    unsigned calls, fail_at;
    int fail_at_code, fail_call_code;
    char fail_call[NAME_SIZE];
    int live[SIM_KINDS], left;
    char trace[TRACE_SIZE];
    size_t traced;
    bool faults; /* a fault was requested: the context may destroy objects */
} sim = {.lock = PTHREAD_MUTEX_INITIALIZER};

void sim_reset(void) {
    pthread_mutex_lock(&sim.lock);
    sim.calls = sim.fail_at = 0;
    sim.fail_call[0] = '\0';
    sim.traced = 0;
    sim.trace[0] = '\0';
    sim.left = 0;
    pthread_mutex_unlock(&sim.lock);
}

void sim_fail_at(unsigned number, int code) {
    pthread_mutex_lock(&sim.lock);
    sim.fail_at = number;
    sim.fail_at_code = code;
    sim.faults |= number != 0;
    pthread_mutex_unlock(&sim.lock);
}

void sim_fail_call(const char *call, int code) {
    pthread_mutex_lock(&sim.lock);
    (void)snprintf(sim.fail_call, sizeof sim.fail_call, "%s", call ? call : "");
    sim.fail_call_code = code;
    sim.faults |= call != NULL;
    pthread_mutex_unlock(&sim.lock);
}

unsigned sim_calls(void) {
    return sim.calls;
}

static int sum_live(void) {
    int sum = 0;
    for (int k = 0; k < SIM_KINDS; k++)
        sum += sim.live[k];
    return sum;
}

unsigned sim_live(void) {
    return (unsigned)sum_live();
}

unsigned sim_left(void) {
    return (unsigned)sim.left;
}

const char *sim_trace(void) {
    return sim.trace;
}

/* The code that WAVE_SIM_FAULT=CALL:CODE gives for this call; 0: none. */
static int fault_of_environment(const char *call) {
    const char *fault = getenv("WAVE_SIM_FAULT");
    size_t length = strlen(call);
    if (!fault || strncmp(fault, call, length) != 0 || fault[length] != ':')
        return 0;
    sim.faults = true;
    return (int)strtol(fault + length + 1, NULL, 10);
}

int sim_enter(const char *call) {
    const char *crash = getenv("WAVE_SIM_CRASH");
    if (crash && strcmp(crash, call) == 0)
        abort();
    const char *stall = getenv("WAVE_SIM_STALL");
    while (stall && strcmp(stall, call) == 0)
        pause();
    pthread_mutex_lock(&sim.lock);
    sim.calls++;
    if (sim.traced < TRACE_SIZE - NAME_SIZE)
        sim.traced +=
            (size_t)snprintf(sim.trace + sim.traced, TRACE_SIZE - sim.traced, "%s\n", call);
    if (sim.fail_at && sim.calls == sim.fail_at)
        return sim.fail_at_code;
    if (sim.fail_call[0] && strcmp(sim.fail_call, call) == 0)
        return sim.fail_call_code;
    return fault_of_environment(call);
}

int sim_leave(int code) {
    pthread_mutex_unlock(&sim.lock);
    return code;
}

void sim_born(sim_kind kind) {
    sim.live[kind]++;
}

void sim_died(sim_kind kind) {
    sim.live[kind]--;
}

void sim_left_behind(sim_kind kind) {
    sim.live[kind]--;
    sim.left++;
}

unsigned sim_number(const char *name, unsigned otherwise) {
    const char *text = getenv(name);
    return text && *text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

bool sim_hangs(const char *kernel) {
    const char *name = getenv("WAVE_SIM_HANG");
    return name && strcmp(name, kernel) == 0;
}

/* Runs when the program ends or the library is unloaded. */
__attribute__((destructor)) static void report_leaks(void) {
    static const char *const names[SIM_KINDS] = {"contexts", "memories", "host memories",
                                                 "modules",  "streams",  "events",
                                                 "programs", "linkers"};
    if (sum_live() == 0 && (sim.left == 0 || sim.faults))
        return;
    fprintf(stderr, "simulated driver: objects are left:");
    for (int k = 0; k < SIM_KINDS; k++)
        if (sim.live[k])
            fprintf(stderr, " %d %s", sim.live[k], names[k]);
    if (sim.left)
        fprintf(stderr, " %d taken by their context", sim.left);
    fputc('\n', stderr);
    _exit(SIM_LEAK);
}
