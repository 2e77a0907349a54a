/* Tile instructions: the requirements of ISA 9.2 on the wave and the operands, and moving tiles to
 * and from memory. The product of f32 steps is in lanes.h, other products are in tile_product.c. */
#include "emu/tile.h"
#include "emu/lane_memory.h"

#include <string.h>

/* ---- Checks ---- */

/* Every lane exists and participates. */
static bool is_whole(emu_machine *m, const emu_wave *w, const emu_insn *in, uint64_t lanes) {
    if (w->count < m->width)
        emu_fail(m, w, in, EMU_NO_LANE, DIAG_E_TILE_DIVERGENCE,
                 "a tile needs a whole wave, but this one has %u of %u lanes", w->count, m->width);
    else if (lanes != w->all)
        emu_fail(m, w, in, EMU_NO_LANE, DIAG_E_TILE_DIVERGENCE,
                 "only %u of the wave's %u lanes execute this", emu_lane_count(lanes), w->count);
    return m->status == WAVE_OK;
}

/* The value of a register that is the same in all lanes. */
static bool uniform_value(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t row,
                          const char *what, uint32_t *value) {
    const uint32_t *words = w->regs + row;
    for (uint32_t lane = 1; lane < w->count; lane++)
        if (words[lane] != words[0]) {
            emu_fail(m, w, in, lane, DIAG_E_TILE_UNIFORM, "the %s is 0x%x here and 0x%x in lane 0",
                     what, words[lane], words[0]);
            return false;
        }
    *value = words[0];
    return true;
}

static bool is_multiple(emu_machine *m, const emu_wave *w, const emu_insn *in, const char *what,
                        uint32_t value, uint32_t of) {
    if (value % of == 0)
        return true;
    emu_fail(m, w, in, EMU_NO_LANE, DIAG_E_TILE_ALIGNMENT,
             "the %s 0x%x of a tile is not a multiple of %u", what, value, of);
    return false;
}

/* Checks a tile that is about to be read as elements of a type. A tile never written holds
 * zeros. */
static bool check_type(emu_machine *m, const emu_wave *w, const emu_insn *in, unsigned operand,
                       isa_tile_type type) {
    emu_tile *tile = &w->tiles[in->tile[operand]];
    if (tile->type == ISA_TILE_TYPES) {
        memset(tile->element, 0, sizeof tile->element);
        return true;
    }
    if (tile->type == type)
        return true;
    emu_fail(m, w, in, EMU_NO_LANE, DIAG_E_TILE_TYPE,
             "t%u of bank %c contains %s but is read as %s", in->tile[operand] % ISA_TILES,
             "ABC"[in->tile[operand] / ISA_TILES], isa_tile_type_name[tile->type],
             isa_tile_type_name[type]);
    return false;
}

/* ---- Memory ---- */

/* The index in the tile of element e of a line. */
static uint32_t element_index(const emu_insn *in, uint32_t line, uint32_t e) {
    return in->place & ISA_TILE_COL ? e * ISA_TILE_SIDE + line : line * ISA_TILE_SIDE + e;
}

/* Converts the elements of one piece from and to its four words. */
static void unpack(const emu_insn *in, emu_tile *tile, uint32_t line, uint32_t first,
                   const uint32_t words[4]) {
    const uint32_t bytes = isa_tile_bytes[in->type], count = EMU_TILE_PIECE / bytes;
    for (uint32_t e = 0; e < count; e++) {
        const uint32_t word = words[e * bytes / 4] >> e * bytes % 4 * 8;
        tile->element[element_index(in, line, first + e)] =
            bytes == 4 ? word : word & ((1u << 8 * bytes) - 1);
    }
}

/* Only C is stored: each element is a word. */
static void pack(const emu_insn *in, const emu_tile *tile, uint32_t line, uint32_t first,
                 uint32_t words[4]) {
    for (uint32_t e = 0; e < 4; e++)
        words[e] = tile->element[element_index(in, line, first + e)];
}

/* A piece that is partly outside moves element by element, so that the error names the first
 * element outside, and with bounds only the elements outside are skipped. */
static bool move_piece(emu_machine *m, emu_wave *w, const emu_insn *in, wave_access_kind kind,
                       uint32_t lane, uint32_t address, uint32_t words[4], emu_tile_mover *move) {
    const uint32_t bytes = isa_tile_bytes[in->type];
    if (!emu_outside(m, emu_tile_space(in), address, EMU_TILE_PIECE))
        return move(m, w, in, kind, lane, address, EMU_TILE_PIECE, words);
    for (uint32_t at = 0; at < EMU_TILE_PIECE; at += bytes) {
        const uint32_t shift = 8 * (at % 4);
        uint32_t element[4] = {words[at / 4] >> shift};
        if (!move(m, w, in, kind, lane, address + at, bytes, element))
            return false;
        if (kind == WAVE_LOAD)
            words[at / 4] |= element[0] << shift;
    }
    return true;
}

void emu_tile_move(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                   emu_tile_mover *move) {
    const wave_access_kind kind = in->op == ISA_TILE_STORE_C ? WAVE_STORE : WAVE_LOAD;
    const isa_tile_type type = (isa_tile_type)in->type;
    emu_tile *tile = &w->tiles[in->tile[0]];
    uint32_t base, stride;
    if (!is_whole(m, w, in, lanes) || !uniform_value(m, w, in, in->rs1[0], "address", &base) ||
        !uniform_value(m, w, in, in->rs2[0], "stride", &stride) ||
        !is_multiple(m, w, in, "address", base, ISA_TILE_ALIGNMENT) ||
        !is_multiple(m, w, in, "stride", stride, ISA_TILE_STRIDE_ALIGNMENT) ||
        (kind == WAVE_STORE && !check_type(m, w, in, 0, type)))
        return;
    const uint32_t pieces = isa_tile_bytes[type], elements = ISA_TILE_SIDE / pieces;
    for (uint32_t k = 0; k < ISA_TILE_SIDE * pieces; k++) {
        const uint32_t line = k / pieces, piece = k % pieces;
        uint32_t words[4] = {0};
        if (kind == WAVE_STORE)
            pack(in, tile, line, piece * elements, words);
        if (!move_piece(m, w, in, kind, k % m->width, base + line * stride + piece * EMU_TILE_PIECE,
                        words, move))
            return;
        if (kind == WAVE_LOAD)
            unpack(in, tile, line, piece * elements, words);
    }
    if (kind == WAVE_LOAD)
        tile->type = (uint8_t)type;
}

static bool move_bytes(emu_machine *m, emu_wave *w, const emu_insn *in, wave_access_kind kind,
                       uint32_t lane, uint32_t address, uint32_t bytes, uint32_t words[4]) {
    const wave_space space = emu_tile_space(in);
    const uint32_t each = bytes < 4 ? bytes : 4;
    uint8_t *place = emu_access(m, w, in, space, kind, lane, address, bytes);
    for (uint32_t k = 0; place && 4 * k < bytes; k++) {
        if (kind == WAVE_LOAD)
            words[k] = emu_get(place + 4 * k, each);
        else
            emu_put(place + 4 * k, words[k], each);
    }
    if (place && m->watch_access)
        emu_tell_access(m, space, kind, lane, address, bytes, 0, words);
    return place != NULL;
}

void emu_tile_load_a(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_tile_move(m, w, in, lanes, move_bytes);
}

void emu_tile_load_b(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_tile_move(m, w, in, lanes, move_bytes);
}

void emu_tile_load_c(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_tile_move(m, w, in, lanes, move_bytes);
}

void emu_tile_store_c(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_tile_move(m, w, in, lanes, move_bytes);
}

/* ---- Values ---- */

void emu_tile_fill_c(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_tile *tile = &w->tiles[in->tile[0]];
    uint32_t value;
    if (!is_whole(m, w, in, lanes) || !uniform_value(m, w, in, in->rs1[0], "value", &value))
        return;
    for (uint32_t e = 0; e < ISA_TILE_ELEMENTS; e++)
        tile->element[e] = value;
    tile->type = in->type;
}

bool emu_tile_begin_product(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const isa_tile_type type = (isa_tile_type)in->type, sum = isa_tile_sum(type);
    emu_tile *d = &w->tiles[in->tile[0]], *c = &w->tiles[in->tile[3]];
    if (!is_whole(m, w, in, lanes) || !check_type(m, w, in, 1, type) ||
        !check_type(m, w, in, 2, type) || !check_type(m, w, in, 3, sum))
        return false;
    if (c != d)
        memcpy(d->element, c->element, sizeof d->element);
    d->type = (uint8_t)sum;
    return true;
}
