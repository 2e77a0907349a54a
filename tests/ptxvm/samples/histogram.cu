// 256 bins of bytes: shared atomics in a block, global atomics between blocks, dynamic shared memory.
extern "C" __global__ void histogram(const unsigned char *in, unsigned *bins, unsigned n) {
    extern __shared__ unsigned local[];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
        local[i] = 0;
    }
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i]], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
        if (local[i]) {
            atomicAdd(&bins[i], local[i]);
        }
    }
}
