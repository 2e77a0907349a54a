/* Every allocation of the runtime fails once alone, and once together with all later ones. The
 * result is the out-of-memory status or the normal one, with no leaks and nothing left in the
 * driver. The linker routes our allocations through tests/harden/alloc_hook.c; a driver's own
 * allocations are not counted. A vendor's real library, loaded and closed for each list of devices,
 * may leak memory each time (AMD's libamdhip64 does: dlopen and dlclose alone show it to ASan), so
 * all but the simulated one are turned off here, and ASan's leak detection is a check too. */
#include "harden/alloc_hook.h"
#include "rt_helpers.h"

typedef enum caching { NO_CACHE, EMPTY_CACHE, FULL_CACHE } caching;

static rt_sim sim;
static wave_blob binary;
static char folder[] = "/tmp/wave-alloc-XXXXXX";

static void setup(void) {
    rt_turn_off_vendors();
    binary = rt_assemble(RT_MADD);
    cr_assert_not_null(mkdtemp(folder));
}

static void teardown(void) {
    char command[100];
    wave_blob_free(&binary);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    cr_expect_eq(system(command), 0);
    if (sim.library)
        dlclose(sim.library);
}

TestSuite(rt_alloc, .init = setup, .fini = teardown);

/* The list of devices, then a complete launch. */
static wave_rt_status run(const char *device, const char *cache, rt_scene *s,
                          wave_rt_error *error) {
    const uint64_t size = RT_COUNT * 4;
    wave_rt_module_options options;
    wave_rt_list list;
    wave_rt_status status = wave_rt_enumerate(&list, error);
    wave_rt_module_init(&options);
    options.cache = cache;
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

static wave_rt_status run_armed(const char *device, caching how, unsigned long fail_at,
                                bool ever_after, rt_scene *s, wave_rt_error *error) {
    static unsigned count;
    char cache[100] = "";
    if (how != NO_CACHE) /* a folder that does not exist yet, or always the same */
        (void)snprintf(cache, sizeof cache, "%s/%u", folder, how == EMPTY_CACHE ? ++count : 0);
    memset(error, 0, sizeof *error);
    alloc = (alloc_hook){.armed = true, .fail_at = fail_at, .ever_after = ever_after};
    wave_rt_status status = run(device, cache, s, error);
    rt_scene_free(s);
    alloc.armed = false;
    return status;
}

/* First runs twice without a failure, which fills the cache. */
static void fail_each(const char *device, caching how, unsigned long least) {
    rt_scene s;
    wave_rt_error error;
#ifdef __APPLE__
    cr_skip_test("the linker cannot redirect allocations");
#endif
    for (int k = 0; k < 2; k++)
        cr_assert_eq(run_armed(device, how, 0, false, &s, &error), WAVE_RT_OK, "%s", error.message);
    unsigned long count = alloc.calls;
    cr_assert_gt(count, least);
    cr_assert_eq(alloc.live, 0);
    for (unsigned long k = 1; k <= count; k++)
        for (int after = 0; after < 2; after++) {
            wave_rt_status status = run_armed(device, how, k, after != 0, &s, &error);
            bool no_memory = status == WAVE_RT_NO_MEMORY || status == WAVE_RT_DEVICE_MEMORY;
            cr_assert(no_memory || (status == WAVE_RT_OK && !after), "allocation %lu: %d %s", k,
                      (int)status, error.message);
            cr_assert_eq(alloc.live, 0, "allocation %lu: %ld blocks are lost", k, alloc.live);
            if (sim.live)
                cr_assert_eq(sim.live(), 0, "allocation %lu: %u objects are left", k, sim.live());
            if (status == WAVE_RT_OK)
                rt_expect_sums(&s);
        }
    RT_EXPECT_NO_LEAK();
}

/* Its kernels are not compiled, so there is nothing to cache. */
Test(rt_alloc, the_emulator_survives_every_failing_allocation) {
    fail_each("emu", NO_CACHE, 20);
}

static void use_sim(const char *variable, const char *name) {
    char path[4096];
    setenv(variable, rt_sim_path(name, path), 1);
    if (!sim.library)
        sim = rt_sim_open(name);
}

Test(rt_alloc, cuda_survives_every_failing_allocation) {
    use_sim("WAVE_CUDA_LIBRARY", "libsimcuda.so");
    fail_each("cuda:0", NO_CACHE, 50);
}

Test(rt_alloc, cuda_survives_failures_while_it_fills_the_cache) {
    use_sim("WAVE_CUDA_LIBRARY", "libsimcuda.so");
    fail_each("cuda:0", EMPTY_CACHE, 50);
}

Test(rt_alloc, cuda_survives_failures_while_it_reads_the_cache) {
    use_sim("WAVE_CUDA_LIBRARY", "libsimcuda.so");
    fail_each("cuda:0", FULL_CACHE, 20);
}

Test(rt_alloc, hip_survives_every_failing_allocation, .timeout = 300) {
    if (!rt_has_clang())
        return;
    use_sim("WAVE_HIP_LIBRARY", "libsimhip.so");
    use_sim("WAVE_HIPRTC_LIBRARY", "libsimhip.so");
    fail_each("hip:0", EMPTY_CACHE, 50);
}
