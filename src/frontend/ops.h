/* Instruction properties for the decoder, the validator and the argument analysis, precomputed from
 * isa.def at compile time so that the common case of each is a few masks and adds. */
#ifndef FRONTEND_OPS_H
#define FRONTEND_OPS_H

#include "frontend/frontend.h"

#include <string.h>

/* For loops that need all machine registers, and switches that cover all cases. */
#if defined(__GNUC__) || defined(__clang__)
#define FE_NOINLINE      __attribute__((noinline))
#define FE_UNREACHABLE() __builtin_unreachable()
#else
#define FE_NOINLINE
#define FE_UNREACHABLE() ((void)0)
#endif

/* How registers flow through an instruction: the common shapes by name, the rest by its roles. */
typedef enum fe_flow {
    FE_FLOW_SPANS, /* see fe_spans */
    FE_FLOW_NONE,  /* touches no general register */
    FE_FLOW_W,
    FE_FLOW_W_R,
    FE_FLOW_W_R_R,
    FE_FLOW_W_R_R_R,
    FE_FLOW_X_R_R, /* rd is unused or a predicate */
    FE_FLOW_CONTROL
} fe_flow;

enum { FE_OP_CONTROL = 1, FE_OP_SPECIAL = 2, FE_OP_SCOPE = 4, FE_OP_TILE = 8 };

/* In addition to the WAVE_USES_… bits of fe_op.uses. */
enum { FE_USES_EXTENSION = 1 << 15 };

/* Arrays indexed by isa_op. One structure of arrays, not an array of structures, because a scaled
 * index is part of a load, while multiplying by the size of a structure is not. */
typedef struct fe_op_table {
    /* Word 0 in the low half, word 1 in the high half. An instruction with none of these bits set
     * is ordinary and needs no check. All bits are set for those that always need inspection. */
    uint64_t unusual[ISA_OP_COUNT];
    uint32_t operands[ISA_OP_COUNT];  /* bits of word 1 that hold rs2, rs3 and rs4 */
    uint32_t immediate[ISA_OP_COUNT]; /* bits of word 1 that are an immediate: all or none */
    uint16_t uses[ISA_OP_COUNT];      /* WAVE_USES_…, FE_USES_EXTENSION */
    uint8_t bytes[ISA_OP_COUNT];      /* 4 or 8 */
    uint8_t flags[ISA_OP_COUNT];      /* FE_OP_…: why it may need inspection */
    /* Bits of each word that are 0 in canonical code without extensions. */
    uint32_t zero0[ISA_OP_COUNT], zero1[ISA_OP_COUNT];
    uint8_t flow[ISA_OP_COUNT]; /* fe_flow */
    uint8_t mnemonic_length[ISA_OP_COUNT];
} fe_op_table;

extern const fe_op_table fe_ops;

/* The registers each field names; only rd is ever written. */
typedef struct fe_span {
    uint8_t written;
    bool discards; /* an atomic: rd 0 is not a register */
    uint8_t read[ISA_FIELDS];
} fe_span;

extern const fe_span fe_spans[ISA_OP_COUNT];

/* The number of words after the first, by opcode << 4 | modifier; 0 if undefined. */
extern const uint8_t fe_words[4096];

static inline uint32_t fe_u32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t fe_u64(const uint8_t *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/* Opcode << 4 | modifier of the instruction at `at`. */
static inline unsigned fe_encoding(const uint8_t *at) {
    return (unsigned)at[3] << 4 | at[0] >> 4;
}

/* Fills op, guard and the fields from the instruction's bytes, which are those of an fe_insn in a
 * different order: word 0 is low, rs1, rd, opcode and word 1 (`operands`) scope, rs4, rs3, rs2. One
 * store of eight bytes: this is the decoder's inner loop. */
static inline void fe_fill(fe_insn *insn, unsigned op, const uint8_t *word0, uint32_t operands) {
    uint32_t swapped = operands >> 24 | (operands >> 8 & 0xFF00) | (operands & 0xFF00) << 8;
    uint16_t rd_rs1 = (uint16_t)(word0[2] | word0[1] << 8);
    uint64_t guard = word0[0] & 7;
    uint64_t fields = op | guard << 16 | (uint64_t)rd_rs1 << 24 | (uint64_t)swapped << 40;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(insn, &fields, sizeof fields);
#else
    uint8_t bytes[sizeof fields];
    for (unsigned i = 0; i < sizeof fields; i++)
        bytes[i] = (uint8_t)(fields >> (8 * i));
    memcpy(insn, bytes, sizeof bytes);
    insn->op = (uint16_t)op;
#endif
}

_Static_assert(offsetof(fe_insn, op) == 0 && offsetof(fe_insn, guard) == 2 &&
                   offsetof(fe_insn, field) == 3 && offsetof(fe_insn, imm) == 8,
               "fe_fill knows the layout");

#endif
