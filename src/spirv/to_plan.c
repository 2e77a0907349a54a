/* The plan of a function, made before it is inlined: its structure, the numbers of its values, and
 * which of them are variables.
 *
 * A value needs a variable if the IR's regions hide it: a value defined in a loop and used after it
 * is carried out by every loop in between. An OpPhi has variables that the edges to its block write
 * and the start of the block reads. */
#include "spirv/to_ir.h"

#include <stdlib.h>
#include <string.h>

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

static void *room_for(planner *w, size_t count, size_t size) {
    void *room = arena_alloc(&w->p->memory, (count + 1) * size);
    w->no_memory |= !room;
    return room;
}

static bool complain(planner *w, const spirv_insn *insn, diag_code code, const char *text) {
    spirv_report(w->m, insn, code, w->diags, "%s", text);
    return false;
}

static uint32_t slot_of(const planner *w, spirv_id id) {
    return w->plan->in->slot[id];
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
        return complain(w, &w->m->insns[w->m->defs[id].insn], DIAG_E_SPIRV_LIMIT,
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
        *lists[k] = room_for(w, count, sizeof(uint32_t));
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
    uint32_t *head = room_for(w, g->count, sizeof *head),
             *list = room_for(w, g->count, sizeof *list);
    uint32_t *next = room_for(w, edges, sizeof *next), *from = room_for(w, edges, sizeof *from);
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
    bool *leaves = room_for(w, g->count, sizeof *leaves);
    if (w->no_memory || !mark_leaving(w, leaves))
        return false;
    uint32_t missing = 0, at = 0;
    for (uint32_t n = 0; n < g->count; n++)
        missing += !leaves[n];
    if (!missing)
        return true;
    uint32_t *to = room_for(w, g->first[g->count] + missing, sizeof *to);
    uint32_t *first = room_for(w, g->count, sizeof *first);
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
    w->plan->impossible_exit = true;
    return true;
}

static bool make_graph(planner *w) {
    const spirv_function *f = w->plan->function;
    cfg *g = &w->plan->graph;
    size_t edges = 1, count = 0;
    for (uint32_t k = 0; k < f->block_count; k++)
        edges += f->blocks[k].target_count + (size_t)1;
    w->plan->exit = w->plan->is_kernel ? CFG_NONE : f->block_count;
    g->count = f->block_count + !w->plan->is_kernel;
    g->first = room_for(w, g->count, sizeof *g->first);
    g->to = room_for(w, edges, sizeof *g->to);
    g->flags = room_for(w, g->count, 1);
    uint32_t *mark = room_for(w, g->count, sizeof *mark);
    if (w->no_memory)
        return false;
    uint32_t filled = (uint32_t)count;
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
    plan->edge_case = room_for(w, g->first[g->count], sizeof *plan->edge_case);
    plan->next_case = room_for(w, total, sizeof *plan->next_case);
    plan->case_base = room_for(w, f->block_count, sizeof *plan->case_base);
    uint32_t *edge_to = room_for(w, g->count, sizeof *edge_to);
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
        w->plan->phi_values[slot_of(w, insn->result)] = *filled;
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
    w->plan->phi_values = room_for(w, w->plan->slot_count, sizeof(uint32_t));
    w->plan->values = room_for(w, words, sizeof(spirv_id));
    w->plan->edge_position = room_for(w, edges, sizeof(uint32_t));
    uint32_t *head = room_for(w, g->count, sizeof *head), *next = room_for(w, edges, sizeof *next);
    uint32_t *from = room_for(w, edges, sizeof *from),
             *position = room_for(w, g->count, sizeof *position);
    uint32_t *owner = room_for(w, g->count, sizeof *owner);
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
        return complain(w, insn, DIAG_E_DEPTH, "the function's loops nest too deeply");
    return result == CFG_OK || complain(w, insn, DIAG_E_MEMORY, "not enough memory to compile");
}

/* ---- Variables ---- */

static uint32_t add_variables(planner *w, const to_flat *flat) {
    to_plan *plan = w->plan;
    uint32_t first = plan->variable_count, want = first + flat->count;
    if (want > plan->variable_capacity) {
        uint32_t capacity = want * 2 + 32;
        uint8_t *bigger = room_for(w, capacity, 1);
        if (w->no_memory)
            return 0;
        if (first)
            memcpy(bigger, plan->type, first);
        plan->type = bigger;
        plan->variable_capacity = capacity;
    }
    for (uint32_t k = 0; k < flat->count; k++)
        plan->type[plan->variable_count++] = flat->list[k].type;
    return first;
}

static void add_pair(planner *w, step_pair **list, uint32_t *count, uint32_t *capacity,
                     step_pair pair) {
    if (*count == *capacity) {
        uint32_t want = *capacity ? *capacity * 2 : 64;
        step_pair *bigger = realloc(*list, want * sizeof *bigger);
        if (!bigger) {
            w->no_memory = true;
            return;
        }
        *list = bigger;
        *capacity = want;
    }
    (*list)[(*count)++] = pair;
}

/* The loops from `loop` up to, but excluding, `outer` carry this many variables. */
static void carry(planner *w, uint32_t loop, uint32_t outer, uint32_t first, uint32_t count) {
    for (; loop != outer && loop; loop = w->plan->steps.loop_parent[loop])
        for (uint32_t k = 0; k < count && !w->no_memory; k++)
            add_pair(w, &w->carried, &w->carried_count, &w->carried_capacity,
                     (step_pair){loop, first + k});
}

static void retire(planner *w, uint32_t loop, uint32_t first, uint32_t count) {
    for (uint32_t k = 0; k < count && !w->no_memory; k++)
        add_pair(w, &w->retired, &w->retired_count, &w->retired_capacity,
                 (step_pair){loop, first + k});
}

static uint32_t common_loop(const planner *w, uint32_t a, uint32_t b) {
    const uint32_t *parent = w->plan->steps.loop_parent;
    while (a != b) {
        if (w->depth[a] >= w->depth[b])
            a = parent[a];
        else
            b = parent[b];
    }
    return a;
}

/* ---- Uses ---- */

static bool reached(const planner *w, uint32_t block) {
    return cfg_reachable(&w->plan->steps.order, block);
}

/* A use in a block; `insn` is the instruction, or CFG_NONE for the end of the block. */
static bool use(planner *w, const spirv_insn *by, spirv_id id, uint32_t block, uint32_t insn) {
    const spirv_def *def = &w->m->defs[id];
    if (!is_local_value(w, id))
        return true;
    const cfg_order *o = &w->plan->steps.order;
    bool ours = &w->m->functions[def->function] == w->plan->function;
    bool before = ours && (def->kind == SPIRV_ID_PARAMETER ||
                           (def->block == block
                                ? def->insn < insn
                                : reached(w, def->block) && cfg_dominates(o, def->block, block)));
    if (!before)
        return complain(w, by, DIAG_E_SPIRV_DOMINANCE,
                        "a value is used where its definition may not have been executed");
    uint32_t slot = slot_of(w, id);
    w->home[slot] = common_loop(w, w->home[slot], w->plan->steps.loop_of[block]);
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
        } else if (reached(w, w->m->defs[id].index) &&
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
        for (uint32_t k = 0; reached(w, n) && k < f->blocks[n].count; k++)
            if (!use_operands(w, &w->m->insns[f->blocks[n].first + k], n))
                return false;
    return true;
}

/* ---- Private variables ---- */

/* Whether two types consist of the same scalars at the same offsets. */
static bool same_scalars(planner *w, spirv_id a, spirv_id b) {
    const to_flat *x = to_flat_of(w->p, w->plan->in, a), *y = to_flat_of(w->p, w->plan->in, b);
    if (!x || !y || x->count != y->count || x->count > TO_LARGEST_PROMOTED)
        return false;
    for (uint32_t k = 0; k < x->count; k++)
        if (x->list[k].type != y->list[k].type || x->list[k].bits != y->list[k].bits ||
            x->list[k].offset != y->list[k].offset)
            return false;
    return true;
}

static bool is_whole(planner *w, const spirv_insn *insn, spirv_operand operand, spirv_id variable) {
    bool loads = insn->op == SPIRV_OpLoad;
    uint32_t mask_at = loads ? 4 : 3;
    const spirv_type *type = spirv_type_of(w->m, variable);
    if (insn->op == SPIRV_OpLifetimeStart || insn->op == SPIRV_OpLifetimeStop)
        return true;
    if ((!loads && insn->op != SPIRV_OpStore) || operand.index != (loads ? 3u : 1u) || !type)
        return false;
    if (insn->count > mask_at && spirv_word(w->m, insn, mask_at) & SPIRV_Access_Volatile)
        return false;
    return same_scalars(w, type->element,
                        loads ? insn->type : w->m->defs[spirv_word(w->m, insn, 2)].type);
}

/* A variable that is only loaded and stored as a whole, possibly through a pointer of another type,
 * becomes values. `root`: by slot, the variable that a pointer refers to, plus 1. */
static void note_use(planner *w, const spirv_insn *insn, spirv_operand operand, uint8_t *bad,
                     uint32_t *root) {
    spirv_id id = spirv_word(w->m, insn, operand.index);
    if (!spirv_letter_names(operand.letter) || w->m->defs[id].kind != SPIRV_ID_VALUE)
        return;
    uint32_t variable = root[slot_of(w, id)];
    const spirv_type *to = insn->type ? spirv_type_at(w->m, insn->type) : NULL;
    if (!variable) {
        bad[slot_of(w, id)] = 1; /* if it turns out to be one, it is too late */
        return;
    }
    if (insn->op == SPIRV_OpBitcast && to && to->kind == SPIRV_POINTER && to->element &&
        !bad[slot_of(w, insn->result)])
        root[slot_of(w, insn->result)] = variable;
    else if (!is_whole(w, insn, operand, id) ||
             !same_scalars(w, spirv_type_of(w->m, id)->element,
                           spirv_type_at(w->m, w->type[variable - 1])->element))
        bad[variable - 1] = 1;
}

static void place_variable(planner *w, const spirv_insn *insn, bool bad) {
    to_plan *plan = w->plan;
    uint32_t slot = slot_of(w, insn->result);
    const spirv_type *type = spirv_type_at(w->m, spirv_type_at(w->m, insn->type)->element);
    const to_flat *flat =
        bad || type->size > 16 * TO_LARGEST_PROMOTED ? NULL : to_flat_of(w->p, plan->in, type->id);
    if (flat && flat->count && flat->count <= TO_LARGEST_PROMOTED) {
        plan->promoted[slot] = add_variables(w, flat) + 1;
        retire(w, 0, plan->promoted[slot] - 1, flat->count);
        return;
    }
    uint32_t align = type->align ? type->align : 1;
    const spirv_decoration *d =
        spirv_decorated(w->m, insn->result, UINT32_MAX, SPIRV_Dec_Alignment);
    if (d && d->count && d->operands[0] > align && d->operands[0] <= 4096 &&
        !(d->operands[0] & (d->operands[0] - 1)))
        align = d->operands[0];
    uint64_t at = ((uint64_t)plan->private_size + align - 1) / align * align;
    plan->place[slot] = (uint32_t)at;
    plan->private_size = at + type->size > INT32_MAX ? INT32_MAX : (uint32_t)(at + type->size);
}

static bool place_variables(planner *w) {
    const spirv_function *f = w->plan->function;
    if (!w->has_variables)
        return true;
    uint8_t *bad = room_for(w, w->plan->slot_count, 1);
    uint32_t *root = room_for(w, w->plan->slot_count, sizeof *root);
    if (w->no_memory)
        return false;
    for (uint32_t n = 0; n < f->block_count; n++) /* blocks precede those they dominate */
        for (uint32_t k = 0; k < f->blocks[n].count; k++) {
            const spirv_insn *insn = &w->m->insns[f->blocks[n].first + k];
            if (insn->op == SPIRV_OpVariable)
                root[slot_of(w, insn->result)] = slot_of(w, insn->result) + 1;
            spirv_cursor cursor = spirv_operands(w->m, insn);
            spirv_operand operand;
            while (spirv_next(w->m, insn, &cursor, &operand) && operand.words)
                note_use(w, insn, operand, bad, root);
        }
    for (uint32_t n = 0; n < f->block_count; n++)
        for (uint32_t k = 0; k < f->blocks[n].count && !w->no_memory; k++) {
            const spirv_insn *insn = &w->m->insns[f->blocks[n].first + k];
            if (insn->op == SPIRV_OpVariable)
                place_variable(w, insn, bad[slot_of(w, insn->result)]);
        }
    for (uint32_t k = 0; k < w->plan->slot_count; k++)
        if (root[k] && root[k] != k + 1)
            w->plan->promoted[k] = w->plan->promoted[root[k] - 1];
    return !w->no_memory;
}

/* ---- Which values are variables ---- */

static uint32_t scalars_of(const to_plan *plan, uint32_t slot) {
    return plan->first[slot + 1] - plan->first[slot];
}

static void leave_loops(planner *w) {
    to_plan *plan = w->plan;
    for (uint32_t k = 0; k < plan->slot_count && !w->no_memory; k++) {
        uint32_t loop = plan->steps.loop_of[w->block[k]], count = scalars_of(plan, k);
        if (w->home[k] == loop || !count)
            continue;
        spirv_id type = w->type[k];
        plan->variable[k] = add_variables(w, to_flat_of(w->p, plan->in, type)) + 1;
        carry(w, loop, w->home[k], plan->variable[k] - 1, count);
        retire(w, w->home[k], plan->variable[k] - 1, count);
    }
}

/* The variables of an OpPhi are carried by the loops that an edge to it leaves, and by the loop
 * whose header contains it. */
static void carry_phi(planner *w, const spirv_insn *insn, uint32_t block) {
    to_plan *plan = w->plan;
    uint32_t slot = slot_of(w, insn->result), count = scalars_of(plan, slot);
    uint32_t loop = plan->steps.loop_of[block];
    uint32_t first = add_variables(w, to_flat_of(w->p, plan->in, insn->type));
    plan->phi[slot] = first + 1;
    for (uint32_t k = 4; k < insn->count && !w->no_memory; k += 2) {
        uint32_t from = w->m->defs[spirv_word(w->m, insn, k)].index;
        if (reached(w, from))
            carry(w, plan->steps.loop_of[from], common_loop(w, plan->steps.loop_of[from], loop),
                  first, count);
    }
    if (loop && plan->steps.loop_header[loop] == block)
        carry(w, loop, plan->steps.loop_parent[loop], first, count);
    for (uint32_t k = w->entry[block]; k; k = w->entry_before[k - 1]) {
        uint32_t around = plan->steps.entries[k - 1].loop;
        carry(w, around, plan->steps.loop_parent[around], first, count);
    }
}

static void carry_stores(planner *w, const spirv_insn *insn, uint32_t block) {
    spirv_id id = spirv_word(w->m, insn, 1);
    if (w->m->defs[id].kind != SPIRV_ID_VALUE || !w->plan->promoted[slot_of(w, id)])
        return;
    const spirv_type *type = spirv_type_of(w->m, id);
    const to_flat *flat = to_flat_of(w->p, w->plan->in, type->element);
    carry(w, w->plan->steps.loop_of[block], 0, w->plan->promoted[slot_of(w, id)] - 1, flat->count);
}

static bool index_entries(planner *w) {
    const program *steps = &w->plan->steps;
    const uint32_t blocks = w->plan->function->block_count;
    w->entry = room_for(w, blocks, sizeof *w->entry);
    w->entry_before = room_for(w, steps->entry_count, sizeof *w->entry_before);
    for (uint32_t k = 0; k < steps->entry_count && !w->no_memory; k++) {
        uint32_t node = steps->entries[k].what;
        if (node >= blocks)
            continue; /* a dispatcher has no values */
        w->entry_before[k] = w->entry[node];
        w->entry[node] = k + 1;
    }
    return !w->no_memory;
}

static bool choose_variables(planner *w) {
    to_plan *plan = w->plan;
    const spirv_function *f = plan->function;
    if (!index_entries(w))
        return false;
    leave_loops(w);
    for (uint32_t n = 0; n < f->block_count; n++)
        for (uint32_t k = 0; reached(w, n) && k < f->blocks[n].count && !w->no_memory; k++) {
            const spirv_insn *insn = &w->m->insns[f->blocks[n].first + k];
            if (insn->op == SPIRV_OpPhi)
                carry_phi(w, insn, n);
            else if (insn->op == SPIRV_OpStore)
                carry_stores(w, insn, n);
        }
    const to_flat *result = to_flat_of(w->p, plan->in, f->result);
    if (!result)
        return complain(w, &w->m->insns[f->insn], DIAG_E_SPIRV_LIMIT, "the result is too large");
    plan->result = add_variables(w, result);
    for (uint32_t n = 0; n < f->block_count && result->count; n++)
        if (reached(w, n) && !f->blocks[n].target_count)
            carry(w, plan->steps.loop_of[n], 0, plan->result, result->count);
    return !w->no_memory;
}

/* Nothing reads the flags of a dispatcher after its loop. */
static void retire_dispatchers(planner *w) {
    const to_plan *plan = w->plan;
    const cfg *g = &plan->graph;
    for (uint32_t loop = 1; loop < plan->steps.loop_count; loop++) {
        uint32_t n = plan->steps.loop_header[loop];
        for (uint32_t e = g->first[n]; n >= g->real && e + 1 < g->first[n + 1]; e++) {
            uint32_t flag = plan->flag[plan->steps.first_dispatch + g->tests[e]];
            if (flag)
                retire(w, loop, flag - 1, 1);
        }
    }
}

static bool choose_flags(planner *w) {
    static const to_scalar bit = {.type = IR_BOOL, .bits = 1};
    const to_flat flat = {.list = &bit, .count = 1, .known = true};
    to_plan *plan = w->plan;
    plan->flag = room_for(w, plan->steps.flag_count, sizeof *plan->flag);
    for (uint32_t k = 0; k < plan->steps.count && !w->no_memory; k++) {
        const step *s = &plan->steps.steps[k];
        bool flag = s->kind == STEP_RAISE || s->kind == STEP_LOWER || s->kind == STEP_IF_FLAG;
        if (flag && !plan->flag[s->node])
            plan->flag[s->node] = add_variables(w, &flat) + 1;
    }
    for (uint32_t k = 0; k < plan->steps.carried_count && !w->no_memory; k++) {
        step_pair pair = plan->steps.carried[k];
        carry(w, pair.loop, plan->steps.loop_parent[pair.loop], plan->flag[pair.what] - 1, 1);
    }
    retire_dispatchers(w);
    return !w->no_memory;
}

/* ---- Lists by loop ---- */

static int by_loop(const void *a, const void *b) {
    const step_pair *x = a, *y = b;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    return (x->what > y->what) - (x->what < y->what);
}

static bool keep_lists(planner *w, step_pair *pairs, uint32_t count, uint32_t **first,
                       uint32_t **list) {
    uint32_t loops = w->plan->steps.loop_count, filled = 0, at = 0;
    *first = room_for(w, loops + (size_t)1, sizeof **first);
    *list = room_for(w, count, sizeof **list);
    if (w->no_memory)
        return false;
    if (count)
        qsort(pairs, count, sizeof *pairs, by_loop);
    for (uint32_t loop = 0; loop < loops; loop++) {
        (*first)[loop] = filled;
        for (; at < count && pairs[at].loop == loop; at++)
            if (!at || by_loop(&pairs[at - 1], &pairs[at]))
                (*list)[filled++] = pairs[at].what;
    }
    (*first)[loops] = filled;
    return true;
}

/* ---- The plan ---- */

static bool find_depths(planner *w) {
    const program *steps = &w->plan->steps;
    w->depth = room_for(w, steps->loop_count, sizeof *w->depth);
    for (uint32_t k = steps->loop_count;
         k-- > 1 && !w->no_memory;) /* parents have larger numbers */
        w->depth[k] = w->depth[steps->loop_parent[k]] + 1;
    return !w->no_memory;
}

static bool make_plan(planner *w) {
    to_plan *plan = w->plan;
    return number_values(w) && make_graph(w) && group_cases(w) && arrange_phis(w) &&
           structure_it(w) && find_depths(w) && find_uses(w) && place_variables(w) &&
           choose_variables(w) && choose_flags(w) &&
           keep_lists(w, w->carried, w->carried_count, &plan->carried_first, &plan->carried) &&
           keep_lists(w, w->retired, w->retired_count, &plan->retired_first, &plan->retired);
}

to_plan *to_plan_of(spirv_program *p, to_module *in, uint32_t function, wave_diags *diags) {
    to_plan *plan = in->plan[function];
    if (plan)
        return plan;
    planner w = {.p = p, .m = in->m, .diags = diags};
    plan = w.plan = room_for(&w, 1, sizeof *plan);
    if (plan) {
        plan->in = in;
        plan->function = &in->m->functions[function];
        plan->is_kernel = in->is_kernel[function];
        if (!make_plan(&w))
            plan = NULL;
    }
    free(w.carried);
    free(w.retired);
    if (w.no_memory)
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
    return in->plan[function] = w.no_memory ? NULL : plan;
}
