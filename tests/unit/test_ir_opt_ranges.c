/* Loops whose start is not a constant but has a range: the number of a thread is below 64, that of
 * a lane too, and that of a wave below 1024. */
#include "ir/opt.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

#include <stdio.h>

/* 0 … 63, 64 … 127 and 128 … 191 are below 192, 192 … 255 are not. */
Test(ir_ranges, a_loop_with_one_count_for_all_threads_is_unrolled) {
    ir_check(ir_opt_unroll,
             "loop sr_thread_id_x {\n"
             "  %1:u32 = param(0)\n"
             "  store(device, 4, +0) arg0, %1\n"
             "  %2:u32 = iadd %1, 0x40:u32\n"
             "  %3:bool = icmp_ge %2, 0xC0:u32\n"
             "  if %3 {\n"
             "    break\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  continue %2\n"
             "}\n"
             "halt\n",
             "store(device, 4, +0) arg0, sr_thread_id_x\n"
             "%1:u32 = iadd sr_thread_id_x, 0x40:u32\n"
             "store(device, 4, +0) arg0, %1\n"
             "%2:u32 = iadd %1, 0x40:u32\n"
             "store(device, 4, +0) arg0, %2\n"
             "halt\n");
}

/* Lanes 0 to 7 have one iteration, the others none, so the loop need not repeat. */
Test(ir_ranges, a_loop_with_at_most_one_iteration_does_not_repeat) {
    ir_check(ir_opt_unroll,
             "loop sr_lane_id, arg1 {\n"
             "  %1:u32 = param(0)\n"
             "  %2:u32 = param(1)\n"
             "  %3:bool = icmp_ge %1, 0x8:u32\n"
             "  if %3 {\n"
             "    break %2\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %4:u32 = iadd %2, %1\n"
             "  %5:u32 = iadd %1, 0x20:u32\n"
             "  continue %5, %4\n"
             "}\n"
             "%6:u32 = result(0)\n"
             "store(device, 4, +0) arg0, %6\n"
             "halt\n",
             "loop {\n"
             "  %1:bool = icmp_ge sr_lane_id, 0x8:u32\n"
             "  if %1 {\n"
             "    break arg1\n"
             "  } else {\n"
             "    yield\n"
             "  }\n"
             "  %2:u32 = iadd arg1, sr_lane_id\n"
             "  break %2\n"
             "}\n"
             "%3:u32 = result(0)\n"
             "store(device, 4, +0) arg0, %3\n"
             "halt\n");
}

/* A loop that starts at `start` and moves by `move` until `leave` is true. */
typedef struct counted {
    const char *start, *move, *leave;
    unsigned stores; /* after the pass */
    bool loop;       /* remains */
} counted;

static void check_loops(bool (*pass)(ir_func *f), const counted *cases, size_t count,
                        bool tests_first) {
    for (size_t k = 0; k < count; k++) {
        const counted *c = &cases[k];
        char text[640];
        snprintf(text, sizeof text,
                 "%%1:u32 = %s\n"
                 "loop %%1 {\n"
                 "  %%2:u32 = param(0)\n"
                 "%s"
                 "  %%3:u32 = %s\n"
                 "  %%4:bool = %s\n"
                 "  if %%4 {\n"
                 "    break\n"
                 "  } else {\n"
                 "    yield\n"
                 "  }\n"
                 "%s"
                 "  continue %%3\n"
                 "}\n"
                 "halt\n",
                 c->start, tests_first ? "" : "  store(device, 4, +0) arg0, %2\n", c->move,
                 c->leave, tests_first ? "  store(device, 4, +0) arg0, %2\n" : "");
        cr_expect_eq(ir_count_after(pass, text, IR_STORE), c->stores, "case %zu", k);
        cr_expect_eq(ir_count_after(pass, text, IR_LOOP) > 0, c->loop, "case %zu", k);
    }
}

#define UP   "iadd %2, 0x40:u32"
#define DOWN "isub %2, 0x40:u32"

Test(ir_ranges, a_range_can_determine_the_number_of_iterations) {
    static const counted cases[] = {
        {"iadd sr_thread_id_x, 0x0:u32", UP, "icmp_ge %3, 0x100:u32", 4, false},
        {"iadd sr_thread_id_x, 0x0:u32", UP, "ucmp_gt %3, 0xFF:u32", 4, false},
        {"iadd sr_lane_id, 0x0:u32", UP, "ucmp_le 0x100:u32, %3", 4, false},
        {"and arg0, 0x3F:u32", UP, "icmp_ge %3, 0x100:u32", 4, false},
        /* the last thread has three iterations, or the first one five */
        {"iadd sr_thread_id_x, 0x1:u32", UP, "icmp_ge %3, 0x100:u32", 1, true},
        {"iadd sr_thread_id_x, 0x0:u32", UP, "icmp_ge %3, 0x101:u32", 1, true},
        {"iadd sr_thread_id_x, 0x1:u32", UP, "icmp_ge %3, 0x101:u32", 4, false},
        /* workgroups: there may be any number of them */
        {"iadd sr_workgroup_id_x, 0x0:u32", UP, "icmp_ge %3, 0x100:u32", 1, true},
        /* downwards from 192 … 255, to the negative numbers or to the large ones */
        {"isub 0xFF:u32, sr_thread_id_x", DOWN, "icmp_lt %3, 0x0:u32", 4, false},
        {"isub 0xFF:u32, sr_thread_id_x", DOWN, "ucmp_ge %3, 0xFFFF0000:u32", 4, false},
        {"isub 0x100:u32, sr_thread_id_x", DOWN, "icmp_lt %3, 0x0:u32", 1, true},
        /* from -32 … 31, and past 2^32 and 2^31 */
        {"isub sr_thread_id_x, 0x20:u32", UP, "icmp_ge %3, 0x20:u32", 1, true},
        {"iadd sr_thread_id_x, 0xFFFFFF80:u32", UP, "ucmp_lt %3, 0x40:u32", 2, false},
        {"iadd sr_thread_id_x, 0xFFFFFFA0:u32", UP, "ucmp_lt %3, 0x40:u32", 1, true},
        {"iadd sr_thread_id_x, 0xFFFFFFA0:u32", UP, "ucmp_ge %3, 0x10:u32", 1, true},
        {"and arg0, 0xFFFFFF00:u32", UP, "icmp_lt %3, 0x50:u32", 1, true},
        {"iadd sr_thread_id_x, 0x7FFFFF80:u32", UP, "icmp_lt %3, 0x0:u32", 2, false},
        {"iadd sr_thread_id_x, 0x7FFFFFA0:u32", UP, "icmp_lt %3, 0x0:u32", 2, true},
        /* equal to one number, or different from it */
        {"iadd sr_thread_id_x, 0x0:u32", UP, "icmp_eq %3, 0x80:u32", 1, true},
        {"iadd sr_thread_id_x, 0x0:u32", UP, "icmp_ne %3, 0x3F:u32", 1, false},
        /* a bound with a range */
        {"iadd sr_thread_id_x, 0x0:u32", UP, "icmp_gt %3, sr_lane_id", 1, false},
        {"iadd sr_thread_id_x, 0x0:u32", UP, "icmp_gt %3, arg1", 1, true},
        /* no sum */
        {"iadd sr_thread_id_x, 0x1:u32", "imul %2, 0x2:u32", "icmp_ge %3, 0x100:u32", 1, true},
    };
    check_loops(ir_opt_unroll, cases, sizeof cases / sizeof *cases, false);
}

/* A lane has at most one iteration, so no group of iterations is made. */
Test(ir_ranges, groups_that_cannot_run_are_not_made) {
    ir_check_same(ir_opt_groups, "loop sr_lane_id {\n"
                                 "  %1:u32 = param(0)\n"
                                 "  %2:bool = icmp_ge %1, 0x8:u32\n"
                                 "  if %2 {\n"
                                 "    break\n"
                                 "  } else {\n"
                                 "    yield\n"
                                 "  }\n"
                                 "  store(device, 4, +0) arg0, %1\n"
                                 "  %3:u32 = iadd %1, 0x20:u32\n"
                                 "  continue %3\n"
                                 "}\n"
                                 "halt\n");
}

/* A group has the largest factor with which it can run: four, two or none; then comes the loop for
 * the rest. */
Test(ir_ranges, groups_are_made_where_they_can_run) {
    static const counted cases[] = {
        {"iadd sr_thread_id_x, 0x0:u32", "iadd %2, 0x20:u32", "icmp_ge %2, 0x61:u32", 5, true},
        {"iadd sr_thread_id_x, 0x0:u32", "iadd %2, 0x20:u32", "icmp_ge %2, 0x60:u32", 3, true},
        {"iadd sr_thread_id_x, 0x0:u32", "iadd %2, 0x20:u32", "icmp_gt %2, 0x60:u32", 5, true},
        {"iadd sr_thread_id_x, 0x0:u32", "iadd %2, 0x20:u32", "ucmp_ge %2, 0x21:u32", 3, true},
        {"iadd sr_thread_id_x, 0x0:u32", "iadd %2, 0x20:u32", "ucmp_ge %2, 0x20:u32", 1, true},
        {"iadd sr_thread_id_x, 0x0:u32", "iadd %2, 0x20:u32", "ucmp_gt %2, 0x20:u32", 3, true},
        {"iadd sr_thread_id_x, 0x1:u32", "iadd %2, 0x20:u32", "ucmp_gt %2, 0x20:u32", 1, true},
        {"iadd sr_thread_id_x, 0x0:u32", "iadd %2, 0x20:u32", "icmp_ge %2, sr_thread_id_x", 3,
         true},
        {"iadd sr_thread_id_x, 0x0:u32", "isub %2, 0x20:u32", "icmp_lt %2, 0x0:u32", 3, true},
        {"iadd sr_thread_id_x, 0x0:u32", "isub %2, 0x20:u32", "icmp_le %2, 0x1F:u32", 1, true},
        /* what may be negative, and what is not known */
        {"isub sr_thread_id_x, 0x20:u32", "iadd %2, 0x20:u32", "icmp_ge %2, 0x8:u32", 5, true},
        {"iadd sr_thread_id_x, 0x0:u32", "iadd %2, 0x20:u32", "icmp_ge %2, arg1", 5, true},
        {"iadd sr_thread_id_x, 0x0:u32", "iadd %2, arg1", "icmp_ge %2, 0x8:u32", 5, true},
    };
    check_loops(ir_opt_groups, cases, sizeof cases / sizeof *cases, true);
}
