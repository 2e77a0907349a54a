// The sum of n values per workgroup and in total: the HIP counterpart of
// examples/block_reduction.wave. Compiled by bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>

constexpr unsigned WAVE = 64;
constexpr unsigned THREADS = 256;
constexpr unsigned WAVES = THREADS / WAVE;

// Sums over the 64 lanes; every lane gets the result.
static __device__ inline unsigned wave_sum(unsigned sum) {
#pragma unroll
    for (unsigned d = WAVE / 2; d > 0; d >>= 1)
        sum += __shfl_xor(sum, d);
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
block_reduction(const unsigned *__restrict__ in, unsigned *__restrict__ partial,
                unsigned *__restrict__ total, unsigned n) {
    __shared__ unsigned sums[WAVES];
    unsigned thread = blockIdx.x * THREADS + threadIdx.x;
    unsigned stride = gridDim.x * THREADS;
    unsigned vectors = n >> 2;
    unsigned sum = 0;

    // Whole vectors, grid-stride
    const uint4 *wide = reinterpret_cast<const uint4 *>(in);
    for (unsigned i = thread; i < vectors; i += stride) {
        uint4 v = wide[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }

    // The n mod 4 elements after them
    unsigned last = (vectors << 2) + thread;
    if (last < n)
        sum += in[last];

    // Per wave, then wave 0 for all waves
    sum = wave_sum(sum);
    unsigned lane = threadIdx.x % WAVE, wave = threadIdx.x / WAVE;
    if (lane == 0)
        sums[wave] = sum;
    __syncthreads();
    if (wave == 0) {
        sum = wave_sum(lane < WAVES ? sums[lane] : 0);
        if (lane == 0) {
            partial[blockIdx.x] = sum;
            __hip_atomic_fetch_add(total, sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        }
    }
}
