/* Checks the types of operands and results of all instructions in functions, by the letters of
 * their rows. Rules that a row cannot express are in check_memory.c and check_values.c. */
#include "spirv/reader.h"

/* What the operands examined so far agree on. */
typedef struct row_types {
    const spirv_reader *r;
    const spirv_insn *insn;
    uint32_t shape;     /* components of the capitals; 0: none seen yet */
    uint8_t int_bits;   /* width of I */
    uint8_t float_bits; /* width of F */
} row_types;

static bool wrong(const row_types *t, uint32_t index, const char *wanted) {
    if (index == 0)
        return spirv_fail(t->r, t->insn, DIAG_E_SPIRV_TYPE, "the result is not %s", wanted);
    return spirv_fail(t->r, t->insn, DIAG_E_SPIRV_TYPE, "operand %%%u is not %s",
                      spirv_word(t->r->m, t->insn, index), wanted);
}

/* All capitals have the same number of components. */
static bool same_shape(row_types *t, const spirv_type *type, uint32_t index) {
    uint32_t shape = type->kind == SPIRV_VECTOR ? type->count : 1;
    if (t->shape == 0)
        t->shape = shape;
    return t->shape == shape || wrong(t, index, "of the same number of components");
}

static bool same_width(const row_types *t, uint8_t *agreed, uint8_t bits, uint32_t index) {
    if (*agreed == 0)
        *agreed = bits;
    return *agreed == bits || wrong(t, index, "of the same width");
}

static bool shaped(row_types *t, char letter, const spirv_type *type, uint32_t index) {
    const spirv_type *scalar = spirv_scalar_of(t->r->m, type);
    bool integer = scalar->kind == SPIRV_INT, real = scalar->kind == SPIRV_FLOAT;
    switch (letter) {
    case 'I':
        return (integer || wrong(t, index, "an integer")) && same_shape(t, type, index) &&
               same_width(t, &t->int_bits, scalar->bits, index);
    case 'J': return (integer || wrong(t, index, "an integer")) && same_shape(t, type, index);
    case 'F':
        return (real || wrong(t, index, "a float")) && same_shape(t, type, index) &&
               same_width(t, &t->float_bits, scalar->bits, index);
    case 'G': return (real || wrong(t, index, "a float")) && same_shape(t, type, index);
    default:
        return (scalar->kind == SPIRV_BOOL || wrong(t, index, "a bool")) &&
               same_shape(t, type, index);
    }
}

/* A condition of OpSelect: one for all components, or one per component. */
static bool is_condition(const row_types *t, const spirv_type *type) {
    const spirv_type *result = spirv_type_at(t->r->m, t->insn->type);
    if (spirv_scalar_of(t->r->m, type)->kind != SPIRV_BOOL)
        return false;
    return type->kind != SPIRV_VECTOR ||
           (result->kind == SPIRV_VECTOR && result->count == type->count);
}

static bool simple(const row_types *t, char letter, const spirv_type *type, uint32_t index) {
    const spirv_module *m = t->r->m;
    const spirv_type *scalar = spirv_scalar_of(m, type);
    switch (letter) {
    case 'i':
    case 'c':
    case 'm': return type->kind == SPIRV_INT || wrong(t, index, "an integer scalar");
    case 'f': return type->kind == SPIRV_FLOAT || wrong(t, index, "a float scalar");
    case 'b': return type->kind == SPIRV_BOOL || wrong(t, index, "a bool");
    case 'N':
        return type->kind == SPIRV_INT || type->kind == SPIRV_FLOAT || wrong(t, index, "a number");
    case 'L':
        return scalar->kind == SPIRV_BOOL || scalar->kind == SPIRV_INT ||
               wrong(t, index, "a vector of bools");
    case 'V': return type->kind == SPIRV_VECTOR || wrong(t, index, "a vector");
    case 'p': return type->kind == SPIRV_POINTER || wrong(t, index, "a pointer");
    case 'e': return type->kind == SPIRV_EVENT || wrong(t, index, "an event");
    case '0': return type->kind == SPIRV_VOID || wrong(t, index, "void");
    case 'C': return is_condition(t, type) || wrong(t, index, "a condition for the result");
    case 'H': return scalar->kind == SPIRV_INT || wrong(t, index, "an integer");
    case 'R':
        return spirv_same_type(m, type->id, t->insn->type) ||
               wrong(t, index, "of the result's type");
    default: return true;
    }
}

static bool check_letter(row_types *t, char letter, const spirv_type *type, uint32_t index) {
    if (spirv_letter_is(letter, LETTER_SHAPED))
        return shaped(t, letter, type, index);
    return simple(t, letter, type, index);
}

/* Values of type void exist (the result of a call), but no operand accepts them. */
static bool check_operand(row_types *t, const spirv_operand *operand) {
    if (!spirv_letter_is(operand->letter, LETTER_TYPED))
        return true;
    const spirv_type *type = spirv_type_of(t->r->m, spirv_word(t->r->m, t->insn, operand->index));
    if (type->kind == SPIRV_VOID)
        return wrong(t, operand->index, "a value");
    return check_letter(t, operand->letter, type, operand->index);
}

static bool check_result(row_types *t) {
    const spirv_module *m = t->r->m;
    const spirv_type *type = spirv_type_at(m, t->insn->type);
    char letter = spirv_result_letters(m, t->insn)[0];
    bool may_be_void = letter == '0' || t->insn->op == SPIRV_OpFunctionCall ||
                       t->insn->op == SPIRV_OpFunction || t->insn->op == SPIRV_OpExtInst;
    if (type->kind == SPIRV_FUNCTION || type->kind == SPIRV_OPAQUE ||
        (type->kind == SPIRV_VOID && !may_be_void))
        return wrong(t, 0, "a value");
    return check_letter(t, letter, type, 0);
}

static bool check_instruction(const spirv_reader *r, const spirv_insn *insn) {
    row_types t = {.r = r, .insn = insn};
    if (insn->type && !check_result(&t))
        return false;
    spirv_cursor cursor = spirv_operands(r->m, insn);
    spirv_operand operand;
    while (spirv_next(r->m, insn, &cursor, &operand))
        if (!check_operand(&t, &operand))
            return false;
    return spirv_check_memory(r, insn) && spirv_check_value(r, insn);
}

bool spirv_type_check(spirv_reader *r) {
    for (uint32_t i = r->first_body; i < r->m->insn_count; i++) {
        if (!check_instruction(r, &r->m->insns[i]))
            return false;
        r->function_now += r->m->insns[i].op == SPIRV_OpFunctionEnd;
    }
    return true;
}
