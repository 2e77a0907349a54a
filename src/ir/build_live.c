/* Finds the instructions that need not be built: pure ones whose results are all overwritten before
 * they are read.
 *
 *   iadd r2, r0, r1      left out
 *   fmul r2, r3, r3
 *   device_store_u32 r0, r2
 *
 * One backward walk over the decoded code with the set of live registers and predicates. A loop is
 * not walked twice: where lanes start the next iteration or leave the loop, everything counts as
 * live, as it does at calls and returns. Loads are kept, because warnings may be about them. */
#include "ir/build.h"

#include <stdlib.h>
#include <string.h>

/* What is live: a byte for each predicate and each register, seen as words where sets are joined. A
 * quad may start at the last register. Words beyond the kernel's registers are left alone. */
enum { REGISTERS = 8, LIVE_BYTES = REGISTERS + ISA_MAX_REGISTERS + 8 };

typedef union live_set {
    uint8_t at[LIVE_BYTES];
    uint64_t words[LIVE_BYTES / 8];
} live_set;

_Static_assert((int)ISA_PREDICATES <= (int)REGISTERS && LIVE_BYTES % 8 == 0, "words cover the set");

typedef struct live_form {
    build_operands uses;
    uint8_t written; /* as in `uses`, but none where rd may be no register */
    bool removable, control;
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
    uint32_t words; /* of a set that are in use */
} liveness;

static void find_form(live_form *form, isa_op op) {
    const isa_desc *d = &isa_table[op];
    const unsigned stays = ISA_READS | ISA_WRITES;
    build_find_operands(&form->uses, op);
    form->control = d->flags & ISA_CONTROL;
    form->written = form->uses.discards ? 0 : form->uses.written;
    /* Targets without f64 reject a kernel with f64 operations whether these are used or not. */
    form->removable = form->written && !(d->flags & stays) && d->src_type != ISA_TYPE_F64 &&
                      d->result_type != ISA_TYPE_F64;
}

/* ---- Sets ---- */

static inline void set_live(live_set *s, unsigned r, unsigned count, uint8_t live) {
    s->at[r] = live;
    for (unsigned k = 1; k < count; k++)
        s->at[r + k] = live;
}

static void join(const liveness *l, live_set *s, const live_set *other) {
    for (unsigned k = 0; k < l->words; k++)
        s->words[k] |= other->words[k];
}

static void copy(const liveness *l, live_set *s, const live_set *other) {
    memcpy(s, other, l->words * sizeof s->words[0]);
}

static void all_live(live_set *s) {
    memset(s, 1, sizeof *s);
}

/* ---- The walk ---- */

static inline void read_operands(liveness *l, const fe_insn *insn, const build_operands *uses) {
    for (unsigned k = 0; k < uses->reads; k++)
        set_live(&l->now, REGISTERS + insn->field[uses->read[k]], uses->count[k], 1);
    for (unsigned k = 0; k < uses->tests; k++)
        l->now.at[insn->field[uses->test[k]] & FE_OPERAND_PRED] = 1;
    if (insn->guard)
        l->now.at[insn->guard & FE_GUARD_REG] = 1;
}

/* Returns whether the instruction is built. */
static inline bool visit_plain(liveness *l, const fe_insn *insn, const live_form *form) {
    unsigned rd = insn->field[ISA_FIELD_RD];
    rd = form->uses.predicate ? rd & FE_OPERAND_PRED : REGISTERS + rd;
    if (form->removable) {
        uint8_t used = l->now.at[rd];
        for (unsigned k = 1; k < form->written; k++)
            used |= l->now.at[rd + k];
        if (!used)
            return false;
    }
    if (form->written && !insn->guard)
        set_live(&l->now, rd, form->written, 0);
    read_operands(l, insn, &form->uses);
    return true;
}

static void visit_control(liveness *l, uint32_t at, const live_form *form) {
    const fe_insn *insn = &l->kernel->insns[at];
    live_if *inner = l->depth ? &l->ifs[l->depth - 1] : NULL;
    if (!l->depth && (insn->op == ISA_ELSE || insn->op == ISA_IF))
        return; /* not in a validated kernel */
    switch (insn->op) {
    case ISA_ENDIF:
        inner = &l->ifs[l->depth++];
        copy(l, &inner->after, &l->now);
        copy(l, &inner->other, &l->now);
        break;
    case ISA_ELSE:
        copy(l, &inner->other, &l->now);
        copy(l, &l->now, &inner->after);
        break;
    case ISA_IF:
        join(l, &l->now, &inner->other);
        l->depth--;
        break;
    case ISA_LOOP: break;
    case ISA_HALT:
        if (!insn->guard)
            memset(&l->now, 0, sizeof l->now);
        break;
    default: all_live(&l->now); break;
    }
    read_operands(l, insn, &form->uses);
}

static void walk(liveness *l, uint64_t *omitted) {
    const fe_insn *insn = l->kernel->insns + l->kernel->info.instructions;
    for (uint32_t at = l->kernel->info.instructions; at-- > 0;) {
        insn--;
        live_form *form = &l->forms[insn->op];
        if (!form->uses.known)
            find_form(form, (isa_op)insn->op);
        if (form->control)
            visit_control(l, at, form);
        else if (!visit_plain(l, insn, form))
            omitted[at / 64] |= (uint64_t)1 << (at % 64);
    }
}

uint64_t *build_find_omitted(const fe_kernel *kernel) {
    uint32_t registers = kernel->register_limit;
    if (registers > ISA_MAX_REGISTERS)
        registers = ISA_MAX_REGISTERS;
    liveness l = {.kernel = kernel, .words = (REGISTERS + registers + 7) / 8};
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
