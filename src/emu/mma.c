/* MMA fragments to and from local memory; the product itself is in lanes.h. A fragment is 16 rows
 * of lanes, row 4r + c being element [r][c]. */
#include "emu/lane_memory.h"

/* Tells one element as an access of its own. */
static void tell(const emu_machine *m, wave_access_kind kind, uint32_t lane, uint32_t address,
                 uint32_t word) {
    const uint32_t value[4] = {word};
    if (m->watch_access)
        emu_tell_access(m, WAVE_SPACE_LOCAL, kind, lane, address, 4, 0, value);
}

static void load_fragment(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                          uint32_t *rows) {
    const uint32_t *base = w->regs + in->rs1[0], *stride = w->regs + in->rs2[0];
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = emu_lowest(lanes);
        for (uint32_t e = 0; e < 16; e++) {
            uint32_t address = base[lane] + e / 4 * stride[lane] + e % 4 * 4;
            const uint8_t *from =
                emu_access(m, w, in, WAVE_SPACE_LOCAL, WAVE_LOAD, lane, address, 4);
            if (!from)
                return;
            rows[e * m->stride + lane] = emu_get(from, 4);
            tell(m, WAVE_LOAD, lane, address, rows[e * m->stride + lane]);
        }
    }
}

void emu_mma_load_a(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    load_fragment(m, w, in, lanes, w->fragments + in->a);
}

void emu_mma_load_b(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    load_fragment(m, w, in, lanes, w->fragments + in->b);
}

void emu_mma_store_c(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const uint32_t *base = w->regs + in->rd[0], *stride = w->regs + in->rs1[0];
    const uint32_t *rows = w->fragments + in->c;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = emu_lowest(lanes);
        for (uint32_t e = 0; e < 16; e++) {
            uint32_t address = base[lane] + e / 4 * stride[lane] + e % 4 * 4;
            uint8_t *to = emu_access(m, w, in, WAVE_SPACE_LOCAL, WAVE_STORE, lane, address, 4);
            if (!to)
                return;
            emu_put(to, rows[e * m->stride + lane], 4);
            tell(m, WAVE_STORE, lane, address, rows[e * m->stride + lane]);
        }
    }
}
