/* Ifs and loops become if, else, endif, loop, break, continue, endloop.
 *
 *   if %c { A yield } else { B yield }       if p … else … endif
 *   if %c { A } else { }, A small            the instructions of A guarded by @p
 *   if %c { A break } else { B }             if p … break p endif, then B unconditionally: the
 *                                            remaining lanes are those of the else side
 *   if %c { break } else { B }               break p, then B unconditionally
 *   if (bnot %c) { assert; halt }            assert p
 *
 * wb_prepare has put first the side that leaves, or the only one that does something. Lanes are
 * together wherever the IR's regions say so, because a guard selects the same lanes as the side.
 * The walk keeps a stack of open ifs and loops instead of recursing. */
#include "emit_wbin/code.h"

#include "ir/rewrite.h"

#include <stdlib.h>

typedef enum form {
    FORM_IF,      /* both sides yield: if, else, endif */
    FORM_GUARDED, /* no control flow */
    FORM_LEAVES,  /* the first side does not yield; the second one is unconditional */
    FORM_ASSERT,
    FORM_LOOP
} form;

typedef struct frame {
    form form;
    bool guarded; /* FORM_LEAVES: the first side is guarded */
    bool second;  /* in the second side */
    ir_value op;
    wb_ref condition;
    uint32_t first_init; /* where its results start in walker.inits */
} frame;

typedef struct walker {
    wb_code *c;
    frame *frames;
    uint32_t count, capacity;
    wb_ref *inits; /* by result of open ifs: the register of the second side's constant, or 0 */
    uint32_t init_count, init_capacity;
    ir_region dead; /* the rest of this region is unreachable or already handled */
} walker;

/* ---- Queries ---- */

static bool yields(const wb_code *c, ir_value op, unsigned side) {
    return ir_op_of(c->f, wb_end_of(c, op, side)) == IR_YIELD;
}

static form form_of(const wb_code *c, ir_value op) {
    if (yields(c, op, 0))
        return wb_fits_guards(c, op) ? FORM_GUARDED : FORM_IF;
    return wb_is_assert(c, op) ? FORM_ASSERT : FORM_LEAVES;
}

/* ---- Frames ---- */

static frame *push(walker *w, form kind, ir_value op) {
    w->frames = wb_grow(w->c, w->frames, w->count, &w->capacity, sizeof *w->frames);
    if (w->c->failed)
        return NULL;
    w->frames[w->count] = (frame){.form = kind, .op = op};
    return &w->frames[w->count++];
}

static frame *top(const walker *w) {
    return &w->frames[w->count - 1];
}

/* ---- Moves on edges ---- */

/* Defines the registers of the results before anything is moved there. */
static void define_results(wb_code *c, ir_value op) {
    for (ir_value r = ir_first_result(c->f, op); r; r = ir_next_result(c->f, r))
        wb_define(c, r);
}

/* The live ranges of an if's or loop's results begin at its end. */
static void end_with_results(wb_code *c, unsigned isa, ir_value op) {
    wb_insn *insn = wb_add(c, isa);
    for (ir_value r = ir_first_result(c->f, op); r; r = ir_next_result(c->f, r))
        if (c->of[r])
            wb_add_move(c, insn, c->of[r], 0);
}

/* Moves the values of a yield, break or continue to the registers from `to` on: results or
 * parameters. `inits`, if not NULL, holds the registers of constants that are already there. */
static void move_out(wb_code *c, ir_value end, ir_value to, wb_ref guard, const wb_ref *inits) {
    unsigned count = ir_at(c->f, end)->arg_count;
    wb_insn *insn = wb_add(c, WB_MOVES);
    insn->flags = WB_EDGE;
    insn->guard = guard;
    for (unsigned k = 0; k < count; k++, to = ir_at(c->f, to)->next) {
        if (!c->of[to]) /* an alias */
            continue;
        wb_ref from = ir_type_of(c->f, to) == IR_TILE ? wb_tile(c, ir_arg(c->f, end, k))
                                                      : wb_source(c, ir_arg(c->f, end, k));
        if (inits && inits[k])
            from = inits[k];
        for (unsigned word = 0; word < wb_width(ir_type_of(c->f, to)); word++)
            wb_add_move(c, insn, wb_part(c->of[to], word), wb_part(from, word));
        /* Parameters that only rotate are better in separate registers. */
        bool rotates =
            ir_op_of(c->f, to) == IR_PARAM && ir_op_of(c->f, ir_arg(c->f, end, k)) == IR_PARAM;
        if (!rotates)
            wb_like(c, c->of[to], from);
    }
    if (!insn->move_count)
        c->insn_count--;
}

/* ---- Loops ---- */

/* Whether a loop's parameter frees its register for the next value before the end of the loop: no
 * continue passes it to another parameter. */
static bool makes_room(const wb_code *c, ir_value loop, ir_value v) {
    if (ir_op_of(c->f, v) != IR_PARAM || c->f->regions[ir_at(c->f, v)->region].owner != loop)
        return false;
    for (uint32_t k = c->uses.first[v]; k < c->uses.first[v + 1]; k++) {
        ir_value user = c->uses.users[k];
        for (unsigned i = 0;
             ir_op_of(c->f, user) == IR_CONTINUE && i < ir_at(c->f, user)->arg_count; i++)
            if (ir_arg(c->f, user, i) == v && i != ir_at(c->f, v)->imm)
                return false;
    }
    return true;
}

/* The value that all breaks pass as a result of the loop, or 0. */
static ir_value left_with(const wb_code *c, ir_value loop, ir_value result) {
    unsigned k = (unsigned)ir_at(c->f, result)->imm;
    ir_value same = 0;
    for (ir_value t = ir_first_end(c->f, &c->ends, loop); t; t = ir_next_end(c->f, &c->ends, t)) {
        if (ir_op_of(c->f, t) != IR_BREAK)
            continue;
        if (same && same != ir_arg(c->f, t, k))
            return 0;
        same = ir_arg(c->f, t, k);
    }
    return wb_kind_of(ir_type_of(c->f, result)) != WB_GENERAL || !same || makes_room(c, loop, same)
               ? 0
               : same;
}

/* Such a result is an alias of the value, which a lane that has left keeps. The others need
 * registers that breaks can write. */
static void define_loop_results(wb_code *c, ir_value loop) {
    for (ir_value r = ir_first_result(c->f, loop); r; r = ir_next_result(c->f, r))
        if (!left_with(c, loop, r))
            wb_define(c, r);
}

static void name_result(wb_code *c, ir_value r, ir_value v) {
    bool tile = ir_type_of(c->f, r) == IR_TILE;
    if (tile || !ir_has(c->f, v, IR_LEAF)) {
        c->of[r] = tile ? wb_tile(c, v) : c->of[v];
        return;
    }
    wb_ref from = wb_source(c, v), to = wb_define(c, r);
    wb_insn *insn = wb_add(c, WB_MOVES);
    for (unsigned word = 0; word < wb_width(ir_type_of(c->f, r)); word++)
        wb_add_move(c, insn, wb_part(to, word), wb_part(from, word));
}

static void name_loop_results(wb_code *c, ir_value loop) {
    for (ir_value r = ir_first_result(c->f, loop); r; r = ir_next_result(c->f, r))
        if (!c->of[r] && left_with(c, loop, r))
            name_result(c, r, left_with(c, loop, r));
}

static void open_loop(walker *w, ir_value op) {
    wb_code *c = w->c;
    ir_value param = wb_start_of(c, op, 0);
    define_loop_results(c, op);
    for (unsigned k = 0; k < ir_at(c->f, op)->arg_count; k++, param = ir_at(c->f, param)->next)
        wb_define(c, param);
    wb_insn *insn = wb_add(c, ISA_LOOP);
    insn->imm = op;
    param = wb_start_of(c, op, 0);
    for (unsigned k = 0; k < ir_at(c->f, op)->arg_count; k++, param = ir_at(c->f, param)->next) {
        ir_value init = ir_arg(c->f, op, k);
        bool tile = ir_type_of(c->f, param) == IR_TILE;
        wb_ref from = tile ? wb_tile(c, init) : wb_source(c, init);
        if (tile && ir_op_of(c->f, init) == IR_CONST && c->loops[ir_at(c->f, op)->region])
            c->no_tiles = true;
        for (unsigned word = 0; word < wb_width(ir_type_of(c->f, param)); word++)
            wb_add_move(c, insn, wb_part(c->of[param], word), wb_part(from, word));
        wb_like(c, c->of[param], from);
    }
    push(w, FORM_LOOP, op);
}

/* ---- Ends of regions ---- */

/* Whether the region's end is the end of the loop's body, so that there is nothing to jump over. */
static bool at_loop_end(const walker *w) {
    for (uint32_t k = w->count; k-- > 0;) {
        const frame *fr = &w->frames[k];
        if (fr->form == FORM_LOOP)
            return true;
        if (!fr->second || (fr->form != FORM_LEAVES && fr->form != FORM_ASSERT))
            return false;
    }
    return false;
}

/* break or continue for the active lanes. */
static void leave_loop(walker *w, unsigned isa, ir_value end, ir_value to) {
    wb_code *c = w->c;
    const frame *fr = top(w);
    bool first = fr->form == FORM_LEAVES && !fr->second;
    bool plain = first && (!wb_negated(fr->condition) || c->settings->extensions);
    wb_ref all = 0; /* a predicate that is true; if there is none, p0 is set to true */
    if (!plain && c->four) {
        all = wb_reg(wb_new_vreg(c, WB_PREDICATE, 1));
        c->truth = true;
        wb_insn *set = wb_add(c, WB_PSET);
        set->dst = all;
        set->imm = 1;
    }
    move_out(c, end, to, c->guard, NULL);
    wb_insn *insn = wb_add(c, isa);
    /* True in all active lanes, or in those that leave. */
    insn->src[0] = plain ? fr->condition : all;
    insn->guard = plain ? 0 : c->guard;
}

static void end_loop_region(walker *w, ir_value end) {
    wb_code *c = w->c;
    ir_value loop = ir_loop_around(c->f, ir_at(c->f, end)->region);
    if (ir_op_of(c->f, end) == IR_BREAK)
        leave_loop(w, ISA_BREAK, end, ir_first_result(c->f, loop));
    else if (at_loop_end(w))
        move_out(c, end, wb_start_of(c, loop, 0), c->guard, NULL);
    else
        leave_loop(w, ISA_CONTINUE, end, wb_start_of(c, loop, 0));
}

/* If only one side yields, each result is an alias of that side's value. */
static void name_results(wb_code *c, ir_value op, ir_value end) {
    for (ir_value r = ir_first_result(c->f, op); r; r = ir_next_result(c->f, r)) {
        name_result(c, r, ir_arg(c->f, end, (unsigned)ir_at(c->f, r)->imm));
    }
}

static void end_region(walker *w, ir_value end) {
    wb_code *c = w->c;
    wb_insn *insn;
    c->pc = ir_at(c->f, end)->pc;
    switch (ir_op_of(c->f, end)) {
    case IR_YIELD:
        if (top(w)->form == FORM_IF)
            move_out(c, end, ir_first_result(c->f, top(w)->op), 0,
                     top(w)->second && w->inits ? w->inits + top(w)->first_init : NULL);
        else if (top(w)->form != FORM_GUARDED)
            name_results(c, top(w)->op, end);
        break;
    case IR_HALT:
        insn = wb_add(c, ISA_HALT);
        insn->guard = c->guard;
        break;
    default: end_loop_region(w, end); break;
    }
}

/* ---- Ifs ---- */

static void add_if(wb_code *c, wb_ref condition) {
    bool inverted = wb_negated(condition) && !c->settings->extensions;
    wb_insn *insn = wb_add(c, ISA_IF);
    insn->src[0] = inverted ? wb_negate(condition) : condition;
    if (inverted)
        wb_add(c, ISA_ELSE);
}

static void select_assert(walker *w, ir_value op) {
    wb_code *c = w->c;
    ir_value v = wb_end_of(c, op, 0);
    wb_ref failed = wb_condition(c, ir_arg(c->f, op, 0));
    wb_ref holds = wb_negate(failed);
    if (wb_negated(holds)) {
        wb_ref p = wb_reg(wb_new_vreg(c, WB_PREDICATE, 1));
        wb_insn *insn = wb_add(c, WB_PMOVE);
        insn->dst = p;
        insn->src[0] = holds;
        holds = p;
    }
    wb_insn *insn = wb_add(c, ISA_ASSERT);
    insn->src[0] = holds;
    insn->imm = (uint32_t)ir_at(c->f, ir_at(c->f, v)->prev)->imm;
}

static bool needs_else(const wb_code *c, ir_value op) {
    ir_value end = wb_end_of(c, op, 1);
    return wb_start_of(c, op, 1) != end || ir_at(c->f, end)->arg_count;
}

/* Constants that an empty second side yields are made before the if. They usually end up in the
 * result's register, and no else is needed. */
static void make_inits(walker *w, ir_value op) {
    wb_code *c = w->c;
    ir_value end = wb_end_of(c, op, 1);
    bool idle = wb_start_of(c, op, 1) == end;
    top(w)->first_init = w->init_count;
    for (unsigned k = 0; k < ir_at(c->f, end)->arg_count; k++) {
        ir_value v = ir_arg(c->f, end, k);
        ir_type type = ir_type_of(c->f, v);
        bool constant = idle && ir_has(c->f, v, IR_LEAF) && ir_op_of(c->f, v) != IR_ARG &&
                        type != IR_BOOL && type != IR_TILE;
        w->inits = wb_grow(c, w->inits, w->init_count, &w->init_capacity, sizeof *w->inits);
        if (c->failed)
            return;
        w->inits[w->init_count++] = constant ? wb_make_leaf(c, v) : 0;
    }
}

/* The results of a guarded if are written by the instructions of its sides: see select_direct. */
static void open_if(walker *w, ir_value op) {
    wb_code *c = w->c;
    form kind = form_of(c, op);
    wb_ref condition = 0;
    if (kind == FORM_ASSERT)
        select_assert(w, op);
    else
        condition = wb_condition(c, ir_arg(c->f, op, 0));
    frame *fr = push(w, kind, op);
    if (!fr)
        return;
    fr->condition = condition;
    fr->guarded = kind == FORM_LEAVES && wb_leaves_guarded(c, op);
    /* Without extensions `if` cannot negate its predicate: its else would have to come first. */
    if (kind == FORM_IF && wb_negated(condition) && !c->settings->extensions && needs_else(c, op))
        fr->condition = condition = wb_operand(c, ir_arg(c->f, op, 0));
    if (kind == FORM_IF) {
        define_results(c, op);
        make_inits(w, op);
    }
    if (kind == FORM_IF || (kind == FORM_LEAVES && !fr->guarded))
        add_if(c, condition);
}

static void enter_side(walker *w, ir_region region) {
    wb_code *c = w->c;
    frame *fr = top(w);
    fr->second = ir_at(c->f, fr->op)->regions[1] == region;
    if (fr->form == FORM_GUARDED)
        c->guard = fr->second ? wb_negate(fr->condition) : fr->condition;
    else if (fr->form == FORM_LEAVES && fr->guarded && !fr->second)
        c->guard = fr->condition;
    else if (fr->form == FORM_ASSERT && !fr->second)
        w->dead = region;
}

/* Precedes the second side of an if: an else, if that side does something. */
static void leave_first(walker *w) {
    wb_code *c = w->c;
    const frame *fr = top(w);
    c->guard = 0;
    if (fr->form == FORM_LEAVES && !fr->guarded)
        wb_add(c, ISA_ENDIF);
    if (fr->form == FORM_IF && needs_else(c, fr->op))
        wb_add(c, ISA_ELSE);
}

/* `dead`: no lane reaches the side's end. */
static void leave_side(walker *w, bool dead) {
    wb_code *c = w->c;
    const frame *fr = top(w);
    if (!fr->second) {
        leave_first(w);
        return;
    }
    c->guard = 0;
    if (fr->form == FORM_IF) {
        end_with_results(c, ISA_ENDIF, fr->op);
        w->init_count = fr->first_init;
    } else if (fr->form != FORM_GUARDED && (dead || !yields(c, fr->op, 1))) {
        w->dead = ir_at(c->f, fr->op)->region; /* no lane is left */
    }
    w->count--;
}

static void leave_region(walker *w, ir_region region) {
    wb_code *c = w->c;
    ir_value owner = c->f->regions[region].owner;
    bool dead = w->dead == region;
    if (dead)
        w->dead = 0;
    if (!owner || !w->count)
        return;
    if (ir_op_of(c->f, owner) == IR_IF) {
        leave_side(w, dead);
    } else {
        end_with_results(c, ISA_ENDLOOP, owner);
        name_loop_results(c, owner);
        w->count--;
    }
}

/* ---- Operations ---- */

/* In a guarded if: selects an operation that writes a result in place. */
static bool select_direct(walker *w, ir_value v) {
    wb_code *c = w->c;
    const frame *fr = w->count ? top(w) : NULL;
    if (!fr || fr->form != FORM_GUARDED || c->how[v] != WB_OWN)
        return false;
    ir_value end = wb_end_of(c, fr->op, fr->second), other = wb_end_of(c, fr->op, !fr->second);
    if (wb_only_user(c, v) != end)
        return false;
    for (unsigned k = 0; k < ir_at(c->f, end)->arg_count; k++)
        if (ir_arg(c->f, end, k) == v) {
            ir_value r = ir_first_result(c->f, fr->op);
            while (ir_at(c->f, r)->imm != k)
                r = ir_next_result(c->f, r);
            c->pc = ir_at(c->f, v)->pc;
            wb_ref tied = ir_type_of(c->f, r) == IR_TILE ? wb_tile(c, ir_arg(c->f, other, k))
                                                         : wb_source(c, ir_arg(c->f, other, k));
            wb_select_into(c, v, wb_define(c, r), c->guard, tied);
            return true;
        }
    return false;
}

static void select_any(walker *w, ir_value v) {
    wb_code *c = w->c;
    wb_select_leaves(c, v);
    switch (ir_op_of(c->f, v)) {
    case IR_IF:
        c->pc = ir_at(c->f, v)->pc;
        open_if(w, v);
        break;
    case IR_LOOP:
        c->pc = ir_at(c->f, v)->pc;
        open_loop(w, v);
        break;
    case IR_YIELD:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_HALT: end_region(w, v); break;
    default:
        if (!select_direct(w, v))
            wb_select_op(c, v);
        break;
    }
}

static void define_arguments(wb_code *c) {
    wb_insn *insn = wb_add(c, WB_ARGUMENTS);
    for (ir_value v = 1; v < c->f->node_count; v++) {
        if (ir_op_of(c->f, v) != IR_ARG || !wb_is_used(c, v))
            continue;
        wb_ref r = wb_define(c, v);
        if (c->failed)
            return;
        wb_at(c, r)->reg = (uint8_t)ir_at(c->f, v)->imm;
        wb_at(c, r)->flags |= WB_FIXED;
        wb_add_move(c, insn, r, 0);
    }
}

bool wb_select_code(wb_code *c) {
    walker w = {.c = c};
    ir_walk walk;
    wb_new_vreg(c, WB_GENERAL, 1); /* number 0, unused */
    define_arguments(c);
    ir_walk_init(&walk, c->f);
    for (ir_event e; (e = ir_walk_next(&walk)) != IR_AT_END && !c->failed;) {
        if (w.dead && !(e == IR_LEAVE_REGION && walk.region == w.dead))
            continue;
        if (e == IR_AT_OP)
            select_any(&w, walk.op);
        else if (e == IR_LEAVE_REGION)
            leave_region(&w, walk.region);
        else if (w.count && top(&w)->form != FORM_LOOP)
            enter_side(&w, walk.region);
    }
    free(w.frames);
    free(w.inits);
    return !c->failed;
}
