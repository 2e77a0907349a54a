//@ sample the sides of a divergent if wait at two different barriers
//@ error divergent-barrier
#include <hip/hip_runtime.h>
extern "C" __global__ void two_barriers(uint8_t *mem) {
    if (threadIdx.x & 1) {
        mem[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
        mem[threadIdx.x] = 2;
    }
}
