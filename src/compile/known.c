/* Constant propagation with lane numbers as constants: a value is one word, or a row with one word
 * per lane. The number of rows is bounded, so time and memory are those of plain constant
 * propagation; a value for which no row is left is unknown. */
#include "compile/known.h"

#include "ir/fold.h"
#include "isa/isa.h"

#include <stdlib.h>

enum { MOST_ARGS = 4, UNKNOWN = 0, CONSTANT = 1, LANE = 2, FIRST_ROW = 3, MOST_ROWS = 1024 };

/* The lane number, and the thread number along x if the first wave is within the first row. */
static bool is_lane(const ir_func *f, const ir_node *n) {
    return n->op == IR_SPECIAL && (n->imm == ISA_SR_LANE_ID || (n->imm == ISA_SR_THREAD_ID_X &&
                                                                f->workgroup[0] >= f->wave_width));
}

static void learn_leaves(known *k) {
    for (uint32_t i = 0; i < k->f->leaf_capacity; i++) {
        ir_value v = k->f->leaves[i];
        const ir_node *n = ir_at(k->f, v);
        if (n->op == IR_CONST) {
            k->row[v] = CONSTANT;
            k->bits[v] = n->imm;
        } else if (k->rows && is_lane(k->f, n)) {
            k->row[v] = LANE;
        }
    }
}

bool known_open(known *k, const ir_func *f, bool lanes) {
    *k = (known){.f = f, .count = FIRST_ROW};
    k->bits = malloc(f->node_count * sizeof *k->bits); /* where `row` says so */
    k->row = calloc(f->node_count, sizeof *k->row);
    if (lanes)
        k->rows = malloc(((size_t)MOST_ROWS + FIRST_ROW) * f->wave_width * sizeof *k->rows);
    bool ok = k->bits && k->row && (!lanes || k->rows);
    if (ok)
        learn_leaves(k);
    return ok;
}

void known_close(known *k) {
    free(k->bits);
    free(k->row);
    free(k->rows);
}

static uint64_t *row_of(const known *k, unsigned row) {
    return k->rows + (size_t)row * k->f->wave_width;
}

static uint64_t get(const known *k, ir_value v, uint32_t lane) {
    if (k->row[v] >= FIRST_ROW)
        return row_of(k, k->row[v])[lane];
    return k->row[v] == CONSTANT ? k->bits[v] : lane;
}

static bool in_row(const known *k, ir_value v) {
    return k->row[v] >= LANE;
}

/* All operands are known. */
static bool fold(const known *k, ir_value v, uint32_t lane, uint64_t *bits) {
    uint64_t args[MOST_ARGS];
    unsigned count = ir_at(k->f, v)->arg_count;
    for (unsigned i = 0; i < count; i++)
        args[i] = get(k, ir_arg(k->f, v, i), lane);
    return ir_fold(ir_op_of(k->f, v), ir_type_of(k->f, v), args, bits);
}

void known_learn_all(known *k, ir_value v) {
    const ir_value *args = ir_args(k->f, v);
    unsigned count = ir_at(k->f, v)->arg_count;
    bool row = false, same = true;
    for (unsigned i = 0; i < count; i++) {
        if (k->row[args[i]] == UNKNOWN)
            return;
        row |= in_row(k, args[i]);
    }
    if (!ir_has(k->f, v, IR_PURE) || count == 0 || count > MOST_ARGS || !fold(k, v, 0, &k->bits[v]))
        return;
    if (!row) {
        k->row[v] = CONSTANT;
        return;
    }
    if (k->count == MOST_ROWS + FIRST_ROW)
        return;
    uint64_t *words = row_of(k, k->count);
    for (uint32_t lane = 0; lane < k->f->wave_width; lane++) {
        if (!fold(k, v, lane, &words[lane]))
            return;
        same &= words[lane] == words[0];
    }
    k->row[v] = same ? CONSTANT : k->count++;
}

bool known_constant(const known *k, ir_value v, uint64_t *bits) {
    if (k->row[v] != CONSTANT)
        return false;
    *bits = k->bits[v];
    return true;
}

uint32_t known_difference(const known *k, ir_value v, uint64_t *there, uint64_t *first) {
    if (!in_row(k, v))
        return 0;
    *first = get(k, v, 0);
    for (uint32_t lane = 1; lane < k->f->wave_width; lane++)
        if ((*there = get(k, v, lane)) != *first)
            return lane;
    return 0;
}
