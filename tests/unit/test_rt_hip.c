/* runtime/hip.c against simulated amdhip64 and hiprtc libraries that run kernels on the SIMT
 * harness: its calls, its handling of errors, and that nothing is left behind. */
#include "cache.h"
#include "rt_helpers.h"

#include <dirent.h>

static rt_sim sim;

static void setup(void) {
    char path[4096];
    setenv("WAVE_HIP_LIBRARY", rt_sim_path("libsimhip.so", path), 1);
    setenv("WAVE_HIPRTC_LIBRARY", path, 1);
    setenv("WAVE_CUDA_LIBRARY", "", 1);
    setenv("WAVE_RT_PLUGINS", "", 1);
    sim = rt_sim_open("libsimhip.so");
}

static void teardown(void) {
    cr_expect_eq(sim.live(), 0, "%u objects are left", sim.live());
    dlclose(sim.library);
}

TestSuite(rt_hip, .init = setup, .fini = teardown);

Test(rt_hip, the_list_describes_every_device) {
    static const char *const cases[][2] = {{"gfx942:sramecc+:xnack-", "gfx942"},
                                           {"gfx90a:sramecc+:xnack-", "gfx90a"},
                                           {"gfx908", "gfx90a"},
                                           {"gfx1030", "gfx1030"},
                                           {"gfx1036", "gfx1030"},
                                           {"gfx1103", "gfx1100"},
                                           {"gfx1201", "gfx1100"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wave_rt_list list;
        setenv("WAVE_SIM_ARCH", cases[k][0], 1);
        cr_assert_eq(wave_rt_enumerate(&list, NULL), WAVE_RT_OK);
        cr_assert_eq(list.count, 2);
        const wave_rt_device_info *info = &list.devices[0];
        cr_expect_str_eq(info->name, "hip:0");
        cr_expect_str_eq(info->title, "Simulated AMD GPU 0");
        cr_expect_str_eq(info->driver, "HIP 6.3.42131");
        cr_expect_str_eq(info->arch, cases[k][1]);
        cr_expect_str_eq(info->target, "hip");
        cr_expect_eq(info->wave_width, cases[k][0][3] == '9' ? 64 : 32);
        rt_expect_sizes(info, (uint32_t[]){1024, 1024, 1024, 1024, 2147483647, 65536, 65536});
        cr_expect_eq(info->max_waves_per_core, 2048 / info->wave_width);
        cr_expect(info->max_workgroups_per_core == 2 && info->cores == 304);
        cr_expect(info->register_file_size == 524288 && info->device_memory_size == 268435456);
        cr_expect_eq(info->local_memory_size, 65536);
        /* 1300 MHz, 8192 bits: 5.3 TB/s of an MI300X, which transfers four words per clock; HBM2
         * transfers two, and a Radeon's kind of memory is unknown. 304 * 64 lanes, two operations
         * at 2100 MHz. */
        cr_expect_float_eq(info->peak_bytes,
                           strncmp(cases[k][0], "gfx942", 6) == 0  ? 5.3248e12
                           : strncmp(cases[k][0], "gfx90", 5) == 0 ? 2.6624e12
                                                                   : 0,
                           1e3);
        cr_expect_float_eq(info->peak_flops, 81.7152e12, 1e3);
        wave_rt_list_free(&list);
    }
}

Test(rt_hip, a_device_number_out_of_range_is_refused) {
    wave_rt_error error;
    wave_rt_device *device;
    cr_expect_eq(wave_rt_open("hip:3", &device, &error), WAVE_RT_NO_DEVICE);
    cr_expect_str_eq(error.message, "there is no hip:3; HIP has 1 devices");
    setenv("WAVE_HIPRTC_LIBRARY", "", 1);
    cr_expect_eq(wave_rt_open("hip:0", &device, &error), WAVE_RT_NO_DEVICE);
    cr_expect_str_eq(error.message, "turned off: WAVE_HIPRTC_LIBRARY is empty");
}

Test(rt_hip, a_kernel_runs) {
    rt_scene s;
    wave_rt_error error;
    if (!rt_has_clang())
        return;
    cr_assert_eq(rt_scene_make(&s, "hip:0", &error), WAVE_RT_OK, "%s\n%s", error.message,
                 error.log);
    cr_assert_eq(rt_scene_launch(&s, &error), WAVE_RT_OK, "%s", error.message);
    rt_expect_sums(&s);
    cr_expect_gt(s.seconds, 0);
    cr_expect(strstr(wave_rt_module_text(s.module, NULL), "extern \"C\" __global__"));
    rt_scene_free(&s);
}

Test(rt_hip, errors_are_told_apart) {
    static const struct {
        const char *call;
        int code;
        wave_rt_status status;
        const char *words;
    } cases[] = {
        {"hipInit", 100, WAVE_RT_NO_DEVICE, "hipInit: no ROCm-capable device is detected (100)"},
        {"hipMalloc", 2, WAVE_RT_DEVICE_MEMORY, "hipMalloc: out of memory (2)"},
        {"hipModuleLoadData", 209, WAVE_RT_BAD_BUILD, "hipModuleLoadData: no kernel image"},
        {"hiprtcCreateProgram", 1, WAVE_RT_NO_MEMORY, "HIPRTC_ERROR_OUT_OF_MEMORY"},
        {"hipStreamSynchronize", 700, WAVE_RT_LAUNCH, "an illegal memory access"},
        {"hipStreamSynchronize", 709, WAVE_RT_LOST, "unknown error (709)"},
        {"hipModuleLaunchKernel", 719, WAVE_RT_LAUNCH, "unspecified launch failure"},
        {"hipEventCreate", 999, WAVE_RT_VENDOR, "hipEventCreate: unknown error (999)"},
    };
    if (!rt_has_clang())
        return;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rt_scene s;
        wave_rt_error error = {0};
        sim.fail_call(cases[k].call, cases[k].code);
        wave_rt_status got = rt_scene_make(&s, "hip:0", &error);
        if (got == WAVE_RT_OK)
            got = rt_scene_launch(&s, &error);
        rt_scene_free(&s);
        cr_expect_eq(got, cases[k].status, "%s: %d", cases[k].call, (int)got);
        cr_expect(strstr(error.message, cases[k].words), "%s: %s", cases[k].call, error.message);
        cr_expect_eq(error.vendor_code, cases[k].code);
        sim.fail_call(NULL, 0);
    }
}

Test(rt_hip, rejected_text_is_reported_with_a_log) {
    wave_rt_error error = {0};
    wave_rt_module *module;
    if (!rt_has_clang())
        return;
    wave_rt_device *device = rt_open("hip:0");
    setenv("WAVE_SIM_SPOIL", "1", 1);
    cr_expect_eq(rt_load(device, RT_STORE, &module, &error), WAVE_RT_BAD_BUILD);
    cr_expect_str_eq(error.message, "hiprtcCompileProgram: HIPRTC_ERROR_COMPILATION (6)");
    cr_expect(strstr(error.log, "frobnicate"), "%s", error.log);
    wave_rt_close(device);
}

Test(rt_hip, a_failing_kernel_is_reported_at_the_wait) {
    rt_scene s;
    wave_rt_error error = {0};
    wave_rt_module *module;
    wave_rt_launch launch;
    const uint32_t far[2] = {1, 0x10000000};
    if (!rt_has_clang())
        return;
    cr_assert_eq(rt_scene_make(&s, "hip:0", &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(rt_load(s.device, RT_STORE, &module, &error), WAVE_RT_OK, "%s", error.message);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.words = far;
    launch.word_count = 2;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_wait(s.queue, &error), WAVE_RT_LAUNCH);
    cr_expect(strstr(error.message, "an illegal memory access"), "%s", error.message);
    wave_rt_module_destroy(module);
    rt_scene_free(&s);
}

Test(rt_hip, a_failing_assert_is_reported, .timeout = 120) {
    if (!rt_has_clang())
        return;
    rt_expect_assert("hip:0", 0, NULL);
    rt_expect_assert("hip:0", UINT32_MAX, NULL);
    rt_expect_assert("hip:0", 7, "r0 is r1");
}

/* The compiler may need more local memory than the kernel requests. */
Test(rt_hip, local_memory_beyond_the_limit_is_refused) {
    rt_scene s;
    wave_rt_error error = {0};
    if (!rt_has_clang())
        return;
    setenv("WAVE_SIM_LOCAL", "65536", 1);
    cr_assert_eq(rt_scene_make(&s, "hip:0", &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_eq(rt_scene_launch(&s, &error), WAVE_RT_OK, "%s", error.message);
    rt_scene_free(&s);
    setenv("WAVE_SIM_LOCAL", "65540", 1); /* queried when a kernel is loaded */
    cr_assert_eq(rt_scene_make(&s, "hip:0", &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_eq(rt_scene_launch(&s, &error), WAVE_RT_LIMIT);
    cr_expect_str_eq(error.message, "LOCAL_MEMORY_SIZE: the compiled kernel needs 65540 bytes, "
                                    "hip:0 has 65536");
    rt_scene_free(&s);
}

/* The simulated hiprtc requires the flags that the text names; and no GPU has both widths. */
Test(rt_hip, only_the_devices_wave_width_is_accepted) {
    static const struct {
        const char *arch;
        uint32_t width;
        wave_rt_status status;
    } cases[] = {{"gfx942:sramecc+:xnack-", 64, WAVE_RT_OK},
                 {"gfx942", 32, WAVE_RT_BAD_INPUT},
                 {"gfx1030", 32, WAVE_RT_OK},
                 {"gfx1030", 64, WAVE_RT_BAD_INPUT}};
    if (!rt_has_clang())
        return;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wave_rt_module *module = NULL;
        wave_rt_module_options options;
        wave_rt_error error = {0};
        wave_blob binary = rt_assemble(RT_STORE);
        setenv("WAVE_SIM_ARCH", cases[k].arch, 1);
        wave_rt_device *device = rt_open("hip:0");
        wave_rt_module_init(&options);
        options.cache = "";
        options.wave_width = cases[k].width;
        cr_expect_eq(
            wave_rt_module_load(device, binary.data, binary.size, &options, &module, &error),
            cases[k].status, "%s, %u: %s %s", cases[k].arch, cases[k].width, error.message,
            error.log);
        wave_rt_module_destroy(module);
        wave_rt_close(device);
        wave_blob_free(&binary);
    }
}

/* Replaces the code objects of a cache by contents that no device loads, with a valid checksum. */
static void spoil_code(const char *folder) {
    rt_cache cache;
    DIR *list = opendir(folder);
    unsigned spoiled = 0;
    cr_assert(list && rt_cache_open(&cache, folder, NULL));
    for (struct dirent *e; (e = readdir(list));) {
        wave_blob entry;
        if (e->d_name[0] == '.' || !rt_cache_read(&cache, e->d_name, &entry))
            continue;
        if (strncmp((const char *)entry.data, "simulated code object", 21) == 0) {
            cr_assert(rt_cache_write(&cache, e->d_name, "nothing", 7));
            spoiled++;
        }
        wave_blob_free(&entry);
    }
    cr_expect_eq(spoiled, 1);
    closedir(list);
    rt_cache_close(&cache);
}

/* A second module from the cache: hiprtc does not run again. It does when the device rejects the
 * cached code. */
Test(rt_hip, built_code_is_cached) {
    char folder[] = "/tmp/wave-hip-XXXXXX", command[100];
    wave_rt_module_options options;
    wave_rt_module *module;
    wave_rt_error error = {0};
    wave_blob binary = rt_assemble(RT_STORE);
    if (!rt_has_clang())
        return;
    cr_assert_not_null(mkdtemp(folder));
    wave_rt_device *device = rt_open("hip:0");
    wave_rt_module_init(&options);
    options.cache = folder;
    for (int k = 0; k < 4; k++) {
        sim.reset();
        cr_assert_eq(
            wave_rt_module_load(device, binary.data, binary.size, &options, &module, &error),
            WAVE_RT_OK, "%s", error.message);
        cr_expect_eq(strstr(sim.trace(), "hiprtcCompileProgram") == NULL, k % 2 == 1);
        cr_expect_eq(wave_rt_module_cached(module), k % 2 == 1);
        wave_rt_module_destroy(module);
        if (k == 1)
            spoil_code(folder);
    }
    wave_rt_close(device);
    wave_blob_free(&binary);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    cr_expect_eq(system(command), 0);
}

Test(rt_hip, every_failing_call_is_a_clean_error, .timeout = 300) {
    /* some attributes are optional; a failure to restore the current device cannot be reported; an
     * unavailable log is omitted */
    static const char *const harmless[] = {"hipDeviceGetAttribute", "hipSetDevice",
                                           "hipDeviceGetPCIBusId",  "hipDeviceGetUuid",
                                           "hiprtcDestroyProgram",  NULL};
    if (rt_has_clang())
        rt_sim_fail_in_turn(&sim, "hip:0", 999, harmless);
}
