/* Launching: refusals, limits, statistics, lenient modules, threads, and independence of the
 * caller's floating-point environment. */
#include "emu_helpers.h"

#include <fenv.h>
#include <pthread.h>

/* ---- Refused launches ---- */

static void expect_refused(emu_case *c, const char *words) {
    cr_expect_eq(emu_run(c), WAVE_ERROR_USAGE);
    emu_expect_error(c, "E_LAUNCH", words);
    wave_launch_init(&c->launch);
}

Test(emu_launch, wrong_launches_are_refused) {
    emu_case c = emu_open(".kernel k\n.registers 0\n mov r20, r1\n halt\n.end\n");
    wave_launch_init(&c.launch);
    c.launch.kernel = 1;
    expect_refused(&c, "no kernel 1");
    c.launch.wave_width = 0;
    expect_refused(&c, "wave width 0 is out of range");
    c.launch.wave_width = 65;
    expect_refused(&c, "wave width 65 is out of range");
    c.launch.workgroup[1] = 0;
    expect_refused(&c, "workgroup size 32 x 0 x 1");
    c.launch.workgroup[1] = 33;
    expect_refused(&c, "1056 threads");
    c.launch.workgroup[0] = 0xFFFFFFFF;
    expect_refused(&c, "workgroup size 4294967295 x 1 x 1");
    c.launch.workgroup[0] = 65;
    c.launch.wave_width = 1;
    expect_refused(&c, "65 waves");
    c.launch.grid[2] = 0;
    expect_refused(&c, "grid size 1 x 1 x 0");
    c.launch.grid[0] = c.launch.grid[1] = c.launch.grid[2] = 0xFFFFFFFF;
    expect_refused(&c, "too large");
    c.launch.local_memory = 65537;
    expect_refused(&c, "65537 bytes of local memory");
    c.launch.device_size = ((uint64_t)1 << 32) + 1;
    expect_refused(&c, "4294967297 bytes of device memory");
    c.launch.device_size = 4;
    expect_refused(&c, "device memory is null");
    c.launch.registers = 257;
    expect_refused(&c, "register count 257");
    c.launch.registers = 20;
    expect_refused(&c, "uses r20");
    c.launch.initial_count = 1;
    expect_refused(&c, "initial register values");
    c.launch.registers = 21;
    emu_run_ok(&c);
    cr_expect_eq(wave_emulate(NULL, &c.launch, c.diags), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_emulate(c.module, NULL, c.diags), WAVE_ERROR_USAGE);
    emu_close(&c);
}

Test(emu_launch, a_workgroup_may_have_1024_threads_in_64_waves) {
    emu_case c = emu_open_threads(EMU_THREAD "device_store_u32 r2, r1\n halt", 1024, 16);
    emu_run_ok(&c);
    cr_expect_eq(c.stats.waves, 64);
    cr_expect_eq(c.memory[1023], 1023);
    emu_close(&c);
}

/* The kernel's declarations take precedence over the launch. */
Test(emu_launch, the_kernels_declarations_take_precedence) {
    emu_case c = emu_open(".kernel k\n.registers 4\n.workgroup_size 3, 2, 1\n.local_memory 8\n"
                          "mov_sr r0, sr_workgroup_size_x\n device_store_u32 r1, r0\n"
                          "mov_imm r0, 8\n local_load_u8 r0, r0\n halt\n.end\n");
    c.launch.workgroup[0] = 64;
    c.launch.local_memory = 4096;
    c.launch.registers = 1;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_OUT_OF_BOUNDS", "outside the 8 bytes");
    cr_expect_eq(c.memory[0], 3);
    emu_close(&c);
}

Test(emu_launch, initial_registers_are_set_in_every_workgroup) {
    static const uint32_t words[] = {8, 77};
    emu_case c = emu_open_code("device_store_u32 r0, r1\n device_store_u32 r2, r3\n halt");
    c.launch.initial = words;
    c.launch.initial_count = 2;
    c.launch.grid[0] = 2;
    emu_run_ok(&c);
    cr_expect_eq(c.memory[2], 77);
    cr_expect_eq(c.memory[0], 0);
    emu_close(&c);
}

/* ---- Limits ---- */

/* mov_imm, iadd, iadd, halt for each of two waves: 8 wave-instructions. */
Test(emu_launch, the_instruction_limit_is_exact) {
    emu_case c = emu_open_code("mov_imm r1, 1\n iadd r2, r1, r1\n iadd r2, r2, r1\n halt");
    c.launch.workgroup[0] = 64;
    c.launch.grid[0] = 3;
    c.launch.max_instructions = 8;
    emu_run_ok(&c);
    cr_expect_eq(c.stats.instructions, 24);
    c.launch.max_instructions = 7;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_LIMIT);
    const wave_diag *d = emu_expect_error(&c, "E_LIMIT", "wave 1: instruction limit exceeded: 7 ");
    cr_expect_eq(d->offset, 24, "the halt of wave 1 is not executed");
    cr_expect_eq(c.stats.instructions, 7);
    emu_close(&c);
}

/* Falling off the end is not an instruction: the limit does not count it. */
Test(emu_launch, the_end_of_the_code_is_not_counted) {
    emu_case c = emu_open_code("nop\n nop");
    c.launch.workgroup[0] = 64;
    c.launch.max_instructions = 4;
    emu_run_ok(&c);
    cr_expect_eq(c.stats.instructions, 4);
    c.launch.random_schedule = true;
    emu_run_ok(&c);
    cr_expect_eq(c.stats.instructions, 4);
    c.launch.max_instructions = 3;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_LIMIT);
    emu_close(&c);
}

/* Wave 0 falls off the end, wave 1 never does: the limit is unchanged. */
Test(emu_launch, a_wave_that_has_ended_does_not_change_the_limit) {
    emu_case c = emu_open_code("mov_sr r1, sr_wave_id\n icmp_eq p1, r1, r0\n loop\n break p1\n"
                               "endloop");
    c.launch.workgroup[0] = 64;
    c.launch.max_instructions = 100;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_LIMIT);
    cr_expect_eq(c.stats.instructions, 100);
    c.launch.max_instructions = 9; /* wave 0 executes 5, wave 1 the other 4 */
    cr_expect_eq(emu_run(&c), WAVE_ERROR_LIMIT);
    cr_expect_eq(c.stats.instructions, 9);
    emu_close(&c);
}

Test(emu_launch, an_endless_loop_reaches_the_limit) {
    emu_case c = emu_open_code("loop\n nop\n endloop\n halt");
    c.launch.max_instructions = 1000;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_LIMIT);
    cr_expect_eq(c.stats.instructions, 1000);
    emu_close(&c);
}

Test(emu_launch, a_failing_assert_names_its_lane) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 9\n icmp_ne p1, r1, r3\n assert p1, 42\n"
                                          "halt");
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_ASSERT", "lane 9, thread (9,0,0): assertion 42 failed");
    emu_close(&c);
}

/* ---- Lenient modules ---- */

/* Registers 3 and up do not exist: they read 0 and ignore writes, pairs by halves. */
Test(emu_launch, registers_that_do_not_exist_read_zero_and_ignore_writes) {
    static const char source[] =
        ".kernel k\n.registers 3\n mov_imm r9, 5\n device_store_u32 r0, r9\n"
        "mov_imm r0, 7\n cvt_f64_f32 r2, r0\n mov_imm r0, 16\n"
        "device_load_u64 r2, r0\n mov_imm r0, 8\n"
        "device_store_u64 r0, r2\n mov_imm r0, 0\n mov_imm r1, 32\n"
        "device_load_u128 r1, r1\n mov_imm r0, 48\n"
        "device_store_u64 r0, r1\n halt\n.end\n";
    emu_case c = emu_open_mode(source, WAVE_MODE_LENIENT);
    for (uint32_t i = 0; i < 16; i++)
        c.memory[i] = 0x100 + i;
    emu_run_ok(&c);
    cr_expect_eq(c.memory[0], 0);
    cr_expect_eq(c.memory[2], 0x104);
    cr_expect_eq(c.memory[3], 0);
    cr_expect_eq(c.memory[12], 0x108);
    cr_expect_eq(c.memory[13], 0x109);
    emu_close(&c);
}

/* ---- Statistics ---- */

/* 48 threads in waves of 32 and 16 lanes. Threads below 8 take the if: wave 0 diverges, wave 1
 * skips the store. By hand, for both waves: mov_sr, mov_imm, shl, mov_imm, ucmp_lt, if, endif,
 * local_store, barrier, local_load, atomic, wave_ballot, fadd, halt = 14 each, plus one store. */
Test(emu_launch, statistics_count_every_kind_of_operation) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 8\n ucmp_lt p1, r1, r3\n if p1\n"
                                          "device_store_u8 r2, r1\n endif\n"
                                          "local_store_u32 r2, r1\n barrier\n"
                                          "local_load_u64 r6, r0\n atomic_add r4, r0, r3, .device\n"
                                          "wave_ballot r5, p1\n fadd r5, r5, r5\n halt");
    c.launch.workgroup[0] = 48;
    emu_run_ok(&c);
    const wave_stats *s = &c.stats;
    cr_expect_eq(s->instructions, 2 * 14 + 1);
    cr_expect_eq(s->integer_ops, 2 * 2, "shl, ucmp_lt");
    cr_expect_eq(s->float_ops, 2);
    cr_expect_eq(s->memory_ops, 2 * 2 + 1);
    cr_expect_eq(s->control_ops, 2 * 7, "mov_sr, 2 mov_imm, if, endif, barrier, halt");
    cr_expect_eq(s->wave_ops, 2);
    cr_expect_eq(s->atomic_ops, 48);
    cr_expect_eq(s->lane_ops, 48 * 13 + 8 + 8, "8 lanes reach the store and the endif");
    cr_expect_eq(s->device_loads, 0);
    cr_expect_eq(s->device_stores, 8);
    cr_expect_eq(s->device_store_bytes, 8);
    cr_expect_eq(s->local_loads, 48);
    cr_expect_eq(s->local_load_bytes, 48 * 8);
    cr_expect_eq(s->local_stores, 48);
    cr_expect_eq(s->local_store_bytes, 48 * 4);
    cr_expect_eq(s->barriers, 2);
    cr_expect_eq(s->divergent_branches, 1);
    cr_expect_eq(s->workgroups, 1);
    cr_expect_eq(s->waves, 2);
    emu_close(&c);
}

static uint64_t instructions_of(const char *code) {
    emu_case c = emu_open_code(code);
    emu_run_ok(&c);
    cr_expect_eq(c.stats.divergent_branches, 0);
    uint64_t count = c.stats.instructions;
    emu_close(&c);
    return count;
}

/* Instructions that a wave without active lanes skips are not counted; the one where it continues
 * is. */
Test(emu_launch, skipped_instructions_do_not_count) {
    /* icmp_ne, if, endif, halt */
    cr_expect_eq(instructions_of("icmp_ne p1, r0, r0\n if p1\n nop\n endif\n halt"), 4);
    /* icmp_eq, if, nop, else, endif, halt: no lane takes the other side */
    cr_expect_eq(instructions_of("icmp_eq p1, r0, r0\n if p1\n nop\n else\n nop\n endif\n halt"),
                 6);
    /* icmp_eq, loop, break, endloop, halt */
    cr_expect_eq(instructions_of("icmp_eq p1, r0, r0\n loop\n break p1\n nop\n if p2\n nop\n"
                                 "endif\n nop\n endloop\n halt"),
                 5);
    /* icmp_eq, call, if, return, endif, the last return, halt */
    cr_expect_eq(instructions_of("icmp_eq p1, r0, r0\n call f\n halt\n f: if p1\n return\n endif\n"
                                 "nop\n if p2\n return\n endif\n nop\n return"),
                 7);
}

Test(emu_launch, statistics_have_the_documented_text) {
    const wave_stats stats = {.instructions = 1,
                              .integer_ops = 2,
                              .float_ops = 3,
                              .memory_ops = 4,
                              .control_ops = 5,
                              .wave_ops = 6,
                              .atomic_ops = 7,
                              .device_loads = 8,
                              .device_load_bytes = 9,
                              .device_stores = 10,
                              .device_store_bytes = 11,
                              .local_loads = 12,
                              .local_load_bytes = 13,
                              .local_stores = 14,
                              .local_store_bytes = 15,
                              .barriers = 16,
                              .divergent_branches = 17,
                              .workgroups = 18,
                              .waves = 19};
    wave_blob text;
    cr_assert_eq(wave_stats_format(&stats, &text), WAVE_OK);
    cr_expect_str_eq((const char *)text.data, "Execution Statistics:\n"
                                              "  Instructions executed: 1\n"
                                              "    Integer ops:         2\n"
                                              "    Float ops:           3\n"
                                              "    Memory ops:          4\n"
                                              "    Control ops:         5\n"
                                              "    Wave ops:            6\n"
                                              "    Atomic ops:          7\n"
                                              "\n"
                                              "  Device memory:\n"
                                              "    Loads:  8 (9 bytes)\n"
                                              "    Stores: 10 (11 bytes)\n"
                                              "\n"
                                              "  Local memory:\n"
                                              "    Loads:  12 (13 bytes)\n"
                                              "    Stores: 14 (15 bytes)\n"
                                              "\n"
                                              "  Barriers: 16\n"
                                              "  Divergent branches: 17\n"
                                              "\n"
                                              "  Workgroups executed: 18\n"
                                              "  Waves executed: 19\n");
    wave_blob_free(&text);
}

/* ---- Many threads, one module ---- */

/* Each thread of the grid runs 100 iterations of x = 1664525 x + 1013904223, the linear
 * congruential generator of Numerical Recipes, from its index. */
#define GENERATOR                                                                                  \
    "mov_sr r1, sr_thread_id_x\n mov_sr r2, sr_workgroup_id_x\n mov_sr r3, sr_workgroup_size_x\n"  \
    "imad r1, r2, r3, r1\n mov_imm r4, 2\n shl r5, r1, r4\n mov_imm r6, 1664525\n"                 \
    "mov_imm r7, 1013904223\n mov_imm r8, 100\n mov_imm r9, 1\n loop\n imad r1, r1, r6, r7\n"      \
    "isub r8, r8, r9\n icmp_lt p1, r8, r9\n break p1\n endloop\n device_store_u32 r5, r1\n halt"

static void *run_generator(void *argument) {
    emu_case *c = argument;
    for (int i = 0; i < 20; i++)
        if (wave_emulate(c->module, &c->launch, c->diags) != WAVE_OK)
            return NULL;
    return c;
}

Test(emu_launch, a_module_can_be_emulated_by_several_threads) {
    enum { RUNNERS = 4 };
    emu_case c = emu_open_code(GENERATOR), runner[RUNNERS];
    pthread_t thread[RUNNERS];
    for (int i = 0; i < RUNNERS; i++) {
        runner[i] = c;
        runner[i].diags = wave_diags_create(0);
        runner[i].memory = calloc(EMU_WORDS, sizeof *c.memory);
        runner[i].launch.device_memory = (uint8_t *)runner[i].memory;
        runner[i].launch.grid[0] = 8;
        runner[i].launch.workgroup[0] = 96;
        cr_assert_eq(pthread_create(&thread[i], NULL, run_generator, &runner[i]), 0);
    }
    for (int i = 0; i < RUNNERS; i++) {
        void *result = NULL;
        pthread_join(thread[i], &result);
        cr_expect_not_null(result);
        for (uint32_t t = 0; t < 8 * 96; t++) {
            uint32_t x = t;
            for (int round = 0; round < 100; round++)
                x = x * 1664525u + 1013904223u;
            cr_assert_eq(runner[i].memory[t], x);
        }
        wave_diags_destroy(runner[i].diags);
        free(runner[i].memory);
    }
    emu_close(&c);
}

/* ---- The caller's floating-point environment ---- */

/* 1/3, which rounds up; the smallest subnormal times 1; 1 + 2^-24, a tie, by fadd and by fma. */
#define ROUNDING                                                                                   \
    "mov_imm r1, 1.0\n mov_imm r2, 3.0\n fdiv r3, r1, r2\n device_store_u32 r0, r3\n"              \
    "mov_imm r4, 4\n mov_imm r5, 1\n fmul r6, r5, r1\n device_store_u32 r4, r6\n"                  \
    "mov_imm r4, 8\n mov_imm r5, 0x33800000\n fadd r6, r1, r5\n device_store_u32 r4, r6\n"         \
    "mov_imm r4, 12\n fma r6, r1, r1, r5\n device_store_u32 r4, r6\n halt"

static void check_rounding(void) {
    emu_case c = emu_open_code(ROUNDING);
    emu_run_ok(&c);
    cr_expect_eq(c.memory[0], 0x3EAAAAAB);
    cr_expect_eq(c.memory[1], 0x00000001);
    cr_expect_eq(c.memory[2], 0x3F800000);
    cr_expect_eq(c.memory[3], 0x3F800000);
    emu_close(&c);
}

Test(emu_launch, the_callers_rounding_mode_has_no_effect) {
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        fesetround(modes[i]);
        check_rounding();
        cr_expect_eq(fegetround(), modes[i], "the caller gets its mode back");
    }
    fesetround(FE_TONEAREST);
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
Test(emu_launch, the_callers_flush_to_zero_has_no_effect) {
    const unsigned callers = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(callers | 0x8040); /* FTZ and DAZ */
    check_rounding();
    cr_expect_eq(__builtin_ia32_stmxcsr() & 0x8040, 0x8040);
    __builtin_ia32_ldmxcsr(callers);
}
#endif

/* ---- Names ---- */

Test(emu_launch, choices_have_names) {
    cr_expect_str_eq(wave_space_name(WAVE_SPACE_CONSTANT), "constant");
    cr_expect_null(wave_space_name(WAVE_SPACE_COUNT));
    cr_expect_null(wave_space_name((wave_space)1000000));
    cr_expect_str_eq(wave_cpu_name(WAVE_CPU_AVX2), "avx2");
    cr_expect_null(wave_cpu_name(WAVE_CPU_COUNT));
}
