// How often each byte value occurs in n bytes: the HIP counterpart of examples/histogram.wave.
// Compiled by bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>

constexpr unsigned THREADS = 256; // one per bin

// The order of the counts does not matter, only that none is lost.
static __device__ inline void add(unsigned *to, unsigned value) {
    __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

extern "C" __global__ void __launch_bounds__(THREADS)
histogram(const unsigned char *__restrict__ data, unsigned *__restrict__ bins, unsigned n) {
    __shared__ unsigned count[256];
    unsigned thread = blockIdx.x * THREADS + threadIdx.x;
    unsigned stride = gridDim.x * THREADS;
    count[threadIdx.x] = 0;
    __syncthreads();

    // Four bytes per load, grid-stride
    const unsigned *wide = reinterpret_cast<const unsigned *>(data);
    unsigned words = n >> 2;
    for (unsigned i = thread; i < words; i += stride) {
        unsigned four = wide[i];
        add(&count[four & 255], 1);
        add(&count[four >> 8 & 255], 1);
        add(&count[four >> 16 & 255], 1);
        add(&count[four >> 24], 1);
    }

    // The n mod 4 bytes after them
    unsigned last = (words << 2) + thread;
    if (last < n)
        add(&count[data[last]], 1);
    __syncthreads();

    unsigned mine = count[threadIdx.x];
    if (mine != 0)
        __hip_atomic_fetch_add(&bins[threadIdx.x], mine, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
