//@ sample the last workgroup sums what all have stored: each must release its store to the device
//@ grid 8 1 1
//@ group 1
//@ seeds 16
//@ expect 512 36
//@ wrong 1 2
//@ right 3 4
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void last(uint8_t *mem) {
    mem_u32 *words = (mem_u32 *)mem;
    words[blockIdx.x + 1] = blockIdx.x + 1;
#if FORM == 2
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
#elif FORM == 3
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
#elif FORM == 4
    __threadfence();
#endif
    if (__hip_atomic_fetch_add(words, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != 7)
        return;
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    uint32_t sum = 0;
    for (int k = 1; k <= 8; k++)
        sum += words[k];
    words[128] = sum;
}
