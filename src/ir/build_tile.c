/* Instructions on the tiles of a wave. Each number of each type is a separate slot: a tile is read
 * with the type it was written with, so types never share a slot. For WBIN they remain instructions
 * on numbered tiles, in their order. */
#include "ir/build.h"

_Static_assert((int)IR_ELEMENT_F16 == ISA_TILE_F16 && (int)IR_ELEMENT_BF16 == ISA_TILE_BF16 &&
                   (int)IR_ELEMENT_F32 == ISA_TILE_F32 && (int)IR_ELEMENT_I8 == ISA_TILE_I8 &&
                   (int)IR_ELEMENT_U8 == ISA_TILE_U8 && (int)IR_ELEMENT_I32 == ISA_TILE_I32,
               "elements have the numbers of the ISA");

static bool is_role_of_tile(isa_role role, bool written) {
    return written ? role >= ISA_ROLE_WTA && role <= ISA_ROLE_WTC
                   : role >= ISA_ROLE_TA && role <= ISA_ROLE_TC;
}

static ir_type type_of(const fe_insn *insn, isa_role role) {
    isa_tile_type type = (isa_tile_type)insn->field[isa_tile_type_field((isa_op)insn->op)];
    unsigned bank = (unsigned)(role - (role >= ISA_ROLE_TA ? ISA_ROLE_TA : ISA_ROLE_WTA));
    if (bank == IR_BANK_C && insn->op == ISA_TILE_MMA)
        type = isa_tile_sum(type);
    return ir_tile_type(bank, (ir_element)type);
}

static unsigned slot_of(const fe_insn *insn, unsigned field) {
    ir_type type = type_of(insn, (isa_role)isa_table[insn->op].role[field]);
    return SLOT_WAVE_TILE + (unsigned)(type - IR_A_F16) * ISA_TILES +
           insn->field[field] % ISA_TILES;
}

void build_tile_slots(const fe_insn *insn, slot_set *reads, slot_set *writes) {
    for (unsigned k = 0; k < ISA_FIELDS; k++) {
        isa_role role = (isa_role)isa_table[insn->op].role[k];
        if (reads && is_role_of_tile(role, false))
            slot_add(reads, slot_of(insn, k));
        if (writes && is_role_of_tile(role, true))
            slot_add(writes, slot_of(insn, k));
    }
}

/* Undefined, which here means 0. Each tile is a separate value, since the layout of its web depends
 * on the other values in it. */
void build_tile_variables(builder *b) {
    ir_value args[2] = {ir_const(b->s.f, IR_U32, 0), b->token};
    if (!(b->kernel->info.uses & WAVE_USES_TILE) || b->how & IR_BUILD_FIXED_TILES)
        return;
    for (unsigned slot = SLOT_WAVE_TILE; slot < SLOT_COUNT && !b->s.f->failed; slot++)
        if (slot_in(&b->facts.reads, slot))
            b->s.map[slot] = ssa_emit(&b->s, IR_TILE_FILL, (ir_type)b->s.type[slot], args, 2, 0);
}

/* The modifier, and four bits per field that names no register. */
static void build_fixed(builder *b, const fe_insn *insn) {
    const isa_desc *d = &isa_table[insn->op];
    ir_value args[ISA_FIELDS + 1];
    uint64_t imm = (uint64_t)d->modifier << 20;
    size_t count = 0;
    for (unsigned k = 0; k < ISA_FIELDS; k++) {
        if (d->role[k] == ISA_ROLE_R)
            args[count++] = build_read(b, insn->field[k]);
        else
            imm |= (uint64_t)(insn->field[k] & 15) << 4 * k;
    }
    args[count++] = b->token;
    ssa_emit(&b->s, IR_TILE_FIXED, IR_VOID, args, count, imm);
}

static ir_value tile(const builder *b, const fe_insn *insn, unsigned field) {
    return b->s.map[slot_of(insn, field)];
}

static uint64_t access_of(const fe_insn *insn) {
    unsigned place = insn->field[ISA_FIELD_RS4];
    return ir_access_pack((ir_access){.space = place & ISA_TILE_DEVICE ? IR_DEVICE : IR_LOCAL,
                                      .layout = place & ISA_TILE_COL ? IR_COLUMNS : IR_ROWS});
}

void build_tile(builder *b, const fe_insn *insn) {
    ir_value args[4] = {0}, made;
    size_t count = 0;
    uint64_t imm = 0;
    if (b->how & IR_BUILD_FIXED_TILES) {
        build_fixed(b, insn);
        return;
    }
    ir_op op = insn->op == ISA_TILE_STORE_C  ? IR_TILE_STORE
               : insn->op == ISA_TILE_FILL_C ? IR_TILE_FILL
               : insn->op == ISA_TILE_MMA    ? IR_TILE_MMA
                                             : IR_TILE_LOAD;
    if (op == IR_TILE_MMA) {
        for (; count < 3; count++)
            args[count] = tile(b, insn, ISA_FIELD_RS1 + (unsigned)count);
    } else {
        args[count++] = build_read(b, insn->field[ISA_FIELD_RS1]);
        if (op != IR_TILE_FILL)
            args[count++] = build_read(b, insn->field[ISA_FIELD_RS2]);
        if (op == IR_TILE_STORE)
            args[count++] = tile(b, insn, ISA_FIELD_RD);
        imm = op == IR_TILE_FILL ? 0 : access_of(insn);
    }
    args[count++] = b->token;
    if (op == IR_TILE_STORE) {
        ssa_emit(&b->s, op, IR_VOID, args, count, imm);
        return;
    }
    made = ssa_emit(&b->s, op, type_of(insn, (isa_role)isa_table[insn->op].role[ISA_FIELD_RD]),
                    args, count, imm);
    ssa_write(&b->s, slot_of(insn, ISA_FIELD_RD), made);
}
