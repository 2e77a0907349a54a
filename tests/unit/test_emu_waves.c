/* Complete waves: widths, partial waves, special registers, wave operations, barriers and
 * schedules. */
#include "emu_helpers.h"

/* ---- Threads and special registers ---- */

/* Every thread stores the special register at word `linear thread of the grid`. */
static void check_special(const char *name, const uint32_t group[3], const uint32_t grid[3],
                          uint32_t width,
                          uint32_t (*expected)(const uint32_t *group, uint32_t t,
                                               uint32_t workgroup, uint32_t w)) {
    char source[1024];
    snprintf(source, sizeof source,
             "mov_sr r1, sr_thread_id_x\n mov_sr r2, sr_thread_id_y\n mov_sr r3, sr_thread_id_z\n"
             "mov_sr r4, sr_workgroup_size_x\n mov_sr r5, sr_workgroup_size_y\n"
             "mov_sr r6, sr_workgroup_size_z\n imad r7, r3, r5, r2\n imad r7, r7, r4, r1\n"
             "imul r8, r4, r5\n imul r8, r8, r6\n mov_sr r9, sr_workgroup_id_x\n"
             "mov_sr r10, sr_workgroup_id_y\n mov_sr r11, sr_workgroup_id_z\n"
             "mov_sr r12, sr_grid_size_x\n mov_sr r13, sr_grid_size_y\n imad r14, r11, r13, r10\n"
             "imad r14, r14, r12, r9\n imad r7, r14, r8, r7\n mov_imm r15, 2\n shl r7, r7, r15\n"
             "mov_sr r16, %s\n device_store_u32 r7, r16\n halt",
             name);
    emu_case c = emu_open_code(source);
    memcpy(c.launch.workgroup, group, sizeof c.launch.workgroup);
    memcpy(c.launch.grid, grid, sizeof c.launch.grid);
    c.launch.wave_width = width;
    emu_run_ok(&c);
    const uint32_t threads = group[0] * group[1] * group[2];
    const uint32_t workgroups = grid[0] * grid[1] * grid[2];
    for (uint32_t g = 0; g < workgroups; g++)
        for (uint32_t t = 0; t < threads; t++)
            cr_expect_eq(c.memory[g * threads + t], expected(group, t, g, width),
                         "%s, width %u, thread %u of workgroup %u: %u", name, width, t, g,
                         c.memory[g * threads + t]);
    emu_close(&c);
}

#define SPECIAL(function, value)                                                                   \
    static uint32_t function(const uint32_t *group, uint32_t t, uint32_t workgroup, uint32_t w) {  \
        (void)group, (void)t, (void)workgroup, (void)w;                                            \
        return value;                                                                              \
    }
SPECIAL(thread_x, t % group[0])
SPECIAL(thread_y, t / group[0] % group[1])
SPECIAL(thread_z, t / (group[0] * group[1]))
SPECIAL(wave_id, t / w)
SPECIAL(lane_id, t % w)
SPECIAL(width, w)
SPECIAL(waves, (group[0] * group[1] * group[2] + w - 1) / w)
SPECIAL(workgroup_x, workgroup % 3)
SPECIAL(workgroup_y, workgroup / 3)
SPECIAL(one, 1)
SPECIAL(four, 4)
SPECIAL(three, 3)

Test(emu_waves, special_registers_have_their_values) {
    static const uint32_t group[3] = {5, 3, 4}, grid[3] = {3, 2, 1};
    static const uint32_t all_widths[] = {1, 3, 4, 7, 16, 32, 60, 64};
    for (size_t i = 0; i < sizeof all_widths / sizeof *all_widths; i++) {
        const uint32_t w = all_widths[i];
        check_special("sr_thread_id_x", group, grid, w, thread_x);
        check_special("sr_thread_id_y", group, grid, w, thread_y);
        check_special("sr_thread_id_z", group, grid, w, thread_z);
        check_special("sr_wave_id", group, grid, w, wave_id);
        check_special("sr_lane_id", group, grid, w, lane_id);
        check_special("sr_wave_width", group, grid, w, width);
        check_special("sr_num_waves", group, grid, w, waves);
        check_special("sr_workgroup_id_x", group, grid, w, workgroup_x);
        check_special("sr_workgroup_id_y", group, grid, w, workgroup_y);
        check_special("sr_grid_size_x", group, grid, w, three);
        check_special("sr_mma_supported", group, grid, w, one);
        check_special("sr_mma_k", group, grid, w, four);
    }
}

/* ---- Wave operations ---- */

/* 10 threads in waves of 4: the last wave has two lanes. Lane ids are summed in each wave. */
Test(emu_waves, a_partial_wave_has_only_its_lanes) {
    emu_case c = emu_open_code(EMU_THREAD "mov_sr r3, sr_lane_id\n mov_imm r4, 1\n"
                                          "wave_reduce_add r5, r4\n device_store_u32 r2, r5\n"
                                          "wave_prefix_sum r5, r4\n mov_imm r6, 64\n"
                                          "iadd r6, r6, r2\n device_store_u32 r6, r5\n halt");
    c.launch.workgroup[0] = 10;
    c.launch.wave_width = 4;
    emu_run_ok(&c);
    for (uint32_t t = 0; t < 10; t++) {
        cr_expect_eq(c.memory[t], t < 8 ? 4 : 2);
        cr_expect_eq(c.memory[16 + t], t % 4);
    }
    cr_expect_eq(c.memory[10], 0, "no lane beyond the workgroup stores");
    emu_close(&c);
}

Test(emu_waves, a_ballot_of_64_lanes_has_the_low_half) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 40\n ucmp_lt p1, r1, r3\n mov_imm r6, 7\n"
                                          "wave_ballot r5, p1\n device_store_u32 r2, r5\n halt");
    c.launch.workgroup[0] = 64;
    c.launch.wave_width = 64;
    emu_run_ok(&c);
    for (uint32_t t = 0; t < 64; t++)
        cr_expect_eq(c.memory[t], 0xFFFFFFFFu);
    emu_close(&c);
}

/* Lane l reads lane l + 1. Odd lanes are inactive, lane 7 reads beyond the wave. */
Test(emu_waves, a_shuffle_from_an_inactive_lane_is_zero_and_warns) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 1\n and r4, r1, r3\n icmp_eq p1, r4, r3\n"
                                          "mov_imm r5, 100\n iadd r5, r5, r1\n mov_imm r6, 77\n"
                                          "@!p1 wave_shuffle_down r6, r5, r3\n"
                                          "device_store_u32 r2, r6\n halt");
    c.launch.workgroup[0] = 8;
    c.launch.wave_width = 8;
    emu_run_ok(&c);
    for (uint32_t t = 0; t < 8; t++)
        cr_expect_eq(c.memory[t], t % 2 ? 77 : 0);
    const wave_diag *d = emu_find(&c, "W_SHUFFLE_INACTIVE");
    cr_assert_not_null(d);
    cr_expect_eq(wave_diags_count(c.diags), 1, "once for the instruction");
    cr_expect_not_null(strstr(d->message, "lane 0, thread (0,0,0)"));
    cr_expect_str_eq(d->text, "@!p1 wave_shuffle_down r6, r5, r3");
    emu_close(&c);
}

/* Lanes W and beyond do not exist: the four results are 0, without a warning. */
Test(emu_waves, a_shuffle_out_of_range_is_zero_without_a_warning) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 0xFFFFFFFF\n mov_sr r8, sr_wave_width\n"
                                          "mov_imm r6, 77\n mov_imm r9, 1\n"
                                          "wave_shuffle r4, r6, r3\n iadd r9, r9, r4\n"
                                          "wave_shuffle r4, r6, r8\n iadd r9, r9, r4\n"
                                          "wave_shuffle_up r4, r6, r3\n iadd r9, r9, r4\n"
                                          "wave_shuffle_down r4, r6, r3\n iadd r9, r9, r4\n"
                                          "wave_shuffle_xor r4, r6, r8\n iadd r9, r9, r4\n"
                                          "wave_broadcast r4, r6, r8\n iadd r9, r9, r4\n"
                                          "device_store_u32 r2, r9\n halt");
    for (uint32_t w = 1; w <= 64; w *= 2) {
        c.launch.workgroup[0] = w;
        c.launch.wave_width = w;
        emu_run_ok(&c);
        for (uint32_t t = 0; t < w; t++)
            cr_expect_eq(c.memory[t], 1);
        cr_expect_eq(wave_diags_count(c.diags), 0);
    }
    emu_close(&c);
}

/* The lowest active lane is 2; its operand names lane 5. */
Test(emu_waves, a_broadcast_takes_its_lane_from_the_lowest_executing_lane) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 2\n ucmp_ge p1, r1, r3\n mov_imm r4, 3\n"
                                          "iadd r4, r1, r4\n imul r5, r1, r1\n"
                                          "@p1 wave_broadcast r6, r5, r4\n"
                                          "device_store_u32 r2, r6\n halt");
    emu_run_ok(&c);
    for (uint32_t t = 0; t < 32; t++)
        cr_expect_eq(c.memory[t], t < 2 ? 0 : 25);
    emu_close(&c);
}

/* ---- Barriers ---- */

/* Thread t reads what thread 63 - t stored before the barrier, at every width. */
Test(emu_waves, a_barrier_orders_the_waves) {
    emu_case c = emu_open_code(EMU_THREAD "local_store_u32 r2, r1\n barrier\n mov_imm r3, 252\n"
                                          "isub r3, r3, r2\n local_load_u32 r4, r3\n"
                                          "device_store_u32 r2, r4\n halt");
    c.launch.workgroup[0] = 64;
    for (uint32_t w = 1; w <= 64; w *= 2) {
        c.launch.wave_width = w;
        emu_run_ok(&c);
        for (uint32_t t = 0; t < 64; t++)
            cr_expect_eq(c.memory[t], 63 - t);
        cr_expect_eq(c.stats.barriers, 64 / w);
    }
    emu_close(&c);
}

Test(emu_waves, a_barrier_in_divergent_code_is_an_error) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 5\n ucmp_lt p1, r1, r3\n if p1\n barrier\n"
                                          "endif\n halt");
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(&c, "E_BARRIER_DIVERGENCE", "5 of 32 live lanes");
    cr_expect_eq(d->offset, 4 + 8 + 8 + 8 + 8 + 4);
    emu_close(&c);
}

Test(emu_waves, halted_lanes_need_not_reach_a_barrier) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 5\n ucmp_lt p1, r1, r3\n @p1 halt\n"
                                          "barrier\n device_store_u32 r2, r3\n halt");
    emu_run_ok(&c);
    cr_expect_eq(c.memory[4], 0);
    cr_expect_eq(c.memory[5], 5);
    emu_close(&c);
}

Test(emu_waves, waves_at_different_barriers_are_an_error) {
    emu_case c = emu_open_code("mov_sr r1, sr_wave_id\n icmp_eq p1, r1, r2\n if p1\n barrier\n"
                               "else\n barrier\n endif\n halt");
    c.launch.workgroup[0] = 64;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_BARRIER_MISMATCH", "wave 1: this wave waits at a different barrier");
    emu_close(&c);
}

Test(emu_waves, a_barrier_that_a_wave_never_reaches_is_a_deadlock) {
    emu_case c = emu_open_code("mov_sr r1, sr_wave_id\n icmp_eq p1, r1, r2\n @p1 halt\n barrier\n"
                               "halt");
    c.launch.workgroup[0] = 64;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_DEADLOCK", "wave 1: deadlock detected");
    emu_close(&c);
}

/* ---- Schedules ---- */

/* The first lane of each wave draws a ticket in each of four iterations and stores its wave's
 * number there: the order in which the waves ran. Round robin: 0 1 2 3 0 1 2 3 … */
#define TICKETS                                                                                    \
    "mov_imm r9, 1\n mov_sr r1, sr_wave_id\n mov_sr r2, sr_lane_id\n ucmp_ge p1, r2, r9\n"         \
    "@p1 halt\n mov_imm r3, 4\n mov_imm r4, 4\n mov_imm r8, 2\n"                                   \
    "loop\n atomic_add r5, r0, r9, .device\n iadd r5, r5, r9\n shl r5, r5, r8\n"                   \
    "device_store_u32 r5, r1\n isub r4, r4, r9\n ucmp_lt p2, r4, r9\n break p2\n endloop\n halt"

static void run_tickets(emu_case *c) {
    memset(c->memory, 0, EMU_WORDS * sizeof *c->memory);
    c->launch.workgroup[0] = 64;
    c->launch.wave_width = 16;
    emu_run_ok(c);
    cr_assert_eq(c->memory[0], 16);
}

Test(emu_waves, round_robin_takes_turns) {
    emu_case c = emu_open_code(TICKETS);
    run_tickets(&c);
    for (uint32_t i = 0; i < 16; i++)
        cr_expect_eq(c.memory[1 + i], i % 4);
    emu_close(&c);
}

/* Wave 0 reaches the barrier last, so wave 1 runs next after it. */
Test(emu_waves, round_robin_continues_after_the_wave_that_ran_last) {
    emu_case c = emu_open_code(
        "mov_imm r9, 1\n mov_sr r1, sr_wave_id\n mov_imm r8, 2\n icmp_eq p1, r1, r7\n if p1\n"
        "nop\n nop\n nop\n nop\n nop\n nop\n endif\n barrier\n"
        "atomic_add r5, r0, r9, .device\n iadd r5, r5, r9\n shl r5, r5, r8\n"
        "device_store_u32 r5, r1\n halt");
    c.launch.workgroup[0] = 4;
    c.launch.wave_width = 1;
    emu_run_ok(&c);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(c.memory[1 + i], (i + 1) % 4);
    emu_close(&c);
}

Test(emu_waves, random_schedules_are_reproducible_and_differ) {
    emu_case c = emu_open_code(TICKETS);
    c.launch.random_schedule = true;
    uint32_t orders[8][16];
    unsigned different = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        c.launch.seed = seed;
        run_tickets(&c);
        memcpy(orders[seed], c.memory + 1, sizeof orders[seed]);
        run_tickets(&c);
        cr_expect_arr_eq(orders[seed], c.memory + 1, sizeof orders[seed]);
        different += seed > 0 && memcmp(orders[0], orders[seed], sizeof orders[0]) != 0;
    }
    cr_expect_geq(different, 6);
    emu_close(&c);
}
