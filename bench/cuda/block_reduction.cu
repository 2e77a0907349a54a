// The sum of n values per workgroup and in total: the CUDA counterpart of
// examples/block_reduction.wave. Compiled by bench/sass.py; nothing here is run.

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr unsigned FULL = 0xFFFFFFFFu;

// Sums over the 32 lanes; every lane gets the result.
static __device__ __forceinline__ unsigned warp_sum(unsigned sum) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(FULL, sum, d);
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
block_reduction(const unsigned *__restrict__ in, unsigned *__restrict__ partial,
                unsigned *__restrict__ total, int n) {
    __shared__ unsigned sums[WARPS];
    int thread = blockIdx.x * THREADS + threadIdx.x;
    int stride = gridDim.x * THREADS;
    int vectors = n >> 2;
    unsigned sum = 0;

    // Whole vectors, grid-stride
    const uint4 *wide = reinterpret_cast<const uint4 *>(in);
    for (int i = thread; i < vectors; i += stride) {
        uint4 v = wide[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }

    // The n mod 4 elements after them
    int last = (vectors << 2) + thread;
    if (last < n)
        sum += in[last];

    // Per warp, then warp 0 for all warps
    sum = warp_sum(sum);
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < WARPS ? sums[lane] : 0);
        if (lane == 0) {
            partial[blockIdx.x] = sum;
            atomicAdd(total, sum);
        }
    }
}
