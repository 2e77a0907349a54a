/* Encodes the bytes after allocation: the fields of each instruction by its roles, the moves before
 * it, fetches and stores of predicates, and the source line of every instruction. */
#include "emit_wbin/code.h"
#include "isa/tile.h"

#include "frontend/encode.h"

/* ---- Bytes and lines ---- */

static void note_line(wb_code *c) {
    if (!c->source_line_count)
        return;
    const fe_line *line = fe_line_at(c->source_lines, c->source_line_count, c->pc);
    if (!line)
        return;
    const fe_line *last = c->line_count ? &c->lines[c->line_count - 1] : NULL;
    if (last && last->line == line->line && last->file == line->file &&
        last->column == line->column)
        return;
    c->lines = wb_grow(c, c->lines, c->line_count, &c->line_capacity, sizeof *c->lines);
    if (c->failed)
        return;
    c->lines[c->line_count] = *line;
    c->lines[c->line_count++].offset = (uint32_t)c->bytes.size;
}

void wb_put(wb_code *c, isa_op op, const wb_fields *fields) {
    const isa_desc *desc = &isa_table[op];
    if (!buf_reserve(&c->bytes, 8)) {
        c->failed = true;
        return;
    }
    note_line(c);
    bool negated = desc->role[ISA_FIELD_RS1] == ISA_ROLE_PN && fields->field[ISA_FIELD_RS1] & 0x80;
    c->extended |= (desc->flags & ISA_EXTENSION) || negated;
    if (desc->role[ISA_FIELD_RD] == ISA_ROLE_PW)
        c->written |= 1u << fields->field[ISA_FIELD_RD];
    c->loop_depth += op == ISA_LOOP ? 1u : op == ISA_ENDLOOP ? UINT32_MAX : 0;
    if (op == ISA_IF || op == ISA_LOOP)
        c->depth++;
    else if (op == ISA_ENDIF || op == ISA_ENDLOOP)
        c->depth--;
    if (c->depth > c->deepest)
        c->deepest = c->depth;
    c->bytes.size += fe_encode(c->bytes.data + c->bytes.size, desc, desc->modifier, fields->field,
                               fields->tail, fields->guard);
}

/* Removes the last instruction. */
static void cut(wb_code *c, uint32_t bytes) {
    c->bytes.size -= bytes;
    while (c->line_count && c->lines[c->line_count - 1].offset >= c->bytes.size)
        c->line_count--;
}

/* ---- Operands ---- */

static uint32_t general(const wb_code *c, wb_ref r) {
    return wb_at(c, r)->reg + wb_word(r);
}

static bool lives_in_word(const wb_code *c, wb_ref r) {
    return r && wb_at(c, r)->kind == WB_PREDICATE && wb_at(c, r)->flags & WB_WORD;
}

/* The number of a predicate operand; one that lives in a register is fetched to p0. */
static uint32_t read_predicate(wb_code *c, wb_ref r, bool negatable) {
    uint32_t not = wb_negated(r) && negatable ? 0x80 : 0;
    if (!lives_in_word(c, r))
        return wb_at(c, r)->reg | not ;
    unsigned reg = wb_at(c, r)->reg;
    wb_fields f = {.field = {0, reg, reg}};
    wb_put(c, ISA_FCMP_UNORD, &f);
    return not ;
}

/* p0 = true or false, for an instruction that needs a predicate and has none. */
static void set_p0(wb_code *c, bool value) {
    wb_fields f = {0};
    c->scratch = true;
    wb_put(c, value ? ISA_ICMP_EQ : ISA_ICMP_NE, &f);
}

static wb_fields fields_of(wb_code *c, const wb_insn *insn, const isa_desc *desc) {
    wb_fields f = {0};
    unsigned next = 0;
    for (unsigned k = 0; k < ISA_FIELDS; k++) {
        switch ((isa_role)desc->role[k]) {
        case ISA_ROLE_W:
        case ISA_ROLE_W2:
        case ISA_ROLE_W4:
        case ISA_ROLE_WA:
        case ISA_ROLE_WA2: f.field[k] = insn->dst ? general(c, insn->dst) : 0; break;
        case ISA_ROLE_R:
        case ISA_ROLE_R2:
        case ISA_ROLE_R4: f.field[k] = general(c, insn->src[next++]); break;
        case ISA_ROLE_PW:
            f.field[k] = lives_in_word(c, insn->dst) ? 0 : wb_at(c, insn->dst)->reg;
            break;
        case ISA_ROLE_PR:
        case ISA_ROLE_PN:
            f.field[k] = insn->src[next]
                             ? read_predicate(c, insn->src[next], desc->role[k] == ISA_ROLE_PN)
                             : 0;
            next++;
            break;
        case ISA_ROLE_SR: f.field[k] = insn->imm; break;
        case ISA_ROLE_NONE: break;
        default: /* numbers of a tile instruction */
            if (isa_is_tile((isa_op)insn->op))
                f.field[k] = insn->imm >> 4 * k & 15;
            break;
        }
    }
    f.tail = desc->tail == ISA_TAIL_IMM ? insn->imm : insn->scope;
    return f;
}

/* ---- Fragments ---- */

static uint32_t banks_of(wb_code *c, wb_ref tile) {
    return c->vregs[wb_group(c, wb_vreg_of(tile))].slot;
}

static void put_mma(wb_code *c, const wb_insn *insn) {
    wb_fields f = {.guard = wb_guard_bits(c, insn->guard)};
    switch (insn->op) {
    case ISA_MMA_LOAD_A:
        f.field[ISA_FIELD_RD] = wb_at(c, insn->dst)->reg;
        f.field[ISA_FIELD_RS1] = general(c, insn->src[0]);
        f.field[ISA_FIELD_RS2] = general(c, insn->src[1]);
        uint32_t banks = banks_of(c, insn->dst);
        if (banks & WB_BANK_C)
            c->no_tiles = true; /* no instruction loads into C */
        if (banks & WB_BANK_A)
            wb_put(c, ISA_MMA_LOAD_A, &f);
        if (banks & WB_BANK_B || !banks)
            wb_put(c, ISA_MMA_LOAD_B, &f);
        return;
    case ISA_MMA_STORE_C:
        f.field[ISA_FIELD_RD] = general(c, insn->src[0]);
        f.field[ISA_FIELD_RS1] = general(c, insn->src[1]);
        f.field[ISA_FIELD_RS2] = wb_at(c, insn->src[2])->reg;
        break;
    default:
        for (unsigned k = 0; k < 3; k++)
            f.field[k] = wb_at(c, insn->src[k])->reg;
        if (banks_of(c, insn->dst) != WB_BANK_C)
            c->no_tiles = true; /* a sum cannot be used as a factor */
        break;
    }
    wb_put(c, (isa_op)insn->op, &f);
}

/* ---- Instructions ---- */

static void store_p0(wb_code *c, wb_ref dst) {
    enum { UNLESS_P0 = 4 };
    wb_fields f = {.field = {wb_at(c, dst)->reg}, .tail = WB_TRUE_WORD};
    wb_put(c, ISA_MOV_IMM, &f);
    f.tail = 0;
    f.guard = UNLESS_P0;
    wb_put(c, ISA_MOV_IMM, &f);
}

/* Whether two of guard, operand and result need p0. A real `if` then replaces the guard. */
static bool needs_if(const wb_code *c, const wb_insn *insn) {
    if (!insn->guard)
        return false;
    bool truth = (insn->op == ISA_BREAK || insn->op == ISA_CONTINUE || insn->op == ISA_ASSERT) &&
                 !insn->src[0];
    bool reads = false;
    for (unsigned k = 0; k < 4; k++)
        reads |= insn->src[k] && !wb_is_leaf(insn->src[k]) && lives_in_word(c, insn->src[k]);
    bool writes = lives_in_word(c, insn->dst);
    return (reads && writes) || (lives_in_word(c, insn->guard) && (truth || reads || writes));
}

static void put_plain(wb_code *c, const wb_insn *insn, uint32_t guard) {
    const isa_desc *desc = &isa_table[insn->op];
    bool word = lives_in_word(c, insn->dst);
    if (word && insn->guard) /* inactive lanes keep their old value */
        read_predicate(c, insn->dst, false);
    if ((insn->op == ISA_BREAK || insn->op == ISA_CONTINUE || insn->op == ISA_ASSERT) &&
        !insn->src[0])
        set_p0(c, insn->op != ISA_ASSERT);
    wb_fields f = fields_of(c, insn, desc);
    f.guard = guard;
    wb_put(c, (isa_op)insn->op, &f);
    if (word)
        store_p0(c, insn->dst);
}

static void put_instruction(wb_code *c, const wb_insn *insn) {
    if (insn->tied) {
        for (unsigned k = 0; k < wb_at(c, insn->dst)->width - wb_word(insn->dst); k++)
            if (isa_role_registers((isa_role)isa_table[insn->op].role[ISA_FIELD_RD]) > k ||
                wb_at(c, insn->dst)->kind == WB_PREDICATE)
                wb_put_move(c, wb_part(insn->dst, k), wb_part(insn->tied, k), 0);
    }
    if (needs_if(c, insn)) {
        wb_insn inner = *insn;
        wb_insn open = {.op = ISA_IF, .src = {insn->guard & ~1u}};
        inner.guard = 0;
        inner.tied = 0;
        put_plain(c, &open, 0);
        if (wb_negated(insn->guard))
            put_plain(c, &(wb_insn){.op = ISA_ELSE}, 0);
        put_plain(c, &inner, 0);
        put_plain(c, &(wb_insn){.op = ISA_ENDIF}, 0);
        return;
    }
    put_plain(c, insn, wb_guard_bits(c, insn->guard));
}

/* ---- Moves before a break or continue ---- */

static bool is_real(const wb_code *c, const wb_move *m) {
    const wb_vreg *to = wb_at(c, m->to);
    if (to->kind == WB_TILE)
        return false;
    if (wb_is_leaf(m->from) || wb_negated(m->from))
        return true;
    const wb_vreg *from = wb_at(c, m->from);
    return to->reg + wb_word(m->to) != from->reg + wb_word(m->from) ||
           (to->flags & WB_WORD) != (from->flags & WB_WORD);
}

typedef struct leaving {
    unsigned count;   /* number of moves that are not no-ops */
    bool copies;      /* a predicate is copied, which needs its own guards */
    bool overwritten; /* the predicate that the break tests is overwritten */
} leaving;

static leaving examine_moves(const wb_code *c, const wb_insn *insn, wb_ref tested) {
    leaving l = {0};
    for (uint32_t k = 0; c->moves && k < insn->move_count; k++) {
        const wb_move *m = &c->moves[insn->moves + k];
        if (!is_real(c, m))
            continue;
        bool predicate = wb_at(c, m->to)->kind == WB_PREDICATE;
        l.count++;
        l.copies |= predicate && !wb_is_leaf(m->from);
        l.overwritten |= tested && wb_at(c, m->to)->reg + wb_word(m->to) == wb_at(c, tested)->reg &&
                         (predicate && !lives_in_word(c, m->to)) == !lives_in_word(c, tested);
    }
    return l;
}

/* The moves before a break or continue: guarded if possible and no longer than an if, otherwise in
 * an if. The break tests its predicate after the moves. If they have overwritten it, all remaining
 * lanes leave. */
static bool put_leaving(wb_code *c, uint32_t i) {
    enum { MOST_GUARDED = 2 };
    const wb_insn *insn = &c->insns[i], *next = &c->insns[i + 1];
    if (i + 1 >= c->insn_count || (next->op != ISA_BREAK && next->op != ISA_CONTINUE))
        return false;
    wb_ref tested = insn->guard ? insn->guard : next->src[0];
    leaving l = examine_moves(c, insn, tested);
    bool fits = l.count <= MOST_GUARDED && !l.copies && !l.overwritten;
    if (l.count == 0)
        return false;
    if (!insn->guard && l.overwritten) {
        wb_put_moves(c, c->moves + insn->moves, insn->move_count, 0);
        put_plain(c, &(wb_insn){.op = next->op}, 0);
        return true;
    }
    if (!insn->guard || fits)
        return false;
    put_plain(c, &(wb_insn){.op = ISA_IF, .src = {insn->guard & ~1u}}, 0);
    if (wb_negated(insn->guard))
        put_plain(c, &(wb_insn){.op = ISA_ELSE}, 0);
    wb_put_moves(c, c->moves + insn->moves, insn->move_count, 0);
    bool plain = !l.overwritten && !wb_negated(insn->guard);
    put_plain(c, &(wb_insn){.op = next->op, .src = {plain ? insn->guard : 0}}, 0);
    put_plain(c, &(wb_insn){.op = ISA_ENDIF}, 0);
    return true;
}

/* Drops an else with nothing after it, and an if with nothing in it. */
static void put_endif(wb_code *c, const wb_insn *insn) {
    if (c->else_end == c->bytes.size && c->else_end)
        cut(c, 4);
    if (c->if_end == c->bytes.size && c->if_end) {
        cut(c, 4);
        c->depth--;
    } else {
        put_plain(c, insn, 0);
    }
    c->if_end = c->else_end = 0;
}

static void note_loop(wb_code *c, ir_value loop) {
    c->loop_list = wb_grow(c, c->loop_list, c->loop_count, &c->loop_capacity, sizeof *c->loop_list);
    if (c->failed)
        return;
    double times = wb_times(c, loop);
    unsigned joined = ir_iterations_of(c->f, loop).joined;
    c->loop_list[c->loop_count++] = (wb_loop){.offset = (uint32_t)c->bytes.size,
                                              .times = times,
                                              .source = ir_at(c->f, loop)->pc,
                                              .source_times = joined ? times * joined : times};
}

/* Returns the number of instructions handled. */
static uint32_t put_one(wb_code *c, uint32_t i) {
    const wb_insn *insn = &c->insns[i];
    const wb_move *moves = c->moves ? c->moves + insn->moves : NULL;
    c->pc = insn->pc;
    switch (insn->op) {
    case WB_ARGUMENTS: break;
    case WB_MOVES:
        if (insn->flags & WB_EDGE && put_leaving(c, i))
            return 2;
        wb_put_moves(c, moves, insn->move_count, wb_guard_bits(c, insn->guard));
        break;
    case WB_PMOVE:
    case WB_PSET:
    case WB_PAND:
    case WB_POR:
    case WB_PXOR:
    case WB_PSELECT: wb_put_predicate(c, insn); break;
    case ISA_LOOP:
        wb_put_moves(c, moves, insn->move_count, 0);
        note_loop(c, insn->imm);
        put_plain(c, insn, 0);
        break;
    case ISA_IF:
        put_instruction(c, insn);
        c->if_end = c->bytes.size;
        break;
    case ISA_ELSE:
        put_plain(c, insn, 0);
        c->else_end = c->bytes.size;
        break;
    case ISA_ENDIF: put_endif(c, insn); break;
    case ISA_MMA_LOAD_A:
    case ISA_MMA_STORE_C:
    case ISA_MMA_COMPUTE: put_mma(c, insn); break;
    default: put_instruction(c, insn); break;
    }
    return 1;
}

bool wb_encode(wb_code *c) {
    for (uint32_t i = 0; i < c->insn_count && !c->failed;)
        i += put_one(c, i);
    const wb_insn *last = c->insn_count ? &c->insns[c->insn_count - 1] : NULL;
    if (!last || last->op != ISA_HALT || last->guard)
        put_plain(c, &(wb_insn){.op = ISA_HALT}, 0);
    return !c->failed;
}
