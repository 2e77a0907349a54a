/* Tiles of a wave beyond the programs of tests/programs: words that violate a rule, memory that
 * ends inside a tile, several threads, statistics and profiles. */
#include "emu_helpers.h"
#include "wbin_build.h"

/* ---- The validator ---- */

static void expect_words(const char *what, const char *codes, unsigned flags, wave_mode mode,
                         uint32_t word0, uint32_t word1) {
    const uint32_t code[] = {word0, word1, W_HALT};
    const wb_kernel k = {.name = "k", .registers = 64, .code = code, .words = 3};
    wb_file f = wb_build(&k, 1, flags);
    wb_expect(&f, mode, codes, what);
    free(f.bytes);
}

static void expect_always(const char *what, const char *codes, uint32_t word0, uint32_t word1) {
    expect_words(what, codes, 1, WAVE_MODE_STRICT, word0, word1);
    expect_words(what, codes, 1, WAVE_MODE_DEFAULT, word0, word1);
    expect_words(what, codes, 1, WAVE_MODE_LENIENT, word0, word1);
}

/* Words by hand from the table of ISA.md 9.2: opcode 40, rd, rs1, modifier; rs2, rs3, rs4. */
Test(tiles, valid_fields_are_accepted) {
    expect_always("load a u8, t15, device col", "", 0x400F0180, 0x02040300);
    expect_always("load b bf16", "", 0x40000190, 0x02010000);
    expect_always("load c i32", "", 0x400001A0, 0x02050200);
    expect_always("store c f32", "", 0x400001B0, 0x02020100);
    expect_always("mma u8", "", 0x400F0FC0, 0x0F0F0400);
    expect_always("fill i32", "", 0x400F01D0, 0x00050000);
}

Test(tiles, types_and_tiles_that_do_not_exist_are_refused) {
    expect_always("load a i32", "E_MODIFIER", 0x40000180, 0x02050000);
    expect_always("load b type 255", "E_MODIFIER", 0x40000190, 0x02FF0000);
    expect_always("load c f16", "E_MODIFIER", 0x400001A0, 0x02000000);
    expect_always("store c u8", "E_MODIFIER", 0x400001B0, 0x02040000);
    expect_always("mma i32", "E_MODIFIER", 0x400000C0, 0x00000500);
    expect_always("fill bf16", "E_MODIFIER", 0x400001D0, 0x00010000);
    expect_always("load into t16", "E_MODIFIER", 0x40100180, 0x02000000);
    expect_always("td", "E_MODIFIER", 0x401000C0, 0x00000000);
    expect_always("ta", "E_MODIFIER", 0x400010C0, 0x00000000);
    expect_always("tb", "E_MODIFIER", 0x400000C0, 0x10000000);
    expect_always("tc", "E_MODIFIER", 0x400000C0, 0x00FF0000);
    expect_always("modifier 14", "E_MODIFIER", 0x400000E0, 0xFF000000);
}

Test(tiles, reserved_bits_and_guards_are_refused) {
    static const struct {
        const char *what;
        uint32_t word0, word1;
    } reserved[] = {
        {"rs4 bit 2", 0x40000180, 0x02000400},     {"rs4 bit 7", 0x400001B0, 0x02028000},
        {"rs2 of a fill", 0x400001D0, 0x01020000}, {"rs4 of a fill", 0x400001D0, 0x00020100},
        {"the scope", 0x40000180, 0x02000001},     {"bit 3", 0x40000188, 0x02000000}};
    for (size_t i = 0; i < WB_COUNT(reserved); i++) {
        expect_words(reserved[i].what, "E_RESERVED", 1, WAVE_MODE_STRICT, reserved[i].word0,
                     reserved[i].word1);
        expect_words(reserved[i].what, "W_RESERVED", 1, WAVE_MODE_DEFAULT, reserved[i].word0,
                     reserved[i].word1);
    }
    expect_always("a guard", "E_GUARD", 0x40000181, 0x02000000);
    expect_always("a negated guard", "E_GUARD", 0x400000C4, 0x00000000);
    expect_words("no EXT", "E_EXTENSION", 0, WAVE_MODE_DEFAULT, 0x40000180, 0x02000000);
    expect_words("sr_tile_k", "", 1, WAVE_MODE_STRICT, 0x41011620, W_NOP);
    expect_words("special 23", "E_SPECIAL", 1, WAVE_MODE_STRICT, 0x41011720, W_NOP);
    expect_words("sr_tile_m without EXT", "E_SPECIAL", 0, WAVE_MODE_STRICT, 0x41011420, W_NOP);
}

Test(tiles, used_features_are_recorded) {
    static const struct {
        uint32_t word0, word1, uses;
    } rows[] = {{0x40000180, 0x02000000, WAVE_USES_F16 | WAVE_USES_LOCAL},
                {0x40000180, 0x02000200, WAVE_USES_F16},
                {0x40000190, 0x02010300, WAVE_USES_BF16},
                {0x400001B0, 0x02020000, WAVE_USES_LOCAL},
                {0x400000C0, 0x00000100, WAVE_USES_BF16},
                {0x400001D0, 0x00050000, 0}};
    for (size_t i = 0; i < WB_COUNT(rows); i++) {
        const uint32_t code[] = {rows[i].word0, rows[i].word1, W_HALT};
        const wb_kernel k = {.name = "k", .registers = 64, .code = code, .words = 3};
        wb_file f = wb_build(&k, 1, 1);
        wb_result r = wb_load(&f, WAVE_MODE_STRICT);
        cr_assert_eq(r.status, WAVE_OK);
        cr_expect_eq(wave_module_kernel(r.module, 0)->uses,
                     rows[i].uses | WAVE_USES_TILE | WAVE_USES_WAVE_OPS, "row %zu", i);
        wb_free(&r);
        free(f.bytes);
    }
}

/* ---- Memory that ends inside a tile ---- */

/* Rows of 16 f16 at 32 k, all 1: with 500 bytes the last six elements of the last row are missing.
 * With bounds they are 0, and the sums of the others are unaffected: 10 in the last row of the
 * product, which has ten elements of A, and 15 in the last column of the others. */
Test(tiles, bounds_are_checked_by_element) {
    emu_case c = emu_open_threads(
        "mov_imm r1, 0\n mov_imm r2, 32\n mov_imm r3, 64\n mov_imm r4, 0\n"
        "tile_load_a_f16 t0, r1, r2, device, row\n tile_load_b_f16 t0, r1, r2, device, row\n"
        "tile_fill_c_f32 t0, r1\n mma_f16_f32 t0, t0, t0, t0\n"
        "tile_store_c_f32 t0, r4, r3, local, row\n barrier\n mov_imm r5, 1020\n"
        "local_load_u32 r6, r5\n mov_imm r5, 60\n local_load_u32 r7, r5\n"
        "local_load_u32 r8, r4\n mov_imm r5, 4\n device_store_u32 r4, r6\n"
        "device_store_u32 r5, r7\n mov_imm r5, 8\n device_store_u32 r5, r8\n halt",
        8, 8);
    for (unsigned k = 0; k < 256; k++)
        ((uint16_t *)c.memory)[k] = 0x3C00; /* 1 */
    c.launch.device_size = 500;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_OUT_OF_BOUNDS", "load of 2 bytes at 0x000001f4");
    c.launch.bounds = true;
    emu_run_ok(&c);
    cr_expect_eq(c.memory[0], 0x41200000); /* 10, in row 15 */
    cr_expect_eq(c.memory[1], 0x41700000); /* 15, in row 0 and column 15 */
    cr_expect_eq(c.memory[2], 0x41800000); /* 16, in row 0 and column 0 */
    emu_close(&c);
}

static emu_case open_sums(const char *code) {
    emu_case c = emu_open_threads(code, 8, 8);
    for (unsigned k = 0; k < 256; k++)
        ((uint16_t *)c.memory)[k] = 0x3C00;
    c.launch.bounds = true;
    c.launch.device_size = 2048 + 20;
    return c;
}

/* Only the elements inside are stored: five words of the first row. */
Test(tiles, elements_outside_are_not_stored) {
    emu_case c = open_sums("mov_imm r1, 7\n mov_imm r2, 2048\n mov_imm r3, 64\n"
                           "tile_fill_c_i32 t0, r1\n tile_store_c_i32 t0, r2, r3, device, row\n"
                           "halt");
    emu_run_ok(&c);
    for (unsigned k = 0; k < 8; k++)
        cr_expect_eq(c.memory[512 + k], k < 5 ? 7 : 0, "word %u", k);
    c.launch.scoped_memory = true;
    memset(c.memory, 0, 4 * EMU_WORDS);
    emu_run_ok(&c);
    for (unsigned k = 0; k < 8; k++)
        cr_expect_eq(c.memory[512 + k], k < 5 ? 7 : 0, "word %u, scoped", k);
    emu_close(&c);
}

/* Elements outside are 0: only the first five of row 0 are inside. */
Test(tiles, elements_loaded_from_outside_are_zero) {
    emu_case c = open_sums("mov_imm r1, 2048\n mov_imm r2, 0\n mov_imm r3, 64\n"
                           "tile_load_c_i32 t0, r1, r3, device, row\n"
                           "tile_store_c_i32 t0, r2, r3, device, row\n halt");
    for (unsigned k = 0; k < 16; k++)
        c.memory[512 + k] = k + 1;
    emu_run_ok(&c);
    for (unsigned k = 0; k < 32; k++)
        cr_expect_eq(c.memory[k], k < 5 ? k + 1 : 0, "word %u", k);
    emu_close(&c);
}

/* Addresses wrap at 32 bits, as for every access. */
Test(tiles, a_negative_stride_wraps_at_32_bits) {
    emu_case c = emu_open_threads("mov_imm r1, 960\n mov_imm r2, -64\n mov_imm r3, 64\n"
                                  "mov_imm r4, 1024\n tile_load_c_i32 t0, r1, r2, device, row\n"
                                  "tile_store_c_i32 t0, r4, r3, device, row\n halt",
                                  8, 8);
    for (unsigned k = 0; k < 256; k++)
        c.memory[k] = k;
    emu_run_ok(&c);
    for (unsigned k = 0; k < 256; k++)
        cr_expect_eq(c.memory[256 + k], (15 - k / 16) * 16 + k % 16);
    emu_close(&c);
}

/* ---- Threads ---- */

/* Enough work to make threads worthwhile: 36007 instructions. r8 is 1. */
#define SPIN                                                                                       \
    "mov_imm r6, 0\n mov_imm r7, 9000\n mov_imm r8, 1\n loop\n icmp_ge p1, r6, r7\n break p1\n"    \
    "iadd r6, r6, r8\n endloop\n"

/* Each workgroup adds its product to the result of the previous one, in device memory. */
Test(tiles, dependent_workgroups_on_several_threads_are_correct) {
    static const char code[] =
        SPIN "mov_imm r1, 0\n mov_imm r2, 16\n mov_imm r3, 64\n mov_imm r4, 1024\n"
             "tile_load_a_i8 t0, r1, r2, device, row\n tile_load_b_i8 t0, r1, r2, device, col\n"
             "mov_imm r6, 0\n mov_imm r7, 60\n loop\n"
             "tile_load_c_i32 t0, r4, r3, device, row\n mma_i8_i32 t0, t0, t0, t0\n"
             "tile_store_c_i32 t0, r4, r3, device, row\n fence_acq_rel .wave\n"
             "iadd r6, r6, r8\n icmp_ge p1, r6, r7\n break p1\n endloop\n halt";
    uint32_t one[256];
    for (uint32_t jobs = 1; jobs <= 4; jobs += 3) {
        emu_case c = emu_open_threads(code, 32, 32);
        c.launch.grid[0] = 9;
        c.launch.jobs = jobs;
        for (unsigned k = 0; k < 256; k++)
            ((uint8_t *)c.memory)[k] = (uint8_t)(k * 37);
        emu_run_ok(&c);
        if (jobs == 1)
            memcpy(one, c.memory + 256, sizeof one);
        cr_expect_arr_eq(c.memory + 256, one, sizeof one, "%u threads", jobs);
        cr_expect_eq(c.stats.instructions, 9 * (36007 + 9 + 60 * 8 + 1));
        emu_close(&c);
    }
    uint32_t expected = 0; /* element (0, 1): row 0 of A, column 1 of B, both rows of memory */
    for (unsigned k = 0; k < 16; k++)
        expected += (uint32_t)((int8_t)(k * 37) * (int8_t)((16 + k) * 37));
    cr_expect_eq(one[1], 9 * 60 * expected);
}

/* Each workgroup has its own place, so its speculative work is valid. */
Test(tiles, separate_places_of_several_threads_are_correct) {
    emu_case c = emu_open_threads(
        SPIN "mov_sr r1, sr_workgroup_id_x\n mov_imm r2, 1024\n imul r4, r1, r2\n mov_imm r3, 64\n"
             "tile_fill_c_i32 t0, r1\n tile_store_c_i32 t0, r4, r3, device, row\n"
             "fence_acq_rel .wave\n tile_load_c_i32 t1, r4, r3, device, col\n"
             "tile_store_c_i32 t1, r4, r3, device, row\n halt",
        32, 32);
    c.launch.grid[0] = 16;
    c.launch.jobs = 4;
    emu_run_ok(&c);
    for (unsigned k = 0; k < EMU_WORDS; k++)
        cr_assert_eq(c.memory[k], k / 256, "word %u", k);
    emu_close(&c);
}

/* Speculative results of workgroups that leave memory are discarded, and the error is that of the
 * first. */
Test(tiles, the_first_error_of_several_threads_is_reported) {
    emu_case c = emu_open_threads(
        SPIN
        "mov_sr r1, sr_workgroup_id_x\n mov_imm r2, 4096\n imul r1, r1, r2\n mov_imm r3, 64\n"
        "mov_imm r4, 3\n tile_fill_c_i32 t0, r4\n tile_store_c_i32 t0, r1, r3, device, row\n halt",
        32, 32);
    c.launch.grid[0] = 64;
    c.launch.jobs = 4;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_OUT_OF_BOUNDS", "workgroup (4,0,0)");
    emu_close(&c);
}

/* ---- Counts ---- */

#define LOADS                                                                                      \
    "mov_imm r1, 0\n mov_imm r2, 32\n mov_imm r3, 64\n"                                            \
    "tile_load_a_f16 t0, r1, r2, device, row\n tile_load_b_f16 t0, r1, r2, device, col\n"          \
    "tile_fill_c_f32 t0, r1\n mma_f16_f32 t0, t0, t0, t0\n mma_f16_f32 t0, t0, t0, t0\n"           \
    "tile_store_c_f32 t0, r1, r3, local, row\n halt"

Test(tiles, tiles_are_counted) {
    emu_case c = emu_open_threads(LOADS, 16, 8);
    emu_run_ok(&c);
    cr_expect_eq(c.stats.float_ops, 2 * 6);
    cr_expect_eq(c.stats.device_loads, 2 * 2 * 256);
    cr_expect_eq(c.stats.device_load_bytes, 2 * 2 * 512);
    cr_expect_eq(c.stats.local_stores, 2 * 256);
    cr_expect_eq(c.stats.local_store_bytes, 2 * 1024);
    cr_expect_eq(c.stats.device_stores + c.stats.local_loads, 0);
    emu_close(&c);
}

/* 32 pieces of 16 bytes by 32 lanes: one access of 512 bytes in 16 segments of 32; a tile of f32 in
 * local memory takes two, each of 128 words that cover all banks four times. */
Test(tiles, tiles_are_profiled) {
    static const char *const pieces[] = {
        "\"tiles\":{\"products\":2,\"fma\":8192}",
        "\"text\":\"mma_f16_f32 t0, t0, t0, t0\",\"executions\":1,\"lanes\":32,\"fma\":4096}",
        "\"device\":{\"accesses\":1,\"lane_accesses\":32,\"bytes\":512,\"segments\":{\"32\":{"
        "\"touched\":16,\"ideal\":16}",
        "\"local\":{\"accesses\":2,\"lane_accesses\":64,\"bytes\":1024,\"passes\":8,\"ideal_"
        "passes\":"
        "8,"};
    emu_case c = emu_open_threads(LOADS, 32, 32);
    wave_profile *profile = NULL;
    wave_blob text = {0};
    c.launch.profile = &profile;
    emu_run_ok(&c);
    cr_assert_eq(wave_profile_format(profile, "t", WAVE_PROFILE_JSON, &text), WAVE_OK);
    for (size_t i = 0; i < WB_COUNT(pieces); i++)
        cr_expect_not_null(strstr((char *)text.data, pieces[i]), "no %s in\n%s", pieces[i],
                           (char *)text.data);
    wave_blob_free(&text);
    wave_profile_destroy(profile);
    emu_close(&c);
}

Test(tiles, an_unknown_unit_is_refused) {
    emu_case c = emu_open_threads(LOADS, 32, 32);
    c.launch.mma = WAVE_MMA_COUNT;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_USAGE);
    emu_expect_error(&c, "E_LAUNCH", "matrix units");
    emu_close(&c);
}

/* Each wave has its own tiles, and a workgroup starts without any. */
Test(tiles, each_wave_and_workgroup_has_its_own_tiles) {
    emu_case c = emu_open_threads(
        "mov_sr r1, sr_wave_id\n mov_sr r2, sr_workgroup_id_x\n mov_imm r3, 64\n mov_imm r4, 2\n"
        "imad r5, r2, r4, r1\n mov_imm r6, 1024\n imul r5, r5, r6\n mov_imm r7, 0\n"
        "icmp_eq p1, r2, r7\n if p1\n tile_fill_c_i32 t3, r4\n endif\n"
        "icmp_eq p1, r1, r7\n if p1\n tile_fill_c_i32 t4, r3\n endif\n"
        "tile_store_c_i32 t3, r5, r3, device, row\n"
        "fence_acq_rel .wave\n tile_store_c_i32 t4, r5, r7, device, row\n halt",
        16, 8);
    c.launch.grid[0] = 2;
    emu_run_ok(&c);
    static const uint32_t third[4] = {2, 2, 0, 0}, fourth[4] = {64, 0, 64, 0};
    for (unsigned k = 0; k < 4; k++) {
        cr_expect_eq(c.memory[256 * k], fourth[k], "wave %u", k);
        cr_expect_eq(c.memory[256 * k + 255], third[k], "wave %u", k);
    }
    emu_close(&c);
}
