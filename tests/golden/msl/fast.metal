// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from fast.wave
//
// Compile with xcrun -sdk macosx metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off
// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.

#include <metal_stdlib>
using namespace metal;

// No assumptions about numbers, and no fused multiply-adds but those written as fma.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef float4 mem_f32x4 __attribute__((may_alias));

// Adds in memory and gives what was there before.
static inline float wave_local_fadd(threadgroup atomic_uint *at, float x) {
    uint32_t old = atomic_load_explicit(at, memory_order_relaxed), sum;
    do
        sum = as_type<uint32_t>(as_type<float>(old) + x);
    while (!atomic_compare_exchange_weak_explicit(at, &old, sum, memory_order_relaxed,
                                                  memory_order_relaxed));
    return as_type<float>(old);
}

// fast_, the kernel "fast"
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
//   local memory: 64 bytes
struct fast__args {
    uint32_t r[4];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void fast_(
    device uchar *mem [[buffer(0)]],
    constant fast__args &args [[buffer(1)]]) {
    alignas(16) threadgroup uchar local[64];
    float f0 = as_type<float>(args.r[1]);
    float f1 = as_type<float>(args.r[2]);
    *(device mem_f32x4 *)(mem + args.r[0]) = mem_f32x4(fast::sin(f0), fast::cos(f0), fast::exp2(f1),
        fast::log2(f1));
    float f2 = atomic_fetch_add_explicit((device atomic_float *)(mem + args.r[0]), f0, memory_order_relaxed);
    wave_local_fadd((threadgroup atomic_uint *)(local + args.r[3]), f2);
}
