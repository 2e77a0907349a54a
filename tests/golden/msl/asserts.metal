// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from asserts.wave
//
// Compile with xcrun -sdk macosx metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off
// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.

#include <metal_stdlib>
using namespace metal;

// No assumptions about numbers, and no fused multiply-adds but those written as fma.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// The first assert that fails leaves its number.
static inline void wave_failed(device atomic_uint *status, uint32_t number) {
    uint32_t found = 0u;
    while (!atomic_compare_exchange_weak_explicit(status, &found, number, memory_order_relaxed,
                                                  memory_order_relaxed))
        if (found != 0u)
            break;
}

// asserts
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: any size up to 1024 threads
//   status: 0, or the number of the first assert that failed, plus 1
struct asserts_args {
    uint32_t r[1];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void asserts(
    device uchar *mem [[buffer(0)]],
    constant asserts_args &args [[buffer(1)]],
    device atomic_uint *status [[buffer(2)]],
    uint3 thread_id [[thread_position_in_threadgroup]]) {
    (void)mem;
    bool b0 = thread_id.x < args.r[0];
    if (!b0) wave_failed(status, 8u);
    bool b1 = args.r[0] != thread_id.x;
    if (b0) {
        if (!b1) wave_failed(status, 9u);
    }
}
