/* Precedence climbing over C's operators. In float expressions every value is a double; the bit
 * operators and % use the integer parts of their operands. Nesting is bounded. */
#include "testfile/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct parser {
    const char *at, *end;
    bool is_float;
    const expr_scope *scope;
    int depth;
    char *error;
    size_t error_size;
    bool failed;
} parser;

static void fail(parser *p, const char *what) {
    if (!p->failed)
        snprintf(p->error, p->error_size, "%s", what);
    p->failed = true;
    p->at = p->end;
}

static void fail_name(parser *p, const char *what, const char *name, size_t length) {
    char text[100];
    snprintf(text, sizeof text, "%s '%.*s'", what, length < 40 ? (int)length : 40, name);
    fail(p, text);
}

static void skip_blanks(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
}

/* ---- Values ---- */

static expr_value make(const parser *p, int64_t i, double f) {
    (void)p;
    return (expr_value){.i = i, .f = f};
}

static bool truth(const parser *p, expr_value v) {
    return p->is_float ? v.f != 0 : v.i != 0;
}

static expr_value from_bool(const parser *p, bool b) {
    return make(p, b, b);
}

static int64_t wrap(uint64_t bits) {
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t as_integer(const parser *p, expr_value v) {
    if (!p->is_float)
        return v.i;
    return v.f > -9.2e18 && v.f < 9.2e18 ? (int64_t)v.f : 0;
}

static int64_t divide(int64_t a, int64_t b, bool remainder) {
    if (b == 0)
        return 0;
    if (b == -1)
        return remainder ? 0 : wrap(0 - (uint64_t)a);
    return remainder ? a % b : a / b;
}

/* ---- Operators, loosest first ---- */

typedef enum op {
    OP_OROR,
    OP_ANDAND,
    OP_OR,
    OP_XOR,
    OP_AND,
    OP_EQ,
    OP_NE,
    OP_LE,
    OP_GE,
    OP_LT,
    OP_GT,
    OP_SHL,
    OP_SHR,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_COUNT
} op;

/* Longer spellings precede their prefixes. */
static const struct {
    const char *text;
    op op;
    int level;
} operators[OP_COUNT] = {
    {"||", OP_OROR, 1}, {"&&", OP_ANDAND, 2}, {"==", OP_EQ, 6},  {"!=", OP_NE, 6}, {"<=", OP_LE, 7},
    {">=", OP_GE, 7},   {"<<", OP_SHL, 8},    {">>", OP_SHR, 8}, {"<", OP_LT, 7},  {">", OP_GT, 7},
    {"|", OP_OR, 3},    {"^", OP_XOR, 4},     {"&", OP_AND, 5},  {"+", OP_ADD, 9}, {"-", OP_SUB, 9},
    {"*", OP_MUL, 10},  {"/", OP_DIV, 10},    {"%", OP_MOD, 10},
};

static expr_value apply_bits(const parser *p, op o, int64_t a, int64_t b) {
    int64_t r = 0;
    switch (o) {
    case OP_OR: r = a | b; break;
    case OP_XOR: r = a ^ b; break;
    case OP_AND: r = a & b; break;
    case OP_SHL: r = wrap((uint64_t)a << (b & 63)); break;
    case OP_SHR: r = a >> (b & 63); break;
    default: r = divide(a, b, true); break;
    }
    return make(p, r, (double)r);
}

static expr_value apply_float(const parser *p, op o, double a, double b) {
    switch (o) {
    case OP_EQ: return from_bool(p, a == b);
    case OP_NE: return from_bool(p, a != b);
    case OP_LE: return from_bool(p, a <= b);
    case OP_GE: return from_bool(p, a >= b);
    case OP_LT: return from_bool(p, a < b);
    case OP_GT: return from_bool(p, a > b);
    case OP_ADD: return make(p, 0, a + b);
    case OP_SUB: return make(p, 0, a - b);
    case OP_MUL: return make(p, 0, a * b);
    default: return make(p, 0, a / b);
    }
}

static expr_value apply_integer(const parser *p, op o, int64_t a, int64_t b) {
    switch (o) {
    case OP_EQ: return from_bool(p, a == b);
    case OP_NE: return from_bool(p, a != b);
    case OP_LE: return from_bool(p, a <= b);
    case OP_GE: return from_bool(p, a >= b);
    case OP_LT: return from_bool(p, a < b);
    case OP_GT: return from_bool(p, a > b);
    case OP_ADD: return make(p, wrap((uint64_t)a + (uint64_t)b), 0);
    case OP_SUB: return make(p, wrap((uint64_t)a - (uint64_t)b), 0);
    case OP_MUL: return make(p, wrap((uint64_t)a * (uint64_t)b), 0);
    default: return make(p, divide(a, b, false), 0);
    }
}

static expr_value apply(const parser *p, op o, expr_value a, expr_value b) {
    switch (o) {
    case OP_OROR: return from_bool(p, truth(p, a) || truth(p, b));
    case OP_ANDAND: return from_bool(p, truth(p, a) && truth(p, b));
    case OP_OR:
    case OP_XOR:
    case OP_AND:
    case OP_SHL:
    case OP_SHR:
    case OP_MOD: return apply_bits(p, o, as_integer(p, a), as_integer(p, b));
    default: return p->is_float ? apply_float(p, o, a.f, b.f) : apply_integer(p, o, a.i, b.i);
    }
}

/* ---- Parsing ---- */

static expr_value parse_choice(parser *p);

static bool accept(parser *p, const char *text) {
    skip_blanks(p);
    size_t n = strlen(text);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, text, n) != 0)
        return false;
    p->at += n;
    return true;
}

static expr_value parse_number(parser *p) {
    char text[64];
    size_t n = 0;
    bool hex = p->end - p->at > 1 && p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
    while (p->at < p->end && n + 1 < sizeof text) {
        char c = *p->at;
        bool exponent_sign =
            !hex && n && (c == '+' || c == '-') && (text[n - 1] == 'e' || text[n - 1] == 'E');
        if (!isalnum((unsigned char)c) && c != '.' && !exponent_sign)
            break;
        text[n++] = c;
        p->at++;
    }
    text[n] = '\0';
    char *stop;
    expr_value v;
    if (p->is_float && !hex) {
        v = make(p, 0, strtod(text, &stop));
    } else {
        uint64_t bits = strtoull(text, &stop, 0);
        v = make(p, wrap(bits), (double)bits);
    }
    if (*stop)
        fail(p, "malformed number");
    return v;
}

static expr_value call(parser *p, const char *name, size_t n, expr_value a, expr_value b) {
#define IS(text) (n == sizeof text - 1 && memcmp(name, text, n) == 0)
    if (IS("min"))
        return p->is_float ? (a.f < b.f ? a : b) : (a.i < b.i ? a : b);
    if (IS("max"))
        return p->is_float ? (a.f > b.f ? a : b) : (a.i > b.i ? a : b);
    if (IS("abs"))
        return make(p, a.i < 0 ? wrap(0 - (uint64_t)a.i) : a.i, fabs(a.f));
    if (IS("sqrt"))
        return make(p, a.i > 0 ? (int64_t)sqrt((double)a.i) : 0, sqrt(a.f));
    if (IS("floor"))
        return make(p, a.i, floor(a.f));
    if (IS("popcount")) {
        int64_t count = 0;
        for (uint64_t bits = (uint64_t)as_integer(p, a); bits; bits &= bits - 1)
            count++;
        return make(p, count, (double)count);
    }
#undef IS
    if (!p->scope->call || !p->scope->call(p->scope->user, name, n, a, &b))
        fail_name(p, "unknown function", name, n);
    return b;
}

static expr_value parse_name(parser *p) {
    const char *name = p->at;
    while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
        p->at++;
    size_t n = (size_t)(p->at - name);
    if (accept(p, "(")) {
        expr_value a = parse_choice(p), b = a;
        if (accept(p, ","))
            b = parse_choice(p);
        if (!accept(p, ")"))
            fail(p, "expected )");
        return call(p, name, n, a, b);
    }
    const expr_scope *scope = p->scope;
    for (size_t k = 0; k < scope->variable_count; k++)
        if (strlen(scope->variables[k].name) == n && memcmp(scope->variables[k].name, name, n) == 0)
            return make(p, scope->variables[k].value, (double)scope->variables[k].value);
    expr_value v = {0};
    if (!scope->name || !scope->name(scope->user, name, n, &v))
        fail_name(p, "unknown name", name, n);
    return v;
}

static expr_value parse_unary(parser *p) {
    expr_value v = {0};
    if (++p->depth > DEEPEST) {
        fail(p, "nested too deeply");
    } else if (accept(p, "-")) {
        v = parse_unary(p);
        v = make(p, wrap(0 - (uint64_t)v.i), -v.f);
    } else if (accept(p, "~")) {
        int64_t bits = ~as_integer(p, parse_unary(p));
        v = make(p, bits, (double)bits);
    } else if (accept(p, "!")) {
        v = from_bool(p, !truth(p, parse_unary(p)));
    } else if (accept(p, "(")) {
        v = parse_choice(p);
        if (!accept(p, ")"))
            fail(p, "expected )");
    } else if (p->at < p->end && (isdigit((unsigned char)*p->at) || *p->at == '.')) {
        v = parse_number(p);
    } else if (p->at < p->end && (isalpha((unsigned char)*p->at) || *p->at == '_')) {
        v = parse_name(p);
    } else {
        fail(p, "expected a value");
    }
    p->depth--;
    return v;
}

static int next_operator(parser *p, int level) {
    skip_blanks(p);
    for (int k = 0; k < OP_COUNT; k++) {
        size_t n = strlen(operators[k].text);
        if ((size_t)(p->end - p->at) >= n && memcmp(p->at, operators[k].text, n) == 0)
            return operators[k].level >= level ? k : -1;
    }
    return -1;
}

static expr_value parse_binary(parser *p, int level) {
    expr_value left = parse_unary(p);
    for (int k; (k = next_operator(p, level)) >= 0;) {
        p->at += strlen(operators[k].text);
        left = apply(p, operators[k].op, left, parse_binary(p, operators[k].level + 1));
    }
    return left;
}

static expr_value parse_choice(parser *p) {
    if (++p->depth > DEEPEST)
        fail(p, "nested too deeply");
    expr_value v = p->failed ? make(p, 0, 0) : parse_binary(p, 1);
    if (accept(p, "?")) {
        expr_value yes = parse_choice(p);
        if (!accept(p, ":"))
            fail(p, "expected :");
        expr_value no = parse_choice(p);
        v = truth(p, v) ? yes : no;
    }
    p->depth--;
    return v;
}

bool expr_evaluate_in(const char *text, size_t length, bool is_float, const expr_scope *scope,
                      expr_value *out, char *error, size_t error_size) {
    parser p = {.at = text,
                .end = text + length,
                .is_float = is_float,
                .scope = scope,
                .error = error,
                .error_size = error_size};
    *out = parse_choice(&p);
    skip_blanks(&p);
    if (!p.failed && p.at != p.end)
        fail(&p, "unexpected text after the expression");
    return !p.failed;
}

bool expr_evaluate(const char *text, size_t length, bool is_float, const expr_variable *variables,
                   size_t variable_count, expr_value *out, char *error, size_t error_size) {
    const expr_scope scope = {.variables = variables, .variable_count = variable_count};
    return expr_evaluate_in(text, length, is_float, &scope, out, error, error_size);
}
