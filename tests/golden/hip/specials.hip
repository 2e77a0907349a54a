// WAVE kernels for gfx942, 64 lanes to a wave, compiled from specials.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t __attribute__((ext_vector_type(4))) mem_u32x4 __attribute__((may_alias));

// v_exp_f32, which clang has a name for from version 17 on.
static __device__ inline float wave_exp2(float x) {
#if __has_builtin(__builtin_amdgcn_exp2f)
    return __builtin_amdgcn_exp2f(x);
#else
    return exp2f(x);
#endif
}

// specials
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: any size up to 1024 threads
struct specials_args {
    uint32_t r[2];
};

extern "C" __global__ void __launch_bounds__(1024) specials(uint8_t *mem, specials_args args) {
    const uint32_t thread = threadIdx.x + (threadIdx.y + threadIdx.z * blockDim.y) * blockDim.x;
    const uint32_t lane = __lane_id();
    const uint32_t wave = (uint32_t)__builtin_amdgcn_readfirstlane((int)(thread / 64u));
    const uint32_t waves = (blockDim.x * blockDim.y * blockDim.z + 63u) / 64u;
    *(mem_u32x4 *)(mem + args.r[0]) = mem_u32x4{threadIdx.y, blockIdx.z, blockDim.x, gridDim.y};
    uint32_t u0 = args.r[0] + 16u;
    *(mem_u32x4 *)(mem + u0) = mem_u32x4{wave, waves, 64u, lane};
    float f0 = __uint_as_float(args.r[1]);
    *(mem_u32x4 *)(mem + u0) = mem_u32x4{__float_as_uint(__sinf(f0)), __float_as_uint(wave_exp2(f0)),
        __float_as_uint(f0 + __uint_as_float(0x7F800000u)), __float_as_uint(f0 * 0.1f)};
}
