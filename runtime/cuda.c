/* NVIDIA through the CUDA driver API, loaded at run time: libcuda.so.1 comes with the driver, and
 * building this file needs no part of CUDA. Types and numbers follow the driver's ABI. The code
 * shared with HIP is in streams.c. This file has the names, the context, and the path from PTX to a
 * module: the driver's linker produces machine code (cubin), which is cached and loaded. */
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };               /* CUdevice_attribute */
enum { FUNCTION_MAX_DYNAMIC_SHARED = 8 };                            /* CUfunction_attribute */
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_SIZE = 6, LOG_SIZE = 4096 }; /* CUjit_option */
enum { JIT_INPUT_PTX = 1 };                                          /* CUjitInputType */

/* X(member, symbol of the library, parameters): calls that HIP lacks or defines differently */
#define CUDA_CALLS(X)                                                                              \
    X(error_string, "cuGetErrorString", (int, const char **))                                      \
    X(device_get, "cuDeviceGet", (int *, int))                                                     \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **, int))                                  \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int))                                      \
    X(context_push, "cuCtxPushCurrent_v2", (void *))                                               \
    X(context_pop, "cuCtxPopCurrent_v2", (void **))                                                \
    X(copy_to_device, "cuMemcpyHtoDAsync_v2", (void *, const void *, size_t, void *))              \
    X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void *, const void *, size_t, void *))                \
    X(copy_on_device, "cuMemcpyDtoDAsync_v2", (void *, const void *, size_t, void *))              \
    X(memory_set, "cuMemsetD8Async", (void *, unsigned char, size_t, void *))                      \
    X(link_create, "cuLinkCreate_v2", (unsigned, int *, void **, void **))                         \
    X(link_add, "cuLinkAddData_v2",                                                                \
      (void *, int, void *, size_t, const char *, unsigned, int *, void **))                       \
    X(link_complete, "cuLinkComplete", (void *, void **, size_t *))                                \
    X(link_destroy, "cuLinkDestroy", (void *))                                                     \
    X(module_load, "cuModuleLoadData", (void **, const void *))                                    \
    X(function_set, "cuFuncSetAttribute", (void *, int, int))                                      \
    X(event_create, "cuEventCreate", (void **, unsigned))

typedef struct cuda_device {
    rt_stream_device base;
#define X(member, symbol, parameters) int(*member) parameters;
    CUDA_CALLS(X)
#undef X
    void *context;
} cuda_device;

static const char *find_calls(rt_stream_device *device) {
    cuda_device *d = (cuda_device *)device;
    const char *missing = NULL;
#define X(member, symbol, parameters)                                                              \
    if (!rt_library_find(device->libraries[0], symbol, &d->member))                                \
        missing = symbol;
    CUDA_CALLS(X)
#undef X
    return missing;
}

static const char *error_words(const rt_stream_device *device, int result) {
    const char *words = NULL;
    int status = ((const cuda_device *)device)->error_string(result, &words);
    return status == 0 ? words : NULL;
}

static cuda_device *own(const rt_run *run) {
    return (cuda_device *)run->device;
}

/* ---- Devices ---- */

static void select_device(rt_run *run, int index) {
    RT_RUN(run, "cuDeviceGet", own(run)->device_get(&run->device->device, index));
}

/* PTX runs on the architecture it names and on all later ones. */
static int known_arch(int capability) {
    static const int known[] = {120, 100, 90, 89, 86, 80};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k] <= capability)
            return known[k];
    return 75;
}

static void identify(rt_run *run, int version, wave_rt_device_info *info) {
    rt_stream_device *d = run->device;
    int major = 0, minor = 0;
    RT_RUN(run, "cuDeviceGetAttribute",
           d->calls.device_attribute(&major, CAPABILITY_MAJOR, d->device));
    RT_RUN(run, "cuDeviceGetAttribute",
           d->calls.device_attribute(&minor, CAPABILITY_MINOR, d->device));
    if (run->status != WAVE_RT_OK)
        return;
    int capability = 10 * major + minor;
    if (capability < 75)
        run->status = rt_fail(run->error, WAVE_RT_NO_DEVICE,
                              "%s has compute capability %d.%d; 7.5 or later is required",
                              info->title, major, minor);
    d->float_lanes = capability <= 80 ? 64 : 128;
    d->transfers = 2; /* for every kind of memory: the driver reports half the data rate */
    (void)snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", version / 1000,
                   version % 1000 / 10);
    (void)snprintf(info->arch, sizeof info->arch, "sm_%d", known_arch(capability));
}

static void retain(rt_run *run) {
    RT_RUN(run, "cuDevicePrimaryCtxRetain",
           own(run)->context_retain(&own(run)->context, run->device->device));
}

/* The last release destroys the context and everything in it. */
static void release(rt_stream_device *device) {
    (void)((cuda_device *)device)->context_release(device->device);
}

static void *native_device(rt_stream_device *device) {
    return ((cuda_device *)device)->context;
}

/* Pushes the context for each call, so that any thread may make it and the application's own
 * context is preserved. */
static void enter(rt_run *run) {
    RT_RUN(run, "cuCtxPushCurrent", own(run)->context_push(own(run)->context));
}

static void leave(const rt_run *run) {
    void *context;
    (void)own(run)->context_pop(&context);
}

/* ---- Queues ---- */

static void event_create(rt_run *run, void **event) {
    RT_RUN(run, "cuEventCreate", own(run)->event_create(event, 0));
}

static void copy(rt_run *run, void *to, const void *from, size_t size, rt_stream_way way,
                 void *stream) {
    if (way == RT_TO_DEVICE)
        RT_RUN(run, "cuMemcpyHtoD", own(run)->copy_to_device(to, from, size, stream));
    else if (way == RT_TO_HOST)
        RT_RUN(run, "cuMemcpyDtoH", own(run)->copy_to_host(to, from, size, stream));
    else
        RT_RUN(run, "cuMemcpyDtoD", own(run)->copy_on_device(to, from, size, stream));
}

static void fill(rt_run *run, void *to, uint8_t byte, size_t size, void *stream) {
    RT_RUN(run, "cuMemsetD8", own(run)->memory_set(to, byte, size, stream));
}

/* ---- Modules ---- */

/* The linker owns the code until it is destroyed. */
static void keep_code(rt_run *run, void *linker, wave_blob *binary) {
    void *code = NULL;
    size_t size = 0;
    RT_RUN(run, "cuLinkComplete", own(run)->link_complete(linker, &code, &size));
    if (run->status != WAVE_RT_OK)
        return;
    binary->data = malloc(size + 1);
    if (!binary->data) {
        run->status = rt_fail(run->error, WAVE_RT_NO_MEMORY, "out of memory");
        return;
    }
    memcpy(binary->data, code, size);
    binary->data[size] = '\0';
    binary->size = size;
}

static wave_rt_status cuda_build(void *device, const rt_program *program, wave_blob *binary,
                                 wave_rt_error *error) {
    char log[LOG_SIZE] = "";
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE};
    size_t size = sizeof log - 1;
    void *values[] = {log, NULL}, *linker = NULL;
    memcpy(&values[1], &size, sizeof size); /* an integer, where the other options are pointers */
    rt_run run = rt_run_begin(device, error);
    RT_RUN(&run, "cuLinkCreate", own(&run)->link_create(2, options, values, &linker));
    RT_RUN(&run, "cuLinkAddData",
           own(&run)->link_add(linker, JIT_INPUT_PTX, (void *)program->text, program->size + 1,
                               "kernel", 0, NULL, NULL));
    keep_code(&run, linker, binary);
    if (run.status != WAVE_RT_OK && log[0])
        rt_log(error, log, strlen(log));
    if (linker)
        (void)own(&run)->link_destroy(linker);
    return rt_run_end(&run);
}

static void module_load(rt_run *run, const rt_program *program, void **module) {
    RT_RUN(run, "cuModuleLoadData", own(run)->module_load(module, program->binary));
}

/* Local memory above 48 KiB is dynamic and must be requested. */
static void allow_local_memory(rt_run *run, void *function, uint32_t size) {
    RT_RUN(run, "cuFuncSetAttribute",
           own(run)->function_set(function, FUNCTION_MAX_DYNAMIC_SHARED, (int)size));
}

/* ---- The tables ---- */

static const rt_stream_vendor cuda = {
    .name = "cuda",
    .title = "CUDA",
    .target = "ptx",
    .library = "CUDA driver",
    .device_size = sizeof(cuda_device),
    .libraries = {{"WAVE_CUDA_LIBRARY", {"libcuda.so.1", "libcuda.so"}, NULL}},
    .symbols = {.init = "cuInit",
                .version = "cuDriverGetVersion",
                .device_count = "cuDeviceGetCount",
                .device_name = "cuDeviceGetName",
                .device_memory = "cuDeviceTotalMem_v2",
                .device_attribute = "cuDeviceGetAttribute",
                .memory_alloc = "cuMemAlloc_v2",
                .device_pci = "cuDeviceGetPCIBusId",
                .memory_free = "cuMemFree_v2",
                .shared_alloc = "cuMemAllocManaged",
                .host_alloc = "cuMemHostAlloc",
                .host_free = "cuMemFreeHost",
                .module_unload = "cuModuleUnload",
                .module_function = "cuModuleGetFunction",
                .function_attribute = "cuFuncGetAttribute",
                .stream_create = "cuStreamCreate",
                .stream_destroy = "cuStreamDestroy_v2",
                .stream_wait = "cuStreamSynchronize",
                .event_destroy = "cuEventDestroy_v2",
                .event_record = "cuEventRecord",
                .event_elapsed = "cuEventElapsedTime",
                .event_query = "cuEventQuery",
                .event_wait = "cuEventSynchronize",
                .stream_follow = "cuStreamWaitEvent",
                .launch = "cuLaunchKernel"},
    .uuid = "cuDeviceGetUuid",
    .attributes = {.wave_width = 10,
                   .max_workgroup_size = 1,
                   .max_workgroup_x = 2,
                   .max_grid_x = 5,
                   .local_memory_size = 8,
                   .more_local_memory_size = 97,
                   .cores = 16,
                   .max_threads_per_core = 39,
                   .registers_per_core = 82,
                   .max_workgroups_per_core = 106,
                   .clock = 13,
                   .memory_clock = 36,
                   .memory_bus_width = 37,
                   .shared_memory = 83},
    .static_local_memory = 48 * 1024,
    .find_calls = find_calls,
    .error_words = error_words,
    .select = select_device,
    .identify = identify,
    .retain = retain,
    .release = release,
    .enter = enter,
    .leave = leave,
    .event_create = event_create,
    .copy = copy,
    .fill = fill,
    .module_load = module_load,
    .allow_local_memory = allow_local_memory,
    .native_device = native_device,
};

static wave_rt_status cuda_enumerate(const rt_vendor *self, rt_found *found, wave_rt_error *error) {
    (void)self;
    return rt_stream_enumerate(&cuda, found, error);
}

static wave_rt_status cuda_open(const char *which, void **device, wave_rt_device_info *info,
                                wave_rt_error *error) {
    return rt_stream_open(&cuda, which, device, info, error);
}

const rt_vendor rt_cuda = {
    .abi = RT_ABI,
    .name = "cuda",
    .target = "ptx",
    .enumerate = cuda_enumerate,
    .open = cuda_open,
    .build = cuda_build,
    RT_STREAM_FUNCTIONS,
};
