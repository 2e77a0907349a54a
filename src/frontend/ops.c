/* The tables of ops.h, all expanded from isa.def by the compiler; the macros turn a role, a type or
 * a flag of a row into the bits the decoder needs. */
#include "frontend/ops.h"

#include "isa/def_flags.h"

/* Bits of a field that an ordinary instruction leaves 0. A negated predicate is not ordinary. */
#define ZERO_NONE 0xFFu
#define ZERO_W    0u
#define ZERO_W2   0u
#define ZERO_W4   0u
#define ZERO_WA   0u
#define ZERO_WA2  0u
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
#define ZERO_WTA  0xF0u
#define ZERO_WTB  0xF0u
#define ZERO_WTC  0xF0u
#define ZERO_TA   0xF0u
#define ZERO_TB   0xF0u
#define ZERO_TC   0xF0u
/* Not all types exist, and no mask can express which. */
#define ZERO_ABTYPE 0u
#define ZERO_CTYPE  0u
#define ZERO_PLACE  0xFCu

/* General registers written and read by a field. */
#define SPAN_NONE       0, 0
#define SPAN_W          1, 0
#define SPAN_W2         2, 0
#define SPAN_W4         4, 0
#define SPAN_WA         1, 0
#define SPAN_WA2        2, 0
#define SPAN_R          0, 1
#define SPAN_R2         0, 2
#define SPAN_R4         0, 4
#define SPAN_PW         0, 0
#define SPAN_PR         0, 0
#define SPAN_PN         0, 0
#define SPAN_SR         0, 0
#define SPAN_FA         0, 0
#define SPAN_FB         0, 0
#define SPAN_FC         0, 0
#define SPAN_WTA        0, 0
#define SPAN_WTB        0, 0
#define SPAN_WTC        0, 0
#define SPAN_TA         0, 0
#define SPAN_TB         0, 0
#define SPAN_TC         0, 0
#define SPAN_ABTYPE     0, 0
#define SPAN_CTYPE      0, 0
#define SPAN_PLACE      0, 0
#define FIRST_OF(a, b)  a
#define SECOND_OF(a, b) b
#define WRITTEN(pair)   FIRST_OF pair
#define READ(pair)      SECOND_OF pair

/* Letters of the register flow: nothing, write, read, anything more involved. */
#define FLOW_NONE   0
#define FLOW_W      1
#define FLOW_W2     3
#define FLOW_W4     3
#define FLOW_WA     3
#define FLOW_WA2    3
#define FLOW_R      2
#define FLOW_R2     3
#define FLOW_R4     3
#define FLOW_PW     0
#define FLOW_PR     0
#define FLOW_PN     0
#define FLOW_SR     0
#define FLOW_FA     0
#define FLOW_FB     0
#define FLOW_FC     0
#define FLOW_WTA    0
#define FLOW_WTB    0
#define FLOW_WTC    0
#define FLOW_TA     0
#define FLOW_TB     0
#define FLOW_TC     0
#define FLOW_ABTYPE 0
#define FLOW_CTYPE  0
#define FLOW_PLACE  0

#define SHAPE(rd, rs1, rs2, rs3, rs4) ((rd) | (rs1) << 2 | (rs2) << 4 | (rs3) << 6 | (rs4) << 8)
#define SHAPE_FLOW(shape)                                                                          \
    ((shape) == SHAPE(0, 0, 0, 0, 0)   ? FE_FLOW_NONE                                              \
     : (shape) == SHAPE(1, 0, 0, 0, 0) ? FE_FLOW_W                                                 \
     : (shape) == SHAPE(1, 2, 0, 0, 0) ? FE_FLOW_W_R                                               \
     : (shape) == SHAPE(1, 2, 2, 0, 0) ? FE_FLOW_W_R_R                                             \
     : (shape) == SHAPE(1, 2, 2, 2, 0) ? FE_FLOW_W_R_R_R                                           \
     : (shape) == SHAPE(0, 2, 2, 0, 0) ? FE_FLOW_X_R_R                                             \
                                       : FE_FLOW_SPANS)

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

#define IS_TILE(id) (ISA_##id >= ISA_TILE_LOAD_A && ISA_##id <= ISA_TILE_FILL_C)
#define ID_USES(id, op)                                                                            \
    (IS_TILE(id)               ? WAVE_USES_TILE                                                    \
     : (op) == 0x40            ? WAVE_USES_MMA                                                     \
     : ISA_##id == ISA_BARRIER ? WAVE_USES_BARRIER                                                 \
     : ISA_##id == ISA_CALL    ? WAVE_USES_CALL                                                    \
     : ISA_##id == ISA_ASSERT  ? WAVE_USES_ASSERT                                                  \
                               : 0)
#define CLASS_USES(cls, size)                                                                      \
    (ISA_CLASS_##cls != ISA_CLASS_ATOMIC ? 0                                                       \
     : (size) == 8                       ? WAVE_USES_ATOMIC | WAVE_USES_ATOMIC_64                  \
                                         : WAVE_USES_ATOMIC)
/* Fences are operations of the wave too. */
#define WAVE_USES(id, flg) (((flg)&CONVERGENT) && ISA_##id != ISA_BARRIER ? WAVE_USES_WAVE_OPS : 0)

#define IS_SCOPE(tl) (ISA_TAIL_##tl == ISA_TAIL_SCOPE)
#define FLAGS(id, flg, rs1, tl)                                                                    \
    ((IS_TILE(id) ? FE_OP_TILE : 0) | (((flg)&CONTROL) ? FE_OP_CONTROL : 0) |                      \
     (ISA_ROLE_##rs1 == ISA_ROLE_SR ? FE_OP_SPECIAL : 0) | (IS_SCOPE(tl) ? FE_OP_SCOPE : 0))
#define ZERO_WORD0(rd, rs1, flg)                                                                   \
    (ZERO_##rd << 16 | ZERO_##rs1 << 8 | 8u | (((flg)&UNGUARDED) ? 7u : 0u))
#define ZERO_WORD1(nwords, rs2, rs3, rs4, tl)                                                      \
    ((nwords) == 1 || HAS_IMM_##tl                                                                 \
         ? 0u                                                                                      \
         : ZERO_##rs2 << 24 | ZERO_##rs3 << 16 | ZERO_##rs4 << 8 | REST_##tl)

/* Special registers above 15 need inspection: not all of them exist, and no mask can express
 * which. */
#define SPECIAL_BITS(rs1) (ISA_ROLE_##rs1 == ISA_ROLE_SR ? 0xF000u : 0u)
_Static_assert(ISA_SPECIAL_COUNT >= 16, "the special registers up to 15 exist");

#define UNUSUAL(id, nwords, rd, rs1, rs2, rs3, rs4, tl, flg)                                       \
    (((flg)&CONTROL) || IS_SCOPE(tl) || IS_TILE(id)                                                \
         ? UINT64_MAX                                                                              \
         : (uint64_t)ZERO_WORD1(nwords, rs2, rs3, rs4, tl) << 32 | ZERO_WORD0(rd, rs1, flg) |      \
               SPECIAL_BITS(rs1))
#define USES(id, op, src, res, size, cls, flg)                                                     \
    (TYPE_USES_##src | TYPE_USES_##res | ID_USES(id, op) | CLASS_USES(cls, size) |                 \
     WAVE_USES(id, flg) | (((flg) & (LOCAL | DEVICE)) == LOCAL ? WAVE_USES_LOCAL : 0) |            \
     (((flg)&PRIVATE) ? WAVE_USES_PRIVATE : 0) | (((flg)&CONSTANT) ? WAVE_USES_CONSTANT : 0) |     \
     (((flg)&EXTENSION) ? FE_USES_EXTENSION : 0))

const fe_op_table fe_ops = {
    .unusual =
        {
            [ISA_NONE] = UINT64_MAX,
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = UNUSUAL(id, nwords, rd, rs1, rs2, rs3, rs4, tl, flg),
#include "isa/isa.def"
#undef INSN
        },
    .operands =
        {
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = (nwords) == 1 || HAS_IMM_##tl ? 0u : 0xFFFFFF00u,
#include "isa/isa.def"
#undef INSN
        },
    .immediate =
        {
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = HAS_IMM_##tl ? 0xFFFFFFFFu : 0u,
#include "isa/isa.def"
#undef INSN
        },
    .uses =
        {
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = USES(id, op, src, res, size, cls, flg),
#include "isa/isa.def"
#undef INSN
        },
    .bytes =
        {
            [ISA_NONE] = 4,
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = (nwords)*4,
#include "isa/isa.def"
#undef INSN
        },
    .flags =
        {
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = FLAGS(id, flg, rs1, tl),
#include "isa/isa.def"
#undef INSN
        },
    .zero0 =
        {
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = ZERO_WORD0(rd, rs1, flg),
#include "isa/isa.def"
#undef INSN
        },
    .zero1 =
        {
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = ZERO_WORD1(nwords, rs2, rs3, rs4, tl),
#include "isa/isa.def"
#undef INSN
        },
    .flow =
        {
            [ISA_NONE] = FE_FLOW_NONE,
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] =                                                                                   \
        ((flg)&CONTROL)                                                                            \
            ? FE_FLOW_CONTROL                                                                      \
            : SHAPE_FLOW(SHAPE(FLOW_##rd, FLOW_##rs1, FLOW_##rs2, FLOW_##rs3, FLOW_##rs4)),
#include "isa/isa.def"
#undef INSN
        },
    .mnemonic_length =
        {
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = sizeof(name) - 1,
#include "isa/isa.def"
#undef INSN
        },
};

const fe_span fe_spans[ISA_OP_COUNT] = {
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = {.written = WRITTEN((SPAN_##rd)),                                                 \
                  .discards = ISA_ROLE_##rd == ISA_ROLE_WA || ISA_ROLE_##rd == ISA_ROLE_WA2,       \
                  .read = {READ((SPAN_##rd)), READ((SPAN_##rs1)), READ((SPAN_##rs2)),              \
                           READ((SPAN_##rs3)), READ((SPAN_##rs4))}},
#include "isa/isa.def"
#undef INSN
};

/* Undefined encodings take one word: the reader continues at the next. */
const uint8_t fe_words[4096] = {
#define INSN(id, name, op, mod, nwords, ...) [(op) << 4 | (mod)] = (nwords)-1,
#include "isa/isa.def"
#undef INSN
};
