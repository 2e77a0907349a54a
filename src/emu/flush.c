/* --subnormals=flush: f32 arithmetic as on hardware that treats subnormals as zeros of the same
 * sign, operands as well as results. One table lists the instructions that flush. Those that only
 * move or change bits (mov, select, fneg, fabs, cvt_f32_bf16, cvt_bf16_f32) do not, and flog2 takes
 * its operand apart as an integer on every target. f16 and f64 keep their subnormals. */
#include "base/scalar.h"
#include "emu/machine.h"

enum { IN = 1, OUT = 2, BOTH = IN | OUT, HALVES = 4 /* bf16, with the exponents of f32 */ };

static const uint8_t flushes[ISA_OP_COUNT] = {
    [ISA_FADD] = BOTH,           [ISA_FSUB] = BOTH,
    [ISA_FMUL] = BOTH,           [ISA_FMA] = BOTH,
    [ISA_FDIV] = BOTH,           [ISA_FMIN] = BOTH,
    [ISA_FMAX] = BOTH,           [ISA_FCLAMP] = BOTH,
    [ISA_FSQRT] = BOTH,          [ISA_FRSQRT] = BOTH,
    [ISA_FRCP] = BOTH,           [ISA_FFLOOR] = BOTH,
    [ISA_FCEIL] = BOTH,          [ISA_FROUND] = BOTH,
    [ISA_FTRUNC] = BOTH,         [ISA_FFRACT] = BOTH,
    [ISA_FSAT] = BOTH,           [ISA_FSIN] = BOTH,
    [ISA_FCOS] = BOTH,           [ISA_FEXP2] = BOTH,
    [ISA_FCMP_EQ] = IN,          [ISA_FCMP_NE] = IN,
    [ISA_FCMP_LT] = IN,          [ISA_FCMP_LE] = IN,
    [ISA_FCMP_GT] = IN,          [ISA_FCMP_GE] = IN,
    [ISA_CVT_F64_F32] = IN,      [ISA_CVT_F32_F64] = OUT,
    [ISA_BADD] = BOTH | HALVES,  [ISA_BSUB] = BOTH | HALVES,
    [ISA_BMUL] = BOTH | HALVES,  [ISA_BMA] = BOTH | HALVES,
    [ISA_BADD2] = BOTH | HALVES, [ISA_BMUL2] = BOTH | HALVES,
    [ISA_BMA2] = BOTH | HALVES,
};

static uint32_t flush_halves(uint32_t word) {
    uint32_t low = word & 0x7F80u ? 0xFFFFu : 0x8000u;
    uint32_t high = word & 0x7F800000u ? 0xFFFF0000u : 0x80000000u;
    return word & (low | high);
}

static uint32_t flush(uint32_t word, bool halves) {
    return halves ? flush_halves(word) : emu_flush_word(word);
}

/* Sources are flushed into separate rows, so that the registers keep their contents. */
static void arithmetic(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const unsigned what = flushes[in->op];
    const bool halves = (what & HALVES) != 0;
    emu_insn own = *in;
    uint16_t *const rows[3] = {&own.rs1[0], &own.rs2[0], &own.rs3[0]};
    for (uint32_t k = 0; k < 3 && (what & IN); k++) {
        uint16_t scratch = (uint16_t)((m->registers + EMU_ROW_FLUSHED + k) * m->stride);
        for (uint32_t lane = 0; lane < m->stride; lane++)
            w->regs[scratch + lane] = flush(w->regs[*rows[k] + lane], halves);
        *rows[k] = scratch;
    }
    m->handlers[in->op](m, w, &own, lanes);
    for (; lanes && (what & OUT); lanes &= lanes - 1) {
        uint32_t *word = &w->regs[in->rd[0] + emu_lowest(lanes)];
        *word = flush(*word, halves);
    }
}

/* The products of lanes.h, each flushed. */
static void multiply(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const size_t row = m->stride;
    const uint32_t *a = w->fragments + in->a, *b = w->fragments + in->b;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes);
        for (size_t e = 0; e < 16; e++) {
            uint32_t *c = w->fragments + in->c + e * row + lane;
            for (size_t k = 0; k < 4; k++)
                *c = emu_flush_word(sc_fma(emu_flush_word(a[(e / 4 * 4 + k) * row + lane]),
                                           emu_flush_word(b[(4 * k + e % 4) * row + lane]),
                                           emu_flush_word(*c)));
        }
    }
}

emu_handler *emu_flush_handler(isa_op op, emu_handler *plain) {
    if (op == ISA_MMA_COMPUTE)
        return multiply;
    return flushes[op] ? arithmetic : plain;
}
