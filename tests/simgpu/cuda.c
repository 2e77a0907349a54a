/* A simulated libcuda.so: the calls runtime/cuda.c makes, on host memory, with kernels executed by
 * the PTX interpreter of tests/ptxvm. Handles, contexts and their stack are checked as a driver
 * checks them. Numbers from the environment: WAVE_SIM_CAPABILITY (75), WAVE_SIM_DEVICES (1),
 * WAVE_SIM_REGISTERS (32 a thread), WAVE_SIM_MEMORY (MiB, 256), WAVE_SIM_SPOIL (1: PTX arrives with
 * an instruction that nobody knows), WAVE_SIM_VERBOSE (1: say what a kernel did wrong). */
#include "ptxvm/ptxvm.h"
#include "simgpu/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILED = 719
};
enum { STATIC_SHARED = 48 * 1024, MOST_SHARED = 64 * 1024, MOST_THREADS = 1024, STACK = 16 };

typedef unsigned long long device_pointer;

/* Every object of a context is in its list. */
typedef struct object {
    struct object *next;
    sim_kind kind;
    device_pointer address; /* memory */
    size_t size;
    uint8_t *bytes;
    ptxvm_module *module;
    struct function *functions;
    double clock; /* stream: seconds of kernels; event: when it was recorded */
    bool recorded;
    bool hanging; /* stream */
} object;

typedef struct function {
    struct function *next;
    object *module;
    const ptxvm_entry *entry;
    int dynamic_shared; /* allowed */
} function;

static struct {
    bool initialised;
    unsigned users; /* of the primary context */
    int sticky;     /* the error a kernel left */
    object *objects;
    device_pointer next_address;
    size_t allocated;
} context;

/* The context is the only one, so its stack is a depth. */
static _Thread_local int stack_depth;

/* ---- Objects ---- */

static object *make(sim_kind kind) {
    object *o = calloc(1, sizeof *o);
    if (!o)
        abort();
    o->kind = kind;
    o->next = context.objects;
    context.objects = o;
    sim_born(kind);
    return o;
}

static object *find(const void *handle, sim_kind kind) {
    for (object *o = context.objects; o; o = o->next)
        if (o == handle && o->kind == kind)
            return o;
    return NULL;
}

static void forget(object *o) {
    for (object **at = &context.objects; *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
    context.allocated -= o->size;
    for (function *f = o->functions; f;) {
        function *next = f->next;
        free(f);
        f = next;
    }
    ptxvm_free(o->module);
    free(o->bytes);
    free(o);
}

static int destroy(const void *handle, sim_kind kind) {
    object *o = find(handle, kind);
    if (!o)
        return INVALID_HANDLE;
    sim_died(kind);
    forget(o);
    return SUCCESS;
}

static object *memory_at(device_pointer address, size_t size) {
    for (object *o = context.objects; o; o = o->next)
        if (o->kind == SIM_MEMORY && address >= o->address && address - o->address <= o->size &&
            size <= o->size - (address - o->address))
            return o;
    return NULL;
}

/* What most calls need: the driver started, a current context, no kernel that broke it. */
static int ready(void) {
    if (!context.initialised)
        return NOT_INITIALIZED;
    if (stack_depth == 0 || context.users == 0)
        return INVALID_CONTEXT;
    return context.sticky;
}

/* A call's frame: BEGIN notes it and honours a fault, END gives the result back. */
#define BEGIN(call)                                                                                \
    int result = sim_enter(call);                                                                  \
    if (result)                                                                                    \
        return sim_leave(result);
#define NEED_CONTEXT                                                                               \
    if ((result = ready()) != 0)                                                                   \
        return sim_leave(result);
#define END(value) return sim_leave(value)

/* ---- Driver and devices ---- */

SIM_API int cuInit(unsigned flags);
int cuInit(unsigned flags) {
    BEGIN("cuInit")
    context.initialised = true;
    END(flags == 0 ? SUCCESS : INVALID_VALUE);
}

SIM_API int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version) {
    BEGIN("cuDriverGetVersion")
    *version = 12040;
    END(SUCCESS);
}

SIM_API int cuGetErrorString(int code, const char **words);
int cuGetErrorString(int code, const char **words) {
    static const struct {
        int code;
        const char *words;
    } list[] = {{1, "invalid argument"},
                {2, "out of memory"},
                {3, "initialization error"},
                {46, "CUDA-capable device(s) is/are busy or unavailable"},
                {100, "no CUDA-capable device is detected"},
                {101, "invalid device ordinal"},
                {201, "invalid device context"},
                {209, "no kernel image is available for execution on the device"},
                {218, "a PTX JIT compilation failed"},
                {400, "invalid resource handle"},
                {500, "named symbol not found"},
                {700, "an illegal memory access was encountered"},
                {719, "unspecified launch failure"},
                {999, "unknown error"}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (list[k].code == code) {
            *words = list[k].words;
            return SUCCESS;
        }
    return INVALID_VALUE;
}

SIM_API int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count) {
    BEGIN("cuDeviceGetCount")
    *count = (int)sim_number("WAVE_SIM_DEVICES", 1);
    END(context.initialised ? SUCCESS : NOT_INITIALIZED);
}

SIM_API int cuDeviceGet(int *device, int index);
int cuDeviceGet(int *device, int index) {
    BEGIN("cuDeviceGet")
    *device = index;
    END(index >= 0 && index < (int)sim_number("WAVE_SIM_DEVICES", 1) ? SUCCESS : INVALID_DEVICE);
}

SIM_API int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetName(char *name, int size, int device) {
    BEGIN("cuDeviceGetName")
    (void)snprintf(name, (size_t)size, "Simulated GPU %d", device);
    END(SUCCESS);
}

SIM_API int cuDeviceTotalMem_v2(size_t *size, int device);
int cuDeviceTotalMem_v2(size_t *size, int device) {
    BEGIN("cuDeviceTotalMem_v2")
    *size = (size_t)sim_number("WAVE_SIM_MEMORY", 256) << 20;
    END(device >= 0 ? SUCCESS : INVALID_DEVICE);
}

SIM_API int cuDeviceGetAttribute(int *value, int which, int device);
int cuDeviceGetAttribute(int *value, int which, int device) {
    unsigned capability = sim_number("WAVE_SIM_CAPABILITY", 75);
    const struct {
        int which, value;
    } list[] = {{1, MOST_THREADS}, {2, 1024},          {3, 1024},
                {4, 64},           {5, 2147483647},    {6, 65535},
                {7, 65535},        {8, STATIC_SHARED}, {10, PTXVM_WARP},
                {13, 1590000},     {16, 40},           {36, 5001000},
                {37, 256},         {39, 1024},         {75, (int)capability / 10},
                {82, 65536},       {97, MOST_SHARED},  {76, (int)capability % 10},
                {106, 16}};
    BEGIN("cuDeviceGetAttribute")
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (list[k].which == which) {
            *value = list[k].value;
            END(device >= 0 ? SUCCESS : INVALID_DEVICE);
        }
    END(INVALID_VALUE);
}

/* ---- The context ---- */

SIM_API int cuDevicePrimaryCtxRetain(void **handle, int device);
int cuDevicePrimaryCtxRetain(void **handle, int device) {
    BEGIN("cuDevicePrimaryCtxRetain")
    if (!context.initialised || device < 0)
        END(NOT_INITIALIZED);
    if (context.users++ == 0)
        sim_born(SIM_CONTEXT);
    *handle = &context;
    END(SUCCESS);
}

SIM_API int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device) {
    int result = sim_enter("cuDevicePrimaryCtxRelease_v2");
    if (context.users == 0 || device < 0)
        END(INVALID_CONTEXT);
    if (--context.users == 0) {
        while (context.objects) {
            sim_left_behind(context.objects->kind);
            forget(context.objects);
        }
        context.sticky = 0;
        sim_died(SIM_CONTEXT);
    }
    END(result);
}

SIM_API int cuCtxPushCurrent_v2(void *handle);
int cuCtxPushCurrent_v2(void *handle) {
    BEGIN("cuCtxPushCurrent_v2")
    if (handle != &context || context.users == 0 || stack_depth == STACK)
        END(INVALID_CONTEXT);
    stack_depth++;
    END(SUCCESS);
}

SIM_API int cuCtxPopCurrent_v2(void **handle);
int cuCtxPopCurrent_v2(void **handle) {
    int result = sim_enter("cuCtxPopCurrent_v2");
    if (stack_depth == 0)
        END(INVALID_CONTEXT);
    stack_depth--;
    *handle = &context;
    END(result);
}

/* ---- Memory ---- */

SIM_API int cuMemAlloc_v2(device_pointer *address, size_t size);
int cuMemAlloc_v2(device_pointer *address, size_t size) {
    BEGIN("cuMemAlloc_v2")
    NEED_CONTEXT
    size_t most = (size_t)sim_number("WAVE_SIM_MEMORY", 256) << 20;
    if (size == 0)
        END(INVALID_VALUE);
    uint8_t *bytes = size <= most - context.allocated ? malloc(size) : NULL;
    if (!bytes)
        END(OUT_OF_MEMORY);
    memset(bytes, 0xA5, size); /* fresh memory holds anything */
    object *o = make(SIM_MEMORY);
    if (context.next_address == 0)
        context.next_address = 0x200000000;
    o->address = context.next_address;
    o->size = size;
    o->bytes = bytes;
    context.allocated += size;
    context.next_address += (size + 0x1fffff) & ~(size_t)0xfffff; /* with a gap */
    *address = o->address;
    END(SUCCESS);
}

SIM_API int cuMemFree_v2(device_pointer address);
int cuMemFree_v2(device_pointer address) {
    int result = sim_enter("cuMemFree_v2");
    object *o = memory_at(address, 0);
    if (stack_depth == 0)
        END(INVALID_CONTEXT);
    if (!o || o->address != address)
        END(INVALID_VALUE);
    (void)destroy(o, SIM_MEMORY);
    END(result ? result : context.sticky);
}

static int copy(device_pointer address, const void *stream, size_t size, uint8_t **at) {
    object *o = memory_at(address, size);
    if (!find(stream, SIM_STREAM))
        return INVALID_HANDLE;
    if (!o)
        return INVALID_VALUE;
    *at = o->bytes + (address - o->address);
    return SUCCESS;
}

SIM_API int cuMemcpyHtoDAsync_v2(device_pointer to, const void *from, size_t size, void *stream);
int cuMemcpyHtoDAsync_v2(device_pointer to, const void *from, size_t size, void *stream) {
    uint8_t *at;
    BEGIN("cuMemcpyHtoDAsync_v2")
    NEED_CONTEXT
    result = copy(to, stream, size, &at);
    if (result == SUCCESS)
        memcpy(at, from, size);
    END(result);
}

SIM_API int cuMemcpyDtoHAsync_v2(void *to, device_pointer from, size_t size, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, device_pointer from, size_t size, void *stream) {
    uint8_t *at;
    BEGIN("cuMemcpyDtoHAsync_v2")
    NEED_CONTEXT
    result = copy(from, stream, size, &at);
    if (result == SUCCESS)
        memcpy(to, at, size);
    END(result);
}

SIM_API int cuMemsetD8Async(device_pointer to, unsigned char byte, size_t size, void *stream);
int cuMemsetD8Async(device_pointer to, unsigned char byte, size_t size, void *stream) {
    uint8_t *at;
    BEGIN("cuMemsetD8Async")
    NEED_CONTEXT
    result = copy(to, stream, size, &at);
    if (result == SUCCESS)
        memset(at, byte, size);
    END(result);
}

/* ---- Modules ---- */

/* The architecture the text is for; 0 when it does not say. */
static unsigned target_of(const char *text) {
    const char *target = strstr(text, ".target sm_");
    return target ? (unsigned)strtoul(target + 11, NULL, 10) : 0;
}

static void write_log(unsigned count, const int *options, void **values, const char *text) {
    char *log = NULL;
    size_t size = 0;
    for (unsigned k = 0; k < count; k++) {
        if (options[k] == 5)
            log = values[k];
        if (options[k] == 6)
            size = (size_t)(uintptr_t)values[k];
    }
    if (log && size)
        (void)snprintf(log, size, "ptxas error   : %s\n", text);
}

SIM_API int cuModuleLoadDataEx(void **module, const void *text, unsigned count, int *options,
                               void **values);
int cuModuleLoadDataEx(void **module, const void *text, unsigned count, int *options,
                       void **values) {
    BEGIN("cuModuleLoadDataEx")
    NEED_CONTEXT
    static const char spoiled[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                                  ".visible .entry k() { frobnicate; }\n";
    ptxvm_error error;
    ptxvm_module *parsed;
    if (sim_number("WAVE_SIM_SPOIL", 0))
        text = spoiled;
    if (target_of(text) > sim_number("WAVE_SIM_CAPABILITY", 75))
        END(NO_BINARY_FOR_GPU);
    if (ptxvm_parse(text, strlen(text), &parsed, &error) != PTXVM_OK) {
        write_log(count, options, values, error.message);
        END(INVALID_PTX);
    }
    object *o = make(SIM_MODULE);
    o->module = parsed;
    *module = o;
    END(SUCCESS);
}

SIM_API int cuModuleUnload(void *module);
int cuModuleUnload(void *module) {
    int result = sim_enter("cuModuleUnload");
    if (stack_depth == 0)
        END(INVALID_CONTEXT);
    int done = destroy(module, SIM_MODULE);
    END(result ? result : done);
}

SIM_API int cuModuleGetFunction(void **handle, void *module, const char *name);
int cuModuleGetFunction(void **handle, void *module, const char *name) {
    BEGIN("cuModuleGetFunction")
    NEED_CONTEXT
    object *o = find(module, SIM_MODULE);
    const ptxvm_entry *entry = o ? ptxvm_find_entry(o->module, name) : NULL;
    if (!o || !entry)
        END(o ? NOT_FOUND : INVALID_HANDLE);
    function *f = calloc(1, sizeof *f);
    if (!f)
        END(OUT_OF_MEMORY);
    *f = (function){.next = o->functions, .module = o, .entry = entry};
    o->functions = f;
    *handle = f;
    END(SUCCESS);
}

static function *find_function(const void *handle) {
    for (object *o = context.objects; o; o = o->next)
        for (function *f = o->functions; f; f = f->next)
            if (f == handle)
                return f;
    return NULL;
}

static unsigned most_threads(void) {
    unsigned registers = sim_number("WAVE_SIM_REGISTERS", 32);
    unsigned threads = 65536 / registers / PTXVM_WARP * PTXVM_WARP;
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

SIM_API int cuFuncGetAttribute(int *value, int which, void *handle);
int cuFuncGetAttribute(int *value, int which, void *handle) {
    BEGIN("cuFuncGetAttribute")
    NEED_CONTEXT
    if (!find_function(handle))
        END(INVALID_HANDLE);
    *value = (int)(which == 0 ? most_threads() : sim_number("WAVE_SIM_REGISTERS", 32));
    END(which == 0 || which == 4 ? SUCCESS : INVALID_VALUE);
}

SIM_API int cuFuncSetAttribute(void *handle, int which, int value);
int cuFuncSetAttribute(void *handle, int which, int value) {
    BEGIN("cuFuncSetAttribute")
    NEED_CONTEXT
    function *f = find_function(handle);
    if (!f || which != 8 || value < 0 || value > MOST_SHARED)
        END(f ? INVALID_VALUE : INVALID_HANDLE);
    f->dynamic_shared = value;
    END(SUCCESS);
}

/* ---- Streams and events ---- */

SIM_API int cuStreamCreate(void **stream, unsigned flags);
int cuStreamCreate(void **stream, unsigned flags) {
    BEGIN("cuStreamCreate")
    NEED_CONTEXT
    if (flags > 1)
        END(INVALID_VALUE);
    *stream = make(SIM_STREAM);
    END(SUCCESS);
}

SIM_API int cuStreamDestroy_v2(void *stream);
int cuStreamDestroy_v2(void *stream) {
    int result = sim_enter("cuStreamDestroy_v2");
    int done = stack_depth ? destroy(stream, SIM_STREAM) : INVALID_CONTEXT;
    END(result ? result : done);
}

SIM_API int cuStreamSynchronize(void *stream);
int cuStreamSynchronize(void *stream) {
    BEGIN("cuStreamSynchronize")
    NEED_CONTEXT
    object *o = find(stream, SIM_STREAM);
    while (o && o->hanging)
        (void)pause();
    END(o ? SUCCESS : INVALID_HANDLE);
}

SIM_API int cuEventCreate(void **event, unsigned flags);
int cuEventCreate(void **event, unsigned flags) {
    BEGIN("cuEventCreate")
    NEED_CONTEXT
    if (flags > 7)
        END(INVALID_VALUE);
    *event = make(SIM_EVENT);
    END(SUCCESS);
}

SIM_API int cuEventDestroy_v2(void *event);
int cuEventDestroy_v2(void *event) {
    int result = sim_enter("cuEventDestroy_v2");
    int done = stack_depth ? destroy(event, SIM_EVENT) : INVALID_CONTEXT;
    END(result ? result : done);
}

SIM_API int cuEventRecord(void *event, void *stream);
int cuEventRecord(void *event, void *stream) {
    BEGIN("cuEventRecord")
    NEED_CONTEXT
    object *e = find(event, SIM_EVENT), *s = find(stream, SIM_STREAM);
    if (!e || !s)
        END(INVALID_HANDLE);
    e->clock = s->clock;
    e->recorded = true;
    END(SUCCESS);
}

SIM_API int cuEventElapsedTime(float *milliseconds, void *start, void *stop);
int cuEventElapsedTime(float *milliseconds, void *start, void *stop) {
    BEGIN("cuEventElapsedTime")
    NEED_CONTEXT
    object *a = find(start, SIM_EVENT), *b = find(stop, SIM_EVENT);
    if (!a || !b || !a->recorded || !b->recorded)
        END(INVALID_HANDLE);
    *milliseconds = (float)((b->clock - a->clock) * 1e3);
    END(SUCCESS);
}

/* ---- Launching ---- */

static int check_launch(const function *f, const unsigned grid[3], const unsigned block[3],
                        unsigned shared) {
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    bool zero = false;
    for (int k = 0; k < 3; k++)
        zero |= grid[k] == 0 || block[k] == 0;
    if (zero || threads > most_threads() || grid[1] > 65535 || grid[2] > 65535 || block[2] > 64)
        return INVALID_VALUE;
    if (f->entry->static_shared_bytes > STATIC_SHARED)
        return INVALID_VALUE;
    return shared > STATIC_SHARED && (int)shared > f->dynamic_shared ? INVALID_VALUE : SUCCESS;
}

/* What a kernel does wrong shows later, and stays. */
static void execute(const function *f, ptxvm_launch_options *o, object *stream) {
    ptxvm_stats stats = {0};
    ptxvm_error error;
    ptxvm_range ranges[64];
    o->ranges = ranges;
    for (object *m = context.objects; m && o->range_count < 64; m = m->next)
        if (m->kind == SIM_MEMORY)
            ranges[o->range_count++] =
                (ptxvm_range){.address = m->address, .host = m->bytes, .size = m->size};
    ptxvm_status status = ptxvm_launch(f->module->module, o, &stats, &error);
    stream->clock += 1e-9 * (double)(stats.instructions + 1);
    if (status != PTXVM_OK && sim_number("WAVE_SIM_VERBOSE", 0))
        fprintf(stderr, "simulated GPU: %s\n", error.message);
    if (status != PTXVM_OK)
        context.sticky = status == PTXVM_OUT_OF_BOUNDS ? ILLEGAL_ADDRESS : LAUNCH_FAILED;
}

SIM_API int cuLaunchKernel(void *handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                           unsigned by, unsigned bz, unsigned shared, void *stream, void **values,
                           void **extra);
int cuLaunchKernel(void *handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **values, void **extra) {
    const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
    uint8_t parameters[4096];
    BEGIN("cuLaunchKernel")
    NEED_CONTEXT
    function *f = find_function(handle);
    object *s = find(stream, SIM_STREAM);
    if (!f || !s || extra || f->entry->param_bytes > sizeof parameters)
        END(INVALID_HANDLE);
    result = check_launch(f, grid, block, shared);
    if (result != SUCCESS)
        END(result);
    for (size_t k = 0; k < f->entry->param_count; k++)
        memcpy(parameters + f->entry->params[k].offset, values[k], f->entry->params[k].size);
    ptxvm_launch_options o = ptxvm_default_options(f->entry->name);
    memcpy(o.grid, grid, sizeof o.grid);
    memcpy(o.block, block, sizeof o.block);
    o.params = parameters;
    o.param_bytes = f->entry->param_bytes;
    o.dynamic_shared_bytes = shared;
    o.seed = sim_calls();
    o.shared_fill = 0;
    o.checks = (uint32_t)PTXVM_ALL_CHECKS & ~(uint32_t)PTXVM_CHECK_MASK_LANES;
    s->hanging = sim_hangs(f->entry->name);
    if (!s->hanging)
        execute(f, &o, s);
    END(SUCCESS);
}
