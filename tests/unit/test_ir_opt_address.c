/* Constants that move from addresses into accesses, and pointers that move out of loops: the text
 * before and after the pass, with the cases that it must leave unchanged. */
#include "ir/opt.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

/* Free low bits, a bound that leaves room, also after a shift; new values are placed where the
 * address was computed, so that value numbering finds them. */
Test(ir_address, constants_move_where_nothing_wraps) {
    ir_check(ir_opt_address,
             "%1:u32 = shl arg0, 0x4:u32\n"
             "%2:u32 = iadd %1, 0xC:u32\n"
             "%3:u32 = load(device, 4, +0) %2\n"
             "%4:u32 = iadd sr_thread_id_x, 0x10:u32\n"
             "%5:u32 = shl %4, 0x2:u32\n"
             "store(local, 4, +0) %5, %3\n"
             "%6:u32 = iadd %5, 0x100:u32\n"
             "store(local, 4, +0) %6, %3\n"
             "halt\n",
             "%1:u32 = shl arg0, 0x4:u32\n"
             "%2:u32 = load(device, 4, +12) %1\n"
             "%3:u32 = shl sr_thread_id_x, 0x2:u32\n"
             "%4:u32 = shl sr_thread_id_x, 0x2:u32\n"
             "store(local, 4, +64) %3, %2\n"
             "store(local, 4, +320) %4, %2\n"
             "halt\n");
}

/* ISA.md 3.3: FFFFFFFC + 8 addresses byte 4. An argument may be FFFFFFFC; so may one whose low two
 * bits are cleared, and 16 does not fit into the four free bits of a multiple of 16. */
Test(ir_address, sums_that_may_wrap_stay) {
    ir_check_same(ir_opt_address, "%1:u32 = iadd arg0, 0x8:u32\n"
                                  "%2:u32 = load(device, 4, +0) %1\n"
                                  "%3:u32 = and arg1, 0xFFFFFFFC:u32\n"
                                  "%4:u32 = iadd %3, 0x8:u32\n"
                                  "store(local, 4, +0) %4, %2\n"
                                  "%5:u32 = shl arg0, 0x4:u32\n"
                                  "%6:u32 = iadd %5, 0x10:u32\n"
                                  "store(device, 4, +0) %6, %2\n"
                                  "%7:u32 = iadd sr_thread_id_x, 0xFFFFFFFC:u32\n"
                                  "store(device, 4, +0) %7, %2\n"
                                  "halt\n");
}

/* 80 iterations by 4 from at most 252: the parameter stays far below 2^32. */
Test(ir_address, a_counted_parameter_has_a_bound) {
    ir_check(ir_opt_address,
             "%1:u32 = shl sr_thread_id_x, 0x2:u32\n"
             "loop %1, 0x0:u32 {\n"
             "  %2:u32 = param(0)\n"
             "  %3:u32 = param(1)\n"
             "  %4:u32 = iadd %2, 0x100:u32\n"
             "  store(local, 4, +0) %4, %3\n"
             "  %5:u32 = iadd %3, 0x1:u32\n"
             "  %6:bool = icmp_ge %5, 0x50:u32\n"
             "  if %6 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %7:u32 = iadd %2, 0x4:u32\n"
             "  continue %7, %5\n"
             "}\n"
             "halt\n",
             "%1:u32 = shl sr_thread_id_x, 0x2:u32\n"
             "loop %1, 0x0:u32 {\n"
             "  %2:u32 = param(0)\n"
             "  %3:u32 = param(1)\n"
             "  store(local, 4, +256) %2, %3\n"
             "  %4:u32 = iadd %3, 0x1:u32\n"
             "  %5:bool = icmp_ge %4, 0x50:u32\n"
             "  if %5 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %6:u32 = iadd %2, 0x4:u32\n"
             "  continue %6, %4\n"
             "}\n"
             "halt\n");
}

Test(ir_address, a_pointer_from_outside_a_loop_is_computed_once) {
    ir_check(ir_opt_address,
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:u32 = load(device, 4, +0) arg1\n"
             "  store(device, 4, +0) %1, %2\n"
             "  continue %2\n"
             "}\n"
             "halt\n",
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:u64 = pointer arg1\n"
             "  %3:u32 = load(device, 4, +0) %2\n"
             "  store(device, 4, +0) %1, %3\n"
             "  continue %3\n"
             "}\n"
             "halt\n");
}

/* A value of the outer loop is outside the inner one, but inside its own. */
Test(ir_address, a_pointer_from_outside_the_inner_loop_is_computed_before_it) {
    ir_check(ir_opt_address,
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:u32 = xor %1, arg2\n"
             "  store(device, 4, +0) %2, arg3\n"
             "  loop arg1 {\n"
             "    %3:u32 = param(0)\n"
             "    store(device, 4, +0) %2, %3\n"
             "    %4:u32 = iadd %3, arg3\n"
             "    continue %4\n"
             "  }\n"
             "  halt\n"
             "}\n"
             "halt\n",
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:u32 = xor %1, arg2\n"
             "  store(device, 4, +0) %2, arg3\n"
             "  loop arg1 {\n"
             "    %3:u32 = param(0)\n"
             "    %4:u64 = pointer %2\n"
             "    store(device, 4, +0) %4, %3\n"
             "    %5:u32 = iadd %3, arg3\n"
             "    continue %5\n"
             "  }\n"
             "  halt\n"
             "}\n"
             "halt\n");
}

/* The third of four copies of a tile, unrolled: all four have the address of the first. */
Test(ir_address, constants_move_out_of_shifts_and_products) {
    ir_check(ir_opt_address,
             "%1:u32 = iadd sr_thread_id_x, 0x80:u32\n"
             "%2:u32 = shr %1, 0x3:u32\n"
             "%3:u32 = imul %2, 0x84:u32\n"
             "%4:u32 = and sr_thread_id_x, 0x7:u32\n"
             "%5:u32 = iadd %3, %4\n"
             "%6:u32 = shl %5, 0x2:u32\n"
             "store(local, 4, +0) %6, arg0\n"
             "halt\n",
             "%1:u32 = shr sr_thread_id_x, 0x3:u32\n"
             "%2:u32 = imul %1, 0x84:u32\n"
             "%3:u32 = and sr_thread_id_x, 0x7:u32\n"
             "%4:u32 = iadd %2, %3\n"
             "%5:u32 = shl %4, 0x2:u32\n"
             "store(local, 4, +8448) %5, arg0\n"
             "halt\n");
}

/* A shift that cuts off a part of the constant, a product, a sum and a shifted sum that may wrap.
 */
Test(ir_address, constants_stay_where_something_is_lost) {
    ir_check_same(ir_opt_address, "%1:u32 = iadd sr_thread_id_x, 0x84:u32\n"
                                  "%2:u32 = shr %1, 0x3:u32\n"
                                  "store(local, 4, +0) %2, arg0\n"
                                  "%3:u32 = imul %1, 0x4000000:u32\n"
                                  "store(local, 4, +0) %3, arg0\n"
                                  "%4:u32 = imul %1, 0x100:u32\n"
                                  "%5:u32 = iadd %4, arg1\n"
                                  "store(local, 4, +0) %5, arg0\n"
                                  "%6:u32 = iadd arg1, 0x80:u32\n"
                                  "%7:u32 = shr %6, 0x3:u32\n"
                                  "store(local, 4, +0) %7, arg0\n"
                                  "halt\n");
}
