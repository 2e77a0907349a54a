/* The lowerings: passes that must run, at every optimisation level. Like every pass they return
 * whether anything changed; an allocation that failed shows in f->failed. */
#ifndef IR_LOWER_H
#define IR_LOWER_H

#include "ir/analyse.h"

/* Fences of one lane are no longer the wave's. */
bool ir_lower_fences(ir_func *f);
/* Lanes of a wave see each other's accesses in program order, by fences between them. */
bool ir_lower_wave_order(ir_func *f);
/* Float sums whose order can be fixed are made lane by lane. */
bool ir_lower_sums(ir_func *f);

/* What an operation is to the order of float sums. */
typedef enum ir_sum {
    IR_SUM_NONE,     /* no float atomic, or one lane's alone */
    IR_SUM_IN_ORDER, /* ir_lower_sums fixes its order */
    IR_SUM_RETURNED, /* local, of one wave, but its old value is used */
    IR_SUM_OF_WAVES, /* local, of several waves or an unknown number */
    IR_SUM_OF_GRID   /* in device memory */
} ir_sum;
/* `uses` of the function as it is. */
ir_sum ir_sum_of(const ir_func *f, const ir_uses *uses, ir_value v);

/* Convergent operations stand in wave-uniform control flow only. */
bool ir_lower_convergence(ir_func *f);
/* No tiles any more. */
bool ir_lower_mma(ir_func *f);
/* No fsin, fcos, fexp2, flog2 any more. */
bool ir_lower_math(ir_func *f);

#endif
