/* Outlining: pure code that occurs in many places of a kernel becomes a function, with a call in
 * each place.
 *
 *   store … gelu of %1, 70 operations          function { %9 = input(0)  …  return … }
 *   store … gelu of %2, the same        →      store … call(0) %1
 *   …                                          store … call(0) %2
 *
 * Complete cones (analyse_cones.c) are compared operation by operation, in program order,
 * regardless of their inputs. Constants may differ; those that do become inputs. Code that is small
 * enough stays in place, where it needs no call and can be scheduled with its surroundings. Linear
 * time, except for the hash table of shapes. */
#include "ir/copy.h"
#include "ir/opt.h"

#include "ir/analyse.h"

#include <stdlib.h>
#include <string.h>

/* In machine instructions. A call costs eight (SASS: moves to and from the registers of the calling
 * convention, two for the return address). Code that fits into an instruction cache is best left
 * alone: the innermost one has 12 KB on NVIDIA's Volta, whose instructions have 16 bytes, and 32 KB
 * on AMD (GCN and RDNA). A loop would pay for its calls in every iteration, so the larger size
 * applies there. */
enum {
    CALL = 8,
    LARGE = 12 * 1024 / 16,
    LARGE_IN_LOOP = 32 * 1024 / 16,
    LEAST_COST = 3 * CALL,
    LEAST_MEMBERS = 3,
    MOST_INPUTS = 8
};

/* Operations that take more than one instruction. */
static const uint8_t extra_cost[IR_OP_COUNT] = {
    [IR_FDIV] = 11,  [IR_FSQRT] = 11, [IR_FRCP] = 9,   [IR_FRSQRT] = 15, [IR_DDIV] = 23,
    [IR_DSQRT] = 23, [IR_IDIV] = 19,  [IR_IMOD] = 19,  [IR_UDIV] = 15,   [IR_UMOD] = 15,
    [IR_LDIV] = 59,  [IR_LMOD] = 59,  [IR_LUDIV] = 59, [IR_LUMOD] = 59};

/* Words of a shape: for each member its operation and type, its imm, and one word per operand. */
enum { OF_INPUT = 0, OF_MEMBER = 1u << 29, OF_CONSTANT = 2u << 29 };

/* Cones of one shape. */
typedef struct shape {
    uint64_t hash;
    size_t words; /* where its words start */
    uint32_t length;
    uint32_t next; /* in its bucket; 0: last */
    uint32_t cost, count, inputs;
    bool in_loop;         /* one of them is in a loop */
    ir_value first, last; /* roots, linked by outliner.next */
} shape;

typedef struct outliner {
    ir_func *f;
    ir_cones cones;
    ir_copier copier;
    uint32_t *index; /* by value: position among the members of its cone */
    uint32_t *input; /* by value: its number as an input of the current cone, if … */
    uint32_t *stamp; /* … this is the current serial number */
    uint32_t serial;
    ir_value *next;  /* by root: the next one of its shape */
    uint32_t *words; /* of all shapes */
    size_t word_count;
    shape *shapes; /* index 0 is not used */
    uint32_t shape_count;
    uint32_t *buckets;
    uint32_t mask;
    uint8_t *varies;   /* by operand of the current shape: a constant that differs between cones */
    ir_value *patches; /* by operand: the input that replaces it */
    uint32_t functions;
    ir_value last; /* the last function, or 0 */
} outliner;

/* ---- Shapes ---- */

static const ir_value *members_of(const outliner *o, ir_value root) {
    return o->cones.members + o->cones.of[root].first;
}

static bool is_input(const outliner *o, ir_value root, ir_value v) {
    return o->cones.root[v] != root && ir_op_of(o->f, v) != IR_CONST;
}

/* The number of an input; a new input gets the next number. */
static uint32_t number_of(outliner *o, ir_value v, uint32_t *count) {
    if (o->stamp[v] != o->serial) {
        o->stamp[v] = o->serial;
        o->input[v] = (*count)++;
    }
    return o->input[v];
}

static bool may_be_input(const ir_func *f, ir_value v) {
    ir_op op = ir_op_of(f, v);
    return ir_type_bits(ir_type_of(f, v)) && op != IR_POINTER && op != IR_BUFFER;
}

/* Appends the words of a cone to those of the shapes; false when it cannot become a function. */
static bool describe(outliner *o, ir_value root, shape *s) {
    const ir_func *f = o->f;
    const ir_value *members = members_of(o, root);
    uint32_t *at = o->words + o->word_count;
    o->serial++;
    *s = (shape){.words = o->word_count, .first = root, .last = root, .count = 1};
    s->in_loop = ir_loop_around(f, ir_at(f, root)->region) != 0;
    for (uint32_t k = 0; k < o->cones.of[root].count; k++) {
        const ir_node *n = ir_at(f, members[k]);
        uint64_t imm = n->op == IR_IF ? 0 : n->imm;
        o->index[members[k]] = k;
        *at++ = (uint32_t)n->op << 24 | (uint32_t)n->type << 16 | n->arg_count;
        *at++ = (uint32_t)imm;
        *at++ = (uint32_t)(imm >> 32);
        for (unsigned a = 0; a < n->arg_count; a++) {
            ir_value v = ir_arg(f, members[k], a);
            if (!is_input(o, root, v))
                *at++ = ir_op_of(f, v) == IR_CONST ? OF_CONSTANT | ir_type_of(f, v)
                                                   : OF_MEMBER | o->index[v];
            else if (may_be_input(f, v))
                *at++ = OF_INPUT | (uint32_t)ir_type_of(f, v) << 16 | number_of(o, v, &s->inputs);
            else
                return false;
        }
    }
    s->length = (uint32_t)(at - (o->words + o->word_count));
    for (uint32_t k = 0; k < s->length; k++) {
        s->hash = (s->hash ^ o->words[s->words + k]) * 0x9E3779B97F4A7C15u;
        s->hash ^= s->hash >> 32;
    }
    return s->inputs <= MOST_INPUTS;
}

static bool is_same(const outliner *o, const shape *a, const shape *b) {
    return a->hash == b->hash && a->length == b->length &&
           memcmp(o->words + a->words, o->words + b->words, a->length * sizeof *o->words) == 0;
}

/* Adds a cone to its shape, or makes a new shape. */
static void add_cone(outliner *o, ir_value root) {
    shape s;
    if (!describe(o, root, &s))
        return;
    uint32_t *bucket = &o->buckets[s.hash & o->mask];
    for (uint32_t k = *bucket; k; k = o->shapes[k].next) {
        shape *known = &o->shapes[k];
        if (is_same(o, known, &s)) {
            o->next[known->last] = root;
            known->last = root;
            known->count++;
            known->in_loop |= s.in_loop;
            return;
        }
    }
    s.cost = o->cones.of[root].cost;
    s.next = *bucket;
    *bucket = ++o->shape_count;
    o->shapes[*bucket] = s;
    o->word_count += s.length;
}

/* ---- Profitability ---- */

/* Marks the operands of a shape that are different constants; returns their number. */
static uint32_t find_varying(outliner *o, const shape *s) {
    uint32_t found = 0, slot = 0;
    memset(o->varies, 0, s->length);
    for (ir_value root = o->next[s->first]; root; root = o->next[root]) {
        const ir_value *a = members_of(o, s->first), *b = members_of(o, root);
        slot = 0;
        for (uint32_t k = 0; k < o->cones.of[root].count; k++)
            for (unsigned arg = 0; arg < ir_at(o->f, a[k])->arg_count; arg++, slot++) {
                ir_value v = ir_arg(o->f, a[k], arg);
                if (ir_op_of(o->f, v) != IR_CONST || v == ir_arg(o->f, b[k], arg))
                    continue;
                found += !o->varies[slot];
                o->varies[slot] = 1;
            }
    }
    return found;
}

/* Worth it if the code is large and shrinks to at most half. */
static bool is_worth_it(const shape *s, uint32_t inputs) {
    uint64_t now = (uint64_t)s->count * s->cost;
    uint64_t then = s->cost + (uint64_t)s->count * (CALL + inputs);
    return now >= (s->in_loop ? LARGE_IN_LOOP : LARGE) && 2 * then <= now;
}

/* ---- The function ---- */

static ir_value append(outliner *o, ir_region region, ir_op op, ir_type type, uint64_t imm) {
    ir_value v = ir_make(o->f, op, type, NULL, 0, imm);
    if (v)
        ir_append(o->f, region, v);
    return v;
}

/* Makes the inputs: the values the cone reads, then its varying constants. */
static void make_inputs(outliner *o, ir_value root, ir_region region) {
    uint32_t count = 0;
    for (unsigned constants = 0; constants < 2; constants++) {
        uint32_t slot = 0;
        for (uint32_t k = 0; k < o->cones.of[root].count && !o->f->failed; k++) {
            ir_value m = members_of(o, root)[k];
            for (unsigned a = 0; a < ir_at(o->f, m)->arg_count; a++, slot++) {
                ir_value v = ir_arg(o->f, m, a);
                bool wanted = constants ? o->varies[slot]
                                        : is_input(o, root, v) && ir_copied(&o->copier, v) == v;
                if (!wanted)
                    continue;
                ir_value input = append(o, region, IR_INPUT, ir_type_of(o->f, v), count++);
                if (constants)
                    o->patches[slot] = input;
                else
                    ir_set_copy(&o->copier, v, input);
            }
        }
    }
}

static void patch_constants(outliner *o, ir_value root) {
    uint32_t slot = 0;
    for (uint32_t k = 0; k < o->cones.of[root].count; k++) {
        ir_value m = members_of(o, root)[k], copy = ir_copied(&o->copier, m);
        for (unsigned a = 0; a < ir_at(o->f, m)->arg_count; a++, slot++)
            if (o->varies[slot])
                ir_args(o->f, copy)[a] = o->patches[slot];
    }
}

/* Makes the function as a copy of the first cone. */
static void make_function(outliner *o, ir_value root) {
    ir_func *f = o->f;
    ir_value function = ir_make(f, IR_FUNCTION, IR_VOID, NULL, 0, 0);
    if (!function)
        return;
    ir_region region = ir_new_region(f, function), around = ir_at(f, root)->region;
    ir_at(f, function)->regions[0] = region;
    ir_at(f, function)->pc = ir_at(f, root)->pc;
    if (o->last)
        ir_insert_after(f, o->last, function);
    else
        ir_insert_before(f, f->regions[1].first, function);
    o->last = function;
    o->copier.serial++;
    make_inputs(o, root, region);
    ir_value end = ir_make(f, IR_RETURN, IR_VOID, &root, 1, 0);
    if (f->failed)
        return;
    ir_at(f, end)->pc = ir_at(f, root)->pc;
    ir_append(f, region, end);
    for (uint32_t k = 0; k < o->cones.of[root].count && !f->failed; k++) {
        ir_value m = members_of(o, root)[k];
        if (ir_at(f, m)->region == around) /* others are copied with their if */
            ir_copy_range(&o->copier, m, ir_at(f, m)->next, end);
    }
    if (f->failed)
        return;
    patch_constants(o, root);
    ir_args(f, end)[0] = ir_copied(&o->copier, root);
}

/* Turns the root into the call and removes the other members. */
static void make_call(outliner *o, ir_value root, uint32_t inputs) {
    ir_func *f = o->f;
    ir_value args[MOST_INPUTS] = {0};
    uint32_t count = 0, slot = 0, varying = inputs;
    ir_region around = ir_at(f, root)->region;
    o->serial++;
    for (uint32_t k = 0; k < o->cones.of[root].count; k++)
        for (unsigned a = 0; a < ir_at(f, members_of(o, root)[k])->arg_count; a++, slot++) {
            ir_value v = ir_arg(f, members_of(o, root)[k], a);
            if (o->varies[slot])
                args[varying++] = v;
            else if (is_input(o, root, v) && number_of(o, v, &count) < MOST_INPUTS)
                args[o->input[v]] = v;
        }
    for (uint32_t k = 0; k + 1 < o->cones.of[root].count; k++)
        if (ir_at(f, members_of(o, root)[k])->region == around)
            ir_remove(f, members_of(o, root)[k]);
    ir_at(f, root)->op = IR_CALL;
    ir_at(f, root)->imm = o->functions;
    ir_set_args(f, root, args, varying);
}

static void outline(outliner *o, const shape *s) {
    if (s->count < 2 || !is_worth_it(s, s->inputs))
        return;
    uint32_t inputs = s->inputs + find_varying(o, s);
    if (inputs > MOST_INPUTS || !is_worth_it(s, inputs))
        return;
    make_function(o, s->first);
    for (ir_value root = s->first; root && !o->f->failed; root = o->next[root])
        make_call(o, root, s->inputs);
    o->functions++;
}

/* ---- The pass ---- */

/* Cheap test whether such code can exist: divisions and roots, or polynomials with a select for the
 * range of their argument, and enough operations in total. */
static bool may_have_math(const ir_func *f) {
    bool costly = ir_made(f, IR_FMA) && ir_made(f, IR_SELECT);
    for (unsigned op = 0; op < IR_OP_COUNT && !costly; op++)
        costly = extra_cost[op] && ir_made(f, (ir_op)op);
    uint64_t total = 0;
    for (ir_value v = 1; v < f->node_count && costly && total < LARGE; v++)
        total += ir_at(f, v)->region ? 1u + extra_cost[ir_op_of(f, v)] : 0;
    return total >= LARGE;
}

static void find_costs(uint8_t costs[IR_OP_COUNT]) {
    for (unsigned op = 0; op < IR_OP_COUNT; op++) {
        bool none = op == IR_BITCAST || op == IR_RESULT || op == IR_YIELD;
        costs[op] = none ? 0 : (uint8_t)(1 + extra_cost[op]);
    }
}

/* The room for the words of all cones. */
static size_t count_words(const outliner *o) {
    size_t words = 0;
    for (uint32_t r = 0; r < o->cones.root_count; r++) {
        ir_value v = o->cones.roots[r];
        for (uint32_t k = 0; k < o->cones.of[v].count; k++)
            words += 3u + ir_at(o->f, members_of(o, v)[k])->arg_count;
    }
    return words;
}

static bool prepare(outliner *o) {
    size_t n = o->f->node_count, words;
    ir_cone_limits limits = {.members = LEAST_MEMBERS, .cost = LEAST_COST};
    find_costs(limits.costs);
    if (!ir_find_cones(o->f, &limits, &o->cones))
        return false;
    uint32_t cones = o->cones.root_count, buckets = 16;
    words = count_words(o);
    while (buckets < cones)
        buckets *= 2;
    o->mask = buckets - 1;
    o->index = malloc(n * sizeof *o->index);
    o->input = malloc(n * sizeof *o->input);
    o->stamp = calloc(n, sizeof *o->stamp);
    o->next = calloc(n, sizeof *o->next);
    o->words = malloc((words + 1) * sizeof *o->words);
    o->varies = malloc(words + 1);
    o->patches = malloc((words + 1) * sizeof *o->patches);
    o->shapes = calloc(cones + (size_t)1, sizeof *o->shapes);
    o->buckets = calloc(buckets, sizeof *o->buckets);
    return o->index && o->input && o->stamp && o->next && o->words && o->varies && o->patches &&
           o->shapes && o->buckets;
}

static void finish(outliner *o) {
    ir_free_cones(&o->cones);
    ir_copier_free(&o->copier);
    free(o->index);
    free(o->input);
    free(o->stamp);
    free(o->next);
    free(o->words);
    free(o->varies);
    free(o->patches);
    free(o->shapes);
    free(o->buckets);
}

bool ir_opt_outline(ir_func *f) {
    if (!may_have_math(f) || ir_op_of(f, f->regions[1].first) == IR_FUNCTION)
        return false;
    outliner o = {.f = f, .copier = {.f = f}};
    if (prepare(&o)) {
        for (uint32_t k = 0; k < o.cones.root_count; k++)
            add_cone(&o, o.cones.roots[k]);
        for (uint32_t k = 1; k <= o.shape_count && !f->failed; k++)
            outline(&o, &o.shapes[k]);
    } else {
        f->failed = true;
    }
    finish(&o);
    return o.functions != 0;
}
