/* Use lists in two arrays: the first walk counts, the second fills. */
#include "ir/analyse.h"

#include <stdlib.h>

void ir_free_uses(ir_uses *uses) {
    free(uses->first);
    free(uses->users);
    *uses = (ir_uses){0};
}

static uint32_t count_uses(const ir_func *f, uint32_t *first) {
    uint32_t total = 0;
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v)) {
        const ir_value *args = ir_args(f, v);
        unsigned count = ir_at(f, v)->arg_count;
        total += count;
        for (unsigned k = 0; k < count; k++)
            first[args[k] + 2]++;
    }
    return total;
}

/* first[v + 1] is the position of v's next user; at the end it is where the users of v + 1
 * start. */
static void fill_uses(const ir_func *f, ir_uses *uses) {
    uint32_t *next = uses->first + 1;
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v)) {
        const ir_value *args = ir_args(f, v);
        unsigned count = ir_at(f, v)->arg_count;
        for (unsigned k = 0; k < count; k++)
            uses->users[next[args[k]]++] = v;
    }
}

bool ir_find_uses(const ir_func *f, ir_uses *uses) {
    *uses = (ir_uses){.first = calloc((size_t)f->node_count + 2, sizeof *uses->first)};
    if (!uses->first)
        return false;
    uint32_t total = count_uses(f, uses->first);
    uses->users = malloc(((size_t)total + 1) * sizeof *uses->users);
    if (!uses->users) {
        ir_free_uses(uses);
        return false;
    }
    for (uint32_t v = 1; v <= f->node_count; v++)
        uses->first[v + 1] += uses->first[v];
    fill_uses(f, uses);
    return true;
}

uint8_t *ir_find_used(const ir_func *f) {
    _Static_assert(IR_INLINE_ARGS == 3, "operands in a node");
    uint8_t *used = calloc(f->node_count, 1);
    for (ir_value v = 1, end = used ? f->node_count : 0; v < end; v++) {
        const ir_node *n = ir_at(f, v);
        if (!n->region)
            continue;
        if (n->arg_count <= IR_INLINE_ARGS) { /* missing operands are 0 */
            used[n->args[0]] = used[n->args[1]] = used[n->args[2]] = 1;
            continue;
        }
        for (unsigned k = 0; k < n->arg_count; k++)
            used[f->pool[n->args[0] + k]] = 1;
    }
    return used;
}
