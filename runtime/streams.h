/* What CUDA's driver API and HIP have in common: streams, events, modules, and the same numbers for
 * errors. streams.c drives a device with the calls below. A vendor's file, cuda.c or hip.c, names
 * them in an rt_stream_vendor and adds what is its own. */
#ifndef RUNTIME_STREAMS_H
#define RUNTIME_STREAMS_H

#include "rt.h"

/* X(member, parameters): calls that both have. They return 0, or the number of an error. Addresses
 * on the device are pointers to nothing here: CUDA has integers of that size, passed alike. */
#define RT_STREAM_CALLS(X)                                                                         \
    X(init, (unsigned))                                                                            \
    X(version, (int *))                                                                            \
    X(device_count, (int *))                                                                       \
    X(device_name, (char *, int, int))                                                             \
    X(device_memory, (size_t *, int))                                                              \
    X(device_attribute, (int *, int, int))                                                         \
    X(memory_alloc, (void **, size_t))                                                             \
    X(memory_free, (void *))                                                                       \
    X(module_unload, (void *))                                                                     \
    X(module_function, (void **, void *, const char *))                                            \
    X(function_attribute, (int *, int, void *))                                                    \
    X(stream_create, (void **, unsigned))                                                          \
    X(stream_destroy, (void *))                                                                    \
    X(stream_wait, (void *))                                                                       \
    X(event_destroy, (void *))                                                                     \
    X(event_record, (void *, void *))                                                              \
    X(event_elapsed, (float *, void *, void *))                                                    \
    X(launch, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,       \
               void *, void **, void **))

#define X(member, parameters) int(*member) parameters;
typedef struct rt_stream_calls {
    RT_STREAM_CALLS(X)
} rt_stream_calls;
#undef X

#define X(member, parameters) const char *member;
typedef struct rt_stream_symbols {
    RT_STREAM_CALLS(X)
} rt_stream_symbols;
#undef X

/* The numbers of what a device can be asked for. */
typedef struct rt_stream_attributes {
    int wave_width, max_workgroup_size;
    int max_workgroup_x, max_grid_x; /* y and z follow */
    int local_memory_size;
    int more_local_memory_size; /* for kernels that ask for it; 0: there is none */
    int cores, max_threads_per_core, registers_per_core, max_workgroups_per_core;
    int clock, memory_clock; /* kHz */
    int memory_bus_width;    /* bits */
} rt_stream_attributes;

typedef struct rt_stream_library {
    const char *variable;       /* of the environment, with the name of another */
    const char *const names[6]; /* until NULL */
    const char *const *folders; /* for those that the system does not find; or NULL */
} rt_stream_library;

/* Where ROCm is installed as a rule. Its packages do not tell the system's loader. */
extern const char *const rt_rocm_folders[];

enum { RT_STREAM_LIBRARIES = 2 };

/* A vendor's own structure begins with this. */
typedef struct rt_stream_device {
    const struct rt_stream_vendor *vendor;
    void *libraries[RT_STREAM_LIBRARIES];
    rt_stream_calls calls;
    int device;           /* the vendor's number for it */
    unsigned float_lanes; /* of a core */
    unsigned transfers;   /* of the memory's bus, in a clock as the driver counts; 0: not known */
} rt_stream_device;

/* Calls one after the other: when one has failed, the others are left out. */
typedef struct rt_run {
    rt_stream_device *device;
    wave_rt_error *error; /* or NULL */
    wave_rt_status status;
    bool inside; /* the device is the thread's current one; `before` was */
    int before;
} rt_run;

/* Makes a call in its turn. The symbol is for the message. */
#define RT_RUN(run, symbol, call)                                                                  \
    ((run)->status == WAVE_RT_OK ? rt_run_check(run, symbol, call) : (void)0)
void rt_run_check(rt_run *run, const char *symbol, int result);

/* A run of calls that make something or start something, on our device; and back to the thread's.
 */
rt_run rt_run_begin(rt_stream_device *device, wave_rt_error *error);
wave_rt_status rt_run_end(rt_run *run);

typedef struct rt_stream_vendor {
    const char *name, *title;                         /* "cuda", "CUDA" */
    const char *target;                               /* of wave_compile */
    const char *library;                              /* for messages: "CUDA driver" */
    size_t device_size;                               /* of the vendor's own structure */
    rt_stream_library libraries[RT_STREAM_LIBRARIES]; /* the calls above are in the first */
    rt_stream_symbols symbols;
    rt_stream_attributes attributes;
    uint32_t static_local_memory; /* of a kernel: above it, it is sized by the launch */
    bool tells_local_memory;      /* of a compiled kernel */
    bool objects_know_device;     /* a call that takes an object needs no current device */

    /* Finds the calls of its own; the name of one that is missing, or NULL. */
    const char *(*find_calls)(rt_stream_device *device);
    /* What the number of an error means, or NULL. */
    const char *(*error_words)(const rt_stream_device *device, int result);
    /* Optional: from the index of a device to its number. */
    void (*select)(rt_run *run, int index);
    /* Fills in driver, arch, float_lanes and transfers, or says why the device is none for us. */
    void (*identify)(rt_run *run, int version, wave_rt_device_info *info);
    /* Optional, both: what lasts from opening to closing. */
    void (*retain)(rt_run *run);
    void (*release)(rt_stream_device *device);
    /* The thread's current device: ours, and the one before it again. */
    void (*enter)(rt_run *run);
    void (*leave)(const rt_run *run);
    void (*event_create)(rt_run *run, void **event);
    void (*copy)(rt_run *run, void *to, const void *from, size_t size, bool to_device,
                 void *stream);
    void (*fill)(rt_run *run, void *to, uint8_t byte, size_t size, void *stream);
    void (*module_load)(rt_run *run, const rt_program *program, void **module);
    /* Only where static_local_memory is a limit: allows a kernel more. */
    void (*allow_local_memory)(rt_run *run, void *function, uint32_t size);
} rt_stream_vendor;

wave_rt_status rt_stream_enumerate(const rt_stream_vendor *vendor, rt_found *found,
                                   wave_rt_error *error);
wave_rt_status rt_stream_open(const rt_stream_vendor *vendor, const char *which, void **device,
                              wave_rt_device_info *info, wave_rt_error *error);

/* The rest of an rt_vendor, the same for both. */
#define RT_STREAM_FUNCTIONS                                                                        \
    .close = rt_stream_close, .memory_create = rt_stream_memory_create,                            \
    .memory_destroy = rt_stream_memory_destroy, .module_create = rt_stream_module_create,          \
    .module_destroy = rt_stream_module_destroy, .kernel_limits = rt_stream_kernel_limits,          \
    .queue_create = rt_stream_queue_create, .queue_destroy = rt_stream_queue_destroy,              \
    .upload = rt_stream_upload, .download = rt_stream_download, .fill = rt_stream_fill,            \
    .launch = rt_stream_launch, .wait = rt_stream_wait, .elapsed = rt_stream_elapsed

void rt_stream_close(void *device);
wave_rt_status rt_stream_memory_create(void *device, uint64_t size, void **memory,
                                       wave_rt_error *error);
void rt_stream_memory_destroy(void *device, void *memory);
wave_rt_status rt_stream_module_create(void *device, const rt_program *program, void **module,
                                       wave_rt_error *error);
void rt_stream_module_destroy(void *device, void *module);
wave_rt_status rt_stream_kernel_limits(void *device, void *module, size_t kernel, rt_limits *limits,
                                       wave_rt_error *error);
wave_rt_status rt_stream_queue_create(void *device, void **queue, wave_rt_error *error);
void rt_stream_queue_destroy(void *device, void *queue);
wave_rt_status rt_stream_upload(void *queue, void *memory, uint64_t offset, const void *data,
                                uint64_t size, wave_rt_error *error);
wave_rt_status rt_stream_download(void *queue, void *memory, uint64_t offset, void *data,
                                  uint64_t size, wave_rt_error *error);
wave_rt_status rt_stream_fill(void *queue, void *memory, uint64_t offset, uint8_t byte,
                              uint64_t size, wave_rt_error *error);
wave_rt_status rt_stream_launch(void *queue, const rt_dispatch *dispatch, wave_rt_error *error);
wave_rt_status rt_stream_wait(void *queue, wave_rt_error *error);
wave_rt_status rt_stream_elapsed(void *queue, double *seconds, wave_rt_error *error);

#endif
