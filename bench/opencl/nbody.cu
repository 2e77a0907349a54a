// The acceleration of n bodies due to all others, with tiles of 64 bodies in shared memory: the CUDA counterpart of
// nbody.cl. Compiled by bench/opencl.py; nothing here is run.

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
            float dx = __fsub_rn(other.x, me.x), dy = __fsub_rn(other.y, me.y), dz = __fsub_rn(other.z, me.z);
            float r2 = __fmaf_rn(dx, dx, __fmaf_rn(dy, dy, __fmaf_rn(dz, dz, eps2)));
            float s = __fdiv_rn(other.w, __fmul_rn(r2, __fsqrt_rn(r2)));
            ax = __fmaf_rn(dx, s, ax);
            ay = __fmaf_rn(dy, s, ay);
            az = __fmaf_rn(dz, s, az);
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0.0f);
}
