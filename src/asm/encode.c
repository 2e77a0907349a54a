/* One instruction: its operands against the roles of the table, then its words. */
#include "asm/asm.h"
#include "asm/decimal.h"

#include <stdio.h>
#include <string.h>

enum { TAIL_SLOT = ISA_FIELDS, SLOTS };

typedef struct encoding {
    uint32_t field[ISA_FIELDS];
    uint32_t tail;
    bool label; /* the tail is a label: filled in at the end */
} encoding;

/* ---- What messages say about operands ---- */

static const char *role_text(unsigned role) {
    switch (role) {
    case ISA_ROLE_PW:
    case ISA_ROLE_PR:
    case ISA_ROLE_PN: return "predicate";
    case ISA_ROLE_SR: return "special register";
    case ISA_ROLE_FA:
    case ISA_ROLE_FB:
    case ISA_ROLE_FC: return "fragment (written as a register)";
    case ISA_ROLE_W2:
    case ISA_ROLE_R2: return "register pair";
    case ISA_ROLE_W4:
    case ISA_ROLE_R4: return "register quad";
    default: return "register";
    }
}

static const char *tail_text(unsigned tail) {
    return tail == ISA_TAIL_SCOPE ? "scope" : tail == ISA_TAIL_IMM ? "number" : "label";
}

/* "register, register, scope", for the message about a wrong count. */
static void describe_operands(const isa_desc *desc, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < SLOTS; i++) {
        unsigned kind = i < TAIL_SLOT ? desc->role[i] : desc->tail;
        if (kind == 0)
            continue;
        const char *part = i == TAIL_SLOT                                   ? tail_text(kind)
                           : i == ISA_FIELD_RD && isa_result_optional(desc) ? "[register]"
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
        return desc == &isa_table[ISA_MOV] ? "mov copies registers; write mov_imm"
                                           : "load it into a register first: mov_imm rN, number";
    if (token->kind == ASM_NAME && (text[0] == 'R' || text[0] == 'P') && shown > 1 &&
        text[1] >= '0' && text[1] <= '9') {
        snprintf(hint, ASM_HINT_SIZE, "did you mean '%c%.*s'?", text[0] | 0x20, shown - 1,
                 text + 1);
        return hint;
    }
    if (token->kind == ASM_NOT_PREDICATE)
        return "only if, break and continue negate their predicate";
    if (token->kind == ASM_NAME && role == ISA_ROLE_SR)
        return "for example sr_lane_id, sr_thread_id_x, sr_wave_id";
    bool predicate = role == ISA_ROLE_PW || role == ISA_ROLE_PR || role == ISA_ROLE_PN;
    if (token->kind == ASM_NAME && role != ISA_ROLE_NONE)
        return predicate ? "predicates are p0 to p3" : "registers are r0 to r255";
    return NULL;
}

static ASM_COLD bool wrong_kind(asm_state *a, const asm_statement *s, const asm_token *token,
                                unsigned role, const char *wanted) {
    char hint[ASM_HINT_SIZE];
    const isa_desc *desc = &isa_table[s->op];
    asm_error(&a->reporter, DIAG_E_OPERAND, &token->place, kind_hint(token, desc, role, hint),
              "%s needs a %s here, not the %s '%.*s'", desc->mnemonic, wanted, found_text(token),
              asm_shown(token->place.length), token->place.at);
    return false;
}

/* ---- Operands ---- */

/* Remembers the highest register so far: see asm_high. */
static ASM_COLD void note_register(asm_state *a, const asm_token *token, uint32_t last) {
    uint32_t index = (uint32_t)a->kernel_count - 1;
    a->register_top = last + 1;
    if (asm_grow(a, (void **)&a->highs, a->high_count, &a->high_room, sizeof *a->highs))
        a->highs[a->high_count++] =
            (asm_high){.kernel = index, .number = last, .place = token->place};
}

static ASM_COLD bool check_half(asm_state *a, const asm_token *token) {
    if (token->half == ASM_HALF_HI && !a->compat) {
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place,
                  "move the upper half down with shr first",
                  "the upper half of a register cannot be an operand");
        return false;
    }
    asm_warning(&a->reporter, DIAG_W_HALF, &token->place, NULL, "the half of '%.*s' is ignored",
                asm_shown(token->place.length), token->place.at);
    return true;
}

/* General registers a role covers: a table, because this is asked for every operand. */
static const uint8_t role_width[] = {
    [ISA_ROLE_W] = 1, [ISA_ROLE_W2] = 2, [ISA_ROLE_W4] = 4, [ISA_ROLE_WA] = 1,
    [ISA_ROLE_R] = 1, [ISA_ROLE_R2] = 2, [ISA_ROLE_R4] = 4, [ISA_ROLE_FC] = 0};

/* A register or a fragment, in every spelling. */
static ASM_COLD bool encode_register(asm_state *a, const asm_statement *s, const asm_token *token,
                                     unsigned role, uint32_t *field) {
    if (token->kind != ASM_REGISTER)
        return wrong_kind(a, s, token, role, role_text(role));
    if (token->value > 255) {
        asm_error(&a->reporter, DIAG_E_REGISTER, &token->place, "registers are r0 to r255",
                  "there is no register '%.*s'", asm_shown(token->place.length), token->place.at);
        return false;
    }
    if (token->value == 255 && a->compat) {
        asm_error(&a->reporter, DIAG_E_COMPAT, &token->place, NULL, "r255 is an extension");
        return false;
    }
    if (token->half != ASM_HALF_NONE && !check_half(a, token))
        return false;
    *field = (uint32_t)token->value;
    if (role_width[role] && *field + role_width[role] > a->register_top)
        note_register(a, token, *field + role_width[role] - 1);
    if (role == ISA_ROLE_WA && *field == 0)
        asm_warning(&a->reporter, DIAG_W_ATOMIC_R0, &token->place, NULL,
                    "r0 as the destination of an atomic receives nothing");
    return true;
}

static bool encode_predicate(asm_state *a, const asm_statement *s, const asm_token *token,
                             unsigned role, uint32_t *field) {
    bool negated = token->kind == ASM_NOT_PREDICATE;
    if (token->kind != ASM_PREDICATE && !(negated && role == ISA_ROLE_PN))
        return wrong_kind(a, s, token, role, role_text(role));
    if (token->value >= ISA_PREDICATES) {
        asm_error(&a->reporter, DIAG_E_PRED_INDEX, &token->place, NULL,
                  "there is no predicate '%.*s'", asm_shown(token->place.length), token->place.at);
        return false;
    }
    if (negated && a->compat) {
        asm_error(&a->reporter, DIAG_E_COMPAT, &token->place, NULL,
                  "negated operands are an extension");
        return false;
    }
    a->extended |= negated;
    *field = (uint32_t)token->value | (negated ? 0x80u : 0);
    return true;
}

static bool encode_special(asm_state *a, const asm_statement *s, const asm_token *token,
                           uint32_t *field) {
    if (token->kind != ASM_SPECIAL)
        return wrong_kind(a, s, token, ISA_ROLE_SR, role_text(ISA_ROLE_SR));
    int number = isa_find_special(token->place.at, token->place.length);
    if (number >= 0) {
        *field = (uint32_t)number;
        return true;
    }
    char hint[ASM_HINT_SIZE];
    asm_suggestion near = asm_suggest(&a->reporter, token->place.at, token->place.length);
    for (unsigned i = 0; i < ISA_SPECIAL_COUNT; i++)
        asm_suggest_try(&near, isa_special_name[i], strlen(isa_special_name[i]));
    asm_error(&a->reporter, DIAG_E_SPECIAL, &token->place,
              asm_suggest_hint(&near, hint, "for example sr_lane_id, sr_thread_id_x, sr_wave_id"),
              "there is no special register '%.*s'", asm_shown(token->place.length),
              token->place.at);
    return false;
}

static bool encode_scope(asm_state *a, const asm_statement *s, const asm_token *token,
                         uint32_t *tail) {
    int scope = asm_token_scope(token);
    if (scope >= 0) {
        *tail = (uint32_t)scope;
        return true;
    }
    if (token->kind != ASM_NAME)
        return wrong_kind(a, s, token, ISA_ROLE_NONE, "scope");
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

static bool encode_immediate(asm_state *a, const asm_statement *s, const asm_token *token,
                             uint32_t *tail) {
    if (token->kind == ASM_FLOAT && s->op == ISA_MOV_IMM)
        return encode_float(a, token, tail);
    if (token->kind != ASM_INTEGER)
        return wrong_kind(a, s, token, ISA_ROLE_NONE,
                          s->op == ISA_MOV_IMM ? "number" : "whole number");
    if (token->value < INT32_MIN || token->value > (int64_t)UINT32_MAX) {
        asm_error(&a->reporter, DIAG_E_IMMEDIATE, &token->place, NULL,
                  "%.*s does not fit in 32 bits", asm_shown(token->place.length), token->place.at);
        return false;
    }
    *tail = (uint32_t)token->value;
    return true;
}

/* A label; or the byte offset itself, which is how targets no label can name are written. */
static bool encode_target(asm_state *a, const asm_statement *s, const asm_token *token,
                          encoding *e) {
    if (token->kind == ASM_NAME) {
        e->label = true;
        return true;
    }
    if (token->kind != ASM_INTEGER || a->compat)
        return wrong_kind(a, s, token, ISA_ROLE_NONE, "label");
    if (token->value < 0 || token->value > (int64_t)UINT32_MAX) {
        asm_error(&a->reporter, DIAG_E_IMMEDIATE, &token->place, "offsets go from 0 to 0xFFFFFFFF",
                  "%.*s is not a code offset", asm_shown(token->place.length), token->place.at);
        return false;
    }
    e->tail = (uint32_t)token->value;
    return true;
}

static ASM_COLD bool encode_tail(asm_state *a, const asm_statement *s, const asm_token *token,
                                 encoding *e) {
    switch (isa_table[s->op].tail) {
    case ISA_TAIL_SCOPE: return encode_scope(a, s, token, &e->tail);
    case ISA_TAIL_IMM: return encode_immediate(a, s, token, &e->tail);
    default: return encode_target(a, s, token, e);
    }
}

static ASM_COLD bool encode_rare(asm_state *a, const asm_statement *s, const asm_token *token,
                                 unsigned role, uint32_t *field) {
    switch (role) {
    case ISA_ROLE_PW:
    case ISA_ROLE_PR:
    case ISA_ROLE_PN: return encode_predicate(a, s, token, role, field);
    case ISA_ROLE_SR: return encode_special(a, s, token, field);
    default: return encode_register(a, s, token, role, field);
    }
}

static bool encode_field(asm_state *a, const asm_statement *s, const asm_token *token,
                         unsigned role, uint32_t *field) {
    /* A plain register that needs no remark, in a field for one. */
    unsigned width = role_width[role];
    if (width && token->kind == ASM_REGISTER && token->value != 0 &&
        (uint64_t)token->value + width <= a->register_top && token->half == ASM_HALF_NONE) {
        *field = (uint32_t)token->value;
        return true;
    }
    return encode_rare(a, s, token, role, field);
}

/* ---- The operand list ---- */

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
                  "instructions without operands stand on lines of their own",
                  "%s takes no operands", desc->mnemonic);
    else
        asm_error(&a->reporter, DIAG_E_OPERAND_COUNT, &s->mnemonic.place, hint,
                  "%s takes %zu operand%s (%s), not %zu", desc->mnemonic, wanted,
                  wanted == 1 ? "" : "s", list, s->count);
    return false;
}

/* Matches the operands to the fields and the tail, in the order of the table. */
static bool encode_operands(asm_state *a, const asm_statement *s, encoding *e) {
    const isa_desc *desc = &isa_table[s->op];
    bool suffix = s->scope.kind != ASM_EOF;
    size_t wanted = desc->tail != ISA_TAIL_NONE && !suffix;
    for (unsigned i = 0; i < ISA_FIELDS; i++)
        wanted += desc->role[i] != ISA_ROLE_NONE;
    bool omitted = isa_result_optional(desc) && s->count + 1 == wanted;
    /* atomic_add r1, r2, r3 without a scope has as many operands as one without a destination. */
    if (omitted && desc->tail == ISA_TAIL_SCOPE && !suffix &&
        s->operand[s->count - 1].kind == ASM_REGISTER)
        return wrong_count(a, s, wanted);
    if (s->count != wanted && !omitted)
        return wrong_count(a, s, wanted);
    bool good = true;
    size_t next = 0;
    for (unsigned i = omitted; i < ISA_FIELDS; i++)
        if (desc->role[i] != ISA_ROLE_NONE)
            good &= encode_field(a, s, &s->operand[next++], desc->role[i], &e->field[i]);
    if (desc->tail != ISA_TAIL_NONE)
        good &= encode_tail(a, s, suffix ? &s->scope : &s->operand[next], e);
    return good;
}

/* ---- Guards, extensions, words ---- */

static bool encode_guard(asm_state *a, const asm_statement *s, uint32_t *bits) {
    const asm_token *guard = &s->guard;
    const isa_desc *desc = &isa_table[s->op];
    *bits = 0;
    if (guard->kind == ASM_EOF)
        return true;
    if (guard->value >= ISA_PREDICATES) {
        asm_error(&a->reporter, DIAG_E_PRED_INDEX, &guard->place, NULL, "there is no guard '%.*s'",
                  asm_shown(guard->place.length), guard->place.at);
        return false;
    }
    *bits = (uint32_t)guard->value | (guard->negative ? 4u : 0);
    if (*bits == 0)
        asm_warning(&a->reporter, DIAG_W_P0_GUARD, &guard->place, NULL,
                    "the guard @p0 has no effect: the instruction always executes");
    if (*bits == 0 || !(desc->flags & ISA_UNGUARDED))
        return true;
    asm_report(&a->reporter, !a->compat, DIAG_E_GUARD, &guard->place, NULL,
               "%s does not take a guard", desc->mnemonic);
    return a->compat;
}

static bool check_extension(asm_state *a, const asm_statement *s) {
    const isa_desc *desc = &isa_table[s->op];
    bool alias = s->op == ISA_WAVE_SHUFFLE && s->mnemonic.place.length != sizeof "wave_shuffle" - 1;
    if (a->compat && (alias || (desc->flags & (ISA_EXTENSION | ISA_NEWMNEM)))) {
        asm_error(&a->reporter, DIAG_E_COMPAT, &s->mnemonic.place, NULL,
                  "upstream has no instruction '%.*s'", asm_shown(s->mnemonic.place.length),
                  s->mnemonic.place.at);
        return false;
    }
    a->extended |= (desc->flags & ISA_EXTENSION) != 0;
    return true;
}

static void put_word(uint8_t *at, uint32_t word) {
    at[0] = (uint8_t)word;
    at[1] = (uint8_t)(word >> 8);
    at[2] = (uint8_t)(word >> 16);
    at[3] = (uint8_t)(word >> 24);
}

static void emit(asm_state *a, const asm_statement *s, const encoding *e, uint32_t guard) {
    const isa_desc *desc = &isa_table[s->op];
    bool cas = s->op == ISA_ATOMIC_CAS || s->op == ISA_LOCAL_ATOMIC_CAS;
    uint32_t modifier = a->compat && cas ? 0 : desc->modifier; /* upstream's defect */
    if (!buf_reserve(&a->code, 8)) {
        a->failed = true;
        return;
    }
    uint8_t *at = a->code.data + a->code.size;
    put_word(at, (uint32_t)desc->opcode << 24 | e->field[ISA_FIELD_RD] << 16 |
                     e->field[ISA_FIELD_RS1] << 8 | modifier << 4 | guard);
    if (desc->words == 2)
        put_word(at + 4, e->field[ISA_FIELD_RS2] << 24 | e->field[ISA_FIELD_RS3] << 16 |
                             e->field[ISA_FIELD_RS4] << 8 | e->tail);
    if (e->label && asm_grow(a, (void **)&a->calls, a->call_count, &a->call_room, sizeof *a->calls))
        a->calls[a->call_count++] = (asm_call){.place = s->operand[0].place,
                                               .kernel = (uint32_t)a->kernel_count - 1,
                                               .at = a->code.size + 4};
    a->code.size += desc->words * 4u;
    a->upstream_pc += desc->flags & ISA_UPSTREAM8 ? 8 : 4;
}

bool asm_encode(asm_state *a, asm_statement *s) {
    encoding e = {0};
    uint32_t guard;
    if (s->op == ISA_MOV && s->count == 2 && s->operand[1].kind == ASM_SPECIAL)
        s->op = ISA_MOV_SR;
    if (!check_extension(a, s))
        return false;
    bool good = encode_guard(a, s, &guard);
    good &= encode_operands(a, s, &e);
    if (good)
        emit(a, s, &e, guard);
    return good;
}
