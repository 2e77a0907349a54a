/* What passes ask about a function. An analysis allocates its answer, which goes stale with the
 * next change of the function. */
#ifndef IR_ANALYSE_H
#define IR_ANALYSE_H

#include "ir/ir.h"

/* ---- analyse_uses.c ---- */

/* Who uses each value: users[first[v]] … users[first[v + 1] - 1], in program order. */
typedef struct ir_uses {
    uint32_t *first;
    ir_value *users;
} ir_uses;

bool ir_find_uses(const ir_func *f, ir_uses *uses);
void ir_free_uses(ir_uses *uses);

/* ---- analyse_uniform.c ---- */

/* By value: whether the lanes of a wave may hold different values. Of an if: its condition. Of a
 * loop: lanes may leave it, or start its next iteration, at different times. */
typedef struct ir_uniformity {
    uint8_t *divergent;
} ir_uniformity;

bool ir_find_uniformity(const ir_func *f, ir_uniformity *u);
void ir_free_uniformity(ir_uniformity *u);

/* Where lanes that take different ways may end up with different values: the analysis says so, and
 * the convergence lowering chooses lane by lane exactly there. */

/* Both sides of the if yield, and not the same value as result k. */
bool ir_sides_differ(const ir_func *f, ir_value op, unsigned k);
/* The value that both sides of the if yield as result k, which is defined before it; or 0. */
ir_value ir_sides_agree(const ir_func *f, ir_value op, unsigned k);

/* ---- analyse_lanes.c ---- */

/* By value: no two lanes of a wave hold the same, and the largest number it may be. By region: the
 * compare because of which at most one lane of a wave is there, or 0. */
typedef struct ir_lanes {
    uint8_t *apart;
    uint32_t *most;
    ir_value *one;
} ir_lanes;

/* `guess`: a workgroup whose size is left open is taken for one row. */
bool ir_find_lanes(const ir_func *f, const ir_uniformity *u, bool guess, ir_lanes *l);
void ir_free_lanes(ir_lanes *l);
/* Whether two compares of ir_lanes.one let through the same lane. */
bool ir_same_lane(const ir_func *f, ir_value a, ir_value b);

/* ---- analyse_loops.c ---- */

/* The breaks and continues of each loop: first[loop], then next[…] until 0; the last one first. */
typedef struct ir_ends {
    ir_value *first; /* by loop */
    ir_value *next;  /* by break and continue */
} ir_ends;

/* Whether anything behind an if or loop is reached: a side yields, or something breaks. `left`
 * tells that of a loop. */
bool ir_goes_on(const ir_func *f, ir_value op, bool left);

bool ir_find_ends(const ir_func *f, ir_ends *ends);
void ir_free_ends(ir_ends *ends);

/* Two continues of the loop bring different values as its parameter k: as ir_sides_differ. */
bool ir_continues_differ(const ir_func *f, const ir_ends *ends, ir_value loop, unsigned k);

/* A loop that is left at one place only, after a number of iterations that is known. */
typedef struct ir_counted {
    ir_value exit;       /* the if in its body that leaves it … */
    unsigned side;       /* … by this side, which ends with … */
    ir_value leave;      /* … the break */
    ir_value next;       /* the continue, which ends the body */
    uint32_t iterations; /* the exit is reached this often; the last time it is taken */
} ir_counted;

/* False when the loop is not one, or needs more than `limit` iterations. */
bool ir_count_loop(const ir_func *f, const ir_ends *ends, ir_value loop, uint32_t limit,
                   ir_counted *counted);

/* ---- analyse_order.c ---- */

/* By access: an earlier one of the same wave whose bytes, in another lane, it may meet while no
 * fence and no barrier stands between them; or 0. */
typedef struct ir_order {
    ir_value *meets;
} ir_order;

typedef struct ir_order_options {
    /* Everything that nothing proves apart, where one of the two writes. Otherwise plain reads
     * after writes, and only where the addresses look as if lanes meet. A fence is taken to stand
     * before each access that is found. */
    bool all;
} ir_order_options;

bool ir_find_order(const ir_func *f, const ir_order_options *options, ir_order *order);
void ir_free_order(ir_order *order);

/* ---- analyse_exits.c ---- */

/* By loop: whether something leaves it under conditions that change with its iterations, so that no
 * compiler can make a loop without an exit of it. */
typedef struct ir_exits {
    uint8_t *live;
} ir_exits;

bool ir_find_exits(const ir_func *f, ir_exits *exits);
void ir_free_exits(ir_exits *exits);

/* ---- analyse_bits.c ---- */

/* What is known of u32 and u64 values: bits that are always 0, and the largest value as an unsigned
 * number. For every value that exists when the analysis runs. */
typedef struct ir_bits {
    uint64_t *zeros, *max;
    uint32_t count;
} ir_bits;

bool ir_find_bits(const ir_func *f, ir_bits *bits);
void ir_free_bits(ir_bits *bits);

static inline bool ir_bits_below(const ir_bits *bits, ir_value v, uint32_t limit) {
    return v < bits->count && bits->max[v] < limit;
}

/* v + c is the same number without the wrap at 32 bits. */
static inline bool ir_bits_no_wrap(const ir_bits *bits, ir_value v, uint32_t c) {
    return v < bits->count && ((c & ~bits->zeros[v]) == 0 || bits->max[v] <= UINT32_MAX - c);
}

/* The same for (a + b) + c and (v << by) + c, where the part in parentheses does wrap. */
bool ir_bits_sum_no_wrap(const ir_bits *bits, ir_value a, ir_value b, uint32_t c);
bool ir_bits_shl_no_wrap(const ir_bits *bits, ir_value v, uint32_t by, uint32_t c);

/* v is a multiple of `power`, a power of two. */
static inline bool ir_bits_aligned(const ir_bits *bits, ir_value v, uint32_t power) {
    return v < bits->count && ((power - 1) & ~bits->zeros[v]) == 0;
}

#endif
