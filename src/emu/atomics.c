/* Atomics: executing lanes act one after another, lowest first. Scopes have no effect because
 * memory is sequentially consistent. */
#include "base/scalar.h"
#include "emu/lane_memory.h"

typedef uint32_t combine(uint32_t old, uint32_t value, uint32_t other);

static uint32_t fadd(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return sc_fadd(old, value);
}

static uint32_t flushed_fadd(uint32_t old, uint32_t value) {
    return emu_flush_word(sc_fadd(emu_flush_word(old), emu_flush_word(value)));
}

EMU_INLINE void run_atomic(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                           wave_space space, wave_access_kind kind, combine *f) {
    const uint32_t *address = w->regs + in->rs1[0];
    const uint32_t *value = w->regs + in->rs2[0], *other = w->regs + in->rs3[0];
    /* The trash row when there is no result. */
    uint32_t *old =
        w->regs +
        (kind == WAVE_ATOMIC_STORE ? (m->registers + EMU_ROW_TRASH) * m->stride : in->rd[0]);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = emu_lowest(lanes), at = address[lane];
        uint8_t *word = emu_access(m, w, in, space, kind, lane, at, 4);
        if (!word)
            return;
        uint32_t before = emu_get(word, 4), after = f(before, value[lane], other[lane]);
        if (f == fadd && m->launch->flush_subnormals)
            after = flushed_fadd(before, value[lane]);
        uint32_t told[4] = {kind == WAVE_ATOMIC_STORE ? after : before};
        emu_put(word, after, 4);
        old[lane] = before;
        if (m->watch_access)
            emu_tell_access(m, space, kind, lane, at, 4, in->value, told);
    }
}

static uint32_t add(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return old + value;
}

static uint32_t sub(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return old - value;
}

static uint32_t min(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return sc_umin(old, value);
}

static uint32_t max(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return sc_umax(old, value);
}

static uint32_t bits_and(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return old & value;
}

static uint32_t bits_or(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return old | value;
}

static uint32_t bits_xor(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return old ^ value;
}

static uint32_t exchange(uint32_t old, uint32_t value, uint32_t other) {
    (void)old;
    (void)other;
    return value;
}

static uint32_t cas(uint32_t old, uint32_t expected, uint32_t desired) {
    return old == expected ? desired : old;
}

static uint32_t imin(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return sc_imin(old, value);
}

static uint32_t imax(uint32_t old, uint32_t value, uint32_t other) {
    (void)other;
    return sc_imax(old, value);
}

static uint32_t load(uint32_t old, uint32_t value, uint32_t other) {
    (void)value;
    (void)other;
    return old;
}

#define ATOMIC_AS(name, kind, f)                                                                   \
    void emu_atomic_##name(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {      \
        run_atomic(m, w, in, lanes, WAVE_SPACE_DEVICE, kind, f);                                   \
    }                                                                                              \
    void emu_local_atomic_##name(emu_machine *m, emu_wave *w, const emu_insn *in,                  \
                                 uint64_t lanes) {                                                 \
        run_atomic(m, w, in, lanes, WAVE_SPACE_LOCAL, kind, f);                                    \
    }
#define ATOMIC(name) ATOMIC_AS(name, WAVE_ATOMIC, name)

ATOMIC(add)
ATOMIC(sub)
ATOMIC(min)
ATOMIC(max)
ATOMIC_AS(and, WAVE_ATOMIC, bits_and)
ATOMIC_AS(or, WAVE_ATOMIC, bits_or)
ATOMIC_AS(xor, WAVE_ATOMIC, bits_xor)
ATOMIC(exchange)
ATOMIC(cas)
ATOMIC(fadd)
ATOMIC(imin)
ATOMIC(imax)
ATOMIC_AS(load, WAVE_ATOMIC_LOAD, load)
ATOMIC_AS(store, WAVE_ATOMIC_STORE, exchange)
