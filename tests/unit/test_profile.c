/* The profiler: counts that can be derived by hand, and the three output formats. */
#include "emu_helpers.h"

static char *render(emu_case *c, wave_profile_style style) {
    wave_profile *profile = NULL;
    wave_blob text = {0};
    c->launch.profile = &profile;
    emu_run_ok(c);
    cr_assert_not_null(profile);
    cr_assert_eq(wave_profile_format(profile, "file <1>.wbin", style, &text), WAVE_OK);
    wave_profile_destroy(profile);
    return (char *)text.data;
}

static void release(char *text) {
    wave_blob blob = {(uint8_t *)text, 0};
    wave_blob_free(&blob);
}

/* The profile as JSON must contain every one of the pieces. */
static void expect_json(const char *code, uint32_t threads, uint32_t width, uint32_t groups,
                        const char *const *pieces) {
    emu_case c = emu_open_threads(code, threads, width);
    c.launch.grid[0] = groups;
    char *text = render(&c, WAVE_PROFILE_JSON);
    for (; *pieces; pieces++)
        cr_expect_not_null(strstr(text, *pieces), "no %s in\n%s", *pieces, text);
    release(text);
    emu_close(&c);
}

#define EXPECT_JSON(code, threads, width, groups, ...)                                             \
    expect_json(code, threads, width, groups, (const char *const[]){__VA_ARGS__, NULL})

Test(profile, executions_and_lanes_are_counted) {
    /* 20 threads in waves of 8: two full waves and one of 4, in 3 workgroups. */
    EXPECT_JSON("mov_sr r1, sr_lane_id\n mov_imm r2, 2\n icmp_lt p1, r1, r2\n"
                "@p1 mov_imm r3, 1\n halt",
                20, 8, 3, "\"grid\":[3,1,1],\"workgroup\":[20,1,1],\"wave_width\":8",
                "\"workgroups\":3",
                "{\"pc\":0,\"text\":\"mov r1, sr_lane_id\",\"executions\":9,\"lanes\":60}",
                "{\"pc\":20,\"text\":\"@p1 mov_imm r3, 1\",\"executions\":9,\"lanes\":18}",
                "\"totals\":{\"executions\":45,\"lanes\":258,\"branches\":0,");
}

Test(profile, every_iteration_of_a_loop_counts) {
    EXPECT_JSON("mov_imm r1, 0\n mov_imm r2, 1\n mov_imm r3, 5\n loop\n iadd r1, r1, r2\n"
                "icmp_eq p1, r1, r3\n break p1\n endloop\n halt",
                4, 4, 1, "\"text\":\"loop\",\"executions\":1,",
                "\"text\":\"iadd r1, r1, r2\",\"executions\":5,\"lanes\":20}",
                "\"text\":\"break p1\",\"executions\":5,\"lanes\":20,"
                "\"branch\":{\"all\":1,\"none\":4,\"split\":0}");
}

Test(profile, branches_are_counted_by_direction) {
    /* Waves of 4: wave 0 all below 4, wave 1 split at 6, wave 2 none. */
    EXPECT_JSON("mov_sr r1, sr_thread_id_x\n mov_imm r2, 6\n icmp_lt p1, r1, r2\n if p1\n"
                "mov_imm r3, 1\n else\n mov_imm r3, 2\n endif\n halt",
                12, 4, 1,
                "\"text\":\"if p1\",\"executions\":3,\"lanes\":12,"
                "\"branch\":{\"all\":1,\"none\":1,\"split\":1}",
                "\"text\":\"mov_imm r3, 1\",\"executions\":2,\"lanes\":6}",
                "\"text\":\"mov_imm r3, 2\",\"executions\":2,\"lanes\":6}",
                "\"branches\":3,\"split_branches\":1");
    EXPECT_JSON("mov_sr r1, sr_thread_id_x\n mov_imm r2, 6\n icmp_lt p1, r1, r2\n if !p1\n"
                "endif\n halt",
                4, 4, 1,
                "\"text\":\"if !p1\",\"executions\":1,\"lanes\":4,"
                "\"branch\":{\"all\":0,\"none\":1,\"split\":0}");
}

/* An access of 32 lanes, `stride` bytes apart; `piece` is part of its profile. */
static void expect_access(const char *stride, const char *access, const char *piece) {
    char code[256];
    snprintf(code, sizeof code,
             "mov_sr r1, sr_thread_id_x\n mov_imm r2, %s\n imul r1, r1, r2\n %s\n halt", stride,
             access);
    EXPECT_JSON(code, 32, 32, 1, piece);
}

Test(profile, consecutive_words_touch_the_ideal_segments) {
    expect_access("4", "device_load_u32 r4, r1",
                  "\"device\":{\"accesses\":1,\"lane_accesses\":32,\"bytes\":128,"
                  "\"segments\":{\"32\":{\"touched\":4,\"ideal\":4},"
                  "\"64\":{\"touched\":2,\"ideal\":2},\"128\":{\"touched\":1,\"ideal\":1}}}");
}

Test(profile, scattered_words_touch_more_segments) {
    expect_access("64", "device_load_u32 r4, r1",
                  "\"bytes\":128,\"segments\":{\"32\":{\"touched\":32,\"ideal\":4},"
                  "\"64\":{\"touched\":32,\"ideal\":2},\"128\":{\"touched\":16,\"ideal\":1}}");
    /* Backwards makes no difference: -8 * t wraps, so add the end. */
    expect_access("0xFFFFFFF8", "mov_imm r3, 4096\n iadd r1, r1, r3\n device_store_u32 r1, r2",
                  "\"bytes\":128,\"segments\":{\"32\":{\"touched\":9,\"ideal\":4},"
                  "\"64\":{\"touched\":5,\"ideal\":2},\"128\":{\"touched\":3,\"ideal\":1}}");
}

Test(profile, one_word_and_wide_accesses_touch_the_ideal_segments) {
    expect_access("0", "device_load_u32 r4, r1",
                  "\"lane_accesses\":32,\"bytes\":4,\"segments\":{\"32\":{\"touched\":1,"
                  "\"ideal\":1},\"64\":{\"touched\":1,\"ideal\":1}");
    expect_access("16", "device_load_u128 r4, r1",
                  "\"bytes\":512,\"segments\":{\"32\":{\"touched\":16,\"ideal\":16},"
                  "\"64\":{\"touched\":8,\"ideal\":8},\"128\":{\"touched\":4,\"ideal\":4}}");
    /* Bytes 0 … 31: one segment of any size. */
    expect_access("1", "device_load_u8 r4, r1",
                  "\"bytes\":32,\"segments\":{\"32\":{\"touched\":1,\"ideal\":1}");
}

Test(profile, atomics_are_accesses) {
    expect_access("0", "atomic_add r1, r2, .device", "\"device\":{\"accesses\":1,");
}

/* Passes, ideal ones, and the most of one access. */
Test(profile, bank_conflicts_are_counted) {
    expect_access("4", "local_load_u32 r4, r1",
                  "\"bytes\":128,\"passes\":1,\"ideal_passes\":1,\"worst_passes\":1}");
    expect_access("8", "local_load_u32 r4, r1",
                  "\"passes\":2,\"ideal_passes\":1,\"worst_passes\":2}");
    expect_access("128", "local_store_u32 r1, r2",
                  "\"passes\":32,\"ideal_passes\":1,\"worst_passes\":32}");
    expect_access("132", "local_load_u32 r4, r1",
                  "\"passes\":1,\"ideal_passes\":1,\"worst_passes\":1}"); /* padded row */
    expect_access("0", "local_load_u32 r4, r1",
                  "\"passes\":1,\"ideal_passes\":1,\"worst_passes\":1}"); /* broadcast */
    expect_access("8", "local_load_u64 r4, r1",
                  "\"passes\":2,\"ideal_passes\":2,\"worst_passes\":2}"); /* 64 words */
    expect_access("1", "local_load_u8 r4, r1",
                  "\"bytes\":32,\"passes\":1,\"ideal_passes\":1,\"worst_passes\":1}");
}

Test(profile, an_mma_tile_is_16_accesses) {
    EXPECT_JSON("mov_imm r1, 0\n mov_imm r2, 16\n mma_load_a r0, r1, r2\n halt", 4, 4, 1,
                "\"local\":{\"accesses\":16,\"lane_accesses\":64,\"bytes\":64,\"passes\":16,"
                "\"ideal_passes\":16,\"worst_passes\":1}");
}

/* 64 lanes load 16 bytes each: 256 words, eight in each bank. */
Test(profile, a_tile_of_a_wide_wave_takes_eight_passes) {
    EXPECT_JSON("mov_imm r1, 0\n mov_imm r2, 64\n tile_load_c_f32 t0, r1, r2, local, row\n halt",
                64, 64, 1,
                "\"local\":{\"accesses\":1,\"lane_accesses\":64,\"bytes\":1024,\"passes\":8,"
                "\"ideal_passes\":8,\"worst_passes\":8}");
}

Test(profile, the_text_lists_counts_next_to_the_disassembly) {
    emu_case c =
        emu_open_threads("mov_sr r1, sr_lane_id\n mov_imm r2, 2\n icmp_lt p1, r1, r2\n if p1\n"
                         "device_store_u32 r1, r2\n endif\n halt",
                         8, 8);
    char *text = render(&c, WAVE_PROFILE_TEXT);
    static const char *const lines[] = {
        "Profile of file <1>.wbin: kernel k, grid 1,1,1, workgroup 8,1,1, wave width 8\n",
        "  Workgroups: 1, wave-instructions: 7, lanes executing: 78.6%\n", /* 44 of 56 */
        "  Branches: 1, divergent: 1\n",
        "  0x0014           1   14.3%  100.0%  100.0%", /* if p1 */
        "  0x0018           1   14.3%   25.0%             1.0/1.0     1.0/1.0     1.0/1.0"
        "                device_store_u32 r1, r2\n",
        NULL};
    for (size_t i = 0; lines[i]; i++)
        cr_expect_not_null(strstr(text, lines[i]), "no \"%s\" in\n%s", lines[i], text);
    release(text);
    emu_close(&c);
}

Test(profile, the_page_loads_no_other_files) {
    emu_case c = emu_open_threads("mov_imm r1, 0\n device_store_u32 r1, r1\n halt", 8, 8);
    char *text = render(&c, WAVE_PROFILE_HTML);
    cr_expect_eq(strncmp(text, "<!DOCTYPE html>", 15), 0);
    cr_expect_not_null(strstr(text, "</html>\n"));
    cr_expect_not_null(strstr(text, "file &lt;1&gt;.wbin")); /* names cannot inject markup */
    cr_expect_not_null(strstr(text, "device_store_u32 r1, r1"));
    cr_expect_not_null(strstr(text, "prefers-color-scheme:dark"));
    static const char *const outside[] = {"http:", "https:", "<script", "<link",
                                          "src=",  "url(",   "@import", NULL};
    for (size_t i = 0; outside[i]; i++)
        cr_expect_null(strstr(text, outside[i]), "%s", outside[i]);
    release(text);
    emu_close(&c);
}

Test(profile, a_failed_run_has_a_profile) {
    emu_case c = emu_open_threads("mov_imm r1, 0x1000000\n device_store_u32 r1, r1\n halt", 4, 4);
    wave_profile *profile = NULL;
    wave_blob text;
    c.launch.profile = &profile;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    cr_assert_not_null(profile);
    cr_assert_eq(wave_profile_format(profile, "x", WAVE_PROFILE_JSON, &text), WAVE_OK);
    cr_expect_not_null(strstr((char *)text.data, "\"text\":\"halt\",\"executions\":0"));
    wave_blob_free(&text);
    wave_profile_destroy(profile);
    emu_close(&c);
}

Test(profile, wrong_calls_of_the_api_are_refused) {
    wave_blob text;
    cr_expect_eq(wave_profile_format(NULL, "x", WAVE_PROFILE_TEXT, &text), WAVE_ERROR_USAGE);
    wave_profile_destroy(NULL);
}
