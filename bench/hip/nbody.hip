// Acceleration and potential of n bodies, all pairs: the HIP counterpart of examples/nbody.wave.
// 1 / sqrt is the rounded reciprocal of the rounded square root. Compiled by bench/amdgcn.py; nothing
// here is run.
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)

constexpr int THREADS = 64;

extern "C" __global__ void __launch_bounds__(THREADS)
nbody(const float4 *__restrict__ bodies, float4 *__restrict__ out, int n, float eps2) {
    __shared__ float4 tile[THREADS];
    int thread = threadIdx.x, i = blockIdx.x * THREADS + thread;
    float4 own = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f, potential = 0.0f;
    for (int first = 0; first < n; first += THREADS) {
        tile[thread] = bodies[first + thread];
        __syncthreads();
        for (int j = 0; j < THREADS; j++) {
            float4 other = tile[j];
            float dx = other.x - own.x;
            float dy = other.y - own.y;
            float dz = other.z - own.z;
            float distance = fmaf(dz, dz, eps2);
            distance = fmaf(dy, dy, distance);
            distance = fmaf(dx, dx, distance);
            float r = 1.0f / sqrtf(distance);
            float s = other.w * r;
            potential = potential - s;
            s = s * (r * r);
            ax = fmaf(dx, s, ax);
            ay = fmaf(dy, s, ay);
            az = fmaf(dz, s, az);
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, potential);
}
