/* See rewrite.h. */
#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

bool ir_map_init(ir_map *m, ir_func *f) {
    m->to = f->failed ? NULL : calloc(f->node_count, sizeof *m->to);
    m->count = m->to ? f->node_count : 0;
    if (!m->to)
        f->failed = true;
    return m->to != NULL;
}

void ir_map_free(ir_map *m) {
    free(m->to);
    m->to = NULL;
}

ir_value ir_map_find(const ir_map *m, ir_value v) {
    ir_value end = v;
    while (end < m->count && m->to[end])
        end = m->to[end];
    while (v != end) {
        ir_value next = m->to[v];
        m->to[v] = end;
        v = next;
    }
    return end;
}

/* Extends the map to the values made since. Without memory for that they have no replacements, and
 * the function fails. */
static void cover(ir_map *m, ir_func *f) {
    uint32_t count = f->node_count + f->node_count / 8;
    ir_value *to = f->failed ? NULL : realloc(m->to, count * sizeof *to);
    if (!to) {
        f->failed = true;
        return;
    }
    memset(to + m->count, 0, (count - m->count) * sizeof *to);
    m->to = to;
    m->count = count;
}

void ir_map_all_args(ir_map *m, ir_func *f, ir_value v) {
    if (f->node_count > m->count)
        cover(m, f);
    ir_value *args = ir_args(f, v);
    unsigned count = ir_at(f, v)->arg_count;
    for (unsigned k = 0; k < count; k++)
        if (ir_map_has(m, args[k]))
            args[k] = ir_map_find(m, args[k]);
}

void ir_map_apply(ir_map *m, ir_func *f) {
    ir_map_names(m, f);
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v))
        ir_map_args(m, f, v);
}

ir_value ir_first_result(const ir_func *f, ir_value op) {
    ir_value r = ir_at(f, op)->next;
    return r && ir_op_of(f, r) == IR_RESULT && ir_arg(f, r, 0) == op ? r : 0;
}

ir_value ir_next_result(const ir_func *f, ir_value result) {
    ir_value r = ir_at(f, result)->next;
    bool same = r && ir_op_of(f, r) == IR_RESULT && ir_arg(f, r, 0) == ir_arg(f, result, 0);
    return same ? r : 0;
}

void ir_move_before(ir_func *f, ir_value at, ir_value from, ir_value to) {
    for (ir_value v = from, next; v && v != to; v = next) {
        next = ir_at(f, v)->next;
        ir_remove(f, v);
        ir_insert_before(f, at, v);
    }
}

ir_value ir_make_before(ir_func *f, ir_value at, ir_op op, ir_type type, const ir_value *args,
                        size_t count, uint64_t imm) {
    ir_value v = ir_make(f, op, type, args, count, imm);
    if (!v)
        return 0;
    ir_at(f, v)->pc = ir_at(f, at)->pc;
    ir_insert_before(f, at, v);
    return v;
}
