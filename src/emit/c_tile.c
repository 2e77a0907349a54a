/* Tiles in a target's matrix units, for the C family: one class per type and a few functions, all
 * in the namespace wave_tile, which the target's helper defines.
 *
 *   wave_tile::a_f16 ta_f16_0 = wave_tile::load_a_row<wave_tile::a_f16>(local + u0, 64u);
 *   tc_f32_0 = wave_tile::mma(ta_f16_0, tb_f16_0, tc_f32_0); */
#include "emit/c_printer.h"

static const c_units *find_units(const c_target *t, unsigned arch) {
    const c_units *u = t->units;
    while (u->helper && u->arch != arch)
        u++;
    return u;
}

ir_units c_units_of(const c_target *t, const ir_func *f, unsigned arch, bool native) {
    const c_units *u = find_units(t, arch);
    unsigned elements = u->exact | (native ? u->native : 0u);
    return (ir_units){.elements = f->wave_width == u->width ? (uint8_t)elements : 0,
                      .columns = t->tile_columns,
                      .mixed = t->tile_columns,
                      .strides = native};
}

static bool need(c_printer *p, ir_type type) {
    const c_units *u = find_units(p->t, p->o->arch);
    if (!u->helper)
        return false;
    c_need(p, u->helper);
    if (ir_tile_element(type) == IR_ELEMENT_BF16 && p->t->bf16_helper)
        c_need(p, p->t->bf16_helper);
    return true;
}

static void put_pointer(c_printer *p, ir_value v, ir_element element) {
    const char *cast = p->t->tile_pointers[ir_access_unpack(ir_at(p->f, v)->imm).space];
    size_t open = 0;
    for (const char *c = cast; c && *c; c++) {
        open += *c == '(';
        open -= *c == ')';
        if (*c == '%')
            buf_text(p->out, p->t->tile_elements[element]);
        else
            buf_char(p->out, *c);
    }
    c_place(p, v);
    buf_fill(p->out, ')', open);
}

static void put_access(c_printer *p, ir_value v) {
    bool store = ir_op_of(p->f, v) == IR_TILE_STORE;
    ir_type type = ir_type_of(p->f, store ? ir_arg(p->f, v, 2) : v);
    const char *layout = ir_layout_name[ir_access_unpack(ir_at(p->f, v)->imm).layout];
    if (store)
        buf_printf(p->out, "wave_tile::store_%s(", layout);
    else
        buf_printf(p->out, "wave_tile::load_%c_%s<%s>(", "abc"[ir_tile_bank(type)], layout,
                   p -> t -> types[type]);
    put_pointer(p, v, ir_tile_element(type));
    buf_text(p->out, ", ");
    c_expression(p, ir_arg(p->f, v, 1), C_ANY);
    if (store) {
        buf_text(p->out, ", ");
        c_expression(p, ir_arg(p->f, v, 2), C_ANY);
    }
}

bool c_tile(c_printer *p, ir_value v) {
    static const c_form fill = {.text = "$0"}, mma = {.text = "$0, $1, $2"};
    ir_op op = ir_op_of(p->f, v);
    if (op < IR_TILE_LOAD || op > IR_TILE_MMA ||
        !need(p, ir_type_of(p->f, op == IR_TILE_STORE ? ir_arg(p->f, v, 2) : v)))
        return false;
    if (op == IR_TILE_STORE)
        c_line(p);
    else
        c_begin(p, v);
    if (op == IR_TILE_FILL) {
        buf_printf(p->out, "wave_tile::fill<%s>(", p->t->types[ir_type_of(p->f, v)]);
        c_format(p, &fill, ir_args(p->f, v));
    } else if (op == IR_TILE_MMA) {
        buf_text(p->out, "wave_tile::mma(");
        c_format(p, &mma, ir_args(p->f, v));
    } else {
        put_access(p, v);
    }
    buf_char(p->out, ')');
    c_end(p);
    return true;
}
