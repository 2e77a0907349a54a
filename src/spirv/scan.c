/* Splits the words into instructions, defines the ids and enforces the order of the specification's
 * logical layout. Operands are not examined yet. */
#include "spirv/reader.h"

#include <stdlib.h>

typedef struct scan {
    spirv_reader *r;
    spirv_section section; /* reached so far */
    bool in_function, in_block;
    bool past_parameters; /* the function's first label was seen */
    uint32_t function, block, parameter;
} scan;

static bool count_instructions(spirv_reader *r) {
    spirv_module *m = r->m;
    uint32_t at = HEADER_WORDS;
    for (; at < m->word_count; m->insn_count++) {
        uint32_t count = m->words[at] >> 16;
        if (count == 0 || count > m->word_count - at)
            return spirv_fail(r, NULL, DIAG_E_SPIRV_FORM,
                              "the instruction at word %u has %u words, the module only %u more",
                              at, count, m->word_count - at);
        if ((m->words[at] & 0xFFFF) == SPIRV_OpSpecConstantOp)
            r->spare_ids += MOST_PARTS;
        at += count;
    }
    m->insns = spirv_room(r, m->insn_count, sizeof *m->insns);
    return m->insns != NULL;
}

/* The kind of id that the result of an instruction is. */
static spirv_id_kind kind_of(const scan *s, const spirv_insn *insn, const spirv_row *row) {
    switch (insn->op) {
    case SPIRV_OpString: return SPIRV_ID_STRING;
    case SPIRV_OpExtInstImport: return SPIRV_ID_SET;
    case SPIRV_OpDecorationGroup: return SPIRV_ID_GROUP;
    case SPIRV_OpFunction: return SPIRV_ID_FUNCTION;
    case SPIRV_OpFunctionParameter: return SPIRV_ID_PARAMETER;
    case SPIRV_OpLabel: return SPIRV_ID_LABEL;
    case SPIRV_OpUndef: return s->in_function ? SPIRV_ID_VALUE : SPIRV_ID_CONSTANT;
    case SPIRV_OpVariable: return s->in_function ? SPIRV_ID_VALUE : SPIRV_ID_VARIABLE;
    case SPIRV_OpExtInst: return s->in_function ? SPIRV_ID_VALUE : SPIRV_ID_DEBUG;
    default: break;
    }
    if (row->section == SECTION_GLOBAL)
        return insn->type ? SPIRV_ID_CONSTANT : SPIRV_ID_TYPE;
    return SPIRV_ID_VALUE;
}

/* Its index among those of its kind; types, constants and variables are numbered when they are
 * built. */
static uint32_t index_of(scan *s, spirv_id_kind kind) {
    switch (kind) {
    case SPIRV_ID_FUNCTION: return s->function;
    case SPIRV_ID_PARAMETER: return s->parameter++;
    case SPIRV_ID_LABEL: return s->block;
    default: return 0;
    }
}

static void count_definition(spirv_reader *r, spirv_id_kind kind) {
    r->most_types += kind == SPIRV_ID_TYPE;
    r->most_constants += kind == SPIRV_ID_CONSTANT;
    r->most_variables += kind == SPIRV_ID_VARIABLE;
    r->most_functions += kind == SPIRV_ID_FUNCTION;
    r->most_blocks += kind == SPIRV_ID_LABEL;
}

static bool define(scan *s, const spirv_insn *insn, const spirv_row *row) {
    spirv_module *m = s->r->m;
    if (insn->result == 0 || insn->result >= m->bound)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_ID, "the result %%%u is not below the bound %u",
                          insn->result, m->bound);
    spirv_def *def = &m->defs[insn->result];
    if (def->kind != SPIRV_ID_NONE)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_ID, "%%%u is already defined", insn->result);
    spirv_id_kind kind = kind_of(s, insn, row);
    *def = (spirv_def){.kind = (uint8_t)kind,
                       .insn = (uint32_t)(insn - m->insns),
                       .index = index_of(s, kind),
                       .type = insn->type,
                       .function = s->function,
                       .block = s->block,
                       .name = ""};
    count_definition(s->r, kind);
    return true;
}

/* Type and result come first in the words. */
static bool read_result(scan *s, spirv_insn *insn, const spirv_row *row) {
    if (!spirv_row_gives(row))
        return true;
    uint32_t typed = spirv_row_typed(row);
    if (insn->count < 2 + typed)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_FORM, "too few words: %u", insn->count);
    if (typed)
        insn->type = spirv_word(s->r->m, insn, 1);
    insn->result = spirv_word(s->r->m, insn, 1 + typed);
    if (typed && (insn->type == 0 || insn->type >= s->r->m->bound))
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_ID, "the type %%%u is not below the bound %u",
                          insn->type, s->r->m->bound);
    return true;
}

/* ---- The order ---- */

static bool misplaced(const scan *s, const spirv_insn *insn, const char *why) {
    return spirv_fail(s->r, insn, DIAG_E_SPIRV_LAYOUT, "%s", why);
}

static bool outside_function(scan *s, const spirv_insn *insn, spirv_section section) {
    if (s->in_function)
        return misplaced(s, insn, "it is not allowed in a function");
    if (section < s->section)
        return misplaced(s, insn, "it comes too late in the module");
    if (section == SECTION_MODEL && s->section == SECTION_MODEL)
        return misplaced(s, insn, "the module already has a memory model");
    s->section = section;
    return true;
}

static bool begin_function(scan *s, const spirv_insn *insn) {
    if (s->in_function)
        return misplaced(s, insn, "the previous function is not closed");
    s->section = SECTION_FUNCTION;
    s->in_function = true;
    s->in_block = s->past_parameters = false;
    s->block = s->parameter = 0;
    if (s->function == 0)
        s->r->first_body = (uint32_t)(insn - s->r->m->insns);
    return true;
}

static bool function_part(scan *s, const spirv_insn *insn) {
    if (insn->op == SPIRV_OpFunction)
        return begin_function(s, insn);
    if (!s->in_function)
        return misplaced(s, insn, "it is outside all functions");
    if (s->in_block)
        return misplaced(s, insn, "the previous block has no terminator");
    if (insn->op == SPIRV_OpFunctionParameter && s->past_parameters)
        return misplaced(s, insn, "it follows the first block of the function");
    if (insn->op == SPIRV_OpLabel)
        s->in_block = s->past_parameters = true;
    return true;
}

static bool in_its_place(scan *s, const spirv_insn *insn, spirv_section section) {
    if (section == SECTION_ANY)
        return true;
    if (section == SECTION_FUNCTION)
        return function_part(s, insn);
    if (section == SECTION_BOTH && !s->in_function)
        return outside_function(s, insn, SECTION_GLOBAL);
    if (section < SECTION_BOTH)
        return outside_function(s, insn, section);
    return s->in_block || misplaced(s, insn, "it is outside all blocks");
}

/* Leaves the block or function that the instruction ends. */
static void step(scan *s, const spirv_insn *insn, spirv_section section) {
    if (section == SECTION_END) {
        s->in_block = false;
        s->block++;
    } else if (insn->op == SPIRV_OpFunctionEnd) {
        s->in_function = false;
        s->function++;
    }
}

/* A rejection is reported with the source line, so the line is found first. */
static bool refuse(scan *s, const spirv_insn *insn, const spirv_row *row) {
    spirv_module *m = s->r->m;
    m->insn_count = (uint32_t)(insn - m->insns) + 1;
    return spirv_locate(s->r) &&
           spirv_fail(s->r, insn, DIAG_E_SPIRV_FEATURE, "WAVE has no %s", spirv_row_feature(row));
}

static bool scan_instruction(scan *s, spirv_insn *insn) {
    const spirv_row *row = spirv_row_of(insn->op);
    if (!row)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_FORM, "unknown opcode %u", insn->op);
    if (*spirv_row_feature(row))
        return refuse(s, insn, row);
    spirv_section section = (spirv_section)row->section;
    if (!in_its_place(s, insn, section) || !read_result(s, insn, row))
        return false;
    if (spirv_row_gives(row)) {
        if (!define(s, insn, row))
            return false;
    }
    step(s, insn, section);
    return true;
}

bool spirv_scan(spirv_reader *r) {
    spirv_module *m = r->m;
    if (!count_instructions(r))
        return false;
    m->defs = calloc((size_t)m->bound + r->spare_ids, sizeof *m->defs);
    if (!m->defs)
        return spirv_no_memory(r);
    scan s = {.r = r};
    r->first_body = m->insn_count;
    uint32_t at = HEADER_WORDS;
    for (uint32_t i = 0; i < m->insn_count; i++) {
        spirv_insn *insn = &m->insns[i];
        *insn = (spirv_insn){.word = at,
                             .op = (uint16_t)(m->words[at] & 0xFFFF),
                             .count = (uint16_t)(m->words[at] >> 16)};
        at += insn->count;
        if (!scan_instruction(&s, insn))
            return false;
    }
    if (s.in_function)
        return spirv_fail(r, NULL, DIAG_E_SPIRV_LAYOUT, "the last function is not closed");
    return true;
}
