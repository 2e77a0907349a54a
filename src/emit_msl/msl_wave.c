/* Wave operations, atomics, the barrier and fences for Metal. After convergence lowering, all
 * existing lanes execute a wave operation together, so SIMD-group functions see every existing
 * lane. Lanes past the end of the workgroup do not exist. Reading from them is undefined, so their
 * numbers never reach a shuffle. */
#include "emit_msl/msl.h"

#include "ir/analyse.h"
#include "isa/isa.h"

/* ---- Helpers ---- */

/* Metal guarantees the number if one operand is NaN, but not which zero is the smaller one. */
#define MIN_MAX(id, order, sign)                                                                   \
    {                                                                                              \
        "wave_f" id,                                                                               \
            "// " order "\n"                                                                       \
            "@function float wave_f" id "(float a, float b) {\n"                                   \
            "    uint32_t x = as_type<uint32_t>(a), y = as_type<uint32_t>(b);\n"                   \
            "    return (x | y) << 1 == 0u ? as_type<float>(x " sign " y) : precise::f" id         \
            "(a, b);\n"                                                                            \
            "}\n",                                                                                 \
            0                                                                                      \
    }

#define CAS(name, space)                                                                           \
    {                                                                                              \
        name,                                                                                      \
            "// Fails only where something else is found, unlike what it is made of.\n"            \
            "@function uint32_t " name "(" space " atomic_uint *at, uint32_t expected, uint32_t "  \
            "desired) {\n"                                                                         \
            "    uint32_t old = expected;\n"                                                       \
            "    while (!atomic_compare_exchange_weak_explicit(at, &old, desired, "                \
            "memory_order_relaxed,\n"                                                              \
            "                                                  memory_order_relaxed))\n"           \
            "        if (old != expected)\n"                                                       \
            "            break;\n"                                                                 \
            "    return old;\n"                                                                    \
            "}\n",                                                                                 \
            0                                                                                      \
    }

#define FADD(name, space)                                                                          \
    {                                                                                              \
        name,                                                                                      \
            "// Adds in memory and gives what was there before.\n"                                 \
            "@function float " name "(" space " atomic_uint *at, float x) {\n"                     \
            "    uint32_t old = atomic_load_explicit(at, memory_order_relaxed), sum;\n"            \
            "    do\n"                                                                             \
            "        sum = as_type<uint32_t>(as_type<float>(old) + x);\n"                          \
            "    while (!atomic_compare_exchange_weak_explicit(at, &old, sum, "                    \
            "memory_order_relaxed,\n"                                                              \
            "                                                  memory_order_relaxed));\n"          \
            "    return as_type<float>(old);\n"                                                    \
            "}\n",                                                                                 \
            0                                                                                      \
    }

const c_helper msl_helpers[MSL_END - C_HELPERS] = {
    [MSL_TILE - C_HELPERS] = {"wave_tile", msl_tile, 0},
    [MSL_TILE_BFLOAT - C_HELPERS] = {"wave_tile", msl_tile_bfloat, C_BIT(MSL_TILE)},
    [MSL_FMIN - C_HELPERS] = MIN_MAX("min", "The number when one is NaN; -0 is less than +0.", "|"),
    [MSL_FMAX - C_HELPERS] = MIN_MAX("max", "The number when one is NaN; +0 is more than -0.", "&"),
    [MSL_CAS - C_HELPERS] = CAS("wave_cas", "device"),
    [MSL_LOCAL_CAS - C_HELPERS] = CAS("wave_local_cas", "threadgroup"),
    [MSL_FADD - C_HELPERS] = FADD("wave_fadd", "device"),
    [MSL_LOCAL_FADD - C_HELPERS] = FADD("wave_local_fadd", "threadgroup"),
    [MSL_FAIL -
        C_HELPERS] = {"wave_fail",
                      "// Notes the number of an assert that failed, unless another was first.\n"
                      "@function void wave_fail(device atomic_uint *status, uint32_t number) {\n"
                      "    uint32_t found = 0u;\n"
                      "    while (!atomic_compare_exchange_weak_explicit(status, &found, 1u, "
                      "memory_order_relaxed,\n"
                      "                                                  memory_order_relaxed))\n"
                      "        if (found != 0u)\n"
                      "            return;\n"
                      "    atomic_store_explicit(status + 1, number, memory_order_relaxed);\n"
                      "}\n",
                      0},
    [MSL_SHUFFLE - C_HELPERS] =
        {"wave_shuffle",
         "// x of another lane; 0 when there is no such lane.\n"
         "@function uint32_t wave_shuffle(uint32_t x, uint32_t source, uint32_t lanes) {\n"
         "    uint32_t y = simd_shuffle(x, (uint16_t)(source < lanes ? source : 0u));\n"
         "    return source < lanes ? y : 0u;\n"
         "}\n",
         0},
    [MSL_SHUFFLE_UP - C_HELPERS] =
        {"wave_shuffle_up",
         "// x of the lane `delta` below, which is the same number in all lanes; 0 below lane 0.\n"
         "@function uint32_t wave_shuffle_up(uint32_t x, uint16_t delta, uint32_t lane) {\n"
         "    uint32_t y = simd_shuffle_up(x, delta);\n"
         "    return lane < delta ? 0u : y;\n"
         "}\n",
         0},
    [MSL_SHUFFLE_DOWN - C_HELPERS] =
        {"wave_shuffle_down",
         "// x of the lane `delta` above, which is the same number in all lanes; 0 above lane 31.\n"
         "@function uint32_t wave_shuffle_down(uint32_t x, uint16_t delta, uint32_t lane) {\n"
         "    uint32_t y = simd_shuffle_down(x, delta);\n"
         "    return lane + delta < 32u ? y : 0u;\n"
         "}\n",
         0},
};

/* ---- Shuffles ---- */

static void put_lane(c_printer *p) {
    c_use(p, (c_name)C_SPECIAL_NAME(LANE_ID));
}

static void put_lanes(c_printer *p) {
    if (p->whole)
        c_u32(p->out, p->f->wave_width);
    else
        c_use(p, (c_name)MSL_LANES);
}

static void put_source(c_printer *p, ir_op op, ir_value by) {
    /* Lane 0 is the lowest that executes. */
    bool first = op == IR_WAVE_BROADCAST && !c_is_uniform(p, by);
    buf_text(p->out, first ? "simd_broadcast_first(" : "");
    c_source_lane(p, op, by);
    buf_text(p->out, first ? ")" : "");
}

/* A shuffle by a constant, if Metal has a function whose undefined cases cannot occur. */
static bool put_simple(c_printer *p, ir_value v, uint32_t by) {
    ir_value x = ir_arg(p->f, v, 1);
    const char *name;
    bool lane = false;
    switch (ir_op_of(p->f, v)) {
    case IR_WAVE_SHUFFLE_UP:
        c_need(p, MSL_SHUFFLE_UP);
        name = "wave_shuffle_up";
        lane = true;
        break;
    case IR_WAVE_SHUFFLE_DOWN:
        if (!p->whole)
            return false;
        c_need(p, MSL_SHUFFLE_DOWN);
        name = "wave_shuffle_down";
        lane = true;
        break;
    case IR_WAVE_SHUFFLE_XOR: name = "simd_shuffle_xor"; break;
    default: name = "simd_broadcast"; break;
    }
    if (!lane && !p->whole)
        return false;
    c_begin(p, v);
    buf_text(p->out, name);
    buf_char(p->out, '(');
    c_expression(p, x, C_ANY);
    buf_text(p->out, ", ");
    buf_decimal(p->out, by);
    if (lane) {
        buf_text(p->out, ", ");
        put_lane(p);
    }
    buf_char(p->out, ')');
    c_end(p);
    return true;
}

static void put_shuffle(c_printer *p, ir_value v) {
    ir_value by = ir_arg(p->f, v, 2);
    uint32_t bits;
    if (c_const(p, by, &bits) && bits < 32 && put_simple(p, v, bits))
        return;
    c_need(p, MSL_SHUFFLE);
    c_begin(p, v);
    buf_text(p->out, "wave_shuffle(");
    c_expression(p, ir_arg(p->f, v, 1), C_ANY);
    buf_text(p->out, ", ");
    put_source(p, ir_op_of(p->f, v), by);
    buf_text(p->out, ", ");
    put_lanes(p);
    buf_char(p->out, ')');
    c_end(p);
}

/* ---- Barrier and fences ---- */

#define BOTH_MEMORIES "mem_flags::mem_device | mem_flags::mem_threadgroup"

static void put_sync(c_printer *p) {
    c_line(p);
    buf_text(p->out, "simdgroup_barrier(" BOTH_MEMORIES ")");
    c_end(p);
}

/* A wave's fence is printed between wave synchronisations, so that what one lane does after a
 * release, or did before an acquire, counts for all of them. Only one memory order has an effect in
 * Metal. */
static void put_fence(c_printer *p, ir_value v) {
    /* Nothing is wider than the device: the host sees results only after the kernel has ended. */
    static const char *const scopes[ISA_SCOPE_COUNT] = {
        "thread_scope_simdgroup", "thread_scope_threadgroup", "thread_scope_device",
        "thread_scope_device"};
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool wave = ir_op_of(p->f, v) == IR_FENCE, only = a.scope == ISA_SCOPE_WAVE;
    if (wave && (only || a.atomic != IR_FENCE_ACQUIRE))
        put_sync(p);
    if (!only) {
        c_line(p);
        buf_printf(p->out, "atomic_thread_fence(" BOTH_MEMORIES ", memory_order_seq_cst, %s)",
                   scopes[a.scope]);
        c_end(p);
    }
    if (wave && !only && a.atomic != IR_FENCE_RELEASE)
        put_sync(p);
}

static bool is_fence(const ir_func *f, ir_value v) {
    return ir_op_of(f, v) == IR_FENCE || ir_op_of(f, v) == IR_LANE_FENCE;
}

bool msl_is_coherent(const ir_func *f) {
    ir_walk w;
    ir_walk_init(&w, f);
    if (!ir_made(f, IR_FENCE) && !ir_made(f, IR_LANE_FENCE))
        return false;
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && is_fence(f, w.op) &&
            ir_access_unpack(ir_at(f, w.op)->imm).scope >= ISA_SCOPE_DEVICE)
            return true;
    return false;
}

/* ---- Unsupported operations ---- */

static bool refuse(const ir_func *f, ir_value v, diag_code code, wave_diags *diags,
                   const char *text) {
    diag_place place = DIAG_NOWHERE;
    place.kernel = f->name;
    place.offset = ir_at(f, v)->pc;
    diag_report(diags, code, &place, "%s", text);
    return false;
}

/* Before 3.2 there is only simdgroup_barrier, which is sufficient for fences of wave scope. */
static bool check_fence(const ir_func *f, ir_value v, wave_diags *diags) {
    return ir_access_unpack(ir_at(f, v)->imm).scope == ISA_SCOPE_WAVE ||
           refuse(f, v, DIAG_E_TARGET_FENCE, diags, "a fence beyond the wave");
}

static bool is_f64(ir_op op) {
    return ir_op_involves(op, "d");
}

/* Also rejects f64 that passes have found to be unused, so that the answer is the same at every
 * optimisation level. */
static bool check_f64(const ir_func *f, wave_diags *diags) {
    bool any = false;
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        any |= is_f64((ir_op)op) && ir_made(f, (ir_op)op);
    for (ir_value v = 1; any && v < f->node_count; v++)
        if (is_f64(ir_op_of(f, v)))
            return refuse(f, v, DIAG_E_TARGET_F64, diags, "the kernel computes with f64");
    return true;
}

/* The same for 64-bit atomics: Metal has few, only on newer GPUs, and no compare-and-swap. */
static bool check_atomics(const ir_func *f, wave_diags *diags) {
    for (ir_value v = 1; ir_made(f, IR_ATOMIC) && v < f->node_count; v++)
        if (ir_op_of(f, v) == IR_ATOMIC && ir_access_unpack(ir_at(f, v)->imm).bytes == 8)
            return refuse(f, v, DIAG_E_TARGET_ATOMIC64, diags, "the kernel has 64-bit atomics");
    return true;
}

bool msl_can_express(const ir_func *f, const emit_options *o, wave_diags *diags) {
    ir_walk w;
    bool fences = o->arch < MSL_FENCES_FROM && (ir_made(f, IR_FENCE) || ir_made(f, IR_LANE_FENCE));
    bool ok = check_f64(f, diags) && check_atomics(f, diags);
    ir_walk_init(&w, f);
    for (ir_event e; fences && ok && (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && is_fence(f, w.op))
            ok = check_fence(f, w.op, diags);
    return ok;
}

/* ---- Atomics ---- */

static void put_operand(c_printer *p, ir_value v, unsigned type) {
    buf_text(p->out, ", ");
    if (type == C_MEM_I32)
        c_signed(p, v, C_ANY);
    else
        c_bitcast(p, type == C_MEM_F32 ? IR_F32 : IR_U32, v, C_ANY);
}

/* Scopes make no difference: Metal's atomics work on memory that all threadgroups share. */
void msl_atomic(c_printer *p, ir_value v) {
    static const char *const calls[IR_ATOMIC_COUNT] = {
        [IR_ATOMIC_ADD] = "fetch_add",  [IR_ATOMIC_SUB] = "fetch_sub",
        [IR_ATOMIC_MIN] = "fetch_min",  [IR_ATOMIC_MAX] = "fetch_max",
        [IR_ATOMIC_AND] = "fetch_and",  [IR_ATOMIC_OR] = "fetch_or",
        [IR_ATOMIC_XOR] = "fetch_xor",  [IR_ATOMIC_EXCHANGE] = "exchange",
        [IR_ATOMIC_FADD] = "fetch_add", [IR_ATOMIC_IMIN] = "fetch_min",
        [IR_ATOMIC_IMAX] = "fetch_max", [IR_ATOMIC_LOAD] = "load",
        [IR_ATOMIC_STORE] = "store",
    };
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool local = a.space == IR_LOCAL, compares = a.atomic == IR_ATOMIC_CAS;
    unsigned type = c_atomic_type(p, v);
    bool sums = type == C_MEM_F32 && (local || !p->o->fp_fast);
    const char *object = type == C_MEM_I32            ? "atomic_int"
                         : type == C_MEM_F32 && !sums ? "atomic_float"
                                                      : "atomic_uint";
    if (compares || sums) {
        unsigned helper =
            compares ? (local ? MSL_LOCAL_CAS : MSL_CAS) : (local ? MSL_LOCAL_FADD : MSL_FADD);
        c_need(p, helper);
        buf_text(p->out, msl_helpers[helper - C_HELPERS].name);
    } else {
        bool cast = type == C_MEM_I32 && p->m.kind[v] == MAT_TEMPORARY;
        buf_text(p->out, cast ? "(uint32_t)atomic_" : "atomic_");
        buf_text(p->out, calls[a.atomic]);
        buf_text(p->out, "_explicit");
    }
    buf_printf(p->out, "((%s %s *)", local ? "threadgroup" : "device", object);
    if (!c_element_pointer(p, v, C_HELPERS)) {
        buf_char(p->out, '(');
        c_place(p, v);
        buf_char(p->out, ')');
    }
    for (unsigned k = 1; k < ir_at(p->f, v)->arg_count; k++)
        put_operand(p, ir_arg(p->f, v, k), type);
    buf_text(p->out, compares || sums ? ")" : ", memory_order_relaxed)");
}

/* ---- All of them ---- */

bool msl_statement(c_printer *p, ir_value v) {
    static const c_form calls[IR_OP_COUNT] = {
        [IR_WAVE_BALLOT] = {.text = "(uint32_t)(simd_vote::vote_t)simd_ballot($0)",
                            .level = C_UNARY},
        [IR_WAVE_BALLOT64] = {.text = "(ulong)(simd_vote::vote_t)simd_ballot($0)",
                              .level = C_UNARY},
        [IR_WAVE_ANY] = C_CALL("simd_any($0)"),
        [IR_WAVE_ALL] = C_CALL("simd_all($0)"),
        [IR_WAVE_PREFIX_SUM] = C_CALL("simd_prefix_exclusive_sum($0)"),
        [IR_WAVE_REDUCE_ADD] = C_CALL("simd_sum($0)"),
        [IR_WAVE_REDUCE_MIN] = C_CALL("simd_min($0)"),
        [IR_WAVE_REDUCE_MAX] = C_CALL("simd_max($0)"),
        [IR_WAVE_REDUCE_AND] = C_CALL("simd_and($0)"),
        [IR_WAVE_REDUCE_OR] = C_CALL("simd_or($0)"),
        [IR_WAVE_REDUCE_XOR] = C_CALL("simd_xor($0)"),
    };
    ir_op op = ir_op_of(p->f, v);
    switch (op) {
    case IR_BARRIER:
        c_line(p);
        buf_text(p->out, "threadgroup_barrier(" BOTH_MEMORIES ")");
        c_end(p);
        return true;
    case IR_FENCE:
    case IR_LANE_FENCE: put_fence(p, v); return true;
    case IR_WAVE_SHUFFLE:
    case IR_WAVE_SHUFFLE_UP:
    case IR_WAVE_SHUFFLE_DOWN:
    case IR_WAVE_SHUFFLE_XOR:
    case IR_WAVE_BROADCAST: put_shuffle(p, v); return true;
    default: break;
    }
    if (!calls[op].text)
        return false;
    ir_value operand = ir_arg(p->f, v, 1);
    c_assign(p, v, &calls[op], &operand);
    return true;
}
