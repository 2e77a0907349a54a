/* The handlers of loads, stores, atomics, tiles and fences when memory has views. */
#include "emu/lane_memory.h"
#include "emu/tile.h"
#include "emu/views.h"

static wave_space space_of(const emu_insn *in) {
    return isa_table[in->op].flags & ISA_LOCAL ? WAVE_SPACE_LOCAL : WAVE_SPACE_DEVICE;
}

static void tell(const emu_machine *m, const emu_insn *in, wave_access_kind kind, uint32_t lane,
                 uint32_t address, const uint32_t value[4]) {
    if (m->watch_access)
        emu_tell_access(m, space_of(in), kind, lane, address, isa_table[in->op].bytes, 0, value);
}

static void load(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const uint32_t bytes = isa_table[in->op].bytes, words = bytes <= 4 ? 1 : bytes / 4;
    const uint32_t *addresses = w->regs + in->rs1[0];
    for (; lanes && m->status == WAVE_OK; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes), address = addresses[lane];
        uint32_t value[4] = {0};
        if (!emu_access(m, w, in, space_of(in), WAVE_LOAD, lane, address, bytes))
            return;
        emu_views_load(m, w, space_of(in), lane, address, bytes, value);
        for (uint32_t k = 0; k < words; k++)
            w->regs[in->rd[k] + lane] = value[k];
        tell(m, in, WAVE_LOAD, lane, address, value);
    }
}

static void store(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const uint32_t bytes = isa_table[in->op].bytes, words = bytes <= 4 ? 1 : bytes / 4;
    const uint32_t *addresses = w->regs + in->rs1[0];
    emu_views_begin_stores(m);
    for (; lanes && m->status == WAVE_OK; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes), address = addresses[lane];
        uint32_t value[4] = {0};
        if (!emu_access(m, w, in, space_of(in), WAVE_STORE, lane, address, bytes))
            return;
        for (uint32_t k = 0; k < words; k++)
            value[k] = w->regs[in->rs2[k] + lane];
        if (bytes < 4)
            value[0] &= (1u << 8 * bytes) - 1;
        emu_views_store(m, w, space_of(in), lane, address, bytes, value);
        tell(m, in, WAVE_STORE, lane, address, value);
    }
}

/* The plain handler acts on memory, one lane at a time; it reports invalid addresses. */
static void atomic(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const uint32_t *addresses = w->regs + in->rs1[0];
    const wave_space space = space_of(in);
    const uint32_t bytes = isa_table[in->op].bytes;
    const uint64_t size = space == WAVE_SPACE_LOCAL ? m->local_size : m->device_size;
    for (; lanes && m->status == WAVE_OK; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes), address = addresses[lane];
        if (address % bytes == 0 && (uint64_t)address + bytes <= size)
            for (uint32_t k = 0; k < bytes; k += 4)
                emu_views_settle(m, w, space, lane, address + k);
        m->handlers[in->op](m, w, in, lanes & (0 - lanes));
    }
}

static void move_fragment(emu_machine *m, const emu_wave *w, const emu_insn *in, uint64_t lanes,
                          const uint32_t *base, const uint32_t *stride, uint32_t *rows,
                          wave_access_kind kind) {
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes);
        uint32_t address = base[lane];
        for (uint32_t e = 0; e < 16; e++) {
            uint32_t *element = rows + (size_t)e * m->stride + lane, value[4] = {*element};
            if (!emu_access(m, w, in, WAVE_SPACE_LOCAL, kind, lane, address, 4))
                return;
            if (kind == WAVE_LOAD)
                emu_views_load(m, w, WAVE_SPACE_LOCAL, lane, address, 4, value);
            else
                emu_views_store(m, w, WAVE_SPACE_LOCAL, lane, address, 4, value);
            *element = value[0];
            tell(m, in, kind, lane, address, value);
            address += e % 4 < 3 ? 4 : stride[lane] - 12;
        }
    }
}

static void load_a(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    move_fragment(m, w, in, lanes, w->regs + in->rs1[0], w->regs + in->rs2[0], w->fragments + in->a,
                  WAVE_LOAD);
}

static void load_b(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    move_fragment(m, w, in, lanes, w->regs + in->rs1[0], w->regs + in->rs2[0], w->fragments + in->b,
                  WAVE_LOAD);
}

static void store_c(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_views_begin_stores(m);
    move_fragment(m, w, in, lanes, w->regs + in->rd[0], w->regs + in->rs1[0], w->fragments + in->c,
                  WAVE_STORE);
}

/* Moves one element, or a whole piece if it is entirely inside. */
static bool move_bytes(emu_machine *m, emu_wave *w, const emu_insn *in, wave_access_kind kind,
                       uint32_t lane, uint32_t address, uint32_t bytes, uint32_t value[4]) {
    const wave_space space = emu_tile_space(in);
    if (!emu_access(m, w, in, space, kind, lane, address, bytes))
        return false;
    if (kind == WAVE_LOAD)
        emu_views_load(m, w, space, lane, address, bytes, value);
    else
        emu_views_store(m, w, space, lane, address, bytes, value);
    if (m->watch_access)
        emu_tell_access(m, space, kind, lane, address, bytes, 0, value);
    return m->status == WAVE_OK;
}

static void tile(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_views_begin_stores(m);
    emu_tile_move(m, w, in, lanes, move_bytes);
}

static void fence(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    if (lanes)
        emu_views_fence(m, w, lanes, in->op != ISA_FENCE_RELEASE, in->op != ISA_FENCE_ACQUIRE,
                        in->value);
}

emu_handler *emu_views_handler(isa_op op, emu_handler *plain) {
    switch (op) {
    case ISA_FENCE_ACQUIRE:
    case ISA_FENCE_RELEASE:
    case ISA_FENCE_ACQ_REL:
    case ISA_FENCE_SC: return fence;
    case ISA_MMA_LOAD_A: return load_a;
    case ISA_MMA_LOAD_B: return load_b;
    case ISA_MMA_STORE_C: return store_c;
    case ISA_TILE_LOAD_A:
    case ISA_TILE_LOAD_B:
    case ISA_TILE_LOAD_C:
    case ISA_TILE_STORE_C: return tile;
    default: break;
    }
    const isa_desc *d = &isa_table[op];
    if (d->klass == ISA_CLASS_ATOMIC)
        return atomic;
    if (d->klass == ISA_CLASS_MEMORY && d->flags & (ISA_LOCAL | ISA_DEVICE))
        return d->flags & ISA_WRITES ? store : load;
    return plain;
}
