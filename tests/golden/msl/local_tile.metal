// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from local_tile.wave
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

// local_tile
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: 16 x 16 x 1 threads
//   local memory: 1024 bytes
struct local_tile_args {
    uint32_t r[1];
};

[[max_total_threads_per_threadgroup(256)]]
kernel void local_tile(
    device uchar *mem [[buffer(0)]],
    constant local_tile_args &args [[buffer(1)]],
    uint3 thread_id [[thread_position_in_threadgroup]]) {
    alignas(16) threadgroup uchar local[1024];
    uint32_t u0 = (thread_id.x << 2) + (thread_id.y << 6);
    uint32_t u1 = args.r[0] + u0;
    uint32_t u2 = *(device mem_u32 *)(mem + u1);
    *(threadgroup mem_u32 *)(local + u0) = u2;
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    uint32_t u3 = *(threadgroup mem_u32 *)(local + ((thread_id.y << 2) + (thread_id.x << 6)));
    *(device mem_u32 *)(mem + u1) = u3;
}
