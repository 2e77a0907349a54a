/* Operands of more than one token: expressions, pairs, halves, predicates in parentheses. Operands
 * of a single token do not get here. */
#include "asm/asm.h"

#include <string.h>

/* Extends the operand up to the current token. */
static void widen(const asm_state *a, asm_token *token) {
    const char *end = a->token.place.at;
    if (a->token.place.file != token->place.file || end <= token->place.at)
        return;
    while (end > token->place.at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == ','))
        end--;
    uint32_t length = (uint32_t)(end - token->place.at);
    if (a->token.place.line == token->place.line && length > token->place.length)
        token->place.length = length;
}

static bool number_operand(asm_state *a, const asm_value *value, asm_token *token) {
    widen(a, token);
    token->kind = value->is_float ? ASM_DOUBLE : ASM_INTEGER;
    token->value = value->integer;
    if (value->is_float)
        memcpy(&token->value, &value->number, sizeof token->value);
    return true;
}

/* rN:rM, where rM is the last register of the pair or quad. */
static bool pair_operand(asm_state *a, asm_token *token) {
    asm_advance(a);
    if (a->token.kind != ASM_REGISTER ||
        (a->token.value != token->value + 1 && a->token.value != token->value + 3)) {
        if (a->token.kind != ASM_BAD)
            asm_error(&a->reporter, DIAG_E_OPERAND, &a->token.place,
                      "a pair is rN:rM with M = N + 1, a quad with M = N + 3",
                      "expected the last register of the pair");
        return false;
    }
    token->span = (uint8_t)(a->token.value - token->value + 1);
    asm_advance(a);
    widen(a, token);
    return true;
}

/* x.hi of a name: the lexer reads it as a name and a directive. */
static bool half_operand(asm_state *a, asm_token *token) {
    bool adjacent = a->token.place.at == token->place.at + token->place.length;
    bool high = asm_token_is(&a->token, ".hi");
    if (!adjacent || (!high && !asm_token_is(&a->token, ".lo")))
        return true; /* the next statement, or a scope that the caller reports */
    token->half = high ? ASM_HALF_HI : ASM_HALF_LO;
    asm_advance(a);
    return true;
}

static bool is_predicate_name(asm_state *a, const asm_token *token) {
    const asm_symbol *symbol = token->kind == ASM_NAME ? asm_find_symbol(a, token) : NULL;
    return symbol && symbol->kind == ASM_SYMBOL_PREDICATE;
}

/* !done; any other use of ! is an expression. */
static bool negated_operand(asm_state *a, asm_token *token) {
    asm_value value;
    if (!is_predicate_name(a, &a->token))
        return asm_expression_from(a, token, &value) && number_operand(a, &value, token);
    *token = a->token;
    token->kind = ASM_NOT_PREDICATE;
    token->named = true;
    asm_advance(a);
    return true;
}

/* fence_acquire(scope_device). */
static bool is_scope(asm_state *a, const asm_token *token) {
    return asm_token_scope(token) >= 0 && !(token->kind == ASM_NAME && asm_find_symbol(a, token));
}

/* if (p1), if (!done), a scope; otherwise an expression that starts with a parenthesis. */
static bool parenthesis_operand(asm_state *a, asm_token *token) {
    asm_value value;
    asm_token inner = a->token;
    if (asm_is_operator(&inner, '!')) {
        asm_lexer ahead = a->lexer;
        asm_token next;
        asm_lexer_next(&ahead, &next);
        if (is_predicate_name(a, &next)) {
            asm_advance(a);
            inner = a->token;
            inner.kind = ASM_NOT_PREDICATE;
            inner.named = true;
        }
    }
    if (inner.kind == ASM_REGISTER) {
        asm_error(&a->reporter, DIAG_E_OPERAND, &inner.place,
                  "a condition is a predicate, which a compare writes: icmp_gt p1, r0, r1",
                  "parentheses hold a predicate, a scope or a number, not a register");
        return false;
    }
    if (inner.kind != ASM_PREDICATE && inner.kind != ASM_NOT_PREDICATE &&
        !is_predicate_name(a, &inner) && !is_scope(a, &inner))
        return asm_expression_from(a, token, &value) && number_operand(a, &value, token);
    *token = inner;
    asm_advance(a);
    if (!asm_is_operator(&a->token, ')')) {
        asm_error(&a->reporter, DIAG_E_SYNTAX, &a->token.place, NULL, "expected ')'");
        return false;
    }
    asm_advance(a);
    return true;
}

static bool operator_operand(asm_state *a, asm_statement *s, asm_token *token) {
    asm_value value;
    switch (token->value) {
    case '[': return asm_parse_address(a, s, token);
    case '!': return negated_operand(a, token);
    case '(': return parenthesis_operand(a, token);
    default: return asm_expression_from(a, token, &value) && number_operand(a, &value, token);
    }
}

static bool continues_expression(const asm_token *next) {
    bool number = next->kind == ASM_INTEGER || next->kind == ASM_FLOAT;
    return next->kind == ASM_OPERATOR || (number && *next->place.at == '-');
}

bool asm_parse_operand(asm_state *a, asm_statement *s, asm_token *token) {
    asm_value value;
    if (token->kind == ASM_OPERATOR)
        return operator_operand(a, s, token) && asm_sugar(a, &token->place);
    if (token->kind == ASM_REGISTER && a->token.kind == ASM_COLON)
        return pair_operand(a, token) && asm_sugar(a, &token->place);
    if (token->kind == ASM_NAME && a->token.kind == ASM_DIRECTIVE)
        return half_operand(a, token);
    bool number = token->kind == ASM_INTEGER || token->kind == ASM_FLOAT || token->kind == ASM_NAME;
    if (!number || !continues_expression(&a->token))
        return true;
    return asm_expression_from(a, token, &value) && number_operand(a, &value, token) &&
           asm_sugar(a, &token->place);
}
