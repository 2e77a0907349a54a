//@ sample a barrier that only the lower half of the workgroup reaches
//@ group 64
//@ error divergent-barrier
#include <hip/hip_runtime.h>
extern "C" __global__ void half_barrier(uint8_t *mem) {
    if (threadIdx.x < 32)
        __syncthreads();
    mem[threadIdx.x] = 1;
}
