// Exclusive prefix sums of rows of 1024 values: the CUDA counterpart of examples/scan.wave. Compiled
// by bench/sass.py; nothing here is run.

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr unsigned FULL = 0xFFFFFFFFu;

// Inclusive, over the 32 lanes.
static __device__ __forceinline__ unsigned warp_scan(unsigned sum, int lane) {
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        unsigned lower = __shfl_up_sync(FULL, sum, d);
        if (lane >= d)
            sum += lower;
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan(const uint4 *__restrict__ in, uint4 *__restrict__ out) {
    __shared__ unsigned totals[WARPS];
    int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    int index = blockIdx.x * THREADS + thread;

    uint4 x = in[index];
    unsigned sum2 = x.x + x.y, sum3 = sum2 + x.z, sum4 = sum3 + x.w;
    unsigned upto = warp_scan(sum4, lane);
    if (lane == 31)
        totals[warp] = upto;
    __syncthreads();
    if (warp == 0) {
        unsigned total = lane < WARPS ? totals[lane] : 0;
        unsigned before = warp_scan(total, lane) - total;
        if (lane < WARPS)
            totals[lane] = before;
    }
    __syncthreads();

    unsigned before = upto - sum4 + totals[warp];
    out[index] = make_uint4(before, before + x.x, before + sum2, before + sum3);
}
