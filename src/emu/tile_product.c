/* Products of tiles that are not computed by f32 steps: integers, those of matrix units, and f32
 * with subnormals flushed. */
#include "base/mma_model.h"
#include "base/scalar.h"
#include "emu/tile.h"

static uint32_t widened(isa_tile_type type, uint32_t bits) {
    switch (type) {
    case ISA_TILE_F16: return sc_cvt_f32_f16(bits);
    case ISA_TILE_BF16: return bits << 16;
    case ISA_TILE_I8: return bits & 0x80 ? bits | 0xFFFFFF00u : bits;
    default: return bits;
    }
}

static void multiply_integers(emu_product *p) {
    for (uint32_t i = 0; i < ISA_TILE_SIDE; i++)
        for (uint32_t k = 0; k < ISA_TILE_SIDE; k++)
            for (uint32_t j = 0; j < ISA_TILE_SIDE; j++)
                p->d[i * ISA_TILE_SIDE + j] +=
                    p->a[i * ISA_TILE_SIDE + k] * p->b[k * ISA_TILE_SIDE + j];
}

static void multiply_flushed(emu_product *p) {
    for (uint32_t e = 0; e < ISA_TILE_ELEMENTS; e++) {
        p->a[e] = emu_flush_word(p->a[e]);
        p->b[e] = emu_flush_word(p->b[e]);
    }
    for (uint32_t e = 0; e < ISA_TILE_ELEMENTS; e++)
        for (uint32_t k = 0; k < ISA_TILE_SIDE; k++)
            p->d[e] = emu_flush_word(sc_fma(p->a[e / ISA_TILE_SIDE * ISA_TILE_SIDE + k],
                                            p->b[k * ISA_TILE_SIDE + e % ISA_TILE_SIDE],
                                            emu_flush_word(p->d[e])));
}

/* Multiplies as the launch's matrix units do. */
static void multiply_natively(wave_mma unit, bool bf16, const emu_tile *a, const emu_tile *b,
                              uint32_t *d) {
    for (uint32_t e = 0; e < ISA_TILE_ELEMENTS; e++) {
        uint16_t row[ISA_TILE_SIDE], column[ISA_TILE_SIDE];
        for (uint32_t k = 0; k < ISA_TILE_SIDE; k++) {
            row[k] = (uint16_t)a->element[e / ISA_TILE_SIDE * ISA_TILE_SIDE + k];
            column[k] = (uint16_t)b->element[k * ISA_TILE_SIDE + e % ISA_TILE_SIDE];
        }
        d[e] = mma_model_dot(unit, bf16, row, column, d[e]);
    }
}

/* Turing's tensor cores have no bf16: unsupported types use plain code, with the results of the
 * ISA. */
static bool has_units(wave_mma mma, isa_tile_type type) {
    return mma != WAVE_MMA_EXACT &&
           (type == ISA_TILE_F16 || (type == ISA_TILE_BF16 && mma != WAVE_MMA_SM_75));
}

bool emu_tile_operands(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                       emu_product *p) {
    const isa_tile_type type = (isa_tile_type)in->type;
    if (!emu_tile_begin_product(m, w, in, lanes))
        return false;
    const emu_tile *a = &w->tiles[in->tile[1]], *b = &w->tiles[in->tile[2]];
    p->d = w->tiles[in->tile[0]].element;
    for (uint32_t e = 0; e < ISA_TILE_ELEMENTS; e++) {
        p->a[e] = widened(type, a->element[e]);
        p->b[e] = widened(type, b->element[e]);
    }
    p->done = true;
    if (isa_tile_sum(type) == ISA_TILE_I32)
        multiply_integers(p);
    else if (has_units(m->launch->mma, type))
        multiply_natively(m->launch->mma, type == ISA_TILE_BF16, a, b, p->d);
    else if (m->launch->flush_subnormals)
        multiply_flushed(p);
    else
        p->done = false;
    return true;
}
