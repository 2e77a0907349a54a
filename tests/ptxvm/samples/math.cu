// CUDA's own math library: long chains of fma, bit tricks, tables in constant memory, a local array for the
// reduction of large arguments, calls, approximate instructions with corrections.
extern "C" __global__ void math(const float *x, float *f, double *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        f[3 * i] = sinf(x[i]);
        f[3 * i + 1] = expf(x[i] * 1e-3f);
        f[3 * i + 2] = fmodf(x[i], 0.3f);
        d[3 * i] = log(fabs((double)x[i]) + 1e-3);
        d[3 * i + 1] = pow(fabs((double)x[i]), 0.37);
        d[3 * i + 2] = sqrt(fabs((double)x[i])) / 7.0;
    }
}
