/* Floats for which a C conversion to int32_t is defined: above -2^31 - 1, below 2^31. */
#include "emit/c_printer.h"

#include <criterion/criterion.h>

static bool fits(uint32_t bits) {
    ir_func f;
    ir_init(&f);
    bool yes = c_fits_i32(&f, ir_const(&f, IR_F32, bits));
    cr_assert(!f.failed);
    ir_free(&f);
    return yes;
}

Test(c_range, a_constant_fits_if_it_converts_to_int32) {
    cr_expect(fits(0x00000000));
    cr_expect(fits(0x4EFFFFFF));  /* 2147483520, the last below 2^31 */
    cr_expect(!fits(0x4F000000)); /* 2^31 */
    cr_expect(fits(0xCF000000));  /* -2^31 */
    cr_expect(!fits(0xCF000001)); /* -2147483904 */
    cr_expect(!fits(0x7F800000));
    cr_expect(!fits(0xFF800000));
    cr_expect(!fits(0x7FC00000));
}

/* The range of a sum ends at the sums of the ends; the range of a choice includes both ranges. */
Test(c_range, sums_and_choices_fit_if_their_range_does) {
    ir_func f;
    ir_init(&f);
    const ir_value low = ir_const(&f, IR_F32, 0xCF000000), high = ir_const(&f, IR_F32, 0x4EFFFFFF);
    const ir_value condition =
        ir_make(&f, IR_UCMP_LT, IR_BOOL,
                (ir_value[]){ir_leaf(&f, IR_ARG, IR_U32, 0), ir_leaf(&f, IR_ARG, IR_U32, 1)}, 2, 0);
    const ir_value choice =
        ir_make(&f, IR_SELECT, IR_F32, (ir_value[]){condition, low, high}, 3, 0);
    const ir_value sum = ir_make(&f, IR_FADD, IR_F32, (ir_value[]){high, high}, 2, 0);
    const ir_value back = ir_make(&f, IR_FADD, IR_F32, (ir_value[]){sum, low}, 2, 0);
    cr_assert(!f.failed);
    cr_expect(c_fits_i32(&f, choice));
    cr_expect(!c_fits_i32(&f, sum));
    cr_expect(c_fits_i32(&f, back));
    ir_free(&f);
}
