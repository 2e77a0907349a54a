/* Random control flow from SPIR-V to the emulator. Every block mixes its number into a hash carried
 * by phis, and values of blocks that dominate it; the hash also decides each lane's branches. The
 * same walk in C computes each lane's expected result, so that a wrong path, a wrong value of a phi
 * or a value of another loop iteration is detected. */
#include "spirv/enums.h"

#include <wave/emu.h>

#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 20, MOST_EDGES = 3, LANES = 32, FUEL = 40, OUT = 64, MOST_WORDS = 8192 };

/* ---- Graphs ---- */

typedef struct graph {
    uint32_t count;
    uint32_t to[MOST_BLOCKS][MOST_EDGES], edges[MOST_BLOCKS];
    uint32_t dominated_by[MOST_BLOCKS]; /* a set of blocks, with itself; 0: not reached */
    uint32_t uses[MOST_BLOCKS];         /* a block whose hash it mixes in; itself: none */
    bool burns[MOST_BLOCKS];            /* it may branch back, so it ends when the fuel does */
} graph;

static uint32_t mix(uint32_t seed, uint32_t x) {
    x = (x + seed * 0x9E3779B9u) * 0x85EBCA6Bu;
    x ^= x >> 13;
    x *= 0xC2B2AE35u;
    return x ^ x >> 16;
}

static void find_dominators(graph *g) {
    g->dominated_by[0] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < g->count; n++)
            for (uint32_t k = 0; k < g->edges[n] && g->dominated_by[n]; k++) {
                uint32_t to = g->to[n][k], old = g->dominated_by[to];
                uint32_t now = ((old ? old : UINT32_MAX) & g->dominated_by[n]) | 1u << to;
                g->dominated_by[to] = now;
                changed |= now != old;
            }
    }
}

/* Any edges except to the entry; `back` is the probability of a back edge, in eighths. */
static void random_graph(graph *g, uint32_t seed, uint32_t back) {
    memset(g, 0, sizeof *g);
    g->count = 3 + mix(seed, 1) % (MOST_BLOCKS - 3);
    for (uint32_t n = 0; n < g->count; n++) {
        bool last = n + 1 == g->count;
        g->edges[n] = last ? mix(seed, 2) % 2 : n ? mix(seed, 100 + n) % (MOST_EDGES + 1) : 2;
        for (uint32_t k = 0; k < g->edges[n]; k++) {
            uint32_t r = mix(seed, 200 + n * MOST_EDGES + k);
            bool goes_back = n && (last || (r >> 20) % 8 < back);
            g->to[n][k] = goes_back ? 1 + r % n : n + 1 + r % (g->count - n - 1);
            g->burns[n] |= g->to[n][k] <= n;
        }
    }
    find_dominators(g);
    for (uint32_t n = 0; n < g->count; n++) {
        uint32_t wanted = mix(seed, 400 + n) % g->count;
        g->uses[n] = g->dominated_by[n] && g->dominated_by[n] >> wanted & 1 ? wanted : n;
    }
}

/* ---- The walk ---- */

static uint32_t walk(const graph *g, uint32_t lane) {
    uint32_t hash = lane, seen[MOST_BLOCKS] = {0};
    int fuel = FUEL;
    for (uint32_t n = 0;;) {
        hash = hash * 31 + n + 1;
        if (g->uses[n] != n)
            hash += seen[g->uses[n]];
        seen[n] = hash;
        fuel -= 1;
        if (!g->edges[n] || (g->burns[n] && fuel <= 0))
            return hash;
        n = g->to[n][(hash >> 7) % g->edges[n]];
    }
}

/* ---- The module ---- */

/* Ids: fixed ones, constants from FIRST_NUMBER on, and PER_BLOCK values per block from BLOCKS on,
 * with the offsets below. */
enum {
    VOID = 1,
    UINT,
    BOOL,
    POINTER,
    SIGNATURE,
    V3,
    INPUT_V3,
    ID3,
    KERNEL,
    ARGUMENT,
    GLOBAL,
    LANE
};
enum { FIRST_NUMBER = 20, BLOCKS = 300, PER_BLOCK = 16 };
enum { LABEL, HASH, FUEL_IN, SCALED, ADDED, MADE, LEFT, SHIFTED, CHOICE, EMPTY, SELECTOR, WAY };

typedef struct writer {
    uint32_t words[MOST_WORDS];
    size_t count;
} writer;

static void put(writer *w, unsigned op, unsigned count, ...) {
    va_list words;
    cr_assert_lt(w->count + count + 1, MOST_WORDS);
    w->words[w->count++] = (count + 1) << 16 | op;
    va_start(words, count);
    for (unsigned k = 0; k < count; k++)
        w->words[w->count++] = va_arg(words, uint32_t);
    va_end(words);
}

static uint32_t id(uint32_t block, uint32_t what) {
    return BLOCKS + block * PER_BLOCK + what;
}

static uint32_t number(uint32_t value) { /* the constant, 0 to 63 */
    return FIRST_NUMBER + value;
}

static void put_declarations(writer *w) {
    static const uint32_t header[] = {0x07230203, 0x00010400, 0, 1000, 0};
    memcpy(w->words, header, sizeof header);
    w->count = 5;
    put(w, SPIRV_OpCapability, 1, 6u);
    put(w, SPIRV_OpCapability, 1, 4u);
    put(w, SPIRV_OpMemoryModel, 2, 1u, 2u);
    put(w, SPIRV_OpEntryPoint, 4, 6u, (uint32_t)KERNEL, 0x6Bu, (uint32_t)ID3);
    put(w, SPIRV_OpDecorate, 3, (uint32_t)ID3, 11u, 28u);
    put(w, SPIRV_OpTypeVoid, 1, (uint32_t)VOID);
    put(w, SPIRV_OpTypeInt, 3, (uint32_t)UINT, 32u, 0u);
    put(w, SPIRV_OpTypeBool, 1, (uint32_t)BOOL);
    put(w, SPIRV_OpTypePointer, 3, (uint32_t)POINTER, 5u, (uint32_t)UINT);
    put(w, SPIRV_OpTypeFunction, 3, (uint32_t)SIGNATURE, (uint32_t)VOID, (uint32_t)POINTER);
    put(w, SPIRV_OpTypeVector, 3, (uint32_t)V3, (uint32_t)UINT, 3u);
    put(w, SPIRV_OpTypePointer, 3, (uint32_t)INPUT_V3, 1u, (uint32_t)V3);
    put(w, SPIRV_OpVariable, 3, (uint32_t)INPUT_V3, (uint32_t)ID3, 1u);
    for (uint32_t k = 0; k < 64; k++)
        put(w, SPIRV_OpConstant, 3, (uint32_t)UINT, number(k), k);
    put(w, SPIRV_OpFunction, 4, (uint32_t)VOID, (uint32_t)KERNEL, 0u, (uint32_t)SIGNATURE);
    put(w, SPIRV_OpFunctionParameter, 2, (uint32_t)POINTER, (uint32_t)ARGUMENT);
}

static bool goes(const graph *g, uint32_t from, uint32_t to) {
    if (to == g->count) /* the end */
        return !g->edges[from] || g->burns[from];
    for (uint32_t k = 0; k < g->edges[from]; k++)
        if (g->to[from][k] == to)
            return true;
    return false;
}

/* The incoming hash or fuel of each predecessor. */
static void put_phi(writer *w, const graph *g, uint32_t n, uint32_t result, uint32_t what) {
    size_t at = w->count;
    w->count += 3;
    w->words[at + 1] = UINT;
    w->words[at + 2] = result;
    for (uint32_t from = 0; from < g->count; from++)
        if (goes(g, from, n)) {
            w->words[w->count++] = id(from, what);
            w->words[w->count++] = id(from, LABEL);
        }
    w->words[at] = (uint32_t)(w->count - at) << 16 | SPIRV_OpPhi;
}

static bool is_entered(const graph *g, uint32_t n) {
    for (uint32_t from = 0; from < g->count; from++)
        if (goes(g, from, n))
            return true;
    return false;
}

/* The branch target: chosen by the hash, or the end when there is no fuel. */
static void put_branch(writer *w, const graph *g, uint32_t n) {
    uint32_t end = id(g->count, LABEL), edges = g->edges[n];
    if (!edges) {
        put(w, SPIRV_OpBranch, 1, end);
        return;
    }
    put(w, SPIRV_OpShiftRightLogical, 4, (uint32_t)UINT, id(n, SHIFTED), id(n, MADE), number(7));
    put(w, SPIRV_OpUMod, 4, (uint32_t)UINT, id(n, CHOICE), id(n, SHIFTED), number(edges));
    put(w, SPIRV_OpSLessThanEqual, 4, (uint32_t)BOOL, id(n, EMPTY), id(n, LEFT), number(0));
    if (edges == 1) {
        uint32_t to = id(g->to[n][0], LABEL);
        if (g->burns[n])
            put(w, SPIRV_OpBranchConditional, 3, id(n, EMPTY), end, to);
        else
            put(w, SPIRV_OpBranch, 1, to);
    } else if (edges == 2 && !g->burns[n]) {
        put(w, SPIRV_OpINotEqual, 4, (uint32_t)BOOL, id(n, WAY), id(n, CHOICE), number(0));
        put(w, SPIRV_OpBranchConditional, 3, id(n, WAY), id(g->to[n][1], LABEL),
            id(g->to[n][0], LABEL));
    } else {
        put(w, SPIRV_OpSelect, 5, (uint32_t)UINT, id(n, SELECTOR), id(n, EMPTY), number(9),
            id(n, CHOICE));
        uint32_t other = g->burns[n] ? end : id(g->to[n][0], LABEL);
        uint32_t third = edges > 2 ? id(g->to[n][2], LABEL) : other;
        put(w, SPIRV_OpSwitch, 8, id(n, g->burns[n] ? SELECTOR : CHOICE), other, 0u,
            id(g->to[n][0], LABEL), 1u, id(g->to[n][1], LABEL), 2u, third);
    }
}

static void put_block(writer *w, const graph *g, uint32_t n) {
    bool phis = n && is_entered(g, n);
    put(w, SPIRV_OpLabel, 1, id(n, LABEL));
    if (phis) {
        put_phi(w, g, n, id(n, HASH), MADE);
        put_phi(w, g, n, id(n, FUEL_IN), LEFT);
    }
    if (n == 0) {
        put(w, SPIRV_OpLoad, 3, (uint32_t)V3, (uint32_t)GLOBAL, (uint32_t)ID3);
        put(w, SPIRV_OpCompositeExtract, 4, (uint32_t)UINT, (uint32_t)LANE, (uint32_t)GLOBAL, 0u);
    }
    put(w, SPIRV_OpIMul, 4, (uint32_t)UINT, id(n, SCALED), phis ? id(n, HASH) : (uint32_t)LANE,
        number(31));
    bool uses = g->uses[n] != n;
    put(w, SPIRV_OpIAdd, 4, (uint32_t)UINT, id(n, uses ? ADDED : MADE), id(n, SCALED),
        number(n + 1));
    if (uses)
        put(w, SPIRV_OpIAdd, 4, (uint32_t)UINT, id(n, MADE), id(n, ADDED), id(g->uses[n], MADE));
    put(w, SPIRV_OpISub, 4, (uint32_t)UINT, id(n, LEFT), phis ? id(n, FUEL_IN) : number(FUEL),
        number(1));
    put_branch(w, g, n);
}

static void put_end(writer *w, const graph *g) {
    uint32_t n = g->count;
    put(w, SPIRV_OpLabel, 1, id(n, LABEL));
    if (is_entered(g, n)) {
        put_phi(w, g, n, id(n, HASH), MADE);
        put(w, SPIRV_OpInBoundsPtrAccessChain, 4, (uint32_t)POINTER, id(n, MADE),
            (uint32_t)ARGUMENT, (uint32_t)LANE);
        put(w, SPIRV_OpStore, 2, id(n, MADE), id(n, HASH));
    }
    put(w, SPIRV_OpReturn, 0);
    put(w, SPIRV_OpFunctionEnd, 0);
}

static void write_module(writer *w, const graph *g) {
    put_declarations(w);
    for (uint32_t n = 0; n < g->count; n++)
        put_block(w, g, n);
    put_end(w, g);
}

/* ---- Running it ---- */

static void run(const writer *w, bool optimise, uint32_t seed, uint32_t memory[LANES]) {
    uint32_t device[(OUT + LANES * 4) / 4] = {0};
    const wave_spirv_options options = {.no_optimise = !optimise};
    wave_diags *diags = wave_diags_create(0);
    wave_blob file;
    wave_module *module;
    wave_status status = wave_from_spirv(w->words, w->count * 4, &options, &file, diags);
    cr_assert_eq(status, WAVE_OK, "seed %u: %s", seed,
                 wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    cr_assert_eq(wave_module_load(file.data, file.size, NULL, &module, diags), WAVE_OK);
    wave_launch launch;
    wave_launch_init(&launch);
    launch.workgroup[0] = LANES;
    launch.device_memory = (uint8_t *)device;
    launch.device_size = sizeof device;
    launch.initial = &(uint32_t){OUT};
    launch.initial_count = 1;
    cr_assert_eq(wave_emulate(module, &launch, diags), WAVE_OK, "seed %u: %s", seed,
                 wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    memcpy(memory, device + OUT / 4, LANES * sizeof *memory);
    wave_module_destroy(module);
    wave_blob_free(&file);
    wave_diags_destroy(diags);
}

static void check(uint32_t seed, uint32_t back) {
    static writer w;
    graph g;
    uint32_t memory[LANES];
    random_graph(&g, seed, back);
    write_module(&w, &g);
    for (unsigned optimise = 0; optimise < 2; optimise++) {
        run(&w, optimise, seed, memory);
        for (uint32_t lane = 0; lane < LANES; lane++)
            cr_assert_eq(memory[lane], walk(&g, lane), "seed %u, back %u, -O%u, lane %u", seed,
                         back, optimise * 2, lane);
    }
}

Test(spirv_paths, forward_branches_take_the_right_path) {
    for (uint32_t seed = 0; seed < 150; seed++)
        check(seed, 0);
}

Test(spirv_paths, loops_take_the_right_path) {
    for (uint32_t seed = 0; seed < 300; seed++)
        check(seed, 2);
}

/* Mostly loops with several entries (irreducible). */
Test(spirv_paths, irreducible_graphs_take_the_right_path) {
    for (uint32_t seed = 0; seed < 300; seed++)
        check(seed, 5);
}
