/* The optimisations on loops and memory: text in, pass, text out, written down from the rule each
 * pass states, with the cases they must leave alone. */
#include "ir/opt.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

/* ---- invariant ---- */

Test(ir_invariant, moves_in_front_of_the_outermost_loop_it_can) {
    ir_check(ir_opt_invariant,
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  loop %1 {\n"
             "    %2:u32 = param(0)\n"
             "    %3:u32 = imul arg0, arg1\n"
             "    %4:u32 = iadd %1, %3\n"
             "    %5:u32 = iadd %2, %4\n"
             "    store(device, 4, +0) %5, %2\n"
             "    continue %5\n"
             "  }\n"
             "  halt\n"
             "}\n"
             "halt\n",
             "%1:u32 = imul arg0, arg1\n"
             "loop arg0 {\n"
             "  %2:u32 = param(0)\n"
             "  %3:u32 = iadd %2, %1\n"
             "  loop %2 {\n"
             "    %4:u32 = param(0)\n"
             "    %5:u32 = iadd %4, %3\n"
             "    store(device, 4, +0) %5, %4\n"
             "    continue %5\n"
             "  }\n"
             "  halt\n"
             "}\n"
             "halt\n");
}

/* A load may not be reached, a wave operation meets the lanes of its iteration, a division under a
 * condition would be paid for always. */
Test(ir_invariant, loads_wave_operations_and_conditional_divisions_stay) {
    ir_check_same(ir_opt_invariant, "%1:token = token\n"
                                    "loop arg0 {\n"
                                    "  %2:u32 = param(0)\n"
                                    "  %3:u32 = load(device, 4, +0) arg1\n"
                                    "  %4:u32 = wave_reduce_add %1, arg0\n"
                                    "  %5:bool = ucmp_lt %2, arg3\n"
                                    "  if %5 {\n"
                                    "    %6:u32 = udiv arg0, arg1\n"
                                    "    store(device, 8, +0) arg2, %6, %3\n"
                                    "    yield\n"
                                    "  } else {\n"
                                    "    halt\n"
                                    "  }\n"
                                    "  continue %4\n"
                                    "}\n"
                                    "halt\n");
}

/* ---- unroll ---- */

Test(ir_unroll, few_iterations_are_written_out) {
    ir_check(ir_opt_unroll,
             "loop 0x0:u32, arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:u32 = param(1)\n"
             "  store(device, 4, +0) %2, %1\n"
             "  %3:u32 = iadd %1, 0x1:u32\n"
             "  %4:bool = icmp_ge %3, 0x3:u32\n"
             "  if %4 {\n"
             "    break %2\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %5:u32 = iadd %2, arg1\n"
             "  continue %3, %5\n"
             "}\n"
             "%6:u32 = result(0)\n"
             "store(device, 4, +0) arg2, %6\n"
             "halt\n",
             "store(device, 4, +0) arg0, 0x0:u32\n"
             "%1:u32 = iadd 0x0:u32, 0x1:u32\n"
             "%2:u32 = iadd arg0, arg1\n"
             "store(device, 4, +0) %2, %1\n"
             "%3:u32 = iadd %1, 0x1:u32\n"
             "%4:u32 = iadd %2, arg1\n"
             "store(device, 4, +0) %4, %3\n"
             "store(device, 4, +0) arg2, %4\n"
             "halt\n");
}

/* The exit stands first: the part behind it runs one time less. */
Test(ir_unroll, loop_that_asks_first) {
    ir_check(ir_opt_unroll,
             "%1:token = token\n"
             "loop 0x2:u32 {\n"
             "  %2:u32 = param(0)\n"
             "  %3:bool = icmp_gt %2, 0x0:u32\n"
             "  if %3 {\n"
             "    yield\n"
             "  } else {\n"
             "    break\n"
             "  }\n"
             "  %4:u32 = wave_shuffle_down %1, arg0, %2\n"
             "  if %3 {\n"
             "    store(device, 4, +0) arg1, %4\n"
             "    yield\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %5:u32 = iadd %2, 0xFFFFFFFF:u32\n"
             "  continue %5\n"
             "}\n"
             "halt\n",
             "%1:token = token\n"
             "%2:bool = icmp_gt 0x2:u32, 0x0:u32\n"
             "%3:u32 = wave_shuffle_down %1, arg0, 0x2:u32\n"
             "if %2 {\n"
             "  store(device, 4, +0) arg1, %3\n"
             "  yield\n"
             "} else {\n"
             "  yield\n"
             "}\n"
             "%4:u32 = iadd 0x2:u32, 0xFFFFFFFF:u32\n"
             "%5:bool = icmp_gt %4, 0x0:u32\n"
             "%6:u32 = wave_shuffle_down %1, arg0, %4\n"
             "if %5 {\n"
             "  store(device, 4, +0) arg1, %6\n"
             "  yield\n"
             "} else {\n"
             "  yield\n"
             "}\n"
             "halt\n");
}

/* 42 iterations are too many to write out; two at a time divide them. */
Test(ir_unroll, several_iterations_become_one) {
    ir_check(ir_opt_unroll,
             "loop 0x0:u32 {\n"
             "  %1:u32 = param(0)\n"
             "  store(device, 4, +0) arg0, %1\n"
             "  %2:u32 = iadd %1, 0x1:u32\n"
             "  %3:bool = ucmp_ge %2, 0x2A:u32\n"
             "  if %3 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  continue %2\n"
             "}\n"
             "halt\n",
             "loop 0x0:u32 {\n"
             "  %1:u32 = param(0)\n"
             "  store(device, 4, +0) arg0, %1\n"
             "  %2:u32 = iadd %1, 0x1:u32\n"
             "  store(device, 4, +0) arg0, %2\n"
             "  %3:u32 = iadd %2, 0x1:u32\n"
             "  %4:bool = ucmp_ge %3, 0x2A:u32\n"
             "  if %4 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  continue %3\n"
             "}\n"
             "halt\n");
}

/* A bound that is not constant, a second way out, and a count that is odd and large. */
Test(ir_unroll, other_loops_stay) {
    ir_check_same(ir_opt_unroll, "loop 0x0:u32 {\n"
                                 "  %1:u32 = param(0)\n"
                                 "  %2:u32 = iadd %1, 0x1:u32\n"
                                 "  %3:bool = icmp_ge %2, arg0\n"
                                 "  if %3 {\n"
                                 "    break\n"
                                 "  } else {\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  continue %2\n"
                                 "}\n"
                                 "loop 0x0:u32 {\n"
                                 "  %4:u32 = param(0)\n"
                                 "  %5:u32 = iadd %4, 0x1:u32\n"
                                 "  %6:bool = icmp_ge %5, 0x4:u32\n"
                                 "  if %6 {\n"
                                 "    break\n"
                                 "  } else {\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  %7:bool = icmp_ge %5, arg0\n"
                                 "  if %7 {\n"
                                 "    break\n"
                                 "  } else {\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  continue %5\n"
                                 "}\n"
                                 "loop 0x0:u32 {\n"
                                 "  %8:u32 = param(0)\n"
                                 "  %9:u32 = iadd %8, 0x1:u32\n"
                                 "  %10:bool = icmp_ge %9, 0x65:u32\n"
                                 "  if %10 {\n"
                                 "    break\n"
                                 "  } else {\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  continue %9\n"
                                 "}\n"
                                 "halt\n");
}

/* ---- address ---- */

/* Free low bits, a bound that leaves room, also behind a shift; what is new stands where the
 * address was computed, for value numbering to find. */
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
Test(ir_address, counted_parameter_has_a_bound) {
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

Test(ir_address, pointer_from_outside_a_loop) {
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

/* ---- wide ---- */

/* What the outer loop makes is outside of the inner one, and inside of its own. */
Test(ir_address, pointer_from_outside_the_inner_loop) {
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

Test(ir_wide, aligned_neighbours_become_one_load) {
    ir_check(ir_opt_wide,
             "%1:u32 = shl arg0, 0x4:u32\n"
             "%2:u32 = load(device, 4, +4) %1\n"
             "%3:u32 = load(device, 4, +0) %1\n"
             "%4:u32 = load(device, 4, +12) %1\n"
             "%5:f32 = load(device, 4, +8) %1\n"
             "%6:u32 = load(local, 4, +24) %1\n"
             "%7:u32 = load(local, 4, +28) %1\n"
             "store(device, 16, +0) arg1, %2, %3, %4, %5\n"
             "store(device, 8, +0) arg2, %6, %7\n"
             "halt\n",
             "%1:u32 = shl arg0, 0x4:u32\n"
             "loads(device, 16, +0) %1\n"
             "%2:u32 = result(0)\n"
             "%3:u32 = result(1)\n"
             "%4:f32 = result(2)\n"
             "%5:u32 = result(3)\n"
             "loads(local, 8, +24) %1\n"
             "%6:u32 = result(0)\n"
             "%7:u32 = result(1)\n"
             "store(device, 16, +0) arg1, %3, %2, %5, %4\n"
             "store(device, 8, +0) arg2, %6, %7\n"
             "halt\n");
}

/* Alignment that is not proved, a pair across a boundary, a store that may write the second word,
 * and an if in between. */
Test(ir_wide, other_loads_stay) {
    ir_check_same(ir_opt_wide, "%1:u32 = load(device, 4, +0) arg0\n"
                               "%2:u32 = load(device, 4, +4) arg0\n"
                               "%3:u32 = shl arg1, 0x3:u32\n"
                               "%4:u32 = load(local, 4, +4) %3\n"
                               "%5:u32 = load(local, 4, +8) %3\n"
                               "store(local, 4, +0) arg1, %1\n"
                               "%6:u32 = load(local, 4, +0) %3\n"
                               "store(local, 4, +0) arg2, %2\n"
                               "%7:u32 = load(local, 4, +4) %3\n"
                               "store(device, 8, +0) arg0, %4, %5\n"
                               "store(device, 8, +0) arg1, %6, %7\n"
                               "halt\n");
}

/* The second word belongs to a load of two, the first one to another load. */
Test(ir_wide, half_of_a_pair_stays) {
    ir_check_same(ir_opt_wide, "%1:u32 = shl arg0, 0x3:u32\n"
                               "%2:u32 = load(device, 4, +0) %1\n"
                               "loads(device, 8, +0) %1\n"
                               "%3:u32 = result(0)\n"
                               "%4:u32 = result(1)\n"
                               "store(device, 4, +0) arg1, %2\n"
                               "store(device, 8, +0) arg2, %3, %4\n"
                               "halt\n");
}

Test(ir_wide, stores_move_to_the_last) {
    ir_check(ir_opt_wide,
             "%1:u32 = shl arg0, 0x4:u32\n"
             "store(device, 4, +4) %1, arg1\n"
             "store(device, 4, +0) %1, arg2\n"
             "%2:u32 = load(local, 4, +0) arg0\n"
             "store(device, 4, +8) %1, %2\n"
             "store(device, 4, +12) %1, arg3\n"
             "halt\n",
             "%1:u32 = shl arg0, 0x4:u32\n"
             "%2:u32 = load(local, 4, +0) arg0\n"
             "store(device, 16, +0) %1, arg2, arg1, %2, arg3\n"
             "halt\n");
}

/* A load that may read the first word, the same word twice, another base, a fence. */
Test(ir_wide, other_stores_stay) {
    ir_check_same(ir_opt_wide, "%1:token = token\n"
                               "%2:u32 = shl arg0, 0x4:u32\n"
                               "store(device, 4, +0) %2, arg1\n"
                               "%3:u32 = load(device, 4, +0) arg2\n"
                               "store(device, 4, +4) %2, %3\n"
                               "store(device, 4, +4) %2, arg2\n"
                               "store(device, 4, +8) %2, arg2\n"
                               "store(device, 4, +0) arg3, arg2\n"
                               "store(device, 4, +12) %2, arg2\n"
                               "fence(release, device) %1\n"
                               "store(device, 4, +8) %2, arg2\n"
                               "lane_fence(release, device)\n"
                               "store(device, 4, +12) %2, arg2\n"
                               "halt\n");
}
