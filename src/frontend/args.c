/* How many registers are arguments: one more than the highest that some path reads before writing
 * it. Backward liveness over the structured code, in one pass, because
 *   - a loop's head needs no iteration: what the back edge adds to the head is the head itself;
 *   - the state at a depth-0 instruction is at once the summary of the function that starts there.
 * Only calls need more passes: pass k uses the summaries of pass k-1, so it knows all paths through
 * k-1 nested calls. Calls nest at most 8 deep, so 9 passes are exact, recursion included. */
#include "frontend/ops.h"

#include <stdlib.h>
#include <string.h>

enum { SET_WORDS = ISA_MAX_REGISTERS / 64 };

typedef struct set {
    uint64_t word[SET_WORDS];
} set;

/* What lies between a point and the end of the function. A path that never gets there (halt, end of
 * code) constrains nothing: it reads nothing and "writes" everything. */
typedef struct state {
    set reads;  /* some path reads it before writing it */
    set writes; /* every path that returns writes it */
} state;

static const state path_end = {.writes = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}}};
static const state at_return = {.reads = {{0}}};

typedef struct level {
    state after;     /* behind the endif or endloop */
    state else_head; /* where the else branch starts */
    bool has_else;
} level;

typedef struct analysis {
    const fe_insn *insns;
    uint32_t count;
    state now;
    uint32_t depth;
    uint32_t loop_count;
    uint16_t loops[ISA_MAX_DEPTH]; /* levels that are loops, innermost last */
    level level[ISA_MAX_DEPTH];
    /* Functions, when there are calls: sorted indices of the targets, and their summaries. */
    uint32_t *targets;
    state *summaries, *next;
    uint32_t target_count;
} analysis;

static inline void add(set *s, unsigned r) {
    s->word[r >> 6] |= (uint64_t)1 << (r & 63);
}

static inline void drop(set *s, unsigned r) {
    s->word[r >> 6] &= ~((uint64_t)1 << (r & 63));
}

static inline void add_range(set *s, unsigned first, unsigned count) {
    for (unsigned r = first; r < first + count && r < ISA_MAX_REGISTERS; r++)
        add(s, r);
}

static void merge(state *into, const state *other) {
    for (unsigned i = 0; i < SET_WORDS; i++) {
        into->reads.word[i] |= other->reads.word[i];
        into->writes.word[i] &= other->writes.word[i];
    }
}

/* The state before code that reads and writes, given the one after it. */
static void precede(state *now, const set *reads, const set *writes) {
    for (unsigned i = 0; i < SET_WORDS; i++) {
        now->reads.word[i] = (now->reads.word[i] & ~writes->word[i]) | reads->word[i];
        now->writes.word[i] |= writes->word[i];
    }
}

/* ---- Instructions ---- */

static inline void write_one(state *now, const fe_insn *insn, unsigned r) {
    if (insn->guard)
        return;
    drop(&now->reads, r);
    add(&now->writes, r);
}

static void walk_roles(state *now, const fe_insn *insn) {
    set reads = {{0}}, writes = {{0}};
    for (unsigned f = 0; f < ISA_FIELDS; f++) {
        isa_role role = (isa_role)isa_table[insn->op].role[f];
        unsigned first = insn->field[f], count = isa_role_registers(role);
        bool discarded = role == ISA_ROLE_WA && first == 0;
        if (!isa_role_writes(role))
            add_range(&reads, first, count);
        else if (insn->guard == 0 && !discarded)
            add_range(&writes, first, count);
    }
    precede(now, &reads, &writes);
}

static level *innermost_loop(analysis *a) {
    return &a->level[a->loops[a->loop_count - 1]];
}

static uint32_t find_target(const analysis *a, uint32_t index) {
    uint32_t low = 0, high = a->target_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->targets[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void meet_end(analysis *a, bool loop) {
    level *l = &a->level[a->depth];
    l->after = a->now;
    l->has_else = false;
    if (loop) {
        a->loops[a->loop_count++] = (uint16_t)a->depth;
        a->now = path_end; /* the back edge */
    }
    a->depth++;
}

static void walk_control(analysis *a, const fe_insn *insn) {
    level *top = a->depth ? &a->level[a->depth - 1] : NULL;
    const state *ends;
    switch (insn->op) {
    case ISA_ENDIF: meet_end(a, false); break;
    case ISA_ENDLOOP: meet_end(a, true); break;
    case ISA_ELSE:
        top->else_head = a->now;
        top->has_else = true;
        a->now = top->after;
        break;
    case ISA_IF:
        merge(&a->now, top->has_else ? &top->else_head : &top->after);
        a->depth--;
        break;
    case ISA_LOOP:
        a->depth--;
        a->loop_count--;
        break;
    case ISA_BREAK: merge(&a->now, &innermost_loop(a)->after); break;
    case ISA_CONTINUE: break; /* joins the back edge, which adds nothing */
    case ISA_RETURN:
    case ISA_HALT:
        ends = insn->op == ISA_RETURN ? &at_return : &path_end;
        if (insn->guard)
            merge(&a->now, ends);
        else
            a->now = *ends;
        break;
    case ISA_CALL: {
        const state *callee = &a->summaries[find_target(a, insn->partner)];
        precede(&a->now, &callee->reads, &callee->writes);
        break;
    }
    default: break;
    }
}

static void walk(analysis *a) {
    uint32_t target = a->target_count; /* the next summary to store, counting down */
    a->now = path_end;
    a->depth = a->loop_count = 0;
    for (uint32_t i = a->count; i-- > 0;) {
        const fe_insn *insn = &a->insns[i];
        const uint8_t *r = insn->field;
        switch (fe_ops[insn->op].flow) {
        case FE_FLOW_W: write_one(&a->now, insn, r[0]); break;
        case FE_FLOW_W_R:
            write_one(&a->now, insn, r[0]);
            add(&a->now.reads, r[1]);
            break;
        case FE_FLOW_W_R_R_R:
            write_one(&a->now, insn, r[0]);
            add(&a->now.reads, r[1]);
            add(&a->now.reads, r[2]);
            add(&a->now.reads, r[3]);
            break;
        case FE_FLOW_W_R_R: write_one(&a->now, insn, r[0]); /* fall through */
        case FE_FLOW_X_R_R:
            add(&a->now.reads, r[1]);
            add(&a->now.reads, r[2]);
            break;
        case FE_FLOW_CONTROL: walk_control(a, insn); break;
        case FE_FLOW_ROLES: walk_roles(&a->now, insn); break;
        default: break;
        }
        if (target && a->targets[target - 1] == i)
            a->next[--target] = a->now;
    }
}

/* ---- Functions ---- */

static int compare_u32(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static bool find_functions(analysis *a) {
    size_t calls = 0;
    for (uint32_t i = 0; i < a->count; i++)
        calls += a->insns[i].op == ISA_CALL;
    a->targets = malloc(calls * sizeof *a->targets);
    if (!a->targets)
        return false;
    for (uint32_t i = 0, n = 0; i < a->count; i++)
        if (a->insns[i].op == ISA_CALL)
            a->targets[n++] = a->insns[i].partner;
    qsort(a->targets, calls, sizeof *a->targets, compare_u32);
    for (size_t i = 0; i < calls; i++)
        if (i == 0 || a->targets[i] != a->targets[i - 1])
            a->targets[a->target_count++] = a->targets[i];
    a->summaries = malloc(a->target_count * sizeof *a->summaries);
    a->next = malloc(a->target_count * sizeof *a->next);
    if (!a->summaries || !a->next)
        return false;
    for (uint32_t i = 0; i < a->target_count; i++)
        a->summaries[i] = path_end; /* no call is deep enough to come back */
    return true;
}

static void walk_functions(analysis *a) {
    for (unsigned pass = 0; pass < ISA_MAX_CALL_DEPTH; pass++) {
        walk(a);
        size_t size = a->target_count * sizeof *a->next;
        if (memcmp(a->summaries, a->next, size) == 0)
            return; /* another pass would find the same */
        memcpy(a->summaries, a->next, size);
    }
    walk(a);
}

/* Registers from `limit` on do not exist: lenient mode reads them as 0. */
static uint32_t highest(const set *s, uint32_t limit) {
    for (unsigned r = limit; r-- > 0;)
        if (s->word[r >> 6] >> (r & 63) & 1)
            return r + 1;
    return 0;
}

bool fe_find_arguments(fe_kernel *kernel) {
    analysis *a = calloc(1, sizeof *a);
    if (!a)
        return false;
    a->insns = kernel->insns;
    a->count = kernel->info.instructions;
    bool ok = true;
    if (!(kernel->info.uses & WAVE_USES_CALL))
        walk(a);
    else if (find_functions(a))
        walk_functions(a);
    else
        ok = false;
    kernel->info.argument_words = ok ? highest(&a->now.reads, kernel->register_limit) : 0;
    free(a->targets);
    free(a->summaries);
    free(a->next);
    free(a);
    return ok;
}
