// C = A B with 16 x 16 tiles in shared memory; sizes need not be multiples of 16.
extern "C" __global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float ta[16][16], tb[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int base = 0; base < k; base += 16) {
        int ka = base + threadIdx.x, kb = base + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0;
        tb[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            sum = __fmaf_rn(ta[threadIdx.y][i], tb[i][threadIdx.x], sum);
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
