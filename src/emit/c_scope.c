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

#include <stdlib.h>

typedef struct scopes {
    c_printer *p;
    ir_region *region; /* by home: the innermost block that contains all its values */
    ir_value *anchor;  /* by home: the first operation of that block with one of its values */
} scopes;

/* The operation that sets a value. */
static ir_value anchor_of(const ir_func *f, ir_value v) {
    const ir_node *n = ir_at(f, v);
    if (n->op == IR_PARAM)
        return f->regions[n->region].owner;
    if (n->op == IR_RESULT && ir_has(f, n->args[0], IR_REGIONS))
        return n->args[0];
    return v;
}

static void note_value(scopes *s, ir_value v) {
    c_printer *p = s->p;
    const ir_func *f = p->f;
    ir_value home = p->m.home[v], anchor = anchor_of(f, v);
    ir_region region = ir_at(f, anchor)->region;
    if (!s->region[home]) {
        s->region[home] = region;
        s->anchor[home] = anchor;
        return;
    }
    ir_region have = s->region[home];
    ir_value first = s->anchor[home];
    while (have != region) { /* outwards, to a block that contains both */
        ir_region *inner = p->depth[have] >= p->depth[region] ? &have : &region;
        ir_value *at = inner == &have ? &first : &anchor;
        *at = f->regions[*inner].owner;
        *inner = ir_at(f, *at)->region;
    }
    s->region[home] = have;
    s->anchor[home] = p->m.position[anchor] < p->m.position[first] ? anchor : first;
}

static void list_declarations(scopes *s) {
    c_printer *p = s->p;
    for (ir_value v = p->f->node_count; v-- > 1;) {
        ir_value anchor = s->anchor[v];
        if (!anchor || !ir_has(p->f, anchor, IR_REGIONS))
            continue;
        p->next_declared[v] = p->first_declared[anchor];
        p->first_declared[anchor] = v;
    }
}

bool c_find_scopes(c_printer *p) {
    scopes s = {.p = p};
    s.region = calloc(p->f->node_count, sizeof *s.region);
    s.anchor = calloc(p->f->node_count, sizeof *s.anchor);
    bool ok = s.region && s.anchor;
    for (ir_value v = ir_first_op(p->f); ok && v; v = ir_next_op(p->f, v))
        if (p->m.kind[v] == MAT_TEMPORARY)
            note_value(&s, v);
    if (ok)
        list_declarations(&s);
    free(s.region);
    free(s.anchor);
    return ok;
}
