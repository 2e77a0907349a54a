// Exclusive prefix sums of rows of 1024 values: the HIP counterpart of examples/scan.wave. Compiled by
// bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>

constexpr int WAVE = 64;
constexpr int THREADS = 256;
constexpr int WAVES = THREADS / WAVE;

// Inclusive, over the 64 lanes.
static __device__ inline unsigned wave_scan(unsigned sum, int lane) {
#pragma unroll
    for (int d = 1; d < WAVE; d <<= 1) {
        unsigned lower = __shfl_up(sum, d);
        if (lane >= d)
            sum += lower;
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan(const uint4 *__restrict__ in, uint4 *__restrict__ out) {
    __shared__ unsigned totals[WAVES];
    int thread = threadIdx.x, lane = thread % WAVE, wave = thread / WAVE;
    int index = blockIdx.x * THREADS + thread;

    uint4 x = in[index];
    unsigned sum2 = x.x + x.y, sum3 = sum2 + x.z, sum4 = sum3 + x.w;
    unsigned upto = wave_scan(sum4, lane);
    if (lane == WAVE - 1)
        totals[wave] = upto;
    __syncthreads();
    if (wave == 0) {
        unsigned total = lane < WAVES ? totals[lane] : 0;
        unsigned before = wave_scan(total, lane) - total;
        if (lane < WAVES)
            totals[lane] = before;
    }
    __syncthreads();

    unsigned before = upto - sum4 + totals[wave];
    out[index] = make_uint4(before, before + x.x, before + sum2, before + sum3);
}
