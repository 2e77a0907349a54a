/* The tables of ops.h. Everything here is expanded from isa.def by the compiler; the macros turn a
 * role, a type or a flag of a row into the bits the decoder wants. */
#include "frontend/ops.h"

enum {
    PURE = ISA_PURE,
    READS = ISA_READS,
    WRITES = ISA_WRITES,
    CONVERGENT = ISA_CONVERGENT,
    MAY_TRAP = ISA_MAY_TRAP,
    CONTROL = ISA_CONTROL,
    UNGUARDED = ISA_UNGUARDED,
    LOCAL = ISA_LOCAL,
    DEVICE = ISA_DEVICE,
    EXTENSION = ISA_EXTENSION,
    NEWMNEM = ISA_NEWMNEM,
    UPSTREAM8 = ISA_UPSTREAM8
};

/* Bits of a field that an ordinary instruction leaves 0. A negated predicate is not ordinary. */
#define ZERO_NONE 0xFFu
#define ZERO_W    0u
#define ZERO_W2   0u
#define ZERO_W4   0u
#define ZERO_WA   0u
#define ZERO_R    0u
#define ZERO_R2   0u
#define ZERO_R4   0u
#define ZERO_PW   0xFCu
#define ZERO_PR   0xFCu
#define ZERO_PN   0xFCu
#define ZERO_SR   0u
#define ZERO_FA   0u
#define ZERO_FB   0u
#define ZERO_FC   0u

/* Letters of the register flow: nothing, write, read, anything more involved. */
#define FLOW_NONE 0
#define FLOW_W    1
#define FLOW_W2   3
#define FLOW_W4   3
#define FLOW_WA   3
#define FLOW_R    2
#define FLOW_R2   3
#define FLOW_R4   3
#define FLOW_PW   0
#define FLOW_PR   0
#define FLOW_PN   0
#define FLOW_SR   0
#define FLOW_FA   0
#define FLOW_FB   0
#define FLOW_FC   0

#define SHAPE(rd, rs1, rs2, rs3, rs4) ((rd) | (rs1) << 2 | (rs2) << 4 | (rs3) << 6 | (rs4) << 8)
#define SHAPE_FLOW(shape)                                                                          \
    ((shape) == SHAPE(0, 0, 0, 0, 0)   ? FE_FLOW_NONE                                              \
     : (shape) == SHAPE(1, 0, 0, 0, 0) ? FE_FLOW_W                                                 \
     : (shape) == SHAPE(1, 2, 0, 0, 0) ? FE_FLOW_W_R                                               \
     : (shape) == SHAPE(1, 2, 2, 0, 0) ? FE_FLOW_W_R_R                                             \
     : (shape) == SHAPE(1, 2, 2, 2, 0) ? FE_FLOW_W_R_R_R                                           \
     : (shape) == SHAPE(0, 2, 2, 0, 0) ? FE_FLOW_X_R_R                                             \
                                       : FE_FLOW_ROLES)

/* The bits of word 1 that are not operands, by tail. An immediate has no others. */
#define REST_NONE   0xFFu
#define REST_SCOPE  0xFCu
#define REST_IMM    0u
#define REST_TARGET 0u

#define HAS_IMM_NONE   0
#define HAS_IMM_SCOPE  0
#define HAS_IMM_IMM    1
#define HAS_IMM_TARGET 1

#define TYPE_USES_VOID   0
#define TYPE_USES_U32    0
#define TYPE_USES_F32    0
#define TYPE_USES_F16    WAVE_USES_F16
#define TYPE_USES_F16X2  WAVE_USES_F16
#define TYPE_USES_BF16   WAVE_USES_BF16
#define TYPE_USES_BF16X2 WAVE_USES_BF16
#define TYPE_USES_F64    WAVE_USES_F64
#define TYPE_USES_PRED   0
#define TYPE_USES_U64    0
#define TYPE_USES_U128   0

#define ID_USES(id, op)                                                                            \
    ((op) == 0x40              ? WAVE_USES_MMA                                                     \
     : ISA_##id == ISA_BARRIER ? WAVE_USES_BARRIER                                                 \
     : ISA_##id == ISA_CALL    ? WAVE_USES_CALL                                                    \
     : ISA_##id == ISA_ASSERT  ? WAVE_USES_ASSERT                                                  \
                               : 0)
#define CLASS_USES(cls)                                                                            \
    (ISA_CLASS_##cls == ISA_CLASS_ATOMIC ? WAVE_USES_ATOMIC                                        \
     : ISA_CLASS_##cls == ISA_CLASS_WAVE ? WAVE_USES_WAVE_OPS                                      \
                                         : 0)

const fe_op fe_ops[ISA_OP_COUNT] = {
    [ISA_NONE] = {.zero0 = 0xFFFFFFFFu, .bytes = 4},
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = {.zero0 = ZERO_##rd << 16 | ZERO_##rs1 << 8 | 8u | (((flg)&UNGUARDED) ? 7u : 0u), \
                  .zero1 = (nwords) == 1 || HAS_IMM_##tl ? 0u                                      \
                                                         : ZERO_##rs2 << 24 | ZERO_##rs3 << 16 |   \
                                                               ZERO_##rs4 << 8 | REST_##tl,        \
                  .operands = (nwords) == 1 || HAS_IMM_##tl ? 0u : 0xFFFFFF03u,                    \
                  .immediate = HAS_IMM_##tl ? 0xFFFFFFFFu : 0u,                                    \
                  .uses = TYPE_USES_##src | TYPE_USES_##res | ID_USES(id, op) | CLASS_USES(cls) |  \
                          (((flg)&LOCAL) ? WAVE_USES_LOCAL : 0),                                   \
                  .bytes = (nwords)*4,                                                             \
                  .flags = (((flg)&CONTROL) ? FE_OP_CONTROL : 0) |                                 \
                           (((flg)&EXTENSION) ? FE_OP_EXTENSION : 0) |                             \
                           (ISA_ROLE_##rs1 == ISA_ROLE_SR ? FE_OP_SPECIAL : 0),                    \
                  .flow = ((flg)&CONTROL) ? FE_FLOW_CONTROL                                        \
                                          : SHAPE_FLOW(SHAPE(FLOW_##rd, FLOW_##rs1, FLOW_##rs2,    \
                                                             FLOW_##rs3, FLOW_##rs4)),             \
                  .mnemonic_length = sizeof(name) - 1},
#include "isa/isa.def"
#undef INSN
};

/* Undefined encodings take one word: the reader goes on at the next. */
const uint8_t fe_words[4096] = {
#define INSN(id, name, op, mod, nwords, ...) [(op) << 4 | (mod)] = (nwords)-1,
#include "isa/isa.def"
#undef INSN
};
