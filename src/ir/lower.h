/* The lowerings: passes that must run at every optimisation level. Like every pass they return
 * whether anything changed; a failed allocation sets f->failed. */
#ifndef IR_LOWER_H
#define IR_LOWER_H

#include "ir/analyse.h"

/* Fences executed by a single lane no longer involve the wave. */
bool ir_lower_fences(ir_func *f);
/* Inserts fences so that lanes of a wave see each other's accesses in program order. */
bool ir_lower_wave_order(ir_func *f);
/* Float sums whose order can be fixed are made lane by lane. */
bool ir_lower_sums(ir_func *f);

/* The role of an operation in the order of float sums. */
typedef enum ir_sum {
    IR_SUM_NONE,     /* not a float atomic, or executed by a single lane */
    IR_SUM_IN_ORDER, /* ir_lower_sums fixes its order */
    IR_SUM_RETURNED, /* local, within one wave, but its old value is used */
    IR_SUM_OF_WAVES, /* local, across several waves or an unknown number */
    IR_SUM_OF_GRID   /* in device memory */
} ir_sum;
/* `used`, by value: its value is used (ir_find_used). Without it, a sum whose old value is used
 * counts as IR_SUM_IN_ORDER. */
ir_sum ir_sum_of(const ir_func *f, const uint8_t *used, ir_value v);

/* Removes tiles of a wave, except those that f->units hold. */
bool ir_lower_tile(ir_func *f);
/* Leaves convergent operations only in wave-uniform control flow. */
bool ir_lower_convergence(ir_func *f);
/* Removes MMA fragments. */
bool ir_lower_mma(ir_func *f);
/* Removes fsin, fcos, fexp2 and flog2. */
bool ir_lower_math(ir_func *f);

#endif
