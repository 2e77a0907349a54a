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
    constant fences_args &args [[buffer(1)]],
    uint lane [[thread_index_in_simdgroup]]) {
    alignas(16) threadgroup uchar local[64];
    *(coherent(device) device mem_u32 *)(mem + args.r[0]) = args.r[1];
    simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst,
        thread_scope_device);
    bool b0 = lane == 0u;
    if (b0) {
        atomic_store_explicit((device atomic_uint *)(mem + args.r[2]), args.r[1], memory_order_relaxed);
    }
    atomic_load_explicit((device atomic_uint *)(mem + args.r[2]), memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst,
        thread_scope_device);
    simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    uint32_t u0 = *(coherent(device) device mem_u32 *)(mem + args.r[0]);
    *(threadgroup mem_u32 *)(local + args.r[3]) = u0;
    simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    uint32_t u1 = *(threadgroup mem_u32 *)(local + args.r[3]);
    if (b0) {
        *(coherent(device) device mem_u32 *)(mem + u1) = u0;
        atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst,
            thread_scope_threadgroup);
        atomic_store_explicit((threadgroup atomic_uint *)(local + args.r[3]), u1, memory_order_relaxed);
    }
    bool b1 = lane < args.r[1];
    bool b2 = simd_any(b1);
    uint32_t u2;
    if (b2) {
        if (b1) {
            *(threadgroup mem_u32 *)(local + u1) = lane;
        }
        simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
        atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst,
            thread_scope_threadgroup);
        simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
        if (b1) {
            u2 = atomic_load_explicit((threadgroup atomic_uint *)(local + args.r[3]), memory_order_relaxed);
        } else {
            u2 = 0u;
        }
    } else {
        u2 = 0u;
    }
    *(coherent(device) device mem_u32 *)(mem + args.r[0]) = b1 ? u2 : u1;
}
