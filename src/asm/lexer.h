/* Source text to tokens, one at a time. parser.c decides what a token means in a statement. */
#ifndef ASM_LEXER_H
#define ASM_LEXER_H

#include "asm/report.h"

typedef enum asm_kind {
    ASM_EOF,
    ASM_NEWLINE,
    ASM_BAD, /* an error was reported; the rest of the line is skipped */
    ASM_COMMA,
    ASM_COLON,         /* one that does not follow an identifier */
    ASM_DIRECTIVE,     /* .name */
    ASM_NAME,          /* identifier */
    ASM_LABEL,         /* identifier and its colon; the length excludes the colon */
    ASM_REGISTER,      /* r12, r12.lo */
    ASM_PREDICATE,     /* p1 */
    ASM_NOT_PREDICATE, /* !p1 */
    ASM_SPECIAL,       /* sr_name */
    ASM_GUARD,         /* @p1, @!p1 */
    ASM_INTEGER,
    ASM_FLOAT,
    ASM_STRING,   /* with its quotes, escapes not yet resolved */
    ASM_OPERATOR, /* value is an asm_operator */
    /* Made by the operand parser: */
    ASM_DOUBLE, /* a computed float; value holds its bits */
    ASM_ADDRESS /* [base + index*scale + offset], in the statement */
} asm_kind;

/* A single character, or one of these for two characters. */
typedef enum asm_operator {
    ASM_SHIFT_LEFT = 128,
    ASM_SHIFT_RIGHT,
    ASM_LESS_EQUAL,
    ASM_GREATER_EQUAL,
    ASM_EQUAL,
    ASM_NOT_EQUAL,
    ASM_AND_ALSO,
    ASM_OR_ELSE,
    ASM_OPERATOR_COUNT
} asm_operator;

typedef enum asm_half { ASM_HALF_NONE, ASM_HALF_LO, ASM_HALF_HI } asm_half;

typedef struct asm_token {
    asm_kind kind;
    uint8_t half;    /* asm_half of a register */
    uint8_t span;    /* registers of a pair or quad written rN:rM; 0: one name */
    bool negative;   /* ASM_GUARD: negated; ASM_INTEGER: written with a minus sign */
    bool named;      /* ASM_GUARD, ASM_NOT_PREDICATE: a name, which is the place */
    asm_place place; /* place.at and place.length are the text */
    int64_t value;   /* register, predicate or guard number (capped at 9999), integer, operator */
} asm_token;

typedef struct asm_lexer {
    const char *at, *end;
    /* After the last newline. Before this place a newline ends every word and every run of blanks,
     * so that `end` need not be checked. */
    const char *last_line;
    const char *line_start;
    uint32_t line, file;
    bool compat;    /* --compat-upstream */
    bool no_labels; /* a name before a colon is not a label */
    asm_reporter *reporter;
} asm_lexer;

/* `file` is the index of the text among the reporter's sources. */
void asm_lexer_init(asm_lexer *lexer, const char *source, size_t size, uint32_t file, bool compat,
                    asm_reporter *reporter);
/* Makes a copy end earlier, possibly inside a line. */
static inline void asm_lexer_cut(asm_lexer *lexer, const char *end) {
    lexer->end = end;
    lexer->last_line = lexer->at;
}
void asm_lexer_next(asm_lexer *lexer, asm_token *token);
/* Takes a comma if one comes next: lists are the bulk of a source, and a token for each comma would
 * cost as much as one for an operand. */
static inline bool asm_lexer_take_comma(asm_lexer *lexer) {
    const char *at = lexer->at;
    if (at < lexer->last_line)
        while (*at == ' ' || *at == '\t' || *at == '\r')
            at++;
    else
        while (at < lexer->end && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++;
    if (at == lexer->end || *at != ',')
        return false;
    lexer->at = at + 1;
    return true;
}
/* Moves to the end of the line, without the newline. */
void asm_lexer_skip_line(asm_lexer *lexer);
/* Splits a number that starts with a minus sign where an operator is expected: the token becomes
 * the operator, and the number follows. */
void asm_lexer_split_minus(asm_lexer *lexer, asm_token *token);
/* A letter, digit or _. */
bool asm_is_word(char c);

#endif
