/* Bracket addresses: a sum of a base register, an index register with a scale, and a number. */
#include "asm/asm.h"

static bool complain(asm_state *a, const char *what) {
    if (a->token.kind != ASM_BAD)
        asm_error(&a->reporter, DIAG_E_OPERAND, &a->token.place,
                  "[base], [base + 8], [base + i], [base + i*4] or [base + i*4 + 8]", "%s", what);
    return false;
}

static bool is_register(asm_state *a) {
    const asm_token *token = &a->token;
    if (token->kind != ASM_NAME)
        return token->kind == ASM_REGISTER || token->kind == ASM_SPECIAL;
    const asm_symbol *symbol = asm_find_symbol(a, token);
    return symbol && symbol->kind == ASM_SYMBOL_REGISTER;
}

static bool take_factor(asm_state *a, int64_t *value) {
    asm_value found;
    asm_place place = a->token.place;
    if (is_register(a))
        return complain(a, "write the register before the factor: i*4");
    if (!asm_factor(a, &found))
        return false;
    *value = found.integer;
    if (found.is_float)
        asm_error(&a->reporter, DIAG_E_OPERAND, &place, NULL, "expected an integer in the address");
    return !found.is_float;
}

/* Only products: sums belong to the address itself. */
static bool take_product(asm_state *a, int64_t *value) {
    if (!take_factor(a, value))
        return false;
    while (asm_is_operator(&a->token, '*') || asm_is_operator(&a->token, '/') ||
           asm_is_operator(&a->token, ASM_SHIFT_LEFT)) {
        int64_t op = a->token.value, right = 0;
        asm_advance(a);
        if (!take_factor(a, &right))
            return false;
        if (op == '/' && (right == 0 || right == -1))
            return complain(a, "a number in the address cannot be divided by 0 or -1");
        if (op == ASM_SHIFT_LEFT && (uint64_t)right > 63)
            return complain(a, "shift amount out of range in the address: expected 0 to 63");
        *value = op == '*'   ? (int64_t)((uint64_t)*value * (uint64_t)right)
                 : op == '/' ? *value / right
                             : (int64_t)((uint64_t)*value << right);
    }
    return true;
}

/* A register and its optional scale. */
static bool take_register(asm_state *a, asm_address *to) {
    asm_token token = a->token;
    int64_t scale = 1;
    asm_advance(a);
    if (a->token.kind == ASM_DIRECTIVE)
        return complain(a, "half of a register cannot be part of an address");
    bool scaled = asm_is_operator(&a->token, '*');
    if (scaled) {
        asm_advance(a);
        if (!take_product(a, &scale))
            return false;
    }
    if (!scaled && to->base.kind == ASM_EOF) {
        to->base = token;
    } else if (to->index.kind == ASM_EOF) {
        to->index = token;
        to->scale = scale;
    } else {
        return complain(a, "more than one index in an address");
    }
    return true;
}

/* sum += value; false when it does not fit in 64 bits. */
static bool add(int64_t *sum, int64_t value) {
    if (value < 0 ? *sum < INT64_MIN - value : *sum > INT64_MAX - value)
        return false;
    *sum += value;
    return true;
}

static bool too_large(asm_state *a, const asm_place *place) {
    asm_error(&a->reporter, DIAG_E_IMMEDIATE, place, NULL,
              "a number in the address does not fit in 32 bits");
    return false;
}

static bool take_term(asm_state *a, asm_address *to, bool minus) {
    int64_t value;
    const asm_place place = a->token.place;
    if (is_register(a)) {
        if (minus)
            return complain(a, "registers in an address can only be added");
        return take_register(a, to);
    }
    if (!take_product(a, &value))
        return false;
    if (minus && value == INT64_MIN) /* has no negative */
        return (add(&to->offset, 1) && add(&to->offset, INT64_MAX)) || too_large(a, &place);
    return add(&to->offset, minus ? -value : value) || too_large(a, &place);
}

bool asm_parse_address(asm_state *a, asm_statement *s, asm_token *token) {
    asm_address *to = &s->address;
    if (to->base.kind != ASM_EOF || to->index.kind != ASM_EOF)
        return complain(a, "more than one address in an instruction");
    *to = (asm_address){.scale = 1};
    bool minus = false;
    for (;;) {
        if (!take_term(a, to, minus))
            return false;
        bool number = a->token.kind == ASM_INTEGER || a->token.kind == ASM_FLOAT;
        if (number && *a->token.place.at == '-')
            asm_lexer_split_minus(&a->lexer, &a->token);
        minus = asm_is_operator(&a->token, '-');
        if (!minus && !asm_is_operator(&a->token, '+'))
            break;
        asm_advance(a);
    }
    if (!asm_is_operator(&a->token, ']'))
        return complain(a, "expected '+', '-' or ']'");
    const char *end = a->token.place.at + 1;
    if (a->token.place.line == token->place.line && a->token.place.file == token->place.file)
        token->place.length = (uint32_t)(end - token->place.at);
    token->kind = ASM_ADDRESS;
    asm_advance(a);
    if (to->offset >= INT32_MIN && to->offset <= (int64_t)UINT32_MAX && to->scale >= INT32_MIN &&
        to->scale <= (int64_t)UINT32_MAX)
        return true;
    return too_large(a, &token->place);
}
