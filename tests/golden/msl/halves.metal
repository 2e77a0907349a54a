// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from halves.wave
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

// halves
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: any size up to 1024 threads
struct halves_args {
    uint32_t r[1];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void halves(
    device uchar *mem [[buffer(0)]],
    constant halves_args &args [[buffer(1)]]) {
    mem_u32x4 x0 = *(device mem_u32x4 *)(mem + args.r[0]);
    half h0 = fma(as_type<half>((uint16_t)x0.x), as_type<half>((uint16_t)x0.y), as_type<half>((uint16_t)x0.z));
    float f0 = as_type<float>(x0.x << 16) * as_type<float>(x0.y << 16);
    *(device mem_u32x4 *)(mem + args.r[0]) = mem_u32x4((uint32_t)as_type<uint16_t>(h0),
        as_type<uint32_t>(fma(as_type<half2>(x0.x), as_type<half2>(x0.y), as_type<half2>(x0.z))),
        f0 != f0 ? 32704u : as_type<uint32_t>(f0) >> 16, as_type<uint32_t>((float)h0));
}
