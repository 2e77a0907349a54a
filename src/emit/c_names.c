/* Names of variables: the source's name for the values they hold if there is one, otherwise the
 * type's letter and a number.
 *
 *   iadd i, i, 4                             i += 4u;
 *   a second variable for values called i    i_2
 *   values with no name, or two              u0, u1, …; pointers p0, vectors x0 */
#include "emit/c_printer.h"
#include "ir/names.h"

#include <string.h>

const char *const c_prefix[IR_TYPE_COUNT + 1] = {
    [IR_VOID] = "x",        [IR_BOOL] = "b",          [IR_U32] = "u",        [IR_F32] = "f",
    [IR_U64] = "q",         [IR_F64] = "d",           [IR_F16] = "h",        [IR_F16X2] = "g",
    [IR_A_F16] = "ta_f16_", [IR_A_BF16] = "ta_bf16_", [IR_A_I8] = "ta_i8_",  [IR_A_U8] = "ta_u8_",
    [IR_B_F16] = "tb_f16_", [IR_B_BF16] = "tb_bf16_", [IR_B_I8] = "tb_i8_",  [IR_B_U8] = "tb_u8_",
    [IR_C_F32] = "tc_f32_", [IR_C_I32] = "tc_i32_",   [IR_TYPE_COUNT] = "p",
};

static void put_numbered(c_printer *p, unsigned type, uint32_t number) {
    if (p->split && type != IR_VOID)
        buf_text(p->out, "s.");
    buf_text(p->out, c_prefix[type]);
    buf_decimal(p->out, number);
}

bool c_is_pointer(const c_printer *p, ir_value v) {
    return ir_op_of(p->f, v) == IR_POINTER || ir_op_of(p->f, v) == IR_BUFFER;
}

/* The number of the only name that the values of a home have; 0 for none or several. */
static uint16_t name_of(const c_printer *p, ir_value home) {
    uint16_t name = 0;
    ir_value v = home;
    if (!p->f->names || p->split || c_is_pointer(p, home))
        return 0;
    do {
        uint16_t own = ir_name_of(p->f, v);
        own = own <= p->o->registers.count ? p->o->registers.at[own].first : 0;
        if (own && name && own != name)
            return 0;
        name = own ? own : name;
        v = p->m.member[v];
    } while (v != home);
    return name && p->o->registers.at[name].name ? name : 0;
}

static void put_named(c_printer *p, ir_value home) {
    const char *name = p->o->registers.at[p->named[home]].name;
    uint32_t number = p->number[home];
    buf_text(p->out, name);
    if (number == 1)
        return;
    if (name[strlen(name) - 1] != '_')
        buf_char(p->out, '_');
    buf_decimal(p->out, number);
}

void c_variable(c_printer *p, ir_value v) {
    ir_value home = p->m.home[v];
    ir_type type = ir_type_of(p->f, v);
    bool pointer = c_is_pointer(p, v);
    if (!p->number[home]) {
        p->named[home] = name_of(p, home);
        p->number[home] = p->named[home] ? ++p->uses[p->named[home]]
                                         : ++p->counts[pointer ? IR_TYPE_COUNT : type];
    }
    if (p->named[home])
        put_named(p, home);
    else
        put_numbered(p, pointer ? IR_TYPE_COUNT : type, p->number[home] - 1);
}

uint32_t c_new_scratch(c_printer *p, ir_type type) {
    return p->counts[type]++;
}

void c_scratch(c_printer *p, ir_type type, uint32_t number) {
    put_numbered(p, type, number);
}
