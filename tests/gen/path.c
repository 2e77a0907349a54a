/* The control-flow mode: a random tree of ifs, loops, jumps, calls and halts; a path through it for
 * every lane, planned beforehand (path_plan.c); a program that reads each decision from the lane's
 * plan in memory and records the blocks it passes. The expected memory comes from the plans alone,
 * so the emulator is tested like every target. The program contains wave operations whose operands
 * make the result independent of the active lanes: they change how control flow is compiled. */
#include "gen/path.h"

#include <stdlib.h>
#include <string.h>

enum { /* registers */
       REG_PLAN,
       REG_OUT,
       REG_TRACE,
       REG_STEP,
       REG_HASH,
       REG_BLOCKS,
       REG_MULTIPLIER,
       REG_ONE,
       REG_ZERO,
       REG_LANE,
       REG_T0,
       REG_T1,
       REG_T2,
       REG_COUNT
};

/* ---- The tree ---- */

static int grow_list(author *a, path_tree *t, place p, int *budget);

static int grow_node(author *a, path_tree *t, place p, int *budget) {
    if (t->count == PATH_NODES)
        return -1;
    int index = t->count++;
    path_node *n = &t->nodes[index];
    *n = (path_node){.next = -1, .inside = -1, .otherwise = -1, .form = au_pick(a, 4)};
    n->number = 1 + (uint32_t)index % 255;
    uint32_t kind = au_pick(a, 100);
    place inside = p;
    inside.depth++;
    bool deeper = p.depth < a->depth_limit;
    if (kind < 22 && deeper) {
        n->kind = PATH_IF;
        n->inside = grow_list(a, t, inside, budget);
        n->otherwise = au_chance(a, 50) ? grow_list(a, t, inside, budget) : -1;
    } else if (kind < 36 && deeper) {
        inside.loops++;
        n->kind = PATH_LOOP;
        n->inside = grow_list(a, t, inside, budget);
    } else if (kind < 52 && p.loops) {
        n->kind = au_chance(a, 50) ? PATH_BREAK : PATH_CONTINUE;
    } else if (kind < 56 && a->has[GEN_HALTS]) {
        n->kind = PATH_HALT;
        t->halts = true;
    } else if (kind < 64 && p.function) {
        n->kind = PATH_RETURN;
    } else if (kind < 70 && p.function < FUNCTIONS) {
        n->kind = PATH_CALL;
        n->number = p.function + 1 + au_pick(a, FUNCTIONS - p.function);
    } else if (kind < 76 && a->has[GEN_WAVES]) {
        n->kind = PATH_WAVE;
        n->form = au_pick(a, 10);
        n->number = n->form < 8 ? au_constant(a) : n->form == 8 ? 1 : 0;
    }
    return index;
}

static int grow_list(author *a, path_tree *t, place p, int *budget) {
    int first = -1, last = -1;
    for (uint32_t left = 1 + au_pick(a, 5); left > 0 && *budget > 0; left--, --*budget) {
        int index = grow_node(a, t, p, budget);
        if (index < 0)
            break;
        if (last < 0)
            first = index;
        else
            t->nodes[last].next = index;
        last = index;
    }
    return first;
}

static void grow_tree(author *a, path_tree *t) {
    int budget = 1 + (12 + (int)au_pick(a, 50)) * (int)a->size / 100, last = -1;
    t->start[0] = -1;
    while (budget > 0 && t->count < PATH_NODES) {
        int list = grow_list(a, t, (place){0}, &budget);
        if (list < 0)
            break;
        if (last < 0)
            t->start[0] = list;
        else
            t->nodes[last].next = list;
        for (last = list; t->nodes[last].next >= 0;)
            last = t->nodes[last].next;
    }
    for (unsigned k = 1; k <= FUNCTIONS; k++) {
        budget = 8;
        t->start[k] = grow_list(a, t, (place){.function = k}, &budget);
    }
}

/* ---- The program ---- */

/* predicate = the next bit of the lane's plan */
static void decide(author *a, const place *p, unsigned predicate) {
    au_say(a, p, "mov_imm r%d, 5", REG_T0);
    au_say(a, p, "shr r%d, r%d, r%d", REG_T0, REG_STEP, REG_T0);
    au_say(a, p, "mov_imm r%d, 4", REG_T1);
    au_say(a, p, "imad r%d, r%d, r%d, r%d", REG_T0, REG_T0, REG_T1, REG_PLAN);
    au_say(a, p, "device_load_u32 r%d, r%d", REG_T0, REG_T0);
    au_say(a, p, "shr r%d, r%d, r%d", REG_T0, REG_T0, REG_STEP);
    au_say(a, p, "and r%d, r%d, r%d", REG_T0, REG_T0, REG_ONE);
    au_say(a, p, "icmp_ne p%u, r%d, r%d", predicate, REG_T0, REG_ZERO);
    au_say(a, p, "iadd r%d, r%d, r%d", REG_STEP, REG_STEP, REG_ONE);
}

static void fold(author *a, const place *p) {
    au_say(a, p, "imad r%d, r%d, r%d, r%d", REG_HASH, REG_HASH, REG_MULTIPLIER, REG_T0);
    au_say(a, p, "device_store_u32 r%d, r%d", REG_OUT, REG_HASH);
}

static void record(author *a, const place *p, uint32_t number) {
    au_say(a, p, "mov_imm r%d, %u", REG_T1, PATH_RING - 1);
    au_say(a, p, "and r%d, r%d, r%d", REG_T1, REG_T1, REG_BLOCKS);
    au_say(a, p, "iadd r%d, r%d, r%d", REG_T1, REG_T1, REG_TRACE);
    au_say(a, p, "mov_imm r%d, %u", REG_T0, number);
    au_say(a, p, "device_store_u8 r%d, r%d", REG_T1, REG_T0);
    au_say(a, p, "iadd r%d, r%d, r%d", REG_BLOCKS, REG_BLOCKS, REG_ONE);
    fold(a, p);
    au_say(a, p, "mov_imm r%d, 4", REG_T1);
    au_say(a, p, "iadd r%d, r%d, r%d", REG_T1, REG_T1, REG_OUT);
    au_say(a, p, "device_store_u32 r%d, r%d", REG_T1, REG_BLOCKS);
}

/* A value that all lanes share, or a detour that returns the lane's own value: forms 0 to 7 leave
 * n->number in T0, form 8 leaves 1, form 9 leaves 0. */
static void wave(author *a, const place *p, const path_node *n) {
    static const char *const same[] = {"wave_reduce_min", "wave_reduce_max", "wave_reduce_and",
                                       "wave_reduce_or"};
    static const char *const from[] = {"wave_shuffle", "wave_broadcast", "wave_shuffle_xor",
                                       "wave_shuffle_up"};
    au_say(a, p, "mov_imm r%d, 0x%X", REG_T0, n->number);
    if (n->form < 4) {
        au_say(a, p, "%s r%d, r%d", same[n->form], REG_T0, REG_T0);
    } else if (n->form < 8) {
        au_say(a, p, "%s r%d, r%d, r%d", from[n->form - 4], REG_T0, REG_T0,
               n->form < 6 ? REG_LANE : REG_ZERO);
    } else if (n->form == 8) {
        au_say(a, p, "icmp_eq p2, r%d, r%d", REG_ONE, REG_ONE);
        au_say(a, p, "%s p2, p2", n->next & 1 ? "wave_any" : "wave_all");
        au_say(a, p, "select r%d, p2, r%d, r%d", REG_T0, REG_ONE, REG_ZERO);
    } else {
        au_say(a, p, "%s r%d, r%d", n->next & 1 ? "wave_prefix_sum" : "wave_reduce_add", REG_T0,
               REG_ZERO);
    }
    fold(a, p);
}

static void jump(author *a, const place *p, const path_node *n) {
    const char *name = n->kind == PATH_BREAK ? "break" : "continue";
    switch (n->form) {
    case 0:
        decide(a, p, 0);
        au_say(a, p, "%s p0", name);
        break;
    case 1:
        decide(a, p, 1);
        au_say(a, p, "icmp_eq p2, r%d, r%d", REG_T0, REG_ZERO);
        au_say(a, p, "%s !p2", name);
        break;
    case 2:
        decide(a, p, 1);
        decide(a, p, 3);
        au_say(a, p, "@p1 %s p3", name);
        break;
    default:
        decide(a, p, 2);
        decide(a, p, 0);
        au_say(a, p, "icmp_eq p0, r%d, r%d", REG_T0, REG_ZERO);
        au_say(a, p, "@!p0 %s p2", name);
        break;
    }
}

static void leave(author *a, const place *p, const path_node *n) {
    const char *name = n->kind == PATH_HALT ? "halt" : "return";
    place inside = *p;
    inside.depth++;
    if (n->form == 0) {
        decide(a, p, 1);
        au_say(a, p, "@p1 %s", name);
    } else if (n->form == 1) {
        decide(a, p, 1);
        au_say(a, p, "icmp_eq p0, r%d, r%d", REG_T0, REG_ZERO);
        au_say(a, p, "@!p0 %s", name);
    } else {
        decide(a, p, 0);
        au_say(a, p, "if p0");
        au_say(a, &inside, "%s", name);
        au_say(a, p, "endif");
    }
}

static void write_list(author *a, const path_tree *t, const place *p, int first);

static void write_if(author *a, const path_tree *t, const place *p, const path_node *n) {
    place inside = *p;
    inside.depth++;
    inside.uniform = false;
    decide(a, p, n->form);
    bool negated = n->form & 1;
    if (negated)
        au_say(a, p, "icmp_eq p%u, r%d, r%d", n->form, REG_T0, REG_ZERO);
    au_say(a, p, "if %sp%u", negated ? "!" : "", n->form);
    write_list(a, t, &inside, n->inside);
    if (n->otherwise >= 0) {
        au_say(a, p, "else");
        write_list(a, t, &inside, n->otherwise);
    }
    au_say(a, p, "endif");
}

static void write_node(author *a, const path_tree *t, const place *p, const path_node *n) {
    place inside = *p;
    inside.depth++;
    inside.uniform = false;
    switch (n->kind) {
    case PATH_BLOCK: record(a, p, n->number); break;
    case PATH_IF: write_if(a, t, p, n); break;
    case PATH_LOOP:
        au_say(a, p, "loop");
        decide(a, &inside, n->form);
        au_say(a, &inside, "break p%u", n->form);
        write_list(a, t, &inside, n->inside);
        au_say(a, p, "endloop");
        break;
    case PATH_BREAK:
    case PATH_CONTINUE: jump(a, p, n); break;
    case PATH_HALT:
    case PATH_RETURN: leave(a, p, n); break;
    case PATH_CALL: au_say(a, p, "call f%u", n->number); break;
    case PATH_WAVE: wave(a, p, n); break;
    default: break;
    }
}

static void write_list(author *a, const path_tree *t, const place *p, int first) {
    for (int k = first; k >= 0; k = t->nodes[k].next) {
        write_node(a, t, p, &t->nodes[k]);
        if (p->uniform && !t->halts && a->has[GEN_BARRIERS] && k % 4 == 0)
            au_say(a, p, "barrier");
    }
}

static void write_code(author *a, const path_tree *t, uint32_t plan_words) {
    const place top = {.uniform = true};
    const struct {
        int reg;
        uint32_t bytes;
    } slices[] = {{REG_PLAN, 4 * plan_words}, {REG_OUT, 8}, {REG_TRACE, PATH_RING}};
    au_raw(a, ".kernel random_kernel\n.registers %d\n", REG_COUNT);
    gen_linear(a, REG_HASH, "sr_workgroup_id", "sr_grid_size");
    gen_linear(a, REG_BLOCKS, "sr_thread_id", "sr_workgroup_size");
    au_say(a, &top, "mov_imm r%d, %u", REG_T0, a->threads);
    au_say(a, &top, "imad r%d, r%d, r%d, r%d", REG_HASH, REG_HASH, REG_T0, REG_BLOCKS);
    for (size_t k = 0; k < sizeof slices / sizeof *slices; k++) {
        au_say(a, &top, "mov_imm r%d, %u", REG_T0, slices[k].bytes);
        au_say(a, &top, "imad r%d, r%d, r%d, r%d", slices[k].reg, REG_HASH, REG_T0, slices[k].reg);
    }
    au_say(a, &top, "mov_sr r%d, sr_lane_id", REG_LANE);
    au_say(a, &top, "mov_imm r%d, 0", REG_ZERO);
    au_say(a, &top, "mov_imm r%d, 1", REG_ONE);
    au_say(a, &top, "mov_imm r%d, 0x%X", REG_MULTIPLIER, PATH_MULTIPLIER);
    for (int k = REG_STEP; k <= REG_BLOCKS; k++)
        au_say(a, &top, "mov r%d, r%d", k, REG_ZERO);
    write_list(a, t, &top, t->start[0]);
    au_say(a, &top, "halt");
    for (unsigned k = 1; k <= FUNCTIONS; k++) {
        const place p = {.function = k};
        au_raw(a, "f%u:\n", k);
        write_list(a, t, &p, t->start[k]);
        au_say(a, &p, "return");
    }
    au_raw(a, ".end\n");
}

/* ---- Launch and expectation ---- */

static void plan_launch(author *a) {
    static const uint8_t groups[][3] = {{32, 1, 1}, {40, 1, 1}, {7, 1, 1}, {64, 1, 1},
                                        {8, 4, 1},  {3, 5, 2},  {70, 1, 1}};
    const uint8_t *group = groups[au_pick(a, 7)];
    a->threads = 1;
    for (int k = 0; k < 3; k++) {
        a->group[k] = group[k];
        a->threads *= group[k];
    }
    a->groups = a->threads <= 40 ? 1 + au_pick(a, 2) : 1;
    a->depth_limit = a->has[GEN_DEEP] ? 20 : 5;
    a->temporary[0] = REG_T0;
    a->temporary[1] = REG_T1;
}

static uint32_t plan_word(const path_record *r, uint32_t word) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < 32 && word * 32 + k < r->decision_count; k++)
        bits |= (uint32_t)r->decisions[word * 32 + k] << k;
    return bits;
}

static void write_plans(author *a, const path_record *records, uint32_t lanes, uint32_t words) {
    au_raw(a, ";@ buffer  plan u32 %u =\n", lanes * words);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        au_raw(a, ";@ +");
        for (uint32_t k = 0; k < words; k++)
            au_raw(a, " 0x%X", plan_word(&records[lane], k));
        au_raw(a, "\n");
    }
    au_raw(a, ";@ buffer  out u32 %u\n;@ buffer  trace u8 %u\n", 2 * lanes, PATH_RING * lanes);
    au_raw(a, ";@ args    plan out trace\n;@ expect  out =\n");
    for (uint32_t lane = 0; lane < lanes; lane++)
        au_raw(a, ";@ + %u %u\n", records[lane].hash, records[lane].blocks);
    au_raw(a, ";@ expect  trace =\n");
    for (uint32_t lane = 0; lane < lanes; lane++) {
        au_raw(a, ";@ +");
        for (int k = 0; k < PATH_RING; k++)
            au_raw(a, " %u", records[lane].ring[k]);
        au_raw(a, "\n");
    }
}

static void write_program(author *a, const path_tree *tree, path_record *records, uint32_t lanes) {
    uint32_t words = 1;
    for (uint32_t lane = 0; lane < lanes && !a->failed; lane++) {
        a->failed |= !path_plan(a, tree, &records[lane]);
        uint32_t needed = (records[lane].decision_count + 31) / 32;
        words = needed > words ? needed : words;
    }
    au_raw(a, ";@ widths  4 8 16 32 64\n;@ check   race uninit\n;@ grid    %u\n", a->groups);
    au_raw(a, ";@ group   %u %u %u\n", a->group[0], a->group[1], a->group[2]);
    write_plans(a, records, lanes, words);
    write_code(a, tree, words);
}

void gen_path_program(author *a) {
    path_tree *tree = calloc(1, sizeof *tree);
    plan_launch(a);
    uint32_t lanes = a->threads * a->groups;
    path_record *records = calloc(lanes, sizeof *records);
    if (tree && records) {
        grow_tree(a, tree);
        write_program(a, tree, records, lanes);
    } else {
        a->failed = true;
    }
    for (uint32_t lane = 0; records && lane < lanes; lane++)
        free(records[lane].decisions);
    free(records);
    free(tree);
}
