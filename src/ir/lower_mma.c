/* MMA fragments as sixteen f32 values each.
 *
 *   %3:tile = mma_compute %1, %2, %0     →     %c00 = fma %a00, %b00, %c00   … k ascending
 *
 * A fragment that crosses an if or a loop becomes sixteen results or parameters. */
#include "ir/lower.h"

#include <stdlib.h>

enum { SIDE = 4, ELEMENTS = SIDE * SIDE };

typedef struct expander {
    ir_func *f;
    uint32_t *parts; /* by value: where its elements start in `elements`, + 1 */
    uint32_t part_values;
    ir_value *elements;
    uint32_t element_count, element_capacity;
    ir_value *list; /* an operand list being made */
    uint32_t list_count, list_capacity;
    bool changed;
} expander;

static void *grown(expander *x, void *list, uint32_t *capacity, size_t size, uint32_t want) {
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

/* ---- Fragments ---- */

static void set_parts(expander *x, ir_value v, const ir_value parts[ELEMENTS]) {
    uint32_t end = x->element_count + ELEMENTS;
    x->elements = grown(x, x->elements, &x->element_capacity, sizeof *x->elements, end);
    if (x->f->failed)
        return;
    x->parts[v] = x->element_count + 1;
    for (unsigned k = 0; k < ELEMENTS; k++)
        x->elements[x->element_count++] = parts[k];
}

static void get_parts(expander *x, ir_value v, ir_value parts[ELEMENTS]) {
    ir_value zero = ir_const(x->f, IR_F32, 0);
    bool made = v < x->part_values && x->parts[v] && !x->f->failed;
    for (unsigned k = 0; k < ELEMENTS; k++)
        parts[k] = made ? x->elements[x->parts[v] - 1 + k] : zero; /* the constant tile is zero */
}

static ir_value before(expander *x, ir_value at, ir_op op, ir_type type, const ir_value *args,
                       size_t count, uint64_t imm) {
    ir_value v = ir_make(x->f, op, type, args, count, imm);
    if (x->f->failed)
        return 0;
    x->f->nodes[v].pc = x->f->nodes[at].pc;
    ir_insert_before(x->f, at, v);
    return v;
}

static void expand_compute(expander *x, ir_value v) {
    ir_value a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];
    get_parts(x, ir_arg(x->f, v, 0), a);
    get_parts(x, ir_arg(x->f, v, 1), b);
    get_parts(x, ir_arg(x->f, v, 2), c);
    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++)
            for (unsigned k = 0; k < SIDE; k++) {
                ir_value args[3] = {a[i * SIDE + k], b[k * SIDE + j], c[i * SIDE + j]};
                c[i * SIDE + j] = before(x, v, IR_FMA, IR_F32, args, 3, 0);
            }
    set_parts(x, v, c);
}

static void expand_select(expander *x, ir_value v) {
    ir_value yes[ELEMENTS], no[ELEMENTS];
    get_parts(x, ir_arg(x->f, v, 1), yes);
    get_parts(x, ir_arg(x->f, v, 2), no);
    for (unsigned k = 0; k < ELEMENTS; k++) {
        ir_value args[3] = {ir_arg(x->f, v, 0), yes[k], no[k]};
        yes[k] = before(x, v, IR_SELECT, IR_F32, args, 3, 0);
    }
    set_parts(x, v, yes);
}

/* The address of an element: wrapping 32-bit arithmetic, rows `stride` apart. */
static ir_value element_address(expander *x, ir_value at, ir_value row, unsigned column) {
    if (column == 0)
        return row;
    ir_value args[2] = {row, ir_const(x->f, IR_U32, 4 * column)};
    return before(x, at, IR_IADD, IR_U32, args, 2, 0);
}

static void expand_memory(expander *x, ir_value v) {
    bool store = ir_op_of(x->f, v) == IR_MMA_STORE;
    ir_value row = ir_arg(x->f, v, 0), stride = ir_arg(x->f, v, 1), parts[ELEMENTS] = {0};
    uint64_t word = ir_access_pack((ir_access){.space = IR_LOCAL, .bytes = 4});
    if (store)
        get_parts(x, ir_arg(x->f, v, 2), parts);
    for (unsigned k = 0; k < ELEMENTS && !x->f->failed; k++) {
        if (k && k % SIDE == 0)
            row = before(x, v, IR_IADD, IR_U32, (ir_value[]){row, stride}, 2, 0);
        ir_value args[2] = {element_address(x, v, row, k % SIDE), parts[k]};
        if (store)
            before(x, v, IR_STORE, IR_VOID, args, 2, word);
        else
            parts[k] = before(x, v, IR_LOAD, IR_F32, args, 1, word);
    }
    if (!store)
        set_parts(x, v, parts);
}

/* ---- Where fragments cross ifs and loops ---- */

static void append(expander *x, ir_value v) {
    x->list = grown(x, x->list, &x->list_capacity, sizeof *x->list, x->list_count + 1);
    if (!x->f->failed)
        x->list[x->list_count++] = v;
}

/* Each tile among the operands becomes its elements. */
static void expand_operands(expander *x, ir_value v) {
    bool any = false;
    x->list_count = 0;
    for (unsigned k = 0; k < ir_at(x->f, v)->arg_count && !x->f->failed; k++) {
        ir_value a = ir_arg(x->f, v, k), parts[ELEMENTS];
        if (ir_type_of(x->f, a) != IR_TILE) {
            append(x, a);
            continue;
        }
        any = true;
        get_parts(x, a, parts);
        for (unsigned p = 0; p < ELEMENTS; p++)
            append(x, parts[p]);
    }
    if (any && !x->f->failed)
        ir_set_args(x->f, v, x->list, x->list_count);
}

/* The results of an if or loop, or the parameters of a loop, from `first` on: tiles become sixteen
 * each, and all are counted anew. */
static void expand_list(expander *x, ir_value first, ir_op kind) {
    uint64_t index = 0;
    for (ir_value r = first, next; r && ir_op_of(x->f, r) == kind && !x->f->failed; r = next) {
        next = ir_at(x->f, r)->next;
        if (ir_type_of(x->f, r) != IR_TILE) {
            ir_at(x->f, r)->imm = index++;
            continue;
        }
        ir_value parts[ELEMENTS], owner = kind == IR_RESULT ? ir_arg(x->f, r, 0) : 0;
        for (unsigned k = 0; k < ELEMENTS; k++)
            parts[k] = before(x, r, kind, IR_F32, &owner, kind == IR_RESULT, index++);
        set_parts(x, r, parts);
        ir_remove(x->f, r);
        x->changed = true;
    }
}

static void expand_owner(expander *x, ir_value v) {
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

static void expand(expander *x, ir_value v) {
    ir_op op = ir_op_of(x->f, v);
    if (ir_has(x->f, v, IR_REGIONS)) {
        expand_owner(x, v);
    } else if (ir_has(x->f, v, IR_ENDS)) {
        expand_operands(x, v);
    } else if (op == IR_MMA_STORE || ir_type_of(x->f, v) == IR_TILE) {
        if (op == IR_MMA_COMPUTE)
            expand_compute(x, v);
        else if (op == IR_SELECT)
            expand_select(x, v);
        else
            expand_memory(x, v);
        ir_remove(x->f, v);
        x->changed = true;
    }
}

bool ir_lower_mma(ir_func *f) {
    if (!ir_made(f, IR_MMA_LOAD) && !ir_made(f, IR_MMA_STORE) && !ir_made(f, IR_MMA_COMPUTE))
        return false;
    expander x = {.f = f, .part_values = f->node_count};
    x.parts = calloc(f->node_count, sizeof *x.parts);
    if (!x.parts)
        f->failed = true;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP)
            expand(&x, w.op);
    free(x.parts);
    free(x.elements);
    free(x.list);
    return x.changed;
}
