// WAVE kernels for metal3.2, 32 lanes to a wave, compiled from fences.wave
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

// fences
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
//   local memory: 64 bytes
struct fences_args {
    uint32_t r[4];
};

[[max_total_threads_per_threadgroup(1024)]]
kernel void fences(
    coherent(device) device uchar *mem [[buffer(0)]],
    constant fences_args &args [[buffer(1)]]) {
    alignas(16) threadgroup uchar local[64];
    *(coherent(device) device mem_u32 *)(mem + args.r[0]) = args.r[1];
    atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst,
        thread_scope_device);
    atomic_fetch_add_explicit((device atomic_uint *)(mem + args.r[2]), args.r[1], memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst,
        thread_scope_device);
    uint32_t u0 = *(coherent(device) device mem_u32 *)(mem + args.r[0]);
    *(threadgroup mem_u32 *)(local + args.r[3]) = u0;
    atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst,
        thread_scope_threadgroup);
    atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst,
        thread_scope_simdgroup);
    uint32_t u1 = *(threadgroup mem_u32 *)(local + args.r[3]);
    *(coherent(device) device mem_u32 *)(mem + args.r[0]) = u1;
}
