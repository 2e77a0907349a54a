/* Loads and stores one lane at a time, with all special cases: guards, bounds, alignment,
 * observers. The fast path without them is in lanes.h. */
#include "emu/lane_memory.h"

const char *wave_space_name(wave_space space) {
    static const char *const names[WAVE_SPACE_COUNT] = {[WAVE_SPACE_LOCAL] = "local",
                                                        [WAVE_SPACE_DEVICE] = "device",
                                                        [WAVE_SPACE_PRIVATE] = "private",
                                                        [WAVE_SPACE_CONSTANT] = "constant"};
    return (unsigned)space < WAVE_SPACE_COUNT ? names[space] : NULL;
}

static const char *kind_name(wave_access_kind kind) {
    static const char *const names[] = {[WAVE_LOAD] = "load",
                                        [WAVE_STORE] = "store",
                                        [WAVE_ATOMIC] = "atomic",
                                        [WAVE_ATOMIC_LOAD] = "atomic load",
                                        [WAVE_ATOMIC_STORE] = "atomic store"};
    return names[kind];
}

uint8_t *emu_odd_access(emu_machine *m, const emu_wave *w, const emu_insn *in, wave_space space,
                        wave_access_kind kind, uint32_t lane, uint32_t address, uint32_t bytes) {
    const uint64_t size = emu_space_size(m, space);
    if ((uint64_t)address + bytes > size) {
        if (m->launch->bounds)
            return memset(m->outside, 0, sizeof m->outside);
        emu_fail(m, w, in, lane, DIAG_E_OUT_OF_BOUNDS,
                 "%s %s of %u byte%s at 0x%08x is outside the %llu bytes of %s memory",
                 wave_space_name(space), kind_name(kind), bytes, bytes == 1 ? "" : "s", address,
                 (unsigned long long)size, wave_space_name(space));
        return NULL;
    }
    if (address & (bytes - 1)) {
        if (kind >= WAVE_ATOMIC || m->launch->strict_align) {
            emu_fail(m, w, in, lane, DIAG_E_MISALIGNED,
                     "%s %s of %u bytes at 0x%08x is not aligned to %u bytes",
                     wave_space_name(space), kind_name(kind), bytes, address, bytes);
            return NULL;
        }
        emu_warn(m, w, in, lane, EMU_WARN_MISALIGNED, DIAG_W_MISALIGNED,
                 "%s %s of %u bytes at 0x%08x is not aligned to %u bytes", wave_space_name(space),
                 kind_name(kind), bytes, address, bytes);
    }
    return emu_space_bytes(m, w, space) + lane * emu_lane_distance(m, space) + address;
}

void emu_tell_access(const emu_machine *m, wave_space space, wave_access_kind kind, uint32_t lane,
                     uint32_t address, uint32_t bytes, uint32_t scope, const uint32_t value[4]) {
    const wave_access access = {.space = space,
                                .kind = kind,
                                .lane = lane,
                                .address = address,
                                .bytes = bytes,
                                .scope = scope,
                                .value = {value[0], value[1], value[2], value[3]}};
    if (emu_outside(m, space, address, bytes))
        return;
    for (size_t i = 0; i < m->observer_count; i++)
        if (m->observers[i].access)
            m->observers[i].access(m->observers[i].user, &m->step, &access);
}

static uint32_t word_count(uint32_t bytes) {
    return bytes <= 4 ? 1 : bytes / 4;
}

void emu_load_lanes(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                    wave_space space, uint32_t bytes) {
    const uint32_t words = word_count(bytes), each = bytes < 4 ? bytes : 4;
    const uint32_t *addresses = w->regs + in->rs1[0];
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = emu_lowest(lanes), address = addresses[lane], value[4] = {0};
        const uint8_t *from = emu_access(m, w, in, space, WAVE_LOAD, lane, address, bytes);
        if (!from)
            return;
        for (uint32_t k = 0; k < words; k++)
            w->regs[in->rd[k] + lane] = value[k] = emu_get(from + 4 * k, each);
        if (m->watch_access)
            emu_tell_access(m, space, WAVE_LOAD, lane, address, bytes, 0, value);
    }
}

void emu_store_lanes(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                     wave_space space, uint32_t bytes) {
    const uint32_t words = word_count(bytes), each = bytes < 4 ? bytes : 4;
    const uint32_t *addresses = w->regs + in->rs1[0];
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = emu_lowest(lanes), address = addresses[lane], value[4] = {0};
        uint8_t *to = emu_access(m, w, in, space, WAVE_STORE, lane, address, bytes);
        if (!to)
            return;
        for (uint32_t k = 0; k < words; k++) {
            value[k] = w->regs[in->rs2[k] + lane];
            emu_put(to + 4 * k, value[k], each);
        }
        if (bytes < 4)
            value[0] &= (1u << 8 * bytes) - 1;
        if (m->watch_access)
            emu_tell_access(m, space, WAVE_STORE, lane, address, bytes, 0, value);
    }
}
