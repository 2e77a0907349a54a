/* Statements: labels and instructions up to their list of operands. A statement need not end at a
 * newline; after an error the rest of the line is skipped. */
#include "asm/asm.h"
#include "isa/alias.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void asm_recover(asm_state *a) {
    if (asm_line_ends(a))
        return;
    a->lexer.no_labels = false;
    asm_lexer_skip_line(&a->lexer);
    asm_advance(a);
    while (!asm_line_ends(a)) { /* a macro argument ended: the line continues after it */
        asm_lexer_skip_line(&a->lexer);
        asm_advance(a);
    }
}

bool asm_token_is(const asm_token *token, const char *text) {
    return strlen(text) == token->place.length &&
           memcmp(token->place.at, text, token->place.length) == 0;
}

asm_kernel *asm_last_kernel(asm_state *a) {
    return &a->kernels[a->kernel_count - 1];
}

ASM_COLD bool asm_first_sugar(asm_state *a, const asm_place *place) {
    if (a->compat)
        asm_error(&a->reporter, DIAG_E_COMPAT, place, NULL,
                  "this form is an extension of the assembler");
    else if (a->kernel_count)
        asm_last_kernel(a)->sugared = true;
    return !a->compat;
}

bool asm_grow(asm_state *a, void **list, size_t count, size_t *room, size_t element) {
    if (count < *room)
        return true;
    size_t wanted = *room ? *room * 2 : 16;
    void *grown = realloc(*list, wanted * element);
    if (!grown) {
        a->failed = true;
        return false;
    }
    *list = grown;
    *room = wanted;
    return true;
}

/* ---- Names of hints and scopes ---- */

static const char *const scope_name[] = {".wave", ".workgroup", ".device", ".system"};
static const char *const order_name[] = {".acquire", ".release", ".acq_rel", ".seq_cst"};
static const char *const hint_name[] = {".cached", ".uncached", ".streaming"};
enum { ORDERS = 4 };

unsigned asm_token_hint(const asm_token *token) {
    unsigned hint = 0;
    while (hint < ISA_HINT_COUNT && !asm_token_is(token, hint_name[hint]))
        hint++;
    return hint;
}

static bool is_hint(const asm_token *token) {
    return asm_token_hint(token) < ISA_HINT_COUNT;
}

int asm_find_scope(const char *name, size_t length) {
    for (int i = 0; i < ISA_SCOPE_COUNT; i++)
        if (strlen(isa_scope_name[i]) == length && memcmp(isa_scope_name[i], name, length) == 0)
            return i;
    return -1;
}

static bool is_order(const asm_token *token) {
    for (size_t i = 0; i < ORDERS; i++)
        if (asm_token_is(token, order_name[i]))
            return true;
    return false;
}

int asm_token_scope(const asm_token *token) {
    size_t dot = token->kind == ASM_DIRECTIVE;
    if (!dot && token->kind != ASM_NAME)
        return -1;
    const char *name = token->place.at + dot;
    size_t length = token->place.length - dot;
    int scope = asm_find_scope(name, length);
    return scope >= 0 ? scope : isa_alias_scope(name, length);
}

/* ---- Labels ---- */

const char *asm_label_key(asm_state *a, const asm_place *place, uint32_t expansion,
                          size_t *length) {
    if (expansion == 0)
        return place->at;
    /* No name of the source contains this character. */
    size_t room = place->length + 12;
    char *key = arena_alloc(&a->memory, room);
    if (!key)
        return NULL;
    int used =
        snprintf(key, room, "%.*s\x01%x", (int)place->length, place->at, (unsigned)expansion);
    *length = (size_t)used;
    return key;
}

static ASM_COLD void parse_label(asm_state *a) {
    asm_token label = a->token;
    size_t length = label.place.length;
    const char *name = asm_label_key(a, &label.place, asm_expansion(a), &length);
    asm_advance(a);
    bool created;
    asm_name *entry =
        name ? asm_names_insert(&a->label_names, name, length, (uint32_t)a->label_count, &created)
             : NULL;
    if (!entry) {
        a->failed = true;
        return;
    }
    if (!created) {
        asm_error(&a->reporter, DIAG_E_DUPLICATE_LABEL, &label.place, NULL,
                  "label '%.*s' is already defined on line %u", asm_shown(label.place.length),
                  label.place.at, a->labels[entry->value].place.line);
        return;
    }
    if (!asm_grow(a, (void **)&a->labels, a->label_count, &a->label_room, sizeof *a->labels))
        return;
    uint32_t kernel = a->open ? (uint32_t)a->kernel_count - 1 : ASM_NO_KERNEL;
    size_t start = a->open ? a->kernels[kernel].code_start : a->code.size;
    a->labels[a->label_count++] =
        (asm_label){.place = label.place,
                    .kernel = kernel,
                    .offset = a->compat ? a->upstream_pc : (uint32_t)(a->code.size - start)};
    if (a->tree)
        asm_tree_label(a, &label);
}

/* ---- Instructions ---- */

static bool starts_operand(const asm_token *token) {
    switch (token->kind) {
    case ASM_REGISTER:
    case ASM_PREDICATE:
    case ASM_NOT_PREDICATE:
    case ASM_SPECIAL:
    case ASM_INTEGER:
    case ASM_FLOAT:
    case ASM_OPERATOR:
    case ASM_NAME: return true;
    case ASM_DIRECTIVE: return asm_token_scope(token) >= 0;
    default: return false;
    }
}

/* A dotted word where only a hint, a scope or a new directive is valid. */
static ASM_COLD bool check_dotted(asm_state *a) {
    const asm_token *token = &a->token;
    if (token->kind != ASM_DIRECTIVE || asm_is_directive(token))
        return true;
    if (is_order(token)) {
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place,
                  "atomic_load and atomic_store are loads and stores with an order; elsewhere "
                  "write a fence",
                  "'%.*s' is an order, and only atomics have one", asm_shown(token->place.length),
                  token->place.at);
        return false;
    }
    char hint[ASM_HINT_SIZE];
    asm_suggestion s = asm_suggest(&a->reporter, token->place.at, token->place.length);
    for (size_t i = 0; i < ISA_SCOPE_COUNT; i++)
        asm_suggest_try(&s, scope_name[i], strlen(scope_name[i]));
    for (size_t i = 0; i < ISA_HINT_COUNT; i++)
        asm_suggest_try(&s, hint_name[i], strlen(hint_name[i]));
    asm_error(&a->reporter, DIAG_E_OPERAND, &token->place,
              asm_suggest_hint(&s, hint, "scopes are .wave .workgroup .device .system"),
              "'%.*s' is not a scope%s", asm_shown(token->place.length), token->place.at,
              is_hint(token) ? "; a hint directly follows the mnemonic" : "");
    return false;
}

static bool refuse_under_compat(asm_state *a, const char *what) {
    if (!a->compat)
        return true;
    asm_error(&a->reporter, DIAG_E_COMPAT, &a->token.place, NULL, "%s is an extension", what);
    return false;
}

/* The hint, the order and the scope, when they are suffixes of an instruction with other operands.
 * A fence has none: its scope is an operand in either spelling. */
static ASM_COLD bool parse_suffixes(asm_state *a, asm_statement *s) {
    const isa_desc *desc = &isa_table[s->op];
    bool atomic = desc->klass == ISA_CLASS_ATOMIC;
    bool scoped = desc->tail == ISA_TAIL_SCOPE && desc->role[ISA_FIELD_RS1] != ISA_ROLE_NONE;
    while (a->token.kind == ASM_DIRECTIVE) {
        int scope = asm_token_scope(&a->token);
        if (s->hint.kind == ASM_EOF && is_hint(&a->token)) {
            s->hint = a->token;
        } else if (atomic && s->order.kind == ASM_EOF && is_order(&a->token)) {
            s->order = a->token;
            if (!refuse_under_compat(a, "an order after the mnemonic") ||
                !asm_sugar(a, &a->token.place))
                return false;
        } else if (atomic && !scoped && scope >= 0) {
            if (!asm_sugar(a, &a->token.place) ||
                (scope != ISA_SCOPE_WORKGROUP && !asm_wrong_scope(a, &a->token)))
                return false;
        } else if (scoped && s->scope.kind == ASM_EOF && scope >= 0) {
            s->scope = a->token;
            if (!refuse_under_compat(a, "a scope after the mnemonic"))
                return false;
        } else {
            break;
        }
        asm_advance(a);
    }
    return true;
}

/* Tokens that may follow the first token of an operand and belong to it. */
static bool belongs_to_operand(const asm_token *next) {
    return next->kind == ASM_OPERATOR || next->kind == ASM_COLON || next->kind == ASM_DIRECTIVE ||
           next->kind == ASM_INTEGER || next->kind == ASM_FLOAT;
}

static bool parse_operands(asm_state *a, asm_statement *s) {
    if (!starts_operand(&a->token))
        return a->token.kind != ASM_BAD && check_dotted(a);
    for (;;) {
        asm_token *token = &s->operand[s->count < ASM_MAX_OPERANDS ? s->count : 0];
        asm_token spare; /* for more operands than any instruction has */
        if (s->count >= ASM_MAX_OPERANDS)
            token = &spare;
        *token = a->token;
        s->count++;
        bool sugar = token->kind == ASM_OPERATOR;
        bool more = !sugar && asm_lexer_take_comma(&a->lexer);
        asm_advance(a);
        if (!more && (sugar || belongs_to_operand(&a->token)) && !asm_parse_operand(a, s, token))
            return false;
        if (!more && a->token.kind == ASM_COMMA && !a->compat) {
            asm_advance(a);
            more = true;
        }
        if (!more)
            return a->token.kind != ASM_BAD;
        if (starts_operand(&a->token))
            continue;
        if (a->token.kind != ASM_BAD && check_dotted(a))
            asm_error(&a->reporter, DIAG_E_SYNTAX, &a->token.place, NULL,
                      "expected an operand after ','");
        return false;
    }
}

static ASM_COLD void unknown_mnemonic(asm_state *a, const asm_token *name) {
    char hint[ASM_HINT_SIZE];
    asm_suggestion s = asm_suggest(&a->reporter, name->place.at, name->place.length);
    for (unsigned op = 1; op < ISA_OP_COUNT; op++)
        asm_suggest_try(&s, isa_table[op].mnemonic, strlen(isa_table[op].mnemonic));
    for (size_t i = 0; i < a->input.macro_count; i++)
        asm_suggest_try(&s, a->input.macros[i]->place.at, a->input.macros[i]->place.length);
    const char *habit = asm_habit_hint(name);
    asm_error(&a->reporter, DIAG_E_MNEMONIC, &name->place,
              habit ? habit : asm_suggest_hint(&s, hint, NULL), "unknown instruction '%.*s'",
              asm_shown(name->place.length), name->place.at);
}

/* A name from the seed documents for the instruction. */
static ASM_COLD bool parse_alias(asm_state *a, asm_statement *s) {
    const asm_token *name = &s->mnemonic;
    char word[ISA_ALIAS_LENGTH + 1];
    s->op = isa_alias_find(name->place.at, name->place.length);
    if (s->op == ISA_NONE && isa_alias_fold(name->place.at, name->place.length, word))
        s->op = isa_tile_find(word, name->place.length, &s->tile);
    if (s->op == ISA_NONE) {
        unknown_mnemonic(a, name);
        return false;
    }
    if (a->compat) {
        asm_no_such_instruction(a, name);
        return false;
    }
    return !a->open || asm_sugar(a, &name->place);
}

/* Parses and looks up the mnemonic; false when an error was reported. */
static bool parse_mnemonic(asm_state *a, asm_statement *s) {
    const asm_token *name = &a->token;
    if (name->kind != ASM_NAME) {
        if (name->kind != ASM_BAD)
            asm_error(&a->reporter, DIAG_E_SYNTAX, &name->place, NULL,
                      "expected an instruction after the guard");
        return false;
    }
    s->mnemonic = *name;
    s->op = isa_find_name(name->place.at, name->place.length);
    if (s->op == ISA_NONE)
        s->op = isa_tile_find(name->place.at, name->place.length, &s->tile);
    if (s->op == ISA_NONE) {
        const asm_macro *macro = a->input.macro_count ? asm_find_macro(a, name) : NULL;
        if (macro && s->guard.kind != ASM_EOF)
            asm_error(&a->reporter, DIAG_E_MACRO, &s->guard.place,
                      "guard the instructions inside the macro", "a macro cannot be guarded");
        else if (macro)
            s->macro = macro;
        if (macro || !parse_alias(a, s))
            return false;
    }
    if (!a->open) {
        if (!a->outside_reported)
            asm_error(&a->reporter, DIAG_E_KERNEL, &name->place, "start a kernel with .kernel NAME",
                      "instruction outside a kernel");
        a->outside_reported = true;
        return false;
    }
    asm_advance(a);
    return true;
}

static void parse_instruction(asm_state *a) {
    asm_statement s;
    s.guard.kind = ASM_EOF;
    s.hint.kind = ASM_EOF;
    s.scope.kind = ASM_EOF;
    s.order.kind = ASM_EOF;
    s.address.base.kind = ASM_EOF;
    s.address.index.kind = ASM_EOF;
    s.macro = NULL;
    s.tile = ISA_TILE_TYPES;
    s.count = 0;
    if (a->token.kind == ASM_GUARD) {
        s.guard = a->token;
        asm_advance(a);
        if (a->token.kind == ASM_DIRECTIVE && asm_token_is(&a->token, ".assert") && !a->compat) {
            asm_parse_assert(a, &s.guard);
            return;
        }
    }
    if (!parse_mnemonic(a, &s) || (a->token.kind == ASM_DIRECTIVE && !parse_suffixes(a, &s)) ||
        !parse_operands(a, &s)) {
        if (s.macro)
            asm_expand(a, s.macro, &s.mnemonic);
        else
            asm_recover(a);
        return;
    }
    if (a->tree)
        asm_tree_instruction(a, &s);
    a->line_at = s.mnemonic.place;
    if (!asm_encode(a, &s))
        asm_recover(a);
}

/* ---- The whole file ---- */

static void unexpected(asm_state *a) {
    const asm_token *token = &a->token;
    bool colon = token->kind == ASM_COLON || (a->lexer.at < a->lexer.end && *a->lexer.at == ':');
    if (token->kind != ASM_BAD)
        asm_error(&a->reporter, DIAG_E_SYNTAX, &token->place,
                  colon ? "a label is an identifier; r0, p0, sr_x and numbers are not" : NULL,
                  "expected an instruction, a label or a directive, not '%.*s'",
                  asm_shown(token->place.length), token->place.at);
    asm_recover(a);
}

void asm_parse(asm_state *a) {
    asm_advance(a);
    /* Only the source ends with ASM_EOF: other texts end with a newline. */
    while (a->token.kind != ASM_EOF && !a->failed) {
        switch (a->token.kind) {
        case ASM_NEWLINE: asm_advance(a); break;
        case ASM_DIRECTIVE: asm_parse_directive(a); break;
        case ASM_LABEL: parse_label(a); break;
        case ASM_GUARD:
        case ASM_NAME: parse_instruction(a); break;
        default: unexpected(a);
        }
    }
    if (a->input.conditions)
        asm_error(&a->reporter, DIAG_E_CONDITION, &a->input.condition_at[a->input.conditions - 1],
                  NULL, ".if without .endif");
    if (a->open)
        asm_error(&a->reporter, DIAG_E_KERNEL, &asm_last_kernel(a)->place,
                  "add .end after its last instruction", "the kernel is not closed");
    asm_retire_kernel(a);
}
