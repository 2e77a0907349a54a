/* Tiles of a wave as plain values, where no matrix unit holds them.
 *
 * The lanes form a grid, and each computes one block of C. It holds the rows of A and the columns
 * of B for its block, with all sixteen elements of each. Elements that several lanes need are
 * loaded by each of them; lanes never exchange data. In waves of 32 lanes:
 *
 *          B  lane 0 1 2 3                       grid      block of C
 *             ┌────┬────┬────┬────┐    W = 4     2 × 2     8 × 8
 *             │ 16 × 4  │    │    │    W = 8     4 × 2     4 × 8
 *   A         ├────┼────┼────┼────┤    W = 16    4 × 4     4 × 4
 *   lane 0–3  │2×4 │    │    │    │    W = 32    8 × 4     2 × 4
 *   lane 4–7  │    │    │    │    │    W = 64    8 × 8     2 × 2
 *
 *   %3:c_f32 = tile_mma %1, %2, %0     →     %c00 = fma %a00, %b00, %c00   … k ascending
 *
 * The sides of a block are powers of two, so adjacent elements of a lane are aligned in memory and
 * loaded as one. */
#include "base/bits.h"
#include "ir/analyse.h"
#include "ir/lower.h"
#include "ir/parts.h"

#include <stdlib.h>

enum { SIDE = IR_TILE_SIDE, MOST_BYTES = 16 };

typedef struct block {
    unsigned rows, columns; /* of C that a lane computes */
    unsigned across;        /* log2 of the lanes per row of the grid */
} block;

typedef struct lowering {
    block block;
    const uint8_t *tiles; /* from ir_find_tiles */
    uint32_t values;
} lowering;

static block block_of(uint32_t width) {
    unsigned lanes = bits_lowest(width), across = lanes / 2;
    return (block){SIDE >> (lanes - across), SIDE >> across, across};
}

/* ---- A lane's share of a tile ---- */

typedef struct share {
    unsigned rows, columns;
} share;

static share share_of(const lowering *l, ir_type type) {
    unsigned bank = ir_tile_bank(type);
    return (share){bank == IR_BANK_B ? SIDE : l->block.rows,
                   bank == IR_BANK_A ? SIDE : l->block.columns};
}

static unsigned count(const ir_parts *x, ir_value v) {
    const lowering *l = x->user;
    ir_type type = ir_type_of(x->f, v);
    if (!ir_is_wave_tile(type) || v >= l->values || l->tiles[v] & IR_TILE_NATIVE)
        return 0;
    share s = share_of(l, type);
    return s.rows * s.columns;
}

/* ---- Small helpers ---- */

static ir_value number(ir_parts *x, uint32_t value) {
    return ir_const(x->f, IR_U32, value);
}

static ir_value binary(ir_parts *x, ir_value at, ir_op op, ir_value a, ir_value b) {
    return ir_parts_make(x, at, op, IR_U32, (ir_value[]){a, b}, 2, 0);
}

static ir_value unary(ir_parts *x, ir_value at, ir_op op, ir_type type, ir_value a) {
    return ir_parts_make(x, at, op, type, &a, 1, 0);
}

/* ---- Elements of a word ---- */

/* The bits of an element, moved to the top of a word or to its bottom. */
static ir_value take(ir_parts *x, ir_value at, ir_value word, unsigned first, unsigned bits,
                     bool top) {
    unsigned up = 32 - bits - first;
    if (top && up)
        return binary(x, at, IR_SHL, word, number(x, up));
    if (!top && first)
        return binary(x, at, IR_SHR, word, number(x, first));
    return word;
}

/* Element k of a word as a separate value: f32, or u32, sign-extended if the element is signed. */
static ir_value element_of(ir_parts *x, ir_value at, ir_element element, ir_value word,
                           unsigned k) {
    unsigned bits = 8u * ir_element_bytes[element], first = k * bits;
    ir_value v = word;
    switch (element) {
    case IR_ELEMENT_F16:
        v = unary(x, at, IR_LOW16, IR_F16, take(x, at, word, first, bits, false));
        return unary(x, at, IR_CVT_F32_F16, IR_F32, v);
    case IR_ELEMENT_BF16:
        v = first ? binary(x, at, IR_AND, word, number(x, 0xFFFF0000))
                  : take(x, at, word, first, bits, true);
        return unary(x, at, IR_BITCAST, IR_F32, v);
    case IR_ELEMENT_I8:
        return binary(x, at, IR_SAR, take(x, at, word, first, bits, true), number(x, 24));
    case IR_ELEMENT_U8:
        return binary(x, at, IR_AND, take(x, at, word, first, bits, false), number(x, 255));
    case IR_ELEMENT_F32: return unary(x, at, IR_BITCAST, IR_F32, word);
    default: return word;
    }
}

/* ---- Memory ---- */

/* Adjacent elements of a lane: a row of its share or a column. The address may wrap between two of
 * its pieces. */
typedef struct run {
    ir_value at;   /* insert before this operation */
    ir_value base; /* address of its first byte */
    ir_access access;
    unsigned length; /* in elements */
    ir_element element;
    ir_value *parts;
    unsigned step; /* from one element to the next in `parts` */
} run;

static ir_value address_of(ir_parts *x, const run *r, unsigned done) {
    return done ? binary(x, r->at, IR_IADD, r->base, number(x, done)) : r->base;
}

static unsigned piece_of(const run *r, unsigned done) {
    unsigned left = r->length * ir_element_bytes[r->element] - done;
    return left < MOST_BYTES ? left : MOST_BYTES;
}

/* The words of a load that has been emitted. */
static void take_words(ir_parts *x, const run *r, unsigned done, const ir_value *words,
                       unsigned bytes) {
    unsigned size = ir_element_bytes[r->element], first = done / size;
    for (unsigned k = 0; k < bytes / size; k++)
        r->parts[(first + k) * r->step] =
            element_of(x, r->at, r->element, words[k * size / 4], k % (size < 4 ? 4 / size : 1));
}

static void load_run(ir_parts *x, const run *r) {
    unsigned bytes;
    for (unsigned done = 0; (bytes = piece_of(r, done)); done += bytes) {
        ir_access a = r->access;
        ir_value words[4] = {0}, load, address = address_of(x, r, done);
        a.bytes = (uint8_t)bytes;
        if (bytes <= 4) {
            words[0] = ir_parts_make(x, r->at, IR_LOAD, IR_U32, &address, 1, ir_access_pack(a));
        } else {
            load = ir_parts_make(x, r->at, IR_LOADS, IR_VOID, &address, 1, ir_access_pack(a));
            for (unsigned k = 0; k < bytes / 4; k++)
                words[k] = ir_parts_make(x, r->at, IR_RESULT, IR_U32, &load, 1, k);
        }
        take_words(x, r, done, words, bytes);
    }
}

/* Elements of C are words. */
static void store_run(ir_parts *x, const run *r) {
    unsigned bytes;
    for (unsigned done = 0; (bytes = piece_of(r, done)); done += bytes) {
        ir_access a = r->access;
        ir_value args[5] = {address_of(x, r, done)};
        a.bytes = (uint8_t)bytes;
        for (unsigned k = 0; k < bytes / 4; k++)
            args[1 + k] = r->parts[(done / 4 + k) * r->step];
        ir_parts_make(x, r->at, IR_STORE, IR_VOID, args, 1 + bytes / 4, ir_access_pack(a));
    }
}

/* The first row, or column, of a lane's share. */
static ir_value first_of(ir_parts *x, ir_value at, const lowering *l, bool row) {
    ir_value lane = ir_leaf(x->f, IR_SPECIAL, IR_U32, ISA_SR_LANE_ID);
    unsigned across = l->block.across;
    ir_value place = row ? binary(x, at, IR_SHR, lane, number(x, across))
                         : binary(x, at, IR_AND, lane, number(x, (1u << across) - 1));
    return binary(x, at, IR_IMUL, place, number(x, row ? l->block.rows : l->block.columns));
}

/* The start of a lane's share: the address of (0, 0) plus the offsets of its first row and
 * column. */
static ir_value start_of(ir_parts *x, ir_value v, ir_type type, bool columns) {
    const lowering *l = x->user;
    ir_value address = ir_arg(x->f, v, 0), stride = ir_arg(x->f, v, 1);
    ir_value size = number(x, ir_element_bytes[ir_tile_element(type)]);
    if (ir_tile_bank(type) != IR_BANK_B) {
        ir_value by = binary(x, v, IR_IMUL, first_of(x, v, l, true), columns ? size : stride);
        address = binary(x, v, IR_IADD, address, by);
    }
    if (ir_tile_bank(type) != IR_BANK_A) {
        ir_value by = binary(x, v, IR_IMUL, first_of(x, v, l, false), columns ? stride : size);
        address = binary(x, v, IR_IADD, address, by);
    }
    return address;
}

static void expand_memory(ir_parts *x, ir_value v) {
    bool store = ir_op_of(x->f, v) == IR_TILE_STORE;
    ir_value parts[IR_MOST_PARTS] = {0}, stride = ir_arg(x->f, v, 1);
    ir_type type = ir_type_of(x->f, store ? ir_arg(x->f, v, 2) : v);
    ir_access access = ir_access_unpack(ir_at(x->f, v)->imm);
    bool columns = access.layout == IR_COLUMNS;
    share s = share_of(x->user, type);
    ir_value start = start_of(x, v, type, columns);
    access.layout = 0;
    if (store)
        ir_parts_get(x, ir_arg(x->f, v, 2), parts);
    for (unsigned k = 0; k < (columns ? s.columns : s.rows) && !x->f->failed; k++) {
        ir_value by = k > 1 ? binary(x, v, IR_IMUL, stride, number(x, k)) : stride;
        run r = {.at = v,
                 .base = k ? binary(x, v, IR_IADD, start, by) : start,
                 .access = access,
                 .length = columns ? s.rows : s.columns,
                 .element = ir_tile_element(type),
                 .parts = parts + (size_t)k * (columns ? 1 : s.columns),
                 .step = columns ? s.columns : 1};
        if (store)
            store_run(x, &r);
        else
            load_run(x, &r);
    }
    if (!store)
        ir_parts_set(x, v, parts);
}

/* ---- Arithmetic ---- */

static void expand_fill(ir_parts *x, ir_value v) {
    ir_value parts[IR_MOST_PARTS] = {0}, value = ir_arg(x->f, v, 0);
    if (ir_part_type(ir_type_of(x->f, v)) == IR_F32)
        value = unary(x, v, IR_BITCAST, IR_F32, value);
    for (unsigned k = 0; k < count(x, v); k++)
        parts[k] = value;
    ir_parts_set(x, v, parts);
}

static ir_value multiply_add(ir_parts *x, ir_value v, ir_value a, ir_value b, ir_value c) {
    if (ir_type_of(x->f, v) == IR_C_F32)
        return ir_parts_make(x, v, IR_FMA, IR_F32, (ir_value[]){a, b, c}, 3, 0);
    return binary(x, v, IR_IADD, binary(x, v, IR_IMUL, a, b), c);
}

/* Each sum runs over k in ascending order; independent sums are interleaved. */
static void expand_mma(ir_parts *x, ir_value v) {
    const lowering *l = x->user;
    unsigned rows = l->block.rows, columns = l->block.columns;
    ir_value a[IR_MOST_PARTS] = {0}, b[IR_MOST_PARTS] = {0}, c[IR_MOST_PARTS] = {0};
    ir_parts_get(x, ir_arg(x->f, v, 0), a);
    ir_parts_get(x, ir_arg(x->f, v, 1), b);
    ir_parts_get(x, ir_arg(x->f, v, 2), c);
    for (unsigned k = 0; k < SIDE && !x->f->failed; k++)
        for (unsigned i = 0; i < rows; i++)
            for (unsigned j = 0; j < columns; j++)
                c[i * columns + j] =
                    multiply_add(x, v, a[i * SIDE + k], b[k * columns + j], c[i * columns + j]);
    ir_parts_set(x, v, c);
}

/* ---- The walk ---- */

/* Records the memory layouts of the factors, for the matrix unit. */
static void note_layouts(const ir_parts *x, ir_value v) {
    const lowering *l = x->user;
    bool a = l->tiles[ir_arg(x->f, v, 0)] & IR_TILE_COLUMNS;
    bool b = l->tiles[ir_arg(x->f, v, 1)] & IR_TILE_COLUMNS;
    ir_at(x->f, v)->imm = (a ? IR_MMA_A_COLUMNS : 0u) | (b ? IR_MMA_B_COLUMNS : 0u);
}

static void expand(ir_parts *x, ir_value v) {
    ir_op op = ir_op_of(x->f, v);
    ir_value tile = op == IR_TILE_STORE ? ir_arg(x->f, v, 2) : v;
    if (ir_parts_cross(x, v))
        return;
    if (!count(x, tile)) {
        if (op == IR_TILE_MMA)
            note_layouts(x, v);
        return;
    }
    switch (op) {
    case IR_TILE_LOAD:
    case IR_TILE_STORE: expand_memory(x, v); break;
    case IR_TILE_FILL: expand_fill(x, v); break;
    default: expand_mma(x, v); break;
    }
    ir_remove(x->f, v);
    x->changed = true;
}

bool ir_lower_tile(ir_func *f) {
    if (!ir_made(f, IR_TILE_LOAD) && !ir_made(f, IR_TILE_STORE) && !ir_made(f, IR_TILE_FILL))
        return false;
    /* no target has waves of fewer than four lanes: an emitter rejects them */
    lowering l = {.block = block_of(f->wave_width < 4 ? 32 : f->wave_width),
                  .tiles = ir_find_tiles(f),
                  .values = f->node_count};
    ir_parts x = {.count = count, .user = &l};
    f->failed |= !l.tiles;
    if (!f->failed)
        ir_parts_init(&x, f);
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && w.op < l.values)
            expand(&x, w.op);
    ir_parts_free(&x);
    free((void *)l.tiles);
    return x.changed;
}
