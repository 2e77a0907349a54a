/* Finds the values of a function that are variables.
 *
 * A value needs a variable if the IR's regions hide it: a value defined in a loop and used after it
 * is carried out by every loop in between. An OpPhi has variables that the edges to its block write
 * and the start of the block reads. */
#include "spirv/to_plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- Variables ---- */

static uint32_t add_variables(planner *w, const to_flat *flat) {
    to_plan *plan = w->plan;
    uint32_t first = plan->variable_count, want = first + flat->count;
    if (want > plan->variable_capacity) {
        uint32_t capacity = want * 2 + 32;
        uint8_t *bigger = plan_room(w, capacity, 1);
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

/* The loops from `loop` up to, but excluding, `outer` carry `count` variables from `first` on. */
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
    uint32_t variable = root[plan_slot(w, id)];
    const spirv_type *to = insn->type ? spirv_type_at(w->m, insn->type) : NULL;
    if (!variable) {
        bad[plan_slot(w, id)] = 1; /* becoming a root later would be too late */
        return;
    }
    if (insn->op == SPIRV_OpBitcast && to && to->kind == SPIRV_POINTER && to->element &&
        !bad[plan_slot(w, insn->result)])
        root[plan_slot(w, insn->result)] = variable;
    else if (!is_whole(w, insn, operand, id) ||
             !same_scalars(w, spirv_type_of(w->m, id)->element,
                           spirv_type_at(w->m, w->type[variable - 1])->element))
        bad[variable - 1] = 1;
}

static void place_variable(planner *w, const spirv_insn *insn, bool bad) {
    to_plan *plan = w->plan;
    uint32_t slot = plan_slot(w, insn->result);
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
    if (align > plan->private_align)
        plan->private_align = align;
    uint64_t at = ((uint64_t)plan->private_size + align - 1) / align * align;
    plan->place[slot] = (uint32_t)at;
    plan->private_size = at + type->size > INT32_MAX ? INT32_MAX : (uint32_t)(at + type->size);
}

static bool place_variables(planner *w) {
    const spirv_function *f = w->plan->function;
    if (!w->has_variables)
        return true;
    uint8_t *bad = plan_room(w, w->plan->slot_count, 1);
    uint32_t *root = plan_room(w, w->plan->slot_count, sizeof *root);
    if (w->no_memory)
        return false;
    for (uint32_t n = 0; n < f->block_count; n++) /* blocks precede those they dominate */
        for (uint32_t k = 0; k < f->blocks[n].count; k++) {
            const spirv_insn *insn = &w->m->insns[f->blocks[n].first + k];
            if (insn->op == SPIRV_OpVariable)
                root[plan_slot(w, insn->result)] = plan_slot(w, insn->result) + 1;
            spirv_cursor cursor = spirv_operands(w->m, insn);
            spirv_operand operand;
            while (spirv_next(w->m, insn, &cursor, &operand) && operand.words)
                note_use(w, insn, operand, bad, root);
        }
    for (uint32_t n = 0; n < f->block_count; n++)
        for (uint32_t k = 0; k < f->blocks[n].count && !w->no_memory; k++) {
            const spirv_insn *insn = &w->m->insns[f->blocks[n].first + k];
            if (insn->op == SPIRV_OpVariable)
                place_variable(w, insn, bad[plan_slot(w, insn->result)]);
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
    uint32_t slot = plan_slot(w, insn->result), count = scalars_of(plan, slot);
    uint32_t loop = plan->steps.loop_of[block];
    uint32_t first = add_variables(w, to_flat_of(w->p, plan->in, insn->type));
    plan->phi[slot] = first + 1;
    for (uint32_t k = 4; k < insn->count && !w->no_memory; k += 2) {
        uint32_t from = w->m->defs[spirv_word(w->m, insn, k)].index;
        if (plan_reached(w, from))
            carry(w, plan->steps.loop_of[from],
                  plan_common_loop(w, plan->steps.loop_of[from], loop), first, count);
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
    if (w->m->defs[id].kind != SPIRV_ID_VALUE || !w->plan->promoted[plan_slot(w, id)])
        return;
    const spirv_type *type = spirv_type_of(w->m, id);
    const to_flat *flat = to_flat_of(w->p, w->plan->in, type->element);
    carry(w, w->plan->steps.loop_of[block], 0, w->plan->promoted[plan_slot(w, id)] - 1,
          flat->count);
}

static bool index_entries(planner *w) {
    const program *steps = &w->plan->steps;
    const uint32_t blocks = w->plan->function->block_count;
    w->entry = plan_room(w, blocks, sizeof *w->entry);
    w->entry_before = plan_room(w, steps->entry_count, sizeof *w->entry_before);
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
        for (uint32_t k = 0; plan_reached(w, n) && k < f->blocks[n].count && !w->no_memory; k++) {
            const spirv_insn *insn = &w->m->insns[f->blocks[n].first + k];
            if (insn->op == SPIRV_OpPhi)
                carry_phi(w, insn, n);
            else if (insn->op == SPIRV_OpStore)
                carry_stores(w, insn, n);
        }
    const to_flat *result = to_flat_of(w->p, plan->in, f->result);
    if (!result)
        return plan_complain(w, &w->m->insns[f->insn], DIAG_E_SPIRV_LIMIT,
                             "the result is too large");
    plan->result = add_variables(w, result);
    for (uint32_t n = 0; n < f->block_count && result->count; n++)
        if (plan_reached(w, n) && !f->blocks[n].target_count)
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
    plan->flag = plan_room(w, plan->steps.flag_count, sizeof *plan->flag);
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

static bool keep_lists(planner *w, step_pair *pairs, uint32_t count, uint32_t **first,
                       uint32_t **list) {
    uint32_t loops = w->plan->steps.loop_count, filled = 0, at = 0;
    *first = plan_room(w, loops + (size_t)1, sizeof **first);
    *list = plan_room(w, count, sizeof **list);
    if (w->no_memory)
        return false;
    if (count)
        qsort(pairs, count, sizeof *pairs, step_pair_order);
    for (uint32_t loop = 0; loop < loops; loop++) {
        (*first)[loop] = filled;
        for (; at < count && pairs[at].loop == loop; at++)
            if (!at || step_pair_order(&pairs[at - 1], &pairs[at]))
                (*list)[filled++] = pairs[at].what;
    }
    (*first)[loops] = filled;
    return true;
}

bool plan_variables(planner *w) {
    to_plan *plan = w->plan;
    return place_variables(w) && choose_variables(w) && choose_flags(w) &&
           keep_lists(w, w->carried, w->carried_count, &plan->carried_first, &plan->carried) &&
           keep_lists(w, w->retired, w->retired_count, &plan->retired_first, &plan->retired);
}
