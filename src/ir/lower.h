/* The lowerings: passes that must run, at every optimisation level. Like every pass they return
 * whether anything changed; an allocation that failed shows in f->failed. */
#ifndef IR_LOWER_H
#define IR_LOWER_H

#include "ir/ir.h"

bool ir_lower_convergence(ir_func *f);

#endif
