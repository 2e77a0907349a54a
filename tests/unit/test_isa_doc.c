/* docs/reference/isa.md must name every instruction and special register of the tables, and the
 * targets' pages every instruction. */
#include "isa/tile.h"
#include "support/golden.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *document;

static void load_file(const char *path) {
    document = golden_read(path);
    cr_assert_not_null(document, "%s cannot be read (tests run from the top of the project)", path);
}

static void load(void) {
    load_file("docs/reference/isa.md");
}

static void unload(void) {
    free(document);
}

/* "`name`", "`name operands`" or a name in a list of names inside backticks */
static int mentions(const char *name) {
    size_t n = strlen(name);
    for (const char *at = document; (at = strstr(at, name)); at += n) {
        char before = at == document ? ' ' : at[-1], after = at[n];
        if ((before == '`' || before == ' ') && (after == '`' || after == ' ' || after == ','))
            return 1;
    }
    return 0;
}

TestSuite(isa_doc, .init = load, .fini = unload);

/* The form of an instruction with a cache hint is its name and the hint, each named once. */
static int documents(int op) {
    /* For a tile instruction one of its types suffices; isa.md must name all of them. */
    for (unsigned type = 0; type < ISA_TILE_TYPES; type++) {
        const char *tile = isa_tile_mnemonic((isa_op)op, type);
        if (tile && mentions(tile))
            return 1;
    }
    const char *hint = strchr(isa_table[op].mnemonic, '.');
    return mentions(hint ? hint : isa_table[op].mnemonic);
}

Test(isa_doc, names_every_instruction) {
    for (int op = 1; op < ISA_OP_COUNT; op++)
        cr_expect(documents(op), "%s is missing", isa_table[op].mnemonic);
}

Test(isa_doc, names_every_type_of_tile) {
#define TILE_NAME(op, type, mnemonic) cr_expect(mentions(mnemonic), "%s is missing", mnemonic);
#include "isa/tile.def"
}

Test(isa_doc, names_every_special_register) {
    for (int k = 0; k < ISA_SPECIAL_COUNT; k++) {
        /* _y and _z are suffixes after the _x of their group */
        const char *name = isa_special_name[k];
        size_t n = strlen(name);
        if (strcmp(name + n - 2, "_y") != 0 && strcmp(name + n - 2, "_z") != 0)
            cr_expect(mentions(name), "%s is missing", name);
    }
}

Test(isa_doc, assembly_names_every_alias) {
    unload();
    load_file("docs/using/assembly.md");
#define INSN_ALIAS(name, id)    cr_expect(mentions(name), "%s is missing", name);
#define SPECIAL_ALIAS(name, id) cr_expect(mentions(name), "%s is missing", name);
#define SCOPE_ALIAS(name, id)   cr_expect(mentions(name), "%s is missing", name);
#include "isa/alias.def"
}

static void names_all(const char *path) {
    load_file(path);
    for (int op = 1; op < ISA_OP_COUNT; op++)
        cr_expect(documents(op), "%s is missing in %s", isa_table[op].mnemonic, path);
    free(document);
}

Test(target_docs, pages_name_every_instruction) {
    names_all("docs/reference/ptx.md");
    names_all("docs/reference/hip.md");
    names_all("docs/reference/sycl.md");
    names_all("docs/reference/msl.md");
}
