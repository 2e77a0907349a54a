/* Constant propagation with lane numbers as constants: a value is one word, or a row with one word
 * per lane. The number of rows is bounded, so time and memory are those of plain constant
 * propagation; a value for which no row is left is unknown. */
#include "compile/known.h"

#include "ir/fold.h"
#include "isa/isa.h"

#include <stdlib.h>

enum { MOST_ARGS = 4, UNKNOWN = 0, CONSTANT = 1, FIRST_ROW = 2, MOST_ROWS = 1024 };

bool known_open(known *k, const ir_func *f, bool lanes) {
    *k = (known){.f = f, .count = FIRST_ROW};
    k->bits = calloc(f->node_count, sizeof *k->bits);
    k->row = calloc(f->node_count, sizeof *k->row);
    if (lanes)
        k->rows = malloc(((size_t)MOST_ROWS + FIRST_ROW) * f->wave_width * sizeof *k->rows);
    return k->bits && k->row && (!lanes || k->rows);
}

void known_close(known *k) {
    free(k->bits);
    free(k->row);
    free(k->rows);
}

static uint64_t *row_of(const known *k, unsigned row) {
    return k->rows + (size_t)row * k->f->wave_width;
}

/* The lane number, and the thread number along x if the first wave is within the first row. */
static bool is_lane(const known *k, ir_value v) {
    const ir_node *n = ir_at(k->f, v);
    return k->rows && n->op == IR_SPECIAL &&
           (n->imm == ISA_SR_LANE_ID ||
            (n->imm == ISA_SR_THREAD_ID_X && k->f->workgroup[0] >= k->f->wave_width));
}

static bool get(const known *k, ir_value v, uint32_t lane, uint64_t *bits) {
    if (ir_is_const(k->f, v, bits))
        return true;
    if (k->row[v] >= FIRST_ROW)
        *bits = row_of(k, k->row[v])[lane];
    else
        *bits = k->row[v] == CONSTANT ? k->bits[v] : lane;
    return k->row[v] != UNKNOWN || is_lane(k, v);
}

static bool in_row(const known *k, ir_value v) {
    return k->row[v] >= FIRST_ROW || is_lane(k, v);
}

static bool fold(const known *k, ir_value v, uint32_t lane, uint64_t *bits) {
    uint64_t args[MOST_ARGS];
    unsigned count = ir_at(k->f, v)->arg_count;
    for (unsigned i = 0; i < count; i++)
        if (!get(k, ir_arg(k->f, v, i), lane, &args[i]))
            return false;
    return ir_fold(ir_op_of(k->f, v), ir_type_of(k->f, v), args, bits);
}

void known_learn(known *k, ir_value v) {
    unsigned count = ir_at(k->f, v)->arg_count;
    bool row = false, same = true;
    if (!ir_has(k->f, v, IR_PURE) || count == 0 || count > MOST_ARGS || !fold(k, v, 0, &k->bits[v]))
        return;
    for (unsigned i = 0; i < count; i++)
        row |= in_row(k, ir_arg(k->f, v, i));
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
    return !in_row(k, v) && get(k, v, 0, bits);
}

uint32_t known_difference(const known *k, ir_value v, uint64_t *there, uint64_t *first) {
    if (!in_row(k, v))
        return 0;
    get(k, v, 0, first);
    for (uint32_t lane = 1; lane < k->f->wave_width; lane++)
        if (get(k, v, lane, there) && *there != *first)
            return lane;
    return 0;
}
