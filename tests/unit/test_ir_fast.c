/* The rewrites of --fp=fast, and the cases that it leaves unchanged. */
#include "ir/opt.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

Test(ir_fast, quotients_become_products_and_reciprocals) {
    ir_check(ir_opt_fast,
             "%1:f32 = bitcast arg0\n"
             "%2:f32 = fsqrt %1\n"
             "%3:f32 = fdiv 0x3F800000:f32, %2\n"
             "%4:f32 = bitcast arg1\n"
             "%5:f32 = fdiv %4, %2\n"
             "%6:f32 = fdiv 0x3F800000:f32, %5\n"
             "%7:f32 = fdiv %6, 0x40400000:f32\n"
             "%8:f32 = fdiv %7, %3\n"
             "%9:u32 = bitcast %8\n"
             "store(device, 4, +0) arg2, %9\n"
             "halt\n",
             "%1:f32 = bitcast arg0\n"
             "%2:f32 = frsqrt %1\n"
             "%3:f32 = bitcast arg1\n"
             "%4:f32 = frsqrt %1\n"
             "%5:f32 = fmul %3, %4\n"
             "%6:f32 = frcp %5\n"
             "%7:f32 = fmul %6, 0x3EAAAAAB:f32\n" /* RN(1/3) */
             "%8:f32 = fdiv %7, %2\n"
             "%9:u32 = bitcast %8\n"
             "store(device, 4, +0) arg2, %9\n"
             "halt\n");
}

/* 1 / 2^127 is subnormal, 1 / 2^-149 infinite. */
Test(ir_fast, quotients_without_a_normal_reciprocal_stay) {
    ir_check_same(ir_opt_fast, "%1:f32 = bitcast arg0\n"
                               "%2:f32 = fdiv %1, 0x7F000000:f32\n"
                               "%3:f32 = fdiv %2, 0x1:f32\n"
                               "%4:f32 = fdiv %3, 0x0:f32\n"
                               "%5:u32 = bitcast %4\n"
                               "store(device, 4, +0) arg1, %5\n"
                               "halt\n");
}

Test(ir_fast, products_with_one_use_are_fused) {
    ir_check(ir_opt_fast,
             "%1:f32 = bitcast arg0\n"
             "%2:f32 = bitcast arg1\n"
             "%3:f32 = fmul %1, %2\n"
             "%4:f32 = fadd %2, %3\n"
             "%5:f32 = fmul %4, %1\n"
             "%6:f32 = fsub %5, %2\n"
             "%7:f32 = fmul %6, %1\n"
             "%8:f32 = fsub %2, %7\n"
             "%9:u32 = bitcast %8\n"
             "store(device, 4, +0) arg2, %9\n"
             "halt\n",
             "%1:f32 = bitcast arg0\n"
             "%2:f32 = bitcast arg1\n"
             "%3:f32 = fma %1, %2, %2\n"
             "%4:f32 = fneg %2\n"
             "%5:f32 = fma %3, %1, %4\n"
             "%6:f32 = fneg %5\n"
             "%7:f32 = fma %6, %1, %2\n"
             "%8:u32 = bitcast %7\n"
             "store(device, 4, +0) arg2, %8\n"
             "halt\n");
}

/* It would be computed twice. */
Test(ir_fast, products_with_two_uses_stay) {
    ir_check_same(ir_opt_fast, "%1:f32 = bitcast arg0\n"
                               "%2:f32 = bitcast arg1\n"
                               "%3:f32 = fmul %1, %2\n"
                               "%4:f32 = fadd %3, %2\n"
                               "%5:u32 = bitcast %4\n"
                               "store(device, 4, +0) arg2, %5\n"
                               "%6:u32 = bitcast %3\n"
                               "store(device, 4, +4) arg2, %6\n"
                               "halt\n");
}

Test(ir_fast, a_square_added_to_itself_stays) {
    ir_check_same(ir_opt_fast, "%1:f32 = bitcast arg0\n"
                               "%2:f32 = fmul %1, %1\n"
                               "%3:f32 = fadd %2, %2\n"
                               "%4:u32 = bitcast %3\n"
                               "store(device, 4, +0) arg2, %4\n"
                               "halt\n");
}
