/* The tables of tile.h, and the lookups by name. */
#include "isa/tile.h"

#include <string.h>

const char *const isa_tile_type_name[ISA_TILE_TYPES] = {
#define TILE_TYPE(id, name, bytes) [ISA_TILE_##id] = name,
#include "isa/tile.def"
};

const uint8_t isa_tile_bytes[ISA_TILE_TYPES] = {
#define TILE_TYPE(id, name, bytes) [ISA_TILE_##id] = bytes,
#include "isa/tile.def"
};

enum { OPS = ISA_TILE_FILL_C - ISA_TILE_LOAD_A + 1 };

static const char *const mnemonics[OPS][ISA_TILE_TYPES] = {
#define TILE_NAME(op, type, mnemonic) [ISA_##op - ISA_TILE_LOAD_A][ISA_TILE_##type] = mnemonic,
#include "isa/tile.def"
};

const char *isa_tile_mnemonic(isa_op op, unsigned type) {
    return isa_is_tile(op) && type < ISA_TILE_TYPES ? mnemonics[op - ISA_TILE_LOAD_A][type] : NULL;
}

isa_op isa_tile_find(const char *name, size_t length, isa_tile_type *type) {
    if (length < 4 || (memcmp(name, "tile", 4) != 0 && memcmp(name, "mma_", 4) != 0))
        return ISA_NONE;
    for (unsigned op = 0; op < OPS; op++)
        for (unsigned t = 0; t < ISA_TILE_TYPES; t++) {
            const char *mnemonic = mnemonics[op][t];
            if (mnemonic && strlen(mnemonic) == length && memcmp(mnemonic, name, length) == 0) {
                *type = (isa_tile_type)t;
                return (isa_op)(ISA_TILE_LOAD_A + op);
            }
        }
    return ISA_NONE;
}
