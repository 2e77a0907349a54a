/* Parts of values, and how they cross ifs and loops:
 *
 *   loop %t { %p:tile = param(0) …     →     loop %t0, %t1, … { %p0:f32 = param(0) %p1 = param(1) …
 */
#include "ir/parts.h"

#include <stdlib.h>

void ir_parts_init(ir_parts *x, ir_func *f) {
    x->f = f;
    x->values = f->node_count;
    x->first = calloc(f->node_count, sizeof *x->first);
    if (!x->first)
        f->failed = true;
}

void ir_parts_free(ir_parts *x) {
    free(x->first);
    free(x->parts);
    free(x->list);
}

static void *grown(ir_parts *x, void *list, uint32_t *capacity, size_t size, uint32_t want) {
    uint32_t count = *capacity ? *capacity : 64;
    if (*capacity >= want)
        return list;
    while (count < want)
        count *= 2;
    void *bigger = realloc(list, count * size);
    if (!bigger) {
        x->f->failed = true;
        return list;
    }
    *capacity = count;
    return bigger;
}

/* ---- One value ---- */

ir_type ir_part_type(ir_type type) {
    return ir_is_wave_tile(type) && ir_tile_element(type) >= IR_ELEMENT_I8 ? IR_U32 : IR_F32;
}

void ir_parts_set(ir_parts *x, ir_value v, const ir_value *parts) {
    unsigned count = x->count(x, v);
    uint32_t end = x->part_count + count;
    x->parts = grown(x, x->parts, &x->part_capacity, sizeof *x->parts, end);
    if (x->f->failed)
        return;
    x->first[v] = x->part_count + 1;
    for (unsigned k = 0; k < count; k++)
        x->parts[x->part_count++] = parts[k];
}

void ir_parts_get(ir_parts *x, ir_value v, ir_value *parts) {
    unsigned count = x->count(x, v);
    bool made = v < x->values && x->first[v] && !x->f->failed;
    ir_value zero = made ? 0 : ir_const(x->f, ir_part_type(ir_type_of(x->f, v)), 0);
    for (unsigned k = 0; k < count; k++)
        parts[k] = made ? x->parts[x->first[v] - 1 + k] : zero;
}

ir_value ir_parts_make(ir_parts *x, ir_value at, ir_op op, ir_type type, const ir_value *args,
                       size_t count, uint64_t imm) {
    ir_value v = ir_make(x->f, op, type, args, count, imm);
    if (x->f->failed)
        return 0;
    x->f->nodes[v].pc = x->f->nodes[at].pc;
    ir_insert_before(x->f, at, v);
    return v;
}

static void drop(ir_parts *x, ir_value v) {
    ir_remove(x->f, v);
    x->changed = true;
}

static void expand_select(ir_parts *x, ir_value v) {
    ir_value yes[IR_MOST_PARTS] = {0}, no[IR_MOST_PARTS] = {0};
    ir_parts_get(x, ir_arg(x->f, v, 1), yes);
    ir_parts_get(x, ir_arg(x->f, v, 2), no);
    for (unsigned k = 0; k < x->count(x, v); k++) {
        ir_value args[3] = {ir_arg(x->f, v, 0), yes[k], no[k]};
        yes[k] = ir_parts_make(x, v, IR_SELECT, ir_part_type(ir_type_of(x->f, v)), args, 3, 0);
    }
    ir_parts_set(x, v, yes);
    drop(x, v);
}

/* ---- Ifs and loops ---- */

static void append(ir_parts *x, ir_value v) {
    x->list = grown(x, x->list, &x->list_capacity, sizeof *x->list, x->list_count + 1);
    if (!x->f->failed)
        x->list[x->list_count++] = v;
}

/* Replaces each operand that has parts by its parts. */
static void expand_operands(ir_parts *x, ir_value v) {
    bool any = false;
    x->list_count = 0;
    for (unsigned k = 0; k < ir_at(x->f, v)->arg_count && !x->f->failed; k++) {
        ir_value a = ir_arg(x->f, v, k), parts[IR_MOST_PARTS] = {0};
        unsigned count = x->count(x, a);
        if (!count) {
            append(x, a);
            continue;
        }
        any = true;
        ir_parts_get(x, a, parts);
        for (unsigned p = 0; p < count; p++)
            append(x, parts[p]);
    }
    if (any && !x->f->failed)
        ir_set_args(x->f, v, x->list, x->list_count);
}

/* Expands the results of an if or loop, or the parameters of a loop, starting at `first`, and
 * renumbers them. */
static void expand_list(ir_parts *x, ir_value first, ir_op kind) {
    uint64_t index = 0;
    for (ir_value r = first, next; r && ir_op_of(x->f, r) == kind && !x->f->failed; r = next) {
        unsigned count = x->count(x, r);
        next = ir_at(x->f, r)->next;
        if (!count) {
            ir_at(x->f, r)->imm = index++;
            continue;
        }
        ir_value parts[IR_MOST_PARTS] = {0}, owner = kind == IR_RESULT ? ir_arg(x->f, r, 0) : 0;
        for (unsigned k = 0; k < count; k++)
            parts[k] = ir_parts_make(x, r, kind, ir_part_type(ir_type_of(x->f, r)), &owner,
                                     kind == IR_RESULT, index++);
        ir_parts_set(x, r, parts);
        drop(x, r);
    }
}

static void expand_owner(ir_parts *x, ir_value v) {
    const ir_node *n = ir_at(x->f, v);
    ir_value result = n->next;
    if (n->op == IR_LOOP) {
        ir_region body = n->regions[0];
        expand_operands(x, v);
        expand_list(x, x->f->regions[body].first, IR_PARAM);
    }
    if (result && ir_op_of(x->f, result) == IR_RESULT && ir_arg(x->f, result, 0) == v)
        expand_list(x, result, IR_RESULT);
}

bool ir_parts_cross(ir_parts *x, ir_value v) {
    if (ir_has(x->f, v, IR_REGIONS))
        expand_owner(x, v);
    else if (ir_has(x->f, v, IR_ENDS))
        expand_operands(x, v);
    else if (ir_op_of(x->f, v) == IR_SELECT && x->count(x, v))
        expand_select(x, v);
    else
        return false;
    return true;
}
