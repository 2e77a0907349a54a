/* The lexer: ASCII, case-sensitive. No token is longer than a line, and nothing is copied. */
#include "asm/lexer.h"
#include "isa/alias.h"

#include <string.h>

enum { BLANK = 1, DIGIT = 2, LETTER = 4, UNDERSCORE = 8, COMMENT = 16, OPERATOR = 32 };

/* The class of each byte; bytes from 0x80 on have none. */
enum { B = BLANK, D = DIGIT, L = LETTER, U = UNDERSCORE, C = COMMENT, O = OPERATOR };
static const uint8_t class_of[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, B, 0, 0, 0, B, 0, 0, /* tab, CR */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* */
    B, O, 0, C, 0, O, O, 0, O, O, O, O, 0, 0, 0, O, /* space ! # % & ( ) * + / */
    D, D, D, D, D, D, D, D, D, D, 0, C, O, O, O, 0, /* 0-9 ; < = > */
    0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, /* A-O */
    L, L, L, L, L, L, L, L, L, L, L, O, 0, O, O, U, /* P-Z [ ] ^ _ */
    0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, /* a-o */
    L, L, L, L, L, L, L, L, L, L, L, 0, O, 0, O, 0, /* p-z | ~ */
};

static unsigned class_at(char c) {
    return class_of[(unsigned char)c];
}

static bool is_digit(char c) {
    return class_at(c) & DIGIT;
}

static bool is_letter(char c) {
    return class_at(c) & LETTER;
}

static bool is_word(char c) {
    return class_at(c) & (LETTER | DIGIT | UNDERSCORE);
}

static bool is_blank(char c) {
    return class_at(c) & BLANK;
}

static int hex_value(char c) {
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool asm_is_word(char c) {
    return is_word(c);
}

void asm_lexer_init(asm_lexer *lexer, const char *source, size_t size, uint32_t file, bool compat,
                    asm_reporter *reporter) {
    const char *last_line = source + size;
    while (last_line > source && last_line[-1] != '\n')
        last_line--;
    *lexer = (asm_lexer){.at = source,
                         .end = source + size,
                         .last_line = last_line,
                         .line_start = source,
                         .line = 1,
                         .file = file,
                         .compat = compat,
                         .reporter = reporter};
}

void asm_lexer_skip_line(asm_lexer *lexer) {
    if (lexer->at == lexer->end)
        return;
    const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    lexer->at = newline ? newline : lexer->end;
}

/* The character `distance` places ahead, or NUL past the end. */
static char peek(const asm_lexer *lexer, size_t distance) {
    return (size_t)(lexer->end - lexer->at) > distance ? lexer->at[distance] : '\0';
}

static void skip_word(asm_lexer *lexer) {
    const char *at = lexer->at, *end = lexer->end;
    if (at < lexer->last_line)
        while (is_word(*at))
            at++;
    else
        while (at < end && is_word(*at))
            at++;
    lexer->at = at;
}

/* Ends the token at the current position. */
static void finish(asm_lexer *lexer, asm_token *token, asm_kind kind) {
    token->kind = kind;
    token->place.length = (uint32_t)(lexer->at - token->place.at);
}

/* The place for an error about the token as far as it was read, at least one character. */
static const asm_place *bad(asm_lexer *lexer, asm_token *token) {
    if (lexer->at == token->place.at && lexer->at < lexer->end)
        lexer->at++;
    finish(lexer, token, ASM_BAD);
    return &token->place;
}

/* The number of a register or predicate, which begins with a digit; it saturates. */
static int64_t read_index(const char **text, const char *end) {
    const char *at = *text;
    unsigned value = (unsigned)*at++ - '0', digit;
    for (; at < end && (digit = (unsigned)*at - '0') < 10; at++)
        value = value < 1000 ? value * 10 + digit : 9999;
    *text = at;
    return value;
}

/* The half after a register: .lo or .hi. */
static ASM_COLD void lex_half(asm_lexer *lexer, asm_token *token) {
    const char *suffix = ++lexer->at;
    while (lexer->at < lexer->end && is_letter(*lexer->at))
        lexer->at++;
    size_t length = (size_t)(lexer->at - suffix);
    finish(lexer, token, ASM_REGISTER);
    if (length == 2 && memcmp(suffix, "lo", 2) == 0)
        token->half = ASM_HALF_LO;
    else if (length == 2 && memcmp(suffix, "hi", 2) == 0)
        token->half = ASM_HALF_HI;
    else
        asm_error(lexer->reporter, DIAG_E_OPERAND, bad(lexer, token),
                  "a register takes .lo or .hi; a scope is a separate operand, after a comma",
                  "unknown register suffix '.%.*s'", asm_shown(length), suffix);
}

static void lex_register(asm_lexer *lexer, asm_token *token) {
    const char *at = lexer->at + 1, *end = lexer->end;
    token->value = read_index(&at, end);
    lexer->at = at;
    if (at < end && *at == '.' && is_letter(peek(lexer, 1)))
        lex_half(lexer, token);
    else
        finish(lexer, token, ASM_REGISTER);
}

static ASM_RARE void lex_special(asm_lexer *lexer, asm_token *token) {
    skip_word(lexer);
    finish(lexer, token, ASM_SPECIAL);
    if (lexer->compat && (token->place.length < 3 || token->place.at[2] != '_'))
        asm_error(lexer->reporter, DIAG_E_SPECIAL, bad(lexer, token),
                  "names that start with sr are special registers: sr_lane_id, sr_thread_id_x, …",
                  "'%.*s' is not a special register", asm_shown(token->place.length),
                  token->place.at);
}

/* @done and @!done: the place is that of the name. */
static bool lex_named_guard(asm_lexer *lexer, asm_token *token) {
    const char *name = lexer->at;
    skip_word(lexer);
    if (lexer->at == name || is_digit(*name) ||
        (*name == 'p' && lexer->at - name > 1 && is_digit(name[1]))) {
        lexer->at = name;
        return false;
    }
    token->place.column += (uint32_t)(name - token->place.at);
    token->place.at = name;
    token->named = true;
    finish(lexer, token, ASM_GUARD);
    return true;
}

/* @p1 and !p1: `prefix` characters precede the p. */
static ASM_COLD void lex_predicate(asm_lexer *lexer, asm_token *token, asm_kind kind,
                                   size_t prefix) {
    lexer->at += prefix;
    if (kind == ASM_GUARD && !lexer->compat && lex_named_guard(lexer, token))
        return;
    if (peek(lexer, 0) != 'p' || !is_digit(peek(lexer, 1))) {
        asm_error(lexer->reporter, DIAG_E_SYNTAX, bad(lexer, token),
                  "write @p1, @!p1 or !p1, without blanks", "expected a predicate here");
        return;
    }
    lexer->at++;
    token->value = read_index(&lexer->at, lexer->end);
    finish(lexer, token, kind);
}

static void lex_word(asm_lexer *lexer, asm_token *token) {
    skip_word(lexer);
    finish(lexer, token, ASM_NAME);
    if (lexer->no_labels)
        return;
    const char *at = lexer->at;
    while (at < lexer->end && is_blank(*at))
        at++;
    if (at < lexer->end && *at == ':') {
        token->kind = ASM_LABEL;
        lexer->at = at + 1;
    }
}

/* ---- Numbers ---- */

static void skip_digits(asm_lexer *lexer) {
    while (lexer->at < lexer->end && (is_digit(*lexer->at) || *lexer->at == '_'))
        lexer->at++;
}

/* Digits of the base with _ between them; false when there are none or the value exceeds 2^63. */
static bool read_magnitude(asm_lexer *lexer, unsigned base, uint64_t *magnitude) {
    const uint64_t most = (uint64_t)INT64_MAX + 1;
    uint64_t value = 0;
    bool any = false, fits = true;
    for (; lexer->at < lexer->end; lexer->at++) {
        if (*lexer->at == '_')
            continue;
        int digit = hex_value(*lexer->at);
        if (digit < 0 || (unsigned)digit >= base)
            break;
        any = true;
        fits = fits && value <= (most - (unsigned)digit) / base;
        value = fits ? value * base + (unsigned)digit : UINT64_MAX;
    }
    *magnitude = value;
    return any && fits;
}

static void lex_hex(asm_lexer *lexer, asm_token *token) {
    if (token->negative && lexer->compat) {
        lexer->at += 2;
        asm_error(lexer->reporter, DIAG_E_COMPAT, bad(lexer, token), NULL,
                  "negative hexadecimal numbers are an extension");
        return;
    }
    lexer->at += 2;
    uint64_t magnitude;
    bool good = read_magnitude(lexer, 16, &magnitude);
    if (!good || (!token->negative && magnitude > INT64_MAX)) {
        asm_error(lexer->reporter, DIAG_E_NUMBER, bad(lexer, token), NULL,
                  good || magnitude ? "the number does not fit in 64 bits"
                                    : "no hexadecimal digits after 0x");
        return;
    }
    token->value = (int64_t)(token->negative ? 0 - magnitude : magnitude);
    finish(lexer, token, ASM_INTEGER);
}

/* Continues after the digits that precede the point or the exponent. */
static void lex_float(asm_lexer *lexer, asm_token *token) {
    if (peek(lexer, 0) == '.') {
        lexer->at++;
        skip_digits(lexer);
    }
    if (peek(lexer, 0) == 'e' || peek(lexer, 0) == 'E') {
        lexer->at++;
        if (peek(lexer, 0) == '+' || peek(lexer, 0) == '-')
            lexer->at++;
        const char *digits = lexer->at;
        skip_digits(lexer);
        while (digits < lexer->at && *digits == '_')
            digits++;
        if (digits == lexer->at) {
            asm_error(lexer->reporter, DIAG_E_NUMBER, bad(lexer, token), NULL,
                      "the exponent has no digits");
            return;
        }
    }
    finish(lexer, token, ASM_FLOAT);
}

/* 4.0f, 1.5h: C's suffixes. Upstream starts a new statement there. */
static void check_number_end(asm_lexer *lexer, asm_token *token) {
    char suffix = peek(lexer, 0);
    if (token->kind != ASM_FLOAT || lexer->compat || !is_letter(suffix) || is_word(peek(lexer, 1)))
        return;
    lexer->at++;
    asm_error(lexer->reporter, DIAG_E_NUMBER, bad(lexer, token),
              "write the number without a suffix: the instruction says its type",
              "a number has no suffix '%c'", suffix);
}

/* The common case: up to eight digits, followed by nothing that belongs to a number. */
static bool lex_small(asm_lexer *lexer, asm_token *token) {
    const char *at = lexer->at, *end = lexer->end - at > 8 ? at + 8 : lexer->end;
    int64_t value = 0;
    while (at < end && is_digit(*at))
        value = value * 10 + (*at++ - '0');
    if (at == end || *at == '.' || is_word(*at))
        return false;
    token->value = value;
    lexer->at = at;
    finish(lexer, token, ASM_INTEGER);
    return true;
}

static ASM_RARE void lex_number(asm_lexer *lexer, asm_token *token) {
    token->negative = *lexer->at == '-';
    lexer->at += token->negative;
    if (!is_digit(peek(lexer, 0)) && !lexer->compat) {
        token->value = '-';
        finish(lexer, token, ASM_OPERATOR);
        return;
    }
    if (!is_digit(peek(lexer, 0))) {
        asm_error(lexer->reporter, DIAG_E_NUMBER, bad(lexer, token), NULL,
                  "expected a digit after '-'");
        return;
    }
    if (*lexer->at == '0' && peek(lexer, 1) == 'x') {
        lex_hex(lexer, token);
        return;
    }
    if (*lexer->at == '0' && peek(lexer, 1) == 'X') {
        lexer->at += 2;
        asm_error(lexer->reporter, DIAG_E_NUMBER, bad(lexer, token), "write 0x",
                  "hexadecimal numbers start with a lower-case 0x");
        return;
    }
    uint64_t magnitude;
    bool fits = read_magnitude(lexer, 10, &magnitude);
    char next = peek(lexer, 0);
    if (next == '.' || next == 'e' || next == 'E') {
        lex_float(lexer, token);
        check_number_end(lexer, token);
        return;
    }
    if (!fits || (!token->negative && magnitude > INT64_MAX)) {
        asm_error(lexer->reporter, DIAG_E_NUMBER, bad(lexer, token), NULL,
                  "the number does not fit in 64 bits");
        return;
    }
    token->value = (int64_t)(token->negative ? 0 - magnitude : magnitude);
    finish(lexer, token, ASM_INTEGER);
}

void asm_lexer_split_minus(asm_lexer *lexer, asm_token *token) {
    lexer->at = token->place.at + 1;
    token->value = '-';
    finish(lexer, token, ASM_OPERATOR);
}

/* ---- The rest ---- */

static void lex_unknown(asm_lexer *lexer, asm_token *token);

/* Combines the two characters of an operator. */
static int second_of_operator(char first, char second) {
    switch (first) {
    case '<': return second == '<' ? ASM_SHIFT_LEFT : second == '=' ? ASM_LESS_EQUAL : 0;
    case '>': return second == '>' ? ASM_SHIFT_RIGHT : second == '=' ? ASM_GREATER_EQUAL : 0;
    case '=': return second == '=' ? ASM_EQUAL : 0;
    case '!': return second == '=' ? ASM_NOT_EQUAL : 0;
    case '&': return second == '&' ? ASM_AND_ALSO : 0;
    case '|': return second == '|' ? ASM_OR_ELSE : 0;
    default: return 0;
    }
}

/* Operators of expressions and brackets; false when there is none. */
static bool lex_operator(asm_lexer *lexer, asm_token *token) {
    char c = *lexer->at;
    if (lexer->compat || !(class_at(c) & OPERATOR))
        return false;
    int both = second_of_operator(c, peek(lexer, 1));
    token->value = both ? both : c;
    lexer->at += both ? 2 : 1;
    finish(lexer, token, ASM_OPERATOR);
    return true;
}

static void lex_bang(asm_lexer *lexer, asm_token *token) {
    bool predicate = peek(lexer, 1) == 'p' && is_digit(peek(lexer, 2));
    if (lexer->compat || predicate || !lex_operator(lexer, token))
        lex_predicate(lexer, token, ASM_NOT_PREDICATE, 1);
}

static void lex_slash(asm_lexer *lexer, asm_token *token) {
    if (lexer->compat || peek(lexer, 1) != '/') {
        if (!lex_operator(lexer, token))
            lex_unknown(lexer, token);
        return;
    }
    asm_lexer_skip_line(lexer);
    asm_lexer_next(lexer, token);
}

static void lex_string(asm_lexer *lexer, asm_token *token) {
    const char *at = lexer->at + 1;
    while (at < lexer->end && *at != '"' && *at != '\n')
        at += *at == '\\' && at + 1 < lexer->end && at[1] != '\n' ? 2 : 1;
    if (at < lexer->end && *at == '"') {
        lexer->at = at + 1;
        finish(lexer, token, ASM_STRING);
        return;
    }
    lexer->at = at;
    asm_error(lexer->reporter, DIAG_E_SYNTAX, bad(lexer, token), NULL, "missing closing quote");
}

static void lex_directive(asm_lexer *lexer, asm_token *token) {
    lexer->at++;
    if (!is_letter(peek(lexer, 0))) {
        asm_error(lexer->reporter, DIAG_E_CHARACTER, bad(lexer, token),
                  "a float has a digit before its point; a directive has a letter after it",
                  "unexpected '.'");
        return;
    }
    skip_word(lexer);
    finish(lexer, token, ASM_DIRECTIVE);
}

static void lex_unknown(asm_lexer *lexer, asm_token *token) {
    unsigned char c = (unsigned char)*lexer->at;
    bool slashes = c == '/' && peek(lexer, 1) == '/';
    const asm_place *place = bad(lexer, token);
    if (slashes)
        asm_error(lexer->reporter, DIAG_E_CHARACTER, place, "comments start with ; or #",
                  "'//' does not start a comment");
    else if (c == '[')
        asm_error(
            lexer->reporter, DIAG_E_CHARACTER, place,
            "the upstream assembler takes registers as addresses: add the offset with iadd first",
            "unexpected character '['");
    else if (c >= 0x80)
        asm_error(lexer->reporter, DIAG_E_CHARACTER, place,
                  "outside comments and quoted names the source is ASCII",
                  "byte 0x%02X is not ASCII", c);
    else if (c < 0x20 || c == 0x7F)
        asm_error(lexer->reporter, DIAG_E_CHARACTER, place, "is this a text file?",
                  "control character 0x%02X", c);
    else
        asm_error(lexer->reporter, DIAG_E_CHARACTER, place, NULL, "unexpected character '%c'", c);
}

static ASM_RARE void lex_other(asm_lexer *lexer, asm_token *token, char c) {
    switch (c) {
    case ',':
        lexer->at++;
        finish(lexer, token, ASM_COMMA);
        break;
    case ':':
        lexer->at++;
        finish(lexer, token, ASM_COLON);
        break;
    case '.': lex_directive(lexer, token); break;
    case '@':
        token->negative = peek(lexer, 1) == '!';
        lex_predicate(lexer, token, ASM_GUARD, token->negative ? 2 : 1);
        break;
    case '!': lex_bang(lexer, token); break;
    case '/': lex_slash(lexer, token); break;
    case '-': lex_number(lexer, token); break;
    case '"': lex_string(lexer, token); break;
    default:
        if (!lex_operator(lexer, token))
            lex_unknown(lexer, token);
    }
}

/* sr_x; under compat everything that starts with sr; otherwise also the upper-case names such as
 * SR_LANE_ID. */
static ASM_RARE bool starts_special(const asm_lexer *lexer, const char *at) {
    const char *end = at;
    if (at[0] == 's' && at[1] == 'r')
        return lexer->compat || (lexer->end - at > 2 && at[2] == '_');
    while (end < lexer->end && is_word(*end))
        end++;
    return !lexer->compat && at[0] == 'S' && isa_alias_special(at, (size_t)(end - at)) >= 0;
}

static void lex_letter(asm_lexer *lexer, asm_token *token, const char *at) {
    char next = lexer->end - at > 1 ? at[1] : '\0';
    if (*at == 'r' && is_digit(next))
        lex_register(lexer, token);
    else if (*at == 'p' && is_digit(next))
        lex_predicate(lexer, token, ASM_PREDICATE, 0);
    else if ((*at | 0x20) == 's' && (next | 0x20) == 'r' && starts_special(lexer, at))
        lex_special(lexer, token);
    else
        lex_word(lexer, token);
}

static void lex_newline(asm_lexer *lexer, asm_token *token) {
    lexer->line_start = ++lexer->at;
    lexer->line++;
    finish(lexer, token, ASM_NEWLINE);
}

/* Skips blanks and a comment; returns the class of the next character, 0 also at the end. */
static unsigned skip_blanks(asm_lexer *lexer) {
    const char *at = lexer->at, *end = lexer->end;
    unsigned class = 0;
    if (at < lexer->last_line)
        while ((class = class_at(*at)) & BLANK)
            at++;
    else
        while (at < end && ((class = class_at(*at)) & BLANK))
            at++;
    lexer->at = at;
    if (class & COMMENT) {
        asm_lexer_skip_line(lexer);
        return 0;
    }
    return class;
}

void asm_lexer_next(asm_lexer *lexer, asm_token *token) {
    unsigned class = skip_blanks(lexer);
    const char *at = lexer->at;
    token->half = ASM_HALF_NONE;
    token->span = 0;
    token->negative = false;
    token->named = false;
    token->place.at = at;
    token->place.file = lexer->file;
    token->place.line = lexer->line;
    token->place.column = (uint32_t)(at - lexer->line_start) + 1;
    if (at == lexer->end)
        finish(lexer, token, ASM_EOF);
    else if (class & (LETTER | UNDERSCORE))
        lex_letter(lexer, token, at);
    else if (*at == '\n')
        lex_newline(lexer, token);
    else if (class & DIGIT) {
        if (!lex_small(lexer, token))
            lex_number(lexer, token);
    } else
        lex_other(lexer, token, *at);
}
