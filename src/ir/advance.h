/* Addresses that move through a group of iterations (opt_groups.c), as 64-bit pointers. */
#ifndef IR_ADVANCE_H
#define IR_ADVANCE_H

#include "ir/copy.h"

enum { IR_MOST_CHAINS = 4, IR_MOST_MOVING = 32 };

typedef struct ir_advances {
    ir_func *f;
    const ir_value *step; /* by value of the body: its step per iteration, or 0 */
    unsigned factor, chains, moving;
    struct {
        ir_value root; /* the value of the body that moves … */
        ir_value step; /* … by this */
        ir_value limit, pointer, wide;
        uint32_t most; /* the largest constant that an address adds to it */
        uint32_t by;   /* a constant step without its sign, else 0 */
        bool down;
    } chain[IR_MOST_CHAINS];
    struct {
        ir_value address;
        uint32_t plus; /* what it adds to the root of its chain */
        uint8_t chain;
    } of[IR_MOST_MOVING];
} ir_advances;

/* The operation after v in a body, those inside it first. */
ir_value ir_next_inside(const ir_func *f, ir_value v);

/* Finds the chains of the device accesses from `v` to `stop`, in a body with these steps. */
void ir_find_advances(ir_advances *a, ir_value v, ir_value stop);

/* Makes the limits of the chains before the loop. */
void ir_prepare_advances(ir_advances *a, ir_value loop);

/* True if no address of the chain wraps in a group that starts with this root. */
ir_value ir_advance_fits(ir_advances *a, unsigned chain, ir_value root, ir_value at);

/* Makes the pointers of iteration `k`, and gives them to the accesses from `v` to `stop`. */
void ir_advance(ir_advances *a, unsigned k, ir_value at);
void ir_use_advances(const ir_advances *a, const ir_copier *copies, unsigned k, ir_value v,
                     ir_value stop);

#endif
