//@ sample one lane waits at a barrier, the others at a ballot
//@ error divergent-barrier
//@ seeds 1
#include <hip/hip_runtime.h>
extern "C" __global__ void barrier_against_ballot(uint8_t *mem) {
    if (threadIdx.x == 31)
        __syncthreads();
    else
        mem[threadIdx.x] = uint8_t(__ballot(1));
}
