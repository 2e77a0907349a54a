/* libwave_rt: runs WAVE kernels on the device that is there.
 *
 * A kernel is compiled by libwave for the device, kept in a cache on disk, and launched with
 * argument words. Errors are values: a status, a sentence, the vendor's code and its log.
 * Different queues may be used by different threads at the same time; one queue by one thread at a
 * time. Devices, arenas and modules may be shared by threads. Guide: docs/runtime.md. */
#ifndef WAVE_RT_H
#define WAVE_RT_H

#include <wave/emu.h>
#include <wave/wave.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wave_rt_status {
    WAVE_RT_OK = 0,
    WAVE_RT_USAGE,         /* the call is wrong */
    WAVE_RT_NO_MEMORY,     /* of the host */
    WAVE_RT_NO_DEVICE,     /* no device of this name here */
    WAVE_RT_BAD_INPUT,     /* the file is not valid, or libwave cannot compile it: see the log */
    WAVE_RT_BAD_BUILD,     /* the vendor's compiler rejects the text: see the log */
    WAVE_RT_BOUNDS,        /* outside a buffer or an arena */
    WAVE_RT_LIMIT,         /* a dispatch the device cannot do; the message names the limit */
    WAVE_RT_DEVICE_MEMORY, /* out of device memory */
    WAVE_RT_LAUNCH,        /* the kernel failed */
    WAVE_RT_LOST,          /* the device is gone, or needs a reset */
    WAVE_RT_VENDOR,        /* any other failure of the vendor's library */
    WAVE_RT_STATUS_COUNT
} wave_rt_status;

/* "out of device memory" and so on. */
WAVE_API const char *wave_rt_status_text(wave_rt_status status);

/* What went wrong. Owns nothing. Every function that takes one accepts NULL, and leaves it alone
 * when it succeeds. */
typedef struct wave_rt_error {
    wave_rt_status status;
    long vendor_code;  /* of the vendor's library; 0: the error is not the vendor's */
    char message[512]; /* one sentence, the vendor's words included */
    char log[4096];    /* diagnostics of libwave or of the vendor's compiler; may be cut short */
} wave_rt_error;

/* ---- Devices ---- */

enum { /* wave_rt_device_info.capabilities */
       WAVE_RT_CAP_F64 = 1 << 0,
       WAVE_RT_CAP_ATOMIC_64 = 1 << 1,
       WAVE_RT_CAP_ATOMIC_F32 = 1 << 2,
       WAVE_RT_CAP_MMA = 1 << 3,
       WAVE_RT_CAP_RECURSION = 1 << 4,
       WAVE_RT_CAP_CLUSTER = 1 << 5
};

typedef struct wave_rt_device_info {
    char name[32];       /* "cuda:0": what wave_rt_open takes */
    char title[128];     /* "Tesla T4" */
    char driver[128];    /* "CUDA 12.4" */
    const char *target;  /* of wave_compile: "ptx", …; NULL: kernels are not compiled */
    char arch[32];       /* "sm_75" */
    uint32_t wave_width; /* unless a module is compiled for another */
    uint32_t max_workgroup_size;
    uint32_t max_workgroup[3];
    uint32_t max_grid[3];
    uint64_t local_memory_size; /* of a workgroup */
    uint64_t device_memory_size;
    uint64_t register_file_size; /* of a core */
    uint32_t cores;
    uint32_t max_workgroups_per_core, max_waves_per_core;
    unsigned capabilities;
    double peak_bytes; /* a second, of device memory; 0: not known */
    double peak_flops; /* a second, f32; 0: not known */
} wave_rt_device_info;

/* Why a vendor has no device here. */
typedef struct wave_rt_absence {
    const char *vendor;
    char reason[256];
} wave_rt_absence;

typedef struct wave_rt_list {
    wave_rt_device_info *devices; /* best first; the emulator is always there, and last */
    size_t count;
    wave_rt_absence *absent;
    size_t absent_count;
} wave_rt_list;

WAVE_API wave_rt_status wave_rt_enumerate(wave_rt_list *list, wave_rt_error *error);
/* The same, and before each vendor's driver is asked, which may hang, its name is told: "cuda". */
typedef void wave_rt_looking(void *user, const char *vendor);
WAVE_API wave_rt_status wave_rt_enumerate_watched(wave_rt_list *list, wave_rt_looking *looking,
                                                  void *user, wave_rt_error *error);
WAVE_API void wave_rt_list_free(wave_rt_list *list);

typedef struct wave_rt_device wave_rt_device;

/* "emu", "cuda:0", "hip:0", "sycl:cpu", "sycl:gpu:0", "metal:0", or "auto": the first of the list.
 * "cuda" alone is "cuda:0". */
WAVE_API wave_rt_status wave_rt_open(const char *name, wave_rt_device **device,
                                     wave_rt_error *error);
/* Arenas, queues and modules of the device stay usable until they are destroyed. */
WAVE_API void wave_rt_close(wave_rt_device *device);
WAVE_API const wave_rt_device_info *wave_rt_device_describe(const wave_rt_device *device);

/* By the names of the specification: "WAVE_WIDTH", "LOCAL_MEMORY_SIZE", "MMA_M", … and "CAP_F64",
 * …. WAVE_RT_USAGE for another name. MMA_TYPES is a set of WAVE_RT_MMA_… bits. */
enum { WAVE_RT_MMA_F16_F32 = 1, WAVE_RT_MMA_BF16_F32 = 2, WAVE_RT_MMA_F32_F32 = 4 };
WAVE_API wave_rt_status wave_rt_query_constant(const wave_rt_device *device, const char *name,
                                               uint64_t *value, wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_query_capability(const wave_rt_device *device, const char *name,
                                                 bool *present, wave_rt_error *error);
/* The names, in the order of the specification; NULL behind the last. */
WAVE_API const char *wave_rt_constant_name(unsigned index);
WAVE_API const char *wave_rt_capability_name(unsigned index);

/* ---- Memory ---- */

/* The device memory of a launch: addresses in a kernel are byte offsets in an arena. */
typedef struct wave_rt_arena wave_rt_arena;

/* A part of an arena, by value. `offset` is what the kernel gets as its address. */
typedef struct wave_rt_buffer {
    wave_rt_arena *arena;
    uint64_t offset, size;
} wave_rt_buffer;

enum { WAVE_RT_ALIGNMENT = 256 };

/* Up to 4 GiB. The contents are undefined; wave_rt_fill sets them. */
WAVE_API wave_rt_status wave_rt_arena_create(wave_rt_device *device, uint64_t size,
                                             wave_rt_arena **arena, wave_rt_error *error);
WAVE_API void wave_rt_arena_destroy(wave_rt_arena *arena);
WAVE_API uint64_t wave_rt_arena_size(const wave_rt_arena *arena);
/* All of it as one buffer, for kernels with addresses of their own. */
WAVE_API wave_rt_buffer wave_rt_arena_whole(wave_rt_arena *arena);
/* The next free piece, at a multiple of WAVE_RT_ALIGNMENT; WAVE_RT_BOUNDS when it does not fit. */
WAVE_API wave_rt_status wave_rt_arena_take(wave_rt_arena *arena, uint64_t size,
                                           wave_rt_buffer *buffer, wave_rt_error *error);
/* Everything is free again; buffers taken before must not be used any more. */
WAVE_API void wave_rt_arena_reset(wave_rt_arena *arena);
/* A part of a buffer; WAVE_RT_BOUNDS when it is not inside. */
WAVE_API wave_rt_status wave_rt_buffer_part(const wave_rt_buffer *buffer, uint64_t offset,
                                            uint64_t size, wave_rt_buffer *part,
                                            wave_rt_error *error);

/* ---- Modules ---- */

typedef struct wave_rt_module wave_rt_module;

/* Fill with wave_rt_module_init, then change what differs. Pointers are borrowed. */
typedef struct wave_rt_module_options {
    wave_load_options load;
    bool optimise;       /* default: true */
    bool fast_math;      /* the vendor's fsin, fcos, fexp2 and flog2 */
    bool bounds;         /* accesses outside the arena load 0 and store nothing */
    bool assert_trap;    /* default: true, a failing assert fails the launch */
    bool lockstep;       /* for files that take lanes of a wave for ordered: fences between them */
    uint32_t wave_width; /* 0: the device's */
    const char *cache;   /* folder; "": no cache; NULL: $WAVE_CACHE_DIR, or the user's cache */
    /* Told before each step that may take long, when not NULL: "compiling for sm_75". */
    void (*progress)(void *user, const char *what);
    /* Told, when not NULL, of what does no harm to the result: that the cache is not used, and why.
     * Once for a device. */
    void (*warning)(void *user, const char *what);
    void *user;
} wave_rt_module_options;

WAVE_API void wave_rt_module_init(wave_rt_module_options *options);

/* A WBIN file, compiled for the device. The bytes are copied. `options` may be NULL. */
WAVE_API wave_rt_status wave_rt_module_load(wave_rt_device *device, const void *data, size_t size,
                                            const wave_rt_module_options *options,
                                            wave_rt_module **module, wave_rt_error *error);
WAVE_API void wave_rt_module_destroy(wave_rt_module *module);
WAVE_API const wave_module *wave_rt_module_kernels(const wave_rt_module *module);
/* The text for the vendor's compiler; "" on a device that compiles nothing. */
WAVE_API const char *wave_rt_module_text(const wave_rt_module *module, size_t *size);
/* Whether the text came from the cache. */
WAVE_API bool wave_rt_module_cached(const wave_rt_module *module);

/* ---- Queues ---- */

typedef struct wave_rt_queue wave_rt_queue;

WAVE_API wave_rt_status wave_rt_queue_create(wave_rt_device *device, wave_rt_queue **queue,
                                             wave_rt_error *error);
WAVE_API void wave_rt_queue_destroy(wave_rt_queue *queue);

/* These three happen after everything queued before, and are complete when they return. */
WAVE_API wave_rt_status wave_rt_upload(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                       uint64_t offset, const void *data, uint64_t size,
                                       wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_download(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                         uint64_t offset, void *data, uint64_t size,
                                         wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_fill(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                     uint8_t byte, wave_rt_error *error);

/* Fill with wave_rt_launch_init, then change what differs. Pointers are borrowed. */
typedef struct wave_rt_launch {
    const wave_rt_module *module;
    size_t kernel;         /* index in the module; default 0 */
    wave_rt_arena *arena;  /* NULL: the kernel touches no device memory */
    uint32_t grid[3];      /* workgroups; default 1,1,1 */
    uint32_t workgroup[3]; /* threads, for a kernel that leaves it open; default 32,1,1 */
    /* For a kernel that declares 0; default 0: those of the module's load options. With others the
     * kernel is checked and compiled anew, at the first launch with them. */
    uint32_t registers;    /* at most 256 */
    uint32_t local_memory; /* bytes, at most 65536 */
    const uint32_t *words; /* r0, r1, …; fewer than the kernel's are filled up with zeros */
    uint32_t word_count;
    bool timed;
    /* Sizes of the buffers that arguments name: the emulator then checks what those promise. */
    const wave_launch_buffer *buffers;
    size_t buffer_count;
} wave_rt_launch;

WAVE_API void wave_rt_launch_init(wave_rt_launch *launch);

/* Declared arguments by name: put into the words of a launch, wherever the kernel takes them. The
 * type's size, the kind and a buffer's alignment must fit; a structure's size its words. */
WAVE_API wave_rt_status wave_rt_set_buffer(const wave_rt_module *module, size_t kernel,
                                           const char *name, const wave_rt_buffer *buffer,
                                           uint32_t *words, wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_set_scalar(const wave_rt_module *module, size_t kernel,
                                           const char *name, const void *value, size_t size,
                                           uint32_t *words, wave_rt_error *error);

/* Queues a launch. What the device cannot do is rejected here, by name of the limit; what the
 * kernel does wrong may show only at wave_rt_wait. */
WAVE_API wave_rt_status wave_rt_dispatch(wave_rt_queue *queue, const wave_rt_launch *launch,
                                         wave_rt_error *error);
/* Until all that was queued is done. */
WAVE_API wave_rt_status wave_rt_wait(wave_rt_queue *queue, wave_rt_error *error);
/* Device time of the last timed launch, after wave_rt_wait. */
WAVE_API wave_rt_status wave_rt_elapsed(wave_rt_queue *queue, double *seconds,
                                        wave_rt_error *error);

#ifdef __cplusplus
}
#endif

#endif
