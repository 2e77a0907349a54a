/* MMA fragments to and from local memory; the product itself is in lanes.h. A fragment is 16 rows
 * of lanes, row 4r + c being element [r][c]. */
#include "emu/lane_memory.h"

/* Reports one element to the observers as a separate access. */
static void tell(const emu_machine *m, wave_access_kind kind, uint32_t lane, uint32_t address,
                 uint32_t word) {
    const uint32_t value[4] = {word};
    emu_tell_access(m, WAVE_SPACE_LOCAL, kind, lane, address, 4, 0, value);
}

/* Both directions: lanes in order, and for each lane the elements row by row. */
EMU_INLINE void move_fragment(emu_machine *m, const emu_wave *w, const emu_insn *in, uint64_t lanes,
                              const uint32_t *base, const uint32_t *stride, uint32_t *rows,
                              wave_access_kind kind) {
    const size_t row = m->stride;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes);
        uint32_t address = base[lane];
        uint32_t *word = rows + lane;
        for (uint32_t e = 0; e < 16; e++, word += row) {
            uint8_t *bytes = emu_access(m, w, in, WAVE_SPACE_LOCAL, kind, lane, address, 4);
            if (!bytes)
                return;
            if (kind == WAVE_LOAD)
                *word = emu_get(bytes, 4);
            else
                emu_put(bytes, *word, 4);
            if (m->watch_access)
                tell(m, kind, lane, address, *word);
            address += e % 4 < 3 ? 4 : stride[lane] - 12;
        }
    }
}

void emu_mma_load_a(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    move_fragment(m, w, in, lanes, w->regs + in->rs1[0], w->regs + in->rs2[0], w->fragments + in->a,
                  WAVE_LOAD);
}

void emu_mma_load_b(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    move_fragment(m, w, in, lanes, w->regs + in->rs1[0], w->regs + in->rs2[0], w->fragments + in->b,
                  WAVE_LOAD);
}

void emu_mma_store_c(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    move_fragment(m, w, in, lanes, w->regs + in->rd[0], w->regs + in->rs1[0], w->fragments + in->c,
                  WAVE_STORE);
}
