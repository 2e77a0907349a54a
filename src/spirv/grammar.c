/* The table ops.def, and the walk over an instruction's operands that all checks use. */
#include "spirv/opencl_table.h"
#include "spirv/reader.h"

#include <stddef.h>
#include <string.h>

/* All names, each followed by the feature it is refused for, or by nothing: a row is small without
 * pointers, which would have to be relocated, and without room for the longest name. */
static const struct texts {
#define OP(number, name, section, operands) char name[sizeof("Op" #name "\0")];
#define REFUSED(number, name, feature)      char name[sizeof("Op" #name "\0" feature)];
#include "spirv/ops.def"
#undef OP
#undef REFUSED
} texts = {
#define OP(number, name, section, operands) "Op" #name "\0",
#define REFUSED(number, name, feature)      "Op" #name "\0" feature,
#include "spirv/ops.def"
#undef OP
#undef REFUSED
};

static const spirv_row rows[] = {
#define OP(number, name, section, operands)                                                        \
    {number, offsetof(struct texts, name), SECTION_##section, operands},
#define REFUSED(number, name, feature) {number, offsetof(struct texts, name), SECTION_ANY, ""},
#include "spirv/ops.def"
#undef OP
#undef REFUSED
};

enum {
#define OP(number, name, section, operands) ROW_##name,
#define REFUSED(number, name, feature)      ROW_##name,
#include "spirv/ops.def"
#undef OP
#undef REFUSED
    ROW_COUNT,
    DENSE = 512 /* most numbers are smaller; those of extensions are thousands */
};

/* By number, if that is dense: the index of its row, plus 1. The other rows come last, unused. */
static const uint16_t row_of[] = {
#define OP(number, name, section, operands)                                                        \
    [(number) < DENSE ? (number) : DENSE + ROW_##name] = ROW_##name + 1,
#define REFUSED(number, name, feature) OP(number, name, , )
#include "spirv/ops.def"
#undef OP
#undef REFUSED
};

/* Binary search: the table is in order. */
static const spirv_row *search(unsigned op) {
    size_t first = 0, end = ROW_COUNT;
    while (first < end) {
        const size_t middle = (first + end) / 2;
        if (rows[middle].number < op)
            first = middle + 1;
        else
            end = middle;
    }
    return first < ROW_COUNT && rows[first].number == op ? &rows[first] : NULL;
}

const spirv_row *spirv_row_of(unsigned op) {
    if (op >= DENSE)
        return search(op);
    return row_of[op] ? &rows[row_of[op] - 1] : NULL;
}

static const char *name_of(const spirv_row *row) {
    return (const char *)&texts + row->text;
}

const char *spirv_op_name(unsigned op) {
    const spirv_row *row = spirv_row_of(op);
    return row ? name_of(row) : "?";
}

const char *spirv_row_feature(const spirv_row *row) {
    return name_of(row) + strlen(name_of(row)) + 1;
}

/* ---- Operands ---- */

enum { VALUE = LETTER_TYPED | LETTER_WORD, SHAPED = VALUE | LETTER_SHAPED };

/* The letters of ops.def; P and S are pairs. */
const uint8_t spirv_letters[128] = {
    ['I'] = SHAPED,
    ['J'] = SHAPED,
    ['F'] = SHAPED,
    ['G'] = SHAPED,
    ['B'] = SHAPED,
    ['i'] = VALUE,
    ['f'] = VALUE,
    ['L'] = VALUE,
    ['b'] = VALUE,
    ['N'] = VALUE,
    ['V'] = VALUE,
    ['p'] = VALUE,
    ['R'] = VALUE,
    ['e'] = VALUE,
    ['v'] = VALUE,
    ['C'] = VALUE,
    ['H'] = VALUE,
    ['K'] = VALUE,
    ['c'] = VALUE,
    ['m'] = VALUE,
    ['T'] = LETTER_WORD,
    ['l'] = LETTER_WORD,
    ['u'] = LETTER_WORD,
    ['y'] = LETTER_WORD,
    ['h'] = LETTER_WORD,
    ['x'] = LETTER_WORD,
    ['n'] = LETTER_WORD | LETTER_LITERAL,
    ['o'] = LETTER_WORD | LETTER_LITERAL,
    ['s'] = LETTER_LITERAL,
    ['a'] = LETTER_LITERAL,
    ['k'] = LETTER_LITERAL,
};

/* The operand part of a row: what follows `=`, which, if present, is the first or second letter. */
static const char *after_result(const char *operands) {
    if (operands[0] == '=')
        return operands + 1;
    return operands[0] && operands[1] == '=' ? operands + 2 : operands;
}

/* Extended instructions take their operands from their own table; those of sets other than OpenCL's
 * are ignored. */
static const char *extended(const spirv_module *m, const spirv_insn *insn) {
    if (m->defs[spirv_word(m, insn, 3)].index != SPIRV_SET_OPENCL)
        return "";
    const char *operands = opencl_row_of(spirv_word(m, insn, 4)).operands;
    return operands ? after_result(operands) : "";
}

spirv_cursor spirv_operands(const spirv_module *m, const spirv_insn *insn) {
    const spirv_row *row = spirv_row_of(insn->op);
    spirv_cursor cursor = {.at = after_result(row->operands), .index = 1};
    cursor.index += (insn->type != 0 ? 1U : 0U) + (insn->result != 0 ? 1U : 0U);
    if (insn->op == SPIRV_OpExtInst) {
        cursor.at = extended(m, insn);
        cursor.index = 5;
    } else if (insn->op == SPIRV_OpSpecConstantOp) {
        const spirv_row *inner = spirv_row_of(spirv_word(m, insn, 3));
        cursor.at = inner ? after_result(inner->operands) : "";
        cursor.index = 4;
    }
    return cursor;
}

const char *spirv_result_letters(const spirv_module *m, const spirv_insn *insn) {
    if (insn->op == SPIRV_OpExtInst && m->defs[spirv_word(m, insn, 3)].index == SPIRV_SET_OPENCL)
        return opencl_row_of(spirv_word(m, insn, 4)).operands;
    return spirv_row_of(insn->op)->operands;
}

/* The number of words of a string including its terminator, or 0 when it does not end inside the
 * instruction. */
static uint32_t string_words(const spirv_module *m, const spirv_insn *insn, uint32_t index) {
    for (uint32_t i = index; i < insn->count; i++) {
        uint32_t word = spirv_word(m, insn, i);
        if ((word & 0xFF) == 0 || (word >> 8 & 0xFF) == 0 || (word >> 16 & 0xFF) == 0 ||
            word >> 24 == 0)
            return i - index + 1;
    }
    return 0;
}

/* The number of words of a memory access, including those its bits add. */
static uint32_t access_words(uint32_t mask) {
    const uint32_t with_a_word = SPIRV_Access_Aligned | 8 | 16 | 1U << 16 | 1U << 17;
    uint32_t words = 1;
    for (uint32_t bits = mask & with_a_word; bits; bits &= bits - 1)
        words++;
    return words;
}

uint32_t spirv_case_words(const spirv_module *m, const spirv_insn *insn) {
    const spirv_def *selector = &m->defs[spirv_word(m, insn, 1)];
    const spirv_insn *type = selector->type ? &m->insns[m->defs[selector->type].insn] : NULL;
    return type && type->op == SPIRV_OpTypeInt && spirv_word(m, type, 2) == 64 ? 2 : 1;
}

static uint32_t operand_words(const spirv_module *m, const spirv_insn *insn, char letter,
                              uint32_t index) {
    if (letter == 's')
        return string_words(m, insn, index);
    uint32_t words = 1;
    if (letter == 'a')
        words = access_words(spirv_word(m, insn, index));
    else if (letter == 'k')
        words = spirv_case_words(m, insn);
    return words <= insn->count - index ? words : 0;
}

/* The letter of one half of a pair. */
static char half_of_pair(char letter, spirv_cursor *cursor) {
    cursor->second = !cursor->second;
    if (cursor->second)
        return letter == 'P' ? 'v' : 'k';
    return 'l';
}

bool spirv_next_special(const spirv_module *m, const spirv_insn *insn, spirv_cursor *cursor,
                        spirv_operand *operand) {
    while (*cursor->at == 'a' && cursor->index >= insn->count)
        cursor->at++;
    char letter = *cursor->at;
    if (!letter)
        return false;
    bool pairs = letter == 'P' || letter == 'S';
    bool repeats = pairs || cursor->at[1] == '*';
    bool end = cursor->index >= insn->count;
    if (end && ((repeats && !cursor->second) || cursor->at[1] == '?'))
        return false;
    if (pairs)
        letter = half_of_pair(letter, cursor);
    *operand = (spirv_operand){.letter = letter, .index = cursor->index};
    if (end)
        return true;
    operand->words = operand_words(m, insn, letter, cursor->index);
    cursor->index += operand->words;
    if (!repeats)
        cursor->at += cursor->at[1] == '?' ? 2 : 1;
    return true;
}
