// WAVE kernels for gfx942, 64 lanes to a wave, compiled from reductions.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));
typedef uint32_t __attribute__((ext_vector_type(2))) mem_u32x2 __attribute__((may_alias));

// x of the lane that `control` names in the same row of 16; `none` when there is none.
template <int control>
static __device__ inline uint32_t wave_dpp(uint32_t none, uint32_t x) {
    return (uint32_t)__builtin_amdgcn_update_dpp((int)none, (int)x, control, 15, 15, false);
}

// x of the lane that `control` names in the same row of 16; 0 when there is none.
template <int control> static __device__ inline uint32_t wave_row(uint32_t x) {
    return (uint32_t)__builtin_amdgcn_update_dpp(0, (int)x, control, 15, 15, true);
}

// x of lane ^ mask, a mask below 32; 0 when there is no such lane.
template <int mask> static __device__ inline uint32_t wave_swizzle(uint32_t x) {
    return (uint32_t)__builtin_amdgcn_ds_swizzle((int)x, mask << 10 | 31);
}

// Over the lanes of a wave; `lanes` of them exist.
static __device__ inline uint32_t wave_reduce_add(uint32_t x, uint32_t lanes, uint32_t none) {
    uint32_t y = wave_dpp<0x101>(none, x);
    x = x + y;
    y = wave_dpp<0x102>(none, x);
    x = x + y;
    y = wave_dpp<0x104>(none, x);
    x = x + y;
    y = wave_dpp<0x108>(none, x);
    uint32_t row = x + y;
    x = (uint32_t)__builtin_amdgcn_readlane((int)row, 0);
    for (uint32_t first = 16u; first < lanes; first += 16u) {
        y = (uint32_t)__builtin_amdgcn_readlane((int)row, (int)first);
        x = x + y;
    }
    return x;
}

// Over the lanes of a wave; `lanes` of them exist.
static __device__ inline uint32_t wave_reduce_max(uint32_t x, uint32_t lanes, uint32_t none) {
    uint32_t y = wave_dpp<0x101>(none, x);
    x = x > y ? x : y;
    y = wave_dpp<0x102>(none, x);
    x = x > y ? x : y;
    y = wave_dpp<0x104>(none, x);
    x = x > y ? x : y;
    y = wave_dpp<0x108>(none, x);
    uint32_t row = x > y ? x : y;
    x = (uint32_t)__builtin_amdgcn_readlane((int)row, 0);
    for (uint32_t first = 16u; first < lanes; first += 16u) {
        y = (uint32_t)__builtin_amdgcn_readlane((int)row, (int)first);
        x = x > y ? x : y;
    }
    return x;
}

// reductions
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: 256 x 1 x 1 threads
//   local memory: 32 bytes
struct reductions_args {
    uint32_t r[2];
};

extern "C" __global__ void __launch_bounds__(256) reductions(uint8_t *mem, reductions_args args) {
    alignas(16) __shared__ uint8_t local[32];
    const uint32_t thread = threadIdx.x;
    const uint32_t lane = threadIdx.x & 63u;
    const uint32_t wave = (uint32_t)__builtin_amdgcn_readfirstlane((int)(thread / 64u));
    uint32_t u0 = args.r[0] + (threadIdx.x << 3);
    mem_u32x2 x0 = *(mem_u32x2 *)(mem + u0);
    uint32_t u1 = wave_reduce_add(x0.x, 64u, 0u);
    uint32_t u2 = wave_reduce_max(x0.y, 64u, 0u);
    uint32_t u3 = wave_row<0xB1>(x0.x);
    uint32_t u4 = wave_swizzle<16>(x0.y);
    uint32_t u5 = wave << 2;
    if (lane == 0u) {
        *(mem_u32 *)(local + u5) = u1;
    }
    __syncthreads();
    uint32_t u6 = *(mem_u32 *)(local + u5);
    *(mem_u32x2 *)(mem + u0) = mem_u32x2{u1, u2};
    uint32_t u7 = u0 + args.r[1];
    *(mem_u32 *)(mem + u7) = min(uint32_t(u3), uint32_t(u4));
    *(mem_u32 *)(mem + (u7 + args.r[1])) = u6;
}
