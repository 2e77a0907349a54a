/* Copying parts of a function, as unrolling does: operations with everything inside them, with
 * operands replaced by their newest copies. */
#ifndef IR_COPY_H
#define IR_COPY_H

#include "ir/ir.h"

typedef struct ir_copier {
    ir_func *f;
    ir_value *to;    /* by value: the replacement of a result of a removed loop */
    ir_value *copy;  /* by value: its newest copy, if … */
    uint32_t *stamp; /* … this is the serial number of the round */
    uint32_t capacity, serial;
} ir_copier;

/* Makes the tables as large as the function; returns false and sets f->failed when out of
 * memory. */
bool ir_copier_room(ir_copier *c);
void ir_copier_free(ir_copier *c);

/* The value that replaces v in this round. */
ir_value ir_copied(const ir_copier *c, ir_value v);
void ir_set_copy(ir_copier *c, ir_value v, ir_value copy);
/* Copies the operations from `v` to `stop`, with everything inside them, before `at`. */
void ir_copy_range(ir_copier *c, ir_value v, ir_value stop, ir_value at);

#endif
