//@ sample a lane sees its own stores in every width, copies of structures and overlaps included
//@ group 1
//@ seeds 16
//@ checks 9
#include <hip/hip_runtime.h>
typedef uint8_t mem_u8 __attribute__((may_alias));
typedef uint16_t mem_u16 __attribute__((may_alias));
typedef uint32_t mem_u32 __attribute__((may_alias));
typedef uint64_t mem_u64 __attribute__((may_alias));
struct __attribute__((may_alias)) big {
    uint32_t words[11];
};
extern "C" __global__ void accesses(uint8_t *mem) {
    __shared__ alignas(16) uint8_t local[256];
    uint32_t done = 0, first = 0;
    uint8_t *const spaces[2] = {mem + 512, local};
    for (int k = 0; k < 2; k++) {
        uint8_t *at = spaces[k];
        *(mem_u64 *)at = 0x0807060504030201u;
        *(mem_u8 *)(at + 1) = 0xBB;
        *(mem_u16 *)(at + 2) = 0xDDCC;
        CHECK(*(mem_u64 *)at == 0x08070605DDCCBB01u);
        // an atomic sees the delayed bytes, and a plain load sees the result of the atomic
        CHECK(__hip_atomic_fetch_add((mem_u32 *)(at + 4), 1u, __ATOMIC_RELAXED,
                                     __HIP_MEMORY_SCOPE_AGENT) == 0x08070605u);
        CHECK(*(mem_u64 *)at == 0x08070606DDCCBB01u);
        big *from = (big *)(at + 16), *to = (big *)(at + 20);
        for (uint32_t w = 0; w < 11; w++)
            from->words[w] = w;
        __builtin_memmove(to, from, sizeof(big));
        uint32_t sum = 0;
        for (uint32_t w = 0; w < 11; w++)
            sum += to->words[w] * (w + 1);
        CHECK(sum == 440); // w (w + 1) from 0 to 10
    }
    __builtin_memset(local, 0x5A, 40);
    CHECK(*(mem_u32 *)(local + 36) == 0x5A5A5A5Au);
    REPORT(threadIdx.x);
}
