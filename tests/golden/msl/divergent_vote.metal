// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from divergent_vote.wave
//
// Compile with xcrun -sdk macosx metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off
// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.

#include <metal_stdlib>
using namespace metal;

// No assumptions about numbers, and no fused multiply-adds but those written as fma.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// divergent_vote
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: 64 x 1 x 1 threads
struct divergent_vote_args {
    uint32_t r[1];
};

[[max_total_threads_per_threadgroup(64)]]
kernel void divergent_vote(
    device uchar *mem [[buffer(0)]],
    constant divergent_vote_args &args [[buffer(1)]],
    uint lane [[thread_index_in_simdgroup]]) {
    bool b0 = lane < 8u;
    bool b1 = simd_any(b0);
    uint32_t u0;
    if (b1) {
        u0 = (uint32_t)(simd_vote::vote_t)simd_ballot(args.r[0] != lane && b0);
    } else {
        u0 = 0u;
    }
    *(device mem_u32 *)(mem + (lane << 2)) = b0 ? u0 : 0u;
}
