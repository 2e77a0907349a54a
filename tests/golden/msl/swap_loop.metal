// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from swap_loop.wave
//
// Compile with xcrun -sdk macosx metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off
// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.

#include <metal_stdlib>
using namespace metal;

// No assumptions about numbers, and no fused multiply-adds but those written as fma.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint2 mem_u32x2 __attribute__((may_alias));

// swap_loop
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
struct swap_loop_args {
    uint32_t r[4];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void swap_loop(
    device uchar *mem [[buffer(0)]],
    constant swap_loop_args &args [[buffer(1)]]) {
    uint32_t u0 = args.r[1];
    uint32_t u1 = args.r[2];
    uint32_t u2 = 0u;
    while ((int32_t)u2 < (int32_t)args.r[3]) {
        u2 += 1u;
        uint32_t u3 = u0;
        u0 = u1;
        u1 = u3;
    }
    *(device mem_u32x2 *)(mem + args.r[0]) = mem_u32x2(u0, u1);
}
