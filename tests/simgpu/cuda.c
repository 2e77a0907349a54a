/* A simulated libcuda.so: the calls that runtime/cuda.c makes, on host memory, with kernels
 * executed by the PTX interpreter of tests/ptxvm. Machine code is the text itself, or a cubin of
 * ptxas with the text appended: the file is checked, and the text executed. Handles, contexts and
 * their stack are checked as in a driver. Besides those in sim.h, the environment variable
 * WAVE_SIM_CAPABILITY (75) is used. */
#include "ptxvm/ptxvm.h"
#include "simgpu/object_file.h"
#include "simgpu/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATIC_SHARED = 48 * 1024, MOST_SHARED = 64 * 1024, STACK = 16 };
enum { FUNCTION_MAX_DYNAMIC_SHARED = 8 };           /* CUfunction_attribute */
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_SIZE = 6 }; /* CUjit_option */
enum { JIT_INPUT_PTX = 1 };                         /* CUjitInputType */

typedef struct function {
    struct function *next;
    const ptxvm_module *module;
    const ptxvm_entry *entry;
    int dynamic_shared; /* allowed */
} function;

/* The data of a module. */
typedef struct compiled {
    ptxvm_module *module;
    function *functions;
    void *object; /* an ELF file, or NULL */
} compiled;

/* The primary context. It is the only one, so its stack is just a depth. */
static struct { unsigned users; } context;
static _Thread_local int stack_depth;

/* The driver is initialised, a context is current, and no kernel has broken it. */
int sim_driver_ready(void) {
    if (!driver.initialised)
        return NOT_INITIALIZED;
    if (stack_depth == 0 || context.users == 0)
        return INVALID_CONTEXT;
    return driver.sticky;
}

int sim_driver_current(void) {
    return stack_depth ? SUCCESS : INVALID_CONTEXT;
}

/* ---- Driver and devices ---- */

SIM_CALL(cuInit, (unsigned flags), sim_init(__func__, flags))
SIM_CALL(cuDriverGetVersion, (int *version), sim_tell(__func__, version, 12040))
SIM_CALL(cuDeviceGetCount, (int *count), sim_count(__func__, count))
SIM_CALL(cuDeviceGetName, (char *name, int size, int device),
         sim_name(__func__, name, size, "Simulated GPU", device))
SIM_CALL(cuDeviceTotalMem_v2, (size_t * size, int device), sim_total(__func__, size, device))

SIM_CALL(cuDeviceGetPCIBusId, (char *text, int size, int device),
         sim_pci(__func__, text, size, device))
SIM_CALL(cuDeviceGetUuid, (uint8_t bytes[16], int device), sim_uuid(__func__, bytes, device))

SIM_API int cuGetErrorString(int code, const char **words);
int cuGetErrorString(int code, const char **words) {
    *words = code == 100 ? "no CUDA-capable device is detected" : sim_words(code);
    return *words ? SUCCESS : INVALID_VALUE;
}

SIM_API int cuDeviceGet(int *device, int index);
int cuDeviceGet(int *device, int index) {
    SIM_BEGIN("cuDeviceGet")
    *device = index;
    SIM_END(index >= 0 && index < sim_devices() ? SUCCESS : INVALID_DEVICE);
}

/* By CUdevice_attribute, what runtime/cuda.c queries. The last row, workgroups per core, is the one
 * that an old driver lacks (WAVE_SIM_OLD). */
SIM_API int cuDeviceGetAttribute(int *value, int which, int device);
int cuDeviceGetAttribute(int *value, int which, int device) {
    int capability = (int)sim_number("WAVE_SIM_CAPABILITY", 75);
    int major = capability / 10, minor = capability % 10;
    const sim_pair list[] = {{1, 1024},        {2, 1024},     {3, 1024},         {4, 64},
                             {5, 2147483647},  {6, 65535},    {7, 65535},        {8, STATIC_SHARED},
                             {10, PTXVM_WARP}, {13, 1590000}, {16, 40},          {36, 5001000},
                             {37, 256},        {39, 1024},    {75, major},       {76, minor},
                             {82, 65536},      {83, 1},       {97, MOST_SHARED}, {106, 16}};
    (void)device;
    return sim_attribute("cuDeviceGetAttribute", value, which, list, sizeof list / sizeof *list);
}

/* ---- The context ---- */

SIM_API int cuDevicePrimaryCtxRetain(void **handle, int device);
int cuDevicePrimaryCtxRetain(void **handle, int device) {
    SIM_BEGIN("cuDevicePrimaryCtxRetain")
    if (!driver.initialised || device < 0)
        SIM_END(NOT_INITIALIZED);
    if (context.users++ == 0)
        sim_born(SIM_CONTEXT);
    *handle = &context;
    SIM_END(SUCCESS);
}

SIM_API int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device) {
    int result = sim_enter("cuDevicePrimaryCtxRelease_v2");
    if (context.users == 0 || device < 0)
        SIM_END(INVALID_CONTEXT);
    if (--context.users == 0) {
        while (driver.objects) {
            sim_left_behind(driver.objects->kind);
            sim_forget(driver.objects);
        }
        driver.sticky = 0;
        sim_died(SIM_CONTEXT);
    }
    SIM_END(result);
}

SIM_API int cuCtxPushCurrent_v2(void *handle);
int cuCtxPushCurrent_v2(void *handle) {
    SIM_BEGIN("cuCtxPushCurrent_v2")
    if (handle != &context || context.users == 0 || stack_depth == STACK)
        SIM_END(INVALID_CONTEXT);
    stack_depth++;
    SIM_END(SUCCESS);
}

SIM_API int cuCtxPopCurrent_v2(void **handle);
int cuCtxPopCurrent_v2(void **handle) {
    int result = sim_enter("cuCtxPopCurrent_v2");
    if (stack_depth == 0)
        SIM_END(INVALID_CONTEXT);
    stack_depth--;
    *handle = &context;
    SIM_END(result);
}

/* ---- Memory, streams and events ---- */

SIM_CALL(cuMemAlloc_v2, (void **address, size_t size), sim_alloc(__func__, address, size))
SIM_CALL(cuMemAllocManaged, (void **address, size_t size, unsigned flags),
         sim_shared_alloc(__func__, address, size, flags))
SIM_CALL(cuMemHostAlloc, (void **address, size_t size, unsigned flags),
         sim_host_alloc(__func__, address, size, flags))
SIM_CALL(cuMemFreeHost, (void *address), sim_host_free(__func__, address))
SIM_CALL(cuMemFree_v2, (void *address), sim_free(__func__, address))
SIM_CALL(cuMemcpyHtoDAsync_v2, (void *to, const void *from, size_t size, void *stream),
         sim_upload(__func__, to, from, size, stream))
SIM_CALL(cuMemcpyDtoHAsync_v2, (void *to, const void *from, size_t size, void *stream),
         sim_download(__func__, to, from, size, stream))
SIM_CALL(cuMemcpyDtoDAsync_v2, (void *to, const void *from, size_t size, void *stream),
         sim_copy(__func__, to, from, size, stream))
SIM_CALL(cuMemsetD8Async, (void *to, unsigned char byte, size_t size, void *stream),
         sim_fill(__func__, to, byte, size, stream))
SIM_CALL(cuStreamCreate, (void **stream, unsigned flags),
         sim_stream_create(__func__, stream, flags))
SIM_CALL(cuStreamDestroy_v2, (void *stream), sim_destroy(__func__, stream, SIM_STREAM))
SIM_CALL(cuStreamSynchronize, (void *stream), sim_stream_wait(__func__, stream))
SIM_CALL(cuEventCreate, (void **event, unsigned flags), sim_event_create(__func__, event, flags))
SIM_CALL(cuEventDestroy_v2, (void *event), sim_destroy(__func__, event, SIM_EVENT))
SIM_CALL(cuEventRecord, (void *event, void *stream), sim_event_record(__func__, event, stream))
SIM_CALL(cuEventQuery, (void *event), sim_event_query(__func__, event))
SIM_CALL(cuEventSynchronize, (void *event), sim_event_wait(__func__, event))
SIM_CALL(cuStreamWaitEvent, (void *stream, void *event, unsigned flags),
         sim_stream_follow(__func__, stream, event, flags))
SIM_CALL(cuEventElapsedTime, (float *milliseconds, void *start, void *stop),
         sim_event_elapsed(__func__, milliseconds, start, stop))

/* ---- The linker: PTX to machine code ---- */

/* The architecture that the text is for; 0 when it names none. */
static unsigned target_of(const char *text) {
    const char *target = strstr(text, ".target sm_");
    return target ? (unsigned)strtoul(target + 11, NULL, 10) : 0;
}

/* Machine code is a magic word that no text begins with, the architecture, and the text. */
static const char code_magic[8] = {'\x7f', 'S', 'I', 'M', 'C', 'U', 'B', '\n'};
enum { CODE_HEADER = sizeof code_magic + sizeof(unsigned) };

typedef struct linker {
    char *log; /* belongs to the application */
    size_t log_size;
    uint8_t *code;
    size_t size;
} linker;

static void drop_linker(void *own) {
    free(((linker *)own)->code);
    free(own);
}

static linker *make_linker(unsigned count, const int *options, void **values) {
    linker *l = calloc(1, sizeof *l);
    if (!l)
        abort();
    for (unsigned k = 0; k < count; k++) {
        if (options[k] == JIT_ERROR_LOG)
            l->log = values[k];
        if (options[k] == JIT_ERROR_LOG_SIZE)
            l->log_size = (size_t)(uintptr_t)values[k];
    }
    return l;
}

SIM_API int cuLinkCreate_v2(unsigned count, int *options, void **values, void **handle);
int cuLinkCreate_v2(unsigned count, int *options, void **values, void **handle) {
    SIM_BEGIN("cuLinkCreate_v2")
    SIM_READY
    sim_object *o = sim_make(SIM_LINKER);
    o->own = make_linker(count, options, values);
    o->drop = drop_linker;
    *handle = o;
    SIM_END(SUCCESS);
}

/* Produces the machine code of a valid text. */
static int assemble(linker *l, const char *text) {
    unsigned capability = sim_number("WAVE_SIM_CAPABILITY", 75);
    size_t size = strlen(text) + 1;
    ptxvm_error error;
    ptxvm_module *parsed;
    if (target_of(text) > capability)
        return NO_BINARY_FOR_GPU;
    if (ptxvm_parse(text, size - 1, &parsed, &error) != PTXVM_OK) {
        if (l->log && l->log_size)
            (void)snprintf(l->log, l->log_size, "ptxas error   : %s\n", error.message);
        return INVALID_PTX;
    }
    ptxvm_free(parsed);
    l->size = CODE_HEADER + size;
    l->code = malloc(l->size);
    if (!l->code)
        abort();
    memcpy(l->code, code_magic, sizeof code_magic);
    memcpy(l->code + sizeof code_magic, &capability, sizeof capability);
    memcpy(l->code + CODE_HEADER, text, size);
    return SUCCESS;
}

SIM_API int cuLinkAddData_v2(void *handle, int type, void *data, size_t size, const char *name,
                             unsigned count, const int *options, void **values);
int cuLinkAddData_v2(void *handle, int type, void *data, size_t size, const char *name,
                     unsigned count, const int *options, void **values) {
    static const char spoiled[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                                  ".visible .entry k() { frobnicate; }\n";
    SIM_BEGIN("cuLinkAddData_v2")
    SIM_READY
    const sim_object *o = sim_find(handle, SIM_LINKER);
    const char *text = data;
    (void)name, (void)options, (void)values;
    if (!o)
        SIM_END(INVALID_HANDLE);
    /* PTX, with its NUL counted */
    if (type != JIT_INPUT_PTX || count || !size || text[size - 1] || ((const linker *)o->own)->code)
        SIM_END(INVALID_VALUE);
    SIM_END(assemble(o->own, sim_number("WAVE_SIM_SPOIL", 0) ? spoiled : text));
}

SIM_API int cuLinkComplete(void *handle, void **code, size_t *size);
int cuLinkComplete(void *handle, void **code, size_t *size) {
    SIM_BEGIN("cuLinkComplete")
    SIM_READY
    const sim_object *o = sim_find(handle, SIM_LINKER);
    const linker *l = o ? o->own : NULL;
    if (!l || !l->code)
        SIM_END(l ? INVALID_VALUE : INVALID_HANDLE);
    *code = l->code;
    *size = l->size;
    SIM_END(SUCCESS);
}

SIM_CALL(cuLinkDestroy, (void *handle), sim_destroy(__func__, handle, SIM_LINKER))

/* ---- Modules ---- */

static void drop_compiled(void *own) {
    compiled *c = own;
    for (function *f = c->functions; f;) {
        function *next = f->next;
        free(f);
        f = next;
    }
    ptxvm_free(c->module);
    free(c->object);
    free(c);
}

/* Finds the text of an image, which is the linker's own form or a cubin with its text appended.
 * Machine code runs only on the architecture it was made for. A real driver also accepts PTX here,
 * but our runtime must not rely on that being fast, so it is refused. */
static int find_text(const char *image, const char **text) {
    const unsigned here = sim_number("WAVE_SIM_CAPABILITY", 75);
    unsigned capability;
    bool simulated = memcmp(image, code_magic, sizeof code_magic) == 0;
    if (!simulated && memcmp(image, "\177ELF", 4) != 0)
        return INVALID_IMAGE;
    if (!simulated) {
        *text = image + object_size(image);
        return object_fits_nvidia(image, here) ? SUCCESS : NO_BINARY_FOR_GPU;
    }
    memcpy(&capability, image + sizeof code_magic, sizeof capability);
    *text = image + CODE_HEADER;
    return capability == here ? SUCCESS : NO_BINARY_FOR_GPU;
}

SIM_API int cuModuleLoadData(void **module, const void *image);
int cuModuleLoadData(void **module, const void *image) {
    SIM_BEGIN("cuModuleLoadData")
    SIM_READY
    const char *text = NULL;
    ptxvm_error error;
    ptxvm_module *parsed;
    int found = find_text(image, &text);
    if (found != SUCCESS)
        SIM_END(found);
    if (ptxvm_parse(text, strlen(text), &parsed, &error) != PTXVM_OK)
        SIM_END(INVALID_IMAGE);
    compiled *own = calloc(1, sizeof *own);
    if (!own)
        abort();
    own->module = parsed;
    if (object_fits_nvidia(image, sim_number("WAVE_SIM_CAPABILITY", 75)))
        own->object = object_copy(image);
    sim_object *o = sim_make(SIM_MODULE);
    o->own = own;
    o->drop = drop_compiled;
    *module = o;
    SIM_END(SUCCESS);
}

SIM_CALL(cuModuleUnload, (void *module), sim_destroy(__func__, module, SIM_MODULE))

SIM_API int cuModuleGetFunction(void **handle, void *module, const char *name);
int cuModuleGetFunction(void **handle, void *module, const char *name) {
    SIM_BEGIN("cuModuleGetFunction")
    SIM_READY
    const sim_object *o = sim_find(module, SIM_MODULE);
    if (!o)
        SIM_END(INVALID_HANDLE);
    compiled *c = o->own;
    const ptxvm_entry *entry = ptxvm_find_entry(c->module, name);
    if (!entry || (c->object && !object_nvidia_has(c->object, name)))
        SIM_END(NOT_FOUND);
    function *f = calloc(1, sizeof *f);
    if (!f)
        SIM_END(OUT_OF_MEMORY);
    *f = (function){.next = c->functions, .module = c->module, .entry = entry};
    c->functions = f;
    *handle = f;
    SIM_END(SUCCESS);
}

static function *find_function(const void *handle) {
    for (const sim_object *o = driver.objects; o; o = o->next)
        for (function *f = o->kind == SIM_MODULE ? ((compiled *)o->own)->functions : NULL; f;
             f = f->next)
            if (f == handle)
                return f;
    return NULL;
}

SIM_API int cuFuncGetAttribute(int *value, int which, void *handle);
int cuFuncGetAttribute(int *value, int which, void *handle) {
    SIM_BEGIN("cuFuncGetAttribute")
    SIM_READY
    SIM_END(find_function(handle) ? sim_kernel_attribute(value, which, PTXVM_WARP)
                                  : INVALID_HANDLE);
}

SIM_API int cuFuncSetAttribute(void *handle, int which, int value);
int cuFuncSetAttribute(void *handle, int which, int value) {
    SIM_BEGIN("cuFuncSetAttribute")
    SIM_READY
    function *f = find_function(handle);
    if (!f || which != FUNCTION_MAX_DYNAMIC_SHARED || value < 0 || value > MOST_SHARED)
        SIM_END(f ? INVALID_VALUE : INVALID_HANDLE);
    f->dynamic_shared = value;
    SIM_END(SUCCESS);
}

/* ---- Launching ---- */

static int check_launch(const function *f, const unsigned grid[3], const unsigned block[3],
                        unsigned shared) {
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    bool zero = false;
    for (int k = 0; k < 3; k++)
        zero |= grid[k] == 0 || block[k] == 0;
    if (zero || threads > sim_most_threads(PTXVM_WARP) || grid[1] > 65535 || grid[2] > 65535 ||
        block[2] > 64)
        return INVALID_VALUE;
    if (f->entry->static_shared_bytes > STATIC_SHARED)
        return INVALID_VALUE;
    size_t most = f->dynamic_shared > STATIC_SHARED ? (size_t)f->dynamic_shared : STATIC_SHARED;
    return shared + (size_t)f->entry->static_shared_bytes > most ? INVALID_VALUE : SUCCESS;
}

static void execute(const function *f, ptxvm_launch_options *o, sim_object *stream) {
    ptxvm_stats stats = {0};
    ptxvm_error error;
    ptxvm_range ranges[64];
    o->ranges = ranges;
    for (const sim_object *m = driver.objects; m && o->range_count < 64; m = m->next)
        if (m->kind == SIM_MEMORY)
            ranges[o->range_count++] =
                (ptxvm_range){.address = m->address, .host = m->bytes, .size = m->size};
    ptxvm_status status = ptxvm_launch(f->module, o, &stats, &error);
    o->ranges = NULL;
    stream->clock += 1e-9 * (double)(stats.instructions + 1);
    if (status != PTXVM_OK)
        sim_kernel_failed(status == PTXVM_OUT_OF_BOUNDS ? ILLEGAL_ADDRESS : LAUNCH_FAILED,
                          error.message);
}

SIM_API int cuLaunchKernel(void *handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                           unsigned by, unsigned bz, unsigned shared, void *stream, void **values,
                           void **extra);
int cuLaunchKernel(void *handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **values, void **extra) {
    const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
    uint8_t parameters[4096];
    SIM_BEGIN("cuLaunchKernel")
    SIM_READY
    function *f = find_function(handle);
    sim_object *s = sim_find(stream, SIM_STREAM);
    if (!f || !s || extra || f->entry->param_bytes > sizeof parameters)
        SIM_END(INVALID_HANDLE);
    result = check_launch(f, grid, block, shared);
    if (result != SUCCESS)
        SIM_END(result);
    for (size_t k = 0; k < f->entry->param_count; k++)
        memcpy(parameters + f->entry->params[k].offset, values[k], f->entry->params[k].size);
    ptxvm_launch_options o = ptxvm_default_options(f->entry->name);
    memcpy(o.grid, grid, sizeof o.grid);
    memcpy(o.block, block, sizeof o.block);
    o.params = parameters;
    o.param_bytes = f->entry->param_bytes;
    o.dynamic_shared_bytes = shared;
    o.seed = sim_calls();
    o.checks = (uint32_t)PTXVM_ALL_CHECKS & ~(uint32_t)PTXVM_CHECK_MASK_LANES;
    s->hanging = sim_hangs(f->entry->name);
    if (!s->hanging)
        execute(f, &o, s);
    SIM_END(SUCCESS);
}
