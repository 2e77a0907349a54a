/* Lowers each MMA fragment to sixteen f32 values.
 *
 *   %3:tile = mma_compute %1, %2, %0     →     %c00 = fma %a00, %b00, %c00   … k ascending
 *
 * A fragment that crosses an if or a loop becomes sixteen results or parameters (parts.c). */
#include "ir/lower.h"
#include "ir/parts.h"

enum { SIDE = 4, ELEMENTS = SIDE * SIDE };

static unsigned count(const ir_parts *x, ir_value v) {
    return ir_type_of(x->f, v) == IR_TILE ? ELEMENTS : 0;
}

static void expand_compute(ir_parts *x, ir_value v) {
    ir_value a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];
    ir_parts_get(x, ir_arg(x->f, v, 0), a);
    ir_parts_get(x, ir_arg(x->f, v, 1), b);
    ir_parts_get(x, ir_arg(x->f, v, 2), c);
    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++)
            for (unsigned k = 0; k < SIDE; k++) {
                ir_value args[3] = {a[i * SIDE + k], b[k * SIDE + j], c[i * SIDE + j]};
                c[i * SIDE + j] = ir_parts_make(x, v, IR_FMA, IR_F32, args, 3, 0);
            }
    ir_parts_set(x, v, c);
}

/* The address of an element: wrapping 32-bit arithmetic, rows `stride` apart. */
static ir_value element_address(ir_parts *x, ir_value at, ir_value row, unsigned column) {
    if (column == 0)
        return row;
    ir_value args[2] = {row, ir_const(x->f, IR_U32, 4 * column)};
    return ir_parts_make(x, at, IR_IADD, IR_U32, args, 2, 0);
}

static void expand_memory(ir_parts *x, ir_value v) {
    bool store = ir_op_of(x->f, v) == IR_MMA_STORE;
    ir_value row = ir_arg(x->f, v, 0), stride = ir_arg(x->f, v, 1), parts[ELEMENTS] = {0};
    uint64_t word = ir_access_pack((ir_access){.space = IR_LOCAL, .bytes = 4});
    if (store)
        ir_parts_get(x, ir_arg(x->f, v, 2), parts);
    for (unsigned k = 0; k < ELEMENTS && !x->f->failed; k++) {
        if (k && k % SIDE == 0)
            row = ir_parts_make(x, v, IR_IADD, IR_U32, (ir_value[]){row, stride}, 2, 0);
        ir_value args[2] = {element_address(x, v, row, k % SIDE), parts[k]};
        if (store)
            ir_parts_make(x, v, IR_STORE, IR_VOID, args, 2, word);
        else
            parts[k] = ir_parts_make(x, v, IR_LOAD, IR_F32, args, 1, word);
    }
    if (!store)
        ir_parts_set(x, v, parts);
}

static void expand(ir_parts *x, ir_value v) {
    ir_op op = ir_op_of(x->f, v);
    if (ir_parts_cross(x, v) || (op != IR_MMA_STORE && !count(x, v)))
        return;
    if (op == IR_MMA_COMPUTE)
        expand_compute(x, v);
    else
        expand_memory(x, v);
    ir_remove(x->f, v);
    x->changed = true;
}

bool ir_lower_mma(ir_func *f) {
    if (!ir_made(f, IR_MMA_LOAD) && !ir_made(f, IR_MMA_STORE) && !ir_made(f, IR_MMA_COMPUTE))
        return false;
    ir_parts x = {.count = count};
    ir_parts_init(&x, f);
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP)
            expand(&x, w.op);
    ir_parts_free(&x);
    return x.changed;
}
