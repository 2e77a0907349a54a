//@ sample a wave spins until another raises a flag: every wave makes progress under every schedule
//@ group 64
//@ expect 4 42
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void flag(uint8_t *mem) {
    mem_u32 *word = (mem_u32 *)mem;
    if (threadIdx.x < 32) {
        while (__hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != 32) {
        }
        __threadfence_block();
        if (threadIdx.x == 5)
            word[1] = word[2] + 2;
    } else {
        word[2] = 40;
        __threadfence_block();
        __hip_atomic_fetch_add(word, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
}
