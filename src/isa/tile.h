/* Tiles of a wave (ISA.md 9.2): 16 by 16 elements, in three banks of 16. One row of isa.def
 * represents an instruction with all its types; the type is one of its fields and part of its
 * name. */
#ifndef ISA_TILE_H
#define ISA_TILE_H

#include "isa/isa.h"

enum { ISA_TILES = 16, ISA_TILE_SIDE = 16, ISA_TILE_ELEMENTS = ISA_TILE_SIDE * ISA_TILE_SIDE };

typedef enum isa_tile_type {
#define TILE_TYPE(id, name, bytes) ISA_TILE_##id,
#include "isa/tile.def"
    ISA_TILE_TYPES
} isa_tile_type;

/* The bits of the last field of a load or store. */
enum { ISA_TILE_COL = 1, ISA_TILE_DEVICE = 2 };

/* The required alignment of an address and of a stride. */
enum { ISA_TILE_ALIGNMENT = 32, ISA_TILE_STRIDE_ALIGNMENT = 16 };

extern const char *const isa_tile_type_name[ISA_TILE_TYPES];
extern const uint8_t isa_tile_bytes[ISA_TILE_TYPES]; /* of one element */

static inline bool isa_is_tile(isa_op op) {
    return op >= ISA_TILE_LOAD_A && op <= ISA_TILE_FILL_C;
}

/* The field that holds the type. */
static inline unsigned isa_tile_type_field(isa_op op) {
    return op == ISA_TILE_MMA ? ISA_FIELD_RS4 : ISA_FIELD_RS3;
}

/* The type of C and D for this type of A and B. */
static inline isa_tile_type isa_tile_sum(isa_tile_type type) {
    return type == ISA_TILE_I8 || type == ISA_TILE_U8 ? ISA_TILE_I32 : ISA_TILE_F32;
}

/* The name of the instruction with this type; NULL when the instruction does not have the type. */
const char *isa_tile_mnemonic(isa_op op, unsigned type);
/* The instruction with this name, and its type; ISA_NONE when there is none. */
isa_op isa_tile_find(const char *name, size_t length, isa_tile_type *type);

#endif
