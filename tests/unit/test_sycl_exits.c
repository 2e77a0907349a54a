/* Loops that keep an exit whatever a compiler tests before them: src/emit_sycl/sycl_loops.c. */
#include "emit_sycl/sycl.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

/* One digit per loop, in the order they begin: whether it has such an exit. */
static void expect(const char *loops, const char *body) {
    arena memory = {0};
    char found[16];
    size_t count = 0;
    ir_func f;
    ir_read(&f, body, &memory);
    uint8_t *exits = sycl_find_exits(&f);
    cr_assert(exits);
    ir_walk w;
    ir_walk_init(&w, &f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && ir_op_of(&f, w.op) == IR_LOOP && count + 1 < sizeof found)
            found[count++] = exits[w.op] ? '1' : '0';
    found[count] = '\0';
    cr_expect_str_eq(found, loops, "%s instead of %s:\n%s", found, loops, body);
    free(exits);
    ir_free(&f);
    arena_free(&memory);
}

/* A loop with the counter %1, which is left when the condition %9, defined by the lines, holds. */
static void expect_condition(const char *loops, const char *lines) {
    char body[1200];
    snprintf(body, sizeof body,
             "%%7:bool = ucmp_lt arg0, arg1\n"
             "loop 0x0:u32, arg5 {\n"
             "  %%1:u32 = param(0)\n"
             "  %%2:u32 = param(1)\n"
             "%s"
             "  if %%9 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %%8:u32 = iadd %%1, 0x1:u32\n"
             "  continue %%8, arg6\n"
             "}\n"
             "halt\n",
             lines);
    expect(loops, body);
}

Test(sycl_exits, an_exit_needs_a_changing_condition) {
    expect_condition("1", "  %9:bool = ucmp_gt %1, arg2\n");
    expect_condition("1", "  %3:u32 = load(device, 4, +0) %1\n"
                          "  %9:bool = ucmp_gt %3, arg2\n");
    expect_condition("1", "  %3:u32 = atomic(device, add, device, +0) arg0, arg1\n"
                          "  %9:bool = ucmp_gt %3, arg2\n");
    expect_condition("0", "  %9:bool = ucmp_gt arg0, arg2\n");
    expect_condition("0", "  %3:u32 = load(device, 4, +0) arg0\n"
                          "  %9:bool = ucmp_gt %3, arg2\n");
    /* arg5 once, then always arg6 */
    expect_condition("0", "  %9:bool = ucmp_gt %2, arg2\n");
}

Test(sycl_exits, both_of_two_conditions_must_change) {
    expect_condition("0", "  %3:bool = ucmp_gt %1, arg2\n"
                          "  %9:bool = band %3, %7\n");
    expect_condition("0", "  %3:bool = ucmp_gt %1, arg2\n"
                          "  %9:bool = bor %7, %3\n");
    expect_condition("1", "  %3:bool = ucmp_gt %1, arg2\n"
                          "  %4:bool = ucmp_gt %1, arg3\n"
                          "  %9:bool = band %3, %4\n");
    expect_condition("1", "  %3:bool = ucmp_gt %1, arg2\n"
                          "  %9:bool = band true, %3\n");
    expect_condition("0", "  %9:bool = band true, false\n");
}

Test(sycl_exits, a_choice_changes_if_its_condition_or_values_do) {
    expect_condition("1", "  %3:bool = ucmp_gt %1, arg2\n"
                          "  %4:u32 = select %3, 0x1:u32, 0x2:u32\n"
                          "  %9:bool = ucmp_gt %4, arg3\n");
    expect_condition("0", "  %3:bool = ucmp_gt %1, arg2\n"
                          "  %4:u32 = select %3, arg3, arg4\n"
                          "  %9:bool = ucmp_gt %4, arg3\n");
    expect_condition("0", "  %4:u32 = select %7, %1, 0x2:u32\n"
                          "  %9:bool = ucmp_gt %4, arg3\n");
    expect_condition("1", "  %3:u32 = iadd %1, arg3\n"
                          "  %4:u32 = select %7, %1, %3\n"
                          "  %9:bool = ucmp_gt %4, arg3\n");
    expect_condition("0", "  if %7 {\n"
                          "    yield %1\n"
                          "  } else {\n"
                          "    yield 0x2:u32\n"
                          "  }\n"
                          "  %4:u32 = result(0)\n"
                          "  %9:bool = ucmp_gt %4, arg3\n");
    expect_condition("1", "  if %7 {\n"
                          "    halt\n"
                          "  } else {\n"
                          "    yield %1\n"
                          "  }\n"
                          "  %4:u32 = result(0)\n"
                          "  %9:bool = ucmp_gt %4, arg3\n");
}

/* The end of the body leaves the loop; a condition around it or an earlier continue prevents it. */
Test(sycl_exits, the_break_must_be_reached_in_every_iteration) {
    expect("1", "loop arg0 {\n"
                "  %1:u32 = param(0)\n"
                "  store(device, 4, +0) %1, arg1\n"
                "  break\n"
                "}\n"
                "halt\n");
    expect("0", "%1:bool = ucmp_lt arg0, arg1\n"
                "loop 0x0:u32 {\n"
                "  %2:u32 = param(0)\n"
                "  %3:u32 = iadd %2, 0x1:u32\n"
                "  if %1 {\n"
                "    %4:bool = ucmp_gt %3, arg2\n"
                "    if %4 {\n"
                "      break\n"
                "    } else {\n"
                "      yield\n"
                "    }\n"
                "    yield\n"
                "  } else {\n"
                "    yield\n"
                "  }\n"
                "  continue %3\n"
                "}\n"
                "halt\n");
    expect("0", "%1:bool = ucmp_lt arg0, arg1\n"
                "loop 0x0:u32 {\n"
                "  %2:u32 = param(0)\n"
                "  %3:u32 = iadd %2, 0x1:u32\n"
                "  if %1 {\n"
                "    continue %3\n"
                "  } else {\n"
                "    yield\n"
                "  }\n"
                "  %4:bool = ucmp_gt %3, arg2\n"
                "  if %4 {\n"
                "    break\n"
                "  } else {\n"
                "    yield\n"
                "  }\n"
                "  continue %3\n"
                "}\n"
                "halt\n");
    expect("1", "loop 0x0:u32 {\n"
                "  %1:u32 = param(0)\n"
                "  %2:u32 = iadd %1, 0x1:u32\n"
                "  %3:bool = ucmp_gt %2, arg2\n"
                "  if %3 {\n"
                "    halt\n"
                "  } else {\n"
                "    yield\n"
                "  }\n"
                "  continue %2\n"
                "}\n"
                "halt\n");
}

/* %1 counts in the outer loop, %3 in the inner one, which breaks on the outer loop's condition. */
static void expect_nested(const char *loops, const char *inner, const char *start, const char *out,
                          const char *next) {
    char body[1200];
    snprintf(body, sizeof body,
             "loop 0x0:u32 {\n"
             "  %%1:u32 = param(0)\n"
             "  %%2:u32 = iadd %%1, 0x1:u32\n"
             "  loop %s {\n"
             "    %%3:u32 = param(0)\n"
             "    %%4:u32 = iadd %%3, 0x1:u32\n"
             "    %%5:bool = ucmp_gt %s, arg2\n"
             "    if %%5 {\n"
             "      break %s\n"
             "    } else {\n"
             "      yield\n"
             "    }\n"
             "    continue %s\n"
             "  }\n"
             "  %%6:u32 = result(0)\n"
             "  %%7:bool = ucmp_gt %%6, arg3\n"
             "  if %%7 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  continue %%2\n"
             "}\n"
             "halt\n",
             start, inner, out, next);
    expect(loops, body);
}

Test(sycl_exits, nested_loops_need_their_own_exits) {
    expect_nested("11", "%4", "%2", "%4", "%4");
    expect_nested("10", "%2", "%2", "%4", "%4");   /* stays in the inner loop */
    expect_nested("01", "%4", "arg0", "%4", "%4"); /* the inner loop does the same every time */
    expect_nested("11", "%4", "arg0", "%2", "%4");
    expect_nested("01", "%4", "%2", "arg1", "%4"); /* yields a loop-invariant value */
    expect_nested("10", "%3", "%2", "%3", "arg4");
}
