/* Files of the upstream compiler, which treats cvt_A_B as a conversion from A to B; the ISA says
 * from B to A. docs/using/upstream.md lists the other differences. */
#include "frontend/inspect.h"
#include "frontend/ops.h"

#include "isa/isa.h"

#include <stddef.h>

unsigned fe_reversed_cvt(unsigned op) {
    switch (op) {
    case ISA_CVT_F32_I32: return ISA_CVT_I32_F32;
    case ISA_CVT_F32_U32: return ISA_CVT_U32_F32;
    case ISA_CVT_I32_F32: return ISA_CVT_F32_I32;
    case ISA_CVT_U32_F32: return ISA_CVT_F32_U32;
    case ISA_CVT_F32_F16: return ISA_CVT_F16_F32;
    case ISA_CVT_F16_F32: return ISA_CVT_F32_F16;
    case ISA_CVT_F32_F64: return ISA_CVT_F64_F32;
    case ISA_CVT_F64_F32: return ISA_CVT_F32_F64;
    case ISA_CVT_F32_BF16: return ISA_CVT_BF16_F32;
    case ISA_CVT_BF16_F32: return ISA_CVT_F32_BF16;
    default: return op;
    }
}

void fe_reverse_cvts(fe_insn *insns, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        insns[i].op = (uint16_t)fe_reversed_cvt(insns[i].op);
}

/* ---- Recognising files of that compiler ---- */

/* Tests the container only: one kernel, always the same workgroup, no local memory, no
 * extensions. */
static bool is_like_upstream(const fe_context *context) {
    const fe_record *r = context->record;
    return context->alone && !context->extended && r->workgroup[0] == 256 && r->workgroup[1] == 1 &&
           r->workgroup[2] == 1 && r->local_memory == 0;
}

static bool makes_float(unsigned op) {
    return fe_reversed_cvt(op) != op && isa_table[op].result_type == ISA_TYPE_F32;
}

/* Per register: 1 + the index of the conversion whose float it holds, modified only by integer
 * arithmetic and moves; 0: anything else. */
typedef struct floats {
    uint32_t from[ISA_MAX_REGISTERS + 4];
} floats;

static uint32_t result_of(const floats *f, const fe_insn *insn, uint32_t index) {
    const isa_desc *desc = &isa_table[insn->op];
    if (makes_float(insn->op))
        return index + 1;
    if (insn->op != ISA_MOV && desc->klass != ISA_CLASS_INT)
        return 0;
    for (unsigned k = ISA_FIELD_RS1; k < ISA_FIELDS; k++)
        if (desc->role[k] == ISA_ROLE_R && f->from[insn->field[k]])
            return f->from[insn->field[k]];
    return 0;
}

/* In file order, ignoring control flow: this is a heuristic and costs one pass. */
void fe_look_for_upstream_cvt(fe_context *context, const fe_insn *insns, uint32_t count) {
    floats f = {{0}};
    uint32_t found = 0;
    if (!is_like_upstream(context))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const fe_insn *insn = &insns[i];
        const isa_desc *desc = &isa_table[insn->op];
        if (insn->guard)
            return; /* that compiler emits none */
        if (!found && (desc->flags & ISA_DEVICE))
            found = f.from[insn->field[ISA_FIELD_RS1]];
        uint32_t result = result_of(&f, insn, i);
        unsigned registers = isa_role_writes((isa_role)desc->role[ISA_FIELD_RD])
                                 ? isa_role_registers((isa_role)desc->role[ISA_FIELD_RD])
                                 : 0;
        for (unsigned k = 0; k < registers; k++)
            f.from[insn->field[ISA_FIELD_RD] + k] = result;
    }
    if (found)
        fe_report(context, WAVE_WARNING, DIAG_W_UPSTREAM_CVT, &insns[found - 1], NULL,
                  "the float result is used as an address: the upstream compiler means the "
                  "opposite conversion");
}
