/* The operands of an instruction: each is matched with its role in the table. */
#include "asm/asm.h"
#include "asm/decimal.h"
#include "asm/narrow.h"
#include "isa/alias.h"

#include <string.h>

/* Records the highest register so far: see asm_high. */
static ASM_COLD void note_register(asm_state *a, const asm_place *place, uint32_t last) {
    uint32_t index = (uint32_t)a->kernel_count - 1;
    a->register_top = last + 1;
    if (asm_grow(a, (void **)&a->highs, a->high_count, &a->high_room, sizeof *a->highs))
        a->highs[a->high_count++] = (asm_high){.kernel = index, .number = last, .place = *place};
}

void asm_use_register(asm_state *a, const asm_place *place, uint32_t number, unsigned width) {
    for (unsigned i = 0; i < width && number + i < sizeof a->registers.used; i++)
        a->registers.used[number + i] = 1;
    if (width && number + width > a->register_top)
        note_register(a, place, number + width - 1);
}

const uint8_t asm_role_width[] = {
    [ISA_ROLE_W] = 1, [ISA_ROLE_W2] = 2, [ISA_ROLE_W4] = 4, [ISA_ROLE_WA] = 1,   [ISA_ROLE_WA2] = 2,
    [ISA_ROLE_R] = 1, [ISA_ROLE_R2] = 2, [ISA_ROLE_R4] = 4, [ISA_ROLE_PLACE] = 0};

static bool is_half_type(unsigned type) {
    return type == ISA_TYPE_F16 || type == ISA_TYPE_BF16;
}

/* .lo is redundant where 16 bits are read; .hi is lowered. */
static ASM_COLD bool check_half(asm_state *a, const asm_statement *s, const asm_token *token,
                                unsigned role) {
    const isa_desc *desc = &isa_table[s->op];
    bool source = role == ISA_ROLE_R, high = token->half == ASM_HALF_HI;
    if (!a->compat && high && !source && role != ISA_ROLE_W) {
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place, NULL, "%s has no upper half here",
                  desc->mnemonic);
        return false;
    }
    bool halves = is_half_type(source ? desc->src_type : desc->result_type);
    if (!a->compat && !high && !source && halves) {
        asm_warning(&a->reporter, DIAG_W_HALF, &token->place,
                    "write the register without .lo if that is intended; .hi keeps the other half",
                    "%s clears the upper half of its result", desc->mnemonic);
        return true;
    }
    if (!a->compat && (high || halves))
        return !high || asm_sugar(a, &token->place);
    asm_warning(&a->reporter, DIAG_W_HALF, &token->place, NULL,
                "the half suffix of '%.*s' is ignored", asm_shown(token->place.length),
                token->place.at);
    return true;
}

static bool reads_register(unsigned role) {
    return role == ISA_ROLE_R || role == ISA_ROLE_R2;
}

/* The name of a register. */
static ASM_RARE bool encode_name(asm_state *a, const asm_statement *s, const asm_token *token,
                                 unsigned role, unsigned f, asm_encoding *e) {
    asm_symbol *symbol = asm_find_symbol(a, token);
    if (!symbol || symbol->kind != ASM_SYMBOL_REGISTER) {
        if (symbol && symbol->kind == ASM_SYMBOL_NUMBER && reads_register(role))
            return asm_sugar(a, &token->place) && asm_lower_source(a, s, token, f, e);
        if (symbol)
            return asm_wrong_kind(a, s, token, role, asm_role_text(role));
        asm_unknown_symbol(a, token);
        return false;
    }
    if (symbol->contained) {
        asm_error(&a->reporter, DIAG_E_CONTAINED, &token->place, NULL,
                  "the contained buffer '%.*s' is used as a number", asm_shown(token->place.length),
                  token->place.at);
        return false;
    }
    if (asm_role_width[role] == 0 || asm_role_width[role] > symbol->width) {
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place,
                  asm_role_width[role] ? "use .reg NAME:2 to name a pair, NAME:4 for a quad" : NULL,
                  "%s takes a %s here, but '%.*s' is %s", isa_table[s->op].mnemonic,
                  asm_role_text(role), asm_shown(token->place.length), token->place.at,
                  symbol->width == 1 ? "one register" : "a pair");
        return false;
    }
    symbol->guards |= isa_role_discards((isa_role)role) && !symbol->fixed;
    e->field[f] = symbol->fixed ? symbol->number : 0;
    e->ref[f] = symbol->fixed ? 0 : (asm_ref)(symbol - a->symbols.list) + 1;
    return asm_sugar(a, &token->place);
}

static bool encode_number(asm_state *a, const asm_statement *s, const asm_token *token,
                          unsigned role, unsigned f, asm_encoding *e) {
    if (token->value > 255) {
        asm_error(&a->reporter, DIAG_E_REGISTER, &token->place, "registers are r0 to r255",
                  "unknown register '%.*s'", asm_shown(token->place.length), token->place.at);
        return false;
    }
    if (token->value == 255 && a->compat) {
        asm_error(&a->reporter, DIAG_E_COMPAT, &token->place, NULL, "r255 is an extension");
        return false;
    }
    if (token->span && token->span != asm_role_width[role]) {
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place, NULL, "%s needs a %s here",
                  isa_table[s->op].mnemonic, asm_role_text(role));
        return false;
    }
    e->field[f] = (uint32_t)token->value;
    asm_use_register(a, &token->place, e->field[f], asm_role_width[role]);
    return true;
}

/* A register or a fragment, in every spelling, and everything that can replace a source. */
static ASM_RARE bool encode_register(asm_state *a, const asm_statement *s, const asm_token *token,
                                     unsigned role, unsigned f, asm_encoding *e) {
    bool named = token->kind == ASM_NAME && !a->compat && asm_role_width[role];
    if (token->kind != ASM_REGISTER && !named) {
        bool sugar = token->kind == ASM_INTEGER || token->kind == ASM_FLOAT ||
                     token->kind == ASM_DOUBLE || token->kind == ASM_ADDRESS ||
                     token->kind == ASM_SPECIAL;
        if (!sugar || !reads_register(role) || a->compat)
            return asm_wrong_kind(a, s, token, role, asm_role_text(role));
        return asm_sugar(a, &token->place) && asm_lower_source(a, s, token, f, e);
    }
    if (named ? !encode_name(a, s, token, role, f, e) : !encode_number(a, s, token, role, f, e))
        return false;
    if (token->half != ASM_HALF_NONE) {
        if (!check_half(a, s, token, role))
            return false;
        if (token->half == ASM_HALF_HI && reads_register(role) && !a->compat)
            return asm_lower_high_source(a, f, e);
    }
    if (isa_role_discards((isa_role)role) && e->field[f] == 0 && e->ref[f] == 0)
        asm_warning(&a->reporter, DIAG_W_ATOMIC_R0, &token->place, NULL,
                    "an atomic with destination r0 discards the old value");
    return true;
}

asm_symbol *asm_find_predicate(asm_state *a, const asm_token *token) {
    asm_symbol *symbol = asm_find_symbol(a, token);
    if (symbol && symbol->kind == ASM_SYMBOL_PREDICATE)
        return asm_sugar(a, &token->place) ? symbol : NULL;
    if (symbol)
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place, "use .pred to name a predicate",
                  "'%.*s' is not a predicate", asm_shown(token->place.length), token->place.at);
    else
        asm_unknown_symbol(a, token);
    return NULL;
}

static bool encode_predicate(asm_state *a, const asm_statement *s, const asm_token *token,
                             unsigned role, unsigned f, asm_encoding *e) {
    bool negated = token->kind == ASM_NOT_PREDICATE;
    bool named = !a->compat && (token->kind == ASM_NAME || token->named);
    if (token->kind != ASM_PREDICATE && !(negated && role == ISA_ROLE_PN) &&
        !(named && token->kind == ASM_NAME))
        return asm_wrong_kind(a, s, token, role, asm_role_text(role));
    if (!named && token->value >= ISA_PREDICATES) {
        asm_error(&a->reporter, DIAG_E_PRED_INDEX, &token->place, NULL, "unknown predicate '%.*s'",
                  asm_shown(token->place.length), token->place.at);
        return false;
    }
    if (negated && a->compat) {
        asm_error(&a->reporter, DIAG_E_COMPAT, &token->place, NULL,
                  "negated operands are an extension");
        return false;
    }
    a->extended |= negated;
    e->field[f] = negated ? 0x80u : 0;
    if (!named) {
        a->registers.predicates |= (uint8_t)(1u << token->value);
        e->field[f] |= (uint32_t)token->value;
        return true;
    }
    asm_symbol *symbol = asm_find_predicate(a, token);
    if (symbol && symbol->fixed)
        e->field[f] |= symbol->number;
    else if (symbol)
        e->ref[f] = (asm_ref)(symbol - a->symbols.list) + 1;
    return symbol != NULL;
}

static ASM_COLD int find_special_alias(asm_state *a, const asm_token *token) {
    int number = isa_alias_special(token->place.at, token->place.length);
    return number >= 0 && asm_sugar(a, &token->place) ? number : -1;
}

int asm_find_special(asm_state *a, const asm_token *token) {
    int number = isa_find_special(token->place.at, token->place.length);
    if (number < 0 && !a->compat)
        number = find_special_alias(a, token);
    if (number >= ISA_SPECIAL_EXTENDED && a->compat)
        number = -1;
    a->extended |= number >= ISA_SPECIAL_EXTENDED;
    if (number >= 0)
        return number;
    char hint[ASM_HINT_SIZE];
    asm_suggestion near = asm_suggest(&a->reporter, token->place.at, token->place.length);
    for (unsigned i = 0; i < ISA_SPECIAL_COUNT; i++)
        asm_suggest_try(&near, isa_special_name[i], strlen(isa_special_name[i]));
    asm_error(&a->reporter, DIAG_E_SPECIAL, &token->place,
              asm_suggest_hint(&near, hint, "for example sr_lane_id, sr_thread_id_x, sr_wave_id"),
              "unknown special register '%.*s'", asm_shown(token->place.length), token->place.at);
    return -1;
}

static bool encode_special(asm_state *a, const asm_statement *s, const asm_token *token,
                           uint32_t *field) {
    if (token->kind != ASM_SPECIAL)
        return asm_wrong_kind(a, s, token, ISA_ROLE_SR, asm_role_text(ISA_ROLE_SR));
    int number = asm_find_special(a, token);
    *field = (uint32_t)number;
    return number >= 0;
}

static bool encode_scope(asm_state *a, const asm_statement *s, const asm_token *token,
                         uint32_t *tail) {
    int scope = asm_token_scope(token);
    if (scope >= 0) {
        size_t dot = token->kind == ASM_DIRECTIVE;
        bool alias = asm_find_scope(token->place.at + dot, token->place.length - dot) < 0;
        *tail = (uint32_t)scope;
        return !alias || asm_sugar(a, &token->place);
    }
    if (token->kind != ASM_NAME)
        return asm_wrong_kind(a, s, token, ISA_ROLE_NONE, "scope");
    char hint[ASM_HINT_SIZE];
    asm_suggestion near = asm_suggest(&a->reporter, token->place.at, token->place.length);
    for (unsigned i = 0; i < ISA_SCOPE_COUNT; i++)
        asm_suggest_try(&near, isa_scope_name[i], strlen(isa_scope_name[i]));
    asm_error(&a->reporter, DIAG_E_OPERAND, &token->place,
              asm_suggest_hint(&near, hint, "scopes are .wave .workgroup .device .system"),
              "'%.*s' is not a scope", asm_shown(token->place.length), token->place.at);
    return false;
}

static bool encode_float(asm_state *a, const asm_token *token, uint32_t *tail) {
    const char *text = token->place.at;
    if (a->compat) { /* upstream's defect: the low half of the double */
        *tail = (uint32_t)asm_decimal_f64(text, token->place.length);
        return true;
    }
    *tail = asm_decimal_f32(text, token->place.length);
    if ((*tail & 0x7FFFFFFFu) == 0x7F800000u)
        asm_warning(&a->reporter, DIAG_W_IMMEDIATE, &token->place, NULL,
                    "the number is too large for f32 and becomes infinity");
    return true;
}

/* The bits of a number that is computed or has a name; false when it is not a number. */
static bool encode_computed(asm_state *a, const asm_token *token, asm_token *plain) {
    asm_value value = {.is_float = true};
    *plain = *token;
    if (token->kind == ASM_DOUBLE) {
        memcpy(&value.number, &token->value, sizeof value.number);
    } else {
        const asm_symbol *symbol =
            token->kind == ASM_NAME && !a->compat ? asm_find_symbol(a, token) : NULL;
        if (!symbol || symbol->kind != ASM_SYMBOL_NUMBER)
            return false;
        asm_sugar(a, &token->place);
        value = symbol->value;
    }
    plain->kind = ASM_INTEGER;
    plain->value = value.is_float ? (int64_t)asm_double_bits(&value, 4) : value.integer;
    return true;
}

static bool encode_immediate(asm_state *a, const asm_statement *s, const asm_token *token,
                             uint32_t *tail) {
    asm_token plain;
    if (token->kind == ASM_FLOAT && s->op == ISA_MOV_IMM)
        return encode_float(a, token, tail);
    if ((token->kind == ASM_DOUBLE || token->kind == ASM_NAME) && encode_computed(a, token, &plain))
        token = &plain;
    if (token->kind == ASM_NAME && !a->compat && !asm_find_symbol(a, token)) {
        asm_unknown_symbol(a, token);
        return false;
    }
    if (token->kind != ASM_INTEGER)
        return asm_wrong_kind(a, s, token, ISA_ROLE_NONE,
                              s->op == ISA_MOV_IMM ? "number" : "whole number");
    if (token->value < INT32_MIN || token->value > (int64_t)UINT32_MAX) {
        asm_error(&a->reporter, DIAG_E_IMMEDIATE, &token->place, NULL,
                  "%.*s does not fit in 32 bits", asm_shown(token->place.length), token->place.at);
        return false;
    }
    *tail = (uint32_t)token->value;
    if (s->op == ISA_ASSERT && (int64_t)*tail > a->largest_id)
        a->largest_id = *tail;
    return true;
}

/* A label; or the byte offset itself, for targets that no label can name. */
static bool encode_target(asm_state *a, const asm_statement *s, const asm_token *token,
                          asm_encoding *e) {
    if (token->kind == ASM_NAME) {
        e->label = true;
        return true;
    }
    if (token->kind != ASM_INTEGER || a->compat)
        return asm_wrong_kind(a, s, token, ISA_ROLE_NONE, "label");
    if (token->value < 0 || token->value > (int64_t)UINT32_MAX) {
        asm_error(&a->reporter, DIAG_E_IMMEDIATE, &token->place,
                  "code offsets range from 0 to 0xFFFFFFFF", "%.*s is not a code offset",
                  asm_shown(token->place.length), token->place.at);
        return false;
    }
    e->tail = (uint32_t)token->value;
    return true;
}

bool asm_encode_tail(asm_state *a, const asm_statement *s, const asm_token *token,
                     asm_encoding *e) {
    switch (isa_table[s->op].tail) {
    case ISA_TAIL_SCOPE: return encode_scope(a, s, token, &e->tail);
    case ISA_TAIL_IMM: return encode_immediate(a, s, token, &e->tail);
    default: return encode_target(a, s, token, e);
    }
}

bool asm_encode_operand(asm_state *a, const asm_statement *s, const asm_token *token, unsigned role,
                        unsigned f, asm_encoding *e) {
    switch (role) {
    case ISA_ROLE_PW:
    case ISA_ROLE_PR:
    case ISA_ROLE_PN: return encode_predicate(a, s, token, role, f, e);
    case ISA_ROLE_SR: return encode_special(a, s, token, &e->field[f]);
    case ISA_ROLE_WTA:
    case ISA_ROLE_WTB:
    case ISA_ROLE_WTC:
    case ISA_ROLE_TA:
    case ISA_ROLE_TB:
    case ISA_ROLE_TC: return asm_encode_tile(a, s, token, role, &e->field[f]);
    case ISA_ROLE_PLACE: return asm_encode_place(a, s, token, &e->field[f]);
    default: return encode_register(a, s, token, role, f, e);
    }
}
