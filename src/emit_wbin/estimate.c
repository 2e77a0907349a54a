/* Estimates how many instructions a wave executes, from the code alone. A loop with an unknown trip
 * count runs FEW or MANY times, both sides of an if are executed, and a call costs as much as its
 * function. The numbers are meaningful only to compare two versions of one kernel: see
 * wbin_kernel.original.
 *
 * The code is walked once, from the end to the start. The cost at a place is the cost from there to
 * the end of its block or, outside of all blocks, to the end of the function. So it is also the
 * cost of a function that starts there. Only backward calls need more walks, at most
 * ISA_MAX_CALL_DEPTH. */
#include "emit_wbin/code.h"

#include <stdlib.h>

enum { FEW = 2, MANY = 16 };
static const double UNKNOWN = 0; /* compared with counts, which are double */

typedef struct block {
    double after; /* the cost after its end */
    double times;
} block;

typedef struct estimate {
    const fe_insn *insns;
    uint32_t count;
    const wb_loop *loops; /* by offset */
    uint32_t loop_count;
    double unknown; /* assumed trip count of loops where it is unknown */
    bool guessed;   /* there is such a loop */
    double *cost;   /* by instruction, from there on; NULL: no calls */
    block blocks[ISA_MAX_DEPTH + 1];
    uint32_t depth;
    double now;
} estimate;

/* The trip count of the loop that this endloop closes. */
static double times_of(estimate *e, const fe_insn *end) {
    uint32_t low = 0, high = e->loop_count, at = e->insns[end->partner].pc;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        *(e->loops[middle].offset <= at ? &low : &high) =
            e->loops[middle].offset <= at ? middle + 1 : middle;
    }
    double known = low && e->loops[low - 1].offset == at ? e->loops[low - 1].times : UNKNOWN;
    e->guessed |= known == UNKNOWN;
    return known > 0 ? known : e->unknown;
}

static void open_block(estimate *e, double times) {
    if (e->depth < ISA_MAX_DEPTH)
        e->blocks[e->depth++] = (block){e->now, times};
    e->now = 0;
}

static void close_block(estimate *e) {
    if (e->depth) {
        const block *b = &e->blocks[--e->depth];
        e->now = b->after + b->times * e->now;
    }
}

static void step(estimate *e, uint32_t i) {
    const fe_insn *insn = &e->insns[i];
    switch (insn->op) {
    case ISA_ENDLOOP: open_block(e, times_of(e, insn)); break;
    case ISA_ENDIF: open_block(e, 1); break;
    case ISA_LOOP:
    case ISA_IF: close_block(e); break;
    case ISA_HALT:
    case ISA_RETURN:
        if (!e->depth && !insn->guard)
            e->now = 0;
        break;
    case ISA_CALL: e->now += e->cost[insn->partner]; break;
    default: break;
    }
    e->now += 1;
    if (e->cost && !e->depth)
        e->cost[i] = e->now;
}

/* The number of walks that the calls require. */
static unsigned walks(const fe_insn *insns, uint32_t count, bool *calls) {
    bool back = false;
    *calls = false;
    for (uint32_t i = 0; i < count; i++)
        if (insns[i].op == ISA_CALL) {
            *calls = true;
            back |= insns[i].partner <= i;
        }
    return back ? ISA_MAX_CALL_DEPTH + 1 : 1;
}

static double walk(estimate *e, unsigned times, double unknown) {
    e->unknown = unknown;
    for (unsigned k = 0; k < times; k++) {
        e->now = 0;
        e->depth = 0;
        for (uint32_t i = e->count; i-- > 0;)
            step(e, i);
    }
    return e->now;
}

bool wb_estimate(const fe_insn *insns, uint32_t count, const wb_loop *loops, uint32_t loop_count,
                 wb_cost *cost) {
    estimate e = {.insns = insns, .count = count, .loops = loops, .loop_count = loop_count};
    bool calls;
    unsigned times = walks(insns, count, &calls);
    if (calls && !(e.cost = calloc((size_t)count + 1, sizeof *e.cost)))
        return false;
    cost->few = walk(&e, times, FEW);
    cost->many = e.guessed ? walk(&e, times, MANY) : cost->few;
    free(e.cost);
    return true;
}

/* ---- Loops of the function ---- */

static bool runs_once(const wb_code *c, ir_value loop) {
    for (ir_value t = ir_first_end(c->f, &c->ends, loop); t; t = ir_next_end(c->f, &c->ends, t))
        if (ir_op_of(c->f, t) == IR_CONTINUE)
            return false;
    return true;
}

double wb_times(const wb_code *c, ir_value loop) {
    ir_iterations known = ir_iterations_of(c->f, loop);
    return known.count ? (double)known.count / known.joined : runs_once(c, loop) ? 1 : UNKNOWN;
}

static int by_offset(const void *a, const void *b) {
    const wb_loop *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->times == UNKNOWN || y->times == UNKNOWN)
        return (x->times == UNKNOWN) - (y->times == UNKNOWN);
    return (x->times > y->times) - (x->times < y->times);
}

/* The known trip counts of the source's loops: loops that remain, loops that were counted, and
 * loops that are gone because nothing jumped back to their start. If a loop was inlined several
 * times, the longest copy counts, which is the last in the list; if one copy is unknown, the loop
 * is. */
static wb_loop *source_loops(const wb_code *c, uint32_t *count) {
    const ir_func *f = c->f;
    uint32_t most = c->loop_count;
    for (ir_value v = 1; v < f->node_count; v++)
        most += ir_op_of(f, v) == IR_LOOP;
    wb_loop *list = malloc((most + 1) * sizeof *list);
    *count = 0;
    for (ir_value v = 1; list && v < f->node_count; v++) {
        const ir_node *n = ir_at(f, v);
        uint32_t known = n->op == IR_LOOP ? ir_iterations_of(f, v).count : 0;
        if (n->op == IR_LOOP && (known || !n->region))
            list[(*count)++] = (wb_loop){.offset = n->pc, .times = known ? known : 1};
    }
    for (uint32_t k = 0; list && k < c->loop_count; k++) {
        const wb_loop *l = &c->loop_list[k];
        list[(*count)++] = (wb_loop){.offset = l->source, .times = l->source_times};
    }
    if (list)
        qsort(list, *count, sizeof *list, by_offset);
    return list;
}

bool wb_estimate_source(const wb_code *c, const fe_kernel *source, wb_cost *cost) {
    uint32_t count;
    wb_loop *loops = source_loops(c, &count);
    bool ok = loops && wb_estimate(source->insns, source->info.instructions, loops, count, cost);
    free(loops);
    return ok;
}
