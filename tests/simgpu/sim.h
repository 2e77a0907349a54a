/* What the simulated drivers share: counting calls and live objects, failing where a test wants it.
 * These libraries stand in for a vendor's when the runtime is tested. They prove what the runtime's
 * files do with a driver, not what a driver does.
 *
 * From outside: the sim_… functions below, and for whole programs the environment:
 *   WAVE_SIM_FAULT=CALL:CODE   this call always fails with this code
 *   WAVE_SIM_CRASH=CALL        this call ends the process
 *   WAVE_SIM_HANG=KERNEL       waiting for a launch of this kernel never ends
 *   WAVE_SIM_…=NUMBER          see the drivers
 * A program that ends with live objects is reported and exits with SIM_LEAK. */
#ifndef SIMGPU_SIM_H
#define SIMGPU_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_API __attribute__((visibility("default")))

enum { SIM_LEAK = 97 };

typedef enum sim_kind {
    SIM_CONTEXT,
    SIM_MEMORY,
    SIM_MODULE,
    SIM_STREAM,
    SIM_EVENT,
    SIM_PROGRAM,
    SIM_KINDS
} sim_kind;

/* ---- For tests, found by dlsym ---- */

/* Forgets calls and faults. Objects that live stay alive. */
SIM_API void sim_reset(void);
/* The call of this number, counted from 1 after sim_reset, fails with `code`; 0: none does. */
SIM_API void sim_fail_at(unsigned number, int code);
/* Calls of this name fail with `code`; NULL: none. The name is copied. */
SIM_API void sim_fail_call(const char *call, int code);
SIM_API unsigned sim_calls(void);
/* Objects that live, and those a context took with it because nobody had destroyed them. */
SIM_API unsigned sim_live(void);
SIM_API unsigned sim_left(void);
/* The names of the calls since sim_reset, one a line. */
SIM_API const char *sim_trace(void);

/* ---- For the drivers ---- */

/* Every call of a driver begins with this and ends with sim_leave: one at a time, noted by name.
 * Returns the code the call has to fail with, or 0. */
int sim_enter(const char *call);
int sim_leave(int code);
/* A call that gives something back does so even when it reports a failure, as drivers do that
 * report an earlier one. */

void sim_born(sim_kind kind);
void sim_died(sim_kind kind);
void sim_left_behind(sim_kind kind);
/* A number from the environment, or its default. */
unsigned sim_number(const char *name, unsigned otherwise);
bool sim_hangs(const char *kernel);

#endif
