// The sum of n values: a loop over the grid, then a tree in local memory. reduction.cu and
// reduction.hip are the same; nothing here is run.

#define THREADS 256

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void
reduction(global const uint4 *restrict in, global uint *restrict total, int n) {
    local uint sums[THREADS];
    int thread = get_local_id(0), stride = get_num_groups(0) * THREADS;
    uint sum = 0;
    for (int i = get_group_id(0) * THREADS + thread; i < n; i += stride) {
        uint4 v = in[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    sums[thread] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (thread < step)
            sums[thread] += sums[thread + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (thread == 0)
        atomic_add(total, sums[0]);
}
