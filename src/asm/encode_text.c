/* Messages about operands: what an instruction takes, what it was given, what to write instead. */
#include "asm/asm.h"

#include <stdio.h>

enum { TAIL_SLOT = ISA_FIELDS, SLOTS };

const char *asm_role_text(unsigned role) {
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
                                                                            : asm_role_text(kind);
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
    bool predicate = isa_role_is_predicate((isa_role)role);
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

ASM_COLD bool asm_wrong_scope(asm_state *a, const asm_token *scope) {
    asm_error(&a->reporter, DIAG_E_OPERAND, &scope->place,
              "local memory belongs to one workgroup: write .workgroup, or no scope",
              "'%.*s' is not a scope of a local atomic", asm_shown(scope->place.length),
              scope->place.at);
    return false;
}

ASM_COLD bool asm_wrong_count(asm_state *a, const asm_statement *s, size_t wanted) {
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
