// WAVE kernels for gfx942, 64 lanes to a wave, compiled from atomics.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));
typedef int32_t mem_i32 __attribute__((may_alias));
typedef float mem_f32 __attribute__((may_alias));

template <int scope>
static __device__ inline uint32_t wave_cas(mem_u32 *at, uint32_t expected, uint32_t desired) {
    __hip_atomic_compare_exchange_strong(at, &expected, desired, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED, scope);
    return expected;
}

// atomics
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
//   local memory: 64 bytes
struct atomics_args {
    uint32_t r[3];
};

extern "C" __global__ void __launch_bounds__(1024) atomics(uint8_t *mem, atomics_args args) {
    alignas(16) __shared__ uint8_t local[64];
    __hip_atomic_fetch_add((mem_u32 *)(mem + args.r[0]), args.r[1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    uint32_t u0 = __hip_atomic_fetch_add((mem_u32 *)(mem + args.r[0]), 0u - args.r[1], __ATOMIC_RELAXED,
        __HIP_MEMORY_SCOPE_WORKGROUP);
    uint32_t u1 = wave_cas<__HIP_MEMORY_SCOPE_SYSTEM>((mem_u32 *)(mem + args.r[0]), u0, args.r[1]);
    __hip_atomic_exchange((mem_u32 *)(mem + args.r[0]), u1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WAVEFRONT);
    uint32_t u2 = (uint32_t)__hip_atomic_fetch_min((mem_i32 *)(mem + args.r[0]), (int32_t)u1,
        __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_max((mem_u32 *)(local + args.r[1]), u1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    float f0 = __hip_atomic_fetch_add((mem_f32 *)local, __uint_as_float(args.r[1]), __ATOMIC_RELAXED,
        __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_add((mem_f32 *)(mem + args.r[2]), f0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "");
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
    *(mem_u32 *)(mem + args.r[2]) = u2;
}
