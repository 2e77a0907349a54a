/* Where variables are declared. A variable whose values all come from one block is declared with
 * the first of them. A variable that several blocks write is declared before the if or loop that
 * contains them:
 *
 *   uint32_t u3;                          uint32_t i = 0u;
 *   if (c) {                              while (i < n) {
 *       u3 = a;                               i += 4u;
 *   } else {                              }
 *       u3 = b;
 *   } */
#include "emit/c_printer.h"

/* The operation that sets a value. */
static ir_value anchor_of(const ir_func *f, ir_value v) {
    const ir_node *n = ir_at(f, v);
    if (n->op == IR_PARAM)
        return f->regions[n->region].owner;
    if (n->op == IR_RESULT && ir_has(f, n->args[0], IR_REGIONS))
        return n->args[0];
    return v;
}

/* A place in the text: an operation, and its block. */
typedef struct place {
    ir_region region;
    ir_value anchor;
} place;

static place place_of(const ir_func *f, ir_value v) {
    ir_value anchor = anchor_of(f, v);
    return (place){ir_at(f, anchor)->region, anchor};
}

/* The first of two operations, in the innermost block that contains both. */
static place join(const c_printer *p, place a, place b) {
    while (a.region != b.region) { /* outwards */
        place *inner = p->m.level[a.region] >= p->m.level[b.region] ? &a : &b;
        inner->anchor = p->f->regions[inner->region].owner;
        inner->region = ir_at(p->f, inner->anchor)->region;
    }
    return p->m.life[a.anchor].start < p->m.life[b.anchor].start ? a : b;
}

/* Whether the variable of a home may have to be declared before an if or loop. */
static bool may_be_shared(const c_printer *p, ir_value home) {
    if (p->m.kind[home] != MAT_TEMPORARY || mat_home(&p->m, home) != home)
        return false;
    ir_op op = ir_op_of(p->f, home);
    return p->m.place[home].member != home || op == IR_PARAM || op == IR_RESULT;
}

void c_find_scopes(c_printer *p) {
    const ir_func *f = p->f;
    for (ir_value home = f->node_count; home-- > 1;) {
        if (!may_be_shared(p, home))
            continue;
        place first = place_of(f, home);
        for (ir_value v = p->m.place[home].member; v != home; v = p->m.place[v].member)
            first = join(p, first, place_of(f, v));
        if (!ir_has(f, first.anchor, IR_REGIONS))
            continue;
        ir_value *list = &p->first_declared[ir_at(f, first.anchor)->regions[0]];
        p->next_declared[home] = *list;
        *list = home;
    }
}
