// The acceleration of n bodies due to all others, with tiles of 64 bodies in local memory. Roots and quotients are correctly
// rounded. nbody.cu and nbody.hip are the same; nothing here is run.

#define THREADS 64

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void
nbody(global const float4 *restrict bodies, global float4 *restrict out, int n, float eps2) {
    local float4 tile[THREADS];
    int thread = get_local_id(0), i = get_group_id(0) * THREADS + thread;
    float4 me = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int from = 0; from < n; from += THREADS) {
        tile[thread] = bodies[from + thread];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < THREADS; k++) {
            float4 other = tile[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, eps2)));
            float s = other.w / (r2 * sqrt(r2));
            ax = fma(dx, s, ax);
            ay = fma(dy, s, ay);
            az = fma(dz, s, az);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = (float4)(ax, ay, az, 0.0f);
}
