/* Values: every pure operation except the wave operations and the integers of ptx_integer.c. Most
 * are one instruction, listed in a table. Those whose edge cases PTX leaves undefined or defines
 * differently have a function. An operation of several instructions writes its result with the last
 * one, because the result may share its register with an operand. docs/reference/ptx.md says why
 * each is exact. */
#include "emit_ptx/ptx.h"

/* Operations that are one instruction with the same operands. The last type of the mnemonic is the
 * operands' type; .b32 accepts a register of any 32-bit class. */
static const char *const one[IR_OP_COUNT] = {
    [IR_IADD] = "add.s32 $, $, $",
    [IR_ISUB] = "sub.s32 $, $, $",
    [IR_IMUL] = "mul.lo.s32 $, $, $",
    [IR_IMUL_HI] = "mul.hi.u32 $, $, $",
    [IR_INEG] = "neg.s32 $, $",
    [IR_IABS] = "abs.s32 $, $",
    [IR_IMIN] = "min.s32 $, $, $",
    [IR_IMAX] = "max.s32 $, $, $",
    [IR_UMIN] = "min.u32 $, $, $",
    [IR_UMAX] = "max.u32 $, $, $",
    [IR_AND] = "and.b32 $, $, $",
    [IR_OR] = "or.b32 $, $, $",
    [IR_XOR] = "xor.b32 $, $, $",
    [IR_NOT] = "not.b32 $, $",
    [IR_BITCOUNT] = "popc.b32 $, $",
    [IR_BITFIND] = "bfind.shiftamt.u32 $, $",
    [IR_BITREV] = "brev.b32 $, $",

    [IR_LADD] = "add.s64 $, $, $",
    [IR_LSUB] = "sub.s64 $, $, $",
    [IR_LMUL] = "mul.lo.s64 $, $, $",
    [IR_LMUL_HI] = "mul.hi.u64 $, $, $",

    [IR_FADD] = "add.rn.f32 $, $, $",
    [IR_FSUB] = "sub.rn.f32 $, $, $",
    [IR_FMUL] = "mul.rn.f32 $, $, $",
    [IR_FMA] = "fma.rn.f32 $, $, $, $",
    [IR_FDIV] = "div.rn.f32 $, $, $",
    [IR_FMIN] = "min.f32 $, $, $",
    [IR_FMAX] = "max.f32 $, $, $",
    [IR_FSQRT] = "sqrt.rn.f32 $, $",
    [IR_FRCP] = "rcp.rn.f32 $, $",
    [IR_FFLOOR] = "cvt.rmi.f32.f32 $, $",
    [IR_FCEIL] = "cvt.rpi.f32.f32 $, $",
    [IR_FROUND] = "cvt.rni.f32.f32 $, $",
    [IR_FTRUNC] = "cvt.rzi.f32.f32 $, $",

    [IR_HADD] = "add.rn.f16 $, $, $",
    [IR_HSUB] = "sub.rn.f16 $, $, $",
    [IR_HMUL] = "mul.rn.f16 $, $, $",
    [IR_HMA] = "fma.rn.f16 $, $, $, $",
    [IR_HADD2] = "add.rn.f16x2 $, $, $",
    [IR_HMUL2] = "mul.rn.f16x2 $, $, $",
    [IR_HMA2] = "fma.rn.f16x2 $, $, $, $",

    [IR_DADD] = "add.rn.f64 $, $, $",
    [IR_DSUB] = "sub.rn.f64 $, $, $",
    [IR_DMUL] = "mul.rn.f64 $, $, $",
    [IR_DMA] = "fma.rn.f64 $, $, $, $",
    [IR_DDIV] = "div.rn.f64 $, $, $",
    [IR_DSQRT] = "sqrt.rn.f64 $, $",
    [IR_DMIN] = "min.f64 $, $, $",
    [IR_DMAX] = "max.f64 $, $, $",
    [IR_DFLOOR] = "cvt.rmi.f64.f64 $, $",
    [IR_DCEIL] = "cvt.rpi.f64.f64 $, $",
    [IR_DROUND] = "cvt.rni.f64.f64 $, $",
    [IR_DTRUNC] = "cvt.rzi.f64.f64 $, $",

    [IR_CVT_F32_I32] = "cvt.rn.f32.s32 $, $",
    [IR_CVT_F32_U32] = "cvt.rn.f32.u32 $, $",
    [IR_CVT_I32_F32] = "cvt.rzi.s32.f32 $, $",
    [IR_CVT_U32_F32] = "cvt.rzi.u32.f32 $, $",
    [IR_CVT_F32_F16] = "cvt.f32.f16 $, $",
    [IR_CVT_F16_F32] = "cvt.rn.f16.f32 $, $",
    [IR_CVT_F32_F64] = "cvt.rn.f32.f64 $, $",
    [IR_CVT_F64_F32] = "cvt.f64.f32 $, $",
    [IR_CVT_F64_I32] = "cvt.rn.f64.s32 $, $",
    [IR_CVT_F64_U32] = "cvt.rn.f64.u32 $, $",
    [IR_CVT_F64_I64] = "cvt.rn.f64.s64 $, $",
    [IR_CVT_F64_U64] = "cvt.rn.f64.u64 $, $",
    [IR_CVT_F32_I64] = "cvt.rn.f32.s64 $, $",
    [IR_CVT_F32_U64] = "cvt.rn.f32.u64 $, $",
    [IR_CVT_F16_F64] = "cvt.rn.f16.f64 $, $",
    [IR_CVT_F64_F16] = "cvt.f64.f16 $, $",
    [IR_LOW16] = "cvt.u16.u32 $, $",
    [IR_ZEXT16] = "cvt.u32.u16 $, $",
};

/* For --fp=fast, tried before the others. All flush subnormals: without that, MUFU needs scaling
 * around it, up to seven instructions instead of one. */
static const char *const fast[IR_OP_COUNT] = {
    [IR_FDIV] = "div.approx.ftz.f32 $, $, $", [IR_FSQRT] = "sqrt.approx.ftz.f32 $, $",
    [IR_FRCP] = "rcp.approx.ftz.f32 $, $",    [IR_FRSQRT] = "rsqrt.approx.ftz.f32 $, $",
    [IR_FSIN] = "sin.approx.ftz.f32 $, $",    [IR_FCOS] = "cos.approx.ftz.f32 $, $",
    [IR_FEXP2] = "ex2.approx.ftz.f32 $, $",   [IR_FLOG2] = "lg2.approx.ftz.f32 $, $",
};

/* Comparisons, alone and combined with another predicate. */
#define COMPARE(how, type)                                                                         \
    {                                                                                              \
        "setp." how "." type " $, $, $", {                                                         \
            "setp." how ".and." type " $, $, $, $", "setp." how ".or." type " $, $, $, $",         \
                "setp." how ".xor." type " $, $, $, $"                                             \
        }                                                                                          \
    }

static const struct {
    const char *alone, *joined[3];
} compare[IR_OP_COUNT] = {
    [IR_ICMP_EQ] = COMPARE("eq", "s32"),   [IR_ICMP_NE] = COMPARE("ne", "s32"),
    [IR_ICMP_LT] = COMPARE("lt", "s32"),   [IR_ICMP_LE] = COMPARE("le", "s32"),
    [IR_ICMP_GT] = COMPARE("gt", "s32"),   [IR_ICMP_GE] = COMPARE("ge", "s32"),
    [IR_UCMP_LT] = COMPARE("lt", "u32"),   [IR_UCMP_LE] = COMPARE("le", "u32"),
    [IR_UCMP_GT] = COMPARE("gt", "u32"),   [IR_UCMP_GE] = COMPARE("ge", "u32"),
    [IR_FCMP_EQ] = COMPARE("eq", "f32"),   [IR_FCMP_NE] = COMPARE("neu", "f32"),
    [IR_FCMP_LT] = COMPARE("lt", "f32"),   [IR_FCMP_LE] = COMPARE("le", "f32"),
    [IR_FCMP_GT] = COMPARE("gt", "f32"),   [IR_FCMP_GE] = COMPARE("ge", "f32"),
    [IR_FCMP_ORD] = COMPARE("num", "f32"), [IR_FCMP_UNORD] = COMPARE("nan", "f32"),
    [IR_LCMP_EQ] = COMPARE("eq", "s64"),   [IR_LCMP_NE] = COMPARE("ne", "s64"),
    [IR_LCMP_LT] = COMPARE("lt", "s64"),   [IR_LCMP_LE] = COMPARE("le", "s64"),
    [IR_LCMP_GT] = COMPARE("gt", "s64"),   [IR_LCMP_GE] = COMPARE("ge", "s64"),
    [IR_LUCMP_LT] = COMPARE("lt", "u64"),  [IR_LUCMP_LE] = COMPARE("le", "u64"),
    [IR_LUCMP_GT] = COMPARE("gt", "u64"),  [IR_LUCMP_GE] = COMPARE("ge", "u64"),
    [IR_DCMP_EQ] = COMPARE("eq", "f64"),   [IR_DCMP_NE] = COMPARE("neu", "f64"),
    [IR_DCMP_LT] = COMPARE("lt", "f64"),   [IR_DCMP_LE] = COMPARE("le", "f64"),
    [IR_DCMP_GT] = COMPARE("gt", "f64"),   [IR_DCMP_GE] = COMPARE("ge", "f64"),
    [IR_DCMP_ORD] = COMPARE("num", "f64"), [IR_DCMP_UNORD] = COMPARE("nan", "f64"),
};

/* ---- Values printed inside their users ---- */

static bool joins(ir_op op) {
    return op == IR_BAND || op == IR_BOR || op == IR_BXOR;
}

static bool used_once_here(const mat *m, ir_value v) {
    return mat_is_used_once(m, v) && ir_at(m->f, mat_user(m, v))->region == ir_at(m->f, v)->region;
}

/* A user can absorb only one operand: the first, if both qualify. */
static bool is_chosen(const mat *m, ir_value user, ir_value v, bool (*fits)(ir_op)) {
    ir_value first = ir_arg(m->f, user, 0);
    return first == v || !(fits(ir_op_of(m->f, first)) && used_once_here(m, first));
}

static bool is_compare(ir_op op) {
    return compare[op].alone != NULL;
}

/* Whether the operation reads `v` as bits, in a register of any class. */
static bool reads_bits(const ir_func *f, ir_value user, ir_value v) {
    switch (ir_op_of(f, user)) {
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_NOT:
    case IR_BITCOUNT:
    case IR_BITREV:
    case IR_PACK64:
    case IR_LO64:
    case IR_HI64: return true;
    case IR_SHL:
    case IR_SHR:
    case IR_LSHL:
    case IR_LSHR: return ir_arg(f, user, 1) != v; /* the amount is a number */
    case IR_SELECT: return ir_type_of(f, user) != IR_F32 && ir_type_of(f, user) != IR_F64;
    case IR_STORE:
        return ir_arg(f, user, 0) != v && ir_access_unpack(ir_at(f, user)->imm).bytes >= 4;
    default: return false;
    }
}

/* The class of the register that holds a value, seen through inline bitcasts. */
static ptx_class class_of_origin(const mat *m, ir_value v) {
    while (ir_op_of(m->f, v) == IR_BITCAST && m->kind[v] == MAT_INLINE)
        v = ir_arg(m->f, v, 0);
    return ptx_class_of(ir_type_of(m->f, v));
}

/* Untyped registers can be used as any type; f32 and f64 registers only where bits are read. */
static bool inlines_bitcast(const mat *m, ir_value v) {
    ptx_class from = class_of_origin(m, ir_arg(m->f, v, 0));
    if (from == PTX_B32 || from == PTX_B64)
        return true;
    for (uint32_t k = m->use[v]; k; k = m->uses[k].next)
        if (!reads_bits(m->f, m->uses[k].user, v))
            return false;
    return true;
}

static bool inlines_not(const mat *m, ir_value v) {
    for (uint32_t k = m->use[v]; k; k = m->uses[k].next) {
        ir_value user = m->uses[k].user;
        switch (ir_op_of(m->f, user)) {
        case IR_IF:
        case IR_ASSERT:
        case IR_WAVE_BALLOT:
        case IR_WAVE_BALLOT64:
        case IR_WAVE_ANY:
        case IR_WAVE_ALL: break;
        case IR_SELECT:
            if (ir_type_of(m->f, user) == IR_BOOL || ir_arg(m->f, user, 1) == v ||
                ir_arg(m->f, user, 2) == v)
                return false;
            break;
        default: return false;
        }
    }
    return true;
}

static bool inlines(const mat *m, ir_value v, bool once) {
    ir_op op = ir_op_of(m->f, v);
    ir_value user = mat_user(m, v);
    if (op == IR_BITCAST)
        return inlines_bitcast(m, v);
    if (op == IR_BNOT)
        return inlines_not(m, v);
    if (ptx_is_product(op))
        return once && ir_op_of(m->f, user) == (op == IR_IMUL ? IR_IADD : IR_LADD) &&
               is_chosen(m, user, v, ptx_is_product);
    if (is_compare(op))
        return once && joins(ir_op_of(m->f, user)) && is_chosen(m, user, v, is_compare);
    return false;
}

static const bool may_inline[IR_OP_COUNT] = {
    [IR_BITCAST] = true,    [IR_BNOT] = true,     [IR_IMUL] = true,     [IR_ICMP_EQ] = true,
    [IR_ICMP_NE] = true,    [IR_ICMP_LT] = true,  [IR_ICMP_LE] = true,  [IR_ICMP_GT] = true,
    [IR_ICMP_GE] = true,    [IR_UCMP_LT] = true,  [IR_UCMP_LE] = true,  [IR_UCMP_GT] = true,
    [IR_UCMP_GE] = true,    [IR_FCMP_EQ] = true,  [IR_FCMP_NE] = true,  [IR_FCMP_LT] = true,
    [IR_FCMP_LE] = true,    [IR_FCMP_GT] = true,  [IR_FCMP_GE] = true,  [IR_FCMP_ORD] = true,
    [IR_FCMP_UNORD] = true, [IR_LMUL] = true,     [IR_LCMP_EQ] = true,  [IR_LCMP_NE] = true,
    [IR_LCMP_LT] = true,    [IR_LCMP_LE] = true,  [IR_LCMP_GT] = true,  [IR_LCMP_GE] = true,
    [IR_LUCMP_LT] = true,   [IR_LUCMP_LE] = true, [IR_LUCMP_GT] = true, [IR_LUCMP_GE] = true,
    [IR_DCMP_EQ] = true,    [IR_DCMP_NE] = true,  [IR_DCMP_LT] = true,  [IR_DCMP_LE] = true,
    [IR_DCMP_GT] = true,    [IR_DCMP_GE] = true,  [IR_DCMP_ORD] = true, [IR_DCMP_UNORD] = true};

const mat_target ptx_mat_target = {.may_inline = may_inline, .inlines = inlines, .max_depth = 8};

static ptx_operand arg(ptx *p, ir_value v, unsigned k) {
    return ptx_use(p, ir_arg(p->f, v, k));
}

/* ---- Floats ---- */

/* Whether all uses are float arithmetic, which does not distinguish NaNs. */
static bool only_computed_with(const ptx *p, ir_value v) {
    for (uint32_t k = p->m.use[v]; k; k = p->m.uses[k].next) {
        ir_op op = ir_op_of(p->f, p->m.uses[k].user);
        bool arithmetic = (op >= IR_FADD && op <= IR_FDIV) || (op >= IR_FSQRT && op <= IR_FRSQRT) ||
                          (op >= IR_FCMP_EQ && op <= IR_FCMP_UNORD) ||
                          (op >= IR_DADD && op <= IR_DSQRT) ||
                          (op >= IR_DCMP_EQ && op <= IR_DCMP_UNORD);
        if (!arithmetic)
            return false;
    }
    return true;
}

/* Changes only the sign bit, even of NaNs; neg.f32 guarantees that only for numbers. */
static void put_sign(ptx *p, ir_value v) {
    bool negates = ir_op_of(p->f, v) == IR_FNEG;
    ptx_operand x = arg(p, v, 0), d = ptx_dest(p, v);
    if (only_computed_with(p, v))
        ptx_line(p, negates ? "neg.f32 $, $" : "abs.f32 $, $", d, x);
    else if (negates)
        ptx_line(p, "xor.b32 $, $, $", d, x, ptx_u32(0x80000000u));
    else
        ptx_line(p, "and.b32 $, $, $", d, x, ptx_u32(0x7FFFFFFF));
}

static void put_sign64(ptx *p, ir_value v) {
    bool negates = ir_op_of(p->f, v) == IR_DNEG;
    ptx_operand x = arg(p, v, 0), d = ptx_dest(p, v);
    if (only_computed_with(p, v))
        ptx_line(p, negates ? "neg.f64 $, $" : "abs.f64 $, $", d, x);
    else if (negates)
        ptx_line(p, "xor.b64 $, $, $", d, x, ptx_imm(IR_U64, 0x8000000000000000u));
    else
        ptx_line(p, "and.b64 $, $, $", d, x, ptx_imm(IR_U64, 0x7FFFFFFFFFFFFFFFu));
}

/* From f64, or to 64 bits, PTX converts NaN to the middle of the range instead of 0. */
static void put_conversion(ptx *p, ir_value v, const char *format) {
    bool wide = ir_type_of(p->f, v) == IR_U64;
    bool from_f32 = ir_type_of(p->f, ir_arg(p->f, v, 0)) == IR_F32;
    ptx_operand x = ptx_use_reg(p, ir_arg(p->f, v, 0)), nan = ptx_new(p, PTX_PRED),
                number = ptx_new(p, wide ? PTX_B64 : PTX_B32);
    ptx_line(p, format, number, x);
    ptx_line(p, from_f32 ? "setp.nan.f32 $, $, $" : "setp.nan.f64 $, $, $", nan, x, x);
    ptx_line(p, wide ? "selp.b64 $, 0, $, $" : "selp.b32 $, 0, $, $", ptx_dest(p, v), number, nan);
}

/* x - floor(x), but never 1. NaN must propagate, so a min would be wrong. */
static void put_fract(ptx *p, ir_value v) {
    ptx_operand x = arg(p, v, 0), floor = ptx_new(p, PTX_F32);
    ptx_line(p, "cvt.rmi.f32.f32 $, $", floor, x);
    if (p->o->fp_fast) { /* 1 where x is below 0 and tiny */
        ptx_line(p, "sub.rn.f32 $, $, $", ptx_dest(p, v), x, floor);
        return;
    }
    ptx_operand rest = ptx_new(p, PTX_F32), one_reached = ptx_new(p, PTX_PRED);
    ptx_line(p, "sub.rn.f32 $, $, $", rest, x, floor);
    ptx_line(p, "setp.ge.f32 $, $, $", one_reached, rest, ptx_imm(IR_F32, 0x3F800000));
    ptx_line(p, "selp.f32 $, $, $, $", ptx_dest(p, v), ptx_imm(IR_F32, 0x3F7FFFFF), rest,
             one_reached);
}

/* Two steps, each one rounded. */
static void put_rsqrt(ptx *p, ir_value v) {
    ptx_operand root = ptx_new(p, PTX_F32);
    ptx_line(p, "sqrt.rn.f32 $, $", root, arg(p, v, 0));
    ptx_line(p, "rcp.rn.f32 $, $", ptx_dest(p, v), root);
}

/* 1 / x as rcp: it rounds like a division, in two thirds of the instructions. */
EMIT_OUTLINE static bool put_reciprocal(ptx *p, ir_value v) {
    uint64_t bits;
    if (!ir_is_const(p->f, ir_arg(p->f, v, 0), &bits) || bits != 0x3F800000)
        return false;
    ptx_line(p, p->o->fp_fast ? fast[IR_FRCP] : one[IR_FRCP], ptx_dest(p, v), arg(p, v, 1));
    return true;
}

/* max comes first: it turns NaN and -0 into +0. */
static void put_sat(ptx *p, ir_value v) {
    ptx_operand x = arg(p, v, 0), low = ptx_new(p, PTX_F32);
    ptx_line(p, "max.f32 $, $, $", low, x, ptx_imm(IR_F32, 0));
    ptx_line(p, "min.f32 $, $, $", ptx_dest(p, v), low, ptx_imm(IR_F32, 0x3F800000));
}

/* ---- Predicates and select ---- */

static void put_joined(ptx *p, ir_value v) {
    static const char *const plain[3] = {"and.pred $, $, $", "or.pred $, $, $", "xor.pred $, $, $"};
    unsigned how = (unsigned)(ir_op_of(p->f, v) - IR_BAND);
    for (unsigned k = 0; k < 2; k++) {
        ir_value c = ir_arg(p->f, v, k);
        if (!is_compare(ir_op_of(p->f, c)) || p->m.kind[c] != MAT_INLINE)
            continue;
        ptx_operand x = arg(p, c, 0), y = arg(p, c, 1), other = arg(p, v, 1 - k);
        ptx_line(p, compare[ir_op_of(p->f, c)].joined[how], ptx_dest(p, v), x, y, other);
        return;
    }
    ptx_operand x = arg(p, v, 0), y = arg(p, v, 1);
    ptx_line(p, plain[how], ptx_dest(p, v), x, y);
}

_Static_assert(IR_BOR == IR_BAND + 1 && IR_BXOR == IR_BAND + 2, "joined[] is in this order");

EMIT_OUTLINE static void put_compare(ptx *p, ir_value v) {
    ptx_operand x = arg(p, v, 0), y = arg(p, v, 1);
    ptx_line(p, compare[ir_op_of(p->f, v)].alone, ptx_dest(p, v), x, y);
}

/* c ? a : b of predicates is (c and a) or (not c and b); shorter if a or b is constant. */
static void put_select_pred(ptx *p, ir_value v) {
    uint32_t yes = 2, no = 2;
    ptx_operand c = arg(p, v, 0);
    ptx_const(p, ir_arg(p->f, v, 1), &yes);
    ptx_const(p, ir_arg(p->f, v, 2), &no);
    if (yes == 1 || no == 0) { /* c or b, c and a */
        ptx_operand other = arg(p, v, yes == 1 ? 2 : 1);
        ptx_line(p, yes == 1 ? "or.pred $, $, $" : "and.pred $, $, $", ptx_dest(p, v), c, other);
        return;
    }
    ptx_operand unless = ptx_new(p, PTX_PRED);
    if (yes == 0 || no == 1) { /* not c and b, not c or a */
        ptx_operand other = arg(p, v, yes == 0 ? 2 : 1);
        ptx_line(p, "not.pred $, $", unless, c);
        ptx_line(p, yes == 0 ? "and.pred $, $, $" : "or.pred $, $, $", ptx_dest(p, v), unless,
                 other);
        return;
    }
    ptx_operand a = arg(p, v, 1), b = arg(p, v, 2);
    ptx_operand first = ptx_new(p, PTX_PRED), second = ptx_new(p, PTX_PRED);
    ptx_line(p, "and.pred $, $, $", first, c, a);
    ptx_line(p, "not.pred $, $", unless, c);
    ptx_line(p, "and.pred $, $, $", second, unless, b);
    ptx_line(p, "or.pred $, $, $", ptx_dest(p, v), first, second);
}

static void put_select(ptx *p, ir_value v) {
    static const char *const format[IR_TYPE_COUNT] = {
        [IR_U32] = "selp.b32 $, $, $, $", [IR_F16X2] = "selp.b32 $, $, $, $",
        [IR_F32] = "selp.f32 $, $, $, $", [IR_F16] = "selp.b16 $, $, $, $",
        [IR_U64] = "selp.b64 $, $, $, $", [IR_F64] = "selp.f64 $, $, $, $"};
    ir_type type = ir_type_of(p->f, v);
    if (type == IR_BOOL) {
        put_select_pred(p, v);
        return;
    }
    bool negated;
    ptx_operand c = ptx_condition(p, ir_arg(p->f, v, 0), &negated);
    ptx_operand a = arg(p, v, negated ? 2 : 1), b = arg(p, v, negated ? 1 : 2);
    if (ir_is_wave_tile(type)) {
        ptx_tile_select(p, type, ptx_dest(p, v), ptx_in_reg(p, a), ptx_in_reg(p, b), c);
        return;
    }
    ptx_line(p, format[type], ptx_dest(p, v), a, b, c);
}

/* ---- Reinterpretation ---- */

/* lo64 directly followed by hi64 is one unpacking. */
static void put_half(ptx *p, ir_value v) {
    ir_value source = ir_arg(p->f, v, 0), next = ir_at(p->f, v)->next, prev = ir_at(p->f, v)->prev;
    bool low = ir_op_of(p->f, v) == IR_LO64;
    if (!low && prev && ir_op_of(p->f, prev) == IR_LO64 && ir_arg(p->f, prev, 0) == source &&
        p->m.kind[prev] == MAT_TEMPORARY)
        return; /* printed with lo64 */
    bool both = low && ir_op_of(p->f, next) == IR_HI64 && ir_arg(p->f, next, 0) == source &&
                p->m.kind[next] == MAT_TEMPORARY;
    ptx_operand x = ptx_use_reg(p, source), d = ptx_dest(p, v);
    if (both)
        ptx_line(p, "mov.b64 {$, $}, $", d, ptx_dest(p, next), x);
    else
        ptx_line(p, low ? "mov.b64 {$, _}, $" : "mov.b64 {_, $}, $", d, x);
}

/* A vector of operands cannot mix a constant with a register of class f32. */
static void put_pack(ptx *p, ir_value v) {
    ptx_operand low = arg(p, v, 0), high = arg(p, v, 1);
    uint32_t bits;
    if (p->o->arch >= PTX_WIDE_FROM && low.reg && ptx_reg_class(low.reg) == PTX_B32 &&
        ptx_const(p, ir_arg(p->f, v, 1), &bits) && !bits) {
        ptx_line(p, "mul.wide.u32 $, $, 1", ptx_dest(p, v), low); /* as in ptx_memory.c */
        return;
    }
    if (ptx_reg_class(low.reg) == PTX_F32 || ptx_reg_class(high.reg) == PTX_F32) {
        low = ptx_in_reg(p, low);
        high = ptx_in_reg(p, high);
    }
    ptx_line(p, "mov.b64 $, {$, $}", ptx_dest(p, v), low, high);
}

static void put_bitcast(ptx *p, ir_value v) {
    bool wide = ir_type_bits(ir_type_of(p->f, v)) == 64;
    ptx_operand x = arg(p, v, 0);
    ptx_line(p, wide ? "mov.b64 $, $" : "mov.b32 $, $", ptx_dest(p, v), x);
}

/* ---- All ---- */

void ptx_put_one(ptx *p, ir_value v, const char *format) {
    ptx_operand x[4] = {PTX_SINK, PTX_SINK, PTX_SINK, PTX_SINK}; /* the value, its operands */
    unsigned count = ir_at(p->f, v)->arg_count;
    for (unsigned k = 0; k < count && k < 3; k++)
        x[k + 1] = arg(p, v, k);
    x[0] = ptx_dest(p, v);
    ptx_put_line(p, format, x);
}

/* Operations that are several instructions, or one that depends on their operands. */
EMIT_OUTLINE static bool put_special(ptx *p, ir_value v, ir_op op) {
    switch (op) {
    case IR_DNEG:
    case IR_DABS: put_sign64(p, v); return true;
    case IR_CVT_I32_F64: put_conversion(p, v, "cvt.rzi.s32.f64 $, $"); return true;
    case IR_CVT_U32_F64: put_conversion(p, v, "cvt.rzi.u32.f64 $, $"); return true;
    case IR_CVT_I64_F64: put_conversion(p, v, "cvt.rzi.s64.f64 $, $"); return true;
    case IR_CVT_U64_F64: put_conversion(p, v, "cvt.rzi.u64.f64 $, $"); return true;
    case IR_CVT_I64_F32: put_conversion(p, v, "cvt.rzi.s64.f32 $, $"); return true;
    case IR_CVT_U64_F32: put_conversion(p, v, "cvt.rzi.u64.f32 $, $"); return true;
    case IR_FNEG:
    case IR_FABS: put_sign(p, v); return true;
    case IR_FFRACT: put_fract(p, v); return true;
    case IR_FSAT: put_sat(p, v); return true;
    case IR_FRSQRT: put_rsqrt(p, v); return true;
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR: put_joined(p, v); return true;
    case IR_BNOT: ptx_line(p, "not.pred $, $", ptx_dest(p, v), arg(p, v, 0)); return true;
    case IR_SELECT: put_select(p, v); return true;
    case IR_LO64:
    case IR_HI64: put_half(p, v); return true;
    case IR_PACK64: put_pack(p, v); return true;
    case IR_BITCAST: put_bitcast(p, v); return true;
    default: return ptx_integer(p, v);
    }
}

bool ptx_value(ptx *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    const char *format = p->o->fp_fast && fast[op] ? fast[op] : one[op];
    if (is_compare(op))
        put_compare(p, v);
    else if (!format)
        return put_special(p, v, op);
    else if (op == IR_IADD || op == IR_LADD)
        ptx_add(p, v, format);
    else if (op != IR_FDIV || !put_reciprocal(p, v))
        ptx_put_one(p, v, format);
    return true;
}
