/* The loop nest of a reducible graph, from the inside out: Havlak's algorithm ("Nesting of
 * Reducible and Irreducible Loops", 1997) with union-find, which collapses each loop found into one
 * node, its header. */
#include "spirv/cfg.h"

typedef struct finder {
    const cfg *g;
    const cfg_order *o;
    cfg_loops *l;
    uint32_t *inside; /* by node: the header it was merged into; itself at first */
    uint32_t *list;   /* nodes of the loop that are not yet processed */
    uint32_t count;
} finder;

static uint32_t find(finder *f, uint32_t n) {
    uint32_t root = n;
    while (f->inside[root] != root)
        root = f->inside[root];
    while (f->inside[n] != root) {
        uint32_t next = f->inside[n];
        f->inside[n] = root;
        n = next;
    }
    return root;
}

static void add(finder *f, uint32_t n, uint32_t header, uint32_t loop) {
    n = find(f, n);
    if (n == header)
        return;
    f->inside[n] = header;
    if (f->l->of[n]) /* the header of a loop, which is nested in this one */
        f->l->parent[f->l->of[n]] = loop;
    else
        f->l->of[n] = loop;
    f->list[f->count++] = n;
}

static void add_predecessors(finder *f, uint32_t n, uint32_t header, uint32_t loop, bool back) {
    const cfg_order *o = f->o;
    for (uint32_t k = o->pred_first[n]; k < o->pred_first[n + 1]; k++)
        if (cfg_goes_back(o, o->pred[k], n) == back)
            add(f, o->pred[k], header, loop);
}

static bool is_header(const cfg_order *o, uint32_t n) {
    for (uint32_t k = o->pred_first[n]; k < o->pred_first[n + 1]; k++)
        if (cfg_goes_back(o, o->pred[k], n))
            return true;
    return false;
}

/* Back edges to inner headers need not be followed: their loops are already collapsed. */
static void find_loop(finder *f, uint32_t header) {
    uint32_t loop = f->l->count++;
    f->l->header[loop] = header;
    f->count = 0;
    add_predecessors(f, header, header, loop, true);
    while (f->count)
        add_predecessors(f, f->list[--f->count], header, loop, false);
    f->l->of[header] = loop;
}

static bool find_depths(cfg_loops *l) {
    for (uint32_t k = l->count; k-- > 1;) { /* outer loops were found last */
        l->depth[k] = l->depth[l->parent[k]] + 1;
        if (l->depth[k] > CFG_MOST_LOOPS)
            return false;
    }
    return true;
}

cfg_result cfg_find_loops(cfg_loops *l, const cfg *g, const cfg_order *o, arena *memory) {
    finder f = {.g = g, .o = o, .l = l};
    uint32_t **lists[] = {&l->of, &l->header, &l->parent, &l->depth, &f.inside, &f.list};
    for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
        if (!(*lists[k] = arena_alloc(memory, ((size_t)g->count + 1) * sizeof(uint32_t))))
            return CFG_NO_MEMORY;
    l->count = 1;
    for (uint32_t n = 0; n < g->count; n++)
        f.inside[n] = n;
    for (uint32_t k = o->count; k-- > 0;)
        if (is_header(o, o->node[k]))
            find_loop(&f, o->node[k]);
    return find_depths(l) ? CFG_OK : CFG_TOO_DEEP;
}

uint32_t cfg_common_loop(const uint32_t *parent, const uint32_t *depth, uint32_t a, uint32_t b) {
    while (a != b) {
        if (depth[a] >= depth[b])
            a = parent[a];
        else
            b = parent[b];
    }
    return a;
}

uint32_t cfg_loop_left(const cfg_loops *l, uint32_t a, uint32_t b) {
    uint32_t common = cfg_common_loop(l->parent, l->depth, l->of[a], l->of[b]), loop = l->of[a];
    while (loop != common && l->parent[loop] != common)
        loop = l->parent[loop];
    return loop == common ? 0 : loop;
}
