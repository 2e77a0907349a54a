//@ sample fences are allowed in divergent code; at the wave barrier the lanes meet
//@ expect 0 32
#include <hip/hip_runtime.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void fences(uint8_t *mem) {
    if (threadIdx.x & 1) {
        __threadfence();
        __threadfence_block();
        __threadfence_system();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
        __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
    }
    __builtin_amdgcn_wave_barrier();
    __hip_atomic_fetch_add((mem_u32 *)mem, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
