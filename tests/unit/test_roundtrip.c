/* asm(dis(x)) == x, byte for byte, and dis(asm(t)) == t, for every row of the table with edge
 * operands and for every kind of file the assembler writes. */
#include "asm_helpers.h"

#include "frontend/frontend.h"
#include "isa/tile.h"

/* Disassembles, assembles again, compares. The text is left in *text when it is not NULL. */
static void expect_round_trip(const wave_blob *file, const char *what, wave_blob *text) {
    wave_blob listing;
    wave_diags *diags = wave_diags_create(0);
    wave_status status = wave_disassemble(file->data, file->size, NULL, &listing, diags);
    cr_assert_eq(status, WAVE_OK, "%s: %s", what,
                 wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    assembled again = assemble((const char *)listing.data);
    cr_assert_eq(again.status, WAVE_OK, "%s: %s", what, (const char *)listing.data);
    cr_assert_eq(again.file.size, file->size, "%s", what);
    cr_expect(memcmp(again.file.data, file->data, file->size) == 0, "%s: %s", what,
              (const char *)listing.data);
    discard(&again);
    wave_diags_destroy(diags);
    if (text)
        *text = listing;
    else
        wave_blob_free(&listing);
}

static void expect_source_round_trip(const char *source) {
    assembled a = assemble(source);
    cr_assert_eq(a.status, WAVE_OK, "%s", source);
    expect_round_trip(&a.file, source, NULL);
    discard(&a);
}

/* ---- Every row of the table ---- */

static const char *const guards[] = {"", "@p1 ", "@!p0 ", "@!p3 "};
static const char *const scopes[] = {"wave", "workgroup", "device", "system"};
static const char *const numbers[] = {"0", "9", "0xA", "0x7FFFFFFF", "0x80000000", "0xFFFFFFFF"};
enum { VARIANTS = 6 };

/* The operand of a role in variant v, in the disassembler's spelling; false: none. */
static bool operand_text(isa_op op, unsigned field, unsigned v, char *text, size_t size) {
    unsigned role = isa_table[op].role[field];
    bool loads = !(isa_table[op].flags & ISA_WRITES);
    static const unsigned registers[VARIANTS] = {0, 255, 1, 9, 10, 100};
    static const unsigned predicates[VARIANTS] = {0, 3, 1, 2, 3, 0};
    static const unsigned specials[VARIANTS] = {0, 22, 4, 19, 20, 7};
    static const unsigned tiles[VARIANTS] = {0, 15, 1, 9, 10, 8};
    static const char *const places[4] = {"local, row", "local, col", "device, row", "device, col"};
    unsigned count = isa_role_registers((isa_role)role);
    unsigned number = registers[v];
    switch (role) {
    case ISA_ROLE_NONE:
    case ISA_ROLE_ABTYPE:
    case ISA_ROLE_CTYPE: return false;
    case ISA_ROLE_WTA:
    case ISA_ROLE_WTB:
    case ISA_ROLE_WTC:
    case ISA_ROLE_TA:
    case ISA_ROLE_TB:
    case ISA_ROLE_TC: snprintf(text, size, "t%u", tiles[(v + field) % VARIANTS]); return true;
    case ISA_ROLE_PLACE: snprintf(text, size, "%s", places[v % 4]); return true;
    case ISA_ROLE_PW:
    case ISA_ROLE_PR: snprintf(text, size, "p%u", predicates[v]); return true;
    case ISA_ROLE_PN: snprintf(text, size, "%sp%u", v & 1 ? "!" : "", predicates[v]); return true;
    case ISA_ROLE_SR: snprintf(text, size, "%s", isa_special_name[specials[v]]); return true;
    default:
        if (number == 255 && count > 1)
            number = 256 - count; /* the last pair, the last quad */
        if (isa_role_discards((isa_role)role) && number == 0 && !loads)
            return false; /* r0 prints as a missing destination */
        snprintf(text, size, "r%u", number);
        return true;
    }
}

/* The instruction as the disassembler must print it. */
static void instruction_text(isa_op op, unsigned v, const char *guard, char *text, size_t size) {
    const isa_desc *desc = &isa_table[op];
    const char *tile = isa_tile_mnemonic(op, v);
    if (isa_is_tile(op) && !tile)
        tile = isa_tile_mnemonic(op, ISA_TILE_F32);
    const char *mnemonic = op == ISA_MOV_SR ? "mov" : tile ? tile : desc->mnemonic;
    size_t used = (size_t)snprintf(text, size, "%s%s", guard, mnemonic);
    const char *separator = " ";
    for (unsigned i = 0; i < ISA_FIELDS; i++) {
        char operand[32];
        if (!operand_text(op, i, v, operand, sizeof operand))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, operand);
        separator = ", ";
    }
    if (desc->tail == ISA_TAIL_SCOPE)
        snprintf(text + used, size - used, "%s.%s", separator, scopes[v % 4]);
    else if (desc->tail == ISA_TAIL_IMM)
        snprintf(text + used, size - used, "%s%s", separator, numbers[v]);
    else if (desc->tail == ISA_TAIL_TARGET)
        snprintf(text + used, size - used, "%sloc_0_0000", separator);
}

static void check_instruction(isa_op op, const char *text) {
    char source[256];
    bool call = op == ISA_CALL;
    snprintf(source, sizeof source, ".kernel k\n.registers 256\n%s    %s\n.end\n",
             call ? "loc_0_0000:\n" : "", text);
    assembled a = assemble(source);
    cr_assert_eq(a.status, WAVE_OK, "%s", text);
    bool discards = strstr(text, "atomic_load r0") || strstr(text, "atomic64_load r0");
    cr_expect_eq(wave_diags_count(a.diags), discards ? 1 : 0, "%s", text); /* W_ATOMIC_R0 */
    fe_insn insn;
    uint32_t size;
    fe_decode_one(a.file.data + 32, code_size(&a.file), 0, &insn, &size);
    cr_expect_eq(insn.op, op, "%s", text);
    cr_expect_eq(size, isa_table[op].words * 4u, "%s", text);
    cr_expect_eq(size, code_size(&a.file), "%s", text);
    wave_blob listing;
    expect_round_trip(&a.file, text, &listing);
    cr_expect_str_eq((const char *)listing.data, source, "%s", text);
    wave_blob_free(&listing);
    discard(&a);
}

Test(roundtrip, every_instruction_survives_a_round_trip) {
    unsigned checked = 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++)
        for (unsigned v = 0; v < VARIANTS; v++)
            for (unsigned g = 0; g < sizeof guards / sizeof *guards; g++) {
                char text[160];
                if (g > 0 && (isa_table[op].flags & ISA_UNGUARDED))
                    continue;
                instruction_text((isa_op)op, v, guards[g], text, sizeof text);
                check_instruction((isa_op)op, text);
                checked++;
            }
    cr_expect_gt(checked, 150 * VARIANTS * 3);
}

/* ---- Every kind of file ---- */

Test(roundtrip, golden_sources_survive_a_round_trip) {
    static const char *const paths[] = {"tests/golden/allops.wave", "tests/golden/forms.wave"};
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        uint8_t *source = read_file(paths[i], &size);
        assembled a = assemble_bytes((char *)source, size, (wave_asm_options){0});
        cr_assert_eq(a.status, WAVE_OK);
        expect_round_trip(&a.file, paths[i], NULL);
        discard(&a);
        a = assemble_bytes((char *)source, size, (wave_asm_options){.no_symbols = true});
        expect_round_trip(&a.file, paths[i], NULL);
        discard(&a);
        free(source);
    }
}

Test(roundtrip, names_survive_a_round_trip) {
    expect_source_round_trip(".kernel\nhalt\n.end\n");
    expect_source_round_trip(".kernel\nhalt\n.end\n.kernel\nnop\n.end\n");
    expect_source_round_trip(".kernel\nhalt\n.end\n.kernel b\nnop\n.end\n");
    expect_source_round_trip(".kernel a\nhalt\n.end\n.kernel\nnop\n.end\n.kernel c\nnop\n.end\n");
    static const char *const names[] = {"r1",        "r",
                                        "rx",        "p0",
                                        "p",         "sr",
                                        "srx",       "sr_lane_id",
                                        "s",         "if",
                                        "nop",       "_",
                                        "_1",        "1a",
                                        "a b",       "a:b",
                                        "a;b",       "a#b",
                                        "\xC3\xA9",  "\xC2\x85",
                                        "\xC2\xA0",  "\xF0\x9F\x8C\x8A",
                                        ".kernel",   " ",
                                        "a.b",       "@p1",
                                        "-1",        "0x10",
                                        "loc_0_0000"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char source[128];
        snprintf(source, sizeof source, ".kernel \"%s\"\nhalt\n.end\n", names[i]);
        expect_source_round_trip(source);
    }
    expect_source_round_trip(".kernel \"\\\"\\\\\\x01\\x0A\\x7f\\xC2\\x9b\"\nhalt\n.end\n");
}

Test(roundtrip, directives_survive_a_round_trip) {
    expect_source_round_trip(".kernel a\nnop\n.registers 0\n.end\n");
    expect_source_round_trip(".kernel a\nnop\n.registers 256\n.end\n");
    expect_source_round_trip(".kernel a\nnop\n.workgroup_size 1, 1, 1\n.end\n");
    expect_source_round_trip(".kernel a\nnop\n.workgroup_size 1024, 1, 1\n.end\n");
    expect_source_round_trip(".kernel a\nnop\n.local_memory 65536\n.end\n");
    expect_source_round_trip(".kernel a\nnop\n.local_memory 1\n.end\n");
}

Test(roundtrip, calls_survive_a_round_trip) {
    expect_source_round_trip(".kernel a\ncall f\nhalt\nf: return\n.end\n"
                             ".kernel b\nnop\ng: return\ncall g\ncall h\nh: return\n.end\n");
    expect_source_round_trip(".kernel a\ncall e\ne:\n.end\n");   /* to the end of the code */
    expect_source_round_trip(".kernel a\ncall 4\nhalt\n.end\n"); /* into the call itself */
    expect_source_round_trip(".kernel a\ncall 2\nhalt\n.end\n"); /* not a multiple of 4 */
    expect_source_round_trip(".kernel a\ncall 0xFFFFFFFC\nhalt\n.end\n");
    expect_source_round_trip(".kernel a\ncall 16\nhalt\n.end\n"); /* past the end */
    /* far enough for five hexadecimal digits */
    size_t count = 20000;
    char *source = malloc(count * 4 + 64), *at = source;
    cr_assert_not_null(source);
    at += sprintf(at, ".kernel a\ncall f\n");
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "nop\n");
    sprintf(at, "f: return\n.end\n");
    expect_source_round_trip(source);
    free(source);
}

Test(roundtrip, the_extension_flag_survives_a_round_trip) {
    expect_source_round_trip(".kernel a\nif !p0\nendif\nhalt\n.end\n");
    expect_source_round_trip(".kernel a\nhalt\n.end\n.kernel b\numin r1, r2, r3\n.end\n");
}
