/* Atomics, fences and barriers. The IR's atomics are relaxed; fences around them implement SPIR-V's
 * memory orders (ISA.md 8.1): release before, acquire after; for sequentially consistent ones
 * fence_sc before and acquire after. */
#include "spirv/to_ir.h"

enum { RELEASES = 1, ACQUIRES = 2, IN_ORDER = 4 };

typedef struct row {
    uint16_t op;
    uint8_t atomic;   /* ir_atomic */
    uint8_t combines; /* plain operation for private memory; 0: none */
} row;

static const row rows[] = {
    {SPIRV_OpAtomicLoad, IR_ATOMIC_LOAD, 0},
    {SPIRV_OpAtomicStore, IR_ATOMIC_STORE, 0},
    {SPIRV_OpAtomicExchange, IR_ATOMIC_EXCHANGE, 0},
    {SPIRV_OpAtomicCompareExchange, IR_ATOMIC_CAS, 0},
    {SPIRV_OpAtomicCompareExchangeWeak, IR_ATOMIC_CAS, 0},
    {SPIRV_OpAtomicIIncrement, IR_ATOMIC_ADD, SPIRV_OpIAdd},
    {SPIRV_OpAtomicIDecrement, IR_ATOMIC_SUB, SPIRV_OpISub},
    {SPIRV_OpAtomicIAdd, IR_ATOMIC_ADD, SPIRV_OpIAdd},
    {SPIRV_OpAtomicISub, IR_ATOMIC_SUB, SPIRV_OpISub},
    {SPIRV_OpAtomicSMin, IR_ATOMIC_IMIN, SPIRV_OpSLessThan},
    {SPIRV_OpAtomicUMin, IR_ATOMIC_MIN, SPIRV_OpULessThan},
    {SPIRV_OpAtomicSMax, IR_ATOMIC_IMAX, SPIRV_OpSGreaterThan},
    {SPIRV_OpAtomicUMax, IR_ATOMIC_MAX, SPIRV_OpUGreaterThan},
    {SPIRV_OpAtomicAnd, IR_ATOMIC_AND, SPIRV_OpBitwiseAnd},
    {SPIRV_OpAtomicOr, IR_ATOMIC_OR, SPIRV_OpBitwiseOr},
    {SPIRV_OpAtomicXor, IR_ATOMIC_XOR, SPIRV_OpBitwiseXor},
    {SPIRV_OpAtomicFlagTestAndSet, IR_ATOMIC_EXCHANGE, 0},
    {SPIRV_OpAtomicFlagClear, IR_ATOMIC_STORE, 0},
    {SPIRV_OpAtomicFAddEXT, IR_ATOMIC_FADD, SPIRV_OpFAdd},
    {SPIRV_OpAtomicFMinEXT, IR_ATOMIC_CAS, SPIRV_OpFOrdLessThan},
    {SPIRV_OpAtomicFMaxEXT, IR_ATOMIC_CAS, SPIRV_OpFOrdGreaterThan},
};

/* ---- Scopes and order ---- */

static bool read_number(builder *b, spirv_id id, uint64_t *number) {
    return spirv_constant_number(to_module_of(b), id, number) ||
           to_fail(b, DIAG_E_SPIRV_FEATURE, "scope and memory semantics are not constants");
}

static bool read_scope(builder *b, spirv_id id, uint8_t *scope) {
    static const uint8_t known[5] = {ISA_SCOPE_SYSTEM, ISA_SCOPE_DEVICE, ISA_SCOPE_WORKGROUP,
                                     ISA_SCOPE_WAVE, ISA_SCOPE_WAVE};
    uint64_t number;
    if (!read_number(b, id, &number))
        return false;
    if (number > SPIRV_Scope_Invocation)
        return to_fail(b, DIAG_E_SPIRV_FEATURE, "undefined scope");
    *scope = known[number];
    return true;
}

static bool read_order(builder *b, spirv_id id, unsigned *order) {
    uint64_t bits;
    if (!read_number(b, id, &bits))
        return false;
    *order = 0;
    if (bits & (SPIRV_Release | SPIRV_AcquireRelease | SPIRV_SequentiallyConsistent))
        *order |= RELEASES;
    if (bits & (SPIRV_Acquire | SPIRV_AcquireRelease | SPIRV_SequentiallyConsistent))
        *order |= ACQUIRES;
    if (bits & SPIRV_SequentiallyConsistent)
        *order |= IN_ORDER;
    return true;
}

static void fence(builder *b, unsigned kind, uint8_t scope) {
    ir_value token = to_token(b);
    ssa_emit(&b->s, IR_FENCE, IR_VOID, &token, 1,
             ir_access_pack((ir_access){.atomic = (uint8_t)kind, .scope = scope}));
}

static void fence_before(builder *b, unsigned order, uint8_t scope) {
    if (order & IN_ORDER)
        fence(b, IR_FENCE_SC, scope);
    else if (order & RELEASES)
        fence(b, IR_FENCE_RELEASE, scope);
}

static void fence_after(builder *b, unsigned order, uint8_t scope) {
    if (order & ACQUIRES)
        fence(b, IR_FENCE_ACQUIRE, scope);
}

/* ---- One atomic ---- */

typedef struct atomic {
    const row *row;
    to_pointer at;
    unsigned bits;
    ir_type type; /* of the IR's operation: u32, f32 or u64 */
    ir_value value, expected;
    uint8_t scope;
} atomic;

static ir_value one_of(builder *b, const atomic *a) {
    return a->type == IR_U64 ? ir_const(to_func(b), IR_U64, 1) : to_u32(b, 1);
}

static ir_value emit(builder *b, const atomic *a, ir_atomic op, ir_value value) {
    ir_value args[3] = {a->at.offset};
    unsigned count = ir_atomic_operands(op);
    if (op == IR_ATOMIC_CAS) {
        args[1] = a->expected;
        args[2] = value;
    } else if (count > 1) {
        args[1] = value;
    }
    ir_access access = {.space = a->at.space,
                        .bytes = (uint8_t)(a->bits / 8),
                        .atomic = (uint8_t)op,
                        .scope = a->at.space == IR_LOCAL ? (uint8_t)ISA_SCOPE_WORKGROUP : a->scope};
    ir_type type = op == IR_ATOMIC_STORE ? IR_VOID : a->type;
    return ssa_emit(&b->s, IR_ATOMIC, type, args, count, ir_access_pack(access));
}

/* The new value. For min and max of integers the operation is a comparison; those of floats ignore
 * a NaN. */
static ir_value combine(builder *b, const atomic *a, ir_value old) {
    unsigned op = a->row->combines;
    ir_value x = a->value;
    if (op == SPIRV_OpFOrdLessThan)
        return to_2(b, a->bits == 64 ? IR_DMIN : IR_FMIN, ir_type_of(to_func(b), x), x, old);
    if (op == SPIRV_OpFOrdGreaterThan)
        return to_2(b, a->bits == 64 ? IR_DMAX : IR_FMAX, ir_type_of(to_func(b), x), x, old);
    if (op == SPIRV_OpISub)
        return to_scalar_op(b, op, a->bits, old, x);
    ir_value v = to_scalar_op(b, op, a->bits, x, old);
    return ir_type_of(to_func(b), v) == IR_BOOL ? to_select(b, v, x, old) : v;
}

/* A compare-and-swap loop, for float operations that have no atomic instruction. */
static ir_value swap_loop(builder *b, atomic *a) {
    ir_type real = a->bits == 64 ? IR_F64 : IR_F32;
    a->type = a->bits == 64 ? IR_U64 : IR_U32;
    uint32_t *v = arena_alloc(&b->memory, sizeof *v);
    if (!v) {
        b->s.f->failed = true;
        return 0;
    }
    v[0] = to_variable(b, a->type, emit(b, a, IR_ATOMIC_LOAD, 0));
    to_open_loop(b, v, 1);
    ir_value old = ssa_read(&b->s, v[0]);
    ir_value new = to_bits(b, combine(b, a, to_from_bits(b, old, real)));
    a->expected = old;
    ir_value seen = emit(b, a, IR_ATOMIC_CAS, new);
    ssa_write(&b->s, v[0], seen);
    to_break_if(b, to_scalar_op(b, SPIRV_OpIEqual, a->bits, seen, old));
    to_close_loop(b);
    b->s.unused[v[0]] = true;
    return to_from_bits(b, ssa_read(&b->s, v[0]), real);
}

/* Private memory belongs to one lane: a load, an operation, a store. */
static ir_value alone(builder *b, const atomic *a, ir_type type) {
    const to_scalar s = {.type = (uint8_t)type, .bits = (uint8_t)a->bits};
    ir_value old = to_load_scalar(b, a->at, &s, a->bits / 8), new = a->value;
    if (a->row->atomic == IR_ATOMIC_LOAD)
        return old;
    if (a->row->combines)
        new = combine(b, a, old);
    else if (a->row->atomic == IR_ATOMIC_CAS)
        new = to_select(b, to_scalar_op(b, SPIRV_OpIEqual, a->bits, old, a->expected), new, old);
    to_store_scalar(b, a->at, &s, a->bits / 8, new);
    return old;
}

/* Floats have a 32-bit atomic add; exchange, load and store operate on the bits. */
static ir_value perform(builder *b, atomic *a, ir_type type) {
    if (a->at.space == IR_PRIVATE)
        return alone(b, a, type);
    bool is_float = type == IR_F32 || type == IR_F64;
    bool adds = a->row->atomic == IR_ATOMIC_FADD;
    if (is_float && a->row->combines && !(adds && a->bits == 32))
        return swap_loop(b, a);
    a->type = adds ? IR_F32 : a->bits == 64 ? IR_U64 : IR_U32;
    ir_value v = a->value && !adds ? to_bits(b, a->value) : a->value;
    if (a->expected)
        a->expected = to_bits(b, a->expected);
    ir_value old = emit(b, a, (ir_atomic)a->row->atomic, v);
    return a->row->atomic == IR_ATOMIC_STORE ? 0 : to_from_bits(b, old, type);
}

/* ---- Operands ---- */

/* Pointer, scope and semantics start at word `at`. The value follows them; in a compare-exchange it
 * follows a second mask of semantics and precedes the expected value. */
static bool read_atomic(builder *b, atomic *a, unsigned *order, const to_scalar **what) {
    const spirv_module *m = to_module_of(b);
    unsigned op = b->insn->op, at = b->insn->result ? 3 : 1;
    bool flag = op == SPIRV_OpAtomicFlagTestAndSet || op == SPIRV_OpAtomicFlagClear;
    bool swaps = op == SPIRV_OpAtomicCompareExchange || op == SPIRV_OpAtomicCompareExchangeWeak;
    static const to_scalar word = {.type = IR_U32, .bits = 32};
    if (!to_read_pointer(b, to_word(b, at), &a->at) ||
        !read_scope(b, to_word(b, at + 1), &a->scope) || !read_order(b, to_word(b, at + 2), order))
        return false;
    uint32_t value = at + (swaps ? 4 : 3);
    spirv_id type = flag ? 0 : b->insn->type ? b->insn->type : m->defs[to_word(b, value)].type;
    const to_flat *flat = flag ? NULL : to_flat_in(b, type);
    if (!flag && (!flat || flat->count != 1))
        return to_fail(b, DIAG_E_SPIRV_TYPE, "atomic on a value that is not a scalar");
    *what = flag ? &word : flat->list;
    a->bits = (*what)->bits;
    a->type = (ir_type)(*what)->type;
    if (a->bits < 32)
        return to_fail(b, DIAG_E_SPIRV_FEATURE, "%u-bit atomics are not supported", a->bits);
    if (a->at.space == IR_CONSTANT || a->at.space >= IR_SPACE_COUNT)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "atomic on memory that cannot be written");
    if (to_has_word(b, value))
        a->value = to_read_scalar(b, to_word(b, value));
    if (swaps)
        a->expected = to_read_scalar(b, to_word(b, value + 1));
    if (op == SPIRV_OpAtomicIIncrement || op == SPIRV_OpAtomicIDecrement ||
        op == SPIRV_OpAtomicFlagTestAndSet)
        a->value = one_of(b, a);
    if (op == SPIRV_OpAtomicFlagClear)
        a->value = to_u32(b, 0);
    return !b->failed;
}

static bool build_atomic(builder *b, const row *r) {
    atomic a = {.row = r};
    unsigned order = 0;
    const to_scalar *what = NULL;
    if (!read_atomic(b, &a, &order, &what) || !what)
        return false;
    bool shared = a.at.space != IR_PRIVATE;
    if (shared)
        fence_before(b, order, a.scope);
    ir_value old = perform(b, &a, (ir_type)what->type);
    if (shared && r->atomic != IR_ATOMIC_STORE)
        fence_after(b, order, a.scope);
    if (old && b->insn->op == SPIRV_OpAtomicFlagTestAndSet)
        old = to_from_bits(b, old, IR_BOOL);
    if (old && b->insn->result)
        to_write(b, &old, 1, TO_ANYWHERE);
    return !b->failed;
}

/* ---- Barriers ---- */

static bool build_memory_barrier(builder *b, uint32_t scope_word, uint32_t order_word,
                                 bool always) {
    uint8_t scope = ISA_SCOPE_DEVICE;
    unsigned order = 0;
    if (!read_scope(b, to_word(b, scope_word), &scope) ||
        !read_order(b, to_word(b, order_word), &order))
        return false;
    unsigned kind = order & IN_ORDER    ? IR_FENCE_SC
                    : order == RELEASES ? IR_FENCE_RELEASE
                    : order == ACQUIRES ? IR_FENCE_ACQUIRE
                                        : IR_FENCE_ACQ_REL;
    if (order || always)
        fence(b, kind, scope);
    return true;
}

/* The IR's barrier orders the memory of the workgroup; a wider scope requires a fence before it. */
static bool build_barrier(builder *b) {
    uint8_t lanes = ISA_SCOPE_WORKGROUP, scope = ISA_SCOPE_WORKGROUP;
    if (!read_scope(b, to_word(b, 1), &lanes) || !read_scope(b, to_word(b, 2), &scope))
        return false;
    if (lanes == ISA_SCOPE_WAVE)
        return build_memory_barrier(b, 2, 3, true);
    if (lanes != ISA_SCOPE_WORKGROUP)
        return to_fail(b, DIAG_E_SPIRV_FEATURE, "a barrier cannot span more than a workgroup");
    bool wider = scope == ISA_SCOPE_DEVICE || scope == ISA_SCOPE_SYSTEM;
    if (wider && !build_memory_barrier(b, 2, 3, false))
        return false;
    ir_value token = to_token(b);
    ssa_emit(&b->s, IR_BARRIER, IR_VOID, &token, 1, 0);
    return true;
}

bool to_atomic(builder *b, bool *known) {
    *known = true;
    if (b->insn->op == SPIRV_OpControlBarrier)
        return build_barrier(b);
    if (b->insn->op == SPIRV_OpMemoryBarrier)
        return build_memory_barrier(b, 1, 2, false);
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].op == b->insn->op)
            return build_atomic(b, &rows[k]);
    *known = false;
    return true;
}
