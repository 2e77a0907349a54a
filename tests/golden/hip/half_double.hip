// WAVE kernels for gfx942, 64 lanes to a wave, compiled from half_double.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef float mem_f32 __attribute__((may_alias));
typedef uint32_t __attribute__((ext_vector_type(2))) mem_u32x2 __attribute__((may_alias));
typedef uint32_t __attribute__((ext_vector_type(4))) mem_u32x4 __attribute__((may_alias));

typedef _Float16 wave_half2 __attribute__((ext_vector_type(2)));

static __device__ inline wave_half2 wave_hma2(wave_half2 a, wave_half2 b, wave_half2 c) {
    return wave_half2{(_Float16)__builtin_fmaf16(a.x, b.x, c.x),
                      (_Float16)__builtin_fmaf16(a.y, b.y, c.y)};
}

// half_double
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: any size up to 1024 threads
struct half_double_args {
    uint32_t r[1];
};

extern "C" __global__ void __launch_bounds__(1024) half_double(uint8_t *mem, half_double_args args) {
    mem_u32x4 x0 = *(mem_u32x4 *)(mem + args.r[0]);
    _Float16 h0 = __builtin_bit_cast(_Float16, (uint16_t)x0.x);
    _Float16 h1 = __builtin_bit_cast(_Float16, (uint16_t)x0.y);
    _Float16 h2 = (_Float16)__builtin_fmaf16(h0, h1, __builtin_bit_cast(_Float16, (uint16_t)x0.z));
    wave_half2 g0 = __builtin_bit_cast(wave_half2, (uint32_t)x0.x);
    wave_half2 g1 = __builtin_bit_cast(wave_half2, (uint32_t)x0.z);
    float f0 = __uint_as_float(x0.x << 16) * __uint_as_float(x0.y << 16);
    *(mem_u32x4 *)(mem + args.r[0]) = mem_u32x4{(uint32_t)__builtin_bit_cast(uint16_t, h2),
        __builtin_bit_cast(uint32_t, wave_hma2(g0, __builtin_bit_cast(wave_half2, (uint32_t)x0.y), g1)),
        f0 != f0 ? 32704u : __float_as_uint(f0) >> 16, __float_as_uint((float)h2)};
    *(mem_u32x2 *)(mem + (args.r[0] + 16u)) = mem_u32x2{(uint32_t)__builtin_bit_cast(uint16_t, h0 + h1),
        __builtin_bit_cast(uint32_t, g0 * g1)};
    double d0 = __builtin_bit_cast(double, (uint64_t)x0.y << 32 | x0.x);
    double d1 = sqrt(__builtin_fma(d0, __builtin_bit_cast(double, (uint64_t)x0.w << 32 | x0.z), d0));
    uint64_t q0 = __builtin_bit_cast(uint64_t, d1);
    *(mem_u32x2 *)(mem + (args.r[0] + 32u)) = mem_u32x2{(uint32_t)q0, (uint32_t)(q0 >> 32)};
    *(mem_f32 *)(mem + (args.r[0] + 40u)) = (float)d1;
}
