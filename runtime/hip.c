/* AMD through HIP, loaded at run time: libamdhip64 for devices and launches, libhiprtc to compile
 * the emitted text. Building this file needs no part of ROCm. Types and numbers follow the
 * libraries' ABI; ROCm 5, 6 and 7 agree on everything used here. The code shared with CUDA is in
 * streams.c. This file has the names, the current device, the architecture, and compilation. */
#include "streams.h"

#include <wave/compile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_KIND = 1 }; /* hipMemcpyKind: host to device */
enum { RTC_SUCCESS = 0, RTC_OUT_OF_MEMORY = 1, RTC_COMPILATION = 6 }; /* hiprtcResult */

/* X(member, symbol of the library, parameters): calls that CUDA lacks or defines differently */
#define HIP_CALLS(X)                                                                               \
    X(device_get, "hipGetDevice", (int *))                                                         \
    X(device_set, "hipSetDevice", (int))                                                           \
    X(copy, "hipMemcpyAsync", (void *, const void *, size_t, int, void *))                         \
    X(memory_set, "hipMemsetAsync", (void *, int, size_t, void *))                                 \
    X(module_load, "hipModuleLoadData", (void **, const void *))                                   \
    X(event_create, "hipEventCreate", (void **))

#define RTC_CALLS(X)                                                                               \
    X(rtc_create, "hiprtcCreateProgram",                                                           \
      (void **, const char *, const char *, int, const char *const *, const char *const *))        \
    X(rtc_destroy, "hiprtcDestroyProgram", (void **))                                              \
    X(rtc_compile, "hiprtcCompileProgram", (void *, int, const char *const *))                     \
    X(rtc_log_size, "hiprtcGetProgramLogSize", (void *, size_t *))                                 \
    X(rtc_log, "hiprtcGetProgramLog", (void *, char *))                                            \
    X(rtc_code_size, "hiprtcGetCodeSize", (void *, size_t *))                                      \
    X(rtc_code, "hiprtcGetCode", (void *, char *))

typedef struct hip_device {
    rt_stream_device base;
    const char *(*error_string)(int);
    const char *(*rtc_error_string)(int);
    int (*properties)(void *, int);
#define X(member, symbol, parameters) int(*member) parameters;
    HIP_CALLS(X)
    RTC_CALLS(X)
#undef X
    char arch[64]; /* including features: "gfx942:sramecc+:xnack-" */
} hip_device;

/* The properties structure grew in ROCm 6, and the call was renamed. */
static const char *find_calls(rt_stream_device *device) {
    hip_device *d = (hip_device *)device;
    void *library = device->libraries[0], *rtc = device->libraries[1];
    const char *missing = NULL;
    if (!rt_library_find(library, "hipGetErrorString", &d->error_string))
        missing = "hipGetErrorString";
    if (!rt_library_find(rtc, "hiprtcGetErrorString", &d->rtc_error_string))
        missing = "hiprtcGetErrorString";
    if (!rt_library_find(library, "hipGetDevicePropertiesR0600", &d->properties) &&
        !rt_library_find(library, "hipGetDeviceProperties", &d->properties))
        missing = "hipGetDeviceProperties";
#define X(member, symbol, parameters)                                                              \
    if (!rt_library_find(library, symbol, &d->member))                                             \
        missing = symbol;
    HIP_CALLS(X)
#undef X
#define X(member, symbol, parameters)                                                              \
    if (!rt_library_find(rtc, symbol, &d->member))                                                 \
        missing = symbol;
    RTC_CALLS(X)
#undef X
    return missing;
}

static hip_device *own(const rt_run *run) {
    return (hip_device *)run->device;
}

static const char *error_words(const rt_stream_device *device, int result) {
    return ((const hip_device *)device)->error_string(result);
}

static wave_rt_status check_rtc(const hip_device *d, const char *call, int result,
                                wave_rt_error *error) {
    if (result == RTC_SUCCESS)
        return WAVE_RT_OK;
    wave_rt_status status = result == RTC_COMPILATION     ? WAVE_RT_BAD_BUILD
                            : result == RTC_OUT_OF_MEMORY ? WAVE_RT_NO_MEMORY
                                                          : WAVE_RT_VENDOR;
    return rt_fail_call(error, status, call, d->rtc_error_string(result), result);
}

/* ---- Devices ---- */

/* Only the properties name the architecture, and their layout differs between versions. The
 * architecture is the string beginning with "gfx" after the 256 bytes of the name. */
static void find_arch(rt_run *run) {
    enum { LARGEST = 8192, NAME = 256 };
    hip_device *d = own(run);
    char *properties = calloc(1, LARGEST + 1);
    if (!properties) {
        run->status = rt_fail(run->error, WAVE_RT_NO_MEMORY, "out of memory");
        return;
    }
    RT_RUN(run, "hipGetDeviceProperties", d->properties(properties, run->device->device));
    const char *found = NULL;
    for (size_t k = NAME; k < LARGEST - 3 && !found; k++)
        if (memcmp(properties + k, "gfx", 3) == 0)
            found = properties + k;
    if (run->status == WAVE_RT_OK && found)
        rt_copy(d->arch, sizeof d->arch, found);
    else if (run->status == WAVE_RT_OK)
        run->status =
            rt_fail(run->error, WAVE_RT_NO_DEVICE, "HIP does not report the architecture");
    free(properties);
}

/* The architecture to compile for: libwave's own of this name, or one whose instructions are the
 * same as far as emitted code uses them. hiprtc gets the device's own name. */
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

/* AMD's driver reports the memory clock, not the data rate. HBM2 transfers two words per clock and
 * HBM3 four. A Radeon may have one of several types, which the driver does not report. */
static unsigned transfers_of(const char *arch) {
    static const struct {
        const char *arch;
        unsigned transfers;
    } list[] = {{"gfx906", 2}, {"gfx908", 2}, {"gfx90a", 2}, {"gfx942", 4}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (strncmp(arch, list[k].arch, strlen(list[k].arch)) == 0)
            return list[k].transfers;
    return 0;
}

/* f32 lanes of a compute unit: 64. From gfx90a on, packed instructions double that, but emitted
 * code does not use them. */
static void identify(rt_run *run, int version, wave_rt_device_info *info) {
    const char *arch = own(run)->arch;
    find_arch(run);
    run->device->float_lanes = 64;
    run->device->transfers = transfers_of(arch);
    (void)snprintf(info->driver, sizeof info->driver, "HIP %d.%d.%d", version / 10000000,
                   version / 100000 % 100, version % 100000);
    (void)snprintf(info->arch, sizeof info->arch, "%.*s", (int)strcspn(arch, ":"), arch);
    rt_copy(info->arch, sizeof info->arch, nearest_arch(info->arch));
}

/* The current device is per thread. It is set for each call and restored afterwards, so that any
 * thread may make the call and the application's own choice is preserved. */
static void enter(rt_run *run) {
    RT_RUN(run, "hipGetDevice", own(run)->device_get(&run->before));
    RT_RUN(run, "hipSetDevice", own(run)->device_set(run->device->device));
}

static void leave(const rt_run *run) {
    (void)own(run)->device_set(run->before);
}

/* ---- Queues and modules ---- */

static void event_create(rt_run *run, void **event) {
    RT_RUN(run, "hipEventCreate", own(run)->event_create(event));
}

static void copy(rt_run *run, void *to, const void *from, size_t size, rt_stream_way way,
                 void *stream) {
    int kind = FIRST_KIND + (int)way;
    RT_RUN(run, "hipMemcpy", own(run)->copy(to, from, size, kind, stream));
}

static void fill(rt_run *run, void *to, uint8_t byte, size_t size, void *stream) {
    RT_RUN(run, "hipMemset", own(run)->memory_set(to, byte, size, stream));
}

static void module_load(rt_run *run, const rt_program *program, void **module) {
    RT_RUN(run, "hipModuleLoadData", own(run)->module_load(module, program->binary));
}

/* ---- Compiling ---- */

/* hiprtc bundles HIP's headers and finds no others, so the headers that the text includes are
 * provided here. Its versions define uint64_t as different types, so the names become types of our
 * own. */
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

static void keep_log(const hip_device *d, void *program, wave_rt_error *error) {
    size_t size = 0;
    if (!error || d->rtc_log_size(program, &size) != RTC_SUCCESS || size == 0)
        return;
    char *log = calloc(1, size + 1);
    if (log && d->rtc_log(program, log) == RTC_SUCCESS)
        rt_log(error, log, size);
    free(log);
}

static wave_rt_status take_code(const hip_device *d, void *program, wave_blob *binary,
                                wave_rt_error *error) {
    size_t size = 0;
    wave_rt_status status =
        check_rtc(d, "hiprtcGetCodeSize", d->rtc_code_size(program, &size), error);
    if (status != WAVE_RT_OK)
        return status;
    binary->data = calloc(1, size + 1);
    if (!binary->data)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    binary->size = size;
    status = check_rtc(d, "hiprtcGetCode", d->rtc_code(program, (char *)binary->data), error);
    if (status != WAVE_RT_OK)
        wave_blob_free(binary);
    return status;
}

static wave_rt_status hip_build(void *device, const rt_program *program, wave_blob *binary,
                                wave_rt_error *error) {
    hip_device *d = device;
    void *rtc = NULL;
    char arch[100];
    const char *const options[] = {arch, "-O3", "-ffp-contract=off", "-fno-finite-loops"};
    (void)snprintf(arch, sizeof arch, "--offload-arch=%s", d->arch);
    wave_rt_status status = check_rtc(
        d, "hiprtcCreateProgram",
        d->rtc_create(&rtc, program->text, "kernel.hip", HEADERS, header_texts, header_names),
        error);
    if (status != WAVE_RT_OK)
        return status;
    status = check_rtc(d, "hiprtcCompileProgram",
                       d->rtc_compile(rtc, sizeof options / sizeof *options, options), error);
    if (status == WAVE_RT_OK)
        status = take_code(d, rtc, binary, error);
    else
        keep_log(d, rtc, error);
    (void)d->rtc_destroy(&rtc);
    return status;
}

/* ---- The tables ---- */

const char *const rt_rocm_folders[] = {"$ROCM_PATH/lib", "$HIP_PATH/lib", "/opt/rocm/lib",
                                       "/opt/rocm-*/lib", NULL};

static const rt_stream_vendor hip = {
    .name = "hip",
    .title = "HIP",
    .target = "hip",
    .library = "HIP library",
    .device_size = sizeof(hip_device),
    .libraries = {{"WAVE_HIP_LIBRARY",
                   {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"},
                   rt_rocm_folders},
                  /* in the first releases of ROCm 5 the compiler is in the other library */
                  {"WAVE_HIPRTC_LIBRARY",
                   {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                    "libamdhip64.so.5"},
                   rt_rocm_folders}},
    .symbols = {.init = "hipInit",
                .version = "hipRuntimeGetVersion",
                .device_count = "hipGetDeviceCount",
                .device_name = "hipDeviceGetName",
                .device_memory = "hipDeviceTotalMem",
                .device_attribute = "hipDeviceGetAttribute",
                .memory_alloc = "hipMalloc",
                .device_pci = "hipDeviceGetPCIBusId",
                .memory_free = "hipFree",
                .shared_alloc = "hipMallocManaged",
                .host_alloc = "hipHostMalloc",
                .host_free = "hipHostFree",
                .module_unload = "hipModuleUnload",
                .module_function = "hipModuleGetFunction",
                .function_attribute = "hipFuncGetAttribute",
                .stream_create = "hipStreamCreateWithFlags",
                .stream_destroy = "hipStreamDestroy",
                .stream_wait = "hipStreamSynchronize",
                .event_destroy = "hipEventDestroy",
                .event_record = "hipEventRecord",
                .event_elapsed = "hipEventElapsedTime",
                .event_query = "hipEventQuery",
                .event_wait = "hipEventSynchronize",
                .stream_follow = "hipStreamWaitEvent",
                .launch = "hipModuleLaunchKernel"},
    .uuid = "hipDeviceGetUuid",
    .attributes = {.wave_width = 87,
                   .max_workgroup_size = 56,
                   .max_workgroup_x = 26,
                   .max_grid_x = 29,
                   .local_memory_size = 74,
                   .cores = 63,
                   .max_threads_per_core = 57,
                   .registers_per_core = 72,
                   .max_workgroups_per_core = 25,
                   .clock = 5,
                   .memory_clock = 60,
                   .memory_bus_width = 59,
                   .shared_memory = 24},
    .static_local_memory = UINT32_MAX,
    .reports_local_memory = true,
    .objects_know_device = true,
    .find_calls = find_calls,
    .error_words = error_words,
    .identify = identify,
    .enter = enter,
    .leave = leave,
    .event_create = event_create,
    .copy = copy,
    .fill = fill,
    .module_load = module_load,
};

static wave_rt_status hip_enumerate(const rt_vendor *self, rt_found *found, wave_rt_error *error) {
    (void)self;
    return rt_stream_enumerate(&hip, found, error);
}

static wave_rt_status hip_open(const char *which, void **device, wave_rt_device_info *info,
                               wave_rt_error *error) {
    return rt_stream_open(&hip, which, device, info, error);
}

const rt_vendor rt_hip = {
    .abi = RT_ABI,
    .name = "hip",
    .target = "hip",
    .enumerate = hip_enumerate,
    .open = hip_open,
    .build = hip_build,
    RT_STREAM_FUNCTIONS,
};
