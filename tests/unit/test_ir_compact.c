/* Compaction drops the removed nodes: the same operations in the same order. */
#include "ir/ir.h"
#include "ir/names.h"

#include <criterion/criterion.h>

enum { LENGTH = 600 };

static ir_value add(ir_func *f, ir_value a, ir_value b) {
    return ir_make_last(f, 1, IR_IADD, IR_U32, (ir_value[]){a, b}, 2, 0, 0);
}

/* sum += k for every k; those with an odd k are removed again. Their constants come first. */
static void make_chain(ir_func *f, ir_value constants[LENGTH]) {
    ir_init(f);
    ir_start_names(f);
    for (unsigned k = 0; k < LENGTH; k++)
        constants[k] = ir_const(f, IR_U32, k);
    ir_value sum = constants[0];
    for (unsigned k = 0; k < LENGTH; k++) {
        ir_value v = add(f, sum, constants[k]);
        ir_give_name(f, v, (uint16_t)(k + 1));
        if (k % 2)
            ir_remove(f, v);
        else
            sum = v;
    }
    ir_value parts[] = {constants[1], sum, constants[2], sum, constants[3]};
    ir_make_last(f, 1, IR_STORE, IR_VOID, parts, 5, 0, 0);
}

Test(ir_compact, keeps_operations_in_order) {
    ir_func f;
    ir_value constants[LENGTH];
    make_chain(&f, constants);
    uint32_t before = f.node_count, limit = f.node_limit;
    ir_compact(&f);
    cr_assert(!f.failed);
    cr_expect_eq(f.node_count, before - LENGTH / 2);
    cr_expect_eq(limit - f.node_limit, LENGTH / 2,
                 "removed operations still count towards the limit");
    ir_value v = f.regions[1].first, sum = ir_const(&f, IR_U32, 0), last = 0;
    for (unsigned k = 0; k < LENGTH; k += 2, v = ir_at(&f, v)->next) {
        cr_assert_eq(ir_op_of(&f, v), IR_IADD);
        cr_expect_eq(ir_arg(&f, v, 0), sum);
        cr_expect_eq(ir_arg(&f, v, 1), ir_const(&f, IR_U32, k));
        cr_expect_eq(ir_at(&f, v)->prev, last);
        cr_expect_eq(ir_name_of(&f, v), k + 1);
        sum = last = v;
    }
    cr_expect_eq(f.regions[1].last, v);
    cr_assert_eq(ir_op_of(&f, v), IR_STORE);
    const unsigned words[] = {1, 0, 2, 0, 3};
    for (unsigned k = 0; k < 5; k++)
        cr_expect_eq(ir_arg(&f, v, k), words[k] ? ir_const(&f, IR_U32, words[k]) : sum);
    cr_expect_eq(f.node_count, before - LENGTH / 2, "the constants are found again");
    ir_value fresh = add(&f, sum, sum);
    cr_expect_eq(ir_name_of(&f, fresh), 0);
    ir_free(&f);
}

/* Metal refuses f64 whether or not it is needed: the emitter has to see it. */
Test(ir_compact, keeps_removed_doubles) {
    ir_func f;
    ir_value constants[LENGTH];
    unsigned doubles = 0;
    make_chain(&f, constants);
    ir_value zero = ir_const(&f, IR_F64, 0);
    ir_value v = ir_make_last(&f, 1, IR_DADD, IR_F64, (ir_value[]){zero, zero}, 2, 0, 0);
    ir_remove(&f, v);
    ir_compact(&f);
    for (v = 1; v < f.node_count; v++)
        doubles += ir_op_of(&f, v) == IR_DADD;
    cr_expect_eq(doubles, 1);
    ir_free(&f);
}
