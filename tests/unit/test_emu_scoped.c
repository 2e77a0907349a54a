/* Scoped memory (ISA 12.5): when other lanes, waves and workgroups see a store; race-free programs
 * are unaffected. Waves are 32 wide; r0 = wave, r1 = thread, r2 = 4 * thread, r3 = lane, r4 =
 * workgroup, r20 … r29 = 0 … 9; p1 means lane 0, p2 lane 1, p3 wave 0. */
#include "race_programs.h"

#define START                                                                                      \
    "mov_sr r0, sr_wave_id\n mov_sr r3, sr_lane_id\n mov_sr r4, sr_workgroup_id_x\n" EMU_THREAD    \
        EMU_DIGITS "icmp_eq p1, r3, r20\n icmp_eq p2, r3, r21\n icmp_eq p3, r0, r20\n"

enum { SEEDS = 50, RESULT = 1024 }; /* results start at word 1024 */

static emu_case open_scoped(const char *code, uint32_t waves, uint32_t groups) {
    emu_case c = emu_open_parts(START "mov_imm r30, 4096\n", code);
    c.launch.workgroup[0] = 32 * waves;
    c.launch.grid[0] = groups;
    c.launch.scoped_memory = true;
    return c;
}

typedef struct seen {
    int count[3]; /* runs that left 0, 9 or another value as the result */
} seen;

static seen outcomes(const char *code, uint32_t waves, uint32_t groups) {
    emu_case c = open_scoped(code, waves, groups);
    seen s = {{0}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        memset(c.memory, 0, EMU_WORDS * sizeof *c.memory);
        c.launch.memory_seed = seed;
        emu_run_ok(&c);
        uint32_t got = c.memory[RESULT];
        s.count[got == 0 ? 0 : got == 9 ? 1 : 2]++;
    }
    emu_close(&c);
    return s;
}

static void always(const char *code, uint32_t waves, uint32_t groups, uint32_t value) {
    seen s = outcomes(code, waves, groups);
    cr_expect_eq(s.count[value == 9], SEEDS, "%d times 0, %d times 9, %d others in\n%s", s.count[0],
                 s.count[1], s.count[2], code);
}

/* Both 0 and 9 occur, each under some seed. */
static void either(const char *code, uint32_t waves, uint32_t groups) {
    seen s = outcomes(code, waves, groups);
    cr_expect(s.count[0] > 0 && s.count[1] > 0 && s.count[2] == 0,
              "%d times 0, %d times 9, %d others in\n%s", s.count[0], s.count[1], s.count[2], code);
}

/* ---- Waiting stores ---- */

Test(scoped, a_lane_sees_its_own_stores) {
    always("@p1 local_store_u32 r20, r29\n @p1 local_load_u32 r5, r20\n"
           "@p1 device_store_u32 r30, r5\n",
           1, 1, 9);
    always("if p1\n mov_imm r5, 0x00000900\n device_store_u32 r20, r5\n device_load_u8 r6, r21\n"
           "fence_release .device\n device_load_u8 r6, r21\n device_store_u32 r30, r6\n endif\n",
           1, 1, 9);
}

/* Lane 0 stores, lane 1 loads. */
static const char two_lanes[] = "@p1 %s_store_u32 r20, r29\n %s @p2 %s_load_u32 r5, r20\n"
                                "@p2 device_store_u32 r30, r5\n";

static void lanes_with(const char *space, const char *between, uint32_t value) {
    char code[512];
    snprintf(code, sizeof code, two_lanes, space, between, space);
    always(code, 1, 1, value);
}

Test(scoped, another_lane_sees_a_store_after_a_fence_or_barrier) {
    static const char *const spaces[] = {"local", "device"};
    static const char *const kinds[] = {"acquire", "release", "acq_rel", "sc"};
    static const char *const scopes[] = {".wave", ".workgroup", ".device", ".system"};
    for (int space = 0; space < 2; space++) {
        lanes_with(spaces[space], "", 0);
        lanes_with(spaces[space], "nop\n wait\n wave_reduce_add r6, r1\n", 0);
        lanes_with(spaces[space], "barrier\n", 9);
        lanes_with(spaces[space], "@p2 fence_acq_rel .system\n", 0);
        for (int kind = 0; kind < 4; kind++)
            for (int scope = 0; scope < 4; scope++) {
                char fence[64];
                snprintf(fence, sizeof fence, "fence_%s %s\n", kinds[kind], scopes[scope]);
                lanes_with(spaces[space], fence, 9);
            }
    }
}

/* Wave 0 stores and releases, wave 1 then acquires and loads: the waves take turns, and the nops
 * delay wave 1. */
static const char two_waves[] =
    "if p3\n @p1 device_store_u32 r20, r29\n %s else\n nop\n nop\n nop\n"
    "nop\n nop\n %s @p1 device_load_u32 r5, r20\n"
    "@p1 device_store_u32 r30, r5\n endif\n";

static void waves_with(const char *release, const char *acquire, uint32_t value) {
    char code[512];
    snprintf(code, sizeof code, two_waves, release, acquire);
    always(code, 2, 1, value);
}

Test(scoped, another_wave_needs_a_release_of_the_workgroup) {
    waves_with("", "fence_acq_rel .system\n", 0);
    waves_with("fence_release .wave\n", "fence_acquire .workgroup\n", 0);
    waves_with("fence_acquire .device\n", "fence_acquire .device\n", 0);
    waves_with("fence_release .workgroup\n", "fence_acquire .workgroup\n", 9);
    waves_with("fence_sc .device\n", "fence_sc .device\n", 9);
}

/* Workgroup 0 stores, workgroup 1 loads later. */
static void groups_with(const char *release, uint32_t value) {
    char code[512];
    snprintf(code, sizeof code,
             "icmp_eq p2, r4, r20\n if p1\n @p2 device_store_u32 r20, r29\n @p2 %s\n"
             "@!p2 device_load_u32 r5, r20\n @!p2 device_store_u32 r30, r5\n endif\n",
             release);
    always(code, 1, 2, value);
}

Test(scoped, another_workgroup_needs_a_release_of_the_device) {
    groups_with("nop", 0);
    groups_with("fence_release .workgroup", 0);
    groups_with("fence_acquire .device", 0);
    groups_with("fence_release .device", 9);
    groups_with("fence_acq_rel .system", 9);
}

Test(scoped, a_release_includes_stores_pending_in_wider_views) {
    /* Lane 0 stores, then a wave fence; only lane 1 releases to the device. */
    always("icmp_eq p3, r4, r20\n if p3\n @p1 device_store_u32 r20, r29\n fence_release .wave\n"
           "@p2 fence_release .device\n else\n @p1 device_load_u32 r5, r20\n"
           "@p1 device_store_u32 r30, r5\n endif\n",
           1, 2, 9);
}

Test(scoped, a_barrier_releases_the_stores_of_halted_lanes) {
    always("@p1 local_store_u32 r20, r29\n @p1 halt\n fence_acq_rel .workgroup\n"
           "@p2 local_load_u32 r5, r20\n @p2 device_store_u32 r30, r5\n",
           1, 1, 0);
    always("@p1 local_store_u32 r20, r29\n @p1 halt\n barrier\n @p2 local_load_u32 r5, r20\n"
           "@p2 device_store_u32 r30, r5\n",
           1, 1, 9);
}

Test(scoped, the_highest_lane_wins_in_one_execution) {
    /* Lanes 1 and 0 release one after the other, in this order. */
    always("icmp_le p0, r3, r21\n if p0\n iadd r5, r3, r28\n local_store_u32 r20, r5\n"
           "@p2 fence_release .wave\n @p1 fence_release .wave\n fence_acq_rel .wave\n"
           "local_load_u32 r6, r20\n @p1 device_store_u32 r30, r6\n endif\n",
           1, 1, 9);
}

/* ---- Remembered values ---- */

Test(scoped, a_load_may_return_a_remembered_value) {
    /* Lane 1 loads, lane 0 stores and fences alone, lane 1 loads again. */
    static const char again[] = "@p2 device_load_u32 r5, r20\n @p1 device_store_u32 r20, r29\n"
                                "@p1 fence_release .wave\n %s @p2 device_load_u32 r5, r20\n"
                                "@p2 device_store_u32 r30, r5\n";
    char code[512];
    snprintf(code, sizeof code, again, "");
    either(code, 1, 1);
    snprintf(code, sizeof code, again, "@p2 fence_acquire .wave\n");
    always(code, 1, 1, 9);
}

Test(scoped, a_load_remembers_its_whole_line) {
    /* The first load is of another word of the line. */
    either("@p2 device_load_u32 r5, r24\n @p1 device_store_u32 r20, r29\n"
           "@p1 fence_release .wave\n @p2 device_load_u32 r5, r20\n"
           "@p2 device_store_u32 r30, r5\n",
           1, 1);
    /* Another line. */
    always("mov_imm r6, 64\n @p2 device_load_u32 r5, r6\n @p1 device_store_u32 r20, r29\n"
           "@p1 fence_release .wave\n @p2 device_load_u32 r5, r20\n"
           "@p2 device_store_u32 r30, r5\n",
           1, 1, 9);
}

Test(scoped, an_acquire_forgets_up_to_its_scope) {
    /* Wave 1 loads, wave 0 stores and releases, wave 1 acquires and loads again. */
    static const char again[] =
        "if p3\n nop\n nop\n nop\n @p1 device_store_u32 r20, r29\n fence_release .device\n else\n"
        "device_load_u32 r5, r20\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
        "fence_acquire %s\n @p1 device_load_u32 r5, r20\n @p1 device_store_u32 r30, r5\n endif\n";
    char code[512];
    snprintf(code, sizeof code, again, ".wave"); /* the wave still has the old value */
    either(code, 2, 1);
    snprintf(code, sizeof code, again, ".workgroup");
    always(code, 2, 1, 9);
    snprintf(code, sizeof code, again, ".device");
    always(code, 2, 1, 9);
}

/* ---- Atomics ---- */

Test(scoped, atomics_act_on_memory) {
    always("@p1 atomic_exchange r20, r29, .wave\n @p2 atomic_load r5, r20, .wave\n"
           "@p2 atomic_store r30, r5, .device\n",
           1, 1, 9);
    always("icmp_eq p3, r4, r20\n if p1\n @p3 atomic_store r20, r29, .device\n"
           "@!p3 atomic_load r5, r20, .device\n @!p3 device_store_u32 r30, r5\n endif\n",
           1, 2, 9);
}

Test(scoped, an_atomic_flushes_pending_stores_to_its_word) {
    always("@p1 device_store_u32 r20, r28\n @p1 atomic_add r20, r21, .wave\n"
           "@p2 atomic_load r5, r20, .wave\n @p2 device_store_u32 r30, r5\n",
           1, 1, 9);
    /* And it is no longer pending. */
    always("@p1 device_store_u32 r20, r28\n @p1 atomic_add r20, r21, .wave\n"
           "fence_release .device\n @p2 atomic_load r5, r20, .device\n"
           "@p2 device_store_u32 r30, r5\n",
           1, 1, 9);
    /* The word next to it is unaffected. */
    always("@p1 device_store_u32 r24, r29\n @p1 atomic_add r20, r21, .device\n"
           "@p2 device_load_u32 r5, r24\n @p2 device_store_u32 r30, r5\n",
           1, 1, 0);
}

Test(scoped, a_lane_sees_its_own_atomic) {
    always("if p1\n device_load_u32 r5, r20\n atomic_store r20, r29, .device\n"
           "device_load_u32 r5, r20\n device_store_u32 r30, r5\n endif\n",
           1, 1, 9);
}

/* ---- Tiles, workgroups, the end of a run ---- */

Test(scoped, tiles_go_through_the_views) {
    static const char tiles[] =
        "mov_imm r5, 16\n mov_imm r6, 0x41100000\n if p1\n %s endif\n %s if p2\n %s endif\n";
    char code[1024];
    /* Lane 0 stores 9.0 = 0x41100000 to a tile, and lane 1 reads it; the result is 9 if visible. */
    static const char fill[] = "local_store_u32 r20, r6\n";
    static const char take[] = "mma_load_a r0, r20, r5\n mov_imm r7, 256\n mma_store_c r7, r5, r1\n"
                               "local_load_u32 r8, r20\n cvt_u32_f32 r8, r8\n"
                               "device_store_u32 r30, r8\n";
    snprintf(code, sizeof code, tiles, fill, "", take);
    always(code, 1, 1, 0);
    snprintf(code, sizeof code, tiles, fill, "fence_release .wave\n", take);
    always(code, 1, 1, 9);
    /* A tile stored by lane 0: zeros over a word of 9. */
    always("mov_imm r5, 16\n @p1 local_store_u32 r20, r29\n fence_acq_rel .wave\n if p1\n"
           "mma_store_c r20, r5, r1\n endif\n @p2 local_load_u32 r8, r20\n"
           "@p2 device_store_u32 r30, r8\n",
           1, 1, 9);
    always("mov_imm r5, 16\n @p1 local_store_u32 r20, r29\n fence_acq_rel .wave\n if p1\n"
           "mma_store_c r20, r5, r1\n endif\n fence_acq_rel .wave\n"
           "@p2 local_load_u32 r8, r20\n @p2 device_store_u32 r30, r8\n",
           1, 1, 0);
}

Test(scoped, local_memory_is_forgotten_between_workgroups) {
    /* Workgroup 1 stores its initial zeros; 0 stores nothing. */
    always("icmp_eq p3, r4, r20\n local_load_u32 r5, r20\n barrier\n"
           "@p1 local_atomic_store r20, r29\n barrier\n local_load_u32 r6, r20\n"
           "if p1\n @!p3 device_store_u32 r30, r5\n endif\n",
           1, 2, 0);
}

Test(scoped, the_end_flushes_everything) {
    emu_case c = open_scoped("mov_imm r5, 256\n imad r6, r4, r5, r2\n device_store_u8 r6, r1\n"
                             "iadd r6, r6, r22\n device_store_u16 r6, r4\n",
                             2, 4);
    emu_run_ok(&c);
    for (uint32_t i = 0; i < 256; i++)
        cr_expect_eq(c.memory[i], (i % 64) | (i / 64) << 16, "word %u is %x", i, c.memory[i]);
    emu_close(&c);
}

Test(scoped, memory_is_flushed_after_an_error_too) {
    emu_case c = open_scoped("device_store_u32 r2, r29\n mov_imm r5, -4\n"
                             "device_load_u32 r6, r5\n",
                             1, 1);
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_OUT_OF_BOUNDS", "0xfffffffc");
    cr_expect_eq(c.memory[31], 9);
    emu_close(&c);
}

Test(scoped, errors_are_those_of_plain_memory) {
    static const char *const wrong[] = {"mov_imm r5, -4\n device_store_u32 r5, r1\n",
                                        "mov_imm r5, -4\n atomic_add r5, r1, .device\n",
                                        "atomic_add r21, r1, .device\n",
                                        "mov_imm r5, -4\n mma_load_a r0, r5, r5\n"};
    static const char *const codes[] = {"E_OUT_OF_BOUNDS", "E_OUT_OF_BOUNDS", "E_MISALIGNED",
                                        "E_OUT_OF_BOUNDS"};
    for (int i = 0; i < 4; i++) {
        emu_case c = open_scoped(wrong[i], 1, 1);
        cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
        emu_expect_error(&c, codes[i], "lane 0");
        emu_close(&c);
    }
}

Test(scoped, a_seed_gives_the_same_memory_each_time) {
    static const char racy[] = "device_load_u32 r5, r20\n @p1 device_store_u32 r20, r29\n"
                               "@p1 fence_release .wave\n device_load_u32 r5, r20\n"
                               "iadd r6, r30, r2\n device_store_u32 r6, r5\n";
    emu_case c = open_scoped(racy, 1, 1);
    uint32_t first[32];
    int differ = 0;
    for (uint64_t seed = 0; seed < 10; seed++)
        for (int time = 0; time < 2; time++) {
            memset(c.memory, 0, EMU_WORDS * sizeof *c.memory);
            c.launch.memory_seed = seed;
            emu_run_ok(&c);
            if (time == 0) {
                differ += seed > 0 && memcmp(first, c.memory + RESULT, sizeof first) != 0;
                memcpy(first, c.memory + RESULT, sizeof first);
            }
            cr_expect_arr_eq(first, c.memory + RESULT, sizeof first);
        }
    cr_expect_gt(differ, 0);
    emu_close(&c);
}

/* ---- Programs without races ---- */

/* Returns 1 for a program without a race, 0 for one with a race; *changed counts the programs whose
 * memory a seed changes. */
static int compare(uint64_t number, uint32_t width, uint32_t waves, uint32_t groups, int *changed) {
    char code[4096];
    uint64_t state = number;
    random_program(&state, width == 1, code, sizeof code);
    emu_case c = emu_open_code(code);
    uint32_t *plain = calloc(EMU_WORDS, sizeof *plain);
    cr_assert_not_null(plain);
    c.launch.wave_width = width;
    c.launch.workgroup[0] = waves * width;
    c.launch.grid[0] = groups;
    c.launch.random_schedule = number % 3 != 0;
    c.launch.seed = number;
    c.launch.checks = WAVE_CHECK_RACE;
    const bool clean = emu_run(&c) == WAVE_OK;
    memcpy(plain, c.memory, EMU_WORDS * sizeof *plain);
    c.launch.checks = 0;
    c.launch.scoped_memory = true;
    bool differs = false;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        memset(c.memory, 0, EMU_WORDS * sizeof *c.memory);
        c.launch.memory_seed = seed;
        emu_run(&c);
        differs |= memcmp(plain, c.memory, EMU_WORDS * sizeof *plain) != 0;
    }
    cr_expect(!clean || !differs, "program %llu, %u %u %u has no race and differs:\n%s",
              (unsigned long long)number, width, waves, groups, code);
    *changed += differs;
    free(plain);
    emu_close(&c);
    return clean;
}

static void compare_many(uint64_t first, uint32_t width, uint32_t waves, uint32_t groups) {
    enum { PROGRAMS = 2000 };
    int clean = 0, changed = 0;
    for (uint64_t i = 0; i < PROGRAMS; i++)
        clean += compare(first + i, width, waves, groups, &changed);
    cr_expect_gt(clean, PROGRAMS / 50, "%d", clean);
    cr_expect_gt(changed, PROGRAMS / 50, "%d", changed);
}

Test(scoped, race_free_programs_of_lanes_are_unaffected) {
    compare_many(1, 4, 1, 1);
}

Test(scoped, race_free_programs_of_waves_are_unaffected) {
    compare_many(1000000, 1, 3, 1);
}

Test(scoped, race_free_programs_of_workgroups_are_unaffected) {
    compare_many(2000000, 2, 2, 3);
}
