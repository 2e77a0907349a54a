/* Wave operations and atomics for Metal, the text of the helpers, and what Metal cannot express.
 * Lanes past the end of the workgroup do not exist. Reading from them is undefined, so their
 * numbers never reach a shuffle. */
#include "emit_msl/msl.h"

#include "emit/c_rows.h"
#include "ir/analyse.h"
#include "isa/isa.h"

/* ---- Helpers ---- */

/* Metal returns the number if one operand is NaN, but does not specify which zero is smaller. */
#define MIN_MAX(name, note, sign)                                                                  \
    note "@function float wave_f" name "(float a, float b) {\n"                                    \
         "    uint32_t x = as_type<uint32_t>(a), y = as_type<uint32_t>(b);\n"                      \
         "    return (x | y) << 1 == 0u ? as_type<float>(x " sign " y) : precise::f" name          \
         "(a, b);\n"                                                                               \
         "}\n"

/* Metal's own compare-and-swap may fail spuriously. */
#define EXCHANGE(operands)                                                                         \
    "    while (!atomic_compare_exchange_weak_explicit(" operands ", memory_order_relaxed,\n"      \
    "                                                  memory_order_relaxed))"

#define CAS(name, space)                                                                           \
    "// Fails only where something else is found, unlike what it is made of.\n"                    \
    "@function uint32_t " name "(" space                                                           \
    " atomic_uint *at, uint32_t expected, uint32_t desired) {\n"                                   \
    "    uint32_t old = expected;\n" EXCHANGE(                                                     \
        "at, &old, desired") "\n"                                                                  \
                             "        if (old != expected)\n"                                      \
                             "            break;\n"                                                \
                             "    return old;\n"                                                   \
                             "}\n"

#define FADD(name, space)                                                                          \
    "// Adds in memory and gives what was there before.\n"                                         \
    "@function float " name "(" space " atomic_uint *at, float x) {\n"                             \
    "    uint32_t old = atomic_load_explicit(at, memory_order_relaxed), sum;\n"                    \
    "    do\n"                                                                                     \
    "        sum = as_type<uint32_t>(as_type<float>(old) + x);\n" EXCHANGE(                        \
        "at, &old, sum") ";\n"                                                                     \
                         "    return as_type<float>(old);\n"                                       \
                         "}\n"

const c_helper msl_helpers[MSL_END - C_HELPERS] = {
    C_TEXT(MSL_TILE, "wave_tile", 0, msl_tile),
    C_TEXT(MSL_TILE_BFLOAT, "wave_tile", C_BIT(MSL_TILE), msl_tile_bfloat),
    C_TEXT(MSL_FMIN, "wave_fmin", 0, MIN_MAX("min", C_LEAST_TEXT, "|")),
    C_TEXT(MSL_FMAX, "wave_fmax", 0, MIN_MAX("max", C_MOST_TEXT, "&")),
    C_TEXT(MSL_CAS, "wave_cas", 0, CAS("wave_cas", "device")),
    C_TEXT(MSL_LOCAL_CAS, "wave_local_cas", 0, CAS("wave_local_cas", "threadgroup")),
    C_TEXT(MSL_FADD, "wave_fadd", 0, FADD("wave_fadd", "device")),
    C_TEXT(MSL_LOCAL_FADD, "wave_local_fadd", 0, FADD("wave_local_fadd", "threadgroup")),
    C_TEXT(MSL_FAIL, "wave_fail", 0,
           "// Notes the number of an assert that failed, unless another was first.\n"
           "@function void wave_fail(device atomic_uint *status, uint32_t number) {\n"
           "    uint32_t found = 0u;\n" EXCHANGE(
               "status, &found, 1u") "\n"
                                     "        if (found != 0u)\n"
                                     "            return;\n"
                                     "    atomic_store_explicit(status + 1, number, "
                                     "memory_order_relaxed);\n"
                                     "}\n"),
    C_TEXT(MSL_SHUFFLE, "wave_shuffle", 0,
           "// x of another lane; 0 when there is no such lane.\n"
           "@function uint32_t wave_shuffle(uint32_t x, uint32_t source, uint32_t lanes) {\n"
           "    uint32_t y = simd_shuffle(x, (uint16_t)(source < lanes ? source : 0u));\n"
           "    return source < lanes ? y : 0u;\n"
           "}\n"),
    C_TEXT(
        MSL_SHUFFLE_UP, "wave_shuffle_up", 0,
        "// x of the lane `delta` below, which is the same number in all lanes; 0 below lane 0.\n"
        "@function uint32_t wave_shuffle_up(uint32_t x, uint16_t delta, uint32_t lane) {\n"
        "    uint32_t y = simd_shuffle_up(x, delta);\n"
        "    return lane < delta ? 0u : y;\n"
        "}\n"),
    C_TEXT(
        MSL_SHUFFLE_DOWN, "wave_shuffle_down", 0,
        "// x of the lane `delta` above, which is the same number in all lanes; 0 above lane 31.\n"
        "@function uint32_t wave_shuffle_down(uint32_t x, uint16_t delta, uint32_t lane) {\n"
        "    uint32_t y = simd_shuffle_down(x, delta);\n"
        "    return lane + delta < 32u ? y : 0u;\n"
        "}\n"),
};

/* ---- Wave operations ---- */

/* Lane 0 is the lowest that executes: simd_broadcast_first reads from it. */
const c_form msl_waves[IR_OP_COUNT] = {
    C_SHUFFLES("", ", @lanes", MSL_SHUFFLE, 0),
    [IR_WAVE_BROADCAST] = C_HELP("wave_shuffle($0, simd_broadcast_first($1), @lanes)", MSL_SHUFFLE),
    [IR_WAVE_BALLOT] = C_CALL("(uint32_t)(simd_vote::vote_t)simd_ballot($0)"),
    [IR_WAVE_BALLOT64] = C_CALL("(ulong)(simd_vote::vote_t)simd_ballot($0)"),
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

/* Metal's own functions, for shuffles by a constant whose undefined cases cannot occur. */
bool msl_shuffle(c_printer *p, ir_value v) {
    static const c_form constant[IR_OP_COUNT] = {
        [IR_WAVE_SHUFFLE] = C_CALL("simd_broadcast($0, %1)"),
        [IR_WAVE_SHUFFLE_UP] = {.text = "wave_shuffle_up($0, %1, lane)",
                                .helper = 1 + MSL_SHUFFLE_UP,
                                .names = C_LANE},
        [IR_WAVE_SHUFFLE_DOWN] = {.text = "wave_shuffle_down($0, %1, lane)",
                                  .helper = 1 + MSL_SHUFFLE_DOWN,
                                  .names = C_LANE},
        [IR_WAVE_SHUFFLE_XOR] = C_CALL("simd_shuffle_xor($0, %1)"),
        [IR_WAVE_BROADCAST] = C_CALL("simd_broadcast($0, %1)"),
    };
    ir_op op = ir_op_of(p->f, v);
    ir_value by = ir_arg(p->f, v, 2);
    const c_form *form = NULL;
    uint32_t bits;
    if (c_const(p, by, &bits) && bits < 32 && (p->whole || op == IR_WAVE_SHUFFLE_UP))
        form = &constant[op];
    else if (op == IR_WAVE_BROADCAST && c_is_uniform(p, by))
        form = &msl_waves[IR_WAVE_SHUFFLE];
    if (form)
        c_assign(p, v, form, ir_args(p->f, v) + 1);
    return form;
}

/* ---- What a kernel contains ---- */

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
    diag_place place = emit_place(f, v);
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
