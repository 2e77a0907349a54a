/* Shared by passes that replace values: a map from value to value, filled while a pass walks and
 * applied to all operands at the end. */
#ifndef IR_REWRITE_H
#define IR_REWRITE_H

#include "ir/names.h"

typedef struct ir_map {
    ir_value *to; /* by value: what it is replaced by, or 0 */
    uint32_t count;
} ir_map;

/* Returns false and sets f->failed when out of memory. A map that was not made replaces nothing. */
bool ir_map_init(ir_map *m, ir_func *f);
void ir_map_free(ir_map *m);

/* The current replacement of v; shortens chains on the way (path compression). */
ir_value ir_map_find(const ir_map *m, ir_value v);
static inline bool ir_map_has(const ir_map *m, ir_value v) {
    return v < m->count && m->to[v];
}
void ir_map_all_args(ir_map *m, ir_func *f, ir_value v);
/* Replaces the operands of an operation by their replacements; most operations have none. After new
 * values were made, the map is extended to them first, so that one compare covers all operands. */
static inline void ir_map_args(ir_map *m, ir_func *f, ir_value v) {
    _Static_assert(IR_INLINE_ARGS == 3, "operands in a node");
    const ir_node *n = ir_at(f, v);
    const ir_value *to = m->to; /* missing operands are 0, which nothing replaces */
    if (n->arg_count > IR_INLINE_ARGS || f->node_count > m->count ||
        (to[n->args[0]] | to[n->args[1]] | to[n->args[2]]))
        ir_map_all_args(m, f, v);
}
/* The same for every operation in a region. */
void ir_map_apply(ir_map *m, ir_func *f);
/* Replacements take over the names of the values they replace: names.c. ir_map_apply does this
 * too. */
void ir_map_names(const ir_map *m, ir_func *f);

/* The first of the results that follow an operation, or 0; the others follow it. */
ir_value ir_first_result(const ir_func *f, ir_value op);
/* The next result of the same operation, or 0. */
ir_value ir_next_result(const ir_func *f, ir_value result);

/* Moves the operations from..to (0: to the end) of a region before `at`. */
void ir_move_before(ir_func *f, ir_value at, ir_value from, ir_value to);

/* Makes an operation before another one, with the same source instruction. */
ir_value ir_make_before(ir_func *f, ir_value at, ir_op op, ir_type type, const ir_value *args,
                        size_t count, uint64_t imm);

#endif
