/* Moves operations that give the same in every iteration out of loops.
 *
 *   loop 0 {                              %2 = imul arg0, arg1
 *     %1 = param(0)                       loop 0 {
 *     %2 = imul arg0, arg1        →         %1 = param(0)
 *     %3 = iadd %1, %2                      %3 = iadd %1, %2
 *     continue %3                           continue %3
 *   }                                     }
 *
 * Operations without effect move in front of the outermost loop that defines none of their
 * operands; convergent ones stay, and so do costly ones that not every iteration reaches. Loads
 * stay: nothing proves that they may be executed before the loop. Each loop gets a bounded number
 * of values, so that they can stay in registers. One walk. */
#include "ir/opt.h"

#include <stdlib.h>

enum { MOST_VALUES = 48 };

typedef struct mover {
    ir_func *f;
    uint16_t *level; /* by value: number of loops around its definition */
    ir_value *loops; /* the open ones; index 0 is not used */
    uint32_t *moved; /* by open loop: how much moved in front of it */
    uint32_t *ifs;   /* by open loop: open ifs inside it, outside the next loop */
    uint32_t open;
    bool changed;
} mover;

static bool is_costly(ir_op op) {
    switch (op) {
    case IR_IDIV:
    case IR_IMOD:
    case IR_UDIV:
    case IR_UMOD:
    case IR_LDIV:
    case IR_LMOD:
    case IR_LUDIV:
    case IR_LUMOD:
    case IR_FDIV:
    case IR_FSQRT:
    case IR_FSIN:
    case IR_FCOS:
    case IR_FEXP2:
    case IR_FLOG2:
    case IR_DADD:
    case IR_DSUB:
    case IR_DMUL:
    case IR_DMA:
    case IR_DDIV:
    case IR_DSQRT: return true;
    default: return false;
    }
}

static uint32_t needed_level(const mover *m, ir_value v) {
    uint32_t level = 0;
    for (unsigned k = 0; k < ir_at(m->f, v)->arg_count; k++) {
        uint16_t of = m->level[ir_arg(m->f, v, k)];
        level = of > level ? of : level;
    }
    if (!is_costly(ir_op_of(m->f, v)))
        return level;
    /* not out of a loop whose iterations may not reach it */
    uint32_t reached = m->open;
    while (reached > level && m->ifs[reached] == 0)
        reached--;
    return reached;
}

static void visit(mover *m, ir_value v) {
    m->level[v] = (uint16_t)m->open;
    if (m->open == 0 || !ir_has(m->f, v, IR_PURE) || ir_has(m->f, v, IR_UNIQUE | IR_WAVE))
        return;
    uint32_t level = needed_level(m, v);
    while (level < m->open && m->moved[level + 1] >= MOST_VALUES)
        level++;
    if (level == m->open)
        return;
    ir_remove(m->f, v);
    ir_insert_before(m->f, m->loops[level + 1], v);
    m->moved[level + 1]++;
    m->level[v] = (uint16_t)level;
    m->changed = true;
}

static void walk(mover *m) {
    ir_walk w;
    ir_walk_init(&w, m->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value owner = m->f->regions[w.region].owner;
        bool loop = owner && ir_op_of(m->f, owner) == IR_LOOP;
        if (e == IR_AT_OP) {
            visit(m, w.op);
        } else if (e == IR_ENTER_REGION && loop) {
            m->loops[++m->open] = owner;
            m->moved[m->open] = m->ifs[m->open] = 0;
        } else if (e == IR_ENTER_REGION) {
            m->ifs[m->open]++;
        } else if (loop) {
            m->open--;
        } else {
            m->ifs[m->open]--;
        }
    }
}

/* The deepest nest of loops; 0 when there are none. */
static uint32_t deepest_loop(const ir_func *f) {
    uint32_t depth = 0, deepest = 0;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value owner = f->regions[w.region].owner;
        if (e == IR_AT_OP || !owner || ir_op_of(f, owner) != IR_LOOP)
            continue;
        depth += e == IR_ENTER_REGION ? 1u : UINT32_MAX;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

bool ir_opt_invariant(ir_func *f) {
    mover m = {.f = f};
    uint32_t deepest = deepest_loop(f);
    if (deepest == 0 || deepest > UINT16_MAX)
        return false;
    m.level = calloc(f->node_count, sizeof *m.level);
    m.loops = calloc((size_t)deepest + 1, sizeof *m.loops);
    m.moved = calloc((size_t)deepest + 1, sizeof *m.moved);
    m.ifs = calloc((size_t)deepest + 1, sizeof *m.ifs);
    if (m.level && m.loops && m.moved && m.ifs)
        walk(&m);
    else
        f->failed = true;
    free(m.level);
    free(m.loops);
    free(m.moved);
    free(m.ifs);
    return m.changed;
}
