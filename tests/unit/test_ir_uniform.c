/* Whether one value is uniform (ir_is_uniform), against the analysis of the whole function. */
#include "ir/analyse.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

/* Compares all values; returns how many of them needed the analysis. */
static unsigned compare(const char *body) {
    arena memory = {0};
    ir_func f;
    ir_uniformity all = {0};
    unsigned analysed = 0;
    ir_read(&f, body, &memory);
    cr_assert(ir_find_uniformity(&f, &all));
    for (ir_value v = 1; v < f.node_count; v++) {
        ir_uniformity one = {0};
        bool failed = false;
        if (ir_type_of(&f, v) == IR_VOID)
            continue;
        cr_expect_eq(ir_is_uniform(&f, &one, v, &failed), !all.divergent[v], "value %u of\n%s", v,
                     body);
        cr_expect_not(failed);
        analysed += one.divergent != NULL;
        ir_free_uniformity(&one);
    }
    ir_free_uniformity(&all);
    ir_free(&f);
    arena_free(&memory);
    return analysed;
}

Test(ir_uniform, operations_alone_can_decide) {
    unsigned analysed = compare("  %1:token = token\n"
                                "  %2:u32 = iadd arg0, sr_workgroup_id_x\n"
                                "  %3:u32 = iadd %2, sr_thread_id_x\n"
                                "  %4:u32 = load(device, 4, +0) %2\n"
                                "  %5:u32 = wave_reduce_add %1, %4\n"
                                "  %6:u32 = wave_shuffle %1, %4, %5\n"
                                "  %7:u32 = wave_shuffle %1, %2, %3\n"
                                "  %8:u32 = imul %6, %5\n"
                                "  loads(device, 8, +0) %2\n"
                                "  %9:u32 = result(0)\n"
                                "  %10:u32 = result(1)\n"
                                "  %11:bool = ucmp_lt %8, %10\n"
                                "  %12:u32 = select %11, %2, %5\n"
                                "  store(device, 4, +0) %12, %7\n"
                                "  store(device, 4, +0) %9, %3\n"
                                "  halt\n");
    cr_expect_eq(analysed, 0);
}

/* Lanes that load from one address may still get different values: another wave may store between
 * their loads, and under a mask the inactive lanes get 0. */
Test(ir_uniform, loads_from_one_address_differ) {
    arena memory = {0};
    ir_func f;
    ir_uniformity u = {0};
    unsigned loaded = 0;
    ir_read(&f,
            "  %1:u32 = load(device, 4, +0) arg0\n"
            "  loads(device, 8, +0) arg0\n"
            "  %2:u32 = result(0)\n"
            "  %3:u64 = buffer(0) arg0, arg1\n"
            "  %4:u64 = load64(device, 8, +0) %3\n"
            "  %5:u32 = lo64 %4\n"
            "  store(device, 4, +0) %1, %2\n"
            "  store(device, 4, +0) %1, %5\n"
            "  halt\n",
            &memory);
    cr_assert(ir_find_uniformity(&f, &u));
    for (ir_value v = 1; v < f.node_count; v++) {
        ir_op op = ir_op_of(&f, v);
        bool loads = op == IR_LOAD || op == IR_RESULT || op == IR_LOAD64 || op == IR_LO64;
        cr_expect(!loads || u.divergent[v], "%s", ir_ops[op].name);
        loaded += loads;
    }
    cr_expect_eq(loaded, 4);
    ir_free_uniformity(&u);
    ir_free(&f);
    arena_free(&memory);
}

Test(ir_uniform, results_of_ifs_mostly_need_no_analysis) {
    unsigned analysed = compare("  %1:bool = ucmp_lt arg0, arg1\n"
                                "  %2:bool = ucmp_lt sr_lane_id, arg1\n"
                                "  if %1 {\n"
                                "    yield arg0, arg1, sr_lane_id\n"
                                "  } else {\n"
                                "    yield arg1, arg1, arg0\n"
                                "  }\n"
                                "  %3:u32 = result(0)\n"
                                "  %4:u32 = result(1)\n"
                                "  %5:u32 = result(2)\n"
                                "  if %2 {\n"
                                "    yield arg0, %4\n"
                                "  } else {\n"
                                "    yield arg1, %4\n"
                                "  }\n"
                                "  %6:u32 = result(0)\n"
                                "  %7:u32 = result(1)\n"
                                "  if %2 {\n"
                                "    halt\n"
                                "  } else {\n"
                                "    yield arg1\n"
                                "  }\n"
                                "  %8:u32 = result(0)\n"
                                "  store(device, 4, +0) %3, %5\n"
                                "  store(device, 4, +0) %6, %7\n"
                                "  store(device, 4, +0) %8, %8\n"
                                "  halt\n");
    cr_expect_eq(analysed, 1); /* %8 */
}

Test(ir_uniform, loops_need_the_analysis) {
    unsigned analysed = compare("  loop 0x0:u32, arg1 {\n"
                                "    %1:u32 = param(0)\n"
                                "    %2:u32 = param(1)\n"
                                "    %3:u32 = iadd %1, 0x1:u32\n"
                                "    %4:bool = ucmp_lt %3, sr_lane_id\n"
                                "    if %4 {\n"
                                "      continue %3, %2\n"
                                "    } else {\n"
                                "      yield\n"
                                "    }\n"
                                "    %5:u32 = iadd %2, sr_lane_id\n"
                                "    break %3, %5\n"
                                "  }\n"
                                "  %6:u32 = result(0)\n"
                                "  %7:u32 = result(1)\n"
                                "  store(device, 4, +0) %6, %7\n"
                                "  halt\n");
    cr_expect_gt(analysed, 0);
}

Test(ir_uniform, a_long_chain_needs_the_analysis) {
    buf text = {0};
    buf_text(&text, "  %1:u32 = iadd arg0, arg1\n");
    for (unsigned k = 2; k < 60; k++)
        buf_printf(&text, "  %%%u:u32 = imul %%%u, %%%u\n", k, k - 1, k - 1);
    buf_text(&text, "  store(device, 4, +0) %59, %59\n  halt\n");
    buf_char(&text, '\0');
    cr_assert_not(text.failed);
    /* more operations than it looks at without the analysis */
    cr_expect_gt(compare((const char *)text.data), 0);
    buf_free(&text);
}
