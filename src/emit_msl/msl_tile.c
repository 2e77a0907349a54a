/* Tiles as simdgroup matrices: four 8 by 8 matrices per tile, and eight products per tile product.
 * Metal does not document the position of their elements. */
#include "emit_msl/msl.h"

enum { BFLOAT_FROM = 31 };

/* In a kernel with device-scope fences, pointers are coherent, and simdgroup_load rejects those. */
ir_units msl_units(const ir_func *f, unsigned arch, bool native) {
    unsigned types = 1u << IR_ELEMENT_F16 | (arch >= BFLOAT_FROM ? 1u << IR_ELEMENT_BF16 : 0u);
    bool none = !native || msl_is_coherent(f);
    return (ir_units){
        .elements = none ? 0 : (uint8_t)types, .columns = true, .mixed = true, .strides = true};
}

void msl_need_tiles(c_printer *p, ir_type type) {
    c_need(p, MSL_TILE);
    if (type == IR_A_BF16 || type == IR_B_BF16)
        c_need(p, MSL_TILE_BFLOAT);
}

const char msl_tile_bfloat[] = "namespace wave_tile {\n"
                               "typedef quarters<bfloat> a_bf16;\n"
                               "typedef quarters<bfloat> b_bf16;\n"
                               "}\n";

const char msl_tile[] =
    "// A tile as four simdgroup matrices, by rows.\n"
    "namespace wave_tile {\n"
    "template <typename E> struct quarters {\n"
    "    simdgroup_matrix<E, 8, 8> m[4];\n"
    "};\n"
    "typedef quarters<half> a_f16;\n"
    "typedef quarters<half> b_f16;\n"
    "typedef quarters<float> c_f32;\n"
    "template <typename E> static inline simdgroup_matrix<E, 8, 8> filled(thread const "
    "quarters<E> &, uint32_t bits) {\n"
    "    return make_filled_simdgroup_matrix<E, 8, 8>(E(as_type<float>(bits)));\n"
    "}\n"
    "template <typename T, typename P> static inline T load(P p, uint32_t stride, bool columns) {\n"
    "    T t;\n"
    "    const ulong row = stride / sizeof(*p);\n"
    "    for (uint32_t k = 0u; k < 4u; k++) {\n"
    "        const ulong i = 8u * (k / 2u), j = 8u * (k % 2u);\n"
    "        simdgroup_load(t.m[k], p + (columns ? j * row + i : i * row + j), row, ulong2(0), "
    "columns);\n"
    "    }\n"
    "    return t;\n"
    "}\n"
    "template <typename P, typename T> static inline void store(P p, uint32_t stride, thread "
    "const T &t, bool columns) {\n"
    "    const ulong row = stride / sizeof(*p);\n"
    "    for (uint32_t k = 0u; k < 4u; k++) {\n"
    "        const ulong i = 8u * (k / 2u), j = 8u * (k % 2u);\n"
    "        simdgroup_store(t.m[k], p + (columns ? j * row + i : i * row + j), row, ulong2(0), "
    "columns);\n"
    "    }\n"
    "}\n"
#define LOAD(bank)                                                                                 \
    "template <typename T, typename P> static inline T load_" bank                                 \
    "_row(P p, uint32_t stride) {\n    return load<T>(p, stride, false);\n}\n"                     \
    "template <typename T, typename P> static inline T load_" bank                                 \
    "_col(P p, uint32_t stride) {\n    return load<T>(p, stride, true);\n}\n"
    LOAD("a") LOAD("b") LOAD("c")
#undef LOAD
        "template <typename P, typename T> static inline void store_row(P p, uint32_t stride, "
        "thread const T &t) {\n"
        "    store(p, stride, t, false);\n"
        "}\n"
        "template <typename P, typename T> static inline void store_col(P p, uint32_t stride, "
        "thread const T &t) {\n"
        "    store(p, stride, t, true);\n"
        "}\n"
        "template <typename T> static inline T fill(uint32_t bits) {\n"
        "    T t;\n"
        "    for (uint32_t k = 0u; k < 4u; k++)\n"
        "        t.m[k] = filled(t, bits);\n"
        "    return t;\n"
        "}\n"
        "template <typename F, typename S> static inline S mma(thread const F &a, thread const F "
        "&b, "
        "thread const S &c) {\n"
        "    S d;\n"
        "    for (uint32_t k = 0u; k < 4u; k++) {\n"
        "        const uint32_t row = k / 2u * 2u, column = k % 2u;\n"
        "        simdgroup_multiply_accumulate(d.m[k], a.m[row], b.m[column], c.m[k]);\n"
        "        simdgroup_multiply_accumulate(d.m[k], a.m[row + 1u], b.m[column + 2u], d.m[k]);\n"
        "    }\n"
        "    return d;\n"
        "}\n"
        "}\n";
