// Sum of an array: grid-stride loop, shuffles inside a warp, shared memory between warps.
extern "C" __global__ void reduce(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned partial[32];
    unsigned sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, step);
    }
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) {
        partial[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? partial[lane] : 0;
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_down_sync(0xFFFFFFFFu, sum, step);
        }
        if (lane == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
