/* A simulated libamdhip64.so and libhiprtc.so in one: the calls that runtime/hip.c makes, on host
 * memory, with kernels compiled by clang++ and executed by the SIMT harness of tests/simt. A code
 * object is the text itself, or an ELF file of AMD's compiler with the text appended: the file is
 * checked, and the text executed. Besides those in sim.h, these environment variables are used:
 * WAVE_SIM_ARCH (gfx942:sramecc+:xnack-), WAVE_SIM_ROOT (the folder with tests/simt; default: the
 * current one), WAVE_SIM_CLANG. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): dladdr
#include "simgpu/object_file.h"
#include "simgpu/sim.h"
#include "simt/simt_run.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RTC_INVALID_INPUT = 3, RTC_INVALID_PROGRAM = 4, RTC_COMPILATION = 6 };

/* The start of a code object. */
static const char magic[] = "simulated code object for ";

/* Belongs to a program or a module. */
typedef struct compiled {
    char *text, *log;
    void *object; /* an ELF file, or NULL */
    char symbol[256];
    uint32_t words;
    bool has_status;
    unsigned status; /* the index of that parameter */
} compiled;

static _Thread_local int current_device;

int sim_driver_ready(void) {
    return driver.initialised ? driver.sticky : NOT_INITIALIZED;
}

int sim_driver_current(void) {
    return SUCCESS;
}

/* The shared objects of kernels look up the harness's functions among the global symbols, but this
 * library is loaded with RTLD_LOCAL: it makes its own symbols global. */
__attribute__((constructor)) static void show_names(void) {
    Dl_info self;
    if (dladdr((const void *)magic, &self))
        (void)dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

static void drop_compiled(void *own) {
    compiled *c = own;
    free(c->text);
    free(c->log);
    free(c->object);
    free(c);
}

static sim_object *make_compiled(sim_kind kind, const char *text) {
    compiled *c = calloc(1, sizeof *c);
    if (!c || !(c->text = strdup(text)))
        abort();
    sim_object *o = sim_make(kind);
    o->own = c;
    o->drop = drop_compiled;
    return o;
}

static compiled *find_compiled(const void *handle, sim_kind kind) {
    const sim_object *o = sim_find(handle, kind);
    return o ? o->own : NULL;
}

/* ---- Driver and devices ---- */

static const char *arch(void) {
    const char *name = getenv("WAVE_SIM_ARCH");
    return name ? name : "gfx942:sramecc+:xnack-";
}

/* gfx9xx has waves of 64 lanes. */
static uint32_t generation(void) {
    size_t digits = strspn(arch() + 3, "0123456789abcdef");
    return digits > 3 ? 10 + (uint32_t)(arch()[4] - '0') : 9;
}

static uint32_t width(void) {
    return generation() == 9 ? 64 : 32;
}

SIM_CALL(hipInit, (unsigned flags), sim_init(__func__, flags))
SIM_CALL(hipRuntimeGetVersion, (int *version), sim_tell(__func__, version, 60342131))
SIM_CALL(hipGetDeviceCount, (int *count), sim_count(__func__, count))
SIM_CALL(hipGetDevice, (int *device), sim_tell(__func__, device, current_device))
SIM_CALL(hipDeviceGetName, (char *name, int size, int device),
         sim_name(__func__, name, size, "Simulated AMD GPU", device))
SIM_CALL(hipDeviceTotalMem, (size_t * size, int device), sim_total(__func__, size, device))

SIM_CALL(hipDeviceGetPCIBusId, (char *text, int size, int device),
         sim_pci(__func__, text, size, device))
SIM_CALL(hipDeviceGetUuid, (uint8_t bytes[16], int device), sim_uuid(__func__, bytes, device))

SIM_API const char *hipGetErrorString(int code);
const char *hipGetErrorString(int code) {
    const char *words = code == 100 ? "no ROCm-capable device is detected" : sim_words(code);
    return words ? words : "unknown error";
}

SIM_API int hipSetDevice(int device);
int hipSetDevice(int device) {
    SIM_BEGIN("hipSetDevice")
    if (device < 0 || device >= sim_devices())
        SIM_END(INVALID_DEVICE);
    current_device = device;
    SIM_END(SUCCESS);
}

/* The name is at the start of the structure, and the architecture at an offset that differs between
 * its two layouts. */
static int properties(const char *call, char *out, size_t at) {
    SIM_BEGIN(call)
    (void)snprintf(out, 256, "Simulated gfx GPU");
    (void)snprintf(out + at, 256, "%s", arch());
    SIM_END(SUCCESS);
}

SIM_API int hipGetDevicePropertiesR0600(void *out, int device);
int hipGetDevicePropertiesR0600(void *out, int device) {
    (void)device;
    return properties("hipGetDevicePropertiesR0600", out, 1160);
}

SIM_API int hipGetDeviceProperties(void *out, int device);
int hipGetDeviceProperties(void *out, int device) {
    (void)device;
    return properties("hipGetDeviceProperties", out, 396);
}

/* By hipDeviceAttribute_t, what runtime/hip.c queries. The last row, workgroups per core, is the
 * one that an old driver lacks (WAVE_SIM_OLD). */
SIM_API int hipDeviceGetAttribute(int *value, int which, int device);
int hipDeviceGetAttribute(int *value, int which, int device) {
    const sim_pair list[] = {
        {5, 2100000}, {24, 1},      {26, 1024},  {27, 1024},         {28, 1024}, {29, 2147483647},
        {30, 65536},  {31, 65536},  {56, 1024},  {57, 2048},         {59, 8192}, {60, 1300000},
        {63, 304},    {72, 131072}, {74, 65536}, {87, (int)width()}, {25, 2}};
    (void)device;
    return sim_attribute("hipDeviceGetAttribute", value, which, list, sizeof list / sizeof *list);
}

/* ---- Memory, streams and events ---- */

SIM_CALL(hipMalloc, (void **address, size_t size), sim_alloc(__func__, address, size))
SIM_CALL(hipMallocManaged, (void **address, size_t size, unsigned flags),
         sim_shared_alloc(__func__, address, size, flags))
SIM_CALL(hipHostMalloc, (void **address, size_t size, unsigned flags),
         sim_host_alloc(__func__, address, size, flags))
SIM_CALL(hipHostFree, (void *address), sim_host_free(__func__, address))
SIM_CALL(hipFree, (void *address), sim_free(__func__, address))
SIM_CALL(hipMemcpyAsync, (void *to, const void *from, size_t size, int kind, void *stream),
         kind == 1   ? sim_upload(__func__, to, from, size, stream)
         : kind == 2 ? sim_download(__func__, to, from, size, stream)
                     : sim_copy(__func__, to, from, size, stream))
SIM_CALL(hipMemsetAsync, (void *to, int byte, size_t size, void *stream),
         sim_fill(__func__, to, byte, size, stream))
SIM_CALL(hipStreamCreateWithFlags, (void **stream, unsigned flags),
         sim_stream_create(__func__, stream, flags))
SIM_CALL(hipStreamDestroy, (void *stream), sim_destroy(__func__, stream, SIM_STREAM))
SIM_CALL(hipStreamSynchronize, (void *stream), sim_stream_wait(__func__, stream))
SIM_CALL(hipEventCreate, (void **event), sim_event_create(__func__, event, 0))
SIM_CALL(hipEventDestroy, (void *event), sim_destroy(__func__, event, SIM_EVENT))
SIM_CALL(hipEventRecord, (void *event, void *stream), sim_event_record(__func__, event, stream))
SIM_CALL(hipEventQuery, (void *event), sim_event_query(__func__, event))
SIM_CALL(hipEventSynchronize, (void *event), sim_event_wait(__func__, event))
SIM_CALL(hipStreamWaitEvent, (void *stream, void *event, unsigned flags),
         sim_stream_follow(__func__, stream, event, flags))
SIM_CALL(hipEventElapsedTime, (float *milliseconds, void *start, void *stop),
         sim_event_elapsed(__func__, milliseconds, start, stop))

/* ---- Compiling ---- */

SIM_API const char *hiprtcGetErrorString(int code);
const char *hiprtcGetErrorString(int code) {
    return code == RTC_COMPILATION       ? "HIPRTC_ERROR_COMPILATION"
           : code == 1                   ? "HIPRTC_ERROR_OUT_OF_MEMORY"
           : code == RTC_INVALID_PROGRAM ? "HIPRTC_ERROR_INVALID_PROGRAM"
                                         : "HIPRTC_ERROR";
}

/* Every header that the text includes must have been passed with it: hiprtc has no others. */
static bool headers_known(const char *text, int count, const char *const *names) {
    for (const char *at = text; (at = strstr(at, "#include <"));) {
        size_t length = strcspn(at += 10, ">");
        bool known = false;
        for (int k = 0; k < count; k++)
            known |= strlen(names[k]) == length && memcmp(names[k], at, length) == 0;
        if (!known)
            return false;
    }
    return true;
}

SIM_API int hiprtcCreateProgram(void **program, const char *text, const char *name, int headers,
                                const char *const *header_texts, const char *const *header_names);
int hiprtcCreateProgram(void **program, const char *text, const char *name, int headers,
                        const char *const *header_texts, const char *const *header_names) {
    SIM_BEGIN("hiprtcCreateProgram")
    if (!text || !name || !header_texts || !headers_known(text, headers, header_names))
        SIM_END(RTC_INVALID_INPUT);
    *program = make_compiled(SIM_PROGRAM, text);
    SIM_END(SUCCESS);
}

SIM_API int hiprtcDestroyProgram(void **program);
int hiprtcDestroyProgram(void **program) {
    const void *handle = *program;
    *program = NULL;
    return sim_destroy(__func__, handle, SIM_PROGRAM);
}

static simt_options harness(simt_visit *visit, void *user) {
    static char shims[1024], folder[1024];
    simt_options o = simt_default_options();
    const char *root = getenv("WAVE_SIM_ROOT"), *compiler = getenv("WAVE_SIM_CLANG");
    if (root) {
        (void)snprintf(shims, sizeof shims, "%s/tests/simt", root);
        (void)snprintf(folder, sizeof folder, "%s/build/simt", root);
        o.shims = shims;
        o.folder = folder;
    }
    o.compiler = compiler && *compiler ? compiler : NULL;
    o.visit = visit;
    o.user = user;
    return o;
}

static void keep_log(void *user, const simt_program *program, size_t launch,
                     const simt_outcome *outcome) {
    compiled *c = user;
    (void)program;
    (void)launch;
    if (outcome->error == SIMT_NO_COMPILE && !c->log)
        c->log = strdup(outcome->message);
}

static bool has_option(int count, const char *const *options, const char *word, size_t length) {
    for (int k = 0; k < count; k++)
        if (strlen(options[k]) == length && memcmp(options[k], word, length) == 0)
            return true;
    return false;
}

/* Exactly the device's architecture and the flags that the text's first comment names. */
static bool options_agree(const char *text, int count, const char *const *options) {
    char device[100];
    int size = snprintf(device, sizeof device, "--offload-arch=%s", arch());
    const char *at = strstr(text, "// Compile with hipcc --offload-arch=");
    int named = 1;
    if (!at || !has_option(count, options, device, (size_t)size))
        return false;
    size_t line = strcspn(at, "\n");
    for (const char *end = at + line; (at = strstr(at, " -")) && at < end; at++) {
        size_t length = strcspn(at + 1, " \n");
        if (strncmp(at + 1, "--offload-arch", 14) == 0)
            continue;
        named++;
        if (!has_option(count, options, at + 1, length))
            return false;
    }
    return named == count;
}

SIM_API int hiprtcCompileProgram(void *program, int count, const char *const *options);
int hiprtcCompileProgram(void *program, int count, const char *const *options) {
    SIM_BEGIN("hiprtcCompileProgram")
    compiled *c = find_compiled(program, SIM_PROGRAM);
    if (!c || !options_agree(c->text, count, options))
        SIM_END(c ? RTC_INVALID_INPUT : RTC_INVALID_PROGRAM);
    simt_options harness_options = harness(keep_log, c);
    simt_program p = {.name = "kernel.hip",
                      .target = SIMT_HIP,
                      .width = width(),
                      .gfx = generation(),
                      .text = c->text};
    bool spoiled = sim_number("WAVE_SIM_SPOIL", 0) != 0;
    if (spoiled)
        p.text = "extern \"C\" __global__ void k(uint8_t *mem) { frobnicate; }\n";
    if (!simt_run(&harness_options, &p, 1) && !c->log)
        c->log = strdup("no compiler");
    SIM_END(c->log ? RTC_COMPILATION : SUCCESS);
}

SIM_API int hiprtcGetProgramLogSize(void *program, size_t *size);
int hiprtcGetProgramLogSize(void *program, size_t *size) {
    SIM_BEGIN("hiprtcGetProgramLogSize")
    compiled *c = find_compiled(program, SIM_PROGRAM);
    *size = c && c->log ? strlen(c->log) + 1 : 0;
    SIM_END(c ? SUCCESS : RTC_INVALID_PROGRAM);
}

SIM_API int hiprtcGetProgramLog(void *program, char *log);
int hiprtcGetProgramLog(void *program, char *log) {
    SIM_BEGIN("hiprtcGetProgramLog")
    compiled *c = find_compiled(program, SIM_PROGRAM);
    if (c && c->log)
        memcpy(log, c->log, strlen(c->log) + 1);
    SIM_END(c ? SUCCESS : RTC_INVALID_PROGRAM);
}

SIM_API int hiprtcGetCodeSize(void *program, size_t *size);
int hiprtcGetCodeSize(void *program, size_t *size) {
    SIM_BEGIN("hiprtcGetCodeSize")
    compiled *c = find_compiled(program, SIM_PROGRAM);
    *size = c ? sizeof magic + strlen(arch()) + strlen(c->text) + 1 : 0;
    SIM_END(c ? SUCCESS : RTC_INVALID_PROGRAM);
}

SIM_API int hiprtcGetCode(void *program, char *code);
int hiprtcGetCode(void *program, char *code) {
    SIM_BEGIN("hiprtcGetCode")
    compiled *c = find_compiled(program, SIM_PROGRAM);
    if (c)
        (void)sprintf(code, "%s%s\n%s", magic, arch(), c->text);
    SIM_END(c ? SUCCESS : RTC_INVALID_PROGRAM);
}

/* ---- Modules ---- */

static void *load_object(const void *image) {
    sim_object *o = make_compiled(SIM_MODULE, (const char *)image + object_size(image));
    ((compiled *)o->own)->object = object_copy(image);
    return o;
}

SIM_API int hipModuleLoadData(void **module, const void *image);
int hipModuleLoadData(void **module, const void *image) {
    SIM_BEGIN("hipModuleLoadData")
    SIM_READY
    const char *bytes = image;
    if (object_fits_amd(image, arch())) {
        *module = load_object(image);
        SIM_END(SUCCESS);
    }
    size_t start = sizeof magic - 1, length = strcspn(bytes, "\n");
    if (strncmp(bytes, magic, start) != 0 || length - start != strlen(arch()) ||
        memcmp(bytes + start, arch(), length - start) != 0)
        SIM_END(NO_BINARY_FOR_GPU);
    *module = make_compiled(SIM_MODULE, bytes + length + 1);
    SIM_END(SUCCESS);
}

SIM_CALL(hipModuleUnload, (void *module), sim_destroy(__func__, module, SIM_MODULE))

/* The number of words in the kernel's argument structure, whose members are words, pairs and arrays
 * of words. */
static uint32_t count_words(const char *text) {
    const char *at = strstr(text, "_args {\n"), *end = at ? strstr(at, "\n};") : NULL;
    uint32_t words = 0;
    while (end && (at = strchr(at, '\n')) < end) {
        at += 1 + strspn(at + 1, " ");
        bool pair = strncmp(at, "double ", 7) == 0 || strncmp(at, "uint64_t ", 9) == 0 ||
                    strncmp(at, "int64_t ", 8) == 0;
        const char *sign = at + strcspn(at, "[;\n");
        words += *sign == '[' ? (uint32_t)strtoul(sign + 1, NULL, 10) : 1u + pair;
    }
    return words;
}

/* A code object has a descriptor of the kernel, with room for the text's parameters. */
static bool described(const compiled *c, const char *name, bool has_size) {
    uint32_t size = 0, needed = 8 + 4 * c->words;
    if (has_size || c->has_status)
        needed = (needed + 7) / 8 * 8 + 8 * ((uint32_t)has_size + c->has_status);
    return !c->object || (object_amd_arguments(c->object, name, &size) && size >= needed);
}

/* A function is its module: the harness takes texts with one kernel. */
SIM_API int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleGetFunction(void **function, void *module, const char *name) {
    char pattern[300];
    SIM_BEGIN("hipModuleGetFunction")
    SIM_READY
    compiled *c = find_compiled(module, SIM_MODULE);
    if (!c)
        SIM_END(INVALID_HANDLE);
    (void)snprintf(pattern, sizeof pattern, "%s(uint8_t *", name);
    const char *text = c->text, *found = strstr(text, pattern);
    if (!found || found == text || (found[-1] != ' ' && found[-1] != '\n'))
        SIM_END(NOT_FOUND);
    c->words = count_words(text);
    const char *end = strstr(found, ") {"), *status = strstr(found, ", uint32_t *");
    const char *size = strstr(found, ", uint64_t");
    c->has_status = status && end && status < end;
    bool has_size = size && end && size < end;
    c->status = 1u + (c->words != 0) + has_size;
    if (!described(c, name, has_size))
        SIM_END(NOT_FOUND);
    (void)snprintf(c->symbol, sizeof c->symbol, "%s", name);
    *function = module;
    SIM_END(SUCCESS);
}

SIM_API int hipFuncGetAttribute(int *value, int which, void *function);
int hipFuncGetAttribute(int *value, int which, void *function) {
    SIM_BEGIN("hipFuncGetAttribute")
    SIM_READY
    SIM_END(find_compiled(function, SIM_MODULE) ? sim_kernel_attribute(value, which, 64)
                                                : INVALID_HANDLE);
}

/* ---- Launching ---- */

/* Where a launch stores its results. */
typedef struct results {
    uint8_t *memory, *status; /* or NULL */
} results;

static void take_result(void *user, const simt_program *program, size_t launch,
                        const simt_outcome *outcome) {
    const results *r = user;
    if (outcome->error == SIMT_OK) {
        if (r->memory)
            memcpy(r->memory, outcome->memory, program->launches[launch].memory_size);
        if (r->status && outcome->status[0])
            memcpy(r->status, outcome->status, sizeof outcome->status);
        return;
    }
    sim_kernel_failed(outcome->error == SIMT_OUT_OF_BOUNDS ? ILLEGAL_ADDRESS : LAUNCH_FAILED,
                      outcome->message);
}

SIM_API int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                                  unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                  void *stream, void **values, void **extra);
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream, void **values,
                          void **extra) {
    SIM_BEGIN("hipModuleLaunchKernel")
    SIM_READY
    const compiled *f = find_compiled(function, SIM_MODULE);
    sim_object *s = sim_find(stream, SIM_STREAM);
    if (!f || !s || extra || shared)
        SIM_END(INVALID_HANDLE);
    if ((uint64_t)bx * by * bz > sim_most_threads(64) || !bx || !by || !bz || !gx || !gy || !gz)
        SIM_END(INVALID_VALUE);
    const sim_object *memory = sim_memory(*(void **)values[0], 0);
    const sim_object *status = f->has_status ? sim_memory(*(void **)values[f->status], 8) : NULL;
    if (f->has_status && !status)
        SIM_END(INVALID_VALUE);
    static uint8_t none[16];
    simt_launch launch = {.grid = {gx, gy, gz},
                          .group = {bx, by, bz},
                          .args = f->words ? values[1] : NULL,
                          .arg_count = f->words,
                          .memory = memory ? memory->bytes : none,
                          .memory_size = memory ? memory->size : sizeof none,
                          .seed = sim_calls()};
    simt_program p = {.name = "kernel.hip",
                      .target = SIMT_HIP,
                      .width = width(),
                      .gfx = generation(),
                      .text = f->text,
                      .launches = &launch,
                      .launch_count = 1};
    s->hanging = sim_hangs(f->symbol);
    s->clock += 1e-6;
    results r = {.memory = memory ? memory->bytes : NULL, .status = status ? status->bytes : NULL};
    simt_options options = harness(take_result, &r);
    if (!s->hanging && !simt_run(&options, &p, 1))
        SIM_END(LAUNCH_FAILED);
    SIM_END(SUCCESS);
}
