/* Addresses as sums of terms with constant factors (linear forms), and whether two lanes of a wave
 * can access the same bytes through two of them.
 *
 *   store [lane * 4 + 64]      shape 4·lane, constant 64: lanes are 4 bytes apart, one word each
 *   load  [lane * 4 + 68]      the same shape, 4 bytes further: the next lane's word
 *
 * Scaled lane or thread numbers keep lanes apart. A loop parameter to which all lanes add the same
 * value is its initial value plus a uniform term. A value that is not a sum is a term itself. */
#include "ir/order.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 24, MOST_SPREAD = 1 << 16, UNKNOWN = 0, MOVES = 1, STAYS_OPAQUE = 2 };

/* ---- Sums ---- */

typedef struct sum {
    address_term terms[ADDRESS_TERMS];
    unsigned count;
    uint32_t constant, spread;
} sum;

static bool add_term(sum *s, ir_value v, uint32_t factor, bool moves) {
    unsigned k = 0;
    while (k < s->count && (s->terms[k].v < v || (s->terms[k].v == v && s->terms[k].moves < moves)))
        k++;
    if (k < s->count && s->terms[k].v == v && s->terms[k].moves == moves) {
        s->terms[k].factor += factor;
        return true;
    }
    if (s->count == ADDRESS_TERMS)
        return false;
    for (unsigned j = s->count; j > k; j--)
        s->terms[j] = s->terms[j - 1];
    s->terms[k] = (address_term){v, factor, moves};
    s->count++;
    return true;
}

/* Whether every continue adds a uniform value to the parameter or leaves it unchanged, and lanes
 * that take different continues add the same. */
static bool parameter_moves(addresses *a, ir_value param) {
    uint8_t *known = &a->moves[param];
    if (*known != UNKNOWN)
        return *known == MOVES;
    const ir_func *f = a->f;
    ir_value loop = f->regions[ir_at(f, param)->region].owner;
    *known = MOVES;
    for (ir_value t = ir_first_end(f, a->ends, loop); t && *known == MOVES;
         t = ir_next_end(f, a->ends, t)) {
        if (ir_op_of(f, t) != IR_CONTINUE)
            continue;
        ir_value v = ir_arg(f, t, (unsigned)ir_at(f, param)->imm);
        ir_op op = ir_op_of(f, v);
        bool adds = op == IR_IADD || op == IR_ISUB;
        bool first = adds && ir_arg(f, v, 0) == param && !a->uniform->divergent[ir_arg(f, v, 1)];
        bool second =
            op == IR_IADD && ir_arg(f, v, 1) == param && !a->uniform->divergent[ir_arg(f, v, 0)];
        if (v != param && !first && !second)
            *known = STAYS_OPAQUE;
    }
    if (*known == MOVES && a->uniform->divergent[loop] &&
        ir_continues_differ(f, a->ends, loop, (unsigned)ir_at(f, param)->imm))
        *known = STAYS_OPAQUE;
    return *known == MOVES;
}

typedef struct part {
    ir_value v;
    uint32_t factor;
} part;

/* The value to which v adds a constant, or 0. */
static ir_value below(const ir_func *f, ir_value v, uint32_t *constant) {
    const ir_node *n = ir_at(f, v);
    uint64_t bits;
    if (n->op != IR_IADD && n->op != IR_ISUB)
        return 0;
    bool second = ir_is_const(f, n->args[1], &bits);
    if (!second && (n->op == IR_ISUB || !ir_is_const(f, n->args[0], &bits)))
        return 0;
    *constant = n->op == IR_IADD ? (uint32_t)bits : 0 - (uint32_t)bits;
    return n->args[!second];
}

/* A chain of additions of constants, however long, becomes one step. Every link is visited once. */
static ir_value root_of(addresses *a, ir_value v) {
    uint32_t c = 0, rest = 0;
    ir_value x = v, next;
    for (; !a->root[x] && (next = below(a->f, x, &c)); x = next)
        rest += c;
    if (x == v)
        return a->root[v];
    ir_value root = a->root[x] ? a->root[x] : x;
    rest += a->root[x] ? a->above[x] : 0;
    for (ir_value end = x; v != end; v = next, rest -= c) {
        next = below(a->f, v, &c);
        a->root[v] = root;
        a->above[v] = rest;
    }
    return root;
}

/* Splits v into at most two parts; false when it is a term itself. */
static bool split(addresses *a, part p, sum *s, part out[2], unsigned *count) {
    const ir_func *f = a->f;
    const ir_node *n = ir_at(f, p.v);
    uint64_t bits;
    ir_value root;
    *count = 0;
    switch (n->op) {
    case IR_CONST: s->constant += p.factor * (uint32_t)n->imm; return true;
    case IR_IADD:
    case IR_ISUB:
        root = root_of(a, p.v);
        if (root) {
            s->constant += p.factor * a->above[p.v];
            out[(*count)++] = (part){root, p.factor};
            return true;
        }
        out[(*count)++] = (part){n->args[0], p.factor};
        out[(*count)++] = (part){n->args[1], n->op == IR_IADD ? p.factor : 0 - p.factor};
        return true;
    case IR_INEG: out[(*count)++] = (part){n->args[0], 0 - p.factor}; return true;
    case IR_SHL:
        if (!ir_is_const(f, n->args[1], &bits))
            return false;
        out[(*count)++] = (part){n->args[0], p.factor << (bits & 31)};
        return true;
    case IR_IMUL:
        for (unsigned k = 0; k < 2; k++)
            if (ir_is_const(f, n->args[k], &bits)) {
                out[(*count)++] = (part){n->args[!k], p.factor * (uint32_t)bits};
                return true;
            }
        return false;
    case IR_PARAM:
        if (n->type != IR_U32 || !a->uniform->divergent[p.v] || !parameter_moves(a, p.v) ||
            !add_term(s, p.v, p.factor, true))
            return false;
        out[(*count)++] =
            (part){ir_arg(f, f->regions[n->region].owner, (unsigned)n->imm), p.factor};
        return true;
    default: return false;
    }
}

/* Returns false when there are too many terms: the whole address is then one term. */
static bool take_apart(addresses *a, ir_value address, sum *s) {
    part open[MOST_STEPS + 2];
    unsigned count = 1, steps = 0;
    open[0] = (part){address, 1};
    while (count) {
        part p = open[--count], parts[2];
        unsigned more;
        bool whole =
            ++steps > MOST_STEPS || count + 2 > MOST_STEPS || !split(a, p, s, parts, &more);
        if (whole && !add_term(s, p.v, p.factor, false))
            return false;
        for (unsigned k = 0; !whole && k < more; k++)
            open[count++] = parts[k];
    }
    unsigned kept = 0;
    while (kept < s->count && s->terms[kept].factor)
        kept++;
    for (unsigned k = kept; k < s->count; k++) /* drop terms that cancel out */
        if (s->terms[k].factor)
            s->terms[kept++] = s->terms[k];
    s->count = kept;
    return true;
}

/* A masked index next to another varying term addresses an area private to the lane: it widens the
 * access instead of being a term. */
static void spread_masked(const addresses *a, sum *s) {
    uint64_t mask;
    unsigned varying = 0;
    for (unsigned k = 0; k < s->count; k++)
        varying += !s->terms[k].moves && a->uniform->divergent[s->terms[k].v];
    for (unsigned k = s->count; k-- > 0 && varying > 1;) {
        const address_term *t = &s->terms[k];
        bool masked = !t->moves && a->uniform->divergent[t->v] && ir_op_of(a->f, t->v) == IR_AND &&
                      (ir_is_const(a->f, ir_arg(a->f, t->v, 0), &mask) ||
                       ir_is_const(a->f, ir_arg(a->f, t->v, 1), &mask));
        if (!masked || t->factor * mask > MOST_SPREAD)
            continue;
        s->spread += (uint32_t)(t->factor * mask);
        s->count--;
        for (unsigned j = k; j < s->count; j++)
            s->terms[j] = s->terms[j + 1];
        varying--;
    }
}

/* ---- Properties of a shape ---- */

static bool is_special(const ir_func *f, ir_value v, isa_special which) {
    return ir_op_of(f, v) == IR_SPECIAL && ir_at(f, v)->imm == (uint64_t)which;
}

/* The number of values a special register has among the threads; 0: not a lane or thread number. */
static uint32_t extent_of(const ir_func *f, ir_value v) {
    const uint32_t *group = f->workgroup;
    if (is_special(f, v, ISA_SR_LANE_ID))
        return f->wave_width;
    for (unsigned axis = 0; axis < 3; axis++)
        if (is_special(f, v, (isa_special)(ISA_SR_THREAD_ID_X + axis)))
            return group[0] ? group[axis] : ISA_MAX_THREADS;
    return 0;
}

static uint32_t magnitude(uint32_t factor) {
    return factor > INT32_MAX ? 0 - factor : factor;
}

static bool varies(const addresses *a, const address_term *t) {
    return !t->moves && a->uniform->divergent[t->v];
}

/* Threads are apart if the factor of each coordinate exceeds the sum of all smaller terms: by the
 * least difference of the two. Coordinates without a term must not distinguish threads of a
 * wave. */
static bool threads_apart(const addresses *a, const address_term *const *terms, unsigned count,
                          uint32_t *least) {
    const ir_func *f = a->f;
    const uint32_t *group = f->workgroup;
    uint32_t width = f->wave_width ? f->wave_width : (uint32_t)ISA_MAX_WIDTH;
    bool seen[3] = {false}, seen_lane = false;
    *least = UINT32_MAX;
    for (unsigned k = 0; k < count; k++) {
        seen_lane |= is_special(f, terms[k]->v, ISA_SR_LANE_ID);
        for (unsigned axis = 0; axis < 3; axis++)
            seen[axis] |= is_special(f, terms[k]->v, (isa_special)(ISA_SR_THREAD_ID_X + axis));
        uint64_t finer = 0; /* the largest sum of the terms with smaller factors */
        for (unsigned j = 0; j < count; j++) {
            uint64_t size = magnitude(terms[j]->factor);
            bool smaller = j != k && size <= magnitude(terms[k]->factor);
            if (j != k && size == magnitude(terms[k]->factor))
                return false;
            finer += smaller ? size * (extent_of(f, terms[j]->v) - 1u) : 0;
        }
        if (finer >= magnitude(terms[k]->factor))
            return false;
        uint32_t distance = magnitude(terms[k]->factor) - (uint32_t)finer;
        *least = distance < *least ? distance : *least;
    }
    if (seen_lane)
        return count == 1;
    bool row = seen[0] && group[0] >= width;
    return group[0] && ((seen[0] || group[0] == 1) && (row || seen[1] || group[1] == 1) &&
                        (row || seen[2] || group[2] == 1));
}

static void measure(const addresses *a, address_shape *s) {
    const ir_func *f = a->f;
    const address_term *apart[ADDRESS_TERMS];
    unsigned count = 0, bases = 0;
    uint32_t least;
    bool known = true;
    s->measured = s->bounded = true;
    s->stride = UINT32_MAX;
    s->newest = s->base = 0;
    s->reach = s->most = 0;
    for (unsigned k = 0; k < s->count; k++) {
        const address_term *t = &s->terms[k];
        uint32_t extent = t->moves ? 0 : extent_of(f, t->v);
        s->newest = a->serial[t->v] > s->newest ? a->serial[t->v] : s->newest;
        s->bounded &= extent && t->factor <= INT32_MAX;
        s->most += extent ? (uint64_t)t->factor * (extent - 1u) : 0;
        if (ir_op_of(f, t->v) == IR_ARG && t->factor == 1) {
            s->base = t->v;
            bases++;
        }
        if (!varies(a, t))
            continue;
        known &= extent != 0;
        s->stride = magnitude(t->factor) < s->stride ? magnitude(t->factor) : s->stride;
        s->reach += (uint64_t)magnitude(t->factor) * (extent ? extent - 1u : ISA_MAX_THREADS);
        apart[count++] = t;
    }
    s->varies = count != 0;
    s->base = bases == 1 ? s->base : 0;
    s->proved = count && known && s->reach < INT32_MAX && threads_apart(a, apart, count, &least);
    if (s->proved)
        s->stride = least;
}

/* Most shapes are never compared with another one. */
static const address_shape *measured(addresses *a, uint32_t k) {
    if (!a->shapes[k].measured)
        measure(a, &a->shapes[k]);
    return &a->shapes[k];
}

uint32_t address_newest(addresses *a, uint32_t shape) {
    return measured(a, shape)->newest;
}

/* ---- The table ---- */

static uint32_t hash_of(const sum *s) {
    uint64_t h = s->count;
    for (unsigned k = 0; k < s->count; k++)
        h = (h ^ ((uint64_t)s->terms[k].v << 33 | (uint64_t)s->terms[k].moves << 32 |
                  s->terms[k].factor)) *
            0x9E3779B97F4A7C15u;
    return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static bool same_terms(const address_shape *shape, const sum *s) {
    if (shape->count != s->count)
        return false;
    for (unsigned k = 0; k < s->count; k++)
        if (shape->terms[k].v != s->terms[k].v || shape->terms[k].factor != s->terms[k].factor ||
            shape->terms[k].moves != s->terms[k].moves)
            return false;
    return true;
}

static uint32_t find(addresses *a, const sum *s) {
    uint32_t hash = hash_of(s);
    for (uint32_t k = a->buckets[hash & a->mask]; k; k = a->shapes[k].next)
        if (a->shapes[k].hash == hash && same_terms(&a->shapes[k], s))
            return k;
    if (a->count + 1 >= a->capacity) {
        uint32_t capacity = a->capacity * 2;
        address_shape *shapes = realloc(a->shapes, capacity * sizeof *shapes);
        if (!shapes) {
            a->failed = true;
            return 0;
        }
        a->shapes = shapes;
        a->capacity = capacity;
    }
    uint32_t k = ++a->count;
    address_shape *shape = &a->shapes[k];
    memcpy(shape->terms, s->terms, s->count * sizeof *s->terms);
    shape->count = s->count;
    shape->measured = false;
    shape->hash = hash;
    shape->next = a->buckets[hash & a->mask];
    a->buckets[hash & a->mask] = k;
    return k;
}

uint32_t address_shape_of(addresses *a, ir_value address, uint32_t *constant, uint32_t *spread) {
    sum s; /* the terms need no first values */
    s.count = s.constant = s.spread = 0;
    if (!take_apart(a, address, &s)) {
        s.terms[0] = (address_term){address, 1, false};
        s.count = 1;
        s.constant = 0;
    }
    spread_masked(a, &s);
    *constant = s.constant;
    *spread = s.spread;
    return find(a, &s);
}

bool addresses_init(addresses *a, const ir_func *f, const ir_uniformity *u, const ir_ends *ends,
                    const uint32_t *serial) {
    *a = (addresses){.f = f, .uniform = u, .ends = ends, .serial = serial, .capacity = 64};
    uint32_t buckets = 64;
    while (buckets < f->node_count / 8)
        buckets *= 2;
    a->mask = buckets - 1;
    a->moves = calloc(f->node_count, 1);
    a->root = calloc(f->node_count, sizeof *a->root);
    a->above = malloc(f->node_count * sizeof *a->above);
    a->shapes = malloc(a->capacity * sizeof *a->shapes);
    a->buckets = calloc(buckets, sizeof *a->buckets);
    if (!a->moves || !a->root || !a->above || !a->shapes || !a->buckets)
        return false;
    return true;
}

void addresses_free(addresses *a) {
    free(a->moves);
    free(a->root);
    free(a->above);
    free(a->shapes);
    free(a->buckets);
    *a = (addresses){0};
}

/* ---- Overlap ---- */

static address_verdict if_proved(bool proved) {
    return proved ? ADDRESS_NEVER : ADDRESS_UNLIKELY;
}

/* Two lanes at addresses of the same shape: their distance is that of the lanes. */
static address_verdict meet_in_shape(const address_shape *s, const address_span *x,
                                     const address_span *y) {
    int64_t from = x->from < y->from ? x->from : y->from, to = x->to > y->to ? x->to : y->to;
    bool stale = x->stale || y->stale;
    bool disjoint = (x->to <= y->from || y->to <= x->from) && to - from <= (int64_t)1 << 32;
    if (!s->varies)
        return stale ? ADDRESS_UNLIKELY : disjoint ? ADDRESS_NEVER : ADDRESS_MAY;
    bool same = x->from == y->from && x->to == y->to; /* maybe the same index in both lanes */
    if (to - from <= (int64_t)s->stride || (same && !s->proved))
        return if_proved(s->proved && !stale);
    int64_t gap = x->from > y->from ? x->from - y->to : y->from - x->to;
    int64_t around = ((int64_t)1 << 32) - (to - from); /* the other way round, across the end */
    if (gap >= (int64_t)s->reach && around >= (int64_t)s->reach)
        return if_proved(s->proved && !stale);
    return ADDRESS_MAY;
}

/* The largest address of x is below the smallest one of y, and neither wraps. */
static bool apart(const address_shape *a, const address_span *x, const address_shape *b,
                  const address_span *y) {
    return x->from >= 0 && y->from >= 0 && (uint64_t)x->to + a->most <= (uint64_t)y->from &&
           (uint64_t)y->to + b->most <= UINT32_MAX && b->bounded && a->bounded;
}

bool address_restate(const addresses *a, const address_span *span, ir_value v, uint32_t value,
                     uint32_t shape, address_span *out) {
    const address_shape *s = &a->shapes[span->shape], *t = &a->shapes[shape];
    uint32_t factor = 0;
    unsigned k = 0;
    for (unsigned j = 0; j < t->count; j++) {
        const address_term *x = &t->terms[j];
        if (x->v == v && !x->moves) {
            factor = x->factor;
            continue;
        }
        if (k == s->count || s->terms[k].v != x->v || s->terms[k].factor != x->factor ||
            s->terms[k].moves != x->moves)
            return false;
        k++;
    }
    int64_t moved = (int32_t)(factor * value);
    *out = (address_span){shape, span->from - moved, span->to - moved, span->stale};
    return factor && k == s->count;
}

/* Whether the uniform terms, apart from the base, are the same in both shapes. */
static bool uniform_terms_agree(const addresses *a, const address_shape *s,
                                const address_shape *t) {
    unsigned i = 0, j = 0;
    for (;; i++, j++) {
        while (i < s->count && varies(a, &s->terms[i]))
            i++;
        while (j < t->count && varies(a, &t->terms[j]))
            j++;
        if (i == s->count || j == t->count)
            return i == s->count && j == t->count;
        if (s->terms[i].v != t->terms[j].v || s->terms[i].factor != t->terms[j].factor ||
            s->terms[i].moves != t->terms[j].moves)
            return false;
    }
}

/* Device memory: different arguments are different buffers, and uniform distances within a buffer
 * separate its parts. In local memory, lanes use uniform distances to exchange data. */
address_verdict address_meet(addresses *a, const address_span *x, const address_span *y,
                             bool device) {
    const address_shape *s = measured(a, x->shape), *t = measured(a, y->shape);
    if (s == t)
        return meet_in_shape(s, x, y);
    if (apart(s, x, t, y) || apart(t, y, s, x))
        return ADDRESS_NEVER;
    return device && (s->base != t->base || !uniform_terms_agree(a, s, t)) ? ADDRESS_UNLIKELY
                                                                           : ADDRESS_MAY;
}
