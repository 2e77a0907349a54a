//@ sample a wave barrier that half of the wave does not reach
//@ error partial-collective
#include <hip/hip_runtime.h>
extern "C" __global__ void divergent(uint8_t *mem) {
    if (threadIdx.x & 1)
        __builtin_amdgcn_wave_barrier();
}
