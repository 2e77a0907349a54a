/* Makes the continue the last operation of a loop that ends with a break. clang tests the exit at
 * the end of a loop and produces this form; passes that count iterations handle only the other.
 *
 *   loop %a {                                       loop %a {
 *     …                                               …
 *     if %c { A continue %x } else { B yield }  →     if %c { yield } else { B C break %y }
 *     C                                               A
 *     break %y                                        continue %x
 *   }                                               }
 *
 * The same lanes execute each part as before, but A now follows B and C: A, or both B and C, must
 * have no effect. A and C contain no if or loop, so nothing nests deeper, and no wave operation.
 * Each operation moves once. */
#include "ir/opt.h"
#include "ir/rewrite.h"

/* A part of a region, from `first` to its terminator. */
typedef struct part {
    ir_value first, end;
} part;

static part part_of(const ir_func *f, ir_region r) {
    return (part){f->regions[r].first, f->regions[r].last};
}

static bool has(const ir_func *f, part p, unsigned flags) {
    ir_value v = p.first;
    while (v != p.end && !ir_has(f, v, flags))
        v = ir_at(f, v)->next;
    return v != p.end;
}

/* The if with one side that continues while the other reaches the break; 0: none. */
static ir_value find_if(const ir_func *f, ir_value end) {
    ir_value v = ir_at(f, end)->prev;
    while (v && !ir_has(f, v, IR_REGIONS | IR_WAVE))
        v = ir_at(f, v)->prev;
    return v && ir_op_of(f, v) == IR_IF ? v : 0;
}

/* The results of the if are what its only yielding side yields; returns the operation after
 * them. */
static ir_value take_results(ir_func *f, ir_value op, ir_value yield) {
    for (ir_value r = ir_first_result(f, op), next; r; r = next) {
        next = ir_next_result(f, r);
        ir_give_name(f, ir_arg(f, yield, (unsigned)ir_at(f, r)->imm), ir_name_of(f, r));
        ir_remove(f, r);
    }
    ir_value first = ir_at(f, op)->next;
    for (ir_value v = first; v; v = ir_at(f, v)->next) {
        ir_value *args = ir_args(f, v);
        for (unsigned k = 0; k < ir_at(f, v)->arg_count; k++)
            if (ir_op_of(f, args[k]) == IR_RESULT && ir_arg(f, args[k], 0) == op)
                args[k] = ir_arg(f, yield, (unsigned)ir_at(f, args[k])->imm);
    }
    return first;
}

static void append_part(ir_func *f, ir_region to, part p) {
    for (ir_value v = p.first, next; v; v = next) {
        next = ir_at(f, v)->next;
        ir_remove(f, v);
        ir_append(f, to, v);
    }
}

/* The end of the loop, with the letters of the comment above. */
typedef struct ends {
    ir_value op;             /* the if */
    ir_region again, leaves; /* its sides */
    part a, b, c;
} ends;

static bool find_ends(const ir_func *f, ir_region body, ends *e) {
    ir_value end = f->regions[body].last;
    e->op = ir_op_of(f, end) == IR_BREAK ? find_if(f, end) : 0;
    if (!e->op)
        return false;
    const ir_region *sides = ir_at(f, e->op)->regions;
    unsigned side = ir_op_of(f, f->regions[sides[1]].last) == IR_CONTINUE;
    e->again = sides[side];
    e->leaves = sides[!side];
    e->a = part_of(f, e->again);
    e->b = part_of(f, e->leaves);
    e->c = (part){ir_at(f, e->op)->next, end};
    if (ir_op_of(f, e->a.end) != IR_CONTINUE || ir_op_of(f, e->b.end) != IR_YIELD ||
        has(f, e->a, IR_REGIONS | IR_WAVE))
        return false;
    unsigned effects = IR_READS | IR_WRITES;
    return !has(f, e->a, effects) ||
           (!has(f, e->b, effects | IR_REGIONS) && !has(f, e->c, effects));
}

static void turn(ir_func *f, ir_region body, const ends *e) {
    ir_value yield = e->b.end;
    part c = {take_results(f, e->op, yield), e->c.end};
    ir_remove(f, yield);
    append_part(f, e->leaves, c);
    append_part(f, body, e->a);
    ir_set_args(f, yield, NULL, 0);
    ir_append(f, e->again, yield);
}

bool ir_opt_ends(ir_func *f) {
    bool changed = false;
    ir_walk w;
    if (!ir_made(f, IR_LOOP))
        return false;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value owner = f->regions[w.region].owner;
        ends found;
        if (e != IR_LEAVE_REGION || !owner || ir_op_of(f, owner) != IR_LOOP ||
            !find_ends(f, w.region, &found))
            continue;
        turn(f, w.region, &found);
        changed = true;
    }
    return changed;
}
