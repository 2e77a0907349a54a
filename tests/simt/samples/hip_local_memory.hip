//@ sample local memory belongs to a workgroup and initially holds garbage
//@ grid 4 1 1
//@ group 64
//@ checks 2
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void local_memory(uint8_t *mem) {
    __shared__ alignas(16) uint8_t local[264];
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
    // if local memory began as zero in every workgroup, so would this sum
    __hip_atomic_fetch_or((mem_u32 *)(local + 256), 1u, __ATOMIC_RELAXED,
                          __HIP_MEMORY_SCOPE_WORKGROUP);
    __syncthreads();
    CHECK(*(mem_u32 *)(local + 256) != 1);
    *(mem_u32 *)(local + 4 * t) = t + blockIdx.x * 1000;
    __syncthreads();
    CHECK(*(mem_u32 *)(local + 4 * (63 - t)) == 63 - t + blockIdx.x * 1000);
    REPORT(blockIdx.x * 64 + t);
}
