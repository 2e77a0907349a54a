/* A simulated libamdhip64.so and libhiprtc.so in one: the calls runtime/hip.c makes, on host
 * memory, with kernels compiled by clang++ and executed by the SIMT harness of tests/simt. A code
 * object is the text itself. Numbers from the environment: WAVE_SIM_DEVICES (1), WAVE_SIM_REGISTERS
 * (32 a thread), WAVE_SIM_MEMORY (MiB, 256); texts: WAVE_SIM_ARCH (gfx942:sramecc+:xnack-),
 * WAVE_SIM_ROOT (the folder with tests/simt; here). */
#define _GNU_SOURCE /* dladdr */
#include "simgpu/sim.h"
#include "simt/simt_run.h"

#include <dlfcn.h>
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
    NO_BINARY_FOR_GPU = 209,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILURE = 719
};
enum { RTC_INVALID_INPUT = 3, RTC_INVALID_PROGRAM = 4, RTC_COMPILATION = 6 };
enum { MOST_THREADS = 1024, MOST_LOCAL = 65536 };

/* What a code object begins with. */
static const char magic[] = "simulated code object for ";

typedef struct object {
    struct object *next;
    sim_kind kind;
    size_t size;
    uint8_t *bytes; /* memory; text of a module or program, terminated */
    char *log;
    char symbol[256];
    uint32_t words;
    double clock;
    bool recorded, hanging;
} object;

static struct {
    bool initialised;
    object *objects;
    size_t allocated;
    int sticky;
} driver;

static _Thread_local int current_device;

/* The kernels' objects look for the harness among global names, and this library is loaded as a
 * local one. */
__attribute__((constructor)) static void show_names(void) {
    Dl_info self;
    if (dladdr((const void *)magic, &self))
        (void)dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

/* ---- Objects ---- */

static object *make(sim_kind kind) {
    object *o = calloc(1, sizeof *o);
    if (!o)
        abort();
    o->kind = kind;
    o->next = driver.objects;
    driver.objects = o;
    sim_born(kind);
    return o;
}

static object *find(const void *handle, sim_kind kind) {
    for (object *o = driver.objects; o; o = o->next)
        if ((o == handle && kind != SIM_MEMORY && o->kind == kind) ||
            (kind == SIM_MEMORY && o->kind == kind && o->bytes == handle))
            return o;
    return NULL;
}

static int destroy(object *o) {
    if (!o)
        return INVALID_HANDLE;
    for (object **at = &driver.objects; *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
    if (o->kind == SIM_MEMORY)
        driver.allocated -= o->size;
    sim_died(o->kind);
    free(o->bytes);
    free(o->log);
    free(o);
    return SUCCESS;
}

static object *memory_at(const void *address, size_t size) {
    const uint8_t *at = address;
    for (object *o = driver.objects; o; o = o->next)
        if (o->kind == SIM_MEMORY && at >= o->bytes && (size_t)(at - o->bytes) <= o->size &&
            size <= o->size - (size_t)(at - o->bytes))
            return o;
    return NULL;
}

static int ready(void) {
    return driver.initialised ? driver.sticky : NOT_INITIALIZED;
}

#define BEGIN(call)                                                                                \
    int result = sim_enter(call);                                                                  \
    if (result)                                                                                    \
        return sim_leave(result);
#define NEED_DRIVER                                                                                \
    if ((result = ready()) != 0)                                                                   \
        return sim_leave(result);
#define END(value) return sim_leave(value)

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

static int devices(void) {
    return (int)sim_number("WAVE_SIM_DEVICES", 1);
}

SIM_API int hipInit(unsigned flags);
int hipInit(unsigned flags) {
    BEGIN("hipInit")
    driver.initialised = true;
    END(flags == 0 ? SUCCESS : INVALID_VALUE);
}

SIM_API int hipRuntimeGetVersion(int *version);
int hipRuntimeGetVersion(int *version) {
    BEGIN("hipRuntimeGetVersion")
    *version = 60342131;
    END(SUCCESS);
}

SIM_API const char *hipGetErrorString(int code);
const char *hipGetErrorString(int code) {
    switch (code) {
    case INVALID_VALUE: return "invalid argument";
    case OUT_OF_MEMORY: return "out of memory";
    case 100: return "no ROCm-capable device is detected";
    case NO_BINARY_FOR_GPU: return "no kernel image is available for execution on the device";
    case ILLEGAL_ADDRESS: return "an illegal memory access was encountered";
    case LAUNCH_FAILURE: return "unspecified launch failure";
    default: return "unknown error";
    }
}

SIM_API int hipGetDeviceCount(int *count);
int hipGetDeviceCount(int *count) {
    BEGIN("hipGetDeviceCount")
    *count = devices();
    END(driver.initialised ? SUCCESS : NOT_INITIALIZED);
}

SIM_API int hipGetDevice(int *device);
int hipGetDevice(int *device) {
    BEGIN("hipGetDevice")
    *device = current_device;
    END(SUCCESS);
}

SIM_API int hipSetDevice(int device);
int hipSetDevice(int device) {
    BEGIN("hipSetDevice")
    if (device < 0 || device >= devices())
        END(INVALID_DEVICE);
    current_device = device;
    END(SUCCESS);
}

SIM_API int hipDeviceGetName(char *name, int size, int device);
int hipDeviceGetName(char *name, int size, int device) {
    BEGIN("hipDeviceGetName")
    (void)snprintf(name, (size_t)size, "Simulated AMD GPU %d", device);
    END(SUCCESS);
}

SIM_API int hipDeviceTotalMem(size_t *size, int device);
int hipDeviceTotalMem(size_t *size, int device) {
    BEGIN("hipDeviceTotalMem")
    *size = (size_t)sim_number("WAVE_SIM_MEMORY", 256) << 20;
    END(device >= 0 ? SUCCESS : INVALID_DEVICE);
}

/* The name, and far behind it the architecture, as in both layouts of the structure. */
static int properties(const char *call, char *out, size_t at) {
    BEGIN(call)
    (void)snprintf(out, 256, "Simulated gfx GPU");
    (void)snprintf(out + at, 256, "%s", arch());
    END(SUCCESS);
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

SIM_API int hipDeviceGetAttribute(int *value, int which, int device);
int hipDeviceGetAttribute(int *value, int which, int device) {
    const struct {
        int which, value;
    } list[] = {
        {5, 2100000},       {25, 2},          {26, 1024},       {27, 1024},
        {28, 1024},         {29, 2147483647}, {30, 65536},      {31, 65536},
        {56, MOST_THREADS}, {57, 2048},       {59, 8192},       {60, 1300000},
        {63, 304},          {72, 131072},     {74, MOST_LOCAL}, {87, generation() == 9 ? 64 : 32}};
    BEGIN("hipDeviceGetAttribute")
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (list[k].which == which) {
            *value = list[k].value;
            END(device >= 0 ? SUCCESS : INVALID_DEVICE);
        }
    END(INVALID_VALUE);
}

/* ---- Memory ---- */

SIM_API int hipMalloc(void **address, size_t size);
int hipMalloc(void **address, size_t size) {
    BEGIN("hipMalloc")
    NEED_DRIVER
    size_t most = (size_t)sim_number("WAVE_SIM_MEMORY", 256) << 20;
    uint8_t *bytes = size && size <= most - driver.allocated ? malloc(size) : NULL;
    if (!bytes)
        END(size ? OUT_OF_MEMORY : INVALID_VALUE);
    memset(bytes, 0xA5, size); /* fresh memory holds anything */
    object *o = make(SIM_MEMORY);
    o->size = size;
    o->bytes = bytes;
    driver.allocated += size;
    *address = bytes;
    END(SUCCESS);
}

SIM_API int hipFree(void *address);
int hipFree(void *address) {
    int result = sim_enter("hipFree");
    int done = destroy(find(address, SIM_MEMORY));
    END(result ? result : done);
}

SIM_API int hipMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream);
int hipMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream) {
    BEGIN("hipMemcpyAsync")
    NEED_DRIVER
    if (!find(stream, SIM_STREAM))
        END(INVALID_HANDLE);
    if ((kind != 1 && kind != 2) || !memory_at(kind == 1 ? to : from, size))
        END(INVALID_VALUE);
    memcpy(to, from, size);
    END(SUCCESS);
}

SIM_API int hipMemsetAsync(void *to, int byte, size_t size, void *stream);
int hipMemsetAsync(void *to, int byte, size_t size, void *stream) {
    BEGIN("hipMemsetAsync")
    NEED_DRIVER
    if (!find(stream, SIM_STREAM) || !memory_at(to, size))
        END(INVALID_VALUE);
    memset(to, byte, size);
    END(SUCCESS);
}

/* ---- Compiling ---- */

SIM_API const char *hiprtcGetErrorString(int code);
const char *hiprtcGetErrorString(int code) {
    return code == RTC_COMPILATION       ? "HIPRTC_ERROR_COMPILATION"
           : code == 1                   ? "HIPRTC_ERROR_OUT_OF_MEMORY"
           : code == RTC_INVALID_PROGRAM ? "HIPRTC_ERROR_INVALID_PROGRAM"
                                         : "HIPRTC_ERROR";
}

/* Every header the text names must be one that came with it: hiprtc has no others. */
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
    BEGIN("hiprtcCreateProgram")
    if (!text || !name || !header_texts || !headers_known(text, headers, header_names))
        END(RTC_INVALID_INPUT);
    object *o = make(SIM_PROGRAM);
    o->size = strlen(text);
    o->bytes = (uint8_t *)strdup(text);
    *program = o;
    END(SUCCESS);
}

SIM_API int hiprtcDestroyProgram(void **program);
int hiprtcDestroyProgram(void **program) {
    int result = sim_enter("hiprtcDestroyProgram");
    int done = destroy(find(*program, SIM_PROGRAM)) ? RTC_INVALID_PROGRAM : SUCCESS;
    *program = NULL;
    END(result ? result : done);
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
    object *o = user;
    (void)program;
    (void)launch;
    if (outcome->error == SIMT_NO_COMPILE && !o->log)
        o->log = strdup(outcome->message);
}

static bool has_option(int count, const char *const *options, const char *start) {
    for (int k = 0; k < count; k++)
        if (strncmp(options[k], start, strlen(start)) == 0)
            return true;
    return false;
}

SIM_API int hiprtcCompileProgram(void *program, int count, const char *const *options);
int hiprtcCompileProgram(void *program, int count, const char *const *options) {
    char wanted[100];
    BEGIN("hiprtcCompileProgram")
    object *o = find(program, SIM_PROGRAM);
    (void)snprintf(wanted, sizeof wanted, "--offload-arch=%s", arch());
    if (!o || !has_option(count, options, wanted) ||
        !has_option(count, options, "-ffp-contract=off"))
        END(o ? RTC_INVALID_INPUT : RTC_INVALID_PROGRAM);
    simt_options harness_options = harness(keep_log, o);
    simt_program p = {.name = "kernel.hip",
                      .target = SIMT_HIP,
                      .width = generation() == 9 ? 64 : 32,
                      .gfx = generation(),
                      .text = (const char *)o->bytes};
    bool spoiled = sim_number("WAVE_SIM_SPOIL", 0) != 0;
    if (spoiled)
        p.text = "extern \"C\" __global__ void k(uint8_t *mem) { frobnicate; }\n";
    if (!simt_run(&harness_options, &p, 1) && !o->log)
        o->log = strdup("no compiler");
    END(o->log ? RTC_COMPILATION : SUCCESS);
}

SIM_API int hiprtcGetProgramLogSize(void *program, size_t *size);
int hiprtcGetProgramLogSize(void *program, size_t *size) {
    BEGIN("hiprtcGetProgramLogSize")
    object *o = find(program, SIM_PROGRAM);
    *size = o && o->log ? strlen(o->log) + 1 : 0;
    END(o ? SUCCESS : RTC_INVALID_PROGRAM);
}

SIM_API int hiprtcGetProgramLog(void *program, char *log);
int hiprtcGetProgramLog(void *program, char *log) {
    BEGIN("hiprtcGetProgramLog")
    object *o = find(program, SIM_PROGRAM);
    if (o && o->log)
        strcpy(log, o->log);
    END(o ? SUCCESS : RTC_INVALID_PROGRAM);
}

SIM_API int hiprtcGetCodeSize(void *program, size_t *size);
int hiprtcGetCodeSize(void *program, size_t *size) {
    BEGIN("hiprtcGetCodeSize")
    object *o = find(program, SIM_PROGRAM);
    *size = o ? sizeof magic + strlen(arch()) + o->size + 1 : 0;
    END(o ? SUCCESS : RTC_INVALID_PROGRAM);
}

SIM_API int hiprtcGetCode(void *program, char *code);
int hiprtcGetCode(void *program, char *code) {
    BEGIN("hiprtcGetCode")
    object *o = find(program, SIM_PROGRAM);
    if (o)
        (void)sprintf(code, "%s%s\n%s", magic, arch(), (const char *)o->bytes);
    END(o ? SUCCESS : RTC_INVALID_PROGRAM);
}

/* ---- Modules ---- */

SIM_API int hipModuleLoadData(void **module, const void *image);
int hipModuleLoadData(void **module, const void *image) {
    BEGIN("hipModuleLoadData")
    NEED_DRIVER
    const char *code = image;
    size_t start = sizeof magic - 1, length = strcspn(code, "\n");
    if (strncmp(code, magic, start) != 0 || length - start != strlen(arch()) ||
        memcmp(code + start, arch(), length - start) != 0)
        END(NO_BINARY_FOR_GPU);
    object *o = make(SIM_MODULE);
    o->bytes = (uint8_t *)strdup(code + length + 1);
    *module = o;
    END(SUCCESS);
}

SIM_API int hipModuleUnload(void *module);
int hipModuleUnload(void *module) {
    int result = sim_enter("hipModuleUnload");
    int done = destroy(find(module, SIM_MODULE));
    END(result ? result : done);
}

/* A function is its module: the harness takes texts of one kernel. */
SIM_API int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleGetFunction(void **function, void *module, const char *name) {
    char pattern[300];
    BEGIN("hipModuleGetFunction")
    NEED_DRIVER
    object *o = find(module, SIM_MODULE);
    (void)snprintf(pattern, sizeof pattern, "%s(uint8_t *", name);
    const char *text = o ? (const char *)o->bytes : "";
    const char *found = strstr(text, pattern);
    if (!found || found == text || (found[-1] != ' ' && found[-1] != '\n'))
        END(o ? NOT_FOUND : INVALID_HANDLE);
    const char *words = strstr(text, "_args {\n    uint32_t r[");
    o->words = words ? (uint32_t)strtoul(words + 23, NULL, 10) : 0;
    (void)snprintf(o->symbol, sizeof o->symbol, "%s", name);
    *function = o;
    END(SUCCESS);
}

static unsigned most_threads(void) {
    unsigned threads = 65536 / sim_number("WAVE_SIM_REGISTERS", 32) / 64 * 64;
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

SIM_API int hipFuncGetAttribute(int *value, int which, void *function);
int hipFuncGetAttribute(int *value, int which, void *function) {
    BEGIN("hipFuncGetAttribute")
    NEED_DRIVER
    if (!find(function, SIM_MODULE))
        END(INVALID_HANDLE);
    *value = which == 0   ? (int)most_threads()
             : which == 4 ? (int)sim_number("WAVE_SIM_REGISTERS", 32)
                          : 0;
    END(which == 0 || which == 1 || which == 4 ? SUCCESS : INVALID_VALUE);
}

/* ---- Streams and events ---- */

SIM_API int hipStreamCreateWithFlags(void **stream, unsigned flags);
int hipStreamCreateWithFlags(void **stream, unsigned flags) {
    BEGIN("hipStreamCreateWithFlags")
    NEED_DRIVER
    if (flags > 1)
        END(INVALID_VALUE);
    *stream = make(SIM_STREAM);
    END(SUCCESS);
}

SIM_API int hipStreamDestroy(void *stream);
int hipStreamDestroy(void *stream) {
    int result = sim_enter("hipStreamDestroy");
    int done = destroy(find(stream, SIM_STREAM));
    END(result ? result : done);
}

SIM_API int hipStreamSynchronize(void *stream);
int hipStreamSynchronize(void *stream) {
    BEGIN("hipStreamSynchronize")
    NEED_DRIVER
    object *o = find(stream, SIM_STREAM);
    while (o && o->hanging)
        (void)pause();
    END(o ? SUCCESS : INVALID_HANDLE);
}

SIM_API int hipEventCreate(void **event);
int hipEventCreate(void **event) {
    BEGIN("hipEventCreate")
    NEED_DRIVER
    *event = make(SIM_EVENT);
    END(SUCCESS);
}

SIM_API int hipEventDestroy(void *event);
int hipEventDestroy(void *event) {
    int result = sim_enter("hipEventDestroy");
    int done = destroy(find(event, SIM_EVENT));
    END(result ? result : done);
}

SIM_API int hipEventRecord(void *event, void *stream);
int hipEventRecord(void *event, void *stream) {
    BEGIN("hipEventRecord")
    NEED_DRIVER
    object *e = find(event, SIM_EVENT), *s = find(stream, SIM_STREAM);
    if (!e || !s)
        END(INVALID_HANDLE);
    e->clock = s->clock;
    e->recorded = true;
    END(SUCCESS);
}

SIM_API int hipEventElapsedTime(float *milliseconds, void *start, void *stop);
int hipEventElapsedTime(float *milliseconds, void *start, void *stop) {
    BEGIN("hipEventElapsedTime")
    NEED_DRIVER
    object *a = find(start, SIM_EVENT), *b = find(stop, SIM_EVENT);
    if (!a || !b || !a->recorded || !b->recorded)
        END(INVALID_HANDLE);
    *milliseconds = (float)((b->clock - a->clock) * 1e3);
    END(SUCCESS);
}

/* ---- Launching ---- */

static void take_result(void *user, const simt_program *program, size_t launch,
                        const simt_outcome *outcome) {
    uint8_t *memory = user;
    if (outcome->error == SIMT_OK) {
        if (memory)
            memcpy(memory, outcome->memory, program->launches[launch].memory_size);
        return;
    }
    if (sim_number("WAVE_SIM_VERBOSE", 0))
        fprintf(stderr, "simulated GPU: %s\n", outcome->message);
    driver.sticky = outcome->error == SIMT_OUT_OF_BOUNDS ? ILLEGAL_ADDRESS : LAUNCH_FAILURE;
}

SIM_API int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                                  unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                  void *stream, void **values, void **extra);
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream, void **values,
                          void **extra) {
    BEGIN("hipModuleLaunchKernel")
    NEED_DRIVER
    object *f = find(function, SIM_MODULE), *s = find(stream, SIM_STREAM);
    if (!f || !s || extra || shared)
        END(INVALID_HANDLE);
    if ((uint64_t)bx * by * bz > most_threads() || !bx || !by || !bz || !gx || !gy || !gz)
        END(INVALID_VALUE);
    object *memory = find(*(void **)values[0], SIM_MEMORY);
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
                      .width = generation() == 9 ? 64 : 32,
                      .gfx = generation(),
                      .text = (const char *)f->bytes,
                      .launches = &launch,
                      .launch_count = 1};
    s->hanging = sim_hangs(f->symbol);
    s->clock += 1e-6;
    simt_options options = harness(take_result, memory ? memory->bytes : NULL);
    if (!s->hanging && !simt_run(&options, &p, 1))
        END(LAUNCH_FAILURE);
    END(SUCCESS);
}
