/* The runtime's core on the emulator: names, queries, arenas, bounds, limits, launches, threads. */
#include "rt_helpers.h"

#include <pthread.h>

/* ---- Devices ---- */

Test(rt_core, the_list_names_devices_and_absent_vendors, .init = rt_turn_off_vendors) {
    wave_rt_list list;
    wave_rt_error error;
    cr_assert_eq(wave_rt_enumerate(&list, &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(list.count, 1);
    cr_expect_str_eq(list.devices[0].name, "emu");
    cr_assert_eq(list.absent_count, 4);
    cr_expect_str_eq(list.absent[0].vendor, "cuda");
    cr_expect_str_eq(list.absent[0].reason, "turned off: WAVE_CUDA_LIBRARY is empty");
    cr_expect_str_eq(list.absent[3].vendor, "sycl");
    cr_expect_str_eq(list.absent[3].reason, "turned off: WAVE_RT_PLUGINS is empty");
    wave_rt_list_free(&list);
    wave_rt_list_free(&list);
}

Test(rt_core, auto_is_the_emulator_without_other_devices, .init = rt_turn_off_vendors) {
    wave_rt_device *device = rt_open("auto");
    cr_expect_str_eq(wave_rt_device_describe(device)->name, "emu");
    wave_rt_close(device);
}

Test(rt_core, unknown_devices_are_refused_with_a_reason, .init = rt_turn_off_vendors) {
    static const struct {
        const char *name, *words;
    } cases[] = {
        {"", "unknown device ''"},
        {"emulator", "names are emu, cuda:0"},
        {"emu:1", "there is one emulator"},
        {"cuda:0", "WAVE_CUDA_LIBRARY is empty"},
        {"cuda:x", "cuda:NUMBER"},
        {"hip:0", "WAVE_HIP_LIBRARY is empty"},
        {"metal:0", "WAVE_RT_PLUGINS is empty"},
        {"sycl:cpu", "WAVE_RT_PLUGINS is empty"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wave_rt_device *device = (wave_rt_device *)&device;
        wave_rt_error error;
        cr_expect_eq(wave_rt_open(cases[k].name, &device, &error), WAVE_RT_NO_DEVICE);
        cr_expect_null(device);
        cr_expect(strstr(error.message, cases[k].words), "%s: %s", cases[k].name, error.message);
    }
    setenv("WAVE_CUDA_LIBRARY", "/there/is/none.so", 1);
    wave_rt_error error;
    wave_rt_device *device;
    cr_expect_eq(wave_rt_open("cuda:0", &device, &error), WAVE_RT_NO_DEVICE);
    cr_expect(strstr(error.message, "WAVE_CUDA_LIBRARY: "), "%s", error.message);
    cr_expect_eq(wave_rt_open(NULL, &device, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_open("emu", NULL, NULL), WAVE_RT_USAGE);
}

/* The names of the specification, section 7, with its minimums. */
Test(rt_core, every_constant_and_capability_can_be_queried) {
    static const struct {
        const char *name;
        uint64_t least;
    } constants[] = {{"WAVE_WIDTH", 8},
                     {"MAX_REGISTERS", 64},
                     {"REGISTER_FILE_SIZE", 16384},
                     {"LOCAL_MEMORY_SIZE", 16384},
                     {"MAX_WORKGROUP_SIZE", 256},
                     {"MAX_WORKGROUPS_PER_CORE", 1},
                     {"MAX_WAVES_PER_CORE", 4},
                     {"DEVICE_MEMORY_SIZE", 1},
                     {"CLUSTER_SIZE", 1},
                     {"MAX_CALL_DEPTH", 8},
                     {"MIN_DIVERGENCE_DEPTH", 32},
                     {"MMA_M", 16},
                     {"MMA_N", 16},
                     {"MMA_K", 16},
                     {"MMA_TYPES", 31}};
    static const struct {
        const char *name;
        bool present;
    } capabilities[] = {{"CAP_F64", true}, {"CAP_ATOMIC_64", true}, {"CAP_ATOMIC_F32", true},
                        {"CAP_MMA", true}, {"CAP_RECURSION", true}, {"CAP_CLUSTER", false}};
    wave_rt_device *device = rt_open("emu");
    wave_rt_error error;
    uint64_t value;
    bool present;
    for (unsigned k = 0; k < 15; k++) {
        cr_expect_str_eq(wave_rt_constant_name(k), constants[k].name);
        cr_expect_eq(wave_rt_query_constant(device, constants[k].name, &value, &error), WAVE_RT_OK);
        cr_expect_geq(value, constants[k].least, "%s", constants[k].name);
    }
    cr_expect_null(wave_rt_constant_name(15));
    for (unsigned k = 0; k < 6; k++) {
        cr_expect_str_eq(wave_rt_capability_name(k), capabilities[k].name);
        cr_expect_eq(wave_rt_query_capability(device, capabilities[k].name, &present, &error),
                     WAVE_RT_OK);
        cr_expect_eq(present, capabilities[k].present, "%s", capabilities[k].name);
    }
    cr_expect_null(wave_rt_capability_name(6));
    cr_expect_eq(wave_rt_query_constant(device, "WAVE_HEIGHT", &value, &error), WAVE_RT_USAGE);
    cr_expect(strstr(error.message, "WAVE_HEIGHT"));
    cr_expect_eq(wave_rt_query_capability(device, "F64", &present, &error), WAVE_RT_USAGE);
    wave_rt_close(device);
}

/* ---- Memory ---- */

Test(rt_core, an_arena_gives_out_aligned_buffers) {
    wave_rt_device *device = rt_open("emu");
    wave_rt_arena *arena;
    wave_rt_buffer a, b, part;
    wave_rt_error error;
    cr_expect_eq(wave_rt_arena_create(device, 0, &arena, &error), WAVE_RT_USAGE);
    cr_expect_null(arena);
    cr_expect_eq(wave_rt_arena_create(device, ((uint64_t)1 << 32) + 1, &arena, &error),
                 WAVE_RT_USAGE);
    cr_assert_eq(wave_rt_arena_create(device, 1000, &arena, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_arena_take(arena, 10, &a, &error), WAVE_RT_OK);
    cr_expect(a.offset == 0 && a.size == 10);
    cr_expect_eq(wave_rt_arena_take(arena, 744, &b, &error), WAVE_RT_OK);
    cr_expect(b.offset == 256 && b.size == 744);
    cr_expect_eq(wave_rt_arena_take(arena, 1, &part, &error), WAVE_RT_BOUNDS);
    cr_expect(strstr(error.message, "the arena of 1000 bytes has no room for 1: 1000 are in use"),
              "%s", error.message);
    cr_expect_eq(wave_rt_arena_take(arena, UINT64_MAX, &part, &error), WAVE_RT_BOUNDS);
    cr_expect_eq(wave_rt_buffer_part(&b, 700, 44, &part, &error), WAVE_RT_OK);
    cr_expect(part.offset == 956 && part.size == 44);
    cr_expect_eq(wave_rt_buffer_part(&part, 1, 44, &part, &error), WAVE_RT_BOUNDS);
    cr_expect_eq(wave_rt_buffer_part(&part, UINT64_MAX, 2, &part, &error), WAVE_RT_BOUNDS);
    wave_rt_arena_reset(arena);
    cr_expect_eq(wave_rt_arena_take(arena, 1000, &a, &error), WAVE_RT_OK);
    cr_expect_eq(a.offset, 0);
    wave_rt_close(device); /* the arena keeps the device alive */
    wave_rt_arena_destroy(arena);
}

Test(rt_core, transfers_stay_inside_their_buffers) {
    wave_rt_device *device = rt_open("emu"), *other = rt_open("emu");
    wave_rt_arena *arena;
    wave_rt_queue *queue, *stranger;
    wave_rt_buffer a, b;
    wave_rt_error error;
    uint8_t bytes[300], back[300] = {0};
    for (unsigned k = 0; k < sizeof bytes; k++)
        bytes[k] = (uint8_t)k;
    cr_assert_eq(wave_rt_arena_create(device, 1024, &arena, &error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_queue_create(device, &queue, &error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_queue_create(other, &stranger, &error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_arena_take(arena, 300, &a, &error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_arena_take(arena, 100, &b, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_upload(queue, &a, 0, bytes, 300, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_fill(queue, &b, 7, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_download(queue, &a, 44, back, 256, &error), WAVE_RT_OK);
    cr_expect_arr_eq(back, bytes + 44, 256);
    cr_expect_eq(wave_rt_download(queue, &b, 0, back, 100, &error), WAVE_RT_OK);
    cr_expect(back[0] == 7 && back[99] == 7);
    /* no transfer crosses a buffer's bounds */
    cr_expect_eq(wave_rt_upload(queue, &b, 0, bytes, 101, &error), WAVE_RT_BOUNDS);
    cr_expect(strstr(error.message, "101 bytes at 0 are outside the buffer of 100 bytes"));
    cr_expect_eq(wave_rt_upload(queue, &b, 100, bytes, 1, &error), WAVE_RT_BOUNDS);
    cr_expect_eq(wave_rt_download(queue, &b, UINT64_MAX, back, 2, &error), WAVE_RT_BOUNDS);
    cr_expect_eq(wave_rt_upload(queue, &b, 100, NULL, 0, &error), WAVE_RT_OK);
    wave_rt_buffer forged = {arena, 1000, 100};
    cr_expect_eq(wave_rt_upload(queue, &forged, 0, bytes, 1, &error), WAVE_RT_BOUNDS);
    cr_expect_eq(wave_rt_upload(stranger, &a, 0, bytes, 1, &error), WAVE_RT_USAGE);
    cr_expect(strstr(error.message, "different devices"));
    cr_expect_eq(wave_rt_upload(queue, &a, 0, NULL, 1, &error), WAVE_RT_USAGE);
    wave_rt_queue_destroy(queue);
    wave_rt_queue_destroy(stranger);
    wave_rt_arena_destroy(arena);
    wave_rt_close(device);
    wave_rt_close(other);
}

/* ---- Modules and launches ---- */

Test(rt_core, a_kernel_runs_on_the_emulator) {
    rt_scene s;
    wave_rt_error error;
    cr_assert_eq(rt_scene_make(&s, "emu", &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(rt_scene_launch(&s, &error), WAVE_RT_OK, "%s", error.message);
    rt_expect_sums(&s);
    cr_expect_geq(s.seconds, 0);
    cr_expect_str_eq(wave_rt_module_text(s.module, NULL), "");
    rt_scene_free(&s);
}

/* A SPIR-V module is loaded like a WBIN file: kernel k(global uint *o) stores 7. */
Test(rt_core, a_spirv_module_is_loaded_like_a_wbin_file) {
    static const uint32_t words[] = {
        0x07230203, 0x00010400, 0,          10,         0,          0x00020011, 6,
        0x00020011, 4, /* capabilities */
        0x0003000E, 1,          2,          0x0004000F, 6,          7,          'k',
        0x00030005, 8,          'o', /* model, entry, name */
        0x00020013, 1,          0x00040015, 2,          32,         0,          0x00040020,
        3,          5,          2, /* types */
        0x00040021, 4,          1,          3,          0x0004002B, 2,          5,
        7,          0x00050036, 1,          7,          0,          4, /* constant, function */
        0x00030037, 3,          8,          0x000200F8, 9,          0x0003003E, 8,
        5,          0x000100FD, 0x00010038};
    rt_scene s;
    wave_rt_error error;
    cr_assert_eq(rt_scene_make(&s, "emu", &error), WAVE_RT_OK, "%s", error.message);
    wave_rt_module *module;
    cr_assert_eq(wave_rt_module_load(s.device, words, sizeof words, NULL, &module, &error),
                 WAVE_RT_OK, "%s", error.message);
    uint32_t place = (uint32_t)s.c.offset, result = 0;
    wave_rt_launch launch;
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.words = &place;
    launch.word_count = 1;
    cr_assert_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(wave_rt_wait(s.queue, &error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_download(s.queue, &s.c, 0, &result, 4, &error), WAVE_RT_OK);
    cr_expect_eq(result, 7);
    wave_rt_module_destroy(module);
    rt_scene_free(&s);
}

Test(rt_core, bad_modules_are_refused_with_a_log) {
    static const uint8_t bytes[40] = {'W', 'A', 'V', 'E'};
    wave_rt_device *device = rt_open("emu");
    wave_rt_module *module;
    wave_rt_error error = {0};
    cr_expect_eq(wave_rt_module_load(device, bytes, sizeof bytes, NULL, &module, &error),
                 WAVE_RT_BAD_INPUT);
    cr_expect_null(module);
    cr_expect(*error.message && strstr(error.log, "error: E_"), "%s", error.log);
    cr_expect_eq(wave_rt_module_load(device, NULL, 0, NULL, &module, &error), WAVE_RT_USAGE);
    wave_rt_close(device);
}

Test(rt_core, missing_argument_words_are_zero_and_extra_ones_refused) {
    rt_scene s;
    wave_rt_error error;
    wave_rt_launch launch;
    wave_rt_module *module;
    const uint32_t words[3] = {42, 8, 9};
    uint32_t out[4];
    cr_assert_eq(rt_scene_make(&s, "emu", &error), WAVE_RT_OK);
    cr_assert_eq(rt_load(s.device, RT_STORE, &module, &error), WAVE_RT_OK);
    wave_rt_buffer whole = wave_rt_arena_whole(s.arena);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.words = words;
    launch.word_count = 3;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_USAGE);
    cr_expect_str_eq(error.message, "the kernel takes 2 argument words, not 3");
    launch.word_count = 2;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_OK);
    launch.word_count = 1; /* the address is 0 then */
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_download(s.queue, &whole, 0, out, sizeof out, &error), WAVE_RT_OK);
    cr_expect(out[0] == 42 && out[1] == 0 && out[2] == 42);
    wave_rt_module_destroy(module);
    rt_scene_free(&s);
}

Test(rt_core, launches_beyond_the_limits_are_refused) {
    rt_scene s;
    wave_rt_error error;
    wave_rt_launch launch;
    wave_rt_module *module;
    double seconds;
    cr_assert_eq(rt_scene_make(&s, "emu", &error), WAVE_RT_OK);
    cr_assert_eq(rt_load(s.device, RT_STORE, &module, &error), WAVE_RT_OK);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.workgroup[0] = 1025;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_LIMIT);
    cr_expect_str_eq(error.message, "workgroup: 1025 threads in x; emu allows 1024");
    launch.workgroup[0] = 64;
    launch.workgroup[1] = 17;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_LIMIT);
    cr_expect_str_eq(error.message, "MAX_WORKGROUP_SIZE: 1088 threads; emu allows 1024");
    launch.workgroup[1] = 0;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_USAGE);
    cr_expect_str_eq(error.message, "the workgroup has size 0 in y");
    wave_rt_launch_init(&launch);
    launch.module = s.module; /* declares 64 threads */
    launch.workgroup[0] = 128;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_USAGE);
    cr_expect(strstr(error.message, "declares workgroups of 64,1,1"), "%s", error.message);
    launch.kernel = 1;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_elapsed(s.queue, &seconds, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_dispatch(s.queue, NULL, &error), WAVE_RT_USAGE);
    wave_rt_module_destroy(module);
    rt_scene_free(&s);
}

/* The emulator's diagnostics report a kernel that leaves its arena. */
Test(rt_core, a_failing_kernel_is_reported_with_a_log) {
    rt_scene s;
    wave_rt_error error = {0};
    wave_rt_launch launch;
    wave_rt_module *module;
    const uint32_t words[2] = {1, 0x10000000};
    cr_assert_eq(rt_scene_make(&s, "emu", &error), WAVE_RT_OK);
    cr_assert_eq(rt_load(s.device, RT_STORE, &module, &error), WAVE_RT_OK);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.words = words;
    launch.word_count = 2;
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_LAUNCH);
    cr_expect(strstr(error.log, "E_OUT_OF_BOUNDS"), "%s", error.log);
    wave_rt_module_destroy(module);
    rt_scene_free(&s);
}

Test(rt_core, narrow_waves_limit_the_workgroup) {
    rt_scene s;
    wave_rt_error error;
    wave_rt_module_options options;
    wave_rt_module *module;
    wave_blob binary = rt_assemble(RT_STORE);
    cr_assert_eq(rt_scene_make(&s, "emu", &error), WAVE_RT_OK);
    wave_rt_module_init(&options);
    options.wave_width = 4;
    cr_assert_eq(wave_rt_module_load(s.device, binary.data, binary.size, &options, &module, &error),
                 WAVE_RT_OK);
    wave_rt_launch launch;
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = s.arena;
    launch.workgroup[0] = 512; /* 64 waves of 4 lanes are 256 threads */
    cr_expect_eq(wave_rt_dispatch(s.queue, &launch, &error), WAVE_RT_LIMIT);
    cr_expect(strstr(error.message, "512 threads has 128 waves of 4 lanes; emu allows 64"), "%s",
              error.message);
    wave_rt_module_destroy(module);
    options.wave_width = 65;
    cr_expect_eq(wave_rt_module_load(s.device, binary.data, binary.size, &options, &module, &error),
                 WAVE_RT_LIMIT);
    wave_blob_free(&binary);
    rt_scene_free(&s);
}

/* ---- Threads ---- */

enum { THREADS = 4, ROUNDS = 8 };

typedef struct worker {
    wave_rt_device *device;
    wave_rt_module *module;
    wave_rt_arena *arena;
    uint32_t number;
    bool good;
} worker;

/* One queue per thread; device, module and arena are shared. */
static void *work(void *user) {
    worker *w = user;
    wave_rt_queue *queue = NULL;
    wave_rt_buffer a, b, c;
    const uint64_t size = 64 * 4;
    bool good = wave_rt_queue_create(w->device, &queue, NULL) == WAVE_RT_OK &&
                wave_rt_arena_take(w->arena, size, &a, NULL) == WAVE_RT_OK &&
                wave_rt_arena_take(w->arena, size, &b, NULL) == WAVE_RT_OK &&
                wave_rt_arena_take(w->arena, size, &c, NULL) == WAVE_RT_OK;
    for (uint32_t round = 0; round < ROUNDS && good; round++) {
        uint32_t words[4] = {(uint32_t)a.offset, (uint32_t)b.offset, (uint32_t)c.offset, round};
        uint32_t ones[64], out[64] = {0};
        wave_rt_launch launch;
        for (unsigned k = 0; k < 64; k++)
            ones[k] = w->number;
        wave_rt_launch_init(&launch);
        launch.module = w->module;
        launch.arena = w->arena;
        launch.words = words;
        launch.word_count = 4;
        good = wave_rt_upload(queue, &a, 0, ones, size, NULL) == WAVE_RT_OK &&
               wave_rt_upload(queue, &b, 0, ones, size, NULL) == WAVE_RT_OK &&
               wave_rt_dispatch(queue, &launch, NULL) == WAVE_RT_OK &&
               wave_rt_wait(queue, NULL) == WAVE_RT_OK &&
               wave_rt_download(queue, &c, 0, out, size, NULL) == WAVE_RT_OK;
        for (unsigned k = 0; k < 64; k++)
            good &= out[k] == w->number * (round + 1);
    }
    wave_rt_queue_destroy(queue);
    w->good = good;
    return NULL;
}

Test(rt_core, a_device_can_be_used_by_several_threads) {
    wave_rt_device *device = rt_open("emu");
    wave_rt_module *module;
    wave_rt_arena *arena;
    pthread_t threads[THREADS];
    worker workers[THREADS];
    cr_assert_eq(rt_load(device, RT_MADD, &module, NULL), WAVE_RT_OK);
    cr_assert_eq(wave_rt_arena_create(device, 64 * 4 * 3 * THREADS, &arena, NULL), WAVE_RT_OK);
    for (unsigned k = 0; k < THREADS; k++) {
        workers[k] = (worker){device, module, arena, k + 1, false};
        cr_assert_eq(pthread_create(&threads[k], NULL, work, &workers[k]), 0);
    }
    for (unsigned k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        cr_expect(workers[k].good, "thread %u", k);
    }
    wave_rt_arena_destroy(arena);
    wave_rt_module_destroy(module);
    wave_rt_close(device);
}
