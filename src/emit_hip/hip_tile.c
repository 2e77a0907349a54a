/* Tiles in AMD's matrix units. A lane's registers of a tile are a vector, loaded and stored by
 * functions in the text, because AMD documents the position of each element. From AMD's Matrix
 * Instruction Calculator (github.com/ROCm/amd_matrix_instruction_calculator), for a lane l:
 *
 *   instruction           K of A and B in l    row of C in register r
 *   mfma …16x16x16…       4 (l / 16) … + 3     4 (l / 16) + r
 *   mfma …16x16x32_i8     8 (l / 16) … + 7     4 (l / 16) + r
 *   wmma …16x16x16…_w32   0 … 15               2 r + l / 16
 *
 * A lane has row l % 16 of A and column l % 16 of B; for wmma, lanes l and l + 16 have the same
 * data. C has column l % 16 in all of them. Where K is 32, its upper half is 0. */
#include "emit_hip/hip.h"

#define VECTOR(type, name, count)                                                                  \
    "typedef " type " " name " __attribute__((ext_vector_type(" count ")));\n"

#define TYPES(sums, factors, bytes)                                                                \
    VECTOR("float", "c_f32", sums)                                                                 \
    VECTOR("int32_t", "c_i32", sums)                                                               \
    VECTOR("_Float16", "a_f16", factors)                                                           \
    VECTOR("int16_t", "a_bf16", factors)                                                           \
    "struct a_i8 { uint32_t w[" bytes "]; };\n"                                                    \
    "struct a_u8 { uint32_t w[" bytes "]; };\n"                                                    \
    "typedef a_f16 b_f16;\ntypedef a_bf16 b_bf16;\ntypedef a_i8 b_i8;\ntypedef a_u8 b_u8;\n"

#define MMA(a, sum, call)                                                                          \
    "__attribute__((unused)) @function " sum " mma(" a " a, " a " b, " sum                         \
    " c) {\n    return " call ";\n}\n"

#define START                                                                                      \
    "// What a lane holds of a tile, as AMD's matrix units want it.\nnamespace wave_tile {\n"

#define MFMA                                                                                       \
    "enum { row_of_lane = 4, row_of_register = 1 };\n" MMA(                                        \
        "a_f16", "c_f32", "__builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0)")               \
        MMA("a_bf16", "c_f32", "__builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0)")

const char hip_tile_90a[] = START TYPES("4", "4", "1") MFMA MMA(
    "a_i8", "c_i32",
    "__builtin_amdgcn_mfma_i32_16x16x16i8(int32_t(a.w[0]), int32_t(b.w[0]), c, 0, 0, 0)") "}\n";

const char hip_tile_942[] = START TYPES("4", "4", "2")
    MFMA MMA("a_i8", "c_i32",
             "__builtin_amdgcn_mfma_i32_16x16x32_i8(__builtin_bit_cast(int64_t, a),\n"
             "                                                 __builtin_bit_cast(int64_t, b), c, "
             "0, 0, 0)") "}\n";

#define IU8(sign)                                                                                  \
    "__builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(" sign ", __builtin_bit_cast(i32x4, a), " sign     \
    ",\n                                                      __builtin_bit_cast(i32x4, b), c, "   \
    "false)"

const char hip_tile_wmma[] = START TYPES("8", "16", "4")
    VECTOR("int32_t", "i32x4", "4") "enum { row_of_lane = 1, row_of_register = 2 };\n" MMA(
        "a_f16", "c_f32", "__builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c)")
        MMA("a_bf16", "c_f32", "__builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c)")
            MMA("a_i8", "c_i32", IU8("true")) MMA("a_u8", "c_i32", IU8("false")) "}\n";

/* Loads of factors; loads, stores and fills of sums. The constants encode the table above. */
const char hip_tile_factors[] =
    "namespace wave_tile {\n"
    "template <class T> struct bytes { enum { each = 2 }; };\n"
    "template <> struct bytes<a_i8> { enum { each = 1 }; };\n"
    "template <> struct bytes<a_u8> { enum { each = 1 }; };\n"
    "template <class T> struct words { uint32_t w[sizeof(T) / 4]; };\n"
    "// A lane's part of A or B whose elements lie side by side.\n"
    "@template T along(const uint8_t *p, uint32_t stride) {\n"
    "    const uint32_t lane = __lane_id(), row = 16 * bytes<T>::each, n = sizeof(T) / 4;\n"
    "    const uint32_t first = sizeof(T) == row ? 0 : lane / 16 * uint32_t(sizeof(T));\n"
    "    words<T> x = {};\n"
    "    if (4 * sizeof(T) <= row || sizeof(T) == row || first < row) {\n"
    "        p += lane % 16 * stride + first;\n"
    "#pragma unroll\n"
    "        for (uint32_t i = 0; i < n; i += n < 4 ? n : 4)\n"
    "            if (n >= 4) {\n"
    "                const mem_u32x4 v = *(const mem_u32x4 *)(p + 4 * i);\n"
    "                x.w[i] = v.x, x.w[i + 1] = v.y, x.w[i + 2] = v.z, x.w[i + 3] = v.w;\n"
    "            } else if (n == 2) {\n"
    "                const mem_u32x2 v = *(const mem_u32x2 *)p;\n"
    "                x.w[0] = v.x, x.w[n - 1] = v.y;\n"
    "            } else {\n"
    "                x.w[0] = *(const mem_u32 *)p;\n"
    "            }\n"
    "    }\n"
    "    return __builtin_bit_cast(T, x);\n"
    "}\n"
    "@template void put(T &t, uint32_t i, uint32_t bits) {\n"
    "    t.w[i / 4] |= bits << 8 * (i % 4);\n"
    "}\n"
    "template <> @put<a_f16>(a_f16 &t, uint32_t i, uint32_t bits) {\n"
    "    t[i] = __builtin_bit_cast(_Float16, uint16_t(bits));\n"
    "}\n"
    "template <> @put<a_bf16>(a_bf16 &t, uint32_t i, uint32_t bits) {\n"
    "    t[i] = int16_t(bits);\n"
    "}\n"
    "// The same where they lie a stride apart.\n"
    "@template T across(const uint8_t *p, uint32_t stride) {\n"
    "    const uint32_t lane = __lane_id(), each = bytes<T>::each, n = sizeof(T) / each;\n"
    "    const uint32_t first = n == 16 ? 0 : lane / 16 * n;\n"
    "    T t = {};\n"
    "    p += first * stride + lane % 16 * each;\n"
    "#pragma unroll\n"
    "    for (uint32_t i = 0; i < n && (n <= 4 || n == 16 || first < 16); i++)\n"
    "        put(t, i, each == 2 ? *(const mem_u16 *)(p + i * stride) : p[i * stride]);\n"
    "    return t;\n"
    "}\n"
    "@template T load_a_row(const uint8_t *p, uint32_t stride) { return along<T>(p, stride); }\n"
    "@template T load_a_col(const uint8_t *p, uint32_t stride) { return across<T>(p, stride); }\n"
    "@template T load_b_row(const uint8_t *p, uint32_t stride) { return across<T>(p, stride); }\n"
    "@template T load_b_col(const uint8_t *p, uint32_t stride) { return along<T>(p, stride); }\n"
    "}\n";

const char hip_tile_sums[] =
    "namespace wave_tile {\n"
    "// Row and column of a lane's register r of C, in bytes.\n"
    "__attribute__((unused)) @function uint32_t place(uint32_t r, uint32_t down, uint32_t right) "
    "{\n"
    "    const uint32_t lane = __lane_id();\n"
    "    return (lane / 16 * row_of_lane + r * row_of_register) * down + lane % 16 * right;\n"
    "}\n"
    "@template T load(const uint8_t *p, uint32_t down, uint32_t right) {\n"
    "    words<T> x;\n"
    "@each x.w[r] = *(const mem_u32 *)(p + place(r, down, right));\n"
    "    return __builtin_bit_cast(T, x);\n"
    "}\n"
    "@template void store(uint8_t *p, uint32_t down, uint32_t right, T t) {\n"
    "    const words<T> x = __builtin_bit_cast(words<T>, t);\n"
    "@each *(mem_u32 *)(p + place(r, down, right)) = x.w[r];\n"
    "}\n"
    "@template T load_c_row(const uint8_t *p, uint32_t stride) { return load<T>(p, stride, 4); }\n"
    "@template T load_c_col(const uint8_t *p, uint32_t stride) { return load<T>(p, 4, stride); }\n"
    "@template void store_row(uint8_t *p, uint32_t stride, T t) { store(p, stride, 4, t); }\n"
    "@template void store_col(uint8_t *p, uint32_t stride, T t) { store(p, 4, stride, t); }\n"
    "@template T fill(uint32_t bits) {\n"
    "    words<T> x;\n"
    "@each x.w[r] = bits;\n"
    "    return __builtin_bit_cast(T, x);\n"
    "}\n"
    "}\n";
