/* Functions of a kernel and calls to them.
 *
 *   function { input(0) … return … }      // Part of gemm.
 *                                         static noinline float gemm_part1(float f0) { … }
 *   call(0) %7                            gemm_part1(f7) */
#include "emit/c_printer.h"

#include <string.h>

static void put_name(const c_printer *p, uint64_t number, buf *out) {
    buf_text(out, p->o->symbol);
    buf_text(out, "_part");
    buf_decimal(out, number + 1);
    buf_char(out, '(');
}

/* A function has its own variables, numbered from 0, even if those of the kernel are in a
 * structure, and computes the values that it refers to itself. */
void c_open_function(c_printer *p, ir_value v) {
    memcpy(p->kernel.counts, p->counts, sizeof p->counts);
    memset(p->counts, 0, sizeof p->counts);
    p->kernel.split = p->split;
    p->kernel.names = p->part->names;
    p->split = false;
    p->part->names = 0;
    p->out = &p->function;
    p->pc = UINT32_MAX;
    p->statements = 0;
    buf *out = &p->functions;
    const ir_func *f = p->f;
    ir_type type = ir_type_of(f, ir_arg(f, ir_return_of(f, v), 0));
    buf_printf(out, "\n// What %s computes in many places.\n%s%s ", p->o->symbol, p->t->apart,
               p->t->types[type]);
    put_name(p, p->part_count, out);
    ir_value in = ir_first_input(f, v);
    p->out = out;
    for (; ir_op_of(f, in) == IR_INPUT; in = ir_at(f, in)->next) {
        buf_printf(out, "%s%s ", ir_at(f, in)->imm ? ", " : "", p->t->types[ir_type_of(f, in)]);
        c_variable(p, in);
    }
    buf_text(out, ") {\n");
    p->out = &p->function;
}

void c_close_function(c_printer *p) {
    c_find_values(p);
    c_put_values(p, &p->functions);
    buf_bytes(&p->functions, p->function.data, p->function.size);
    p->functions.failed |= p->function.failed;
    buf_text(&p->functions, "}\n");
    p->function.size = 0;
    p->part_count++;
    memcpy(p->counts, p->kernel.counts, sizeof p->counts);
    p->split = p->kernel.split;
    p->part->names = p->kernel.names;
    p->out = &p->part->text;
    p->pc = UINT32_MAX;
    p->statements = 0;
    p->dead = false;
}

void c_return(c_printer *p, ir_value v) {
    c_line(p);
    buf_text(p->out, "return ");
    c_expression(p, ir_arg(p->f, v, 0), C_ANY);
    c_end(p);
    p->dead = true;
}

void c_call(c_printer *p, ir_value v) {
    put_name(p, ir_at(p->f, v)->imm, p->out);
    for (unsigned k = 0; k < ir_at(p->f, v)->arg_count; k++) {
        buf_text(p->out, k ? ", " : "");
        c_expression(p, ir_arg(p->f, v, k), C_ANY);
    }
    buf_char(p->out, ')');
}
