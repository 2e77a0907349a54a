/* See copy.h. */
#include "ir/copy.h"

#include "ir/names.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tables that grow with the function ---- */

static void *grown(ir_copier *c, void *list, size_t size, uint32_t count) {
    void *bigger = c->f->failed ? NULL : realloc(list, count * size);
    if (!bigger)
        c->f->failed = true;
    return bigger ? bigger : list;
}

bool ir_copier_room(ir_copier *c) {
    if (c->capacity >= c->f->node_count)
        return true;
    uint32_t old = c->capacity, slack = c->f->node_count / (old ? 2 : 16);
    uint32_t count = c->f->node_count + slack + 64;
    c->to = grown(c, c->to, sizeof *c->to, count);
    c->copy = grown(c, c->copy, sizeof *c->copy, count);
    c->stamp = grown(c, c->stamp, sizeof *c->stamp, count);
    if (c->f->failed)
        return false;
    memset(c->to + old, 0, (count - old) * sizeof *c->to);
    memset(c->stamp + old, 0, (count - old) * sizeof *c->stamp);
    c->capacity = count;
    return true;
}

void ir_copier_free(ir_copier *c) {
    free(c->to);
    free(c->copy);
    free(c->stamp);
}

ir_value ir_copied(const ir_copier *c, ir_value v) {
    while (v < c->capacity && c->to[v])
        v = c->to[v];
    return v < c->capacity && c->stamp[v] == c->serial ? c->copy[v] : v;
}

void ir_set_copy(ir_copier *c, ir_value v, ir_value copy) {
    if (v >= c->capacity && !ir_copier_room(c))
        return;
    c->copy[v] = copy;
    c->stamp[v] = c->serial;
}

/* ---- Copying ---- */

static ir_value copy_op(ir_copier *c, ir_value v) {
    ir_func *f = c->f;
    ir_node old = *ir_at(f, v); /* growing moves the nodes; ir_make handles the pool */
    const ir_value *from = old.arg_count <= IR_INLINE_ARGS ? old.args : f->pool + old.args[0];
    uint64_t imm = ir_ops[old.op].flags & IR_REGIONS ? 0 : old.imm;
    ir_value copy = ir_make(f, (ir_op)old.op, (ir_type)old.type, from, old.arg_count, imm);
    if (!copy)
        return 0;
    ir_at(f, copy)->pc = old.pc;
    ir_give_name(f, copy, ir_name_of(f, v));
    ir_value *args = ir_args(f, copy);
    for (unsigned k = 0; k < old.arg_count; k++)
        args[k] = ir_copied(c, args[k]);
    ir_set_copy(c, v, copy);
    return copy;
}

static void copy_regions(ir_copier *c, ir_value v, ir_value copy) {
    ir_func *f = c->f;
    unsigned count = ir_op_of(f, v) == IR_IF ? 2 : 1;
    for (unsigned k = 0; k < count; k++) {
        ir_region r = ir_new_region(f, copy);
        ir_at(f, copy)->regions[k] = r;
    }
    if (count == 1)
        ir_set_iterations(f, copy, ir_iterations_of(f, v));
}

/* Walks both trees side by side: `from` and `into` are the regions, 0 for the outermost ones. */
void ir_copy_range(ir_copier *c, ir_value v, ir_value stop, ir_value at) {
    ir_func *f = c->f;
    ir_region from = 0, into = 0;
    uint32_t depth = 0;
    while (!f->failed && (depth || v != stop)) {
        if (!v) { /* the end of an inner region */
            ir_value owner = f->regions[from].owner, new_owner = f->regions[into].owner;
            const ir_node *o = ir_at(f, owner), *n = ir_at(f, new_owner);
            if (o->op == IR_IF && o->regions[0] == from) {
                from = o->regions[1];
                into = n->regions[1];
                v = f->regions[from].first;
            } else {
                from = o->region;
                into = n->region;
                v = o->next;
                depth--;
            }
            continue;
        }
        ir_value copy = copy_op(c, v);
        if (depth)
            ir_append(f, into, copy);
        else
            ir_insert_before(f, at, copy);
        if (ir_has(f, v, IR_REGIONS)) {
            copy_regions(c, v, copy);
            from = ir_at(f, v)->regions[0];
            into = ir_at(f, copy)->regions[0];
            v = f->regions[from].first;
            depth++;
        } else {
            v = ir_at(f, v)->next;
        }
    }
}
