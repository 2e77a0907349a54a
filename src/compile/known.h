/* Values that are the same in every run: constants, and values computed from constants and the lane
 * number. They are learned in program order, operation by operation. */
#ifndef COMPILE_KNOWN_H
#define COMPILE_KNOWN_H

#include "ir/ir.h"

typedef struct known {
    const ir_func *f;
    uint64_t *bits; /* by value: the same in all lanes */
    uint16_t *row;  /* by value: 0 unknown, 1 in `bits`, 2 the lane, others: its row in `rows` */
    uint64_t *rows; /* one word per lane; NULL: per-lane values are not tracked */
    uint16_t count;
} known;

/* `lanes`: also track the per-lane values of the first wave. Returns false when out of memory;
 * known_close frees in either case. */
bool known_open(known *k, const ir_func *f, bool lanes);
void known_close(known *k);
/* Learns the next operation. Most operations have an operand that is not known. */
void known_learn_all(known *k, ir_value v);
static inline void known_learn(known *k, ir_value v) {
    const ir_node *n = ir_at(k->f, v);
    if (n->arg_count && (n->arg_count > IR_INLINE_ARGS || k->row[n->args[0]]))
        known_learn_all(k, v);
}

/* Whether all lanes hold these bits. */
bool known_constant(const known *k, ir_value v, uint64_t *bits);
/* The first lane whose value differs from lane 0, or 0. */
uint32_t known_difference(const known *k, ir_value v, uint64_t *there, uint64_t *first);

#endif
