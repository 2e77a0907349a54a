/* Device selection, versions and compiled facts: choosing by address and number, the sizes of
 * structures, the vendor's own objects, and unknown values. */
#include "rt_helpers.h"

static rt_sim sim;

static void setup(void) {
    char path[4096];
    rt_turn_off_vendors();
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    setenv("WAVE_SIM_DEVICES", "2", 1);
    unsetenv("WAVE_DEVICE");
    sim = rt_sim_open("libsimcuda.so");
}

static void teardown(void) {
    cr_expect_eq(sim.live(), 0, "%u objects are left", sim.live());
    dlclose(sim.library);
}

TestSuite(rt_facts, .init = setup, .fini = teardown);

/* ---- Choosing ---- */

Test(rt_facts, a_device_has_an_address_and_a_uuid) {
    wave_rt_device *device = rt_open("cuda:1");
    const wave_rt_device_info *info = wave_rt_device_describe(device);
    cr_expect_str_eq(info->pci, "0000:3c:00.0");
    cr_expect_str_eq(info->uuid, "20212223-2425-2627-2829-2a2b2c2d2e2f");
    wave_rt_close(device);
    sim.fail_call("cuDeviceGetUuid", 1);
    device = rt_open("cuda:1"); /* an old driver does not report it */
    cr_expect_str_eq(wave_rt_device_describe(device)->uuid, "");
    sim.fail_call(NULL, 0);
    wave_rt_close(device);
}

Test(rt_facts, devices_can_be_chosen_by_name_address_and_uuid) {
    static const struct {
        const char *asked, *user, *opened;
    } cases[] = {
        {"pci:0000:3c:00.0", NULL, "cuda:1"},
        {"pci:0000:3C:00.0", NULL, "cuda:1"},
        {"pci:3b:00.0", NULL, "cuda:0"},
        {"uuid:20212223-2425-2627-2829-2a2b2c2d2e2f", NULL, "cuda:1"},
        {"uuid:GPU-2021", NULL, "cuda:1"},
        {"uuid:10", "emu", "cuda:0"},
        {"auto", NULL, "cuda:0"},
        {"auto", "", "cuda:0"},
        {"auto", "auto", "cuda:0"},
        {"auto", "emu", "emu"},
        {"auto", "cuda:1", "cuda:1"},
        {"auto", "uuid:2021", "cuda:1"},
        {"cuda:0", "emu", "cuda:0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (cases[k].user)
            setenv("WAVE_DEVICE", cases[k].user, 1);
        else
            unsetenv("WAVE_DEVICE");
        wave_rt_device *device = rt_open(cases[k].asked);
        cr_expect_str_eq(wave_rt_device_describe(device)->name, cases[k].opened, "%s",
                         cases[k].asked);
        wave_rt_close(device);
    }
}

Test(rt_facts, wrong_choices_are_refused_with_a_reason) {
    static const struct {
        const char *asked, *user, *message;
    } cases[] = {
        {"pci:0000:99:00.0", NULL, "no device matches '0000:99:00.0'"},
        {"pci:", NULL, "no device matches ''"},
        {"pci:00.0", NULL, "no device matches '00.0'"},
        {"uuid:", NULL, "no device matches ''"},
        {"uuid:3", NULL, "no device matches '3'"},
        {"auto", "gpu7", "WAVE_DEVICE is 'gpu7': unknown device 'gpu7'"},
        {"auto", "cuda:9", "WAVE_DEVICE is 'cuda:9': there is no cuda:9"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wave_rt_device *device = NULL;
        wave_rt_error error = {0};
        setenv("WAVE_DEVICE", cases[k].user ? cases[k].user : "", 1);
        cr_expect_eq(wave_rt_open(cases[k].asked, &device, &error), WAVE_RT_NO_DEVICE);
        cr_expect_null(device);
        cr_expect(strstr(error.message, cases[k].message), "%s: %s", cases[k].asked, error.message);
    }
    setenv("WAVE_SIM_DEVICES", "17", 1); /* the second digit repeats: 0x10, 0x110 = 0x10 */
    wave_rt_device *device;
    wave_rt_error error;
    cr_expect_eq(wave_rt_open("uuid:10", &device, &error), WAVE_RT_NO_DEVICE);
    cr_expect_str_eq(error.message, "'10' is ambiguous: it matches cuda:0 and cuda:16");
}

/* ---- Versions ---- */

Test(rt_facts, structures_carry_their_size) {
    wave_rt_list list;
    wave_rt_launch launch;
    wave_rt_module_options options;
    cr_expect_eq(wave_rt_version(), WAVE_RT_VERSION);
    wave_rt_launch_init(&launch);
    wave_rt_module_init(&options);
    cr_expect_eq(launch.size, sizeof launch);
    cr_expect_eq(options.size, sizeof options);
    cr_assert_eq(wave_rt_enumerate(&list, NULL), WAVE_RT_OK);
    for (size_t k = 0; k < list.count; k++)
        cr_expect_eq(list.devices[k].size, offsetof(wave_rt_device_info, later));
    wave_rt_list_free(&list);
}

/* A caller of an older version has shorter structures: nothing after them is read or written. One
 * of a newer version has longer ones: members that we do not know are zero. */
Test(rt_facts, structures_of_other_versions_are_accepted) {
    struct {
        wave_rt_launch launch;
        uint8_t guard[64];
    } place;
    uint32_t old = offsetof(wave_rt_launch, timed);
    memset(&place, 0x77, sizeof place);
    wave_rt_launch_init_sized(&place.launch, old);
    cr_expect_eq(place.launch.size, old);
    cr_expect_eq(place.launch.workgroup[0], 32);
    cr_expect_eq(((uint8_t *)&place)[old], 0x77);
    memset(&place, 0x77, sizeof place);
    wave_rt_launch_init_sized(&place.launch, sizeof place.launch + 16);
    cr_expect_eq(place.guard[15], 0);
    cr_expect_eq(place.guard[16], 0x77);

    rt_scene s;
    wave_rt_error error = {0};
    cr_assert_eq(rt_scene_make(&s, "emu", &error), WAVE_RT_OK, "%s", error.message);
    memset(&place, 0x77, sizeof place); /* `buffers` would be a wild pointer */
    wave_rt_launch_init_sized(&place.launch, old);
    place.launch.module = s.module;
    place.launch.arena = s.arena;
    cr_expect_eq(wave_rt_dispatch(s.queue, &place.launch, &error), WAVE_RT_OK, "%s", error.message);
    memset(&place, 0, sizeof place);
    place.launch.module = s.module;
    cr_expect_eq(wave_rt_dispatch(s.queue, &place.launch, &error), WAVE_RT_USAGE);
    cr_expect(strstr(error.message, "wave_rt_launch_init"), "%s", error.message);
    wave_rt_module_options none = {0};
    wave_rt_module *module;
    cr_expect_eq(wave_rt_module_load(s.device, "", 0, &none, &module, &error), WAVE_RT_USAGE);
    cr_expect(strstr(error.message, "wave_rt_module_init"), "%s", error.message);
    rt_scene_free(&s);
}

/* ---- Facts ---- */

Test(rt_facts, compiled_kernels_report_their_registers_and_waves) {
    /* registers of a thread, resident waves: floor(262144 / (R * 32 * 4)), at most 32 */
    static const uint32_t cases[][3] = {{32, 32, 0}, {64, 32, 4}, {100, 20, 16}, {255, 8, 96}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char number[16];
        rt_scene s;
        wave_rt_error error = {0};
        (void)snprintf(number, sizeof number, "%u", cases[k][0]);
        setenv("WAVE_SIM_REGISTERS", number, 1);
        (void)snprintf(number, sizeof number, "%u", cases[k][2]);
        setenv("WAVE_SIM_SPILLS", number, 1);
        cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK, "%s", error.message);
        wave_rt_facts facts = rt_facts_of(&s);
        cr_expect_eq(facts.registers, cases[k][0]);
        cr_expect_eq(facts.resident_waves, cases[k][1], "%u", facts.resident_waves);
        cr_expect_eq(facts.spill_bytes, cases[k][2]);
        cr_expect_eq(facts.local_memory, 0);
        rt_scene_free(&s);
    }
}

/* The driver is queried when the kernel is loaded, and never again. */
Test(rt_facts, the_driver_is_queried_once_per_kernel) {
    rt_scene s;
    wave_rt_error error = {0};
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK, "%s", error.message);
    sim.reset();
    for (int k = 0; k < 3; k++)
        cr_assert_eq(rt_scene_launch(&s, &error), WAVE_RT_OK, "%s", error.message);
    (void)rt_facts_of(&s);
    cr_expect_null(strstr(sim.trace(), "cuFuncGetAttribute"), "%s", sim.trace());
    rt_scene_free(&s);
}

Test(rt_facts, emulated_kernels_report_their_registers_and_waves) {
    rt_scene s;
    wave_rt_error error = {0};
    wave_rt_facts facts;
    cr_assert_eq(rt_scene_make(&s, "emu", &error), WAVE_RT_OK, "%s", error.message);
    facts = rt_facts_of(&s);
    /* RT_MADD declares 12; 1 MiB of registers / (12 * 32 * 4) = 682, above the 64 waves */
    cr_expect(facts.registers == 12 && facts.spill_bytes == 0 && facts.max_threads == 1024);
    cr_expect_eq(facts.resident_waves, 64);
    facts = (wave_rt_facts){0};
    cr_expect_eq(wave_rt_kernel_facts(s.module, 0, &facts, &error), WAVE_RT_USAGE);
    facts.size = sizeof facts;
    cr_expect_eq(wave_rt_kernel_facts(s.module, 1, &facts, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_kernel_facts(NULL, 0, &facts, &error), WAVE_RT_USAGE);
    rt_scene_free(&s);
}

Test(rt_facts, native_handles_belong_to_the_driver) {
    rt_scene s;
    wave_rt_error error = {0};
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK, "%s", error.message);
    /* the driver itself accepts them: it pushes this context and waits for this stream */
    int (*push)(void *), (*pop)(void **), (*wait)(void *);
    *(void **)&push = dlsym(sim.library, "cuCtxPushCurrent_v2");
    *(void **)&pop = dlsym(sim.library, "cuCtxPopCurrent_v2");
    *(void **)&wait = dlsym(sim.library, "cuStreamSynchronize");
    void *context = wave_rt_device_native(s.device);
    cr_expect_eq(push(context), 0);
    cr_expect_eq(wait(wave_rt_queue_native(s.queue)), 0);
    cr_expect_eq(pop(&context), 0);
    cr_expect_not_null(wave_rt_arena_native(s.arena));
    rt_scene_free(&s);
    cr_assert_eq(rt_scene_make(&s, "emu", &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_null(wave_rt_device_native(s.device));
    cr_expect_null(wave_rt_queue_native(s.queue));
    wave_rt_buffer whole = wave_rt_arena_whole(s.arena);
    void *bytes;
    cr_assert_eq(wave_rt_buffer_map(&whole, &bytes, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_arena_native(s.arena), bytes);
    rt_scene_free(&s);
    cr_expect_null(wave_rt_device_native(NULL));
}

/* ---- Unknown facts ---- */

Test(rt_facts, constants_may_be_unknown) {
    wave_rt_error error = {0};
    uint64_t value;
    wave_rt_device *device = rt_open("cuda:0");
    cr_expect_eq(wave_rt_query_constant(device, "MAX_WORKGROUPS_PER_CORE", &value, &error),
                 WAVE_RT_OK);
    cr_expect_eq(value, 16);
    wave_rt_close(device);
    setenv("WAVE_SIM_OLD", "1", 1); /* a driver that lacks the attribute */
    device = rt_open("cuda:0");
    cr_expect_eq(wave_rt_query_constant(device, "MAX_WORKGROUPS_PER_CORE", &value, &error),
                 WAVE_RT_UNKNOWN);
    cr_expect_str_eq(error.message, "cuda:0 does not report its MAX_WORKGROUPS_PER_CORE");
    cr_expect_str_eq(wave_rt_status_text(WAVE_RT_UNKNOWN), "not known");
    wave_rt_close(device);
}
