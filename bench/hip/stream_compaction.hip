// The elements above a threshold, in order, without gaps: the HIP counterpart of
// examples/stream_compaction.wave. Compiled by bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>

constexpr int THREADS = 256;
constexpr int WAVE = 64;
constexpr int WAVES = THREADS / WAVE;

extern "C" __global__ void __launch_bounds__(THREADS)
stream_compaction(const unsigned *__restrict__ in, unsigned *__restrict__ out,
                  unsigned *__restrict__ counts, unsigned *__restrict__ total,
                  unsigned threshold) {
    __shared__ unsigned kept[WAVES];
    int thread = threadIdx.x, lane = thread % WAVE, wave = thread / WAVE;
    int start = blockIdx.x * THREADS;
    unsigned x = in[start + thread];
    bool keep = x > threshold;
    unsigned long long flags = __ballot(keep);
    unsigned rank = __popcll(flags & ((1ull << lane) - 1));
    unsigned number = __popcll(flags);
    if (lane == 0)
        kept[wave] = number;
    __syncthreads();

    unsigned before = 0;
    for (int j = 0; j < wave; j++)
        before += kept[j];
    if (keep)
        out[start + before + rank] = x;
    if (thread == THREADS - 1) {
        number += before;
        counts[blockIdx.x] = number;
        __hip_atomic_fetch_add(total, number, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
}
