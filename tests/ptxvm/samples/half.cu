// Dot product of f16 pairs with packed arithmetic, and conversions both ways.
#include <cuda_fp16.h>

extern "C" __global__ void half_dot(const __half2 *a, const __half2 *b, float *out, __half *rounded,
                                    int pairs) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 sum = __float2half2_rn(0.0f);
    for (int i = 0; i < pairs; i++) {
        sum = __hfma2(a[row * pairs + i], b[i], sum);
    }
    float total = __fadd_rn(__low2float(sum), __high2float(sum));
    out[row] = total;
    rounded[row] = __float2half_rn(__fmul_rn(total, 0.1f));
}
