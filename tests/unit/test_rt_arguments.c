/* Arguments by name in the runtime: words of a launch, and refusals. */
#include "rt_helpers.h"

#define KERNEL                                                                                     \
    ".kernel k\n.workgroup_size 1, 1, 1\n.arg out buffer u32 out contained\n.arg b i8\n"           \
    ".arg h u16\n.arg d f64\n.arg s bytes 6\n.arg t local f32\n"                                   \
    " device_store_u32 [out], b\n device_store_u32 [out + 4], h\n device_store_u32 [out + 8], "    \
    "r4\n device_store_u32 [out + 12], s\n halt\n.end\n"

typedef struct fixture {
    wave_rt_device *device;
    wave_rt_module *module;
    wave_rt_arena *arena;
    wave_rt_queue *queue;
    wave_rt_error error;
    uint32_t words[7];
} fixture;

static fixture begin(void) {
    fixture f = {.device = rt_open("emu")};
    cr_assert_eq(rt_load(f.device, KERNEL, &f.module, &f.error), WAVE_RT_OK, "%s", f.error.message);
    cr_assert_eq(wave_rt_arena_create(f.device, 1024, &f.arena, &f.error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_queue_create(f.device, &f.queue, &f.error), WAVE_RT_OK);
    return f;
}

static void end(fixture *f) {
    wave_rt_queue_destroy(f->queue);
    wave_rt_arena_destroy(f->arena);
    wave_rt_module_destroy(f->module);
    wave_rt_close(f->device);
}

static wave_rt_status scalar(fixture *f, const char *name, const void *value, size_t size) {
    return wave_rt_set_scalar(f->module, 0, name, value, size, f->words, &f->error);
}

Test(rt_arguments, arguments_become_words) {
    fixture f = begin();
    const int8_t b = -5;
    const uint16_t h = 60000;
    const double d = 0.5;
    const uint8_t s[6] = {1, 2, 3, 4, 5, 6};
    wave_rt_buffer first, out;
    cr_assert_eq(wave_rt_arena_take(f.arena, 16, &first, &f.error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_arena_take(f.arena, 16, &out, &f.error), WAVE_RT_OK);
    f.words[6] = UINT32_MAX;
    cr_assert_eq(wave_rt_set_buffer(f.module, 0, "out", &out, f.words, &f.error), WAVE_RT_OK);
    cr_assert_eq(scalar(&f, "b", &b, sizeof b), WAVE_RT_OK, "%s", f.error.message);
    cr_assert_eq(scalar(&f, "h", &h, sizeof h), WAVE_RT_OK);
    cr_assert_eq(scalar(&f, "d", &d, sizeof d), WAVE_RT_OK);
    cr_assert_eq(scalar(&f, "s", s, sizeof s), WAVE_RT_OK);
    const uint32_t wanted[7] = {256, 0xFFFFFFFB, 60000, 0, 0x3FE00000, 0x04030201, 0x0605};
    cr_assert_arr_eq(f.words, wanted, sizeof wanted);

    const wave_launch_buffer sizes[] = {{0, 16}};
    wave_rt_launch launch;
    uint32_t got[4];
    wave_rt_launch_init(&launch);
    launch.module = f.module;
    launch.arena = f.arena;
    launch.words = f.words;
    launch.word_count = 7;
    launch.buffers = sizes;
    launch.buffer_count = 1;
    cr_assert_eq(wave_rt_dispatch(f.queue, &launch, &f.error), WAVE_RT_OK, "%s", f.error.message);
    cr_assert_eq(wave_rt_wait(f.queue, &f.error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_download(f.queue, &out, 0, got, sizeof got, &f.error), WAVE_RT_OK);
    const uint32_t stored[4] = {0xFFFFFFFB, 60000, 0x3FE00000, 0x04030201};
    cr_assert_arr_eq(got, stored, sizeof stored);

    const wave_launch_buffer small[] = {{0, 12}};
    launch.buffers = small;
    cr_assert_neq(wave_rt_dispatch(f.queue, &launch, &f.error), WAVE_RT_OK);
    cr_assert(strstr(f.error.message, "outside buffer 'out'"), "%s", f.error.message);
    end(&f);
}

Test(rt_arguments, wrong_arguments_are_refused) {
    fixture f = begin();
    const uint32_t word = 1;
    const uint8_t bytes[9] = {0};
    wave_rt_buffer whole = wave_rt_arena_whole(f.arena), odd = whole;
    odd.offset = 2;
    cr_expect_eq(scalar(&f, "z", &word, 4), WAVE_RT_USAGE);
    cr_expect_eq(scalar(&f, "", &word, 4), WAVE_RT_USAGE);
    cr_expect_eq(scalar(&f, "b", &word, 4), WAVE_RT_USAGE);
    cr_expect_eq(scalar(&f, "b", NULL, 1), WAVE_RT_USAGE);
    cr_expect_eq(scalar(&f, "out", &word, 4), WAVE_RT_USAGE);
    cr_expect_eq(scalar(&f, "t", &word, 4), WAVE_RT_USAGE);
    cr_expect_eq(scalar(&f, "s", bytes, 4), WAVE_RT_USAGE);
    cr_expect_eq(scalar(&f, "s", bytes, 9), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_set_buffer(f.module, 0, "b", &whole, f.words, &f.error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_set_buffer(f.module, 0, "out", NULL, f.words, &f.error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_set_buffer(f.module, 1, "out", &whole, f.words, &f.error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_set_buffer(f.module, 0, "out", &odd, f.words, &f.error), WAVE_RT_USAGE);
    cr_expect(strstr(f.error.message, "E_ARG_ALIGNMENT"), "%s", f.error.message);
    const uint32_t untouched[7] = {0};
    cr_expect_arr_eq(f.words, untouched, sizeof untouched);
    end(&f);
}

/* In libwave's description of a module, names of arguments look like names of kernels. */
Test(rt_arguments, kernels_are_not_confused_with_arguments) {
    static const char source[] =
        ".kernel first\n.workgroup_size 1, 1, 1\n.arg x buffer u32 out\n.arg y u32\n"
        " device_store_u32 [x], y\n halt\n.end\n"
        ".kernel second\n.workgroup_size 1, 1, 1\n.arg x buffer u32 out\n"
        " device_store_u32 [x], 7\n halt\n.end\n";
    char path[4096];
    wave_rt_module *module;
    wave_rt_error error;
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    wave_rt_device *device = rt_open("cuda:0");
    cr_assert_eq(rt_load(device, source, &module, &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_eq(wave_module_find_kernel(wave_rt_module_kernels(module), "second"), 1);
    wave_rt_module_destroy(module);
    wave_rt_close(device);
}
