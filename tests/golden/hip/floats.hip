// WAVE kernels for gfx942, 64 lanes to a wave, compiled from floats.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t __attribute__((ext_vector_type(4))) mem_u32x4 __attribute__((may_alias));
typedef float __attribute__((ext_vector_type(4))) mem_f32x4 __attribute__((may_alias));

// Into [0, 1]; NaN and -0 give +0.
static __device__ inline float wave_fsat(float x) {
    float low = x > 0.0f ? x : 0.0f;
    return low > 1.0f ? 1.0f : low;
}

// x - floor(x), but never 1.
static __device__ inline float wave_ffract(float x) {
    float rest = x - floorf(x);
    return rest >= 1.0f ? 0.99999994f : rest;
}

// Towards zero; too large becomes the nearest integer there is, NaN 0.
static __device__ inline uint32_t wave_cvt_i32(float x) {
    if (x >= 2147483648.0f)
        return 0x7FFFFFFFu;
    if (x >= -2147483648.0f)
        return (uint32_t)(int32_t)x;
    return x < 0.0f ? 0x80000000u : 0u;
}

// floats
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
struct floats_args {
    uint32_t r[4];
};

extern "C" __global__ void __launch_bounds__(1024) floats(uint8_t *mem, floats_args args) {
    float f0 = __uint_as_float(args.r[1]);
    float f1 = __uint_as_float(args.r[2]);
    float f2 = __uint_as_float(args.r[3]);
    float f3 = f0 * f1 + f2;
    float f4 = __builtin_fmaf(f0, f1, f2);
    float f5 = f3 / f4;
    float f6 = 1.0f / sqrtf(f5);
    *(mem_f32x4 *)(mem + args.r[0]) = mem_f32x4{f3, f4, f5, f6};
    float f7 = fabsf(f0) - f1;
    float f8 = wave_ffract(f7);
    *(mem_f32x4 *)(mem + (args.r[0] + 16u)) = mem_f32x4{-f6, f7, f8, wave_fsat(f8)};
    float f9 = fminf(f0, f1);
    uint32_t u0 = wave_cvt_i32(f9);
    *(mem_u32x4 *)(mem + (args.r[0] + 32u)) = mem_u32x4{__float_as_uint(rintf(f0)), __float_as_uint(f9), u0,
        __float_as_uint((float)u0)};
}
