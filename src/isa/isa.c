/* The tables of isa.h, all expanded from isa.def and special.def at compile time, and the two
 * lookups by name. */
#include "isa/isa.h"
#include "isa/def_flags.h"

#include <string.h>

const isa_desc isa_table[ISA_OP_COUNT] = {
    [ISA_NONE] = {.mnemonic = ""},
#define INSN(id, name, op, mod, nwords, rd, rs1, rs2, rs3, rs4, tl, src, res, size, cls, flg)      \
    [ISA_##id] = {                                                                                 \
        .mnemonic = name,                                                                          \
        .opcode = op,                                                                              \
        .modifier = mod,                                                                           \
        .words = nwords,                                                                           \
        .role = {ISA_ROLE_##rd, ISA_ROLE_##rs1, ISA_ROLE_##rs2, ISA_ROLE_##rs3, ISA_ROLE_##rs4},   \
        .tail = ISA_TAIL_##tl,                                                                     \
        .src_type = ISA_TYPE_##src,                                                                \
        .result_type = ISA_TYPE_##res,                                                             \
        .bytes = size,                                                                             \
        .klass = ISA_CLASS_##cls,                                                                  \
        .flags = flg},
#include "isa/isa.def"
#undef INSN
};

const uint16_t isa_by_encoding[4096] = {
#define INSN(id, name, op, mod, ...) [(op) << 4 | (mod)] = ISA_##id,
#include "isa/isa.def"
#undef INSN
};

const char *const isa_special_name[ISA_SPECIAL_COUNT] = {
#define SPECIAL(id, name) [ISA_SR_##id] = name,
#include "isa/special.def"
#undef SPECIAL
};

const char *const isa_hint_name[ISA_HINT_COUNT] = {"cached", "uncached", "streaming"};

const char *const isa_scope_name[ISA_SCOPE_COUNT] = {"wave", "workgroup", "device", "system"};

bool isa_opcode_defined(uint8_t opcode) {
    for (unsigned modifier = 0; modifier < 16; modifier++)
        if (isa_by_encoding[(unsigned)opcode << 4 | modifier] != ISA_NONE)
            return true;
    return false;
}

static uint32_t word_at(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

enum { SLOT_BITS = 10, SLOTS = 1 << SLOT_BITS };

/* A hash index of the mnemonics, made by scripts/isa_names.awk with the hash below. */
static const uint16_t slots[SLOTS] = {
#include "isa_names.inc"
};
_Static_assert(ISA_OP_COUNT * 2 < SLOTS, "the mnemonic index must stay sparse");

/* A multiplicative hash (Knuth, "The Art of Computer Programming", volume 3, section 6.4): the
 * first and last four bytes and the length distinguish nearly all mnemonics. */
static uint32_t slot_of(const char *name, size_t length) {
    uint32_t first = 0, last = 0;
    if (length >= 4) {
        first = word_at(name);
        last = word_at(name + length - 4);
    } else {
        for (size_t i = 0; i < length; i++)
            first = first << 8 | (uint8_t)name[i];
    }
    return ((first + (uint32_t)length) * 2654435761u + last * 2246822519u) >> (32 - SLOT_BITS);
}

static bool same_name(isa_op op, const char *name, size_t length) {
    const char *mnemonic = isa_table[op].mnemonic;
    return memcmp(mnemonic, name, length) == 0 && mnemonic[length] == '\0';
}

isa_op isa_find_name(const char *name, size_t length) {
    if (length == 0 || length >= sizeof isa_table->mnemonic)
        return ISA_NONE;
    for (uint32_t at = slot_of(name, length); slots[at] != ISA_NONE; at = (at + 1) % SLOTS)
        if (same_name((isa_op)slots[at], name, length))
            return (isa_op)slots[at];
    return ISA_NONE;
}

/* The modifiers of a hint follow those of the five sizes. */
isa_op isa_with_hint(isa_op op, unsigned hint) {
    const isa_desc *desc = &isa_table[op];
    if (desc->klass != ISA_CLASS_MEMORY || !(desc->flags & ISA_DEVICE) || desc->modifier >= 5)
        return ISA_NONE;
    return (isa_op)isa_by_encoding[(unsigned)desc->opcode << 4 | (desc->modifier + 5 * hint)];
}

int isa_find_special(const char *name, size_t length) {
    if (length < 4)
        return -1;
    for (int i = 0; i < ISA_SPECIAL_COUNT; i++) { /* all start with sr_ and one more letter */
        const char *special = isa_special_name[i];
        if (special[3] == name[3] && strncmp(special, name, length) == 0 && !special[length])
            return i;
    }
    return -1;
}
