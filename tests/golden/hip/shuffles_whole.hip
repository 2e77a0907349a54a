// WAVE kernels for gfx1100, 32 lanes to a wave, compiled from shuffles_whole.wave
//
// Compile with hipcc --offload-arch=gfx1100 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t __attribute__((ext_vector_type(4))) mem_u32x4 __attribute__((may_alias));

// x of another lane; 0 when there is no such lane.
static __device__ inline uint32_t wave_shuffle(uint32_t x, uint32_t source, uint32_t width) {
    int y = __builtin_amdgcn_ds_bpermute((int)(source << 2), (int)x);
    return source < width ? (uint32_t)y : 0u;
}

// x of the lane that `control` names in the same row of 16; `none` when there is none.
template <int control>
static __device__ inline uint32_t wave_dpp(uint32_t none, uint32_t x) {
    return (uint32_t)__builtin_amdgcn_update_dpp((int)none, (int)x, control, 15, 15, false);
}

// x of the lane that `control` names in the same row of 16; 0 when there is none.
template <int control> static __device__ inline uint32_t wave_row(uint32_t x) {
    return (uint32_t)__builtin_amdgcn_update_dpp(0, (int)x, control, 15, 15, true);
}

// x of the lane that all name alike; 0 when there is no such lane.
static __device__ inline uint32_t wave_read(uint32_t x, uint32_t source, uint32_t lanes) {
    uint32_t y = (uint32_t)__builtin_amdgcn_readlane((int)x, (int)source);
    return source < lanes ? y : 0u;
}

// Over the lanes of a wave; `lanes` of them exist.
static __device__ inline uint32_t wave_reduce_min(uint32_t x, uint32_t lanes, uint32_t none) {
    uint32_t y = wave_dpp<0x101>(none, x);
    x = x < y ? x : y;
    y = wave_dpp<0x102>(none, x);
    x = x < y ? x : y;
    y = wave_dpp<0x104>(none, x);
    x = x < y ? x : y;
    y = wave_dpp<0x108>(none, x);
    uint32_t row = x < y ? x : y;
    x = (uint32_t)__builtin_amdgcn_readlane((int)row, 0);
    for (uint32_t first = 16u; first < lanes; first += 16u) {
        y = (uint32_t)__builtin_amdgcn_readlane((int)row, (int)first);
        x = x < y ? x : y;
    }
    return x;
}

// The sum over lower lanes: within rows of 16 by DPP, then the rows before.
static __device__ inline uint32_t wave_prefix_sum(uint32_t x, uint32_t lane, uint32_t width) {
    uint32_t sum = x + wave_dpp<0x111>(0u, x);
    sum += wave_dpp<0x112>(0u, sum);
    sum += wave_dpp<0x114>(0u, sum);
    sum += wave_dpp<0x118>(0u, sum);
    uint32_t rows = sum;
    for (uint32_t last = 15u; last + 1u < width; last += 16u) {
        uint32_t row = (uint32_t)__builtin_amdgcn_readlane((int)rows, (int)last);
        sum += lane > last ? row : 0u;
    }
    return sum - x;
}

// shuffles_whole
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: 64 x 1 x 1 threads
struct shuffles_whole_args {
    uint32_t r[2];
};

extern "C" __global__ void __launch_bounds__(64) shuffles_whole(uint8_t *mem, shuffles_whole_args args) {
    const uint32_t thread = threadIdx.x;
    const uint32_t lane = threadIdx.x & 31u;
    const uint32_t wave = (uint32_t)__builtin_amdgcn_readfirstlane((int)(thread / 32u));
    uint32_t u0 = wave_shuffle(args.r[1], lane, 32u);
    uint32_t u1 = wave_shuffle(args.r[1], wave <= lane ? lane - wave : 32u, 32u);
    uint32_t u2 = wave_shuffle(u0, lane + 1u, 32u);
    uint32_t u3 = wave_row<0xB1>(u1);
    *(mem_u32x4 *)(mem + args.r[0]) = mem_u32x4{u0, u1, u2, u3};
    uint32_t u4 = (uint32_t)__ballot(lane < args.r[1]);
    uint32_t u5 = wave_prefix_sum(args.r[1], lane, 32u);
    uint32_t u6 = wave_reduce_min(args.r[1], 32u, 0xFFFFFFFFu);
    uint32_t u7 = wave_read(args.r[1], wave, 32u);
    *(mem_u32x4 *)(mem + (args.r[0] + 16u)) = mem_u32x4{u4, u5, u6, u7};
}
