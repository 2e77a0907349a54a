/* Analyses of a function, for passes. An analysis allocates its result, which becomes stale with
 * the next change of the function. */
#ifndef IR_ANALYSE_H
#define IR_ANALYSE_H

#include "ir/ir.h"

/* ---- functions.c ---- */

/* The functions of a kernel, by their number in calls. */
typedef struct ir_functions {
    ir_value *ops;
    uint32_t count;
} ir_functions;

bool ir_find_functions(const ir_func *f, ir_functions *list);
void ir_free_functions(ir_functions *list);
static inline ir_value ir_first_input(const ir_func *f, ir_value function) {
    return f->regions[ir_at(f, function)->regions[0]].first;
}
static inline ir_value ir_return_of(const ir_func *f, ir_value function) {
    return f->regions[ir_at(f, function)->regions[0]].last;
}
/* Whether a function may contain the operation, given that its operands are available. */
static inline bool ir_may_be_in_function(ir_op op) {
    const unsigned flags = IR_PURE | IR_WAVE | IR_UNIQUE | IR_LEAF;
    return (ir_op_flags[op] & flags) == IR_PURE && op != IR_CALL && op != IR_POINTER &&
           op != IR_BUFFER && op != IR_MMA_COMPUTE;
}
/* The error in a function, a call or (`inside`) an operation in a function, or NULL. */
const char *ir_function_fault(const ir_func *f, const ir_functions *list, ir_value v, bool inside);

/* ---- analyse_cones.c ---- */

/* Values together with the pure operations that only they use. */
typedef struct ir_cone {
    uint32_t count, cost;
    uint32_t first; /* where its members start in ir_cones.members, if it is listed */
    uint32_t listed;
} ir_cone;

typedef struct ir_cones {
    ir_value *root;  /* by operation: the root of the cone it is in, or 0 */
    ir_value *roots; /* of the cones that are listed, in program order */
    uint32_t root_count;
    ir_value *members; /* grouped by cone, in program order, the root last */
    ir_cone *of;       /* by root; others are not set */
} ir_cones;

typedef struct ir_cone_limits {
    uint32_t members, cost; /* at least; smaller cones are not listed */
    uint8_t costs[IR_OP_COUNT];
} ir_cone_limits;

bool ir_find_cones(const ir_func *f, const ir_cone_limits *limits, ir_cones *cones);
void ir_free_cones(ir_cones *cones);

/* ---- analyse_uses.c ---- */

/* The users of each value: users[first[v]] … users[first[v + 1] - 1], in program order. */
typedef struct ir_uses {
    uint32_t *first;
    ir_value *users;
} ir_uses;

bool ir_find_uses(const ir_func *f, ir_uses *uses);
void ir_free_uses(ir_uses *uses);
/* By value: whether it has users. The caller frees the result; NULL when out of memory. */
uint8_t *ir_find_used(const ir_func *f);

/* ---- analyse_uniform.c ---- */

/* By value: whether the lanes of a wave may hold different values. For an if, this is its
 * condition. For a loop: lanes may leave it, or start its next iteration, at different times. */
typedef struct ir_uniformity {
    uint8_t *divergent;
} ir_uniformity;

bool ir_find_uniformity(const ir_func *f, ir_uniformity *u);
void ir_free_uniformity(ir_uniformity *u);
/* The answer for one value. Its operations often determine it; only otherwise is the analysis made,
 * in *u, which is initially empty. *failed is set when out of memory. */
bool ir_is_uniform(const ir_func *f, ir_uniformity *u, ir_value v, bool *failed);

/* Where lanes on different paths may end up with different values. The analysis marks these values
 * divergent, and the convergence lowering selects per lane exactly there. */

/* Both sides of the if yield, with different values for result k. */
bool ir_sides_differ(const ir_func *f, ir_value op, unsigned k);
/* The value, defined before the if, that both sides yield as result k; or 0. */
ir_value ir_sides_agree(const ir_func *f, ir_value op, unsigned k);

/* ---- analyse_lanes.c ---- */

/* By value: whether any two lanes of a wave hold different values, and if so, the largest value it
 * may have. By region: the compare that lets at most one lane of a wave into it, or 0. */
typedef struct ir_lanes {
    uint8_t *apart;
    uint32_t *most;
    ir_value *one;
} ir_lanes;

/* `guess`: treat a workgroup of unspecified size as one row. */
bool ir_find_lanes(const ir_func *f, const ir_uniformity *u, bool guess, ir_lanes *l);
void ir_free_lanes(ir_lanes *l);

/* Both analyses of one function, for several queries: each is made at the first query. */
typedef struct ir_wave {
    ir_uniformity uniform;
    ir_lanes lanes;
} ir_wave;

bool ir_find_wave(const ir_func *f, bool guess, ir_wave *wave);
void ir_free_wave(ir_wave *wave);
/* Whether ir_lanes.one could be set for a region: quick, without the analyses. */
bool ir_may_have_one_lane(const ir_func *f, ir_region r);
/* Whether two compares of ir_lanes.one let the same lane through. */
bool ir_same_lane(const ir_func *f, ir_value a, ir_value b);

/* ---- analyse_loops.c ---- */

/* The breaks and continues of each loop, the last one first. */
typedef struct ir_ends {
    ir_value *first; /* by the body of a loop */
    ir_value *next;  /* by the region that the break or continue ends */
} ir_ends;

static inline ir_value ir_first_end(const ir_func *f, const ir_ends *ends, ir_value loop) {
    return ends->first[ir_at(f, loop)->regions[0]];
}

static inline ir_value ir_next_end(const ir_func *f, const ir_ends *ends, ir_value end) {
    return ends->next[ir_at(f, end)->region];
}

/* Whether the code after an if or loop is reachable: a side yields, or something breaks. `left`
 * says whether a loop has a break. */
bool ir_goes_on(const ir_func *f, ir_value op, bool left);

bool ir_find_ends(const ir_func *f, ir_ends *ends);
void ir_free_ends(ir_ends *ends);

/* Two continues of the loop pass different values for its parameter k; compare ir_sides_differ. */
bool ir_continues_differ(const ir_func *f, const ir_ends *ends, ir_value loop, unsigned k);

/* ---- analyse_rates.c ---- */

/* How often values change. Approximate: a value that changes may be taken for an invariant one. */
typedef struct ir_rates {
    uint32_t *of;    /* by value: depth of the innermost loop in which it changes; 0: none */
    uint32_t *depth; /* by region: number of enclosing loops */
} ir_rates;

bool ir_find_rates(const ir_func *f, ir_rates *r);
void ir_free_rates(ir_rates *r);

/* ---- analyse_order.c ---- */

/* An access, and an earlier access of the same wave that may touch the same bytes in another lane
 * with no fence or barrier between the two. */
typedef struct ir_meeting {
    ir_value later, earlier;
} ir_meeting;

typedef struct ir_order {
    ir_meeting *list; /* in program order */
    uint32_t count;
} ir_order;

typedef struct ir_order_options {
    ir_wave *wave; /* keeps the analyses of the function; NULL: they are made for this query only */
    /* If set, reports all pairs not proved disjoint in which one access writes. Otherwise reports
     * only plain reads after writes whose addresses suggest that lanes meet. A fence is assumed
     * before each reported access. */
    bool all;
} ir_order_options;

bool ir_find_order(const ir_func *f, const ir_order_options *options, ir_order *order);
void ir_free_order(ir_order *order);

/* ---- analyse_bits.c ---- */

/* Known bits of u32 and u64 values: bits that are always 0, and the largest value as an unsigned
 * number. Covers every value that exists when the analysis runs. */
typedef struct ir_known {
    uint64_t zeros, max;
} ir_known;

typedef struct ir_bits {
    ir_known *of; /* by value */
    uint32_t count;
    ir_ends ends;
} ir_bits;

bool ir_find_bits(const ir_func *f, ir_bits *bits);
/* The same in steps, for the caller's own walk: it passes each operation when it reaches it, and
 * may have changed those before it. */
bool ir_start_bits(const ir_func *f, ir_bits *bits);
extern const bool ir_tells_bits[IR_OP_COUNT]; /* whether something may be known about its result */
void ir_learn_these_bits(const ir_func *f, ir_bits *bits, ir_value v);
static inline void ir_learn_bits(const ir_func *f, ir_bits *bits, ir_value v) {
    if (ir_tells_bits[ir_op_of(f, v)])
        ir_learn_these_bits(f, bits, v);
}
void ir_free_bits(ir_bits *bits);

static inline bool ir_bits_below(const ir_bits *bits, ir_value v, uint32_t limit) {
    return v < bits->count && bits->of[v].max < limit;
}

/* v + c does not wrap at 32 bits. */
static inline bool ir_bits_no_wrap(const ir_bits *bits, ir_value v, uint32_t c) {
    return v < bits->count && ((c & ~bits->of[v].zeros) == 0 || bits->of[v].max <= UINT32_MAX - c);
}

/* The same for (a + b) + c and (v << by) + c, even if the part in parentheses wraps. */
bool ir_bits_sum_no_wrap(const ir_bits *bits, ir_value a, ir_value b, uint32_t c);
bool ir_bits_shl_no_wrap(const ir_bits *bits, ir_value v, uint32_t by, uint32_t c);

/* v is a multiple of `power`, a power of two. */
static inline bool ir_bits_aligned(const ir_bits *bits, ir_value v, uint32_t power) {
    return v < bits->count && ((power - 1) & ~bits->of[v].zeros) == 0;
}

/* Whether the word of a contained buffer is a term of the address (opt_buffers.c). */
bool ir_in_contained(const ir_func *f, ir_value address);

/* ---- analyse_count.c ---- */

/* A loop with a known number of iterations, unless another exit leaves it earlier. */
typedef struct ir_counted {
    ir_value exit;       /* the if in its body that leaves it … */
    unsigned side;       /* … by this side, which ends with … */
    ir_value leave;      /* … the break */
    ir_value next;       /* the continue, which ends the body */
    uint32_t iterations; /* the exit is reached this often; the last time it is taken */
    bool only;           /* nothing else leaves the loop */
} ir_counted;

/* Returns false when the loop is not counted, or needs more than `limit` iterations. What is known
 * about the bits of values bounds those that are not constant. */
bool ir_count_loop(const ir_func *f, const ir_bits *bits, ir_value loop, uint32_t limit,
                   ir_counted *counted);

/* The only exit of the loop may be taken when it is first reached, and is taken when it is reached
 * again. */
bool ir_runs_once(const ir_func *f, const ir_bits *bits, ir_value loop, ir_counted *c);

/* The values that a u32 may have, from `least` to `most`. */
typedef struct ir_range {
    uint64_t least, most;
} ir_range;

ir_range ir_range_of(const ir_func *f, const ir_bits *bits, ir_value v);

/* Finds the only exit of a loop whose only continue ends its body, whatever its count. Sets all
 * fields except `iterations`. */
bool ir_find_exit(const ir_func *f, const ir_ends *ends, ir_value loop, ir_counted *c);

/* ---- Tiles of a wave ---- */

enum { IR_TILE_NATIVE = 1, IR_TILE_COLUMNS = 2 };

/* By value: whether f->units hold the tile, and whether it is loaded from columns. The caller frees
 * the result; NULL when out of memory. */
uint8_t *ir_find_tiles(const ir_func *f);

#endif
