// The acceleration of n bodies due to all others, with tiles of 64 bodies in LDS: the HIP counterpart of nbody.cl.
// Compiled by bench/opencl.py; nothing here is run.
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)

constexpr int THREADS = 64;

extern "C" __global__ void __launch_bounds__(THREADS)
nbody(const float4 *__restrict__ bodies, float4 *__restrict__ out, int n, float eps2) {
    __shared__ float4 tile[THREADS];
    int thread = threadIdx.x, i = blockIdx.x * THREADS + thread;
    float4 me = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int from = 0; from < n; from += THREADS) {
        tile[thread] = bodies[from + thread];
        __syncthreads();
        for (int k = 0; k < THREADS; k++) {
            float4 other = tile[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float r2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, eps2)));
            float s = other.w / (r2 * sqrtf(r2));
            ax = fmaf(dx, s, ax);
            ay = fmaf(dy, s, ay);
            az = fmaf(dz, s, az);
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0.0f);
}
