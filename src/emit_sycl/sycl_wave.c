/* Wave operations, the barrier and fences as sub-group functions. After convergence lowering, all
 * existing lanes execute a wave operation together, as SYCL requires. Lanes past the end of the
 * workgroup do not exist: reductions and votes ignore them, and a shuffle must not read from
 * them. */
#include "emit_sycl/sycl.h"

static void put_text(c_printer *p, const char *text) {
    buf_text(p->out, text);
}

/* "function(wave, ": the start of a call. */
static void begin_call(c_printer *p, ir_value v, const char *function) {
    c_begin(p, v);
    put_text(p, function);
    put_text(p, "(");
    c_use(p, (c_name)SYCL_WAVE);
    put_text(p, ", ");
}

static void end_call(c_printer *p, const char *rest) {
    put_text(p, rest);
    put_text(p, ")");
    c_end(p);
}

/* ---- Shuffles ---- */

static void put_shuffle(c_printer *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    ir_value by = ir_arg(p->f, v, 2);
    uint32_t bits;
    bool exchange =
        op == IR_WAVE_SHUFFLE_XOR && p->whole && c_const(p, by, &bits) && bits < p->f->wave_width;
    if (!exchange)
        c_need(p, SYCL_SHUFFLE);
    begin_call(p, v, exchange ? "sycl::permute_group_by_xor" : "wave_shuffle");
    c_expression(p, ir_arg(p->f, v, 1), C_ANY);
    put_text(p, ", ");
    if (exchange)
        c_u32(p->out, bits);
    else
        c_source_lane(p, op, by);
    end_call(p, "");
}

/* All lanes read from the lane that the first one names. */
static void put_broadcast(c_printer *p, ir_value v) {
    ir_value by = ir_arg(p->f, v, 2);
    c_need(p, SYCL_SHUFFLE);
    begin_call(p, v, "wave_shuffle");
    c_expression(p, ir_arg(p->f, v, 1), C_ANY);
    put_text(p, ", ");
    if (c_is_uniform(p, by)) {
        c_expression(p, by, C_ANY);
        end_call(p, "");
        return;
    }
    put_text(p, "sycl::group_broadcast(");
    c_use(p, (c_name)SYCL_WAVE);
    put_text(p, ", ");
    c_expression(p, by, C_ANY);
    end_call(p, ")");
}

/* ---- Votes, sums, reductions ---- */

static void put_vote(c_printer *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    if (op == IR_WAVE_BALLOT || op == IR_WAVE_BALLOT64)
        c_need(p, op == IR_WAVE_BALLOT ? SYCL_BALLOT : SYCL_BALLOT64);
    begin_call(p, v,
               op == IR_WAVE_BALLOT     ? "wave_ballot"
               : op == IR_WAVE_BALLOT64 ? "wave_ballot64"
               : op == IR_WAVE_ANY      ? "sycl::any_of_group"
                                        : "sycl::all_of_group");
    c_condition(p, ir_arg(p->f, v, 1), false, C_ANY);
    end_call(p, "");
}

static void put_combined(c_printer *p, ir_value v, const char *function, const char *with) {
    begin_call(p, v, function);
    c_expression(p, ir_arg(p->f, v, 1), C_ANY);
    put_text(p, ", sycl::");
    put_text(p, with);
    end_call(p, "<uint32_t>()");
}

static void put_reduction(c_printer *p, ir_value v) {
    static const char *const all[] = {"plus", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"};
    _Static_assert(sizeof all / sizeof *all == IR_WAVE_REDUCE_XOR - IR_WAVE_REDUCE_ADD + 1,
                   "one function object for each reduction");
    put_combined(p, v, "sycl::reduce_over_group", all[ir_op_of(p->f, v) - IR_WAVE_REDUCE_ADD]);
}

/* ---- Barrier and fences ---- */

static void put_barrier(c_printer *p) {
    c_line(p);
    put_text(p, "sycl::group_barrier(");
    c_use(p, (c_name)SYCL_ITEM);
    put_text(p, ".get_group())");
    c_end(p);
}

static void put_sync(c_printer *p) {
    c_line(p);
    put_text(p, "sycl::group_barrier(");
    c_use(p, (c_name)SYCL_WAVE);
    put_text(p, ", sycl::memory_scope::sub_group)");
    c_end(p);
}

/* A wave's fence is printed between wave synchronisations, so that what one lane does after a
 * release, or did before an acquire, counts for all of them. Acquire and release print the same
 * order: Intel's CPU device rejects a module that contains both as broken. */
static void put_fence(c_printer *p, ir_value v) {
    static const char *const scopes[ISA_SCOPE_COUNT] = {"sub_group", "work_group", "device",
                                                        "system"};
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool wave = ir_op_of(p->f, v) == IR_FENCE, only = a.scope == ISA_SCOPE_WAVE;
    if (wave && (only || a.atomic != IR_FENCE_ACQUIRE))
        put_sync(p);
    if (!only) {
        c_line(p);
        put_text(p, "sycl::atomic_fence(sycl::memory_order::");
        put_text(p, a.atomic == IR_FENCE_SC ? "seq_cst" : "acq_rel");
        put_text(p, ", sycl::memory_scope::");
        put_text(p, scopes[a.scope]);
        put_text(p, ")");
        c_end(p);
    }
    if (wave && !only && a.atomic != IR_FENCE_RELEASE)
        put_sync(p);
}

bool sycl_statement(c_printer *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    switch (op) {
    case IR_BARRIER: put_barrier(p); return true;
    case IR_FENCE:
    case IR_LANE_FENCE: put_fence(p, v); return true;
    case IR_WAVE_SHUFFLE:
    case IR_WAVE_SHUFFLE_UP:
    case IR_WAVE_SHUFFLE_DOWN:
    case IR_WAVE_SHUFFLE_XOR: put_shuffle(p, v); return true;
    case IR_WAVE_BROADCAST: put_broadcast(p, v); return true;
    case IR_WAVE_BALLOT:
    case IR_WAVE_BALLOT64:
    case IR_WAVE_ANY:
    case IR_WAVE_ALL: put_vote(p, v); return true;
    case IR_WAVE_PREFIX_SUM:
        put_combined(p, v, "sycl::exclusive_scan_over_group", "plus");
        return true;
    default: break;
    }
    if (op < IR_WAVE_REDUCE_ADD || op > IR_WAVE_REDUCE_XOR)
        return false;
    put_reduction(p, v);
    return true;
}
