/* Gives loops with several entries a single one: a dispatcher, which branches on flags.
 *
 *        p    q                 p: raise e    q                Every edge to an entry goes to the
 *        ▼    ▼                        ▼      ▼                dispatcher instead and raises the
 *        e ⇄ f          →              dispatcher ◀──┐         entry's flag. The last entry has no
 *                                      ▼      ▼      │         flag: it is taken if none is raised.
 *                                      e      f ─────┤
 *                                      └─────────────┘
 *
 * No block is copied, so convergent operations and the size of the program do not change, and
 * dominance among the original nodes is preserved. One round finds the strongly connected
 * components (Tarjan 1972) and removes their headers, so that the next round sees the inner loops:
 * one round per level of loops. Only irreducible graphs get here. */
#include "spirv/cfg.h"

#include <stdlib.h>

typedef struct mender {
    const cfg *g; /* the original graph; edges keep its numbering */
    const cfg_order *o;
    uint32_t count; /* nodes including the dispatchers so far, at most twice as many */
    uint32_t edges; /* likewise; at most one more per node and level */
    uint32_t flags;
    uint32_t *from, *to, *raises, *meant, *tests; /* by edge */
    uint32_t edge_capacity;
    uint32_t *part, *before; /* by node: its component in this round and the last; 0: removed */
    uint32_t *number, *low, *stack, *path, *at; /* by node: the search */
    uint32_t *mark; /* by node: 0: no entry of a component; 1: the last one; else its flag + 2 */
    uint32_t *entries, *dispatcher; /* by component: number of entries; its dispatcher */
    uint32_t parts, counter;
    bool no_memory;
} mender;

/* ---- Components ---- */

static void pop_part(mender *m, uint32_t root, uint32_t *height) {
    uint32_t id = ++m->parts, n, size = 0;
    do {
        n = m->stack[--*height];
        m->part[n] = id;
        size++;
    } while (n != root);
    if (size == 1) { /* a loop of one node has one entry */
        m->part[root] = 0;
        m->parts--;
    }
}

static void enter(mender *m, uint32_t n, uint32_t *depth, uint32_t *height) {
    m->path[(*depth)++] = n;
    m->stack[(*height)++] = n;
    m->number[n] = m->low[n] = ++m->counter;
    m->at[n] = m->g->first[n];
}

/* Visits real nodes only: a dispatcher is removed in the round that creates it. */
static void search(mender *m, uint32_t root) {
    uint32_t depth = 0, height = 0;
    enter(m, root, &depth, &height);
    while (depth) {
        uint32_t n = m->path[depth - 1];
        if (m->at[n] == m->g->first[n + 1]) {
            if (m->low[n] == m->number[n])
                pop_part(m, n, &height);
            if (--depth && m->low[n] < m->low[m->path[depth - 1]])
                m->low[m->path[depth - 1]] = m->low[n];
            continue;
        }
        uint32_t to = m->to[m->at[n]++];
        if (to >= m->g->count || m->before[to] != m->before[n] || m->part[to] != CFG_NONE)
            continue;
        if (!m->number[to])
            enter(m, to, &depth, &height);
        else if (m->number[to] < m->low[n])
            m->low[n] = m->number[to];
    }
}

/* part: CFG_NONE while undecided. */
static void find_parts(mender *m) {
    m->parts = m->counter = 0;
    for (uint32_t n = 0; n < m->g->count; n++) {
        m->before[n] = m->part[n];
        m->part[n] = m->before[n] ? CFG_NONE : 0;
        m->number[n] = m->mark[n] = 0;
    }
    for (uint32_t n = 0; n < m->g->count; n++)
        if (m->part[n] == CFG_NONE)
            search(m, n);
}

/* ---- Entries ---- */

static uint32_t part_of(const mender *m, uint32_t n) {
    return n < m->g->count ? m->part[n] : 0;
}

static bool enters(const mender *m, uint32_t e) {
    uint32_t part = part_of(m, m->to[e]), from = m->from[e];
    bool reached = from >= m->g->count || cfg_reachable(m->o, from);
    return part && reached && part_of(m, from) != part;
}

static void mark_entries(mender *m) {
    for (uint32_t k = 0; k <= m->parts; k++)
        m->entries[k] = 0;
    for (uint32_t e = 0; e < m->edges; e++)
        if (enters(m, e) && !m->mark[m->to[e]]) {
            m->mark[m->to[e]] = 1;
            m->entries[m->part[m->to[e]]]++;
        }
}

static void add_edge(mender *m, uint32_t from, uint32_t to, uint32_t tests) {
    if (m->edges == m->edge_capacity) {
        uint32_t want = m->edge_capacity * 2 + 1;
        uint32_t **lists[] = {&m->from, &m->to, &m->raises, &m->meant, &m->tests};
        for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++) {
            uint32_t *bigger = realloc(*lists[k], (size_t)want * sizeof *bigger);
            if (!bigger) {
                m->no_memory = true;
                return;
            }
            *lists[k] = bigger;
        }
        m->edge_capacity = want;
    }
    m->from[m->edges] = from;
    m->to[m->edges] = m->meant[m->edges] = to;
    m->tests[m->edges] = tests;
    m->raises[m->edges++] = CFG_NONE;
}

/* A component with one entry has it as its header; several entries get flags. */
static void make_dispatchers(mender *m, uint32_t edges) {
    for (uint32_t k = 1; k <= m->parts; k++)
        m->dispatcher[k] = m->entries[k] > 1 ? m->count++ : CFG_NONE;
    for (uint32_t n = 0; n < m->g->count; n++) {
        uint32_t part = m->part[n];
        if (!m->mark[n])
            continue;
        if (m->dispatcher[part] == CFG_NONE) {
            m->part[n] = 0;
            m->mark[n] = 0;
        } else {
            bool last = --m->entries[part] == 0;
            add_edge(m, m->dispatcher[part], n, last ? CFG_NONE : m->flags);
            m->mark[n] = last ? 1 : m->flags++ + 2;
        }
    }
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t to = m->to[e], mark = to < m->g->count ? m->mark[to] : 0;
        if (mark) {
            m->raises[e] = mark > 1 ? mark - 2 : CFG_NONE;
            m->to[e] = m->dispatcher[m->part[to]];
        }
    }
}

/* ---- The whole graph ---- */

static bool start(mender *m) {
    size_t n = 2 * (size_t)m->g->count + 8;
    uint32_t **lists[] = {&m->part, &m->before, &m->number, &m->low,     &m->stack,
                          &m->path, &m->at,     &m->mark,   &m->entries, &m->dispatcher,
                          &m->from, &m->to,     &m->raises, &m->meant,   &m->tests};
    m->edge_capacity = m->g->first[m->g->count] + 8;
    for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
        if (!(*lists[k] = calloc(k < 10 ? n : m->edge_capacity, sizeof(uint32_t))))
            return false;
    m->count = m->g->count;
    for (uint32_t from = 0; from < m->g->count; from++)
        for (uint32_t e = m->g->first[from]; e < m->g->first[from + 1]; e++)
            add_edge(m, from, m->g->to[e], CFG_NONE);
    for (uint32_t k = 0; k < m->o->count; k++)
        m->part[m->o->node[k]] = 1;
    return true;
}

static void finish(mender *m) {
    uint32_t *lists[] = {m->part, m->before, m->number, m->low,     m->stack,
                         m->path, m->at,     m->mark,   m->entries, m->dispatcher,
                         m->from, m->to,     m->raises, m->meant,   m->tests};
    for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
        free(lists[k]);
}

/* Sorts the edges by node again: those of real nodes already are, those of dispatchers follow. */
static bool write_back(const mender *m, cfg *g, arena *memory) {
    uint32_t *first = arena_alloc(memory, ((size_t)m->count + 1) * sizeof *first);
    uint32_t *to = arena_alloc(memory, (m->edges + (size_t)1) * sizeof *to);
    uint32_t *raises = arena_alloc(memory, (m->edges + (size_t)1) * sizeof *raises);
    uint32_t *meant = arena_alloc(memory, (m->edges + (size_t)1) * sizeof *meant);
    uint32_t *tests = arena_alloc(memory, (m->edges + (size_t)1) * sizeof *tests);
    uint8_t *flags = arena_alloc(memory, m->count);
    if (!first || !to || !raises || !meant || !tests || !flags)
        return false;
    for (uint32_t e = 0; e < m->edges; e++)
        first[m->from[e] + 1]++;
    for (uint32_t n = 0; n < m->count; n++)
        first[n + 1] += first[n];
    uint32_t *next = m->at; /* of 2 * count + 8 */
    for (uint32_t n = 0; n < m->count; n++)
        next[n] = first[n];
    for (uint32_t e = 0; e < m->edges; e++) {
        uint32_t place = next[m->from[e]]++;
        to[place] = m->to[e];
        raises[place] = m->raises[e];
        meant[place] = m->meant[e];
        tests[place] = m->tests[e];
    }
    for (uint32_t n = 0; n < g->count; n++)
        flags[n] = g->flags[n];
    *g = (cfg){.count = m->count,
               .first = first,
               .to = to,
               .flags = flags,
               .real = g->count,
               .raises = raises,
               .meant = meant,
               .tests = tests,
               .flag_count = m->flags};
    return true;
}

static bool is_reducible(const cfg *g, const cfg_order *o) {
    for (uint32_t k = 0; k < o->count; k++)
        for (uint32_t n = o->node[k], e = g->first[n]; e < g->first[n + 1]; e++)
            if (cfg_goes_back(o, n, g->to[e]) && !cfg_dominates(o, g->to[e], n))
                return false;
    return true;
}

cfg_result cfg_make_reducible(cfg *g, const cfg_order *o, arena *memory) {
    mender m = {.g = g, .o = o};
    g->real = g->count;
    if (is_reducible(g, o))
        return CFG_OK;
    bool ok = start(&m);
    unsigned rounds = 0;
    while (ok && !m.no_memory && ++rounds <= CFG_MOST_LOOPS) {
        find_parts(&m);
        if (!m.parts)
            break;
        mark_entries(&m);
        make_dispatchers(&m, m.edges);
    }
    ok = ok && !m.no_memory && (rounds > CFG_MOST_LOOPS || write_back(&m, g, memory));
    finish(&m);
    return !ok ? CFG_NO_MEMORY : rounds > CFG_MOST_LOOPS ? CFG_TOO_DEEP : CFG_OK;
}
