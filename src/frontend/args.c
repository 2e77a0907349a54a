/* What a kernel does with its registers, in one backward pass of liveness over the structured code:
 * how many are arguments (one more than the highest that some path reads before writing it) and
 * which it names at all. One pass is enough because
 *   - a loop's head needs no iteration: what the back edge adds to the head is the head itself;
 *   - the state at a depth-0 instruction is at once the summary of the function that starts there.
 * Only calls need more passes: pass k uses the summaries of pass k-1, so it knows all paths through
 * k-1 nested calls. Calls nest at most 8 deep, so 9 passes are exact, recursion included. */
#include "frontend/ops.h"

#include <stdlib.h>
#include <string.h>

/* A byte for each register, and for the three behind the last one that a quad can reach. Bytes, not
 * bits: marking one is then a single store, and that is what nearly all instructions need. */
enum { BYTES = 264 };

/* The marks of `reads`: what an instruction names is marked, so that the union of all states knows
 * every register of the code. */
enum { NAMED = 1, LIVE = 2 };

/* What lies between a point and the end of the function. A path that never gets there (halt, end of
 * code) constrains nothing: it reads nothing and "writes" everything. */
typedef struct state {
    uint8_t reads[BYTES]; /* LIVE: some path reads it before writing it */
    uint8_t
        writes[BYTES]; /* 1: every path that returns writes it. Kept only when there are calls */
} state;

typedef struct level {
    state after;     /* behind the endif or endloop */
    state else_head; /* where the else branch starts */
    bool has_else;
} level;

typedef struct analysis {
    const fe_insn *insns;
    uint32_t count;
    state now;
    uint8_t named[BYTES]; /* marks of states that were dropped */
    uint32_t depth;
    uint32_t loop_count;
    uint16_t loops[ISA_MAX_DEPTH]; /* levels that are loops, innermost last */
    level level[ISA_MAX_DEPTH];
    /* Functions, when there are calls: sorted indices of the targets, and their summaries. */
    uint32_t *targets;
    state *summaries, *next;
    uint32_t target_count;
} analysis;

static void merge(state *into, const state *other) {
    for (unsigned i = 0; i < BYTES; i++)
        into->reads[i] |= other->reads[i];
    for (unsigned i = 0; i < BYTES; i++)
        into->writes[i] &= other->writes[i];
}

/* The state before a call, given the one after it. */
static void precede(state *now, const state *callee) {
    for (unsigned i = 0; i < BYTES; i++) {
        uint8_t survives = callee->writes[i] ? NAMED : NAMED | LIVE;
        now->reads[i] = (uint8_t)((now->reads[i] & survives) | callee->reads[i]);
        now->writes[i] |= callee->writes[i];
    }
}

/* The path ends here, by coming back from the function or not at all. */
static void path_end(state *now, bool returns) {
    memset(now->reads, 0, BYTES);
    memset(now->writes, returns ? 0 : 1, BYTES);
}

static void drop_state(analysis *a) {
    for (unsigned i = 0; i < BYTES; i++)
        a->named[i] |= a->now.reads[i];
}

/* ---- Instructions ---- */

static inline void read_one(state *now, unsigned r) {
    now->reads[r] = NAMED | LIVE;
}

static inline void write_one(state *now, const fe_insn *insn, bool calls) {
    unsigned r = insn->field[ISA_FIELD_RD];
    if (insn->guard) { /* may not happen: nothing is known to be written */
        now->reads[r] |= NAMED;
        return;
    }
    now->reads[r] = NAMED;
    if (calls)
        now->writes[r] = 1;
}

/* All reads of an instruction come before its writes, so going backward the writes are first. */
static void walk_roles(state *now, const fe_insn *insn) {
    const uint8_t *roles = isa_table[insn->op].role;
    for (unsigned f = 0; f < ISA_FIELDS; f++) {
        isa_role role = (isa_role)roles[f];
        bool discarded = role == ISA_ROLE_WA && insn->field[f] == 0;
        if (!isa_role_writes(role) || discarded)
            continue;
        for (unsigned i = 0; i < isa_role_registers(role); i++) {
            unsigned r = insn->field[f] + i;
            now->reads[r] = (uint8_t)(insn->guard ? now->reads[r] | NAMED : NAMED);
            now->writes[r] |= insn->guard == 0;
        }
    }
    for (unsigned f = 0; f < ISA_FIELDS; f++) {
        isa_role role = (isa_role)roles[f];
        for (unsigned i = 0; !isa_role_writes(role) && i < isa_role_registers(role); i++)
            read_one(now, insn->field[f] + i);
    }
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
        drop_state(a);
        path_end(&a->now, false); /* the back edge */
    }
    a->depth++;
}

static void meet_path_end(analysis *a, const fe_insn *insn) {
    bool returns = insn->op == ISA_RETURN;
    if (insn->guard == 0) {
        drop_state(a);
        path_end(&a->now, returns);
    } else if (returns) {
        memset(a->now.writes, 0, BYTES);
    }
}

static void walk_control(analysis *a, const fe_insn *insn) {
    level *top = a->depth ? &a->level[a->depth - 1] : NULL;
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
    case ISA_HALT: meet_path_end(a, insn); break;
    case ISA_CALL: precede(&a->now, &a->summaries[find_target(a, insn->partner)]); break;
    default: break;
    }
}

/* `calls` is a constant where this is expanded: without calls nobody asks for what is written. */
static inline void walk_code(analysis *a, bool calls) {
    uint32_t target = a->target_count; /* the next summary to store, counting down */
    state *now = &a->now;
    path_end(now, false);
    a->depth = a->loop_count = 0;
    for (uint32_t i = a->count; i-- > 0;) {
        const fe_insn *insn = &a->insns[i];
        const uint8_t *r = insn->field;
        switch (fe_ops[insn->op].flow) {
        case FE_FLOW_W: write_one(now, insn, calls); break;
        case FE_FLOW_W_R:
            write_one(now, insn, calls);
            read_one(now, r[1]);
            break;
        case FE_FLOW_W_R_R_R:
            write_one(now, insn, calls);
            read_one(now, r[1]);
            read_one(now, r[2]);
            read_one(now, r[3]);
            break;
        case FE_FLOW_W_R_R: write_one(now, insn, calls); /* fall through */
        case FE_FLOW_X_R_R:
            read_one(now, r[1]);
            read_one(now, r[2]);
            break;
        case FE_FLOW_CONTROL: walk_control(a, insn); break;
        case FE_FLOW_ROLES: walk_roles(now, insn); break;
        default: break;
        }
        if (calls && target && a->targets[target - 1] == i)
            a->next[--target] = *now;
    }
}

static void walk(analysis *a) {
    if (a->target_count)
        walk_code(a, true);
    else
        walk_code(a, false);
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
        path_end(&a->summaries[i], false); /* no call is deep enough to come back */
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

/* One more than the highest register below `limit` with this mark. */
static uint32_t highest(const uint8_t *reads, uint32_t limit, uint8_t mark) {
    while (limit && !(reads[limit - 1] & mark))
        limit--;
    return limit;
}

bool fe_find_arguments(fe_kernel *kernel, uint32_t *registers) {
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
    /* Registers from the limit on do not exist: lenient mode reads them as 0. */
    kernel->info.argument_words = highest(a->now.reads, kernel->register_limit, LIVE);
    drop_state(a);
    *registers = highest(a->named, BYTES, NAMED);
    free(a->targets);
    free(a->summaries);
    free(a->next);
    free(a);
    return ok;
}
