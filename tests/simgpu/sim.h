/* Shared by the simulated drivers. These libraries replace a vendor's in tests of the runtime. They
 * show how the runtime's files use a driver, not how a driver behaves.
 *
 * Controlled by the sim_… functions below, and for entire programs by the environment:
 *   WAVE_SIM_FAULT=CALL:CODE   this call always fails with this code
 *   WAVE_SIM_CRASH=CALL        this call kills the process
 *   WAVE_SIM_STALL=CALL        this call never returns
 *   WAVE_SIM_HANG=KERNEL       waiting for a launch of this kernel never ends
 *   WAVE_SIM_DEVICES, WAVE_SIM_MEMORY, WAVE_SIM_REGISTERS=NUMBER
 *                              devices (1), MiB of each (256), registers per thread (32)
 *   WAVE_SIM_LOCAL=NUMBER      bytes of local memory that a compiled kernel reports (0)
 *   WAVE_SIM_SPILLS=NUMBER     bytes of a thread's spilled registers (0)
 *   WAVE_SIM_OLD=1             the driver lacks the last attribute: workgroups per core
 *   WAVE_SIM_TITLE=TEXT        the title of the devices
 *   WAVE_SIM_SPOIL=1           kernels arrive with an unknown instruction
 *   WAVE_SIM_VERBOSE=1         print the errors of kernels
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
    SIM_HOST,
    SIM_MODULE,
    SIM_STREAM,
    SIM_EVENT,
    SIM_PROGRAM,
    SIM_LINKER,
    SIM_KINDS
} sim_kind;

/* ---- For tests, found by dlsym: sim.c ---- */

/* Clears calls and faults. Live objects stay alive. */
SIM_API void sim_reset(void);
/* The call with this number, counted from 1 after sim_reset, fails with `code`; 0: none does. */
SIM_API void sim_fail_at(unsigned number, int code);
/* Calls of this name fail with `code`; NULL: none. The name is copied. */
SIM_API void sim_fail_call(const char *call, int code);
SIM_API unsigned sim_calls(void);
/* The number of live objects, and of those that only the end of their context destroyed. */
SIM_API unsigned sim_live(void);
SIM_API unsigned sim_left(void);
/* The names of the calls since sim_reset, one per line. */
SIM_API const char *sim_trace(void);

/* ---- For the drivers: sim.c ---- */

/* Every driver call begins with this and ends with sim_leave: one call at a time, recorded by name.
 * Returns the code that the call must fail with, or 0. */
int sim_enter(const char *call);
int sim_leave(int code);

void sim_born(sim_kind kind);
void sim_died(sim_kind kind);
void sim_left_behind(sim_kind kind);
/* A number from the environment, or its default. */
unsigned sim_number(const char *name, unsigned otherwise);
bool sim_hangs(const char *kernel);

/* A call's frame: SIM_BEGIN records it and injects a fault, SIM_READY tests whether the driver can
 * take calls, SIM_END returns the result. */
#define SIM_BEGIN(call)                                                                            \
    int result = sim_enter(call);                                                                  \
    if (result)                                                                                    \
        return sim_leave(result);
#define SIM_READY                                                                                  \
    if ((result = sim_driver_ready()) != 0)                                                        \
        return sim_leave(result);
#define SIM_END(value) return sim_leave(value)

/* A library function that is one expression: usually a sim_… call below, which gets the name. */
#define SIM_CALL(name, parameters, expression)                                                     \
    SIM_API int name parameters;                                                                   \
    int name parameters {                                                                          \
        return expression;                                                                         \
    }

/* ---- Shared by CUDA and HIP: driver.c ---- */

enum { /* HIP has CUDA's numbers */
       SUCCESS = 0,
       INVALID_VALUE = 1,
       OUT_OF_MEMORY = 2,
       NOT_INITIALIZED = 3,
       INVALID_DEVICE = 101,
       INVALID_IMAGE = 200,
       INVALID_CONTEXT = 201,
       NO_BINARY_FOR_GPU = 209,
       INVALID_PTX = 218,
       INVALID_HANDLE = 400,
       NOT_FOUND = 500,
       NOT_READY = 600,
       ILLEGAL_ADDRESS = 700,
       LAUNCH_FAILED = 719
};

/* A queued copy to the host: its bytes arrive when the stream or an event on it is waited for. */
typedef struct sim_arrival {
    struct sim_arrival *next;
    void *to;
    size_t size;
    uint8_t bytes[];
} sim_arrival;

typedef struct sim_object {
    struct sim_object *next;
    sim_kind kind;
    uintptr_t address; /* memory: the application's address, not the real one */
    size_t size;
    uint8_t *bytes;
    bool mapped;                 /* mapped rather than allocated */
    double clock;                /* stream: seconds of kernels; event: when it was recorded */
    sim_arrival *arrivals;       /* stream */
    const struct sim_object *of; /* event: the stream it was recorded on */
    bool recorded;
    bool hanging; /* stream */
    void *own;    /* module, program, linker: the data of the library */
    void (*drop)(void *own);
} sim_object;

typedef struct sim_driver {
    bool initialised;
    int sticky; /* the error that a kernel left */
    sim_object *objects;
    uintptr_t next_address;
    size_t allocated;
} sim_driver;
extern sim_driver driver;

/* Defined by each library: whether calls can work now, and whether calls that release something
 * can. The latter release it even when they return an error, as in drivers that report an earlier
 * one there. */
int sim_driver_ready(void);
int sim_driver_current(void);

sim_object *sim_make(sim_kind kind);
sim_object *sim_find(const void *handle, sim_kind kind);
/* Removes it from the list and frees it. */
void sim_forget(sim_object *object);
/* A complete driver call that does this. */
int sim_destroy(const char *call, const void *handle, sim_kind kind);
/* The memory object that contains all of these bytes. */
sim_object *sim_memory(const void *address, size_t size);

int sim_init(const char *call, unsigned flags);
int sim_tell(const char *call, int *place, int value);
int sim_count(const char *call, int *count);
int sim_devices(void);
int sim_name(const char *call, char *name, int size, const char *title, int device);
int sim_pci(const char *call, char *text, int size, int device);
int sim_uuid(const char *call, uint8_t bytes[16], int device);
int sim_total(const char *call, size_t *size, int device);
typedef struct sim_pair {
    int which, value;
} sim_pair;
int sim_attribute(const char *call, int *value, int which, const sim_pair *list, size_t count);
/* The text for a code, or NULL. */
const char *sim_words(int code);

int sim_alloc(const char *call, void **address, size_t size);
int sim_shared_alloc(const char *call, void **address, size_t size, unsigned flags);
int sim_host_alloc(const char *call, void **address, size_t size, unsigned flags);
int sim_host_free(const char *call, const void *address);
int sim_free(const char *call, const void *address);
int sim_upload(const char *call, const void *to, const void *from, size_t size, const void *stream);
int sim_download(const char *call, void *to, const void *from, size_t size, const void *stream);
int sim_copy(const char *call, const void *to, const void *from, size_t size, const void *stream);
int sim_fill(const char *call, const void *to, int byte, size_t size, const void *stream);

int sim_stream_create(const char *call, void **stream, unsigned flags);
int sim_stream_wait(const char *call, const void *stream);
int sim_event_create(const char *call, void **event, unsigned flags);
int sim_event_record(const char *call, const void *event, const void *stream);
int sim_event_query(const char *call, const void *event);
int sim_event_wait(const char *call, const void *event);
int sim_stream_follow(const char *call, const void *stream, const void *event, unsigned flags);
int sim_event_elapsed(const char *call, float *milliseconds, const void *start, const void *stop);

/* The thread limit of a kernel with its registers, rounded to complete waves. */
unsigned sim_most_threads(unsigned width);
int sim_kernel_attribute(int *value, int which, unsigned width);
/* A kernel has failed, which shows at the next call. */
void sim_kernel_failed(int code, const char *message);

#endif
