/* Runs of quiet instructions (src/emu/quiet.c) behave like one instruction per turn, only faster.
 * The reference is the same launch with an observer that does nothing, which takes every turn
 * separately: status, memory, counts and diagnostics must be the same, wherever the instruction
 * limit falls. */
#include "emu_helpers.h"

static const char *const programs[] = {
    /* several waves at the same place, guards among the quiet instructions */
    EMU_THREAD "mov_imm r3, 4\n mov_imm r4, 1\n and r5, r1, r4\n icmp_eq p1, r5, r4\n"
               "@p1 iadd r6, r1, r1\n @!p1 isub r6, r6, r1\n xor r6, r6, r3\n"
               "device_store_u32 r2, r6\n halt",
    /* waves at different places, with different numbers of iterations; atomics show the turns */
    EMU_THREAD
    "mov_sr r7, sr_wave_id\n mov_imm r3, 1\n mov_imm r4, 0\n mov_imm r9, 128\n loop\n"
    "icmp_gt p1, r4, r7\n break p1\n iadd r4, r4, r3\n iadd r8, r4, r4\n xor r8, r8, r1\n"
    "endloop\n atomic_add r10, r9, r3, .device\n device_store_u32 r2, r10\n iadd r8, r8, r10\n"
    "iadd r8, r8, r4\n barrier\n local_load_u32 r11, r2\n iadd r11, r11, r8\n"
    "device_store_u32 r2, r11\n halt",
    /* waves that race: the loaded value depends on the number of turns of the other wave */
    "mov_sr r1, sr_wave_id\n mov_imm r2, 0\n mov_imm r3, 7\n mov_imm r6, 64\n icmp_eq p1, r1, r2\n"
    "if p1\n iadd r4, r3, r3\n iadd r4, r4, r3\n device_store_u32 r2, r4\n else\n iadd r5, r3, r1\n"
    "device_load_u32 r5, r2\n mov_imm r7, 4\n imul r8, r1, r7\n iadd r6, r6, r8\n"
    "device_store_u32 r6, r5\n endif\n halt",
    /* wave 1 is the first to access outside memory, though wave 0 does so later with fewer
     * instructions */
    "mov_sr r1, sr_wave_id\n mov_imm r2, 0\n mov_imm r3, 0x7FFFFFF0\n icmp_eq p1, r1, r2\n if p1\n"
    "iadd r4, r3, r3\n iadd r4, r4, r3\n iadd r4, r4, r3\n device_store_u32 r3, r4\n else\n"
    "iadd r4, r3, r3\n device_store_u32 r3, r4\n endif\n halt",
};

typedef struct outcome {
    wave_status status;
    wave_stats stats;
    uint32_t memory[64];
    char said[400];
} outcome;

static bool do_nothing(void *user, const wave_step *step) {
    (void)user;
    (void)step;
    return true;
}

static outcome run(const char *code, uint32_t lanes, uint64_t limit, bool singly) {
    static const wave_observer nobody = {.before = do_nothing};
    emu_case c = emu_open_code(code);
    c.launch.wave_width = lanes;
    c.launch.workgroup[0] = 3 * lanes - lanes / 2; /* the last wave is partial */
    c.launch.grid[0] = 2;
    c.launch.max_instructions = limit;
    c.launch.observers = &nobody;
    c.launch.observer_count = singly;
    c.launch.stats = &c.stats;
    outcome o = {.status = wave_emulate(c.module, &c.launch, c.diags)};
    o.stats = c.stats;
    memcpy(o.memory, c.memory, sizeof o.memory);
    const wave_diag *d = wave_diags_count(c.diags) ? wave_diags_at(c.diags, 0) : NULL;
    snprintf(o.said, sizeof o.said, "%s", d ? d->message : "");
    emu_close(&c);
    return o;
}

Test(quiet, same_as_one_instruction_per_turn) {
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        for (uint32_t lanes = 1; lanes <= 32; lanes = lanes == 1 ? 4 : lanes * 8)
            for (uint64_t limit = 0; limit < 120; limit++) {
                const outcome fast = run(programs[k], lanes, limit, false);
                const outcome slow = run(programs[k], lanes, limit, true);
                cr_assert_eq(fast.status, slow.status, "program %zu, limit %llu", k,
                             (unsigned long long)limit);
                cr_assert_str_eq(fast.said, slow.said);
                cr_assert_arr_eq(fast.memory, slow.memory, sizeof fast.memory,
                                 "program %zu, %u lanes, limit %llu", k, lanes,
                                 (unsigned long long)limit);
                cr_assert_eq(memcmp(&fast.stats, &slow.stats, sizeof fast.stats), 0,
                             "program %zu, %u lanes, limit %llu: %llu and %llu instructions", k,
                             lanes, (unsigned long long)limit,
                             (unsigned long long)fast.stats.instructions,
                             (unsigned long long)slow.stats.instructions);
            }
}
