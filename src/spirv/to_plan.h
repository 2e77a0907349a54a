/* The state while a plan is made, shared by to_plan.c (structure and values) and
 * to_plan_variables.c (which values are variables). */
#ifndef SPIRV_TO_PLAN_H
#define SPIRV_TO_PLAN_H

#include "spirv/to_ir.h"

typedef struct planner {
    spirv_program *p;
    to_plan *plan;
    const spirv_module *m;
    wave_diags *diags;
    uint32_t *home;         /* by slot: the loop that contains all its uses */
    uint32_t *block;        /* by slot */
    spirv_id *type;         /* by slot */
    uint32_t *depth;        /* by loop */
    uint32_t *entry;        /* by block: the last of the program's entries for it, plus 1 */
    uint32_t *entry_before; /* by entry: the previous one of the same block, plus 1 */
    bool has_variables;
    step_pair *carried, *retired;
    uint32_t carried_count, carried_capacity, retired_count, retired_capacity;
    bool no_memory;
} planner;

/* Cleared memory that lives as long as the program; NULL sets no_memory. */
void *plan_room(planner *w, size_t count, size_t size);
/* Reports an error at an instruction and returns false. */
bool plan_complain(planner *w, const spirv_insn *insn, diag_code code, const char *text);
/* The innermost loop that contains both. */
static inline uint32_t plan_common_loop(const planner *w, uint32_t a, uint32_t b) {
    return cfg_common_loop(w->plan->steps.loop_parent, w->depth, a, b);
}

static inline uint32_t plan_slot(const planner *w, spirv_id id) {
    return w->plan->in->slot[id];
}

static inline bool plan_reached(const planner *w, uint32_t block) {
    return cfg_reachable(&w->plan->steps.order, block);
}

/* ---- to_plan_variables.c ---- */

/* Gives variables to the values that need them and lists those that each loop carries. */
bool plan_variables(planner *w);

#endif
