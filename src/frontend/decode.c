/* Words to fe_insn, one instruction at a time and without judging it: validate.c does that. */
#include "frontend/ops.h"

void fe_decode_one(const uint8_t *code, uint32_t code_size, uint32_t offset, fe_insn *insn,
                   uint32_t *size) {
    *insn = (fe_insn){.op = ISA_NONE, .pc = offset};
    *size = 4;
    if (offset > code_size || code_size - offset < 4)
        return;
    uint32_t word0 = fe_u32(code + offset);
    unsigned op = isa_by_encoding[fe_encoding(word0)];
    const fe_op *info = &fe_ops[op];
    if (op == ISA_NONE || (info->words == 2 && code_size - offset < 8)) {
        insn->imm = word0;
        return;
    }
    uint32_t word1 = info->words == 2 ? fe_u32(code + offset + 4) : 0;
    fe_unpack(insn, fe_pack(op, word0, word1 & info->operands1));
    insn->imm = info->immediate ? word1 : 0;
    *size = info->words * 4u;
}

uint32_t fe_count(const uint8_t *code, uint32_t code_size) {
    uint32_t count = 0;
    uint64_t end = code_size & ~3u;
    for (uint64_t at = 0; at < end; count++)
        at += 4u + 4u * fe_words[fe_encoding(fe_u32(code + at))];
    return count;
}
