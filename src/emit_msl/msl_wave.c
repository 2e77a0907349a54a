/* Wave operations for Metal, and what Metal cannot express. Lanes past the end of the
 * workgroup do not exist. Reading from them is undefined, so their numbers never reach a shuffle.
 */
#include "emit_msl/msl.h"

#include "emit/c_rows.h"
#include "isa/isa.h"

const c_helper msl_helpers[MSL_END - C_HELPERS] = {
#include "msl_helpers.inc"
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
