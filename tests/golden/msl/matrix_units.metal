// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from matrix_units.wave
//
// Compile with xcrun -sdk macosx metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off
// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.

#include <metal_stdlib>
using namespace metal;

// No assumptions about numbers, and no fused multiply-adds but those written as fma.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// A tile as four simdgroup matrices, by rows.
namespace wave_tile {
template <typename E> struct quarters {
    simdgroup_matrix<E, 8, 8> m[4];
};
typedef quarters<half> a_f16;
typedef quarters<half> b_f16;
typedef quarters<float> c_f32;
template <typename E> static inline simdgroup_matrix<E, 8, 8> filled(thread const quarters<E> &, uint32_t bits) {
    return make_filled_simdgroup_matrix<E, 8, 8>(E(as_type<float>(bits)));
}
template <typename T, typename P> static inline T load(P p, uint32_t stride, bool columns) {
    T t;
    const ulong row = stride / sizeof(*p);
    for (uint32_t k = 0u; k < 4u; k++) {
        const ulong i = 8u * (k / 2u), j = 8u * (k % 2u);
        simdgroup_load(t.m[k], p + (columns ? j * row + i : i * row + j), row, ulong2(0), columns);
    }
    return t;
}
template <typename P, typename T> static inline void store(P p, uint32_t stride, thread const T &t, bool columns) {
    const ulong row = stride / sizeof(*p);
    for (uint32_t k = 0u; k < 4u; k++) {
        const ulong i = 8u * (k / 2u), j = 8u * (k % 2u);
        simdgroup_store(t.m[k], p + (columns ? j * row + i : i * row + j), row, ulong2(0), columns);
    }
}
template <typename T, typename P> static inline T load_a_row(P p, uint32_t stride) {
    return load<T>(p, stride, false);
}
template <typename T, typename P> static inline T load_a_col(P p, uint32_t stride) {
    return load<T>(p, stride, true);
}
template <typename T, typename P> static inline T load_b_row(P p, uint32_t stride) {
    return load<T>(p, stride, false);
}
template <typename T, typename P> static inline T load_b_col(P p, uint32_t stride) {
    return load<T>(p, stride, true);
}
template <typename T, typename P> static inline T load_c_row(P p, uint32_t stride) {
    return load<T>(p, stride, false);
}
template <typename T, typename P> static inline T load_c_col(P p, uint32_t stride) {
    return load<T>(p, stride, true);
}
template <typename P, typename T> static inline void store_row(P p, uint32_t stride, thread const T &t) {
    store(p, stride, t, false);
}
template <typename P, typename T> static inline void store_col(P p, uint32_t stride, thread const T &t) {
    store(p, stride, t, true);
}
template <typename T> static inline T fill(uint32_t bits) {
    T t;
    for (uint32_t k = 0u; k < 4u; k++)
        t.m[k] = filled(t, bits);
    return t;
}
template <typename F, typename S> static inline S mma(thread const F &a, thread const F &b, thread const S &c) {
    S d;
    for (uint32_t k = 0u; k < 4u; k++) {
        const uint32_t row = k / 2u * 2u, column = k % 2u;
        simdgroup_multiply_accumulate(d.m[k], a.m[row], b.m[column], c.m[k]);
        simdgroup_multiply_accumulate(d.m[k], a.m[row + 1u], b.m[column + 2u], d.m[k]);
    }
    return d;
}
}

// matrix_units
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: 64 x 1 x 1 threads
//   local memory: 1024 bytes
struct matrix_units_args {
    uint32_t r[4];
};

[[max_total_threads_per_threadgroup(64)]]
kernel void matrix_units(
    device uchar *mem [[buffer(0)]],
    constant matrix_units_args &args [[buffer(1)]]) {
    alignas(16) threadgroup uchar local[1024];
    wave_tile::c_f32 tc_f32_0 = wave_tile::load_c_row<wave_tile::c_f32>((device float *)(mem + args.r[1]), 64u);
    uint32_t u0 = (uint32_t)max((int32_t)args.r[3], -2147483136) - 512u;
    uint32_t u1 = args.r[0];
    uint32_t u2 = 0u;
    while ((int32_t)(u2 + 512u) < (int32_t)u0) {
        wave_tile::a_f16 ta_f16_0 = wave_tile::load_a_row<wave_tile::a_f16>((threadgroup half *)(local + u2), 32u);
        wave_tile::b_f16 tb_f16_0 = wave_tile::load_b_row<wave_tile::b_f16>((device half *)(mem + u1), 32u);
        wave_tile::c_f32 tc_f32_1 = wave_tile::mma(ta_f16_0, tb_f16_0, tc_f32_0);
        wave_tile::a_f16 ta_f16_1 =
            wave_tile::load_a_row<wave_tile::a_f16>((threadgroup half *)(local + u2 + 512), 32u);
        wave_tile::b_f16 tb_f16_1 =
            wave_tile::load_b_row<wave_tile::b_f16>((device half *)(mem + (u1 + 512u)), 32u);
        tc_f32_0 = wave_tile::mma(ta_f16_1, tb_f16_1, tc_f32_1);
        u2 += 1024u;
        u1 += 1024u;
    }
    while (true) {
        wave_tile::a_f16 ta_f16_2 = wave_tile::load_a_row<wave_tile::a_f16>((threadgroup half *)(local + u2), 32u);
        wave_tile::b_f16 tb_f16_2 = wave_tile::load_b_row<wave_tile::b_f16>((device half *)(mem + u1), 32u);
        tc_f32_0 = wave_tile::mma(ta_f16_2, tb_f16_2, tc_f32_0);
        u2 += 512u;
        u1 += 512u;
        if ((int32_t)u2 >= (int32_t)args.r[3]) break;
    }
    wave_tile::store_col((device float *)(mem + args.r[2]), 64u, tc_f32_0);
}
