/* Definition and lookup of names, and the directives .reg, .pred and .const. */
#include "asm/asm.h"

#include <stdio.h>
#include <string.h>

/* ---- The table ---- */

static bool matches(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool is_tile(const char *text, size_t length) {
    return (length == 2 && text[0] == 't' && text[1] >= '0' && text[1] <= '9') ||
           (length == 3 && text[0] == 't' && text[1] == '1' && text[2] >= '0' && text[2] <= '5');
}

bool asm_is_reserved_word(const char *text, size_t length) {
    static const char *const words[] = {"row", "col", "local", "cluster", "sizeof", "defined"};
    isa_tile_type type_of_tile;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (matches(text, length, words[i]))
            return true;
    for (wave_type type = WAVE_TYPE_U32; type < WAVE_TYPE_COUNT; type++)
        if (matches(text, length, wave_type_name(type)))
            return true;
    return is_tile(text, length) || asm_find_scope(text, length) >= 0 ||
           isa_find_name(text, length) != ISA_NONE ||
           isa_tile_find(text, length, &type_of_tile) != ISA_NONE;
}

static bool is_name(const asm_name *entry, const char *text, size_t length) {
    if (entry->length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (entry->text[i] != text[i])
            return false;
    return true;
}

asm_symbol *asm_find_symbol(asm_state *a, const asm_token *name) {
    asm_symbols *all = &a->symbols;
    const char *text = name->place.at;
    size_t length = name->place.length;
    unsigned hash = (unsigned char)text[0] * 7u + (unsigned char)text[length - 1];
    uint32_t *recent = &all->recent[(hash + length) % ASM_RECENT_NAMES];
    const asm_name *entry = *recent ? &all->names.list[*recent - 1] : NULL;
    if (!entry || !is_name(entry, text, length)) {
        entry = asm_names_find(&all->names, text, length);
        if (!entry)
            return NULL;
        *recent = (uint32_t)(entry - all->names.list) + 1;
    }
    return entry->value ? &all->list[entry->value - 1] : NULL;
}

asm_symbol *asm_define_symbol(asm_state *a, const asm_token *name, asm_symbol_kind kind) {
    asm_symbols *all = &a->symbols;
    const char *text = name->place.at;
    size_t length = name->place.length;
    bool created;
    if (asm_is_reserved_word(text, length)) {
        asm_error(&a->reporter, DIAG_E_SYMBOL, &name->place, NULL, "'%.*s' is a reserved word",
                  asm_shown(length), text);
        return NULL;
    }
    asm_name *entry = asm_names_insert(&all->names, text, length, 0, &created);
    bool room = asm_grow(a, (void **)&all->list, all->count, &all->room, sizeof *all->list);
    if (!entry || !room || !all->list) {
        a->failed = true;
        return NULL;
    }
    const asm_symbol *old = entry->value ? &all->list[entry->value - 1] : NULL;
    bool local = old && old->kind != ASM_SYMBOL_NUMBER && entry->value <= all->scope;
    if (old && (!local || kind == ASM_SYMBOL_NUMBER)) {
        asm_error(&a->reporter, DIAG_E_SYMBOL, &name->place, NULL,
                  "'%.*s' is already defined on line %u", asm_shown(length), text, old->place.line);
        return NULL;
    }
    asm_symbol *symbol = &all->list[all->count++];
    *symbol = (asm_symbol){.place = name->place,
                           .kind = (uint8_t)kind,
                           .width = 1,
                           .name = (uint32_t)(entry - all->names.list),
                           .shadowed = entry->value};
    entry->value = (uint32_t)all->count;
    return symbol;
}

size_t asm_enter_scope(asm_state *a) {
    size_t outer = a->symbols.scope;
    a->symbols.scope = a->symbols.count;
    return outer;
}

void asm_leave_scope(asm_state *a, size_t outer) {
    for (size_t i = a->symbols.count; i-- > a->symbols.scope;) {
        const asm_symbol *symbol = &a->symbols.list[i];
        asm_name *name = &a->symbols.names.list[symbol->name];
        if (symbol->kind != ASM_SYMBOL_NUMBER && name->value == i + 1)
            name->value = symbol->shadowed;
    }
    a->symbols.scope = outer;
}

void asm_unknown_symbol(asm_state *a, const asm_token *name) {
    char hint[ASM_HINT_SIZE];
    const asm_names *names = &a->symbols.names;
    asm_suggestion near = asm_suggest(&a->reporter, name->place.at, name->place.length);
    for (size_t i = 0; near.limit > 0 && i < names->count; i++)
        if (names->list[i].value)
            asm_suggest_try(&near, names->list[i].text, names->list[i].length);
    const char *otherwise =
        "registers are r0 to r255, predicates p0 to p3; names come from .arg, .reg, .pred, .const";
    char c = name->place.at[0];
    if (name->place.length > 1 && (c == 'R' || c == 'P') && name->place.at[1] >= '0' &&
        name->place.at[1] <= '9') {
        near.best = NULL;
        snprintf(hint, sizeof hint, "did you mean '%c%.*s'?", c | 0x20,
                 asm_shown(name->place.length) - 1, name->place.at + 1);
        otherwise = hint;
    }
    asm_error(&a->reporter, DIAG_E_SYMBOL, &name->place, asm_suggest_hint(&near, hint, otherwise),
              "'%.*s' is not defined", asm_shown(name->place.length), name->place.at);
}

/* ---- .reg and .pred ---- */

/* Such names are visible up to the end of their kernel, so they require an open one. */
static bool in_kernel(asm_state *a, const asm_token *directive) {
    if (a->open)
        return true;
    asm_error(&a->reporter, DIAG_E_KERNEL, &directive->place,
              "register names are visible up to the .end of their kernel", "%.*s outside a kernel",
              (int)directive->place.length, directive->place.at);
    asm_recover(a);
    return false;
}

static bool take_width(asm_state *a, asm_symbol *symbol) {
    asm_advance(a);
    bool good = a->token.kind == ASM_INTEGER && (a->token.value == 2 || a->token.value == 4);
    if (!good) {
        if (a->token.kind != ASM_BAD)
            asm_error(&a->reporter, DIAG_E_SYMBOL, &a->token.place, NULL,
                      "expected :2 for a register pair or :4 for a quad");
        return false;
    }
    symbol->width = (uint8_t)a->token.value;
    asm_advance(a);
    return true;
}

/* What follows the =: rN or pN. */
static bool take_number(asm_state *a, asm_symbol *symbol) {
    bool predicate = symbol->kind == ASM_SYMBOL_PREDICATE;
    int64_t limit = predicate ? ISA_PREDICATES : ISA_MAX_REGISTERS;
    asm_advance(a);
    if (a->token.kind != (predicate ? ASM_PREDICATE : ASM_REGISTER) ||
        a->token.value + symbol->width > limit) {
        if (a->token.kind != ASM_BAD && symbol->width > 1)
            asm_error(&a->reporter, DIAG_E_SYMBOL, &a->token.place, NULL,
                      "expected the first register of a %s, r0 to r%d",
                      symbol->width == 2 ? "pair" : "quad", (int)limit - symbol->width);
        else if (a->token.kind != ASM_BAD)
            asm_error(&a->reporter, DIAG_E_SYMBOL, &a->token.place, NULL,
                      predicate ? "expected a predicate, p0 to p3"
                                : "expected a register, r0 to r255");
        return false;
    }
    symbol->fixed = true;
    symbol->number = (uint16_t)a->token.value;
    if (predicate)
        a->registers.predicates |= (uint8_t)(1u << symbol->number);
    else
        asm_use_register(a, &a->token.place, symbol->number, symbol->width);
    asm_advance(a);
    return true;
}

/* What follows the name: its width, its number. */
static bool take_registers(asm_state *a, asm_symbol *symbol) {
    if (a->token.kind == ASM_COLON && symbol->kind == ASM_SYMBOL_REGISTER && !take_width(a, symbol))
        return false;
    return !asm_is_operator(&a->token, '=') || take_number(a, symbol);
}

/* "NAME" = rN: for readers of the file only. */
static bool take_quoted(asm_state *a, asm_symbol_kind kind) {
    asm_symbol symbol = {.kind = (uint8_t)kind, .width = 1, .place = a->token.place};
    const char *name = asm_take_register_name(a);
    if (!name || !take_registers(a, &symbol))
        return false;
    if (!symbol.fixed)
        asm_error(&a->reporter, DIAG_E_SYMBOL, &symbol.place, ".reg \"NAME\" = r12",
                  "a quoted name needs its register here");
    else
        asm_add_register_name(a, name, &symbol);
    return symbol.fixed;
}

static bool take_name(asm_state *a, const asm_token *directive, asm_symbol_kind kind) {
    if (a->token.kind == ASM_STRING)
        return take_quoted(a, kind);
    if (a->token.kind != ASM_NAME) {
        if (a->token.kind != ASM_BAD)
            asm_error(&a->reporter, DIAG_E_SYMBOL,
                      asm_line_ends(a) ? &directive->place : &a->token.place,
                      "a name has letters, digits and _, and is not a register", "expected a name");
        return false;
    }
    asm_symbol *symbol = asm_define_symbol(a, &a->token, kind);
    if (!symbol)
        return false;
    asm_advance(a);
    bool good = take_registers(a, symbol);
    if (kind == ASM_SYMBOL_REGISTER && symbol->number >= a->registers.named)
        a->registers.named = symbol->number + 1u;
    return good;
}

static void parse_names(asm_state *a, const asm_token *directive, asm_symbol_kind kind) {
    if (!in_kernel(a, directive) || !asm_sugar(a, &directive->place))
        return;
    while (take_name(a, directive, kind) && a->token.kind == ASM_COMMA)
        asm_advance(a);
}

void asm_parse_register(asm_state *a, const asm_token *directive) {
    parse_names(a, directive, ASM_SYMBOL_REGISTER);
}

void asm_parse_predicate(asm_state *a, const asm_token *directive) {
    parse_names(a, directive, ASM_SYMBOL_PREDICATE);
}

/* ---- .const ---- */

void asm_parse_const(asm_state *a, const asm_token *directive) {
    asm_token name = a->token;
    asm_value value;
    if (name.kind == ASM_NAME)
        asm_advance(a);
    if (name.kind != ASM_NAME || !asm_is_operator(&a->token, '=')) {
        if (a->token.kind != ASM_BAD)
            asm_error(&a->reporter, DIAG_E_SYMBOL, &directive->place, ".const NAME = NUMBER",
                      "expected a name and =");
        asm_recover(a);
        return;
    }
    asm_advance(a);
    if (!asm_expression(a, &value)) {
        asm_recover(a);
        return;
    }
    asm_symbol *symbol = asm_define_symbol(a, &name, ASM_SYMBOL_NUMBER);
    if (symbol)
        symbol->value = value;
}
