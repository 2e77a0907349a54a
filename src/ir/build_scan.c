/* One pass over the code before it is built: which slots a loop or function writes (they become its
 * parameters or results), which are read at all, and whether inlining its calls stays within the
 * limits. Linear in the code and, for functions, in the expanded code, which is limited. */
#include "ir/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_LIMIT = 65536, GROWTH = 8 };

typedef struct scanner {
    scan *s;
    const fe_kernel *kernel;
    unsigned kernel_index;
    wave_diags *diags;
    uint64_t *expanded; /* by function: instructions with all its calls inlined */
    uint8_t *levels;    /* by function: call levels, itself included */
    uint32_t *next_end; /* by instruction: the next return that can end a function */
    build_operands operands[ISA_OP_COUNT];
    bool failed;
} scanner;

static void merge(scan_facts *into, const scan_facts *from) {
    for (unsigned k = 0; k < SLOT_WORDS; k++)
        into->writes.words[k] |= from->writes.words[k];
    into->halts |= from->halts;
}

static void add_registers(slot_set *set, unsigned first, unsigned count) {
    for (unsigned k = 0; k < count && first + k < ISA_MAX_REGISTERS; k++)
        slot_add(set, SLOT_REGISTER + first + k);
}

static unsigned tile_slot(isa_role role, unsigned id) {
    return SLOT_TILE + (unsigned)(role - ISA_ROLE_FA) * 256 + id;
}

static bool is_fragment(isa_role role) {
    return role == ISA_ROLE_FA || role == ISA_ROLE_FB || role == ISA_ROLE_FC;
}

void build_find_operands(build_operands *x, isa_op op) {
    const isa_desc *d = &isa_table[op];
    isa_role rd = (isa_role)d->role[ISA_FIELD_RD];
    *x = (build_operands){.known = true, .tiles = isa_is_tile(op)};
    x->predicate = rd == ISA_ROLE_PW;
    x->discards = isa_role_discards(rd);
    x->written = x->predicate ? 1 : isa_role_writes(rd) ? (uint8_t)isa_role_registers(rd) : 0;
    for (unsigned k = 0; k < ISA_FIELDS; k++) {
        isa_role role = (isa_role)d->role[k];
        x->tiles |= is_fragment(role);
        if (role == ISA_ROLE_PR || role == ISA_ROLE_PN)
            x->test[x->tests++] = (uint8_t)k;
        if (isa_role_writes(role) || !isa_role_registers(role))
            continue;
        x->count[x->reads] = (uint8_t)isa_role_registers(role);
        x->read[x->reads++] = (uint8_t)k;
    }
}

static void add_tiles(const fe_insn *insn, slot_set *reads, slot_set *writes) {
    if (isa_is_tile((isa_op)insn->op))
        build_tile_slots(insn, reads, writes);
    for (unsigned k = 0; k < ISA_FIELDS; k++) {
        isa_role role = (isa_role)isa_table[insn->op].role[k];
        bool loads = insn->op == ISA_MMA_LOAD_A || insn->op == ISA_MMA_LOAD_B;
        bool sums = insn->op == ISA_MMA_COMPUTE && role == ISA_ROLE_FC;
        if (is_fragment(role) && reads && !loads)
            slot_add(reads, tile_slot(role, insn->field[k]));
        if (is_fragment(role) && writes && (loads || sums))
            slot_add(writes, tile_slot(role, insn->field[k]));
    }
}

static inline void add_writes(const build_operands *x, const fe_insn *insn, slot_set *writes) {
    unsigned rd = insn->field[ISA_FIELD_RD];
    if (x->predicate)
        slot_add(writes, SLOT_PREDICATE + (rd & FE_OPERAND_PRED));
    else if (rd != 0 || !x->discards)
        add_registers(writes, rd, x->written);
}

static inline void add_reads(const build_operands *x, const fe_insn *insn, slot_set *reads) {
    if (insn->guard)
        slot_add(reads, SLOT_PREDICATE + (insn->guard & FE_GUARD_REG));
    for (unsigned k = 0; k < x->tests; k++)
        slot_add(reads, SLOT_PREDICATE + (insn->field[x->test[k]] & FE_OPERAND_PRED));
    for (unsigned k = 0; k < x->reads; k++)
        add_registers(reads, insn->field[x->read[k]], x->count[k]);
}

/* Adds the slots the instruction reads and writes; either set may be NULL. */
static inline void add_operands(scanner *sc, const fe_insn *insn, slot_set *reads,
                                slot_set *writes) {
    build_operands *x = &sc->operands[insn->op];
    if (!x->known)
        build_find_operands(x, (isa_op)insn->op);
    if (x->tiles)
        add_tiles(insn, reads, writes);
    if (writes)
        add_writes(x, insn, writes);
    if (reads)
        add_reads(x, insn, reads);
}

static void *allocate(scanner *sc, size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory && !sc->failed)
        diag_report(sc->diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile %s",
                    sc->kernel->info.name);
    sc->failed |= !memory;
    return memory;
}

static void report(scanner *sc, diag_code code, uint32_t call, const char *message) {
    const fe_insn *insn = &sc->kernel->insns[call];
    buf text = {0};
    fe_insn_text(&text, insn, sc->kernel->insns, sc->kernel_index);
    diag_place place = DIAG_NOWHERE;
    place.kernel = sc->kernel->info.name;
    place.offset = insn->pc;
    place.text = (const char *)text.data;
    place.text_length = text.size;
    diag_report(sc->diags, code, &place, "%s", message);
    buf_free(&text);
    sc->failed = true;
}

static void report_depth(scanner *sc, uint32_t call) {
    char message[60];
    snprintf(message, sizeof message, "calls nest more than %d levels deep", ISA_MAX_CALL_DEPTH);
    report(sc, DIAG_E_INLINE_LIMIT, call, message);
}

/* For each instruction, the unguarded return outside every if and loop that ends a function entered
 * at or before it: one backward walk. */
static void find_function_ends(scanner *sc) {
    uint32_t count = sc->kernel->info.instructions, end = count;
    unsigned depth = 0;
    for (uint32_t k = count; k-- > 0;) {
        const fe_insn *insn = &sc->kernel->insns[k];
        if (insn->op == ISA_ENDIF || insn->op == ISA_ENDLOOP)
            depth++;
        else if (insn->op == ISA_IF || insn->op == ISA_LOOP)
            depth--;
        else if (insn->op == ISA_RETURN && !insn->guard && depth == 0)
            end = k;
        sc->next_end[k] = end;
    }
}

/* ---- Functions: an explicit stack of at most the call depth ---- */

typedef struct visit {
    uint32_t function, at, end;
    uint64_t expanded;
    uint8_t levels;
} visit;

enum { NEW, OPEN, DONE };

static uint32_t function_of(scan *s, const fe_insn *call) {
    return s->function_index[call->partner] - 1;
}

/* One step of a function's scan: one of its own instructions. Returns the callee to visit first, or
 * UINT32_MAX. */
static uint32_t scan_own(scanner *sc, visit *v, const uint8_t *state) {
    scan *s = sc->s;
    scan_facts *facts = &s->functions[v->function];
    for (; v->at <= v->end; v->at++) {
        const fe_insn *insn = &sc->kernel->insns[v->at];
        if (insn->op == ISA_CALL) {
            uint32_t callee = function_of(s, insn);
            if (state[callee] != DONE)
                return callee;
            merge(facts, &s->functions[callee]);
            v->expanded += sc->expanded[callee];
            if (v->levels <= sc->levels[callee])
                v->levels = (uint8_t)(sc->levels[callee] + 1);
            if (v->levels > ISA_MAX_CALL_DEPTH) {
                report_depth(sc, v->at);
                return UINT32_MAX;
            }
        }
        add_operands(sc, insn, NULL, &facts->writes);
        facts->halts |= insn->op == ISA_HALT;
        facts->returns |= insn->op == ISA_RETURN && v->at != v->end;
        v->expanded++;
    }
    return UINT32_MAX;
}

static void scan_function(scanner *sc, uint32_t first, uint32_t entry, uint64_t limit,
                          uint8_t *state, const uint32_t *entries) {
    visit stack[ISA_MAX_CALL_DEPTH];
    unsigned depth = 0;
    stack[depth++] = (visit){first, entry, sc->next_end[entry], 0, 1};
    state[first] = OPEN;
    while (depth && !sc->failed) {
        visit *top = &stack[depth - 1];
        uint32_t callee = scan_own(sc, top, state);
        if (callee == UINT32_MAX) {
            sc->expanded[top->function] = top->expanded;
            sc->levels[top->function] = top->levels;
            sc->s->function_end[top->function] = top->end;
            state[top->function] = DONE;
            depth--;
        } else if (state[callee] == OPEN) {
            report(sc, DIAG_E_RECURSION, top->at, "the function calls itself");
        } else if (depth == ISA_MAX_CALL_DEPTH) {
            report_depth(sc, top->at);
        } else {
            uint32_t at = entries[callee];
            stack[depth++] = (visit){callee, at, sc->next_end[at], 0, 1};
            state[callee] = OPEN;
        }
        if (top->expanded > limit)
            report(sc, DIAG_E_INLINE_LIMIT, stack[0].at < stack[0].end ? stack[0].at : entry,
                   "the code grows too large when its calls are inlined");
    }
}

static void scan_functions(scanner *sc, uint64_t limit) {
    scan *s = sc->s;
    uint32_t count = sc->kernel->info.instructions;
    s->function_index = allocate(sc, count, sizeof *s->function_index);
    sc->next_end = allocate(sc, count, sizeof *sc->next_end);
    uint32_t *entries = allocate(sc, count, sizeof *entries);
    if (sc->failed) {
        free(entries);
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        const fe_insn *insn = &sc->kernel->insns[k];
        if (insn->op == ISA_CALL && !s->function_index[insn->partner]) {
            entries[s->function_count] = insn->partner;
            s->function_index[insn->partner] = ++s->function_count;
        }
    }
    s->functions = allocate(sc, s->function_count, sizeof *s->functions);
    s->function_end = allocate(sc, s->function_count, sizeof *s->function_end);
    sc->expanded = allocate(sc, s->function_count, sizeof *sc->expanded);
    sc->levels = allocate(sc, s->function_count, 1);
    uint8_t *state = allocate(sc, s->function_count, 1);
    if (!sc->failed)
        find_function_ends(sc);
    uint64_t total = 0;
    for (uint32_t k = 0; k < s->function_count && !sc->failed; k++) {
        if (state[k] == NEW)
            scan_function(sc, k, entries[k], limit, state, entries);
        total += sc->next_end[entries[k]] - entries[k];
        if (total > limit && !sc->failed)
            report(sc, DIAG_E_INLINE_LIMIT, entries[k],
                   "the code grows too large when its calls are inlined");
    }
    free(state);
    free(entries);
}

/* ---- Loops ---- */

static void count_loops(scanner *sc) {
    uint32_t count = sc->kernel->info.instructions, loops = 0;
    for (uint32_t k = 0; k < count; k++)
        loops += sc->kernel->insns[k].op == ISA_LOOP;
    sc->s->loops = allocate(sc, loops, sizeof *sc->s->loops);
    if (loops)
        sc->s->loop_index = allocate(sc, count, sizeof *sc->s->loop_index);
}

static void scan_loops(scanner *sc, uint64_t limit) {
    scan *s = sc->s;
    uint32_t open[ISA_MAX_DEPTH], depth = 0;
    uint64_t expanded = 0;
    for (uint32_t k = 0; k < sc->kernel->info.instructions && !sc->failed; k++) {
        const fe_insn *insn = &sc->kernel->insns[k];
        scan_facts *in = depth ? &s->loops[open[depth - 1]] : NULL;
        add_operands(sc, insn, &s->reads, in ? &in->writes : NULL);
        expanded++;
        if (insn->op == ISA_LOOP) {
            s->loop_index[k] = s->loop_count;
            open[depth++] = s->loop_count++;
        } else if (insn->op == ISA_ENDLOOP && in) {
            depth--;
            if (depth) {
                merge(&s->loops[open[depth - 1]], in);
                s->loops[open[depth - 1]].returns |= in->returns;
            }
        } else if (insn->op == ISA_CALL && sc->expanded) {
            uint32_t callee = function_of(s, insn);
            expanded += sc->expanded[callee];
            if (in)
                merge(in, &s->functions[callee]);
            if (expanded > limit)
                report(sc, DIAG_E_INLINE_LIMIT, k,
                       "the code grows too large when its calls are inlined");
        } else if (in) {
            in->halts |= insn->op == ISA_HALT || insn->op == ISA_RETURN;
            in->returns |= insn->op == ISA_RETURN;
        }
    }
}

bool scan_kernel(scan *s, const fe_kernel *kernel, unsigned kernel_index, wave_diags *diags) {
    memset(s, 0, sizeof *s);
    scanner sc = {.s = s, .kernel = kernel, .kernel_index = kernel_index, .diags = diags};
    uint64_t limit = (uint64_t)GROWTH * kernel->info.instructions;
    if (limit < SMALLEST_LIMIT)
        limit = SMALLEST_LIMIT;
    if (kernel->info.uses & WAVE_USES_CALL)
        scan_functions(&sc, limit);
    if (kernel->info.max_depth == 0 && !(kernel->info.uses & WAVE_USES_CALL)) {
        memset(&s->reads, 0xFF, sizeof s->reads); /* no ifs, loops or calls: nothing is carried */
        return true;
    }
    if (!sc.failed)
        count_loops(&sc);
    if (!sc.failed)
        scan_loops(&sc, limit);
    for (unsigned k = 0; k < ISA_MAX_CALL_DEPTH; k++)
        slot_add(&s->reads, SLOT_RETURNED + k);
    free(sc.expanded);
    free(sc.levels);
    free(sc.next_end);
    if (sc.failed)
        scan_free(s);
    return !sc.failed;
}

void scan_free(scan *s) {
    free(s->loops);
    free(s->loop_index);
    free(s->functions);
    free(s->function_end);
    free(s->function_index);
    memset(s, 0, sizeof *s);
}
