/* Wave operations and atomics for Metal, the text of the helpers, and what Metal cannot express.
 * Lanes past the end of the workgroup do not exist. Reading from them is undefined, so their
 * numbers never reach a shuffle. */
#include "emit_msl/msl.h"

#include "emit/c_rows.h"
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

#define FAIL                                                                                       \
    "// Notes the number of an assert that failed, unless another was first.\n"                    \
    "@function void wave_fail(device atomic_uint *status, uint32_t number) {\n"                    \
    "    uint32_t found = 0u;\n" EXCHANGE(                                                         \
        "status, &found, 1u") "\n"                                                                 \
                              "        if (found != 0u)\n"                                         \
                              "            return;\n"                                              \
                              "    atomic_store_explicit(status + 1, number, "                     \
                              "memory_order_relaxed);\n"                                           \
                              "}\n"

#define BY_DELTA(way, side, edge, result)                                                          \
    "// x of the lane `delta` " side ", which is the same number in all lanes; 0 " side            \
    " lane " edge ".\n"                                                                            \
    "@function uint32_t wave_shuffle_" way "(uint32_t x, uint16_t delta, uint32_t lane) {\n"       \
    "    uint32_t y = simd_shuffle_" way "(x, delta);\n"                                           \
    "    return " result ";\n"                                                                     \
    "}\n"

const c_helper msl_helpers[MSL_END - C_HELPERS] = {
    C_TEXT(MSL_TILE, "wave_tile", 0, msl_tile),
    C_TEXT(MSL_TILE_BFLOAT, "wave_tile", C_BIT(MSL_TILE),
           "namespace wave_tile {\n"
           "typedef quarters<bfloat> a_bf16;\n"
           "typedef quarters<bfloat> b_bf16;\n"
           "}\n"),
    C_TEXT(MSL_FMIN, "wave_fmin", 0, MIN_MAX("min", C_LEAST_TEXT, "|")),
    C_TEXT(MSL_FMAX, "wave_fmax", 0, MIN_MAX("max", C_MOST_TEXT, "&")),
    C_TEXT(MSL_CAS, "wave_cas", 0, CAS("wave_cas", "device")),
    C_TEXT(MSL_LOCAL_CAS, "wave_local_cas", 0, CAS("wave_local_cas", "threadgroup")),
    C_TEXT(MSL_FADD, "wave_fadd", 0, FADD("wave_fadd", "device")),
    C_TEXT(MSL_LOCAL_FADD, "wave_local_fadd", 0, FADD("wave_local_fadd", "threadgroup")),
    C_TEXT(MSL_FAIL, "wave_fail", 0, FAIL),
    C_TEXT(MSL_SHUFFLE, "wave_shuffle", 0,
           "// x of another lane; 0 when there is no such lane.\n"
           "@function uint32_t wave_shuffle(uint32_t x, uint32_t source, uint32_t lanes) {\n"
           "    uint32_t y = simd_shuffle(x, (uint16_t)(source < lanes ? source : 0u));\n"
           "    return source < lanes ? y : 0u;\n"
           "}\n"),
    C_TEXT(MSL_SHUFFLE_UP, "wave_shuffle_up", 0,
           BY_DELTA("up", "below", "0", "lane < delta ? 0u : y")),
    C_TEXT(MSL_SHUFFLE_DOWN, "wave_shuffle_down", 0,
           BY_DELTA("down", "above", "31", "lane + delta < 32u ? y : 0u")),
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

/* Metal's own functions, where their undefined cases cannot occur. */
#define CALL_BY_DELTA(name, which)                                                                 \
    { .text = name "($0, %1, lane)", .helper = 1 + (which), .names = C_LANE }
const c_form msl_constant_shuffles[C_SHUFFLE_COUNT] = {
    [C_SHUFFLE_OF(IR_WAVE_SHUFFLE)] = C_CALL("simd_broadcast($0, %1)"),
    [C_SHUFFLE_OF(IR_WAVE_SHUFFLE_UP)] = CALL_BY_DELTA("wave_shuffle_up", MSL_SHUFFLE_UP),
    [C_SHUFFLE_OF(IR_WAVE_SHUFFLE_DOWN)] = CALL_BY_DELTA("wave_shuffle_down", MSL_SHUFFLE_DOWN),
    [C_SHUFFLE_OF(IR_WAVE_SHUFFLE_XOR)] = C_CALL("simd_shuffle_xor($0, %1)"),
    [C_SHUFFLE_OF(IR_WAVE_BROADCAST)] = C_CALL("simd_broadcast($0, %1)"),
};

const c_form msl_uniform_shuffles[C_SHUFFLE_COUNT] = {
    [C_SHUFFLE_OF(IR_WAVE_BROADCAST)] = C_HELP("wave_shuffle($0, $1, @lanes)", MSL_SHUFFLE),
};

/* ---- What Metal cannot express ---- */

static ir_value find_f64(const ir_func *f) {
    ir_value count = c_makes(f, "d") ? f->node_count : 0;
    for (ir_value v = 1; v < count; v++)
        if (ir_op_involves(ir_op_of(f, v), "d"))
            return v;
    return 0;
}

/* Also rejects f64 and atomics that passes have found to be unused, so that the answer is the same
 * at every optimisation level. Metal has few 64-bit atomics, only on newer GPUs, and no
 * compare-and-swap. Before 3.2 there is no atomic_thread_fence, only simdgroup_barrier, which is
 * sufficient for fences of wave scope. */
bool msl_can_express(const ir_func *f, const emit_options *o, wave_diags *diags) {
    bool fences = o->arch >= 32;
    const struct {
        ir_value v;
        diag_code code;
        const char *text;
    } faults[] = {
        {find_f64(f), DIAG_E_TARGET_F64, "the kernel computes with f64"},
        {c_find_wide_atomic(f), DIAG_E_TARGET_ATOMIC64, "the kernel has 64-bit atomics"},
        {fences ? 0 : c_find_fence(f, ISA_SCOPE_WORKGROUP, false), DIAG_E_TARGET_FENCE,
         "a fence beyond the wave"},
    };
    for (unsigned k = 0; k < sizeof faults / sizeof *faults; k++) {
        if (!faults[k].v)
            continue;
        diag_place place = emit_place(f, faults[k].v);
        diag_report(diags, faults[k].code, &place, "%s", faults[k].text);
        return false;
    }
    return true;
}
