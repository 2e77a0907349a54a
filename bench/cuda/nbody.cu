// Acceleration and potential of n bodies, all pairs: the CUDA counterpart of examples/nbody.wave.
// 1 / sqrt is the rounded reciprocal of the rounded square root. Compiled by bench/sass.py; nothing
// here is run.

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
            float dx = __fsub_rn(other.x, own.x);
            float dy = __fsub_rn(other.y, own.y);
            float dz = __fsub_rn(other.z, own.z);
            float distance = __fmaf_rn(dz, dz, eps2);
            distance = __fmaf_rn(dy, dy, distance);
            distance = __fmaf_rn(dx, dx, distance);
            float r = __frcp_rn(__fsqrt_rn(distance));
            float s = __fmul_rn(other.w, r);
            potential = __fsub_rn(potential, s);
            s = __fmul_rn(s, __fmul_rn(r, r));
            ax = __fmaf_rn(dx, s, ax);
            ay = __fmaf_rn(dy, s, ay);
            az = __fmaf_rn(dz, s, az);
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, potential);
}
