/* Reads first: loads from buffers that nothing writes move up past the stores between them.
 *
 *   %1 = load(device, 4, +0) %8                 %1 = load(device, 4, +0) %8
 *   %2 = fadd %1, %1                            %3 = load(device, 4, +4) %8
 *   store(device, 4, +0) %9, %2          →      %2 = fadd %1, %1
 *   %3 = load(device, 4, +4) %8                 store(device, 4, +0) %9, %2
 *
 * Vendors' compilers keep the order of a store and a load unless they can prove that the two do not
 * overlap. clang does not conclude this from __restrict__ on pointers that are not parameters. Here
 * a promise proves it: the buffer is contained, restrict and read-only (f->unwritten), and no store
 * goes through it.
 *
 * A run is a part of a region without ifs, loops, barriers, fences and atomics. When a store to
 * device memory separates two of its loads, all of them move to the first one, together with the
 * operations that compute their addresses. The number of words is bounded, so that they can stay in
 * registers. Two walks. */
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>

/* MOST_CONE: operations that move with a load, itself included */
enum { MOST_WORDS = 32, MOST_CONE = 8, STAYS = 15, RUN = 16 };

typedef struct gatherer {
    ir_func *f;
    uint64_t written[4]; /* words of buffers, one bit each */
    /* by value: RUN * the run in which it follows the first load, plus the number of operations
     * that have to move with it, or STAYS */
    uint32_t *late;
    uint32_t run;
    ir_region region;
    ir_value last;                /* of the loads in their new place; 0: the run has none */
    ir_value waiting[MOST_WORDS]; /* the others, until a store is seen */
    unsigned waiting_count, words;
    bool stored, changed;
} gatherer;

/* The buffer's word that the address is computed from; 256 if there is none. */
static unsigned word_of(const ir_func *f, ir_value access) {
    ir_value address = ir_arg(f, access, 0);
    if (ir_op_of(f, address) != IR_BUFFER)
        return 256;
    const ir_node *word = ir_at(f, ir_arg(f, address, 0));
    return word->op == IR_ARG && word->imm < 256 ? (unsigned)word->imm : 256;
}

static bool find_written(gatherer *g) {
    ir_func *f = g->f;
    uint64_t left = 0;
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v)) {
        unsigned word =
            ir_accesses(ir_op_of(f, v)) && ir_has(f, v, IR_WRITES) ? word_of(f, v) : 256;
        if (word < 256)
            g->written[word / 64] |= (uint64_t)1 << word % 64;
    }
    for (unsigned k = 0; k < 4; k++)
        left |= f->unwritten[k] & ~g->written[k];
    return left != 0;
}

static bool reads_unwritten(const gatherer *g, ir_value v) {
    ir_op op = ir_op_of(g->f, v);
    if (op != IR_LOAD && op != IR_LOADS)
        return false;
    unsigned word = word_of(g->f, v);
    return word < 256 && ir_access_unpack(ir_at(g->f, v)->imm).hint == 0 &&
           (g->f->unwritten[word / 64] & ~g->written[word / 64]) >> word % 64 & 1;
}

static bool is_late(const gatherer *g, ir_value v) {
    return g->late[v] / RUN == g->run;
}

/* The operation itself, or the last of its results. */
static ir_value end_of(const ir_func *f, ir_value v) {
    if (ir_op_of(f, v) == IR_LOADS)
        for (ir_value r = ir_first_result(f, v); r; r = ir_next_result(f, r))
            v = r;
    return v;
}

static uint32_t cone_of(const gatherer *g, ir_value v, bool reads) {
    uint32_t cone = 1;
    const unsigned stay = IR_UNIQUE | IR_WAVE | IR_COSTLY | IR_SLOW;
    if (!reads && (!ir_has(g->f, v, IR_PURE) || ir_has(g->f, v, stay)))
        return STAYS;
    for (unsigned k = 0; k < ir_at(g->f, v)->arg_count; k++) {
        ir_value a = ir_arg(g->f, v, k);
        cone += is_late(g, a) ? g->late[a] % RUN : 0;
    }
    return cone <= MOST_CONE ? cone : STAYS;
}

/* Moves v and what it needs after the last load. A cone shrinks from v to its operands, so that
 * this is at most MOST_CONE calls deep. */
static void raise(gatherer *g, ir_value v) {
    ir_func *f = g->f;
    if (!is_late(g, v))
        return;
    for (unsigned k = 0; k < ir_at(f, v)->arg_count; k++)
        raise(g, ir_arg(f, v, k));
    ir_value end = end_of(f, v);
    for (ir_value next, r = v;; r = next) {
        next = ir_at(f, r)->next;
        g->late[r] = 0;
        if (ir_at(f, r)->prev != g->last) {
            ir_remove(f, r);
            ir_insert_after(f, g->last, r);
            g->changed = true;
        }
        g->last = r;
        if (r == end)
            break;
    }
}

static void note_load(gatherer *g, ir_value v) {
    g->words += (ir_access_unpack(ir_at(g->f, v)->imm).bytes + 3u) / 4;
    if (g->words > MOST_WORDS)
        return;
    if (!g->last)
        g->last = end_of(g->f, v);
    else if (is_late(g, v) && g->late[v] % RUN != STAYS)
        g->waiting[g->waiting_count++] = v;
    for (unsigned k = 0; g->stored && k < g->waiting_count; k++)
        raise(g, g->waiting[k]);
    g->waiting_count = g->stored ? 0 : g->waiting_count;
}

static void visit(gatherer *g, ir_value v) {
    const ir_func *f = g->f;
    const ir_node *n = ir_at(f, v);
    bool store = n->op == IR_STORE, reads = reads_unwritten(g, v);
    if (ir_has_regions(n) || n->region != g->region || (ir_has(f, v, IR_WRITES) && !store)) {
        g->run++;
        g->region = n->region;
        g->last = 0;
        g->waiting_count = g->words = 0;
        g->stored = false;
    }
    if (g->last) {
        g->stored |= store && ir_access_unpack(n->imm).space == IR_DEVICE;
        g->late[v] = g->run * RUN + cone_of(g, v, reads);
        for (ir_value r = v, end = end_of(f, v); r != end; g->late[r] = g->run * RUN + STAYS)
            r = ir_at(f, r)->next;
    }
    if (reads)
        note_load(g, v);
}

bool ir_opt_reads(ir_func *f) {
    gatherer g = {.f = f};
    if (!ir_made(f, IR_BUFFER) || !ir_made(f, IR_STORE) || !find_written(&g))
        return false;
    g.late = calloc(f->node_count, sizeof *g.late);
    if (!g.late)
        f->failed = true;
    for (ir_value next, v = g.late ? ir_first_op(f) : 0; v; v = next) {
        next = ir_next_op(f, end_of(f, v));
        visit(&g, v);
    }
    free(g.late);
    return g.changed;
}
