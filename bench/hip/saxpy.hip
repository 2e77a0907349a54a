// y[i] = a * x[i] + y[i] for i < n: the HIP counterpart of examples/saxpy.wave.
// Compiled by bench/amdgcn.py to be compared with wavec's code; nothing here is run.
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)

extern "C" __global__ void __launch_bounds__(256)
saxpy(const float *__restrict__ x, float *__restrict__ y, unsigned n, float a) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaf(a, x[i], y[i]);
}
