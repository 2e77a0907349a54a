/* See materialise.h.
 *
 *   loop 0 {                       mov  i, 0             i shares its place with %2 because %1 is
 *     %1 = param                 loop:                   not used after the definition of %2
 *     …                     →      …
 *     %2 = iadd %1, 4              add  i, i, 4
 *     continue %2                  bra  loop
 *   }
 *
 * This is copy coalescing over live intervals, as linear-scan register allocation uses them
 * (Poletto and Sarkar, 1999). Two values may share a place if their live ranges do not overlap. A
 * range is an interval of the program text, from the definition to the last use. A use inside a
 * loop of a value from outside counts as a use at the loop's end. This is coarse but safe:
 * everything that runs between the definition and a use is between them in the text. The time is
 * linear except for the size of a class, which is bounded. */
#include "emit/materialise.h"
#include "emit/emit.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CLASS = 24 };

void mat_free(mat *m) {
    free(m->uses);
    free(m->use);
    free(m->ops);
    free(m->loop);
    free(m->level);
    free(m->kind);
    free(m->place);
    free(m->life);
    free(m->depth);
    free(m->copies);
    free(m->readers);
    free(m->writer);
    free(m->done);
    free(m->wanted);
    memset(m, 0, sizeof *m);
}

/* The operands of a node that has already been looked up. */
static inline const ir_value *operands(const ir_func *f, const ir_node *n) {
    return n->arg_count <= IR_INLINE_ARGS ? n->args : f->pool + n->args[0];
}

/* ---- Values that merge ---- */

/* The first of the values that an operation's operands flow into, or 0. */
static ir_value first_target(const mat *m, ir_value op) {
    const ir_func *f = m->f;
    const ir_node *n = ir_at(f, op);
    ir_value owner = 0;
    switch (n->op) {
    case IR_LOOP: return f->regions[n->regions[0]].first;
    case IR_CONTINUE: return f->regions[ir_at(f, m->loop[n->region])->regions[0]].first;
    case IR_YIELD: owner = f->regions[n->region].owner; break;
    case IR_BREAK: owner = m->loop[n->region]; break;
    default: return 0;
    }
    return ir_at(f, owner)->next;
}

_Static_assert(IR_YIELD + 1 == IR_BREAK && IR_BREAK + 1 == IR_CONTINUE && IR_LOOP < IR_YIELD,
               "carries() relies on this order");

static bool carries(ir_op op) {
    return op <= IR_CONTINUE && (op >= IR_YIELD || op == IR_LOOP);
}

/* ---- Program order, loops and uses ---- */

typedef struct order {
    ir_value *carriers; /* the operations that carry values, in program order */
    uint32_t carrier_count;
    /* By region. Loops are identified by their body; 0 is the code outside all loops. */
    ir_region *loop;   /* the innermost loop around its operations */
    uint32_t *nesting; /* of a loop: 1 for an outermost one */
    ir_region *outer;  /* of a loop: the enclosing loop */
    uint32_t loops;    /* the largest nesting */
    ir_region *open;   /* by depth: loops around the current position */
} order;

static void free_order(order *o) {
    free(o->carriers);
    free(o->loop);
    free(o->nesting);
    free(o->outer);
    free(o->open);
}

/* Records what the regions of an if, a loop or a function are in. */
EMIT_OUTLINE static void enter_regions(mat *m, order *o, ir_value v) {
    const ir_node *n = ir_at(m->f, v);
    ir_region inner = n->regions[0], around = o->loop[n->region];
    uint32_t level = m->level[n->region] + 1;
    for (unsigned k = 0; k < (n->op == IR_IF ? 2 : 1); k++) {
        o->loop[n->regions[k]] = around;
        m->loop[n->regions[k]] = n->op == IR_LOOP ? v : m->loop[n->region];
        m->level[n->regions[k]] = level;
    }
    if (level > m->deepest)
        m->deepest = level;
    if (n->op != IR_LOOP)
        return;
    o->loop[inner] = inner;
    o->outer[inner] = around;
    o->nesting[inner] = o->nesting[around] + 1;
    if (o->nesting[inner] > o->loops)
        o->loops = o->nesting[inner];
}

/* Copies are between places, so a value that a copy may read is never inline. */
EMIT_OUTLINE static void note_carrier(mat *m, order *o, ir_value v) {
    const ir_value *args = ir_args(m->f, v);
    unsigned count = ir_at(m->f, v)->arg_count;
    for (unsigned k = 0; k < count; k++)
        if (!ir_has(m->f, args[k], IR_LEAF) && ir_type_of(m->f, args[k]) != IR_TOKEN)
            m->kind[args[k]] = MAT_TEMPORARY;
    if (count > m->copy_space)
        m->copy_space = count;
    o->carriers[o->carrier_count++] = v;
}

static void enter_leaves(mat *m) {
    for (uint32_t k = 0; k < m->f->leaf_capacity; k++) {
        ir_value leaf = m->f->leaves[k];
        m->place[leaf] = (mat_place){leaf, leaf};
        m->life[leaf] = (mat_life){0};
        m->use[leaf] = 0;
        m->kind[leaf] = MAT_INLINE;
        m->depth[leaf] = 0;
    }
    m->kind[0] = MAT_UNUSED;
}

/* The arrays by value are not cleared: the walk meets every definition before its uses. */
EMIT_OUTLINE static void walk(mat *m, order *o) {
    const ir_func *f = m->f;
    mat_use *uses = m->uses;
    mat_place *place = m->place;
    mat_life *life = m->life;
    ir_value *op = m->ops;
    uint32_t *use = m->use, used = 0, count = 0;
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v)) {
        const ir_node *n = ir_at(f, v);
        *op++ = v;
        place[v] = (mat_place){v, v};
        life[v] = (mat_life){.start = ++count};
        use[v] = 0;
        for (const ir_value *arg = operands(f, n), *end = arg + n->arg_count; arg < end; arg++) {
            ir_value a = *arg;
            (++uses)->user = v;
            uses->next = use[a];
            use[a] = ++used;
        }
        if (n->op > IR_CONTINUE)
            continue;
        if (ir_has_regions(n))
            enter_regions(m, o, v);
        if (carries((ir_op)n->op))
            note_carrier(m, o, v);
    }
    m->op_count = count;
}

static bool find_order(mat *m, order *o) {
    size_t regions = m->f->region_count;
    o->carriers = malloc(2 * regions * sizeof *o->carriers); /* loops and ends */
    o->loop = calloc(regions, sizeof *o->loop);
    o->nesting = calloc(regions, sizeof *o->nesting);
    o->outer = calloc(regions, sizeof *o->outer);
    if (!o->carriers || !o->loop || !o->nesting || !o->outer)
        return false;
    enter_leaves(m);
    walk(m, o);
    o->open = calloc((size_t)o->loops + 2, sizeof *o->open);
    return o->open != NULL;
}

/* ---- Inline or not ---- */

/* One word of a wide load. */
static bool is_part(const ir_func *f, const ir_node *n) {
    return n->op == IR_RESULT && ir_op_of(f, n->args[0]) == IR_LOADS;
}

/* Whether a pure value that no copy reads is inline. The depth of its operands is known. */
static bool may_inline(const mat *m, const mat_target *target, ir_value v, const ir_node *n) {
    const mat_use *last = &m->uses[m->use[v]];
    if (!mat_is_used(m, v))
        return false;
    bool once = !last->next && ir_at(m->f, last->user)->region == n->region;
    if (!(once && target->inlines_once) && !target->inlines(m, v, once))
        return false;
    const uint8_t *kind = m->kind, *depth_of = m->depth;
    unsigned depth = 0;
    for (const ir_value *arg = operands(m->f, n), *end = arg + n->arg_count; arg < end; arg++)
        if (kind[*arg] == MAT_INLINE && depth_of[*arg] > depth)
            depth = depth_of[*arg];
    m->depth[v] = (uint8_t)(depth + 1);
    return depth < target->max_depth;
}

/* In program order, so that the depth of the operands is known. */
EMIT_OUTLINE static void choose_kinds(mat *m, const mat_target *target) {
    const ir_func *f = m->f;
    const ir_node *nodes = f->nodes;
    const bool *asked = target->may_inline;
    bool inline_parts = m->deepest < target->part_levels;
    uint8_t *kind = m->kind;
    for (const ir_value *op = m->ops, *end = op + m->op_count; op < end; op++) {
        const ir_node *n = &nodes[*op];
        unsigned flags = ir_op_flags[n->op] & (IR_PURE | IR_WAVE | IR_UNIQUE | IR_READS);
        bool may = kind[*op] != MAT_TEMPORARY && (!asked || asked[n->op]);
        if (flags == IR_PURE) {
            kind[*op] = may && may_inline(m, target, *op, n) ? MAT_INLINE : MAT_TEMPORARY;
            continue;
        }
        if (n->op == IR_LOAD || n->op == IR_LOADS)
            m->loads_constants |= ir_access_unpack(n->imm).space == IR_CONSTANT;
        if (n->type == IR_VOID || n->type == IR_TOKEN)
            continue;
        kind[*op] = may && inline_parts && is_part(f, n) ? MAT_INLINE : MAT_TEMPORARY;
        m->depth[*op] = 0;
    }
}

/* ---- Last uses ---- */

/* Position of the terminator, which is the last operation of a loop. */
static uint32_t end_of(const mat *m, ir_region loop) {
    return m->life[m->f->regions[loop].last].start;
}

/* Notes the loops around a region in o->open; returns their number. */
EMIT_OUTLINE static uint32_t open_loops(order *o, ir_region region) {
    ir_region loop = o->loop[region];
    uint32_t depth = o->nesting[loop];
    for (ir_region l = depth ? loop : 0; l && o->open[o->nesting[l]] != l; l = o->outer[l])
        o->open[o->nesting[l]] = l;
    return depth;
}

/* The position at which a use at `at`, inside the `depth` loops o->open, counts. */
static uint32_t use_in_loop(const mat *m, const order *o, ir_value v, uint32_t at, uint32_t depth) {
    uint32_t outside = o->nesting[o->loop[ir_at(m->f, v)->region]];
    if (outside < depth && end_of(m, o->open[outside + 1]) > at)
        at = end_of(m, o->open[outside + 1]);
    return at;
}

static inline void note_use(mat_life *life, ir_value v, uint32_t at) {
    if (at > life[v].end)
        life[v].end = at;
}

EMIT_OUTLINE static void note_carried(mat *m, const order *o, ir_value op, uint32_t at,
                                      uint32_t depth) {
    const ir_node *n = ir_at(m->f, op);
    ir_value target = first_target(m, op);
    for (unsigned k = 0; k < n->arg_count; k++, target = ir_at(m->f, target)->next) {
        bool parameter = ir_op_of(m->f, target) == IR_PARAM;
        if (parameter ? mat_is_used(m, target) : m->life[target].end != 0)
            note_use(m->life, ir_arg(m->f, op, k),
                     use_in_loop(m, o, ir_arg(m->f, op, k), at, depth));
    }
}

/* Walks backwards: an operand of an operation that is not printed is unused, and an operand of an
 * inline operation is used where that operation is. */
EMIT_OUTLINE static void find_last_uses(mat *m, order *o) {
    const ir_func *f = m->f;
    const ir_node *nodes = f->nodes;
    const ir_value *ops = m->ops;
    mat_life *life = m->life;
    uint8_t *kind = m->kind;
    ir_region region = 0;
    uint32_t depth = 0;
    for (uint32_t at = m->op_count; at > 0; at--) {
        ir_value v = ops[at - 1];
        const ir_node *n = &nodes[v];
        if (n->region != region) {
            region = n->region;
            depth = open_loops(o, region);
        }
        if (carries((ir_op)n->op)) {
            note_carried(m, o, v, at, depth);
            continue;
        }
        uint32_t last = life[v].end, where = at;
        if (!last)
            kind[v] = MAT_UNUSED;
        else if (kind[v] == MAT_INLINE && last > at)
            where = last;
        if ((!last && n->type != IR_VOID && !ir_has(f, v, IR_WRITES)) || n->op == IR_RESULT)
            continue;
        for (const ir_value *arg = operands(f, n), *end = arg + n->arg_count; arg < end; arg++)
            note_use(life, *arg, depth ? use_in_loop(m, o, *arg, where, depth) : where);
    }
}

/* ---- Sharing places ---- */

static bool overlap(const mat *m, ir_value a, ir_value b) {
    return m->life[a].start < m->life[b].end && m->life[b].start < m->life[a].end;
}

static bool classes_fit(const mat *m, ir_value a, ir_value b) {
    unsigned size = 0;
    ir_value x = a;
    do {
        ir_value y = b;
        do {
            if (++size > MAX_CLASS || overlap(m, x, y))
                return false;
        } while ((y = m->place[y].member) != b);
    } while ((x = m->place[x].member) != a);
    return true;
}

/* Gives `from`, and all values that share its place, the place of `to`. */
static void try_share(mat *m, ir_value to, ir_value from) {
    if (m->kind[to] != MAT_TEMPORARY || m->kind[from] != MAT_TEMPORARY ||
        ir_has(m->f, from, IR_LEAF) || mat_home(m, to) == mat_home(m, from) ||
        ir_type_of(m->f, to) != ir_type_of(m->f, from) || !classes_fit(m, to, from))
        return;
    ir_value x = from;
    do {
        m->place[x].home = mat_home(m, to);
    } while ((x = m->place[x].member) != from);
    ir_value after = m->place[to].member;
    m->place[to].member = m->place[from].member;
    m->place[from].member = after;
}

static void share_places(mat *m, const order *o) {
    for (uint32_t at = 0; at < o->carrier_count; at++) {
        ir_value op = o->carriers[at];
        ir_value target = first_target(m, op);
        unsigned count = ir_at(m->f, op)->arg_count;
        for (unsigned k = 0; k < count; k++, target = ir_at(m->f, target)->next)
            try_share(m, target, ir_arg(m->f, op, k));
    }
}

/* ---- Entry points ---- */

static size_t count_operands(const ir_func *f) {
    size_t count = 0;
    for (ir_value v = 1; v < f->node_count; v++)
        count += f->nodes[v].arg_count;
    return count;
}

static bool allocate(mat *m) {
    size_t n = m->f->node_count;
    m->uses = malloc((count_operands(m->f) + 1) * sizeof *m->uses);
    m->use = malloc(n * sizeof *m->use);
    m->ops = malloc(n * sizeof *m->ops);
    m->loop = calloc(m->f->region_count, sizeof *m->loop);
    m->level = calloc(m->f->region_count, sizeof *m->level);
    m->kind = calloc(n, 1);
    m->depth = malloc(n);
    m->place = malloc(n * sizeof *m->place);
    m->life = malloc(n * sizeof *m->life);
    return m->uses && m->use && m->ops && m->loop && m->level && m->kind && m->depth && m->place &&
           m->life;
}

void mat_forget_lives(mat *m) {
    free(m->life);
    m->life = NULL;
}

bool mat_find(mat *m, const ir_func *f, const mat_target *target) {
    *m = (mat){.f = f};
    order o = {0};
    bool ok = allocate(m) && find_order(m, &o);
    if (ok) {
        choose_kinds(m, target);
        find_last_uses(m, &o);
        share_places(m, &o);
        free(m->depth);
        m->depth = NULL;
        m->copies = calloc((size_t)m->copy_space * 2 + 1, sizeof *m->copies);
        m->wanted = calloc((size_t)m->copy_space + 1, sizeof *m->wanted);
        m->done = calloc((size_t)m->copy_space + 1, 1);
        size_t homes = m->copy_space ? (size_t)f->node_count + 1 : 1;
        m->readers = malloc(homes * sizeof *m->readers);
        m->writer = malloc(homes * sizeof *m->writer);
        ok = m->copies && m->wanted && m->done && m->readers && m->writer;
    }
    free_order(&o);
    if (!ok)
        mat_free(m);
    return ok;
}

/* ---- Parallel copies in sequence ---- */

/* The copy of one value, unless source and destination share a place. */
static bool wanted_copy(const mat *m, ir_value target, ir_value value, mat_copy *copy) {
    if (m->kind[target] != MAT_TEMPORARY || mat_home(m, target) == mat_home(m, value))
        return false;
    *copy = (mat_copy){mat_home(m, target), mat_home(m, value)};
    return true;
}

bool mat_no_copies(const mat *m, ir_value op) {
    mat_copy copy;
    ir_value target = first_target(m, op);
    unsigned count = ir_at(m->f, op)->arg_count;
    for (unsigned k = 0; k < count; k++, target = ir_at(m->f, target)->next)
        if (wanted_copy(m, target, ir_arg(m->f, op, k), &copy))
            return false;
    return true;
}

/* Writes a copy, then the copy into its source if no other copy still reads that, and so on. */
static size_t write_chain(mat *m, uint32_t k, size_t count) {
    for (;;) {
        mat_copy c = m->wanted[k];
        m->copies[count++] = c;
        m->done[k] = 1;
        if (!c.from || --m->readers[c.from] != 0 || !m->writer[c.from])
            return count;
        k = m->writer[c.from] - 1;
        if (m->done[k])
            return count;
    }
}

/* Only cycles are left: each destination is read by one other copy. Saving one destination in the
 * scratch place breaks the cycle. */
static size_t open_cycle(mat *m, uint32_t k, size_t count) {
    ir_value saved = m->wanted[k].to;
    m->copies[count++] = (mat_copy){0, saved};
    uint32_t reader = k;
    while (m->wanted[reader].from != saved) /* around the cycle */
        reader = m->writer[m->wanted[reader].from] - 1;
    m->wanted[reader].from = 0;
    m->readers[saved] = 0;
    return write_chain(m, k, count);
}

size_t mat_copies(mat *m, ir_value op, const mat_copy **list) {
    uint32_t wanted = 0;
    size_t count = 0;
    ir_value target = first_target(m, op);
    unsigned values = ir_at(m->f, op)->arg_count;
    for (unsigned k = 0; k < values; k++, target = ir_at(m->f, target)->next)
        if (wanted_copy(m, target, ir_arg(m->f, op, k), &m->wanted[wanted]))
            wanted++;
    for (uint32_t k = 0; k < wanted; k++) {
        mat_copy c = m->wanted[k];
        m->writer[c.to] = m->writer[c.from] = 0;
        m->readers[c.to] = m->readers[c.from] = 0;
    }
    for (uint32_t k = 0; k < wanted; k++) {
        m->done[k] = 0;
        m->writer[m->wanted[k].to] = k + 1;
        m->readers[m->wanted[k].from]++;
    }
    for (uint32_t k = 0; k < wanted; k++)
        if (!m->done[k] && !m->readers[m->wanted[k].to])
            count = write_chain(m, k, count);
    for (uint32_t k = 0; k < wanted; k++)
        if (!m->done[k])
            count = open_cycle(m, k, count);
    *list = m->copies;
    return count;
}
