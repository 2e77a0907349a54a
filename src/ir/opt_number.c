/* Hash-based value numbering over the dominator tree (Briggs, Cooper and Simpson, 1997), which here
 * is the region tree: an operation equal to a visible one is replaced by it.
 *
 *   %3 = iadd %1, %2                %3 = iadd %1, %2
 *   if %c {                         if %c {
 *     %4 = iadd %1, %2       →        store %3
 *     store %4                      …
 *
 * The hash table is scoped: entries of a region are removed at its end. Loads are numbered too, as
 * long as nothing between them may write; only private stores write private memory, nothing writes
 * constant memory. Convergent operations have their token as an operand, so only those executed by
 * the same lanes are equal. Linear time. */
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    ir_value value;
    uint32_t hash;
    uint32_t next;  /* in its bucket; 0: last */
    uint32_t epoch; /* of memory when a load was made */
} entry;

typedef struct numberer {
    ir_func *f;
    ir_map map;
    uint32_t *buckets;
    uint32_t mask;
    entry *entries; /* a stack; index 0 is not used */
    uint32_t count;
    uint32_t *marks;                /* by region: height of the stack when it was entered */
    uint32_t epoch[IR_SPACE_COUNT]; /* counts operations that may write the memory */
    bool changed;
} numberer;

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

/* `epoch` keeps loads of one place between many stores out of one bucket. */
static uint32_t hash_of(const ir_func *f, const ir_node *n, uint32_t epoch) {
    _Static_assert(IR_INLINE_ARGS == 3, "operands in a node");
    uint64_t hash = mix(n->imm, (uint64_t)epoch << 32 | (uint32_t)n->op << 8 | n->type);
    if (n->arg_count <= IR_INLINE_ARGS)
        return (uint32_t)mix(hash + n->args[2], (uint64_t)n->args[1] << 32 | n->args[0]);
    for (unsigned k = 0; k < n->arg_count; k++)
        hash = mix(hash, f->pool[n->args[0] + k]);
    return (uint32_t)hash;
}

static bool equal(const ir_func *f, const ir_node *x, const ir_node *y) {
    if (x->op != y->op || x->type != y->type || x->imm != y->imm || x->arg_count != y->arg_count)
        return false;
    bool in_pool = x->arg_count > IR_INLINE_ARGS; /* missing operands are 0 */
    const ir_value *a = in_pool ? f->pool + x->args[0] : x->args;
    const ir_value *b = in_pool ? f->pool + y->args[0] : y->args;
    return memcmp(a, b, (in_pool ? x->arg_count : IR_INLINE_ARGS) * sizeof *a) == 0;
}

static unsigned space_of(const ir_node *n) {
    return ir_access_unpack(n->imm).space;
}

static inline ir_value find(const numberer *n, uint32_t first, const ir_node *x, uint32_t hash,
                            uint32_t epoch) {
    for (uint32_t k = first; k; k = n->entries[k].next) {
        const entry *e = &n->entries[k];
        if (e->hash == hash && e->epoch == epoch && equal(n->f, ir_at(n->f, e->value), x))
            return e->value;
    }
    return 0;
}

static void forget(numberer *n, uint32_t height) {
    for (; n->count > height; n->count--)
        n->buckets[n->entries[n->count].hash & n->mask] = n->entries[n->count].next;
}

static void visit(numberer *n, ir_value v) {
    const ir_node *x = ir_at(n->f, v);
    unsigned flags = ir_op_flags[x->op];
    if (n->changed)
        ir_map_args(&n->map, n->f, v);
    if (flags & IR_WRITES) {
        if (x->op == IR_STORE && space_of(x) == IR_PRIVATE)
            n->epoch[IR_PRIVATE]++;
        else
            n->epoch[IR_LOCAL] = ++n->epoch[IR_DEVICE];
    }
    bool load = x->op == IR_LOAD;
    if (!load && (flags & (IR_PURE | IR_UNIQUE)) != IR_PURE)
        return;
    uint32_t epoch = load ? n->epoch[space_of(x)] : 0, hash = hash_of(n->f, x, epoch);
    uint32_t *bucket = &n->buckets[hash & n->mask], first = *bucket;
    ir_value same = find(n, first, x, hash, epoch);
    if (!same) {
        *bucket = ++n->count;
        n->entries[n->count] = (entry){v, hash, first, epoch};
        return;
    }
    n->map.to[v] = same;
    ir_remove(n->f, v);
    n->changed = true;
}

/* The operation of the event, and those after it in the region up to an if or loop. */
static void visit_many(numberer *n, ir_walk *w) {
    for (;;) {
        const ir_node *x = ir_at(n->f, w->op);
        bool more = x->next && !ir_has_regions(x);
        w->next = x->next; /* it may be removed */
        visit(n, w->op);
        if (!more)
            return;
        w->op = w->next;
    }
}

static void walk(numberer *n) {
    ir_walk w;
    ir_walk_init(&w, n->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e == IR_AT_OP) {
            visit_many(n, &w);
        } else if (e == IR_ENTER_REGION) {
            ir_value owner = n->f->regions[w.region].owner;
            n->marks[w.region] = n->count;
            if (owner && ir_op_of(n->f, owner) == IR_LOOP) {
                /* a later iteration follows the writes of the body */
                n->epoch[IR_LOCAL] = ++n->epoch[IR_DEVICE];
                n->epoch[IR_PRIVATE]++;
            }
        } else if (w.region != 1) {
            forget(n, n->marks[w.region]);
        }
    }
}

bool ir_opt_number(ir_func *f) {
    numberer n = {.f = f};
    uint32_t buckets = 64;
    while (buckets < f->node_count)
        buckets *= 2;
    n.mask = buckets - 1;
    n.buckets = calloc(buckets, sizeof *n.buckets);
    n.entries = malloc(((size_t)f->node_count + 1) * sizeof *n.entries);
    n.marks = calloc(f->region_count, sizeof *n.marks);
    if (ir_map_init(&n.map, f) && n.buckets && n.entries && n.marks)
        walk(&n);
    else
        f->failed = true;
    ir_map_names(&n.map, f);
    ir_map_free(&n.map);
    free(n.buckets);
    free(n.entries);
    free(n.marks);
    return n.changed;
}
