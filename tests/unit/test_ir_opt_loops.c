/* The optimisations on loops and memory: the text before and after a pass, derived from the rule
 * that each pass states, with the cases that they must leave unchanged. */
#include "ir/opt.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

#include <stdio.h>

/* ---- invariant ---- */

Test(ir_invariant, operations_move_before_the_outermost_possible_loop) {
    ir_check(ir_opt_invariant,
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  loop %1 {\n"
             "    %2:u32 = param(0)\n"
             "    %3:u32 = imul arg0, arg1\n"
             "    %4:u32 = iadd %1, %3\n"
             "    %5:u32 = iadd %2, %4\n"
             "    store(device, 4, +0) %5, %2\n"
             "    %6:bool = icmp_eq %5, arg2\n"
             "    if %6 {\n"
             "      break\n"
             "    } else {\n"
             "      yield\n"
             "    }\n"
             "    continue %5\n"
             "  }\n"
             "  continue %1\n"
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
             "    %6:bool = icmp_eq %5, arg2\n"
             "    if %6 {\n"
             "      break\n"
             "    } else {\n"
             "      yield\n"
             "    }\n"
             "    continue %5\n"
             "  }\n"
             "  continue %2\n"
             "}\n"
             "halt\n");
}

/* A load may be unreachable, a wave operation depends on the lanes of its iteration, a division
 * under a condition would always be executed. */
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

/* A loop without a continue runs once: computing something before it gains nothing. */
Test(ir_invariant, nothing_moves_out_of_a_loop_that_runs_once) {
    ir_check_same(ir_opt_invariant, "loop {\n"
                                    "  %1:bool = icmp_eq arg0, arg1\n"
                                    "  if %1 {\n"
                                    "    break\n"
                                    "  } else {\n"
                                    "    yield\n"
                                    "  }\n"
                                    "  store(device, 4, +0) arg2, arg0\n"
                                    "  break\n"
                                    "}\n"
                                    "halt\n");
}

/* Moving it out of an outer loop, which repeats it, does gain something. */
Test(ir_invariant, operations_move_through_a_loop_that_runs_once) {
    ir_check(ir_opt_invariant,
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  loop {\n"
             "    %2:u32 = iadd arg1, arg2\n"
             "    %3:u32 = load(device, 4, +0) %1\n"
             "    %4:bool = icmp_eq %3, %2\n"
             "    if %4 {\n"
             "      break\n"
             "    } else {\n"
             "      yield\n"
             "    }\n"
             "    store(device, 4, +0) %1, %2\n"
             "    break\n"
             "  }\n"
             "  %5:u32 = iadd %1, 0x4:u32\n"
             "  continue %5\n"
             "}\n"
             "halt\n",
             "%1:u32 = iadd arg1, arg2\n"
             "loop arg0 {\n"
             "  %2:u32 = param(0)\n"
             "  loop {\n"
             "    %3:u32 = load(device, 4, +0) %2\n"
             "    %4:bool = icmp_eq %3, %1\n"
             "    if %4 {\n"
             "      break\n"
             "    } else {\n"
             "      yield\n"
             "    }\n"
             "    store(device, 4, +0) %2, %1\n"
             "    break\n"
             "  }\n"
             "  %5:u32 = iadd %2, 0x4:u32\n"
             "  continue %5\n"
             "}\n"
             "halt\n");
}

/* ---- unroll ---- */

Test(ir_unroll, a_few_iterations_are_unrolled_fully) {
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

/* The exit comes first, so the part after it is executed once less. */
Test(ir_unroll, a_top_tested_loop_is_unrolled) {
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

/* 42 iterations are too many to unroll fully, but a multiple of two. */
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

/* The count is found by evaluating the exit's condition, so any step works. */
static void check_steps(const char *start, const char *step, const char *condition,
                        unsigned count) {
    char text[512];
    snprintf(text, sizeof text,
             "loop %s {\n"
             "  %%1:u32 = param(0)\n"
             "  %%2:bool = %s\n"
             "  if %%2 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  store(device, 4, +0) arg0, %%1\n"
             "  %%3:u32 = %s\n"
             "  continue %%3\n"
             "}\n"
             "halt\n",
             start, condition, step);
    cr_expect_eq(ir_count_after(ir_opt_unroll, text, IR_STORE), count, "%s: %s", step, condition);
    cr_expect_eq(ir_count_after(ir_opt_unroll, text, IR_LOOP), 0, "%s: %s", step, condition);
}

Test(ir_unroll, geometric_loops_are_counted) {
    check_steps("0x1:u32", "shl %1, 0x1:u32", "icmp_ge %1, 0x40:u32", 6);
    check_steps("0x80:u32", "shr %1, 0x1:u32", "icmp_eq %1, 0x0:u32", 8);
    check_steps("0x1:u32", "imul %1, 0x3:u32", "ucmp_gt %1, 0x64:u32", 5); /* 1 3 9 27 81 */
    check_steps("0x64:u32", "udiv %1, 0x3:u32", "icmp_eq %1, 0x0:u32", 5); /* 100 33 11 3 1 */
    check_steps("0x2:u32", "iadd %1, %1", "icmp_ge %1, 0x20:u32", 4);      /* 2 4 8 16 */
    check_steps("0x80000000:u32", "sar %1, 0x3:u32", "icmp_eq %1, 0xFFFFFFFF:u32", 11);
}

static bool unroll_twice(ir_func *f) {
    bool changed = ir_opt_unroll(f);
    changed |= ir_opt_simplify(f);
    return ir_opt_unroll(f) | changed;
}

/* k = 2, 4, 8 and j = k/2 … 1: the second run counts 1, 2 and 3 iterations. */
Test(ir_unroll, inner_loops_that_start_from_the_outer_counter_are_unrolled) {
    static const char text[] = "loop 0x2:u32 {\n"
                               "  %1:u32 = param(0)\n"
                               "  %2:u32 = shr %1, 0x1:u32\n"
                               "  loop %2 {\n"
                               "    %3:u32 = param(0)\n"
                               "    store(device, 4, +0) arg0, %3\n"
                               "    %4:u32 = shr %3, 0x1:u32\n"
                               "    %5:bool = icmp_eq %4, 0x0:u32\n"
                               "    if %5 {\n"
                               "      break\n"
                               "    } else {\n"
                               "      yield\n"
                               "    }\n"
                               "    continue %4\n"
                               "  }\n"
                               "  %6:u32 = shl %1, 0x1:u32\n"
                               "  %7:bool = icmp_gt %6, 0x8:u32\n"
                               "  if %7 {\n"
                               "    break\n"
                               "  } else {\n"
                               "    yield\n"
                               "  }\n"
                               "  continue %6\n"
                               "}\n"
                               "halt\n";
    cr_expect_eq(ir_count_after(ir_opt_unroll, text, IR_LOOP), 3);
    cr_expect_eq(ir_count_after(unroll_twice, text, IR_LOOP), 0);
    cr_expect_eq(ir_count_after(unroll_twice, text, IR_STORE), 1 + 2 + 3);
}

/* 42 iterations became 21 of two each: a second run must not unroll these. */
Test(ir_unroll, a_loop_is_unrolled_once) {
    static const char text[] = "loop 0x0:u32 {\n"
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
                               "halt\n";
    cr_expect_eq(ir_count_after(unroll_twice, text, IR_LOOP), 1);
    cr_expect_eq(ir_count_after(unroll_twice, text, IR_STORE), 2);
}

/* A shift that leaves 0 forever, and an unknown step. */
Test(ir_unroll, loops_that_do_not_end_stay) {
    static const char *const steps[] = {"shl %1, 0x1:u32", "imul %1, arg1"};
    for (unsigned k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "loop 0x1:u32 {\n"
                 "  %%1:u32 = param(0)\n"
                 "  %%2:bool = icmp_eq %%1, 0x3:u32\n"
                 "  if %%2 {\n"
                 "    break\n"
                 "  } else {\n"
                 "    yield\n"
                 "  }\n"
                 "  %%3:u32 = %s\n"
                 "  continue %%3\n"
                 "}\n"
                 "halt\n",
                 steps[k]);
        ir_check_same(ir_opt_unroll, text);
    }
}

/* Two parameters are compared: 0, 3, 6 with 12, 8, 4. */
Test(ir_unroll, two_counters_determine_the_number_of_iterations) {
    cr_expect_eq(ir_count_after(ir_opt_unroll,
                                "loop 0x0:u32, 0xC:u32 {\n"
                                "  %1:u32 = param(0)\n"
                                "  %2:u32 = param(1)\n"
                                "  store(device, 4, +0) arg0, %1\n"
                                "  %3:bool = ucmp_ge %1, %2\n"
                                "  if %3 {\n"
                                "    break\n"
                                "  } else {\n"
                                "    yield\n"
                                "  }\n"
                                "  %4:u32 = iadd %1, 0x3:u32\n"
                                "  %5:u32 = isub %2, 0x4:u32\n"
                                "  continue %4, %5\n"
                                "}\n"
                                "halt\n",
                                IR_STORE),
                 3);
}

/* The remaining loop holds the other exits; nothing branches back to its start. */
Test(ir_unroll, several_exits_are_kept) {
    ir_check(ir_opt_unroll,
             "loop 0x1:u32 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:u32 = load(device, 4, +0) %1\n"
             "  %3:bool = icmp_eq %2, arg0\n"
             "  if %3 {\n"
             "    break %1\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %4:u32 = shl %1, 0x1:u32\n"
             "  %5:bool = icmp_ge %4, 0x4:u32\n"
             "  if %5 {\n"
             "    break 0x0:u32\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  continue %4\n"
             "}\n"
             "%6:u32 = result(0)\n"
             "store(device, 4, +0) arg1, %6\n"
             "halt\n",
             "loop {\n"
             "  %1:u32 = load(device, 4, +0) 0x1:u32\n"
             "  %2:bool = icmp_eq %1, arg0\n"
             "  if %2 {\n"
             "    break 0x1:u32\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %3:u32 = shl 0x1:u32, 0x1:u32\n"
             "  %4:u32 = load(device, 4, +0) %3\n"
             "  %5:bool = icmp_eq %4, arg0\n"
             "  if %5 {\n"
             "    break %3\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  break 0x0:u32\n"
             "}\n"
             "%6:u32 = result(0)\n"
             "store(device, 4, +0) arg1, %6\n"
             "halt\n");
}

/* Too many iterations to unroll fully: four become one, and each keeps the uncounted exit. */
Test(ir_unroll, several_exits_are_kept_in_a_partly_unrolled_loop) {
    static const char text[] = "loop 0x0:u32 {\n"
                               "  %1:u32 = param(0)\n"
                               "  %2:u32 = load(device, 4, +0) %1\n"
                               "  %3:bool = icmp_eq %2, arg0\n"
                               "  if %3 {\n"
                               "    if %3 {\n"
                               "      break %1\n"
                               "    } else {\n"
                               "      yield\n"
                               "    }\n"
                               "    yield\n"
                               "  } else {\n"
                               "    yield\n"
                               "  }\n"
                               "  %4:u32 = iadd %1, 0x4:u32\n"
                               "  %5:bool = icmp_ge %4, 0x100:u32\n"
                               "  if %5 {\n"
                               "    break 0x0:u32\n"
                               "  } else {\n"
                               "    yield\n"
                               "  }\n"
                               "  continue %4\n"
                               "}\n"
                               "%6:u32 = result(0)\n"
                               "store(device, 4, +0) arg1, %6\n"
                               "halt\n";
    cr_expect_eq(ir_count_after(ir_opt_unroll, text, IR_LOAD), 4);
    cr_expect_eq(ir_count_after(ir_opt_unroll, text, IR_BREAK), 5);
    cr_expect_eq(ir_count_after(ir_opt_unroll, text, IR_LOOP), 1);
}

/* A bound that is not constant, a second continue, and a count that is odd and large. */
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
                                 "    continue %5\n"
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

/* ---- ends ---- */

/* clang's form of a bottom-tested loop. */
Test(ir_ends, the_continue_moves_to_the_end) {
    ir_check(ir_opt_ends,
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  store(device, 4, +0) %1, arg2\n"
             "  %2:u32 = iadd %1, 0x4:u32\n"
             "  %3:bool = icmp_lt %2, arg1\n"
             "  if %3 {\n"
             "    continue %2\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  break %1\n"
             "}\n"
             "%4:u32 = result(0)\n"
             "store(device, 4, +0) arg3, %4\n"
             "halt\n",
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  store(device, 4, +0) %1, arg2\n"
             "  %2:u32 = iadd %1, 0x4:u32\n"
             "  %3:bool = icmp_lt %2, arg1\n"
             "  if %3 {\n"
             "    yield\n"
             "  } else {\n"
             "    break %1\n"
             "  }\n"
             "  continue %2\n"
             "}\n"
             "%4:u32 = result(0)\n"
             "store(device, 4, +0) arg3, %4\n"
             "halt\n");
}

/* Each side keeps its operations; a result of the if is what the continuing side yielded. */
Test(ir_ends, both_sides_keep_their_operations) {
    ir_check(ir_opt_ends,
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:bool = icmp_lt %1, arg1\n"
             "  if %2 {\n"
             "    %3:u32 = imul %1, arg2\n"
             "    yield %1, %3\n"
             "  } else {\n"
             "    %4:u32 = iadd %1, arg3\n"
             "    continue %4\n"
             "  }\n"
             "  %5:u32 = result(0)\n"
             "  %6:u32 = result(1)\n"
             "  %7:u32 = iadd %6, 0x1:u32\n"
             "  store(device, 4, +0) %7, %5\n"
             "  break %7\n"
             "}\n"
             "%8:u32 = result(0)\n"
             "store(device, 4, +0) arg3, %8\n"
             "halt\n",
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:bool = icmp_lt %1, arg1\n"
             "  if %2 {\n"
             "    %3:u32 = imul %1, arg2\n"
             "    %4:u32 = iadd %3, 0x1:u32\n"
             "    store(device, 4, +0) %4, %1\n"
             "    break %4\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %5:u32 = iadd %1, arg3\n"
             "  continue %5\n"
             "}\n"
             "%6:u32 = result(0)\n"
             "store(device, 4, +0) arg3, %6\n"
             "halt\n");
}

/* The inner loop and the outer one. */
Test(ir_ends, nested_loops_are_both_changed) {
    ir_check(ir_opt_ends,
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  loop %1 {\n"
             "    %2:u32 = param(0)\n"
             "    store(device, 4, +0) %2, arg1\n"
             "    %3:u32 = iadd %2, 0x1:u32\n"
             "    %4:bool = icmp_lt %3, arg2\n"
             "    if %4 {\n"
             "      continue %3\n"
             "    } else {\n"
             "      yield\n"
             "    }\n"
             "    break\n"
             "  }\n"
             "  %5:u32 = iadd %1, 0x2:u32\n"
             "  %6:bool = icmp_lt %5, arg3\n"
             "  if %6 {\n"
             "    continue %5\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  break\n"
             "}\n"
             "halt\n",
             "loop arg0 {\n"
             "  %1:u32 = param(0)\n"
             "  loop %1 {\n"
             "    %2:u32 = param(0)\n"
             "    store(device, 4, +0) %2, arg1\n"
             "    %3:u32 = iadd %2, 0x1:u32\n"
             "    %4:bool = icmp_lt %3, arg2\n"
             "    if %4 {\n"
             "      yield\n"
             "    } else {\n"
             "      break\n"
             "    }\n"
             "    continue %3\n"
             "  }\n"
             "  %5:u32 = iadd %1, 0x2:u32\n"
             "  %6:bool = icmp_lt %5, arg3\n"
             "  if %6 {\n"
             "    yield\n"
             "  } else {\n"
             "    break\n"
             "  }\n"
             "  continue %5\n"
             "}\n"
             "halt\n");
}

/* Accesses keep their order, wave operations their place, and nothing nests deeper: here the
 * continuing side and the rest both store, a wave operation precedes the break, an if does. */
Test(ir_ends, order_and_nesting_keep_a_loop_unchanged) {
    static const char *const ends[][2] = {
        {"    store(device, 4, +0) arg1, %2\n", "  store(device, 4, +0) arg2, %2\n"},
        {"", "  %4:u32 = wave_reduce_add %1, %2\n  store(device, 4, +0) arg2, %4\n"},
        {"", "  %4:bool = icmp_eq %2, arg3\n"
             "  if %4 {\n"
             "    store(device, 4, +0) arg2, %2\n"
             "    yield\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"}};
    for (unsigned k = 0; k < sizeof ends / sizeof *ends; k++) {
        char text[640];
        snprintf(text, sizeof text,
                 "%%1:token = token\n"
                 "loop arg0 {\n"
                 "  %%2:u32 = param(0)\n"
                 "  barrier %%1\n"
                 "  %%3:bool = icmp_lt arg1, arg2\n"
                 "  if %%3 {\n"
                 "%s"
                 "    continue arg3\n"
                 "  } else {\n"
                 "    yield\n"
                 "  }\n"
                 "%s"
                 "  break\n"
                 "}\n"
                 "halt\n",
                 ends[k][0], ends[k][1]);
        ir_check_same(ir_opt_ends, text);
    }
}

/* ---- groups ---- */

/* A barrier makes groups of two. The bound is reduced by one step with saturation; the address and
 * the second parameter are those of the first iteration plus their increments. */
Test(ir_groups, a_top_tested_loop_is_grouped) {
    ir_check(ir_opt_groups,
             "%1:token = token\n"
             "loop arg0, arg3 {\n"
             "  %2:u32 = param(0)\n"
             "  %3:u32 = param(1)\n"
             "  %4:bool = icmp_ge %2, arg1\n"
             "  if %4 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %5:u32 = shl %2, 0x2:u32\n"
             "  store(device, 4, +0) %5, %3\n"
             "  barrier %1\n"
             "  %6:u32 = iadd %2, 0x3:u32\n"
             "  %7:u32 = iadd %3, arg2\n"
             "  continue %6, %7\n"
             "}\n"
             "halt\n",
             "%1:token = token\n"
             "%2:u32 = imax arg1, 0x80000003:u32\n"
             "%3:u32 = isub %2, 0x3:u32\n"
             "%4:u32 = imul arg2, 0x2:u32\n"
             "loop arg0, arg3 {\n"
             "  %5:u32 = param(0)\n"
             "  %6:u32 = param(1)\n"
             "  %7:bool = icmp_lt %5, %3\n"
             "  if %7 {\n"
             "    yield\n"
             "  } else {\n"
             "    break %5, %6\n"
             "  }\n"
             "  %8:u32 = shl %5, 0x2:u32\n"
             "  store(device, 4, +0) %8, %6\n"
             "  barrier %1\n"
             "  %9:u32 = iadd %6, arg2\n"
             "  %10:u32 = iadd %8, 0xC:u32\n"
             "  store(device, 4, +0) %10, %9\n"
             "  barrier %1\n"
             "  %11:u32 = iadd %5, 0x6:u32\n"
             "  %12:u32 = iadd %6, %4\n"
             "  continue %11, %12\n"
             "}\n"
             "%13:u32 = result(0)\n"
             "%14:u32 = result(1)\n"
             "loop %13, %14 {\n"
             "  %15:u32 = param(0)\n"
             "  %16:u32 = param(1)\n"
             "  %17:bool = icmp_ge %15, arg1\n"
             "  if %17 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %18:u32 = shl %15, 0x2:u32\n"
             "  store(device, 4, +0) %18, %16\n"
             "  barrier %1\n"
             "  %19:u32 = iadd %15, 0x3:u32\n"
             "  %20:u32 = iadd %16, arg2\n"
             "  continue %19, %20\n"
             "}\n"
             "halt\n");
}

/* An unknown step is tested for its size: two of them might wrap. */
Test(ir_groups, a_step_of_unknown_size_is_tested) {
    ir_check(ir_opt_groups,
             "%1:token = token\n"
             "loop arg0 {\n"
             "  %2:u32 = param(0)\n"
             "  barrier %1\n"
             "  %3:u32 = iadd %2, arg2\n"
             "  %4:bool = ucmp_lt %3, arg1\n"
             "  if %4 {\n"
             "    yield\n"
             "  } else {\n"
             "    break %3\n"
             "  }\n"
             "  continue %3\n"
             "}\n"
             "%5:u32 = result(0)\n"
             "store(device, 4, +0) arg3, %5\n"
             "halt\n",
             "%1:token = token\n"
             "%2:u32 = imul arg2, 0x1:u32\n"
             "%3:u32 = umax arg1, %2\n"
             "%4:u32 = isub %3, %2\n"
             "%5:bool = ucmp_lt arg2, 0x8000000:u32\n"
             "%6:u32 = select %5, %4, 0x0:u32\n"
             "%7:u32 = imul arg2, 0x2:u32\n"
             "loop arg0 {\n"
             "  %8:u32 = param(0)\n"
             "  %9:u32 = iadd %8, arg2\n"
             "  %10:bool = ucmp_lt %9, %6\n"
             "  if %10 {\n"
             "    yield\n"
             "  } else {\n"
             "    break %8\n"
             "  }\n"
             "  barrier %1\n"
             "  barrier %1\n"
             "  %11:u32 = iadd %8, %7\n"
             "  continue %11\n"
             "}\n"
             "%12:u32 = result(0)\n"
             "loop %12 {\n"
             "  %13:u32 = param(0)\n"
             "  barrier %1\n"
             "  %14:u32 = iadd %13, arg2\n"
             "  %15:bool = ucmp_lt %14, arg1\n"
             "  if %15 {\n"
             "    yield\n"
             "  } else {\n"
             "    break %14\n"
             "  }\n"
             "  continue %14\n"
             "}\n"
             "%16:u32 = result(0)\n"
             "store(device, 4, +0) arg3, %16\n"
             "halt\n");
}

/* For an equality exit the remaining distance decides, modulo 2^32. */
Test(ir_groups, an_equality_exit_is_tested_by_distance) {
    ir_check(ir_opt_groups,
             "%1:token = token\n"
             "loop arg0 {\n"
             "  %2:u32 = param(0)\n"
             "  barrier %1\n"
             "  %3:u32 = isub %2, 0x1:u32\n"
             "  %4:bool = icmp_eq arg1, %3\n"
             "  if %4 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  continue %3\n"
             "}\n"
             "halt\n",
             "%1:token = token\n"
             "loop arg0 {\n"
             "  %2:u32 = param(0)\n"
             "  %3:u32 = isub %2, 0x1:u32\n"
             "  %4:u32 = isub %3, arg1\n"
             "  %5:bool = ucmp_ge %4, 0x2:u32\n"
             "  if %5 {\n"
             "    yield\n"
             "  } else {\n"
             "    break %2\n"
             "  }\n"
             "  barrier %1\n"
             "  barrier %1\n"
             "  %6:u32 = iadd %2, 0xFFFFFFFE:u32\n"
             "  continue %6\n"
             "}\n"
             "%7:u32 = result(0)\n"
             "loop %7 {\n"
             "  %8:u32 = param(0)\n"
             "  barrier %1\n"
             "  %9:u32 = isub %8, 0x1:u32\n"
             "  %10:bool = icmp_eq arg1, %9\n"
             "  if %10 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  continue %9\n"
             "}\n"
             "halt\n");
}

/* A bound that is reloaded in every iteration, a downward step of unknown size, a fence, and a
 * parameter with a varying increment. */
Test(ir_groups, other_loops_stay) {
    ir_check_same(ir_opt_groups, "%1:token = token\n"
                                 "loop arg0 {\n"
                                 "  %2:u32 = param(0)\n"
                                 "  %3:u32 = load(device, 4, +0) arg1\n"
                                 "  %4:bool = icmp_ge %2, %3\n"
                                 "  if %4 {\n"
                                 "    break\n"
                                 "  } else {\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  %5:u32 = iadd %2, 0x1:u32\n"
                                 "  continue %5\n"
                                 "}\n"
                                 "loop arg0 {\n"
                                 "  %6:u32 = param(0)\n"
                                 "  %7:bool = icmp_le %6, arg1\n"
                                 "  if %7 {\n"
                                 "    break\n"
                                 "  } else {\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  barrier %1\n"
                                 "  %8:u32 = isub %6, arg2\n"
                                 "  continue %8\n"
                                 "}\n"
                                 "loop arg0 {\n"
                                 "  %9:u32 = param(0)\n"
                                 "  %10:bool = icmp_ge %9, arg1\n"
                                 "  if %10 {\n"
                                 "    break\n"
                                 "  } else {\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  store(device, 4, +0) arg2, %9\n"
                                 "  fence(acq_rel, device) %1\n"
                                 "  %11:u32 = iadd %9, 0x1:u32\n"
                                 "  continue %11\n"
                                 "}\n"
                                 "loop arg0 {\n"
                                 "  %12:u32 = param(0)\n"
                                 "  %13:bool = icmp_ge %12, arg1\n"
                                 "  if %13 {\n"
                                 "    break\n"
                                 "  } else {\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  store(device, 4, +0) arg2, %12\n"
                                 "  %14:u32 = shl %12, 0x1:u32\n"
                                 "  continue %14\n"
                                 "}\n"
                                 "halt\n");
}

/* ---- wide ---- */

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

/* Unproved alignment, a pair across a boundary, a store that may write the second word, and an if
 * in between. */
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
                               "%8:u32 = load(local, 4, +0) %3\n"
                               "%9:bool = icmp_eq %8, arg0\n"
                               "if %9 {\n"
                               "  store(device, 4, +0) arg2, %8\n"
                               "  yield\n"
                               "} else {\n"
                               "  yield\n"
                               "}\n"
                               "%10:u32 = load(local, 4, +4) %3\n"
                               "store(device, 4, +0) arg3, %10\n"
                               "halt\n");
}

/* The second word belongs to a load of two, the first one to another load. */
Test(ir_wide, half_of_a_wide_load_stays) {
    ir_check_same(ir_opt_wide, "%1:u32 = shl arg0, 0x3:u32\n"
                               "%2:u32 = load(device, 4, +0) %1\n"
                               "loads(device, 8, +0) %1\n"
                               "%3:u32 = result(0)\n"
                               "%4:u32 = result(1)\n"
                               "store(device, 4, +0) arg1, %2\n"
                               "store(device, 8, +0) arg2, %3, %4\n"
                               "halt\n");
}

/* An access has only one hint. */
Test(ir_wide, different_hints_keep_accesses_apart) {
    ir_check_same(ir_opt_wide, "%1:u32 = shl arg0, 0x4:u32\n"
                               "%2:u32 = load(device, 4, +0, streaming) %1\n"
                               "%3:u32 = load(device, 4, +4) %1\n"
                               "%4:u32 = load(device, 4, +8) %1\n"
                               "%5:u32 = load(device, 4, +12, uncached) %1\n"
                               "store(device, 4, +0, uncached) arg1, %2\n"
                               "store(device, 4, +4) arg1, %3\n"
                               "store(device, 4, +8) %1, %4\n"
                               "store(device, 4, +12, streaming) %1, %5\n"
                               "halt\n");
}

Test(ir_wide, equal_hints_are_kept) {
    ir_check(ir_opt_wide,
             "%1:u32 = shl arg0, 0x3:u32\n"
             "%2:u32 = load(device, 4, +0, streaming) %1\n"
             "%3:u32 = load(device, 4, +4, streaming) %1\n"
             "store(device, 4, +12, uncached) %1, %2\n"
             "store(device, 4, +8, uncached) %1, %3\n"
             "halt\n",
             "%1:u32 = shl arg0, 0x3:u32\n"
             "loads(device, 8, +0, streaming) %1\n"
             "%2:u32 = result(0)\n"
             "%3:u32 = result(1)\n"
             "store(device, 8, +8, uncached) %1, %3, %2\n"
             "halt\n");
}

Test(ir_wide, stores_merge_at_the_last_one) {
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

/* A constant address is an offset from 0, which is aligned. */
Test(ir_wide, constant_addresses_are_neighbours) {
    ir_check(ir_opt_wide,
             "%1:u32 = load(local, 4, +0) 0x48:u32\n"
             "%2:u32 = load(local, 4, +0) 0x4C:u32\n"
             "store(device, 4, +0) 0x10:u32, %1\n"
             "store(device, 4, +0) 0x1C:u32, arg1\n"
             "store(device, 4, +0) 0x18:u32, arg2\n"
             "store(device, 4, +0) 0x14:u32, %2\n"
             "halt\n",
             "loads(local, 8, +0) 0x48:u32\n"
             "%1:u32 = result(0)\n"
             "%2:u32 = result(1)\n"
             "store(device, 16, +0) 0x10:u32, %1, %2, arg2, arg1\n"
             "halt\n");
}

/* Across a boundary, and an address that is aligned only by its offset. */
Test(ir_wide, other_constant_addresses_stay) {
    ir_check_same(ir_opt_wide, "store(device, 4, +0) 0xC:u32, arg0\n"
                               "store(device, 4, +0) 0x10:u32, arg1\n"
                               "store(device, 4, +4) 0x10:u32, arg2\n"
                               "store(device, 4, +0) 0x16:u32, arg2\n"
                               "store(device, 4, +0) 0x1A:u32, arg2\n"
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
