/* The order of outer products: by the factor that is loaded last. */
#include "ir/opt.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

#define LOADS(first, second)                                                                       \
    "loads(local, 8, +0) " first "\n"                                                              \
    "%1:f32 = result(0)\n"                                                                         \
    "%2:f32 = result(1)\n"                                                                         \
    "loads(local, 8, +8) " second "\n"                                                             \
    "%3:f32 = result(0)\n"                                                                         \
    "%4:f32 = result(1)\n"
#define STORES                                                                                     \
    "store(device, 4, +0) arg2, %5\n"                                                              \
    "store(device, 4, +4) arg2, %6\n"                                                              \
    "store(device, 4, +8) arg2, %7\n"                                                              \
    "store(device, 4, +12) arg2, %8\n"                                                             \
    "halt\n"

/* The second factor comes last: both products with its first value come first. */
Test(ir_products, the_factor_loaded_last_is_the_outer_one) {
    ir_check(ir_opt_products,
             LOADS("arg0", "arg1") "%5:f32 = fma %1, %3, %1\n"
                                   "%6:f32 = fma %1, %4, %2\n"
                                   "%7:f32 = fma %2, %3, %3\n"
                                   "%8:f32 = fma %2, %4, %4\n" STORES,
             LOADS("arg0", "arg1") "%5:f32 = fma %1, %3, %1\n"
                                   "%6:f32 = fma %2, %3, %3\n"
                                   "%7:f32 = fma %1, %4, %2\n"
                                   "%8:f32 = fma %2, %4, %4\n"
                                   "store(device, 4, +0) arg2, %5\n"
                                   "store(device, 4, +4) arg2, %7\n"
                                   "store(device, 4, +8) arg2, %6\n"
                                   "store(device, 4, +12) arg2, %8\n"
                                   "halt\n");
}

/* The first factor comes last, and is the outer one already. */
Test(ir_products, an_order_that_is_right_stays) {
    ir_check(ir_opt_products,
             LOADS("arg0", "arg1") "%5:f32 = fma %3, %1, %1\n"
                                   "%6:f32 = fma %3, %2, %2\n"
                                   "%7:f32 = fma %4, %1, %3\n"
                                   "%8:f32 = fma %4, %2, %4\n" STORES,
             LOADS("arg0", "arg1") "%5:f32 = fma %3, %1, %1\n"
                                   "%6:f32 = fma %3, %2, %2\n"
                                   "%7:f32 = fma %4, %1, %3\n"
                                   "%8:f32 = fma %4, %2, %4\n" STORES);
}

/* Three of four products are not an outer product, nor is a sum that the next product uses. */
Test(ir_products, other_products_stay) {
    static const char part[] = LOADS("arg0", "arg1") "%5:f32 = fma %1, %3, %1\n"
                                                     "%6:f32 = fma %1, %4, %2\n"
                                                     "%7:f32 = fma %2, %3, %3\n"
                                                     "%8:f32 = fma %2, %3, %4\n" STORES;
    static const char chain[] = LOADS("arg0", "arg1") "%5:f32 = fma %1, %3, %1\n"
                                                      "%6:f32 = fma %1, %4, %2\n"
                                                      "%7:f32 = fma %2, %3, %6\n"
                                                      "%8:f32 = fma %2, %4, %5\n" STORES;
    ir_check_same(ir_opt_products, part);
    ir_check_same(ir_opt_products, chain);
}

/* A second step that adds to the sums of the first is a run of its own. */
Test(ir_products, steps_are_ordered_separately) {
    ir_check(ir_opt_products,
             LOADS("arg0", "arg1") "%5:f32 = fma %1, %3, %1\n"
                                   "%6:f32 = fma %1, %4, %2\n"
                                   "%7:f32 = fma %2, %3, %3\n"
                                   "%8:f32 = fma %2, %4, %4\n"
                                   "%9:f32 = fma %1, %3, %5\n"
                                   "%10:f32 = fma %1, %4, %6\n"
                                   "%11:f32 = fma %2, %3, %7\n"
                                   "%12:f32 = fma %2, %4, %8\n"
                                   "store(device, 4, +0) arg2, %9\n"
                                   "store(device, 4, +4) arg2, %10\n"
                                   "store(device, 4, +8) arg2, %11\n"
                                   "store(device, 4, +12) arg2, %12\n"
                                   "halt\n",
             LOADS("arg0", "arg1") "%5:f32 = fma %1, %3, %1\n"
                                   "%6:f32 = fma %2, %3, %3\n"
                                   "%7:f32 = fma %1, %4, %2\n"
                                   "%8:f32 = fma %2, %4, %4\n"
                                   "%9:f32 = fma %1, %3, %5\n"
                                   "%10:f32 = fma %2, %3, %6\n"
                                   "%11:f32 = fma %1, %4, %7\n"
                                   "%12:f32 = fma %2, %4, %8\n"
                                   "store(device, 4, +0) arg2, %9\n"
                                   "store(device, 4, +4) arg2, %11\n"
                                   "store(device, 4, +8) arg2, %10\n"
                                   "store(device, 4, +12) arg2, %12\n"
                                   "halt\n");
}
