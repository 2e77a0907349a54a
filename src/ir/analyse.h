/* What passes ask about a function. An analysis allocates its answer, which goes stale with the
 * next change of the function. */
#ifndef IR_ANALYSE_H
#define IR_ANALYSE_H

#include "ir/ir.h"

/* ---- analyse_uses.c ---- */

/* Who uses each value: users[first[v]] … users[first[v + 1] - 1], in program order. */
typedef struct ir_uses {
    uint32_t *first;
    ir_value *users;
} ir_uses;

bool ir_find_uses(const ir_func *f, ir_uses *uses);
void ir_free_uses(ir_uses *uses);

/* ---- analyse_uniform.c ---- */

/* By value: whether the lanes of a wave may hold different values. Of an if: its condition. Of a
 * loop: lanes may leave it, or start its next iteration, at different times. */
typedef struct ir_uniformity {
    uint8_t *divergent;
} ir_uniformity;

bool ir_find_uniformity(const ir_func *f, ir_uniformity *u);
void ir_free_uniformity(ir_uniformity *u);

#endif
