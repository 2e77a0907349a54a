/* From a graph to a program of ifs and loops, guided by the dominator tree: Ramsey's "Beyond
 * Relooper" (2022), adapted to a target without labels.
 *
 * A node with a single predecessor is emitted at that edge. A node where edges meet follows the
 * code of its dominator, as an item of a list in reverse postorder; edges to it fall out of the
 * enclosing ifs. If an edge falls past an item, that item is guarded by a flag:
 *
 *     a: if c goto d              lower c                      a loop:  lower leave
 *     b: if d goto d              if a's condition { }                  loop {
 *     c: …                        else { b; if …{ } else {                loop { … raise leave;
 *     d: …                 →                raise c } }            break … }
 *                                 if c { c }                           if leave { break } … }
 *                                 d
 *
 * A node outside a loop whose dominator is inside follows the loop, so that lanes reconverge there.
 * Only a short node without convergent operations, at one of several exits, stays at its exit. An
 * edge out of several loops raises the flag `leave` of each inner loop, which is tested after that
 * loop; `again` continues with the next iteration of an outer loop. */
#include "spirv/cfg.h"

#include <stdlib.h>

enum {
    LONGEST_INSIDE = 4, /* nodes that may stay inside a loop they leave */
    LONGEST_CHAIN = 8,  /* cases of a switch that nest; a longer switch becomes a sequence */
    DEEP_ENOUGH = 4     /* from this depth on, the end of a kernel is copied to its branches */
};

typedef enum action_kind {
    ACT_NODE,
    ACT_BODY,
    ACT_BRANCH, /* edge and the ones after it */
    ACT_FLAT,   /* the same, each under its own condition */
    ACT_EDGE,
    ACT_ITEM,
    ACT_ELSE,
    ACT_END_IF,
    ACT_END_LOOP
} action_kind;

typedef struct action {
    uint8_t kind;
    uint32_t node, edge;
} action;

typedef struct writer {
    const cfg *g;
    const cfg_order *o;
    const cfg_loops *l;
    program *p;
    bool no_memory;
    step *steps;
    uint32_t step_count, step_capacity;
    action *actions; /* a stack of actions still to do */
    uint32_t action_count, action_capacity;
    step_pair *carried;
    uint32_t carried_count, carried_capacity;
    uint32_t loop, depth; /* the writer's current position */

    bool *stays;          /* by node: has a single predecessor and is emitted at that edge */
    uint32_t *items;      /* first item after a node; after loop l: [count + l]; plus 1 */
    uint32_t *next_item;  /* by node; plus 1 */
    uint32_t *item_loop;  /* by node: the loop that contains its list */
    uint32_t *pending;    /* a stack of the items to come */
    uint32_t *pending_at; /* by node: its index there */
    uint32_t *skips;      /* by index there: the lowest index that an edge falls to from here */
    uint32_t pending_count;
    uint32_t *height; /* by loop: pending_count before its body */
    bool *used;       /* by flag */
} writer;

static uint32_t leave_flag(const writer *w, uint32_t loop) {
    return w->g->count + loop;
}

static uint32_t again_flag(const writer *w, uint32_t loop) {
    return w->g->count + w->l->count + loop;
}

static uint32_t dispatch_flag(const writer *w, uint32_t flag) {
    return w->g->count + 2 * w->l->count + flag;
}

/* ---- Lists ---- */

static void *room(writer *w, void *list, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity || w->no_memory)
        return list;
    uint32_t want = *capacity ? *capacity * 2 : 64;
    void *bigger = realloc(list, want * size);
    if (!bigger) {
        w->no_memory = true;
        return list;
    }
    *capacity = want;
    return bigger;
}

static void put(writer *w, step_kind kind, uint32_t node, uint32_t edge) {
    w->steps = room(w, w->steps, w->step_count, &w->step_capacity, sizeof *w->steps);
    if (!w->no_memory)
        w->steps[w->step_count++] = (step){(uint8_t)kind, node, edge};
}

static void plan(writer *w, action_kind kind, uint32_t node, uint32_t edge) {
    w->actions = room(w, w->actions, w->action_count, &w->action_capacity, sizeof *w->actions);
    if (!w->no_memory)
        w->actions[w->action_count++] = (action){(uint8_t)kind, node, edge};
}

/* A flag that is raised in loops and tested outside them: carried from `loop` to the outermost
 * one. */
static void carry(writer *w, uint32_t flag, uint32_t loop, uint32_t outermost) {
    for (;; loop = w->p->loop_parent[loop]) {
        w->carried =
            room(w, w->carried, w->carried_count, &w->carried_capacity, sizeof *w->carried);
        if (w->no_memory)
            return;
        w->carried[w->carried_count++] = (step_pair){loop, flag};
        if (loop == outermost)
            return;
    }
}

/* ---- Placement of nodes ---- */

static uint32_t ways_in(const cfg_order *o, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t k = o->pred_first[n]; k < o->pred_first[n + 1]; k++)
        count += !cfg_goes_back(o, o->pred[k], n);
    return count;
}

/* Counts the edges that leave each loop. */
static void count_exits(const writer *w, uint32_t *exits) {
    const cfg_loops *l = w->l;
    for (uint32_t k = 0; k < w->o->count; k++)
        for (uint32_t n = w->o->node[k], e = w->g->first[n]; e < w->g->first[n + 1]; e++) {
            uint32_t common = cfg_common_loop(l->parent, l->depth, l->of[n], l->of[w->g->to[e]]);
            for (uint32_t loop = l->of[n]; loop != common; loop = l->parent[loop])
                exits[loop]++;
        }
}

/* Whether a node after loops may be placed inside them, at its only incoming edge. */
static bool may_stay(const writer *w, uint32_t n, const uint32_t *exits, const bool *heavy) {
    const cfg_loops *l = w->l;
    uint32_t from = l->of[w->o->idom[n]];
    uint32_t common = cfg_common_loop(l->parent, l->depth, from, l->of[n]);
    if (from == common)
        return true;
    for (uint32_t loop = from; loop != common; loop = l->parent[loop])
        if (exits[loop] < 2)
            return false;
    return w->o->size[n] <= LONGEST_INSIDE && !heavy[n];
}

static bool has_edge_back(const writer *w, uint32_t n) {
    for (uint32_t e = w->g->first[n]; e < w->g->first[n + 1]; e++)
        if (cfg_goes_back(w->o, n, w->g->to[e]))
            return true;
    return false;
}

/* heavy: the dominator subtree contains a loop, the end of one or a convergent operation. */
static void find_heavy(const writer *w, bool *heavy) {
    for (uint32_t k = w->o->count; k-- > 0;) {
        uint32_t n = w->o->node[k];
        if (w->g->flags[n] & CFG_CONVERGENT || w->l->header[w->l->of[n]] == n ||
            has_edge_back(w, n))
            heavy[n] = true;
        if (heavy[n])
            heavy[w->o->idom[n]] = true;
    }
}

static void place_nodes(writer *w, uint32_t *exits, bool *heavy) {
    count_exits(w, exits);
    find_heavy(w, heavy);
    for (uint32_t k = w->o->count; k-- > 1;) { /* so that lists ascend */
        uint32_t n = w->o->node[k];
        w->stays[n] = ways_in(w->o, n) == 1 && may_stay(w, n, exits, heavy);
        if (w->stays[n])
            continue;
        uint32_t loop = cfg_loop_left(w->l, w->o->idom[n], n);
        uint32_t *list = &w->items[loop ? w->g->count + loop : w->o->idom[n]];
        w->next_item[n] = *list;
        *list = n + 1;
    }
}

/* ---- Items ---- */

static void push_items(writer *w, uint32_t first) {
    uint32_t from = w->pending_count;
    for (uint32_t n = first; n; n = w->next_item[n - 1])
        w->pending[w->pending_count++] = n - 1;
    for (uint32_t a = from, b = w->pending_count; a + 1 < b;) { /* reverses: a stack */
        uint32_t n = w->pending[a];
        w->pending[a++] = w->pending[--b];
        w->pending[b] = n;
    }
    for (uint32_t k = from; k < w->pending_count; k++) {
        uint32_t n = w->pending[k];
        w->pending_at[n] = w->skips[k] = k;
        w->item_loop[n] = w->loop;
        put(w, STEP_LOWER, n, 0);
        for (uint32_t e = w->g->first[n]; n >= w->g->real && e + 1 < w->g->first[n + 1]; e++)
            put(w, STEP_LOWER, dispatch_flag(w, w->g->tests[e]), 0);
        plan(w, ACT_ITEM, n, 0);
    }
}

/* An edge falls from the height to an item: those above it are skipped. */
static void fall(writer *w, uint32_t height, uint32_t item) {
    uint32_t to = w->pending_at[item];
    if (height && w->skips[height - 1] > to)
        w->skips[height - 1] = to;
}

static void write_item(writer *w, uint32_t n) {
    uint32_t at = --w->pending_count, to = w->skips[at];
    bool guarded = to < at;
    if (guarded && w->skips[at - 1] > to)
        w->skips[at - 1] = to;
    if (guarded) {
        w->used[n] = true;
        put(w, STEP_IF_FLAG, n, 0);
        w->depth++;
        plan(w, ACT_END_IF, 0, 0);
    }
    plan(w, ACT_NODE, n, 0);
}

/* ---- Edges ---- */

static bool is_back(const writer *w, uint32_t from, uint32_t to) {
    return cfg_goes_back(w->o, from, to);
}

static bool ends_kernel(const writer *w, uint32_t n) {
    return w->g->flags[n] & CFG_EMPTY && (w->loop || w->depth >= DEEP_ENOUGH);
}

/* Whether the edge directly leaves its region, without any other node. */
static bool leaves(const writer *w, uint32_t from, uint32_t edge) {
    uint32_t to = w->g->to[w->g->first[from] + edge];
    if (is_back(w, from, to))
        return true;
    return ends_kernel(w, to) || (!w->stays[to] && w->item_loop[to] != w->loop);
}

/* Raises the flags that lead out of all loops inside `loop`; returns the outermost of them. */
static uint32_t raise_leaves(writer *w, uint32_t loop) {
    uint32_t last = w->loop;
    for (; w->p->loop_parent[last] != loop; last = w->p->loop_parent[last]) {
        w->used[leave_flag(w, last)] = true;
        put(w, STEP_RAISE, leave_flag(w, last), 0);
        carry(w, leave_flag(w, last), w->loop, last);
    }
    return last;
}

static void go_back(writer *w, uint32_t header) {
    uint32_t loop = w->l->of[header];
    if (loop == w->loop) {
        put(w, STEP_CONTINUE, 0, 0);
        return;
    }
    uint32_t last = raise_leaves(w, loop);
    w->used[again_flag(w, last)] = true;
    put(w, STEP_RAISE, again_flag(w, last), 0);
    carry(w, again_flag(w, last), w->loop, last);
    put(w, STEP_BREAK, 0, 0);
}

/* flag: the dispatcher flag that the edge has raised, or CFG_NONE. */
static void go_to_item(writer *w, uint32_t n, uint32_t flag) {
    put(w, STEP_RAISE, n, 0);
    if (w->item_loop[n] == w->loop) {
        fall(w, w->pending_count, n);
        return;
    }
    uint32_t last = raise_leaves(w, w->item_loop[n]);
    carry(w, n, w->loop, last);
    if (flag != CFG_NONE)
        carry(w, flag, w->loop, last);
    fall(w, w->height[last], n);
    put(w, STEP_BREAK, 0, 0);
}

static void write_edge(writer *w, uint32_t n, uint32_t edge) {
    uint32_t e = w->g->first[n] + edge, to = w->g->to[e];
    if (n < w->g->real)
        put(w, STEP_EDGE, n, edge);
    uint32_t flag = CFG_NONE;
    if (w->g->raises && w->g->raises[e] != CFG_NONE) {
        flag = dispatch_flag(w, w->g->raises[e]);
        put(w, STEP_RAISE, flag, 0);
        if (is_back(w, n, to))
            carry(w, flag, w->loop, w->l->of[to]);
    }
    if (is_back(w, n, to))
        go_back(w, to);
    else if (ends_kernel(w, to))
        put(w, STEP_END, to, 0);
    else if (w->stays[to])
        plan(w, ACT_NODE, to, 0);
    else
        go_to_item(w, to, flag);
}

/* ---- Branches ---- */

static void open_if(writer *w, uint32_t n, uint32_t edge) {
    w->depth++;
    if (n < w->g->real) {
        put(w, STEP_IF, n, edge);
        return;
    }
    uint32_t flag = dispatch_flag(w, w->g->tests[w->g->first[n] + edge]);
    put(w, STEP_IF_FLAG, flag, 0);
    put(w, STEP_LOWER, flag, 0);
}

static void write_branch(writer *w, uint32_t n, uint32_t edge) {
    uint32_t left = w->g->first[n + 1] - w->g->first[n] - edge;
    if (left == 1) {
        write_edge(w, n, edge);
        return;
    }
    bool second = left == 2 && n < w->g->real && !leaves(w, n, edge) && leaves(w, n, edge + 1);
    if (second || leaves(w, n, edge)) {
        open_if(w, n, edge + second);
        if (second)
            plan(w, ACT_EDGE, n, edge);
        else
            plan(w, ACT_BRANCH, n, edge + 1);
        plan(w, ACT_END_IF, 0, 0);
        plan(w, ACT_EDGE, n, edge + second);
        return;
    }
    open_if(w, n, edge);
    plan(w, ACT_END_IF, 0, 0);
    plan(w, ACT_BRANCH, n, edge + 1);
    plan(w, ACT_ELSE, 0, 0);
    plan(w, ACT_EDGE, n, edge);
}

static void write_flat(writer *w, uint32_t n, uint32_t edge) {
    open_if(w, n, edge);
    if (w->g->first[n] + edge + 1 < w->g->first[n + 1])
        plan(w, ACT_FLAT, n, edge + 1);
    plan(w, ACT_END_IF, 0, 0);
    plan(w, ACT_EDGE, n, edge);
}

/* ---- Nodes ---- */

static void write_body(writer *w, uint32_t n) {
    uint32_t count = w->g->first[n + 1] - w->g->first[n];
    push_items(w, w->items[n]);
    w->p->loop_of[n] = w->loop;
    if (n < w->g->real)
        put(w, STEP_BLOCK, n, 0);
    if (!count)
        put(w, STEP_END, n, 0);
    else if (count > LONGEST_CHAIN && n < w->g->real)
        plan(w, ACT_FLAT, n, 0);
    else
        plan(w, ACT_BRANCH, n, 0);
}

static void write_node(writer *w, uint32_t n) {
    uint32_t loop = w->l->of[n];
    if (!loop || w->l->header[loop] != n) {
        plan(w, ACT_BODY, n, 0);
        return;
    }
    push_items(w, w->items[w->g->count + loop]);
    put(w, STEP_LOWER, leave_flag(w, loop), 0);
    put(w, STEP_LOWER, again_flag(w, loop), 0);
    put(w, STEP_LOOP, loop, 0);
    w->p->loop_parent[loop] = w->loop;
    w->p->loop_header[loop] = n;
    w->height[loop] = w->pending_count;
    w->loop = loop;
    w->depth++;
    for (uint32_t e = w->g->first[n]; n >= w->g->real && e + 1 < w->g->first[n + 1]; e++)
        carry(w, dispatch_flag(w, w->g->tests[e]), loop, loop);
    plan(w, ACT_END_LOOP, loop, 0);
    plan(w, ACT_BODY, n, 0);
}

static void write_leaving(writer *w, uint32_t flag, step_kind kind) {
    if (!w->used[flag])
        return;
    put(w, STEP_IF_FLAG, flag, 0);
    put(w, kind, 0, 0);
    put(w, STEP_END_IF, 0, 0);
}

static void end_loop(writer *w, uint32_t loop) {
    put(w, STEP_END_LOOP, loop, 0);
    w->loop = w->p->loop_parent[loop];
    w->depth--;
    write_leaving(w, leave_flag(w, loop), STEP_BREAK);
    write_leaving(w, again_flag(w, loop), STEP_CONTINUE);
}

static void act(writer *w, action a) {
    switch ((action_kind)a.kind) {
    case ACT_NODE: write_node(w, a.node); break;
    case ACT_BODY: write_body(w, a.node); break;
    case ACT_BRANCH: write_branch(w, a.node, a.edge); break;
    case ACT_FLAT: write_flat(w, a.node, a.edge); break;
    case ACT_EDGE: write_edge(w, a.node, a.edge); break;
    case ACT_ITEM: write_item(w, a.node); break;
    case ACT_ELSE: put(w, STEP_ELSE, 0, 0); break;
    case ACT_END_IF:
        put(w, STEP_END_IF, 0, 0);
        w->depth--;
        break;
    case ACT_END_LOOP: end_loop(w, a.node); break;
    }
}

/* ---- The program ---- */

int step_pair_order(const void *a, const void *b) {
    const step_pair *x = a, *y = b;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    return (x->what > y->what) - (x->what < y->what);
}

/* Removes steps on flags that nothing tests, and duplicate pairs. */
static bool keep(writer *w, arena *memory) {
    program *p = w->p;
    p->steps = arena_alloc(memory, (w->step_count + (size_t)1) * sizeof *p->steps);
    p->carried = arena_alloc(memory, (w->carried_count + (size_t)1) * sizeof *p->carried);
    if (!p->steps || !p->carried || w->no_memory)
        return false;
    for (uint32_t k = 0; k < w->step_count; k++) {
        step s = w->steps[k];
        if ((s.kind != STEP_RAISE && s.kind != STEP_LOWER) || w->used[s.node])
            p->steps[p->count++] = s;
    }
    if (w->carried_count)
        qsort(w->carried, w->carried_count, sizeof *w->carried, step_pair_order);
    for (uint32_t k = 0; k < w->carried_count; k++)
        if (w->used[w->carried[k].what] &&
            (!k || step_pair_order(&w->carried[k - 1], &w->carried[k])))
            p->carried[p->carried_count++] = w->carried[k];
    return true;
}

static bool find_entries(const writer *w, arena *memory) {
    const cfg *g = w->g;
    uint32_t count = g->first[g->count] - g->first[g->real];
    w->p->entries = arena_alloc(memory, (count + (size_t)1) * sizeof *w->p->entries);
    if (!w->p->entries)
        return false;
    for (uint32_t n = g->real; n < g->count; n++)
        for (uint32_t e = g->first[n]; e < g->first[n + 1]; e++)
            w->p->entries[w->p->entry_count++] = (step_pair){w->l->of[n], g->meant[e]};
    return true;
}

static bool prepare(writer *w, arena *memory) {
    size_t nodes = (size_t)w->g->count + 1, loops = w->l->count;
    uint32_t **lists[] = {&w->next_item, &w->item_loop,     &w->pending,    &w->pending_at,
                          &w->skips,     &w->height,        &w->p->loop_of, &w->p->loop_parent,
                          &w->items,     &w->p->loop_header};
    for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
        if (!(*lists[k] = arena_alloc(memory, (nodes + loops) * sizeof(uint32_t))))
            return false;
    w->p->first_dispatch = dispatch_flag(w, 0);
    w->p->flag_count = dispatch_flag(w, w->g->flag_count);
    w->p->loop_count = w->l->count;
    w->stays = arena_alloc(memory, nodes);
    w->used = arena_alloc(memory, w->p->flag_count);
    for (uint32_t k = 0; w->used && k < w->g->flag_count; k++)
        w->used[dispatch_flag(w, k)] = true;
    return w->stays && w->used;
}

static cfg_result write_program(writer *w, arena *memory) {
    uint32_t *exits = arena_alloc(memory, w->l->count * sizeof *exits);
    bool *heavy = arena_alloc(memory, w->g->count);
    if (!exits || !heavy || !prepare(w, memory) || !find_entries(w, memory))
        return CFG_NO_MEMORY;
    place_nodes(w, exits, heavy);
    plan(w, ACT_NODE, 0, 0);
    while (w->action_count && !w->no_memory)
        act(w, w->actions[--w->action_count]);
    return keep(w, memory) ? CFG_OK : CFG_NO_MEMORY;
}

cfg_result structure(program *p, cfg *g, arena *memory) {
    cfg_loops loops = {0};
    *p = (program){0};
    if (!cfg_find_order(&p->order, g, memory))
        return CFG_NO_MEMORY;
    cfg_result result = cfg_make_reducible(g, &p->order, memory);
    if (result == CFG_OK && g->real < g->count && !cfg_find_order(&p->order, g, memory))
        result = CFG_NO_MEMORY;
    if (result == CFG_OK)
        result = cfg_find_loops(&loops, g, &p->order, memory);
    if (result != CFG_OK)
        return result;
    writer w = {.g = g, .o = &p->order, .l = &loops, .p = p};
    result = write_program(&w, memory);
    free(w.steps);
    free(w.actions);
    free(w.carried);
    return result;
}
