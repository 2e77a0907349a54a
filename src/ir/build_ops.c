/* From one instruction to operations: operands are read in the type the operation expects, results
 * are kept in the type it produces. Guarded pure instructions become selects, guarded effects are
 * put in an if. */
#include "ir/build.h"

/* Instructions that are one operation of the same name; its signature defines the operand types. */
static const uint8_t same[ISA_OP_COUNT] = {
    [ISA_IADD] = IR_IADD,
    [ISA_ISUB] = IR_ISUB,
    [ISA_IMUL] = IR_IMUL,
    [ISA_IMUL_HI] = IR_IMUL_HI,
    [ISA_IDIV] = IR_IDIV,
    [ISA_IMOD] = IR_IMOD,
    [ISA_INEG] = IR_INEG,
    [ISA_IABS] = IR_IABS,
    [ISA_IMIN] = IR_IMIN,
    [ISA_IMAX] = IR_IMAX,
    [ISA_UMIN] = IR_UMIN,
    [ISA_UMAX] = IR_UMAX,
    [ISA_UDIV] = IR_UDIV,
    [ISA_UMOD] = IR_UMOD,
    [ISA_AND] = IR_AND,
    [ISA_OR] = IR_OR,
    [ISA_XOR] = IR_XOR,
    [ISA_NOT] = IR_NOT,
    [ISA_SHL] = IR_SHL,
    [ISA_SHR] = IR_SHR,
    [ISA_SAR] = IR_SAR,
    [ISA_BITCOUNT] = IR_BITCOUNT,
    [ISA_BITFIND] = IR_BITFIND,
    [ISA_BITREV] = IR_BITREV,
    [ISA_BFE] = IR_BFE,
    [ISA_BFI] = IR_BFI,
    [ISA_FADD] = IR_FADD,
    [ISA_FSUB] = IR_FSUB,
    [ISA_FMUL] = IR_FMUL,
    [ISA_FMA] = IR_FMA,
    [ISA_FDIV] = IR_FDIV,
    [ISA_FNEG] = IR_FNEG,
    [ISA_FABS] = IR_FABS,
    [ISA_FMIN] = IR_FMIN,
    [ISA_FMAX] = IR_FMAX,
    [ISA_FSQRT] = IR_FSQRT,
    [ISA_FFLOOR] = IR_FFLOOR,
    [ISA_FCEIL] = IR_FCEIL,
    [ISA_FROUND] = IR_FROUND,
    [ISA_FTRUNC] = IR_FTRUNC,
    [ISA_FFRACT] = IR_FFRACT,
    [ISA_FSAT] = IR_FSAT,
    [ISA_FSIN] = IR_FSIN,
    [ISA_FCOS] = IR_FCOS,
    [ISA_FEXP2] = IR_FEXP2,
    [ISA_FLOG2] = IR_FLOG2,
    [ISA_HADD] = IR_HADD,
    [ISA_HSUB] = IR_HSUB,
    [ISA_HMUL] = IR_HMUL,
    [ISA_HMA] = IR_HMA,
    [ISA_HADD2] = IR_HADD2,
    [ISA_HMUL2] = IR_HMUL2,
    [ISA_HMA2] = IR_HMA2,
    [ISA_DADD] = IR_DADD,
    [ISA_DSUB] = IR_DSUB,
    [ISA_DMUL] = IR_DMUL,
    [ISA_DMA] = IR_DMA,
    [ISA_DDIV] = IR_DDIV,
    [ISA_DSQRT] = IR_DSQRT,
    [ISA_CVT_F32_I32] = IR_CVT_F32_I32,
    [ISA_CVT_F32_U32] = IR_CVT_F32_U32,
    [ISA_CVT_I32_F32] = IR_CVT_I32_F32,
    [ISA_CVT_U32_F32] = IR_CVT_U32_F32,
    [ISA_CVT_F32_F16] = IR_CVT_F32_F16,
    [ISA_CVT_F16_F32] = IR_CVT_F16_F32,
    [ISA_CVT_F32_F64] = IR_CVT_F32_F64,
    [ISA_CVT_F64_F32] = IR_CVT_F64_F32,
    [ISA_ICMP_EQ] = IR_ICMP_EQ,
    [ISA_ICMP_NE] = IR_ICMP_NE,
    [ISA_ICMP_LT] = IR_ICMP_LT,
    [ISA_ICMP_LE] = IR_ICMP_LE,
    [ISA_ICMP_GT] = IR_ICMP_GT,
    [ISA_ICMP_GE] = IR_ICMP_GE,
    [ISA_UCMP_LT] = IR_UCMP_LT,
    [ISA_UCMP_LE] = IR_UCMP_LE,
    [ISA_UCMP_GT] = IR_UCMP_GT,
    [ISA_UCMP_GE] = IR_UCMP_GE,
    [ISA_FCMP_EQ] = IR_FCMP_EQ,
    [ISA_FCMP_NE] = IR_FCMP_NE,
    [ISA_FCMP_LT] = IR_FCMP_LT,
    [ISA_FCMP_LE] = IR_FCMP_LE,
    [ISA_FCMP_GT] = IR_FCMP_GT,
    [ISA_FCMP_GE] = IR_FCMP_GE,
    [ISA_FCMP_ORD] = IR_FCMP_ORD,
    [ISA_FCMP_UNORD] = IR_FCMP_UNORD,
    [ISA_WAVE_SHUFFLE] = IR_WAVE_SHUFFLE,
    [ISA_WAVE_SHUFFLE_UP] = IR_WAVE_SHUFFLE_UP,
    [ISA_WAVE_SHUFFLE_DOWN] = IR_WAVE_SHUFFLE_DOWN,
    [ISA_WAVE_SHUFFLE_XOR] = IR_WAVE_SHUFFLE_XOR,
    [ISA_WAVE_BROADCAST] = IR_WAVE_BROADCAST,
    [ISA_WAVE_BALLOT] = IR_WAVE_BALLOT,
    [ISA_WAVE_BALLOT64] = IR_WAVE_BALLOT64,
    [ISA_WAVE_ANY] = IR_WAVE_ANY,
    [ISA_WAVE_ALL] = IR_WAVE_ALL,
    [ISA_WAVE_PREFIX_SUM] = IR_WAVE_PREFIX_SUM,
    [ISA_WAVE_REDUCE_ADD] = IR_WAVE_REDUCE_ADD,
    [ISA_WAVE_REDUCE_MIN] = IR_WAVE_REDUCE_MIN,
    [ISA_WAVE_REDUCE_MAX] = IR_WAVE_REDUCE_MAX,
    [ISA_WAVE_REDUCE_AND] = IR_WAVE_REDUCE_AND,
    [ISA_WAVE_REDUCE_OR] = IR_WAVE_REDUCE_OR,
    [ISA_WAVE_REDUCE_XOR] = IR_WAVE_REDUCE_XOR,
    [ISA_LADD] = IR_LADD,
    [ISA_LSUB] = IR_LSUB,
    [ISA_LMUL] = IR_LMUL,
    [ISA_LMUL_HI] = IR_LMUL_HI,
    [ISA_LDIV] = IR_LDIV,
    [ISA_LMOD] = IR_LMOD,
    [ISA_LUDIV] = IR_LUDIV,
    [ISA_LUMOD] = IR_LUMOD,
    [ISA_LSHL] = IR_LSHL,
    [ISA_LSHR] = IR_LSHR,
    [ISA_LSAR] = IR_LSAR,
    [ISA_LCMP_EQ] = IR_LCMP_EQ,
    [ISA_LCMP_NE] = IR_LCMP_NE,
    [ISA_LCMP_LT] = IR_LCMP_LT,
    [ISA_LCMP_LE] = IR_LCMP_LE,
    [ISA_LCMP_GT] = IR_LCMP_GT,
    [ISA_LCMP_GE] = IR_LCMP_GE,
    [ISA_LUCMP_LT] = IR_LUCMP_LT,
    [ISA_LUCMP_LE] = IR_LUCMP_LE,
    [ISA_LUCMP_GT] = IR_LUCMP_GT,
    [ISA_LUCMP_GE] = IR_LUCMP_GE,
    [ISA_DCMP_EQ] = IR_DCMP_EQ,
    [ISA_DCMP_NE] = IR_DCMP_NE,
    [ISA_DCMP_LT] = IR_DCMP_LT,
    [ISA_DCMP_LE] = IR_DCMP_LE,
    [ISA_DCMP_GT] = IR_DCMP_GT,
    [ISA_DCMP_GE] = IR_DCMP_GE,
    [ISA_DCMP_ORD] = IR_DCMP_ORD,
    [ISA_DCMP_UNORD] = IR_DCMP_UNORD,
    [ISA_DNEG] = IR_DNEG,
    [ISA_DABS] = IR_DABS,
    [ISA_DFLOOR] = IR_DFLOOR,
    [ISA_DCEIL] = IR_DCEIL,
    [ISA_DROUND] = IR_DROUND,
    [ISA_DTRUNC] = IR_DTRUNC,
    [ISA_DMIN] = IR_DMIN,
    [ISA_DMAX] = IR_DMAX,
    [ISA_CVT_F64_I32] = IR_CVT_F64_I32,
    [ISA_CVT_F64_U32] = IR_CVT_F64_U32,
    [ISA_CVT_I32_F64] = IR_CVT_I32_F64,
    [ISA_CVT_U32_F64] = IR_CVT_U32_F64,
    [ISA_CVT_F64_I64] = IR_CVT_F64_I64,
    [ISA_CVT_F64_U64] = IR_CVT_F64_U64,
    [ISA_CVT_I64_F64] = IR_CVT_I64_F64,
    [ISA_CVT_U64_F64] = IR_CVT_U64_F64,
    [ISA_CVT_F32_I64] = IR_CVT_F32_I64,
    [ISA_CVT_F32_U64] = IR_CVT_F32_U64,
    [ISA_CVT_I64_F32] = IR_CVT_I64_F32,
    [ISA_CVT_U64_F32] = IR_CVT_U64_F32,
    [ISA_CVT_F16_F64] = IR_CVT_F16_F64,
    [ISA_CVT_F64_F16] = IR_CVT_F64_F16,
    [ISA_UCMP_EQ] = IR_ICMP_EQ,
    [ISA_UCMP_NE] = IR_ICMP_NE,
};

/* ---- Making operations ---- */

static ir_value unary(builder *b, ir_op op, ir_type type, ir_value v) {
    return ssa_emit(&b->s, op, type, &v, 1, 0);
}

static ir_value binary(builder *b, ir_op op, ir_type type, ir_value x, ir_value y) {
    return ssa_emit(&b->s, op, type, (ir_value[]){x, y}, 2, 0);
}

/* ---- Operands ---- */

/* Registers beyond the kernel's own (lenient files) read 0 and ignore writes. */
static bool exists(const builder *b, unsigned reg) {
    return reg < b->kernel->register_limit && reg < ISA_MAX_REGISTERS;
}

static ir_value read_register(builder *b, unsigned reg) {
    return exists(b, reg) ? b->s.map[SLOT_REGISTER + reg] : ir_const(b->s.f, IR_U32, 0);
}

static ir_value view_as(builder *b, ir_type type, unsigned reg, ir_value v) {
    struct build_view *view = &b->views[reg];
    if (view->from != v || view->region != b->s.region || ir_type_of(b->s.f, view->as) != type)
        *view = (struct build_view){v, ssa_as(&b->s, type, v), b->s.region};
    return view->as;
}

static inline ir_value read_as(builder *b, ir_type type, unsigned reg) {
    ir_value v = read_register(b, reg);
    return ir_type_of(b->s.f, v) == type ? v : view_as(b, type, reg & 255, v);
}

static ir_value read_u32(builder *b, unsigned reg) {
    return read_as(b, IR_U32, reg);
}

ir_value build_read(builder *b, unsigned reg) {
    return read_u32(b, reg);
}

static ir_value read_pair(builder *b, unsigned reg) {
    ir_value low = read_u32(b, reg), high = read_u32(b, reg + 1);
    if (ir_op_of(b->s.f, low) == IR_LO64 && ir_op_of(b->s.f, high) == IR_HI64 &&
        ir_arg(b->s.f, low, 0) == ir_arg(b->s.f, high, 0))
        return ir_arg(b->s.f, low, 0);
    ir_value pair = binary(b, IR_PACK64, IR_U64, low, high);
    build_name(b, pair, reg, 2);
    return pair;
}

static ir_value read_double(builder *b, unsigned reg) {
    ir_value pair = read_pair(b, reg);
    if (ir_op_of(b->s.f, pair) == IR_BITCAST)
        return ir_arg(b->s.f, pair, 0);
    ir_value number = unary(b, IR_BITCAST, IR_F64, pair);
    build_name(b, number, reg, 2);
    return number;
}

static void write_slot(builder *b, unsigned slot, ir_value v) {
    if (b->guard && !b->s.unused[slot]) { /* an unread slot is not carried out of loops */
        ir_value old = b->s.map[slot];
        ir_type type = ir_type_of(b->s.f, v);
        if (ir_type_of(b->s.f, old) != type)
            type = (ir_type)b->s.type[slot];
        ir_value args[3] = {b->guard, ssa_as(&b->s, type, v), ssa_as(&b->s, type, old)};
        v = ssa_emit(&b->s, IR_SELECT, type, args, 3, 0);
    }
    ssa_write(&b->s, slot, v);
}

static void write_register(builder *b, unsigned reg, ir_value v) {
    if (exists(b, reg))
        write_slot(b, SLOT_REGISTER + reg, v);
}

static void write_pair(builder *b, unsigned reg, ir_value pair) {
    write_register(b, reg, unary(b, IR_LO64, IR_U32, pair));
    write_register(b, reg + 1, unary(b, IR_HI64, IR_U32, pair));
}

static ir_value read_predicate(builder *b, unsigned index) {
    return b->s.map[SLOT_PREDICATE + (index & FE_OPERAND_PRED)];
}

ir_value build_predicate(builder *b, unsigned field) {
    ir_value p = read_predicate(b, field);
    return field & FE_OPERAND_NEG ? unary(b, IR_BNOT, IR_BOOL, p) : p;
}

ir_value build_guard(builder *b, const fe_insn *insn) {
    if (!insn->guard)
        return 0;
    ir_value p = read_predicate(b, insn->guard & FE_GUARD_REG);
    return insn->guard & FE_GUARD_NEG ? unary(b, IR_BNOT, IR_BOOL, p) : p;
}

/* ---- The general case: one operation ---- */

/* The type for a letter of an operation's signature. */
static const uint8_t letter_type[128] = {
    ['u'] = IR_U32,  ['f'] = IR_F32, ['h'] = IR_F16, ['H'] = IR_F16X2,
    ['b'] = IR_BOOL, ['d'] = IR_F64, ['q'] = IR_U64, ['t'] = IR_TOKEN};

static ir_value read_operand(builder *b, ir_type type, unsigned field) {
    if (type == IR_U32 || type == IR_F32) /* most are */
        return read_as(b, type, field);
    if (type == IR_BOOL)
        return read_predicate(b, field);
    if (type == IR_U64)
        return read_pair(b, field);
    return type == IR_F64 ? read_double(b, field) : read_as(b, type, field);
}

static void write_result(builder *b, unsigned field, ir_value v) {
    switch (ir_type_of(b->s.f, v)) {
    case IR_BOOL: write_slot(b, SLOT_PREDICATE + (field & FE_OPERAND_PRED), v); break;
    case IR_U64:
        build_name(b, v, field, 2);
        write_pair(b, field, v);
        break;
    case IR_F64:
        build_name(b, v, field, 2);
        write_pair(b, field, unary(b, IR_BITCAST, IR_U64, v));
        break;
    default: write_register(b, field, v); break;
    }
}

static void make_form(build_form *form, ir_op op) {
    const char *signature = ir_ops[op].signature; /* "u:tuu" */
    form->op = (uint8_t)op;
    form->result = letter_type[(unsigned char)signature[0]];
    form->convergent = signature[2] == 't';
    for (const char *letter = signature + 2 + form->convergent; *letter; letter++)
        form->types[form->count++] = letter_type[(unsigned char)*letter];
}

static void build_same(builder *b, const fe_insn *insn) {
    build_form *form = &b->forms[insn->op];
    if (!form->op)
        make_form(form, (ir_op)same[insn->op]);
    ir_value args[5] = {b->token}, *operands = args + form->convergent;
    const uint8_t *field = &insn->field[ISA_FIELD_RS1];
    for (unsigned k = 0; k < form->count; k++)
        operands[k] = read_operand(b, (ir_type)form->types[k], field[k]);
    ir_value v = ssa_emit(&b->s, (ir_op)form->op, (ir_type)form->result, args,
                          (size_t)form->count + form->convergent, 0);
    write_result(b, insn->field[ISA_FIELD_RD], v);
}

/* ---- Instructions of several operations ---- */

static ir_value f32_operand(builder *b, const fe_insn *insn, unsigned field) {
    return ssa_as(&b->s, IR_F32, read_register(b, insn->field[field]));
}

/* min(max(x, lo), hi) */
static void build_clamp(builder *b, const fe_insn *insn) {
    bool is_float = insn->op == ISA_FCLAMP;
    ir_type type = is_float ? IR_F32 : IR_U32;
    ir_value x[3];
    for (unsigned k = 0; k < 3; k++)
        x[k] = ssa_as(&b->s, type, read_register(b, insn->field[ISA_FIELD_RS1 + k]));
    ir_value low = binary(b, is_float ? IR_FMAX : IR_IMAX, type, x[0], x[1]);
    write_register(b, insn->field[ISA_FIELD_RD],
                   binary(b, is_float ? IR_FMIN : IR_IMIN, type, low, x[2]));
}

static void build_mad(builder *b, const fe_insn *insn) {
    ir_value product = binary(b, IR_IMUL, IR_U32, read_u32(b, insn->field[ISA_FIELD_RS1]),
                              read_u32(b, insn->field[ISA_FIELD_RS2]));
    write_register(b, insn->field[ISA_FIELD_RD],
                   binary(b, IR_IADD, IR_U32, product, read_u32(b, insn->field[ISA_FIELD_RS3])));
}

/* 1 / x and 1 / sqrt(x), each step rounded */
static void build_reciprocal(builder *b, const fe_insn *insn) {
    ir_value x = f32_operand(b, insn, ISA_FIELD_RS1);
    if (insn->op == ISA_FRSQRT)
        x = unary(b, IR_FSQRT, IR_F32, x);
    write_register(b, insn->field[ISA_FIELD_RD],
                   binary(b, IR_FDIV, IR_F32, ir_const(b->s.f, IR_F32, 0x3F800000), x));
}

static void build_select(builder *b, const fe_insn *insn) {
    ir_value yes = read_register(b, insn->field[ISA_FIELD_RS2]);
    ir_value no = read_register(b, insn->field[ISA_FIELD_RS3]);
    ir_type type = ir_type_of(b->s.f, yes);
    if (type != ir_type_of(b->s.f, no))
        type = IR_U32;
    ir_value args[3] = {read_predicate(b, insn->field[ISA_FIELD_RS1]), ssa_as(&b->s, type, yes),
                        ssa_as(&b->s, type, no)};
    write_register(b, insn->field[ISA_FIELD_RD], ssa_emit(&b->s, IR_SELECT, type, args, 3, 0));
}

/* ---- bf16: f32 arithmetic on the upper halves, then truncation ---- */

static ir_value bf16_to_f32(builder *b, ir_value word, bool high) {
    ir_value bits = high ? binary(b, IR_AND, IR_U32, word, ir_const(b->s.f, IR_U32, 0xFFFF0000u))
                         : binary(b, IR_SHL, IR_U32, word, ir_const(b->s.f, IR_U32, 16));
    return ssa_as(&b->s, IR_F32, bits);
}

/* The upper 16 bits, moved to the lower half; a NaN becomes 7FC0 so that truncation cannot lose
 * it. */
static ir_value f32_to_bf16(builder *b, ir_value x) {
    ir_value bits =
        binary(b, IR_SHR, IR_U32, ssa_as(&b->s, IR_U32, x), ir_const(b->s.f, IR_U32, 16));
    ir_value args[3] = {binary(b, IR_FCMP_UNORD, IR_BOOL, x, x), ir_const(b->s.f, IR_U32, 0x7FC0),
                        bits};
    return ssa_emit(&b->s, IR_SELECT, IR_U32, args, 3, 0);
}

static ir_value bf16_half(builder *b, const fe_insn *insn, bool high) {
    ir_value x[3];
    unsigned count = isa_table[insn->op].role[ISA_FIELD_RS3] == ISA_ROLE_R ? 3 : 2;
    for (unsigned k = 0; k < count; k++)
        x[k] = bf16_to_f32(b, read_u32(b, insn->field[ISA_FIELD_RS1 + k]), high);
    ir_op op = IR_FMA;
    switch (insn->op) {
    case ISA_BADD:
    case ISA_BADD2: op = IR_FADD; break;
    case ISA_BSUB: op = IR_FSUB; break;
    case ISA_BMUL:
    case ISA_BMUL2: op = IR_FMUL; break;
    default: break;
    }
    return f32_to_bf16(b, ssa_emit(&b->s, op, IR_F32, x, count, 0));
}

static void build_bf16(builder *b, const fe_insn *insn) {
    ir_value v = bf16_half(b, insn, false);
    if (isa_table[insn->op].src_type == ISA_TYPE_BF16X2) {
        ir_value high = bf16_half(b, insn, true);
        high = binary(b, IR_SHL, IR_U32, high, ir_const(b->s.f, IR_U32, 16));
        v = binary(b, IR_OR, IR_U32, v, high);
    }
    write_register(b, insn->field[ISA_FIELD_RD], v);
}

static void build_bf16_convert(builder *b, const fe_insn *insn) {
    ir_value v = insn->op == ISA_CVT_F32_BF16
                     ? bf16_to_f32(b, read_u32(b, insn->field[ISA_FIELD_RS1]), false)
                     : f32_to_bf16(b, f32_operand(b, insn, ISA_FIELD_RS1));
    write_register(b, insn->field[ISA_FIELD_RD], v);
}

/* ---- Memory ---- */

static uint8_t space_of(const isa_desc *d) {
    return d->flags & ISA_LOCAL      ? IR_LOCAL
           : d->flags & ISA_PRIVATE  ? IR_PRIVATE
           : d->flags & ISA_CONSTANT ? IR_CONSTANT
                                     : IR_DEVICE;
}

static uint8_t hint_of(const isa_desc *d) {
    return d->flags & ISA_UNCACHED    ? ISA_HINT_UNCACHED
           : d->flags & ISA_STREAMING ? ISA_HINT_STREAMING
                                      : ISA_HINT_CACHED;
}

static uint64_t access_of(const fe_insn *insn) {
    const isa_desc *d = &isa_table[insn->op];
    bool atomic = d->klass == ISA_CLASS_ATOMIC;
    uint8_t scope = d->flags & ISA_LOCAL ? ISA_SCOPE_WORKGROUP : (uint8_t)insn->scope;
    return ir_access_pack((ir_access){.space = space_of(d),
                                      .bytes = d->bytes,
                                      .atomic = atomic ? d->modifier : hint_of(d),
                                      .scope = atomic ? scope : 0});
}

static void build_load(builder *b, const fe_insn *insn) {
    ir_value address = read_u32(b, insn->field[ISA_FIELD_RS1]);
    unsigned rd = insn->field[ISA_FIELD_RD], words = isa_table[insn->op].bytes / 4;
    if (words <= 1) {
        write_register(b, rd, ssa_emit(&b->s, IR_LOAD, IR_U32, &address, 1, access_of(insn)));
        return;
    }
    ir_value load = ssa_emit(&b->s, IR_LOADS, IR_VOID, &address, 1, access_of(insn));
    build_name(b, load, rd, words);
    for (unsigned k = 0; k < words; k++)
        write_register(b, rd + k, ssa_emit(&b->s, IR_RESULT, IR_U32, &load, 1, k));
}

static void build_store(builder *b, const fe_insn *insn) {
    unsigned words = isa_table[insn->op].bytes / 4;
    ir_value args[5] = {read_u32(b, insn->field[ISA_FIELD_RS1])};
    if (words == 0)
        words = 1;
    for (unsigned k = 0; k < words; k++)
        args[1 + k] = read_u32(b, insn->field[ISA_FIELD_RS2] + k);
    ssa_emit(&b->s, IR_STORE, IR_VOID, args, 1 + words, access_of(insn));
}

static void build_atomic(builder *b, const fe_insn *insn) {
    const isa_desc *d = &isa_table[insn->op];
    ir_type type = d->bytes == 8 ? IR_U64 : d->src_type == ISA_TYPE_F32 ? IR_F32 : IR_U32;
    bool has_result = isa_role_discards((isa_role)d->role[ISA_FIELD_RD]);
    ir_value args[3] = {read_u32(b, insn->field[ISA_FIELD_RS1])};
    size_t count = 1;
    for (unsigned field = ISA_FIELD_RS2; field <= ISA_FIELD_RS3; field++)
        if (d->role[field] != ISA_ROLE_NONE)
            args[count++] = read_operand(b, type, insn->field[field]);
    ir_value old =
        ssa_emit(&b->s, IR_ATOMIC, has_result ? type : IR_VOID, args, count, access_of(insn));
    if (has_result && insn->field[ISA_FIELD_RD])
        write_result(b, insn->field[ISA_FIELD_RD], old);
}

static void build_fence(builder *b, const fe_insn *insn) {
    uint8_t kind = insn->op == ISA_FENCE_ACQUIRE   ? IR_FENCE_ACQUIRE
                   : insn->op == ISA_FENCE_RELEASE ? IR_FENCE_RELEASE
                   : insn->op == ISA_FENCE_ACQ_REL ? IR_FENCE_ACQ_REL
                                                   : IR_FENCE_SC;
    ssa_emit(&b->s, IR_FENCE, IR_VOID, &b->token, 1,
             ir_access_pack((ir_access){.atomic = kind, .scope = (uint8_t)insn->scope}));
}

/* ---- MMA: fragments are values like registers ---- */

static unsigned tile(unsigned bank, unsigned id) {
    return SLOT_TILE + bank * 256 + id;
}

static void build_mma(builder *b, const fe_insn *insn) {
    const uint8_t *field = insn->field;
    if (insn->op == ISA_MMA_COMPUTE) {
        ir_value args[3] = {b->s.map[tile(0, field[0])], b->s.map[tile(1, field[1])],
                            b->s.map[tile(2, field[2])]};
        write_slot(b, tile(2, field[2]), ssa_emit(&b->s, IR_MMA_COMPUTE, IR_TILE, args, 3, 0));
    } else if (insn->op == ISA_MMA_STORE_C) {
        ir_value args[3] = {read_u32(b, field[0]), read_u32(b, field[1]),
                            b->s.map[tile(2, field[2])]};
        ssa_emit(&b->s, IR_MMA_STORE, IR_VOID, args, 3, 0);
    } else {
        ir_value args[2] = {read_u32(b, field[1]), read_u32(b, field[2])};
        write_slot(b, tile(insn->op == ISA_MMA_LOAD_B, field[0]),
                   ssa_emit(&b->s, IR_MMA_LOAD, IR_TILE, args, 2, 0));
    }
}

/* ---- The rest ---- */

static void build_move(builder *b, const fe_insn *insn) {
    ir_value v;
    unsigned source = insn->field[ISA_FIELD_RS1];
    if (insn->op == ISA_MOV)
        v = read_register(b, source);
    else if (insn->op == ISA_MOV_IMM)
        v = ir_const(b->s.f, IR_U32, insn->imm);
    else if (source >= ISA_SPECIAL_EXTENDED && source < ISA_SPECIAL_COUNT)
        v = ir_const(b->s.f, IR_U32, ISA_TILE_SIDE); /* sr_tile_m, n, k */
    else if (source < ISA_SPECIAL_COUNT)
        v = ir_leaf(b->s.f, IR_SPECIAL, IR_U32, source);
    else
        v = ir_const(b->s.f, IR_U32, 0);
    write_register(b, insn->field[ISA_FIELD_RD], v);
}

static void build_any(builder *b, const fe_insn *insn) {
    const isa_desc *d = &isa_table[insn->op];
    if (same[insn->op]) {
        build_same(b, insn);
    } else if (isa_is_tile((isa_op)insn->op)) {
        build_tile(b, insn);
    } else if (d->klass == ISA_CLASS_ATOMIC) {
        build_atomic(b, insn);
    } else if (d->klass == ISA_CLASS_MEMORY) {
        if (d->flags & ISA_READS)
            build_load(b, insn);
        else
            build_store(b, insn);
    } else {
        switch (insn->op) {
        case ISA_IMAD: build_mad(b, insn); break;
        case ISA_ICLAMP:
        case ISA_FCLAMP: build_clamp(b, insn); break;
        case ISA_FRCP:
        case ISA_FRSQRT: build_reciprocal(b, insn); break;
        case ISA_SELECT: build_select(b, insn); break;
        case ISA_BADD:
        case ISA_BSUB:
        case ISA_BMUL:
        case ISA_BMA:
        case ISA_BADD2:
        case ISA_BMUL2:
        case ISA_BMA2: build_bf16(b, insn); break;
        case ISA_CVT_F32_BF16:
        case ISA_CVT_BF16_F32: build_bf16_convert(b, insn); break;
        case ISA_MOV:
        case ISA_MOV_IMM:
        case ISA_MOV_SR: build_move(b, insn); break;
        case ISA_MMA_LOAD_A:
        case ISA_MMA_LOAD_B:
        case ISA_MMA_STORE_C:
        case ISA_MMA_COMPUTE: build_mma(b, insn); break;
        case ISA_FENCE_ACQUIRE:
        case ISA_FENCE_RELEASE:
        case ISA_FENCE_ACQ_REL:
        case ISA_FENCE_SC: build_fence(b, insn); break;
        case ISA_BARRIER: ssa_emit(&b->s, IR_BARRIER, IR_VOID, &b->token, 1, 0); break;
        default: break; /* nop and wait do nothing */
        }
    }
}

void build_instruction(builder *b, const fe_insn *insn) {
    if (!insn->guard) {
        build_any(b, insn);
        return;
    }
    ir_value guard = build_guard(b, insn);
    bool effect = !(isa_table[insn->op].flags & ISA_PURE) && insn->op != ISA_MMA_COMPUTE;
    if (effect) {
        build_open_if(b, guard);
        build_any(b, insn);
        build_close_if(b);
    } else {
        b->guard = guard;
        build_any(b, insn);
        b->guard = 0;
    }
}
