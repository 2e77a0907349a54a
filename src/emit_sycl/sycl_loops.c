/* Finds the loops whose end must stay opaque to Intel's CPU compiler, and the values that they hand
 * on.
 *
 * A loop is printed with wave_forever() if
 *   - it may have no exit left once invariant conditions are hoisted out of it;
 *   - it contains a loop that lanes leave at different times;
 *   - it is in one side of an if, and lanes halt in the other side;
 *   - a vote ends it.
 * With --bounds every loop is: invariant conditions are everywhere, and they imply more than that
 * analysis knows. At -O0 every loop is as well, because there the compiler does the folding that no
 * pass has done before. */
#include "emit_sycl/sycl.h"

#include "ir/analyse.h"

#include <stdlib.h>

/* Some lanes halt in the region while others continue. */
enum { HALTS = C_TARGET_FLAG };

/* ---- Exits that stay ---- */

/* Loop unswitching moves an invariant condition out of a loop and duplicates the loop: one copy
 * exits immediately, the other has no exit. This affects a break under an invariant condition, a
 * break under a changing condition nested in an invariant one, and a break after a continue under
 * an invariant condition:
 *
 *   loop { if p { break } }                  becomes   if p { } else { loop { } }
 *   loop { i = i + 1; if p { if i > n { break } } }    the same
 *
 * Mistaking a changing value for an invariant one costs little. */
typedef struct finder {
    const ir_func *f;
    ir_rates rates;
    ir_value *loop;   /* by region: the innermost enclosing loop */
    uint8_t *frozen;  /* by region: under a condition that is invariant in that loop */
    uint8_t *stalled; /* by loop: a continue in a frozen region has been passed */
    uint8_t *live;    /* by loop: the result */
} finder;

static void enter(finder *x, ir_region region) {
    ir_value owner = x->f->regions[region].owner;
    ir_region parent = ir_parent(x->f, region);
    if (owner && ir_op_of(x->f, owner) == IR_LOOP) {
        x->loop[region] = owner;
    } else if (owner) {
        bool invariant = x->rates.of[ir_arg(x->f, owner, 0)] < x->rates.depth[parent];
        x->loop[region] = x->loop[parent];
        x->frozen[region] = x->frozen[parent] || invariant;
    }
}

static void leave(finder *x, ir_op op, ir_region region) {
    ir_value loop = x->loop[region];
    if (op == IR_BREAK || (op == IR_HALT && loop))
        x->live[loop] |= !x->frozen[region] && !x->stalled[loop];
    else if (op == IR_CONTINUE)
        x->stalled[loop] |= x->frozen[region];
}

uint8_t *sycl_find_exits(const ir_func *f) {
    finder x = {.f = f};
    x.loop = calloc(f->region_count, sizeof *x.loop);
    x.frozen = calloc(f->region_count, 1);
    x.stalled = calloc(f->node_count, 1);
    x.live = calloc(f->node_count, 1);
    bool ok = ir_find_rates(f, &x.rates) && x.loop && x.frozen && x.stalled && x.live;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; ok && (e = ir_walk_read(&w)) != IR_AT_END;) {
        if (e == IR_ENTER_REGION)
            enter(&x, w.region);
        else if (e == IR_AT_OP)
            leave(&x, ir_op_of(f, w.op), w.region);
    }
    ir_free_rates(&x.rates);
    free(x.loop);
    free(x.frozen);
    free(x.stalled);
    if (ok)
        return x.live;
    free(x.live);
    return NULL;
}

/* ---- Loops to flag ---- */

/* The loop whose body the region is, or 0; *around is set to the enclosing loop, or 0. */
static ir_value loop_of_body(const c_printer *p, ir_region r, ir_value *around) {
    ir_value owner = p->f->regions[r].owner;
    if (!owner || p->loop[r] != owner)
        return 0;
    *around = p->loop[ir_parent(p->f, r)];
    return owner;
}

/* A loop that encloses one which lanes leave at different times: the compiler must not see that all
 * lanes leave the outer one together. */
static bool find_holders(c_printer *p) {
    bool failed = false;
    for (ir_region r = 0; r < p->f->region_count; r++) {
        ir_value around, loop = loop_of_body(p, r, &around);
        if (loop && around && !ir_is_uniform(p->f, &p->uniformity, loop, &failed))
            p->flags[ir_at(p->f, around)->regions[0]] |= C_ENDLESS;
    }
    return !failed;
}

/* Flags the regions that lanes may pass through and in which others halt. If a region is flagged,
 * so are those around it. */
static void find_halts(c_printer *p) {
    const ir_func *f = p->f;
    for (ir_region r = 1; r < f->region_count; r++) {
        ir_region at = ir_op_of(f, f->regions[r].last) == IR_HALT ? ir_parent(f, r) : 0;
        for (; at && !(p->flags[at] & HALTS); at = ir_parent(f, at))
            p->flags[at] |= HALTS;
    }
}

/* Whether the region is a side of an if, and lanes halt in the other side. */
static bool is_beside_halts(const c_printer *p, ir_region r) {
    ir_value owner = p->f->regions[r].owner;
    if (!owner || ir_op_of(p->f, owner) != IR_IF)
        return false;
    const ir_node *n = ir_at(p->f, owner);
    return p->flags[n->regions[n->regions[0] == r]] & HALTS;
}

/* If lanes halt in one side of an if, the compiler must not see what holds after a loop in the
 * other side has ended. */
static void find_beside_halts(c_printer *p) {
    uint32_t beside = 0;
    ir_walk w;
    if (!ir_made(p->f, IR_HALT))
        return;
    find_halts(p);
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e == IR_ENTER_REGION) {
            beside += is_beside_halts(p, w.region);
            if (beside && p->loop[w.region] == p->f->regions[w.region].owner)
                p->flags[w.region] |= C_ENDLESS;
        } else if (e == IR_LEAVE_REGION) {
            beside -= is_beside_halts(p, w.region);
        }
    }
}

/* Loops that a wave leaves by a vote. Loops in which lanes halt are lowered to this form. */
static void find_votes(c_printer *p) {
    const ir_func *f = p->f;
    for (ir_region r = 0; r < f->region_count; r++) {
        ir_value owner = f->regions[r].owner;
        if (!owner || ir_op_of(f, owner) != IR_IF || ir_op_of(f, f->regions[r].last) != IR_BREAK)
            continue;
        ir_value vote = ir_arg(f, owner, 0);
        if (ir_op_of(f, vote) == IR_BNOT)
            vote = ir_arg(f, vote, 0);
        if (ir_op_of(f, vote) == IR_WAVE_ANY || ir_op_of(f, vote) == IR_WAVE_ALL)
            p->flags[ir_at(f, p->loop[r])->regions[0]] |= C_ENDLESS;
    }
}

/* "a = b; b = t;" in a loop: a receives the old value of b. */
static void find_handed_on(c_printer *p) {
    const ir_func *f = p->f;
    ir_walk w;
    if (!ir_made(f, IR_CONTINUE))
        return;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_AT_OP || ir_op_of(f, w.op) != IR_CONTINUE)
            continue;
        ir_region body = ir_at(f, p->loop[ir_at(f, w.op)->region])->regions[0];
        ir_value parameter = f->regions[body].first;
        for (unsigned k = 0; k < ir_at(f, w.op)->arg_count; k++) {
            ir_value next = ir_arg(f, w.op, k);
            if (next != parameter && ir_op_of(f, next) == IR_PARAM &&
                ir_at(f, next)->region == body)
                p->handed_on[parameter] = 1;
            parameter = ir_at(f, parameter)->next;
        }
    }
}

/* Flags every loop, or only those that need it. */
static bool find_endless(c_printer *p) {
    if (p->o->bounds || p->o->unoptimised)
        return c_flag_loops(p);
    bool nested = false;
    uint8_t *exits = sycl_find_exits(p->f);
    if (!exits)
        return false;
    for (ir_region r = 0; r < p->f->region_count; r++) {
        ir_value around, loop = loop_of_body(p, r, &around);
        if (!loop)
            continue;
        nested |= around != 0;
        if (!exits[loop])
            p->flags[r] |= C_ENDLESS;
    }
    free(exits);
    find_beside_halts(p);
    find_votes(p);
    return !nested || find_holders(p);
}

bool sycl_find_loops(c_printer *p) {
    if (!ir_made(p->f, IR_LOOP))
        return true;
    find_handed_on(p);
    return find_endless(p);
}
