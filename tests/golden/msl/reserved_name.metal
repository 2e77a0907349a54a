// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from reserved_name.wave
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

// uint3_, the kernel "uint3"
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: any size up to 1024 threads
struct uint3__args {
    uint32_t r[2];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void uint3_(
    device uchar *mem [[buffer(0)]],
    constant uint3__args &args [[buffer(1)]]) {
    *(device mem_u32 *)(mem + args.r[0]) = args.r[1];
}
