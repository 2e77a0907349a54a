// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from guarded_store.wave
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

// guarded_store
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: 128 x 1 x 1 threads
struct guarded_store_args {
    uint32_t r[2];
};

[[max_total_threads_per_threadgroup(128)]]
kernel void guarded_store(
    device uchar *mem [[buffer(0)]],
    constant guarded_store_args &args [[buffer(1)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 group_id [[threadgroup_position_in_grid]]) {
    uint32_t u0 = group_id.x * 128u + thread_id.x;
    uint32_t u1 = args.r[0] + (u0 << 2);
    if (u0 < args.r[1]) {
        *(device mem_u32 *)(mem + u1) = u0;
    }
}
