// Layer normalisation of a row per workgroup: the HIP counterpart of examples/layer_norm.wave, with
// the same order of additions. Compiled by bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)

constexpr int WAVE = 64;
constexpr int THREADS = 128;
constexpr int WAVES = THREADS / WAVE;

static __device__ inline float wave_sum(float sum) {
#pragma unroll
    for (int d = 1; d < WAVE; d <<= 1)
        sum += __shfl_xor(sum, d);
    return sum;
}

// Over the workgroup, in every thread; each call has its own scratch.
static __device__ inline float block_sum(float sum, float *scratch) {
    int thread = threadIdx.x, lane = thread % WAVE, wave = thread / WAVE;
    sum = wave_sum(sum);
    if (lane == 0)
        scratch[wave] = sum;
    __syncthreads();
    sum = wave_sum(thread < WAVES ? scratch[thread] : 0.0f);
    if (lane == 0)
        scratch[WAVES + wave] = sum;
    __syncthreads();
    return scratch[WAVES];
}

extern "C" __global__ void __launch_bounds__(THREADS)
layer_norm(const float *__restrict__ x, const float *__restrict__ gamma,
           const float *__restrict__ beta, float *__restrict__ y, int columns, float eps) {
    __shared__ float scratch[2][2 * WAVES];
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    float size = static_cast<float>(static_cast<unsigned>(columns));

    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += x[i];
    float mean = block_sum(sum, scratch[0]) / size;

    sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS) {
        float d = x[i] - mean;
        sum = fmaf(d, d, sum);
    }
    float variance = block_sum(sum, scratch[1]) / size;
    float scale = 1.0f / sqrtf(variance + eps);

    for (int i = threadIdx.x; i < columns; i += THREADS)
        y[i] = fmaf((x[i] - mean) * scale, gamma[i], beta[i]);
}
