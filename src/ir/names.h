/* Names of values, for the emitted text: see names.c. */
#ifndef IR_NAMES_H
#define IR_NAMES_H

#include "ir/ir.h"

/* Allows values to have names from here on; returns false and sets f->failed when out of memory. */
bool ir_start_names(ir_func *f);
void ir_grow_names(ir_func *f, uint32_t old_capacity); /* the list of nodes has grown */

/* A value keeps its first name. 0 is none. */
static inline void ir_give_name(ir_func *f, ir_value v, uint16_t name) {
    if (f->names && !f->names[v])
        f->names[v] = name;
}

static inline uint16_t ir_name_of(const ir_func *f, ir_value v) {
    return f->names ? f->names[v] : 0;
}

#endif
