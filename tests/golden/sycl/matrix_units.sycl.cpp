// WAVE kernels for SYCL on a GPU, 16 lanes to a wave, compiled from matrix_units.wave
//
// Compile with icpx -fsycl -O3 -ffp-contract=off -fp-model=precise -fno-finite-loops
//   -foffload-fp32-prec-div -foffload-fp32-prec-sqrt
// or at run time, with WAVE_SYCL_RTC defined and -ffp-contract=off -fno-fast-math -fno-finite-loops
//   -fno-discard-value-names.

#include <stdint.h>
#include <sycl/sycl.hpp>

#ifdef __clang__
// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)
#endif

namespace wave_tile {
enum : size_t { wide = 16 };
}

// A tile as joint matrices, by rows.
namespace wave_tile {
namespace matrix = sycl::ext::oneapi::experimental::matrix;
inline sycl::sub_group wave() {
    return sycl::ext::oneapi::this_work_item::get_sub_group();
}
template <class E, matrix::use U, size_t R, size_t C, matrix::layout L> struct tile {
    static constexpr size_t rows = R, columns = C, across = 16 / C, count = 16 / R * across;
    using part = matrix::joint_matrix<sycl::sub_group, E, U, R, C, L>;
    mutable part m[count];
    tile() = default;
    tile(const tile &t) { *this = t; }
    tile &operator=(const tile &t) {
        for (size_t k = 0; k < count; k++)
            matrix::joint_matrix_copy(wave(), t.m[k], m[k]);
        return *this;
    }
};
template <class E> using factor_a = tile<E, matrix::use::a, 8, 16, matrix::layout::row_major>;
template <class E> using factor_b = tile<E, matrix::use::b, 16, wide, matrix::layout::row_major>;
using a_f16 = factor_a<sycl::half>;
using b_f16 = factor_b<sycl::half>;
using a_bf16 = factor_a<sycl::ext::oneapi::bfloat16>;
using b_bf16 = factor_b<sycl::ext::oneapi::bfloat16>;
using c_f32 = tile<float, matrix::use::accumulator, 8, wide, matrix::layout::dynamic>;
template <class E> auto device(E *p) {
    return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(p);
}
template <class E> auto local(E *p) {
    return sycl::address_space_cast<sycl::access::address_space::local_space, sycl::access::decorated::no>(p);
}
// Where part k starts, in elements.
template <class T> size_t start(size_t k, size_t down, size_t right) {
    return k / T::across * T::rows * down + k % T::across * T::columns * right;
}
template <class T, class P> T load_a_row(P p, uint32_t stride) {
    T t;
    for (size_t k = 0; k < T::count; k++)
        matrix::joint_matrix_load(wave(), t.m[k], p + start<T>(k, stride / 2, 1), stride / 2);
    return t;
}
template <class T, class P> T load_b_row(P p, uint32_t stride) { return load_a_row<T>(p, stride); }
template <class T, class P> T load_c_row(P p, uint32_t stride) {
    T t;
    for (size_t k = 0; k < T::count; k++)
        matrix::joint_matrix_load(wave(), t.m[k], p + start<T>(k, stride / 4, 1), stride / 4,
                                  matrix::layout::row_major);
    return t;
}
template <class T, class P> T load_c_col(P p, uint32_t stride) {
    T t;
    for (size_t k = 0; k < T::count; k++)
        matrix::joint_matrix_load(wave(), t.m[k], p + start<T>(k, 1, stride / 4), stride / 4,
                                  matrix::layout::col_major);
    return t;
}
}

namespace wave_tile {
template <class P, class T> void store_row(P p, uint32_t stride, const T &t) {
    for (size_t k = 0; k < T::count; k++)
        matrix::joint_matrix_store(wave(), t.m[k], p + start<T>(k, stride / 4, 1), stride / 4,
                                   matrix::layout::row_major);
}
template <class P, class T> void store_col(P p, uint32_t stride, const T &t) {
    for (size_t k = 0; k < T::count; k++)
        matrix::joint_matrix_store(wave(), t.m[k], p + start<T>(k, 1, stride / 4), stride / 4,
                                   matrix::layout::col_major);
}
template <class T> T fill(uint32_t bits) {
    T t;
    for (size_t k = 0; k < T::count; k++)
        matrix::joint_matrix_fill(wave(), t.m[k], sycl::bit_cast<float>(bits));
    return t;
}
template <class A, class B> c_f32 mma(const A &a, const B &b, const c_f32 &c) {
    c_f32 d;
    for (size_t k = 0; k < c_f32::count; k++)
        matrix::joint_matrix_mad(wave(), d.m[k], a.m[k / c_f32::across], b.m[k % c_f32::across], c.m[k]);
    return d;
}
}

// matrix_units
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: 64 x 1 x 1 threads
//   local memory: 1024 bytes
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct matrix_units_args {
    uint32_t r[4];
};

static inline void matrix_units_body(uint8_t *mem, const matrix_units_args &args, uint8_t *local) {
    wave_tile::c_f32 tc_f32_0 =
        wave_tile::load_c_row<wave_tile::c_f32>(wave_tile::device((float *)(mem + args.r[1])), 64u);
    uint32_t u0 = (uint32_t)sycl::max((int32_t)args.r[3], -2147483136) - 512u;
    uint32_t u1 = args.r[0];
    uint32_t u2 = 0u;
    while ((int32_t)(u2 + 512u) < (int32_t)u0) {
        wave_tile::a_f16 ta_f16_0 =
            wave_tile::load_a_row<wave_tile::a_f16>(wave_tile::local((sycl::half *)(local + u2)), 32u);
        wave_tile::b_f16 tb_f16_0 =
            wave_tile::load_b_row<wave_tile::b_f16>(wave_tile::device((sycl::half *)(mem + u1)), 32u);
        wave_tile::c_f32 tc_f32_1 = wave_tile::mma(ta_f16_0, tb_f16_0, tc_f32_0);
        wave_tile::a_f16 ta_f16_1 =
            wave_tile::load_a_row<wave_tile::a_f16>(wave_tile::local((sycl::half *)(local + u2 + 512)), 32u);
        wave_tile::b_f16 tb_f16_1 =
            wave_tile::load_b_row<wave_tile::b_f16>(wave_tile::device((sycl::half *)(mem + (u1 + 512u))), 32u);
        tc_f32_0 = wave_tile::mma(ta_f16_1, tb_f16_1, tc_f32_1);
        u2 += 1024u;
        u1 += 1024u;
    }
    while (true) {
        wave_tile::a_f16 ta_f16_2 =
            wave_tile::load_a_row<wave_tile::a_f16>(wave_tile::local((sycl::half *)(local + u2)), 32u);
        wave_tile::b_f16 tb_f16_2 =
            wave_tile::load_b_row<wave_tile::b_f16>(wave_tile::device((sycl::half *)(mem + u1)), 32u);
        tc_f32_0 = wave_tile::mma(ta_f16_2, tb_f16_2, tc_f32_0);
        u2 += 512u;
        u1 += 512u;
        if ((int32_t)u2 >= (int32_t)args.r[3]) break;
    }
    wave_tile::store_col(wave_tile::device((float *)(mem + args.r[2])), 64u, tc_f32_0);
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<16>))
void matrix_units_kernel(uint8_t *mem, matrix_units_args args, sycl::ext::oneapi::experimental::work_group_memory<uint8_t[1024]> local) {
    matrix_units_body(mem, args, (uint8_t *)&local);
}

#ifndef WAVE_SYCL_RTC
struct matrix_units_launch {
    uint8_t *mem;
    matrix_units_args args;
    sycl::local_accessor<uint8_t, 1> local;
    void operator()(sycl::nd_item<3>) const {
        matrix_units_body(mem, args, &local[0]);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<16>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event matrix_units(sycl::queue &queue, uint8_t *mem, matrix_units_args args, sycl::range<3> grid,
    sycl::range<3>) {
    const sycl::range<3> local_range(1, 1, 64);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             matrix_units_launch{mem, args, sycl::local_accessor<uint8_t, 1>(sycl::range<1>(1024), handler)});
    });
}
#endif
