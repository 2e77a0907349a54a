/* One instruction as assembly text, for the disassembler and all diagnostics. Written directly into
 * the buffer: this is the hot loop of wave-dis. */
#include "frontend/ops.h"
#include "isa/tile.h"

#include <string.h>

/* An upper bound on the length of the text: guard, mnemonic, five operands, and scope or label are
 * far shorter. */
enum { LONGEST = 160 };

static char *put_text(char *at, const char *text, size_t length) {
    memcpy(at, text, length);
    return at + length;
}

static char *put_register(char *at, char letter, unsigned number) {
    *at++ = letter;
    if (number >= 100) {
        *at++ = (char)('0' + number / 100);
        number %= 100;
        *at++ = (char)('0' + number / 10);
        number %= 10;
    } else if (number >= 10) {
        *at++ = (char)('0' + number / 10);
        number %= 10;
    }
    *at++ = (char)('0' + number);
    return at;
}

static char *put_hex(char *at, uint32_t value, unsigned digits) {
    unsigned count = digits;
    while (count < 8 && value >> (4 * count))
        count++;
    while (count)
        *at++ = "0123456789ABCDEF"[value >> (4 * --count) & 15];
    return at;
}

static char *put_immediate(char *at, uint32_t value) {
    if (value <= 9) {
        *at++ = (char)('0' + value);
        return at;
    }
    at = put_text(at, "0x", 2);
    return put_hex(at, value, 1);
}

static char *put_label(char *at, unsigned kernel_index, uint32_t pc) {
    at = put_text(at, "loc_", 4);
    at = buf_digits(at, kernel_index);
    *at++ = '_';
    return put_hex(at, pc, 4);
}

static char *put_special(char *at, unsigned number) {
    if (number < ISA_SPECIAL_COUNT)
        return put_text(at, isa_special_name[number], strlen(isa_special_name[number]));
    at = put_text(at, "sr_", 3);
    return buf_digits(at, number);
}

static char *put_operand(char *at, isa_role role, unsigned value) {
    switch (role) {
    case ISA_ROLE_PW:
    case ISA_ROLE_PR: return put_register(at, 'p', value);
    case ISA_ROLE_PN:
        if (value & FE_OPERAND_NEG)
            *at++ = '!';
        return put_register(at, 'p', value & 0x7F);
    case ISA_ROLE_SR: return put_special(at, value);
    case ISA_ROLE_WTA:
    case ISA_ROLE_WTB:
    case ISA_ROLE_WTC:
    case ISA_ROLE_TA:
    case ISA_ROLE_TB:
    case ISA_ROLE_TC: return put_register(at, 't', value);
    case ISA_ROLE_PLACE:
        at = value & ISA_TILE_DEVICE ? put_text(at, "device", 6) : put_text(at, "local", 5);
        return put_text(at, value & ISA_TILE_COL ? ", col" : ", row", 5);
    default: return put_register(at, 'r', value);
    }
}

static char *put_unknown(char *at, uint32_t word) {
    at = put_text(at, ".unknown 0x", 11);
    at = put_hex(at, word >> 24, 2);
    at = put_text(at, " ; ", 3);
    return put_hex(at, word, 8);
}

static char *put_tail(char *at, const fe_insn *insn, const fe_insn *insns, unsigned kernel_index) {
    switch (isa_table[insn->op].tail) {
    case ISA_TAIL_SCOPE: {
        const char *name = isa_scope_name[insn->scope & 3];
        *at++ = '.';
        return put_text(at, name, strlen(name));
    }
    case ISA_TAIL_IMM: return put_immediate(at, insn->imm);
    default: return put_label(at, kernel_index, insns ? insns[insn->partner].pc : insn->imm);
    }
}

const char *fe_mnemonic(const fe_insn *insn) {
    isa_op op = (isa_op)insn->op;
    const char *tile =
        isa_is_tile(op) ? isa_tile_mnemonic(op, insn->field[isa_tile_type_field(op)]) : NULL;
    return tile ? tile : isa_table[op].mnemonic;
}

static char *put_mnemonic(char *at, const fe_insn *insn) {
    if (fe_ops.flags[insn->op] & FE_OP_TILE) {
        const char *name = fe_mnemonic(insn);
        return put_text(at, name, strlen(name));
    }
    size_t length = insn->op == ISA_MOV_SR ? 3 : fe_ops.mnemonic_length[insn->op];
    return put_text(at, isa_table[insn->op].mnemonic, length);
}

static char *put_instruction(char *at, const fe_insn *insn, const fe_insn *insns,
                             unsigned kernel_index) {
    const isa_desc *desc = &isa_table[insn->op];
    if (insn->guard) {
        at = put_text(at, "@!", 2) - !(insn->guard & FE_GUARD_NEG);
        at = put_register(at, 'p', insn->guard & FE_GUARD_REG);
        *at++ = ' ';
    }
    at = put_mnemonic(at, insn);
    bool first = true;
    for (unsigned i = 0; i < ISA_FIELDS; i++) {
        isa_role role = (isa_role)desc->role[i];
        bool omitted = i == ISA_FIELD_RD && insn->field[i] == 0 && isa_result_optional(desc);
        if (isa_role_operands(role) == 0 || omitted)
            continue;
        at = put_text(at, ", ", 2);
        if (first) /* a blank only after the mnemonic */
            at[-2] = ' ', at--;
        first = false;
        at = put_operand(at, role, insn->field[i]);
    }
    if (desc->tail == ISA_TAIL_NONE)
        return at;
    at = first ? put_text(at, " ", 1) : put_text(at, ", ", 2);
    return put_tail(at, insn, insns, kernel_index);
}

void fe_insn_text(buf *out, const fe_insn *insn, const fe_insn *insns, unsigned kernel_index) {
    if (!buf_reserve(out, LONGEST))
        return;
    char *start = (char *)out->data + out->size;
    char *end = insn->op == ISA_NONE ? put_unknown(start, insn->imm)
                                     : put_instruction(start, insn, insns, kernel_index);
    out->size += (size_t)(end - start);
}
