/* Tiles as joint matrices of a sub-group (sycl_ext_oneapi_matrix), in the sizes that the hardware
 * has for f16 and bf16 with f32 sums: 8 rows of A, K of 16, and 16 columns on PVC or 8 on DG2. One
 * of our tiles is two matrices of A, one or two of B, and two or four of C. They exist for one
 * sub-group size only, and A and B are loaded by rows. */
#include "emit_sycl/sycl.h"

ir_units sycl_units(const ir_func *f, unsigned arch, bool native) {
    unsigned width = arch == SYCL_PVC ? 16 : arch == SYCL_DG2 ? 8 : 0;
    bool has = native && width && f->wave_width == width;
    return (ir_units){.elements = has ? 1u << IR_ELEMENT_F16 | 1u << IR_ELEMENT_BF16 : 0,
                      .strides = true};
}

void sycl_need_tiles(c_printer *p, ir_type type) {
    (void)type;
    c_need(p, p->o->arch == SYCL_PVC ? SYCL_TILE_PVC : SYCL_TILE_DG2);
    c_need(p, SYCL_TILE);
    c_need(p, SYCL_TILE_REST);
}

const char sycl_tile[] =
    "// A tile as joint matrices, by rows.\n"
    "namespace wave_tile {\n"
    "namespace matrix = sycl::ext::oneapi::experimental::matrix;\n"
    "inline sycl::sub_group wave() {\n"
    "    return sycl::ext::oneapi::this_work_item::get_sub_group();\n"
    "}\n"
    "template <class E, matrix::use U, size_t R, size_t C, matrix::layout L> struct tile {\n"
    "    static constexpr size_t rows = R, columns = C, across = 16 / C, count = 16 / R * across;\n"
    "    using part = matrix::joint_matrix<sycl::sub_group, E, U, R, C, L>;\n"
    "    mutable part m[count];\n"
    "    tile() = default;\n"
    "    tile(const tile &t) { *this = t; }\n"
    "    tile &operator=(const tile &t) {\n"
    "        for (size_t k = 0; k < count; k++)\n"
    "            matrix::joint_matrix_copy(wave(), t.m[k], m[k]);\n"
    "        return *this;\n"
    "    }\n"
    "};\n"
    "template <class E> using factor_a = tile<E, matrix::use::a, 8, 16, "
    "matrix::layout::row_major>;\n"
    "template <class E> using factor_b = tile<E, matrix::use::b, 16, wide, "
    "matrix::layout::row_major>;\n"
    "using a_f16 = factor_a<sycl::half>;\n"
    "using b_f16 = factor_b<sycl::half>;\n"
    "using a_bf16 = factor_a<sycl::ext::oneapi::bfloat16>;\n"
    "using b_bf16 = factor_b<sycl::ext::oneapi::bfloat16>;\n"
    "using c_f32 = tile<float, matrix::use::accumulator, 8, wide, matrix::layout::dynamic>;\n"
    "template <class E> auto device(E *p) {\n"
    "    return sycl::address_space_cast<sycl::access::address_space::global_space, "
    "sycl::access::decorated::no>(p);\n"
    "}\n"
    "template <class E> auto local(E *p) {\n"
    "    return sycl::address_space_cast<sycl::access::address_space::local_space, "
    "sycl::access::decorated::no>(p);\n"
    "}\n"
    "// Where part k starts, in elements.\n"
    "template <class T> size_t start(size_t k, size_t down, size_t right) {\n"
    "    return k / T::across * T::rows * down + k % T::across * T::columns * right;\n"
    "}\n"
    "template <class T, class P> T load_a_row(P p, uint32_t stride) {\n"
    "    T t;\n"
    "    for (size_t k = 0; k < T::count; k++)\n"
    "        matrix::joint_matrix_load(wave(), t.m[k], p + start<T>(k, stride / 2, 1), stride / "
    "2);\n"
    "    return t;\n"
    "}\n"
    "template <class T, class P> T load_b_row(P p, uint32_t stride) { return load_a_row<T>(p, "
    "stride); }\n"
    "template <class T, class P> T load_c_row(P p, uint32_t stride) {\n"
    "    T t;\n"
    "    for (size_t k = 0; k < T::count; k++)\n"
    "        matrix::joint_matrix_load(wave(), t.m[k], p + start<T>(k, stride / 4, 1), stride / "
    "4,\n"
    "                                  matrix::layout::row_major);\n"
    "    return t;\n"
    "}\n"
    "template <class T, class P> T load_c_col(P p, uint32_t stride) {\n"
    "    T t;\n"
    "    for (size_t k = 0; k < T::count; k++)\n"
    "        matrix::joint_matrix_load(wave(), t.m[k], p + start<T>(k, 1, stride / 4), stride / "
    "4,\n"
    "                                  matrix::layout::col_major);\n"
    "    return t;\n"
    "}\n"
    "}\n";

const char sycl_tile_rest[] =
    "namespace wave_tile {\n"
    "template <class P, class T> void store_row(P p, uint32_t stride, const T &t) {\n"
    "    for (size_t k = 0; k < T::count; k++)\n"
    "        matrix::joint_matrix_store(wave(), t.m[k], p + start<T>(k, stride / 4, 1), stride / "
    "4,\n"
    "                                   matrix::layout::row_major);\n"
    "}\n"
    "template <class P, class T> void store_col(P p, uint32_t stride, const T &t) {\n"
    "    for (size_t k = 0; k < T::count; k++)\n"
    "        matrix::joint_matrix_store(wave(), t.m[k], p + start<T>(k, 1, stride / 4), stride / "
    "4,\n"
    "                                   matrix::layout::col_major);\n"
    "}\n"
    "template <class T> T fill(uint32_t bits) {\n"
    "    T t;\n"
    "    for (size_t k = 0; k < T::count; k++)\n"
    "        matrix::joint_matrix_fill(wave(), t.m[k], sycl::bit_cast<float>(bits));\n"
    "    return t;\n"
    "}\n"
    "template <class A, class B> c_f32 mma(const A &a, const B &b, const c_f32 &c) {\n"
    "    c_f32 d;\n"
    "    for (size_t k = 0; k < c_f32::count; k++)\n"
    "        matrix::joint_matrix_mad(wave(), d.m[k], a.m[k / c_f32::across], b.m[k % "
    "c_f32::across], c.m[k]);\n"
    "    return d;\n"
    "}\n"
    "}\n";
