//@ sample lanes of a wave see each other's stores after a wavefront fence and a wave barrier, or a barrier
//@ seeds 16
//@ checks 1
//@ wrong 1 2 3 4 5 6 7 8
//@ right 11 12 13 14 15 16
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void exchange(uint8_t *mem) {
    __shared__ alignas(16) uint8_t local[136];
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
    // even forms go through device memory
    uint8_t *words = FORM % 2 ? local : mem + 1024;
    *(mem_u32 *)(words + 4 * t) = 100 + t;
#if FORM == 3 || FORM == 4 // lanes need not meet there
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
#elif FORM == 5 || FORM == 6 // orders no memory
    __builtin_amdgcn_wave_barrier();
#elif FORM == 7 || FORM == 8
    if (!__ballot(1))
        return;
#elif FORM == 11 || FORM == 12
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
#elif FORM == 13 || FORM == 14
    __syncthreads();
#elif FORM == 15 || FORM == 16
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#endif
    CHECK(t == 31 || *(mem_u32 *)(words + 4 * t + 4) == 101 + t);
    REPORT(t);
}
