/* Loads that move past stores: only those of buffers that nothing writes. In these texts arg0 and
 * arg1 are the words of such buffers, arg2 is that of another contained one. */
#include "ir/opt.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

static bool reads(ir_func *f) {
    f->contained[0] = 7;
    f->unwritten[0] = 3;
    return ir_opt_reads(f);
}

#define POINTERS                                                                                   \
    "%1:u64 = buffer(0) arg0, arg3\n"                                                              \
    "%2:u64 = buffer(0) arg2, arg3\n"

/* Loads before the first store are gathered, too, so that no computation separates them. */
Test(ir_reads, loads_are_gathered_at_the_first_one) {
    ir_check(reads,
             POINTERS "%3:u64 = buffer(0) arg1, arg3\n"
                      "%4:f32 = load(device, 4, +0) %1\n"
                      "%5:f32 = fadd %4, %4\n"
                      "%6:f32 = load(device, 4, +0) %3\n"
                      "%7:f32 = fadd %5, %6\n"
                      "store(device, 4, +0) %2, %7\n"
                      "%8:f32 = load(device, 4, +4) %1\n"
                      "store(device, 4, +4) %2, %8\n"
                      "halt\n",
             POINTERS "%3:u64 = buffer(0) arg1, arg3\n"
                      "%4:f32 = load(device, 4, +0) %1\n"
                      "%5:f32 = load(device, 4, +0) %3\n"
                      "%6:f32 = load(device, 4, +4) %1\n"
                      "%7:f32 = fadd %4, %4\n"
                      "%8:f32 = fadd %7, %5\n"
                      "store(device, 4, +0) %2, %8\n"
                      "store(device, 4, +4) %2, %6\n"
                      "halt\n");
}

/* A load of two words keeps its results, a gathered value gives the next address. */
Test(ir_reads, addresses_and_results_move_too) {
    ir_check(reads,
             POINTERS "%3:u32 = load(device, 4, +0) %1\n"
                      "store(device, 4, +0) %2, %3\n"
                      "%4:u32 = load(device, 4, +4) %1\n"
                      "%5:u32 = iadd %4, arg4\n"
                      "%6:u64 = buffer(2) arg1, %5\n"
                      "loads(device, 8, +0) %6\n"
                      "%7:u32 = result(0)\n"
                      "%8:u32 = result(1)\n"
                      "store(device, 8, +8) %2, %7, %8\n"
                      "halt\n",
             POINTERS "%3:u32 = load(device, 4, +0) %1\n"
                      "%4:u32 = load(device, 4, +4) %1\n"
                      "%5:u32 = iadd %4, arg4\n"
                      "%6:u64 = buffer(2) arg1, %5\n"
                      "loads(device, 8, +0) %6\n"
                      "%7:u32 = result(0)\n"
                      "%8:u32 = result(1)\n"
                      "store(device, 4, +0) %2, %3\n"
                      "store(device, 8, +8) %2, %7, %8\n"
                      "halt\n");
}

/* Loads from a buffer that is not read-only or from no buffer, with a hint, at an address that is
 * itself loaded from such a buffer, past stores to local memory, past an atomic operation, and out
 * of an if. */
Test(ir_reads, other_loads_stay) {
    ir_check_same(reads, POINTERS "%3:u32 = load(device, 4, +0) %1\n"
                                  "store(device, 4, +0) %2, %3\n"
                                  "%4:u32 = load(device, 4, +4) %2\n"
                                  "store(device, 4, +4) %2, %4\n"
                                  "%5:u32 = load(device, 4, +0) arg1\n"
                                  "store(device, 4, +8) %2, %5\n"
                                  "%6:u32 = load(device, 4, +8, uncached) %1\n"
                                  "store(device, 4, +12) %2, %6\n"
                                  "%7:u64 = buffer(0) arg0, %4\n"
                                  "%8:u32 = load(device, 4, +0) %7\n"
                                  "store(device, 4, +16) %2, %8\n"
                                  "halt\n");
    ir_check_same(reads, POINTERS "%3:u32 = load(device, 4, +0) %1\n"
                                  "store(device, 4, +0) %2, %3\n"
                                  "%4:u32 = atomic(device, add, device, +0) %2, arg5\n"
                                  "%5:u32 = load(device, 4, +4) %1\n"
                                  "store(local, 4, +0) arg5, %5\n"
                                  "%6:u32 = load(device, 4, +8) %1\n"
                                  "store(local, 4, +4) arg5, %6\n"
                                  "%7:bool = icmp_eq %4, arg4\n"
                                  "if %7 {\n"
                                  "  %8:u32 = load(device, 4, +12) %1\n"
                                  "  store(device, 4, +8) %2, %8\n"
                                  "  yield\n"
                                  "} else {\n"
                                  "  yield\n"
                                  "}\n"
                                  "halt\n");
}

/* A buffer that is declared read-only and nevertheless stored to. */
Test(ir_reads, a_written_buffer_stays) {
    ir_check_same(reads, POINTERS "%3:u32 = load(device, 4, +0) %1\n"
                                  "store(device, 4, +4) %1, %3\n"
                                  "%4:u32 = load(device, 4, +4) %1\n"
                                  "store(device, 4, +0) %2, %4\n"
                                  "halt\n");
}

/* 32 words at most: the load of the 33rd stays after the store. */
Test(ir_reads, at_most_32_words_are_gathered) {
    buf text = {0};
    buf_text(&text, POINTERS);
    for (int k = 0; k < 40; k++)
        buf_printf(&text, "%%%d:u32 = load(device, 4, +%d) %%1\nstore(device, 4, +%d) %%2, %%%d\n",
                   k + 3, 4 * k, 4 * k, k + 3);
    buf_text(&text, "halt\n");
    buf_char(&text, '\0');
    arena memory = {0};
    ir_func f;
    ir_read(&f, (const char *)text.data, &memory);
    cr_expect(reads(&f));
    unsigned first = 0;
    for (ir_value v = ir_first_op(&f); ir_op_of(&f, v) != IR_STORE; v = ir_next_op(&f, v))
        first += ir_op_of(&f, v) == IR_LOAD;
    cr_expect_eq(first, 32);
    ir_free(&f);
    arena_free(&memory);
    buf_free(&text);
}
