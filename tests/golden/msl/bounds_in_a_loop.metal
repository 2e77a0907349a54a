// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from bounds_in_a_loop.wave
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

// Nothing, but a loop that calls it has an effect. The compiler may assume that other loops
// end, and leave out the test of an address that is inside the memory whenever they do.
static inline void wave_turn() {
    volatile bool here = true;
    (void)here;
}

// bounds_in_a_loop
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   mem_size: bytes in the arena; accesses past it do nothing
//   workgroup: any size up to 1024 threads
//   local memory: 1024 bytes
struct bounds_in_a_loop_args {
    uint32_t r[2];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void bounds_in_a_loop(
    device uchar *mem [[buffer(0)]],
    constant bounds_in_a_loop_args &args [[buffer(1)]],
    constant ulong &mem_size [[buffer(3)]]) {
    alignas(16) threadgroup uchar local[1024];
    while (args.r[0] >= 1000u) {
        wave_turn();
    }
    if ((uint64_t)args.r[0] + 4 <= 1024u) *(threadgroup mem_u32 *)(local + args.r[0]) = args.r[1];
    uint32_t u0 = (uint64_t)args.r[1] + 4 <= 1024u ? *(threadgroup mem_u32 *)(local + args.r[1]) : 0u;
    if ((uint64_t)args.r[1] + 4 <= mem_size) *(device mem_u32 *)(mem + args.r[1]) = u0;
}
