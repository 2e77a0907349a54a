/* The interface between the core and the vendors' files: one table of functions per vendor. Adding
 * a vendor takes one file that fills an rt_vendor and one row in vendors.c. Also included from C++
 * and Objective-C. */
#ifndef RUNTIME_RT_H
#define RUNTIME_RT_H

#include "wave_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ABI version of this file; a plug-in built for another version is refused. */
enum { RT_ABI = 4 };

#if defined(__GNUC__) || defined(__clang__)
#define RT_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define RT_PRINTF(at, first)
#endif

/* Fills `error`, unless it is NULL, and returns `status`. */
wave_rt_status rt_fail(wave_rt_error *error, wave_rt_status status, const char *format, ...)
    RT_PRINTF(3, 4);
/* The same for a failed call of the vendor's library: "cuMemAlloc: out of memory (2)". */
wave_rt_status rt_fail_call(wave_rt_error *error, wave_rt_status status, const char *call,
                            const char *words, long code);
/* Keeps the start of a compiler's log. */
void rt_log(wave_rt_error *error, const char *text, size_t size);
/* Copies a name, cut to `size`. */
void rt_copy(char *to, size_t size, const char *from);

/* Receives a vendor's devices, or the reason why there are none. These are pointers because a
 * plug-in cannot call functions linked into a program. */
typedef struct rt_found {
    bool (*device)(struct rt_found *found, const wave_rt_device_info *info); /* false: no memory */
    void (*nothing)(struct rt_found *found, const char *reason);
} rt_found;

/* One kernel of a compiled module. */
typedef struct rt_entry {
    char *symbol;
    uint32_t words;        /* number of argument words */
    uint32_t local_memory; /* bytes */
    uint32_t uses;         /* WAVE_USES_… of the kernel */
    bool open_workgroup;   /* chosen at launch */
    bool status;           /* has asserts: takes two words that report which one failed */
} rt_entry;

typedef struct rt_program {
    const wave_module *module;
    const char *text; /* NUL-terminated */
    size_t size;
    const uint8_t *binary; /* the output of `build`; NULL without `build` */
    size_t binary_size;
    const rt_entry *entries; /* one per kernel of the module */
    size_t count;
    uint32_t wave_width;
    bool bounds, assert_trap;
    bool native; /* the caller provided the text, or the binary if there is one */
} rt_program;

/* The message of a launch that failed an assert. */
#define RT_ASSERT_FAILED "assert number %u of the kernel failed"

/* Limits of one compiled kernel; 0 where the vendor does not report them. */
typedef struct rt_limits {
    uint32_t threads;     /* per workgroup, given the kernel's registers */
    uint32_t registers;   /* per thread */
    uint32_t spill_bytes; /* per thread */
    bool reports_spills;
    uint32_t local_memory;
    uint32_t waves; /* per workgroup */
} rt_limits;

typedef struct rt_dispatch {
    void *module; /* the vendor's object */
    const rt_program *program;
    size_t kernel;
    uint32_t grid[3], group[3];
    void *memory; /* the vendor's object; NULL: none */
    uint64_t memory_size;
    const uint32_t *words; /* the entry has their number */
    bool timed;
    const wave_launch_buffer *buffers; /* the buffers whose sizes are known */
    size_t buffer_count;
} rt_dispatch;

/* A range of device memory. */
typedef struct rt_span {
    void *memory; /* the vendor's object */
    uint64_t offset, size;
} rt_span;

/* The objects that wave_rt_…_native returns. */
typedef enum rt_native { RT_NATIVE_DEVICE, RT_NATIVE_QUEUE, RT_NATIVE_MEMORY } rt_native;

/* `device`, `memory`, `queue`, `event` and `module` are the vendor's own. Create and destroy come
 * in pairs: a failed create leaves nothing behind; destroy accepts NULL. All functions are
 * thread-safe, except that one queue may be used by only one thread at a time. Functions without a
 * status cannot fail. */
typedef struct rt_vendor {
    uint32_t abi;
    const char *name;   /* "cuda" */
    const char *target; /* of wave_compile; NULL: kernels are not compiled */

    wave_rt_status (*enumerate)(const struct rt_vendor *self, rt_found *found,
                                wave_rt_error *error);
    /* `which` is the part of the name after "cuda:"; "" when there is none. */
    wave_rt_status (*open)(const char *which, void **device, wave_rt_device_info *info,
                           wave_rt_error *error);
    void (*close)(void *device);

    /* `shared`: memory that the host can access, only on devices that report it. `host` receives
     * its address, or stays NULL. */
    wave_rt_status (*memory_create)(void *device, uint64_t size, bool shared, void **memory,
                                    void **host, wave_rt_error *error);
    void (*memory_destroy)(void *device, void *memory);
    wave_rt_status (*host_create)(void *device, uint64_t size, void **memory, wave_rt_error *error);
    void (*host_destroy)(void *device, void *memory);

    /* Optional: the vendor caches machine code itself, in a subfolder of this folder, up to `limit`
     * bytes. Applies to the entire process: the first folder wins. */
    void (*use_cache)(void *device, const char *folder, uint64_t limit);
    /* Optional: whether module_create may kill the process because a compiler runs in it. */
    bool (*may_die)(void *device);
    /* Optional: compiles the text to the binary that module_create loads, for the cache. */
    wave_rt_status (*build)(void *device, const rt_program *program, wave_blob *binary,
                            wave_rt_error *error);
    wave_rt_status (*module_create)(void *device, const rt_program *program, void **module,
                                    wave_rt_error *error);
    void (*module_destroy)(void *device, void *module);
    wave_rt_status (*kernel_limits)(void *device, void *module, size_t kernel, rt_limits *limits,
                                    wave_rt_error *error);

    wave_rt_status (*queue_create)(void *device, void **queue, wave_rt_error *error);
    void (*queue_destroy)(void *device, void *queue);
    /* These are queued; with `wait` they are complete on return. */
    wave_rt_status (*upload)(void *queue, rt_span to, const void *data, bool wait,
                             wave_rt_error *error);
    wave_rt_status (*download)(void *queue, rt_span from, void *data, bool wait,
                               wave_rt_error *error);
    wave_rt_status (*fill)(void *queue, rt_span to, uint8_t byte, bool wait, wave_rt_error *error);
    wave_rt_status (*copy)(void *queue, rt_span to, rt_span from, wave_rt_error *error);
    wave_rt_status (*launch)(void *queue, const rt_dispatch *dispatch, wave_rt_error *error);
    wave_rt_status (*wait)(void *queue, wave_rt_error *error);
    wave_rt_status (*elapsed)(void *queue, double *seconds, wave_rt_error *error);

    /* All but the first three require a recorded event. */
    wave_rt_status (*event_create)(void *device, void **event, wave_rt_error *error);
    void (*event_destroy)(void *device, void *event);
    wave_rt_status (*event_record)(void *queue, void *event, wave_rt_error *error);
    wave_rt_status (*event_follow)(void *queue, void *event, wave_rt_error *error);
    wave_rt_status (*event_query)(void *device, void *event, bool *done, wave_rt_error *error);
    wave_rt_status (*event_wait)(void *device, void *event, wave_rt_error *error);
    wave_rt_status (*event_elapsed)(void *device, void *start, void *stop, double *seconds,
                                    wave_rt_error *error);

    /* Optional: the vendor's object for one of ours. */
    void *(*native)(rt_native kind, void *object);
} rt_vendor;

/* A plug-in is a shared library with this function. It returns its table, or NULL for another
 * RT_ABI. */
typedef const rt_vendor *rt_plugin_entry(uint32_t abi);
#define RT_PLUGIN_SYMBOL "wave_rt_plugin"

/* Opens the vendor's library: the one $VARIABLE names, the first of the names that the system
 * finds, or the first in one of the folders. Returns NULL, with the reason in `error`. An empty
 * variable turns the vendor off. A folder is a path, a pattern with a star, or a path after a
 * variable: "$ROCM_PATH/lib". The list ends with NULL; a NULL list is empty. The library stays
 * loaded until the process ends. */
void *rt_library_open(const char *variable, const char *const *names, const char *const *folders,
                      wave_rt_error *error);
/* Stores the address of a function in the pointer at `place`; false when it is missing. */
bool rt_library_find(void *library, const char *name, void *place);
void rt_library_close(void *library);

/* Parses `text` as a decimal number; false when it is not one. "" is 0. */
bool rt_index(const char *text, unsigned *index);

#ifdef __cplusplus
}
#endif

#endif
