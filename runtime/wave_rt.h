/* libwave_rt: runs WAVE kernels on any available device.
 *
 * A kernel is compiled by libwave for the device, kept in a cache on disk, and launched with
 * argument words. Errors are values: a status, a sentence, the vendor's code and its log.
 * Different queues may be used by different threads at the same time; one queue by one thread at a
 * time. Devices, arenas and modules may be shared by threads. Guide: docs/using/runtime.md. */
#ifndef WAVE_RT_H
#define WAVE_RT_H

#include <wave/emu.h>
#include <wave/wave.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: 1000 times the major plus the minor number. A structure
 * whose first member is its size may grow, at its end only, with a new minor number: the size tells
 * the library which version the caller has. */
enum { WAVE_RT_VERSION = 1 };
/* The version of the linked library. */
WAVE_API unsigned wave_rt_version(void);

typedef enum wave_rt_status {
    WAVE_RT_OK = 0,
    WAVE_RT_USAGE,         /* the call is invalid */
    WAVE_RT_NO_MEMORY,     /* out of host memory */
    WAVE_RT_NO_DEVICE,     /* no device of this name */
    WAVE_RT_BAD_INPUT,     /* the file is invalid, or libwave cannot compile it: see the log */
    WAVE_RT_BAD_BUILD,     /* the vendor's compiler rejects the text: see the log */
    WAVE_RT_BOUNDS,        /* outside a buffer or an arena */
    WAVE_RT_LIMIT,         /* a dispatch the device does not support; the message names the limit */
    WAVE_RT_DEVICE_MEMORY, /* out of device memory */
    WAVE_RT_LAUNCH,        /* the kernel failed */
    WAVE_RT_LOST,          /* the device is gone, or needs a reset */
    WAVE_RT_VENDOR,        /* any other failure of the vendor's library */
    WAVE_RT_UNKNOWN,       /* the vendor does not report it */
    WAVE_RT_STATUS_COUNT
} wave_rt_status;

/* "out of device memory" and so on. */
WAVE_API const char *wave_rt_status_text(wave_rt_status status);

/* Describes an error. Owns nothing, and has a fixed size. Every function that takes one accepts
 * NULL, and leaves it unchanged on success. */
typedef struct wave_rt_error {
    wave_rt_status status;
    long vendor_code;  /* error code of the vendor's library; 0: the error is not the vendor's */
    char message[512]; /* one sentence, including the vendor's message */
    char log[4096];    /* diagnostics of libwave or of the vendor's compiler; may be truncated */
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

/* Unknown values are 0 or "". */
typedef struct wave_rt_device_info {
    uint32_t size;       /* bytes that the library filled; the rest of `later` is reserved */
    char name[32];       /* "cuda:0", for wave_rt_open */
    char title[128];     /* "Tesla T4" */
    char driver[128];    /* "CUDA 12.4" */
    const char *target;  /* of wave_compile: "ptx", …; NULL: kernels are not compiled */
    char arch[32];       /* "sm_75" */
    uint32_t wave_width; /* unless a module is compiled for another one */
    uint32_t max_workgroup_size;
    uint32_t max_workgroup[3];
    uint32_t max_grid[3];
    uint64_t local_memory_size; /* per workgroup */
    uint64_t device_memory_size;
    uint64_t register_file_size; /* per core */
    uint32_t cores;
    uint32_t max_workgroups_per_core, max_waves_per_core;
    unsigned capabilities;
    double peak_bytes; /* per second, of device memory */
    double peak_flops; /* per second, f32 */
    char pci[16];      /* "0000:3b:00.0" */
    char uuid[40];     /* "f3c2a1b0-…", 36 characters */
    bool shared;       /* has memory that the host can access: wave_rt_arena_create_shared */
    uint8_t later[127];
} wave_rt_device_info;

/* Why a vendor has no device on this machine. */
typedef struct wave_rt_absence {
    const char *vendor;
    char reason[256];
} wave_rt_absence;

typedef struct wave_rt_list {
    wave_rt_device_info *devices; /* best first; the emulator is always present, and last */
    size_t count;
    wave_rt_absence *absent;
    size_t absent_count;
} wave_rt_list;

WAVE_API wave_rt_status wave_rt_enumerate(wave_rt_list *list, wave_rt_error *error);
/* The same, but reports a vendor's name, "cuda", before querying its driver, which may hang. */
typedef void wave_rt_looking(void *user, const char *vendor);
WAVE_API wave_rt_status wave_rt_enumerate_watched(wave_rt_list *list, wave_rt_looking *looking,
                                                  void *user, wave_rt_error *error);
WAVE_API void wave_rt_list_free(wave_rt_list *list);

typedef struct wave_rt_device wave_rt_device;

/* "emu", "cuda:0", "hip:0", "sycl:cpu", "sycl:gpu:0", "metal:0"; "cuda" alone is "cuda:0". By
 * identity: "pci:0000:3b:00.0", "uuid:f3c2a1b0-…" (an unambiguous prefix is enough). "auto" is
 * $WAVE_DEVICE, or the first device of the list. Several devices can be open at the same time, and
 * the same one more than once. */
WAVE_API wave_rt_status wave_rt_open(const char *name, wave_rt_device **device,
                                     wave_rt_error *error);
/* Arenas, queues and modules of the device stay usable until they are destroyed. */
WAVE_API void wave_rt_close(wave_rt_device *device);
WAVE_API const wave_rt_device_info *wave_rt_device_describe(const wave_rt_device *device);

/* By the names of the specification: "WAVE_WIDTH", "LOCAL_MEMORY_SIZE", "MMA_M", … and "CAP_F64",
 * …. WAVE_RT_USAGE for any other name, WAVE_RT_UNKNOWN for values that the vendor does not report.
 * MMA_TYPES is a set of WAVE_RT_MMA_… bits. */
enum {
    WAVE_RT_MMA_F16_F32 = 1,
    WAVE_RT_MMA_BF16_F32 = 2,
    WAVE_RT_MMA_F32_F32 = 4,
    WAVE_RT_MMA_I8_I32 = 8,
    WAVE_RT_MMA_U8_I32 = 16
};
WAVE_API wave_rt_status wave_rt_query_constant(const wave_rt_device *device, const char *name,
                                               uint64_t *value, wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_query_capability(const wave_rt_device *device, const char *name,
                                                 bool *present, wave_rt_error *error);
/* The names, in the order of the specification; NULL after the last. */
WAVE_API const char *wave_rt_constant_name(unsigned index);
WAVE_API const char *wave_rt_capability_name(unsigned index);

/* ---- Memory ---- */

/* The device memory of a launch: addresses in a kernel are byte offsets in an arena. */
typedef struct wave_rt_arena wave_rt_arena;

/* A part of an arena, by value. `offset` is the address that the kernel gets. */
typedef struct wave_rt_buffer {
    wave_rt_arena *arena;
    uint64_t offset, size;
} wave_rt_buffer;

enum { WAVE_RT_ALIGNMENT = 256 };

/* Up to 4 GiB. The contents are undefined; wave_rt_fill initialises them. */
WAVE_API wave_rt_status wave_rt_arena_create(wave_rt_device *device, uint64_t size,
                                             wave_rt_arena **arena, wave_rt_error *error);
/* The same in memory that the host can access; WAVE_RT_LIMIT where the device has none. */
WAVE_API wave_rt_status wave_rt_arena_create_shared(wave_rt_device *device, uint64_t size,
                                                    wave_rt_arena **arena, wave_rt_error *error);
WAVE_API void wave_rt_arena_destroy(wave_rt_arena *arena);
WAVE_API uint64_t wave_rt_arena_size(const wave_rt_arena *arena);
/* The entire arena as one buffer, for kernels that compute their own addresses. */
WAVE_API wave_rt_buffer wave_rt_arena_whole(wave_rt_arena *arena);
/* Allocates the next free piece, at a multiple of WAVE_RT_ALIGNMENT; WAVE_RT_BOUNDS when it does
 * not fit. */
WAVE_API wave_rt_status wave_rt_arena_take(wave_rt_arena *arena, uint64_t size,
                                           wave_rt_buffer *buffer, wave_rt_error *error);
/* Frees everything; buffers taken earlier must no longer be used. */
WAVE_API void wave_rt_arena_reset(wave_rt_arena *arena);
/* A part of a buffer; WAVE_RT_BOUNDS when it is not inside the buffer. */
WAVE_API wave_rt_status wave_rt_buffer_part(const wave_rt_buffer *buffer, uint64_t offset,
                                            uint64_t size, wave_rt_buffer *part,
                                            wave_rt_error *error);

/* The host address of a buffer: always available on the emulator and on Metal, elsewhere in shared
 * arenas; WAVE_RT_LIMIT otherwise. Valid until the arena is destroyed. The host and the device take
 * turns: call wave_rt_wait before the host accesses the buffer. */
WAVE_API wave_rt_status wave_rt_buffer_map(const wave_rt_buffer *buffer, void **pointer,
                                           wave_rt_error *error);

/* Host memory that the device reads and writes directly, so that queued transfers need no extra
 * copy. Free it before closing the device. */
WAVE_API wave_rt_status wave_rt_host_alloc(wave_rt_device *device, uint64_t size, void **memory,
                                           wave_rt_error *error);
WAVE_API void wave_rt_host_free(wave_rt_device *device, void *memory);

/* ---- Modules ---- */

typedef struct wave_rt_module wave_rt_module;

/* Fill with wave_rt_module_init, then change what differs. Pointers are borrowed. */
typedef struct wave_rt_module_options {
    uint32_t size; /* size of this structure, in the caller's version */
    wave_load_options load;
    bool optimise;       /* default: true */
    bool fast_math;      /* the vendor's approximations, and contraction */
    bool native_mma;     /* matrix units for f16 and bf16 tiles; results have the units' bits */
    bool bounds;         /* accesses outside the arena load 0 and store nothing */
    bool assert_trap;    /* default: true, a failing assert fails the launch */
    bool lockstep;       /* for files that assume lockstep execution of a wave: inserts fences */
    bool deterministic;  /* float sums in a fixed order, or WAVE_RT_BAD_INPUT */
    uint32_t wave_width; /* 0: the device's */
    const char *cache;   /* folder; "": no cache; NULL: $WAVE_CACHE_DIR, or the user's cache */
    /* Called, when not NULL, before each step that may take long: "compiling for sm_75". */
    void (*progress)(void *user, const char *what);
    /* Called, when not NULL, for problems that do not affect the result: that the cache is not
     * used, and why. Once per device. */
    void (*warning)(void *user, const char *what);
    void *user;
} wave_rt_module_options;

WAVE_API void wave_rt_module_init_sized(wave_rt_module_options *options, uint32_t size);
static inline void wave_rt_module_init(wave_rt_module_options *options) {
    wave_rt_module_init_sized(options, (uint32_t)sizeof *options);
}

/* A WBIN or SPIR-V file, compiled for the device. The bytes are copied. `options` may be NULL. */
WAVE_API wave_rt_status wave_rt_module_load(wave_rt_device *device, const void *data, size_t size,
                                            const wave_rt_module_options *options,
                                            wave_rt_module **module, wave_rt_error *error);
/* Kernels in the vendor's own form: PTX or cubin, HIP or a code object, Metal's text or metallib,
 * SYCL's text or SPIR-V, whichever the device accepts; input that contains a zero byte is binary.
 * They have the parameters of the emitted text, and `reflect` is the output of wave_reflect or
 * wavec --reflect for them. Nothing is cached. WAVE_RT_USAGE on the emulator, which runs only WBIN.
 */
WAVE_API wave_rt_status wave_rt_module_load_native(wave_rt_device *device, const void *data,
                                                   size_t size, const char *reflect,
                                                   size_t reflect_size, wave_rt_module **module,
                                                   wave_rt_error *error);
WAVE_API void wave_rt_module_destroy(wave_rt_module *module);
WAVE_API const wave_module *wave_rt_module_kernels(const wave_rt_module *module);
/* The text for the vendor's compiler; "" on a device that compiles nothing. */
WAVE_API const char *wave_rt_module_text(const wave_rt_module *module, size_t *size);
/* Whether the text came from the cache. */
WAVE_API bool wave_rt_module_cached(const wave_rt_module *module);

/* Facts about a compiled kernel, queried from the vendor once, at load. UINT32_MAX: unknown. */
typedef struct wave_rt_facts {
    uint32_t size;        /* size of this structure, in the caller's version */
    uint32_t registers;   /* per thread, as compiled */
    uint32_t spill_bytes; /* per thread, outside registers: spills and private memory */
    uint32_t local_memory;
    uint32_t max_threads; /* per workgroup */
    /* Per core, by the occupancy equation of the specification, floor(F / (R * W * 4)), and at most
     * MAX_WAVES_PER_CORE. */
    uint32_t resident_waves;
} wave_rt_facts;

/* Set `size` first. */
WAVE_API wave_rt_status wave_rt_kernel_facts(const wave_rt_module *module, size_t kernel,
                                             wave_rt_facts *facts, wave_rt_error *error);

/* ---- Queues ---- */

typedef struct wave_rt_queue wave_rt_queue;

WAVE_API wave_rt_status wave_rt_queue_create(wave_rt_device *device, wave_rt_queue **queue,
                                             wave_rt_error *error);
WAVE_API void wave_rt_queue_destroy(wave_rt_queue *queue);

/* These three run after everything queued earlier, and are complete on return. On Metal they also
 * report errors of earlier launches. */
WAVE_API wave_rt_status wave_rt_upload(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                       uint64_t offset, const void *data, uint64_t size,
                                       wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_download(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                         uint64_t offset, void *data, uint64_t size,
                                         wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_fill(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                     uint8_t byte, wave_rt_error *error);

/* The same, but only queued: complete after wave_rt_wait, or after an event that is recorded later.
 * Until then `data` must stay valid and must not be written, or read while a download fills it.
 * Copies are always queued; both buffers are on the queue's device and do not overlap. */
WAVE_API wave_rt_status wave_rt_upload_async(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                             uint64_t offset, const void *data, uint64_t size,
                                             wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_download_async(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                               uint64_t offset, void *data, uint64_t size,
                                               wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_fill_async(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                           uint8_t byte, wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_copy(wave_rt_queue *queue, const wave_rt_buffer *to,
                                     uint64_t to_offset, const wave_rt_buffer *from,
                                     uint64_t from_offset, uint64_t size, wave_rt_error *error);

/* Fill with wave_rt_launch_init, then change what differs. Pointers are borrowed. */
typedef struct wave_rt_launch {
    uint32_t size; /* size of this structure, in the caller's version */
    const wave_rt_module *module;
    size_t kernel;         /* index in the module; default 0 */
    wave_rt_arena *arena;  /* NULL: the kernel touches no device memory */
    uint32_t grid[3];      /* workgroups; default 1,1,1 */
    uint32_t workgroup[3]; /* threads, for a kernel that does not fix them; default 32,1,1 */
    /* For a kernel that declares 0; default 0: the module's load options. With other values the
     * kernel is checked and compiled again at the first such launch. */
    uint32_t registers;    /* at most 256 */
    uint32_t local_memory; /* bytes, at most 65536 */
    const uint32_t *words; /* r0, r1, …; missing words are zero */
    uint32_t word_count;
    bool timed;
    /* Sizes of the buffers that arguments name: the emulator then checks their promises. */
    const wave_launch_buffer *buffers;
    size_t buffer_count;
} wave_rt_launch;

WAVE_API void wave_rt_launch_init_sized(wave_rt_launch *launch, uint32_t size);
static inline void wave_rt_launch_init(wave_rt_launch *launch) {
    wave_rt_launch_init_sized(launch, (uint32_t)sizeof *launch);
}

/* Stores the value of a declared argument, found by its name, in its launch words. The kind, the
 * size of the type and a buffer's alignment must match the declaration, and the size of a structure
 * its number of words. */
WAVE_API wave_rt_status wave_rt_set_buffer(const wave_rt_module *module, size_t kernel,
                                           const char *name, const wave_rt_buffer *buffer,
                                           uint32_t *words, wave_rt_error *error);
WAVE_API wave_rt_status wave_rt_set_scalar(const wave_rt_module *module, size_t kernel,
                                           const char *name, const void *value, size_t size,
                                           uint32_t *words, wave_rt_error *error);

/* Queues a launch. A launch that the device does not support is rejected here, with the name of the
 * limit; errors in the kernel may show up only at wave_rt_wait. */
WAVE_API wave_rt_status wave_rt_dispatch(wave_rt_queue *queue, const wave_rt_launch *launch,
                                         wave_rt_error *error);
/* Waits until everything queued is done. */
WAVE_API wave_rt_status wave_rt_wait(wave_rt_queue *queue, wave_rt_error *error);
/* Device time of the last timed launch, after wave_rt_wait. */
WAVE_API wave_rt_status wave_rt_elapsed(wave_rt_queue *queue, double *seconds,
                                        wave_rt_error *error);

/* ---- Events: positions in a queue ---- */

/* May be shared between threads, but only one thread at a time may record it. */
typedef struct wave_rt_event wave_rt_event;

WAVE_API wave_rt_status wave_rt_event_create(wave_rt_device *device, wave_rt_event **event,
                                             wave_rt_error *error);
WAVE_API void wave_rt_event_destroy(wave_rt_event *event);
/* The event now marks everything queued so far; its earlier meaning is lost. */
WAVE_API wave_rt_status wave_rt_event_record(wave_rt_event *event, wave_rt_queue *queue,
                                             wave_rt_error *error);
/* Everything queued from now on starts after the event. The queue may belong to another device;
 * then the host waits. An event that was never recorded counts as done. */
WAVE_API wave_rt_status wave_rt_event_follow(wave_rt_queue *queue, wave_rt_event *event,
                                             wave_rt_error *error);
/* Whether all of it is done. */
WAVE_API wave_rt_status wave_rt_event_query(wave_rt_event *event, bool *done, wave_rt_error *error);
/* Waits until it is. Errors in a kernel are reported by wave_rt_wait. */
WAVE_API wave_rt_status wave_rt_event_wait(wave_rt_event *event, wave_rt_error *error);
/* Device time between two events of the same device, both recorded and done. */
WAVE_API wave_rt_status wave_rt_event_elapsed(wave_rt_event *start, wave_rt_event *stop,
                                              double *seconds, wave_rt_error *error);

/* ---- The vendor's own objects ---- */

/* Use these next to ours and do not destroy them. NULL where there is none, as on the emulator.
 *   device: CUcontext; HIP: NULL, the name has its number; id<MTLDevice>; sycl::device *
 *   queue: CUstream; hipStream_t; id<MTLCommandQueue>; sycl::queue *
 *   arena: CUdeviceptr; device pointer of HIP or SYCL; id<MTLBuffer>; the emulator: its bytes */
WAVE_API void *wave_rt_device_native(const wave_rt_device *device);
WAVE_API void *wave_rt_queue_native(const wave_rt_queue *queue);
WAVE_API void *wave_rt_arena_native(const wave_rt_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
