/* Cones: a value, the root, with all pure operations that only it uses. In logic synthesis this is
 * the maximum fanout-free cone (Cong and Ding, 1994) of the root.
 *
 *   %3 = fmul %1, %1
 *   %4 = fadd %3, %2        the cone of %6 is %3, %4, %5, %6; %1 and %2 are its inputs
 *   %5 = fsub %3, %2
 *   %6 = fmul %4, %5
 *   store … %6
 *
 * One backward walk: an operation joins the cone that contains all its users, or is the root of a
 * new cone. An if whose sides are pure and contain no other if counts as an operation. Linear
 * time. */
#include "ir/analyse.h"

#include <stdlib.h>

typedef struct finder {
    const ir_func *f;
    ir_cones *cones;
    ir_value *order; /* operations in program order */
    uint32_t count;
    ir_value *users; /* by value: the cone of the users seen so far, 0: none seen, or SEVERAL */
    uint8_t *mixed;  /* by operation: an if that contains more than pure operations, or a loop */
} finder;

#define SEVERAL UINT32_MAX

static bool is_pure_if(const finder *x, ir_value v) {
    return v && ir_op_of(x->f, v) == IR_IF && !x->mixed[v];
}

/* The pure if that contains an operation, or 0. */
static ir_value if_around(const finder *x, ir_value v) {
    ir_value owner = x->f->regions[ir_at(x->f, v)->region].owner;
    return is_pure_if(x, owner) ? owner : 0;
}

/* Finds the program order, and which ifs are pure. */
static void find_order(finder *x) {
    for (ir_value v = ir_first_op(x->f); v; v = ir_next_op(x->f, v)) {
        const ir_node *n = ir_at(x->f, v);
        x->order[x->count++] = v;
        if (n->region != 1 && n->op != IR_YIELD && !ir_may_be_in_function((ir_op)n->op))
            x->mixed[x->f->regions[n->region].owner] = 1;
    }
}

static bool may_join(const finder *x, ir_value v) {
    ir_op op = ir_op_of(x->f, v);
    if (op == IR_IF)
        return is_pure_if(x, v);
    return op == IR_RESULT ? is_pure_if(x, ir_arg(x->f, v, 0)) : ir_may_be_in_function(op);
}

/* Records in the operands of v which cone uses them; only values of the same region can join it. */
static void tell_operands(finder *x, ir_value v, ir_value root, ir_region region) {
    const ir_value *args = ir_args(x->f, v);
    for (unsigned k = 0; k < ir_at(x->f, v)->arg_count; k++) {
        ir_value *users = &x->users[args[k]];
        bool joins = root && ir_at(x->f, args[k])->region == region;
        *users = joins && (!*users || *users == root) ? root : SEVERAL;
    }
}

/* The same for operations in a pure if: the if counts as the user. */
static void tell_from_if(finder *x, ir_value v, ir_value root, ir_region region) {
    for (unsigned side = 0; side < 2; side++) {
        ir_value in = x->f->regions[ir_at(x->f, v)->regions[side]].first;
        for (; in; in = ir_at(x->f, in)->next) {
            x->cones->root[in] = root;
            tell_operands(x, in, root, region);
        }
    }
}

/* Backwards: all users of a value are visited before it. */
static void find_roots(finder *x) {
    for (uint32_t at = x->count; at-- > 0;) {
        ir_value v = x->order[at], root = 0;
        if (if_around(x, v))
            continue; /* handled with its if */
        ir_type type = ir_type_of(x->f, v);
        if (may_join(x, v)) {
            root = x->users[v] == SEVERAL ? 0 : x->users[v];
            if (!root && type != IR_VOID && type != IR_BOOL)
                root = v;
        }
        ir_region region = ir_at(x->f, v)->region;
        x->cones->root[v] = root;
        tell_operands(x, v, root, region);
        if (is_pure_if(x, v))
            tell_from_if(x, v, root, region);
    }
}

#define NOT_LISTED UINT32_MAX

static void list_members(finder *x, uint32_t least) {
    ir_cones *c = x->cones;
    uint32_t next = 0;
    for (uint32_t at = 0; at < x->count; at++)
        c->count[c->root[x->order[at]]]++; /* of 0: operations in no cone */
    for (uint32_t at = 0; at < x->count; at++) {
        ir_value v = x->order[at];
        if (c->root[v] != v)
            continue;
        bool listed = c->count[v] >= least;
        c->first[v] = listed ? next : NOT_LISTED;
        if (listed) {
            c->roots[c->root_count++] = v;
            next += c->count[v];
        }
        c->count[v] = 0;
    }
    for (uint32_t at = 0; at < x->count; at++) {
        ir_value v = x->order[at], root = c->root[v];
        if (root && c->first[root] != NOT_LISTED)
            c->members[c->first[root] + c->count[root]++] = v;
    }
}

bool ir_find_cones(const ir_func *f, uint32_t least, ir_cones *cones) {
    size_t n = f->node_count;
    finder x = {.f = f, .cones = cones};
    *cones = (ir_cones){.root = calloc(n, sizeof *cones->root),
                        .roots = malloc(n * sizeof *cones->roots),
                        .members = malloc(n * sizeof *cones->members),
                        .first = calloc(n, sizeof *cones->first),
                        .count = calloc(n, sizeof *cones->count)};
    x.order = malloc(n * sizeof *x.order);
    x.users = calloc(n, sizeof *x.users);
    x.mixed = calloc(n, 1);
    bool ok = cones->root && cones->roots && cones->members && cones->first && cones->count &&
              x.order && x.users && x.mixed;
    if (ok) {
        find_order(&x);
        find_roots(&x);
        list_members(&x, least);
    } else {
        ir_free_cones(cones);
    }
    free(x.order);
    free(x.users);
    free(x.mixed);
    return ok;
}

void ir_free_cones(ir_cones *cones) {
    free(cones->root);
    free(cones->roots);
    free(cones->members);
    free(cones->first);
    free(cones->count);
    *cones = (ir_cones){0};
}
