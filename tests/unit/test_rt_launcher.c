/* Registers and local memory at launch, for kernels that declare 0 (ISA.md 1.3): the runtime checks
 * and compiles such a kernel as if it had declared them. */
#include "rt_helpers.h"

#define REGISTER                                                                                   \
    ".kernel open\n.registers 0\n mov_imm r40, 7\n device_store_u32 r0, r40\n halt\n.end\n"
/* Stores to and loads from the local word at r1. */
#define LOCAL                                                                                      \
    ".kernel open\n.registers 8\n mov_imm r2, 9\n local_store_u32 r1, r2\n"                        \
    " local_load_u32 r3, r1\n device_store_u32 r0, r3\n halt\n.end\n"

typedef struct scene {
    wave_rt_device *device;
    wave_rt_module *module;
    wave_rt_arena *arena;
    wave_rt_queue *queue;
    wave_rt_error error;
} scene;

static scene make(const char *source, const wave_load_options *load) {
    scene s = {.device = rt_open("emu")};
    wave_rt_module_options options;
    wave_blob binary = rt_assemble(source);
    wave_rt_module_init(&options);
    options.cache = "";
    options.load = *load;
    cr_assert_eq(
        wave_rt_module_load(s.device, binary.data, binary.size, &options, &s.module, &s.error),
        WAVE_RT_OK, "%s", s.error.message);
    wave_blob_free(&binary);
    cr_assert_eq(wave_rt_arena_create(s.device, 256, &s.arena, &s.error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_queue_create(s.device, &s.queue, &s.error), WAVE_RT_OK);
    return s;
}

static void end(scene *s) {
    wave_rt_queue_destroy(s->queue);
    wave_rt_arena_destroy(s->arena);
    wave_rt_module_destroy(s->module);
    wave_rt_close(s->device);
}

/* One thread; `local` is r1. */
static wave_rt_status launch(scene *s, uint32_t registers, uint32_t local_memory, uint32_t local) {
    const uint32_t words[2] = {0, local};
    wave_rt_launch l;
    wave_rt_launch_init(&l);
    l.module = s->module;
    l.arena = s->arena;
    l.workgroup[0] = 1;
    l.registers = registers;
    l.local_memory = local_memory;
    l.words = words;
    l.word_count = local ? 2 : 0;
    return wave_rt_dispatch(s->queue, &l, &s->error);
}

static uint32_t result(scene *s) {
    wave_rt_buffer whole = wave_rt_arena_whole(s->arena);
    uint32_t word = 0;
    cr_expect_eq(wave_rt_download(s->queue, &whole, 0, &word, 4, &s->error), WAVE_RT_OK);
    return word;
}

Test(rt_launcher, loading_can_set_the_registers) {
    scene s = make(REGISTER, &(wave_load_options){.registers = 64});
    cr_expect_eq(launch(&s, 0, 0, 0), WAVE_RT_OK, "%s", s.error.message);
    cr_expect_eq(result(&s), 7);
    end(&s);
    RT_EXPECT_NO_LEAK();
}

/* A launch with fewer registers than the kernel uses is refused, as such a file would be. */
Test(rt_launcher, a_launch_can_set_the_registers) {
    scene s = make(REGISTER, &(wave_load_options){.registers = 64});
    cr_expect_eq(launch(&s, 40, 0, 0), WAVE_RT_BAD_INPUT);
    cr_expect(strstr(s.error.log, "E_REGISTER"), "%s", s.error.log);
    cr_expect_eq(launch(&s, 41, 0, 0), WAVE_RT_OK, "%s", s.error.message);
    cr_expect_eq(launch(&s, 257, 0, 0), WAVE_RT_USAGE);
    cr_expect(strstr(s.error.message, "257 registers"), "%s", s.error.message);
    cr_expect_eq(result(&s), 7);
    end(&s);
    RT_EXPECT_NO_LEAK();
}

/* In a lenient module registers beyond the launch's read 0. */
Test(rt_launcher, a_lenient_module_may_have_fewer_registers) {
    scene s = make(REGISTER, &(wave_load_options){.mode = WAVE_MODE_LENIENT});
    cr_expect_eq(launch(&s, 64, 0, 0), WAVE_RT_OK, "%s", s.error.message);
    cr_expect_eq(result(&s), 7);
    cr_expect_eq(launch(&s, 0, 0, 0), WAVE_RT_OK, "%s", s.error.message);
    cr_expect_eq(result(&s), 0);
    cr_expect_eq(launch(&s, 64, 0, 0), WAVE_RT_OK, "%s", s.error.message);
    cr_expect_eq(result(&s), 7);
    end(&s);
}

Test(rt_launcher, a_launch_can_set_the_local_memory) {
    scene s = make(LOCAL, &(wave_load_options){0});
    cr_expect_eq(launch(&s, 0, 0, 16380), WAVE_RT_OK, "%s", s.error.message);
    cr_expect_eq(result(&s), 9);
    cr_expect_eq(launch(&s, 0, 0, 16384), WAVE_RT_LAUNCH);
    cr_expect_eq(launch(&s, 0, 16388, 16384), WAVE_RT_OK, "%s", s.error.message);
    cr_expect_eq(launch(&s, 0, 1024, 1024), WAVE_RT_LAUNCH);
    cr_expect_eq(launch(&s, 0, 1024, 1020), WAVE_RT_OK, "%s", s.error.message);
    cr_expect_eq(launch(&s, 0, 65537, 1024), WAVE_RT_USAGE);
    end(&s);
    RT_EXPECT_NO_LEAK();
}

/* The launcher cannot change what the kernel declares. */
Test(rt_launcher, the_kernels_declarations_take_precedence) {
    scene s = make(".kernel own\n.registers 2\n.local_memory 16\n mov_imm r1, 16\n"
                   " local_load_u32 r1, r1\n halt\n.end\n",
                   &(wave_load_options){.registers = 200, .local_memory = 1024});
    const wave_kernel_info *info = wave_module_kernel(wave_rt_module_kernels(s.module), 0);
    cr_expect(info->registers == 2 && info->local_memory == 16);
    cr_expect_eq(launch(&s, 1, 4096, 0), WAVE_RT_LAUNCH);
    cr_expect(strstr(s.error.message, "outside the 16 bytes"), "%s", s.error.message);
    end(&s);
}
