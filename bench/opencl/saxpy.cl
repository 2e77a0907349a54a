// y[i] = a * x[i] + y[i] for i < n. Compared by bench/opencl.py with bench/cuda/saxpy.cu and
// bench/hip/saxpy.hip; nothing here is run.

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
saxpy(global const float *restrict x, global float *restrict y, int n, float a) {
    int i = get_global_id(0);
    if (i < n)
        y[i] = fma(a, x[i], y[i]);
}
