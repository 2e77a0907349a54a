// Blocks of 512 keys sorted in LDS: the HIP counterpart of examples/bitonic_sort.wave. Compiled by
// bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>

constexpr int THREADS = 256;
constexpr int KEYS = 2 * THREADS;

extern "C" __global__ void __launch_bounds__(THREADS) bitonic_sort(int2 *__restrict__ keys) {
    __shared__ int key[KEYS];
    int t = threadIdx.x, at = blockIdx.x * THREADS + t;
    reinterpret_cast<int2 *>(key)[t] = keys[at];
    __syncthreads();
    for (int k = 2; k <= KEYS; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            int i = 2 * t - (t & (j - 1));
            int a = key[i], b = key[i + j];
            int smaller = min(a, b), larger = max(a, b);
            bool up = (i & k) == 0;
            key[i] = up ? smaller : larger;
            key[i + j] = up ? larger : smaller;
            __syncthreads();
        }
    }
    keys[at] = reinterpret_cast<int2 *>(key)[t];
}
