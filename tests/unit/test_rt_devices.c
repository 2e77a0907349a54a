/* The simulated HIP driver and Intel's CPU device, like CUDA in test_rt_facts.c: choosing by
 * address, number and $WAVE_DEVICE, compiled facts, the vendor's own objects, unknown values. And
 * all devices in one process. */
#include "rt_helpers.h"

static void turn_off_vendors(void) {
    setenv("WAVE_CUDA_LIBRARY", "", 1);
    setenv("WAVE_HIP_LIBRARY", "", 1);
    unsetenv("WAVE_DEVICE");
}

static void use_sim(const char *vendor, const char *library) {
    char path[4096], name[64];
    (void)snprintf(name, sizeof name, "WAVE_%s_LIBRARY", vendor);
    setenv(name, rt_sim_path(library, path), 1);
    if (strcmp(vendor, "HIP") == 0)
        setenv("WAVE_HIPRTC_LIBRARY", path, 1);
}

/* The device that a name, or $WAVE_DEVICE with "auto", selects. */
static void expect_chosen(const char *asked, const char *user, const char *opened) {
    setenv("WAVE_DEVICE", user, 1);
    wave_rt_device *device = rt_open(asked);
    cr_expect_str_eq(wave_rt_device_describe(device)->name, opened, "%s, %s", asked, user);
    wave_rt_close(device);
}

static void expect_unknown(const wave_rt_device *device, const char *constant) {
    wave_rt_error error = {0};
    uint64_t value;
    cr_expect_eq(wave_rt_query_constant(device, constant, &value, &error), WAVE_RT_UNKNOWN, "%s",
                 constant);
    cr_expect(strstr(error.message, "does not report its"), "%s", error.message);
}

/* ---- The simulated HIP driver ---- */

static void setup_hip(void) {
    turn_off_vendors();
    setenv("WAVE_RT_PLUGINS", "", 1);
    use_sim("HIP", "libsimhip.so");
}

Test(rt_devices, hip_devices_can_be_chosen_by_address_and_uuid, .init = setup_hip) {
    setenv("WAVE_SIM_DEVICES", "2", 1);
    expect_chosen("pci:0000:3c:00.0", "", "hip:1");
    expect_chosen("uuid:20212223-2425-2627-2829-2a2b2c2d2e2f", "", "hip:1");
    expect_chosen("uuid:10", "emu", "hip:0");
    expect_chosen("auto", "", "hip:0");
    expect_chosen("auto", "emu", "emu");
    expect_chosen("auto", "hip:1", "hip:1");
    expect_chosen("auto", "pci:3c:00.0", "hip:1");
    expect_chosen("auto", "uuid:2021", "hip:1");
}

Test(rt_devices, hip_constants_may_be_unknown, .init = setup_hip) {
    wave_rt_error error = {0};
    uint64_t value = 0;
    wave_rt_device *device = rt_open("hip:0");
    cr_expect_eq(wave_rt_query_constant(device, "MAX_WORKGROUPS_PER_CORE", &value, &error),
                 WAVE_RT_OK);
    cr_expect_eq(value, 2);
    wave_rt_close(device);
    setenv("WAVE_SIM_OLD", "1", 1);
    device = rt_open("hip:0");
    expect_unknown(device, "MAX_WORKGROUPS_PER_CORE");
    wave_rt_close(device);
}

Test(rt_devices, hip_reports_facts_and_handles, .init = setup_hip) {
    rt_scene s;
    wave_rt_error error = {0};
    if (!rt_has_clang())
        return;
    rt_sim sim = rt_sim_open("libsimhip.so");
    setenv("WAVE_SIM_REGISTERS", "100", 1);
    setenv("WAVE_SIM_SPILLS", "16", 1);
    cr_assert_eq(rt_scene_make(&s, "hip:0", &error), WAVE_RT_OK, "%s", error.message);
    wave_rt_facts facts = rt_facts_of(&s);
    cr_expect(facts.registers == 100 && facts.spill_bytes == 16 && facts.local_memory == 0);
    /* floor(524288 / (100 * 64 * 4)) */
    cr_expect_eq(facts.resident_waves, 20, "%u", facts.resident_waves);
    int (*wait)(void *);
    *(void **)&wait = dlsym(sim.library, "hipStreamSynchronize");
    cr_expect_eq(wait(wave_rt_queue_native(s.queue)), 0, "the driver knows the stream");
    cr_expect_null(wave_rt_device_native(s.device), "HIP's device is a number");
    cr_expect_not_null(wave_rt_arena_native(s.arena));
    rt_scene_free(&s);
    cr_expect_eq(sim.live(), 0);
    dlclose(sim.library);
}

/* ---- Intel's CPU device, where it is available ---- */

Test(rt_devices, sycl_devices_can_be_chosen_and_queried, .init = turn_off_vendors, .timeout = 120) {
    rt_scene s;
    wave_rt_error error = {0};
    uint64_t value;
    char name[64];
    if (!rt_has_sycl())
        return;
    cr_assert_eq(rt_scene_make(&s, "sycl:cpu", &error), WAVE_RT_OK, "%s", error.message);
    const wave_rt_device_info *info = wave_rt_device_describe(s.device);
    cr_expect_eq(strlen(info->uuid), 36, "%s", info->uuid);
    (void)snprintf(name, sizeof name, "uuid:%s", info->uuid);
    expect_chosen(name, "emu", "sycl:cpu");
    expect_chosen("auto", name, "sycl:cpu");
    expect_chosen("auto", "sycl:cpu", "sycl:cpu");

    wave_rt_facts facts = rt_facts_of(&s);
    cr_expect(facts.registers == UINT32_MAX && facts.resident_waves == UINT32_MAX);
    cr_expect_geq(facts.max_threads, info->max_workgroup_size);
    cr_expect_not_null(wave_rt_device_native(s.device));
    cr_expect_not_null(wave_rt_queue_native(s.queue));
    cr_expect_not_null(wave_rt_arena_native(s.arena));
    expect_unknown(s.device, "REGISTER_FILE_SIZE");
    expect_unknown(s.device, "MAX_WAVES_PER_CORE");
    expect_unknown(s.device, "MAX_WORKGROUPS_PER_CORE");
    cr_expect_eq(wave_rt_query_constant(s.device, "LOCAL_MEMORY_SIZE", &value, &error), WAVE_RT_OK);
    rt_scene_free(&s);
}

/* ---- All at once ---- */

Test(rt_devices, all_devices_work_in_one_process, .init = turn_off_vendors, .timeout = 120) {
    static const char *const names[] = {"emu", "cuda:0", "hip:0", "sycl:cpu"};
    static rt_scene scenes[4];
    wave_rt_error error = {0};
    if (!rt_has_clang())
        return;
    use_sim("CUDA", "libsimcuda.so");
    use_sim("HIP", "libsimhip.so");
    size_t count = rt_sycl_is_here() ? 4 : 3;
    for (size_t k = 0; k < count; k++)
        cr_assert_eq(rt_scene_make(&scenes[k], names[k], &error), WAVE_RT_OK, "%s: %s", names[k],
                     error.message);
    for (size_t k = 0; k < count; k++)
        cr_assert_eq(rt_scene_launch(&scenes[k], &error), WAVE_RT_OK, "%s: %s", names[k],
                     error.message);
    for (size_t k = 0; k < count; k++) {
        rt_expect_sums(&scenes[k]);
        rt_scene_free(&scenes[k]);
    }
}
