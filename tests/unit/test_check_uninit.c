/* The checker for uninitialised reads: registers by lane, bytes of memory, the number of reports
 * and their text. */
#include "emu_helpers.h"

static emu_case open_uninit(const char *code) {
    emu_case c = emu_open_parts("", code);
    c.launch.workgroup[0] = 8;
    c.launch.wave_width = 8;
    c.launch.checks = WAVE_CHECK_UNINIT;
    return c;
}

/* Runs and compares the number of reports; `initial` argument words are supplied. */
static void expect_reports(const char *code, uint32_t initial, size_t reports) {
    static const uint32_t words[8] = {0};
    emu_case c = open_uninit(code);
    c.launch.initial = words;
    c.launch.initial_count = initial;
    wave_status status = emu_run(&c);
    size_t errors = wave_diags_total(c.diags, WAVE_ERROR);
    if (errors != reports)
        emu_print_diags(c.diags);
    cr_expect_eq(errors, reports, "%zu reports for: %s", errors, code);
    cr_expect_eq(status, reports ? WAVE_ERROR_INPUT : WAVE_OK);
    for (size_t i = 0; i < wave_diags_count(c.diags); i++)
        cr_expect_str_eq(wave_diags_at(c.diags, i)->code, "E_UNINIT");
    emu_close(&c);
}

/* ---- Registers ---- */

Test(uninit, registers_beyond_the_arguments_are_uninitialised) {
    expect_reports("mov r5, r2\n", 0, 1);
    expect_reports("mov r5, r2\n", 2, 1);
    expect_reports("mov r5, r2\n", 3, 0);
    expect_reports("mov_imm r2, 1\n mov r5, r2\n", 0, 0);
    expect_reports("mov_sr r2, sr_lane_id\n iadd r5, r2, r2\n", 0, 0);
}

Test(uninit, every_source_is_checked) {
    expect_reports("iadd r5, r1, r2\n", 0, 2);
    expect_reports("imad r5, r1, r2, r3\n", 1, 3);
    expect_reports("imad r5, r1, r2, r1\n", 1, 2);
    expect_reports("bfi r5, r1, r2, r3, r4\n", 1, 4);
    expect_reports("device_store_u32 r0, r1\n", 1, 1);
    expect_reports("mov_imm r1, 0\n mma_store_c r1, r9, r0\n", 0, 1);
}

Test(uninit, pairs_and_quads_are_checked_by_register) {
    expect_reports("mov_imm r4, 0\n dadd r8, r4, r4\n", 0, 1); /* r5, once */
    expect_reports("mov_imm r4, 0\n mov_imm r5, 0\n dadd r8, r4, r4\n mov r1, r9\n", 0, 0);
    expect_reports("device_store_u128 r0, r4\n", 1, 4);
    expect_reports("device_load_u128 r4, r0\n device_store_u128 r0, r4\n", 1, 0);
    expect_reports("device_load_u64 r4, r0\n device_store_u64 r0, r5\n", 1, 1); /* r6 */
}

Test(uninit, an_instruction_reports_a_register_once) {
    expect_reports("mov_imm r1, 0\n mov_imm r2, 1\n mov_imm r3, 5\n loop\n iadd r8, r9, r1\n"
                   "iadd r1, r1, r2\n icmp_eq p1, r1, r3\n break p1\n endloop\n",
                   0, 1);
    expect_reports("mov r8, r9\n mov r8, r9\n", 0, 2);
}

Test(uninit, a_write_counts_for_its_lanes_only) {
    expect_reports("mov_sr r1, sr_lane_id\n mov_imm r2, 3\n icmp_lt p1, r1, r2\n"
                   "@p1 mov_imm r5, 1\n @p1 mov r6, r5\n",
                   0, 0);
    expect_reports("mov_sr r1, sr_lane_id\n mov_imm r2, 3\n icmp_lt p1, r1, r2\n"
                   "@p1 mov_imm r5, 1\n mov r6, r5\n",
                   0, 1);
    expect_reports("mov_sr r1, sr_lane_id\n mov_imm r2, 3\n icmp_lt p1, r1, r2\n"
                   "if p1\n mov_imm r5, 1\n else\n mov_imm r5, 2\n endif\n mov r6, r5\n",
                   0, 0);
    expect_reports("mov_sr r1, sr_lane_id\n mov_imm r2, 3\n icmp_lt p1, r1, r2\n"
                   "if p1\n else\n mov r6, r5\n endif\n mov_imm r5, 1\n",
                   0, 1);
}

Test(uninit, the_lane_is_named) {
    emu_case c = open_uninit("mov_sr r1, sr_lane_id\n mov_imm r2, 3\n icmp_lt p1, r1, r2\n"
                             "@p1 mov_imm r5, 1\n mov r6, r5\n");
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(&c, "E_UNINIT", "r5 is read at PC 0x001c");
    cr_expect_not_null(strstr(d->message, "workgroup (0,0,0), wave 0, lane 3, thread (3,0,0)"));
    cr_expect_str_eq(d->text, "mov r6, r5");
    cr_expect_eq(d->offset, 0x1c);
    emu_close(&c);
}

Test(uninit, a_select_reads_one_of_its_sources) {
    static const char code[] = "mov_sr r1, sr_lane_id\n mov_imm r2, 3\n icmp_lt p1, r1, r2\n"
                               "%s select r6, p1, r4, r5\n";
    char text[256];
    snprintf(text, sizeof text, code, "@p1 mov_imm r4, 1\n @!p1 mov_imm r5, 1\n");
    expect_reports(text, 0, 0);
    snprintf(text, sizeof text, code, "@!p1 mov_imm r4, 1\n mov_imm r5, 1\n");
    expect_reports(text, 0, 1);
    snprintf(text, sizeof text, code, "mov_imm r4, 1\n @p1 mov_imm r5, 1\n");
    expect_reports(text, 0, 1);
}

Test(uninit, a_shuffle_reads_the_lane_it_takes_from) {
    /* Only lane 5 has a value in r4. */
    static const char code[] = "mov_sr r1, sr_lane_id\n mov_imm r2, 5\n icmp_eq p1, r1, r2\n"
                               "@p1 mov_imm r4, 1\n mov_imm r3, %d\n %s\n";
    char text[256];
    snprintf(text, sizeof text, code, 5, "wave_shuffle r6, r4, r3");
    expect_reports(text, 0, 0);
    snprintf(text, sizeof text, code, 4, "wave_shuffle r6, r4, r3");
    expect_reports(text, 0, 1);
    snprintf(text, sizeof text, code, 9, "wave_shuffle r6, r4, r3"); /* no such lane: 0 */
    expect_reports(text, 0, 0);
    snprintf(text, sizeof text, code, 5, "wave_broadcast r6, r4, r3");
    expect_reports(text, 0, 0);
    snprintf(text, sizeof text, code, 6, "wave_broadcast r6, r4, r3");
    expect_reports(text, 0, 1);
    snprintf(text, sizeof text, code, 7, "wave_shuffle_up r6, r4, r3"); /* lane 7 takes lane 0 */
    expect_reports(text, 0, 1);
    snprintf(text, sizeof text, code, 9, "wave_shuffle_down r6, r4, r3");
    expect_reports(text, 0, 0);
    snprintf(text, sizeof text, code, 1, "wave_reduce_add r6, r4");
    expect_reports(text, 0, 1);
}

Test(uninit, a_broadcast_reads_the_lane_number_of_the_lowest_lane) {
    expect_reports("mov_sr r1, sr_lane_id\n mov_imm r2, 0\n icmp_eq p1, r1, r2\n"
                   "@p1 mov_imm r3, 0\n wave_broadcast r6, r1, r3\n",
                   0, 0);
}

Test(uninit, atomics_write_their_result) {
    expect_reports("atomic_add r5, r0, r0, .device\n mov r6, r5\n", 1, 0);
    expect_reports("atomic_add r0, r0, .device\n mov r6, r5\n", 1, 1);
    expect_reports("mov_imm r1, 0\n atomic_add r1, r1, .device\n mov r6, r0\n", 0, 1);
}

Test(uninit, predicates_and_fragments_have_values) {
    expect_reports("wave_ballot r5, p2\n @p3 mov r6, r7\n if p1\n mov r6, r7\n endif\n", 0, 0);
    expect_reports("mma_compute r3, r4, r5\n mov_imm r1, 0\n mov_imm r2, 16\n"
                   "mma_store_c r1, r2, r5\n",
                   0, 0);
}

Test(uninit, every_workgroup_starts_without_values) {
    static const char code[] = "mov_sr r1, sr_workgroup_id_x\n mov_imm r2, 0\n"
                               "icmp_eq p1, r1, r2\n @p1 mov_imm r5, 1\n mov r6, r5\n";
    emu_case c = open_uninit(code);
    cr_expect_eq(emu_run(&c), WAVE_OK);
    c.launch.grid[0] = 2;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    cr_expect_not_null(strstr(emu_find(&c, "E_UNINIT")->message, "workgroup (1,0,0)"));
    emu_close(&c);
}

/* ---- Memory ---- */

Test(uninit, local_memory_starts_uninitialised) {
    expect_reports("mov_sr r1, sr_lane_id\n mov_imm r2, 64\n local_load_u32 r3, r2\n", 0, 1);
    expect_reports("mov_imm r2, 64\n local_store_u32 r2, r2\n local_load_u32 r3, r2\n", 0, 0);
    expect_reports("mov_imm r2, 64\n local_store_u16 r2, r2\n local_load_u32 r3, r2\n", 0, 1);
    expect_reports("mov_imm r2, 64\n local_store_u32 r2, r2\n mov_imm r2, 66\n"
                   "local_load_u8 r3, r2\n",
                   0, 0);
    expect_reports("mov_imm r2, 64\n local_store_u64 r2, r0\n local_load_u64 r4, r2\n", 2, 0);
    expect_reports("mov_imm r2, 64\n local_atomic_add r2, r2\n", 0, 1);
    /* an atomic load only reads, an atomic store only writes */
    expect_reports("mov_imm r2, 64\n local_atomic_load r3, r2\n local_load_u32 r4, r2\n", 0, 2);
    expect_reports("mov_imm r2, 64\n local_atomic_store r2, r2\n local_atomic_load r3, r2\n", 0, 0);
}

Test(uninit, local_memory_ends_with_its_workgroup) {
    emu_case c = open_uninit("mov_sr r1, sr_workgroup_id_x\n mov_imm r2, 0\n"
                             "icmp_eq p1, r1, r2\n @p1 local_store_u32 r2, r1\n"
                             "local_load_u32 r3, r2\n");
    c.launch.grid[0] = 2;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(&c, "E_UNINIT", "local memory at 0x0 is read");
    cr_expect_not_null(strstr(d->message, "workgroup (1,0,0)"));
    emu_close(&c);
}

Test(uninit, device_memory_counts_as_initialised_without_ranges) {
    expect_reports("mov_imm r2, 64\n device_load_u32 r3, r2\n", 0, 0);
}

static size_t device_reports(uint32_t address, const char *access, const wave_range *ranges,
                             size_t count) {
    char code[128];
    snprintf(code, sizeof code, "mov_imm r2, %u\n %s\n", address, access);
    emu_case c = open_uninit(code);
    c.launch.initialised = ranges;
    c.launch.initialised_count = count;
    c.launch.initialised_known = true;
    emu_run(&c);
    size_t errors = wave_diags_total(c.diags, WAVE_ERROR);
    emu_close(&c);
    return errors;
}

Test(uninit, device_memory_is_initialised_by_ranges) {
    static const wave_range ranges[] = {{64, 4}, {100, 7}, {4096, 4096}, {9000, 1u << 30}};
    static const char load[] = "device_load_u32 r3, r2";
    cr_expect_eq(device_reports(64, load, ranges, 4), 0);
    cr_expect_eq(device_reports(60, load, ranges, 4), 1);
    cr_expect_eq(device_reports(68, load, ranges, 4), 1);
    cr_expect_eq(device_reports(100, load, ranges, 4), 0);
    cr_expect_eq(device_reports(104, load, ranges, 4), 1); /* 107 is missing */
    cr_expect_eq(device_reports(106, "device_load_u8 r3, r2", ranges, 4), 0);
    cr_expect_eq(device_reports(107, "device_load_u8 r3, r2", ranges, 4), 1);
    cr_expect_eq(device_reports(4092, "device_load_u32 r3, r2", ranges, 4), 1);
    cr_expect_eq(device_reports(4096, "device_load_u128 r4, r2", ranges, 4), 0);
    cr_expect_eq(device_reports(8188, load, ranges, 4), 0);
    cr_expect_eq(device_reports(8192, load, ranges, 4), 1);
    cr_expect_eq(device_reports(16380, load, ranges, 4), 0); /* a range may extend past the end */
    cr_expect_eq(device_reports(0, load, NULL, 0), 1);
}

Test(uninit, device_stores_initialise) {
    cr_expect_eq(device_reports(0, "device_store_u32 r2, r2\n device_load_u32 r3, r2", NULL, 0), 0);
    cr_expect_eq(device_reports(0, "device_store_u8 r2, r2\n device_load_u16 r3, r2", NULL, 0), 1);
    cr_expect_eq(device_reports(0, "atomic_add r2, r2, .device\n device_load_u32 r3, r2", NULL, 0),
                 1); /* the atomic reads; afterwards the word has a value */
    cr_expect_eq(device_reports(4090, "device_store_u64 r2, r2\n device_load_u64 r4, r2", NULL, 0),
                 1, "r3, the upper half of the pair, is the one report");
}

Test(uninit, memory_is_reported_once_per_instruction) {
    expect_reports("mov_sr r1, sr_lane_id\n mov_imm r2, 2\n shl r1, r1, r2\n"
                   "local_load_u32 r3, r1\n local_load_u32 r4, r1\n",
                   0, 2);
}

Test(uninit, an_mma_load_reads_its_16_words) {
    static const char code[] = "mov_imm r1, 0\n mov_imm r2, 16\n mma_store_c r1, r2, r0\n"
                               "%s mma_load_b r0, r1, r2\n";
    char text[256];
    snprintf(text, sizeof text, code, "");
    expect_reports(text, 0, 0);
    snprintf(text, sizeof text, code, "mov_imm r2, 20\n");
    expect_reports(text, 0, 1);
}

Test(uninit, both_checks_work_together) {
    emu_case c = open_uninit("mov_imm r2, 0\n device_store_u32 r2, r5\n");
    c.launch.workgroup[0] = 16;
    c.launch.checks = WAVE_CHECK_UNINIT | WAVE_CHECK_RACE;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    cr_expect_not_null(emu_find(&c, "E_UNINIT"));
    cr_expect_not_null(emu_find(&c, "E_RACE"));
    emu_close(&c);
}
