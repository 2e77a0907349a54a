// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from atomics.wave
//
// Compile with xcrun -sdk macosx metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off
// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.

#include <metal_stdlib>
using namespace metal;

// No assumptions about numbers, and no fused multiply-adds but those written as fma.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// Fails only where something else is found, unlike what it is made of.
static inline uint32_t wave_cas(device atomic_uint *at, uint32_t expected, uint32_t desired) {
    uint32_t old = expected;
    while (!atomic_compare_exchange_weak_explicit(at, &old, desired, memory_order_relaxed,
                                                  memory_order_relaxed))
        if (old != expected)
            break;
    return old;
}

// Adds in memory and gives what was there before.
static inline float wave_fadd(device atomic_uint *at, float x) {
    uint32_t old = atomic_load_explicit(at, memory_order_relaxed), sum;
    do
        sum = as_type<uint32_t>(as_type<float>(old) + x);
    while (!atomic_compare_exchange_weak_explicit(at, &old, sum, memory_order_relaxed,
                                                  memory_order_relaxed));
    return as_type<float>(old);
}

// Adds in memory and gives what was there before.
static inline float wave_local_fadd(threadgroup atomic_uint *at, float x) {
    uint32_t old = atomic_load_explicit(at, memory_order_relaxed), sum;
    do
        sum = as_type<uint32_t>(as_type<float>(old) + x);
    while (!atomic_compare_exchange_weak_explicit(at, &old, sum, memory_order_relaxed,
                                                  memory_order_relaxed));
    return as_type<float>(old);
}

// atomics
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
//   local memory: 64 bytes
struct atomics_args {
    uint32_t r[3];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void atomics(
    device uchar *mem [[buffer(0)]],
    constant atomics_args &args [[buffer(1)]]) {
    alignas(16) threadgroup uchar local[64];
    atomic_fetch_add_explicit((device atomic_uint *)(mem + args.r[0]), args.r[1], memory_order_relaxed);
    uint32_t u0 = atomic_fetch_sub_explicit((device atomic_uint *)(mem + args.r[0]), args.r[1],
        memory_order_relaxed);
    uint32_t u1 = wave_cas((device atomic_uint *)(mem + args.r[0]), u0, args.r[1]);
    atomic_exchange_explicit((device atomic_uint *)(mem + args.r[0]), u1, memory_order_relaxed);
    atomic_fetch_min_explicit((device atomic_int *)(mem + args.r[0]), (int32_t)u1, memory_order_relaxed);
    atomic_fetch_max_explicit((threadgroup atomic_uint *)(local + args.r[1]), u1, memory_order_relaxed);
    float f0 = wave_local_fadd((threadgroup atomic_uint *)(local), as_type<float>(args.r[1]));
    wave_fadd((device atomic_uint *)(mem + args.r[2]), f0);
}
