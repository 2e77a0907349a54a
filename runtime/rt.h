/* What the core and the vendors' files share: one table of functions a vendor. Adding a vendor is
 * one file that fills an rt_vendor and one row in vendors.c. Also read by C++ and Objective-C. */
#ifndef RUNTIME_RT_H
#define RUNTIME_RT_H

#include "wave_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of this file; a plug-in that was built for another is refused. */
enum { RT_ABI = 3 };

#if defined(__GNUC__) || defined(__clang__)
#define RT_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define RT_PRINTF(at, first)
#endif

/* Fills `error`, when there is one, and returns `status`. */
wave_rt_status rt_fail(wave_rt_error *error, wave_rt_status status, const char *format, ...)
    RT_PRINTF(3, 4);
/* The same for a failing call of the vendor's library: "cuMemAlloc: out of memory (2)". */
wave_rt_status rt_fail_call(wave_rt_error *error, wave_rt_status status, const char *call,
                            const char *words, long code);
/* Keeps the start of a compiler's log. */
void rt_log(wave_rt_error *error, const char *text, size_t size);
/* Copies a name, cut to `size`. */
void rt_copy(char *to, size_t size, const char *from);

/* Where a vendor says what it has: devices, or the reason why there are none. Pointers, because a
 * plug-in cannot call what is linked into a program. */
typedef struct rt_found {
    bool (*device)(struct rt_found *found, const wave_rt_device_info *info); /* false: no memory */
    void (*nothing)(struct rt_found *found, const char *reason);
} rt_found;

/* One kernel of a compiled module. */
typedef struct rt_entry {
    char *symbol;
    uint32_t words;        /* of arguments */
    uint32_t local_memory; /* bytes */
    uint32_t uses;         /* WAVE_USES_… of the kernel */
    bool open_workgroup;   /* its size is chosen at launch */
    bool status;           /* has asserts: it takes two words that tell which failed */
} rt_entry;

typedef struct rt_program {
    const wave_module *module;
    const char *text; /* terminated */
    size_t size;
    const uint8_t *binary; /* what `build` made of the text; NULL without `build` */
    size_t binary_size;
    const rt_entry *entries; /* one for each kernel of the module */
    size_t count;
    uint32_t wave_width;
    bool bounds, assert_trap;
} rt_program;

/* What a launch that failed by an assert says. */
#define RT_ASSERT_FAILED "assert number %u of the kernel failed"

/* Limits of one compiled kernel; 0 where the vendor does not say. */
typedef struct rt_limits {
    uint32_t threads;   /* of a workgroup, with the registers the kernel needs */
    uint32_t registers; /* of a thread */
    uint32_t local_memory;
    uint32_t waves; /* of a workgroup */
} rt_limits;

typedef struct rt_dispatch {
    void *module; /* of the vendor */
    const rt_program *program;
    size_t kernel;
    uint32_t grid[3], group[3];
    void *memory; /* of the vendor; NULL: none */
    uint64_t memory_size;
    const uint32_t *words; /* as many as the entry says */
    bool timed;
    const wave_launch_buffer *buffers; /* whose sizes are known */
    size_t buffer_count;
} rt_dispatch;

/* `device`, `memory`, `queue` and `module` are the vendor's own. Pairs of create and destroy: when
 * create fails nothing is left behind; destroy takes NULL. Every function but those of one queue
 * may be called by several threads. Functions without a status cannot fail. */
typedef struct rt_vendor {
    uint32_t abi;
    const char *name;   /* "cuda" */
    const char *target; /* of wave_compile; NULL: kernels are not compiled */

    wave_rt_status (*enumerate)(const struct rt_vendor *self, rt_found *found,
                                wave_rt_error *error);
    /* `which` is what stands behind "cuda:" in the name; "" when nothing does. */
    wave_rt_status (*open)(const char *which, void **device, wave_rt_device_info *info,
                           wave_rt_error *error);
    void (*close)(void *device);

    wave_rt_status (*memory_create)(void *device, uint64_t size, void **memory,
                                    wave_rt_error *error);
    void (*memory_destroy)(void *device, void *memory);

    /* Optional: machine code is cached by the vendor itself, in a folder inside this one, up to so
     * many bytes. For the whole process: the first folder counts. */
    void (*use_cache)(void *device, const char *folder, uint64_t limit);
    /* Optional: whether module_create may end the process, because a compiler runs in it. */
    bool (*may_die)(void *device);
    /* Optional: the text to what module_create loads, so that it can be cached. */
    wave_rt_status (*build)(void *device, const rt_program *program, wave_blob *binary,
                            wave_rt_error *error);
    wave_rt_status (*module_create)(void *device, const rt_program *program, void **module,
                                    wave_rt_error *error);
    void (*module_destroy)(void *device, void *module);
    wave_rt_status (*kernel_limits)(void *device, void *module, size_t kernel, rt_limits *limits,
                                    wave_rt_error *error);

    wave_rt_status (*queue_create)(void *device, void **queue, wave_rt_error *error);
    void (*queue_destroy)(void *device, void *queue);
    wave_rt_status (*upload)(void *queue, void *memory, uint64_t offset, const void *data,
                             uint64_t size, wave_rt_error *error);
    wave_rt_status (*download)(void *queue, void *memory, uint64_t offset, void *data,
                               uint64_t size, wave_rt_error *error);
    wave_rt_status (*fill)(void *queue, void *memory, uint64_t offset, uint8_t byte, uint64_t size,
                           wave_rt_error *error);
    wave_rt_status (*launch)(void *queue, const rt_dispatch *dispatch, wave_rt_error *error);
    wave_rt_status (*wait)(void *queue, wave_rt_error *error);
    wave_rt_status (*elapsed)(void *queue, double *seconds, wave_rt_error *error);
} rt_vendor;

/* A plug-in is a shared library with this function: its table, or NULL for another RT_ABI. */
typedef const rt_vendor *rt_plugin_entry(uint32_t abi);
#define RT_PLUGIN_SYMBOL "wave_rt_plugin"

/* The vendor's library: the one $VARIABLE names, or the first of the names that the system finds,
 * or else that is in one of the folders. NULL, with the reason in `error`. An empty variable turns
 * the vendor off. A folder is a path, a pattern with a star, or a path after a variable:
 * "$ROCM_PATH/lib"; the list ends with NULL, and NULL is none. The library stays loaded to the end
 * of the process. */
void *rt_library_open(const char *variable, const char *const *names, const char *const *folders,
                      wave_rt_error *error);
/* Stores the address of a function in the pointer at `place`; false when there is none. */
bool rt_library_find(void *library, const char *name, void *place);
void rt_library_close(void *library);

/* The decimal number `text` is all of; false otherwise. "" is 0. */
bool rt_index(const char *text, unsigned *index);

#ifdef __cplusplus
}
#endif

#endif
