/* For the tests of the runtime: kernels, a device with everything that a launch needs, and the
 * simulated drivers, which are next to the test program. */
#ifndef TESTS_UNIT_RT_HELPERS_H
#define TESTS_UNIT_RT_HELPERS_H

#include "support/missing.h"
#include "wave_rt.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* c[i] = a[i] + b[i] * s for 64 elements of a workgroup */
#define RT_MADD                                                                                    \
    ".kernel madd\n.registers 12\n.workgroup_size 64, 1, 1\n"                                      \
    " mov_sr r4, sr_workgroup_id_x\n mov_sr r5, sr_workgroup_size_x\n mov_sr r6, "                 \
    "sr_thread_id_x\n imad r7, r4, r5, r6\n mov_imm r8, 2\n shl r7, r7, r8\n"                      \
    " iadd r0, r0, r7\n iadd r1, r1, r7\n iadd r2, r2, r7\n device_load_u32 r9, r0\n"              \
    " device_load_u32 r10, r1\n imad r9, r10, r3, r9\n device_store_u32 r2, r9\n halt\n.end\n"

/* Stores r0 at the address r1; the launch determines the workgroup size. */
#define RT_STORE ".kernel store\n.registers 4\n device_store_u32 r1, r0\n halt\n.end\n"

/* Checks that no memory has leaked, in builds with ASan only. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RT_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define RT_ASAN
#endif
#if defined(RT_ASAN) || defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define RT_EXPECT_NO_LEAK() cr_assert_eq(__lsan_do_recoverable_leak_check(), 0, "memory leaks")
#else
#define RT_EXPECT_NO_LEAK() ((void)0)
#endif

enum { RT_COUNT = 256 };

static inline wave_blob rt_assemble(const char *source) {
    wave_blob binary;
    cr_assert_eq(wave_assemble(source, strlen(source), NULL, &binary, NULL), WAVE_OK);
    return binary;
}

static inline wave_rt_device *rt_open(const char *name) {
    wave_rt_device *device = NULL;
    wave_rt_error error = {0};
    cr_assert_eq(wave_rt_open(name, &device, &error), WAVE_RT_OK, "%s", error.message);
    return device;
}

/* Leaves the emulator as the only device. */
static inline void rt_turn_off_vendors(void) {
    setenv("WAVE_CUDA_LIBRARY", "", 1);
    setenv("WAVE_HIP_LIBRARY", "", 1);
    setenv("WAVE_RT_PLUGINS", "", 1);
}

/* Without the cache. */
static inline wave_rt_status rt_load(wave_rt_device *device, const char *source,
                                     wave_rt_module **module, wave_rt_error *error) {
    wave_rt_module_options options;
    wave_blob binary = rt_assemble(source);
    wave_rt_module_init(&options);
    options.cache = "";
    wave_rt_status status =
        wave_rt_module_load(device, binary.data, binary.size, &options, module, error);
    wave_blob_free(&binary);
    return status;
}

/* The objects for one launch of RT_MADD; those that were not created are null. */
typedef struct rt_scene {
    wave_rt_device *device;
    wave_rt_module *module;
    wave_rt_arena *arena;
    wave_rt_queue *queue;
    wave_rt_buffer a, b, c;
    uint32_t out[RT_COUNT];
    double seconds;
    unsigned main_calls; /* of the simulated driver, without the cleanup */
} rt_scene;

static inline wave_rt_status rt_scene_launch(rt_scene *s, wave_rt_error *error) {
    uint32_t data[RT_COUNT], words[4] = {0, 0, 0, 3};
    wave_rt_launch launch;
    wave_rt_status status;
    for (uint32_t k = 0; k < RT_COUNT; k++)
        data[k] = 1000 + k;
    words[0] = (uint32_t)s->a.offset;
    words[1] = (uint32_t)s->b.offset;
    words[2] = (uint32_t)s->c.offset;
    wave_rt_launch_init(&launch);
    launch.module = s->module;
    launch.arena = s->arena;
    launch.grid[0] = RT_COUNT / 64;
    launch.words = words;
    launch.word_count = 4;
    launch.timed = true;
    if ((status = wave_rt_upload(s->queue, &s->a, 0, data, sizeof data, error)) != WAVE_RT_OK ||
        (status = wave_rt_fill(s->queue, &s->b, 1, error)) != WAVE_RT_OK ||
        (status = wave_rt_dispatch(s->queue, &launch, error)) != WAVE_RT_OK ||
        (status = wave_rt_wait(s->queue, error)) != WAVE_RT_OK ||
        (status = wave_rt_elapsed(s->queue, &s->seconds, error)) != WAVE_RT_OK)
        return status;
    return wave_rt_download(s->queue, &s->c, 0, s->out, sizeof s->out, error);
}

static inline wave_rt_status rt_scene_make(rt_scene *s, const char *device, wave_rt_error *error) {
    const uint64_t size = RT_COUNT * 4;
    wave_rt_buffer unused; /* so that no other buffer begins at the start of the arena */
    wave_rt_status status;
    *s = (rt_scene){0};
    if ((status = wave_rt_open(device, &s->device, error)) != WAVE_RT_OK ||
        (status = rt_load(s->device, RT_MADD, &s->module, error)) != WAVE_RT_OK ||
        (status = wave_rt_arena_create(s->device, 4 * size, &s->arena, error)) != WAVE_RT_OK ||
        (status = wave_rt_arena_take(s->arena, size, &unused, error)) != WAVE_RT_OK ||
        (status = wave_rt_arena_take(s->arena, size, &s->a, error)) != WAVE_RT_OK ||
        (status = wave_rt_arena_take(s->arena, size, &s->b, error)) != WAVE_RT_OK ||
        (status = wave_rt_arena_take(s->arena, size, &s->c, error)) != WAVE_RT_OK)
        return status;
    return wave_rt_queue_create(s->device, &s->queue, error);
}

static inline void rt_scene_free(rt_scene *s) {
    wave_rt_queue_destroy(s->queue);
    wave_rt_arena_destroy(s->arena);
    wave_rt_module_destroy(s->module);
    wave_rt_close(s->device);
}

/* The facts about the scene's kernel. */
static inline wave_rt_facts rt_facts_of(const rt_scene *s) {
    wave_rt_facts facts = {.size = sizeof facts};
    wave_rt_error error = {0};
    cr_assert_eq(wave_rt_kernel_facts(s->module, 0, &facts, &error), WAVE_RT_OK, "%s",
                 error.message);
    return facts;
}

static inline void rt_expect_sums(const rt_scene *s) {
    for (uint32_t k = 0; k < RT_COUNT; k++)
        cr_assert_eq(s->out[k], 1000 + k + 3 * 0x01010101u, "element %u is %u", k, s->out[k]);
}

/* A failing assert fails the wait, which reports its number and its text if it has one (NULL:
 * none), and no later wait. The module may be destroyed by then. */
static inline void rt_expect_assert(const char *name, uint32_t number, const char *text) {
    char source[300], expected[200];
    rt_scene s;
    wave_rt_module *module;
    wave_rt_launch launch;
    wave_rt_error error = {0};
    (void)snprintf(
        source, sizeof source,
        ".kernel sure\n.registers 4\n icmp_eq p1, r0, r1\n %s p1, %u%s%s%s\n halt\n.end\n",
        text ? ".assert" : "assert", number, text ? ", \"" : "", text ? text : "",
        text ? "\"" : "");
    (void)snprintf(expected, sizeof expected, "assert number %u of the kernel failed%s%s", number,
                   text ? ": " : "", text ? text : "");
    cr_assert_eq(rt_scene_make(&s, name, &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(rt_load(s.device, source, &module, &error), WAVE_RT_OK, "%s", error.message);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.workgroup[0] = 8;
    for (uint32_t round = 0; round < 4; round++) {
        const uint32_t words[2] = {5, round & 1 ? 6 : 5};
        launch.words = words;
        launch.word_count = 2;
        cr_assert_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_OK, "%s", error.message);
        if (round == 3)
            wave_rt_module_destroy(module);
        wave_rt_status status = wave_rt_wait(s.queue, &error);
        cr_expect_eq(status, round & 1 ? WAVE_RT_LAUNCH : WAVE_RT_OK, "round %u", round);
        cr_expect(!(round & 1) || strcmp(error.message, expected) == 0, "%s", error.message);
    }
    rt_scene_free(&s);
}

/* Threads per workgroup and workgroups per grid, in x, y and z, and the capabilities of CUDA and
 * HIP. */
static inline void rt_expect_sizes(const wave_rt_device_info *info, const uint32_t sizes[7]) {
    cr_expect_eq(info->max_workgroup_size, sizes[0]);
    for (int k = 0; k < 3; k++) {
        cr_expect_eq(info->max_workgroup[k], sizes[1 + k]);
        cr_expect_eq(info->max_grid[k], sizes[4 + k]);
    }
    cr_expect_eq(info->capabilities, WAVE_RT_CAP_F64 | WAVE_RT_CAP_ATOMIC_64 |
                                         WAVE_RT_CAP_ATOMIC_F32 | WAVE_RT_CAP_MMA);
}

/* ---- Simulated drivers ---- */

typedef struct rt_sim {
    void *library;
    void (*reset)(void);
    void (*fail_at)(unsigned number, int code);
    void (*fail_call)(const char *call, int code);
    unsigned (*calls)(void);
    unsigned (*live)(void);
    unsigned (*left)(void);
    const char *(*trace)(void);
} rt_sim;

/* The folder of this program, or $WAVE_SIM_DIR. */
static inline const char *rt_sim_path(const char *name, char path[4096]) {
    char self[2048] = "";
    const char *folder = getenv("WAVE_SIM_DIR");
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    cr_assert(folder || length > 0, "set WAVE_SIM_DIR to the folder of the simulated drivers");
    (void)snprintf(path, 4096, "%s/%s", folder ? folder : dirname(self), name);
    return path;
}

static inline rt_sim rt_sim_open(const char *name) {
    char path[4096];
    rt_sim sim = {.library = dlopen(rt_sim_path(name, path), RTLD_NOW)};
    cr_assert_not_null(sim.library, "%s", dlerror());
    *(void **)&sim.reset = dlsym(sim.library, "sim_reset");
    *(void **)&sim.fail_at = dlsym(sim.library, "sim_fail_at");
    *(void **)&sim.fail_call = dlsym(sim.library, "sim_fail_call");
    *(void **)&sim.calls = dlsym(sim.library, "sim_calls");
    *(void **)&sim.live = dlsym(sim.library, "sim_live");
    *(void **)&sim.left = dlsym(sim.library, "sim_left");
    *(void **)&sim.trace = dlsym(sim.library, "sim_trace");
    sim.reset();
    return sim;
}

/* The simulated HIP device needs clang++ 19 or newer for kernels. */
static inline bool rt_has_clang(void) {
    return present_or_skip(system("sh scripts/find-clang.sh >/dev/null 2>&1") == 0,
                           "no clang++ of version 19 or newer");
}

static inline bool rt_sycl_is_here(void) {
    wave_rt_device *device = NULL;
    bool is = wave_rt_open("sycl:cpu", &device, NULL) == WAVE_RT_OK;
    wave_rt_close(device);
    return is;
}

/* Intel's CPU device is available where `make plugins` was able to build its plug-in; its tests are
 * skipped elsewhere. */
static inline bool rt_has_sycl(void) {
    bool is = rt_sycl_is_here();
    if (!is)
        cr_skip_test("no SYCL device here");
    return is;
}

/* The name of a call in the trace, counted from 1. */
static inline const char *rt_sim_call(const rt_sim *sim, unsigned number, char name[64]) {
    const char *at = sim->trace();
    for (; number > 1 && at; number--)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    (void)snprintf(name, 64, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
    return name;
}

/* Every call of the driver fails once, in turn: a clean error each time, nothing left behind.
 * Failures of the calls in `harmless` may go unnoticed, and those of the cleanup must. */
static inline void rt_sim_fail_in_turn(const rt_sim *sim, const char *device, int code,
                                       const char *const *harmless) {
    rt_scene s;
    wave_rt_error error;
    sim->reset();
    cr_assert_eq(rt_scene_make(&s, device, &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(rt_scene_launch(&s, &error), WAVE_RT_OK, "%s", error.message);
    unsigned main_calls = sim->calls();
    rt_scene_free(&s);
    unsigned all = sim->calls();
    cr_assert(sim->live() == 0 && sim->left() == 0);
    for (unsigned k = 1; k <= all; k++) {
        char name[64];
        sim->reset();
        sim->fail_at(k, code);
        memset(&error, 0, sizeof error);
        wave_rt_status status = rt_scene_make(&s, device, &error);
        if (status == WAVE_RT_OK)
            status = rt_scene_launch(&s, &error);
        rt_sim_call(sim, k, name);
        bool must_fail = k <= main_calls;
        for (size_t h = 0; harmless[h]; h++)
            must_fail &= strcmp(name, harmless[h]) != 0;
        rt_scene_free(&s);
        cr_assert_eq(sim->live(), 0, "call %u, %s: %u objects are left", k, name, sim->live());
        cr_assert(!must_fail || status != WAVE_RT_OK, "call %u, %s: not noticed", k, name);
        cr_assert(k <= main_calls || status == WAVE_RT_OK, "call %u, %s: %s", k, name,
                  error.message);
        if (status == WAVE_RT_OK)
            rt_expect_sums(&s);
        else
            cr_assert(error.status == status && error.vendor_code == code && *error.message,
                      "call %u, %s: %s", k, name, error.message);
    }
    sim->reset();
    RT_EXPECT_NO_LEAK();
}

#endif
