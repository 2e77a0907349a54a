/* Values that become several parts, shared by the lowerings of tiles. The caller expands
 * operations; a tile that crosses an if or a loop, or is chosen by a select, becomes one result,
 * parameter or select per part. */
#ifndef IR_PARTS_H
#define IR_PARTS_H

#include "ir/ir.h"

enum { IR_MOST_PARTS = 8 * IR_TILE_SIDE }; /* for B in waves of four lanes */

typedef struct ir_parts {
    ir_func *f;
    /* The number of parts of a value, leaves included; 0 when it stays as it is. */
    unsigned (*count)(const struct ir_parts *x, ir_value v);
    const void *user;
    bool changed;

    uint32_t *first; /* by value: 1 + index of its first part in `parts` */
    uint32_t values;
    ir_value *parts;
    uint32_t part_count, part_capacity;
    ir_value *list; /* an operand list being made */
    uint32_t list_count, list_capacity;
} ir_parts;

/* A failed allocation sets f->failed. */
void ir_parts_init(ir_parts *x, ir_func *f);
void ir_parts_free(ir_parts *x);

ir_type ir_part_type(ir_type type);
void ir_parts_set(ir_parts *x, ir_value v, const ir_value *parts);
/* The parts of a constant are 0. */
void ir_parts_get(ir_parts *x, ir_value v, ir_value *parts);
/* Makes an operation before another one. */
ir_value ir_parts_make(ir_parts *x, ir_value at, ir_op op, ir_type type, const ir_value *args,
                       size_t count, uint64_t imm);
/* Expands an if, loop, terminator or select; false: the operation is something else. */
bool ir_parts_cross(ir_parts *x, ir_value v);

#endif
