/* Tiles in the tensor cores: wmma, m16n16k16. The position of elements in lanes is not documented,
 * so a tile is a sequence of registers that only these instructions access:
 *
 *   wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r0, … %r7}, [%r20], 16;
 *
 * The layouts of factors are part of wmma.mma, so tile_mma records them. */
#include "emit_ptx/ptx.h"

#include <stdio.h>
#include <string.h>

enum { MOST_REGISTERS = 8, MOST_OPERANDS = 4 * MOST_REGISTERS };

/* The spelling of an element type, and the number of registers of A and B. */
static const struct {
    const char *name, *mma; /* `mma`: the types in wmma.mma */
    uint8_t registers;
} elements[IR_ELEMENT_COUNT] = {
    [IR_ELEMENT_F16] = {"f16", "f32.f32", 8},
    [IR_ELEMENT_BF16] = {"bf16", "f32.bf16.bf16.f32", 4},
    [IR_ELEMENT_F32] = {"f32", NULL, MOST_REGISTERS},
    [IR_ELEMENT_I8] = {"s8", "s32.s8.s8.s32", 2},
    [IR_ELEMENT_U8] = {"u8", "s32.u8.u8.s32", 2},
    [IR_ELEMENT_I32] = {"s32", NULL, MOST_REGISTERS},
};

ir_units ptx_units(const ir_func *f, unsigned arch, bool native) {
    unsigned types = 1u << IR_ELEMENT_I8 | 1u << IR_ELEMENT_U8;
    if (native)
        types |= 1u << IR_ELEMENT_F16 | (arch >= 80 ? 1u << IR_ELEMENT_BF16 : 0u);
    return (ir_units){
        .elements = f->wave_width == 32 ? (uint8_t)types : 0, .columns = true, .strides = native};
}

unsigned ptx_registers_of(ir_type type) {
    return ir_is_wave_tile(type) ? elements[ir_tile_element(type)].registers : 1;
}

/* Register number k of a tile. */
static ptx_operand part(ptx_operand tile, unsigned k) {
    return ptx_at(tile.reg + k);
}

void ptx_tile_move(ptx *p, ir_type type, ptx_operand to, ptx_operand from) {
    ir_type word = type == IR_C_F32 ? IR_F32 : IR_U32;
    for (unsigned k = 0; k < ptx_registers_of(type); k++)
        ptx_move(p, word, part(to, k), from.reg ? part(from, k) : ptx_imm(word, 0));
}

void ptx_tile_select(ptx *p, ir_type type, ptx_operand to, ptx_operand yes, ptx_operand no,
                     ptx_operand condition) {
    for (unsigned k = 0; k < ptx_registers_of(type); k++)
        ptx_line(p, "selp.b32 $, $, $, $", part(to, k), part(yes, k), part(no, k), condition);
}

/* ---- Lines ---- */

typedef struct line {
    char format[240];
    ptx_operand operands[MOST_OPERANDS + 2];
    unsigned count;
} line;

static void add_text(line *l, const char *text) {
    size_t length = strlen(l->format);
    snprintf(l->format + length, sizeof l->format - length, "%s", text);
}

static void add_operand(line *l, const char *text, ptx_operand o) {
    add_text(l, text);
    l->operands[l->count++] = o;
}

/* {%r0, … %r7} */
static void add_tile(line *l, ptx_operand tile, ir_type type) {
    for (unsigned k = 0; k < ptx_registers_of(type); k++)
        add_operand(l, k ? ", $" : "{$", part(tile, k));
    add_text(l, "}");
}

/* The stride in elements, the unit of the instructions. */
static ptx_operand stride_of(ptx *p, ir_value stride, unsigned bytes) {
    unsigned shift = bytes / 2; /* for 1, 2 and 4 */
    uint32_t bits;
    if (ptx_const(p, stride, &bits))
        return ptx_u32(bits >> shift);
    ptx_operand x = ptx_use(p, stride);
    if (!shift)
        return x;
    ptx_operand shifted = ptx_new(p, PTX_B32);
    ptx_line(p, "shr.u32 $, $, $", shifted, x, ptx_u32(shift));
    return shifted;
}

static void put_access(ptx *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    bool store = n->op == IR_TILE_STORE;
    ir_type type = ir_type_of(p->f, store ? ir_arg(p->f, v, 2) : v);
    ir_element element = ir_tile_element(type);
    ir_access a = ir_access_unpack(n->imm);
    ptx_operand stride = stride_of(p, ir_arg(p->f, v, 1), ir_element_bytes[element]);
    ptx_operand address = ptx_address(p, v);
    line l = {.count = 0};
    snprintf(l.format, sizeof l.format, "wmma.%s.%c.sync.aligned.%s.m16n16k16.%s.%s ",
             store ? "store" : "load", store ? 'd' : "abc"[ir_tile_bank(type)],
             ir_layout_name[a.layout], a.space == IR_LOCAL ? "shared" : "global",
             elements[element].name);
    if (store) {
        add_operand(&l, "&, ", address);
        add_tile(&l, ptx_use_reg(p, ir_arg(p->f, v, 2)), type);
    } else {
        add_tile(&l, ptx_dest(p, v), type);
        add_operand(&l, ", &", address);
    }
    add_operand(&l, ", $", stride);
    ptx_put_made(p, l.format, l.operands);
}

static void put_mma(ptx *p, ir_value v) {
    uint64_t layouts = ir_at(p->f, v)->imm;
    ir_element element = ir_tile_element(ir_type_of(p->f, ir_arg(p->f, v, 0)));
    ptx_operand factors[3];
    for (unsigned k = 0; k < 3; k++)
        factors[k] = ptx_use_reg(p, ir_arg(p->f, v, k));
    line l = {.count = 0};
    snprintf(l.format, sizeof l.format, "wmma.mma.sync.aligned.%s.%s.m16n16k16.%s ",
             layouts & IR_MMA_A_COLUMNS ? "col" : "row", layouts & IR_MMA_B_COLUMNS ? "col" : "row",
             elements[element].mma);
    add_tile(&l, ptx_dest(p, v), ir_type_of(p->f, v));
    for (unsigned k = 0; k < 3; k++) {
        add_text(&l, ", ");
        add_tile(&l, factors[k], ir_type_of(p->f, ir_arg(p->f, v, k)));
    }
    ptx_put_made(p, l.format, l.operands);
}

/* All elements are equal, so their positions do not matter; A and B can only be filled with 0. */
static void put_fill(ptx *p, ir_value v) {
    ir_type type = ir_type_of(p->f, v);
    ptx_operand value = ptx_use(p, ir_arg(p->f, v, 0)), d = ptx_dest(p, v);
    for (unsigned k = 0; k < ptx_registers_of(type); k++)
        ptx_line(p, "mov.b32 $, $", part(d, k), value);
}

bool ptx_tile(ptx *p, ir_value v) {
    switch (ir_op_of(p->f, v)) {
    case IR_TILE_LOAD:
    case IR_TILE_STORE: put_access(p, v); return true;
    case IR_TILE_FILL: put_fill(p, v); return true;
    case IR_TILE_MMA: put_mma(p, v); return true;
    default: return false;
    }
}
