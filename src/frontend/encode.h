/* Encodes one instruction, for everything that writes WBIN code. */
#ifndef FRONTEND_ENCODE_H
#define FRONTEND_ENCODE_H

#include "isa/isa.h"

static inline void fe_put_word(uint8_t *at, uint32_t word) {
    at[0] = (uint8_t)word;
    at[1] = (uint8_t)(word >> 8);
    at[2] = (uint8_t)(word >> 16);
    at[3] = (uint8_t)(word >> 24);
}

/* Writes 4 or 8 bytes and returns how many. Fields that the instruction does not have must be 0;
 * `tail` is a scope, an immediate or a call target, `guard` bits 2:0 of the first word. */
static inline uint32_t fe_encode(uint8_t *at, const isa_desc *desc, uint32_t modifier,
                                 const uint32_t field[ISA_FIELDS], uint32_t tail, uint32_t guard) {
    fe_put_word(at, (uint32_t)desc->opcode << 24 | field[ISA_FIELD_RD] << 16 |
                        field[ISA_FIELD_RS1] << 8 | modifier << 4 | guard);
    if (desc->words == 2)
        fe_put_word(at + 4, field[ISA_FIELD_RS2] << 24 | field[ISA_FIELD_RS3] << 16 |
                                field[ISA_FIELD_RS4] << 8 | tail);
    return desc->words * 4u;
}

#endif
