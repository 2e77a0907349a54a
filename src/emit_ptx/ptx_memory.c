/* Memory: addresses, loads, stores, atomics, fences, asserts, and the checks of --bounds.
 *
 * A device address is a 32-bit offset that is widened and added to the arena's base; a local one is
 * added to the address of the shared variable. Each is computed once per region that needs it.
 * Private and constant memory are variables in .local and .const, with 64-bit addresses. */
#include "emit_ptx/ptx.h"

static const char *const scopes[ISA_SCOPE_COUNT] = {
    [ISA_SCOPE_WAVE] = "cta",
    [ISA_SCOPE_WORKGROUP] = "cta",
    [ISA_SCOPE_DEVICE] = "gpu",
    [ISA_SCOPE_SYSTEM] = "sys",
};

/* The register with the address of a space's first byte. */
static const uint8_t fixed_of[IR_SPACE_COUNT] = {[IR_LOCAL] = PTX_LOCAL,
                                                 [IR_DEVICE] = PTX_BASE,
                                                 [IR_PRIVATE] = PTX_PRIVATE,
                                                 [IR_CONSTANT] = PTX_CONSTANT};

/* The argument word of the buffer that is accessed, or UINT64_MAX. */
static uint64_t buffer_word(const ptx *p, ir_value v) {
    ir_value address = ir_arg(p->f, v, 0);
    while (ir_op_of(p->f, address) == IR_LADD) /* a pointer that advances (advance.c) */
        address = ir_arg(p->f, address, 0);
    ir_value word = ir_op_of(p->f, address) == IR_BUFFER ? ir_arg(p->f, address, 0) : 0;
    return word && ir_op_of(p->f, word) == IR_ARG ? ir_at(p->f, word)->imm : UINT64_MAX;
}

/* There are too many accesses to print them twice, as wave operations are (ptx.c); the needs of one
 * follow from its space and the type of its address. */
void ptx_memory_needs(ptx *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    bool *need = p->needs;
    uint32_t bits;
    if (n->op == IR_POINTER || n->op == IR_BUFFER) {
        need[PTX_BASE] = true;
        return;
    }
    need[PTX_STATUS] |= n->op == IR_ASSERT && p->o->assert_trap;
    bool element = n->op == IR_LOAD64 || n->op == IR_STORE64;
    if (!ir_accesses((ir_op)n->op) && !element)
        return;
    uint64_t word = buffer_word(p, v);
    if (ir_has(p->f, v, IR_WRITES) && word < ISA_MAX_REGISTERS)
        p->written[word / 64] |= (uint64_t)1 << (word % 64);
    unsigned space = ir_access_unpack(n->imm).space;
    if (space != IR_DEVICE) {
        need[fixed_of[space]] |= !ptx_const(p, ir_arg(p->f, v, 0), &bits);
        return;
    }
    need[PTX_SIZE] |= p->o->bounds;
    if (ir_type_of(p->f, ir_arg(p->f, v, 0)) == IR_U32 || p->o->bounds)
        need[PTX_BASE] = true;
}

/* ---- Addresses ---- */

/* Widens an operand that is added to a 64-bit address next. From sm_80 on no access adds 32 to 64
 * bits. There ptxas fuses a product and a sum into one instruction (IMAD.WIDE), but needs two for a
 * conversion, or a mad.wide, and a sum. So the operand is widened by a product with 1. */
static ptx_operand widened(ptx *p, ptx_operand x) {
    ptx_operand wide = ptx_new(p, PTX_B64);
    ptx_line(p, p->o->arch >= PTX_WIDE_FROM ? "mul.wide.u32 $, $, 1" : "cvt.u64.u32 $, $", wide, x);
    return wide;
}

/* Base plus offset in a register, reused in the rest of the region. */
static ptx_reg pointer_to(ptx *p, ir_value offset, unsigned space) {
    if (p->pointer_space[offset] == space + 1 && p->open[p->pointer_region[offset]])
        return p->pointer[offset];
    ptx_operand pointer;
    if (space == IR_LOCAL) {
        ptx_operand x = ptx_use(p, offset);
        pointer = ptx_new(p, PTX_B32);
        ptx_line(p, "add.s32 $, $, $", pointer, ptx_fixed_reg(p, PTX_LOCAL), x);
    } else {
        ptx_operand wide = widened(p, ptx_use(p, offset));
        pointer = ptx_new(p, PTX_B64);
        ptx_line(p, "add.s64 $, $, $", pointer, ptx_fixed_reg(p, (ptx_fixed)fixed_of[space]), wide);
    }
    p->pointer[offset] = pointer.reg;
    p->pointer_space[offset] = (uint8_t)(space + 1);
    p->pointer_region[offset] = p->region;
    return pointer.reg;
}

static ptx_operand address_of(ptx *p, ir_value offset, ir_access a) {
    ptx_operand o = {.bits = (uint64_t)(int64_t)a.offset, .type = a.space};
    uint32_t bits;
    bool constant = ptx_const(p, offset, &bits);
    if (ir_type_of(p->f, offset) == IR_U64) {
        o.reg = ptx_use_reg(p, offset).reg;
    } else if (constant && a.space != IR_DEVICE) {
        o.bits += bits;
    } else if (constant && (int64_t)bits + a.offset <= INT32_MAX) {
        o.reg = p->fixed[PTX_BASE];
        o.bits += bits;
    } else {
        o.reg = pointer_to(p, offset, a.space);
    }
    return o;
}

ptx_operand ptx_address(ptx *p, ir_value v) {
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    p->uses[a.space] = true;
    return address_of(p, ir_arg(p->f, v, 0), a);
}

/* A predicate that is true if the access is in bounds. */
static ptx_operand in_bounds(ptx *p, ir_value offset, ir_access a) {
    ptx_operand ok = ptx_new(p, PTX_PRED);
    if (a.space != IR_DEVICE) {
        const uint32_t sizes[IR_SPACE_COUNT] = {[IR_LOCAL] = p->f->local_memory,
                                                [IR_PRIVATE] = p->f->private_memory,
                                                [IR_CONSTANT] = p->f->constant_size};
        int64_t last = (int64_t)sizes[a.space] - a.bytes - a.offset;
        if (last < 0)
            ptx_line(p, "mov.pred $, 0", ok);
        else
            ptx_line(p, "setp.le.u32 $, $, $", ok, ptx_use(p, offset), ptx_u32((uint32_t)last));
        return ok;
    }
    ptx_operand start, end;
    if (ir_type_of(p->f, offset) == IR_U64) {
        ptx_operand x = ptx_use(p, offset);
        start = ptx_new(p, PTX_B64);
        ptx_line(p, "sub.s64 $, $, $", start, x, ptx_fixed_reg(p, PTX_BASE));
    } else {
        start = widened(p, ptx_use(p, offset));
    }
    end = ptx_new(p, PTX_B64);
    ptx_line(p, "add.s64 $, $, $", end, start, ptx_imm(IR_U64, (uint64_t)(a.bytes + a.offset)));
    ptx_line(p, "setp.le.u64 $, $, $", ok, end, ptx_fixed_reg(p, PTX_SIZE));
    return ok;
}

/* The address and, with --bounds, the predicate that guards the access. */
static ptx_operand prepare(ptx *p, ir_value v, ir_access a, ptx_reg *guard) {
    ir_value offset = ir_arg(p->f, v, 0);
    p->uses[a.space] = true;
    *guard = p->o->bounds ? in_bounds(p, offset, a).reg : 0;
    return address_of(p, offset, a);
}

/* ---- Loads and stores ---- */

static void put_pointer(ptx *p, ir_value v) {
    ptx_operand wide = widened(p, ptx_use(p, ir_arg(p->f, v, 0)));
    ptx_line(p, "add.s64 $, $, $", ptx_dest(p, v), ptx_fixed_reg(p, PTX_BASE), wide);
}

/* The buffer's word and the offset are added in 32 bits. That takes one instruction less than in 64
 * bits and yields the same address in a contained buffer. */
static void put_buffer(ptx *p, ir_value v) {
    ir_value word = ir_arg(p->f, v, 0), offset = ir_arg(p->f, v, 1);
    unsigned shift = ir_at(p->f, v)->imm & IR_INDEX_SHIFT;
    ptx_operand sum = ptx_use_reg(p, word), by = ptx_use(p, offset), wide;
    uint32_t bits;
    if (!ptx_const(p, offset, &bits) || bits) {
        if (shift) {
            ptx_operand shifted = ptx_new(p, PTX_B32);
            ptx_line(p, "shl.b32 $, $, $", shifted, ptx_in_reg(p, by), ptx_u32(shift));
            by = shifted;
        }
        ptx_operand both = ptx_new(p, PTX_B32);
        ptx_line(p, "add.s32 $, $, $", both, sum, by);
        sum = both;
    }
    wide = widened(p, sum);
    ptx_line(p, "add.s64 $, $, $", ptx_dest(p, v), ptx_fixed_reg(p, PTX_BASE), wide);
}

/* Whether nothing writes the loaded memory while the kernel runs: its buffer is read-only and
 * overlaps no other. */
static bool is_constant(const ptx *p, ir_value v) {
    uint64_t word = buffer_word(p, v);
    return word < ISA_MAX_REGISTERS && !(p->written[word / 64] >> (word % 64) & 1) &&
           emit_is_constant(&p->o->arguments, (uint32_t)word);
}

enum {
    READ_ONLY = IR_SPACE_COUNT, /* device memory that nothing writes */
    UNCACHED,                   /* with a cache hint */
    STREAMING,
    LOAD_ROWS
};

/* The row of an access in the tables of loads. */
static unsigned row_of(const ptx *p, ir_value v, ir_access a) {
    if (a.hint)
        return a.hint == ISA_HINT_UNCACHED ? UNCACHED : STREAMING;
    return a.space == IR_DEVICE && is_constant(p, v) ? (unsigned)READ_ONLY : a.space;
}

static void put_zero(ptx *p, ptx_operand d) {
    ptx_class c = ptx_reg_class(d.reg);
    ir_type type = c == PTX_F32 ? IR_F32 : c == PTX_B64 ? IR_U64 : IR_U32;
    ptx_move(p, type, d, ptx_imm(type, 0));
}

static void put_load(ptx *p, ir_value v) {
#define LOAD(space)                                                                                \
    {                                                                                              \
        "ld." space ".u8 $, &", "ld." space ".u16 $, &", "ld." space ".u32 $, &",                  \
            "ld." space ".f32 $, &"                                                                \
    }
    static const char *const formats[LOAD_ROWS][4] = {
        [IR_LOCAL] = LOAD("shared"),     [IR_DEVICE] = LOAD("global"),
        [IR_PRIVATE] = LOAD("local"),    [IR_CONSTANT] = LOAD("const"),
        [READ_ONLY] = LOAD("global.nc"), [UNCACHED] = LOAD("global.cv"),
        [STREAMING] = LOAD("global.cs")};
#undef LOAD
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    ptx_reg guard;
    ptx_operand at = prepare(p, v, a, &guard), d = ptx_dest(p, v);
    unsigned form = a.bytes == 1 ? 0 : a.bytes == 2 ? 1 : ptx_reg_class(d.reg) == PTX_F32 ? 3 : 2;
    if (guard)
        put_zero(p, d);
    p->guard = guard;
    ptx_line(p, formats[row_of(p, v, a)][form], d, at);
}

static void put_loads(ptx *p, ir_value v) {
    static const char *const formats[LOAD_ROWS][2] = {
        [IR_LOCAL] = {"ld.shared.v2.b32 {$, $}, &", "ld.shared.v4.b32 {$, $, $, $}, &"},
        [IR_DEVICE] = {"ld.global.v2.b32 {$, $}, &", "ld.global.v4.b32 {$, $, $, $}, &"},
        [IR_PRIVATE] = {"ld.local.v2.b32 {$, $}, &", "ld.local.v4.b32 {$, $, $, $}, &"},
        [IR_CONSTANT] = {"ld.const.v2.b32 {$, $}, &", "ld.const.v4.b32 {$, $, $, $}, &"},
        [READ_ONLY] = {"ld.global.nc.v2.b32 {$, $}, &", "ld.global.nc.v4.b32 {$, $, $, $}, &"},
        [UNCACHED] = {"ld.global.cv.v2.b32 {$, $}, &", "ld.global.cv.v4.b32 {$, $, $, $}, &"},
        [STREAMING] = {"ld.global.cs.v2.b32 {$, $}, &", "ld.global.cs.v4.b32 {$, $, $, $}, &"}};
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    ptx_operand d[4] = {PTX_SINK, PTX_SINK, PTX_SINK, PTX_SINK};
    bool any = false;
    ir_value r = ir_at(p->f, v)->next;
    for (; ir_op_of(p->f, r) == IR_RESULT && ir_arg(p->f, r, 0) == v; r = ir_at(p->f, r)->next)
        if (p->m.kind[r] == MAT_TEMPORARY) {
            d[ir_at(p->f, r)->imm & 3] = ptx_dest(p, r);
            any = true;
        }
    if (!any)
        return;
    ptx_reg guard;
    ptx_operand at = prepare(p, v, a, &guard);
    for (unsigned k = 0; k < 4; k++)
        if (guard && d[k].reg)
            put_zero(p, d[k]);
    p->guard = guard;
    unsigned row = row_of(p, v, a);
    if (a.bytes == 8)
        ptx_line(p, formats[row][0], d[0], d[1], at);
    else
        ptx_line(p, formats[row][1], d[0], d[1], d[2], d[3], at);
}

static bool is_float(ptx_operand o) {
    return o.reg ? ptx_reg_class(o.reg) == PTX_F32 : o.type == IR_F32;
}

static unsigned store_row(ir_access a) {
    return !a.hint ? a.space : a.hint == ISA_HINT_UNCACHED ? UNCACHED : STREAMING;
}

static void put_store_one(ptx *p, ir_value v, ir_access a) {
#define STORE(space)                                                                               \
    {                                                                                              \
        "st." space ".u8 &, $", "st." space ".u16 &, $", "st." space ".u32 &, $",                  \
            "st." space ".f32 &, $", "st." space ".b16 &, $"                                       \
    }
    static const char *const formats[LOAD_ROWS][5] = {[IR_LOCAL] = STORE("shared"),
                                                      [IR_DEVICE] = STORE("global"),
                                                      [IR_PRIVATE] = STORE("local"),
                                                      [UNCACHED] = STORE("global.wt"),
                                                      [STREAMING] = STORE("global.cs")};
#undef STORE
    ptx_reg guard;
    ptx_operand at = prepare(p, v, a, &guard), x = ptx_use(p, ir_arg(p->f, v, 1));
    unsigned form = a.bytes == 1 ? 0 : a.bytes == 2 ? 1 : is_float(x) ? 3 : 2;
    if (x.reg && ptx_reg_class(x.reg) == PTX_B16)
        form = 4;
    p->guard = guard;
    ptx_line(p, formats[store_row(a)][form], at, x);
}

/* A vector of operands cannot mix a constant with a register of class f32. */
static void put_store(ptx *p, ir_value v) {
    static const char *const formats[LOAD_ROWS][2] = {
        [IR_LOCAL] = {"st.shared.v2.b32 &, {$, $}", "st.shared.v4.b32 &, {$, $, $, $}"},
        [IR_DEVICE] = {"st.global.v2.b32 &, {$, $}", "st.global.v4.b32 &, {$, $, $, $}"},
        [IR_PRIVATE] = {"st.local.v2.b32 &, {$, $}", "st.local.v4.b32 &, {$, $, $, $}"},
        [UNCACHED] = {"st.global.wt.v2.b32 &, {$, $}", "st.global.wt.v4.b32 &, {$, $, $, $}"},
        [STREAMING] = {"st.global.cs.v2.b32 &, {$, $}", "st.global.cs.v4.b32 &, {$, $, $, $}"}};
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    if (a.bytes <= 4) {
        put_store_one(p, v, a);
        return;
    }
    ptx_operand x[4];
    unsigned words = a.bytes / 4u;
    bool floats = false;
    for (unsigned k = 0; k < words; k++) {
        x[k] = ptx_use(p, ir_arg(p->f, v, 1 + k));
        floats |= is_float(x[k]);
    }
    for (unsigned k = 0; k < words && floats; k++)
        x[k] = ptx_in_reg(p, x[k]);
    ptx_reg guard;
    ptx_operand at = prepare(p, v, a, &guard);
    p->guard = guard;
    if (words == 2)
        ptx_line(p, formats[store_row(a)][0], at, x[0], x[1]);
    else
        ptx_line(p, formats[store_row(a)][1], at, x[0], x[1], x[2], x[3]);
}

/* A 64-bit element; occurs only in IR that is given as text. */
static void put_element(ptx *p, ir_value v) {
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool load = ir_op_of(p->f, v) == IR_LOAD64;
    ir_type type = ir_type_of(p->f, load ? v : ir_arg(p->f, v, 1));
    ptx_reg guard;
    ptx_operand at = prepare(p, v, a, &guard);
    ptx_operand x = load ? ptx_dest(p, v) : ptx_use_reg(p, ir_arg(p->f, v, 1));
    if (guard && load)
        ptx_move(p, type, x, ptx_imm(type, 0));
    p->guard = guard;
    if (load)
        ptx_line(p, type == IR_F64 ? "ld.global.f64 $, &" : "ld.global.u64 $, &", x, at);
    else
        ptx_line(p, type == IR_F64 ? "st.global.f64 &, $" : "st.global.u64 &, $", at, x);
}

/* ---- Atomics ---- */

/* "atom.relaxed.gpu.global" + rest */
static const char *atomic_format(char *text, const char *what, ir_access a, const char *rest) {
    return ptx_join(text,
                    (const char *[]){what, ".relaxed.", scopes[a.scope],
                                     a.space == IR_LOCAL ? ".shared" : ".global", rest, NULL});
}

enum { ATOMIC_FORMAT = 80 };

/* A float addition in device memory. atom.add would flush subnormals; a compare-and-swap loop does
 * not.
 *
 *       ld    cur
 *   $fadd_1:
 *       add   new, cur, x
 *       atom.cas old, cur, new
 *       again with cur = old while old != cur */
static void put_float_add(ptx *p, ir_value v, ir_access a, ptx_operand at, ptx_reg guard) {
    char format[ATOMIC_FORMAT];
    ptx_operand x = ptx_use(p, ir_arg(p->f, v, 1)), cur = ptx_new(p, PTX_B32),
                next = ptx_new(p, PTX_F32), old = ptx_new(p, PTX_B32), again = ptx_new(p, PTX_PRED);
    uint32_t number = ++p->labels;
    if (guard) {
        put_zero(p, old);
        ptx_jump(p, guard, true, "fadd", number, "_end");
    }
    ptx_put_made(p, atomic_format(format, "ld", a, ".u32 $, &"), (ptx_operand[]){cur, at});
    ptx_target(p, "fadd", number, "");
    ptx_line(p, "add.rn.f32 $, $, $", next, cur, x);
    ptx_put_made(p, atomic_format(format, "atom", a, ".cas.b32 $, &, $, $"),
                 (ptx_operand[]){old, at, cur, next});
    ptx_line(p, "setp.ne.s32 $, $, $", again, old, cur);
    ptx_line(p, "mov.b32 $, $", cur, old);
    ptx_jump(p, again.reg, false, "fadd", number, "");
    if (guard)
        ptx_target(p, "fadd", number, "_end");
    if (p->m.kind[v] == MAT_TEMPORARY)
        ptx_line(p, "mov.b32 $, $", ptx_dest(p, v), old);
}

static void put_atomic_load(ptx *p, ir_value v, ir_access a, ptx_operand at, ptx_reg guard) {
    char format[ATOMIC_FORMAT];
    bool used = p->m.kind[v] == MAT_TEMPORARY;
    bool wide = a.bytes == 8;
    ptx_operand d = used ? ptx_dest(p, v) : ptx_new(p, wide ? PTX_B64 : PTX_B32), loaded = d;
    if (guard) { /* the destination may hold the address */
        loaded = ptx_new(p, ptx_reg_class(d.reg));
        put_zero(p, loaded);
    }
    p->guard = guard;
    const char *rest = wide ? ".u64 $, &" : is_float(d) ? ".f32 $, &" : ".u32 $, &";
    ptx_put_made(p, atomic_format(format, "ld", a, rest), (ptx_operand[]){loaded, at});
    if (guard && used)
        ptx_move(p, ir_type_of(p->f, v), d, loaded);
}

static void put_atomic_store(ptx *p, ir_value v, ir_access a, ptx_operand at, ptx_reg guard) {
    char format[ATOMIC_FORMAT];
    ptx_operand x = ptx_use(p, ir_arg(p->f, v, 1));
    p->guard = guard;
    const char *rest = a.bytes == 8 ? ".u64 &, $" : is_float(x) ? ".f32 &, $" : ".u32 &, $";
    ptx_put_made(p, atomic_format(format, "st", a, rest), (ptx_operand[]){at, x});
}

/* PTX has no atomic subtraction, so the negated value is added. */
static ptx_operand atomic_value(ptx *p, ir_value v, ir_access a) {
    ir_value x = ir_arg(p->f, v, 1);
    uint64_t bits;
    if (a.atomic != IR_ATOMIC_SUB)
        return ptx_use(p, x);
    if (ir_is_const(p->f, x, &bits))
        return a.bytes == 8 ? ptx_imm(IR_U64, 0 - bits) : ptx_u32(0 - (uint32_t)bits);
    ptx_operand negative = ptx_new(p, a.bytes == 8 ? PTX_B64 : PTX_B32);
    ptx_line(p, a.bytes == 8 ? "neg.s64 $, $" : "neg.s32 $, $", negative, ptx_use(p, x));
    return negative;
}

static void put_atomic(ptx *p, ir_value v) {
#define FORMS(op, type)                                                                            \
    {                                                                                              \
        {"." op "." type "32 $, &, $", "." op "." type "64 $, &, $"}, {                            \
            "." op "." type "32 &, $", "." op "." type "64 &, $"                                   \
        }                                                                                          \
    }
    static const struct {
        const char *atom[2], *red[2]; /* for 32 and 64 bits; NULL: no red */
    } forms[IR_ATOMIC_COUNT] = {
        [IR_ATOMIC_ADD] = FORMS("add", "u"),
        [IR_ATOMIC_SUB] = FORMS("add", "u"),
        [IR_ATOMIC_MIN] = FORMS("min", "u"),
        [IR_ATOMIC_MAX] = FORMS("max", "u"),
        [IR_ATOMIC_AND] = FORMS("and", "b"),
        [IR_ATOMIC_OR] = FORMS("or", "b"),
        [IR_ATOMIC_XOR] = FORMS("xor", "b"),
        [IR_ATOMIC_EXCHANGE] = {{".exch.b32 $, &, $", ".exch.b64 $, &, $"}, {NULL}},
        [IR_ATOMIC_CAS] = {{".cas.b32 $, &, $, $", ".cas.b64 $, &, $, $"}, {NULL}},
        [IR_ATOMIC_FADD] = {{".add.f32 $, &, $"}, {".add.f32 &, $"}},
        [IR_ATOMIC_IMIN] = FORMS("min", "s"),
        [IR_ATOMIC_IMAX] = FORMS("max", "s"),
    };
#undef FORMS
    char format[ATOMIC_FORMAT];
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool used = p->m.kind[v] == MAT_TEMPORARY, wide = a.bytes == 8;
    ptx_reg guard;
    ptx_operand at = prepare(p, v, a, &guard), desired = PTX_SINK;
    if (a.atomic == IR_ATOMIC_FADD && a.space == IR_DEVICE && !p->o->fp_fast) {
        put_float_add(p, v, a, at, guard);
        return;
    }
    if (a.atomic == IR_ATOMIC_LOAD) {
        put_atomic_load(p, v, a, at, guard);
        return;
    }
    if (a.atomic == IR_ATOMIC_STORE) {
        put_atomic_store(p, v, a, at, guard);
        return;
    }
    ptx_operand x = atomic_value(p, v, a);
    if (a.atomic == IR_ATOMIC_CAS)
        desired = ptx_use(p, ir_arg(p->f, v, 2));
    ptx_operand d = used ? ptx_dest(p, v) : PTX_SINK, old = d;
    if (guard && used) { /* the destination may hold an operand */
        old = ptx_new(p, ptx_reg_class(d.reg));
        put_zero(p, old);
    }
    p->guard = guard;
    const char *red = forms[a.atomic].red[wide];
    if (!used && red)
        ptx_put_made(p, atomic_format(format, "red", a, red), (ptx_operand[]){at, x});
    else
        ptx_put_made(p, atomic_format(format, "atom", a, forms[a.atomic].atom[wide]),
                     (ptx_operand[]){old, at, x, desired});
    if (guard && used)
        ptx_move(p, ir_type_of(p->f, v), d, old);
}

/* ---- Fences and asserts ---- */

/* A wave's fence is printed between wave synchronisations, so that what one lane does after a
 * release, or did before an acquire, counts for all of them. */
static void put_fence(ptx *p, ir_value v) {
    static const char *const fences[2][ISA_SCOPE_COUNT] = {
        {"", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys"},
        {"", "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys"}};
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool wave = ir_op_of(p->f, v) == IR_FENCE, only = a.scope == ISA_SCOPE_WAVE;
    if (wave && (only || a.atomic != IR_FENCE_ACQUIRE))
        ptx_line(p, "bar.warp.sync $", ptx_u32(UINT32_MAX));
    if (!only)
        ptx_put_line(p, fences[a.atomic == IR_FENCE_SC][a.scope], NULL);
    if (wave && !only && a.atomic != IR_FENCE_RELEASE)
        ptx_line(p, "bar.warp.sync $", ptx_u32(UINT32_MAX));
}

/* The lane that sets the first status word writes the assert's number into the second. The builder
 * puts most asserts in a block that only failing lanes reach; the others have a condition. */
static void put_assert(ptx *p, ir_value v) {
    ir_value holds = ir_arg(p->f, v, 0);
    if (!p->o->assert_trap)
        return;
    ptx_operand status = ptx_fixed_reg(p, PTX_STATUS), next = {.reg = status.reg, .bits = 4};
    ptx_operand old = ptx_new(p, PTX_B32), first = ptx_new(p, PTX_PRED);
    if (ir_op_of(p->f, holds) != IR_CONST || ir_at(p->f, holds)->imm) {
        bool negated;
        ptx_operand c = ptx_condition(p, holds, &negated), failed = c;
        if (!negated) {
            failed = ptx_new(p, PTX_PRED);
            ptx_line(p, "not.pred $, $", failed, c);
        }
        ptx_line(p, "mov.u32 $, 1", old);
        p->guard = failed.reg;
    }
    ptx_line(p, "atom.relaxed.gpu.global.cas.b32 $, &, 0, 1", old, status);
    ptx_line(p, "setp.eq.u32 $, $, 0", first, old);
    ptx_operand number = ptx_in_reg(p, ptx_u32((uint32_t)ir_at(p->f, v)->imm));
    p->guard = first.reg;
    ptx_line(p, "st.global.u32 &, $", next, number);
}

bool ptx_memory(ptx *p, ir_value v) {
    switch (ir_op_of(p->f, v)) {
    case IR_POINTER: put_pointer(p, v); return true;
    case IR_BUFFER: put_buffer(p, v); return true;
    case IR_LOAD: put_load(p, v); return true;
    case IR_LOADS: put_loads(p, v); return true;
    case IR_STORE: put_store(p, v); return true;
    case IR_LOAD64:
    case IR_STORE64: put_element(p, v); return true;
    case IR_ATOMIC: put_atomic(p, v); return true;
    case IR_FENCE:
    case IR_LANE_FENCE: put_fence(p, v); return true;
    case IR_ASSERT: put_assert(p, v); return true;
    default: return false;
    }
}
