/* 64-bit atomics on register pairs: like atomics.c, twice as wide. */
#include "emu/lane_memory.h"

typedef uint64_t combine(uint64_t old, uint64_t value, uint64_t other);

static uint64_t get_pair(const emu_wave *w, const uint16_t rows[2], uint32_t lane) {
    return w->regs[rows[0] + lane] | (uint64_t)w->regs[rows[1] + lane] << 32;
}

EMU_INLINE void run_atomic(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                           wave_space space, wave_access_kind kind, combine *f) {
    const uint32_t *address = w->regs + in->rs1[0];
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes), at = address[lane];
        uint8_t *bytes = emu_access(m, w, in, space, kind, lane, at, 8);
        if (!bytes)
            return;
        const uint64_t before = emu_get(bytes, 4) | (uint64_t)emu_get(bytes + 4, 4) << 32;
        const uint64_t after = f(before, get_pair(w, in->rs2, lane), get_pair(w, in->rs3, lane));
        const uint64_t shown = kind == WAVE_ATOMIC_STORE ? after : before;
        const uint32_t told[4] = {(uint32_t)shown, (uint32_t)(shown >> 32)};
        emu_put(bytes, (uint32_t)after, 4);
        emu_put(bytes + 4, (uint32_t)(after >> 32), 4);
        if (kind != WAVE_ATOMIC_STORE) {
            w->regs[in->rd[0] + lane] = (uint32_t)before;
            w->regs[in->rd[1] + lane] = (uint32_t)(before >> 32);
        }
        if (m->watch_access)
            emu_tell_access(m, space, kind, lane, at, 8, in->value, told);
    }
}

#define COMBINE(name, result)                                                                      \
    static uint64_t name(uint64_t old, uint64_t value, uint64_t other) {                           \
        (void)old;                                                                                 \
        (void)value;                                                                               \
        (void)other;                                                                               \
        return result;                                                                             \
    }

/* Signed order is unsigned order with the sign bit inverted. */
static bool is_less(uint64_t a, uint64_t b) {
    const uint64_t sign = (uint64_t)1 << 63;
    return (a ^ sign) < (b ^ sign);
}

COMBINE(plus, old + value)
COMBINE(minus, old - value)
COMBINE(lower, value < old ? value : old)
COMBINE(higher, value > old ? value : old)
COMBINE(both, (old & value))
COMBINE(either, old | value)
COMBINE(differ, old ^ value)
COMBINE(newer, value)
COMBINE(swap, old == value ? other : old)
COMBINE(signed_lower, is_less(value, old) ? value : old)
COMBINE(signed_higher, is_less(old, value) ? value : old)
COMBINE(same, old)

#define ATOMIC_AS(name, kind, f)                                                                   \
    void emu_atomic64_##name(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {    \
        run_atomic(m, w, in, lanes, WAVE_SPACE_DEVICE, kind, f);                                   \
    }                                                                                              \
    void emu_local_atomic64_##name(emu_machine *m, emu_wave *w, const emu_insn *in,                \
                                   uint64_t lanes) {                                               \
        run_atomic(m, w, in, lanes, WAVE_SPACE_LOCAL, kind, f);                                    \
    }
#define ATOMIC(name, f) ATOMIC_AS(name, WAVE_ATOMIC, f)

ATOMIC(add, plus)
ATOMIC(sub, minus)
ATOMIC(min, lower)
ATOMIC(max, higher)
ATOMIC(and, both)
ATOMIC(or, either)
ATOMIC(xor, differ)
ATOMIC(exchange, newer)
ATOMIC(cas, swap)
ATOMIC(imin, signed_lower)
ATOMIC(imax, signed_higher)
ATOMIC_AS(load, WAVE_ATOMIC_LOAD, same)
ATOMIC_AS(store, WAVE_ATOMIC_STORE, newer)
