// y[i] = a * x[i] + y[i] for i < n: the CUDA counterpart of examples/saxpy.wave.
// Compiled by bench/sass.py to be compared with wavec's code; nothing here is run.

extern "C" __global__ void __launch_bounds__(256)
saxpy(const float *__restrict__ x, float *__restrict__ y, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __fmaf_rn(a, x[i], y[i]);
}
