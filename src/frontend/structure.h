/* Matching of if/else/endif, loop/endloop, break/continue and calls: the part of validation that
 * needs more than one instruction at a time. */
#ifndef FRONTEND_STRUCTURE_H
#define FRONTEND_STRUCTURE_H

#include "frontend/frontend.h"

typedef struct fe_frame {
    uint32_t opener; /* index of the if or loop */
    uint32_t last;   /* instruction whose partner is still open: the opener or its else */
    bool loop, has_else;
} fe_frame;

/* A growing list of instruction indices. */
typedef struct fe_indices {
    uint32_t *at;
    uint32_t count, capacity;
} fe_indices;

typedef struct fe_structure {
    fe_context *context;
    fe_insn *insns;
    uint32_t depth;    /* frames in use */
    uint32_t overflow; /* ifs and loops open beyond the limit */
    uint32_t open_ifs;
    uint32_t max_depth;
    uint32_t last_return; /* index + 1 of the last unguarded return at depth 0 */
    bool terminated;      /* there is an unguarded halt or return at depth 0 */
    bool too_deep;        /* E_DEPTH was reported */
    bool out_of_memory;
    bool unsure; /* words were skipped: a missing partner may be among them */
    fe_indices calls;
    fe_indices outermost; /* ifs and loops at depth 0 */
    fe_indices targets;   /* call targets, possibly with duplicates */
    uint32_t loop_count;
    uint16_t loops[ISA_MAX_DEPTH]; /* frames that are loops, innermost last */
    fe_frame frame[ISA_MAX_DEPTH];
} fe_structure;

/* NULL when out of memory. */
fe_structure *fe_structure_create(fe_context *context);

/* Processes instruction `index`, a control instruction; all before it have been processed. */
void fe_structure_step(fe_structure *s, uint32_t index);
/* Call after all `count` instructions have been processed. */
void fe_structure_end(fe_structure *s, uint32_t count);
void fe_structure_free(fe_structure *s);

#endif
