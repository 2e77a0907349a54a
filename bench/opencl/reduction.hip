// The sum of n values: a loop over the grid, then a tree in LDS: the HIP counterpart of reduction.cl.
// Compiled by bench/opencl.py; nothing here is run.
#include <hip/hip_runtime.h>

constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
reduction(const uint4 *__restrict__ in, unsigned *__restrict__ total, int n) {
    __shared__ unsigned sums[THREADS];
    int thread = threadIdx.x, stride = gridDim.x * THREADS;
    unsigned sum = 0;
    for (int i = blockIdx.x * THREADS + thread; i < n; i += stride) {
        uint4 v = in[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    sums[thread] = sum;
    __syncthreads();
#pragma unroll
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (thread < step)
            sums[thread] += sums[thread + step];
        __syncthreads();
    }
    if (thread == 0)
        atomicAdd(total, sums[0]);
}
