/* Names that sources define: registers, predicates and numbers. Registers and predicates are
 * scoped to their kernel or to the macro expansion that defines them; numbers are visible up to the
 * end of the file. */
#ifndef ASM_SYMBOLS_H
#define ASM_SYMBOLS_H

#include "asm/lexer.h"
#include "asm/names.h"
#include "isa/isa.h"

struct asm_state;

/* The value of an expression. */
typedef struct asm_value {
    bool is_float;
    int64_t integer;
    double number;
} asm_value;

typedef enum asm_symbol_kind {
    ASM_SYMBOL_REGISTER,
    ASM_SYMBOL_PREDICATE,
    ASM_SYMBOL_NUMBER
} asm_symbol_kind;

typedef struct asm_symbol {
    asm_place place;
    uint8_t kind;
    uint8_t width;   /* registers */
    bool fixed;      /* its number is known */
    bool argument;   /* of an .arg */
    bool contained;  /* only usable as a base of addresses */
    bool guards;     /* must not get number 0: it is in a guard without !, or an atomic's result */
    uint16_t number; /* of the register or predicate */
    asm_value value;
    uint32_t name;     /* index in the names */
    uint32_t shadowed; /* what the name meant before: index + 1, or 0 */
} asm_symbol;

enum { ASM_RECENT_NAMES = 64 };

typedef struct asm_symbols {
    asm_names names; /* values: index of a symbol + 1, or 0 */
    asm_symbol *list;
    size_t count, room;
    size_t scope;                      /* symbols from here on belong to the innermost scope */
    uint32_t recent[ASM_RECENT_NAMES]; /* looked up recently: index of a name + 1, or 0 */
} asm_symbols;

/* NULL when there is none. Valid until the next definition. */
asm_symbol *asm_find_symbol(struct asm_state *a, const asm_token *name);
/* Returns NULL after reporting what is wrong with the name. */
asm_symbol *asm_define_symbol(struct asm_state *a, const asm_token *name, asm_symbol_kind kind);
/* Opens a scope within the current one; returns the argument of asm_leave_scope. */
size_t asm_enter_scope(struct asm_state *a);
void asm_leave_scope(struct asm_state *a, size_t outer);
void asm_unknown_symbol(struct asm_state *a, const asm_token *name);
/* True for words that cannot be names: mnemonics, scopes, types, … */
bool asm_is_reserved_word(const char *text, size_t length);

#endif
