/* Loop-invariant code motion.
 *
 *   loop 0 {                              %2 = imul arg0, arg1
 *     %1 = param(0)                       loop 0 {
 *     %2 = imul arg0, arg1        →         %1 = param(0)
 *     %3 = iadd %1, %2                      %3 = iadd %1, %2
 *     continue %3                           continue %3
 *   }                                     }
 *
 * Operations without effect move before the outermost loop that defines none of their operands;
 * convergent ones stay, and so do costly ones that not every iteration reaches. Loads stay: nothing
 * proves that they may be executed before the loop. So does a value that is only used as an initial
 * value of an inner loop's parameters: it would be copied there, which costs as much as computing
 * it, and would occupy a register until then. The number of values moved out of each loop is
 * bounded, so that they can stay in registers. A loop without a continue runs once and is ignored.
 * Two walks. */
#include "ir/opt.h"

#include <stdlib.h>

enum { MOST_VALUES = 48, STARTS = 1, ELSEWHERE = 2 };

typedef struct mover {
    ir_func *f;
    uint16_t *level; /* by value: number of loops around its definition */
    ir_value *loops; /* the open loops; index 0 is not used */
    uint32_t *moved; /* by open loop: number of operations moved before it */
    uint32_t *ifs;   /* by open loop: open ifs inside it, outside the next loop */
    uint8_t *again;  /* by loop: whether it has a continue */
    uint8_t *used;   /* by value: whether STARTS, ELSEWHERE; NULL: no loop is in another */
    uint32_t open;
    bool changed;
} mover;

static uint32_t needed_level(const mover *m, ir_value v) {
    uint32_t level = 0;
    for (unsigned k = 0; k < ir_at(m->f, v)->arg_count; k++) {
        uint16_t of = m->level[ir_arg(m->f, v, k)];
        level = of > level ? of : level;
    }
    if (!ir_has(m->f, v, IR_COSTLY | IR_SLOW))
        return level;
    /* not out of a loop in which some iterations may not reach it */
    uint32_t reached = m->open;
    while (reached > level && m->ifs[reached] == 0)
        reached--;
    return reached;
}

static void visit(mover *m, ir_value v) {
    m->level[v] = (uint16_t)m->open;
    if (m->open == 0 || !ir_has(m->f, v, IR_PURE) || ir_has(m->f, v, IR_UNIQUE | IR_WAVE))
        return;
    if (m->used && m->used[v] == STARTS && !ir_has(m->f, v, IR_COSTLY | IR_SLOW))
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
        bool loop = owner && m->again[owner];
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

/* Finds the loops with a continue, and their deepest nesting. */
static uint32_t find_loops(const ir_func *f, uint8_t *again) {
    uint32_t depth = 0, deepest = 0;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value owner = f->regions[w.region].owner;
        if (e == IR_AT_OP && ir_op_of(f, w.op) == IR_CONTINUE)
            again[ir_loop_around(f, w.region)] = 1;
        if (e == IR_AT_OP || !owner || ir_op_of(f, owner) != IR_LOOP)
            continue;
        depth += e == IR_ENTER_REGION ? 1u : UINT32_MAX;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static void find_uses(mover *m) {
    const ir_func *f = m->f;
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v))
        for (unsigned k = 0; k < ir_at(f, v)->arg_count; k++)
            m->used[ir_arg(f, v, k)] |= ir_op_of(f, v) == IR_LOOP ? STARTS : ELSEWHERE;
}

static void run(mover *m) {
    uint32_t deepest = find_loops(m->f, m->again);
    if (deepest == 0 || deepest > UINT16_MAX)
        return;
    m->loops = calloc((size_t)deepest + 1, sizeof *m->loops);
    m->moved = calloc((size_t)deepest + 1, sizeof *m->moved);
    m->ifs = calloc((size_t)deepest + 1, sizeof *m->ifs);
    m->used = deepest > 1 ? calloc(m->f->node_count, sizeof *m->used) : NULL;
    if (!m->loops || !m->moved || !m->ifs || (deepest > 1 && !m->used)) {
        m->f->failed = true;
        return;
    }
    if (m->used)
        find_uses(m);
    walk(m);
}

bool ir_opt_invariant(ir_func *f) {
    mover m = {.f = f};
    if (!ir_made(f, IR_LOOP))
        return false;
    m.level = calloc(f->node_count, sizeof *m.level);
    m.again = calloc(f->node_count, sizeof *m.again);
    if (m.level && m.again)
        run(&m);
    else
        f->failed = true;
    free(m.level);
    free(m.again);
    free(m.used);
    free(m.loops);
    free(m.moved);
    free(m.ifs);
    return m.changed;
}
