/* AMD through HIP, found at run time: libamdhip64 for devices and launches, libhiprtc to compile
 * the emitted text. Nothing of ROCm is needed to build this. Types and numbers are those of the
 * libraries' ABI, which ROCm 5, 6 and 7 share as far as it is used here. */
#include "rt.h"

#include <wave/compile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { /* hipError_t */
       SUCCESS = 0,
       OUT_OF_MEMORY = 2,
       NO_DEVICE = 100,
       INVALID_IMAGE = 200,
       NO_BINARY_FOR_GPU = 209,
       ECC_NOT_CORRECTABLE = 214,
       INVALID_KERNEL_FILE = 218,
       ILLEGAL_ADDRESS = 700,
       LAUNCH_OUT_OF_RESOURCES = 701,
       LAUNCH_TIMEOUT = 702,
       CONTEXT_IS_DESTROYED = 709,
       ASSERT = 710,
       LAUNCH_FAILURE = 719
};

enum { /* hiprtcResult */
       RTC_OUT_OF_MEMORY = 1,
       RTC_COMPILATION = 6
};

enum {                 /* hipDeviceAttribute_t */
       CLOCK_RATE = 5, /* kHz */
       MAX_BLOCKS_PER_MULTIPROCESSOR = 25,
       MAX_BLOCK_DIM_X = 26,
       MAX_GRID_DIM_X = 29,
       MAX_THREADS_PER_BLOCK = 56,
       MAX_THREADS_PER_MULTIPROCESSOR = 57,
       MEMORY_BUS_WIDTH = 59,  /* bits */
       MEMORY_CLOCK_RATE = 60, /* kHz */
       MULTIPROCESSOR_COUNT = 63,
       REGISTERS_PER_MULTIPROCESSOR = 72,
       SHARED_MEMORY_PER_BLOCK = 74,
       WARP_SIZE = 87
};

enum { FUNCTION_SHARED_SIZE = 1, FUNCTION_MAX_THREADS = 0, FUNCTION_REGISTERS = 4 };
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, NON_BLOCKING = 1 };

/* X(member, symbol of the library, parameters) */
#define HIP_CALLS(X)                                                                               \
    X(init, "hipInit", (unsigned))                                                                 \
    X(version, "hipRuntimeGetVersion", (int *))                                                    \
    X(device_count, "hipGetDeviceCount", (int *))                                                  \
    X(device_get, "hipGetDevice", (int *))                                                         \
    X(device_set, "hipSetDevice", (int))                                                           \
    X(device_name, "hipDeviceGetName", (char *, int, int))                                         \
    X(device_memory, "hipDeviceTotalMem", (size_t *, int))                                         \
    X(device_attribute, "hipDeviceGetAttribute", (int *, int, int))                                \
    X(memory_alloc, "hipMalloc", (void **, size_t))                                                \
    X(memory_free, "hipFree", (void *))                                                            \
    X(copy, "hipMemcpyAsync", (void *, const void *, size_t, int, void *))                         \
    X(memory_set, "hipMemsetAsync", (void *, int, size_t, void *))                                 \
    X(module_load, "hipModuleLoadData", (void **, const void *))                                   \
    X(module_unload, "hipModuleUnload", (void *))                                                  \
    X(module_function, "hipModuleGetFunction", (void **, void *, const char *))                    \
    X(function_get, "hipFuncGetAttribute", (int *, int, void *))                                   \
    X(stream_create, "hipStreamCreateWithFlags", (void **, unsigned))                              \
    X(stream_destroy, "hipStreamDestroy", (void *))                                                \
    X(stream_wait, "hipStreamSynchronize", (void *))                                               \
    X(event_create, "hipEventCreate", (void **))                                                   \
    X(event_destroy, "hipEventDestroy", (void *))                                                  \
    X(event_record, "hipEventRecord", (void *, void *))                                            \
    X(event_elapsed, "hipEventElapsedTime", (float *, void *, void *))                             \
    X(launch, "hipModuleLaunchKernel",                                                             \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,       \
       void **, void **))

#define RTC_CALLS(X)                                                                               \
    X(rtc_create, "hiprtcCreateProgram",                                                           \
      (void **, const char *, const char *, int, const char *const *, const char *const *))        \
    X(rtc_destroy, "hiprtcDestroyProgram", (void **))                                              \
    X(rtc_compile, "hiprtcCompileProgram", (void *, int, const char *const *))                     \
    X(rtc_log_size, "hiprtcGetProgramLogSize", (void *, size_t *))                                 \
    X(rtc_log, "hiprtcGetProgramLog", (void *, char *))                                            \
    X(rtc_code_size, "hiprtcGetCodeSize", (void *, size_t *))                                      \
    X(rtc_code, "hiprtcGetCode", (void *, char *))

typedef struct hip_api {
    void *library, *rtc;
    const char *(*error_string)(int);
    const char *(*rtc_error_string)(int);
    int (*properties)(void *, int);
#define X(member, symbol, parameters) int(*member) parameters;
    HIP_CALLS(X)
    RTC_CALLS(X)
#undef X
} hip_api;

typedef struct hip_device {
    hip_api api;
    int device;
    char arch[64]; /* with its features: "gfx942:sramecc+:xnack-" */
} hip_device;

typedef struct hip_queue {
    hip_device *device;
    void *stream, *start, *stop;
} hip_queue;

typedef struct hip_module {
    void *module;
    void *functions[]; /* one for each kernel */
} hip_module;

/* ---- Errors ---- */

static wave_rt_status classify(int result) {
    switch (result) {
    case SUCCESS: return WAVE_RT_OK;
    case OUT_OF_MEMORY: return WAVE_RT_DEVICE_MEMORY;
    case NO_DEVICE: return WAVE_RT_NO_DEVICE;
    case INVALID_IMAGE:
    case NO_BINARY_FOR_GPU:
    case INVALID_KERNEL_FILE: return WAVE_RT_BAD_BUILD;
    case ECC_NOT_CORRECTABLE:
    case CONTEXT_IS_DESTROYED: return WAVE_RT_LOST;
    case ILLEGAL_ADDRESS:
    case LAUNCH_OUT_OF_RESOURCES:
    case LAUNCH_TIMEOUT:
    case ASSERT:
    case LAUNCH_FAILURE: return WAVE_RT_LAUNCH;
    default: return WAVE_RT_VENDOR;
    }
}

static wave_rt_status check(const hip_api *api, const char *call, int result,
                            wave_rt_error *error) {
    if (result == SUCCESS)
        return WAVE_RT_OK;
    return rt_fail_call(error, classify(result), call, api->error_string(result), result);
}

static wave_rt_status check_rtc(const hip_api *api, const char *call, int result,
                                wave_rt_error *error) {
    if (result == SUCCESS)
        return WAVE_RT_OK;
    wave_rt_status status = result == RTC_COMPILATION     ? WAVE_RT_BAD_BUILD
                            : result == RTC_OUT_OF_MEMORY ? WAVE_RT_NO_MEMORY
                                                          : WAVE_RT_VENDOR;
    return rt_fail_call(error, status, call, api->rtc_error_string(result), result);
}

/* ---- Libraries ---- */

static void close_api(const hip_api *api) {
    rt_library_close(api->rtc);
    rt_library_close(api->library);
}

/* The properties' structure grew in ROCm 6, and the call got another name with it. */
static const char *find_calls(hip_api *api) {
    const char *missing = NULL;
    if (!rt_library_find(api->library, "hipGetErrorString", &api->error_string))
        missing = "hipGetErrorString";
    if (!rt_library_find(api->rtc, "hiprtcGetErrorString", &api->rtc_error_string))
        missing = "hiprtcGetErrorString";
    if (!rt_library_find(api->library, "hipGetDevicePropertiesR0600", &api->properties) &&
        !rt_library_find(api->library, "hipGetDeviceProperties", &api->properties))
        missing = "hipGetDeviceProperties";
#define X(member, symbol, parameters)                                                              \
    if (!rt_library_find(api->library, symbol, &api->member))                                      \
        missing = symbol;
    HIP_CALLS(X)
#undef X
#define X(member, symbol, parameters)                                                              \
    if (!rt_library_find(api->rtc, symbol, &api->member))                                          \
        missing = symbol;
    RTC_CALLS(X)
#undef X
    return missing;
}

static wave_rt_status load_api(hip_api *api, wave_rt_error *error) {
    static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5", NULL};
    static const char *const rtc_names[] = {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6",
                                            "libhiprtc.so.5", NULL};
    api->library = rt_library_open("WAVE_HIP_LIBRARY", names, error);
    if (!api->library)
        return WAVE_RT_NO_DEVICE;
    api->rtc = rt_library_open("WAVE_HIPRTC_LIBRARY", rtc_names, error);
    if (!api->rtc) {
        rt_library_close(api->library);
        return WAVE_RT_NO_DEVICE;
    }
    const char *missing = find_calls(api);
    wave_rt_status status = missing ? rt_fail(error, WAVE_RT_NO_DEVICE,
                                              "the HIP library is too old: it has no %s", missing)
                                    : check(api, "hipInit", api->init(0), error);
    if (status != WAVE_RT_OK)
        close_api(api);
    return status;
}

/* ---- Devices ---- */

/* What one asks a device for; the first failure sticks. */
typedef struct inquiry {
    const hip_api *api;
    int device;
    wave_rt_status status;
    wave_rt_error *error;
} inquiry;

static unsigned attribute(inquiry *q, int which) {
    int value = 0;
    if (q->status == WAVE_RT_OK)
        q->status = check(q->api, "hipDeviceGetAttribute",
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

/* The architecture is told only in the properties, whose layout differs between versions: it is the
 * text in them that begins with "gfx", behind the 256 bytes of the name. */
static wave_rt_status find_arch(inquiry *q, char *arch, size_t size) {
    enum { LARGEST = 8192, NAME = 256 };
    char *properties = calloc(1, LARGEST + 1);
    if (!properties)
        return rt_fail(q->error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = check(q->api, "hipGetDeviceProperties",
                                  q->api->properties(properties, q->device), q->error);
    const char *found = NULL;
    for (size_t k = NAME; k < LARGEST - 3 && !found; k++)
        if (memcmp(properties + k, "gfx", 3) == 0)
            found = properties + k;
    if (status == WAVE_RT_OK && found)
        rt_copy(arch, size, found);
    else if (status == WAVE_RT_OK)
        status = rt_fail(q->error, WAVE_RT_NO_DEVICE, "HIP does not tell the architecture");
    free(properties);
    return status;
}

/* The architecture to compile for: libwave's own of this name, or one with the same instructions as
 * far as emitted code uses them. hiprtc gets the device's. */
static const char *nearest_arch(const char *name) {
    int target = wave_target_find("hip");
    const char *known;
    for (unsigned k = 0; target >= 0 && (known = wave_target_arch((wave_target)target, k)); k++)
        if (strcmp(known, name) == 0)
            return known;
    return strncmp(name, "gfx9", 4) == 0    ? "gfx90a"
           : strncmp(name, "gfx10", 5) == 0 ? "gfx1030"
                                            : "gfx1100";
}

static void describe_sizes(inquiry *q, wave_rt_device_info *info) {
    info->wave_width = attribute(q, WARP_SIZE);
    info->max_workgroup_size = attribute(q, MAX_THREADS_PER_BLOCK);
    for (int k = 0; k < 3; k++) {
        info->max_workgroup[k] = attribute(q, MAX_BLOCK_DIM_X + k);
        info->max_grid[k] = attribute(q, MAX_GRID_DIM_X + k);
    }
    info->local_memory_size = attribute(q, SHARED_MEMORY_PER_BLOCK);
    info->cores = attribute(q, MULTIPROCESSOR_COUNT);
    if (info->wave_width)
        info->max_waves_per_core = attribute(q, MAX_THREADS_PER_MULTIPROCESSOR) / info->wave_width;
    info->register_file_size = 4 * (uint64_t)optional(q, REGISTERS_PER_MULTIPROCESSOR);
    info->max_workgroups_per_core = optional(q, MAX_BLOCKS_PER_MULTIPROCESSOR);
}

/* Two transfers a clock; f32 lanes of a compute unit: 64, twice that from gfx90a on in packed form,
 * which our code does not use. kHz and bits to a second and bytes. */
static void describe_peaks(const inquiry *q, wave_rt_device_info *info) {
    info->peak_bytes = 2e3 * optional(q, MEMORY_CLOCK_RATE) / 8 * optional(q, MEMORY_BUS_WIDTH);
    info->peak_flops = 2e3 * optional(q, CLOCK_RATE) * 64 * info->cores;
}

static wave_rt_status describe(const hip_api *api, int index, wave_rt_device_info *info, char *arch,
                               size_t arch_size, wave_rt_error *error) {
    size_t memory = 0;
    int version = 0;
    inquiry q = {.api = api, .device = index, .error = error};
    *info = (wave_rt_device_info){.target = "hip",
                                  .capabilities =
                                      WAVE_RT_CAP_F64 | WAVE_RT_CAP_ATOMIC_F32 | WAVE_RT_CAP_MMA};
    q.status = check(api, "hipDeviceGetName",
                     api->device_name(info->title, sizeof info->title, index), error);
    if (q.status == WAVE_RT_OK)
        q.status = check(api, "hipDeviceTotalMem", api->device_memory(&memory, index), error);
    if (q.status == WAVE_RT_OK)
        q.status = check(api, "hipRuntimeGetVersion", api->version(&version), error);
    if (q.status == WAVE_RT_OK)
        q.status = find_arch(&q, arch, arch_size);
    describe_sizes(&q, info);
    if (q.status != WAVE_RT_OK)
        return q.status;
    describe_peaks(&q, info);
    info->device_memory_size = memory;
    (void)snprintf(info->name, sizeof info->name, "hip:%d", index);
    (void)snprintf(info->driver, sizeof info->driver, "HIP %d.%d.%d", version / 10000000,
                   version / 100000 % 100, version % 100000);
    (void)snprintf(info->arch, sizeof info->arch, "%.*s", (int)strcspn(arch, ":"), arch);
    rt_copy(info->arch, sizeof info->arch, nearest_arch(info->arch));
    return WAVE_RT_OK;
}

static void tell_absence(rt_found *found, int index, const wave_rt_error *reason) {
    char text[256];
    (void)snprintf(text, sizeof text, "hip:%d: %.200s", index, reason->message);
    found->nothing(found, text);
}

static wave_rt_status hip_enumerate(const rt_vendor *self, rt_found *found, wave_rt_error *error) {
    hip_api api;
    int count = 0;
    (void)self;
    wave_rt_status status = load_api(&api, error);
    if (status != WAVE_RT_OK)
        return status;
    status = check(&api, "hipGetDeviceCount", api.device_count(&count), error);
    for (int k = 0; k < count && status == WAVE_RT_OK; k++) {
        wave_rt_device_info info;
        wave_rt_error reason;
        char arch[64];
        if (describe(&api, k, &info, arch, sizeof arch, &reason) != WAVE_RT_OK)
            tell_absence(found, k, &reason);
        else if (!found->device(found, &info))
            status = rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    }
    close_api(&api);
    return status;
}

static wave_rt_status open_device(hip_device *d, unsigned index, wave_rt_device_info *info,
                                  wave_rt_error *error) {
    int count = 0;
    wave_rt_status status = check(&d->api, "hipGetDeviceCount", d->api.device_count(&count), error);
    if (status != WAVE_RT_OK)
        return status;
    if (index >= (unsigned)count)
        return rt_fail(error, WAVE_RT_NO_DEVICE, "there is no hip:%u; HIP has %d devices", index,
                       count);
    d->device = (int)index;
    return describe(&d->api, d->device, info, d->arch, sizeof d->arch, error);
}

static wave_rt_status hip_open(const char *which, void **device, wave_rt_device_info *info,
                               wave_rt_error *error) {
    unsigned index;
    if (!rt_index(which, &index))
        return rt_fail(error, WAVE_RT_NO_DEVICE, "a HIP device is hip:NUMBER, not hip:%.40s",
                       which);
    hip_device *d = calloc(1, sizeof *d);
    if (!d)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = load_api(&d->api, error);
    if (status == WAVE_RT_OK) {
        status = open_device(d, index, info, error);
        if (status != WAVE_RT_OK)
            close_api(&d->api);
    }
    if (status == WAVE_RT_OK)
        *device = d;
    else
        free(d);
    return status;
}

static void hip_close(void *device) {
    hip_device *d = device;
    close_api(&d->api);
    free(d);
}

/* The current device belongs to the thread: it is set for each call, and put back, so that any
 * thread may make it and an application's own choice stays. */
static wave_rt_status enter(const hip_device *d, int *before, wave_rt_error *error) {
    wave_rt_status status = check(&d->api, "hipGetDevice", d->api.device_get(before), error);
    if (status == WAVE_RT_OK)
        status = check(&d->api, "hipSetDevice", d->api.device_set(d->device), error);
    return status;
}

static void leave(const hip_device *d, int before) {
    (void)d->api.device_set(before);
}

/* ---- Memory ---- */

static wave_rt_status hip_memory_create(void *device, uint64_t size, void **memory,
                                        wave_rt_error *error) {
    hip_device *d = device;
    int before;
    wave_rt_status status = enter(d, &before, error);
    if (status != WAVE_RT_OK)
        return status;
    status = check(&d->api, "hipMalloc", d->api.memory_alloc(memory, size), error);
    leave(d, before);
    return status;
}

/* hipFree finds the device by itself, and so do the other calls that destroy. */
static void hip_memory_destroy(void *device, void *memory) {
    hip_device *d = device;
    if (memory)
        (void)d->api.memory_free(memory);
}

static wave_rt_status finish_transfer(const hip_queue *q, int before, const char *call, int result,
                                      wave_rt_error *error) {
    wave_rt_status status = check(&q->device->api, call, result, error);
    if (status == WAVE_RT_OK)
        status = check(&q->device->api, "hipStreamSynchronize",
                       q->device->api.stream_wait(q->stream), error);
    leave(q->device, before);
    return status;
}

static wave_rt_status hip_upload(void *queue, void *memory, uint64_t offset, const void *data,
                                 uint64_t size, wave_rt_error *error) {
    hip_queue *q = queue;
    int before;
    wave_rt_status status = enter(q->device, &before, error);
    if (status != WAVE_RT_OK)
        return status;
    int result =
        q->device->api.copy((uint8_t *)memory + offset, data, size, HOST_TO_DEVICE, q->stream);
    return finish_transfer(q, before, "hipMemcpy", result, error);
}

static wave_rt_status hip_download(void *queue, void *memory, uint64_t offset, void *data,
                                   uint64_t size, wave_rt_error *error) {
    hip_queue *q = queue;
    int before;
    wave_rt_status status = enter(q->device, &before, error);
    if (status != WAVE_RT_OK)
        return status;
    int result = q->device->api.copy(data, (const uint8_t *)memory + offset, size, DEVICE_TO_HOST,
                                     q->stream);
    return finish_transfer(q, before, "hipMemcpy", result, error);
}

static wave_rt_status hip_fill(void *queue, void *memory, uint64_t offset, uint8_t byte,
                               uint64_t size, wave_rt_error *error) {
    hip_queue *q = queue;
    int before;
    wave_rt_status status = enter(q->device, &before, error);
    if (status != WAVE_RT_OK)
        return status;
    int result = q->device->api.memory_set((uint8_t *)memory + offset, byte, size, q->stream);
    return finish_transfer(q, before, "hipMemset", result, error);
}

/* ---- Compiling ---- */

/* hiprtc brings HIP's headers with it and has no others: those the text names are given here. Some
 * versions define uint64_t as another type than others, so the names become types of our own. */
static const char *const header_names[] = {"hip/hip_runtime.h", "hip/hip_fp16.h", "stdint.h"};
static const char *const header_texts[] = {
    "", "",
    "typedef unsigned char wave_uint8;\ntypedef signed char wave_int8;\n"
    "typedef unsigned short wave_uint16;\ntypedef short wave_int16;\n"
    "typedef unsigned int wave_uint32;\ntypedef int wave_int32;\n"
    "typedef unsigned long long wave_uint64;\ntypedef long long wave_int64;\n"
    "#define uint8_t wave_uint8\n#define int8_t wave_int8\n"
    "#define uint16_t wave_uint16\n#define int16_t wave_int16\n"
    "#define uint32_t wave_uint32\n#define int32_t wave_int32\n"
    "#define uint64_t wave_uint64\n#define int64_t wave_int64\n"
    "#define uintptr_t wave_uint64\n"};
enum { HEADERS = sizeof header_names / sizeof *header_names };

static void keep_log(const hip_api *api, void *program, wave_rt_error *error) {
    size_t size = 0;
    if (!error || api->rtc_log_size(program, &size) != SUCCESS || size == 0)
        return;
    char *log = calloc(1, size + 1);
    if (log && api->rtc_log(program, log) == SUCCESS)
        rt_log(error, log, size);
    free(log);
}

static wave_rt_status take_code(const hip_api *api, void *program, wave_blob *binary,
                                wave_rt_error *error) {
    size_t size = 0;
    wave_rt_status status =
        check_rtc(api, "hiprtcGetCodeSize", api->rtc_code_size(program, &size), error);
    if (status != WAVE_RT_OK)
        return status;
    binary->data = calloc(1, size + 1);
    if (!binary->data)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    binary->size = size;
    status = check_rtc(api, "hiprtcGetCode", api->rtc_code(program, (char *)binary->data), error);
    if (status != WAVE_RT_OK)
        wave_blob_free(binary);
    return status;
}

/* gfx10 and later can have both widths; 64 must be asked for. */
static wave_rt_status hip_build(void *device, const rt_program *program, wave_blob *binary,
                                wave_rt_error *error) {
    hip_device *d = device;
    const hip_api *api = &d->api;
    void *rtc = NULL;
    char arch[100];
    const char *options[5] = {arch, "-O3", "-ffp-contract=off", "-fno-finite-loops"};
    int count = 4;
    (void)snprintf(arch, sizeof arch, "--offload-arch=%s", d->arch);
    if (program->wave_width == 64 && strncmp(d->arch, "gfx9", 4) != 0)
        options[count++] = "-mwavefrontsize64";
    wave_rt_status status = check_rtc(
        api, "hiprtcCreateProgram",
        api->rtc_create(&rtc, program->text, "kernel.hip", HEADERS, header_texts, header_names),
        error);
    if (status != WAVE_RT_OK)
        return status;
    status = check_rtc(api, "hiprtcCompileProgram", api->rtc_compile(rtc, count, options), error);
    if (status == WAVE_RT_OK)
        status = take_code(api, rtc, binary, error);
    else
        keep_log(api, rtc, error);
    (void)api->rtc_destroy(&rtc);
    return status;
}

/* ---- Modules ---- */

static wave_rt_status fill_module(const hip_device *d, const rt_program *program,
                                  hip_module *module, wave_rt_error *error) {
    wave_rt_status status = check(&d->api, "hipModuleLoadData",
                                  d->api.module_load(&module->module, program->binary), error);
    if (status != WAVE_RT_OK)
        return status;
    for (size_t k = 0; k < program->count && status == WAVE_RT_OK; k++)
        status = check(&d->api, "hipModuleGetFunction",
                       d->api.module_function(&module->functions[k], module->module,
                                              program->entries[k].symbol),
                       error);
    if (status != WAVE_RT_OK)
        (void)d->api.module_unload(module->module);
    return status;
}

static wave_rt_status hip_module_create(void *device, const rt_program *program, void **module,
                                        wave_rt_error *error) {
    hip_device *d = device;
    int before;
    hip_module *m = calloc(1, sizeof *m + program->count * sizeof *m->functions);
    if (!m)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = enter(d, &before, error);
    if (status == WAVE_RT_OK) {
        status = fill_module(d, program, m, error);
        leave(d, before);
    }
    if (status == WAVE_RT_OK)
        *module = m;
    else
        free(m);
    return status;
}

static void hip_module_destroy(void *device, void *module) {
    hip_device *d = device;
    hip_module *m = module;
    if (m)
        (void)d->api.module_unload(m->module);
    free(m);
}

static wave_rt_status hip_kernel_limits(void *device, void *module, size_t kernel,
                                        rt_limits *limits, wave_rt_error *error) {
    hip_device *d = device;
    void *function = ((hip_module *)module)->functions[kernel];
    static const int which[] = {FUNCTION_MAX_THREADS, FUNCTION_REGISTERS, FUNCTION_SHARED_SIZE};
    int values[3] = {0}, before;
    wave_rt_status status = enter(d, &before, error);
    if (status != WAVE_RT_OK)
        return status;
    for (int k = 0; k < 3 && status == WAVE_RT_OK; k++)
        status = check(&d->api, "hipFuncGetAttribute",
                       d->api.function_get(&values[k], which[k], function), error);
    leave(d, before);
    *limits = (rt_limits){.threads = (uint32_t)values[0],
                          .registers = (uint32_t)values[1],
                          .local_memory = (uint32_t)values[2]};
    return status;
}

/* ---- Queues ---- */

static void destroy_queue(const hip_api *api, const hip_queue *q) {
    if (q->start)
        (void)api->event_destroy(q->start);
    if (q->stop)
        (void)api->event_destroy(q->stop);
    if (q->stream)
        (void)api->stream_destroy(q->stream);
}

static wave_rt_status fill_queue(const hip_api *api, hip_queue *q, wave_rt_error *error) {
    wave_rt_status status =
        check(api, "hipStreamCreate", api->stream_create(&q->stream, NON_BLOCKING), error);
    if (status == WAVE_RT_OK)
        status = check(api, "hipEventCreate", api->event_create(&q->start), error);
    if (status == WAVE_RT_OK)
        status = check(api, "hipEventCreate", api->event_create(&q->stop), error);
    if (status != WAVE_RT_OK)
        destroy_queue(api, q);
    return status;
}

static wave_rt_status hip_queue_create(void *device, void **queue, wave_rt_error *error) {
    hip_device *d = device;
    int before;
    hip_queue *q = calloc(1, sizeof *q);
    if (!q)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    q->device = d;
    wave_rt_status status = enter(d, &before, error);
    if (status == WAVE_RT_OK) {
        status = fill_queue(&d->api, q, error);
        leave(d, before);
    }
    if (status == WAVE_RT_OK)
        *queue = q;
    else
        free(q);
    return status;
}

static void hip_queue_destroy(void *device, void *queue) {
    hip_device *d = device;
    if (queue)
        destroy_queue(&d->api, queue);
    free(queue);
}

/* The parameters of ISA 3.4: the arena, the argument words if there are any, its size. Local memory
 * is static in the kernel. */
static wave_rt_status start_kernel(const hip_queue *q, const rt_dispatch *d, wave_rt_error *error) {
    const hip_api *api = &q->device->api;
    const hip_module *module = d->module;
    void *memory = d->memory;
    unsigned long long size = d->memory_size;
    void *parameters[3] = {&memory};
    size_t count = 1;
    if (d->program->entries[d->kernel].words)
        parameters[count++] = (void *)d->words;
    if (d->program->bounds)
        parameters[count] = &size;
    return check(api, "hipModuleLaunchKernel",
                 api->launch(module->functions[d->kernel], d->grid[0], d->grid[1], d->grid[2],
                             d->group[0], d->group[1], d->group[2], 0, q->stream, parameters, NULL),
                 error);
}

static wave_rt_status hip_launch(void *queue, const rt_dispatch *dispatch, wave_rt_error *error) {
    hip_queue *q = queue;
    const hip_api *api = &q->device->api;
    int before;
    wave_rt_status status = enter(q->device, &before, error);
    if (status != WAVE_RT_OK)
        return status;
    if (dispatch->timed)
        status = check(api, "hipEventRecord", api->event_record(q->start, q->stream), error);
    if (status == WAVE_RT_OK)
        status = start_kernel(q, dispatch, error);
    if (status == WAVE_RT_OK && dispatch->timed)
        status = check(api, "hipEventRecord", api->event_record(q->stop, q->stream), error);
    leave(q->device, before);
    return status;
}

static wave_rt_status hip_wait(void *queue, wave_rt_error *error) {
    hip_queue *q = queue;
    return check(&q->device->api, "hipStreamSynchronize", q->device->api.stream_wait(q->stream),
                 error);
}

static wave_rt_status hip_elapsed(void *queue, double *seconds, wave_rt_error *error) {
    hip_queue *q = queue;
    float milliseconds = 0;
    wave_rt_status status =
        check(&q->device->api, "hipEventElapsedTime",
              q->device->api.event_elapsed(&milliseconds, q->start, q->stop), error);
    *seconds = (double)milliseconds * 1e-3;
    return status;
}

const rt_vendor rt_hip = {
    .abi = RT_ABI,
    .name = "hip",
    .target = "hip",
    .enumerate = hip_enumerate,
    .open = hip_open,
    .close = hip_close,
    .memory_create = hip_memory_create,
    .memory_destroy = hip_memory_destroy,
    .build = hip_build,
    .module_create = hip_module_create,
    .module_destroy = hip_module_destroy,
    .kernel_limits = hip_kernel_limits,
    .queue_create = hip_queue_create,
    .queue_destroy = hip_queue_destroy,
    .upload = hip_upload,
    .download = hip_download,
    .fill = hip_fill,
    .launch = hip_launch,
    .wait = hip_wait,
    .elapsed = hip_elapsed,
};
