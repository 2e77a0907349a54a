// Keeps the odd numbers: ballot and popc give each lane its place, with one atomic per warp. The order of warps
// in the output is not defined. Also vote and match.
extern "C" __global__ void compact(const unsigned *in, unsigned *out, unsigned *count, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = i < n ? in[i] : 0;
    bool keep = value & 1;
    unsigned kept = __ballot_sync(0xFFFFFFFFu, keep);
    if (!__any_sync(0xFFFFFFFFu, keep)) {
        return;
    }
    unsigned lane = threadIdx.x % 32, base = 0;
    if (lane == 0) {
        base = atomicAdd(count, __popc(kept));
    }
    base = __shfl_sync(0xFFFFFFFFu, base, 0);
    if (keep) {
        out[base + __popc(kept & ((1u << lane) - 1))] = value;
    }
}

// How many lanes of the warp hold the same value.
extern "C" __global__ void same(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __popc(__match_any_sync(0xFFFFFFFFu, in[i])) + (__all_sync(0xFFFFFFFFu, in[i] < 8) ? 100 : 0);
}
