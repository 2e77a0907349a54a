//@ sample a ballot that only the odd lanes reach
//@ error partial-collective
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void odd_ballot(uint8_t *mem) {
    uint32_t votes = 0;
    if (threadIdx.x & 1)
        votes = uint32_t(__ballot(1));
    *(mem_u32 *)(mem + 4 * threadIdx.x) = votes;
}
