//@ sample every atomic operation, by 64 threads on one word each: the results do not depend on the order
//@ group 64
//@ expect 0 2017 1 64 0x3 0xFFFFFFFF 0 64 0 2080 0
#include <hip/hip_runtime.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
#define AGENT __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
static __device__ inline uint32_t add_by_exchange(mem_u32 *at, uint32_t x) {
    uint32_t seen = __hip_atomic_load(at, AGENT);
    while (!__hip_atomic_compare_exchange_strong(at, &seen, seen + x, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
    }
    return seen;
}
extern "C" __global__ void atomics(uint8_t *mem) {
    mem_u32 *word = (mem_u32 *)mem;
    const uint32_t t = threadIdx.x;
    if (t == 0) {
        word[0] = 1;
        word[1] = 1000;
        word[3] = 0xF;
    }
    __syncthreads();
    __hip_atomic_fetch_add(word + 0, t, AGENT);      // 1 + 0 + 1 + ... + 63 = 2017
    __hip_atomic_fetch_min(word + 1, t + 1, AGENT);  // 1
    __hip_atomic_fetch_max(word + 2, t + 1, AGENT);  // 64
    __hip_atomic_fetch_and(word + 3, 0x3u | (t << 8), AGENT);
    __hip_atomic_fetch_or(word + 4, 1u << (t & 31), AGENT);
    __hip_atomic_fetch_xor(word + 5, t, AGENT);      // 0 ^ ... ^ 63 = 0
    __hip_atomic_fetch_add(word + 6, 1u, AGENT);
    add_by_exchange(word + 8, t + 1);                // 2080
    const uint32_t mine = __hip_atomic_exchange(word + 7, t + 1, AGENT);
    __syncthreads();
    // every number was stored once and returned once, except the last
    __hip_atomic_fetch_add(word + 9, mine, AGENT);
    __syncthreads();
    if (t == 0) {
        word[9] = word[9] + word[7] - 2080;
        word[7] = 0;
    }
}
