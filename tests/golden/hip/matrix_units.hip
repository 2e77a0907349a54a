// WAVE kernels for gfx942, 64 lanes to a wave, compiled from matrix_units.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint16_t mem_u16 __attribute__((may_alias));
typedef uint32_t mem_u32 __attribute__((may_alias));
typedef uint32_t __attribute__((ext_vector_type(2))) mem_u32x2 __attribute__((may_alias));
typedef uint32_t __attribute__((ext_vector_type(4))) mem_u32x4 __attribute__((may_alias));

// What a lane holds of a tile, as AMD's matrix units want it.
namespace wave_tile {
typedef float c_f32 __attribute__((ext_vector_type(4)));
typedef int32_t c_i32 __attribute__((ext_vector_type(4)));
typedef _Float16 a_f16 __attribute__((ext_vector_type(4)));
typedef int16_t a_bf16 __attribute__((ext_vector_type(4)));
struct a_i8 { uint32_t w[2]; };
struct a_u8 { uint32_t w[2]; };
typedef a_f16 b_f16;
typedef a_bf16 b_bf16;
typedef a_i8 b_i8;
typedef a_u8 b_u8;
enum { row_of_lane = 4, row_of_register = 1 };
__attribute__((unused)) static __device__ inline c_f32 mma(a_f16 a, a_f16 b, c_f32 c) {
    return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
}
__attribute__((unused)) static __device__ inline c_f32 mma(a_bf16 a, a_bf16 b, c_f32 c) {
    return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
}
__attribute__((unused)) static __device__ inline c_i32 mma(a_i8 a, a_i8 b, c_i32 c) {
    return __builtin_amdgcn_mfma_i32_16x16x32_i8(__builtin_bit_cast(int64_t, a),
                                                 __builtin_bit_cast(int64_t, b), c, 0, 0, 0);
}
}

namespace wave_tile {
template <class T> struct bytes { enum { each = 2 }; };
template <> struct bytes<a_i8> { enum { each = 1 }; };
template <> struct bytes<a_u8> { enum { each = 1 }; };
template <class T> struct words { uint32_t w[sizeof(T) / 4]; };
// A lane's part of A or B whose elements lie side by side.
template <class T> static __device__ inline T along(const uint8_t *p, uint32_t stride) {
    const uint32_t lane = __lane_id(), row = 16 * bytes<T>::each, n = sizeof(T) / 4;
    const uint32_t first = sizeof(T) == row ? 0 : lane / 16 * uint32_t(sizeof(T));
    words<T> x = {};
    if (4 * sizeof(T) <= row || sizeof(T) == row || first < row) {
        p += lane % 16 * stride + first;
#pragma unroll
        for (uint32_t i = 0; i < n; i += n < 4 ? n : 4)
            if (n >= 4) {
                const mem_u32x4 v = *(const mem_u32x4 *)(p + 4 * i);
                x.w[i] = v.x, x.w[i + 1] = v.y, x.w[i + 2] = v.z, x.w[i + 3] = v.w;
            } else if (n == 2) {
                const mem_u32x2 v = *(const mem_u32x2 *)p;
                x.w[0] = v.x, x.w[n - 1] = v.y;
            } else {
                x.w[0] = *(const mem_u32 *)p;
            }
    }
    return __builtin_bit_cast(T, x);
}
template <class T> static __device__ inline void put(T &t, uint32_t i, uint32_t bits) {
    t.w[i / 4] |= bits << 8 * (i % 4);
}
template <> __attribute__((unused)) __device__ inline void put<a_f16>(a_f16 &t, uint32_t i, uint32_t bits) {
    t[i] = __builtin_bit_cast(_Float16, uint16_t(bits));
}
template <> __attribute__((unused)) __device__ inline void put<a_bf16>(a_bf16 &t, uint32_t i, uint32_t bits) {
    t[i] = int16_t(bits);
}
// The same where they lie a stride apart.
template <class T> static __device__ inline T across(const uint8_t *p, uint32_t stride) {
    const uint32_t lane = __lane_id(), each = bytes<T>::each, n = sizeof(T) / each;
    const uint32_t first = n == 16 ? 0 : lane / 16 * n;
    T t = {};
    p += first * stride + lane % 16 * each;
#pragma unroll
    for (uint32_t i = 0; i < n && (n <= 4 || n == 16 || first < 16); i++)
        put(t, i, each == 2 ? *(const mem_u16 *)(p + i * stride) : p[i * stride]);
    return t;
}
template <class T> static __device__ inline T load_a_row(const uint8_t *p, uint32_t stride) { return along<T>(p, stride); }
template <class T> static __device__ inline T load_a_col(const uint8_t *p, uint32_t stride) { return across<T>(p, stride); }
template <class T> static __device__ inline T load_b_row(const uint8_t *p, uint32_t stride) { return across<T>(p, stride); }
template <class T> static __device__ inline T load_b_col(const uint8_t *p, uint32_t stride) { return along<T>(p, stride); }
}

namespace wave_tile {
// Row and column of a lane's register r of C, in bytes.
__attribute__((unused)) static __device__ inline uint32_t place(uint32_t r, uint32_t down, uint32_t right) {
    const uint32_t lane = __lane_id();
    return (lane / 16 * row_of_lane + r * row_of_register) * down + lane % 16 * right;
}
template <class T> static __device__ inline T load(const uint8_t *p, uint32_t down, uint32_t right) {
    words<T> x;
#pragma unroll
    for (uint32_t r = 0; r < sizeof(T) / 4; r++)
        x.w[r] = *(const mem_u32 *)(p + place(r, down, right));
    return __builtin_bit_cast(T, x);
}
template <class T> static __device__ inline void store(uint8_t *p, uint32_t down, uint32_t right, T t) {
    const words<T> x = __builtin_bit_cast(words<T>, t);
#pragma unroll
    for (uint32_t r = 0; r < sizeof(T) / 4; r++)
        *(mem_u32 *)(p + place(r, down, right)) = x.w[r];
}
template <class T> static __device__ inline T load_c_row(const uint8_t *p, uint32_t stride) { return load<T>(p, stride, 4); }
template <class T> static __device__ inline T load_c_col(const uint8_t *p, uint32_t stride) { return load<T>(p, 4, stride); }
template <class T> static __device__ inline void store_row(uint8_t *p, uint32_t stride, T t) { store(p, stride, 4, t); }
template <class T> static __device__ inline void store_col(uint8_t *p, uint32_t stride, T t) { store(p, 4, stride, t); }
template <class T> static __device__ inline T fill(uint32_t bits) {
    words<T> x;
#pragma unroll
    for (uint32_t r = 0; r < sizeof(T) / 4; r++)
        x.w[r] = bits;
    return __builtin_bit_cast(T, x);
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

extern "C" __global__ void __launch_bounds__(64) matrix_units(uint8_t *mem, matrix_units_args args) {
    alignas(16) __shared__ uint8_t local[1024];
    wave_tile::c_f32 tc_f32_0 = wave_tile::load_c_row<wave_tile::c_f32>(mem + args.r[1], 64u);
    uint32_t u0 = (uint32_t)max((int32_t)args.r[3], -2147483136) - 512u;
    uint32_t u1 = args.r[0];
    uint32_t u2 = 0u;
    while ((int32_t)(u2 + 512u) < (int32_t)u0) {
        wave_tile::a_f16 ta_f16_0 = wave_tile::load_a_row<wave_tile::a_f16>(local + u2, 32u);
        wave_tile::b_f16 tb_f16_0 = wave_tile::load_b_row<wave_tile::b_f16>(mem + u1, 32u);
        wave_tile::c_f32 tc_f32_1 = wave_tile::mma(ta_f16_0, tb_f16_0, tc_f32_0);
        wave_tile::a_f16 ta_f16_1 = wave_tile::load_a_row<wave_tile::a_f16>(local + u2 + 512, 32u);
        wave_tile::b_f16 tb_f16_1 = wave_tile::load_b_row<wave_tile::b_f16>(mem + (u1 + 512u), 32u);
        tc_f32_0 = wave_tile::mma(ta_f16_1, tb_f16_1, tc_f32_1);
        u2 += 1024u;
        u1 += 1024u;
    }
    while (true) {
        wave_tile::a_f16 ta_f16_2 = wave_tile::load_a_row<wave_tile::a_f16>(local + u2, 32u);
        wave_tile::b_f16 tb_f16_2 = wave_tile::load_b_row<wave_tile::b_f16>(mem + u1, 32u);
        tc_f32_0 = wave_tile::mma(ta_f16_2, tb_f16_2, tc_f32_0);
        u2 += 512u;
        u1 += 512u;
        if ((int32_t)u2 >= (int32_t)args.r[3]) break;
    }
    wave_tile::store_col(mem + args.r[2], 64u, tc_f32_0);
}
