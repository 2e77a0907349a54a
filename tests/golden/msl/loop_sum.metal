// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from loop_sum.wave
//
// Compile with xcrun -sdk macosx metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off
// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.

#include <metal_stdlib>
using namespace metal;

// No assumptions about numbers, and no fused multiply-adds but those written as fma.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef float mem_f32 __attribute__((may_alias));

// loop_sum
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: 32 x 1 x 1 threads
struct loop_sum_args {
    uint32_t r[3];
};

[[max_total_threads_per_threadgroup(32)]]
kernel void loop_sum(
    device uchar *mem [[buffer(0)]],
    constant loop_sum_args &args [[buffer(1)]]) {
    uint32_t u0 = args.r[0];
    uint32_t u1 = 0u;
    float f0 = 0.0f;
    while (u1 < args.r[2]) {
        float f1 = *(device mem_f32 *)(mem + u0);
        f0 += f1;
        u0 += 4u;
        u1 += 1u;
    }
    *(device mem_f32 *)(mem + args.r[1]) = f0;
}
