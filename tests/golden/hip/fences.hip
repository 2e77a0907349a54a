// WAVE kernels for gfx942, 64 lanes to a wave, compiled from fences.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

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

extern "C" __global__ void __launch_bounds__(1024) fences(uint8_t *mem, fences_args args) {
    alignas(16) __shared__ uint8_t local[64];
    const uint32_t lane = __lane_id();
    *(mem_u32 *)(mem + args.r[0]) = args.r[1];
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
    bool b0 = lane == 0u;
    if (b0) {
        __hip_atomic_store((mem_u32 *)(mem + args.r[2]), args.r[1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    __hip_atomic_load((mem_u32 *)(mem + args.r[2]), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "");
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
    uint32_t u0 = *(mem_u32 *)(mem + args.r[0]);
    *(mem_u32 *)(local + args.r[3]) = u0;
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
    uint32_t u1 = *(mem_u32 *)(local + args.r[3]);
    if (b0) {
        *(mem_u32 *)(mem + u1) = u0;
        __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
        __hip_atomic_store((mem_u32 *)(local + args.r[3]), u1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
    bool b1 = lane < args.r[1];
    bool b2 = __ballot(b1) != 0;
    uint32_t u2;
    if (b2) {
        if (b1) {
            *(mem_u32 *)(local + u1) = lane;
        }
        __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
        __builtin_amdgcn_wave_barrier();
        __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
        __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
        __builtin_amdgcn_wave_barrier();
        if (b1) {
            u2 = __hip_atomic_load((mem_u32 *)(local + args.r[3]), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
        } else {
            u2 = 0u;
        }
    } else {
        u2 = 0u;
    }
    *(mem_u32 *)(mem + args.r[0]) = b1 ? u2 : u1;
}
