/* What an instruction reads and writes, as public data: for traces and debuggers built on
 * observers. The data comes from the instruction table. */
#include "frontend/frontend.h"

#include <wave/emu.h>

static wave_value value_of(isa_type type) {
    switch (type) {
    case ISA_TYPE_F32: return WAVE_VALUE_F32;
    case ISA_TYPE_F16: return WAVE_VALUE_F16;
    case ISA_TYPE_F16X2: return WAVE_VALUE_F16X2;
    case ISA_TYPE_BF16: return WAVE_VALUE_BF16;
    case ISA_TYPE_BF16X2: return WAVE_VALUE_BF16X2;
    case ISA_TYPE_F64: return WAVE_VALUE_F64;
    case ISA_TYPE_PRED: return WAVE_VALUE_PREDICATE;
    case ISA_TYPE_U64: return WAVE_VALUE_U64;
    case ISA_TYPE_U128: return WAVE_VALUE_U128;
    default: return WAVE_VALUE_U32;
    }
}

/* True when the field holds the address of the instruction's memory access. */
static bool is_address(const isa_desc *desc, unsigned field) {
    if (!(desc->flags & (ISA_LOCAL | ISA_DEVICE | ISA_PRIVATE | ISA_CONSTANT)))
        return false;
    unsigned address = desc->role[ISA_FIELD_RD] == ISA_ROLE_R ? ISA_FIELD_RD : ISA_FIELD_RS1;
    return field == address;
}

static wave_operand operand_of(const isa_desc *desc, const fe_insn *insn, unsigned field) {
    isa_role role = (isa_role)desc->role[field];
    wave_operand operand = {.index = insn->field[field], .count = isa_role_registers(role)};
    operand.written = isa_role_writes(role) || role == ISA_ROLE_PW;
    operand.address = is_address(desc, field);
    if (operand.count == 0) {
        operand.index &= FE_OPERAND_PRED;
        operand.count = 1;
        operand.value = WAVE_VALUE_PREDICATE;
    } else if (!operand.address) {
        operand.value = value_of((isa_type)(operand.written ? desc->result_type : desc->src_type));
    }
    return operand;
}

size_t wave_instruction_operands(const wave_module *module, size_t kernel, uint32_t pc,
                                 wave_operand operands[WAVE_MAX_OPERANDS]) {
    const fe_insn *insn =
        kernel < module->kernel_count ? fe_insn_at(&module->kernels[kernel], pc) : NULL;
    if (!insn)
        return 0;
    const isa_desc *desc = &isa_table[insn->op];
    size_t count = 0;
    for (unsigned field = 0; field < ISA_FIELDS; field++) {
        isa_role role = (isa_role)desc->role[field];
        bool discarded = isa_role_discards(role) && insn->field[field] == 0;
        if (discarded || (!isa_role_registers(role) && !isa_role_is_predicate(role)))
            continue;
        operands[count++] = operand_of(desc, insn, field);
    }
    return count;
}
