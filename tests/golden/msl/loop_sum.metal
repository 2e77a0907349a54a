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
    uint32_t u0 = max(args.r[2], 7u) - 7u;
    uint32_t u1 = args.r[0];
    uint32_t u2 = 0u;
    float f0 = 0.0f;
    while (u2 < u0) {
        float f1 = *(device mem_f32 *)(mem + u1);
        float f2 = *(device mem_f32 *)(mem + (u1 + 4u));
        float f3 = *(device mem_f32 *)(mem + (u1 + 8u));
        float f4 = *(device mem_f32 *)(mem + (u1 + 12u));
        float f5 = *(device mem_f32 *)(mem + (u1 + 16u));
        float f6 = *(device mem_f32 *)(mem + (u1 + 20u));
        float f7 = f0 + f1 + f2 + f3 + f4 + f5 + f6;
        float f8 = *(device mem_f32 *)(mem + (u1 + 24u));
        float f9 = *(device mem_f32 *)(mem + (u1 + 28u));
        f0 = f7 + f8 + f9;
        u1 += 32u;
        u2 += 8u;
    }
    while (u2 < args.r[2]) {
        float f10 = *(device mem_f32 *)(mem + u1);
        f0 += f10;
        u1 += 4u;
        u2 += 1u;
    }
    *(device mem_f32 *)(mem + args.r[1]) = f0;
}
