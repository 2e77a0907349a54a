// Layer normalisation of a row per workgroup: the CUDA counterpart of examples/layer_norm.wave, with
// the same order of additions. Compiled by bench/sass.py; nothing here is run.

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
constexpr unsigned FULL = 0xFFFFFFFFu;

static __device__ __forceinline__ float warp_sum(float sum) {
#pragma unroll
    for (int d = 1; d < 32; d <<= 1)
        sum = __fadd_rn(sum, __shfl_xor_sync(FULL, sum, d));
    return sum;
}

// Over the workgroup, in every thread; each call has its own scratch.
static __device__ __forceinline__ float block_sum(float sum, float *scratch) {
    int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    sum = warp_sum(sum);
    if (lane == 0)
        scratch[warp] = sum;
    __syncthreads();
    sum = warp_sum(thread < WARPS ? scratch[thread] : 0.0f);
    if (lane == 0)
        scratch[WARPS + warp] = sum;
    __syncthreads();
    return scratch[WARPS];
}

extern "C" __global__ void __launch_bounds__(THREADS)
layer_norm(const float *__restrict__ x, const float *__restrict__ gamma,
           const float *__restrict__ beta, float *__restrict__ y, int columns, float eps) {
    __shared__ float scratch[2][2 * WARPS];
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    float size = __uint2float_rn(columns);

    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum = __fadd_rn(sum, x[i]);
    float mean = __fdiv_rn(block_sum(sum, scratch[0]), size);

    sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS) {
        float d = __fsub_rn(x[i], mean);
        sum = __fmaf_rn(d, d, sum);
    }
    float variance = __fdiv_rn(block_sum(sum, scratch[1]), size);
    float scale = __frcp_rn(__fsqrt_rn(__fadd_rn(variance, eps)));

    for (int i = threadIdx.x; i < columns; i += THREADS)
        y[i] = __fmaf_rn(__fmul_rn(__fsub_rn(x[i], mean), scale), gamma[i], beta[i]);
}
