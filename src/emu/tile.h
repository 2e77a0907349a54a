/* Tiles of a wave (ISA.md 9.2) for the files of the emulator: checks shared by all tile
 * instructions, and moving a tile between the wave and memory, whichever memory model is in use. */
#ifndef EMU_TILE_H
#define EMU_TILE_H

#include "emu/machine.h"

/* A tile moves in pieces of this many bytes. They are aligned, and a line of any type is an
 * integral number of pieces. */
enum { EMU_TILE_PIECE = 16 };

/* Moves a piece between `words` and memory for a lane, or one element of a piece that is partly
 * outside; false when the launch is over. */
typedef bool emu_tile_mover(emu_machine *m, emu_wave *w, const emu_insn *in, wave_access_kind kind,
                            uint32_t lane, uint32_t address, uint32_t bytes, uint32_t words[4]);

static inline wave_space emu_tile_space(const emu_insn *in) {
    return in->place & ISA_TILE_DEVICE ? WAVE_SPACE_DEVICE : WAVE_SPACE_LOCAL;
}

/* Checks a load or store and moves its tile piece by piece. The lanes take turns; the race checker
 * treats each piece as an access of all of them. */
void emu_tile_move(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                   emu_tile_mover *move);

/* Checks an mma and initialises D with C; false when the launch is over. */
bool emu_tile_begin_product(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes);

/* The operands of a product: f32 bits or integers, depending on their type. */
typedef struct emu_product {
    uint32_t a[ISA_TILE_ELEMENTS], b[ISA_TILE_ELEMENTS]; /* widened */
    uint32_t *d;                                         /* starts as C */
    bool done; /* the product is already computed, in another way than by f32 steps */
} emu_product;

/* Checks an mma and fills in the operands; false when the launch is over. A product other than f32
 * by exact steps is computed here. */
bool emu_tile_operands(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                       emu_product *product);

#endif
