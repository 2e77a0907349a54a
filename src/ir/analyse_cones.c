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
    const ir_cone_limits *limits;
    ir_cones *cones;
    ir_value *users; /* by value: the cone of the users seen so far, 0: none seen, or SEVERAL */
    uint8_t *mixed;  /* by operation: an if that contains more than pure operations, or a loop */
    uint32_t total;  /* members of the cones that are listed */
} finder;

#define SEVERAL UINT32_MAX

static bool is_pure_if(const finder *x, ir_value v) {
    return v && ir_op_of(x->f, v) == IR_IF && !x->mixed[v];
}

/* Finds which ifs are pure. */
static void find_mixed(finder *x) {
    const ir_func *f = x->f;
    for (ir_value v = 1, end = ir_is_straight(f) ? 0 : f->node_count; v < end; v++) {
        const ir_node *n = ir_at(f, v);
        if (n->region > 1 && n->op != IR_YIELD && !ir_may_be_in_function((ir_op)n->op))
            x->mixed[f->regions[n->region].owner] = 1;
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

static void enter(finder *x, ir_value v, ir_value root) {
    ir_cone *c = &x->cones->of[root]; /* of 0: operations in no cone */
    x->cones->root[v] = root;
    c->count++;
    c->cost += x->limits->costs[ir_op_of(x->f, v)];
}

/* The same for operations in a pure if: the if counts as the user. */
static void tell_from_if(finder *x, ir_value v, ir_value root, ir_region region) {
    for (unsigned side = 0; side < 2; side++) {
        ir_value in = x->f->regions[ir_at(x->f, v)->regions[side]].first;
        for (; in; in = ir_at(x->f, in)->next) {
            enter(x, in, root);
            tell_operands(x, in, root, region);
        }
    }
}

static void visit(finder *x, ir_value v) {
    const ir_node *n = ir_at(x->f, v);
    ir_value root = 0;
    if (may_join(x, v)) {
        root = x->users[v] == SEVERAL ? 0 : x->users[v];
        if (!root && n->type != IR_VOID && n->type != IR_BOOL)
            root = v;
    }
    enter(x, v, root);
    tell_operands(x, v, root, n->region);
    if (is_pure_if(x, v))
        tell_from_if(x, v, root, n->region);
}

/* The operation before v in program order, or 0, for a walk that visits an if or loop after what is
 * inside. A pure if is one operation. */
static ir_value before(const finder *x, ir_value v) {
    const ir_func *f = x->f;
    const ir_node *n = ir_at(f, v);
    ir_value prev = n->prev;
    if (!prev) {
        ir_value owner = f->regions[n->region].owner;
        const ir_node *o = ir_at(f, owner);
        return owner && o->op == IR_IF && o->regions[1] == n->region
                   ? f->regions[o->regions[0]].last
                   : owner;
    }
    const ir_node *p = ir_at(f, prev);
    if (!ir_has_regions(p) || is_pure_if(x, prev))
        return prev;
    return f->regions[p->regions[p->op == IR_IF]].last;
}

/* Backwards: all users of a value are visited before it. */
static void find_roots(finder *x) {
    for (ir_value v = x->f->regions[1].last; v; v = before(x, v))
        visit(x, v);
}

/* A cone with enough members, and costly enough. */
static bool is_listed(const finder *x, ir_value root) {
    const ir_cone *c = &x->cones->of[root];
    return root && c->count >= x->limits->members && c->cost >= x->limits->cost;
}

static void list_members(finder *x) {
    ir_cones *c = x->cones;
    for (ir_value v = ir_first_op(x->f); v; v = ir_next_op(x->f, v)) {
        ir_value root = c->root[v];
        if (!is_listed(x, root))
            continue;
        ir_cone *cone = &c->of[root];
        if (!cone->listed) {
            cone->first = x->total;
            x->total += cone->count;
        }
        c->members[cone->first + cone->listed++] = v;
        if (v == root)
            c->roots[c->root_count++] = root;
    }
}

bool ir_find_cones(const ir_func *f, const ir_cone_limits *limits, ir_cones *cones) {
    size_t n = f->node_count;
    finder x = {.f = f, .limits = limits, .cones = cones};
    *cones = (ir_cones){.root = calloc(n, sizeof *cones->root),
                        .roots = malloc(n * sizeof *cones->roots),
                        .members = malloc(n * sizeof *cones->members),
                        .of = calloc(n, sizeof *cones->of)};
    x.users = calloc(n, sizeof *x.users);
    x.mixed = calloc(n, 1);
    bool ok = cones->root && cones->roots && cones->members && cones->of && x.users && x.mixed;
    if (ok) {
        find_mixed(&x);
        find_roots(&x);
        list_members(&x);
    } else {
        ir_free_cones(cones);
    }
    free(x.users);
    free(x.mixed);
    return ok;
}

void ir_free_cones(ir_cones *cones) {
    free(cones->root);
    free(cones->roots);
    free(cones->members);
    free(cones->of);
    *cones = (ir_cones){0};
}
