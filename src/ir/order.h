/* Addresses as sums, for the question whether two accesses of a wave may meet: the state that
 * analyse_address.c and analyse_order.c share. */
#ifndef IR_ORDER_H
#define IR_ORDER_H

#include "ir/analyse.h"

enum { ADDRESS_TERMS = 6 };

typedef struct address_term {
    ir_value v;
    uint32_t factor;
    bool moves; /* it stands for how far a loop's parameter has moved: uniform, though v is not */
} address_term;

/* What an address is but for a constant. Addresses with the same shape differ by a constant in each
 * lane. */
typedef struct address_shape {
    address_term terms[ADDRESS_TERMS]; /* by rising v */
    unsigned count;
    uint32_t hash, next; /* in the table of shapes */
    uint32_t newest;     /* when the last of its terms was defined; 0: all are leaves */
    bool varies;         /* lanes may have different addresses */
    bool proved;         /* `stride` holds; otherwise it is a guess */
    uint32_t stride;     /* any two lanes are so far apart at least */
    uint64_t reach;      /* and so far at most */
    uint64_t most;       /* that the terms come to, where it is known … */
    bool bounded;        /* … and this says whether it is */
    ir_value base;       /* device memory: the one argument that is added to the rest, or 0 */
} address_shape;

typedef struct addresses {
    const ir_func *f;
    const ir_uniformity *uniform;
    const ir_ends *ends;
    const uint32_t *serial; /* by operation: when it was defined */
    ir_value *root;         /* by value that is another one and a constant: that one, or 0 … */
    uint32_t *above;        /* … and the constant */
    uint8_t *moves;         /* by parameter: whether all lanes add the same to it, once asked */
    address_shape *shapes;  /* index 0 is not used */
    uint32_t count, capacity;
    uint32_t *buckets, mask;
    bool failed;
} addresses;

bool addresses_init(addresses *a, const ir_func *f, const ir_uniformity *u, const ir_ends *ends,
                    const uint32_t *serial);
void addresses_free(addresses *a);

/* The number of the shape of an address, its constant part, and how much further it may be. 0: no
 * memory. */
uint32_t address_shape_of(addresses *a, ir_value address, uint32_t *constant, uint32_t *spread);

/* Where an access lies: bytes from … to of a shape. */
typedef struct address_span {
    uint32_t shape;
    int64_t from, to;
    bool stale; /* of an earlier iteration: terms may have other values now */
} address_span;

/* Whether lanes may meet at two spans of one memory space. */
typedef enum address_verdict {
    ADDRESS_NEVER,    /* proved */
    ADDRESS_UNLIKELY, /* other buffers, other iterations, indices that nothing proves different */
    ADDRESS_MAY
} address_verdict;

/* A span of the one lane where `v` is `value`, as one of another shape, in which v is a term. False
 * when it is not such a one. */
bool address_restate(const addresses *a, const address_span *span, ir_value v, uint32_t value,
                     uint32_t shape, address_span *out);

address_verdict address_meet(const addresses *a, const address_span *x, const address_span *y,
                             bool device);

#endif
