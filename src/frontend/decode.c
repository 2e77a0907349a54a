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
    if (op == ISA_NONE || code_size - offset < info->bytes) {
        insn->imm = word0;
        return;
    }
    uint32_t word1 = info->bytes == 8 ? fe_u32(code + offset + 4) : 0;
    fe_unpack(insn, fe_pack(op, word0, word1 & info->operands));
    insn->imm = word1 & info->immediate;
    *size = info->bytes;
}
