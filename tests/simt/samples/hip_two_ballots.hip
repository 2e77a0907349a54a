//@ sample the sides of a divergent if wait at two different ballots
//@ error partial-collective
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void two_ballots(uint8_t *mem) {
    uint32_t votes;
    if (threadIdx.x & 1)
        votes = uint32_t(__ballot(1));
    else
        votes = uint32_t(__ballot(1));
    *(mem_u32 *)(mem + 4 * threadIdx.x) = votes;
}
