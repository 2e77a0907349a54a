/* Wave operations, the barrier and fences for AMD. After the convergence lowering all existing
 * lanes execute a wave operation together. Lanes past the end of the workgroup do not exist:
 * ds_bpermute reads 0 from them and DPP leaves the first operand.
 *
 * A reduction adds up each row of 16 lanes with four DPP moves towards its first lane, then the
 * rows with scalar reads: the result is in a scalar register, known to be uniform. */
#include "emit_hip/hip.h"

#include "isa/isa.h"

/* Rows of 16 lanes from the right: lane i and lanes i + 1 … i + 15 as far as they are in the row.
 * The rest of the rows is added by the caller, which knows how many there are. */
#define REDUCE(id, combine)                                                                        \
    {                                                                                              \
        "wave_reduce_" id,                                                                         \
            "// Over the lanes of a wave; `lanes` of them exist.\n"                                \
            "@function uint32_t wave_reduce_" id "(uint32_t x, uint32_t lanes, uint32_t none) {\n" \
            "    uint32_t y = wave_dpp<0x101>(none, x);\n"                                         \
            "    x = " combine ";\n"                                                               \
            "    y = wave_dpp<0x102>(none, x);\n"                                                  \
            "    x = " combine ";\n"                                                               \
            "    y = wave_dpp<0x104>(none, x);\n"                                                  \
            "    x = " combine ";\n"                                                               \
            "    y = wave_dpp<0x108>(none, x);\n"                                                  \
            "    uint32_t row = " combine ";\n"                                                    \
            "    x = (uint32_t)__builtin_amdgcn_readlane((int)row, 0);\n"                          \
            "    for (uint32_t first = 16u; first < lanes; first += 16u) {\n"                      \
            "        y = (uint32_t)__builtin_amdgcn_readlane((int)row, (int)first);\n"             \
            "        x = " combine ";\n"                                                           \
            "    }\n"                                                                              \
            "    return x;\n"                                                                      \
            "}\n",                                                                                 \
            C_BIT(HIP_DPP)                                                                         \
    }

const c_helper hip_helpers[HIP_END - C_HELPERS] = {
    [HIP_HALF2 - C_HELPERS] = {"wave_half2",
                               "typedef _Float16 wave_half2 __attribute__((ext_vector_type(2)));\n",
                               0},
    [HIP_HMA2 -
        C_HELPERS] = {"wave_hma2",
                      "@function wave_half2 wave_hma2(wave_half2 a, wave_half2 b, wave_half2 c) {\n"
                      "    return wave_half2{(_Float16)__builtin_fmaf16(a.x, b.x, c.x),\n"
                      "                      (_Float16)__builtin_fmaf16(a.y, b.y, c.y)};\n"
                      "}\n",
                      C_BIT(HIP_HALF2)},
    [HIP_NARROW - C_HELPERS] =
        {"wave_narrow",
         "// To f16, rounded once more. clang would join the operation that made x with "
         "the conversion\n"
         "// (v_fma_mixlo_f16, v_rcp_f16) and round once; it knows nothing about an "
         "asm's result.\n"
         "@function _Float16 wave_narrow(float x) {\n"
         "    asm(\"\" : \"+v\"(x));\n"
         "    return (_Float16)x;\n"
         "}\n",
         0},
    [HIP_CAS - C_HELPERS] =
        {"wave_cas",
         "template <int scope>\n"
         "@function uint32_t wave_cas(mem_u32 *at, uint32_t expected, uint32_t desired) {\n"
         "    __hip_atomic_compare_exchange_strong(at, &expected, desired, __ATOMIC_RELAXED,\n"
         "                                         __ATOMIC_RELAXED, scope);\n"
         "    return expected;\n"
         "}\n",
         C_BIT(C_MEM_U32)},
    [HIP_FAIL -
        C_HELPERS] = {"wave_fail",
                      "// Notes the number of an assert that failed, unless another was first.\n"
                      "@function void wave_fail(uint32_t *status, uint32_t number) {\n"
                      "    uint32_t none = 0;\n"
                      "    if (__hip_atomic_compare_exchange_strong(status, &none, 1u, "
                      "__ATOMIC_RELAXED,\n"
                      "                                             __ATOMIC_RELAXED, "
                      "__HIP_MEMORY_SCOPE_AGENT))\n"
                      "        status[1] = number;\n"
                      "}\n",
                      0},
    [HIP_SHUFFLE - C_HELPERS] =
        {"wave_shuffle",
         "// x of another lane; 0 when there is no such lane.\n"
         "@function uint32_t wave_shuffle(uint32_t x, uint32_t source, uint32_t width) {\n"
         "    int y = __builtin_amdgcn_ds_bpermute((int)(source << 2), (int)x);\n"
         "    return source < width ? (uint32_t)y : 0u;\n"
         "}\n",
         0},
    [HIP_DPP - C_HELPERS] =
        {"wave_dpp",
         "// x of the lane that `control` names in the same row of 16; `none` when there is none.\n"
         "template <int control>\n"
         "@function uint32_t wave_dpp(uint32_t none, uint32_t x) {\n"
         "    return (uint32_t)__builtin_amdgcn_update_dpp((int)none, (int)x, control, 15, 15, "
         "false);\n"
         "}\n",
         0},
    [HIP_REDUCE_ADD - C_HELPERS] = REDUCE("add", "x + y"),
    [HIP_REDUCE_MIN - C_HELPERS] = REDUCE("min", "x < y ? x : y"),
    [HIP_REDUCE_MAX - C_HELPERS] = REDUCE("max", "x > y ? x : y"),
    [HIP_REDUCE_AND - C_HELPERS] = REDUCE("and", "x & y"),
    [HIP_REDUCE_OR - C_HELPERS] = REDUCE("or", "x | y"),
    [HIP_REDUCE_XOR - C_HELPERS] = REDUCE("xor", "x ^ y"),
    [HIP_PREFIX_SUM - C_HELPERS] =
        {"wave_prefix_sum",
         "// The sum over lower lanes: within rows of 16 by DPP, then the rows before.\n"
         "@function uint32_t wave_prefix_sum(uint32_t x, uint32_t lane, uint32_t width) {\n"
         "    uint32_t sum = x + wave_dpp<0x111>(0u, x);\n"
         "    sum += wave_dpp<0x112>(0u, sum);\n"
         "    sum += wave_dpp<0x114>(0u, sum);\n"
         "    sum += wave_dpp<0x118>(0u, sum);\n"
         "    uint32_t rows = sum;\n"
         "    for (uint32_t last = 15u; last + 1u < width; last += 16u) {\n"
         "        uint32_t row = (uint32_t)__builtin_amdgcn_readlane((int)rows, (int)last);\n"
         "        sum += lane > last ? row : 0u;\n"
         "    }\n"
         "    return sum - x;\n"
         "}\n",
         C_BIT(HIP_DPP)},
};

/* ---- Shuffles ---- */

static void put_width(c_printer *p) {
    c_u32(p->out, p->f->wave_width);
}

static void put_lane(c_printer *p) {
    c_use(p, (c_name)C_SPECIAL_NAME(LANE_ID));
}

/* Where a lane number may be wrong: the source lane as an expression. */
static void put_source(c_printer *p, ir_op op, ir_value by) {
    uint32_t width = p->f->wave_width, bits;
    bool small = c_const(p, by, &bits) && bits < width;
    switch (op) {
    case IR_WAVE_SHUFFLE_UP:
        if (small) { /* below lane 0 the difference is a large number */
            put_lane(p);
            buf_text(p->out, " - ");
            c_expression(p, by, C_MULTIPLY);
            return;
        }
        c_expression(p, by, C_ADD);
        buf_text(p->out, " <= ");
        put_lane(p);
        buf_text(p->out, " ? ");
        put_lane(p);
        buf_text(p->out, " - ");
        c_expression(p, by, C_MULTIPLY);
        break;
    case IR_WAVE_SHUFFLE_DOWN:
        if (!small) {
            c_expression(p, by, C_ADD);
            buf_text(p->out, " < ");
            put_width(p);
            buf_text(p->out, " ? ");
        }
        put_lane(p);
        buf_text(p->out, " + ");
        c_expression(p, by, C_MULTIPLY);
        if (small)
            return;
        break;
    case IR_WAVE_SHUFFLE_XOR:
        put_lane(p);
        buf_text(p->out, " ^ ");
        c_expression(p, by, C_UNARY);
        return;
    default: c_expression(p, by, C_ANY); return;
    }
    buf_text(p->out, " : ");
    put_width(p);
}

/* The DPP control that reads lane ^ mask, or 0. */
static unsigned xor_control(uint32_t mask) {
    switch (mask) {
    case 1: return 0xB1;   /* quad_perm 1, 0, 3, 2 */
    case 2: return 0x4E;   /* quad_perm 2, 3, 0, 1 */
    case 3: return 0x1B;   /* quad_perm 3, 2, 1, 0 */
    case 7: return 0x141;  /* row_half_mirror */
    case 15: return 0x140; /* row_mirror */
    default: return 0;
    }
}

static void put_shuffle(c_printer *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    ir_value x = ir_arg(p->f, v, 1), by = ir_arg(p->f, v, 2);
    uint32_t bits;
    unsigned control = op == IR_WAVE_SHUFFLE_XOR && c_const(p, by, &bits) ? xor_control(bits) : 0;
    c_begin(p, v);
    if (control) {
        c_need(p, HIP_DPP);
        buf_text(p->out, "wave_dpp<0x");
        buf_hex(p->out, control, 2);
        buf_text(p->out, ">(0u, ");
        c_expression(p, x, C_ANY);
    } else {
        c_need(p, HIP_SHUFFLE);
        buf_text(p->out, "wave_shuffle(");
        c_expression(p, x, C_ANY);
        buf_text(p->out, ", ");
        put_source(p, op, by);
        buf_text(p->out, ", ");
        put_width(p);
    }
    buf_char(p->out, ')');
    c_end(p);
}

/* All lanes read the lane that the first one names. */
static void put_broadcast(c_printer *p, ir_value v) {
    static const c_form form = {
        .text = "wave_shuffle($0, (uint32_t)__builtin_amdgcn_readfirstlane((int)$1), ",
        .operands = {C_ANY, C_UNARY},
        .helper = 1 + HIP_SHUFFLE};
    c_begin(p, v);
    c_format(p, &form, (ir_value[]){ir_arg(p->f, v, 1), ir_arg(p->f, v, 2)});
    put_width(p);
    buf_char(p->out, ')');
    c_end(p);
}

/* ---- Reductions ---- */

static void put_reduction(c_printer *p, ir_value v) {
    static const struct {
        unsigned helper;
        const char *none;
    } all[] = {{HIP_REDUCE_ADD, "0u"}, {HIP_REDUCE_MIN, "0xFFFFFFFFu"},
               {HIP_REDUCE_MAX, "0u"}, {HIP_REDUCE_AND, "0xFFFFFFFFu"},
               {HIP_REDUCE_OR, "0u"},  {HIP_REDUCE_XOR, "0u"}};
    unsigned which = (unsigned)(ir_op_of(p->f, v) - IR_WAVE_REDUCE_ADD);
    c_need(p, all[which].helper);
    c_begin(p, v);
    buf_text(p->out, hip_helpers[all[which].helper - C_HELPERS].name);
    buf_char(p->out, '(');
    c_expression(p, ir_arg(p->f, v, 1), C_ANY);
    buf_text(p->out, ", ");
    if (p->whole)
        put_width(p);
    else
        c_use(p, (c_name)HIP_LANES);
    buf_text(p->out, ", ");
    buf_text(p->out, all[which].none);
    buf_char(p->out, ')');
    c_end(p);
}

static void put_prefix_sum(c_printer *p, ir_value v) {
    c_need(p, HIP_PREFIX_SUM);
    c_begin(p, v);
    buf_text(p->out, "wave_prefix_sum(");
    c_expression(p, ir_arg(p->f, v, 1), C_ANY);
    buf_text(p->out, ", ");
    put_lane(p);
    buf_text(p->out, ", ");
    put_width(p);
    buf_char(p->out, ')');
    c_end(p);
}

/* ---- Votes, barrier, fences ---- */

static void put_vote(c_printer *p, ir_value v, const char *text, bool negated) {
    c_begin(p, v);
    buf_text(p->out, text);
    c_condition(p, ir_arg(p->f, v, 1), negated, C_ANY);
    buf_text(p->out, ir_op_of(p->f, v) == IR_WAVE_BALLOT ? ")" : negated ? ") == 0" : ") != 0");
    c_end(p);
}

static void put_statement(c_printer *p, const char *text) {
    c_line(p);
    buf_text(p->out, text);
    c_end(p);
}

/* The lanes of a wave run together and share a cache: it is the compiler that must not move an
 * access. */
static void put_sync(c_printer *p) {
    put_statement(p, "__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, \"wavefront\")");
    put_statement(p, "__builtin_amdgcn_wave_barrier()");
}

/* What a barrier or a fence of the workgroup orders must count for a later release to the device by
 * another wave. That one waits for the stores of its own wave only, and on gfx9 the barrier waits
 * for none in device memory. So in kernels with such a release every wave waits for its own. */
static void put_barrier(c_printer *p) {
    if (p->releases)
        put_statement(p, "__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"agent\")");
    put_statement(p, "__syncthreads()");
}

static unsigned fence_scope(const c_printer *p, ir_access a) {
    bool narrow = a.scope == ISA_SCOPE_WORKGROUP && a.atomic != IR_FENCE_ACQUIRE;
    return narrow && p->releases ? ISA_SCOPE_DEVICE : a.scope;
}

/* A fence of the wave stands between its synchronisations, so that what one lane does after a
 * release, or did before an acquire, counts for all of them. */
static void put_fence(c_printer *p, ir_value v) {
    static const char *const scopes[ISA_SCOPE_COUNT] = {"wavefront", "workgroup", "agent", ""};
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool wave = ir_op_of(p->f, v) == IR_FENCE, only = a.scope == ISA_SCOPE_WAVE;
    if (wave && (only || a.atomic != IR_FENCE_ACQUIRE))
        put_sync(p);
    if (!only) {
        c_line(p);
        buf_printf(p->out, "__builtin_amdgcn_fence(%s, \"%s\")",
                   a.atomic == IR_FENCE_SC ? "__ATOMIC_SEQ_CST" : "__ATOMIC_ACQ_REL",
                   scopes[fence_scope(p, a)]);
        c_end(p);
    }
    if (wave && !only && a.atomic != IR_FENCE_RELEASE)
        put_sync(p);
}

bool hip_statement(c_printer *p, ir_value v) {
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
    case IR_WAVE_BALLOT: put_vote(p, v, "(uint32_t)__ballot(", false); return true;
    case IR_WAVE_ANY: put_vote(p, v, "__ballot(", false); return true;
    case IR_WAVE_ALL: put_vote(p, v, "__ballot(", true); return true;
    case IR_WAVE_PREFIX_SUM: put_prefix_sum(p, v); return true;
    default: break;
    }
    if (op < IR_WAVE_REDUCE_ADD || op > IR_WAVE_REDUCE_XOR)
        return false;
    put_reduction(p, v);
    return true;
}
