/* The IR expansion of fsin, fcos, fexp2 and flog2 has the bits of base/exact_math.c: with a
 * constant argument, folding the expansion must leave exactly that constant. */
#include "base/scalar.h"
#include "ir/lower.h"
#include "ir/opt.h"
#include "ir/text.h"

#include <criterion/criterion.h>

/* store(f(x)) in a separate function; returns the bits that are stored after folding. */
static uint32_t folded(ir_op op, uint32_t x) {
    ir_func f;
    ir_init(&f);
    f.name = "math";
    ir_value argument = ir_const(&f, IR_F32, x);
    ir_value value = ir_make(&f, op, IR_F32, &argument, 1, 0);
    ir_value stored[2] = {ir_const(&f, IR_U32, 0), value};
    uint64_t word = ir_access_pack((ir_access){.space = IR_DEVICE, .bytes = 4});
    ir_value store = ir_make(&f, IR_STORE, IR_VOID, stored, 2, word);
    ir_append(&f, 1, value);
    ir_append(&f, 1, store);
    ir_append(&f, 1, ir_make(&f, IR_HALT, IR_VOID, NULL, 0, 0));
    cr_assert(ir_lower_math(&f));
    cr_assert(ir_verify(&f, "math", NULL));
    for (int k = 0; k < 3; k++)
        ir_opt_simplify(&f);
    cr_assert(ir_verify(&f, "simplify", NULL));
    uint64_t bits = 0;
    cr_assert(ir_is_const(&f, ir_arg(&f, store, 1), &bits), "%08X does not fold", x);
    ir_free(&f);
    return (uint32_t)bits;
}

/* Every exponent and sign with several mantissas, then the inputs near multiples of pi/2. */
static void sweep(ir_op op, uint32_t (*reference)(uint32_t)) {
    static const uint32_t mantissas[] = {0, 1, 0x400000, 0x3504F3, 0x490FDB, 0x7FFFFF};
    for (uint32_t high = 0; high < 512; high++)
        for (unsigned k = 0; k < 6; k++) {
            uint32_t x = high << 23 | mantissas[k];
            uint32_t want = reference(x), have = folded(op, x);
            cr_expect(want == have, "%s(%08X): %08X, not %08X", ir_ops[op].name, x, have, want);
        }
    for (uint32_t n = 1; n < 400; n++) {
        union {
            float value;
            uint32_t bits;
        } x = {.value = (float)n * 1.57079632679f};
        cr_expect(reference(x.bits) == folded(op, x.bits), "%s near %u pi/2", ir_ops[op].name, n);
    }
}

Test(ir_math, fsin_folds_to_the_same_bits) {
    sweep(IR_FSIN, sc_fsin);
}

Test(ir_math, fcos_folds_to_the_same_bits) {
    sweep(IR_FCOS, sc_fcos);
}

Test(ir_math, fexp2_folds_to_the_same_bits) {
    sweep(IR_FEXP2, sc_fexp2);
}

Test(ir_math, flog2_folds_to_the_same_bits) {
    sweep(IR_FLOG2, sc_flog2);
}
