/* The plan of a function, made before it is inlined: its structure, the numbers of its values, and
 * which of them are variables (to_plan_variables.c). */
#include "spirv/to_plan.h"

#include <stdlib.h>

void *plan_room(planner *w, size_t count, size_t size) {
    void *room = arena_alloc(&w->p->memory, (count + 1) * size);
    w->no_memory |= !room;
    return room;
}

bool plan_complain(planner *w, const spirv_insn *insn, diag_code code, const char *text) {
    spirv_report(w->m, insn, code, w->diags, "%s", text);
    return false;
}

static bool is_local_value(const planner *w, spirv_id id) {
    uint8_t kind = w->m->defs[id].kind;
    return kind == SPIRV_ID_VALUE || kind == SPIRV_ID_PARAMETER;
}

/* ---- Slots ---- */

static bool add_slot(planner *w, spirv_id id, spirv_id type, uint32_t block) {
    to_plan *plan = w->plan;
    const to_flat *flat = to_flat_of(w->p, plan->in, type);
    if (!flat || plan->scalar_count + flat->count > TO_MOST_VALUES)
        return plan_complain(w, &w->m->insns[w->m->defs[id].insn], DIAG_E_SPIRV_LIMIT,
                             "the value has too many components");
    uint32_t slot = plan->slot_count++;
    plan->in->slot[id] = slot;
    plan->first[slot] = plan->scalar_count;
    w->block[slot] = block;
    w->type[slot] = type;
    plan->scalar_count += flat->count;
    return true;
}

static bool number_values(planner *w) {
    const spirv_function *f = w->plan->function;
    uint32_t count = f->parameter_count;
    for (uint32_t k = 0; k < f->block_count; k++)
        count += f->blocks[k].count;
    to_plan *plan = w->plan;
    uint32_t **lists[] = {&plan->first, &plan->variable, &plan->phi, &plan->promoted,
                          &plan->place, &w->home,        &w->block,  &w->type};
    for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
        *lists[k] = plan_room(w, count, sizeof(uint32_t));
    if (w->no_memory)
        return false;
    for (uint32_t k = 0; k < f->parameter_count; k++)
        if (!add_slot(w, f->parameters[k], w->m->defs[f->parameters[k]].type, 0))
            return false;
    for (uint32_t k = 0; k < f->block_count; k++)
        for (uint32_t i = 0; i < f->blocks[k].count; i++) {
            const spirv_insn *insn = &w->m->insns[f->blocks[k].first + i];
            if (insn->result && insn->type && !add_slot(w, insn->result, insn->type, k))
                return false;
            w->has_variables |= insn->op == SPIRV_OpVariable;
        }
    plan->first[plan->slot_count] = plan->scalar_count;
    return true;
}

/* ---- The graph ---- */

static bool does_nothing(const spirv_module *m, const spirv_block *block) {
    for (uint32_t k = 0; k + 1 < block->count; k++) {
        uint16_t op = m->insns[block->first + k].op;
        if (op != SPIRV_OpLine && op != SPIRV_OpNoLine && op != SPIRV_OpNop)
            return false;
    }
    return true;
}

static bool has_convergent(const planner *w, const spirv_block *block) {
    const spirv_module *m = w->m;
    for (uint32_t k = 0; k < block->count; k++) {
        const spirv_insn *insn = &m->insns[block->first + k];
        if (to_is_convergent(insn->op))
            return true;
        if (insn->op == SPIRV_OpFunctionCall &&
            w->plan->in->convergent[m->defs[spirv_word(m, insn, 3)].index])
            return true;
    }
    return false;
}

/* Distinct targets, with the default of a switch last. `mark` is indexed by block and holds the
 * node's number. */
static void add_edges(planner *w, uint32_t n, uint32_t *count, uint32_t *mark) {
    const spirv_block *block = &w->plan->function->blocks[n];
    cfg *g = &w->plan->graph;
    bool is_switch = w->m->insns[block->first + block->count - 1].op == SPIRV_OpSwitch;
    g->first[n] = *count;
    for (uint32_t k = 0; k < block->target_count; k++) {
        uint32_t to = block->targets[is_switch && k + 1 < block->target_count ? k + 1
                                     : is_switch                              ? 0
                                                                              : k];
        if (is_switch && k + 1 < block->target_count && to == block->targets[0])
            continue; /* it comes last */
        if (mark[to] == n + 1)
            continue;
        mark[to] = n + 1;
        g->to[(*count)++] = to;
    }
    if (!block->target_count && w->plan->exit != CFG_NONE)
        g->to[(*count)++] = w->plan->exit;
    if (has_convergent(w, block))
        g->flags[n] |= CFG_CONVERGENT;
    if (!block->target_count && w->plan->exit == CFG_NONE && does_nothing(w->m, block))
        g->flags[n] |= CFG_EMPTY;
}

/* Marks the nodes that can reach the exit: one backward walk from the exit over reversed edges,
 * stored as lists. */
static bool mark_leaving(planner *w, bool *leaves) {
    cfg *g = &w->plan->graph;
    uint32_t edges = g->first[g->count], count = 0;
    uint32_t *head = plan_room(w, g->count, sizeof *head),
             *list = plan_room(w, g->count, sizeof *list);
    uint32_t *next = plan_room(w, edges, sizeof *next), *from = plan_room(w, edges, sizeof *from);
    if (w->no_memory)
        return false;
    for (uint32_t n = 0; n < g->count; n++)
        for (uint32_t e = g->first[n]; e < g->first[n + 1]; e++) {
            from[e] = n;
            next[e] = head[g->to[e]];
            head[g->to[e]] = e + 1;
        }
    list[count++] = w->plan->exit;
    leaves[w->plan->exit] = true;
    while (count)
        for (uint32_t e = head[list[--count]]; e; e = next[e - 1]) /* pushes over the popped node */
            if (!leaves[from[e - 1]]) {
                leaves[from[e - 1]] = true;
                list[count++] = from[e - 1];
            }
    return true;
}

/* A function whose loops never end still needs an exit for structuring: adds an edge that is never
 * taken. */
static bool add_impossible_exits(planner *w) {
    cfg *g = &w->plan->graph;
    bool *leaves = plan_room(w, g->count, sizeof *leaves);
    if (w->no_memory || !mark_leaving(w, leaves))
        return false;
    uint32_t missing = 0, at = 0;
    for (uint32_t n = 0; n < g->count; n++)
        missing += !leaves[n];
    if (!missing)
        return true;
    uint32_t *to = plan_room(w, g->first[g->count] + missing, sizeof *to);
    uint32_t *first = plan_room(w, g->count, sizeof *first);
    if (w->no_memory)
        return false;
    for (uint32_t n = 0; n < g->count; n++) {
        first[n] = at;
        for (uint32_t e = g->first[n]; e < g->first[n + 1]; e++)
            to[at++] = g->to[e];
        if (!leaves[n])
            to[at++] = w->plan->exit;
    }
    first[g->count] = at;
    g->first = first;
    g->to = to;
    return true;
}

static bool make_graph(planner *w) {
    const spirv_function *f = w->plan->function;
    cfg *g = &w->plan->graph;
    size_t edges = 1;
    for (uint32_t k = 0; k < f->block_count; k++)
        edges += f->blocks[k].target_count + (size_t)1;
    w->plan->exit = w->plan->is_kernel ? CFG_NONE : f->block_count;
    g->count = f->block_count + !w->plan->is_kernel;
    g->first = plan_room(w, g->count, sizeof *g->first);
    g->to = plan_room(w, edges, sizeof *g->to);
    g->flags = plan_room(w, g->count, 1);
    uint32_t *mark = plan_room(w, g->count, sizeof *mark);
    if (w->no_memory)
        return false;
    uint32_t filled = 0;
    for (uint32_t n = 0; n < f->block_count; n++)
        add_edges(w, n, &filled, mark);
    g->first[f->block_count] = g->first[g->count] = filled;
    if (w->plan->is_kernel)
        return true;
    g->flags[w->plan->exit] = CFG_CONVERGENT | CFG_LAST;
    return add_impossible_exits(w);
}

/* Assigns case k of a switch to its edge. */
static bool group_cases(planner *w) {
    const spirv_function *f = w->plan->function;
    const cfg *g = &w->plan->graph;
    to_plan *plan = w->plan;
    uint32_t total = 0;
    for (uint32_t n = 0; n < f->block_count; n++)
        total += f->blocks[n].target_count;
    plan->edge_case = plan_room(w, g->first[g->count], sizeof *plan->edge_case);
    plan->next_case = plan_room(w, total, sizeof *plan->next_case);
    plan->case_base = plan_room(w, f->block_count, sizeof *plan->case_base);
    uint32_t *edge_to = plan_room(w, g->count, sizeof *edge_to);
    if (w->no_memory)
        return false;
    for (uint32_t n = 0, base = 0; n < f->block_count; n++) {
        plan->case_base[n] = base;
        for (uint32_t e = g->first[n]; e < g->first[n + 1]; e++)
            edge_to[g->to[e]] = e;
        for (uint32_t k = f->blocks[n].target_count; k-- > 1;) {
            uint32_t e = edge_to[f->blocks[n].targets[k]];
            plan->next_case[base + k] = plan->edge_case[e];
            plan->edge_case[e] = k;
        }
        base += f->blocks[n].target_count;
    }
    return true;
}

/* ---- The values an edge selects in the OpPhis of its target ---- */

static bool is_phi(const planner *w, const spirv_block *block, uint32_t k) {
    return k < block->count && w->m->insns[block->first + k].op == SPIRV_OpPhi;
}

/* An edge has the same position in all OpPhis of its target. `position` and `owner` are indexed by
 * block: the position of a predecessor is valid if the owner is the current block, plus 1. */
static void order_phis(planner *w, uint32_t n, uint32_t *position, uint32_t *owner,
                       uint32_t *filled) {
    const spirv_block *block = &w->plan->function->blocks[n];
    for (uint32_t k = 0; is_phi(w, block, k); k++) {
        const spirv_insn *insn = &w->m->insns[block->first + k];
        uint32_t count = (insn->count - 3u) / 2;
        w->plan->phi_values[plan_slot(w, insn->result)] = *filled;
        for (uint32_t j = 0; j < count; j++) {
            uint32_t from = w->m->defs[spirv_word(w->m, insn, 4 + 2 * j)].index;
            if (owner[from] != n + 1) {
                owner[from] = n + 1;
                position[from] = j;
            }
            w->plan->values[*filled + (position[from] < count ? position[from] : j)] =
                spirv_word(w->m, insn, 3 + 2 * j);
        }
        *filled += count;
    }
}

static bool arrange_phis(planner *w) {
    const spirv_function *f = w->plan->function;
    const cfg *g = &w->plan->graph;
    uint32_t edges = g->first[f->block_count], words = 0, filled = 0;
    for (uint32_t n = 0; n < f->block_count; n++)
        for (uint32_t k = 0; is_phi(w, &f->blocks[n], k); k++)
            words += w->m->insns[f->blocks[n].first + k].count;
    w->plan->phi_values = plan_room(w, w->plan->slot_count, sizeof(uint32_t));
    w->plan->values = plan_room(w, words, sizeof(spirv_id));
    w->plan->edge_position = plan_room(w, edges, sizeof(uint32_t));
    uint32_t *head = plan_room(w, g->count, sizeof *head),
             *next = plan_room(w, edges, sizeof *next);
    uint32_t *from = plan_room(w, edges, sizeof *from),
             *position = plan_room(w, g->count, sizeof *position);
    uint32_t *owner = plan_room(w, g->count, sizeof *owner);
    if (w->no_memory)
        return false;
    for (uint32_t n = 0; n < f->block_count; n++)
        for (uint32_t e = g->first[n]; e < g->first[n + 1]; e++) {
            from[e] = n;
            next[e] = head[g->to[e]];
            head[g->to[e]] = e + 1;
        }
    for (uint32_t n = 0; n < f->block_count; n++) {
        order_phis(w, n, position, owner, &filled);
        for (uint32_t e = head[n]; e; e = next[e - 1])
            w->plan->edge_position[e - 1] = owner[from[e - 1]] == n + 1 ? position[from[e - 1]] : 0;
    }
    return true;
}

static bool structure_it(planner *w) {
    cfg_result result = structure(&w->plan->steps, &w->plan->graph, &w->p->memory);
    const spirv_insn *insn = &w->m->insns[w->plan->function->insn];
    if (result == CFG_TOO_DEEP)
        return plan_complain(w, insn, DIAG_E_DEPTH, "the function's loops nest too deeply");
    return result == CFG_OK ||
           plan_complain(w, insn, DIAG_E_MEMORY, "not enough memory to compile");
}

/* ---- Uses ---- */

/* A use in a block; `insn` is the instruction, or CFG_NONE for the end of the block. */
static bool use(planner *w, const spirv_insn *by, spirv_id id, uint32_t block, uint32_t insn) {
    const spirv_def *def = &w->m->defs[id];
    if (!is_local_value(w, id))
        return true;
    const cfg_order *o = &w->plan->steps.order;
    bool ours = &w->m->functions[def->function] == w->plan->function;
    bool before = ours && (def->kind == SPIRV_ID_PARAMETER ||
                           (def->block == block ? def->insn < insn
                                                : plan_reached(w, def->block) &&
                                                      cfg_dominates(o, def->block, block)));
    if (!before)
        return plan_complain(w, by, DIAG_E_SPIRV_DOMINANCE,
                             "a value is used where its definition may not have been executed");
    uint32_t slot = plan_slot(w, id);
    w->home[slot] = plan_common_loop(w, w->home[slot], w->plan->steps.loop_of[block]);
    return true;
}

static bool use_operands(planner *w, const spirv_insn *insn, uint32_t block) {
    spirv_cursor cursor = spirv_operands(w->m, insn);
    spirv_operand operand;
    spirv_id value = 0;
    while (spirv_next(w->m, insn, &cursor, &operand) && operand.words) {
        if (!spirv_letter_names(operand.letter))
            continue;
        spirv_id id = spirv_word(w->m, insn, operand.index);
        if (insn->op != SPIRV_OpPhi) {
            if (!use(w, insn, id, block, (uint32_t)(insn - w->m->insns)))
                return false;
        } else if (operand.letter != 'l') {
            value = id;
        } else if (plan_reached(w, w->m->defs[id].index) &&
                   !use(w, insn, value, w->m->defs[id].index, CFG_NONE)) {
            return false;
        }
    }
    return true;
}

static bool find_uses(planner *w) {
    const spirv_function *f = w->plan->function;
    const program *steps = &w->plan->steps;
    for (uint32_t k = 0; k < w->plan->slot_count; k++)
        w->home[k] = steps->loop_of[w->block[k]];
    for (uint32_t n = 0; n < f->block_count; n++)
        for (uint32_t k = 0; plan_reached(w, n) && k < f->blocks[n].count; k++)
            if (!use_operands(w, &w->m->insns[f->blocks[n].first + k], n))
                return false;
    return true;
}

/* ---- The plan ---- */

static bool find_depths(planner *w) {
    const program *steps = &w->plan->steps;
    w->depth = plan_room(w, steps->loop_count, sizeof *w->depth);
    for (uint32_t k = steps->loop_count;
         k-- > 1 && !w->no_memory;) /* parents have larger numbers */
        w->depth[k] = w->depth[steps->loop_parent[k]] + 1;
    return !w->no_memory;
}

static bool make_plan(planner *w) {
    return number_values(w) && make_graph(w) && group_cases(w) && arrange_phis(w) &&
           structure_it(w) && find_depths(w) && find_uses(w) && plan_variables(w);
}

to_plan *to_plan_of(spirv_program *p, to_module *in, uint32_t function, wave_diags *diags) {
    to_plan *plan = in->plan[function];
    if (plan)
        return plan;
    planner w = {.p = p, .m = in->m, .diags = diags};
    plan = w.plan = plan_room(&w, 1, sizeof *plan);
    if (plan) {
        plan->in = in;
        plan->function = &in->m->functions[function];
        plan->is_kernel = in->is_kernel[function];
        plan->private_align = 16;
        if (!make_plan(&w))
            plan = NULL;
    }
    free(w.carried);
    free(w.retired);
    if (w.no_memory)
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
    return in->plan[function] = w.no_memory ? NULL : plan;
}
