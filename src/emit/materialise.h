/* Decides for every value of a function where it is kept: printed inside its users, in a separate
 * place, or in a variable that several values share one after the other. Printers make no such
 * decisions. Where values merge (loop entries, yield, break, continue) it computes the copies, in
 * an order in which they can be executed one by one (parallel copy sequentialisation: Boissinot et
 * al., 2009). */
#ifndef EMIT_MATERIALISE_H
#define EMIT_MATERIALISE_H

#include "ir/analyse.h"

typedef enum mat_kind {
    MAT_UNUSED,   /* no value, or an unused one */
    MAT_INLINE,   /* printed where it is used; always so for leaves */
    MAT_TEMPORARY /* kept in the place of mat.home */
} mat_kind;

struct mat;

/* Properties that differ between targets. */
typedef struct mat_target {
    const bool *may_inline; /* by ir_op: whether `inlines` may return true; NULL: always */
    /* Whether a pure operation may be printed inside its users. Called only if none of them is a
     * terminator or a loop; `once`: it has a single use, in its own region. */
    bool (*inlines)(const struct mat *m, ir_value v, bool once);
    bool inlines_once;    /* `inlines` returns true whenever `once` is set */
    unsigned max_depth;   /* of operations printed inside each other */
    unsigned part_levels; /* the words of a wide load are components of one variable, in kernels
                             that nest less deeply than this */
} mat_target;

typedef struct mat_copy {
    ir_value to, from; /* 0: the scratch place, with the type of the other */
} mat_copy;

/* A use of a value, in a list of all of them, the last one first. */
typedef struct mat_use {
    ir_value user;
    uint32_t next; /* index in mat.uses, or 0 */
} mat_use;

/* Where a value is kept. */
typedef struct mat_place {
    ir_value home;   /* the value whose place it shares, often itself */
    ir_value member; /* ring of the values that share a home */
} mat_place;

/* The part of the text in which a place holds a value. */
typedef struct mat_life {
    uint32_t start; /* of an operation: its place in program order, from 1 */
    uint32_t end;   /* of the last use; for a use inside a loop that does not contain the
                       definition, of that loop; 0: unused */
} mat_life;

typedef struct mat {
    const ir_func *f;
    mat_use *uses; /* index 0 is not used */
    uint32_t *use; /* by value: index of its last use, or 0 */
    uint8_t *kind; /* mat_kind, by value */
    ir_value *ops; /* in program order */
    uint32_t op_count;
    mat_place *place;     /* by value */
    mat_life *life;       /* by value; until mat_forget_lives */
    ir_value *loop;       /* by region: the innermost loop around its operations, or 0 */
    uint32_t *level;      /* by region: the number of regions around it */
    uint32_t deepest;     /* the largest level */
    bool loads_constants; /* whether an operation loads from constant memory */

    uint8_t *depth;      /* of the expression printed for an inline value; inside mat_find only */
    mat_copy *copies;    /* result of the last mat_copies */
    uint32_t *readers;   /* by home: number of pending copies that read it */
    uint32_t *writer;    /* by home: 1 + index of the copy into it */
    uint8_t *done;       /* by copy */
    mat_copy *wanted;    /* copies before they are ordered */
    uint32_t copy_space; /* the largest number of values that any operation carries */
} mat;

/* False when out of memory. */
bool mat_find(mat *m, const ir_func *f, const mat_target *target);
void mat_free(mat *m);
/* Frees what the printers do not need, which makes room for their text. */
void mat_forget_lives(mat *m);

static inline bool mat_is_used(const mat *m, ir_value v) {
    return m->use[v] != 0;
}
static inline bool mat_is_used_once(const mat *m, ir_value v) {
    return m->use[v] && !m->uses[m->use[v]].next;
}
/* The last user of a value that has one. */
static inline ir_value mat_user(const mat *m, ir_value v) {
    return m->uses[m->use[v]].user;
}

static inline ir_value mat_home(const mat *m, ir_value v) {
    return m->place[v].home;
}

static inline mat_kind mat_kind_of(const mat *m, ir_value v) {
    return (mat_kind)m->kind[v];
}

/* The copies that a loop (before its first iteration), yield, break or continue performs. Valid
 * until the next call. */
size_t mat_copies(mat *m, ir_value op, const mat_copy **list);

/* True when there are none. */
bool mat_no_copies(const mat *m, ir_value op);

#endif
