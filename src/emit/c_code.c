/* Control structure: ifs and loops, values that merge, and separate functions for deep nesting.
 *
 *   if %c { A } else { }            if (c) {        A        }
 *   if %c { break } else { B }      if (c) break;   B
 *   loop { if %c { break } … }      while (!c) {    …        }
 *
 * Compilers accept about 256 nested blocks. A kernel that nests deeper is printed as several
 * functions that share a structure of all variables. Each function tells its caller how it was
 * left: at its end, by break or continue of the caller's loop, or by the end of the kernel. */
#include "emit/c_printer.h"

#include <stdlib.h>

enum { THEN_JUMPS = 1, ELSE_JUMPS = 2, THEN_DEAD = 4, BRACES = 8, HAS_ELSE = 16, LEFT = 32 };
enum { MOST_INDENT = 16, MOST_STATEMENTS = 1000 };

typedef enum side { SIDE_EMPTY, SIDE_JUMP, SIDE_CODE } side;

static ir_region first_region(const c_printer *p, ir_value op) {
    return ir_at(p->f, op)->regions[0];
}

/* ---- Lines ---- */

void c_line(c_printer *p) {
    p->line = p->out->size;
    if (!put_fits(p->out, 4 * MOST_INDENT))
        return;
    memset(put_at(p->out), ' ', 4 * MOST_INDENT); /* a constant size: compiles to a few moves */
    p->out->size += 4 * (size_t)(p->indent < MOST_INDENT ? p->indent : MOST_INDENT);
}

void c_end(c_printer *p) {
    c_wrap(p);
    put_piece(p->out, ";\n", 2);
}

static void put_line(c_printer *p, const char *text) {
    c_line(p);
    buf_text(p->out, text);
    buf_char(p->out, '\n');
}

/* ---- Variables ---- */

static void put_type(c_printer *p, ir_value v) {
    if (c_is_pointer(p, v)) {
        buf_text(p->out, p->t->pointer);
        return;
    }
    ir_type type = ir_type_of(p->f, v);
    if (p->types[type].length) {
        put_labelled(p->out, &p->types[type]);
    } else {
        buf_text(p->out, p->t->types[type]);
        buf_char(p->out, ' ');
    }
}

/* The variable on the left of an assignment, with its declaration if this is its first use. */
static void put_target(c_printer *p, ir_value home) {
    if (!p->split && !p->variable[home])
        put_type(p, home);
    c_variable(p, home);
}

void c_begin(c_printer *p, ir_value v) {
    c_line(p);
    if (p->m.kind[v] != MAT_TEMPORARY)
        return;
    put_target(p, mat_home(&p->m, v));
    buf_text(p->out, " = ");
}

void c_assign(c_printer *p, ir_value v, const c_form *form, const ir_value *operands) {
    c_begin(p, v);
    c_form_at(p, form, operands, C_ANY);
    c_end(p);
}

/* Declares the variables that the blocks of an if or loop share and that are not declared yet. */
static void put_declarations(c_printer *p, ir_value op) {
    for (ir_value home = p->first_declared[first_region(p, op)]; home;
         home = p->next_declared[home]) {
        if (p->variable[home] || p->split)
            continue;
        c_line(p);
        put_type(p, home);
        c_variable(p, home);
        c_end(p);
    }
}

/* ---- Copies ---- */

static void put_copies(c_printer *p, ir_value op) {
    const mat_copy *list;
    size_t count = mat_copies(&p->m, op, &list);
    uint32_t scratch = 0;
    for (size_t k = 0; k < count; k++) {
        ir_value to = list[k].to, from = list[k].from;
        ir_type type = ir_type_of(p->f, to ? to : from);
        c_line(p);
        if (to) {
            put_target(p, to);
        } else {
            scratch = c_new_scratch(p, type);
            if (!p->split)
                put_type(p, from);
            c_scratch(p, type, scratch);
        }
        buf_text(p->out, " = ");
        if (from)
            c_expression(p, from, C_ANY);
        else
            c_scratch(p, type, scratch);
        c_end(p);
    }
}

/* ---- Ways out ---- */

static ir_value loop_of(const c_printer *p, ir_value end) {
    return p->loop[ir_at(p->f, end)->region];
}

/* Leaves a part with the number of an exit. */
static void put_exit(c_printer *p, unsigned exit) {
    p->part->exits |= exit;
    buf_text(p->out, "return ");
    buf_decimal(p->out, exit);
    buf_text(p->out, "u;\n");
}

/* break, continue or return, without the indent. */
static void put_jump(c_printer *p, ir_op op, ir_value loop) {
    if (op == IR_HALT) {
        if (p->part->number)
            put_exit(p, C_EXIT_HALT);
        else
            buf_text(p->out, "return;\n");
        return;
    }
    bool leaves = op == IR_BREAK;
    if (leaves)
        p->flags[first_region(p, loop)] |= LEFT;
    bool outside = p->m.level[first_region(p, loop)] <= p->m.level[p->part->region];
    if (p->part->number && outside)
        put_exit(p, leaves ? C_EXIT_BREAK : C_EXIT_CONTINUE);
    else
        buf_text(p->out, leaves ? "break;\n" : "continue;\n");
}

static void put_end(c_printer *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    ir_region region = ir_at(p->f, v)->region;
    ir_value loop = op == IR_BREAK || op == IR_CONTINUE ? loop_of(p, v) : 0;
    if (op == IR_RETURN) {
        c_return(p, v);
        return;
    }
    if (op != IR_HALT)
        put_copies(p, v);
    if (op == IR_YIELD)
        return;
    bool falls = op == IR_CONTINUE ? p->f->regions[region].owner == loop
                                   : op == IR_HALT && !p->f->regions[region].owner;
    if (!falls) {
        c_line(p);
        put_jump(p, op, loop);
    }
    p->dead = !falls || region != p->part->region; /* a part that ends this way returns 0 */
}

/* ---- Parts ---- */

static void put_part_parameters(c_printer *p, const c_part *part, bool types) {
    if (types)
        c_symbol_text(p, p->t->state, p->out);
    buf_char(p->out, 's');
    for (unsigned k = 0; k < C_NAMES; k++) {
        const c_entry *entry = &p->t->names[k];
        if (!(part->names >> k & 1) || !entry->type)
            continue;
        buf_text(p->out, ", ");
        if (types)
            c_symbol_text(p, entry->type, p->out);
        buf_text(p->out, entry->name);
    }
}

static void put_part_name(c_printer *p, const c_part *part) {
    buf_text(p->out, p->o->symbol);
    buf_text(p->out, "_part");
    buf_decimal(p->out, part->number);
    buf_char(p->out, '(');
}

static void open_part(c_printer *p, ir_region region) {
    c_part *part = calloc(1, sizeof *part);
    if (!part) {
        p->out->failed = true;
        return;
    }
    *part = (c_part){
        .region = region, .number = ++p->part_count, .indent = p->indent, .caller = p->part};
    p->part = part;
    p->out = &part->text;
    p->indent = 1;
    p->pc = UINT32_MAX; /* print the origin again */
}

/* In the caller: the call, and the jump for each exit that the part may take. */
static void put_call(c_printer *p, const c_part *part, ir_value loop) {
    c_line(p);
    if (part->exits) {
        buf_text(p->out, "uint32_t exit");
        buf_decimal(p->out, part->number);
        buf_text(p->out, " = ");
    }
    put_part_name(p, part);
    put_part_parameters(p, part, false);
    buf_text(p->out, ");\n");
    static const ir_op ends[] = {IR_BREAK, IR_CONTINUE, IR_HALT};
    for (unsigned k = 0; k < 3; k++) {
        if (!(part->exits >> k & 1))
            continue;
        c_line(p);
        buf_text(p->out, "if (exit");
        buf_decimal(p->out, part->number);
        buf_text(p->out, " == ");
        buf_decimal(p->out, 1u << k);
        buf_text(p->out, "u) ");
        put_jump(p, ends[k], loop);
    }
}

static void close_part(c_printer *p) {
    c_part *part = p->part, *caller = part->caller;
    ir_value owner = p->f->regions[part->region].owner;
    ir_value loop =
        ir_op_of(p->f, owner) == IR_LOOP ? owner : ir_loop_around(p->f, ir_at(p->f, owner)->region);
    if (part->exits && (!p->dead || p->t->forever)) /* `forever` is opaque to compilers */
        put_line(p, "return 0u;");
    p->out = &p->parts;
    buf_char(p->out, '\n');
    buf_text(p->out, p->t->function);
    buf_text(p->out, part->exits ? "uint32_t " : "void ");
    put_part_name(p, part);
    put_part_parameters(p, part, true);
    buf_text(p->out, ") {\n");
    buf_bytes(p->out, part->text.data, part->text.size);
    p->out->failed |= part->text.failed;
    buf_text(p->out, "}\n");
    caller->names |= part->names;
    p->part = caller;
    p->pc = UINT32_MAX;
    p->out = &caller->text;
    p->indent = part->indent;
    put_call(p, part, loop);
    buf_free(&part->text);
    free(part);
}

/* ---- if ---- */

static bool is_printed(const c_printer *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    if (op == IR_PARAM)
        return false;
    return p->m.kind[v] == MAT_TEMPORARY || ir_has(p->f, v, IR_REGIONS | IR_WRITES) ||
           op == IR_LOADS;
}

static side classify(const c_printer *p, ir_region r) {
    ir_value v = p->f->regions[r].first;
    while (!ir_has(p->f, v, IR_ENDS)) {
        if (is_printed(p, v))
            return SIDE_CODE;
        v = ir_at(p->f, v)->next;
    }
    if (ir_op_of(p->f, v) == IR_HALT)
        return SIDE_JUMP;
    if (!mat_no_copies(&p->m, v))
        return SIDE_CODE;
    return ir_op_of(p->f, v) == IR_YIELD ? SIDE_EMPTY : SIDE_JUMP;
}

static void put_if(c_printer *p, ir_value condition, bool negated, const char *then) {
    c_line(p);
    buf_text(p->out, "if (");
    c_condition(p, condition, negated, C_ANY);
    c_wrap(p);
    buf_text(p->out, then);
}

static void open_if(c_printer *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    side sides[2] = {classify(p, n->regions[0]), classify(p, n->regions[1])};
    uint8_t *flags = &p->flags[n->regions[0]];
    put_declarations(p, v);
    for (unsigned k = 0; k < 2; k++) {
        p->skip[n->regions[k]] = sides[k] != SIDE_CODE;
        if (sides[k] == SIDE_JUMP)
            *flags |= (uint8_t)(k ? ELSE_JUMPS : THEN_JUMPS);
    }
    if (*flags & (THEN_JUMPS | ELSE_JUMPS)) {
        unsigned first = !(*flags & THEN_JUMPS);
        ir_value end = p->f->regions[n->regions[first]].last;
        ir_op op = ir_op_of(p->f, end);
        put_if(p, n->args[0], first == 1, ") ");
        put_jump(p, op, op == IR_HALT ? 0 : loop_of(p, end));
        if (sides[!first] == SIDE_JUMP) /* both jump: print the second as a statement */
            p->skip[n->regions[!first]] = 0;
        return;
    }
    if (sides[0] == SIDE_EMPTY && sides[1] == SIDE_EMPTY)
        return;
    *flags |= BRACES;
    if (sides[0] == SIDE_CODE && sides[1] == SIDE_CODE)
        *flags |= HAS_ELSE;
    put_if(p, n->args[0], sides[0] != SIDE_CODE, ") {\n");
}

/* Whether the region is printed between braces. */
static bool has_braces(const c_printer *p, ir_region r) {
    ir_value owner = p->f->regions[r].owner;
    if (!owner || p->skip[r])
        return false;
    return ir_op_of(p->f, owner) == IR_LOOP || (p->flags[first_region(p, owner)] & BRACES);
}

static void leave_side(c_printer *p, ir_value v, bool then) {
    uint8_t *flags = &p->flags[first_region(p, v)];
    bool dead = p->dead || (*flags & (then ? THEN_JUMPS : ELSE_JUMPS));
    if (then) {
        *flags |= dead ? THEN_DEAD : 0;
        p->dead = false;
        if (*flags & HAS_ELSE)
            put_line(p, "} else {");
        return;
    }
    p->dead = dead && (*flags & THEN_DEAD);
    if (*flags & BRACES)
        put_line(p, "}");
}

/* ---- loop ---- */

/* The if at the start of a loop's body whose only effect is a break. It becomes the loop's
 * condition. */
static ir_value find_header(const c_printer *p, ir_value loop, bool *negated) {
    ir_value v = p->f->regions[first_region(p, loop)].first;
    while (!is_printed(p, v) && !ir_has(p->f, v, IR_ENDS))
        v = ir_at(p->f, v)->next;
    uint64_t bits;
    if (ir_op_of(p->f, v) != IR_IF || ir_is_const(p->f, ir_arg(p->f, v, 0), &bits))
        return 0;
    const ir_node *n = ir_at(p->f, v);
    side sides[2] = {classify(p, n->regions[0]), classify(p, n->regions[1])};
    unsigned breaks = sides[0] == SIDE_JUMP ? 0 : 1;
    if (sides[breaks] != SIDE_JUMP || sides[!breaks] != SIDE_EMPTY ||
        ir_op_of(p->f, p->f->regions[n->regions[breaks]].last) != IR_BREAK)
        return 0;
    *negated = breaks == 0;
    return v;
}

bool c_flag_loops(c_printer *p) {
    for (ir_region r = 0; r < p->f->region_count; r++)
        if (p->loop[r] && p->loop[r] == p->f->regions[r].owner)
            p->flags[r] |= C_ENDLESS;
    return true;
}

/* "u1 = wave_hidden<uint32_t>(u1);" for values that one loop parameter passes to another. */
static void hide_handed_on(c_printer *p, ir_value loop) {
    static const char *const words[IR_TYPE_COUNT] = {
        [IR_BOOL] = "bool",    [IR_U32] = "uint32_t", [IR_F32] = "uint32_t",  [IR_U64] = "uint64_t",
        [IR_F64] = "uint64_t", [IR_F16] = "uint16_t", [IR_F16X2] = "uint32_t"};
    if (!p->t->hide_helper)
        return;
    ir_value v = p->f->regions[first_region(p, loop)].first;
    for (; ir_op_of(p->f, v) == IR_PARAM; v = ir_at(p->f, v)->next) {
        const char *word = words[ir_type_of(p->f, v)];
        if (!p->handed_on[v] || p->m.kind[v] != MAT_TEMPORARY || !word)
            continue;
        c_need(p, p->t->hide_helper);
        c_line(p);
        c_variable(p, v);
        buf_printf(p->out, " = wave_hidden<%s>(", word);
        c_variable(p, v);
        buf_char(p->out, ')');
        c_end(p);
    }
}

/* The first statement of a loop that may have no exit. */
static void put_turn(c_printer *p) {
    c_need(p, p->t->forever_helper);
    p->indent++;
    put_line(p, p->t->turn);
    p->indent--;
}

static void open_loop(c_printer *p, ir_value v) {
    bool negated = false, endless = p->flags[first_region(p, v)] & C_ENDLESS;
    const char *forever = endless ? p->t->forever : NULL;
    ir_value header = forever ? 0 : find_header(p, v, &negated);
    put_copies(p, v);
    put_declarations(p, v);
    hide_handed_on(p, v);
    c_line(p);
    buf_text(p->out, "while (");
    if (header) {
        const ir_node *n = ir_at(p->f, header);
        p->skip[n->regions[0]] = p->skip[n->regions[1]] = 1;
        p->flags[n->regions[0]] |= THEN_JUMPS; /* only one side jumps: what follows is reachable */
        p->flags[first_region(p, v)] |= LEFT;
        p->header[n->regions[0]] = 1;
        c_condition(p, n->args[0], negated, C_ANY);
        c_wrap(p);
    } else {
        if (forever)
            c_need(p, p->t->forever_helper);
        buf_text(p->out, forever ? forever : "true");
    }
    buf_text(p->out, ") {\n");
    if (endless && p->t->turn)
        put_turn(p);
}

static void leave_loop(c_printer *p, ir_value v) {
    p->dead = !(p->flags[first_region(p, v)] & LEFT);
    put_line(p, "}");
}

/* ---- Values ---- */

/* x = x + y as x += y */
static bool put_compound(c_printer *p, ir_value v) {
    static const char *const signs[IR_OP_COUNT] = {
        [IR_IADD] = " += ", [IR_ISUB] = " -= ",  [IR_IMUL] = " *= ",  [IR_AND] = " &= ",
        [IR_OR] = " |= ",   [IR_XOR] = " ^= ",   [IR_FADD] = " += ",  [IR_FSUB] = " -= ",
        [IR_FMUL] = " *= ", [IR_DADD] = " += ",  [IR_DSUB] = " -= ",  [IR_DMUL] = " *= ",
        [IR_SHL] = " <<= ", [IR_SHR] = " >>= ",  [IR_LADD] = " += ",  [IR_LSUB] = " -= ",
        [IR_LMUL] = " *= ", [IR_LSHL] = " <<= ", [IR_LSHR] = " >>= ",
    };
    const ir_node *n = ir_at(p->f, v);
    const char *sign = signs[n->op];
    uint32_t bits;
    if (!sign || p->m.kind[n->args[0]] != MAT_TEMPORARY ||
        mat_home(&p->m, n->args[0]) != mat_home(&p->m, v))
        return false;
    bool constant = c_const(p, n->args[1], &bits), wide = n->op == IR_LSHL || n->op == IR_LSHR,
         shift = wide || n->op == IR_SHL || n->op == IR_SHR;
    if (shift && !constant)
        return false;
    c_line(p);
    c_variable(p, v);
    if (n->op == IR_IADD && constant && bits >> 31) {
        buf_text(p->out, " -= ");
        c_u32(p->out, 0 - bits);
    } else if (shift) {
        buf_text(p->out, sign);
        buf_decimal(p->out, bits & (wide ? 63 : 31));
    } else {
        buf_text(p->out, sign);
        c_expression(p, n->args[1], C_ANY);
    }
    c_end(p);
    return true;
}

static void put_value(c_printer *p, ir_value v) {
    if (put_compound(p, v))
        return;
    c_begin(p, v);
    c_operation(p, v, C_ANY);
    c_end(p);
}

/* ---- The walk ---- */

void c_reject(c_printer *p, ir_value v) {
    if (!p->rejected)
        emit_report_unlowered(p->f, v, p->diags);
    p->rejected = true;
}

/* With -g: the instruction that the next lines come from. */
static void put_origin(c_printer *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    if (!p->o->debug || !p->o->instruction || n->pc == p->pc || ir_has(p->f, v, IR_ENDS))
        return;
    p->pc = n->pc;
    emit_line line = {0};
    size_t before = p->out->size;
    buf_char(p->out, '\n');
    c_line(p);
    buf_text(p->out, "// ");
    size_t start = p->out->size;
    p->o->instruction(p->o->instruction_context, n->pc, p->out, &line);
    if (p->out->size > start)
        buf_char(p->out, '\n');
    else
        p->out->size = before; /* no instruction text is known */
    c_put_line_number(p, &line, p->out);
}

/* Breaks up long runs of statements without a branch, on targets whose compilers take quadratic
 * time for them. */
static void put_pause(c_printer *p, ir_value v) {
    if (ir_has(p->f, v, IR_REGIONS | IR_ENDS)) {
        p->statements = 0;
    } else if (p->t->pause && ++p->statements > MOST_STATEMENTS) {
        put_line(p, p->t->pause);
        p->statements = 1;
    }
}

static void put_op(c_printer *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    if (p->m.kind[v] == MAT_INLINE)
        return;
    bool effect = n->type == IR_VOID || ir_has(p->f, v, IR_WRITES);
    if (!effect && p->m.kind[v] != MAT_TEMPORARY)
        return;
    bool part = n->op == IR_RESULT && ir_op_of(p->f, n->args[0]) == IR_LOADS;
    if ((n->op == IR_RESULT && !part) || n->op == IR_PARAM || n->op == IR_INPUT ||
        n->op == IR_NEW_TOKEN)
        return;
    if (n->op == IR_IF && p->header[n->regions[0]])
        return;
    put_pause(p, v);
    put_origin(p, v);
    if (n->op == IR_IF)
        open_if(p, v);
    else if (n->op == IR_LOOP)
        open_loop(p, v);
    else if (n->op == IR_FUNCTION)
        c_open_function(p, v);
    else if (ir_has(p->f, v, IR_ENDS))
        put_end(p, v);
    else if (!ir_has(p->f, v, IR_READS | IR_WRITES) && c_has_form(p, v))
        put_value(p, v);
    else if (!c_memory(p, v) && !c_tile(p, v) && !c_wave(p, v))
        c_reject(p, v);
}

static void enter(c_printer *p, ir_region r) {
    if (!has_braces(p, r))
        return;
    p->indent++;
    if (p->split && p->m.level[r] - p->m.level[p->part->region] >= C_MOST_LEVELS)
        open_part(p, r);
}

static void leave(c_printer *p, ir_region r) {
    ir_value owner = p->f->regions[r].owner;
    if (!owner)
        return;
    const ir_node *n = ir_at(p->f, owner);
    bool then = n->op == IR_IF && n->regions[0] == r;
    if (n->op == IR_FUNCTION)
        c_close_function(p);
    else if (owner == p->unreached && !then)
        p->unreached = 0;
    else if (!p->unreached) {
        if (p->part->region == r && p->part->number)
            close_part(p);
        p->indent -= has_braces(p, r);
        if (n->op == IR_LOOP)
            leave_loop(p, owner);
        else
            leave_side(p, owner, then);
    }
}

void c_code(c_printer *p) {
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_read(&w)) != IR_AT_END && !p->rejected;) {
        if (e == IR_ENTER_REGION) {
            if (!p->unreached)
                enter(p, w.region);
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
