/* Values as expressions. Most operations are a row of a table. The others have a function because
 * constant operands simplify them. */
#include "emit/c_printer.h"

#include "isa/isa.h"

#include <string.h>

/* The shared forms; a target may override each of them. */
static const c_form forms[IR_OP_COUNT] = {
    [IR_PACK64] = {.text = "(uint64_t)$1 << 32 | $0",
                   .level = C_BITS,
                   .operands = {C_UNARY, C_UNARY}},
    [IR_LO64] = C_CAST("(uint32_t)$0"),
    [IR_HI64] = {.text = "(uint32_t)($0 >> 32)", .level = C_UNARY, .operands = {C_UNARY}},

    [IR_BAND] = C_CHAIN("&&", C_AND, C_COMPARE),
    [IR_BOR] = C_CHAIN("||", C_OR, C_COMPARE),
    [IR_BXOR] = C_BINARY("!=", C_COMPARE, C_UNARY, C_UNARY),
    [IR_SELECT] = {.text = "$0 ? $1 : $2", .level = C_CONDITIONAL, .operands = {C_OR, C_OR, C_OR}},

    [IR_IADD] = C_BINARY("+", C_ADD, C_ADD, C_MULTIPLY),
    [IR_ISUB] = C_BINARY("-", C_ADD, C_ADD, C_MULTIPLY),
    [IR_IMUL] = C_BINARY("*", C_MULTIPLY, C_MULTIPLY, C_UNARY),
    [IR_IDIV] = C_HELP("wave_idiv($0, $1)", C_IDIV),
    [IR_IMOD] = C_HELP("wave_imod($0, $1)", C_IMOD),
    [IR_UDIV] = C_HELP("wave_udiv($0, $1)", C_UDIV),
    [IR_UMOD] = C_HELP("wave_umod($0, $1)", C_UMOD),
    [IR_INEG] = {.text = "0u - $0", .level = C_ADD, .operands = {C_MULTIPLY}},
    [IR_IABS] = C_HELP("wave_iabs($0)", C_IABS),
    [IR_AND] = C_CHAIN("&", C_BITS, C_UNARY),
    [IR_OR] = C_CHAIN("|", C_BITS, C_UNARY),
    [IR_XOR] = C_CHAIN("^", C_BITS, C_UNARY),
    [IR_NOT] = C_CAST("~$0"),
    [IR_BITFIND] = C_HELP("wave_bitfind($0)", C_BITFIND),
    [IR_BFE] = C_HELP("wave_bfe($0, $1, $2)", C_BFE),
    [IR_BFI] = C_HELP("wave_bfi($0, $1, $2, $3)", C_BFI),

    [IR_LADD] = C_BINARY("+", C_ADD, C_ADD, C_MULTIPLY),
    [IR_LSUB] = C_BINARY("-", C_ADD, C_ADD, C_MULTIPLY),
    [IR_LMUL] = C_BINARY("*", C_MULTIPLY, C_MULTIPLY, C_UNARY),
    [IR_LDIV] = C_HELP("wave_ldiv($0, $1)", C_LDIV),
    [IR_LMOD] = C_HELP("wave_lmod($0, $1)", C_LMOD),
    [IR_LUDIV] = C_HELP("wave_ludiv($0, $1)", C_LUDIV),
    [IR_LUMOD] = C_HELP("wave_lumod($0, $1)", C_LUMOD),

    [IR_FADD] = C_BINARY("+", C_ADD, C_ADD, C_MULTIPLY),
    [IR_FSUB] = C_BINARY("-", C_ADD, C_ADD, C_MULTIPLY),
    [IR_FMUL] = C_BINARY("*", C_MULTIPLY, C_MULTIPLY, C_UNARY),
    [IR_FDIV] = C_BINARY("/", C_MULTIPLY, C_MULTIPLY, C_UNARY),
    [IR_FNEG] = {.text = "-$0", .level = C_UNARY, .operands = {C_POSTFIX}},
    [IR_FMIN] = C_HELP("wave_fmin($0, $1)", C_FMIN),
    [IR_FMAX] = C_HELP("wave_fmax($0, $1)", C_FMAX),
    [IR_FRCP] = {.text = "1.0f / $0", .level = C_MULTIPLY, .operands = {C_UNARY}},
    [IR_FFRACT] = C_HELP("wave_ffract($0)", C_FFRACT),
    [IR_FSAT] = C_HELP("wave_fsat($0)", C_FSAT),

    [IR_HADD] = C_BINARY("+", C_ADD, C_ADD, C_MULTIPLY),
    [IR_HSUB] = C_BINARY("-", C_ADD, C_ADD, C_MULTIPLY),
    [IR_HMUL] = C_BINARY("*", C_MULTIPLY, C_MULTIPLY, C_UNARY),
    [IR_HADD2] = C_BINARY("+", C_ADD, C_ADD, C_MULTIPLY),
    [IR_HMUL2] = C_BINARY("*", C_MULTIPLY, C_MULTIPLY, C_UNARY),

    [IR_DADD] = C_BINARY("+", C_ADD, C_ADD, C_MULTIPLY),
    [IR_DSUB] = C_BINARY("-", C_ADD, C_ADD, C_MULTIPLY),
    [IR_DMUL] = C_BINARY("*", C_MULTIPLY, C_MULTIPLY, C_UNARY),
    [IR_DDIV] = C_BINARY("/", C_MULTIPLY, C_MULTIPLY, C_UNARY),
    [IR_DNEG] = {.text = "-$0", .level = C_UNARY, .operands = {C_POSTFIX}},

    [IR_CVT_F32_I32] = C_CAST("(float)#0"),
    [IR_CVT_F32_U32] = C_CAST("(float)$0"),
    [IR_CVT_I32_F32] = C_HELP("wave_cvt_i32($0)", C_CVT_I32),
    [IR_CVT_U32_F32] = C_HELP("wave_cvt_u32($0)", C_CVT_U32),
    [IR_CVT_F32_F16] = C_CAST("(float)$0"),
    [IR_CVT_F32_F64] = C_CAST("(float)$0"),
    [IR_CVT_F64_F32] = C_CAST("(double)$0"),
    [IR_CVT_F64_I32] = C_CAST("(double)#0"),
    [IR_CVT_F64_U32] = C_CAST("(double)$0"),
    [IR_CVT_F64_I64] = C_CAST("(double)#0"),
    [IR_CVT_F64_U64] = C_CAST("(double)$0"),
    [IR_CVT_F32_I64] = C_CAST("(float)#0"),
    [IR_CVT_F32_U64] = C_CAST("(float)$0"),
    [IR_CVT_F64_F16] = C_CAST("(double)$0"),
    [IR_CVT_I32_F64] = C_HELP("wave_cvt_i32_f64($0)", C_CVT_I32_F64),
    [IR_CVT_U32_F64] = C_HELP("wave_cvt_u32_f64($0)", C_CVT_U32_F64),
    [IR_CVT_I64_F64] = C_HELP("wave_cvt_i64_f64($0)", C_CVT_I64_F64),
    [IR_CVT_U64_F64] = C_HELP("wave_cvt_u64_f64($0)", C_CVT_U64_F64),
    [IR_CVT_I64_F32] = C_HELP("wave_cvt_i64($0)", C_CVT_I64),
    [IR_CVT_U64_F32] = C_HELP("wave_cvt_u64($0)", C_CVT_U64),
    [IR_CVT_F16_F64] = C_HELP("wave_cvt_f16_f64($0)", C_CVT_F16_F64),

    [IR_ICMP_EQ] = C_BINARY("==", C_COMPARE, C_ADD, C_ADD),
    [IR_ICMP_NE] = C_BINARY("!=", C_COMPARE, C_ADD, C_ADD),
#define SIGNED(op)                                                                                 \
    {                                                                                              \
        .text = "#0 " op " #1", .level = C_COMPARE, .operands = { C_ADD, C_ADD }                   \
    }
    [IR_ICMP_LT] = SIGNED("<"),
    [IR_ICMP_LE] = SIGNED("<="),
    [IR_ICMP_GT] = SIGNED(">"),
    [IR_ICMP_GE] = SIGNED(">="),
    [IR_LCMP_LT] = SIGNED("<"),
    [IR_LCMP_LE] = SIGNED("<="),
    [IR_LCMP_GT] = SIGNED(">"),
    [IR_LCMP_GE] = SIGNED(">="),
#undef SIGNED
    [IR_UCMP_LT] = C_BINARY("<", C_COMPARE, C_ADD, C_ADD),
    [IR_UCMP_LE] = C_BINARY("<=", C_COMPARE, C_ADD, C_ADD),
    [IR_UCMP_GT] = C_BINARY(">", C_COMPARE, C_ADD, C_ADD),
    [IR_UCMP_GE] = C_BINARY(">=", C_COMPARE, C_ADD, C_ADD),
    [IR_FCMP_EQ] = C_BINARY("==", C_COMPARE, C_ADD, C_ADD),
    [IR_FCMP_NE] = C_BINARY("!=", C_COMPARE, C_ADD, C_ADD),
    [IR_FCMP_LT] = C_BINARY("<", C_COMPARE, C_ADD, C_ADD),
    [IR_FCMP_LE] = C_BINARY("<=", C_COMPARE, C_ADD, C_ADD),
    [IR_FCMP_GT] = C_BINARY(">", C_COMPARE, C_ADD, C_ADD),
    [IR_FCMP_GE] = C_BINARY(">=", C_COMPARE, C_ADD, C_ADD),
    [IR_FCMP_ORD] = C_HELP("wave_ordered($0, $1)", C_ORDERED),
    [IR_FCMP_UNORD] = {.text = "!wave_ordered($0, $1)", .level = C_UNARY, .helper = 1 + C_ORDERED},
    [IR_LCMP_EQ] = C_BINARY("==", C_COMPARE, C_ADD, C_ADD),
    [IR_LCMP_NE] = C_BINARY("!=", C_COMPARE, C_ADD, C_ADD),
    [IR_LUCMP_LT] = C_BINARY("<", C_COMPARE, C_ADD, C_ADD),
    [IR_LUCMP_LE] = C_BINARY("<=", C_COMPARE, C_ADD, C_ADD),
    [IR_LUCMP_GT] = C_BINARY(">", C_COMPARE, C_ADD, C_ADD),
    [IR_LUCMP_GE] = C_BINARY(">=", C_COMPARE, C_ADD, C_ADD),
    [IR_DCMP_EQ] = C_BINARY("==", C_COMPARE, C_ADD, C_ADD),
    [IR_DCMP_NE] = C_BINARY("!=", C_COMPARE, C_ADD, C_ADD),
    [IR_DCMP_LT] = C_BINARY("<", C_COMPARE, C_ADD, C_ADD),
    [IR_DCMP_LE] = C_BINARY("<=", C_COMPARE, C_ADD, C_ADD),
    [IR_DCMP_GT] = C_BINARY(">", C_COMPARE, C_ADD, C_ADD),
    [IR_DCMP_GE] = C_BINARY(">=", C_COMPARE, C_ADD, C_ADD),
    [IR_DCMP_ORD] = C_HELP("wave_dordered($0, $1)", C_DORDERED),
    [IR_DCMP_UNORD] = {.text = "!wave_dordered($0, $1)",
                       .level = C_UNARY,
                       .helper = 1 + C_DORDERED},
};

/* The comparison that is true exactly where another is false; 0 where NaN makes both false. */
static const uint8_t opposite[IR_OP_COUNT] = {
    [IR_ICMP_EQ] = IR_ICMP_NE,     [IR_ICMP_NE] = IR_ICMP_EQ,     [IR_ICMP_LT] = IR_ICMP_GE,
    [IR_ICMP_LE] = IR_ICMP_GT,     [IR_ICMP_GT] = IR_ICMP_LE,     [IR_ICMP_GE] = IR_ICMP_LT,
    [IR_UCMP_LT] = IR_UCMP_GE,     [IR_UCMP_LE] = IR_UCMP_GT,     [IR_UCMP_GT] = IR_UCMP_LE,
    [IR_UCMP_GE] = IR_UCMP_LT,     [IR_FCMP_EQ] = IR_FCMP_NE,     [IR_FCMP_NE] = IR_FCMP_EQ,
    [IR_FCMP_ORD] = IR_FCMP_UNORD, [IR_FCMP_UNORD] = IR_FCMP_ORD, [IR_LCMP_EQ] = IR_LCMP_NE,
    [IR_LCMP_NE] = IR_LCMP_EQ,     [IR_LCMP_LT] = IR_LCMP_GE,     [IR_LCMP_GE] = IR_LCMP_LT,
    [IR_LCMP_LE] = IR_LCMP_GT,     [IR_LCMP_GT] = IR_LCMP_LE,     [IR_LUCMP_LT] = IR_LUCMP_GE,
    [IR_LUCMP_GE] = IR_LUCMP_LT,   [IR_LUCMP_LE] = IR_LUCMP_GT,   [IR_LUCMP_GT] = IR_LUCMP_LE,
    [IR_DCMP_EQ] = IR_DCMP_NE,     [IR_DCMP_NE] = IR_DCMP_EQ,     [IR_DCMP_ORD] = IR_DCMP_UNORD,
    [IR_DCMP_UNORD] = IR_DCMP_ORD,
};

/* ---- Values printed inside their users ---- */

static bool accesses(ir_op op) {
    return ir_accesses(op) || op == IR_LOAD64 || op == IR_STORE64;
}

static bool is_pointer(const mat *m, ir_value v) {
    return ir_op_of(m->f, v) == IR_POINTER || ir_op_of(m->f, v) == IR_BUFFER;
}

/* A pointer is a base plus an offset and needs no variable. Any other value is inlined if used
 * once. */
static bool inlines(const mat *m, ir_value v, bool once) {
    return once || is_pointer(m, v);
}

/* With --bounds an address is printed twice. */
static bool inlines_bounds(const mat *m, ir_value v, bool once) {
    if (is_pointer(m, v))
        return true;
    ir_value user = mat_user(m, v);
    ir_op op = ir_op_of(m->f, user);
    return once && op != IR_POINTER && !(accesses(op) && ir_arg(m->f, user, 0) == v);
}

enum { MAX_DEPTH = 5 };

const mat_target c_mat_target = {
    .inlines = inlines, .inlines_once = true, .max_depth = MAX_DEPTH, .part_levels = C_MOST_LEVELS};
const mat_target c_mat_target_bounds = {
    .inlines = inlines_bounds, .max_depth = MAX_DEPTH, .part_levels = C_MOST_LEVELS};

/* ---- Names ---- */

void c_need(c_printer *p, unsigned helper) {
    p->unit->used |= (uint64_t)1 << helper;
}

void c_use(c_printer *p, c_name name) {
    c_need_names(p, C_BIT(name));
    buf_text(p->out, p->t->names[name].name);
}

bool c_const(const c_printer *p, ir_value v, uint32_t *bits) {
    const ir_node *n = ir_at(p->f, v);
    if (n->op == IR_SPECIAL)
        return emit_special_constant(p->f, n->imm, bits);
    if (n->op != IR_CONST || n->type != IR_U32)
        return false;
    *bits = (uint32_t)n->imm;
    return true;
}

bool c_is_uniform(c_printer *p, ir_value v) {
    return ir_is_uniform(p->f, &p->uniformity, v, &p->out->failed);
}

EMIT_OUTLINE static void put_special(c_printer *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    const c_entry *entry = &p->t->names[C_SPECIAL + n->imm];
    uint32_t bits;
    if (c_const(p, v, &bits)) {
        c_u32(p->out, bits);
    } else if (entry->type) {
        c_use(p, (c_name)(C_SPECIAL + n->imm));
    } else {
        c_need_names(p, entry->needs);
        buf_text(p->out, entry->name);
    }
}

/* ---- Forms ---- */

static const c_form *find_form(const c_printer *p, ir_op op) {
    const c_target *t = p->t;
    if (t->with_barriers && t->with_barriers[op].text && ir_made(p->f, IR_BARRIER))
        return &t->with_barriers[op];
    if (p->o->fp_fast && t->fast && t->fast[op].text)
        return &t->fast[op];
    if (t->of_arch && t->of_arch[op].text)
        return &t->of_arch[op];
    if (t->forms[op].text)
        return &t->forms[op];
    return forms[op].text ? &forms[op] : NULL;
}

const c_form *c_new_form(c_printer *p, ir_op op) {
    return p->forms[op] = find_form(p, op);
}

/* ---- Operations with constant operands ---- */

/* x + 4294967292 is x - 4 */
EMIT_OUTLINE static bool put_subtraction(c_printer *p, ir_value v, unsigned level) {
    enum { SMALL = 65536 };
    uint32_t bits;
    if (!c_const(p, ir_arg(p->f, v, 1), &bits) || 0 - bits > SMALL || !bits)
        return false;
    bool parentheses = level > C_ADD;
    if (parentheses)
        buf_char(p->out, '(');
    c_expression(p, ir_arg(p->f, v, 0), C_ADD);
    buf_text(p->out, " - ");
    c_u32(p->out, 0 - bits);
    if (parentheses)
        buf_char(p->out, ')');
    return true;
}

static bool is_masked(const c_printer *p, ir_value v, uint32_t mask) {
    uint32_t bits;
    return ir_op_of(p->f, v) == IR_AND &&
           ((c_const(p, ir_arg(p->f, v, 1), &bits) && bits <= mask) ||
            (c_const(p, ir_arg(p->f, v, 0), &bits) && bits <= mask));
}

/* A shift as text: the start with the value, and the text after the amount. Signed results are cast
 * back to unsigned. */
typedef struct shift_text {
    const char *start, *end;
    uint8_t level;
} shift_text;

/* The amount is taken modulo 32 or 64. */
EMIT_OUTLINE static void put_shift(c_printer *p, ir_value v, unsigned level) {
    static const shift_text texts[IR_OP_COUNT] = {
        [IR_SHL] = {"$0 << ", "", C_SHIFT},
        [IR_SHR] = {"$0 >> ", "", C_SHIFT},
        [IR_SAR] = {"(uint32_t)(#0 >> ", ")", C_UNARY},
        [IR_LSHL] = {"$0 << ", "", C_SHIFT},
        [IR_LSHR] = {"$0 >> ", "", C_SHIFT},
        [IR_LSAR] = {"(uint64_t)(#0 >> ", ")", C_UNARY},
    };
    const shift_text *text = &texts[ir_op_of(p->f, v)];
    const ir_value *args = ir_args(p->f, v);
    uint32_t bits, mask = ir_type_of(p->f, v) == IR_U64 ? 63 : 31;
    c_form start = {.text = text->start, .level = text->level, .operands = {C_UNARY}};
    bool parentheses = start.level < level;
    if (parentheses)
        buf_char(p->out, '(');
    c_format(p, &start, args);
    if (c_const(p, args[1], &bits)) {
        buf_decimal(p->out, bits & mask);
    } else if (is_masked(p, args[1], mask)) {
        c_expression(p, args[1], C_UNARY);
    } else {
        buf_char(p->out, '(');
        c_expression(p, args[1], C_UNARY);
        buf_text(p->out, mask == 63 ? " & 63u)" : " & 31u)");
    }
    buf_text(p->out, text->end);
    if (parentheses)
        buf_char(p->out, ')');
}

/* Division by a constant that is not a special case (0, or -1 for signed). */
EMIT_OUTLINE static bool put_division(c_printer *p, ir_value v, unsigned level) {
#define SIGNED(type, op)                                                                           \
    {                                                                                              \
        .text = "(" type ")(#0 " op " #1)", .level = C_UNARY, .operands = { C_MULTIPLY, C_UNARY }  \
    }
    static const c_form texts[IR_OP_COUNT] = {
        [IR_UDIV] = C_BINARY("/", C_MULTIPLY, C_MULTIPLY, C_UNARY),
        [IR_UMOD] = C_BINARY("%", C_MULTIPLY, C_MULTIPLY, C_UNARY),
        [IR_IDIV] = SIGNED("uint32_t", "/"),
        [IR_IMOD] = SIGNED("uint32_t", "%"),
        [IR_LUDIV] = C_BINARY("/", C_MULTIPLY, C_MULTIPLY, C_UNARY),
        [IR_LUMOD] = C_BINARY("%", C_MULTIPLY, C_MULTIPLY, C_UNARY),
        [IR_LDIV] = SIGNED("uint64_t", "/"),
        [IR_LMOD] = SIGNED("uint64_t", "%"),
    };
#undef SIGNED
    const c_form *form = &texts[ir_op_of(p->f, v)];
    bool wide = ir_type_of(p->f, v) == IR_U64;
    uint32_t word = 0;
    uint64_t by;
    if (wide ? !ir_is_const(p->f, ir_arg(p->f, v, 1), &by) : !c_const(p, ir_arg(p->f, v, 1), &word))
        return false;
    if (!wide)
        by = word;
    bool minus_one = by == (wide ? UINT64_MAX : UINT32_MAX);
    if (by == 0 || (minus_one && form->level == C_UNARY)) /* signed division */
        return false;
    c_form_at(p, form, ir_args(p->f, v), level);
    return true;
}

EMIT_OUTLINE static bool put_conversion(c_printer *p, ir_value v, unsigned level) {
    static const c_form plain = {
        .text = "(uint32_t)(int32_t)$0", .level = C_UNARY, .operands = {C_UNARY}};
    if (!c_fits_i32(p->f, ir_arg(p->f, v, 0)))
        return false;
    c_form_at(p, &plain, ir_args(p->f, v), level);
    return true;
}

void c_bitcast(c_printer *p, ir_type to, ir_value from, unsigned level) {
    ir_type type = ir_type_of(p->f, from);
    if (to == type) {
        c_expression(p, from, level);
        return;
    }
    const char *text = p->t->bitcasts[to][type];
    if (!text || (to == IR_F32 && c_typed_argument(p, from, IR_F32)) ||
        (to == IR_F64 && c_wide_argument(p, from, IR_F64)))
        return;
    c_format_cast(p, text, &from);
}

/* One word of a wide load, x3.y, in the type of its use. */
EMIT_OUTLINE static void put_part(c_printer *p, ir_value v) {
    ir_value load = ir_arg(p->f, v, 0);
    ir_type as = ir_type_of(p->f, v), is = c_parts_type(p, load);
    const char *cast = as == is ? "$0" : p->t->bitcasts[as][is];
    for (const char *c = cast; *c; c++) {
        if (*c != '$') {
            buf_char(p->out, *c);
            continue;
        }
        c++;
        c_variable(p, load);
        buf_text(p->out, p->t->component[ir_at(p->f, v)->imm]);
    }
}

/* ---- Comparisons of a value with itself ---- */

/* Two operands that are printed as the same text. */
static bool is_same(const c_printer *p, ir_value a, ir_value b) {
    return a == b || (p->m.kind[a] == MAT_TEMPORARY && p->m.kind[b] == MAT_TEMPORARY &&
                      mat_home(&p->m, a) == mat_home(&p->m, b));
}

static bool is_opposite(const c_printer *p, ir_value a, ir_value b) {
    return ir_op_of(p->f, b) == IR_BNOT && p->m.kind[b] == MAT_INLINE &&
           is_same(p, a, ir_arg(p->f, b, 0));
}

/* Operations that look like a mistake if both operands are the same value. */
enum { JOINS = 1, TESTS_NAN, COMPARES };
static const uint8_t twice[IR_OP_COUNT] = {
    [IR_BAND] = JOINS,           [IR_BOR] = JOINS,          [IR_FCMP_ORD] = TESTS_NAN,
    [IR_FCMP_UNORD] = TESTS_NAN, [IR_DCMP_ORD] = TESTS_NAN, [IR_DCMP_UNORD] = TESTS_NAN,
    [IR_BXOR] = COMPARES,        [IR_ICMP_EQ] = COMPARES,   [IR_ICMP_NE] = COMPARES,
    [IR_UCMP_LT] = COMPARES,     [IR_UCMP_LE] = COMPARES,   [IR_UCMP_GT] = COMPARES,
    [IR_UCMP_GE] = COMPARES,     [IR_LCMP_EQ] = COMPARES,   [IR_LCMP_NE] = COMPARES,
    [IR_LUCMP_LT] = COMPARES,    [IR_LUCMP_LE] = COMPARES,  [IR_LUCMP_GT] = COMPARES,
    [IR_LUCMP_GE] = COMPARES,
};

/* x == x and b && !b: compilers warn about these unless they look deliberate. For floats, x != x is
 * the common NaN test and is kept. */
EMIT_OUTLINE static bool put_pointless(c_printer *p, ir_op op, const ir_value *args,
                                       unsigned level) {
    if (!twice[op])
        return false;
    static const c_form both = C_BINARY("&", C_BITS, C_UNARY, C_UNARY),
                        either = C_BINARY("|", C_BITS, C_UNARY, C_UNARY);
    if (twice[op] == JOINS) {
        if (!is_opposite(p, args[0], args[1]) && !is_opposite(p, args[1], args[0]))
            return false;
        c_form_at(p, op == IR_BAND ? &both : &either, args, level);
        return true;
    }
    if (!is_same(p, args[0], args[1]))
        return false;
    if (twice[op] == TESTS_NAN) {
        static const uint8_t of_nan[IR_OP_COUNT] = {[IR_FCMP_ORD] = IR_FCMP_EQ,
                                                    [IR_FCMP_UNORD] = IR_FCMP_NE,
                                                    [IR_DCMP_ORD] = IR_DCMP_EQ,
                                                    [IR_DCMP_UNORD] = IR_DCMP_NE};
        c_form_at(p, c_form_of(p, (ir_op)of_nan[op]), args, level);
        return true;
    }
    bool wide = ir_type_of(p->f, args[0]) == IR_U64;
    buf_text(p->out, level > C_COMPARE ? "(" : "");
    buf_text(p->out, op == IR_BXOR ? "(bool)" : wide ? "(uint64_t)" : "(uint32_t)");
    c_form form = *c_form_of(p, op);
    form.operands[0] = C_UNARY;
    c_format(p, &form, args);
    buf_text(p->out, level > C_COMPARE ? ")" : "");
    return true;
}

/* ---- Any operation ---- */

bool c_has_form(c_printer *p, ir_value v) {
    switch (ir_op_of(p->f, v)) {
    case IR_BNOT:
    case IR_BITCAST:
    case IR_SHL:
    case IR_SHR:
    case IR_SAR:
    case IR_LSHL:
    case IR_LSHR:
    case IR_LSAR:
    case IR_RESULT:
    case IR_CALL:
    case IR_CONST:
    case IR_ARG:
    case IR_SPECIAL: return true;
    default: return c_form_of(p, ir_op_of(p->f, v)) != NULL;
    }
}

void c_operation(c_printer *p, ir_value v, unsigned level) {
    const ir_node *n = ir_at(p->f, v);
    if (twice[n->op] && put_pointless(p, (ir_op)n->op, ir_args(p->f, v), level))
        return;
    switch (n->op) {
    case IR_CONST: c_literal(p, (ir_type)n->type, n->imm, level); return;
    case IR_ARG: c_argument(p, v, level); return;
    case IR_PACK64:
        if (c_wide_argument(p, v, IR_U64))
            return;
        break;
    case IR_SPECIAL: put_special(p, v); return;
    case IR_RESULT: put_part(p, v); return;
    case IR_CALL: c_call(p, v); return;
    case IR_BNOT: c_condition(p, n->args[0], true, level); return;
    case IR_BITCAST: c_bitcast(p, (ir_type)n->type, n->args[0], level); return;
    case IR_SHL:
    case IR_SHR:
    case IR_SAR:
    case IR_LSHL:
    case IR_LSHR:
    case IR_LSAR: put_shift(p, v, level); return;
    case IR_IADD:
        if (put_subtraction(p, v, level))
            return;
        break;
    case IR_CVT_I32_F32:
        if (put_conversion(p, v, level))
            return;
        break;
    case IR_IDIV:
    case IR_IMOD:
    case IR_UDIV:
    case IR_UMOD:
    case IR_LDIV:
    case IR_LMOD:
    case IR_LUDIV:
    case IR_LUMOD:
        if (put_division(p, v, level))
            return;
        break;
    default: break;
    }
    const c_form *form = c_form_of(p, (ir_op)n->op);
    if (form)
        c_form_at(p, form, ir_args(p->f, v), level);
    else
        c_reject(p, v);
}

void c_expression(c_printer *p, ir_value v, unsigned level) {
    if (p->m.kind[v] == MAT_INLINE)
        c_operation(p, v, level);
    else
        c_variable(p, v);
}

void c_signed(c_printer *p, ir_value v, unsigned level) {
    uint32_t bits;
    bool wide = ir_type_of(p->f, v) == IR_U64;
    if (c_typed_argument(p, v, IR_U32))
        return;
    if (wide || !c_const(p, v, &bits)) {
        buf_text(p->out, level > C_UNARY ? "(" : "");
        buf_text(p->out, wide ? "(int64_t)" : "(int32_t)");
        c_expression(p, v, C_UNARY);
        buf_text(p->out, level > C_UNARY ? ")" : "");
    } else if (bits == 0x80000000u) {
        buf_text(p->out, "(-2147483647 - 1)");
    } else {
        bool negative = bits >> 31;
        buf_text(p->out, negative ? "-" : "");
        buf_decimal(p->out, negative ? 0 - bits : bits);
    }
}

void c_condition(c_printer *p, ir_value v, bool negated, unsigned level) {
    while (ir_op_of(p->f, v) == IR_BNOT && p->m.kind[v] == MAT_INLINE) {
        negated = !negated;
        v = ir_arg(p->f, v, 0);
    }
    ir_op op = ir_op_of(p->f, v);
    if (!negated) {
        c_expression(p, v, level);
    } else if (p->m.kind[v] == MAT_INLINE && opposite[op]) {
        if (!put_pointless(p, (ir_op)opposite[op], ir_args(p->f, v), level))
            c_form_at(p, c_form_of(p, (ir_op)opposite[op]), ir_args(p->f, v), level);
    } else {
        buf_text(p->out, level > C_UNARY ? "(!" : "!");
        c_expression(p, v, C_UNARY);
        buf_text(p->out, level > C_UNARY ? ")" : "");
    }
}
