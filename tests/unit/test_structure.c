/* Structuring of control flow graphs. The oracle is the graph itself: the edge taken at each visit
 * of a node is a function of the seed and the number of visits, so the sequence of nodes is known,
 * and the program must have the same one. Flags behave like SSA variables: those that a loop does
 * not carry are lost at the end of its body. */
#include "spirv/cfg.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VISITS = 400, MOST_NODES = 40, MOST_EDGES = MOST_NODES * 12, LOST = 2 };

static uint32_t mix(uint32_t a, uint32_t b) {
    uint32_t h = a * 0x9E3779B9u ^ (b + 0x7F4A7C15u) * 0x85EBCA6Bu;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    h *= 0x297A2D39u;
    return h ^ h >> 15;
}

typedef struct graph {
    uint32_t first[MOST_NODES + 1], to[MOST_EDGES];
    uint8_t flags[MOST_NODES];
    cfg g;
} graph;

static void start(graph *t) {
    memset(t, 0, sizeof *t);
}

/* Adds a node with these successors. */
static void node(graph *t, uint8_t flags, const uint32_t *to, uint32_t count) {
    uint32_t n = t->g.count++, at = t->first[n];
    for (uint32_t k = 0; k < count; k++) {
        bool twice = false;
        for (uint32_t e = t->first[n]; e < at; e++)
            twice |= t->to[e] == to[k];
        if (!twice)
            t->to[at++] = to[k];
    }
    t->flags[n] = flags;
    t->first[n + 1] = at;
    t->g.first = t->first;
    t->g.to = t->to;
    t->g.flags = t->flags;
}

static uint32_t ways(const graph *t, uint32_t n) {
    return t->first[n + 1] - t->first[n];
}

/* Walks the graph and returns the number of visits. */
static uint32_t walk(const graph *t, uint32_t seed, uint32_t *path) {
    uint32_t count = 0;
    for (uint32_t n = 0; count < MOST_VISITS;) {
        path[count++] = n;
        if (!ways(t, n))
            break;
        n = t->to[t->first[n] + mix(seed, count) % ways(t, n)];
    }
    return count;
}

/* ---- The interpreter of programs ---- */

typedef struct machine {
    const program *p;
    const graph *t;
    uint32_t seed;
    uint32_t *other; /* by step: else or end of an if, end of an else or loop */
    uint8_t *flag;
    uint32_t *home; /* by flag: the loop it was written in */
    uint32_t choice[MOST_NODES];
    uint32_t path[MOST_VISITS], count;
    uint32_t loops[600], height; /* steps of the open loops */
    bool ended;
} machine;

static void match(machine *m) {
    uint32_t open[2000], height = 0;
    for (uint32_t k = 0; k < m->p->count; k++) {
        switch (m->p->steps[k].kind) {
        case STEP_IF:
        case STEP_IF_FLAG:
        case STEP_LOOP:
            cr_assert_lt(height, 2000);
            open[height++] = k;
            break;
        case STEP_ELSE:
            cr_assert_gt(height, 0);
            m->other[open[height - 1]] = k;
            open[height - 1] = k;
            break;
        case STEP_END_IF:
        case STEP_END_LOOP:
            cr_assert_gt(height, 0);
            m->other[open[--height]] = k;
            break;
        default: break;
        }
    }
    cr_assert_eq(height, 0);
}

static uint32_t loop_here(const machine *m) {
    return m->height ? m->p->steps[m->loops[m->height - 1]].node : 0;
}

static bool is_carried(const machine *m, uint32_t loop, uint32_t flag) {
    for (uint32_t k = 0; k < m->p->carried_count; k++)
        if (m->p->carried[k].loop == loop && m->p->carried[k].what == flag)
            return true;
    return false;
}

/* The end of an iteration, or of the loop. */
static void lose(machine *m, bool leaves) {
    uint32_t loop = loop_here(m);
    for (uint32_t f = 0; f < m->p->flag_count; f++)
        if (m->home[f] == loop) {
            if (!is_carried(m, loop, f))
                m->flag[f] = LOST;
            if (leaves)
                m->home[f] = m->p->loop_parent[loop];
        }
}

static void set(machine *m, uint32_t flag, bool value) {
    m->flag[flag] = value;
    m->home[flag] = loop_here(m);
}

/* Executes one step and returns the index of the next. */
static uint32_t run_step(machine *m, uint32_t at) {
    step s = m->p->steps[at];
    switch ((step_kind)s.kind) {
    case STEP_BLOCK:
        cr_assert_eq(m->p->loop_of[s.node], loop_here(m));
        m->path[m->count++] = s.node;
        if (ways(m->t, s.node))
            m->choice[s.node] = mix(m->seed, m->count) % ways(m->t, s.node);
        return at + 1;
    case STEP_EDGE: cr_assert_eq(m->choice[s.node], s.edge); return at + 1;
    case STEP_IF: return m->choice[s.node] == s.edge ? at + 1 : m->other[at] + 1;
    case STEP_IF_FLAG:
        cr_assert_lt(m->flag[s.node], LOST, "flag %u is lost", s.node);
        return m->flag[s.node] ? at + 1 : m->other[at] + 1;
    case STEP_ELSE: return m->other[at] + 1;
    case STEP_END_IF: return at + 1;
    case STEP_LOOP: m->loops[m->height++] = at; return at + 1;
    case STEP_END_LOOP: cr_assert_fail("falls off the end of a loop"); break;
    case STEP_BREAK: lose(m, true); return m->other[m->loops[--m->height]] + 1;
    case STEP_CONTINUE: lose(m, false); return m->loops[m->height - 1] + 1;
    case STEP_RAISE: set(m, s.node, true); return at + 1;
    case STEP_LOWER: set(m, s.node, false); return at + 1;
    case STEP_END:
        if (m->path[m->count - 1] != s.node && m->count < MOST_VISITS)
            m->path[m->count++] = s.node; /* a copied end */
        m->ended = true;
        return m->p->count;
    }
    return m->p->count;
}

static void compare(const graph *t, const program *p, uint32_t seed) {
    uint32_t expected[MOST_VISITS], count = walk(t, seed, expected);
    machine m = {.p = p, .t = t, .seed = seed};
    m.other = calloc(p->count + 1, sizeof *m.other);
    m.flag = malloc(p->flag_count + 1);
    m.home = calloc(p->flag_count + 1, sizeof *m.home);
    memset(m.flag, LOST, p->flag_count + 1);
    match(&m);
    for (uint32_t at = 0; at < p->count && m.count < count;)
        at = run_step(&m, at);
    cr_assert_eq(m.count, count);
    for (uint32_t k = 0; k < count; k++)
        cr_assert_eq(m.path[k], expected[k], "visit %u: %u instead of %u", k, m.path[k],
                     expected[k]);
    free(m.other);
    free(m.flag);
    free(m.home);
}

static void check(graph *t, unsigned walks) {
    arena memory = {0};
    program p;
    cfg g = t->g;
    cr_assert_eq(structure(&p, &g, &memory), CFG_OK);
    for (uint32_t seed = 0; seed < walks; seed++)
        compare(t, &p, seed);
    arena_free(&memory);
}

static uint32_t steps_of(graph *t, step_kind kind) {
    arena memory = {0};
    program p;
    cfg g = t->g;
    cr_assert_eq(structure(&p, &g, &memory), CFG_OK);
    uint32_t count = 0;
    for (uint32_t k = 0; k < p.count; k++)
        count += p.steps[k].kind == kind;
    arena_free(&memory);
    return count;
}

/* The deepest nesting of ifs and loops. */
static uint32_t nesting_of(graph *t) {
    arena memory = {0};
    program p;
    cfg g = t->g;
    cr_assert_eq(structure(&p, &g, &memory), CFG_OK);
    uint32_t depth = 0, most = 0;
    for (uint32_t k = 0; k < p.count; k++) {
        step_kind kind = (step_kind)p.steps[k].kind;
        depth += kind == STEP_IF || kind == STEP_IF_FLAG || kind == STEP_LOOP;
        depth -= kind == STEP_END_IF || kind == STEP_END_LOOP;
        most = depth > most ? depth : most;
    }
    arena_free(&memory);
    return most;
}

#define NODE(t, ...)                                                                               \
    node(t, 0, (const uint32_t[]){__VA_ARGS__},                                                    \
         (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

/* ---- Known shapes ---- */

Test(structure, a_straight_line_has_no_ifs) {
    graph t;
    start(&t);
    NODE(&t, 1);
    node(&t, 0, NULL, 0);
    check(&t, 1);
    cr_assert_eq(steps_of(&t, STEP_IF), 0);
}

Test(structure, a_diamond_needs_no_flags) {
    graph t;
    start(&t);
    NODE(&t, 1, 2);
    NODE(&t, 3);
    NODE(&t, 3);
    node(&t, 0, NULL, 0);
    check(&t, 8);
    cr_assert_eq(steps_of(&t, STEP_IF), 1);
    cr_assert_eq(steps_of(&t, STEP_RAISE), 0);
}

/* a && b ? x : y: x skips y */
Test(structure, a_short_circuit_guards_one_item) {
    graph t;
    start(&t);
    NODE(&t, 1, 3);
    NODE(&t, 2, 3);
    NODE(&t, 4);
    NODE(&t, 4);
    node(&t, 0, NULL, 0);
    check(&t, 16);
    cr_assert_eq(steps_of(&t, STEP_IF_FLAG), 1);
}

Test(structure, a_loop_with_a_break_needs_no_flags) {
    graph t; /* 0; 1: header; 2: if goto 4; 3: back; 4: end */
    start(&t);
    NODE(&t, 1);
    NODE(&t, 2, 4);
    NODE(&t, 3, 4);
    NODE(&t, 1);
    node(&t, 0, NULL, 0);
    check(&t, 32);
    cr_assert_eq(steps_of(&t, STEP_LOOP), 1);
    cr_assert_eq(steps_of(&t, STEP_RAISE), 0);
}

/* A block before the break stays in the loop; with a convergent operation it is moved after the
 * loop. */
Test(structure, code_before_a_break_stays_inside_unless_convergent) {
    graph t;
    for (unsigned convergent = 0; convergent < 2; convergent++) {
        start(&t);
        NODE(&t, 1);
        NODE(&t, 2, 4);
        NODE(&t, 3, 1);
        node(&t, convergent ? CFG_CONVERGENT : 0, (const uint32_t[]){4}, 1);
        node(&t, 0, NULL, 0);
        check(&t, 32);
        cr_assert_eq(steps_of(&t, STEP_IF_FLAG), convergent);
    }
}

Test(structure, an_exit_of_two_loops_needs_one_flag) {
    graph t; /* 1 { 2 { 3: goto 6 } 5 } 6 */
    start(&t);
    NODE(&t, 1);
    NODE(&t, 2, 6);
    NODE(&t, 3, 5);
    NODE(&t, 4, 6);
    NODE(&t, 2);
    NODE(&t, 1);
    node(&t, 0, NULL, 0);
    check(&t, 64);
    cr_assert_eq(steps_of(&t, STEP_LOOP), 2);
    cr_assert_eq(steps_of(&t, STEP_IF_FLAG), 1);
}

Test(structure, an_outer_loop_can_be_continued) {
    graph t;
    start(&t);
    NODE(&t, 1);
    NODE(&t, 2, 5);
    NODE(&t, 3, 4);
    NODE(&t, 2, 1);
    NODE(&t, 1);
    node(&t, 0, NULL, 0);
    check(&t, 64);
}

Test(structure, an_end_inside_a_loop_is_copied) {
    graph t;
    start(&t);
    NODE(&t, 1);
    NODE(&t, 2, 4);
    NODE(&t, 3, 4);
    NODE(&t, 1);
    node(&t, CFG_EMPTY, NULL, 0);
    check(&t, 32);
    cr_assert_eq(steps_of(&t, STEP_BREAK), 0);
}

/* From a depth of 4 on the end is copied, so early returns nest no deeper. */
Test(structure, many_ends_stay_flat) {
    graph t;
    start(&t);
    for (uint32_t k = 0; k + 1 < 30; k++)
        NODE(&t, 30, k + 1);
    NODE(&t, 30);
    node(&t, CFG_EMPTY, NULL, 0);
    check(&t, 64);
    cr_assert_eq(nesting_of(&t), 4 + 1);
}

Test(structure, a_large_switch_does_not_nest) {
    graph t;
    uint32_t to[20];
    start(&t);
    for (uint32_t k = 0; k < 20; k++)
        to[k] = k + 1;
    node(&t, 0, to, 11);
    for (uint32_t k = 1; k < 21; k++)
        NODE(&t, k < 11 ? k + 1 + k % 2 : 21);
    node(&t, 0, NULL, 0);
    check(&t, 64);
    cr_assert_eq(steps_of(&t, STEP_ELSE), 0);
}

Test(structure, two_entries_make_one_loop) {
    graph t;
    start(&t);
    NODE(&t, 1, 2);
    NODE(&t, 2, 3);
    NODE(&t, 1, 3);
    node(&t, 0, NULL, 0);
    check(&t, 64);
    cr_assert_eq(steps_of(&t, STEP_LOOP), 1);
}

/* ---- Random graphs ---- */

/* Any edges: mostly irreducible. */
static void random_graph(graph *t, uint32_t seed, uint32_t nodes, uint32_t most) {
    start(t);
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t to[MOST_NODES], count = n + 1 == nodes ? 0 : mix(seed, n) % (most + 1);
        for (uint32_t k = 0; k < count; k++)
            to[k] = 1 + mix(seed + 77, n * 64 + k) % (nodes - 1);
        uint8_t flags = (uint8_t)(mix(seed + 5, n) % 5 == 0 ? CFG_CONVERGENT : 0);
        node(t, count ? flags : (uint8_t)(mix(seed, 99) % 2 ? CFG_EMPTY : 0), to, count);
    }
}

/* Reducible: forward edges, and back edges to dominating nodes. */
static void random_reducible(graph *t, uint32_t seed, uint32_t nodes) {
    uint32_t loops[MOST_NODES] = {0}; /* by node: innermost open header, plus 1 */
    uint32_t above[MOST_NODES] = {0};
    start(t);
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t to[4], count = 0;
        uint32_t open = n ? loops[n - 1] : 0;
        if (n && mix(seed + 9, n) % 4 == 0) { /* opens a loop */
            above[n] = open;
            open = n + 1;
        }
        if (open && open != n + 1 && mix(seed + 11, n) % 4 == 0) { /* back edge, ends the loop */
            to[count++] = open - 1;
            open = above[open - 1];
        }
        loops[n] = open;
        if (n + 1 < nodes)
            to[count++] = n + 1;
        for (uint32_t k = 0; k < 2 && n + 2 < nodes; k++)
            if (mix(seed + 13 + k, n) % 3 == 0)
                to[count++] = n + 1 + mix(seed + 17 + k, n) % (nodes - n - 1);
        node(t, mix(seed + 5, n) % 5 ? 0 : CFG_CONVERGENT, to, count);
    }
}

Test(structure, random_graphs_are_walked_correctly) {
    graph t;
    for (uint32_t seed = 0; seed < 3000; seed++) {
        random_graph(&t, seed, 3 + mix(seed, 1) % 14, 1 + mix(seed, 2) % 4);
        check(&t, 12);
    }
}

Test(structure, random_reducible_graphs_are_walked_correctly) {
    graph t;
    for (uint32_t seed = 0; seed < 3000; seed++) {
        random_reducible(&t, seed, 3 + mix(seed, 1) % 30);
        check(&t, 12);
    }
}

Test(structure, random_switches_are_walked_correctly) {
    graph t;
    for (uint32_t seed = 0; seed < 300; seed++) {
        random_graph(&t, seed, 20, 12);
        check(&t, 20);
    }
}

/* ---- Size ---- */

static void large(cfg *g, uint32_t nodes, arena *memory) {
    g->first = arena_alloc(memory, (nodes + 1) * sizeof *g->first);
    g->to = arena_alloc(memory, 2 * (size_t)nodes * sizeof *g->to);
    g->flags = arena_alloc(memory, nodes);
    g->count = nodes;
}

/* Every node goes to the next or to the end: a naive algorithm nests each in the previous one. */
Test(structure, a_hundred_thousand_nodes_are_structured) {
    arena memory = {0};
    program p;
    cfg g = {0};
    uint32_t nodes = 100000, at = 0;
    large(&g, nodes, &memory);
    for (uint32_t n = 0; n < nodes; n++) {
        g.first[n] = at;
        if (n + 1 < nodes)
            g.to[at++] = n + 1;
        if (n + 2 < nodes)
            g.to[at++] = n % 3 ? n + 2 : nodes - 1;
    }
    g.first[nodes] = at;
    cr_assert_eq(structure(&p, &g, &memory), CFG_OK);
    cr_assert_geq(p.count, nodes);
    arena_free(&memory);
}

Test(structure, too_deeply_nested_loops_are_refused) {
    arena memory = {0};
    program p;
    cfg g = {0};
    uint32_t nodes = 2002, at = 0;
    large(&g, nodes, &memory);
    for (uint32_t n = 0; n < nodes; n++) { /* headers 1 to 1000, their ends after them */
        g.first[n] = at;
        if (n + 1 < nodes)
            g.to[at++] = n + 1;
        if (n > 1000 && n <= 2000)
            g.to[at++] = 2001 - n;
    }
    g.first[nodes] = at;
    cr_assert_eq(structure(&p, &g, &memory), CFG_TOO_DEEP);
    arena_free(&memory);
}
