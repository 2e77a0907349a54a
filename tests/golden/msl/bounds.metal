// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from bounds.wave
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
typedef uint2 mem_u32x2 __attribute__((may_alias));

// bounds
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   mem_size: bytes in the arena; accesses past it do nothing
//   workgroup: any size up to 1024 threads
//   local memory: 256 bytes
struct bounds_args {
    uint32_t r[2];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void bounds(
    device uchar *mem [[buffer(0)]],
    constant bounds_args &args [[buffer(1)]],
    constant ulong &mem_size [[buffer(3)]]) {
    alignas(16) threadgroup uchar local[256];
    uint32_t u0 = (uint64_t)args.r[0] + 4 <= mem_size ? *(device mem_u32 *)(mem + args.r[0]) : 0u;
    if ((uint64_t)args.r[1] + 4 <= 256u) *(threadgroup mem_u32 *)(local + args.r[1]) = u0;
    if ((uint64_t)args.r[0] + 4 <= mem_size)
        atomic_fetch_add_explicit((device atomic_uint *)(mem + args.r[0]), u0, memory_order_relaxed);
    mem_u32x2 x0 = (uint64_t)args.r[1] + 8 <= 256u ? *(threadgroup mem_u32x2 *)(local + args.r[1]) :
        mem_u32x2(0u, 0u);
    if ((uint64_t)args.r[0] + 8 <= mem_size) *(device mem_u32x2 *)(mem + args.r[0]) = mem_u32x2(x0.x, x0.y);
}
