/* One instruction: matches its operands with the roles of the table, then emits its words. */
#include "frontend/encode.h"
#include "asm/asm.h"
#include "asm/decimal.h"
#include "asm/narrow.h"
#include "isa/alias.h"

#include <stdio.h>
#include <string.h>

enum { TAIL_SLOT = ISA_FIELDS, SLOTS };

/* ---- Descriptions of operands for messages ---- */

static const char *role_text(unsigned role) {
    switch (role) {
    case ISA_ROLE_PW:
    case ISA_ROLE_PR:
    case ISA_ROLE_PN: return "predicate";
    case ISA_ROLE_SR: return "special register";
    case ISA_ROLE_FA:
    case ISA_ROLE_FB:
    case ISA_ROLE_FC: return "fragment (written as a register)";
    case ISA_ROLE_WTA:
    case ISA_ROLE_WTB:
    case ISA_ROLE_WTC:
    case ISA_ROLE_TA:
    case ISA_ROLE_TB:
    case ISA_ROLE_TC: return "tile";
    case ISA_ROLE_PLACE: return "space, layout";
    case ISA_ROLE_W2:
    case ISA_ROLE_WA2:
    case ISA_ROLE_R2: return "register pair";
    case ISA_ROLE_W4:
    case ISA_ROLE_R4: return "register quad";
    default: return "register";
    }
}

static const char *tail_text(unsigned tail) {
    return tail == ISA_TAIL_SCOPE ? "scope" : tail == ISA_TAIL_IMM ? "number" : "label";
}

static const char *optional_text(unsigned role) {
    return role == ISA_ROLE_WA2 ? "[register pair]" : "[register]";
}

/* "register, register, scope", for the message about a wrong count. */
static void describe_operands(const isa_desc *desc, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < SLOTS; i++) {
        unsigned kind = i < TAIL_SLOT ? desc->role[i] : desc->tail;
        if (i < TAIL_SLOT ? isa_role_operands((isa_role)kind) == 0 : kind == 0)
            continue;
        const char *part = i == TAIL_SLOT                                   ? tail_text(kind)
                           : i == ISA_FIELD_RD && isa_result_optional(desc) ? optional_text(kind)
                                                                            : role_text(kind);
        int more = snprintf(text + used, size - used, "%s%s", used ? ", " : "", part);
        if (more < 0 || (size_t)more >= size - used)
            return;
        used += (size_t)more;
    }
}

static const char *found_text(const asm_token *token) {
    switch (token->kind) {
    case ASM_REGISTER: return "register";
    case ASM_PREDICATE:
    case ASM_NOT_PREDICATE: return "predicate";
    case ASM_SPECIAL: return "special register";
    case ASM_INTEGER:
    case ASM_FLOAT: return "number";
    case ASM_DIRECTIVE: return "scope";
    default: return "name";
    }
}

static const char *kind_hint(const asm_token *token, const isa_desc *desc, unsigned role,
                             char hint[ASM_HINT_SIZE]) {
    const char *text = token->place.at;
    int shown = asm_shown(token->place.length);
    bool number = token->kind == ASM_INTEGER || token->kind == ASM_FLOAT;
    if (token->kind == ASM_SPECIAL && isa_role_registers((isa_role)role)) {
        snprintf(hint, ASM_HINT_SIZE, "copy it to a register first: mov rN, %.*s", shown, text);
        return hint;
    }
    if (number && isa_role_registers((isa_role)role))
        return desc == &isa_table[ISA_MOV] ? "mov copies registers; use mov_imm for a number"
                                           : "load it into a register first: mov_imm rN, number";
    if (token->kind == ASM_NAME && (text[0] == 'R' || text[0] == 'P') && shown > 1 &&
        text[1] >= '0' && text[1] <= '9') {
        snprintf(hint, ASM_HINT_SIZE, "did you mean '%c%.*s'?", text[0] | 0x20, shown - 1,
                 text + 1);
        return hint;
    }
    if (token->kind == ASM_NOT_PREDICATE)
        return "only if, break and continue can negate their predicate";
    if (token->kind == ASM_NAME && role == ISA_ROLE_SR)
        return "for example sr_lane_id, sr_thread_id_x, sr_wave_id";
    bool predicate = role == ISA_ROLE_PW || role == ISA_ROLE_PR || role == ISA_ROLE_PN;
    if (isa_role_is_tile((isa_role)role))
        return "tiles are t0 to t15";
    if (token->kind == ASM_NAME && role != ISA_ROLE_NONE)
        return predicate ? "predicates are p0 to p3" : "registers are r0 to r255";
    return NULL;
}

ASM_COLD bool asm_wrong_kind(asm_state *a, const asm_statement *s, const asm_token *token,
                             unsigned role, const char *wanted) {
    char hint[ASM_HINT_SIZE];
    const isa_desc *desc = &isa_table[s->op];
    asm_error(&a->reporter, DIAG_E_OPERAND, &token->place, kind_hint(token, desc, role, hint),
              "%s takes a %s here, not the %s '%.*s'", desc->mnemonic, wanted, found_text(token),
              asm_shown(token->place.length), token->place.at);
    return false;
}

/* ---- Operands ---- */

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

/* General registers a role covers: a table, because every operand needs it. */
static const uint8_t role_width[] = {
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
                    "write the register without .lo if this is meant; .hi keeps the other half",
                    "%s clears the upper half of its result", desc->mnemonic);
        return true;
    }
    if (!a->compat && (high || halves))
        return !high || asm_comfort(a, &token->place);
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
            return asm_comfort(a, &token->place) && asm_lower_source(a, s, token, f, e);
        if (symbol)
            return asm_wrong_kind(a, s, token, role, role_text(role));
        asm_unknown_symbol(a, token);
        return false;
    }
    if (symbol->contained) {
        asm_error(&a->reporter, DIAG_E_CONTAINED, &token->place, NULL,
                  "the contained buffer '%.*s' is used as a number", asm_shown(token->place.length),
                  token->place.at);
        return false;
    }
    if (role_width[role] == 0 || role_width[role] > symbol->width) {
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place,
                  role_width[role] ? "use .reg NAME:2 to name a pair, NAME:4 for a quad" : NULL,
                  "%s takes a %s here, but '%.*s' is %s", isa_table[s->op].mnemonic,
                  role_text(role), asm_shown(token->place.length), token->place.at,
                  symbol->width == 1 ? "one register" : "a pair");
        return false;
    }
    symbol->guards |= isa_role_discards((isa_role)role) && !symbol->fixed;
    e->field[f] = symbol->fixed ? symbol->number : 0;
    e->ref[f] = symbol->fixed ? 0 : (asm_ref)(symbol - a->symbols.list) + 1;
    return asm_comfort(a, &token->place);
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
    if (token->span && token->span != role_width[role]) {
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place, NULL, "%s needs a %s here",
                  isa_table[s->op].mnemonic, role_text(role));
        return false;
    }
    e->field[f] = (uint32_t)token->value;
    asm_use_register(a, &token->place, e->field[f], role_width[role]);
    return true;
}

/* A register or a fragment, in every spelling, and everything that can replace a source. */
static ASM_RARE bool encode_register(asm_state *a, const asm_statement *s, const asm_token *token,
                                     unsigned role, unsigned f, asm_encoding *e) {
    bool named = token->kind == ASM_NAME && !a->compat && role_width[role];
    if (token->kind != ASM_REGISTER && !named) {
        bool sugar = token->kind == ASM_INTEGER || token->kind == ASM_FLOAT ||
                     token->kind == ASM_DOUBLE || token->kind == ASM_ADDRESS ||
                     token->kind == ASM_SPECIAL;
        if (!sugar || !reads_register(role) || a->compat)
            return asm_wrong_kind(a, s, token, role, role_text(role));
        return asm_comfort(a, &token->place) && asm_lower_source(a, s, token, f, e);
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

/* A predicate's name: the symbol, or NULL after an error. */
static asm_symbol *find_predicate(asm_state *a, const asm_token *token) {
    asm_symbol *symbol = asm_find_symbol(a, token);
    if (symbol && symbol->kind == ASM_SYMBOL_PREDICATE)
        return asm_comfort(a, &token->place) ? symbol : NULL;
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
        return asm_wrong_kind(a, s, token, role, role_text(role));
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
    asm_symbol *symbol = find_predicate(a, token);
    if (symbol && symbol->fixed)
        e->field[f] |= symbol->number;
    else if (symbol)
        e->ref[f] = (asm_ref)(symbol - a->symbols.list) + 1;
    return symbol != NULL;
}

static ASM_COLD int find_special_alias(asm_state *a, const asm_token *token) {
    int number = isa_alias_special(token->place.at, token->place.length);
    return number >= 0 && asm_comfort(a, &token->place) ? number : -1;
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
        return asm_wrong_kind(a, s, token, ISA_ROLE_SR, role_text(ISA_ROLE_SR));
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
        return !alias || asm_comfort(a, &token->place);
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
        asm_comfort(a, &token->place);
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

static ASM_RARE bool encode_tail(asm_state *a, const asm_statement *s, const asm_token *token,
                                 asm_encoding *e) {
    switch (isa_table[s->op].tail) {
    case ISA_TAIL_SCOPE: return encode_scope(a, s, token, &e->tail);
    case ISA_TAIL_IMM: return encode_immediate(a, s, token, &e->tail);
    default: return encode_target(a, s, token, e);
    }
}

static ASM_RARE bool encode_rare(asm_state *a, const asm_statement *s, const asm_token *token,
                                 unsigned role, unsigned f, asm_encoding *e) {
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

/* The name of one register, in the common case: no diagnostics, no sugar. */
static bool encode_known_name(asm_state *a, const asm_token *token, unsigned f, asm_encoding *e) {
    const asm_symbol *symbol = asm_find_symbol(a, token);
    if (!symbol || symbol->kind != ASM_SYMBOL_REGISTER || symbol->contained)
        return false;
    e->field[f] = symbol->fixed ? symbol->number : 0;
    e->ref[f] = symbol->fixed ? 0 : (asm_ref)(symbol - a->symbols.list) + 1;
    return asm_last_kernel(a)->comfortable;
}

static bool encode_field(asm_state *a, const asm_statement *s, const asm_token *token,
                         unsigned role, unsigned f, asm_encoding *e) {
    /* A plain register without diagnostics, in a field for one register. */
    if (role_width[role] == 1 && token->kind == ASM_REGISTER && token->value != 0 &&
        (uint64_t)token->value < a->register_top && token->half == ASM_HALF_NONE && !token->span) {
        a->registers.used[token->value] = 1;
        e->field[f] = (uint32_t)token->value;
        return true;
    }
    if (token->kind == ASM_NAME && (role == ISA_ROLE_R || role == ISA_ROLE_W) &&
        token->half == ASM_HALF_NONE && encode_known_name(a, token, f, e))
        return true;
    return encode_rare(a, s, token, role, f, e);
}

/* ---- The operand list ---- */

ASM_COLD bool asm_wrong_scope(asm_state *a, const asm_token *scope) {
    asm_error(&a->reporter, DIAG_E_OPERAND, &scope->place,
              "local memory belongs to one workgroup: write .workgroup, or no scope",
              "'%.*s' is not a scope of a local atomic", asm_shown(scope->place.length),
              scope->place.at);
    return false;
}

static ASM_COLD bool wrong_count(asm_state *a, const asm_statement *s, size_t wanted) {
    const isa_desc *desc = &isa_table[s->op];
    char list[160];
    describe_operands(desc, list, sizeof list);
    bool scope_missing = desc->tail == ISA_TAIL_SCOPE && s->count < wanted;
    bool more_follows = s->count > 0 && s->count < wanted &&
                        (a->token.kind == ASM_REGISTER || a->token.kind == ASM_PREDICATE ||
                         a->token.kind == ASM_INTEGER || a->token.kind == ASM_SPECIAL);
    const char *hint = more_follows    ? "is a comma missing?"
                       : scope_missing ? "the scope is .wave, .workgroup, .device or .system"
                                       : NULL;
    if (wanted == 0)
        asm_error(&a->reporter, DIAG_E_OPERAND_COUNT, &s->mnemonic.place,
                  "put an instruction without operands on a line of its own",
                  "%s takes no operands", desc->mnemonic);
    else
        asm_error(&a->reporter, DIAG_E_OPERAND_COUNT, &s->mnemonic.place, hint,
                  "%s takes %zu operand%s (%s), not %zu", desc->mnemonic, wanted,
                  wanted == 1 ? "" : "s", list, s->count);
    return false;
}

/* `.workgroup` after the operands of a local atomic, which has no other scope. */
static bool drop_local_scope(asm_state *a, asm_statement *s) {
    if (s->count == 0 || s->count > ASM_MAX_OPERANDS)
        return true;
    const asm_token *last = &s->operand[s->count - 1];
    int scope = asm_token_scope(last);
    if (scope < 0)
        return true;
    s->count--;
    return scope == ISA_SCOPE_WORKGROUP ? asm_comfort(a, &last->place) : asm_wrong_scope(a, last);
}

/* Matches the operands to the fields and the tail, in the order of the table. */
static bool encode_operands(asm_state *a, asm_statement *s, asm_encoding *e) {
    const isa_desc *desc = &isa_table[s->op];
    if (desc->klass == ISA_CLASS_ATOMIC && desc->tail == ISA_TAIL_NONE && !a->compat &&
        !drop_local_scope(a, s))
        return false;
    bool suffix = s->scope.kind != ASM_EOF;
    size_t wanted = desc->tail != ISA_TAIL_NONE && !suffix;
    for (unsigned i = 0; i < ISA_FIELDS; i++)
        wanted += isa_role_operands((isa_role)desc->role[i]);
    bool omitted = isa_result_optional(desc) && s->count + 1 == wanted;
    /* atomic_add r1, r2, r3 without a scope has as many operands as one without a destination. */
    if (omitted && desc->tail == ISA_TAIL_SCOPE && !suffix &&
        asm_token_scope(&s->operand[s->count - 1]) < 0)
        return wrong_count(a, s, wanted);
    if (s->count != wanted && !omitted)
        return wrong_count(a, s, wanted);
    bool good = true;
    size_t next = 0;
    for (unsigned i = omitted; i < ISA_FIELDS; i++) {
        unsigned operands = isa_role_operands((isa_role)desc->role[i]);
        if (operands)
            good &= encode_field(a, s, &s->operand[next], desc->role[i], i, e);
        next += operands;
    }
    if (desc->tail != ISA_TAIL_NONE)
        good &= encode_tail(a, s, suffix ? &s->scope : &s->operand[next], e);
    return good;
}

/* ---- Guards, extensions, words ---- */

static bool encode_named_guard(asm_state *a, const asm_token *guard, asm_encoding *e) {
    asm_symbol *symbol = find_predicate(a, guard);
    if (!symbol)
        return false;
    e->guard = (symbol->fixed ? symbol->number : 0) | (guard->negative ? 4u : 0);
    if (!symbol->fixed)
        e->guard_ref = (asm_ref)(symbol - a->symbols.list) + 1;
    symbol->guards |= !guard->negative;
    return true;
}

static bool encode_guard(asm_state *a, const asm_statement *s, asm_encoding *e) {
    const asm_token *guard = &s->guard;
    const isa_desc *desc = &isa_table[s->op];
    if (guard->kind == ASM_EOF)
        return true;
    if (guard->named) {
        if (!encode_named_guard(a, guard, e))
            return false;
    } else if (guard->value >= ISA_PREDICATES) {
        asm_error(&a->reporter, DIAG_E_PRED_INDEX, &guard->place, NULL, "unknown guard '%.*s'",
                  asm_shown(guard->place.length), guard->place.at);
        return false;
    } else {
        a->registers.predicates |= (uint8_t)(1u << guard->value);
        e->guard = (uint32_t)guard->value | (guard->negative ? 4u : 0);
    }
    bool none = e->guard == 0 && e->guard_ref == 0;
    if (none)
        asm_warning(&a->reporter, DIAG_W_P0_GUARD, &guard->place, NULL,
                    "the guard @p0 has no effect: the instruction always executes");
    if (none || !(desc->flags & ISA_UNGUARDED))
        return true;
    const char *hint =
        s->op == ISA_BARRIER ? "every lane must reach a barrier: no guard and no if around it"
        : isa_is_tile(s->op) ? "every lane of the wave must reach it: no guard, no divergent if"
        : desc->flags & ISA_CONTROL ? "write the condition as its operand, or as an if"
                                    : NULL;
    asm_report(&a->reporter, !a->compat, DIAG_E_GUARD, &guard->place, hint,
               "%s does not take a guard", desc->mnemonic);
    return a->compat;
}

ASM_COLD void asm_no_such_instruction(asm_state *a, const asm_token *mnemonic) {
    asm_error(&a->reporter, DIAG_E_COMPAT, &mnemonic->place, NULL,
              "the upstream assembler has no instruction '%.*s'", asm_shown(mnemonic->place.length),
              mnemonic->place.at);
}

static bool check_extension(asm_state *a, const asm_statement *s) {
    const isa_desc *desc = &isa_table[s->op];
    if (a->compat && (desc->flags & (ISA_EXTENSION | ISA_NEWMNEM))) {
        asm_no_such_instruction(a, &s->mnemonic);
        return false;
    }
    a->extended |= (desc->flags & ISA_EXTENSION) != 0;
    return true;
}

/* The byte of the instruction that holds each field. */
static const uint8_t field_byte[ISA_FIELDS] = {2, 1, 7, 6, 5};

static ASM_RARE void note_refs(asm_state *a, const asm_encoding *e) {
    size_t at = a->code.size;
    if (a->fixup_room < a->fixup_count + ISA_FIELDS + 1 &&
        !asm_grow(a, (void **)&a->fixups, a->fixup_room, &a->fixup_room, sizeof *a->fixups))
        return;
    asm_fixup *to = a->fixups + a->fixup_count;
    for (unsigned i = 0; i < ISA_FIELDS; i++)
        if (e->ref[i])
            *to++ = (asm_fixup){.at = at + field_byte[i], .ref = e->ref[i]};
    if (e->guard_ref)
        *to++ = (asm_fixup){.at = at, .ref = e->guard_ref};
    a->fixup_count = (size_t)(to - a->fixups);
}

static ASM_COLD void count_expanded(asm_state *a) {
    enum { MOST = 1000000 };
    if (++a->input.expanded_instructions == MOST + 1)
        asm_error(&a->reporter, DIAG_E_MACRO, &a->line_at, NULL,
                  "macros expand to more than a million instructions");
    if (a->input.expanded_instructions > MOST)
        a->lexer.at = a->lexer.end; /* stop reading */
}

void asm_emit(asm_state *a, isa_op op, const asm_encoding *e) {
    const isa_desc *desc = &isa_table[op];
    bool cas = op == ISA_ATOMIC_CAS || op == ISA_LOCAL_ATOMIC_CAS;
    uint32_t modifier = a->compat && cas ? 0 : desc->modifier; /* upstream's defect */
    if (a->code.capacity - a->code.size < 8 && !buf_reserve(&a->code, 8)) {
        a->failed = true;
        return;
    }
    uint8_t *at = a->code.data + a->code.size;
    uint32_t size = fe_encode(at, desc, modifier, e->field, e->tail, e->guard);
    if (e->ref[0] | e->ref[1] | e->ref[2] | e->ref[3] | e->ref[4] | e->guard_ref)
        note_refs(a, e);
    if (a->track)
        asm_note_location(a);
    if (a->input.depth)
        count_expanded(a);
    a->code.size += size;
    a->upstream_pc += desc->flags & ISA_UPSTREAM8 ? 8 : 4;
}

static ASM_COLD void note_call(asm_state *a, const asm_statement *s) {
    if (asm_grow(a, (void **)&a->calls, a->call_count, &a->call_room, sizeof *a->calls))
        a->calls[a->call_count++] = (asm_call){.place = s->operand[0].place,
                                               .kernel = (uint32_t)a->kernel_count - 1,
                                               .expansion = asm_expansion(a),
                                               .at = a->code.size + 4};
}

/* mov rd, 5 is mov_imm; mov rd, sr_x is mov_sr. */
static ASM_RARE void choose_mov(asm_state *a, asm_statement *s) {
    const asm_token *source = &s->operand[1];
    const asm_symbol *symbol = source->kind == ASM_NAME ? asm_find_symbol(a, source) : NULL;
    bool number = source->kind == ASM_INTEGER || source->kind == ASM_FLOAT ||
                  source->kind == ASM_DOUBLE || (symbol && symbol->kind == ASM_SYMBOL_NUMBER);
    if (source->kind == ASM_SPECIAL)
        s->op = ISA_MOV_SR;
    else if (number && !a->compat && asm_comfort(a, &source->place))
        s->op = ISA_MOV_IMM;
}

static ASM_COLD void emit_high(asm_state *a, const asm_statement *s, asm_encoding *e) {
    asm_encoding insert;
    asm_lower_high_result(a, s->op, e, &insert);
    asm_emit(a, s->op, e);
    asm_emit(a, ISA_BFI, &insert);
}

/* Upstream reads hints and encodes none. */
static ASM_COLD void apply_hint(asm_state *a, asm_statement *s) {
    if (a->compat)
        return;
    isa_op op = isa_with_hint(s->op, asm_token_hint(&s->hint));
    if (op != ISA_NONE)
        s->op = op;
    else
        asm_warning(&a->reporter, DIAG_W_HINT, &s->hint.place, NULL,
                    "%s takes no cache hint: '%.*s' is ignored", isa_table[s->op].mnemonic,
                    asm_shown(s->hint.place.length), s->hint.place.at);
}

bool asm_encode(asm_state *a, asm_statement *s) {
    asm_encoding e = {0};
    if (s->hint.kind != ASM_EOF)
        apply_hint(a, s);
    if (s->op == ISA_MOV && s->count == 2 && s->operand[1].kind != ASM_REGISTER)
        choose_mov(a, s);
    if (!check_extension(a, s))
        return false;
    a->registers.temporaries = 0;
    if (!asm_encode_tile_type(a, s, &e))
        return false;
    bool good = encode_guard(a, s, &e);
    good &= encode_operands(a, s, &e);
    if (!good)
        return false;
    if (s->order.kind != ASM_EOF)
        asm_lower_order(a, s, &e, false);
    if (e.label)
        note_call(a, s);
    bool high = s->count && s->operand[0].half == ASM_HALF_HI && !a->compat &&
                isa_table[s->op].role[ISA_FIELD_RD] == ISA_ROLE_W;
    if (high)
        emit_high(a, s, &e);
    else
        asm_emit(a, s->op, &e);
    if (s->order.kind != ASM_EOF)
        asm_lower_order(a, s, &e, true);
    return true;
}
