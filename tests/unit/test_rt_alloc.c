/* Every allocation of the runtime fails once, and then all from there on: the status for missing
 * memory or the result that was to come anyway, nothing lost, nothing left in the driver. The
 * linker sends our allocations through tests/harden/alloc_hook.c. */
#include "harden/alloc_hook.h"
#include "rt_helpers.h"

static rt_sim sim;
static wave_blob binary;

static void setup(void) {
    char path[4096];
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    setenv("WAVE_HIP_LIBRARY", "", 1);
    setenv("WAVE_RT_PLUGINS", "", 1);
    sim = rt_sim_open("libsimcuda.so");
    binary = rt_assemble(RT_MADD);
}

static void teardown(void) {
    wave_blob_free(&binary);
    dlclose(sim.library);
}

TestSuite(rt_alloc, .init = setup, .fini = teardown);

/* The list of devices, then a whole launch, without the cache. */
static wave_rt_status run(const char *device, rt_scene *s, wave_rt_error *error) {
    const uint64_t size = RT_COUNT * 4;
    wave_rt_module_options options;
    wave_rt_list list;
    wave_rt_status status = wave_rt_enumerate(&list, error);
    wave_rt_module_init(&options);
    options.cache = "";
    *s = (rt_scene){0};
    if (status == WAVE_RT_OK)
        wave_rt_list_free(&list);
    if (status != WAVE_RT_OK || (status = wave_rt_open(device, &s->device, error)) != WAVE_RT_OK ||
        (status = wave_rt_module_load(s->device, binary.data, binary.size, &options, &s->module,
                                      error)) != WAVE_RT_OK ||
        (status = wave_rt_arena_create(s->device, 4 * size, &s->arena, error)) != WAVE_RT_OK ||
        (status = wave_rt_arena_take(s->arena, size, &s->a, error)) != WAVE_RT_OK ||
        (status = wave_rt_arena_take(s->arena, size, &s->b, error)) != WAVE_RT_OK ||
        (status = wave_rt_arena_take(s->arena, size, &s->c, error)) != WAVE_RT_OK ||
        (status = wave_rt_queue_create(s->device, &s->queue, error)) != WAVE_RT_OK)
        return status;
    return rt_scene_launch(s, error);
}

static wave_rt_status run_armed(const char *device, unsigned long fail_at, bool ever_after,
                                rt_scene *s, wave_rt_error *error) {
    memset(error, 0, sizeof *error);
    alloc = (alloc_hook){.armed = true, .fail_at = fail_at, .ever_after = ever_after};
    wave_rt_status status = run(device, s, error);
    rt_scene_free(s);
    alloc.armed = false;
    return status;
}

static void fail_each(const char *device, unsigned long least) {
    rt_scene s;
    wave_rt_error error;
#ifdef __APPLE__
    cr_skip_test("the linker cannot send allocations another way");
#endif
    cr_assert_eq(run_armed(device, 0, false, &s, &error), WAVE_RT_OK, "%s", error.message);
    unsigned long count = alloc.calls;
    cr_assert_gt(count, least);
    cr_assert_eq(alloc.live, 0);
    for (unsigned long k = 1; k <= count; k++)
        for (int after = 0; after < 2; after++) {
            wave_rt_status status = run_armed(device, k, after != 0, &s, &error);
            bool no_memory = status == WAVE_RT_NO_MEMORY || status == WAVE_RT_DEVICE_MEMORY;
            cr_assert(no_memory || (status == WAVE_RT_OK && !after), "allocation %lu: %d %s", k,
                      (int)status, error.message);
            cr_assert_eq(alloc.live, 0, "allocation %lu: %ld blocks are lost", k, alloc.live);
            cr_assert_eq(sim.live(), 0, "allocation %lu: %u objects are left", k, sim.live());
            if (status == WAVE_RT_OK)
                rt_expect_sums(&s);
        }
}

Test(rt_alloc, emulator) {
    fail_each("emu", 20);
}

Test(rt_alloc, cuda) {
    fail_each("cuda:0", 50);
}
