/* Expressions: wrapping 64-bit integers, doubles, and the operators of C with C's precedence. */
#include "asm/asm.h"
#include "asm/decimal.h"

#include <string.h>

enum { MAX_NESTING = 64 };

typedef struct expression {
    asm_state *a;
    unsigned nesting;
} expression;

static bool binary(expression *e, unsigned least, asm_value *left);
static bool unary(expression *e, asm_value *value);

static bool complain(expression *e, const asm_place *place, const char *what) {
    asm_error(&e->a->reporter, DIAG_E_EXPRESSION, place, NULL, "%s", what);
    return false;
}

static double as_double(const asm_value *v) {
    return v->is_float ? v->number : (double)v->integer;
}

static bool truth(const asm_value *v) {
    return v->is_float ? v->number != 0 : v->integer != 0;
}

static asm_value integer(int64_t value) {
    return (asm_value){.integer = value};
}

/* ---- Primaries ---- */

static bool expect(expression *e, int operator_value, const char *what) {
    if (!asm_is_operator(&e->a->token, operator_value)) {
        if (e->a->token.kind != ASM_BAD)
            complain(e, &e->a->token.place, what);
        return false;
    }
    asm_advance(e->a);
    return true;
}

/* sizeof(TYPE) and defined(NAME): the word has been taken, the parenthesis comes next. */
static bool function(expression *e, bool size, asm_value *value) {
    asm_state *a = e->a;
    if (!expect(e, '(', "expected '('"))
        return false;
    asm_token name = a->token;
    *value = integer(0);
    if (name.kind != ASM_NAME)
        return complain(e, &name.place, size ? "expected a type" : "expected a name");
    if (!size)
        value->integer = asm_find_symbol(a, &name) != NULL;
    for (wave_type type = WAVE_TYPE_U32; size && type < WAVE_TYPE_BYTES; type++)
        if (asm_token_is(&name, wave_type_name(type)))
            value->integer = (int64_t)wave_type_size(type);
    if (size && value->integer == 0)
        return complain(e, &name.place, "types are u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64");
    asm_advance(a);
    return expect(e, ')', "expected ')'");
}

static bool name_value(expression *e, const asm_token *name, asm_value *value) {
    bool size = asm_token_is(name, "sizeof");
    if ((size || asm_token_is(name, "defined")) && asm_is_operator(&e->a->token, '('))
        return function(e, size, value);
    const asm_symbol *symbol = asm_find_symbol(e->a, name);
    if (!symbol) {
        asm_unknown_symbol(e->a, name);
        return false;
    }
    if (symbol->kind != ASM_SYMBOL_NUMBER)
        return complain(e, &name->place, "expected a number in the expression");
    *value = symbol->value;
    return true;
}

/* The token has already been taken. */
static bool primary(expression *e, const asm_token *token, asm_value *value) {
    uint64_t bits;
    switch (token->kind) {
    case ASM_INTEGER: *value = integer(token->value); return true;
    case ASM_FLOAT:
        bits = asm_decimal_f64(token->place.at, token->place.length);
        value->is_float = true;
        memcpy(&value->number, &bits, sizeof bits);
        return true;
    case ASM_NAME: return name_value(e, token, value);
    case ASM_BAD: return false;
    default:
        return complain(e, &token->place,
                        token->kind == ASM_REGISTER || token->kind == ASM_SPECIAL
                            ? "a register has no value at assembly time"
                            : "expected a number");
    }
}

static bool apply_unary(expression *e, const asm_token *op, asm_value *v) {
    switch (op->value) {
    case '!': *v = integer(!truth(v)); return true;
    case '-':
        if (v->is_float)
            v->number = -v->number;
        else
            v->integer = (int64_t)(0 - (uint64_t)v->integer);
        return true;
    case '~':
        if (v->is_float)
            return complain(e, &op->place, "~ needs an integer");
        v->integer = ~v->integer;
        return true;
    default: return true;
    }
}

/* The token has already been taken. */
static bool unary_from(expression *e, const asm_token *token, asm_value *value) {
    if (token->kind != ASM_OPERATOR)
        return primary(e, token, value);
    if (e->nesting == MAX_NESTING)
        return complain(e, &token->place, "expression nested more than 64 levels deep");
    e->nesting++;
    bool good;
    if (token->value == '(')
        good = unary(e, value) && binary(e, 1, value) && expect(e, ')', "expected ')'");
    else if (token->value == '-' || token->value == '~' || token->value == '!' ||
             token->value == '+')
        good = unary(e, value) && apply_unary(e, token, value);
    else
        good = complain(e, &token->place, "expected a number");
    e->nesting--;
    return good;
}

static bool unary(expression *e, asm_value *value) {
    asm_token token = e->a->token;
    if (!asm_line_ends(e->a)) /* the error has been reported; the next line is unaffected */
        asm_advance(e->a);
    return unary_from(e, &token, value);
}

/* ---- Operators ---- */

/* 0: none. Higher binds tighter, as in C. */
static unsigned precedence(const asm_token *token) {
    static const uint8_t levels[ASM_OPERATOR_COUNT] = {[ASM_OR_ELSE] = 1,
                                                       [ASM_AND_ALSO] = 2,
                                                       ['|'] = 3,
                                                       ['^'] = 4,
                                                       ['&'] = 5,
                                                       [ASM_EQUAL] = 6,
                                                       [ASM_NOT_EQUAL] = 6,
                                                       ['<'] = 7,
                                                       ['>'] = 7,
                                                       [ASM_LESS_EQUAL] = 7,
                                                       [ASM_GREATER_EQUAL] = 7,
                                                       [ASM_SHIFT_LEFT] = 8,
                                                       [ASM_SHIFT_RIGHT] = 8,
                                                       ['+'] = 9,
                                                       ['-'] = 9,
                                                       ['*'] = 10,
                                                       ['/'] = 10,
                                                       ['%'] = 10};
    return token->kind == ASM_OPERATOR ? levels[token->value] : 0;
}

static bool compare(int64_t op, const asm_value *x, const asm_value *y, asm_value *result) {
    bool floats = x->is_float || y->is_float;
    double p = as_double(x), q = as_double(y);
    bool less = floats ? p < q : x->integer < y->integer;
    bool equal = floats ? p == q : x->integer == y->integer;
    bool greater = floats ? p > q : x->integer > y->integer;
    switch (op) {
    case ASM_EQUAL: *result = integer(equal); return true;
    case ASM_NOT_EQUAL: *result = integer(!equal); return true;
    case '<': *result = integer(less); return true;
    case '>': *result = integer(greater); return true;
    case ASM_LESS_EQUAL: *result = integer(less || equal); return true;
    case ASM_GREATER_EQUAL: *result = integer(greater || equal); return true;
    case ASM_AND_ALSO: *result = integer(truth(x) && truth(y)); return true;
    case ASM_OR_ELSE: *result = integer(truth(x) || truth(y)); return true;
    default: return false;
    }
}

static bool apply_floats(expression *e, const asm_token *op, const asm_value *y, asm_value *x) {
    double p = as_double(x), q = as_double(y);
    x->is_float = true;
    switch (op->value) {
    case '+': x->number = p + q; return true;
    case '-': x->number = p - q; return true;
    case '*': x->number = p * q; return true;
    case '/': x->number = p / q; return true;
    default: return complain(e, &op->place, "this operator needs integers");
    }
}

static bool apply_integers(expression *e, const asm_token *op, int64_t q, int64_t *p) {
    uint64_t x = (uint64_t)*p, y = (uint64_t)q;
    bool divides = op->value == '/' || op->value == '%';
    bool shifts = op->value == ASM_SHIFT_LEFT || op->value == ASM_SHIFT_RIGHT;
    if (divides && (q == 0 || (q == -1 && *p == INT64_MIN)))
        return complain(e, &op->place, q ? "the quotient does not fit" : "division by zero");
    if (shifts && y > 63)
        return complain(e, &op->place, "shift amount out of range: expected 0 to 63");
    switch (op->value) {
    case '+': *p = (int64_t)(x + y); break;
    case '-': *p = (int64_t)(x - y); break;
    case '*': *p = (int64_t)(x * y); break;
    case '/': *p = *p / q; break;
    case '%': *p = *p % q; break;
    case '&': *p = (int64_t)(x & y); break;
    case '|': *p = (int64_t)(x | y); break;
    case '^': *p = (int64_t)(x ^ y); break;
    case ASM_SHIFT_LEFT: *p = (int64_t)(x << y); break;
    default: *p = (int64_t)(*p < 0 ? ~(~x >> y) : x >> y); break;
    }
    return true;
}

static bool apply(expression *e, const asm_token *op, const asm_value *y, asm_value *x) {
    asm_value left = *x;
    if (compare(op->value, &left, y, x))
        return true;
    if (x->is_float || y->is_float)
        return apply_floats(e, op, y, x);
    return apply_integers(e, op, y->integer, &x->integer);
}

/* Precedence climbing: continues after *left while operators of at least this precedence follow. */
static bool binary(expression *e, unsigned least, asm_value *left) {
    asm_state *a = e->a;
    for (;;) {
        bool number = a->token.kind == ASM_INTEGER || a->token.kind == ASM_FLOAT;
        if (number && *a->token.place.at == '-')
            asm_lexer_split_minus(&a->lexer, &a->token);
        asm_token op = a->token;
        unsigned level = precedence(&op);
        if (level == 0 || level < least)
            return true;
        asm_value right = {0};
        asm_advance(a);
        if (!unary(e, &right))
            return false;
        if (++e->nesting > MAX_NESTING)
            return complain(e, &op.place, "expression nested more than 64 levels deep");
        if (!binary(e, level + 1, &right))
            return false;
        e->nesting--;
        if (!apply(e, &op, &right, left))
            return false;
    }
}

bool asm_expression(asm_state *a, asm_value *value) {
    expression e = {.a = a};
    *value = (asm_value){0};
    return unary(&e, value) && binary(&e, 1, value);
}

bool asm_factor(asm_state *a, asm_value *value) {
    expression e = {.a = a};
    *value = (asm_value){0};
    return unary(&e, value);
}

bool asm_expression_from(asm_state *a, const asm_token *first, asm_value *value) {
    expression e = {.a = a};
    *value = (asm_value){0};
    return unary_from(&e, first, value) && binary(&e, 1, value);
}

bool asm_integer(asm_state *a, int64_t least, int64_t most, int64_t *value) {
    asm_value found;
    asm_place place = a->token.place;
    if (!asm_expression(a, &found))
        return false;
    *value = found.integer;
    if (!found.is_float && found.integer >= least && found.integer <= most)
        return true;
    asm_error(&a->reporter, DIAG_E_EXPRESSION, &place, NULL,
              found.is_float ? "expected an integer"
                             : "the number is not in the range %lld to %lld",
              (long long)least, (long long)most);
    return false;
}
