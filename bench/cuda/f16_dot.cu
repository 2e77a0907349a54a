// Dot products of f16 vectors, 512 elements per workgroup: the CUDA counterpart of
// examples/f16_dot.wave. Compiled by bench/sass.py; nothing here is run.
#include <cuda_fp16.h>

constexpr int THREADS = 64;
constexpr int WAVE = 32;
constexpr int WAVES = THREADS / WAVE;

static __device__ __forceinline__ __half2 half2_of(unsigned word) {
    return *reinterpret_cast<const __half2 *>(&word);
}

extern "C" __global__ void __launch_bounds__(THREADS)
f16_dot(const uint4 *__restrict__ x, const uint4 *__restrict__ y, float *__restrict__ dot,
        __half *__restrict__ dot16) {
    __shared__ float sums[WAVES];
    int i = blockIdx.x * THREADS + threadIdx.x;
    uint4 a = x[i], b = y[i];
    __half2 packed = __hmul2(half2_of(a.x), half2_of(b.x));
    packed = __hfma2(half2_of(a.y), half2_of(b.y), packed);
    packed = __hfma2(half2_of(a.z), half2_of(b.z), packed);
    packed = __hfma2(half2_of(a.w), half2_of(b.w), packed);
    float sum = __fadd_rn(__low2float(packed), __high2float(packed));
#pragma unroll
    for (int d = 1; d < WAVE; d <<= 1)
        sum = __fadd_rn(sum, __shfl_xor_sync(0xFFFFFFFFu, sum, d));
    if (threadIdx.x % WAVE == 0)
        sums[threadIdx.x / WAVE] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0.0f;
#pragma unroll
        for (int wave = 0; wave < WAVES; wave++)
            sum = __fadd_rn(sum, sums[wave]);
        dot[blockIdx.x] = sum;
        dot16[blockIdx.x] = __float2half_rn(sum);
    }
}
