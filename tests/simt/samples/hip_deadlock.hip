//@ sample the first wave waits at the barrier for the second, which waits for a flag set after it
//@ group 64
//@ error deadlock
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void flag_after_barrier(uint8_t *mem) {
    mem_u32 *flag = (mem_u32 *)mem;
    if (threadIdx.x >= 32) {
        while (__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {
        }
    }
    __syncthreads();
    if (threadIdx.x < 32)
        __hip_atomic_store(flag, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
