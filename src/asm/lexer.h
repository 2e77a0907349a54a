/* Source text to tokens, one at a time. What a token means in a statement is parser.c's. */
#ifndef ASM_LEXER_H
#define ASM_LEXER_H

#include "asm/report.h"

typedef enum asm_kind {
    ASM_EOF,
    ASM_NEWLINE,
    ASM_BAD, /* an error was reported; the rest of the line is not worth reading */
    ASM_COMMA,
    ASM_COLON,         /* one that does not follow an identifier */
    ASM_DIRECTIVE,     /* .name */
    ASM_NAME,          /* identifier */
    ASM_LABEL,         /* identifier and its colon; the length is the identifier's */
    ASM_REGISTER,      /* r12, r12.lo */
    ASM_PREDICATE,     /* p1 */
    ASM_NOT_PREDICATE, /* !p1 */
    ASM_SPECIAL,       /* sr_name */
    ASM_GUARD,         /* @p1, @!p1 */
    ASM_INTEGER,
    ASM_FLOAT,
    ASM_STRING /* with its quotes, escapes not yet read */
} asm_kind;

typedef enum asm_half { ASM_HALF_NONE, ASM_HALF_LO, ASM_HALF_HI } asm_half;

typedef struct asm_token {
    asm_kind kind;
    asm_half half;   /* ASM_REGISTER */
    bool negative;   /* ASM_GUARD: negated; ASM_INTEGER: written with a minus sign */
    asm_place place; /* place.at and place.length are the text */
    int64_t value;   /* register, predicate or guard number (cut at 9999), integer */
} asm_token;

typedef struct asm_lexer {
    const char *at, *end;
    const char *line_start;
    uint32_t line;
    bool compat; /* --compat-upstream */
    asm_reporter *reporter;
} asm_lexer;

void asm_lexer_init(asm_lexer *lexer, const char *source, size_t size, bool compat,
                    asm_reporter *reporter);
void asm_lexer_next(asm_lexer *lexer, asm_token *token);
/* Takes a comma, if one comes next: lists are the bulk of a source, and a token for each comma
 * would cost as much as one for an operand. */
static inline bool asm_lexer_take_comma(asm_lexer *lexer) {
    const char *at = lexer->at;
    while (at < lexer->end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    if (at == lexer->end || *at != ',')
        return false;
    lexer->at = at + 1;
    return true;
}
/* Moves to the end of the line, without the newline. */
void asm_lexer_skip_line(asm_lexer *lexer);

#endif
