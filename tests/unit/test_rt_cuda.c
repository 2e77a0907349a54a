/* runtime/cuda.c against the simulated libcuda: its calls, its handling of errors, and that nothing
 * is left behind, whichever call fails. */
#include "rt_helpers.h"

static rt_sim sim;

static void setup(void) {
    char path[4096];
    rt_turn_off_vendors();
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    sim = rt_sim_open("libsimcuda.so");
}

static void teardown(void) {
    cr_expect_eq(sim.live(), 0, "%u objects are left", sim.live());
    dlclose(sim.library);
}

TestSuite(rt_cuda, .init = setup, .fini = teardown);

static unsigned count_calls(const char *name) {
    unsigned count = 0;
    size_t length = strlen(name);
    for (const char *at = sim.trace(); at && *at; at = strchr(at, '\n') + 1)
        count += strncmp(at, name, length) == 0 && at[length] == '\n';
    return count;
}

Test(rt_cuda, the_list_describes_every_device) {
    wave_rt_list list;
    wave_rt_error error;
    setenv("WAVE_SIM_DEVICES", "2", 1);
    cr_assert_eq(wave_rt_enumerate(&list, &error), WAVE_RT_OK);
    cr_assert_eq(list.count, 3);
    const wave_rt_device_info *info = &list.devices[1];
    cr_expect_str_eq(info->name, "cuda:1");
    cr_expect_str_eq(info->title, "Simulated GPU 1");
    cr_expect_str_eq(info->driver, "CUDA 12.4");
    cr_expect_str_eq(info->arch, "sm_75");
    cr_expect_str_eq(info->target, "ptx");
    cr_expect(info->wave_width == 32 && info->local_memory_size == 65536 && info->cores == 40);
    rt_expect_sizes(info, (uint32_t[]){1024, 1024, 1024, 64, 2147483647, 65535, 65535});
    cr_expect(info->max_waves_per_core == 32 && info->max_workgroups_per_core == 16);
    cr_expect(info->register_file_size == 262144 && info->device_memory_size == 268435456);
    /* 5001 MHz, twice per clock, 256 bits; 40 * 64 lanes, two operations at 1590 MHz */
    cr_expect_float_eq(info->peak_bytes, 320.064e9, 1e3);
    cr_expect_float_eq(info->peak_flops, 8.1408e12, 1e3);
    cr_expect_str_eq(list.devices[2].name, "emu");
    wave_rt_list_free(&list);
}

/* A value that a driver does not report is unknown, but the device is still usable. The peak of
 * operations is queried last. */
Test(rt_cuda, a_device_with_an_unknown_peak_is_usable) {
    wave_rt_list list;
    cr_assert_eq(wave_rt_enumerate(&list, NULL), WAVE_RT_OK);
    wave_rt_list_free(&list);
    unsigned all = sim.calls();
    sim.reset();
    sim.fail_at(all, 1);
    cr_assert_eq(wave_rt_enumerate(&list, NULL), WAVE_RT_OK);
    cr_expect_str_eq(list.devices[0].name, "cuda:0");
    cr_expect(list.devices[0].peak_flops == 0 && list.devices[0].peak_bytes > 0);
    wave_rt_list_free(&list);
}

Test(rt_cuda, each_device_gets_the_best_architecture) {
    static const char *const cases[][2] = {{"75", "sm_75"},   {"80", "sm_80"},   {"87", "sm_86"},
                                           {"89", "sm_89"},   {"90", "sm_90"},   {"103", "sm_100"},
                                           {"120", "sm_120"}, {"121", "sm_120"}, {"200", "sm_120"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        setenv("WAVE_SIM_CAPABILITY", cases[k][0], 1);
        wave_rt_device *device = rt_open("cuda:0");
        cr_expect_str_eq(wave_rt_device_describe(device)->arch, cases[k][1]);
        wave_rt_close(device);
    }
    wave_rt_error error;
    wave_rt_device *device;
    setenv("WAVE_SIM_CAPABILITY", "61", 1);
    cr_expect_eq(wave_rt_open("cuda:0", &device, &error), WAVE_RT_NO_DEVICE);
    cr_expect(strstr(error.message, "compute capability 6.1; 7.5 or later"), "%s", error.message);
}

Test(rt_cuda, a_device_number_out_of_range_is_refused) {
    wave_rt_error error;
    wave_rt_device *device;
    cr_expect_eq(wave_rt_open("cuda:1", &device, &error), WAVE_RT_NO_DEVICE);
    cr_expect_str_eq(error.message, "there is no cuda:1; CUDA has 1 devices");
}

Test(rt_cuda, a_kernel_runs_with_the_expected_calls) {
    rt_scene s;
    wave_rt_error error;
    cr_assert_eq(rt_scene_make(&s, "cuda", &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(rt_scene_launch(&s, &error), WAVE_RT_OK, "%s", error.message);
    rt_expect_sums(&s);
    cr_expect_gt(s.seconds, 0);
    cr_expect(strstr(wave_rt_module_text(s.module, NULL), ".visible .entry madd"));
    cr_expect_eq(count_calls("cuMemAlloc_v2"), 1);
    cr_expect_eq(count_calls("cuModuleLoadData"), 1);
    cr_expect_eq(count_calls("cuLaunchKernel"), 1);
    cr_expect_eq(count_calls("cuEventRecord"), 2);
    rt_scene_free(&s);
    cr_expect_eq(count_calls("cuCtxPushCurrent_v2"), count_calls("cuCtxPopCurrent_v2"));
    cr_expect_eq(sim.left(), 0);
}

/* Closing in any order: the device is freed with its last user. */
Test(rt_cuda, objects_may_be_closed_in_any_order) {
    rt_scene s;
    wave_rt_error error;
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    wave_rt_close(s.device);
    cr_assert_eq(rt_scene_launch(&s, &error), WAVE_RT_OK, "%s", error.message);
    wave_rt_module_destroy(s.module);
    wave_rt_arena_destroy(s.arena);
    cr_expect_eq(count_calls("cuDevicePrimaryCtxRelease_v2"), 0);
    wave_rt_queue_destroy(s.queue);
    cr_expect_eq(count_calls("cuDevicePrimaryCtxRelease_v2"), 1);
    cr_expect_eq(sim.left(), 0);
}

/* ---- Errors ---- */

static void expect_error(const char *call, int code, wave_rt_status status, const char *words) {
    rt_scene s;
    wave_rt_error error = {0};
    sim.fail_call(call, code);
    wave_rt_status got = rt_scene_make(&s, "cuda:0", &error);
    if (got == WAVE_RT_OK)
        got = rt_scene_launch(&s, &error);
    rt_scene_free(&s);
    cr_expect_eq(got, status, "%s: %d", call, (int)got);
    cr_expect(strstr(error.message, words), "%s: %s", call, error.message);
    cr_expect_eq(error.vendor_code, code);
    sim.fail_call(NULL, 0);
}

Test(rt_cuda, errors_are_told_apart) {
    expect_error("cuInit", 100, WAVE_RT_NO_DEVICE, "cuInit: no CUDA-capable device is detected");
    expect_error("cuMemAlloc_v2", 2, WAVE_RT_DEVICE_MEMORY, "cuMemAlloc: out of memory (2)");
    expect_error("cuLinkAddData_v2", 218, WAVE_RT_BAD_BUILD, "a PTX JIT compilation failed");
    expect_error("cuStreamSynchronize", 700, WAVE_RT_LAUNCH, "an illegal memory access");
    expect_error("cuStreamSynchronize", 46, WAVE_RT_LOST, "busy or unavailable");
    expect_error("cuStreamSynchronize", 709, WAVE_RT_LOST, "unknown error (709)");
    expect_error("cuLaunchKernel", 719, WAVE_RT_LAUNCH, "cuLaunchKernel: unspecified launch");
    expect_error("cuEventCreate", 999, WAVE_RT_VENDOR, "cuEventCreate: unknown error (999)");
}

/* The numbers of cuda.h. */
Test(rt_cuda, every_driver_error_has_its_status) {
    static const struct {
        int first, last;
        wave_rt_status status;
    } cases[] = {
        {1, 1, WAVE_RT_VENDOR},        {2, 2, WAVE_RT_DEVICE_MEMORY}, {3, 3, WAVE_RT_VENDOR},
        {45, 45, WAVE_RT_VENDOR},      {46, 46, WAVE_RT_LOST},        {47, 47, WAVE_RT_VENDOR},
        {99, 99, WAVE_RT_VENDOR},      {100, 100, WAVE_RT_NO_DEVICE}, {101, 199, WAVE_RT_VENDOR},
        {200, 200, WAVE_RT_BAD_BUILD}, {201, 208, WAVE_RT_VENDOR},    {209, 209, WAVE_RT_BAD_BUILD},
        {210, 213, WAVE_RT_VENDOR},    {214, 214, WAVE_RT_LOST},      {215, 217, WAVE_RT_VENDOR},
        {218, 218, WAVE_RT_BAD_BUILD}, {219, 219, WAVE_RT_VENDOR},    {220, 220, WAVE_RT_LOST},
        {221, 223, WAVE_RT_BAD_BUILD}, {224, 225, WAVE_RT_VENDOR},    {226, 226, WAVE_RT_LOST},
        {227, 227, WAVE_RT_VENDOR},    {699, 699, WAVE_RT_VENDOR},    {700, 702, WAVE_RT_LAUNCH},
        {703, 708, WAVE_RT_VENDOR},    {709, 709, WAVE_RT_LOST},      {710, 710, WAVE_RT_LAUNCH},
        {711, 713, WAVE_RT_VENDOR},    {714, 719, WAVE_RT_LAUNCH},    {720, 720, WAVE_RT_VENDOR},
    };
    rt_scene s;
    wave_rt_error error;
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int code = cases[k].first; code <= cases[k].last; code++) {
            sim.fail_call("cuStreamSynchronize", code);
            wave_rt_status got = wave_rt_wait(s.queue, &error);
            cr_expect_eq(got, cases[k].status, "%d: %d", code, (int)got);
        }
    sim.fail_call(NULL, 0);
    rt_scene_free(&s);
}

Test(rt_cuda, running_out_of_device_memory_is_reported) {
    rt_scene s;
    wave_rt_error error;
    wave_rt_arena *arena[2];
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_arena_create(s.device, (uint64_t)300 << 20, &arena[0], &error),
                 WAVE_RT_DEVICE_MEMORY);
    cr_expect(strstr(error.message, "DEVICE_MEMORY_SIZE: cuda:0 has 268435456 bytes"), "%s",
              error.message);
    cr_expect_eq(wave_rt_arena_create(s.device, (uint64_t)200 << 20, &arena[0], &error),
                 WAVE_RT_OK);
    cr_expect_eq(wave_rt_arena_create(s.device, (uint64_t)200 << 20, &arena[1], &error),
                 WAVE_RT_DEVICE_MEMORY);
    cr_expect_str_eq(error.message, "cuMemAlloc: out of memory (2)");
    wave_rt_arena_destroy(arena[0]);
    rt_scene_free(&s);
}

/* A text that the driver does not accept, such as one of a newer PTX version. */
Test(rt_cuda, rejected_ptx_is_reported_with_a_log) {
    wave_rt_error error = {0};
    wave_rt_module *module;
    wave_rt_device *device = rt_open("cuda:0");
    setenv("WAVE_SIM_SPOIL", "1", 1);
    cr_expect_eq(rt_load(device, RT_STORE, &module, &error), WAVE_RT_BAD_BUILD);
    cr_expect_null(module);
    cr_expect_str_eq(error.message, "cuLinkAddData: a PTX JIT compilation failed (218)");
    cr_expect(strstr(error.log, "ptxas error   : ") && strstr(error.log, "frobnicate"), "%s",
              error.log);
    wave_rt_close(device);
}

/* ---- Machine code is kept ---- */

/* Loads RT_STORE in a fresh start of the runtime, with the cache in this folder. */
static void load_cached(const char *folder) {
    wave_rt_error error = {0};
    wave_rt_module *module;
    wave_rt_module_options options;
    wave_rt_device *device = rt_open("cuda:0");
    wave_blob binary = rt_assemble(RT_STORE);
    wave_rt_module_init(&options);
    options.cache = folder;
    cr_assert_eq(wave_rt_module_load(device, binary.data, binary.size, &options, &module, &error),
                 WAVE_RT_OK, "%s", error.message);
    wave_blob_free(&binary);
    wave_rt_module_destroy(module);
    wave_rt_close(device);
}

Test(rt_cuda, a_second_start_compiles_nothing) {
    char folder[] = "/tmp/wave-cubin-XXXXXX", command[60];
    cr_assert_not_null(mkdtemp(folder));
    load_cached(folder);
    cr_expect_eq(count_calls("cuLinkAddData_v2"), 1);
    sim.reset();
    load_cached(folder);
    cr_expect_eq(count_calls("cuLinkCreate_v2"), 0);
    cr_expect_eq(count_calls("cuLinkAddData_v2"), 0);
    cr_expect_eq(count_calls("cuModuleLoadData"), 1);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

/* 8.7 and 8.6 get the same text, but different code. Where two devices have one name, the driver
 * rejects the other's code, and it is compiled again. */
Test(rt_cuda, machine_code_belongs_to_one_device) {
    static const struct {
        const char *capability, *title;
        unsigned loads, links;
    } rounds[] = {
        {"86", "A10", 1, 1}, {"87", "Orin", 1, 1}, {"86", "A10", 1, 0}, {"86", "Orin", 2, 1}};
    char folder[] = "/tmp/wave-cubin-XXXXXX", command[60];
    cr_assert_not_null(mkdtemp(folder));
    for (size_t k = 0; k < sizeof rounds / sizeof *rounds; k++) {
        sim.reset();
        setenv("WAVE_SIM_CAPABILITY", rounds[k].capability, 1);
        setenv("WAVE_SIM_TITLE", rounds[k].title, 1);
        load_cached(folder);
        cr_expect_eq(count_calls("cuModuleLoadData"), rounds[k].loads, "round %zu", k);
        cr_expect_eq(count_calls("cuLinkAddData_v2"), rounds[k].links, "round %zu", k);
    }
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

static wave_rt_status run_store(rt_scene *s, const char *source, const uint32_t words[2],
                                wave_rt_error *error) {
    wave_rt_module *module = NULL;
    wave_rt_launch launch;
    wave_rt_status status = rt_load(s->device, source, &module, error);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s->arena;
    launch.words = words;
    launch.word_count = 2;
    if (status == WAVE_RT_OK)
        status = wave_rt_dispatch(s->queue, &launch, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_wait(s->queue, error);
    wave_rt_module_destroy(module);
    return status;
}

/* Errors of a kernel show up at the wait, and the context stays broken. */
Test(rt_cuda, a_failing_kernel_breaks_the_context) {
    rt_scene s;
    wave_rt_error error;
    const uint32_t far[2] = {1, 0x10000000};
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    cr_expect_eq(run_store(&s, RT_STORE, far, &error), WAVE_RT_LAUNCH);
    cr_expect_str_eq(error.message,
                     "cuStreamSynchronize: an illegal memory access was encountered (700)");
    cr_expect_eq(rt_scene_launch(&s, &error), WAVE_RT_LAUNCH);
    rt_scene_free(&s);
}

/* A launch that fails before it starts leaves nothing for the next wait to report. The words for
 * asserts are cleared before their first use, however often that fails. */
Test(rt_cuda, a_launch_without_words_for_asserts_does_not_spoil_the_queue) {
    static const char *const calls[] = {"cuMemAlloc_v2", "cuMemsetD8Async"};
    const uint32_t words[2] = {5, 5};
    rt_scene s;
    wave_rt_module *module;
    wave_rt_launch launch;
    wave_rt_error error = {0};
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(rt_load(s.device,
                         ".kernel sure\n.registers 4\n icmp_eq p1, r0, r1\n assert p1, 3\n"
                         " halt\n.end\n",
                         &module, &error),
                 WAVE_RT_OK, "%s", error.message);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.words = words;
    launch.word_count = 2;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        sim.fail_call(calls[k], 2);
        cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_DEVICE_MEMORY);
        sim.fail_call(NULL, 0);
        cr_expect_eq(wave_rt_wait(s.queue, &error), WAVE_RT_OK, "%s: %s", calls[k], error.message);
    }
    const unsigned before = count_calls("cuMemsetD8Async");
    for (int k = 0; k < 2; k++) {
        cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_OK, "%s", error.message);
        cr_expect_eq(wave_rt_wait(s.queue, &error), WAVE_RT_OK, "%s", error.message);
    }
    cr_expect_eq(count_calls("cuMemsetD8Async"), before + 1);
    wave_rt_module_destroy(module);
    rt_scene_free(&s);
}

/* ---- Limits ---- */

Test(rt_cuda, too_many_registers_limit_the_workgroup) {
    rt_scene s;
    wave_rt_error error;
    setenv("WAVE_SIM_REGISTERS", "2048", 1); /* 32 threads */
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    cr_expect_eq(rt_scene_launch(&s, &error), WAVE_RT_LIMIT);
    cr_expect_str_eq(error.message, "registers: the kernel needs 2048 per thread, so a workgroup "
                                    "has at most 32 threads on cuda:0, not 64");
    cr_expect_eq(count_calls("cuLaunchKernel"), 0);
    rt_scene_free(&s);
}

/* Stores r0 through more than 48 KiB of local memory, which CUDA requires to be requested. */
#define LARGE_LOCAL                                                                                \
    ".kernel large\n.registers 4\n.local_memory 65536\n mov_imm r2, 65532\n local_store_u32 r2, "  \
    "r0\n local_load_u32 r3, r2\n device_store_u32 r1, r3\n halt\n.end\n"

Test(rt_cuda, large_local_memory_is_requested) {
    rt_scene s;
    wave_rt_error error;
    const uint32_t words[2] = {77, 16};
    uint32_t out = 0;
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    cr_expect_eq(run_store(&s, LARGE_LOCAL, words, &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_eq(count_calls("cuFuncSetAttribute"), 1);
    wave_rt_buffer whole = wave_rt_arena_whole(s.arena);
    cr_expect_eq(wave_rt_download(s.queue, &whole, 16, &out, 4, &error), WAVE_RT_OK);
    cr_expect_eq(out, 77);
    rt_scene_free(&s);
}

/* The simulated driver is as strict as NVIDIA's: a launch with more than 48 KiB is refused until
 * the function's limit is raised, and the limit cannot exceed the device's (CUDA C++ Programming
 * Guide, "Shared Memory" of compute capability 7.5). */
Test(rt_cuda, the_simulated_driver_requires_the_attribute) {
    static char ptx[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                        ".extern .shared .align 16 .b8 local[];\n"
                        ".visible .entry k()\n{\n    ret;\n}\n";
#define FIND(name, parameters)                                                                     \
    int(*name) parameters;                                                                         \
    *(void **)&name = dlsym(sim.library, #name);
    FIND(cuLinkCreate_v2, (unsigned, int *, void **, void **))
    FIND(cuLinkAddData_v2, (void *, int, void *, size_t, const char *, unsigned, int *, void **))
    FIND(cuLinkComplete, (void *, void **, size_t *))
    FIND(cuLinkDestroy, (void *))
    FIND(cuCtxPushCurrent_v2, (void *))
    FIND(cuCtxPopCurrent_v2, (void **))
    FIND(cuDevicePrimaryCtxRetain, (void **, int))
    FIND(cuDevicePrimaryCtxRelease_v2, (int))
    FIND(cuModuleLoadData, (void **, const void *))
    FIND(cuModuleUnload, (void *))
    FIND(cuModuleGetFunction, (void **, void *, const char *))
    FIND(cuFuncSetAttribute, (void *, int, int))
    FIND(cuStreamCreate, (void **, unsigned))
    FIND(cuStreamDestroy_v2, (void *))
    FIND(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, void *, void **, void **))
#undef FIND
    void *context, *linker, *code, *module, *function, *stream;
    size_t size;
    wave_rt_device *device = rt_open("cuda:0"); /* starts the driver */
    cr_assert_eq(cuDevicePrimaryCtxRetain(&context, 0), 0);
    cr_assert_eq(cuCtxPushCurrent_v2(context), 0);
    cr_assert_eq(cuLinkCreate_v2(0, NULL, NULL, &linker), 0);
    cr_assert_eq(cuLinkAddData_v2(linker, 1, ptx, sizeof ptx, "k", 0, NULL, NULL), 0);
    cr_assert_eq(cuLinkComplete(linker, &code, &size), 0);
    cr_assert_eq(cuModuleLoadData(&module, code), 0);
    cr_assert_eq(cuLinkDestroy(linker), 0);
    cr_assert_eq(cuModuleGetFunction(&function, module, "k"), 0);
    cr_assert_eq(cuStreamCreate(&stream, 1), 0);
    cr_expect_eq(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 49152, stream, NULL, NULL), 0);
    cr_expect_eq(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 49153, stream, NULL, NULL), 1);
    cr_expect_eq(cuFuncSetAttribute(function, 8, 65537), 1);
    cr_expect_eq(cuFuncSetAttribute(function, 8, 65536), 0);
    cr_expect_eq(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 65536, stream, NULL, NULL), 0);
    cr_expect_eq(cuStreamDestroy_v2(stream), 0);
    cr_expect_eq(cuModuleUnload(module), 0);
    cr_expect_eq(cuCtxPopCurrent_v2(&context), 0);
    cr_expect_eq(cuDevicePrimaryCtxRelease_v2(0), 0);
    wave_rt_close(device);
}

/* Stores r0 through 48 KiB of local memory, which every kernel may use. */
#define STATIC_LOCAL                                                                               \
    ".kernel most\n.registers 4\n.local_memory 49152\n mov_imm r2, 49148\n local_store_u32 r2, "   \
    "r0\n local_load_u32 r3, r2\n device_store_u32 r1, r3\n halt\n.end\n"

Test(rt_cuda, static_local_memory_is_not_requested) {
    rt_scene s;
    wave_rt_error error;
    const uint32_t words[2] = {77, 16};
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    cr_expect_eq(run_store(&s, STATIC_LOCAL, words, &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_eq(count_calls("cuFuncSetAttribute"), 0);
    rt_scene_free(&s);
}

/* Every thread of 2 x 3 x 5 workgroups of 4 x 3 x 2 stores 1 at its own place. */
#define PLACES                                                                                     \
    ".kernel places\n.registers 8\n.workgroup_size 4, 3, 2\n"                                      \
    " mov_sr r1, sr_workgroup_id_z\n mov_imm r2, 3\n mov_sr r3, sr_workgroup_id_y\n"               \
    " imad r1, r1, r2, r3\n mov_imm r2, 2\n mov_sr r3, sr_workgroup_id_x\n"                        \
    " imad r1, r1, r2, r3\n mov_sr r3, sr_thread_id_z\n imad r1, r1, r2, r3\n mov_imm r2, 3\n"     \
    " mov_sr r3, sr_thread_id_y\n imad r1, r1, r2, r3\n mov_imm r2, 4\n"                           \
    " mov_sr r3, sr_thread_id_x\n imad r1, r1, r2, r3\n imul r1, r1, r2\n mov_imm r4, 1\n"         \
    " device_store_u32 r1, r4\n halt\n.end\n"

Test(rt_cuda, grids_and_workgroups_have_three_dimensions) {
    enum { THREADS = 2 * 3 * 5 * 4 * 3 * 2 };
    rt_scene s;
    wave_rt_error error;
    wave_rt_module *module;
    wave_rt_launch launch;
    uint32_t out[THREADS];
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    cr_assert_eq(rt_load(s.device, PLACES, &module, &error), WAVE_RT_OK, "%s", error.message);
    wave_rt_buffer whole = wave_rt_arena_whole(s.arena);
    cr_assert_eq(wave_rt_fill(s.queue, &whole, 0, &error), WAVE_RT_OK);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.grid[0] = 2, launch.grid[1] = 3, launch.grid[2] = 5;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_eq(wave_rt_wait(s.queue, &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_eq(wave_rt_download(s.queue, &whole, 0, out, sizeof out, &error), WAVE_RT_OK);
    for (int k = 0; k < THREADS; k++)
        cr_expect_eq(out[k], 1, "place %d", k);
    wave_rt_module_destroy(module);
    rt_scene_free(&s);
}

Test(rt_cuda, a_grid_beyond_the_limit_is_refused) {
    rt_scene s;
    wave_rt_error error;
    wave_rt_launch launch;
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    wave_rt_launch_init(&launch);
    launch.module = s.module;
    launch.arena = s.arena;
    launch.grid[1] = 65536;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_LIMIT);
    cr_expect_str_eq(error.message, "grid: 65536 workgroups in y; cuda:0 allows 65535");
    rt_scene_free(&s);
}

/* ---- Options ---- */

Test(rt_cuda, the_bounds_option_keeps_accesses_inside) {
    rt_scene s;
    wave_rt_error error;
    wave_rt_module *module;
    wave_rt_module_options options;
    wave_rt_launch launch;
    const uint32_t far[2] = {1, 0x10000000};
    wave_blob binary = rt_assemble(RT_STORE);
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK);
    wave_rt_module_init(&options);
    options.cache = "";
    options.bounds = true;
    cr_assert_eq(wave_rt_module_load(s.device, binary.data, binary.size, &options, &module, &error),
                 WAVE_RT_OK);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.words = far;
    launch.word_count = 2;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_wait(s.queue, &error), WAVE_RT_OK, "%s", error.message);
    wave_rt_module_destroy(module);
    wave_blob_free(&binary);
    rt_scene_free(&s);
}

Test(rt_cuda, another_wave_width_is_refused) {
    wave_rt_error error;
    wave_rt_module *module;
    wave_rt_module_options options;
    wave_rt_device *device = rt_open("cuda:0");
    wave_blob binary = rt_assemble(RT_STORE);
    wave_rt_module_init(&options);
    options.wave_width = 64;
    cr_expect_eq(wave_rt_module_load(device, binary.data, binary.size, &options, &module, &error),
                 WAVE_RT_BAD_INPUT);
    cr_expect(strstr(error.message, "32 lanes, not 64"), "%s", error.message);
    wave_blob_free(&binary);
    wave_rt_close(device);
}

/* ---- Every call fails once ---- */

Test(rt_cuda, every_failing_call_is_a_clean_error) {
    /* some attributes are optional, and so is the device's identity */
    static const char *const harmless[] = {"cuCtxPopCurrent_v2",  "cuDeviceGetAttribute",
                                           "cuDeviceGetPCIBusId", "cuDeviceGetUuid",
                                           "cuLinkDestroy",       NULL};
    rt_sim_fail_in_turn(&sim, "cuda:0", 999, harmless);
}

Test(rt_cuda, every_failing_call_of_the_list_leaves_the_emulator) {
    wave_rt_error error;
    wave_rt_list list;
    cr_assert_eq(wave_rt_enumerate(&list, &error), WAVE_RT_OK);
    wave_rt_list_free(&list);
    unsigned all = sim.calls();
    cr_assert_gt(all, 10);
    for (unsigned k = 1; k <= all; k++) {
        sim.reset();
        sim.fail_at(k, 999);
        cr_assert_eq(wave_rt_enumerate(&list, &error), WAVE_RT_OK);
        cr_expect_str_eq(list.devices[list.count - 1].name, "emu");
        cr_expect_eq(list.count + list.absent_count, 5, "call %u", k);
        wave_rt_list_free(&list);
        cr_expect_eq(sim.live(), 0);
    }
}

Test(rt_cuda, a_failing_assert_is_reported) {
    rt_expect_assert("cuda:0", 0, NULL);
    rt_expect_assert("cuda:0", UINT32_MAX, NULL);
    rt_expect_assert("cuda:0", 7, "r0 is r1");
}
