/* Words to fe_insn, one instruction at a time and without checks: validate.c does those. */
#include "frontend/ops.h"

void fe_decode_one(const uint8_t *code, uint32_t code_size, uint32_t offset, fe_insn *insn,
                   uint32_t *size) {
    *insn = (fe_insn){.op = ISA_NONE, .pc = offset};
    *size = 4;
    if (offset > code_size || code_size - offset < 4)
        return;
    const uint8_t *at = code + offset;
    unsigned op = isa_by_encoding[fe_encoding(at)];
    if (op == ISA_NONE || code_size - offset < fe_ops.bytes[op]) {
        insn->imm = fe_u32(at);
        return;
    }
    uint32_t word1 = fe_ops.bytes[op] == 8 ? fe_u32(at + 4) : 0;
    fe_fill(insn, op, at, word1 & fe_ops.operands[op]);
    insn->imm = word1 & fe_ops.immediate[op];
    if (fe_ops.flags[op] & FE_OP_SCOPE)
        insn->scope = word1 & 3;
    *size = fe_ops.bytes[op];
}

uint32_t fe_find_pc(const fe_insn *insns, uint32_t count, uint32_t pc) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (insns[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && insns[low].pc == pc ? low : UINT32_MAX;
}
