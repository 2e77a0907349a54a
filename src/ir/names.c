/* Source names of values: each value may have the name of the register that it was first kept in.
 * Names are numbers; the emitters know their texts. A function without names has no list. A value
 * that replaces another takes over its name, and copies of an operation keep the name. */
#include "ir/names.h"

#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

bool ir_start_names(ir_func *f) {
    f->names = f->failed ? NULL : calloc(f->node_capacity, sizeof *f->names);
    f->failed |= !f->names;
    return f->names != NULL;
}

void ir_grow_names(ir_func *f, uint32_t old_capacity) {
    uint16_t *bigger = realloc(f->names, f->node_capacity * sizeof *bigger);
    if (!bigger) {
        f->failed = true;
        return;
    }
    memset(bigger + old_capacity, 0, (f->node_capacity - old_capacity) * sizeof *bigger);
    f->names = bigger;
}

void ir_map_names(const ir_map *m, ir_func *f) {
    if (!f->names || f->failed)
        return;
    for (ir_value v = 1; v < m->count && v < f->node_count; v++)
        if (f->names[v] && m->to[v])
            ir_give_name(f, ir_map_find(m, v), f->names[v]);
}
