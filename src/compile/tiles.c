/* E_TILE_DIVERGENCE, E_TILE_UNIFORM and E_TILE_ALIGNMENT where they are visible without a launch:
 * an instruction that some lanes of a wave never reach together with the others, and operands that
 * are the same in every run. Values are known for the first wave of a workgroup, which every launch
 * has; code that this wave skips is not judged. The error is reported even if no launch reaches the
 * instruction, because no launch is allowed to. */
#include "compile/compile.h"

#include "compile/known.h"
#include "isa/tile.h"

#include <stdlib.h>

typedef struct checker {
    const fe_kernel *kernel;
    unsigned index;
    const ir_func *f;
    wave_diags *diags;
    known known;
    /* By region: the if that only some lanes of the wave pass to reach the region, or the rest of
     * it. */
    ir_value *parts;
    bool *skipped; /* by region: the first wave does not reach it, or the rest of it */
    bool found;
} checker;

/* ---- Where lanes diverge ---- */

static bool yields(const ir_func *f, ir_region r) {
    return ir_op_of(f, f->regions[r].last) == IR_YIELD;
}

/* Whether the condition of an if is known and keeps the first wave out of this side. */
static bool is_other_side(const checker *c, ir_value owner, ir_region r) {
    uint64_t bits;
    return ir_op_of(c->f, owner) == IR_IF &&
           known_constant(&c->known, ir_arg(c->f, owner, 0), &bits) &&
           ir_at(c->f, owner)->regions[bits ? 0 : 1] != r;
}

static void enter(checker *c, ir_region r) {
    uint64_t there, first;
    ir_value owner = c->f->regions[r].owner;
    if (!owner)
        return;
    c->parts[r] = c->parts[ir_parent(c->f, r)];
    c->skipped[r] = c->skipped[ir_parent(c->f, r)] || is_other_side(c, owner, r);
    if (ir_op_of(c->f, owner) == IR_IF &&
        known_difference(&c->known, ir_arg(c->f, owner, 0), &there, &first))
        c->parts[r] = owner;
}

/* If the first wave has left a side or a body before its end, it does not reach the code after it.
 * That is not true of a loop that it leaves by a break; skipping the code after that loop, too,
 * only misses errors. */
static void leave_skipped(checker *c, ir_value owner, ir_region r) {
    uint64_t bits;
    if (is_other_side(c, owner, r))
        return;
    bool leaves = ir_op_of(c->f, owner) == IR_IF && !yields(c->f, r) &&
                  known_constant(&c->known, ir_arg(c->f, owner, 0), &bits);
    c->skipped[ir_parent(c->f, r)] |= leaves || c->skipped[r];
}

/* After an if with only one side that yields, some lanes are missing until the end of the
 * region. */
static void leave(checker *c, ir_region r) {
    ir_value owner = c->f->regions[r].owner;
    if (owner)
        leave_skipped(c, owner, r);
    if (!owner || ir_op_of(c->f, owner) != IR_IF || c->parts[r] != owner)
        return;
    const ir_node *n = ir_at(c->f, owner);
    if (n->regions[1] == r && yields(c->f, n->regions[0]) != yields(c->f, r))
        c->parts[n->region] = owner;
}

/* ---- Instructions ---- */

static uint32_t place(const checker *c, ir_value v) {
    return compile_instruction(c->kernel, ir_at(c->f, v)->pc);
}

static void check_reached(checker *c, ir_value v, ir_region region) {
    ir_value parts = c->parts[region];
    c->found |= parts != 0;
    if (parts)
        compile_report(c->kernel, c->index, place(c, v), DIAG_E_TILE_DIVERGENCE, c->diags,
                       "only some lanes of a wave get here: they diverge at 0x%04x",
                       (unsigned)c->kernel->insns[place(c, parts)].pc);
}

static void check_operand(checker *c, ir_value v, unsigned operand, const char *what, uint32_t of) {
    ir_value x = ir_arg(c->f, v, operand);
    uint64_t there, first, bits;
    uint32_t lane = known_difference(&c->known, x, &there, &first);
    bool wrong = known_constant(&c->known, x, &bits) && bits % of != 0;
    c->found |= lane || wrong;
    if (lane)
        compile_report(c->kernel, c->index, place(c, v), DIAG_E_TILE_UNIFORM, c->diags,
                       "the %s is 0x%x in lane %u and 0x%x in lane 0", what, (unsigned)there,
                       (unsigned)lane, (unsigned)first);
    else if (wrong)
        compile_report(c->kernel, c->index, place(c, v), DIAG_E_TILE_ALIGNMENT, c->diags,
                       "the %s 0x%x of a tile is not a multiple of %u", what, (unsigned)bits,
                       (unsigned)of);
}

static void check(checker *c, ir_value v, ir_region region) {
    switch (ir_op_of(c->f, v)) {
    case IR_TILE_LOAD:
    case IR_TILE_STORE:
        check_operand(c, v, 0, "address", ISA_TILE_ALIGNMENT);
        check_operand(c, v, 1, "stride", ISA_TILE_STRIDE_ALIGNMENT);
        check_reached(c, v, region);
        break;
    case IR_TILE_FILL:
        check_operand(c, v, 0, "value", 1);
        check_reached(c, v, region);
        break;
    case IR_TILE_MMA: check_reached(c, v, region); break;
    default: break;
    }
}

bool compile_refuse_tiles(const fe_kernel *kernel, unsigned index, const ir_func *f,
                          wave_diags *diags) {
    checker c = {.kernel = kernel, .index = index, .f = f, .diags = diags};
    ir_walk w;
    if (!(kernel->info.uses & WAVE_USES_TILE))
        return true;
    c.parts = calloc(f->region_count, sizeof *c.parts);
    c.skipped = calloc(f->region_count, sizeof *c.skipped);
    bool ok = known_open(&c.known, f, true) && c.parts && c.skipped;
    ir_walk_init(&w, f);
    for (ir_event e; ok && (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e == IR_AT_OP) {
            known_learn(&c.known, w.op);
            if (!c.skipped[w.region])
                check(&c, w.op, w.region);
        } else if (e == IR_ENTER_REGION) {
            enter(&c, w.region);
        } else {
            leave(&c, w.region);
        }
    }
    if (!ok)
        compile_no_memory(kernel, diags);
    known_close(&c.known);
    free(c.parts);
    free(c.skipped);
    return ok && !c.found;
}
