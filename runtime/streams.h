/* The common part of CUDA's driver API and HIP: streams, events, modules, and identical error
 * numbers. streams.c finds and describes a device with the calls below, stream_objects.c works with
 * it. A vendor's file, cuda.c or hip.c, names them in an rt_stream_vendor and adds its own. */
#ifndef RUNTIME_STREAMS_H
#define RUNTIME_STREAMS_H

#include "rt.h"

/* X(member, parameters): calls that both have. They return 0 or an error number. Device addresses
 * are void pointers here: CUDA uses integers of that size, which are passed the same way. */
#define RT_STREAM_CALLS(X)                                                                         \
    X(init, (unsigned))                                                                            \
    X(version, (int *))                                                                            \
    X(device_count, (int *))                                                                       \
    X(device_name, (char *, int, int))                                                             \
    X(device_memory, (size_t *, int))                                                              \
    X(device_attribute, (int *, int, int))                                                         \
    X(device_pci, (char *, int, int))                                                              \
    X(memory_alloc, (void **, size_t))                                                             \
    X(memory_free, (void *))                                                                       \
    X(shared_alloc, (void **, size_t, unsigned))                                                   \
    X(host_alloc, (void **, size_t, unsigned))                                                     \
    X(host_free, (void *))                                                                         \
    X(module_unload, (void *))                                                                     \
    X(module_function, (void **, void *, const char *))                                            \
    X(function_attribute, (int *, int, void *))                                                    \
    X(stream_create, (void **, unsigned))                                                          \
    X(stream_destroy, (void *))                                                                    \
    X(stream_wait, (void *))                                                                       \
    X(event_destroy, (void *))                                                                     \
    X(event_record, (void *, void *))                                                              \
    X(event_elapsed, (float *, void *, void *))                                                    \
    X(event_query, (void *))                                                                       \
    X(event_wait, (void *))                                                                        \
    X(stream_follow, (void *, void *, unsigned))                                                   \
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

/* The numbers of the device attributes. */
typedef struct rt_stream_attributes {
    int wave_width, max_workgroup_size;
    int max_workgroup_x, max_grid_x; /* y and z follow */
    int local_memory_size;
    int more_local_memory_size; /* for kernels that request it; 0: there is none */
    int cores, max_threads_per_core, registers_per_core, max_workgroups_per_core;
    int clock, memory_clock; /* kHz */
    int memory_bus_width;    /* bits */
    int shared_memory;       /* whether there is any */
} rt_stream_attributes;

typedef struct rt_stream_library {
    const char *variable;       /* environment variable that names another library */
    const char *const names[6]; /* NULL-terminated */
    const char *const *folders; /* searched when the system does not find it; or NULL */
} rt_stream_library;

/* The usual installation folders of ROCm. Its packages do not configure the system's loader. */
extern const char *const rt_rocm_folders[];

enum { RT_STREAM_LIBRARIES = 2 };

/* The first member of a vendor's own structure. */
typedef struct rt_stream_device {
    const struct rt_stream_vendor *vendor;
    void *libraries[RT_STREAM_LIBRARIES];
    rt_stream_calls calls;
    int (*uuid)(uint8_t bytes[16], int device); /* or NULL */
    int device;                                 /* the vendor's number for it */
    unsigned float_lanes;                       /* per core */
    unsigned transfers; /* per memory clock as the driver counts it; 0: unknown */
} rt_stream_device;

/* A sequence of calls: after the first failure the remaining calls are skipped. */
typedef struct rt_run {
    rt_stream_device *device;
    wave_rt_error *error; /* or NULL */
    wave_rt_status status;
    bool inside; /* our device is the thread's current one; `before` was */
    int before;
} rt_run;

/* Makes a call unless an earlier one failed. The symbol is for the message. */
#define RT_RUN(run, symbol, call)                                                                  \
    ((run)->status == WAVE_RT_OK ? rt_run_check(run, symbol, call) : (void)0)
void rt_run_check(rt_run *run, const char *symbol, int result);

/* A run of calls that create or start something on our device; the end restores the thread's
 * device. */
rt_run rt_run_begin(rt_stream_device *device, wave_rt_error *error);
/* The same for calls that only take existing objects. */
rt_run rt_run_begin_known(rt_stream_device *device, wave_rt_error *error);
wave_rt_status rt_run_end(rt_run *run);

/* In the order of HIP's numbers, which start at 1. */
typedef enum rt_stream_way { RT_TO_DEVICE, RT_TO_HOST, RT_ON_DEVICE } rt_stream_way;

/* One of the calls that both vendors have. */
#define RT_CALL(run, member, ...)                                                                  \
    RT_RUN(run, (run)->device->vendor->symbols.member, (run)->device->calls.member(__VA_ARGS__))

typedef struct rt_stream_vendor {
    const char *name, *title;                         /* "cuda", "CUDA" */
    const char *target;                               /* of wave_compile */
    const char *library;                              /* for messages: "CUDA driver" */
    size_t device_size;                               /* size of the vendor's own structure */
    rt_stream_library libraries[RT_STREAM_LIBRARIES]; /* the first has the calls above */
    rt_stream_symbols symbols;
    const char *uuid; /* the call that returns a device's UUID, which may be missing */
    rt_stream_attributes attributes;
    uint32_t static_local_memory; /* per kernel: anything larger is sized at launch */
    bool reports_local_memory;    /* for a compiled kernel */
    bool objects_know_device;     /* calls that take an object need no current device */

    /* Finds the vendor's own calls; returns the name of a missing one, or NULL. */
    const char *(*find_calls)(rt_stream_device *device);
    /* The meaning of an error number, or NULL. */
    const char *(*error_words)(const rt_stream_device *device, int result);
    /* Optional: converts a device index to its number. */
    void (*select)(rt_run *run, int index);
    /* Fills in driver, arch, float_lanes and transfers, or reports why the device is unusable. */
    void (*identify)(rt_run *run, int version, wave_rt_device_info *info);
    /* Both optional: acquire and release what lasts from opening to closing. */
    void (*retain)(rt_run *run);
    void (*release)(rt_stream_device *device);
    /* Make our device the thread's current one, and restore the previous one. */
    void (*enter)(rt_run *run);
    void (*leave)(const rt_run *run);
    void (*event_create)(rt_run *run, void **event);
    void (*copy)(rt_run *run, void *to, const void *from, size_t size, rt_stream_way way,
                 void *stream);
    void (*fill)(rt_run *run, void *to, uint8_t byte, size_t size, void *stream);
    void (*module_load)(rt_run *run, const rt_program *program, void **module);
    /* Only where static_local_memory is a limit: raises the limit for a kernel. */
    void (*allow_local_memory)(rt_run *run, void *function, uint32_t size);
    /* Optional: an object that lasts while the device is open, for callers that request native
     * objects. */
    void *(*native_device)(rt_stream_device *device);
} rt_stream_vendor;

wave_rt_status rt_stream_enumerate(const rt_stream_vendor *vendor, rt_found *found,
                                   wave_rt_error *error);
wave_rt_status rt_stream_open(const rt_stream_vendor *vendor, const char *which, void **device,
                              wave_rt_device_info *info, wave_rt_error *error);

/* The rest of an rt_vendor, the same for both. */
#define RT_STREAM_FUNCTIONS                                                                        \
    .close = rt_stream_close, .memory_create = rt_stream_memory_create,                            \
    .memory_destroy = rt_stream_memory_destroy, .host_create = rt_stream_host_create,              \
    .host_destroy = rt_stream_host_destroy, .module_create = rt_stream_module_create,              \
    .module_destroy = rt_stream_module_destroy, .kernel_limits = rt_stream_kernel_limits,          \
    .queue_create = rt_stream_queue_create, .queue_destroy = rt_stream_queue_destroy,              \
    .upload = rt_stream_upload, .download = rt_stream_download, .fill = rt_stream_fill,            \
    .copy = rt_stream_copy, .launch = rt_stream_launch, .wait = rt_stream_wait,                    \
    .elapsed = rt_stream_elapsed, .event_create = rt_stream_event_create,                          \
    .event_destroy = rt_stream_event_destroy, .event_record = rt_stream_event_record,              \
    .event_follow = rt_stream_event_follow, .event_query = rt_stream_event_query,                  \
    .event_wait = rt_stream_event_wait, .event_elapsed = rt_stream_event_elapsed,                  \
    .native = rt_stream_native

void rt_stream_close(void *device);
wave_rt_status rt_stream_memory_create(void *device, uint64_t size, bool shared, void **memory,
                                       void **host, wave_rt_error *error);
void rt_stream_memory_destroy(void *device, void *memory);
wave_rt_status rt_stream_host_create(void *device, uint64_t size, void **memory,
                                     wave_rt_error *error);
void rt_stream_host_destroy(void *device, void *memory);
wave_rt_status rt_stream_module_create(void *device, const rt_program *program, void **module,
                                       wave_rt_error *error);
void rt_stream_module_destroy(void *device, void *module);
wave_rt_status rt_stream_kernel_limits(void *device, void *module, size_t kernel, rt_limits *limits,
                                       wave_rt_error *error);
wave_rt_status rt_stream_queue_create(void *device, void **queue, wave_rt_error *error);
void rt_stream_queue_destroy(void *device, void *queue);
wave_rt_status rt_stream_upload(void *queue, rt_span to, const void *data, bool wait,
                                wave_rt_error *error);
wave_rt_status rt_stream_download(void *queue, rt_span from, void *data, bool wait,
                                  wave_rt_error *error);
wave_rt_status rt_stream_fill(void *queue, rt_span to, uint8_t byte, bool wait,
                              wave_rt_error *error);
wave_rt_status rt_stream_copy(void *queue, rt_span to, rt_span from, wave_rt_error *error);
wave_rt_status rt_stream_launch(void *queue, const rt_dispatch *dispatch, wave_rt_error *error);
wave_rt_status rt_stream_wait(void *queue, wave_rt_error *error);
wave_rt_status rt_stream_elapsed(void *queue, double *seconds, wave_rt_error *error);
wave_rt_status rt_stream_event_create(void *device, void **event, wave_rt_error *error);
void rt_stream_event_destroy(void *device, void *event);
wave_rt_status rt_stream_event_record(void *queue, void *event, wave_rt_error *error);
wave_rt_status rt_stream_event_follow(void *queue, void *event, wave_rt_error *error);
wave_rt_status rt_stream_event_query(void *device, void *event, bool *done, wave_rt_error *error);
wave_rt_status rt_stream_event_wait(void *device, void *event, wave_rt_error *error);
wave_rt_status rt_stream_event_elapsed(void *device, void *start, void *stop, double *seconds,
                                       wave_rt_error *error);
void *rt_stream_native(rt_native kind, void *object);

#endif
