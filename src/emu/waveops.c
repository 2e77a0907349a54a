/* Wave operations: shuffles, votes, reductions and the prefix sum over the executing lanes. */
#include "base/scalar.h"
#include "emu/machine.h"

#include <string.h>

/* The value of lane `from`, taken from a copy of the row so that no lane sees another's result. */
EMU_INLINE uint32_t shuffled(emu_machine *m, const emu_wave *w, const emu_insn *in, uint64_t lanes,
                             uint32_t lane, uint64_t from, const uint32_t *values) {
    if (from >= m->width)
        return 0;
    if (lanes >> from & 1)
        return values[from];
    emu_warn(m, w, in, lane, EMU_WARN_SHUFFLE, DIAG_W_SHUFFLE_INACTIVE,
             "the source lane %u does not execute this instruction", (unsigned)from);
    return 0;
}

typedef uint64_t source_lane(uint32_t lane, uint32_t operand);

EMU_INLINE void shuffle(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                        source_lane *source) {
    uint32_t values[ISA_MAX_WIDTH], *d = w->regs + in->rd[0];
    const uint32_t *operand = w->regs + in->rs2[0];
    memcpy(values, w->regs + in->rs1[0], m->stride * sizeof *values);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = emu_lowest(rest);
        d[lane] = shuffled(m, w, in, lanes, lane, source(lane, operand[lane]), values);
    }
}

static uint64_t source_index(uint32_t lane, uint32_t operand) {
    (void)lane;
    return operand;
}

/* Below lane 0 the difference wraps to a number that no lane has. */
static uint64_t source_up(uint32_t lane, uint32_t operand) {
    return (uint64_t)lane - operand;
}

static uint64_t source_down(uint32_t lane, uint32_t operand) {
    return (uint64_t)lane + operand;
}

static uint64_t source_xor(uint32_t lane, uint32_t operand) {
    return lane ^ operand;
}

void emu_wave_shuffle(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    shuffle(m, w, in, lanes, source_index);
}

void emu_wave_shuffle_up(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    shuffle(m, w, in, lanes, source_up);
}

void emu_wave_shuffle_down(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    shuffle(m, w, in, lanes, source_down);
}

void emu_wave_shuffle_xor(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    shuffle(m, w, in, lanes, source_xor);
}

static void store_all(emu_wave *w, uint16_t row, uint64_t lanes, uint32_t value) {
    uint32_t *d = w->regs + row;
    if (lanes == w->all)
        for (uint32_t i = 0; i < w->count; i++)
            d[i] = value;
    else
        for (; lanes; lanes &= lanes - 1)
            d[emu_lowest(lanes)] = value;
}

void emu_wave_broadcast(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    if (lanes == 0)
        return;
    uint32_t lowest = emu_lowest(lanes), from = w->regs[in->rs2[0] + lowest];
    store_all(w, in->rd[0], lanes, shuffled(m, w, in, lanes, lowest, from, w->regs + in->rs1[0]));
}

void emu_wave_ballot(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    if (m->width > 32 && lanes)
        emu_warn(m, w, in, EMU_NO_LANE, EMU_WARN_BALLOT, DIAG_W_BALLOT_WIDTH,
                 "wave_ballot covers lanes 0 to 31, but the wave has %u lanes", m->width);
    store_all(w, in->rd[0], lanes, (uint32_t)(w->pred[in->ps] & lanes));
}

void emu_wave_ballot64(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    (void)m;
    const uint64_t ballot = w->pred[in->ps] & lanes;
    store_all(w, in->rd[0], lanes, (uint32_t)ballot);
    store_all(w, in->rd[1], lanes, (uint32_t)(ballot >> 32));
}

static void set_predicate(uint64_t *d, uint64_t lanes, bool value) {
    *d = value ? *d | lanes : *d & ~lanes;
}

void emu_wave_any(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    (void)m;
    set_predicate(&w->pred[in->pd], lanes, (w->pred[in->ps] & lanes) != 0);
}

void emu_wave_all(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    (void)m;
    set_predicate(&w->pred[in->pd], lanes, (w->pred[in->ps] & lanes) == lanes);
}

void emu_wave_prefix_sum(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    (void)m;
    const uint32_t *a = w->regs + in->rs1[0];
    uint32_t *d = w->regs + in->rd[0], sum = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = emu_lowest(lanes), value = a[lane];
        d[lane] = sum;
        sum += value;
    }
}

typedef uint32_t combine(uint32_t, uint32_t);

EMU_INLINE void reduce(emu_wave *w, const emu_insn *in, uint64_t lanes, combine *f) {
    if (lanes == 0)
        return;
    const uint32_t *a = w->regs + in->rs1[0];
    uint32_t result = a[emu_lowest(lanes)];
    for (uint64_t rest = lanes & (lanes - 1); rest; rest &= rest - 1)
        result = f(result, a[emu_lowest(rest)]);
    store_all(w, in->rd[0], lanes, result);
}

#define REDUCE(name, f)                                                                            \
    void emu_wave_reduce_##name(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) { \
        (void)m;                                                                                   \
        reduce(w, in, lanes, f);                                                                   \
    }

REDUCE(add, sc_iadd)
REDUCE(min, sc_umin)
REDUCE(max, sc_umax)
REDUCE(and, sc_and)
REDUCE(or, sc_or)
REDUCE(xor, sc_xor)
