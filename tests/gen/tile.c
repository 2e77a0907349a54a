/* Tiles of a wave, where all its lanes are active: loads of inputs and of the wave's own memory,
 * products of every type, stores. A tile has one type for the entire program, by its number, and is
 * written before the body: so every use has the right type and an initialised tile. */
#include "gen/author.h"

#include "isa/tile.h"

/* In banks A and B the tile of a type has the type's number; in C it is one of these, two each. */
enum { F32_SUMS = 0, I32_SUMS = 2, SUMS = 4 };

static const char *type_name(unsigned type) {
    return isa_tile_type_name[type];
}

static const char *sum_name(unsigned tile) {
    return type_name(tile < I32_SUMS ? ISA_TILE_F32 : ISA_TILE_I32);
}

static const char *layout(author *a) {
    return au_chance(a, 50) ? "row" : "col";
}

/* Loads from a read-only buffer of 1024 bytes: lines may overlap. */
static void load_input(author *a, const place *p, char bank, unsigned type) {
    const unsigned *t = a->temporary;
    const unsigned line = ISA_TILE_SIDE * isa_tile_bytes[type];
    const fixed_reg from = type == ISA_TILE_F32                         ? FIXED_FLOATS
                           : type == ISA_TILE_I8 || type == ISA_TILE_U8 ? FIXED_IN
                                                                        : FIXED_HALVES;
    const unsigned stride = au_chance(a, 60) ? line : 16 * au_pick(a, line / 16);
    const unsigned room = 4 * INPUT_WORDS - 15 * stride - line;
    const unsigned offset = ISA_TILE_ALIGNMENT * au_pick(a, room / ISA_TILE_ALIGNMENT + 1);
    au_say(a, p, "mov_imm r%u, %u", t[0], offset);
    au_say(a, p, "iadd r%u, r%u, r%u", t[0], t[0], a->fixed[from]);
    au_say(a, p, "mov_imm r%u, %u", t[1], stride);
    au_say(a, p, "tile_load_%c_%s t%u, r%u, r%u, device, %s", bank, type_name(type), type, t[0],
           t[1], layout(a));
}

/* The wave's own memory for a tile of C; a fence before each access orders it. */
static void move_own(author *a, const place *p, const char *direction, unsigned tile,
                     const char *how) {
    const unsigned *t = a->temporary;
    const fixed_reg base = tile < I32_SUMS ? FIXED_TILES_F32 : FIXED_TILES_I32;
    au_say(a, p, "mov_imm r%u, %u", t[0], TILE_BYTES * (tile % 2));
    au_say(a, p, "iadd r%u, r%u, r%u", t[0], t[0], a->fixed[base]);
    au_say(a, p, "mov_imm r%u, 64", t[1]);
    au_say(a, p, "fence_acq_rel .wave");
    au_say(a, p, "tile_%s_c_%s t%u, r%u, r%u, device, %s", direction, sum_name(tile), tile, t[0],
           t[1], how);
}

/* Stores sums to local memory and loads them back as an input. */
static void through_local(author *a, const place *p) {
    const unsigned *t = a->temporary;
    au_say(a, p, "mov_sr r%u, sr_wave_id", t[0]);
    au_say(a, p, "mov_imm r%u, %u", t[1], TILE_BYTES);
    au_say(a, p, "mov_imm r%u, %u", t[2], a->tiles_at);
    au_say(a, p, "imad r%u, r%u, r%u, r%u", t[0], t[0], t[1], t[2]);
    au_say(a, p, "mov_imm r%u, 64", t[1]);
    au_say(a, p, "fence_acq_rel .wave");
    au_say(a, p, "tile_store_c_f32 t%u, r%u, r%u, local, %s", F32_SUMS + au_pick(a, 2), t[0], t[1],
           layout(a));
    au_say(a, p, "fence_acq_rel .wave");
    au_say(a, p, "tile_load_%c_f32 t%u, r%u, r%u, local, %s", au_chance(a, 50) ? 'a' : 'b',
           ISA_TILE_F32, t[0], t[1], layout(a));
}

static void fill(author *a, const place *p, unsigned tile) {
    const unsigned t = a->temporary[0];
    if (tile >= I32_SUMS && au_chance(a, 50)) {
        au_say(a, p, "tile_fill_c_i32 t%u, r%u", tile, a->fixed[FIXED_NUMBER_TOO]);
        return;
    }
    au_say(a, p, "mov_imm r%u, 0x%X", t,
           tile < I32_SUMS ? 0x3F000000u + (au_pick(a, 16) << 22) : au_constant(a));
    au_say(a, p, "tile_fill_c_%s t%u, r%u", sum_name(tile), tile, t);
}

static void multiply(author *a, const place *p) {
    const unsigned type = au_pick(a, ISA_TILE_I32);
    const unsigned first = isa_tile_sum((isa_tile_type)type) == ISA_TILE_F32 ? F32_SUMS : I32_SUMS;
    au_say(a, p, "%s t%u, t%u, t%u, t%u", isa_tile_mnemonic(ISA_TILE_MMA, type),
           first + au_pick(a, 2), type, type, first + au_pick(a, 2));
}

void gen_tile(author *a, const place *p) {
    uint32_t kind = au_pick(a, 10);
    if (kind < 4)
        multiply(a, p);
    else if (kind < 6)
        load_input(a, p, au_chance(a, 50) ? 'a' : 'b', au_pick(a, ISA_TILE_I32));
    else if (kind < 7)
        move_own(a, p, "load", au_pick(a, SUMS), layout(a));
    else if (kind < 8)
        move_own(a, p, "store", au_pick(a, SUMS), layout(a));
    else if (kind < 9 || !a->tiles_in_local)
        fill(a, p, au_pick(a, SUMS));
    else
        through_local(a, p);
}

void gen_first_tiles(author *a, const place *p) {
    for (unsigned type = 0; type < ISA_TILE_I32; type++) {
        load_input(a, p, 'a', type);
        load_input(a, p, 'b', type);
    }
    for (unsigned tile = 0; tile < SUMS; tile++)
        fill(a, p, tile);
}

void gen_last_tiles(author *a, const place *p) {
    for (unsigned tile = 0; tile < SUMS; tile++)
        move_own(a, p, "store", tile, "row");
}
