// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from debug.wave
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

// Notes the number of an assert that failed, unless another was first.
static inline void wave_fail(device atomic_uint *status, uint32_t number) {
    uint32_t found = 0u;
    while (!atomic_compare_exchange_weak_explicit(status, &found, 1u, memory_order_relaxed,
                                                  memory_order_relaxed))
        if (found != 0u)
            return;
    atomic_store_explicit(status + 1, number, memory_order_relaxed);
}
#line 5 "debug.wave"

// debug
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
//   status: two words, 0; after the first assert that fails 1 and its number
#line 5 "debug.wave"
struct debug_args {
#line 5 "debug.wave"
    uint32_t r[3];
#line 5 "debug.wave"
};

#line 5 "debug.wave"
[[max_total_threads_per_threadgroup(1024)]]
#line 5 "debug.wave"
kernel void debug(
#line 5 "debug.wave"
    device uchar *mem [[buffer(0)]],
#line 5 "debug.wave"
    constant debug_args &args [[buffer(1)]],
#line 5 "debug.wave"
    device atomic_uint *status [[buffer(2)]]) {

    // assert p1, 7
#line 6 "debug.wave"
    if ((int32_t)args.r[1] <= (int32_t)args.r[2]) {
#line 6 "debug.wave"
        wave_fail(status, 7u);
#line 6 "debug.wave"
        return;
#line 6 "debug.wave"
    }

    // device_store_u32 r0, r3
#line 8 "debug.wave"
    *(device mem_u32 *)(mem + args.r[0]) = args.r[1] + args.r[2];
#line 8 "debug.wave"
}
