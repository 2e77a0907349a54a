/* Inlines all calls and removes the functions. This is for IR that was read as text: the passes and
 * the analyses do not handle functions. */
#include "ir/copy.h"
#include "ir/opt.h"

#include "ir/analyse.h"
#include "ir/rewrite.h"

static void inline_call(ir_copier *c, ir_map *map, ir_value function, ir_value call) {
    ir_func *f = c->f;
    ir_value v = ir_first_input(f, function), end = ir_return_of(f, function);
    c->serial++;
    for (; ir_op_of(f, v) == IR_INPUT; v = ir_at(f, v)->next)
        ir_set_copy(c, v, ir_arg(f, call, (unsigned)ir_at(f, v)->imm));
    ir_copy_range(c, v, end, call);
    map->to[call] = ir_copied(c, ir_arg(f, end, 0));
    ir_remove(f, call);
}

bool ir_opt_inline(ir_func *f) {
    ir_functions functions;
    ir_copier copier = {.f = f};
    ir_map map = {0};
    if (!ir_made(f, IR_FUNCTION))
        return false;
    bool ok = ir_find_functions(f, &functions) && ir_copier_room(&copier) && ir_map_init(&map, f);
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; ok && !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && ir_op_of(f, w.op) == IR_CALL)
            inline_call(&copier, &map, functions.ops[ir_at(f, w.op)->imm], w.op);
    f->failed |= !ok;
    for (uint32_t k = 0; k < functions.count && !f->failed; k++)
        ir_remove(f, functions.ops[k]);
    if (!f->failed)
        ir_map_apply(&map, f);
    ir_map_free(&map);
    ir_copier_free(&copier);
    ir_free_functions(&functions);
    return ok;
}
