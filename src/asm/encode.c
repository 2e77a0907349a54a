/* One instruction: its operand list, guard and suffixes, then its words. */
#include "frontend/encode.h"
#include "asm/asm.h"

/* ---- The operand list ---- */

/* The name of one register, in the common case: no diagnostics, no sugar. */
static bool encode_known_name(asm_state *a, const asm_token *token, unsigned f, asm_encoding *e) {
    const asm_symbol *symbol = asm_find_symbol(a, token);
    if (!symbol || symbol->kind != ASM_SYMBOL_REGISTER || symbol->contained)
        return false;
    e->field[f] = symbol->fixed ? symbol->number : 0;
    e->ref[f] = symbol->fixed ? 0 : (asm_ref)(symbol - a->symbols.list) + 1;
    return asm_last_kernel(a)->sugared;
}

static bool encode_field(asm_state *a, const asm_statement *s, const asm_token *token,
                         unsigned role, unsigned f, asm_encoding *e) {
    /* A plain register without diagnostics, in a field for one register. */
    if (asm_role_width[role] == 1 && token->kind == ASM_REGISTER && token->value != 0 &&
        (uint64_t)token->value < a->register_top && token->half == ASM_HALF_NONE && !token->span) {
        a->registers.used[token->value] = 1;
        e->field[f] = (uint32_t)token->value;
        return true;
    }
    if (token->kind == ASM_NAME && (role == ISA_ROLE_R || role == ISA_ROLE_W) &&
        token->half == ASM_HALF_NONE && encode_known_name(a, token, f, e))
        return true;
    return asm_encode_operand(a, s, token, role, f, e);
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
    return scope == ISA_SCOPE_WORKGROUP ? asm_sugar(a, &last->place) : asm_wrong_scope(a, last);
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
        return asm_wrong_count(a, s, wanted);
    if (s->count != wanted && !omitted)
        return asm_wrong_count(a, s, wanted);
    bool good = true;
    size_t next = 0;
    for (unsigned i = omitted; i < ISA_FIELDS; i++) {
        unsigned operands = isa_role_operands((isa_role)desc->role[i]);
        if (operands)
            good &= encode_field(a, s, &s->operand[next], desc->role[i], i, e);
        next += operands;
    }
    if (desc->tail != ISA_TAIL_NONE)
        good &= asm_encode_tail(a, s, suffix ? &s->scope : &s->operand[next], e);
    return good;
}

/* ---- Guards, extensions, words ---- */

static bool encode_named_guard(asm_state *a, const asm_token *guard, asm_encoding *e) {
    asm_symbol *symbol = asm_find_predicate(a, guard);
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
        a->lexer.at = a->lexer.end; /* stops reading */
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
    else if (number && !a->compat && asm_sugar(a, &source->place))
        s->op = ISA_MOV_IMM;
}

static ASM_COLD void emit_high(asm_state *a, const asm_statement *s, asm_encoding *e) {
    asm_encoding insert;
    asm_lower_high_result(a, s->op, e, &insert);
    asm_emit(a, s->op, e);
    asm_emit(a, ISA_BFI, &insert);
}

/* Upstream parses hints but does not encode them. */
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
    if (isa_is_tile(s->op) && !asm_encode_tile_type(a, s, &e))
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
