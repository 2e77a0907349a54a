/* What the decoder, the validator and the argument analysis need of an instruction, precomputed
 * from isa.def at compile time so that the common case of each is a few masks and adds. */
#ifndef FRONTEND_OPS_H
#define FRONTEND_OPS_H

#include "frontend/frontend.h"

/* How registers flow through an instruction: the common shapes by name, the rest by its roles. */
typedef enum fe_flow {
    FE_FLOW_ROLES, /* walk isa_desc.role */
    FE_FLOW_NONE,  /* touches no general register */
    FE_FLOW_W,
    FE_FLOW_W_R,
    FE_FLOW_W_R_R,
    FE_FLOW_W_R_R_R,
    FE_FLOW_X_R_R, /* rd is unused or a predicate */
    FE_FLOW_CONTROL
} fe_flow;

/* What needs more than the masks. */
enum { FE_OP_CONTROL = 1, FE_OP_EXTENSION = 2, FE_OP_SPECIAL = 4 };

typedef struct fe_op {
    uint32_t zero0, zero1; /* bits of word 0 and word 1 that are 0 in an ordinary instruction */
    uint32_t operands;     /* bits of word 1 that hold rs2, rs3, rs4 and the scope */
    uint32_t immediate;    /* bits of word 1 that are an immediate: all or none */
    uint16_t uses;         /* WAVE_USES_… */
    uint8_t bytes;         /* 4 or 8 */
    uint8_t flags;         /* FE_OP_… */
    uint8_t flow;          /* fe_flow */
    uint8_t mnemonic_length;
} fe_op;

extern const fe_op fe_ops[ISA_OP_COUNT]; /* indexed by isa_op */

/* Words after the first by opcode << 4 | modifier; 0 where nothing is defined. */
extern const uint8_t fe_words[4096];

static inline uint32_t fe_u32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline unsigned fe_encoding(uint32_t word0) {
    return (word0 >> 24) << 4 | (word0 >> 4 & 15);
}

static inline uint32_t fe_swap(uint32_t x) {
    return x >> 24 | (x >> 8 & 0xFF00) | (x & 0xFF00) << 8 | x << 24;
}

/* The first eight bytes of an fe_insn as a number: op, guard, scope, rd, rs1, rs2, rs3, rs4. In a
 * swapped word the fields stand in that order; the last byte of word 1 is shifted out. */
static inline uint64_t fe_pack(unsigned op, uint32_t word0, uint32_t operands) {
    return (uint64_t)(op | (word0 & 7) << 8 | (operands & 3) << 16) |
           (uint64_t)(fe_swap(word0) & 0xFFFF00) << 16 | (uint64_t)fe_swap(operands) << 40;
}

static inline void fe_unpack(fe_insn *insn, uint64_t packed) {
    insn->op = (uint8_t)packed;
    insn->guard = (uint8_t)(packed >> 8);
    insn->scope = (uint8_t)(packed >> 16);
    for (unsigned i = 0; i < ISA_FIELDS; i++)
        insn->field[i] = (uint8_t)(packed >> (24 + 8 * i));
}

#endif
