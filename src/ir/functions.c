/* Functions of a kernel: pure code that several calls share, without loops, memory accesses or
 * operations that distinguish lanes. verify.c uses the checks in this file.
 *
 *   function {
 *     %1:f32 = input(0)
 *     %2:f32 = fmul %1, %1
 *     return %2
 *   }
 *   …
 *   %9:f32 = call(0) %8 */
#include "ir/analyse.h"

#include <stdlib.h>

bool ir_find_functions(const ir_func *f, ir_functions *list) {
    ir_value first = f->regions[1].first;
    *list = (ir_functions){0};
    for (ir_value v = first; v && ir_op_of(f, v) == IR_FUNCTION; v = ir_at(f, v)->next)
        list->count++;
    if (!list->count)
        return true;
    list->ops = malloc(list->count * sizeof *list->ops);
    for (uint32_t k = 0; k < list->count && list->ops; k++, first = ir_at(f, first)->next)
        list->ops[k] = first;
    return list->ops != NULL;
}

void ir_free_functions(ir_functions *list) {
    free(list->ops);
    *list = (ir_functions){0};
}

static const char *fault_of_function(const ir_func *f, ir_value v) {
    const ir_node *n = ir_at(f, v);
    if (n->region != 1 || (n->prev && ir_op_of(f, n->prev) != IR_FUNCTION))
        return "is not at the start of the kernel";
    ir_value last = ir_return_of(f, v);
    return last && ir_op_of(f, last) == IR_RETURN ? NULL : "does not end with a return";
}

static const char *fault_of_input(const ir_func *f, ir_value v) {
    const ir_node *n = ir_at(f, v);
    ir_value owner = f->regions[n->region].owner;
    bool first = !n->prev && n->imm == 0;
    bool later =
        n->prev && ir_op_of(f, n->prev) == IR_INPUT && ir_at(f, n->prev)->imm + 1 == n->imm;
    if (!owner || ir_op_of(f, owner) != IR_FUNCTION || (!first && !later))
        return "is not at the head of a function";
    return ir_type_bits((ir_type)n->type) ? NULL
                                          : "has a type that is not allowed as a function input";
}

static const char *fault_of_call(const ir_func *f, const ir_functions *list, ir_value v) {
    const ir_node *n = ir_at(f, v);
    if (n->imm >= list->count)
        return "calls a function that does not exist";
    ir_value function = list->ops[n->imm], input = ir_first_input(f, function);
    unsigned count = 0;
    for (; input && ir_op_of(f, input) == IR_INPUT; input = ir_at(f, input)->next, count++)
        if (count >= n->arg_count || ir_type_of(f, ir_arg(f, v, count)) != ir_type_of(f, input))
            return "does not match the inputs of its function";
    if (count != n->arg_count)
        return "does not match the inputs of its function";
    ir_value end = ir_return_of(f, function);
    return ir_type_of(f, ir_arg(f, end, 0)) == n->type ? NULL : "differs in type from its function";
}

/* For an operation in a function. */
static const char *fault_inside(const ir_func *f, ir_value v) {
    ir_op op = ir_op_of(f, v);
    if (op == IR_RETURN && ir_op_of(f, f->regions[ir_at(f, v)->region].owner) != IR_FUNCTION)
        return "is inside an if";
    bool structure = op == IR_INPUT || op == IR_IF || op == IR_YIELD || op == IR_RETURN ||
                     (op == IR_RESULT && ir_op_of(f, ir_arg(f, v, 0)) == IR_IF);
    if (!structure && !ir_may_be_in_function(op))
        return "is not allowed in a function";
    for (unsigned k = 0; k < ir_at(f, v)->arg_count; k++) {
        ir_value a = ir_arg(f, v, k);
        if (ir_has(f, a, IR_LEAF) && ir_op_of(f, a) != IR_CONST)
            return "reads a value of the kernel from inside a function";
    }
    return NULL;
}

const char *ir_function_fault(const ir_func *f, const ir_functions *list, ir_value v, bool inside) {
    ir_op op = ir_op_of(f, v);
    const char *fault = op == IR_FUNCTION ? fault_of_function(f, v)
                        : op == IR_INPUT  ? fault_of_input(f, v)
                        : op == IR_CALL   ? fault_of_call(f, list, v)
                                          : NULL;
    if (fault || op == IR_FUNCTION)
        return fault;
    if (inside)
        return fault_inside(f, v);
    return op == IR_RETURN ? "is outside a function" : NULL;
}
