/* The race checker: programs that it must report, programs that it must not, and its messages.
 * Waves are 32 wide; r0 = wave, r1 = thread, r2 = 4 * thread, r3 = lane, r4 = workgroup, r20 … r29
 * = 0 … 9, and p1 means wave 0, p2 wave 1, p3 lane 0. */
#include "emu_helpers.h"

#define START                                                                                      \
    "mov_sr r0, sr_wave_id\n mov_sr r3, sr_lane_id\n mov_sr r4, sr_workgroup_id_x\n" EMU_THREAD    \
        EMU_DIGITS "icmp_eq p1, r0, r20\n icmp_eq p2, r0, r21\n icmp_eq p3, r3, r20\n"

enum { ANY = 99 };

static emu_case open_race(const char *code, uint32_t waves, uint32_t groups) {
    emu_case c = emu_open_parts(START, code);
    c.launch.workgroup[0] = 32 * waves;
    c.launch.grid[0] = groups;
    c.launch.checks = WAVE_CHECK_RACE;
    return c;
}

/* The verdict must not depend on the interleaving, so several schedules are tried. */
static void expect_races(const char *code, uint32_t waves, uint32_t groups, size_t races) {
    emu_case c = open_race(code, waves, groups);
    for (uint64_t seed = 0; seed < 6; seed++) {
        c.launch.random_schedule = seed > 0;
        c.launch.seed = seed;
        memset(c.memory, 0, EMU_WORDS * sizeof *c.memory);
        wave_status status = emu_run(&c);
        size_t errors = wave_diags_total(c.diags, WAVE_ERROR);
        if (status != (races ? WAVE_ERROR_INPUT : WAVE_OK) || (races != ANY && errors != races))
            emu_print_diags(c.diags);
        cr_expect_eq(status, races ? WAVE_ERROR_INPUT : WAVE_OK, "seed %d", (int)seed);
        if (races == ANY)
            cr_expect_gt(errors, 0);
        else
            cr_expect_eq(errors, races, "%zu races, seed %d", errors, (int)seed);
        for (size_t i = 0; i < wave_diags_count(c.diags); i++)
            if (wave_diags_at(c.diags, i)->severity == WAVE_ERROR)
                cr_expect_str_eq(wave_diags_at(c.diags, i)->code, "E_RACE");
    }
    emu_close(&c);
}

/* ---- Barriers ---- */

#define LOCAL_NEIGHBOUR                                                                            \
    "mov_imm r5, 128\n xor r5, r2, r5\n" /* the same lane of the other wave */                     \
    "local_store_u32 r2, r1\n %s local_load_u32 r6, r5\n"

static void neighbour(const char *between, size_t races) {
    char code[512];
    snprintf(code, sizeof code, LOCAL_NEIGHBOUR, between);
    expect_races(code, 2, 1, races);
}

Test(race, a_local_exchange_without_a_barrier_races) {
    neighbour("", 1);
}

Test(race, a_local_exchange_with_a_barrier_does_not_race) {
    neighbour("barrier\n", 0);
}

Test(race, a_fence_is_not_a_barrier) {
    neighbour("fence_acq_rel .system\n", 1);
}

Test(race, reuse_needs_a_second_barrier) {
    char code[1024];
    snprintf(code, sizeof code, LOCAL_NEIGHBOUR "%s local_store_u32 r2, r6\n", "barrier\n", "");
    expect_races(code, 2, 1, 1);
    snprintf(code, sizeof code, LOCAL_NEIGHBOUR "%s local_store_u32 r2, r6\n", "barrier\n",
             "barrier\n");
    expect_races(code, 2, 1, 0);
}

Test(race, a_barrier_orders_all_waves_and_only_what_is_before) {
    /* Wave 3 stores, all wait, all load: no race. Then wave 5 stores: a race. */
    expect_races("icmp_eq p1, r0, r23\n icmp_eq p2, r0, r25\n"
                 "@p1 local_store_u32 r2, r1\n barrier\n mov_imm r5, 384\n"
                 "local_load_u32 r6, r5\n",
                 8, 1, 0);
    expect_races("icmp_eq p1, r0, r23\n icmp_eq p2, r0, r25\n mov_imm r5, 384\n"
                 "@p1 local_store_u32 r5, r1\n barrier\n"
                 "local_load_u32 r6, r5\n @p2 local_store_u32 r5, r1\n",
                 8, 1, 1);
}

/* ---- Which accesses ---- */

Test(race, every_pair_of_places_is_reported_once) {
    /* 32 words, 32 waves, one instruction; then two instructions that meet in 32 words. */
    emu_case c = open_race("mov_imm r5, 124\n and r5, r2, r5\n device_store_u32 r5, r1\n", 4, 8);
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    cr_expect_eq(wave_diags_total(c.diags, WAVE_ERROR), 1);
    emu_close(&c);
    expect_races("mov_imm r5, 124\n and r5, r2, r5\n"
                 "if p1\n device_store_u32 r5, r1\n else\n device_store_u32 r5, r3\n endif\n",
                 2, 1, 1);
}

Test(race, bytes_of_a_word_are_separate) {
    expect_races("and r5, r0, r21\n local_store_u8 r5, r1\n", 2, 1, 0);
    expect_races("shl r5, r0, r21\n local_store_u16 r5, r1\n", 2, 1, 0);
}

Test(race, accesses_that_overlap_in_one_byte_race) {
    /* Wave 0 writes bytes 2 and 3, wave 1 reads byte 3. */
    emu_case c = open_race("@p1 local_store_u16 r22, r1\n @p2 local_load_u8 r6, r23\n", 2, 1);
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_RACE", "local address 0x3 at");
    emu_close(&c);
    expect_races("@p1 local_store_u16 r22, r1\n @p2 local_load_u8 r6, r21\n", 2, 1, 0);
}

Test(race, wide_accesses_cover_all_their_words) {
    expect_races("mov_imm r5, 12\n @p1 device_store_u128 r20, r20\n @p2 device_load_u32 r6, r5\n",
                 2, 1, 1);
    expect_races("mov_imm r5, 16\n @p1 device_store_u128 r20, r20\n @p2 device_load_u32 r6, r5\n",
                 2, 1, 0);
}

Test(race, loads_never_race) {
    expect_races("device_load_u32 r6, r20\n local_load_u32 r6, r20\n", 4, 4, 0);
}

Test(race, atomics_race_with_plain_accesses_only) {
    expect_races("atomic_add r20, r21, .device\n local_atomic_add r20, r21\n", 4, 4, 0);
    expect_races("@p1 atomic_add r20, r21, .device\n @p2 device_store_u32 r20, r21\n", 2, 1, 1);
    expect_races("@p1 local_atomic_add r20, r21\n @p2 local_store_u32 r20, r21\n", 2, 1, 1);
    expect_races("@p1 atomic_add r20, r21, .device\n @p2 device_load_u32 r6, r20\n", 2, 1, 1);
    expect_races("@p1 atomic_load r6, r20, .device\n @p2 device_load_u32 r6, r20\n", 2, 1, 0);
    expect_races("@p1 atomic_load r6, r20, .device\n @p2 device_store_u32 r20, r21\n", 2, 1, 1);
    expect_races("@p1 atomic_store r20, r21, .device\n @p2 device_load_u32 r6, r20\n", 2, 1, 1);
}

Test(race, mma_tiles_are_loads_and_stores) {
    expect_races("mov_imm r5, 16\n if p1\n mma_store_c r20, r5, r0\n endif\n"
                 "if p2\n mma_load_a r0, r20, r5\n endif\n",
                 2, 1, 1);
    expect_races("mov_imm r5, 16\n if p1\n mma_store_c r20, r5, r0\n endif\n barrier\n"
                 "if p2\n mma_load_a r0, r20, r5\n endif\n",
                 2, 1, 0);
}

/* ---- Workgroups ---- */

Test(race, workgroups_are_not_ordered) {
    expect_races("icmp_eq p1, r4, r20\n icmp_eq p2, r4, r21\n"
                 "@p1 device_store_u32 r2, r1\n barrier\n @p2 device_load_u32 r6, r2\n",
                 1, 2, 1);
    expect_races("icmp_eq p1, r4, r20\n icmp_eq p2, r4, r21\n"
                 "@p1 device_load_u32 r6, r2\n barrier\n @p2 device_store_u32 r2, r1\n",
                 1, 2, 1);
}

Test(race, each_workgroup_has_its_own_local_memory) {
    expect_races("local_store_u32 r20, r4\n", 1, 6, 0);
}

Test(race, a_writer_races_with_many_earlier_readers) {
    expect_races("icmp_eq p1, r4, r29\n @!p1 device_load_u32 r6, r20\n"
                 "@p1 device_store_u32 r20, r1\n",
                 2, 10, ANY);
}

Test(race, disjoint_addresses_of_workgroups_do_not_race) {
    expect_races("mov_imm r5, 256\n imad r5, r4, r5, r2\n device_store_u32 r5, r1\n"
                 "device_load_u32 r6, r5\n",
                 2, 10, 0);
}

/* ---- Release and acquire ---- */

/* Wave 0 stores data at 0, signals at 64; wave 1 waits for the signal and loads. */
static void message(const char *before, const char *store, const char *after, const char *signal,
                    const char *wait, const char *acquire, size_t races) {
    char code[1024];
    snprintf(code, sizeof code,
             "mov_imm r5, 64\n"
             "if p1\n if p3\n %s %s %s %s endif\n endif\n"
             "if p2\n if p3\n loop\n %s icmp_ne p0, r6, r20\n break p0\n endloop\n"
             "%s device_load_u32 r7, r20\n endif\n endif\n",
             before, store, after, signal, wait, acquire);
    expect_races(code, 2, 1, races);
}

#define STORE   "device_store_u32 r20, r29\n"
#define SIGNAL  "atomic_exchange r5, r21, .workgroup\n"
#define WAIT    "atomic_or r6, r5, r20, .workgroup\n"
#define RELEASE "fence_release .workgroup\n"
#define ACQUIRE "fence_acquire .workgroup\n"

Test(race, release_and_acquire_order) {
    message("", STORE, RELEASE, SIGNAL, WAIT, ACQUIRE, 0);
    message("", STORE, "fence_acq_rel .device\n", SIGNAL, WAIT, "fence_acq_rel .device\n", 0);
}

Test(race, both_fences_are_needed) {
    message("", STORE, "", SIGNAL, WAIT, ACQUIRE, 1);
    message("", STORE, RELEASE, SIGNAL, WAIT, "", 1);
    message("", STORE, "fence_acquire .workgroup\n", SIGNAL, WAIT, ACQUIRE, 1);
    message("", STORE, RELEASE, SIGNAL, WAIT, "fence_release .workgroup\n", 1);
}

Test(race, a_release_covers_only_what_is_before_it) {
    message(RELEASE, STORE, "", SIGNAL, WAIT, ACQUIRE, 1);
}

Test(race, every_scope_must_include_the_other_wave) {
    message("", STORE, "fence_release .wave\n", SIGNAL, WAIT, ACQUIRE, 1);
    message("", STORE, RELEASE, SIGNAL, WAIT, "fence_acquire .wave\n", 1);
    /* The narrow atomic races with itself. */
    message("", STORE, RELEASE, "atomic_exchange r5, r21, .wave\n", WAIT, ACQUIRE, 2);
    message("", STORE, RELEASE, SIGNAL, "atomic_or r6, r5, r20, .wave\n", ACQUIRE, 2);
}

Test(race, local_atomics_reach_the_workgroup) {
    message("", STORE, RELEASE, "local_atomic_exchange r5, r21\n", "local_atomic_or r6, r5, r20\n",
            ACQUIRE, 0);
}

Test(race, the_signal_must_be_the_same_word) {
    /* A release covers every later atomic of its lane: it does not matter that 68 comes first. */
    message("", STORE, RELEASE,
            "mov_imm r8, 68\n atomic_exchange r8, r21, .workgroup\n"
            "atomic_exchange r5, r21, .workgroup\n",
            WAIT, ACQUIRE, 0);
    /* Wave 0 signals at 64, wave 1 reads 68. */
    expect_races("mov_imm r5, 64\n mov_imm r8, 68\n"
                 "@p1 device_store_u32 r20, r29\n @p1 fence_release .workgroup\n"
                 "@p1 atomic_add r5, r21, .workgroup\n"
                 "@p2 atomic_add r8, r21, .workgroup\n @p2 fence_acquire .workgroup\n"
                 "@p2 device_load_u32 r7, r20\n",
                 2, 1, 1);
}

/* Passes a message between workgroups, which run one after the other. */
static void between_groups(const char *fence, const char *atomic, size_t races) {
    char code[1024];
    snprintf(code, sizeof code,
             "mov_imm r5, 1024\n icmp_eq p1, r4, r20\n icmp_eq p2, r4, r21\n"
             "@p1 device_store_u32 r2, r1\n"
             "@p1 fence_release %s\n %s\n @p2 fence_acquire %s\n @p2 device_load_u32 r6, r2\n",
             fence, atomic, fence);
    expect_races(code, 1, 2, races);
}

Test(race, between_workgroups_the_scope_is_device) {
    between_groups(".device", "atomic_add r5, r21, .device", 0);
    between_groups(".system", "atomic_add r5, r21, .system", 0);
    between_groups(".workgroup", "atomic_add r5, r21, .device", 1);
    between_groups(".device", "atomic_add r5, r21, .workgroup", 2);
    between_groups(".device", "local_atomic_add r5, r21", 1);
}

/* The last workgroup to arrive sums the values of all workgroups. The counter is a chain of
 * atomics. */
#define LAST_ONE                                                                                   \
    "shl r5, r4, r22\n mov_imm r8, 1024\n"                                                         \
    "if p3\n device_store_u32 r5, r4\n %s"                                                         \
    "atomic_add r6, r8, r21, .device\n %s"                                                         \
    "icmp_eq p0, r6, r27\n if p0\n mov r9, r20\n"                                                  \
    "loop\n shl r10, r9, r22\n device_load_u32 r11, r10\n iadd r9, r9, r21\n"                      \
    "icmp_eq p0, r9, r28\n break p0\n endloop\n endif\n endif\n"

Test(race, the_last_workgroup_may_read_what_all_wrote) {
    char code[1024];
    snprintf(code, sizeof code, LAST_ONE, "fence_release .device\n", "fence_acquire .device\n");
    expect_races(code, 1, 8, 0);
    snprintf(code, sizeof code, LAST_ONE, "fence_release .device\n", "");
    expect_races(code, 1, 8, 1);
    snprintf(code, sizeof code, LAST_ONE, "", "fence_acquire .device\n");
    expect_races(code, 1, 8, 1);
}

Test(race, a_release_covers_what_a_barrier_ordered_before_it) {
    /* All waves of workgroup 0 store; wave 0 alone releases after the barrier. */
    expect_races("mov_imm r5, 2048\n icmp_eq p0, r4, r20\n select r7, p0, r21, r20\n"
                 "icmp_ne p2, r7, r20\n @p2 device_store_u32 r2, r1\n barrier\n"
                 "if p1\n @p2 fence_release .device\n atomic_add r5, r21, .device\n"
                 "@!p2 fence_acquire .device\n endif\n barrier\n"
                 "@!p2 device_load_u32 r6, r2\n",
                 4, 2, 0);
}

Test(race, happens_before_is_transitive) {
    /* 0 tells 1, 1 tells 2, 2 reads what 0 wrote. */
    static const char chain[] =
        "mov_imm r5, 64\n mov_imm r8, 68\n icmp_eq p2, r0, r21\n"
        "if p3\n"
        "if p1\n device_store_u32 r20, r29\n fence_release .device\n"
        "atomic_exchange r5, r21, .device\n endif\n"
        "if p2\n loop\n atomic_or r6, r5, r20, .device\n icmp_ne p0, r6, r20\n break p0\n endloop\n"
        "fence_acq_rel .device\n atomic_exchange r8, r21, .device\n endif\n"
        "icmp_eq p2, r0, r22\n"
        "if p2\n loop\n atomic_or r6, r8, r20, .device\n icmp_ne p0, r6, r20\n break p0\n endloop\n"
        "fence_acquire .device\n device_load_u32 r7, r20\n endif\n"
        "endif\n";
    expect_races(chain, 3, 1, 0);
}

Test(race, happens_before_is_transitive_between_workgroups) {
    /* The same with one workgroup for each wave: 1 passes the message on in another word. */
    static const char chain[] = "mov_imm r5, 64\n mov_imm r8, 68\n if p3\n"
                                "icmp_eq p0, r4, r20\n if p0\n device_store_u32 r20, r29\n"
                                "fence_release .device\n atomic_add r5, r21, .device\n endif\n"
                                "icmp_eq p0, r4, r21\n if p0\n atomic_add r5, r21, .device\n"
                                "%s atomic_add r8, r21, .device\n endif\n"
                                "icmp_eq p0, r4, r22\n if p0\n atomic_add r8, r21, .device\n"
                                "fence_acquire .device\n device_load_u32 r7, r20\n endif\n"
                                "endif\n";
    char code[1024];
    snprintf(code, sizeof code, chain, "fence_acq_rel .device\n");
    expect_races(code, 1, 3, 0);
    snprintf(code, sizeof code, chain, "fence_acquire .device\n");
    expect_races(code, 1, 3, 1);
    snprintf(code, sizeof code, chain, "fence_release .device\n");
    expect_races(code, 1, 3, 1);
}

Test(race, a_message_from_one_reader_does_not_order_the_others) {
    /* Workgroups 0, 1 and 2 load, only 2 signals 3, which stores. */
    expect_races("mov_imm r5, 64\n icmp_eq p1, r4, r22\n icmp_eq p2, r4, r23\n"
                 "@!p2 device_load_u32 r7, r20\n @p1 fence_release .device\n"
                 "@p1 atomic_add r5, r21, .device\n @p2 atomic_add r5, r21, .device\n"
                 "@p2 fence_acquire .device\n @p2 device_store_u32 r20, r21\n",
                 1, 4, 1);
}

Test(race, an_acquire_does_not_cover_a_later_message) {
    /* Workgroup 0 signals its start in word 64, stores, and signals word 68. In workgroup 1, wave 1
     * reads word 64 before wave 0 passes it the message of word 68: its load is not ordered. Both
     * waves execute the guarded instructions in turn, in the order of the text. */
    static const char late[] = "mov_imm r5, 64\n mov_imm r8, 68\n icmp_eq p0, r4, r20\n if p0\n"
                               "@p1 fence_release .device\n @p1 atomic_add r5, r21, .device\n"
                               "@p1 device_store_u32 r20, r29\n @p1 fence_release .device\n"
                               "@p1 atomic_add r8, r21, .device\n else\n"
                               "%s @p1 atomic_add r8, r21, .device\n @p1 fence_acq_rel .device\n"
                               "@p1 atomic_add r5, r21, .device\n %s"
                               "@p2 fence_acquire .device\n @p2 device_load_u32 r7, r20\n endif\n";
    static const char ask[] = "@p2 atomic_add r5, r21, .device\n";
    for (int early = 0; early < 2; early++) {
        char code[1024];
        snprintf(code, sizeof code, late, early ? ask : "", early ? "" : ask);
        emu_case c = open_race(code, 2, 2);
        cr_expect_eq(emu_run(&c), early ? WAVE_ERROR_INPUT : WAVE_OK, "early: %d", early);
        emu_close(&c);
    }
}

Test(race, a_lock_protects) {
    static const char lock[] = "mov_imm r5, 64\n if p3\n"
                               "loop\n atomic_cas r6, r5, r20, r21, .device\n"
                               "icmp_eq p0, r6, r20\n break p0\n endloop\n fence_acquire .device\n"
                               "device_load_u32 r7, r20\n iadd r7, r7, r21\n"
                               "device_store_u32 r20, r7\n"
                               "%s atomic_exchange r5, r20, .device\n endif\n";
    char code[512];
    snprintf(code, sizeof code, lock, "fence_release .device\n");
    expect_races(code, 4, 3, 0);
    snprintf(code, sizeof code, lock, "");
    expect_races(code, 4, 3, ANY);
}

Test(race, a_failed_compare_and_swap_releases_nothing) {
    /* Word 64 holds 0: a swap that expects 5 fails, one that expects 0 succeeds. The destination is
     * the register of the expected value. */
    static const char swap[] = "mov_imm r5, 64\n mov_imm r8, %d\n icmp_eq p1, r4, r20\n"
                               "icmp_eq p2, r4, r21\n if p3\n @p1 device_store_u32 r20, r29\n"
                               "@p1 fence_release .device\n"
                               "@p1 atomic_cas r8, r5, r8, r21, .device\n"
                               "@p2 atomic_or r6, r5, r20, .device\n @p2 fence_acquire .device\n"
                               "@p2 device_load_u32 r7, r20\n endif\n";
    char code[512];
    snprintf(code, sizeof code, swap, 0);
    expect_races(code, 1, 2, 0);
    snprintf(code, sizeof code, swap, 5);
    expect_races(code, 1, 2, 1);
}

/* ---- The report ---- */

Test(race, both_sides_are_named) {
    emu_case c = open_race("icmp_eq p1, r4, r20\n mov_imm r5, 0x104\n"
                           "@p1 device_store_u32 r5, r1\n @!p1 device_load_u32 r6, r5\n",
                           1, 2);
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(&c, "E_RACE", "device address 0x104");
    cr_expect_str_eq(d->text, "@!p1 device_load_u32 r6, r5");
    cr_expect_not_null(strstr(d->message, "workgroup (1,0,0), wave 0, lane 0, thread (0,0,0): "));
    cr_expect_not_null(strstr(d->message, "(@p1 device_store_u32 r5, r1)"));
    cr_expect_not_null(strstr(d->message, "by workgroup (0,0,0), wave 0, lane 0, thread (0,0,0)"),
                       "%s", d->message);
    cr_expect_str_eq(d->kernel, "k");
    char pc[80];
    snprintf(pc, sizeof pc, "this load of device address 0x104 at PC 0x%04x", (unsigned)d->offset);
    cr_expect_not_null(strstr(d->message, pc));
    snprintf(pc, sizeof pc, "the store at PC 0x%04x", (unsigned)d->offset - 8);
    cr_expect_not_null(strstr(d->message, pc));
    emu_close(&c);
}

Test(race, the_run_continues_after_a_race) {
    emu_case c = open_race("device_store_u32 r20, r29\n barrier\n device_store_u32 r2, r1\n", 2, 1);
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    cr_expect_eq(c.memory[63], 63);
    emu_close(&c);
}

Test(race, nothing_is_reported_when_the_check_is_off) {
    emu_case c = open_race("device_store_u32 r20, r29\n", 2, 1);
    c.launch.checks = 0;
    emu_run_ok(&c);
    emu_close(&c);
}

Test(race, the_status_reports_a_race_without_a_list) {
    emu_case c = open_race("device_store_u32 r20, r29\n", 2, 1);
    cr_expect_eq(wave_emulate(c.module, &c.launch, NULL), WAVE_ERROR_INPUT);
    emu_close(&c);
}
