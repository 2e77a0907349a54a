/* isa.def against the independent table typed from the ISA reference: the same instructions, words,
 * fields and extensions, and nothing more. */
#include "isa_verdict.h"

#include "isa/alias.h"
#include "isa/isa.h"

#include <criterion/criterion.h>

#include <string.h>

static char role_letter(isa_role role) {
    switch (role) {
    case ISA_ROLE_NONE: return '-';
    case ISA_ROLE_W:
    case ISA_ROLE_R: return 'R';
    case ISA_ROLE_W2:
    case ISA_ROLE_R2: return '2';
    case ISA_ROLE_W4:
    case ISA_ROLE_R4: return '4';
    case ISA_ROLE_WA: return 'A';
    case ISA_ROLE_WA2: return 'B';
    case ISA_ROLE_PW:
    case ISA_ROLE_PR: return 'P';
    case ISA_ROLE_PN: return 'N';
    case ISA_ROLE_SR: return 'S';
    case ISA_ROLE_FA:
    case ISA_ROLE_FB:
    case ISA_ROLE_FC: return 'F';
    case ISA_ROLE_WTA:
    case ISA_ROLE_WTB:
    case ISA_ROLE_WTC:
    case ISA_ROLE_TA:
    case ISA_ROLE_TB:
    case ISA_ROLE_TC: return 'T';
    case ISA_ROLE_ABTYPE: return 'Y';
    case ISA_ROLE_CTYPE: return 'Z';
    case ISA_ROLE_PLACE: return 'L';
    }
    return '?';
}

Test(isa_table, the_table_equals_the_reference) {
    size_t defined = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        cr_expect_eq(isa_opcode_defined((uint8_t)opcode), verdict_has_opcode(opcode), "%02X",
                     opcode);
        for (unsigned modifier = 0; modifier < 16; modifier++) {
            const verdict_row *row = verdict_find(opcode, modifier);
            isa_op op = (isa_op)isa_by_encoding[opcode << 4 | modifier];
            cr_expect_eq(row != NULL, op != ISA_NONE, "%02X/%u", opcode, modifier);
            defined += op != ISA_NONE;
            if (!row || op == ISA_NONE)
                continue;
            const isa_desc *desc = &isa_table[op];
            cr_expect_str_eq(desc->mnemonic, row->mnemonic);
            cr_expect_eq(desc->words, row->words, "%s", row->mnemonic);
            cr_expect_eq((desc->flags & ISA_EXTENSION) != 0, row->extension, "%s", row->mnemonic);
            cr_expect_eq(desc->tail == ISA_TAIL_SCOPE, row->scope, "%s", row->mnemonic);
            bool immediate = desc->tail == ISA_TAIL_IMM || desc->tail == ISA_TAIL_TARGET;
            cr_expect_eq(immediate, row->fields[2] == 'I', "%s", row->mnemonic);
            for (unsigned f = 0; f < (immediate ? 2 : 5); f++)
                cr_expect_eq(role_letter((isa_role)desc->role[f]), row->fields[f], "%s field %u",
                             row->mnemonic, f);
            cr_expect_eq((desc->flags & ISA_UNGUARDED) != 0, verdict_forbids_guard(row), "%s",
                         row->mnemonic);
        }
    }
    cr_expect_eq(defined, VERDICT_ROWS);
    cr_expect_eq(ISA_OP_COUNT, VERDICT_ROWS + 1);
}

/* "53 opcodes are defined without extensions." */
Test(isa_table, there_are_53_opcodes_without_extensions) {
    unsigned count = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        bool plain = false;
        for (unsigned modifier = 0; modifier < 16; modifier++) {
            const verdict_row *row = verdict_find(opcode, modifier);
            plain |= row && !row->extension;
        }
        count += plain;
    }
    cr_expect_eq(count, 53);
}

/* Section 2.3 of the reference, typed once more: which encodings have a second word. */
static bool two_words(unsigned op, unsigned mod) {
    static const uint8_t one[] = {0x07, 0x08, 0x15, 0x16, 0x1A, 0x1B, 0x23,
                                  0x2C, 0x30, 0x32, 0x34, 0x38, 0x46};
    for (size_t i = 0; i < sizeof one; i++)
        if (op == one[i])
            return false;
    switch (op) {
    case 0x1F: return mod == 0;
    case 0x27: return mod == 3 || mod == 4;
    case 0x3E: return mod <= 4;
    case 0x3F: return mod == 7 || (mod >= 11 && mod <= 13);
    case 0x41: return mod == 1 || mod == 3;
    case 0x45: return mod >= 6;
    default: return true;
    }
}

Test(isa_table, second_words_are_where_the_reference_has_them) {
    for (unsigned encoding = 0; encoding < 4096; encoding++) {
        isa_op op = (isa_op)isa_by_encoding[encoding];
        if (op != ISA_NONE)
            cr_expect_eq(isa_table[op].words == 2, two_words(encoding >> 4, encoding & 15), "%s",
                         isa_table[op].mnemonic);
    }
}

Test(isa_table, names_are_found) {
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const char *name = isa_table[op].mnemonic;
        cr_expect_eq(isa_find_name(name, strlen(name)), op, "%s", name);
        cr_expect_neq(isa_find_name(name, strlen(name) - 1), op, "%s", name);
    }
    cr_expect_eq(isa_find_name("iadx", 4), ISA_NONE);
    cr_expect_eq(isa_find_name("", 0), ISA_NONE);
}

/* Section 10.7: each list is sorted for the search, and no alias hides a name of ours. */
static void expect_alias(const char *name, const char *before, int found, int expected) {
    cr_expect_lt(strcmp(before, name), 0, "%s follows %s", name, before);
    cr_expect_leq(strlen(name), ISA_ALIAS_LENGTH);
    cr_expect_eq(found, expected, "%s", name);
}

Test(isa_table, aliases_are_sorted_and_found) {
    const char *before = "";
#define INSN_ALIAS(name, id)                                                                       \
    expect_alias(name, before, (int)isa_alias_find(name, strlen(name)), ISA_##id);                 \
    cr_expect_eq(isa_find_name(name, strlen(name)), ISA_NONE, name);                               \
    before = name;
#define SPECIAL_ALIAS(name, id)                                                                    \
    expect_alias(name, "", isa_alias_special(name, strlen(name)), ISA_SR_##id);
#define SCOPE_ALIAS(name, id)                                                                      \
    expect_alias(name, "", isa_alias_scope(name, strlen(name)), ISA_SCOPE_##id);
#include "isa/alias.def"
    cr_expect_eq(isa_alias_find("ADD", 3), ISA_IADD);
    cr_expect_eq(isa_alias_find("CVT_F32_I32", 11), ISA_CVT_F32_I32);
    cr_expect_eq(isa_alias_find("Add", 3), ISA_NONE);
    cr_expect_eq(isa_alias_find("ad", 2), ISA_NONE);
    cr_expect_eq(isa_alias_find("", 0), ISA_NONE);
    cr_expect_eq(isa_alias_find("local_atomic_compare_swap_and_more", 34), ISA_NONE);
    cr_expect_eq(isa_alias_special("SR_WAVE_ID", 10), ISA_SR_WAVE_ID);
    cr_expect_eq(isa_alias_special("SR_wave_id", 10), -1);
    cr_expect_eq(isa_alias_special("sr_tid_w", 8), -1);
    cr_expect_eq(isa_alias_scope("wave", 4), -1);
}

/* Section 3.2: the numbers of the special registers. */
Test(isa_table, special_registers_have_their_numbers) {
    static const char *const names[] = {"sr_thread_id_x",
                                        "sr_thread_id_y",
                                        "sr_thread_id_z",
                                        "sr_wave_id",
                                        "sr_lane_id",
                                        "sr_workgroup_id_x",
                                        "sr_workgroup_id_y",
                                        "sr_workgroup_id_z",
                                        "sr_workgroup_size_x",
                                        "sr_workgroup_size_y",
                                        "sr_workgroup_size_z",
                                        "sr_grid_size_x",
                                        "sr_grid_size_y",
                                        "sr_grid_size_z",
                                        "sr_wave_width",
                                        "sr_num_waves",
                                        "sr_mma_supported",
                                        "sr_mma_m",
                                        "sr_mma_n",
                                        "sr_mma_k",
                                        "sr_tile_m",
                                        "sr_tile_n",
                                        "sr_tile_k"};
    cr_assert_eq(ISA_SPECIAL_COUNT, 23);
    for (int i = 0; i < 23; i++) {
        cr_expect_str_eq(isa_special_name[i], names[i]);
        cr_expect_eq(isa_find_special(names[i], strlen(names[i])), i);
    }
    cr_expect_eq(isa_find_special("sr_tid_x", 8), -1);
}
