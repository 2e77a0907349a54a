/* Register liveness in one backward pass over the structured code: how many registers are arguments
 * (one more than the highest that some path reads before writing it) and which registers the kernel
 * names at all. One pass is enough because
 *   - a loop's head needs no iteration: what the back edge adds to the head is the head itself;
 *   - the state at a depth-0 instruction is also the summary of the function that starts there,
 *     available to all calls that precede it.
 * Such summaries are the functional approach of Sharir and Pnueli (1981). Only calls to functions
 * that precede the call need more passes: the first pass assumes that they do not return; pass k
 * knows all paths through k-1 nested calls. Calls nest at most 8 deep, so 9 passes are enough, even
 * for recursion. */
#include "frontend/ops.h"

#include <stdlib.h>
#include <string.h>

/* One byte per register, including the three after the last one that a quad can reach. Bytes, not
 * bits: marking a register is then a single store, which is what nearly all instructions do. Whole
 * sets are processed in blocks, which compilers vectorise, and only up to the last existing
 * register. */
enum { BLOCK_WORDS = 8, BLOCK = BLOCK_WORDS * 8, BLOCKS = ISA_MAX_REGISTERS / BLOCK + 1 };

typedef union marks {
    uint8_t of[BLOCKS * BLOCK];
    uint64_t block[BLOCKS][BLOCK_WORDS];
} marks;

/* The marks of `reads`. Every register an instruction names is marked, so that the union of all
 * states contains every register of the code. */
enum { NAMED = 1, LIVE = 2 };

/* Summarises the paths from a point to the end of the function. A path that never gets there (halt,
 * end of code) adds no constraint: it reads nothing and "writes" everything. */
typedef struct state {
    marks reads;  /* LIVE: some path reads it before writing it */
    marks writes; /* 1: every path that returns writes it; maintained only for calls */
} state;

/* The effect of a function, as bit sets: there may be as many functions as instructions. */
typedef struct summary {
    uint8_t reads[ISA_MAX_REGISTERS / 8];
    uint8_t writes[ISA_MAX_REGISTERS / 8];
} summary;

typedef struct level {
    state after;     /* after the endif or endloop */
    state else_head; /* where the else branch starts */
    bool has_else;
} level;

typedef struct analysis {
    const fe_insn *insns;
    uint32_t count;
    state now;
    marks named;     /* of states that were discarded */
    uint32_t blocks; /* number of blocks that cover the existing registers */
    uint32_t depth;
    uint32_t loop_count;
    uint16_t loops[ISA_MAX_DEPTH]; /* levels that are loops, innermost last */
    /* Functions, when there are calls: sorted indices of the targets, and their summaries. */
    uint32_t *targets;
    summary *summaries;
    uint32_t target_count;
    bool upward;   /* some call targets a function that precedes it */
    bool again;    /* the last pass changed a summary */
    level level[]; /* as many as the nesting depth of the code */
} analysis;

static void merge(const analysis *a, state *restrict into, const state *restrict other) {
    for (uint32_t i = 0; i < a->blocks; i++)
        for (unsigned j = 0; j < BLOCK_WORDS; j++)
            into->reads.block[i][j] |= other->reads.block[i][j];
    for (uint32_t i = 0; a->target_count && i < a->blocks; i++)
        for (unsigned j = 0; j < BLOCK_WORDS; j++)
            into->writes.block[i][j] &= other->writes.block[i][j];
}

static void copy(const analysis *a, state *to, const state *from) {
    memcpy(to->reads.of, from->reads.of, a->blocks * (size_t)BLOCK);
    if (a->target_count)
        memcpy(to->writes.of, from->writes.of, a->blocks * (size_t)BLOCK);
}

#define EACH_BYTE 0x0101010101010101u /* times a byte: that byte eight times */

/* The low bit of each byte, as a byte; and back. */
static inline uint8_t gather(uint64_t bytes) {
    return (uint8_t)((bytes & EACH_BYTE) * 0x0102040810204080u >> 56);
}

static inline uint64_t spread(uint8_t bits) {
    uint64_t apart = bits * EACH_BYTE & 0x8040201008040201u;
    return (apart + 0x7F * EACH_BYTE) >> 7 & EACH_BYTE;
}

static summary summarise(const state *s) {
    summary made = {{0}, {0}};
    for (unsigned i = 0; i < sizeof made.reads; i++) {
        made.reads[i] = gather(s->reads.block[i / BLOCK_WORDS][i % BLOCK_WORDS] / LIVE);
        made.writes[i] = gather(s->writes.block[i / BLOCK_WORDS][i % BLOCK_WORDS]);
    }
    return made;
}

/* Computes the state before a call from the state after it. */
static void precede(analysis *restrict a, const summary *restrict callee) {
    for (uint32_t i = 0; i < a->blocks; i++)
        for (unsigned j = 0; j < BLOCK_WORDS; j++) {
            uint64_t *reads = &a->now.reads.block[i][j];
            uint64_t written = spread(callee->writes[i * BLOCK_WORDS + j]);
            uint64_t read = spread(callee->reads[i * BLOCK_WORDS + j]);
            *reads = (*reads & ~(written * LIVE)) | read * (NAMED | LIVE);
            a->now.writes.block[i][j] |= written;
        }
}

/* The path ends here, with or without returning from the function. The marks are merged into
 * `named`. */
static void end_path(analysis *a, bool returns) {
    for (uint32_t i = 0; i < a->blocks; i++)
        for (unsigned j = 0; j < BLOCK_WORDS; j++) {
            a->named.block[i][j] |= a->now.reads.block[i][j];
            a->now.reads.block[i][j] = 0;
        }
    if (a->target_count)
        memset(a->now.writes.of, !returns, a->blocks * (size_t)BLOCK);
}

/* ---- Instructions ---- */

static inline void read_one(state *now, unsigned r) {
    now->reads.of[r] = NAMED | LIVE;
}

static inline void write_one(state *now, unsigned guard, unsigned r) {
    if (guard) { /* may not execute: does not count as a write */
        now->reads.of[r] |= NAMED;
        return;
    }
    now->reads.of[r] = NAMED;
    now->writes.of[r] = 1;
}

/* Registers are single, in pairs or in quads. */
static inline void read_span(state *now, unsigned r, unsigned count) {
    if (count == 0)
        return;
    read_one(now, r);
    if (count == 1)
        return;
    read_one(now, r + 1);
    if (count == 2)
        return;
    read_one(now, r + 2);
    read_one(now, r + 3);
}

/* All reads of an instruction precede its write, so the backward walk handles the write first. */
static void walk_spans(state *now, const fe_insn *insn) {
    const fe_span *span = &fe_spans[insn->op];
    const uint8_t *r = insn->field;
    unsigned written = r[0] == 0 && span->discards ? 0 : span->written;
    for (unsigned i = 0; i < written; i++)
        write_one(now, insn->guard, r[0] + i);
    read_span(now, r[0], span->read[0]);
    read_span(now, r[1], span->read[1]);
    read_span(now, r[2], span->read[2]);
    read_span(now, r[3], span->read[3]);
    read_span(now, r[4], span->read[4]);
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
    copy(a, &l->after, &a->now);
    l->has_else = false;
    if (loop) {
        a->loops[a->loop_count++] = (uint16_t)a->depth;
        end_path(a, false); /* the back edge */
    }
    a->depth++;
}

static void meet_path_end(analysis *a, const fe_insn *insn) {
    bool returns = insn->op == ISA_RETURN;
    if (insn->guard == 0)
        end_path(a, returns);
    else if (returns)
        memset(a->now.writes.of, 0, a->blocks * (size_t)BLOCK);
}

/* The innermost level at an if, else or loop; the structure is valid. */
static level *innermost(analysis *a) {
    return &a->level[a->depth - 1];
}

static void walk_control(analysis *a, const fe_insn *insn) {
    level *top;
    switch (insn->op) {
    case ISA_ENDIF: meet_end(a, false); break;
    case ISA_ENDLOOP: meet_end(a, true); break;
    case ISA_ELSE:
        top = innermost(a);
        copy(a, &top->else_head, &a->now);
        top->has_else = true;
        copy(a, &a->now, &top->after);
        break;
    case ISA_IF:
        top = innermost(a);
        merge(a, &a->now, top->has_else ? &top->else_head : &top->after);
        a->depth--;
        break;
    case ISA_LOOP:
        a->depth--;
        a->loop_count--;
        break;
    case ISA_BREAK: merge(a, &a->now, &innermost_loop(a)->after); break;
    case ISA_CONTINUE: break; /* joins the back edge, which adds nothing */
    case ISA_RETURN:
    case ISA_HALT: meet_path_end(a, insn); break;
    case ISA_CALL:
        a->upward |= &a->insns[insn->partner] <= insn;
        precede(a, &a->summaries[find_target(a, insn->partner)]);
        break;
    default: break;
    }
}

/* Walks backward over instructions [from, to). */
static void walk_code(analysis *a, uint32_t from, uint32_t to) {
    state *now = &a->now;
    const fe_insn *first = a->insns + from;
    for (const fe_insn *insn = a->insns + to; insn != first;) {
        const uint8_t *r = (--insn)->field;
        switch ((fe_flow)fe_ops.flow[insn->op]) {
        case FE_FLOW_W: write_one(now, insn->guard, r[0]); break;
        case FE_FLOW_W_R:
            write_one(now, insn->guard, r[0]);
            read_one(now, r[1]);
            break;
        case FE_FLOW_W_R_R_R:
            write_one(now, insn->guard, r[0]);
            read_one(now, r[1]);
            read_one(now, r[2]);
            read_one(now, r[3]);
            break;
        case FE_FLOW_W_R_R: write_one(now, insn->guard, r[0]); /* fall through */
        case FE_FLOW_X_R_R:
            read_one(now, r[1]);
            read_one(now, r[2]);
            break;
        case FE_FLOW_CONTROL: walk_control(a, insn); break;
        case FE_FLOW_SPANS: walk_spans(now, insn); break;
        case FE_FLOW_NONE: break;
        default: FE_UNREACHABLE();
        }
    }
}

/* Walks over all of the code and stores a summary at each function's first instruction. */
static void walk(analysis *a) {
    uint32_t to = a->count;
    end_path(a, false);
    a->depth = a->loop_count = 0;
    a->again = false;
    for (uint32_t i = a->target_count; i-- > 0;) {
        walk_code(a, a->targets[i], to);
        to = a->targets[i];
        summary found = summarise(&a->now);
        a->again |= memcmp(&a->summaries[i], &found, sizeof found) != 0;
        a->summaries[i] = found;
    }
    walk_code(a, 0, to);
}

/* ---- Functions ---- */

static int compare_u32(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static bool find_functions(analysis *a, const uint32_t *targets, uint32_t count) {
    a->targets = malloc(count * sizeof *a->targets);
    if (!a->targets)
        return false;
    memcpy(a->targets, targets, count * sizeof *a->targets);
    qsort(a->targets, count, sizeof *a->targets, compare_u32);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || a->targets[i] != a->targets[a->target_count - 1])
            a->targets[a->target_count++] = a->targets[i];
    a->summaries = calloc(a->target_count, sizeof *a->summaries);
    for (uint32_t i = 0; a->summaries && i < a->target_count; i++)
        memset(a->summaries[i].writes, 0xFF, sizeof a->summaries[i].writes); /* no return yet */
    return a->summaries != NULL;
}

static void walk_functions(analysis *a) {
    for (unsigned pass = 0; pass <= ISA_MAX_CALL_DEPTH; pass++) {
        walk(a);
        if (!a->upward || !a->again)
            return;
    }
}

/* One more than the highest register below `limit` with this mark. */
static uint32_t highest(const marks *set, uint32_t limit, uint8_t mark) {
    while (limit && !(set->of[limit - 1] & mark))
        limit--;
    return limit;
}

static uint32_t first_undefined(const marks *reads, uint32_t declared, uint32_t limit) {
    for (uint32_t r = declared; r < limit; r++)
        if (reads->of[r] & LIVE)
            return r;
    return UINT32_MAX;
}

static void note_reads(const marks *reads, uint32_t limit, fe_kernel *kernel) {
    for (uint32_t r = 0; r < limit; r++)
        if (reads->of[r] & LIVE)
            kernel->reads[r / 64] |= (uint64_t)1 << (r % 64);
}

bool fe_find_arguments(fe_kernel *kernel, uint32_t declared, const uint32_t *targets,
                       uint32_t target_count, fe_register_use *use) {
    analysis *a = malloc(sizeof *a + kernel->info.max_depth * sizeof(level));
    if (!a)
        return false;
    memset(a, 0, sizeof *a); /* levels are written before they are read */
    a->insns = kernel->insns;
    a->count = kernel->info.instructions;
    a->blocks = (kernel->register_limit + BLOCK - 1) / BLOCK;
    bool ok = true;
    if (target_count == 0)
        walk(a);
    else if (find_functions(a, targets, target_count))
        walk_functions(a);
    else
        ok = false;
    /* Registers at or above the limit do not exist: lenient mode reads them as 0. */
    kernel->info.argument_words =
        declared ? declared : highest(&a->now.reads, kernel->register_limit, LIVE);
    use->undefined =
        declared ? first_undefined(&a->now.reads, declared, kernel->register_limit) : UINT32_MAX;
    note_reads(&a->now.reads, kernel->register_limit, kernel);
    a->blocks = BLOCKS; /* including registers that do not exist */
    end_path(a, false);
    use->named = highest(&a->named, sizeof(marks), NAMED);
    free(a->targets);
    free(a->summaries);
    free(a);
    return ok;
}
