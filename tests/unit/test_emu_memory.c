/* Memory of the emulator: bounds, alignment, the order of lanes, atomics, fragments. */
#include "emu_helpers.h"

/* ---- Bounds ---- */

/* Lane 3 of wave 1 is the first one outside: thread 35 accesses word 4061 + 35 = 4096. */
Test(emu_memory, an_access_out_of_bounds_is_fully_described) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 16244\n iadd r4, r2, r3\n"
                                          "device_store_u32 r4, r1\n halt");
    c.launch.workgroup[0] = 64;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    const wave_diag *d =
        emu_expect_error(&c, "E_OUT_OF_BOUNDS",
                         "workgroup (0,0,0), wave 1, lane 3, thread (35,0,0): device store of 4 "
                         "bytes at 0x00004000 is outside the 16384 bytes of device memory");
    cr_expect_str_eq(d->kernel, "k");
    cr_expect_eq(d->offset, 36);
    cr_expect_str_eq(d->text, "device_store_u32 r4, r1");
    cr_expect_eq(c.memory[4061], 0, "thread 0 stored 0");
    cr_expect_eq(c.memory[4095], 34, "lanes below the failing one have stored");
    emu_close(&c);
}

static wave_status load_at(const char *mnemonic, uint32_t address, uint64_t size) {
    char code[128];
    snprintf(code, sizeof code, "mov_imm r1, %u\n %s r4, r1\n halt", address, mnemonic);
    emu_case c = emu_open_code(code);
    c.launch.device_size = size;
    wave_status status = emu_run(&c);
    cr_expect_eq(emu_find(&c, "E_OUT_OF_BOUNDS") != NULL, status != WAVE_OK);
    emu_close(&c);
    return status;
}

Test(emu_memory, accesses_may_reach_the_last_byte_of_device_memory) {
    cr_expect_eq(load_at("device_load_u8", 15, 16), WAVE_OK);
    cr_expect_eq(load_at("device_load_u8", 16, 16), WAVE_ERROR_INPUT);
    cr_expect_eq(load_at("device_load_u16", 14, 16), WAVE_OK);
    cr_expect_eq(load_at("device_load_u16", 15, 16), WAVE_ERROR_INPUT);
    cr_expect_eq(load_at("device_load_u32", 12, 16), WAVE_OK);
    cr_expect_eq(load_at("device_load_u32", 13, 16), WAVE_ERROR_INPUT);
    cr_expect_eq(load_at("device_load_u64", 8, 16), WAVE_OK);
    cr_expect_eq(load_at("device_load_u64", 16, 16), WAVE_ERROR_INPUT);
    cr_expect_eq(load_at("device_load_u128", 0, 16), WAVE_OK);
    cr_expect_eq(load_at("device_load_u128", 16, 16), WAVE_ERROR_INPUT);
    cr_expect_eq(load_at("device_load_u32", 0, 0), WAVE_ERROR_INPUT);
    /* The end of the address space does not wrap around to 0. */
    cr_expect_eq(load_at("device_load_u32", 0xFFFFFFFDu, 16), WAVE_ERROR_INPUT);
    cr_expect_eq(load_at("device_load_u128", 0xFFFFFFF0u, 16), WAVE_ERROR_INPUT);
}

Test(emu_memory, local_memory_has_the_declared_size) {
    emu_case c = emu_open(".kernel k\n.local_memory 64\n mov_imm r1, 60\n local_load_u32 r2, r1\n"
                          "mov_imm r1, 64\n local_load_u8 r2, r1\n halt\n.end\n");
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(
        &c, "E_OUT_OF_BOUNDS",
        "local load of 1 byte at 0x00000040 is outside the 64 bytes of local memory");
    cr_expect_eq(d->offset, 20);
    emu_close(&c);
}

/* ---- Alignment ---- */

Test(emu_memory, a_misaligned_access_warns_once_and_works) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 1\n iadd r4, r2, r3\n"
                                          "device_store_u32 r4, r1\n halt");
    emu_run_ok(&c);
    const uint8_t *bytes = (const uint8_t *)c.memory;
    for (uint32_t t = 0; t < 32; t++)
        cr_expect_eq(bytes[4 * t + 1], t);
    cr_expect_not_null(emu_find(&c, "W_MISALIGNED"));
    cr_expect_eq(wave_diags_count(c.diags), 1);

    c.launch.strict_align = true;
    memset(c.memory, 0, EMU_WORDS * sizeof *c.memory);
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_MISALIGNED", "lane 0");
    cr_expect_eq(c.memory[1], 0, "nothing is stored");
    emu_close(&c);
}

Test(emu_memory, a_misaligned_atomic_is_an_error) {
    emu_case c = emu_open_code("mov_imm r1, 2\n local_atomic_add r1, r1\n halt");
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_MISALIGNED", "local atomic of 4 bytes at 0x00000002");
    emu_close(&c);
}

/* ---- Order of lanes, widths of accesses ---- */

Test(emu_memory, the_highest_executing_lane_wins) {
    emu_case c = emu_open_code(EMU_THREAD "device_store_u32 r0, r1\n mov_imm r3, 20\n"
                                          "mov_imm r4, 4\n ucmp_lt p1, r1, r3\n"
                                          "@p1 device_store_u32 r4, r1\n halt");
    emu_run_ok(&c);
    cr_expect_eq(c.memory[0], 31);
    cr_expect_eq(c.memory[1], 19);
    emu_close(&c);
}

Test(emu_memory, loads_and_stores_have_every_width) {
    emu_case c = emu_open_code(
        "mov_imm r8, 0x44332211\n mov_imm r9, 0x88776655\n mov_imm r10, 0xCCBBAA99\n"
        "mov_imm r11, 0x00FFEEDD\n mov_imm r1, 16\n device_store_u128 r1, r8\n"
        "device_load_u128 r12, r1\n mov_imm r1, 32\n device_store_u128 r1, r12\n"
        "mov_imm r1, 48\n device_store_u64 r1, r9\n mov_imm r1, 56\n device_store_u16 r1, r8\n"
        "mov_imm r1, 60\n device_store_u8 r1, r8\n mov_imm r1, 19\n device_load_u8 r2, r1\n"
        "mov_imm r1, 64\n device_store_u32 r1, r2\n mov_imm r1, 22\n device_load_u16 r2, r1\n"
        "mov_imm r1, 68\n device_store_u32 r1, r2\n"
        /* the address register is part of the result: it is read first */
        "mov_imm r15, 24\n device_load_u64 r14, r15\n mov_imm r1, 72\n device_store_u64 r1, r14\n"
        "halt");
    static const uint32_t expected[] = {0,          0,          0,          0,          0x44332211,
                                        0x88776655, 0xCCBBAA99, 0x00FFEEDD, 0x44332211, 0x88776655,
                                        0xCCBBAA99, 0x00FFEEDD, 0x88776655, 0xCCBBAA99, 0x00002211,
                                        0x00000011, 0x00000044, 0x00008877, 0xCCBBAA99, 0x00FFEEDD};
    emu_run_ok(&c);
    cr_expect_arr_eq(c.memory, expected, sizeof expected);
    emu_close(&c);
}

/* ---- Atomics ---- */

/* Word 0 counts up in lane order; each lane keeps the value it saw. rd = 0 leaves r0 unchanged. */
Test(emu_memory, atomics_act_in_lane_order) {
    emu_case c = emu_open_code(EMU_THREAD "mov_imm r3, 3\n mov_imm r4, 2048\n"
                                          "atomic_add r5, r4, r3, .device\n"
                                          "device_store_u32 r2, r5\n mov_imm r4, 2052\n"
                                          "atomic_add r4, r3, .device\n mov_imm r6, 1024\n"
                                          "iadd r6, r6, r2\n device_store_u32 r6, r0\n halt");
    emu_run_ok(&c);
    for (uint32_t t = 0; t < 32; t++) {
        cr_expect_eq(c.memory[t], 3 * t);
        cr_expect_eq(c.memory[256 + t], 0);
    }
    cr_expect_eq(c.memory[512], 96);
    cr_expect_eq(c.memory[513], 96);
    cr_expect_eq(c.stats.atomic_ops, 64);
    emu_close(&c);
}

static uint32_t after_atomic(const char *mnemonic, uint32_t old, uint32_t value, uint32_t *seen) {
    char code[256];
    snprintf(code, sizeof code,
             "mov_imm r1, %u\n mov_imm r2, 0x%x\n mov_imm r3, 55\n %s r4, r0, r2%s, .device\n"
             "device_store_u32 r1, r4\n halt",
             4, value, mnemonic, strcmp(mnemonic, "atomic_cas") ? "" : ", r3");
    emu_case c = emu_open_code(code);
    c.launch.workgroup[0] = 1;
    c.memory[0] = old;
    emu_run_ok(&c);
    uint32_t result = c.memory[0];
    *seen = c.memory[1];
    emu_close(&c);
    return result;
}

Test(emu_memory, atomics_compute_their_operation) {
    static const struct {
        const char *mnemonic;
        uint32_t old, value, result;
    } rows[] = {
        {"atomic_add", 0xFFFFFFFF, 2, 1},
        {"atomic_sub", 1, 2, 0xFFFFFFFF},
        {"atomic_min", 0x80000000, 1, 1},
        {"atomic_max", 0x80000000, 1, 0x80000000},
        {"atomic_and", 0xFF00FF00, 0x0FF00FF0, 0x0F000F00},
        {"atomic_or", 0xFF00FF00, 0x0FF00FF0, 0xFFF0FFF0},
        {"atomic_xor", 0xFF00FF00, 0x0FF00FF0, 0xF0F0F0F0},
        {"atomic_exchange", 5, 6, 6},
        {"atomic_cas", 5, 5, 55},
        {"atomic_cas", 6, 5, 6},
        {"atomic_fadd", 0x3F800000, 0x40000000, 0x40400000}, /* 1 + 2 = 3 */
        {"atomic_imin", 0x80000000, 1, 0x80000000},
        {"atomic_imax", 0x80000000, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t seen = 0;
        cr_expect_eq(after_atomic(rows[i].mnemonic, rows[i].old, rows[i].value, &seen),
                     rows[i].result, "%s", rows[i].mnemonic);
        cr_expect_eq(seen, rows[i].old, "%s", rows[i].mnemonic);
    }
}

/* A load returns the value and leaves it; a store replaces it and changes no register (nor r0). */
Test(emu_memory, atomic_loads_and_stores_move_one_word) {
    emu_case c =
        emu_open_code("mov_imm r0, 9\n mov_imm r1, 4\n mov_imm r2, 8\n mov_imm r3, 77\n"
                      "atomic_load r4, r1, .device\n atomic_store r1, r3, .device\n"
                      "device_store_u32 r2, r4\n mov_imm r5, 12\n device_store_u32 r5, r0\n"
                      "local_atomic_store r1, r4\n local_atomic_load r6, r1\n"
                      "mov_imm r7, 16\n device_store_u32 r7, r6\n halt");
    c.launch.workgroup[0] = 1;
    c.memory[1] = 0x80000001;
    emu_run_ok(&c);
    cr_expect_eq(c.memory[1], 77);
    cr_expect_eq(c.memory[2], 0x80000001);
    cr_expect_eq(c.memory[3], 9);
    cr_expect_eq(c.memory[4], 0x80000001);
    emu_close(&c);
}

/* ---- Local memory between workgroups ---- */

/* Each workgroup adds 1 to a word of local memory that it did not initialise and stores the sum. */
#define COUNT_LOCAL                                                                                \
    "mov_imm r1, 1\n mov_imm r2, 8\n local_load_u32 r3, r2\n iadd r3, r3, r1\n"                    \
    "local_store_u32 r2, r3\n mov_sr r4, sr_workgroup_id_x\n mov_imm r5, 2\n shl r4, r4, r5\n"     \
    "device_store_u32 r4, r3\n halt"

Test(emu_memory, each_workgroup_starts_with_fresh_local_memory) {
    emu_case c = emu_open_code(COUNT_LOCAL);
    c.launch.grid[0] = 3;
    c.launch.workgroup[0] = 1;
    emu_run_ok(&c);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(c.memory[i], 1);
    c.launch.poison = true;
    emu_run_ok(&c);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(c.memory[i], 0xCDCDCDCE);
    c.launch.poison_byte = 0x11;
    emu_run_ok(&c);
    cr_expect_eq(c.memory[2], 0x11111112);
    emu_close(&c);
}

/* ---- Fragments ---- */

/* A = 2 I and B[r][c] = 4r + c in every lane, added twice: C = 4 B. Stored with a stride of 64. */
Test(emu_memory, fragments_are_multiplied_and_added) {
    emu_case c = emu_open_code(
        EMU_THREAD "mov_imm r3, 4\n mov_imm r4, 0\n mov_imm r5, 64\n mov_imm r6, 2.0\n"
                   "mov_imm r7, 16\n mov_imm r13, 20\n"
                   "loop\n iadd r9, r4, r5\n cvt_f32_u32 r8, r4\n mov_imm r10, 0.25\n"
                   "fmul r8, r8, r10\n local_store_u32 r9, r8\n iadd r4, r4, r3\n"
                   "icmp_ge p1, r4, r5\n break p1\n endloop\n"
                   "mov_imm r4, 0\n loop\n local_store_u32 r4, r6\n iadd r4, r4, r13\n"
                   "icmp_ge p1, r4, r5\n break p1\n endloop\n"
                   "mov_imm r4, 0\n mma_load_a r1, r4, r7\n mma_load_b r2, r5, r7\n"
                   "mma_compute r1, r2, r200\n mma_compute r1, r2, r200\n mma_compute r1, r2, r9\n"
                   "mov_imm r11, 128\n mma_store_c r11, r5, r200\n"
                   "iadd r11, r11, r2\n local_load_u32 r12, r11\n device_store_u32 r2, r12\n halt");
    c.launch.workgroup[0] = 64;
    c.launch.wave_width = 3;
    emu_run_ok(&c);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t row = t / 16, column = t % 16;
        const float expected = column < 4 ? 4.0f * (float)(4 * row + column) : 0.0f;
        float got;
        memcpy(&got, &c.memory[t], sizeof got);
        cr_expect_eq(got, expected, "[%u][%u] is %g, expected %g", row, column, (double)got,
                     (double)expected);
    }
    cr_expect_eq(c.stats.local_stores, 64 * (16 + 4 + 16));
    emu_close(&c);
}

Test(emu_memory, a_fragment_load_is_checked) {
    emu_case c =
        emu_open_code("mov_imm r1, 16000\n mov_imm r2, 128\n mma_load_a r0, r1, r2\n halt");
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_OUT_OF_BOUNDS", "local load of 4 bytes at 0x00004000");
    emu_close(&c);
}
