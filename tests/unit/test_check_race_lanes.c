/* The race checker and the lanes of one wave (ISA 8.1 and 8.2), chains of messages, scopes, and its
 * messages. Waves are 32 wide; r0 = wave, r1 = thread, r2 = 4 * thread, r3 = lane, r4 = workgroup,
 * r20 … r29 = 0 … 9; p1 means lane 0, p2 lane 1, p3 wave 0. */
#include "emu_helpers.h"

#define START                                                                                      \
    "mov_sr r0, sr_wave_id\n mov_sr r3, sr_lane_id\n mov_sr r4, sr_workgroup_id_x\n" EMU_THREAD    \
        EMU_DIGITS "icmp_eq p1, r3, r20\n icmp_eq p2, r3, r21\n icmp_eq p3, r0, r20\n"

static emu_case open_lanes(const char *code, uint32_t waves, uint32_t groups) {
    emu_case c = emu_open_parts(START, code);
    c.launch.workgroup[0] = 32 * waves;
    c.launch.grid[0] = groups;
    c.launch.checks = WAVE_CHECK_RACE;
    return c;
}

static void expect_in(const char *code, uint32_t waves, uint32_t groups, bool lockstep,
                      size_t races, size_t collisions) {
    emu_case c = open_lanes(code, waves, groups);
    c.launch.lockstep = lockstep;
    for (uint64_t seed = 0; seed < 4; seed++) {
        c.launch.random_schedule = seed > 0;
        c.launch.seed = seed;
        memset(c.memory, 0, EMU_WORDS * sizeof *c.memory);
        wave_status status = emu_run(&c);
        size_t errors = wave_diags_total(c.diags, WAVE_ERROR);
        size_t warnings = wave_diags_total(c.diags, WAVE_WARNING);
        cr_expect_eq(status, races ? WAVE_ERROR_INPUT : WAVE_OK, "seed %d of\n%s", (int)seed, code);
        cr_expect_eq(errors, races, "%zu races, seed %d of\n%s", errors, (int)seed, code);
        cr_expect_eq(warnings, collisions, "%zu warnings, seed %d of\n%s", warnings, (int)seed,
                     code);
    }
    emu_close(&c);
}

static void expect_lanes(const char *code, size_t races) {
    expect_in(code, 1, 1, false, races, 0);
}

/* ---- Rule 3: fences within a wave ---- */

#define EXCHANGE                                                                                   \
    "mov_imm r5, 124\n iadd r6, r2, r24\n and r6, r6, r5\n local_store_u32 r2, r1\n %s"            \
    "local_load_u32 r7, r6\n"

static void exchange(const char *between, size_t races) {
    char code[512];
    snprintf(code, sizeof code, EXCHANGE, between);
    expect_lanes(code, races);
}

Test(race_lanes, an_exchange_needs_a_fence) {
    exchange("", 1);
    exchange("nop\n wait\n", 1);
}

Test(race_lanes, any_fence_orders_an_exchange) {
    static const char *const kinds[] = {"acquire", "release", "acq_rel", "sc"};
    static const char *const scopes[] = {".wave", ".workgroup", ".device", ".system"};
    for (int kind = 0; kind < 4; kind++)
        for (int scope = 0; scope < 4; scope++) {
            char fence[64];
            snprintf(fence, sizeof fence, "fence_%s %s\n", kinds[kind], scopes[scope]);
            exchange(fence, 0);
        }
    exchange("barrier\n", 0);
}

Test(race_lanes, wave_operations_order_nothing) {
    exchange("wave_reduce_add r8, r1\n", 1);
}

Test(race_lanes, a_fence_orders_only_the_lanes_that_execute_it) {
    exchange("@p1 fence_acq_rel .wave\n", 1);
    /* Only lanes 0 and 1 exchange, with their own fence. */
    static const char two[] = "icmp_lt p0, r3, r22\n if p0\n xor r6, r2, r24\n"
                              "local_store_u32 r2, r1\n %s local_load_u32 r7, r6\n endif\n";
    char code[512];
    snprintf(code, sizeof code, two, "fence_release .wave\n");
    expect_lanes(code, 0);
    snprintf(code, sizeof code, two, "@p1 fence_release .wave\n");
    expect_lanes(code, 1);
}

Test(race_lanes, fences_of_different_lanes_order_transitively) {
    /* Lane 0 synchronises with lane 1, then lane 1 with lane 2: 2 is ordered after 0, 3 is not. */
    static const char chain[] = "icmp_lt p0, r3, r22\n @p1 local_store_u32 r20, r29\n"
                                "if p0\n fence_acq_rel .wave\n endif\n"
                                "icmp_gt p0, r3, r20\n if p0\n icmp_lt p0, r3, r23\n if p0\n"
                                "fence_acq_rel .wave\n endif\n endif\n"
                                "icmp_eq p0, r3, %s\n if p0\n local_load_u32 r7, r20\n endif\n";
    char code[1024];
    snprintf(code, sizeof code, chain, "r22");
    expect_lanes(code, 0);
    snprintf(code, sizeof code, chain, "r23");
    expect_lanes(code, 1);
}

Test(race_lanes, a_load_before_a_store_needs_a_fence_too) {
    static const char before[] = "local_load_u32 r7, r20\n %s @p2 local_store_u32 r20, r21\n";
    char code[256];
    snprintf(code, sizeof code, before, "");
    expect_lanes(code, 1);
    snprintf(code, sizeof code, before, "fence_acq_rel .wave\n");
    expect_lanes(code, 0);
}

Test(race_lanes, a_lane_is_in_order_with_itself) {
    expect_lanes("local_store_u32 r2, r1\n local_load_u32 r6, r2\n local_store_u32 r2, r6\n"
                 "device_store_u32 r2, r1\n device_load_u32 r6, r2\n atomic_add r2, r21, .wave\n",
                 0);
}

Test(race_lanes, both_sides_of_an_if_race) {
    static const char sides[] = "if p1\n local_store_u32 r20, r21\n %s else\n"
                                "%s @p2 local_store_u32 r20, r22\n endif\n";
    char code[512];
    snprintf(code, sizeof code, sides, "", "");
    expect_lanes(code, 1);
    /* Each side has its own fence. */
    snprintf(code, sizeof code, sides, "fence_acq_rel .wave\n", "fence_acq_rel .wave\n");
    expect_lanes(code, 1);
}

Test(race_lanes, iterations_of_a_loop_race) {
    /* Lane i writes word i + iteration: a neighbour's word of the previous iteration. */
    static const char loop[] = "mov r8, r20\n mov r9, r2\n loop\n local_store_u32 r9, r1\n %s"
                               "iadd r9, r9, r24\n iadd r8, r8, r21\n icmp_eq p0, r8, r22\n"
                               "break p0\n endloop\n";
    char code[512];
    snprintf(code, sizeof code, loop, "");
    expect_lanes(code, 1);
    snprintf(code, sizeof code, loop, "fence_release .wave\n");
    expect_lanes(code, 0);
}

Test(race_lanes, a_lane_that_stores_twice_is_not_hidden_by_its_second_store) {
    /* Lane 0 stores alone, then with lane 1 in one execution of the same instruction. */
    expect_lanes("mov r8, r20\n loop\n icmp_le p0, r3, r8\n if p0\n local_store_u32 r20, r21\n"
                 "endif\n iadd r8, r8, r21\n icmp_eq p0, r8, r22\n break p0\n endloop\n",
                 1);
    /* Lane 0 loads first. */
    expect_lanes("@p1 local_load_u32 r7, r20\n local_store_u32 r20, r21\n", 1);
}

/* ---- Collisions ---- */

Test(race_lanes, one_execution_stores_without_a_race) {
    expect_in("local_store_u32 r20, r21\n", 1, 1, false, 0, 0); /* the same value */
    expect_in("local_store_u32 r20, r1\n", 1, 1, false, 0, 1);
    expect_in("device_store_u64 r20, r0\n", 1, 1, false, 0, 1); /* r0 is the same, r1 is not */
    /* Once per instruction, however often it executes. */
    expect_in("mov r8, r20\n loop\n device_store_u32 r20, r1\n fence_acq_rel .wave\n"
              "iadd r8, r8, r21\n icmp_eq p0, r8, r23\n break p0\n endloop\n"
              "device_store_u32 r20, r1\n",
              1, 1, false, 0, 2);
}

Test(race_lanes, collisions_are_found_by_byte) {
    /* Lane i stores 2 bytes at i: bytes 1 and up are stored by two lanes. */
    emu_case c = open_lanes("mov_imm r5, 0x0101\n local_store_u16 r3, r5\n", 1, 1);
    cr_expect_eq(emu_run(&c), WAVE_OK);
    cr_expect_null(emu_find(&c, "W_STORE_COLLISION"));
    emu_close(&c);
    c = open_lanes("mov_imm r5, 0x0201\n local_store_u16 r3, r5\n", 1, 1);
    cr_expect_eq(emu_run(&c), WAVE_OK);
    const wave_diag *d = emu_find(&c, "W_STORE_COLLISION");
    cr_assert_not_null(d);
    cr_expect_not_null(strstr(d->message, "local address 0x1"), "%s", d->message);
    cr_expect_not_null(strstr(d->message, "lane 1, thread (1,0,0): this store"), "%s", d->message);
    cr_expect_not_null(strstr(d->message, "wave 0, lane 0, thread (0,0,0), in one execution"), "%s",
                       d->message);
    emu_close(&c);
}

Test(race_lanes, atomics_of_one_instruction_do_not_race) {
    expect_lanes("local_atomic_add r20, r1\n atomic_add r20, r1, .wave\n"
                 "atomic_exchange r24, r1, .device\n",
                 0);
}

/* ---- Scopes of atomics ---- */

Test(race_lanes, the_scope_of_both_atomics_must_include_the_other_lane) {
    expect_in("atomic_add r20, r21, .wave\n", 1, 1, false, 0, 0);
    expect_in("atomic_add r20, r21, .wave\n", 2, 1, false, 1, 0);
    expect_in("atomic_add r20, r21, .workgroup\n", 2, 1, false, 0, 0);
    expect_in("atomic_add r20, r21, .workgroup\n", 1, 2, false, 1, 0);
    expect_in("atomic_add r20, r21, .device\n", 2, 2, false, 0, 0);
    expect_in("@p3 atomic_add r20, r21, .wave\n @!p3 atomic_add r20, r21, .device\n", 2, 1, false,
              1, 0);
    /* Ordered by a barrier they do not race. */
    expect_in("@p3 atomic_add r20, r21, .wave\n barrier\n @!p3 atomic_add r20, r21, .wave\n", 2, 1,
              false, 0, 0);
    /* Two that only read. */
    expect_in("atomic_load r6, r20, .wave\n", 2, 2, false, 0, 0);
}

Test(race_lanes, a_failed_compare_and_swap_only_reads) {
    /* The word is 0: expecting 5 fails. */
    expect_in("@p3 atomic_cas r6, r20, r25, r21, .device\n @!p3 device_load_u32 r7, r20\n", 2, 1,
              false, 0, 0);
    expect_in("@p3 atomic_cas r6, r20, r20, r21, .device\n @!p3 device_load_u32 r7, r20\n", 2, 1,
              false, 1, 0);
}

/* ---- Rule 4: messages ---- */

/* In wave 0, lane 0 stores to word 0 and writes the flag, word 64; lane 1, on the other side of the
 * if, reads the flag and the word. The emulator runs the first side first. */
static void lane_message(const char *release, const char *write, const char *middle,
                         const char *read, const char *acquire, size_t races) {
    char code[1024];
    snprintf(code, sizeof code,
             "mov_imm r5, 64\n"
             "if p1\n device_store_u32 r20, r29\n %s %s endif\n %s"
             "if p2\n %s %s device_load_u32 r7, r20\n endif\n",
             release, write, middle, read, acquire);
    expect_lanes(code, races);
}

#define WRITE   "atomic_store r5, r21, .wave\n"
#define READ    "atomic_load r6, r5, .wave\n"
#define RELEASE "fence_release .wave\n"
#define ACQUIRE "fence_acquire .wave\n"

Test(race_lanes, messages_reach_lanes_of_the_same_wave) {
    lane_message(RELEASE, WRITE, "", READ, ACQUIRE, 0);
    lane_message("fence_sc .device\n", WRITE, "", READ, "fence_sc .workgroup\n", 0);
    lane_message(RELEASE, "atomic_add r5, r21, .device\n", "", "atomic_or r6, r5, r20, .device\n",
                 ACQUIRE, 0);
    lane_message("", WRITE, "", READ, ACQUIRE, 1);
    lane_message(RELEASE, WRITE, "", READ, "", 1);
    lane_message(ACQUIRE, WRITE, "", READ, ACQUIRE, 1);
    lane_message(RELEASE, WRITE, "", READ, RELEASE, 1);
}

/* Lane 2 accesses the flag in between. */
#define LANE_2(what) "icmp_eq p0, r3, r22\n if p0\n " what "endif\n"

Test(race_lanes, read_modify_writes_continue_a_chain_and_stores_end_it) {
    lane_message(RELEASE, WRITE, LANE_2("atomic_add r5, r21, .wave\n"), READ, ACQUIRE, 0);
    lane_message(RELEASE, WRITE, LANE_2("atomic_load r6, r5, .wave\n"), READ, ACQUIRE, 0);
    lane_message(RELEASE, WRITE, LANE_2("atomic_cas r6, r5, r29, r21, .wave\n"), READ, ACQUIRE, 0);
    lane_message(RELEASE, WRITE, LANE_2("atomic_store r5, r21, .wave\n"), READ, ACQUIRE, 1);
    /* A plain store to the flag ends the chain too: the load of the flag races with it, and the
     * load of the word with the other store. */
    expect_lanes("mov_imm r5, 64\n if p1\n device_store_u32 r20, r29\n fence_release .wave\n"
                 "atomic_store r5, r21, .wave\n device_store_u32 r5, r22\n endif\n"
                 "if p2\n atomic_load r6, r5, .wave\n fence_acquire .wave\n"
                 "device_load_u32 r7, r20\n endif\n",
                 2);
}

Test(race_lanes, barriers_make_narrow_atomics_legal) {
    /* Wave 0 writes the flag, wave 1 adds to it with a narrow scope, wave 0 reads it. */
    static const char *const scopes[] = {".wave", ".workgroup", ".device"};
    for (int scope = 0; scope < 3; scope++) {
        char code[512];
        snprintf(code, sizeof code,
                 "mov_imm r5, 64\n if p3\n @p1 fence_release .workgroup\n"
                 "@p1 atomic_store r5, r21, .workgroup\n endif\n barrier\n"
                 "if p3\n else\n @p1 atomic_add r5, r21, %s\n endif\n barrier\n"
                 "if p3\n @p1 atomic_load r6, r5, .wave\n fence_acquire .wave\n endif\n",
                 scopes[scope]);
        expect_in(code, 2, 1, false, 0, 0);
    }
}

Test(race_lanes, a_narrow_link_breaks_the_chain) {
    /* Three workgroups of one wave: 0 sends, 1 forwards, 2 receives. A second message passes on the
     * flag's word in order, so that the narrow atomic itself does not race. */
    static const char chain[] =
        "mov_imm r5, 64\n mov_imm r8, 68\n if p1\n"
        "icmp_eq p0, r4, r20\n if p0\n fence_release .device\n atomic_add r8, r21, .device\n"
        "device_store_u32 r20, r29\n fence_release .device\n atomic_add r5, r21, .device\n"
        "fence_release .device\n endif\n"
        "icmp_eq p0, r4, r21\n if p0\n atomic_add r5, r21, %s\n endif\n"
        "icmp_eq p0, r4, r22\n if p0\n atomic_add r6, r5, r21, .device\n fence_acquire .device\n"
        "device_load_u32 r7, r20\n endif\n endif\n";
    char code[1024];
    snprintf(code, sizeof code, chain, ".device");
    expect_in(code, 1, 3, false, 0, 0);
    snprintf(code, sizeof code, chain, ".workgroup");
    expect_in(code, 1, 3, false, 3, 0); /* the narrow atomic twice, and the load */
}

Test(race_lanes, a_message_covers_only_stores_that_its_lane_has_synchronised_with) {
    /* All lanes store; lane 0 signals the next workgroup. A barrier, or a fence that all lanes
     * execute, makes the signal cover the stores of all lanes. */
    static const char tell[] = "mov_imm r5, 2048\n icmp_eq p3, r4, r20\n"
                               "@p3 device_store_u32 r2, r1\n %s"
                               "if p1\n fence_acq_rel .device\n atomic_add r6, r5, r21, .device\n"
                               "fence_acq_rel .device\n endif\n %s @!p3 device_load_u32 r6, r2\n";
    char code[512];
    snprintf(code, sizeof code, tell, "barrier\n", "barrier\n");
    expect_in(code, 2, 2, false, 0, 0);
    snprintf(code, sizeof code, tell, "fence_release .wave\n", "fence_acquire .wave\n");
    expect_in(code, 1, 2, false, 0, 0);
    snprintf(code, sizeof code, tell, "", "barrier\n");
    expect_in(code, 1, 2, false, 1, 0);
    snprintf(code, sizeof code, tell, "barrier\n", "");
    expect_in(code, 1, 2, false, 1, 0);
}

Test(race_lanes, a_lock_opened_by_an_atomic_store_protects) {
    static const char lock[] =
        "mov_imm r5, 64\n if p1\n loop\n atomic_cas r6, r5, r20, r21, .device\n"
        "icmp_eq p0, r6, r20\n break p0\n endloop\n fence_acquire .device\n"
        "device_load_u32 r7, r20\n iadd r7, r7, r21\n device_store_u32 r20, r7\n"
        "%s atomic_store r5, r20, .device\n endif\n";
    char code[512];
    snprintf(code, sizeof code, lock, "fence_release .device\n");
    expect_in(code, 4, 8, false, 0, 0);
}

Test(race_lanes, an_atomic_does_not_hide_that_of_another_wave) {
    /* Lane 0 of wave 1 is ordered with the atomic of wave 0; lane 1 is not, and its scope is
     * narrow. */
    expect_in("mov_imm r5, 64\n if p3\n @p1 atomic_add r20, r21, .device\n"
              "fence_release .workgroup\n @p1 atomic_store r5, r21, .workgroup\n else\n"
              "if p1\n loop\n atomic_load r6, r5, .workgroup\n icmp_eq p0, r6, r21\n break p0\n"
              "endloop\n fence_acquire .workgroup\n atomic_add r20, r21, .device\n endif\n"
              "@p2 atomic_add r20, r21, .wave\n endif\n",
              2, 1, false, 1, 0);
}

Test(race_lanes, a_store_ends_the_chain_between_workgroups_too) {
    /* Workgroup 0 sends, 1 overwrites the flag, 2 receives only what 1 sent. */
    static const char chain[] =
        "mov_imm r5, 64\n if p1\n icmp_eq p0, r4, r20\n if p0\n device_store_u32 r20, r29\n"
        "fence_release .device\n atomic_add r5, r21, .device\n endif\n"
        "icmp_eq p0, r4, r21\n if p0\n device_store_u32 r24, r29\n %s fence_release .device\n"
        "atomic_store r5, r22, .device\n endif\n"
        "icmp_eq p0, r4, r22\n if p0\n atomic_load r6, r5, .device\n fence_acquire .device\n"
        "device_load_u32 r7, r24\n device_load_u32 r7, r20\n endif\n endif\n";
    char code[1024];
    snprintf(code, sizeof code, chain, "");
    expect_in(code, 1, 3, false, 1, 0);
    /* Unless 1 has received what 0 sent. */
    snprintf(code, sizeof code, chain, "atomic_load r6, r5, .device\n fence_acquire .device\n");
    expect_in(code, 1, 3, false, 0, 0);
}

/* ---- Halted lanes ---- */

Test(race_lanes, a_halted_lane_counts_at_barriers_and_not_at_fences) {
    expect_in("@p1 local_store_u32 r20, r21\n @p1 halt\n barrier\n local_load_u32 r6, r20\n", 2, 1,
              false, 1, 0); /* lane 0 of both waves store: they race with each other */
    expect_lanes("@p1 local_store_u32 r20, r21\n @p1 halt\n barrier\n local_load_u32 r6, r20\n", 0);
    expect_lanes("@p1 local_store_u32 r20, r21\n @p1 halt\n fence_acq_rel .wave\n"
                 "local_load_u32 r6, r20\n",
                 1);
}

/* ---- Lockstep ---- */

Test(race_lanes, lockstep_orders_the_lanes_of_a_wave) {
    char code[512];
    snprintf(code, sizeof code, EXCHANGE, "");
    expect_in(code, 1, 1, true, 0, 0);
    expect_in("local_load_u32 r7, r20\n @p2 local_store_u32 r20, r21\n", 1, 1, true, 0, 0);
    /* Other waves are still unordered. */
    expect_in("local_load_u32 r7, r20\n @p2 local_store_u32 r20, r21\n", 2, 1, true, 2, 0);
    expect_in("atomic_add r20, r21, .wave\n", 2, 1, true, 1, 0);
}

/* ---- Messages ---- */

static void expect_hint(const char *code, uint32_t waves, uint32_t groups, const char *words) {
    emu_case c = open_lanes(code, waves, groups);
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_find(&c, "E_RACE");
    cr_assert_not_null(d);
    cr_expect_not_null(strstr(d->hint, words), "\"%s\" is not in \"%s\"", words, d->hint);
    emu_close(&c);
}

Test(race_lanes, the_hint_names_what_is_missing) {
    expect_hint("@p1 local_store_u32 r20, r21\n @p2 local_load_u32 r6, r20\n", 1, 1,
                "fence_acq_rel .wave");
    expect_hint("if p1\n local_store_u32 r20, r21\n endif\n", 2, 1, "put a barrier");
    expect_hint("if p1\n device_store_u32 r20, r21\n endif\n", 1, 2, "fence_release .device");
    expect_hint("@p1 local_store_u32 r20, r21\n @p2 local_atomic_add r20, r21\n", 1, 1,
                "make both accesses atomic");
    expect_hint("atomic_add r20, r21, .wave\n", 2, 1, "scope .workgroup or wider");
    expect_hint("atomic_add r20, r21, .workgroup\n", 1, 2, "scope .device or wider");
}

Test(race_lanes, the_report_names_both_lanes) {
    emu_case c = open_lanes("@p1 local_store_u32 r20, r21\n @p2 local_load_u32 r6, r20\n", 1, 1);
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(&c, "E_RACE", "this load of local address 0x0");
    cr_expect_not_null(strstr(d->message, "wave 0, lane 1, thread (1,0,0): this load"));
    cr_expect_not_null(strstr(d->message, "(@p1 local_store_u32 r20, r21) by workgroup (0,0,0), "
                                          "wave 0, lane 0, thread (0,0,0)"),
                       "%s", d->message);
    emu_close(&c);
}

Test(race_lanes, a_partial_wave_does_not_race) {
    emu_case c = open_lanes("local_store_u32 r2, r1\n barrier\n local_load_u32 r6, r20\n"
                            "barrier\n local_store_u32 r2, r1\n",
                            1, 3);
    c.launch.workgroup[0] = 40;
    emu_run_ok(&c);
    emu_close(&c);
}
