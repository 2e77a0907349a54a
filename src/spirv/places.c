/* Source locations of instructions: OpLine, and DebugLine of NonSemantic.Shader.DebugInfo. A place
 * applies until the next one or the end of the block. */
#include "spirv/reader.h"

#include <string.h>

/* Numbers of NonSemantic.Shader.DebugInfo.100. */
enum { DEBUG_SOURCE = 35, DEBUG_LINE = 103, DEBUG_NO_LINE = 104 };

/* The string with that id; "" when it is not a string, is unterminated or is not UTF-8. */
static const char *string_at(const spirv_module *m, spirv_id id) {
    if (id >= m->bound || m->defs[id].kind != SPIRV_ID_STRING)
        return "";
    const spirv_insn *insn = &m->insns[m->defs[id].insn];
    if (insn->count < 3 || !memchr(&m->words[insn->word + 2], 0, (insn->count - 2U) * 4))
        return "";
    const char *text = spirv_string(m, insn->word + 2);
    return spirv_is_text(text) ? text : "";
}

/* The file of a DebugSource. */
static const char *source_file(const spirv_module *m, spirv_id id) {
    if (id >= m->bound || m->defs[id].kind == SPIRV_ID_NONE)
        return "";
    const spirv_insn *insn = &m->insns[m->defs[id].insn];
    bool source =
        insn->op == SPIRV_OpExtInst && insn->count > 5 && spirv_word(m, insn, 4) == DEBUG_SOURCE;
    return source ? string_at(m, spirv_word(m, insn, 5)) : "";
}

/* The value of a one-word OpConstant. */
static uint32_t number_at(const spirv_module *m, spirv_id id) {
    if (id >= m->bound || m->defs[id].kind != SPIRV_ID_CONSTANT)
        return 0;
    const spirv_insn *insn = &m->insns[m->defs[id].insn];
    return insn->op == SPIRV_OpConstant && insn->count == 4 ? spirv_word(m, insn, 3) : 0;
}

static bool is_debug_set(const spirv_module *m, spirv_id set) {
    if (set >= m->bound || m->defs[set].kind != SPIRV_ID_SET)
        return false;
    static const char name[] = "NonSemantic.Shader.DebugInfo.100";
    const spirv_insn *insn = &m->insns[m->defs[set].insn];
    return insn->count >= 2 + sizeof name / 4 + 1 &&
           memcmp(spirv_string(m, insn->word + 2), name, sizeof name) == 0;
}

/* Interprets the instruction as a change of place; false when it is not one. Line 0 means
 * unknown. */
static bool changes_place(const spirv_module *m, const spirv_insn *insn, spirv_place *place) {
    *place = (spirv_place){.file = ""};
    if (insn->op == SPIRV_OpLine && insn->count == 4) {
        *place = (spirv_place){string_at(m, spirv_word(m, insn, 1)), spirv_word(m, insn, 2),
                               spirv_word(m, insn, 3)};
        return true;
    }
    if (insn->op == SPIRV_OpExtInst && insn->count >= 5 &&
        is_debug_set(m, spirv_word(m, insn, 3))) {
        uint32_t number = spirv_word(m, insn, 4);
        if (number == DEBUG_LINE && insn->count >= 10)
            *place = (spirv_place){source_file(m, spirv_word(m, insn, 5)),
                                   number_at(m, spirv_word(m, insn, 6)),
                                   number_at(m, spirv_word(m, insn, 8))};
        return number == DEBUG_LINE || number == DEBUG_NO_LINE;
    }
    return insn->op == SPIRV_OpNoLine;
}

static bool ends_place(const spirv_insn *insn) {
    const spirv_row *row = spirv_row_of(insn->op);
    return row->section == SECTION_END || insn->op == SPIRV_OpFunctionEnd;
}

bool spirv_locate(spirv_reader *r) {
    spirv_module *m = r->m;
    uint32_t most = 1;
    spirv_place place;
    for (uint32_t i = 0; i < m->insn_count; i++)
        most += changes_place(m, &m->insns[i], &place);
    m->places = spirv_room(r, most, sizeof *m->places);
    if (!m->places)
        return false;
    m->places[0].file = "";
    m->place_count = 1;
    uint32_t now = 0;
    for (uint32_t i = 0; i < m->insn_count; i++) {
        spirv_insn *insn = &m->insns[i];
        if (changes_place(m, insn, &place)) {
            now = place.line ? m->place_count++ : 0;
            if (now)
                m->places[now] = place;
        }
        insn->place = now;
        if (ends_place(insn))
            now = 0;
    }
    return true;
}
