/* Which instructions are not worth building: pure ones whose results are all overwritten before
 * they are read.
 *
 *   iadd r2, r0, r1      left out
 *   fmul r2, r3, r3
 *   device_store_u32 r0, r2
 *
 * One backward walk over the decoded code with the set of live registers and predicates. A loop is
 * not walked twice: where lanes start an iteration again or leave the loop, everything is live, and
 * so it is where a function returns or calls. Loads stay, because the warnings are about them. */
#include "ir/build.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTER_WORDS = ISA_MAX_REGISTERS / 64 };

/* What is live. */
typedef struct live_set {
    uint64_t registers[REGISTER_WORDS + 1]; /* the last word: for quads at the end */
    uint32_t predicates;
} live_set;

/* How an instruction uses its fields, from their roles. */
typedef struct live_form {
    bool known, may_go, control;
    bool predicate; /* rd is a predicate that is written */
    uint8_t written;
    uint8_t read[ISA_FIELDS]; /* registers that start with the one in the field */
    uint8_t tested;           /* fields with a predicate that is read, one bit each */
} live_form;

/* An if whose start has not been reached. */
typedef struct live_if {
    live_set after, other; /* what is live after it, and at the start of its second side */
} live_if;

typedef struct liveness {
    const fe_kernel *kernel;
    live_set now;
    live_form forms[ISA_OP_COUNT];
    live_if *ifs;
    uint32_t depth;
} liveness;

static void find_form(live_form *form, isa_op op) {
    const isa_desc *d = &isa_table[op];
    const unsigned stays = ISA_READS | ISA_WRITES;
    isa_role rd = (isa_role)d->role[ISA_FIELD_RD];
    form->known = true;
    form->control = d->flags & ISA_CONTROL;
    form->predicate = rd == ISA_ROLE_PW;
    if (isa_role_writes(rd) && !isa_role_discards(rd))
        form->written = (uint8_t)isa_role_registers(rd);
    /* Targets without f64 refuse a kernel with f64 operations whether they are used or not. */
    form->may_go = (form->written || form->predicate) && !(d->flags & stays) &&
                   d->src_type != ISA_TYPE_F64 && d->result_type != ISA_TYPE_F64;
    for (unsigned k = 0; k < ISA_FIELDS; k++) {
        isa_role role = (isa_role)d->role[k];
        form->read[k] = isa_role_writes(role) ? 0 : (uint8_t)isa_role_registers(role);
        if (role == ISA_ROLE_PR || role == ISA_ROLE_PN)
            form->tested |= (uint8_t)(1u << k);
    }
}

/* ---- Sets ---- */

/* `count` bits from bit r on, in one word and the next. */
static bool is_live(const live_set *s, unsigned r, unsigned count) {
    uint64_t bits = ((uint64_t)1 << count) - 1;
    uint64_t found = s->registers[r / 64] >> (r % 64);
    if (r % 64 + count > 64)
        found |= s->registers[r / 64 + 1] << (64 - r % 64);
    return found & bits;
}

static void set_live(live_set *s, unsigned r, unsigned count, bool live) {
    for (unsigned k = r; k < r + count; k++) {
        uint64_t bit = (uint64_t)1 << (k % 64);
        s->registers[k / 64] = live ? s->registers[k / 64] | bit : s->registers[k / 64] & ~bit;
    }
}

static void join(live_set *s, const live_set *other) {
    for (unsigned k = 0; k <= REGISTER_WORDS; k++)
        s->registers[k] |= other->registers[k];
    s->predicates |= other->predicates;
}

static void all_live(live_set *s) {
    memset(s, 0xFF, sizeof *s);
}

/* ---- The walk ---- */

static void read_operands(liveness *l, const fe_insn *insn, const live_form *form) {
    for (unsigned k = 0; k < ISA_FIELDS; k++)
        if (form->read[k])
            set_live(&l->now, insn->field[k], form->read[k], true);
    for (unsigned k = 0; form->tested >> k; k++)
        if (form->tested >> k & 1)
            l->now.predicates |= 1u << (insn->field[k] & FE_OPERAND_PRED);
    if (insn->guard)
        l->now.predicates |= 1u << (insn->guard & FE_GUARD_REG);
}

/* Returns whether the instruction is built. */
static bool visit_plain(liveness *l, const fe_insn *insn, const live_form *form) {
    uint32_t predicate = form->predicate ? 1u << (insn->field[ISA_FIELD_RD] & FE_OPERAND_PRED) : 0;
    unsigned rd = insn->field[ISA_FIELD_RD];
    bool used = l->now.predicates & predicate || is_live(&l->now, rd, form->written);
    if (form->may_go && !used)
        return false;
    if (!insn->guard) {
        set_live(&l->now, rd, form->written, false);
        l->now.predicates &= ~predicate;
    }
    read_operands(l, insn, form);
    return true;
}

static void visit_control(liveness *l, uint32_t at, const live_form *form) {
    const fe_insn *insn = &l->kernel->insns[at];
    live_if *inner = l->depth ? &l->ifs[l->depth - 1] : NULL;
    switch (insn->op) {
    case ISA_ENDIF: l->ifs[l->depth++] = (live_if){l->now, l->now}; break;
    case ISA_ELSE:
        inner->other = l->now;
        l->now = inner->after;
        break;
    case ISA_IF:
        join(&l->now, &inner->other);
        l->depth--;
        break;
    case ISA_LOOP: break;
    case ISA_HALT:
        if (!insn->guard)
            l->now = (live_set){0};
        break;
    default: all_live(&l->now); break;
    }
    read_operands(l, insn, form);
}

static void walk(liveness *l, uint64_t *omitted) {
    for (uint32_t at = l->kernel->info.instructions; at-- > 0;) {
        const fe_insn *insn = &l->kernel->insns[at];
        live_form *form = &l->forms[insn->op];
        if (!form->known)
            find_form(form, (isa_op)insn->op);
        if (form->control)
            visit_control(l, at, form);
        else if (!visit_plain(l, insn, form))
            omitted[at / 64] |= (uint64_t)1 << (at % 64);
    }
}

uint64_t *build_find_omitted(const fe_kernel *kernel) {
    liveness l = {.kernel = kernel};
    uint64_t *omitted = calloc((size_t)kernel->info.instructions / 64 + 1, sizeof *omitted);
    l.ifs = malloc(((size_t)kernel->info.max_depth + 1) * sizeof *l.ifs);
    if (l.ifs && omitted) {
        walk(&l, omitted);
    } else {
        free(omitted);
        omitted = NULL;
    }
    free(l.ifs);
    return omitted;
}
