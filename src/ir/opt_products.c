/* Orders the multiply-adds of an outer product, for registers: by the factor that is loaded last.
 *
 *   %1 = load …    a0, a1                  %1 = load …
 *   %3 = load …    b0, b1                  %3 = load …
 *   %5 = fma a0, b0, …                     %5 = fma a0, b0, …
 *   %6 = fma a0, b1, …              →      %7 = fma a1, b0, …
 *   %7 = fma a1, b0, …                     %6 = fma a0, b1, …
 *   %8 = fma a1, b1, …                     %8 = fma a1, b1, …
 *
 * When a value of the last factor arrives, all values of the other one are there. ptxas schedules
 * the operations itself, but starts from this order. For sm_75 it then spills less in large
 * products of tiles; from sm_80 on it would need more registers (docs/inside/performance.md).
 *
 * A run is a sequence of multiply-adds of one kind, of which none uses another's result. It is an
 * outer product if every value of one factor meets every value of the other. */
#include "ir/opt.h"

#include <stdlib.h>

enum {
    FURTHEST = 64 /* operations before a run that are searched for its factors */
};

/* By value, valid for the run whose number is `run`. */
typedef struct place {
    uint32_t run;
    bool member;
    uint32_t uses[2]; /* as the first and as the second factor */
    ir_value last;    /* the last member with this value as the outer factor */
} place;

/* By factor: the number of its values, and of the uses of the one that is used most. */
typedef struct factors {
    uint32_t values[2], most[2];
} factors;

typedef struct orderer {
    ir_func *f;
    place *places;
    uint32_t run;
    bool changed;
} orderer;

static bool is_product(ir_op op) {
    static const bool products[IR_OP_COUNT] = {
        [IR_FMA] = true, [IR_HMA] = true, [IR_HMA2] = true, [IR_DMA] = true};
    return products[op];
}

static place *place_of(orderer *o, ir_value v) {
    place *at = &o->places[v];
    if (at->run != o->run)
        *at = (place){.run = o->run};
    return at;
}

/* Adds v to the run; false if it uses the result of another member. */
static bool add(orderer *o, ir_value v, factors *x) {
    const ir_node *n = ir_at(o->f, v);
    for (unsigned k = 0; k < 3; k++)
        if (place_of(o, n->args[k])->member)
            return false;
    place_of(o, v)->member = true;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t uses = ++place_of(o, n->args[k])->uses[k];
        x->values[k] += uses == 1;
        x->most[k] = uses > x->most[k] ? uses : x->most[k];
    }
    return true;
}

/* The factor, 0 or 1, of which a value is defined last before the run; 2: neither, or both. */
static unsigned last_factor(orderer *o, ir_value first) {
    ir_value v = ir_at(o->f, first)->prev;
    for (unsigned k = 0; v && k < FURTHEST; k++, v = ir_at(o->f, v)->prev) {
        const uint32_t *uses = place_of(o, v)->uses;
        if (uses[0] || uses[1])
            return uses[0] && uses[1] ? 2 : uses[1] != 0;
    }
    return 2;
}

/* Moves each member after the last one with the same outer factor. */
static void group(orderer *o, ir_value first, ir_value last, unsigned outer) {
    ir_func *f = o->f;
    for (ir_value next, v = first;; v = next) {
        next = ir_at(f, v)->next;
        place *same = place_of(o, ir_at(f, v)->args[outer]);
        if (same->last && ir_at(f, v)->prev != same->last) {
            ir_remove(f, v);
            ir_insert_after(f, same->last, v);
            o->changed = true;
        }
        same->last = v;
        if (v == last)
            break;
    }
}

/* Handles the run that starts at v; returns its last operation. */
static ir_value order_run(orderer *o, ir_value first) {
    const ir_func *f = o->f;
    factors x = {0};
    uint32_t count = 1;
    ir_value last = first;
    o->run++;
    add(o, first, &x);
    for (ir_value v; (v = ir_at(f, last)->next) != 0 && ir_op_of(f, v) == ir_op_of(f, first);
         last = v, count++)
        if (!add(o, v, &x))
            break;
    bool product = x.most[0] == x.values[1] && x.most[1] == x.values[0];
    if (product && x.values[0] > 1 && x.values[1] > 1 &&
        (uint64_t)x.values[0] * x.values[1] == count) {
        unsigned outer = last_factor(o, first);
        ir_value after = ir_at(f, last)->next;
        if (outer < 2)
            group(o, first, last, outer);
        last = after ? ir_at(f, after)->prev : f->regions[ir_at(f, first)->region].last;
    }
    return last;
}

/* Whether v is the first of at least four operations of its kind: two by two. */
static bool starts_run(const ir_func *f, ir_value v) {
    const ir_op op = ir_op_of(f, v);
    if (!ir_at(f, v)->region || (ir_at(f, v)->prev && ir_op_of(f, ir_at(f, v)->prev) == op))
        return false;
    for (unsigned k = 1; k < 4; k++) {
        v = ir_at(f, v)->next;
        if (!v || ir_op_of(f, v) != op)
            return false;
    }
    return true;
}

/* Runs are found by the numbers of their values, which is cheaper than a walk. */
bool ir_opt_products(ir_func *f) {
    orderer o = {.f = f};
    const ir_value count = f->node_count;
    for (ir_value v = 1; v < count; v++) {
        ir_op op = ir_op_of(f, v);
        if (!is_product(op) || !starts_run(f, v))
            continue;
        if (!o.places && !(o.places = calloc(count, sizeof *o.places))) {
            f->failed = true;
            break;
        }
        for (ir_value last, at = v; at && ir_op_of(f, at) == op; at = ir_at(f, last)->next)
            last = order_run(&o, at);
    }
    free(o.places);
    return o.changed;
}
