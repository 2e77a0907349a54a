/* Removed operations remain in the node list, and every array by value has room for them. Before an
 * emitter allocates its arrays, the remaining nodes are moved together, in order. */
#include "ir/ir.h"

#include <stdlib.h>

enum { FEWEST_NODES = 256 };

/* Operations that are kept although they are in no region: leaves never are in one; a removed if or
 * loop still owns its regions; and a target without f64 or 64-bit atomics rejects a kernel with
 * them at every level, whatever the passes have removed. */
static void find_kept(const ir_func *f, bool kept[IR_OP_COUNT]) {
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        kept[op] = ir_op_flags[op] & IR_LEAF || op == IR_IF || op == IR_LOOP || op == IR_ATOMIC ||
                   (ir_made(f, (ir_op)op) && ir_op_involves((ir_op)op, "d"));
}

/* New numbers by old number; 0 for removed nodes. */
static uint32_t number(const ir_func *f, ir_value *to) {
    const ir_node *nodes = f->nodes;
    bool kept[IR_OP_COUNT];
    uint32_t count = 1;
    find_kept(f, kept);
    to[0] = 0;
    for (ir_value v = 1, end = f->node_count; v < end; v++)
        to[v] = nodes[v].region || kept[nodes[v].op] ? count++ : 0;
    return count;
}

static void move_operands(ir_func *f, ir_node *n, const ir_value *to) {
    _Static_assert(IR_INLINE_ARGS == 3, "operands in a node");
    if (n->arg_count > IR_INLINE_ARGS) {
        for (unsigned k = 0; k < n->arg_count; k++)
            f->pool[n->args[0] + k] = to[f->pool[n->args[0] + k]];
    } else { /* missing operands are 0 and stay 0 */
        n->args[0] = to[n->args[0]];
        n->args[1] = to[n->args[1]];
        n->args[2] = to[n->args[2]];
    }
}

static void move_nodes(ir_func *f, const ir_value *to) {
    ir_node *nodes = f->nodes, *n = nodes;
    for (ir_value v = 1, count = f->node_count; v < count; v++) {
        if (!to[v])
            continue;
        *++n = nodes[v];
        n->prev = to[n->prev];
        n->next = to[n->next];
        move_operands(f, n, to);
    }
    for (ir_value v = 1; f->names && v < f->node_count; v++)
        if (to[v])
            f->names[to[v]] = f->names[v];
}

static void move_all(ir_func *f, const ir_value *to, uint32_t count) {
    move_nodes(f, to);
    for (ir_region r = 1; r < f->region_count; r++) {
        ir_region_node *region = &f->regions[r];
        *region = (ir_region_node){to[region->owner], to[region->first], to[region->last]};
    }
    for (uint32_t k = 0; k < f->leaf_capacity; k++)
        f->leaves[k] = to[f->leaves[k]];
    for (uint32_t v = count; f->names && v < f->node_count; v++)
        f->names[v] = 0;
    f->node_limit -= f->node_count - count; /* removed operations count against the limit too */
    f->node_count = count;
}

static void shrink(ir_func *f) {
    uint32_t capacity = f->node_count + f->node_count / 16 + 64;
    if (capacity >= f->node_capacity)
        return;
    ir_node *nodes = realloc(f->nodes, capacity * sizeof *nodes);
    if (!nodes)
        return; /* the old list is still valid */
    f->nodes = nodes;
    f->node_capacity = capacity;
}

void ir_compact(ir_func *f) {
    bool small = f->node_count < FEWEST_NODES;
    ir_value *to = f->failed || small ? NULL : malloc(f->node_count * sizeof *to);
    if (!to)
        return; /* compaction is optional */
    uint32_t count = number(f, to), dropped = f->node_count - count;
    bool worth_it = dropped > f->node_count / 8;
    if (worth_it)
        move_all(f, to, count);
    free(to);
    shrink(f);
}
