// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from shuffles_whole.wave
//
// Compile with xcrun -sdk macosx metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off
// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.

#include <metal_stdlib>
using namespace metal;

// No assumptions about numbers, and no fused multiply-adds but those written as fma.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint4 mem_u32x4 __attribute__((may_alias));

// x of another lane; 0 when there is no such lane.
static inline uint32_t wave_shuffle(uint32_t x, uint32_t source, uint32_t lanes) {
    uint32_t y = simd_shuffle(x, (uint16_t)(source < lanes ? source : 0u));
    return source < lanes ? y : 0u;
}

// x of the lane `delta` above, which is the same number in all lanes; 0 above lane 31.
static inline uint32_t wave_shuffle_down(uint32_t x, uint16_t delta, uint32_t lane) {
    uint32_t y = simd_shuffle_down(x, delta);
    return lane + delta < 32u ? y : 0u;
}

// shuffles_whole
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: 64 x 1 x 1 threads
struct shuffles_whole_args {
    uint32_t r[2];
};

[[max_total_threads_per_threadgroup(64)]]
kernel void shuffles_whole(
    device uchar *mem [[buffer(0)]],
    constant shuffles_whole_args &args [[buffer(1)]],
    uint lane [[thread_index_in_simdgroup]],
    uint wave [[simdgroup_index_in_threadgroup]]) {
    uint32_t u0 = wave_shuffle(args.r[1], lane, 32u);
    uint32_t u1 = wave_shuffle(args.r[1], wave <= lane ? lane - wave : 32u, 32u);
    uint32_t u2 = wave_shuffle_down(u0, 1, lane);
    uint32_t u3 = simd_shuffle_xor(u1, 1);
    *(device mem_u32x4 *)(mem + args.r[0]) = mem_u32x4(u0, u1, u2, u3);
    uint32_t u4 = (uint32_t)(simd_vote::vote_t)simd_ballot(lane < args.r[1]);
    uint32_t u5 = simd_prefix_exclusive_sum(args.r[1]);
    uint32_t u6 = simd_min(args.r[1]);
    uint32_t u7 = wave_shuffle(args.r[1], wave, 32u);
    *(device mem_u32x4 *)(mem + (args.r[0] + 16u)) = mem_u32x4(u4, u5, u6, u7);
}
