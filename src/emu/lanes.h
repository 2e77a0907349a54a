/* Every instruction that is a loop over lanes, as functions compiled for the vector width of the
 * including file: alu.c for any processor, alu_wide.c for one with wider vectors. Defines the table
 * lane_handlers. There is deliberately no include guard.
 *
 * When all lanes execute, whole rows are computed, including lanes that do not exist: all functions
 * of base/scalar.h are total, and those lanes are not observable. Otherwise the result is computed
 * for all lanes and stored for some. Rows overlap completely or not at all and lane i reads only
 * lane i, so a loop may load any number of lanes before it stores the first. */
#include "base/scalar.h"
#include "emu/lane_memory.h"
#include "emu/machine.h"
#include "emu/tile.h"

/* EMU_INDEPENDENT: the iterations of the loop that follows are independent. EMU_UNROLL: its body is
 * short and is not vectorised. */
#if defined(__clang__)
#define EMU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define EMU_UNROLL      _Pragma("clang loop unroll_count(8)")
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__GNUC__)
#define EMU_INDEPENDENT _Pragma("GCC ivdep")
#define EMU_UNROLL      _Pragma("GCC unroll 8")
#else
#define EMU_INDEPENDENT
#define EMU_UNROLL
#endif

typedef uint32_t fn_word1(uint32_t);
typedef uint32_t fn_word2(uint32_t, uint32_t);
typedef uint32_t fn_word3(uint32_t, uint32_t, uint32_t);
typedef uint32_t fn_word4(uint32_t, uint32_t, uint32_t, uint32_t);
typedef uint64_t fn_pair1(uint64_t);
typedef uint64_t fn_pair2(uint64_t, uint64_t);
typedef uint64_t fn_pair3(uint64_t, uint64_t, uint64_t);
typedef uint64_t fn_pair_by(uint64_t, uint32_t);
typedef uint64_t fn_widen(uint32_t);
typedef uint32_t fn_narrow(uint64_t);
typedef bool fn_compare(uint32_t, uint32_t);
typedef bool fn_compare_pair(uint64_t, uint64_t);

/* Masks are processed 32 lanes at a time. */
enum { HALF_GROUPS = 32 / EMU_GROUP };
#define BITS4(n)                                                                                   \
    (uint32_t)1 << (n), (uint32_t)1 << (n + 1), (uint32_t)1 << (n + 2), (uint32_t)1 << (n + 3)
static const uint32_t lane_bit[32] = {BITS4(0),  BITS4(4),  BITS4(8),  BITS4(12),
                                      BITS4(16), BITS4(20), BITS4(24), BITS4(28)};

EMU_INLINE size_t half_lanes(const emu_wave *w, size_t group) {
    const size_t left = w->groups - group;
    return (left < HALF_GROUPS ? left : HALF_GROUPS) * EMU_GROUP;
}

#define FOR_HALVES(g) for (size_t g = 0; g < w->groups; g += HALF_GROUPS)

/* All bits or none, for selecting without a branch: compilers turn d = c ? x : d into a conditional
 * store, which they do not vectorise. */
#define LANE_MASK(mask, k)  (0u - (uint32_t)(((mask)&lane_bit[k]) != 0))
#define BLEND(select, x, y) (((x) & (select)) | ((y) & ~(select)))

/* What a loop over lanes may assume: nothing; or that all lanes of a wave of 25 to 32 execute, the
 * common case, whose loop needs no counter. */
typedef enum reach { ANY_LANES, ALL_OF_32 } reach;

/* `statement` for each lane i when all lanes execute. */
#define FOR_ROW(statement)                                                                         \
    if (r == ALL_OF_32) {                                                                          \
        EMU_INDEPENDENT                                                                            \
        for (size_t i = 0; i < 32; i++)                                                            \
            statement;                                                                             \
        return;                                                                                    \
    }                                                                                              \
    if (lanes == w->all) {                                                                         \
        const size_t groups = w->groups;                                                           \
        EMU_INDEPENDENT                                                                            \
        for (size_t i = 0; i < groups * EMU_GROUP; i++)                                            \
            statement;                                                                             \
        return;                                                                                    \
    }

/* The loops of one shape: `body` is the value of lane i, stored to row d. Each expands to two
 * functions in which `r` is a constant, so that the common one has no registers to save. */
#define LANES_STORE(body)                                                                          \
    FOR_ROW(d[i] = (body))                                                                         \
    FOR_HALVES(g) {                                                                                \
        const size_t count = half_lanes(w, g), first = g * EMU_GROUP;                              \
        const uint32_t mask = (uint32_t)(lanes >> first);                                          \
        EMU_INDEPENDENT                                                                            \
        for (size_t k = 0; k < count; k++) {                                                       \
            const size_t i = first + k;                                                            \
            const uint32_t value = (body), kept = d[i];                                            \
            d[i] = BLEND(LANE_MASK(mask, k), value, kept);                                         \
        }                                                                                          \
    }

#define ROW(field) (w->regs + in->field)

EMU_INLINE void word1(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_word1 *f, reach r) {
    uint32_t *d = ROW(rd[0]);
    const uint32_t *a = ROW(rs1[0]);
    LANES_STORE(f(a[i]))
}

EMU_INLINE void word2(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_word2 *f, reach r) {
    uint32_t *d = ROW(rd[0]);
    const uint32_t *a = ROW(rs1[0]), *b = ROW(rs2[0]);
    LANES_STORE(f(a[i], b[i]))
}

EMU_INLINE void word3(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_word3 *f, reach r) {
    uint32_t *d = ROW(rd[0]);
    const uint32_t *a = ROW(rs1[0]), *b = ROW(rs2[0]), *c = ROW(rs3[0]);
    LANES_STORE(f(a[i], b[i], c[i]))
}

EMU_INLINE void word4(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_word4 *f, reach r) {
    uint32_t *d = ROW(rd[0]);
    const uint32_t *a = ROW(rs1[0]), *b = ROW(rs2[0]), *c = ROW(rs3[0]), *e = ROW(rs3[1]);
    LANES_STORE(f(a[i], b[i], c[i], e[i]))
}

EMU_INLINE void splat(emu_wave *w, const emu_insn *in, uint64_t lanes, uint32_t value_of_all,
                      reach r) {
    uint32_t *d = ROW(rd[0]);
    LANES_STORE(value_of_all)
}

EMU_INLINE uint32_t special(const emu_machine *m, const emu_wave *w, uint32_t number) {
    return number == ISA_SR_WAVE_ID ? w->number : m->special[number];
}

EMU_INLINE void each1(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_word1 *f) {
    uint32_t *d = ROW(rd[0]);
    const uint32_t *a = ROW(rs1[0]);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t i = emu_lowest(lanes);
        d[i] = f(a[i]);
    }
}

EMU_INLINE void each2(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_word2 *f) {
    uint32_t *d = ROW(rd[0]);
    const uint32_t *a = ROW(rs1[0]), *b = ROW(rs2[0]);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t i = emu_lowest(lanes);
        d[i] = f(a[i], b[i]);
    }
}

/* Pairs: the low words are in the first row, the high words in the second. */
#define PAIR(low, high, i) ((low)[i] | (uint64_t)(high)[i] << 32)

#define STORE_PAIR(body)                                                                           \
    do {                                                                                           \
        const uint64_t value = (body);                                                             \
        d[i] = (uint32_t)value;                                                                    \
        high[i] = (uint32_t)(value >> 32);                                                         \
    } while (0)
#define EACH_PAIR(body)                                                                            \
    for (; lanes; lanes &= lanes - 1) {                                                            \
        const uint32_t i = emu_lowest(lanes);                                                      \
        STORE_PAIR(body);                                                                          \
    }
#define LANES_STORE_PAIR(body)                                                                     \
    uint32_t *d = ROW(rd[0]), *high = ROW(rd[1]);                                                  \
    FOR_ROW(STORE_PAIR(body))                                                                      \
    EACH_PAIR(body)

EMU_INLINE void pair1(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_pair1 *f, reach r) {
    const uint32_t *a = ROW(rs1[0]), *a2 = ROW(rs1[1]);
    LANES_STORE_PAIR(f(PAIR(a, a2, i)))
}

EMU_INLINE void pair2(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_pair2 *f, reach r) {
    const uint32_t *a = ROW(rs1[0]), *a2 = ROW(rs1[1]), *b = ROW(rs2[0]), *b2 = ROW(rs2[1]);
    LANES_STORE_PAIR(f(PAIR(a, a2, i), PAIR(b, b2, i)))
}

EMU_INLINE void each_pair2(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_pair2 *f) {
    const uint32_t *a = ROW(rs1[0]), *a2 = ROW(rs1[1]), *b = ROW(rs2[0]), *b2 = ROW(rs2[1]);
    uint32_t *d = ROW(rd[0]), *high = ROW(rd[1]);
    EACH_PAIR(f(PAIR(a, a2, i), PAIR(b, b2, i)))
}

EMU_INLINE void pair3(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_pair3 *f, reach r) {
    const uint32_t *a = ROW(rs1[0]), *a2 = ROW(rs1[1]), *b = ROW(rs2[0]), *b2 = ROW(rs2[1]);
    const uint32_t *c = ROW(rs3[0]), *c2 = ROW(rs3[1]);
    LANES_STORE_PAIR(f(PAIR(a, a2, i), PAIR(b, b2, i), PAIR(c, c2, i)))
}

EMU_INLINE void pair_by(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_pair_by *f, reach r) {
    const uint32_t *a = ROW(rs1[0]), *a2 = ROW(rs1[1]), *b = ROW(rs2[0]);
    LANES_STORE_PAIR(f(PAIR(a, a2, i), b[i]))
}

EMU_INLINE void widen(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_widen *f, reach r) {
    const uint32_t *a = ROW(rs1[0]);
    LANES_STORE_PAIR(f(a[i]))
}

EMU_INLINE void narrow(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_narrow *f, reach r) {
    uint32_t *d = ROW(rd[0]);
    const uint32_t *a = ROW(rs1[0]), *a2 = ROW(rs1[1]);
    LANES_STORE(f(PAIR(a, a2, i)))
}

/* The processor collects the bits if it can; otherwise an or over the lanes does, which compiles to
 * a few vector operations. */
EMU_INLINE void compare(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_compare *f, reach r) {
    const uint32_t *a = ROW(rs1[0]), *b = ROW(rs2[0]);
    uint64_t *d = &w->pred[in->pd];
    uint64_t result = 0;
#ifdef EMU_SIGN_BITS
    if (r == ALL_OF_32) {
        EMU_UNROLL
        for (uint32_t first = 0; first < 32; first += EMU_GROUP) {
            uint32_t flags[EMU_GROUP];
            for (uint32_t k = 0; k < EMU_GROUP; k++)
                flags[k] = 0u - (uint32_t)f(a[first + k], b[first + k]);
            result |= (uint64_t)EMU_SIGN_BITS(flags) << first;
        }
        *d = (*d & ~lanes) | (result & lanes);
        return;
    }
#endif
    (void)r;
    FOR_HALVES(g) {
        const size_t count = half_lanes(w, g), first = g * EMU_GROUP;
        uint32_t bits = 0;
        for (size_t k = 0; k < count; k++)
            bits |= f(a[first + k], b[first + k]) ? lane_bit[k] : 0u;
        result |= (uint64_t)bits << first;
    }
    *d = (*d & ~lanes) | (result & lanes);
}

EMU_INLINE void compare_pair(emu_wave *w, const emu_insn *in, uint64_t lanes, fn_compare_pair *f) {
    const uint32_t *a = ROW(rs1[0]), *a2 = ROW(rs1[1]), *b = ROW(rs2[0]), *b2 = ROW(rs2[1]);
    uint64_t *d = &w->pred[in->pd];
    uint64_t result = 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint32_t i = emu_lowest(left);
        result |= (uint64_t)f(PAIR(a, a2, i), PAIR(b, b2, i)) << i;
    }
    *d = (*d & ~lanes) | result;
}

EMU_INLINE void select_lanes(emu_wave *w, const emu_insn *in, uint64_t lanes, reach r) {
    uint32_t *d = ROW(rd[0]);
    const uint32_t *a = ROW(rs2[0]), *b = ROW(rs3[0]);
    const uint64_t cond = w->pred[in->ps];
    if (r == ALL_OF_32) {
        const uint32_t yes = (uint32_t)cond;
        EMU_INDEPENDENT
        for (size_t i = 0; i < 32; i++) {
            const uint32_t x = a[i], y = b[i];
            d[i] = BLEND(LANE_MASK(yes, i), x, y);
        }
        return;
    }
    FOR_HALVES(g) {
        const size_t count = half_lanes(w, g), first = g * EMU_GROUP;
        const uint32_t mask = (uint32_t)(lanes >> first), yes = (uint32_t)(cond >> first);
        EMU_INDEPENDENT
        for (size_t k = 0; k < count; k++) {
            const size_t i = first + k;
            const uint32_t x = a[i], y = b[i], kept = d[i];
            const uint32_t value = BLEND(LANE_MASK(yes, k), x, y);
            d[i] = BLEND(LANE_MASK(mask, k), value, kept);
        }
    }
}

/* One element of C += A * B, a row of A and a column of B: products in ascending k, each rounded
 * once. Rows of fragments are `row` words apart. */
EMU_INLINE void multiply_element(emu_wave *w, uint64_t lanes, const uint32_t *a, const uint32_t *b,
                                 uint32_t *c, size_t row, reach r) {
    uint32_t *d = c;
    LANES_STORE(sc_fma(a[3 * row + i], b[12 * row + i],
                       sc_fma(a[2 * row + i], b[8 * row + i],
                              sc_fma(a[row + i], b[4 * row + i], sc_fma(a[i], b[i], d[i])))))
}

EMU_INLINE void multiply_fragments(emu_wave *w, const emu_insn *in, uint64_t lanes, size_t row,
                                   reach r) {
    const uint32_t *a = w->fragments + in->a, *b = w->fragments + in->b;
    uint32_t *c = w->fragments + in->c;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            multiply_element(w, lanes, a + 4 * i * row, b + j * row, c + (4 * i + j) * row, row, r);
}

/* D = C + A * B of tiles: products in ascending k from C, each rounded once. */
EMU_INLINE void multiply_tiles(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    emu_product p;
    if (!emu_tile_operands(m, w, in, lanes, &p) || p.done)
        return;
    for (size_t i = 0; i < ISA_TILE_SIDE; i++)
        for (size_t k = 0; k < ISA_TILE_SIDE; k++) {
            const uint32_t a = p.a[i * ISA_TILE_SIDE + k], *b = p.b + k * ISA_TILE_SIDE;
            uint32_t *d = p.d + i * ISA_TILE_SIDE;
            EMU_INDEPENDENT
            for (size_t j = 0; j < ISA_TILE_SIDE; j++)
                d[j] = sc_fma(a, b[j], d[j]);
        }
}

/* ---- Memory ---- */

/* When all lanes execute, their addresses are checked together first. Otherwise, or when one of
 * them is invalid, lane by lane: from the first invalid one on in memory.c, which handles all
 * cases. */
EMU_INLINE bool addresses_good(const uint32_t *address, uint32_t count, uint32_t bytes,
                               uint64_t size) {
    uint32_t highest = 0, low_bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        highest = highest > address[i] ? highest : address[i];
        low_bits |= address[i];
    }
    return (low_bits & (bytes - 1)) == 0 && (uint64_t)highest + bytes <= size;
}

EMU_INLINE bool address_good(uint32_t address, uint32_t bytes, uint64_t size) {
    return (address & (bytes - 1)) == 0 && (uint64_t)address + bytes <= size;
}

EMU_INLINE void load_lane(uint32_t *regs, const emu_insn *in, size_t i, const uint8_t *from,
                          uint32_t bytes) {
    regs[in->rd[0] + i] = emu_get(from, bytes < 4 ? bytes : 4);
    if (bytes >= 8)
        regs[in->rd[1] + i] = emu_get(from + 4, 4);
    if (bytes == 16) {
        regs[in->rd[2] + i] = emu_get(from + 8, 4);
        regs[in->rd[3] + i] = emu_get(from + 12, 4);
    }
}

EMU_INLINE void load(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                     wave_space space, uint32_t bytes, bool full) {
    const uint8_t *const memory = emu_space_bytes(m, w, space);
    const uint64_t size = emu_space_size(m, space);
    const size_t distance = emu_lane_distance(m, space);
    const uint32_t *const address = ROW(rs1[0]), count = w->count;
    if (full && !m->watch_access && addresses_good(address, count, bytes, size)) {
        EMU_UNROLL
        for (size_t i = 0; i < count; i++)
            load_lane(w->regs, in, i, memory + i * distance + address[i], bytes);
        return;
    }
    for (; lanes && !m->watch_access; lanes &= lanes - 1) {
        const size_t i = emu_lowest(lanes);
        if (!address_good(address[i], bytes, size))
            break;
        load_lane(w->regs, in, i, memory + i * distance + address[i], bytes);
    }
    if (lanes)
        emu_load_lanes(m, w, in, lanes, space, bytes);
}

EMU_INLINE void store_lane(const uint32_t *regs, const emu_insn *in, size_t i, uint8_t *to,
                           uint32_t bytes) {
    emu_put(to, regs[in->rs2[0] + i], bytes < 4 ? bytes : 4);
    if (bytes >= 8)
        emu_put(to + 4, regs[in->rs2[1] + i], 4);
    if (bytes == 16) {
        emu_put(to + 8, regs[in->rs2[2] + i], 4);
        emu_put(to + 12, regs[in->rs2[3] + i], 4);
    }
}

EMU_INLINE void store(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                      wave_space space, uint32_t bytes, bool full) {
    uint8_t *const memory = emu_space_bytes(m, w, space);
    const uint64_t size = emu_space_size(m, space);
    const size_t distance = emu_lane_distance(m, space);
    const uint32_t *const address = ROW(rs1[0]), *const regs = w->regs, count = w->count;
    const emu_insn operands = *in; /* in C, the stored bytes might alias *in */
    if (full && !m->watch_access && addresses_good(address, count, bytes, size)) {
        EMU_UNROLL
        for (size_t i = 0; i < count; i++)
            store_lane(regs, &operands, i, memory + i * distance + address[i], bytes);
        return;
    }
    for (; lanes && !m->watch_access; lanes &= lanes - 1) {
        const size_t i = emu_lowest(lanes);
        if (!address_good(address[i], bytes, size))
            break;
        store_lane(regs, &operands, i, memory + i * distance + address[i], bytes);
    }
    if (lanes)
        emu_store_lanes(m, w, in, lanes, space, bytes);
}

/* ---- One handler for each row of ops.def ---- */

#define HANDLER(id, call)                                                                          \
    static void run_##id(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {        \
        (void)m;                                                                                   \
        call;                                                                                      \
    }
#ifdef __OPTIMIZE_SIZE__ /* the same code for whole waves and for some lanes */
#define HANDLERS(id, call)                                                                         \
    static void run_##id(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {        \
        const reach r = ANY_LANES;                                                                 \
        (void)m;                                                                                   \
        call;                                                                                      \
    }
#define HANDLERS_MEMORY(id, call)                                                                  \
    static void run_##id(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {        \
        const bool full = false;                                                                   \
        call;                                                                                      \
    }
#else
#define HANDLERS(id, call)                                                                         \
    static EMU_OUTLINE void some_##id(emu_machine *m, emu_wave *w, const emu_insn *in,             \
                                      uint64_t lanes) {                                            \
        const reach r = ANY_LANES;                                                                 \
        (void)m;                                                                                   \
        call;                                                                                      \
    }                                                                                              \
    static void run_##id(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {        \
        const reach r = ALL_OF_32;                                                                 \
        if (lanes != w->all || w->groups != HALF_GROUPS)                                           \
            some_##id(m, w, in, lanes);                                                            \
        else                                                                                       \
            call;                                                                                  \
    }
/* Memory: all lanes of any wave, or some. */
#define HANDLERS_MEMORY(id, call)                                                                  \
    static EMU_OUTLINE void some_##id(emu_machine *m, emu_wave *w, const emu_insn *in,             \
                                      uint64_t lanes) {                                            \
        const bool full = false;                                                                   \
        call;                                                                                      \
    }                                                                                              \
    static void run_##id(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {        \
        const bool full = true;                                                                    \
        if (lanes != w->all)                                                                       \
            some_##id(m, w, in, lanes);                                                            \
        else                                                                                       \
            call;                                                                                  \
    }
#endif
#define SHAPE_WORD1(id, name)        HANDLERS(id, word1(w, in, lanes, sc_##name, r))
#define SHAPE_WORD2(id, name)        HANDLERS(id, word2(w, in, lanes, sc_##name, r))
#define SHAPE_WORD3(id, name)        HANDLERS(id, word3(w, in, lanes, sc_##name, r))
#define SHAPE_WORD4(id, name)        HANDLERS(id, word4(w, in, lanes, sc_##name, r))
#define SHAPE_EACH1(id, name)        HANDLER(id, each1(w, in, lanes, sc_##name))
#define SHAPE_EACH2(id, name)        HANDLER(id, each2(w, in, lanes, sc_##name))
#define SHAPE_PAIR1(id, name)        HANDLERS(id, pair1(w, in, lanes, sc_##name, r))
#define SHAPE_PAIR2(id, name)        HANDLERS(id, pair2(w, in, lanes, sc_##name, r))
#define SHAPE_PAIR3(id, name)        HANDLERS(id, pair3(w, in, lanes, sc_##name, r))
#define SHAPE_PAIR_BY(id, name)      HANDLERS(id, pair_by(w, in, lanes, sc_##name, r))
#define SHAPE_EACH_PAIR2(id, name)   HANDLER(id, each_pair2(w, in, lanes, sc_##name))
#define SHAPE_WIDEN(id, name)        HANDLERS(id, widen(w, in, lanes, sc_##name, r))
#define SHAPE_NARROW(id, name)       HANDLERS(id, narrow(w, in, lanes, sc_##name, r))
#define SHAPE_COMPARE(id, name)      HANDLERS(id, compare(w, in, lanes, sc_##name, r))
#define SHAPE_COMPARE_PAIR(id, name) HANDLER(id, compare_pair(w, in, lanes, sc_##name))
#define SHAPE_SELECT(id, name)       HANDLERS(id, select_lanes(w, in, lanes, r))
#define SHAPE_SPLAT(id, name)        HANDLERS(id, splat(w, in, lanes, in->value, r))
#define SHAPE_SPECIAL(id, name)      HANDLERS(id, splat(w, in, lanes, special(m, w, in->value), r))
#define SHAPE_LOCAL_LOAD(id, size)                                                                 \
    HANDLERS_MEMORY(id, load(m, w, in, lanes, WAVE_SPACE_LOCAL, size, full))
#define SHAPE_LOCAL_STORE(id, size)                                                                \
    HANDLERS_MEMORY(id, store(m, w, in, lanes, WAVE_SPACE_LOCAL, size, full))
#define SHAPE_DEVICE_LOAD(id, size)                                                                \
    HANDLERS_MEMORY(id, load(m, w, in, lanes, WAVE_SPACE_DEVICE, size, full))
#define SHAPE_DEVICE_STORE(id, size)                                                               \
    HANDLERS_MEMORY(id, store(m, w, in, lanes, WAVE_SPACE_DEVICE, size, full))
#define SHAPE_PRIVATE_LOAD(id, size)                                                               \
    HANDLERS_MEMORY(id, load(m, w, in, lanes, WAVE_SPACE_PRIVATE, size, full))
#define SHAPE_PRIVATE_STORE(id, size)                                                              \
    HANDLERS_MEMORY(id, store(m, w, in, lanes, WAVE_SPACE_PRIVATE, size, full))
#define SHAPE_CONSTANT_LOAD(id, size)                                                              \
    HANDLERS_MEMORY(id, load(m, w, in, lanes, WAVE_SPACE_CONSTANT, size, full))
#define SHAPE_MMA(id, name) HANDLERS(id, multiply_fragments(w, in, lanes, m->stride, r))
#define SHAPE_TILE(id, name)                                                                       \
    static void run_##id(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {        \
        multiply_tiles(m, w, in, lanes);                                                           \
    }

#define LANES(id, shape, name) SHAPE_##shape(id, name)
#define WHOLE(id, name)
#include "emu/ops.def"
#undef LANES
#undef WHOLE

/* A missing or duplicate row does not compile: the counts differ, or the compiler warns of an entry
 * initialised twice. */
static emu_handler *const lane_handlers[ISA_OP_COUNT] = {
#define LANES(id, shape, name) [ISA_##id] = run_##id,
#define WHOLE(id, name)        [ISA_##id] = emu_##name,
#include "emu/ops.def"
#undef LANES
#undef WHOLE
};

enum {
    LANES_ROWS = 0
#define LANES(id, shape, name) +1
#define WHOLE(id, name)        +1
#include "emu/ops.def"
#undef LANES
#undef WHOLE
};
_Static_assert(LANES_ROWS == ISA_OP_COUNT - 1, "ops.def must have a row for each instruction");
