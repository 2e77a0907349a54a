/* The optimisations on values and branches: the text before and after a pass, derived from the rule
 * that each pass states. Dead-code elimination follows the pass, so that only its result is shown.
 * Passes on loops and memory are in test_ir_opt_loops.c. */
#include "ir/opt.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

/* ---- prune ---- */

Test(ir_prune, a_parameter_that_never_changes_is_removed) {
    ir_check(ir_opt_prune,
             "loop arg0, 0x0:u32 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:u32 = param(1)\n"
             "  %3:bool = ucmp_lt %2, %1\n"
             "  if %3 {\n"
             "    yield\n"
             "  } else {\n"
             "    break %1, %2\n"
             "  }\n"
             "  %4:u32 = iadd %2, %1\n"
             "  continue %1, %4\n"
             "}\n"
             "%5:u32 = result(0)\n"
             "%6:u32 = result(1)\n"
             "store(device, 4, +0) %5, %6\n"
             "halt\n",
             "loop 0x0:u32 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:bool = ucmp_lt %1, arg0\n"
             "  if %2 {\n"
             "    yield\n"
             "  } else {\n"
             "    break %1\n"
             "  }\n"
             "  %3:u32 = iadd %1, arg0\n"
             "  continue %3\n"
             "}\n"
             "%4:u32 = result(0)\n"
             "store(device, 4, +0) arg0, %4\n"
             "halt\n");
}

Test(ir_prune, equal_parameters_become_one) {
    ir_check(ir_opt_prune,
             "loop 0x0:u32, 0x0:u32 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:u32 = param(1)\n"
             "  store(device, 4, +0) %1, %2\n"
             "  %3:u32 = iadd %1, arg0\n"
             "  continue %3, %3\n"
             "}\n"
             "halt\n",
             "loop 0x0:u32 {\n"
             "  %1:u32 = param(0)\n"
             "  store(device, 4, +0) %1, %1\n"
             "  %2:u32 = iadd %1, arg0\n"
             "  continue %2\n"
             "}\n"
             "halt\n");
}

/* The second side is simplified before the results of the if are considered. */
Test(ir_prune, equal_results_of_both_sides_are_removed) {
    ir_check(ir_opt_prune,
             "%1:bool = ucmp_lt arg0, arg1\n"
             "%2:bool = ucmp_lt arg1, arg2\n"
             "if %1 {\n"
             "  yield arg3\n"
             "} else {\n"
             "  if %2 {\n"
             "    store(device, 4, +0) arg1, arg2\n"
             "    yield arg3\n"
             "  } else {\n"
             "    yield arg3\n"
             "  }\n"
             "  %3:u32 = result(0)\n"
             "  yield %3\n"
             "}\n"
             "%4:u32 = result(0)\n"
             "store(device, 4, +0) arg0, %4\n"
             "halt\n",
             "%1:bool = ucmp_lt arg0, arg1\n"
             "%2:bool = ucmp_lt arg1, arg2\n"
             "if %1 {\n"
             "  yield\n"
             "} else {\n"
             "  if %2 {\n"
             "    store(device, 4, +0) arg1, arg2\n"
             "    yield\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  yield\n"
             "}\n"
             "store(device, 4, +0) arg0, arg3\n"
             "halt\n");
}

/* Two swapped parameters are not the same; a result from inside the loop stays. */
Test(ir_prune, parameters_that_change_stay) {
    ir_check_same(ir_opt_prune, "loop arg0, arg1 {\n"
                                "  %1:u32 = param(0)\n"
                                "  %2:u32 = param(1)\n"
                                "  %3:u32 = iadd %1, %2\n"
                                "  %4:bool = ucmp_lt %3, arg2\n"
                                "  if %4 {\n"
                                "    break %3\n"
                                "  } else {\n"
                                "    yield\n"
                                "  }\n"
                                "  continue %2, %1\n"
                                "}\n"
                                "%5:u32 = result(0)\n"
                                "store(device, 4, +0) arg0, %5\n"
                                "halt\n");
}

/* ---- select ---- */

Test(ir_select, small_sides_become_selects) {
    ir_check(ir_opt_select,
             "%1:bool = ucmp_lt arg0, arg1\n"
             "if %1 {\n"
             "  %2:u32 = iadd arg0, arg2\n"
             "  yield %2\n"
             "} else {\n"
             "  yield arg3\n"
             "}\n"
             "%3:u32 = result(0)\n"
             "store(device, 4, +0) arg0, %3\n"
             "halt\n",
             "%1:bool = ucmp_lt arg0, arg1\n"
             "%2:u32 = iadd arg0, arg2\n"
             "%3:u32 = select %1, %2, arg3\n"
             "store(device, 4, +0) arg0, %3\n"
             "halt\n");
}

/* A load may be out of bounds where the condition is false, a division costs too much, and a wave
 * operation must not be executed with other lanes. */
Test(ir_select, loads_and_costly_sides_stay) {
    ir_check_same(ir_opt_select, "%1:token = token\n"
                                 "%2:bool = ucmp_lt arg0, arg1\n"
                                 "if %2 {\n"
                                 "  %3:u32 = load(device, 4, +0) arg2\n"
                                 "  yield %3\n"
                                 "} else {\n"
                                 "  yield 0x0:u32\n"
                                 "}\n"
                                 "%4:u32 = result(0)\n"
                                 "%5:bool = ucmp_lt arg1, %4\n"
                                 "if %5 {\n"
                                 "  %6:u32 = udiv arg1, arg2\n"
                                 "  yield %6\n"
                                 "} else {\n"
                                 "  yield 0x0:u32\n"
                                 "}\n"
                                 "%7:u32 = result(0)\n"
                                 "if %2 {\n"
                                 "  %8:u32 = wave_reduce_add %1, %7\n"
                                 "  yield %8\n"
                                 "} else {\n"
                                 "  yield 0x1:u32\n"
                                 "}\n"
                                 "%9:u32 = result(0)\n"
                                 "store(device, 4, +0) %7, %9\n"
                                 "halt\n");
}

Test(ir_select, neighbours_with_one_condition_are_merged) {
    ir_check(ir_opt_select,
             "%1:bool = ucmp_lt arg0, arg1\n"
             "if %1 {\n"
             "  store(device, 4, +0) arg0, arg1\n"
             "  yield\n"
             "} else {\n"
             "  yield\n"
             "}\n"
             "%2:u32 = iadd arg1, arg2\n"
             "if %1 {\n"
             "  store(device, 4, +0) arg2, %2\n"
             "  yield\n"
             "} else {\n"
             "  store(device, 4, +0) arg3, arg1\n"
             "  yield\n"
             "}\n"
             "halt\n",
             "%1:bool = ucmp_lt arg0, arg1\n"
             "%2:u32 = iadd arg1, arg2\n"
             "if %1 {\n"
             "  store(device, 4, +0) arg0, arg1\n"
             "  store(device, 4, +0) arg2, %2\n"
             "  yield\n"
             "} else {\n"
             "  store(device, 4, +0) arg3, arg1\n"
             "  yield\n"
             "}\n"
             "halt\n");
}

Test(ir_select, a_merged_side_sees_the_values_of_the_first_one) {
    ir_check(ir_opt_select,
             "%1:bool = ucmp_lt arg0, arg1\n"
             "if %1 {\n"
             "  %2:u32 = load(device, 4, +0) arg0\n"
             "  yield %2\n"
             "} else {\n"
             "  yield 0x0:u32\n"
             "}\n"
             "%3:u32 = result(0)\n"
             "if %1 {\n"
             "  store(device, 4, +0) arg2, %3\n"
             "  yield\n"
             "} else {\n"
             "  yield\n"
             "}\n"
             "store(device, 4, +0) arg3, %3\n"
             "halt\n",
             "%1:bool = ucmp_lt arg0, arg1\n"
             "if %1 {\n"
             "  %2:u32 = load(device, 4, +0) arg0\n"
             "  store(device, 4, +0) arg2, %2\n"
             "  yield %2\n"
             "} else {\n"
             "  yield 0x0:u32\n"
             "}\n"
             "%3:u32 = result(0)\n"
             "store(device, 4, +0) arg3, %3\n"
             "halt\n");
}

/* The inner ifs are merged first: their else sides adopt the outer result, also as the operand of
 * the addition, and the outer merge must find it there. */
Test(ir_select, ifs_merge_inside_a_merged_side) {
    ir_check(ir_opt_select,
             "%1:bool = ucmp_lt arg0, arg1\n"
             "if %1 {\n"
             "  %2:u32 = load(device, 4, +0) arg0\n"
             "  yield %2\n"
             "} else {\n"
             "  yield arg3\n"
             "}\n"
             "%3:u32 = result(0)\n"
             "if %1 {\n"
             "  if %1 {\n"
             "    %4:u32 = load(device, 4, +0) arg1\n"
             "    yield %4\n"
             "  } else {\n"
             "    yield %3\n"
             "  }\n"
             "  %5:u32 = result(0)\n"
             "  if %1 {\n"
             "    yield arg2\n"
             "  } else {\n"
             "    %6:u32 = iadd %5, arg2\n"
             "    yield %6\n"
             "  }\n"
             "  %7:u32 = result(0)\n"
             "  store(device, 4, +0) %5, %7\n"
             "  yield\n"
             "} else {\n"
             "  yield\n"
             "}\n"
             "halt\n",
             "%1:bool = ucmp_lt arg0, arg1\n"
             "if %1 {\n"
             "  %2:u32 = load(device, 4, +0) arg0\n"
             "  if %1 {\n"
             "    %3:u32 = load(device, 4, +0) arg1\n"
             "    yield %3, arg2\n"
             "  } else {\n"
             "    %4:u32 = iadd %2, arg2\n"
             "    yield %2, %4\n"
             "  }\n"
             "  %5:u32 = result(0)\n"
             "  %6:u32 = result(1)\n"
             "  store(device, 4, +0) %5, %6\n"
             "  yield\n"
             "} else {\n"
             "  yield\n"
             "}\n"
             "halt\n");
}

/* Every merge would look at all users of the first result: ten thousand million in total. */
Test(ir_select, many_neighbours_are_merged_quickly, .timeout = 30) {
    static const char first[] = "%1:bool = ucmp_lt arg0, arg1\n"
                                "if %1 {\n  %2:u32 = load(device, 4, +0) arg0\n  yield %2\n"
                                "} else {\n  yield 0x0:u32\n}\n"
                                "%3:u32 = result(0)\n";
    static const char next[] = "if %1 {\n  store(device, 4, +0) arg2, %3\n  yield\n"
                               "} else {\n  yield\n}\n";
    const unsigned count = 140000;
    char *text = malloc(sizeof first + count * (sizeof next - 1) + sizeof "halt\n"), *at = text;
    cr_assert(text);
    at += sprintf(at, "%s", first);
    for (unsigned k = 0; k < count; k++)
        at += sprintf(at, "%s", next);
    sprintf(at, "halt\n");
    cr_expect_eq(ir_count_after(ir_opt_select, text, IR_STORE), count);
    free(text);
}

/* A store between the ifs, or a value that depends on the first one's result, keeps them apart. */
Test(ir_select, dependent_ifs_stay_apart) {
    ir_check_same(ir_opt_select, "%1:bool = ucmp_lt arg0, arg1\n"
                                 "if %1 {\n"
                                 "  %2:u32 = load(device, 4, +0) arg0\n"
                                 "  yield %2\n"
                                 "} else {\n"
                                 "  yield 0x0:u32\n"
                                 "}\n"
                                 "%3:u32 = result(0)\n"
                                 "%4:u32 = iadd %3, arg2\n"
                                 "if %1 {\n"
                                 "  store(device, 4, +0) arg2, %4\n"
                                 "  yield\n"
                                 "} else {\n"
                                 "  yield\n"
                                 "}\n"
                                 "store(device, 4, +0) arg3, arg0\n"
                                 "if %1 {\n"
                                 "  store(device, 4, +0) arg3, arg1\n"
                                 "  yield\n"
                                 "} else {\n"
                                 "  yield\n"
                                 "}\n"
                                 "halt\n");
}

Test(ir_select, nested_ifs_are_joined) {
    ir_check(ir_opt_select,
             "%1:bool = ucmp_lt arg0, arg1\n"
             "if %1 {\n"
             "  %2:bool = ucmp_lt arg1, arg2\n"
             "  if %2 {\n"
             "    store(device, 4, +0) arg0, arg1\n"
             "    yield\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  yield\n"
             "} else {\n"
             "  yield\n"
             "}\n"
             "halt\n",
             "%1:bool = ucmp_lt arg0, arg1\n"
             "%2:bool = ucmp_lt arg1, arg2\n"
             "%3:bool = band %1, %2\n"
             "if %3 {\n"
             "  store(device, 4, +0) arg0, arg1\n"
             "  yield\n"
             "} else {\n"
             "  yield\n"
             "}\n"
             "halt\n");
}

Test(ir_select, nested_ifs_with_other_work_stay) {
    ir_check_same(ir_opt_select, "%1:bool = ucmp_lt arg0, arg1\n"
                                 "if %1 {\n"
                                 "  %2:bool = ucmp_lt arg1, arg2\n"
                                 "  if %2 {\n"
                                 "    store(device, 4, +0) arg0, arg1\n"
                                 "    yield\n"
                                 "  } else {\n"
                                 "    store(device, 4, +0) arg0, arg2\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  yield\n"
                                 "} else {\n"
                                 "  yield\n"
                                 "}\n"
                                 "halt\n");
}

/* ---- types ---- */

Test(ir_types, a_sum_in_a_loop_becomes_f32) {
    ir_check(ir_opt_types,
             "%1:u32 = load(device, 4, +0) arg0\n"
             "loop 0x0:u32 {\n"
             "  %2:u32 = param(0)\n"
             "  %3:f32 = bitcast %2\n"
             "  %4:f32 = bitcast %1\n"
             "  %5:f32 = fadd %3, %4\n"
             "  %6:u32 = bitcast %5\n"
             "  %7:bool = fcmp_lt %4, %5\n"
             "  if %7 {\n"
             "    break %6\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  continue %6\n"
             "}\n"
             "%8:u32 = result(0)\n"
             "store(device, 4, +0) arg1, %8\n"
             "halt\n",
             "%1:f32 = load(device, 4, +0) arg0\n"
             "loop 0x0:f32 {\n"
             "  %2:f32 = param(0)\n"
             "  %3:f32 = fadd %2, %1\n"
             "  %4:bool = fcmp_lt %1, %3\n"
             "  if %4 {\n"
             "    break %3\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  continue %3\n"
             "}\n"
             "%5:f32 = result(0)\n"
             "store(device, 4, +0) arg1, %5\n"
             "halt\n");
}

/* A value that is used as an integer as often as an f32 keeps its type; bytes are not f32. */
Test(ir_types, integers_stay) {
    ir_check_same(ir_opt_types, "%1:u32 = load(device, 4, +0) arg0\n"
                                "%2:f32 = bitcast %1\n"
                                "%3:f32 = fadd %2, %2\n"
                                "%4:u32 = iadd %1, arg1\n"
                                "store(device, 4, +0) %4, %3\n"
                                "%5:u32 = load(device, 1, +0) arg1\n"
                                "%6:f32 = bitcast %5\n"
                                "%7:f32 = fadd %6, %3\n"
                                "%8:u32 = bitcast %7\n"
                                "store(device, 1, +0) arg1, %8\n"
                                "halt\n");
}

Test(ir_types, one_bitcast_serves_all_integer_uses) {
    ir_check(ir_opt_types,
             "%1:u32 = load(device, 4, +0) arg0\n"
             "%2:u32 = load(device, 4, +0) arg1\n"
             "%3:bool = ucmp_lt arg0, arg1\n"
             "%4:u32 = select %3, %1, %2\n"
             "%5:f32 = bitcast %1\n"
             "%6:f32 = bitcast %4\n"
             "%7:f32 = fadd %5, %6\n"
             "%8:u32 = shr %4, arg2\n"
             "%9:u32 = and %4, %8\n"
             "store(device, 8, +0) arg1, %9, %4\n"
             "store(device, 4, +8) arg1, %7\n"
             "halt\n",
             "%1:f32 = load(device, 4, +0) arg0\n"
             "%2:f32 = load(device, 4, +0) arg1\n"
             "%3:bool = ucmp_lt arg0, arg1\n"
             "%4:f32 = select %3, %1, %2\n"
             "%5:u32 = bitcast %4\n"
             "%6:f32 = fadd %1, %4\n"
             "%7:u32 = shr %5, arg2\n"
             "%8:u32 = and %5, %7\n"
             "store(device, 8, +0) arg1, %8, %4\n"
             "store(device, 4, +8) arg1, %6\n"
             "halt\n");
}

/* ---- bits ---- */

/* 64 threads: the id has 6 bits, which simplifies masks, signed division and compares. */
Test(ir_bits, thread_id_is_below_the_group_size) {
    ir_check(ir_opt_bits,
             "%1:u32 = and sr_thread_id_x, 0xFF:u32\n"
             "%2:u32 = idiv sr_thread_id_x, 0x10:u32\n"
             "%3:u32 = imod sr_thread_id_x, 0xA:u32\n"
             "%4:bool = icmp_lt sr_thread_id_x, 0x40:u32\n"
             "%5:u32 = select %4, %2, %3\n"
             "%6:u32 = iadd %1, sr_workgroup_size_x\n"
             "store(device, 16, +0) arg0, %5, %2, %3, %6\n"
             "halt\n",
             "%1:u32 = shr sr_thread_id_x, 0x4:u32\n"
             "%2:u32 = umod sr_thread_id_x, 0xA:u32\n"
             "%3:u32 = iadd sr_thread_id_x, 0x40:u32\n"
             "store(device, 16, +0) arg0, %1, %1, %2, %3\n"
             "halt\n");
}

/* Only bit 4 of the masked number may be set: it is the constant 16 where it is not 0. */
Test(ir_bits, a_select_by_one_bit_reuses_the_masked_value) {
    ir_check(ir_opt_bits,
             "%1:u32 = and sr_thread_id_x, 0x10:u32\n"
             "%2:bool = icmp_eq %1, 0x0:u32\n"
             "%3:u32 = select %2, 0xFFFFFFFF:u32, 0x10:u32\n"
             "%4:bool = icmp_ne %1, 0x0:u32\n"
             "%5:u32 = select %4, 0x10:u32, 0x7:u32\n"
             "%6:u32 = select %2, 0x0:u32, 0x10:u32\n"
             "store(device, 16, +0) arg0, %3, %5, %6, %1\n"
             "halt\n",
             "%1:u32 = and sr_thread_id_x, 0x10:u32\n"
             "%2:bool = icmp_eq %1, 0x0:u32\n"
             "%3:u32 = select %2, 0xFFFFFFFF:u32, %1\n"
             "%4:bool = icmp_ne %1, 0x0:u32\n"
             "%5:u32 = select %4, %1, 0x7:u32\n"
             "store(device, 16, +0) arg0, %3, %5, %1, %1\n"
             "halt\n");
}

/* Another constant, two bits, a compare with something else, a constant on the side without the
 * bit. */
Test(ir_bits, other_selects_by_bits_stay) {
    ir_check_same(ir_opt_bits, "%1:u32 = and arg0, 0x10:u32\n"
                               "%2:u32 = and arg0, 0x30:u32\n"
                               "%3:bool = icmp_eq %1, 0x0:u32\n"
                               "%4:bool = icmp_eq %2, 0x0:u32\n"
                               "%5:bool = icmp_eq %1, 0x10:u32\n"
                               "%6:u32 = select %3, 0xFFFFFFFF:u32, 0x20:u32\n"
                               "%7:u32 = select %4, 0xFFFFFFFF:u32, 0x10:u32\n"
                               "%8:u32 = select %5, 0xFFFFFFFF:u32, 0x10:u32\n"
                               "%9:u32 = select %3, 0x10:u32, 0xFFFFFFFF:u32\n"
                               "store(device, 16, +0) arg0, %6, %7, %8, %9\n"
                               "halt\n");
}

/* An argument may be negative or large. */
Test(ir_bits, nothing_is_known_of_an_argument) {
    ir_check_same(ir_opt_bits, "%1:u32 = and arg0, 0xFFFF:u32\n"
                               "%2:u32 = idiv arg0, 0x10:u32\n"
                               "%3:bool = icmp_lt %1, 0xFFFF:u32\n"
                               "%4:u32 = sar arg0, 0x4:u32\n"
                               "%5:u32 = select %3, %2, %4\n"
                               "store(device, 8, +0) arg0, %1, %5\n"
                               "halt\n");
}
