//@ sample all lanes of one wave send a message to another: synchronisation and a fence on both sides
//@ group 64
//@ seeds 16
//@ checks 1
//@ wrong 1 2 3 4 5 6 7 8 9 10
//@ right 11 12 13 14 15 16
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
// Forms come in pairs: the odd one passes the message in local memory, the even one in device memory.
#define PAIR ((FORM + 1) / 2)
#define SCOPE (PAIR == 5 ? "wavefront" : PAIR == 7 ? "agent" : PAIR == 8 ? "" : "workgroup")
#define ORDER (PAIR == 8 ? __ATOMIC_SEQ_CST : __ATOMIC_ACQ_REL)
static void wave_sync() {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}
extern "C" __global__ void message(uint8_t *mem) {
    __shared__ alignas(16) uint8_t local[256];
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x, lane = t % 32;
    uint8_t *words = FORM % 2 ? local : mem + 1024;
    mem_u32 *word = (mem_u32 *)(words + 4 * lane), *flag = (mem_u32 *)(mem + 2048);
    const uint32_t before = *word; // an old value to remember
    __syncthreads();
    if (t < 32) {
        *word = 100 + lane;
        if (PAIR != 4) // else only lane 0's own stores are released
            wave_sync();
        if (PAIR != 1 && PAIR != 2)
            __builtin_amdgcn_fence(ORDER, SCOPE);
        if (lane == 0)
            __hip_atomic_store(flag, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        CHECK(*word == 100 + lane);
    } else {
        if (lane == 0)
            while (!__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
            }
        if (PAIR != 1 && PAIR != 3)
            __builtin_amdgcn_fence(ORDER, SCOPE);
        wave_sync();
        CHECK(*word == 100 + lane);
    }
    REPORT(t);
}
