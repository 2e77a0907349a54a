/* Wave operations for AMD, and the text of the helpers. Lanes past the end of the workgroup do not
 * exist: ds_bpermute reads 0 from them and DPP keeps the first operand. Shuffles with better forms
 * than those of the table are in hip_shuffle.c.
 *
 * A reduction combines each row of 16 lanes into its first lane with four DPP moves, then the rows
 * with scalar reads. The result is in a scalar register and known to be uniform. */
#include "emit_hip/hip.h"

#include "emit/c_rows.h"

/* Reduces rows of 16 lanes from the right: lane i and those of lanes i + 1 … i + 15 that are in its
 * row. The caller, which knows the number of rows, combines them. */
#define REDUCE(id, name, combine, none)                                                            \
    C_TEXT(HIP_REDUCE_##id, "wave_reduce_" name, C_BIT(HIP_DPP),                                   \
           "// Over the lanes of a wave; `lanes` of them exist.\n"                                 \
           "@function uint32_t wave_reduce_" name                                                  \
           "(uint32_t x, uint32_t lanes, uint32_t none) {\n"                                       \
           "    uint32_t y = wave_dpp<0x101>(none, x);\n"                                          \
           "    x = " combine ";\n"                                                                \
           "    y = wave_dpp<0x102>(none, x);\n"                                                   \
           "    x = " combine ";\n"                                                                \
           "    y = wave_dpp<0x104>(none, x);\n"                                                   \
           "    x = " combine ";\n"                                                                \
           "    y = wave_dpp<0x108>(none, x);\n"                                                   \
           "    uint32_t row = " combine ";\n"                                                     \
           "    x = (uint32_t)__builtin_amdgcn_readlane((int)row, 0);\n"                           \
           "    for (uint32_t first = 16u; first < lanes; first += 16u) {\n"                       \
           "        y = (uint32_t)__builtin_amdgcn_readlane((int)row, (int)first);\n"              \
           "        x = " combine ";\n"                                                            \
           "    }\n"                                                                               \
           "    return x;\n"                                                                       \
           "}\n")
#define REDUCE_FORM(id, name, combine, none)                                                       \
    [IR_WAVE_REDUCE_##id] = C_HELP("wave_reduce_" name "($0, @lanes, " none ")", HIP_REDUCE_##id)

#define EXCHANGE(indent, operands, scope)                                                          \
    "__hip_atomic_compare_exchange_strong(" operands ", __ATOMIC_RELAXED,\n" indent                \
    "                                     __ATOMIC_RELAXED, " scope ")"
#define CAS EXCHANGE("    ", "at, &expected, desired", "scope")

#define TILES C_BIT(HIP_TILE_FACTORS) | C_BIT(HIP_TILE_SUMS)

const c_helper hip_helpers[HIP_END - C_HELPERS] = {
    C_TEXT(HIP_HALF2, "wave_half2", 0,
           "typedef _Float16 wave_half2 __attribute__((ext_vector_type(2)));\n"),
    C_TEXT(HIP_HMA2, "wave_hma2", C_BIT(HIP_HALF2),
           "@function wave_half2 wave_hma2(wave_half2 a, wave_half2 b, wave_half2 c) {\n"
           "    return wave_half2{(_Float16)__builtin_fmaf16(a.x, b.x, c.x),\n"
           "                      (_Float16)__builtin_fmaf16(a.y, b.y, c.y)};\n"
           "}\n"),
    C_TEXT(
        HIP_NARROW, "wave_narrow", 0,
        "// To f16, rounded once more. clang would join the operation that made x with the "
        "conversion\n"
        "// (v_fma_mixlo_f16, v_rcp_f16) and round once; it knows nothing about an asm's result.\n"
        "@function _Float16 wave_narrow(float x) {\n"
        "    asm(\"\" : \"+v\"(x));\n"
        "    return (_Float16)x;\n"
        "}\n"),
    C_TEXT(HIP_EXP2, "wave_exp2", 0,
           "// v_exp_f32, which clang has a name for from version 17 on.\n"
           "@function float wave_exp2(float x) {\n"
           "#if __has_builtin(__builtin_amdgcn_exp2f)\n"
           "    return __builtin_amdgcn_exp2f(x);\n"
           "#else\n"
           "    return exp2f(x);\n"
           "#endif\n"
           "}\n"),
    C_TEXT(HIP_CAS, "wave_cas", C_BIT(C_MEM_U32),
           C_CAS_TEXT("wave_cas", "uint32_t", "int scope", "mem_u32 *", CAS)),
    C_TEXT(HIP_CAS64, "wave_cas64", C_BIT(C_MEM_U64),
           C_CAS_TEXT("wave_cas64", "uint64_t", "int scope", "mem_u64 *", CAS)),
    C_TEXT(HIP_FAIL, "wave_fail", 0,
           C_FAIL_TEXT(EXCHANGE("        ", "status, &none, 1u", "__HIP_MEMORY_SCOPE_AGENT"))),
    C_TEXT(HIP_SHUFFLE, "wave_shuffle", 0,
           "// x of another lane; 0 when there is no such lane.\n"
           "@function uint32_t wave_shuffle(uint32_t x, uint32_t source, uint32_t width) {\n"
           "    int y = __builtin_amdgcn_ds_bpermute((int)(source << 2), (int)x);\n"
           "    return source < width ? (uint32_t)y : 0u;\n"
           "}\n"),
    C_TEXT(
        HIP_DPP, "wave_dpp", 0,
        "// x of the lane that `control` names in the same row of 16; `none` when there is none.\n"
        "template <int control>\n"
        "@function uint32_t wave_dpp(uint32_t none, uint32_t x) {\n"
        "    return (uint32_t)__builtin_amdgcn_update_dpp((int)none, (int)x, control, 15, 15, "
        "false);\n"
        "}\n"),
    C_TEXT(HIP_ROW, "wave_row", 0,
           "// x of the lane that `control` names in the same row of 16; 0 when there is none.\n"
           "template <int control> @function uint32_t wave_row(uint32_t x) {\n"
           "    return (uint32_t)__builtin_amdgcn_update_dpp(0, (int)x, control, 15, 15, true);\n"
           "}\n"),
    C_TEXT(
        HIP_OTHER_ROW, "wave_other_row", 0,
        "// x of lane ^ 16; 0 when there is no such lane.\n"
        "@function uint32_t wave_other_row(uint32_t x) {\n"
        "    return __builtin_amdgcn_permlanex16(0u, x, 0x76543210u, 0xFEDCBA98u, false, true);\n"
        "}\n"),
    C_TEXT(HIP_SWIZZLE, "wave_swizzle", 0,
           "// x of lane ^ mask, a mask below 32; 0 when there is no such lane.\n"
           "template <int mask> @function uint32_t wave_swizzle(uint32_t x) {\n"
           "    return (uint32_t)__builtin_amdgcn_ds_swizzle((int)x, mask << 10 | 31);\n"
           "}\n"),
    C_TEXT(HIP_PERMUTE, "wave_permute", 0,
           "// x of another lane of the wave; 0 when it does not exist.\n"
           "@function uint32_t wave_permute(uint32_t x, uint32_t source) {\n"
           "    return (uint32_t)__builtin_amdgcn_ds_bpermute((int)(source << 2), (int)x);\n"
           "}\n"),
    C_TEXT(HIP_READ, "wave_read", 0,
           "// x of the lane that all name alike; 0 when there is no such lane.\n"
           "@function uint32_t wave_read(uint32_t x, uint32_t source, uint32_t lanes) {\n"
           "    uint32_t y = (uint32_t)__builtin_amdgcn_readlane((int)x, (int)source);\n"
           "    return source < lanes ? y : 0u;\n"
           "}\n"),
    HIP_REDUCTIONS(REDUCE),
    C_TEXT(HIP_TILE_90A, "wave_tile", TILES, hip_tile_90a),
    C_TEXT(HIP_TILE_942, "wave_tile", TILES, hip_tile_942),
    C_TEXT(HIP_TILE_WMMA, "wave_tile", TILES, hip_tile_wmma),
    C_TEXT(HIP_TILE_FACTORS, "wave_tile",
           C_BIT(C_MEM_U16) | C_BIT(C_MEM_U32X2) | C_BIT(C_MEM_U32X4), hip_tile_factors),
    C_TEXT(HIP_TILE_SUMS, "wave_tile", C_BIT(C_MEM_U32), hip_tile_sums),
    C_TEXT(HIP_PREFIX_SUM, "wave_prefix_sum", C_BIT(HIP_DPP),
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
           "}\n"),
};

/* ---- Operations ---- */

/* A lane that is not known to be the same in all lanes is read from the first of them. */
const c_form hip_waves[IR_OP_COUNT] = {
    C_SHUFFLES("", ", @width", HIP_SHUFFLE, 0),
    [IR_WAVE_BROADCAST] =
        {.text = "wave_read($0, (uint32_t)__builtin_amdgcn_readfirstlane((int)$1), @lanes)",
         .operands = {C_ANY, C_UNARY},
         .helper = 1 + HIP_READ},
    [IR_WAVE_BALLOT] = C_CALL("(uint32_t)__ballot($0)"),
    [IR_WAVE_BALLOT64] = C_CALL("(uint64_t)__ballot($0)"),
    [IR_WAVE_ANY] = C_CALL("__ballot($0) != 0"),
    [IR_WAVE_ALL] = C_CALL("__ballot(!0) == 0"),
    [IR_WAVE_PREFIX_SUM] = {.text = "wave_prefix_sum($0, lane, @width)",
                            .helper = 1 + HIP_PREFIX_SUM,
                            .names = C_LANE},
    HIP_REDUCTIONS(REDUCE_FORM),
};
