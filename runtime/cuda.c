/* NVIDIA through the CUDA driver API, found at run time: libcuda.so.1 comes with the driver, and
 * nothing of CUDA is needed to build this. Types and numbers are those of the driver's ABI. */
#include "rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { /* CUresult */
       SUCCESS = 0,
       OUT_OF_MEMORY = 2,
       DEVICE_UNAVAILABLE = 46,
       NO_DEVICE = 100,
       INVALID_IMAGE = 200,
       NO_BINARY_FOR_GPU = 209,
       ECC_UNCORRECTABLE = 214,
       INVALID_PTX = 218,
       NVLINK_UNCORRECTABLE = 220,
       JIT_COMPILER_NOT_FOUND = 221,
       UNSUPPORTED_PTX_VERSION = 222,
       JIT_COMPILATION_DISABLED = 223,
       CONTAINED = 226,
       ILLEGAL_ADDRESS = 700,
       LAUNCH_OUT_OF_RESOURCES = 701,
       LAUNCH_TIMEOUT = 702,
       CONTEXT_IS_DESTROYED = 709,
       ASSERT = 710,
       HARDWARE_STACK_ERROR = 714,
       LAUNCH_FAILED = 719
};

enum { /* CUdevice_attribute */
       MAX_THREADS_PER_BLOCK = 1,
       MAX_BLOCK_DIM_X = 2,
       MAX_GRID_DIM_X = 5,
       SHARED_MEMORY_PER_BLOCK = 8,
       WARP_SIZE = 10,
       CLOCK_RATE = 13, /* kHz */
       MULTIPROCESSOR_COUNT = 16,
       MEMORY_CLOCK_RATE = 36, /* kHz */
       MEMORY_BUS_WIDTH = 37,  /* bits */
       MAX_THREADS_PER_MULTIPROCESSOR = 39,
       CAPABILITY_MAJOR = 75,
       CAPABILITY_MINOR = 76,
       REGISTERS_PER_MULTIPROCESSOR = 82,
       SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
       MAX_BLOCKS_PER_MULTIPROCESSOR = 106
};

enum { /* CUfunction_attribute, CUjit_option */
       FUNCTION_MAX_THREADS = 0,
       FUNCTION_REGISTERS = 4,
       FUNCTION_MAX_DYNAMIC_SHARED = 8,
       JIT_ERROR_LOG = 5,
       JIT_ERROR_LOG_SIZE = 6
};

enum { STATIC_SHARED = 48 * 1024, LOG_SIZE = 4096 };

typedef unsigned long long device_pointer;

/* X(member, symbol of the library, parameters) */
#define CUDA_CALLS(X)                                                                              \
    X(init, "cuInit", (unsigned))                                                                  \
    X(driver_version, "cuDriverGetVersion", (int *))                                               \
    X(error_string, "cuGetErrorString", (int, const char **))                                      \
    X(device_count, "cuDeviceGetCount", (int *))                                                   \
    X(device_get, "cuDeviceGet", (int *, int))                                                     \
    X(device_name, "cuDeviceGetName", (char *, int, int))                                          \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *, int))                                       \
    X(device_attribute, "cuDeviceGetAttribute", (int *, int, int))                                 \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **, int))                                  \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int))                                      \
    X(context_push, "cuCtxPushCurrent_v2", (void *))                                               \
    X(context_pop, "cuCtxPopCurrent_v2", (void **))                                                \
    X(memory_alloc, "cuMemAlloc_v2", (device_pointer *, size_t))                                   \
    X(memory_free, "cuMemFree_v2", (device_pointer))                                               \
    X(copy_to_device, "cuMemcpyHtoDAsync_v2", (device_pointer, const void *, size_t, void *))      \
    X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void *, device_pointer, size_t, void *))              \
    X(memory_set, "cuMemsetD8Async", (device_pointer, unsigned char, size_t, void *))              \
    X(module_load, "cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **))        \
    X(module_unload, "cuModuleUnload", (void *))                                                   \
    X(module_function, "cuModuleGetFunction", (void **, void *, const char *))                     \
    X(function_get, "cuFuncGetAttribute", (int *, int, void *))                                    \
    X(function_set, "cuFuncSetAttribute", (void *, int, int))                                      \
    X(stream_create, "cuStreamCreate", (void **, unsigned))                                        \
    X(stream_destroy, "cuStreamDestroy_v2", (void *))                                              \
    X(stream_wait, "cuStreamSynchronize", (void *))                                                \
    X(event_create, "cuEventCreate", (void **, unsigned))                                          \
    X(event_destroy, "cuEventDestroy_v2", (void *))                                                \
    X(event_record, "cuEventRecord", (void *, void *))                                             \
    X(event_elapsed, "cuEventElapsedTime", (float *, void *, void *))                              \
    X(launch, "cuLaunchKernel",                                                                    \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,       \
       void **, void **))

typedef struct cuda_api {
    void *library;
#define X(member, symbol, parameters) int(*member) parameters;
    CUDA_CALLS(X)
#undef X
} cuda_api;

typedef struct cuda_device {
    cuda_api api;
    int device;
    void *context;
} cuda_device;

typedef struct cuda_queue {
    cuda_device *device;
    void *stream, *start, *stop;
} cuda_queue;

typedef struct cuda_module {
    void *module;
    void *functions[]; /* one for each kernel */
} cuda_module;

/* ---- Errors ---- */

static wave_rt_status classify(int result) {
    switch (result) {
    case SUCCESS: return WAVE_RT_OK;
    case OUT_OF_MEMORY: return WAVE_RT_DEVICE_MEMORY;
    case NO_DEVICE: return WAVE_RT_NO_DEVICE;
    case INVALID_IMAGE:
    case NO_BINARY_FOR_GPU:
    case INVALID_PTX:
    case JIT_COMPILER_NOT_FOUND:
    case UNSUPPORTED_PTX_VERSION:
    case JIT_COMPILATION_DISABLED: return WAVE_RT_BAD_BUILD;
    case DEVICE_UNAVAILABLE:
    case ECC_UNCORRECTABLE:
    case NVLINK_UNCORRECTABLE:
    case CONTAINED:
    case CONTEXT_IS_DESTROYED: return WAVE_RT_LOST;
    default: break;
    }
    bool by_kernel = result == ILLEGAL_ADDRESS || result == LAUNCH_OUT_OF_RESOURCES ||
                     result == LAUNCH_TIMEOUT || result == ASSERT ||
                     (result >= HARDWARE_STACK_ERROR && result <= LAUNCH_FAILED);
    return by_kernel ? WAVE_RT_LAUNCH : WAVE_RT_VENDOR;
}

static wave_rt_status check(const cuda_api *api, const char *call, int result,
                            wave_rt_error *error) {
    const char *words = NULL;
    if (result == SUCCESS)
        return WAVE_RT_OK;
    if (api->error_string(result, &words) != SUCCESS)
        words = NULL;
    return rt_fail_call(error, classify(result), call, words, result);
}

/* ---- Library ---- */

static wave_rt_status load_api(cuda_api *api, wave_rt_error *error) {
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    api->library = rt_library_open("WAVE_CUDA_LIBRARY", names, error);
    if (!api->library)
        return WAVE_RT_NO_DEVICE;
    const char *missing = NULL;
#define X(member, symbol, parameters)                                                              \
    if (!rt_library_find(api->library, symbol, &api->member))                                      \
        missing = symbol;
    CUDA_CALLS(X)
#undef X
    wave_rt_status status = missing ? rt_fail(error, WAVE_RT_NO_DEVICE,
                                              "the CUDA driver is too old: it has no %s", missing)
                                    : check(api, "cuInit", api->init(0), error);
    if (status != WAVE_RT_OK)
        rt_library_close(api->library);
    return status;
}

/* ---- Devices ---- */

/* What one asks a device for; the first failure sticks. */
typedef struct inquiry {
    const cuda_api *api;
    int device;
    wave_rt_status status;
    wave_rt_error *error;
} inquiry;

static unsigned attribute(inquiry *q, int which) {
    int value = 0;
    if (q->status == WAVE_RT_OK)
        q->status = check(q->api, "cuDeviceGetAttribute",
                          q->api->device_attribute(&value, which, q->device), q->error);
    return value < 0 ? 0 : (unsigned)value;
}

/* Something a driver may not know, or not tell. */
static unsigned optional(const inquiry *q, int which) {
    int value = 0;
    if (q->api->device_attribute(&value, which, q->device) != SUCCESS || value < 0)
        return 0;
    return (unsigned)value;
}

/* PTX runs on the architecture it names and on all later ones. */
static unsigned known_arch(unsigned capability) {
    static const unsigned known[] = {120, 100, 90, 89, 86, 80};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k] <= capability)
            return known[k];
    return 75;
}

/* f32 lanes of a multiprocessor. */
static unsigned float_lanes(unsigned capability) {
    return capability <= 80 ? 64 : 128;
}

static void describe_sizes(inquiry *q, wave_rt_device_info *info) {
    info->wave_width = attribute(q, WARP_SIZE);
    info->max_workgroup_size = attribute(q, MAX_THREADS_PER_BLOCK);
    for (int k = 0; k < 3; k++) {
        info->max_workgroup[k] = attribute(q, MAX_BLOCK_DIM_X + k);
        info->max_grid[k] = attribute(q, MAX_GRID_DIM_X + k);
    }
    unsigned most = optional(q, SHARED_MEMORY_PER_BLOCK_OPTIN);
    info->local_memory_size = most ? most : attribute(q, SHARED_MEMORY_PER_BLOCK);
    info->cores = attribute(q, MULTIPROCESSOR_COUNT);
    if (info->wave_width)
        info->max_waves_per_core = attribute(q, MAX_THREADS_PER_MULTIPROCESSOR) / info->wave_width;
    info->register_file_size = 4 * (uint64_t)optional(q, REGISTERS_PER_MULTIPROCESSOR);
    info->max_workgroups_per_core = optional(q, MAX_BLOCKS_PER_MULTIPROCESSOR);
}

/* Two transfers, and two operations a lane, in a clock; kHz and bits to a second and bytes. */
static void describe_peaks(const inquiry *q, unsigned capability, wave_rt_device_info *info) {
    info->peak_bytes = 2e3 * optional(q, MEMORY_CLOCK_RATE) / 8 * optional(q, MEMORY_BUS_WIDTH);
    info->peak_flops = 2e3 * optional(q, CLOCK_RATE) * float_lanes(capability) * info->cores;
}

static wave_rt_status describe(const cuda_api *api, int index, int device,
                               wave_rt_device_info *info, wave_rt_error *error) {
    size_t memory = 0;
    int version = 0;
    inquiry q = {.api = api, .device = device, .error = error};
    *info = (wave_rt_device_info){.target = "ptx",
                                  .capabilities =
                                      WAVE_RT_CAP_F64 | WAVE_RT_CAP_ATOMIC_F32 | WAVE_RT_CAP_MMA};
    q.status = check(api, "cuDeviceGetName",
                     api->device_name(info->title, sizeof info->title, device), error);
    if (q.status == WAVE_RT_OK)
        q.status = check(api, "cuDeviceTotalMem", api->device_memory(&memory, device), error);
    if (q.status == WAVE_RT_OK)
        q.status = check(api, "cuDriverGetVersion", api->driver_version(&version), error);
    unsigned capability = 10 * attribute(&q, CAPABILITY_MAJOR);
    capability += attribute(&q, CAPABILITY_MINOR);
    describe_sizes(&q, info);
    if (q.status != WAVE_RT_OK)
        return q.status;
    describe_peaks(&q, capability, info);
    info->device_memory_size = memory;
    (void)snprintf(info->name, sizeof info->name, "cuda:%d", index);
    (void)snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", version / 1000,
                   version % 1000 / 10);
    (void)snprintf(info->arch, sizeof info->arch, "sm_%u", known_arch(capability));
    if (capability >= 75)
        return WAVE_RT_OK;
    return rt_fail(error, WAVE_RT_NO_DEVICE,
                   "%s has compute capability %u.%u; 7.5 or later is needed", info->title,
                   capability / 10, capability % 10);
}

static void tell_absence(rt_found *found, int index, const wave_rt_error *reason) {
    char text[256];
    (void)snprintf(text, sizeof text, "cuda:%d: %.200s", index, reason->message);
    found->nothing(found, text);
}

static wave_rt_status cuda_enumerate(const rt_vendor *self, rt_found *found, wave_rt_error *error) {
    cuda_api api;
    int count = 0;
    (void)self;
    wave_rt_status status = load_api(&api, error);
    if (status != WAVE_RT_OK)
        return status;
    status = check(&api, "cuDeviceGetCount", api.device_count(&count), error);
    for (int k = 0; k < count && status == WAVE_RT_OK; k++) {
        wave_rt_device_info info;
        wave_rt_error reason;
        int device;
        wave_rt_status one = check(&api, "cuDeviceGet", api.device_get(&device, k), &reason);
        if (one == WAVE_RT_OK)
            one = describe(&api, k, device, &info, &reason);
        if (one != WAVE_RT_OK)
            tell_absence(found, k, &reason);
        else if (!found->device(found, &info))
            status = rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    }
    rt_library_close(api.library);
    return status;
}

static wave_rt_status open_context(cuda_device *d, unsigned index, wave_rt_device_info *info,
                                   wave_rt_error *error) {
    const cuda_api *api = &d->api;
    int count = 0;
    wave_rt_status status = check(api, "cuDeviceGetCount", api->device_count(&count), error);
    if (status == WAVE_RT_OK && index >= (unsigned)count)
        return rt_fail(error, WAVE_RT_NO_DEVICE, "there is no cuda:%u; CUDA has %d devices", index,
                       count);
    if (status == WAVE_RT_OK)
        status = check(api, "cuDeviceGet", api->device_get(&d->device, (int)index), error);
    if (status == WAVE_RT_OK)
        status = describe(api, (int)index, d->device, info, error);
    if (status == WAVE_RT_OK)
        status = check(api, "cuDevicePrimaryCtxRetain", api->context_retain(&d->context, d->device),
                       error);
    return status;
}

static wave_rt_status cuda_open(const char *which, void **device, wave_rt_device_info *info,
                                wave_rt_error *error) {
    unsigned index;
    if (!rt_index(which, &index))
        return rt_fail(error, WAVE_RT_NO_DEVICE, "a CUDA device is cuda:NUMBER, not cuda:%.40s",
                       which);
    cuda_device *d = calloc(1, sizeof *d);
    if (!d)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = load_api(&d->api, error);
    if (status == WAVE_RT_OK) {
        status = open_context(d, index, info, error);
        if (status != WAVE_RT_OK)
            rt_library_close(d->api.library);
    }
    if (status == WAVE_RT_OK)
        *device = d;
    else
        free(d);
    return status;
}

/* With its last user the context goes, and with it all that is in it. */
static void cuda_close(void *device) {
    cuda_device *d = device;
    (void)d->api.context_release(d->device);
    rt_library_close(d->api.library);
    free(d);
}

/* The context is pushed for each call, so that any thread may make it and an application's own
 * context stays as it was. */
static wave_rt_status enter(const cuda_device *d, wave_rt_error *error) {
    return check(&d->api, "cuCtxPushCurrent", d->api.context_push(d->context), error);
}

static void leave(const cuda_device *d) {
    void *context;
    (void)d->api.context_pop(&context);
}

/* ---- Memory ---- */

static wave_rt_status cuda_memory_create(void *device, uint64_t size, void **memory,
                                         wave_rt_error *error) {
    cuda_device *d = device;
    device_pointer *pointer = calloc(1, sizeof *pointer);
    if (!pointer)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = enter(d, error);
    if (status == WAVE_RT_OK) {
        status = check(&d->api, "cuMemAlloc", d->api.memory_alloc(pointer, size), error);
        leave(d);
    }
    if (status == WAVE_RT_OK)
        *memory = pointer;
    else
        free(pointer);
    return status;
}

static void cuda_memory_destroy(void *device, void *memory) {
    cuda_device *d = device;
    if (memory && enter(d, NULL) == WAVE_RT_OK) {
        (void)d->api.memory_free(*(device_pointer *)memory);
        leave(d);
    }
    free(memory);
}

static wave_rt_status finish_transfer(const cuda_queue *q, const char *call, int result,
                                      wave_rt_error *error) {
    wave_rt_status status = check(&q->device->api, call, result, error);
    if (status == WAVE_RT_OK)
        status = check(&q->device->api, "cuStreamSynchronize",
                       q->device->api.stream_wait(q->stream), error);
    leave(q->device);
    return status;
}

static wave_rt_status cuda_upload(void *queue, void *memory, uint64_t offset, const void *data,
                                  uint64_t size, wave_rt_error *error) {
    cuda_queue *q = queue;
    wave_rt_status status = enter(q->device, error);
    if (status != WAVE_RT_OK)
        return status;
    int result =
        q->device->api.copy_to_device(*(device_pointer *)memory + offset, data, size, q->stream);
    return finish_transfer(q, "cuMemcpyHtoD", result, error);
}

static wave_rt_status cuda_download(void *queue, void *memory, uint64_t offset, void *data,
                                    uint64_t size, wave_rt_error *error) {
    cuda_queue *q = queue;
    wave_rt_status status = enter(q->device, error);
    if (status != WAVE_RT_OK)
        return status;
    int result =
        q->device->api.copy_to_host(data, *(device_pointer *)memory + offset, size, q->stream);
    return finish_transfer(q, "cuMemcpyDtoH", result, error);
}

static wave_rt_status cuda_fill(void *queue, void *memory, uint64_t offset, uint8_t byte,
                                uint64_t size, wave_rt_error *error) {
    cuda_queue *q = queue;
    wave_rt_status status = enter(q->device, error);
    if (status != WAVE_RT_OK)
        return status;
    int result =
        q->device->api.memory_set(*(device_pointer *)memory + offset, byte, size, q->stream);
    return finish_transfer(q, "cuMemsetD8", result, error);
}

/* ---- Modules ---- */

static wave_rt_status load_text(const cuda_device *d, const rt_program *program, void **module,
                                wave_rt_error *error) {
    char log[LOG_SIZE] = "";
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE};
    size_t size = sizeof log - 1;
    void *values[] = {log, NULL};
    memcpy(&values[1], &size, sizeof size); /* a number, where the others are pointers */
    int result = d->api.module_load(module, program->text, 2, options, values);
    wave_rt_status status = check(&d->api, "cuModuleLoadDataEx", result, error);
    if (status != WAVE_RT_OK && log[0])
        rt_log(error, log, strlen(log));
    return status;
}

/* Above 48 KiB local memory is dynamic, and has to be asked for. */
static wave_rt_status find_function(const cuda_device *d, const rt_entry *entry, void *module,
                                    void **function, wave_rt_error *error) {
    wave_rt_status status = check(&d->api, "cuModuleGetFunction",
                                  d->api.module_function(function, module, entry->symbol), error);
    if (status == WAVE_RT_OK && entry->local_memory > STATIC_SHARED)
        status = check(
            &d->api, "cuFuncSetAttribute",
            d->api.function_set(*function, FUNCTION_MAX_DYNAMIC_SHARED, (int)entry->local_memory),
            error);
    return status;
}

static wave_rt_status fill_module(const cuda_device *d, const rt_program *program,
                                  cuda_module *module, wave_rt_error *error) {
    wave_rt_status status = load_text(d, program, &module->module, error);
    if (status != WAVE_RT_OK)
        return status;
    for (size_t k = 0; k < program->count && status == WAVE_RT_OK; k++)
        status =
            find_function(d, &program->entries[k], module->module, &module->functions[k], error);
    if (status != WAVE_RT_OK)
        (void)d->api.module_unload(module->module);
    return status;
}

static wave_rt_status cuda_module_create(void *device, const rt_program *program, void **module,
                                         wave_rt_error *error) {
    cuda_device *d = device;
    cuda_module *m = calloc(1, sizeof *m + program->count * sizeof *m->functions);
    if (!m)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = enter(d, error);
    if (status == WAVE_RT_OK) {
        status = fill_module(d, program, m, error);
        leave(d);
    }
    if (status == WAVE_RT_OK)
        *module = m;
    else
        free(m);
    return status;
}

static void cuda_module_destroy(void *device, void *module) {
    cuda_device *d = device;
    cuda_module *m = module;
    if (m && enter(d, NULL) == WAVE_RT_OK) {
        (void)d->api.module_unload(m->module);
        leave(d);
    }
    free(m);
}

static wave_rt_status cuda_kernel_limits(void *device, void *module, size_t kernel,
                                         rt_limits *limits, wave_rt_error *error) {
    cuda_device *d = device;
    void *function = ((cuda_module *)module)->functions[kernel];
    int threads = 0, registers = 0;
    wave_rt_status status = enter(d, error);
    if (status != WAVE_RT_OK)
        return status;
    status = check(&d->api, "cuFuncGetAttribute",
                   d->api.function_get(&threads, FUNCTION_MAX_THREADS, function), error);
    if (status == WAVE_RT_OK)
        status = check(&d->api, "cuFuncGetAttribute",
                       d->api.function_get(&registers, FUNCTION_REGISTERS, function), error);
    leave(d);
    *limits = (rt_limits){.threads = (uint32_t)threads, .registers = (uint32_t)registers};
    return status;
}

/* ---- Queues ---- */

static void destroy_queue(cuda_queue *q) {
    const cuda_api *api = &q->device->api;
    if (q->start)
        (void)api->event_destroy(q->start);
    if (q->stop)
        (void)api->event_destroy(q->stop);
    if (q->stream)
        (void)api->stream_destroy(q->stream);
}

static wave_rt_status cuda_queue_create(void *device, void **queue, wave_rt_error *error) {
    cuda_device *d = device;
    cuda_queue *q = calloc(1, sizeof *q);
    if (!q)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    q->device = d;
    wave_rt_status status = enter(d, error);
    if (status == WAVE_RT_OK) {
        status = check(&d->api, "cuStreamCreate", d->api.stream_create(&q->stream, 1), error);
        if (status == WAVE_RT_OK)
            status = check(&d->api, "cuEventCreate", d->api.event_create(&q->start, 0), error);
        if (status == WAVE_RT_OK)
            status = check(&d->api, "cuEventCreate", d->api.event_create(&q->stop, 0), error);
        if (status != WAVE_RT_OK)
            destroy_queue(q);
        leave(d);
    }
    if (status == WAVE_RT_OK)
        *queue = q;
    else
        free(q);
    return status;
}

static void cuda_queue_destroy(void *device, void *queue) {
    cuda_device *d = device;
    if (queue && enter(d, NULL) == WAVE_RT_OK) {
        destroy_queue(queue);
        leave(d);
    }
    free(queue);
}

/* The parameters of ISA 3.4: the arena, the argument words if there are any, its size. */
static wave_rt_status start_kernel(const cuda_queue *q, const rt_dispatch *d,
                                   wave_rt_error *error) {
    const cuda_api *api = &q->device->api;
    const rt_entry *entry = &d->program->entries[d->kernel];
    const cuda_module *module = d->module;
    device_pointer memory = d->memory ? *(device_pointer *)d->memory : 0;
    unsigned long long size = d->memory_size;
    void *parameters[3] = {&memory};
    size_t count = 1;
    if (entry->words)
        parameters[count++] = (void *)d->words;
    if (d->program->bounds)
        parameters[count] = &size;
    unsigned shared = entry->local_memory > STATIC_SHARED ? entry->local_memory : 0;
    return check(api, "cuLaunchKernel",
                 api->launch(module->functions[d->kernel], d->grid[0], d->grid[1], d->grid[2],
                             d->group[0], d->group[1], d->group[2], shared, q->stream, parameters,
                             NULL),
                 error);
}

static wave_rt_status cuda_launch(void *queue, const rt_dispatch *dispatch, wave_rt_error *error) {
    cuda_queue *q = queue;
    const cuda_api *api = &q->device->api;
    wave_rt_status status = enter(q->device, error);
    if (status != WAVE_RT_OK)
        return status;
    if (dispatch->timed)
        status = check(api, "cuEventRecord", api->event_record(q->start, q->stream), error);
    if (status == WAVE_RT_OK)
        status = start_kernel(q, dispatch, error);
    if (status == WAVE_RT_OK && dispatch->timed)
        status = check(api, "cuEventRecord", api->event_record(q->stop, q->stream), error);
    leave(q->device);
    return status;
}

static wave_rt_status cuda_wait(void *queue, wave_rt_error *error) {
    cuda_queue *q = queue;
    wave_rt_status status = enter(q->device, error);
    if (status != WAVE_RT_OK)
        return status;
    status =
        check(&q->device->api, "cuStreamSynchronize", q->device->api.stream_wait(q->stream), error);
    leave(q->device);
    return status;
}

static wave_rt_status cuda_elapsed(void *queue, double *seconds, wave_rt_error *error) {
    cuda_queue *q = queue;
    float milliseconds = 0;
    wave_rt_status status = enter(q->device, error);
    if (status != WAVE_RT_OK)
        return status;
    status = check(&q->device->api, "cuEventElapsedTime",
                   q->device->api.event_elapsed(&milliseconds, q->start, q->stop), error);
    leave(q->device);
    *seconds = (double)milliseconds * 1e-3;
    return status;
}

const rt_vendor rt_cuda = {
    .abi = RT_ABI,
    .name = "cuda",
    .target = "ptx",
    .enumerate = cuda_enumerate,
    .open = cuda_open,
    .close = cuda_close,
    .memory_create = cuda_memory_create,
    .memory_destroy = cuda_memory_destroy,
    .module_create = cuda_module_create,
    .module_destroy = cuda_module_destroy,
    .kernel_limits = cuda_kernel_limits,
    .queue_create = cuda_queue_create,
    .queue_destroy = cuda_queue_destroy,
    .upload = cuda_upload,
    .download = cuda_download,
    .fill = cuda_fill,
    .launch = cuda_launch,
    .wait = cuda_wait,
    .elapsed = cuda_elapsed,
};
