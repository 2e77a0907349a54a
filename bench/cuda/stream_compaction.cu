// The elements above a threshold, in order, without gaps: the CUDA counterpart of
// examples/stream_compaction.wave. Compiled by bench/sass.py; nothing here is run.

constexpr int THREADS = 256;
constexpr int WAVE = 32;
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
    unsigned flags = __ballot_sync(0xFFFFFFFFu, keep);
    unsigned rank = __popc(flags & ((1u << lane) - 1));
    unsigned number = __popc(flags);
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
        atomicAdd(total, number);
    }
}
