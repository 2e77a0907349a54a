/* Control structure: ifs and loops become labels and branches, merged values become moves.
 *
 *   if %c { A } else { B }        @!%p0 bra $if_1_else; A bra $if_1_end; $if_1_else: B $if_1_end:
 *   if %c { A } else { }          @!%p0 bra $if_1_end; A $if_1_end:
 *   if %c { break } else { B }    @%p0 bra $loop_2_end; B
 *   loop { … }                    $loop_2: … bra $loop_2; $loop_2_end:
 *
 * A label is printed only if something jumps to it. */
#include "emit_ptx/ptx.h"
#include "ir/names.h"

enum { HAS_CONTINUE = 1, NEEDS_END = 2, NEEDS_ELSE = 4 };

/* What a side of an if amounts to. */
typedef enum side { SIDE_EMPTY, SIDE_JUMP, SIDE_CODE } side;

static ir_region first_region(const ptx *p, ir_value op) {
    return ir_at(p->f, op)->regions[0];
}

static const char *kind_of(const ptx *p, ir_value op) {
    return ir_op_of(p->f, op) == IR_LOOP ? "loop" : "if";
}

static void target(ptx *p, ir_value op, const char *suffix) {
    ptx_target(p, kind_of(p, op), p->label[first_region(p, op)], suffix);
}

static void jump(ptx *p, ir_value op, const char *suffix) {
    ptx_jump(p, 0, false, kind_of(p, op), p->label[first_region(p, op)], suffix);
}

static void branch(ptx *p, ir_value condition, bool negated, ir_value op, const char *suffix) {
    bool flipped;
    ptx_reg c = ptx_condition(p, condition, &flipped).reg;
    ptx_jump(p, c, negated != flipped, kind_of(p, op), p->label[first_region(p, op)], suffix);
}

/* ---- Copies ---- */

static void put_copies(ptx *p, ir_value op) {
    const mat_copy *list;
    size_t count = mat_copies(&p->m, op, &list);
    ptx_operand scratch = {0};
    for (size_t k = 0; k < count; k++) {
        ir_type type = ir_type_of(p->f, list[k].to ? list[k].to : list[k].from);
        uint64_t bits;
        if (!list[k].to)
            scratch = ptx_new_for(p, type);
        ptx_operand to = list[k].to ? ptx_dest(p, list[k].to) : scratch, from = scratch;
        if (list[k].from && ir_is_const(p->f, list[k].from, &bits))
            from = ptx_imm(type, bits);
        else if (list[k].from)
            from = ptx_use(p, list[k].from);
        ptx_move(p, type, to, from);
    }
}

/* ---- Terminators ---- */

/* The loop that a break or continue refers to. */
static ir_value loop_of(const ptx *p, ir_value end) {
    return p->m.loop[ir_at(p->f, end)->region];
}

static void put_end(ptx *p, ir_value v) {
    ir_region region = ir_at(p->f, v)->region;
    ir_value loop;
    if (ir_at(p->f, v)->op != IR_HALT && ir_at(p->f, v)->op != IR_RETURN)
        put_copies(p, v);
    switch (ir_op_of(p->f, v)) {
    case IR_YIELD: return; /* the end of the side */
    case IR_BREAK:
        loop = loop_of(p, v);
        if (p->f->regions[region].owner == loop)
            return; /* the loop's last line: its end follows */
        p->flags[first_region(p, loop)] |= NEEDS_END;
        jump(p, loop, "_end");
        break;
    case IR_CONTINUE: jump(p, loop_of(p, v), ""); break;
    case IR_RETURN: ptx_return(p, v); break;
    default: ptx_put_line(p, "ret", NULL); break;
    }
    p->dead = true;
}

/* ---- if ---- */

static side classify(const ptx *p, ir_region r) {
    ir_value v = p->f->regions[r].first;
    while (!ir_has(p->f, v, IR_ENDS)) {
        bool printed = p->m.kind[v] == MAT_TEMPORARY || ir_has(p->f, v, IR_REGIONS | IR_WRITES) ||
                       ir_op_of(p->f, v) == IR_LOADS;
        if (printed)
            return SIDE_CODE;
        v = ir_at(p->f, v)->next;
    }
    if (ir_op_of(p->f, v) == IR_HALT)
        return SIDE_JUMP;
    if (!mat_no_copies(&p->m, v))
        return SIDE_CODE;
    return ir_op_of(p->f, v) == IR_YIELD ? SIDE_EMPTY : SIDE_JUMP;
}

/* A side that only jumps, as one predicated line. */
static void put_side_jump(ptx *p, ir_value condition, bool negated, ir_value end) {
    ir_value loop;
    bool flipped;
    switch (ir_op_of(p->f, end)) {
    case IR_BREAK:
        loop = loop_of(p, end);
        p->flags[first_region(p, loop)] |= NEEDS_END;
        branch(p, condition, negated, loop, "_end");
        break;
    case IR_CONTINUE: branch(p, condition, negated, loop_of(p, end), ""); break;
    default: {
        ptx_operand c = ptx_condition(p, condition, &flipped);
        ptx_line(p, negated != flipped ? "@!$ ret" : "@$ ret", c);
        break;
    }
    }
}

static void open_if(ptx *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    ir_value condition = ir_arg(p->f, v, 0);
    side sides[2] = {classify(p, n->regions[0]), classify(p, n->regions[1])};
    p->label[first_region(p, v)] = ++p->labels;
    for (unsigned k = 0; k < 2; k++)
        p->skip[n->regions[k]] = sides[k] != SIDE_CODE;
    if (sides[0] == SIDE_JUMP || sides[1] == SIDE_JUMP) {
        unsigned first = sides[0] != SIDE_JUMP;
        put_side_jump(p, condition, first == 1, p->f->regions[n->regions[first]].last);
        if (sides[!first] == SIDE_JUMP) { /* both jump: print the second as code */
            p->skip[n->regions[!first]] = 0;
        }
        return;
    }
    if (sides[0] == SIDE_EMPTY && sides[1] == SIDE_EMPTY)
        return;
    if (sides[0] == SIDE_CODE && sides[1] == SIDE_CODE) {
        p->flags[first_region(p, v)] |= NEEDS_ELSE;
        branch(p, condition, true, v, "_else");
        return;
    }
    p->flags[first_region(p, v)] |= NEEDS_END;
    branch(p, condition, sides[0] == SIDE_CODE, v, "_end");
}

static void between_sides(ptx *p, ir_value v) {
    if (!(p->flags[first_region(p, v)] & NEEDS_ELSE))
        return;
    if (!p->dead) {
        p->flags[first_region(p, v)] |= NEEDS_END;
        jump(p, v, "_end");
    }
    target(p, v, "_else");
}

static void close_if(ptx *p, ir_value v) {
    if (p->flags[first_region(p, v)] & NEEDS_END)
        target(p, v, "_end");
}

/* ---- loop ---- */

static void open_loop(ptx *p, ir_value v) {
    put_copies(p, v);
    p->label[first_region(p, v)] = ++p->labels;
    if (p->flags[first_region(p, v)] & HAS_CONTINUE)
        target(p, v, "");
}

static void close_loop(ptx *p, ir_value v) {
    if (!(p->flags[first_region(p, v)] & NEEDS_END))
        return;
    target(p, v, "_end");
    ptx_read_again(p, v);
}

void ptx_note_continue(ptx *p, ir_value v) {
    p->flags[first_region(p, loop_of(p, v))] |= HAS_CONTINUE;
}

/* ---- The walk ---- */

/* With -g: the instruction that the next lines come from. */
static void put_origin(ptx *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    if (!p->o->debug || !p->o->instruction || n->pc == p->pc || ir_has(p->f, v, IR_ENDS))
        return;
    p->pc = n->pc;
    emit_line line = {0};
    ptx_blank(p);
    size_t before = p->out->size;
    buf_text(p->out, "    // ");
    size_t start = p->out->size;
    p->o->instruction(p->o->instruction_context, n->pc, p->out, &line);
    if (p->out->size > start) {
        buf_char(p->out, '\n');
        p->blank = false;
    } else {
        p->out->size = before; /* no instruction text is known */
    }
    if (line.line && emit_file(p->o, line.file))
        buf_printf(p->out, "    .loc %u %u %u\n", line.file, line.line, line.column);
}

static void reject(ptx *p, ir_value v) {
    emit_report_unlowered(p->f, v, p->diags);
    p->rejected = true;
}

/* Appends " // i" to the last line of a value that the source calls i. */
static void put_name(ptx *p, ir_value v, size_t start) {
    uint16_t name = ir_name_of(p->f, v);
    const char *text = name && name <= p->o->registers.count ? p->o->registers.at[name].name : NULL;
    if (!text || p->m.kind[v] != MAT_TEMPORARY || p->out->failed || p->out->size <= start)
        return;
    p->out->size--; /* overwrite the newline */
    buf_text(p->out, " // ");
    buf_text(p->out, text);
    buf_char(p->out, '\n');
}

static void put_op(ptx *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    bool effect = n->type == IR_VOID || ir_has(p->f, v, IR_WRITES);
    if (!effect && p->m.kind[v] != MAT_TEMPORARY)
        return;
    if (n->op == IR_RESULT || n->op == IR_PARAM || n->op == IR_NEW_TOKEN)
        return;
    put_origin(p, v);
    size_t start = p->out->size;
    if (n->op == IR_IF)
        open_if(p, v);
    else if (n->op == IR_LOOP)
        open_loop(p, v);
    else if (n->op == IR_FUNCTION)
        ptx_open_function(p);
    else if (ir_has(p->f, v, IR_ENDS))
        put_end(p, v);
    else if (!(ir_has(p->f, v, IR_READS | IR_WRITES)
                   ? ptx_memory(p, v) || ptx_wave(p, v)
                   : ptx_value(p, v) || ptx_wave(p, v) || ptx_memory(p, v)) &&
             !ptx_tile(p, v) && !ptx_function_value(p, v))
        reject(p, v);
    if (p->f->names)
        put_name(p, v, start);
}

static void leave(ptx *p, ir_region r) {
    ir_value owner = p->f->regions[r].owner;
    p->open[r] = 0;
    p->region = owner ? ir_at(p->f, owner)->region : 0;
    if (!owner)
        return;
    const ir_node *n = ir_at(p->f, owner);
    bool first = n->op == IR_IF && n->regions[0] == r;
    if (n->op == IR_FUNCTION) {
        ptx_close_function(p, owner);
    } else if (owner == p->unreached) {
        if (!first)
            p->unreached = 0;
    } else if (p->unreached) {
        return;
    } else if (first) {
        between_sides(p, owner);
    } else if (n->op == IR_IF) {
        close_if(p, owner);
    } else {
        close_loop(p, owner);
    }
}

void ptx_code(ptx *p) {
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_read(&w)) != IR_AT_END && !p->rejected;) {
        if (e == IR_ENTER_REGION) {
            p->open[w.region] = 1;
            p->region = w.region;
        } else if (e == IR_LEAVE_REGION) {
            leave(p, w.region);
        } else if (p->unreached) {
            continue;
        } else if (p->dead) {
            if (ir_has(p->f, w.op, IR_REGIONS))
                p->unreached = w.op;
        } else if (!p->skip[w.region]) {
            put_op(p, w.op);
        }
    }
}
