/* Functions of a kernel and calls to them: .func and call, with values in .param space.
 *
 *   .func (.param .f32 result) gemm_part1(.param .f32 in0)      {
 *   {                                                           .param .f32 result; …
 *       ld.param.f32 %f0, [in0];                                st.param.f32 [in0], %f7;
 *       …                                                       call (result), gemm_part1, (in0);
 *       st.param.f32 [result], %f9;                             ld.param.f32 %f8, [result];
 *       ret;                                                    }
 *   }
 *
 * ptxas does not inline a function that is called often, and assigns it registers that the caller
 * does not use. Predicates cannot be parameters, so they are passed as words. */
#include "emit_ptx/ptx.h"

static const char *type_of(ir_type type) {
    static const char *const names[PTX_CLASS_COUNT] = {"b32", "b16", "b32", "f32", "b64", "f64"};
    return names[ptx_class_of(type)];
}

enum { NAME = 16, LINE = 48 };

/* The name of an input, the same in the function and at its calls. */
static const char *input_name(char text[NAME], uint64_t number) {
    text[0] = 'i';
    text[1] = 'n';
    *buf_digits(text + 2, (uint32_t)number) = '\0';
    return text;
}

static void load(ptx *p, ir_type type, const char *from, ptx_operand to) {
    char line[LINE];
    ptx_put_made(
        p, ptx_join(line, (const char *[]){"ld.param.", type_of(type), " $, [", from, "]", NULL}),
        &to);
}

static void store(ptx *p, ir_type type, const char *to, ptx_operand from) {
    char line[LINE];
    ptx_put_made(
        p, ptx_join(line, (const char *[]){"st.param.", type_of(type), " [", to, "], $", NULL}),
        &from);
}

static void put_name(const ptx *p, uint64_t number, buf *out) {
    buf_text(out, p->o->symbol);
    buf_text(out, "_part");
    buf_decimal(out, number + 1);
}

/* ---- Functions ---- */

void ptx_open_function(ptx *p) {
    for (unsigned c = 0; c < PTX_CLASS_COUNT; c++) {
        p->kernel_count[c] = p->count[c];
        p->count[c] = 0;
    }
    p->out = &p->function;
    p->blank = true;
    p->pc = UINT32_MAX;
}

static void put_head(ptx *p, ir_value function) {
    const ir_func *f = p->f;
    ir_type type = ir_type_of(f, ir_arg(f, ir_return_of(f, function), 0));
    buf *out = &p->functions;
    buf_printf(out, "\n// What %s computes in many places.\n", p->o->symbol);
    buf_printf(out, ".func (.param .%s result) ", type_of(type));
    put_name(p, p->function_count, out);
    buf_char(out, '(');
    ir_value in = ir_first_input(f, function);
    for (; ir_op_of(f, in) == IR_INPUT; in = ir_at(f, in)->next)
        buf_printf(out, "%s.param .%s in%u", ir_at(f, in)->imm ? ", " : "",
                   type_of(ir_type_of(f, in)), (unsigned)ir_at(f, in)->imm);
    buf_text(out, ")\n{\n");
}

void ptx_close_function(ptx *p, ir_value v) {
    put_head(p, v);
    ptx_put_registers(p, &p->functions);
    buf_char(&p->functions, '\n');
    buf_bytes(&p->functions, p->function.data, p->function.size);
    p->functions.failed |= p->function.failed;
    buf_text(&p->functions, "}\n");
    p->function.size = 0;
    p->function_count++;
    for (unsigned c = 0; c < PTX_CLASS_COUNT; c++)
        p->count[c] = p->kernel_count[c];
    p->out = &p->code;
    p->blank = true;
    p->pc = UINT32_MAX;
    p->dead = false;
}

static void put_input(ptx *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    char name[NAME];
    bool predicate = n->type == IR_BOOL;
    ptx_operand to = ptx_dest(p, v), word = predicate ? ptx_new(p, PTX_B32) : to;
    load(p, (ir_type)n->type, input_name(name, n->imm), word);
    if (predicate)
        ptx_line(p, "setp.ne.s32 $, $, 0", to, word);
}

void ptx_return(ptx *p, ir_value v) {
    ir_value value = ir_arg(p->f, v, 0);
    store(p, ir_type_of(p->f, value), "result", ptx_use_reg(p, value));
    ptx_put_line(p, "ret", NULL);
}

/* ---- Calls ---- */

/* The operand to pass: a predicate becomes a word. */
static ptx_operand passed(ptx *p, ir_value v) {
    ptx_operand o = ptx_use_reg(p, v);
    if (ir_type_of(p->f, v) != IR_BOOL)
        return o;
    ptx_operand word = ptx_new(p, PTX_B32);
    ptx_line(p, "selp.u32 $, 1, 0, $", word, o);
    return word;
}

static void put_parameter(ptx *p, ir_type type, const char *name) {
    buf_text(p->out, "    .param .");
    buf_text(p->out, type_of(type));
    buf_char(p->out, ' ');
    buf_text(p->out, name);
    buf_text(p->out, ";\n");
}

static void put_call(ptx *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    char name[NAME];
    ptx_operand inputs[UINT8_MAX];
    unsigned count = n->arg_count < UINT8_MAX ? n->arg_count : UINT8_MAX;
    for (unsigned k = 0; k < count; k++)
        inputs[k] = passed(p, ir_arg(p->f, v, k));
    buf_text(p->out, "    {\n");
    put_parameter(p, (ir_type)n->type, "result");
    for (unsigned k = 0; k < count; k++)
        put_parameter(p, ir_type_of(p->f, ir_arg(p->f, v, k)), input_name(name, k));
    for (unsigned k = 0; k < count; k++)
        store(p, ir_type_of(p->f, ir_arg(p->f, v, k)), input_name(name, k), inputs[k]);
    buf_text(p->out, "    call            (result), ");
    put_name(p, n->imm, p->out);
    buf_text(p->out, ", (");
    for (unsigned k = 0; k < count; k++) {
        buf_text(p->out, k ? ", " : "");
        buf_text(p->out, input_name(name, k));
    }
    buf_text(p->out, ");\n");
    load(p, (ir_type)n->type, "result", ptx_dest(p, v));
    buf_text(p->out, "    }\n");
}

bool ptx_function_value(ptx *p, ir_value v) {
    switch (ir_op_of(p->f, v)) {
    case IR_INPUT: put_input(p, v); return true;
    case IR_CALL: put_call(p, v); return true;
    default: return false;
    }
}
