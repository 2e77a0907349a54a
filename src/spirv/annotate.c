/* Names and decorations, sorted by the id they belong to; decoration groups are expanded. */
#include "spirv/reader.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    spirv_id id;
    spirv_decoration decoration;
} entry;

typedef struct annotations {
    spirv_reader *r;
    entry *entries; /* in the order of the file */
    uint32_t count, capacity;
} annotations;

/* Operands that later code relies on: s is a string, n a number. Others are kept unchecked. */
static const struct {
    uint32_t decoration;
    const char *operands;
} known[] = {
    {SPIRV_Dec_SpecId, "n"},        {SPIRV_Dec_BuiltIn, "n"},
    {SPIRV_Dec_FuncParamAttr, "n"}, {SPIRV_Dec_FPRoundingMode, "n"},
    {SPIRV_Dec_Alignment, "n"},     {SPIRV_Dec_LinkageAttributes, "sn"},
    {SPIRV_Dec_MaxByteOffset, "n"}, {SPIRV_Dec_FPFastMathMode, "n"},
    {SPIRV_Dec_Offset, "n"},
};

static bool check_operands(const spirv_reader *r, const spirv_insn *insn, uint32_t decoration,
                           uint32_t first) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].decoration != decoration)
            continue;
        for (const char *letter = known[i].operands; *letter; letter++) {
            uint32_t left = insn->count > first ? insn->count - first : 0;
            uint32_t words = left > 0;
            if (*letter == 's')
                words = spirv_lay_out_string(&r->m->words[insn->word + first], left);
            if (words == 0)
                return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "decoration %u lacks an operand",
                                  decoration);
            first += words;
        }
    }
    return true;
}

static bool add(annotations *a, spirv_id id, spirv_decoration decoration) {
    if (a->count == a->capacity) {
        uint32_t capacity = a->capacity ? a->capacity * 2 : 64;
        entry *grown = realloc(a->entries, capacity * sizeof *grown);
        if (!grown)
            return spirv_no_memory(a->r);
        a->entries = grown;
        a->capacity = capacity;
    }
    a->entries[a->count++] = (entry){id, decoration};
    return true;
}

/* The decoration's number is word `at` of the instruction; its operands follow. */
static bool decorate(annotations *a, const spirv_insn *insn, uint32_t at, uint32_t member) {
    const spirv_module *m = a->r->m;
    if (insn->count <= at)
        return spirv_fail(a->r, insn, DIAG_E_SPIRV_FORM, "words are missing");
    uint32_t decoration = spirv_word(m, insn, at);
    if (!check_operands(a->r, insn, decoration, at + 1))
        return false;
    return add(a, spirv_word(m, insn, 1),
               (spirv_decoration){decoration, member, &m->words[insn->word + at + 1],
                                  insn->count - at - 1});
}

static bool annotate(annotations *a, const spirv_insn *insn) {
    spirv_module *m = a->r->m;
    switch (insn->op) {
    case SPIRV_OpName:
        if (spirv_is_text(spirv_string(m, insn->word + 2)))
            m->defs[spirv_word(m, insn, 1)].name = spirv_string(m, insn->word + 2);
        return true;
    case SPIRV_OpDecorate:
    case SPIRV_OpDecorateId:
    case SPIRV_OpDecorateString: return decorate(a, insn, 2, UINT32_MAX);
    case SPIRV_OpMemberDecorate:
    case SPIRV_OpMemberDecorateString: return decorate(a, insn, 3, spirv_word(m, insn, 2));
    default: return true;
    }
}

/* A counting sort by id: the decorations of an id become adjacent, in the order of the file. */
static bool sort_by_id(annotations *a) {
    spirv_module *m = a->r->m;
    m->decorations = spirv_room(a->r, a->count, sizeof *m->decorations);
    if (!m->decorations)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        m->defs[a->entries[i].id].decoration_count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        m->defs[a->entries[i].id].decoration_count++;
    uint32_t next = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        spirv_def *def = &m->defs[a->entries[i].id];
        if (def->decoration_count == 0)
            continue; /* already in place; the count is restored below */
        def->decorations = next;
        next += def->decoration_count;
        def->decoration_count = 0;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        spirv_def *def = &m->defs[a->entries[i].id];
        m->decorations[def->decorations + def->decoration_count++] = a->entries[i].decoration;
    }
    m->decoration_count = a->count;
    return true;
}

/* ---- Groups ---- */

static bool add_group(annotations *a, const spirv_insn *insn, spirv_id target, uint32_t member) {
    const spirv_module *m = a->r->m;
    const spirv_def *group = &m->defs[spirv_word(m, insn, 1)];
    if (target == 0 || target >= m->bound || m->defs[target].kind == SPIRV_ID_NONE)
        return spirv_fail(a->r, insn, DIAG_E_SPIRV_ID, "%%%u is not defined", target);
    /* Targets times decorations may far exceed the number of words in the module. */
    const uint32_t most = m->word_count + (1U << 16);
    if (group->decoration_count > most - a->count)
        return spirv_fail(a->r, insn, DIAG_E_SPIRV_LIMIT,
                          "its groups expand to more than %u decorations", most);
    for (uint32_t i = 0; i < group->decoration_count; i++) {
        spirv_decoration d = m->decorations[group->decorations + i];
        d.member = member;
        if (!add(a, target, d))
            return false;
    }
    return true;
}

static bool write_out_group(annotations *a, const spirv_insn *insn) {
    const spirv_module *m = a->r->m;
    bool members = insn->op == SPIRV_OpGroupMemberDecorate;
    if (m->defs[spirv_word(m, insn, 1)].kind != SPIRV_ID_GROUP)
        return spirv_fail(a->r, insn, DIAG_E_SPIRV_ID, "%%%u is not a decoration group",
                          spirv_word(m, insn, 1));
    if (members && insn->count % 2 != 0)
        return spirv_fail(a->r, insn, DIAG_E_SPIRV_FORM, "words are missing");
    for (uint32_t i = 2; i < insn->count; i += members ? 2 : 1) {
        uint32_t member = members ? spirv_word(m, insn, i + 1) : UINT32_MAX;
        if (!add_group(a, insn, spirv_word(m, insn, i), member))
            return false;
    }
    return true;
}

static bool write_out_groups(annotations *a) {
    const spirv_module *m = a->r->m;
    for (uint32_t i = 0; i < a->r->first_body; i++) {
        const spirv_insn *insn = &m->insns[i];
        if (insn->op != SPIRV_OpGroupDecorate && insn->op != SPIRV_OpGroupMemberDecorate)
            continue;
        if (!write_out_group(a, insn))
            return false;
    }
    return true;
}

static bool annotate_all(annotations *a) {
    for (uint32_t i = 0; i < a->r->first_body; i++)
        if (!annotate(a, &a->r->m->insns[i]))
            return false;
    uint32_t direct = a->count;
    if (!sort_by_id(a) || !write_out_groups(a))
        return false;
    return a->count == direct || sort_by_id(a);
}

bool spirv_annotate(spirv_reader *r) {
    annotations a = {.r = r};
    bool done = annotate_all(&a);
    free(a.entries);
    return done;
}
