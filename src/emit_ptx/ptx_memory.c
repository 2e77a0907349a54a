/* Memory: addresses, loads, stores, atomics, fences, asserts, and the checks of --bounds.
 *
 * A device address is a 32-bit offset that is widened and added to the arena's base, a local one is
 * added to the address of the shared variable; each is computed once for the region it is needed
 * in. Private and constant memory are variables of .local and .const: their addresses have 64 bits.
 */
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

/* The argument word of the buffer that an access is in, or a number that is none. */
static uint64_t buffer_word(const ptx *p, ir_value v) {
    ir_value address = ir_arg(p->f, v, 0);
    ir_value word = ir_op_of(p->f, address) == IR_BUFFER ? ir_arg(p->f, address, 0) : 0;
    return word && ir_op_of(p->f, word) == IR_ARG ? ir_at(p->f, word)->imm : UINT64_MAX;
}

void ptx_memory_needs(ptx *p, ir_value v, bool *need) {
    const ir_node *n = ir_at(p->f, v);
    uint32_t bits;
    if (n->op == IR_POINTER || n->op == IR_BUFFER) {
        need[PTX_BASE] = true;
        return;
    }
    need[PTX_STATUS] |= n->op == IR_ASSERT && p->o->assert_trap;
    if (n->op != IR_LOAD && n->op != IR_LOADS && n->op != IR_STORE && n->op != IR_ATOMIC)
        return;
    uint64_t word = buffer_word(p, v);
    if ((n->op == IR_STORE || n->op == IR_ATOMIC) && word < ISA_MAX_REGISTERS)
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

static ptx_operand widened(ptx *p, ir_value offset) {
    ptx_operand wide = ptx_new(p, PTX_B64);
    ptx_line(p, "cvt.u64.u32 $, $", wide, ptx_use(p, offset));
    return wide;
}

/* Base plus offset in a register; kept for the rest of the region. */
static ptx_reg pointer_to(ptx *p, ir_value offset, unsigned space) {
    ptx_reg known = p->pointer[offset];
    if (known && p->open[p->pointer_region[offset]] && p->pointer_space[offset] == space)
        return known;
    ptx_operand pointer;
    if (space == IR_LOCAL) {
        ptx_operand x = ptx_use(p, offset);
        pointer = ptx_new(p, PTX_B32);
        ptx_line(p, "add.s32 $, $, $", pointer, ptx_fixed_reg(p, PTX_LOCAL), x);
    } else {
        ptx_operand wide = widened(p, offset);
        pointer = ptx_new(p, PTX_B64);
        ptx_line(p, "add.s64 $, $, $", pointer, ptx_fixed_reg(p, (ptx_fixed)fixed_of[space]), wide);
    }
    p->pointer[offset] = pointer.reg;
    p->pointer_space[offset] = (uint8_t)space;
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

/* A predicate that holds where the access lies inside its memory. */
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
        start = widened(p, offset);
    }
    end = ptx_new(p, PTX_B64);
    ptx_line(p, "add.s64 $, $, $", end, start, ptx_imm(IR_U64, (uint64_t)(a.bytes + a.offset)));
    ptx_line(p, "setp.le.u64 $, $, $", ok, end, ptx_fixed_reg(p, PTX_SIZE));
    return ok;
}

/* Address and, with --bounds, the predicate for the line that accesses it. */
static ptx_operand prepare(ptx *p, ir_value v, ir_access a, ptx_reg *guard) {
    ir_value offset = ir_arg(p->f, v, 0);
    p->uses[a.space] = true;
    *guard = p->o->bounds ? in_bounds(p, offset, a).reg : 0;
    return address_of(p, offset, a);
}

/* ---- Loads and stores ---- */

static void put_pointer(ptx *p, ir_value v) {
    ptx_operand wide = widened(p, ir_arg(p->f, v, 0));
    ptx_line(p, "add.s64 $, $, $", ptx_dest(p, v), ptx_fixed_reg(p, PTX_BASE), wide);
}

/* The word and the offset are added in 32 bits, which is one instruction less than in 64 and the
 * same in a buffer that is contained. */
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
    wide = ptx_new(p, PTX_B64);
    ptx_line(p, "cvt.u64.u32 $, $", wide, sum);
    ptx_line(p, "add.s64 $, $, $", ptx_dest(p, v), ptx_fixed_reg(p, PTX_BASE), wide);
}

/* Whether nothing writes what the load reads while the kernel runs: it is in a buffer that is read
 * only and overlaps no other. */
static bool is_constant(const ptx *p, ir_value v) {
    uint64_t word = buffer_word(p, v);
    return word < ISA_MAX_REGISTERS && !(p->written[word / 64] >> (word % 64) & 1) &&
           emit_is_constant(&p->o->arguments, (uint32_t)word);
}

enum { READ_ONLY = IR_SPACE_COUNT }; /* device memory that nothing writes */

/* Of the tables of loads. */
static unsigned row_of(const ptx *p, ir_value v, ir_access a) {
    return a.space == IR_DEVICE && is_constant(p, v) ? (unsigned)READ_ONLY : a.space;
}

static void put_zero(ptx *p, ptx_operand d) {
    bool is_float = ptx_reg_class(d.reg) == PTX_F32;
    ptx_move(p, is_float ? IR_F32 : IR_U32, d, ptx_imm(is_float ? IR_F32 : IR_U32, 0));
}

static void put_load(ptx *p, ir_value v) {
#define LOAD(space)                                                                                \
    {                                                                                              \
        "ld." space ".u8 $, &", "ld." space ".u16 $, &", "ld." space ".u32 $, &",                  \
            "ld." space ".f32 $, &"                                                                \
    }
    static const char *const formats[READ_ONLY + 1][4] = {[IR_LOCAL] = LOAD("shared"),
                                                          [IR_DEVICE] = LOAD("global"),
                                                          [IR_PRIVATE] = LOAD("local"),
                                                          [IR_CONSTANT] = LOAD("const"),
                                                          [READ_ONLY] = LOAD("global.nc")};
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
    static const char *const formats[READ_ONLY + 1][2] = {
        [IR_LOCAL] = {"ld.shared.v2.b32 {$, $}, &", "ld.shared.v4.b32 {$, $, $, $}, &"},
        [IR_DEVICE] = {"ld.global.v2.b32 {$, $}, &", "ld.global.v4.b32 {$, $, $, $}, &"},
        [IR_PRIVATE] = {"ld.local.v2.b32 {$, $}, &", "ld.local.v4.b32 {$, $, $, $}, &"},
        [IR_CONSTANT] = {"ld.const.v2.b32 {$, $}, &", "ld.const.v4.b32 {$, $, $, $}, &"},
        [READ_ONLY] = {"ld.global.nc.v2.b32 {$, $}, &", "ld.global.nc.v4.b32 {$, $, $, $}, &"}};
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

static void put_store_one(ptx *p, ir_value v, ir_access a) {
#define STORE(space)                                                                               \
    {                                                                                              \
        "st." space ".u8 &, $", "st." space ".u16 &, $", "st." space ".u32 &, $",                  \
            "st." space ".f32 &, $", "st." space ".b16 &, $"                                       \
    }
    static const char *const formats[IR_CONSTANT][5] = {
        [IR_LOCAL] = STORE("shared"), [IR_DEVICE] = STORE("global"), [IR_PRIVATE] = STORE("local")};
#undef STORE
    ptx_reg guard;
    ptx_operand at = prepare(p, v, a, &guard), x = ptx_use(p, ir_arg(p->f, v, 1));
    unsigned form = a.bytes == 1 ? 0 : a.bytes == 2 ? 1 : is_float(x) ? 3 : 2;
    if (x.reg && ptx_reg_class(x.reg) == PTX_B16)
        form = 4;
    p->guard = guard;
    ptx_line(p, formats[a.space][form], at, x);
}

/* A constant cannot stand beside a register of class f32. */
static void put_store(ptx *p, ir_value v) {
    static const char *const formats[IR_CONSTANT][2] = {
        [IR_LOCAL] = {"st.shared.v2.b32 &, {$, $}", "st.shared.v4.b32 &, {$, $, $, $}"},
        [IR_DEVICE] = {"st.global.v2.b32 &, {$, $}", "st.global.v4.b32 &, {$, $, $, $}"},
        [IR_PRIVATE] = {"st.local.v2.b32 &, {$, $}", "st.local.v4.b32 &, {$, $, $, $}"}};
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
        ptx_line(p, formats[a.space][0], at, x[0], x[1]);
    else
        ptx_line(p, formats[a.space][1], at, x[0], x[1], x[2], x[3]);
}

/* ---- Atomics ---- */

/* "atom.relaxed.gpu.global" + rest */
static const char *atomic_format(char *text, const char *what, ir_access a, const char *rest) {
    const char *parts[] = {what, ".relaxed.", scopes[a.scope],
                           a.space == IR_LOCAL ? ".shared" : ".global", rest};
    char *at = text;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (const char *c = parts[k]; *c; c++)
            *at++ = *c;
    *at = '\0';
    return text;
}

enum { ATOMIC_FORMAT = 80 };

/* Adding a float to device memory with atom.add would flush subnormals; the loop does not.
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
    ptx_operand d = used ? ptx_dest(p, v) : ptx_new(p, PTX_B32), loaded = d;
    if (guard) { /* the destination may hold the address */
        loaded = ptx_new(p, ptx_reg_class(d.reg));
        put_zero(p, loaded);
    }
    p->guard = guard;
    ptx_put_made(p, atomic_format(format, "ld", a, is_float(d) ? ".f32 $, &" : ".u32 $, &"),
                 (ptx_operand[]){loaded, at});
    if (guard && used)
        ptx_move(p, ir_type_of(p->f, v), d, loaded);
}

static void put_atomic_store(ptx *p, ir_value v, ir_access a, ptx_operand at, ptx_reg guard) {
    char format[ATOMIC_FORMAT];
    ptx_operand x = ptx_use(p, ir_arg(p->f, v, 1));
    p->guard = guard;
    ptx_put_made(p, atomic_format(format, "st", a, is_float(x) ? ".f32 &, $" : ".u32 &, $"),
                 (ptx_operand[]){at, x});
}

static void put_atomic(ptx *p, ir_value v) {
    static const struct {
        const char *atom, *red; /* NULL: there is no red */
    } forms[IR_ATOMIC_COUNT] = {
        [IR_ATOMIC_ADD] = {".add.u32 $, &, $", ".add.u32 &, $"},
        [IR_ATOMIC_SUB] = {".add.u32 $, &, $", ".add.u32 &, $"},
        [IR_ATOMIC_MIN] = {".min.u32 $, &, $", ".min.u32 &, $"},
        [IR_ATOMIC_MAX] = {".max.u32 $, &, $", ".max.u32 &, $"},
        [IR_ATOMIC_AND] = {".and.b32 $, &, $", ".and.b32 &, $"},
        [IR_ATOMIC_OR] = {".or.b32 $, &, $", ".or.b32 &, $"},
        [IR_ATOMIC_XOR] = {".xor.b32 $, &, $", ".xor.b32 &, $"},
        [IR_ATOMIC_EXCHANGE] = {".exch.b32 $, &, $", NULL},
        [IR_ATOMIC_CAS] = {".cas.b32 $, &, $, $", NULL},
        [IR_ATOMIC_FADD] = {".add.f32 $, &, $", ".add.f32 &, $"},
        [IR_ATOMIC_IMIN] = {".min.s32 $, &, $", ".min.s32 &, $"},
        [IR_ATOMIC_IMAX] = {".max.s32 $, &, $", ".max.s32 &, $"},
    };
    char format[ATOMIC_FORMAT];
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool used = p->m.kind[v] == MAT_TEMPORARY;
    ptx_reg guard;
    a.bytes = 4;
    ptx_operand at = prepare(p, v, a, &guard), x, desired = PTX_SINK;
    uint32_t bits;
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
    if (a.atomic != IR_ATOMIC_SUB) {
        x = ptx_use(p, ir_arg(p->f, v, 1));
    } else if (ptx_const(p, ir_arg(p->f, v, 1), &bits)) {
        x = ptx_u32(0 - bits);
    } else {
        x = ptx_new(p, PTX_B32);
        ptx_line(p, "neg.s32 $, $", x, ptx_use(p, ir_arg(p->f, v, 1)));
    }
    if (a.atomic == IR_ATOMIC_CAS)
        desired = ptx_use(p, ir_arg(p->f, v, 2));
    ptx_operand d = used ? ptx_dest(p, v) : PTX_SINK, old = d;
    if (guard && used) { /* the destination may hold an operand */
        old = ptx_new(p, ptx_reg_class(d.reg));
        put_zero(p, old);
    }
    p->guard = guard;
    if (!used && forms[a.atomic].red)
        ptx_put_made(p, atomic_format(format, "red", a, forms[a.atomic].red),
                     (ptx_operand[]){at, x});
    else
        ptx_put_made(p, atomic_format(format, "atom", a, forms[a.atomic].atom),
                     (ptx_operand[]){old, at, x, desired});
    if (guard && used)
        ptx_move(p, ir_type_of(p->f, v), d, old);
}

/* ---- The rest ---- */

/* A fence of the wave stands between its synchronisations, so that what one lane does after a
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

/* The lane that sets the first status word writes its number into the second. The builder has put
 * most asserts where nothing comes but lanes that fail; the others have a condition. */
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
    case IR_ATOMIC: put_atomic(p, v); return true;
    case IR_FENCE:
    case IR_LANE_FENCE: put_fence(p, v); return true;
    case IR_ASSERT: put_assert(p, v); return true;
    default: return false;
    }
}
