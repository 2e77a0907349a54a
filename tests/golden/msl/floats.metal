// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from floats.wave
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

// Into [0, 1]; NaN and -0 give +0.
static inline float wave_fsat(float x) {
    float low = x > 0.0f ? x : 0.0f;
    return low > 1.0f ? 1.0f : low;
}

// x - floor(x), but never 1.
static inline float wave_ffract(float x) {
    float rest = x - floor(x);
    return rest >= 1.0f ? 0.99999994f : rest;
}

// Towards zero; too large becomes the nearest integer there is, NaN 0.
static inline uint32_t wave_cvt_i32(float x) {
    if (x >= 2147483648.0f)
        return 0x7FFFFFFFu;
    if (x >= -2147483648.0f)
        return (uint32_t)(int32_t)x;
    return x < 0.0f ? 0x80000000u : 0u;
}

// The number when one is NaN; -0 is less than +0.
static inline float wave_fmin(float a, float b) {
    uint32_t x = as_type<uint32_t>(a), y = as_type<uint32_t>(b);
    return (x | y) << 1 == 0u ? as_type<float>(x | y) : precise::fmin(a, b);
}

// floats
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
struct floats_args {
    uint32_t r[4];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void floats(
    device uchar *mem [[buffer(0)]],
    constant floats_args &args [[buffer(1)]]) {
    float f0 = as_type<float>(args.r[1]);
    float f1 = as_type<float>(args.r[2]);
    float f2 = as_type<float>(args.r[3]);
    float f3 = f0 * f1 + f2;
    float f4 = fma(f0, f1, f2);
    float f5 = f3 / f4;
    float f6 = 1.0f / precise::sqrt(f5);
    *(device mem_u32x4 *)(mem + args.r[0]) = mem_u32x4(as_type<uint32_t>(f3), as_type<uint32_t>(f4),
        as_type<uint32_t>(f5), as_type<uint32_t>(f6));
    float f7 = fabs(f0) - f1;
    float f8 = wave_ffract(f7);
    uint32_t u0 = args.r[0] + 16u;
    *(device mem_u32x4 *)(mem + u0) = mem_u32x4(as_type<uint32_t>(-f6), as_type<uint32_t>(f7),
        as_type<uint32_t>(f8), as_type<uint32_t>(wave_fsat(f8)));
    float f9 = wave_fmin(f0, f1);
    uint32_t u1 = wave_cvt_i32(f9);
    *(device mem_u32x4 *)(mem + (u0 + 16u)) = mem_u32x4(as_type<uint32_t>(rint(f0)), as_type<uint32_t>(f9),
        u1, as_type<uint32_t>((float)u1));
}
