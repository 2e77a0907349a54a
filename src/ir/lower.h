/* The lowerings: passes that must run, at every optimisation level. Like every pass they return
 * whether anything changed; an allocation that failed shows in f->failed. */
#ifndef IR_LOWER_H
#define IR_LOWER_H

#include "ir/ir.h"

/* Fences of one lane are no longer the wave's. */
bool ir_lower_fences(ir_func *f);
/* Lanes of a wave see each other's accesses in program order, by fences between them. */
bool ir_lower_wave_order(ir_func *f);
/* Convergent operations stand in wave-uniform control flow only. */
bool ir_lower_convergence(ir_func *f);
/* No tiles any more. */
bool ir_lower_mma(ir_func *f);
/* No fsin, fcos, fexp2, flog2 any more. */
bool ir_lower_math(ir_func *f);

#endif
