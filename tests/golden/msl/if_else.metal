// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from if_else.wave
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

// if_else
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
struct if_else_args {
    uint32_t r[3];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void if_else(
    device uchar *mem [[buffer(0)]],
    constant if_else_args &args [[buffer(1)]]) {
    uint32_t u0 = (int32_t)args.r[1] < (int32_t)args.r[2] ? args.r[2] - args.r[1] : 0u - args.r[1] * args.r[2];
    *(device mem_u32 *)(mem + args.r[0]) = as_type<float>(args.r[1]) >= as_type<float>(args.r[2]) ? u0 : u0 +
        args.r[1];
}
