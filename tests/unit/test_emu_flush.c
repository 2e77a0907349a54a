/* launch.flush_subnormals beyond the tables of tests/programs: unaffected operations, atomics,
 * tiles, conversions of f64, inactive lanes. 0x00400000 is subnormal, 0x00800000 is not; their sum
 * and difference are 0x00C00000 and 0x00400000. */
#include "emu_helpers.h"

static emu_case open_flushing(const char *code) {
    emu_case c = emu_open_code(code);
    c.launch.workgroup[0] = 2;
    c.launch.flush_subnormals = true;
    return c;
}

#define VALUES      "mov_imm r10, 0x00400000\n mov_imm r11, 0x80400000\n mov_imm r12, 0x00800000\n"
#define OUT(n, reg) "mov_imm r30, " #n "\n device_store_u32 r30, " #reg "\n"

Test(flush, operands_and_results_are_flushed) {
    emu_case c =
        open_flushing(VALUES "fadd r1, r10, r12\n fsub r2, r12, r10\n mov_imm r3, 0x3F000000\n"
                             "fmul r3, r12, r3\n fadd r4, r11, r11\n" OUT(0, r1) OUT(4, r2)
                                 OUT(8, r3) OUT(12, r4) OUT(16, r10) "halt");
    emu_run_ok(&c);
    cr_expect_eq(c.memory[0], 0x00800000);
    cr_expect_eq(c.memory[1], 0x00800000);
    cr_expect_eq(c.memory[2], 0);
    cr_expect_eq(c.memory[3], 0x80000000);
    cr_expect_eq(c.memory[4], 0x00400000); /* the register itself is unchanged */
    c.launch.flush_subnormals = false;
    emu_run_ok(&c);
    cr_expect_eq(c.memory[0], 0x00C00000);
    cr_expect_eq(c.memory[1], 0x00400000);
    cr_expect_eq(c.memory[2], 0x00400000);
    cr_expect_eq(c.memory[3], 0x80800000);
    emu_close(&c);
}

/* Bits that are only moved or modified, and f16. */
Test(flush, moves_signs_and_f16_are_not_flushed) {
    emu_case c = open_flushing(VALUES "fneg r1, r10\n fabs r2, r11\n select r3, p1, r12, r10\n"
                                      "cvt_bf16_f32 r4, r10\n mov_imm r5, 1\n hadd r5, r5, r5\n"
                                      "iadd r6, r10, r10\n" OUT(0, r1) OUT(4, r2) OUT(8, r3)
                                          OUT(12, r4) OUT(16, r5) OUT(20, r6) "halt");
    emu_run_ok(&c);
    const uint32_t want[] = {0x80400000, 0x00400000, 0x00400000, 0x0040, 2, 0x00800000};
    for (unsigned k = 0; k < 6; k++)
        cr_expect_eq(c.memory[k], want[k], "word %u is %08X", k, c.memory[k]);
    emu_close(&c);
}

/* 2^-130 as f64 is 0x37D0000000000000; as f32 it is subnormal. */
Test(flush, conversions_of_f64_are_flushed) {
    emu_case c =
        open_flushing(VALUES "mov_imm r2, 0\n mov_imm r3, 0xB7D00000\n cvt_f32_f64 r4, r2\n"
                             "cvt_f64_f32 r6, r11\n" OUT(0, r4) OUT(4, r6) OUT(8, r7) "halt");
    emu_run_ok(&c);
    cr_expect_eq(c.memory[0], 0x80000000);
    cr_expect_eq(c.memory[1], 0);
    cr_expect_eq(c.memory[2], 0x80000000);
    emu_close(&c);
}

/* 2^-127, a subnormal, is added twice in device memory and once in local memory: each sum is 0. */
Test(flush, atomic_sums_are_flushed) {
    static const char code[] = VALUES
        "mov_imm r1, 64\n atomic_fadd r0, r1, r10, .device\n atomic_fadd r0, r1, r10, .device\n"
        "mov_imm r2, 0\n local_atomic_fadd r0, r2, r10\n local_load_u32 r3, r2\n" OUT(0, r3) "halt";
    for (int scoped = 0; scoped < 2; scoped++) {
        emu_case c = open_flushing(code);
        c.launch.workgroup[0] = 1;
        c.launch.scoped_memory = scoped;
        emu_run_ok(&c);
        cr_expect(c.memory[16] == 0 && c.memory[0] == 0);
        c.launch.flush_subnormals = false;
        emu_run_ok(&c);
        cr_expect(c.memory[16] == 0x00800000 && c.memory[0] == 0x00400000);
        emu_close(&c);
    }
}

/* All elements of A are 2^-127, then 2^-126, and all of B are 1. The sum of four products is
 * 2^-125, or 0 if the operands are flushed; then 2^-124 in either case. */
Test(flush, fragments_are_flushed) {
    static const char code[] =
        "mov_imm r2, 0x3F800000\n mov_imm r3, 0\n mov_imm r4, 4\n mov_imm r5, 64\n mov_imm r6, "
        "128\n"
        "loop\n local_store_u32 r3, r1\n iadd r7, r3, r5\n local_store_u32 r7, r2\n iadd r3, r3, "
        "r4\n"
        "icmp_ge p1, r3, r5\n break p1\n endloop\n mov_imm r3, 0\n mov_imm r8, 16\n"
        "mma_load_a r0, r3, r8\n mma_load_b r0, r5, r8\n mma_compute r0, r0, r0\n"
        "mma_store_c r6, r8, r0\n local_load_u32 r9, r6\n" OUT(0, r9) "halt";
    static const uint32_t cases[][3] = {{0x00400000, 0, 0x01000000},
                                        {0x00800000, 0x01800000, 0x01800000}};
    for (unsigned k = 0; k < 2; k++) {
        emu_case c = open_flushing(code);
        const uint32_t registers[2] = {0, cases[k][0]};
        c.launch.workgroup[0] = 1;
        c.launch.initial = registers;
        c.launch.initial_count = 2;
        emu_run_ok(&c);
        cr_expect_eq(c.memory[0], cases[k][1], "%08X", c.memory[0]);
        c.launch.flush_subnormals = false;
        emu_run_ok(&c);
        cr_expect_eq(c.memory[0], cases[k][2], "%08X", c.memory[0]);
        emu_close(&c);
    }
}

/* Lane 1 is inactive: its value is unchanged. */
Test(flush, lanes_that_do_not_execute_are_unchanged) {
    emu_case c =
        open_flushing(VALUES EMU_THREAD "mov r5, r10\n mov_imm r6, 0\n icmp_eq p1, r1, r6\n"
                                        "@p1 fadd r5, r5, r6\n device_store_u32 r2, r5\n"
                                        "halt");
    emu_run_ok(&c);
    cr_expect(c.memory[0] == 0 && c.memory[1] == 0x00400000);
    emu_close(&c);
}
