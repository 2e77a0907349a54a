/* Reverse postorder, predecessors and dominators: the algorithm of Lengauer and Tarjan ("A Fast
 * Algorithm for Finding Dominators in a Flowgraph", 1979) with path compression, n log n. */
#include "spirv/cfg.h"

#include <stdlib.h>

static uint32_t *numbers(arena *memory, size_t count) {
    return arena_alloc(memory, (count + 1) * sizeof(uint32_t));
}

/* ---- Depth-first order ---- */

/* The working state of the algorithm; nodes are identified by their preorder number. */
typedef struct tree {
    const cfg *g;
    uint32_t count;
    uint32_t *number; /* by node, plus 1; 0: not seen */
    uint32_t *node, *parent, *semi, *label, *ancestor, *idom;
    uint32_t *bucket, *next; /* lists of nodes by semidominator, numbers plus 1 */
    uint32_t *stack, *edge;
} tree;

static bool tree_alloc(tree *t, const cfg *g) {
    size_t n = g->count;
    uint32_t *room = calloc(11 * n + 11, sizeof *room);
    if (!room)
        return false;
    uint32_t **lists[11] = {&t->number, &t->node,     &t->parent, &t->semi, &t->label, &t->idom,
                            &t->bucket, &t->ancestor, &t->next,   &t->edge, &t->stack};
    for (unsigned k = 0; k < 11; k++)
        *lists[k] = room + k * n;
    t->g = g;
    t->count = 0;
    return true;
}

static void visit(tree *t, uint32_t node, uint32_t parent) {
    uint32_t n = t->count++;
    t->number[node] = n + 1;
    t->node[n] = node;
    t->parent[n] = parent;
    t->semi[n] = t->label[n] = n;
}

/* Moves the node CFG_LAST to the end: without successors, it may be anywhere after its
 * predecessors. */
static void put_last(const cfg *g, cfg_order *o) {
    uint32_t found = o->count;
    for (uint32_t k = 0; k < o->count; k++) {
        if (g->flags[o->node[k]] & CFG_LAST)
            found = k;
        else if (k > found) {
            uint32_t n = o->node[k];
            o->node[k] = o->node[k - 1];
            o->node[k - 1] = n;
        }
    }
}

/* Numbers the nodes in preorder and fills o->node in reverse postorder. Successors are visited from
 * last to first, so that the first successor comes first in that order. */
static void depth_first(tree *t, cfg_order *o) {
    const cfg *g = t->g;
    uint32_t height = 0, left = g->count;
    visit(t, 0, 0);
    t->stack[height++] = 0;
    t->edge[0] = g->first[1];
    while (height) {
        uint32_t node = t->stack[height - 1];
        if (t->edge[node] > g->first[node]) {
            uint32_t to = g->to[--t->edge[node]];
            if (!t->number[to]) {
                visit(t, to, t->number[node] - 1);
                t->edge[to] = g->first[to + 1];
                t->stack[height++] = to;
            }
        } else {
            o->node[--left] = node;
            height--;
        }
    }
    o->count = t->count;
    for (uint32_t k = 0; k < o->count; k++)
        o->node[k] = o->node[left + k];
    put_last(g, o);
    for (uint32_t n = 0; n < g->count; n++)
        o->place[n] = CFG_NONE;
    for (uint32_t k = 0; k < o->count; k++)
        o->place[o->node[k]] = k;
}

static void find_predecessors(cfg_order *o, const cfg *g) {
    uint32_t *at = o->pred_first;
    for (uint32_t k = 0; k < o->count; k++)
        for (uint32_t n = o->node[k], e = g->first[n]; e < g->first[n + 1]; e++)
            at[g->to[e] + 1]++;
    for (uint32_t n = 0; n < g->count; n++)
        at[n + 1] += at[n];
    uint32_t total = at[g->count];
    for (uint32_t k = o->count; k-- > 0;) /* fills each list from its end */
        for (uint32_t n = o->node[k], e = g->first[n]; e < g->first[n + 1]; e++)
            o->pred[--at[g->to[e] + 1]] = n;
    /* Every entry is now the start of its own list: shift by one. */
    for (uint32_t n = 0; n < g->count; n++)
        at[n] = at[n + 1];
    at[g->count] = total;
}

/* ---- Dominators ---- */

/* The node with the smallest semidominator on the way to the root of the forest. */
static uint32_t evaluate(tree *t, uint32_t v) {
    uint32_t height = 0;
    if (!t->ancestor[v])
        return v;
    for (uint32_t u = v; t->ancestor[t->ancestor[u] - 1]; u = t->ancestor[u] - 1)
        t->stack[height++] = u;
    while (height) { /* from the top down: path compression */
        uint32_t u = t->stack[--height], above = t->ancestor[u] - 1;
        if (t->semi[t->label[above]] < t->semi[t->label[u]])
            t->label[u] = t->label[above];
        t->ancestor[u] = t->ancestor[above];
    }
    return t->label[v];
}

static void find_semidominator(tree *t, const cfg_order *o, uint32_t w) {
    uint32_t node = t->node[w];
    for (uint32_t k = o->pred_first[node]; k < o->pred_first[node + 1]; k++) {
        uint32_t u = evaluate(t, t->number[o->pred[k]] - 1);
        if (t->semi[u] < t->semi[w])
            t->semi[w] = t->semi[u];
    }
    t->next[w] = t->bucket[t->semi[w]];
    t->bucket[t->semi[w]] = w + 1;
    t->ancestor[w] = t->parent[w] + 1;
}

static void find_dominators(tree *t, const cfg_order *o) {
    for (uint32_t w = t->count; w-- > 1;) {
        find_semidominator(t, o, w);
        uint32_t parent = t->parent[w];
        for (uint32_t v = t->bucket[parent]; v; v = t->next[v - 1]) {
            uint32_t u = evaluate(t, v - 1);
            t->idom[v - 1] = t->semi[u] < t->semi[v - 1] ? u : parent;
        }
        t->bucket[parent] = 0;
    }
    for (uint32_t w = 1; w < t->count; w++)
        if (t->idom[w] != t->semi[w])
            t->idom[w] = t->idom[t->idom[w]];
    for (uint32_t w = 0; w < t->count; w++)
        o->idom[t->node[w]] = t->node[t->idom[w]];
}

/* Numbers the dominator tree so that a subtree is a range. */
static void number_subtrees(cfg_order *o) {
    for (uint32_t k = o->count; k-- > 0;) {
        uint32_t n = o->node[k];
        o->size[n]++;
        if (k)
            o->size[o->idom[n]] += o->size[n];
    }
    for (uint32_t k = 1; k < o->count; k++) {
        uint32_t n = o->node[k], parent = o->idom[n];
        o->enter[n] = o->enter[parent] + 1 + o->taken[parent];
        o->taken[parent] += o->size[n];
    }
}

bool cfg_find_order(cfg_order *o, const cfg *g, arena *memory) {
    tree t;
    uint32_t **lists[] = {&o->node, &o->place, &o->idom, &o->enter, &o->size, &o->taken};
    for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
        if (!(*lists[k] = numbers(memory, g->count)))
            return false;
    o->pred_first = numbers(memory, (size_t)g->count + 1);
    o->pred = numbers(memory, g->first[g->count]);
    if (!o->pred_first || !o->pred || !tree_alloc(&t, g))
        return false;
    depth_first(&t, o);
    find_predecessors(o, g);
    find_dominators(&t, o);
    number_subtrees(o);
    free(t.number);
    return true;
}
