/* Control flow graphs of any shape, turned into structured programs. Independent of SPIR-V.
 *
 * The steps: depth-first order and dominators (cfg_order.c), a single entry for loops with several
 * (cfg_irreducible.c), the loop nest (cfg_loops.c), and the program (structure.c). Everything is
 * linear or n log n, without recursion. */
#ifndef SPIRV_CFG_H
#define SPIRV_CFG_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define CFG_NONE UINT32_MAX

enum {
    CFG_CONVERGENT = 1 << 0, /* depends on which lanes execute it together: stays out of loops */
    CFG_EMPTY = 1 << 1,      /* a node without successors that does nothing */
    CFG_LAST = 1 << 2        /* a node without successors that all others reach; at most one */
};

/* Node 0 is the entry and has no predecessors. Edges of node n: first[n] … first[n + 1] - 1, with
 * distinct targets. */
typedef struct cfg {
    uint32_t count;
    uint32_t *first;
    uint32_t *to;
    uint8_t *flags; /* of nodes */
    /* Filled by cfg_make_reducible: nodes from `real` on are dispatchers, which branch on flags:
     * `tests` of their edges, CFG_NONE for the last. An edge to a dispatcher raises the flag
     * `raises` (CFG_NONE: none); `meant` is the original target of the edge. NULL if there are no
     * dispatchers. */
    uint32_t real;
    uint32_t *raises, *meant, *tests;
    uint32_t flag_count; /* the dispatchers' */
} cfg;

/* ---- cfg_order.c ---- */

typedef struct cfg_order {
    uint32_t count;              /* reachable nodes */
    uint32_t *node;              /* by position in reverse postorder */
    uint32_t *place;             /* by node; CFG_NONE: unreachable */
    uint32_t *idom;              /* by node; the entry is its own */
    uint32_t *enter, *size;      /* by node: where its dominator subtree starts, and its size */
    uint32_t *taken;             /* by node: how much of the range its children occupy */
    uint32_t *pred_first, *pred; /* predecessors, with one entry per edge, reachable ones only */
} cfg_order;

bool cfg_find_order(cfg_order *o, const cfg *g, arena *memory); /* false: out of memory */

static inline bool cfg_reachable(const cfg_order *o, uint32_t n) {
    return o->place[n] != CFG_NONE;
}
static inline bool cfg_dominates(const cfg_order *o, uint32_t a, uint32_t b) {
    return o->enter[b] - o->enter[a] < o->size[a];
}
/* A back edge or self-loop; in a reducible graph its target is the header of a loop. */
static inline bool cfg_goes_back(const cfg_order *o, uint32_t from, uint32_t to) {
    return o->place[to] <= o->place[from];
}

/* ---- cfg_irreducible.c ---- */

typedef enum cfg_result { CFG_OK, CFG_NO_MEMORY, CFG_TOO_DEEP } cfg_result;

/* Gives every loop with several entries a dispatcher as its single entry. */
cfg_result cfg_make_reducible(cfg *g, const cfg_order *o, arena *memory);

/* ---- cfg_loops.c ---- */

enum { CFG_MOST_LOOPS = 250 }; /* nested; the ISA allows 256 ifs and loops */

/* Loops are numbered from 1; 0 means no loop. */
typedef struct cfg_loops {
    uint32_t count;   /* including 0 */
    uint32_t *of;     /* by node: the innermost */
    uint32_t *header; /* by loop */
    uint32_t *parent;
    uint32_t *depth; /* 1: outermost */
} cfg_loops;

cfg_result cfg_find_loops(cfg_loops *l, const cfg *g, const cfg_order *o, arena *memory);
/* The innermost loop that contains both, by the parents and depths of loops. */
uint32_t cfg_common_loop(const uint32_t *parent, const uint32_t *depth, uint32_t a, uint32_t b);
/* The outermost loop that contains node a but not node b, or 0. */
uint32_t cfg_loop_left(const cfg_loops *l, uint32_t a, uint32_t b);

/* ---- structure.c ---- */

typedef enum step_kind {
    STEP_BLOCK,   /* node: its instructions */
    STEP_EDGE,    /* node, edge: the actions on the edge to the successor (OpPhi) */
    STEP_IF,      /* node, edge: if this successor is taken */
    STEP_IF_FLAG, /* flag */
    STEP_ELSE,
    STEP_END_IF,
    STEP_LOOP,     /* loop */
    STEP_END_LOOP, /* loop */
    STEP_BREAK,    /* of the innermost loop */
    STEP_CONTINUE,
    STEP_RAISE, /* flag */
    STEP_LOWER, /* flag */
    STEP_END    /* node: one without successors */
} step_kind;

typedef struct step {
    uint8_t kind;
    uint32_t node; /* or flag, or loop */
    uint32_t edge; /* index among the node's edges */
} step;

typedef struct step_pair {
    uint32_t loop, what;
} step_pair;

/* For qsort: by loop, then by what; 0: equal. */
int step_pair_order(const void *a, const void *b);

/* For every outcome of the conditions, executes the same blocks in the same order as the graph. */
typedef struct program {
    step *steps;
    uint32_t count;
    uint32_t flag_count;
    uint32_t first_dispatch; /* flags from here on keep their value across iterations of a loop */
    uint32_t loop_count;     /* including 0 */
    uint32_t *loop_parent;   /* by their nesting in the program */
    uint32_t *loop_header;   /* node */
    uint32_t *loop_of;       /* by node: the loop that contains its block */
    step_pair *carried;      /* flags that are raised in a loop and tested outside it, by loop */
    uint32_t carried_count;
    step_pair *entries; /* nodes that a loop enters through its dispatcher, by loop */
    uint32_t entry_count;
    cfg_order order;
} program;

cfg_result structure(program *p, cfg *g, arena *memory);

#endif
