/* Wave operations except shuffles, the barrier and fences for AMD. After convergence lowering, all
 * existing lanes execute a wave operation together. Lanes past the end of the workgroup do not
 * exist: ds_bpermute reads 0 from them and DPP keeps the first operand.
 *
 * A reduction combines each row of 16 lanes into its first lane with four DPP moves, then the rows
 * with scalar reads. The result is in a scalar register and known to be uniform. */
#include "emit_hip/hip.h"

#include "isa/isa.h"

/* Reduces rows of 16 lanes from the right: lane i and those of lanes i + 1 … i + 15 that are in its
 * row. The caller, which knows the number of rows, combines them. */
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
    [HIP_EXP2 - C_HELPERS] = {"wave_exp2",
                              "// v_exp_f32, which clang has a name for from version 17 on.\n"
                              "@function float wave_exp2(float x) {\n"
                              "#if __has_builtin(__builtin_amdgcn_exp2f)\n"
                              "    return __builtin_amdgcn_exp2f(x);\n"
                              "#else\n"
                              "    return exp2f(x);\n"
                              "#endif\n"
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
    [HIP_CAS64 - C_HELPERS] =
        {"wave_cas64",
         "template <int scope>\n"
         "@function uint64_t wave_cas64(mem_u64 *at, uint64_t expected, uint64_t desired) {\n"
         "    __hip_atomic_compare_exchange_strong(at, &expected, desired, __ATOMIC_RELAXED,\n"
         "                                         __ATOMIC_RELAXED, scope);\n"
         "    return expected;\n"
         "}\n",
         C_BIT(C_MEM_U64)},
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
    [HIP_ROW -
        C_HELPERS] = {"wave_row",
                      "// x of the lane that `control` names in the same row of 16; 0 when there "
                      "is none.\n"
                      "template <int control> @function uint32_t wave_row(uint32_t x) {\n"
                      "    return (uint32_t)__builtin_amdgcn_update_dpp(0, (int)x, control, 15, "
                      "15, true);\n"
                      "}\n",
                      0},
    [HIP_OTHER_ROW - C_HELPERS] =
        {"wave_other_row",
         "// x of lane ^ 16; 0 when there is no such lane.\n"
         "@function uint32_t wave_other_row(uint32_t x) {\n"
         "    return __builtin_amdgcn_permlanex16(0u, x, 0x76543210u, 0xFEDCBA98u, false, true);\n"
         "}\n",
         0},
    [HIP_SWIZZLE -
        C_HELPERS] = {"wave_swizzle",
                      "// x of lane ^ mask, a mask below 32; 0 when there is no such lane.\n"
                      "template <int mask> @function uint32_t wave_swizzle(uint32_t x) {\n"
                      "    return (uint32_t)__builtin_amdgcn_ds_swizzle((int)x, mask << 10 | 31);\n"
                      "}\n",
                      0},
    [HIP_PERMUTE - C_HELPERS] =
        {"wave_permute",
         "// x of another lane of the wave; 0 when it does not exist.\n"
         "@function uint32_t wave_permute(uint32_t x, uint32_t source) {\n"
         "    return (uint32_t)__builtin_amdgcn_ds_bpermute((int)(source << 2), (int)x);\n"
         "}\n",
         0},
    [HIP_READ - C_HELPERS] =
        {"wave_read",
         "// x of the lane that all name alike; 0 when there is no such lane.\n"
         "@function uint32_t wave_read(uint32_t x, uint32_t source, uint32_t lanes) {\n"
         "    uint32_t y = (uint32_t)__builtin_amdgcn_readlane((int)x, (int)source);\n"
         "    return source < lanes ? y : 0u;\n"
         "}\n",
         0},
    [HIP_REDUCE_ADD - C_HELPERS] = REDUCE("add", "x + y"),
    [HIP_REDUCE_MIN - C_HELPERS] = REDUCE("min", "x < y ? x : y"),
    [HIP_REDUCE_MAX - C_HELPERS] = REDUCE("max", "x > y ? x : y"),
    [HIP_REDUCE_AND - C_HELPERS] = REDUCE("and", "x & y"),
    [HIP_REDUCE_OR - C_HELPERS] = REDUCE("or", "x | y"),
    [HIP_REDUCE_XOR - C_HELPERS] = REDUCE("xor", "x ^ y"),
    [HIP_TILE_90A - C_HELPERS] = {"wave_tile", hip_tile_90a, 0},
    [HIP_TILE_942 - C_HELPERS] = {"wave_tile", hip_tile_942, 0},
    [HIP_TILE_WMMA - C_HELPERS] = {"wave_tile", hip_tile_wmma, 0},
    [HIP_TILE_SUMS - C_HELPERS] = {"wave_tile", hip_tile_sums, C_BIT(C_MEM_U32)},
    [HIP_TILE_FACTORS - C_HELPERS] = {"wave_tile", hip_tile_factors,
                                      C_BIT(C_MEM_U16) | C_BIT(C_MEM_U32) | C_BIT(C_MEM_U32X2) |
                                          C_BIT(C_MEM_U32X4)},
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
    hip_put_lanes(p);
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
    c_use(p, (c_name)C_SPECIAL_NAME(LANE_ID));
    buf_text(p->out, ", ");
    c_u32(p->out, p->f->wave_width);
    buf_char(p->out, ')');
    c_end(p);
}

/* ---- Votes, barrier, fences ---- */

static void put_vote(c_printer *p, ir_value v, const char *text, bool negated) {
    c_begin(p, v);
    buf_text(p->out, text);
    c_condition(p, ir_arg(p->f, v, 1), negated, C_ANY);
    bool ballot = ir_type_of(p->f, v) != IR_BOOL;
    buf_text(p->out, ballot ? ")" : negated ? ") == 0" : ") != 0");
    c_end(p);
}

static void put_statement(c_printer *p, const char *text) {
    c_line(p);
    buf_text(p->out, text);
    c_end(p);
}

/* The lanes of a wave run together and share a cache, so only the compiler must be kept from moving
 * accesses. */
static void put_sync(c_printer *p) {
    put_statement(p, "__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, \"wavefront\")");
    put_statement(p, "__builtin_amdgcn_wave_barrier()");
}

/* Accesses that a barrier or workgroup fence orders must be visible to a later device-scope release
 * by another wave. Such a release waits only for the stores of its own wave, and on gfx9 the
 * barrier does not wait for device memory. So in kernels with such a release, every wave first
 * waits for its own stores. */
static void put_barrier(c_printer *p) {
    if (p->releases)
        put_statement(p, "__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"agent\")");
    put_statement(p, "__syncthreads()");
}

static unsigned fence_scope(const c_printer *p, ir_access a) {
    bool narrow = a.scope == ISA_SCOPE_WORKGROUP && a.atomic != IR_FENCE_ACQUIRE;
    return narrow && p->releases ? ISA_SCOPE_DEVICE : a.scope;
}

/* A wave's fence is printed between wave synchronisations, so that what one lane does after a
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
    case IR_WAVE_SHUFFLE_XOR:
    case IR_WAVE_BROADCAST: hip_shuffle(p, v); return true;
    case IR_WAVE_BALLOT: put_vote(p, v, "(uint32_t)__ballot(", false); return true;
    case IR_WAVE_BALLOT64: put_vote(p, v, "(uint64_t)__ballot(", false); return true;
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
