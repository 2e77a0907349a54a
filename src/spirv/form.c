/* Checks the words of every instruction against its row: their number, and that ids exist and are
 * of the required kind. Types are checked later, when they are known (typing.c). */
#include "spirv/opencl_table.h"
#include "spirv/reader.h"

#include <string.h>

typedef struct form {
    spirv_reader *r;
    const spirv_insn *insn;
    uint32_t number; /* of the instruction */
    uint32_t function;
} form;

static const char *const kind_names[] = {
    [SPIRV_ID_NONE] = "undefined",      [SPIRV_ID_TYPE] = "a type",
    [SPIRV_ID_CONSTANT] = "a constant", [SPIRV_ID_VARIABLE] = "a variable",
    [SPIRV_ID_FUNCTION] = "a function", [SPIRV_ID_PARAMETER] = "a parameter",
    [SPIRV_ID_LABEL] = "a label",       [SPIRV_ID_VALUE] = "a value",
    [SPIRV_ID_STRING] = "a string",     [SPIRV_ID_SET] = "an instruction set",
    [SPIRV_ID_GROUP] = "a group",       [SPIRV_ID_DEBUG] = "debug information",
};

/* The kinds of id that a letter accepts, one bit each. */
static unsigned kinds_of(char letter) {
    const unsigned constant = 1U << SPIRV_ID_CONSTANT, variable = 1U << SPIRV_ID_VARIABLE;
    switch (letter) {
    case 'T': return 1U << SPIRV_ID_TYPE;
    case 'l': return 1U << SPIRV_ID_LABEL;
    case 'u': return 1U << SPIRV_ID_FUNCTION;
    case 'h': return 1U << SPIRV_ID_STRING;
    case 'c':
    case 'm': return constant;
    case 'K': return constant | variable;
    case 'x': return ~(1U << SPIRV_ID_NONE);
    default: return constant | variable | 1U << SPIRV_ID_PARAMETER | 1U << SPIRV_ID_VALUE;
    }
}

static bool is_local(const spirv_def *def) {
    return def->kind == SPIRV_ID_PARAMETER || def->kind == SPIRV_ID_LABEL ||
           def->kind == SPIRV_ID_VALUE;
}

/* Forward-declared pointer types may be named before their definition. */
static bool is_announced(const form *f, const spirv_def *def, spirv_id id) {
    return f->insn->op == SPIRV_OpTypeStruct && def->announced &&
           f->r->m->insns[def->insn].op == SPIRV_OpTypePointer && id != f->insn->result;
}

static bool check_id(const form *f, spirv_id id, char letter) {
    const spirv_module *m = f->r->m;
    if (id == 0 || id >= m->bound)
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_ID, "%%%u is not below the bound %u", id,
                          m->bound);
    const spirv_def *def = &m->defs[id];
    if (!(kinds_of(letter) >> def->kind & 1))
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_ID, "%%%u is %s, which is not allowed here",
                          id, kind_names[def->kind]);
    if (letter == 'x')
        return true;
    if (is_local(def) && def->function != f->function)
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_ID, "%%%u belongs to another function", id);
    bool global = f->number < f->r->first_body && letter != 'u';
    bool declares = spirv_row_of(f->insn->op)->section >= SECTION_GLOBAL;
    if (global && declares && def->insn >= f->number && !is_announced(f, def, id))
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_ID, "%%%u is used before its definition", id);
    return true;
}

uint32_t spirv_lay_out_string(uint32_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = words[i];
        uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                            (uint8_t)(word >> 24)};
        memcpy(&words[i], bytes, 4);
        if (memchr(bytes, 0, 4))
            return i + 1;
    }
    return 0;
}

static bool check_operand(const form *f, const spirv_operand *operand) {
    spirv_module *m = f->r->m;
    if (operand->words == 0)
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FORM, "%s",
                          operand->letter == 's' ? "the string is not terminated"
                                                 : "words are missing");
    if (operand->letter == 's')
        (void)spirv_lay_out_string(&m->words[f->insn->word + operand->index], operand->words);
    if (operand->letter == 'o' && spirv_word(m, f->insn, operand->index) > SPIRV_ClusteredReduce)
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FORM, "there is no group operation %u",
                          spirv_word(m, f->insn, operand->index));
    if (spirv_letter_is(operand->letter, LETTER_LITERAL))
        return true;
    return check_id(f, spirv_word(m, f->insn, operand->index), operand->letter);
}

/* Checks the set and number of an extended instruction before its operands are looked up. */
static bool check_extended(const form *f) {
    const spirv_module *m = f->r->m;
    if (f->insn->count < 5)
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FORM, "words are missing");
    spirv_id set = spirv_word(m, f->insn, 3);
    uint32_t number = spirv_word(m, f->insn, 4);
    if (set >= m->bound || m->defs[set].kind != SPIRV_ID_SET)
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_ID, "%%%u is not an instruction set", set);
    if (m->defs[set].index != SPIRV_SET_OPENCL)
        return true;
    if (f->number < f->r->first_body)
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_LAYOUT, "it is outside all functions");
    return opencl_row_of(number).name ||
           spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FORM, "OpenCL.std has no function %u", number);
}

/* The instruction inside an OpSpecConstantOp takes values and produces one. */
static bool check_folded(const form *f) {
    const spirv_module *m = f->r->m;
    if (f->insn->count < 4)
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FORM, "words are missing");
    unsigned op = spirv_word(m, f->insn, 3);
    const spirv_row *row = op <= UINT16_MAX ? spirv_row_of(op) : NULL;
    if (!row || row->section != SECTION_BODY || !spirv_row_gives(row))
        return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FORM,
                          "opcode %u is not an operation on constants", op);
    return true;
}

/* clang emits (event_t)0 with too many words, and occasionally one extra word elsewhere. They are
 * cut off, so that nothing later takes them for operands. */
static bool check_end(const form *f, uint32_t index) {
    if (index >= f->insn->count)
        return true;
    spirv_module *m = f->r->m;
    if (f->insn->op == SPIRV_OpExtInst &&
        m->defs[spirv_word(m, f->insn, 3)].index != SPIRV_SET_OPENCL)
        return true;
    if (f->insn->op == SPIRV_OpConstantNull || (f->insn->result && index + 1 == f->insn->count)) {
        spirv_warn(f->r, f->insn, "unexpected words at its end");
        m->insns[f->number].count = (uint16_t)index;
        return true;
    }
    return spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FORM, "it has %u words; expected %u",
                      f->insn->count, index);
}

static bool check_instruction(const form *f) {
    const spirv_module *m = f->r->m;
    if (f->insn->op == SPIRV_OpExtInst && !check_extended(f))
        return false;
    if (f->insn->op == SPIRV_OpSpecConstantOp && !check_folded(f))
        return false;
    if (f->insn->type && !check_id(f, f->insn->type, 'T'))
        return false;
    spirv_cursor cursor = spirv_operands(m, f->insn);
    spirv_operand operand;
    while (spirv_next(m, f->insn, &cursor, &operand))
        if (!check_operand(f, &operand))
            return false;
    return check_end(f, cursor.index);
}

/* Finds known instruction sets, which determine the operands of OpExtInst. */
static bool find_set(const form *f) {
    static const struct {
        const char *name;
        spirv_set set;
    } sets[] = {{"OpenCL.std", SPIRV_SET_OPENCL},
                {"NonSemantic.Shader.DebugInfo.100", SPIRV_SET_DEBUG},
                {"OpenCL.DebugInfo.100", SPIRV_SET_IGNORED},
                {"DebugInfo", SPIRV_SET_IGNORED}};
    spirv_module *m = f->r->m;
    const char *name = spirv_string(m, f->insn->word + 2);
    spirv_def *def = &m->defs[f->insn->result];
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if (strcmp(name, sets[i].name) == 0) {
            def->index = sets[i].set;
            return true;
        }
    def->index = SPIRV_SET_IGNORED;
    return strncmp(name, "NonSemantic.", 12) == 0 ||
           spirv_fail(f->r, f->insn, DIAG_E_SPIRV_FEATURE, "unknown instruction set %s", name);
}

static bool announce(const form *f) {
    spirv_def *def = &f->r->m->defs[spirv_word(f->r->m, f->insn, 1)];
    def->announced = true;
    return true;
}

static bool check_and_note(form *f) {
    if (!check_instruction(f))
        return false;
    switch (f->insn->op) {
    case SPIRV_OpExtInstImport: return find_set(f);
    case SPIRV_OpTypeForwardPointer: return announce(f);
    case SPIRV_OpFunctionEnd: f->function++; return true;
    default: return true;
    }
}

bool spirv_form(spirv_reader *r) {
    form f = {.r = r};
    for (; f.number < r->m->insn_count; f.number++) {
        f.insn = &r->m->insns[f.number];
        if (!check_and_note(&f))
            return false;
    }
    return true;
}
