// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from asserts.wave
//
// Compile with xcrun -sdk macosx metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off
// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.

#include <metal_stdlib>
using namespace metal;

// No assumptions about numbers, and no fused multiply-adds but those written as fma.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// Notes the number of an assert that failed, unless another was first.
static inline void wave_fail(device atomic_uint *status, uint32_t number) {
    uint32_t found = 0u;
    while (!atomic_compare_exchange_weak_explicit(status, &found, 1u, memory_order_relaxed,
                                                  memory_order_relaxed))
        if (found != 0u)
            return;
    atomic_store_explicit(status + 1, number, memory_order_relaxed);
}

// asserts
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: any size up to 1024 threads
//   status: two words, 0; after the first assert that fails 1 and its number
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
    if (!b0) {
        wave_fail(status, 7u);
        return;
    }
    if (args.r[0] == thread_id.x && b0) {
        wave_fail(status, 8u);
        return;
    }
}
