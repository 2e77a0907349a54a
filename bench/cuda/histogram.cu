// How often each byte value occurs in n bytes: the CUDA counterpart of examples/histogram.wave.
// Compiled by bench/sass.py; nothing here is run.

constexpr int THREADS = 256; // one per bin

extern "C" __global__ void __launch_bounds__(THREADS)
histogram(const unsigned char *__restrict__ data, unsigned *__restrict__ bins, int n) {
    __shared__ unsigned count[256];
    int thread = blockIdx.x * THREADS + threadIdx.x;
    int stride = gridDim.x * THREADS;
    count[threadIdx.x] = 0;
    __syncthreads();

    // Four bytes per load, grid-stride
    const unsigned *wide = reinterpret_cast<const unsigned *>(data);
    int words = n >> 2;
    for (int i = thread; i < words; i += stride) {
        unsigned four = wide[i];
        atomicAdd(&count[four & 255], 1u);
        atomicAdd(&count[four >> 8 & 255], 1u);
        atomicAdd(&count[four >> 16 & 255], 1u);
        atomicAdd(&count[four >> 24], 1u);
    }

    // The n mod 4 bytes after them
    int last = (words << 2) + thread;
    if (last < n)
        atomicAdd(&count[data[last]], 1u);
    __syncthreads();

    unsigned mine = count[threadIdx.x];
    if (mine != 0)
        atomicAdd(&bins[threadIdx.x], mine);
}
