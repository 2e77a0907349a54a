/* Addresses as sums, to decide whether two accesses of a wave may overlap: the state shared by
 * analyse_address.c and analyse_order.c. */
#ifndef IR_ORDER_H
#define IR_ORDER_H

#include "ir/analyse.h"

enum { ADDRESS_TERMS = 6 };

typedef struct address_term {
    ir_value v;
    uint32_t factor;
    bool moves; /* the distance a loop's parameter has moved: uniform, though v is not */
} address_term;

/* An address without its constant part. In each lane, addresses with the same shape differ by a
 * constant. */
typedef struct address_shape {
    address_term terms[ADDRESS_TERMS]; /* in ascending order of v */
    unsigned count;
    uint32_t hash, next; /* in the table of shapes */
    bool measured;       /* the rest is set */
    bool varies;         /* lanes may have different addresses */
    bool proved;         /* `stride` holds; otherwise it is a guess */
    uint32_t stride;     /* minimum distance of any two lanes */
    uint32_t newest;     /* when the last of its terms was defined; 0: all are leaves */
    uint64_t reach;      /* maximum distance of any two lanes */
    uint64_t most;       /* largest sum of the terms … */
    bool bounded;        /* … if this is set */
    ir_value base;       /* device memory: the only argument added to the rest, or 0 */
} address_shape;

typedef struct addresses {
    const ir_func *f;
    const ir_uniformity *uniform;
    const ir_ends *ends;
    const uint32_t *serial; /* by operation: when it was defined */
    ir_value *root;  /* by value that is another value plus a constant: that value, or 0 … */
    uint32_t *above; /* … and the constant */
    uint8_t *moves;  /* by parameter: whether all lanes add the same value, once known */
    address_shape *shapes; /* index 0 is not used */
    uint32_t count, capacity;
    uint32_t *buckets, mask;
    bool failed;
} addresses;

bool addresses_init(addresses *a, const ir_func *f, const ir_uniformity *u, const ir_ends *ends,
                    const uint32_t *serial);
void addresses_free(addresses *a);

/* The number of the shape of an address, its constant part, and how far beyond it the access may
 * reach. 0: out of memory. */
uint32_t address_shape_of(addresses *a, ir_value address, uint32_t *constant, uint32_t *spread);

/* When the last of the shape's terms was defined; 0: all are leaves. */
uint32_t address_newest(addresses *a, uint32_t shape);

/* The bytes of an access: from … to, relative to a shape. */
typedef struct address_span {
    uint32_t shape;
    int64_t from, to;
    bool stale; /* from an earlier iteration: terms may have other values now */
} address_span;

/* Whether two lanes may access the same bytes through two spans of one memory space. */
typedef enum address_verdict {
    ADDRESS_NEVER,    /* proved */
    ADDRESS_UNLIKELY, /* different buffers or iterations, indices not proved different */
    ADDRESS_MAY
} address_verdict;

/* Expresses a span of the one lane where `v` is `value` in terms of another shape that contains v.
 * Returns false when the shapes do not match. */
bool address_restate(const addresses *a, const address_span *span, ir_value v, uint32_t value,
                     uint32_t shape, address_span *out);

address_verdict address_meet(addresses *a, const address_span *x, const address_span *y,
                             bool device);

#endif
