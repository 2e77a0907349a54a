/* Gives values the type they are used as, so that only real reinterpretations remain.
 *
 *   %1 = load %a : u32                       %1 = load %a : f32
 *   loop 0:u32 {                             loop 0:f32 {
 *     %2 = param(0) : u32                      %2 = param(0) : f32
 *     %3 = bitcast %2 : f32           →        %3 = fadd %2, %1
 *     %4 = bitcast %1 : f32                    continue %3
 *     %5 = fadd %3, %4                       }
 *     %6 = bitcast %5 : u32
 *     continue %6
 *   }
 *
 * Values that are copies of each other (parameters, results, both sides of selects) form a web and
 * change together; loads also belong to webs. A web of u32 becomes f32 when that removes more
 * bitcasts than it adds. Stores accept either type. Linear time: webs by union-find, one walk to
 * count, one to rewrite. */
#include "ir/analyse.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>

enum {
    AS_U32 = 1,  /* something needs it as u32 */
    CHANGES = 2, /* to f32 */
    GONE = 4     /* replaced by another value */
};

typedef struct typer {
    ir_func *f;
    ir_value *web;     /* union-find over values that may change */
    int32_t *gain;     /* by web: bitcasts removed minus bitcasts added */
    uint8_t *flags;    /* by value: AS_U32, CHANGES, GONE */
    ir_value *integer; /* by value: its bitcast back to u32, once made */
    uint32_t count;    /* values at the start */
    ir_map map;
    bool any;
} typer;

/* ---- Webs ---- */

static const bool flexible[IR_OP_COUNT] = {
    [IR_PARAM] = true, [IR_RESULT] = true, [IR_SELECT] = true, [IR_LOAD] = true};

static inline bool is_flexible(const ir_func *f, ir_value v) {
    const ir_node *n = ir_at(f, v);
    return flexible[n->op] && n->type == IR_U32 &&
           (n->op != IR_LOAD || ir_access_unpack(n->imm).bytes == 4);
}

/* Every member starts as a separate web, made on first lookup. */
static ir_value find(const typer *t, ir_value v) {
    if (!t->web[v])
        t->web[v] = v;
    while (t->web[v] != v) {
        t->web[v] = t->web[t->web[v]];
        v = t->web[v];
    }
    return v;
}

/* `from` is copied into `to`: it joins the web of `to`, or the copy may add or save a bitcast. */
static void copied(typer *t, ir_value to, ir_value from) {
    const ir_func *f = t->f;
    if (!to || !is_flexible(f, to))
        return;
    if (is_flexible(f, from)) {
        ir_value a = find(t, to), b = find(t, from);
        if (a != b) {
            t->web[b] = a;
            t->gain[a] += t->gain[b];
        }
        return;
    }
    bool cast = ir_op_of(f, from) == IR_BITCAST;
    if (cast && ir_type_of(f, ir_arg(f, from, 0)) == IR_F32)
        t->gain[find(t, to)]++;
    else if (ir_op_of(f, from) != IR_CONST)
        t->gain[find(t, to)]--;
}

/* The operation needs a member with its present type. */
static void used(typer *t, ir_value user, ir_value v) {
    if (!is_flexible(t->f, v))
        return;
    if (ir_op_of(t->f, user) == IR_BITCAST) {
        t->gain[find(t, v)] += ir_type_of(t->f, user) == IR_F32;
    } else if (!t->flags[v]) {
        t->flags[v] = AS_U32;
        t->gain[find(t, v)]--;
    }
}

static bool stores_words(const ir_func *f, ir_value v) {
    return ir_op_of(f, v) == IR_STORE && ir_access_unpack(ir_at(f, v)->imm).bytes >= 4;
}

/* The parameter or result that receives the first value of a terminator or loop, or 0. Those that
 * receive the others follow it. */
static ir_value first_target(const ir_func *f, ir_value v) {
    ir_region region = ir_at(f, v)->region;
    ir_value loop;
    switch (ir_op_of(f, v)) {
    case IR_YIELD: return ir_first_result(f, f->regions[region].owner);
    case IR_BREAK: return ir_first_result(f, ir_loop_around(f, region));
    case IR_CONTINUE:
        loop = ir_loop_around(f, region);
        return f->regions[ir_at(f, loop)->regions[0]].first;
    case IR_LOOP: return f->regions[ir_at(f, v)->regions[0]].first;
    default: return 0;
    }
}

static bool copies(ir_op op) {
    return op == IR_YIELD || op == IR_BREAK || op == IR_CONTINUE || op == IR_LOOP;
}

static void count(typer *t, ir_value v) {
    const ir_func *f = t->f;
    const ir_node *n = ir_at(f, v);
    ir_op op = ir_op_of(f, v);
    if (op == IR_SELECT) {
        copied(t, v, ir_arg(f, v, 1));
        copied(t, v, ir_arg(f, v, 2));
        return;
    }
    if (copies(op)) {
        ir_value to = first_target(f, v);
        for (unsigned k = 0; k < n->arg_count; k++, to = ir_at(f, to)->next)
            copied(t, to, ir_arg(f, v, k));
        return;
    }
    if (op == IR_RESULT)
        return;
    unsigned strict = stores_words(f, v) ? 1 : n->arg_count; /* of a store only the address */
    for (unsigned k = 0; k < strict; k++)
        used(t, v, ir_arg(f, v, k));
}

/* ---- Rewriting ---- */

static bool changes(const typer *t, ir_value v) {
    return v < t->count && t->flags[v] & CHANGES;
}

/* A member as u32: one bitcast after its definition. Parameters and results stay together. */
static ir_value integer(typer *t, ir_value v) {
    ir_func *f = t->f;
    if (t->integer[v])
        return t->integer[v];
    ir_value made = ir_make(f, IR_BITCAST, IR_U32, &v, 1, 0), at = v;
    if (!made)
        return v;
    ir_op op = ir_op_of(f, v);
    while ((op == IR_PARAM || op == IR_RESULT) && ir_op_of(f, ir_at(f, at)->next) == op)
        at = ir_at(f, at)->next;
    ir_at(f, made)->pc = ir_at(f, v)->pc;
    ir_insert_after(f, at, made);
    return t->integer[v] = made;
}

/* A value that is copied into a member, as f32. */
static ir_value as_f32(typer *t, ir_value user, ir_value v) {
    ir_func *f = t->f;
    uint64_t bits;
    if (ir_type_of(f, v) == IR_F32)
        return v;
    if (ir_is_const(f, v, &bits))
        return ir_const(f, IR_F32, bits);
    if (ir_op_of(f, v) == IR_BITCAST && ir_type_of(f, ir_arg(f, v, 0)) == IR_F32)
        return ir_arg(f, v, 0);
    return ir_make_before(f, user, IR_BITCAST, IR_F32, &v, 1, 0);
}

static void set_arg(ir_func *f, ir_value v, unsigned k, ir_value to) {
    if (!f->failed)
        ir_args(f, v)[k] = to;
}

static void rewrite_copies(typer *t, ir_value v) {
    ir_func *f = t->f;
    ir_value to = first_target(f, v);
    for (unsigned k = 0; k < ir_at(f, v)->arg_count; k++, to = ir_at(f, to)->next)
        if (to && changes(t, to))
            set_arg(f, v, k, as_f32(t, v, ir_arg(f, v, k)));
}

/* A store accepts either type: it uses the value before a bitcast. */
static void rewrite_store(typer *t, ir_value v) {
    ir_func *f = t->f;
    for (unsigned k = 1; k < ir_at(f, v)->arg_count; k++) {
        ir_value a = ir_arg(f, v, k);
        if (ir_op_of(f, a) == IR_BITCAST && ir_type_of(f, ir_arg(f, a, 0)) == IR_F32) {
            set_arg(f, v, k, ir_arg(f, a, 0));
            t->any = true;
        }
    }
}

/* Uses of a member take it as u32; uses of its bitcast to f32 take the member itself. */
static void rewrite_uses(typer *t, ir_value v) {
    ir_func *f = t->f;
    unsigned count = ir_at(f, v)->arg_count;
    for (unsigned k = 0; k < count && !f->failed; k++) {
        ir_value a = ir_arg(f, v, k);
        if (changes(t, a))
            set_arg(f, v, k, integer(t, a));
        else if (a < t->count && t->map.to[a])
            set_arg(f, v, k, ir_map_find(&t->map, a));
    }
}

/* A quick test for the common case: no operand changes, and the operation is not a copy. */
static bool nothing_to_do(const typer *t, ir_value v) {
    _Static_assert(IR_INLINE_ARGS == 3, "operands in a node");
    const ir_node *n = ir_at(t->f, v);
    if (n->arg_count > IR_INLINE_ARGS || n->op == IR_STORE || n->op == IR_BITCAST ||
        n->op == IR_SELECT || copies((ir_op)n->op))
        return false;
    return !((t->flags[n->args[0]] | t->flags[n->args[1]] | t->flags[n->args[2]]) &
             (CHANGES | GONE));
}

static void rewrite(typer *t, ir_value v) {
    ir_func *f = t->f;
    ir_op op = ir_op_of(f, v);
    bool stores = stores_words(f, v);
    if (op != IR_SELECT && op != IR_BITCAST && !stores && !copies(op)) {
        if (op != IR_RESULT)
            rewrite_uses(t, v);
        return;
    }
    if (stores && changes(t, ir_arg(f, v, 0)))
        set_arg(f, v, 0, integer(t, ir_arg(f, v, 0)));
    ir_map_args(&t->map, f, v);
    if (op == IR_SELECT && changes(t, v)) {
        for (unsigned k = 1; k < 3; k++)
            set_arg(f, v, k, as_f32(t, v, ir_arg(f, v, k)));
    } else if (op == IR_BITCAST) {
        ir_value a = ir_arg(f, v, 0);
        if (ir_type_of(f, v) == ir_type_of(f, a)) {
            t->map.to[v] = a;
            t->flags[v] |= GONE;
            ir_remove(f, v);
        }
    } else if (stores) {
        rewrite_store(t, v);
    } else if (copies(op)) {
        rewrite_copies(t, v);
    }
}

static bool has_bitcasts(const ir_func *f) {
    for (ir_value v = 1; v < f->node_count; v++)
        if (ir_op_of(f, v) == IR_BITCAST && ir_at(f, v)->region)
            return true;
    return false;
}

static void run(typer *t) {
    ir_func *f = t->f;
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v))
        count(t, v);
    for (ir_value v = 1; v < t->count; v++)
        if (t->web[v] && t->gain[find(t, v)] > 0) {
            t->flags[v] |= CHANGES;
            ir_at(f, v)->type = IR_F32;
            t->any = true;
        }
    for (ir_value v = ir_first_op(f), next; v && !f->failed; v = next) {
        next = ir_next_op(f, v); /* v may be removed */
        if (v < t->count && !nothing_to_do(t, v))
            rewrite(t, v);
    }
}

bool ir_opt_types(ir_func *f) {
    if (!has_bitcasts(f))
        return false;
    size_t n = f->node_count;
    typer t = {.f = f,
               .count = f->node_count,
               .web = calloc(n, sizeof *t.web),
               .gain = calloc(n, sizeof *t.gain),
               .flags = calloc(n, 1),
               .integer = calloc(n, sizeof *t.integer)};
    if (ir_map_init(&t.map, f) && t.web && t.gain && t.flags && t.integer)
        run(&t);
    else
        f->failed = true;
    ir_map_names(&t.map, f);
    ir_map_free(&t.map);
    free(t.web);
    free(t.gain);
    free(t.flags);
    free(t.integer);
    return t.any;
}
