//@ sample readlane with a lane number that differs between lanes
//@ error not-uniform
#include <hip/hip_runtime.h>
extern "C" __global__ void readlane_any(uint8_t *mem) {
    mem[threadIdx.x] = uint8_t(__builtin_amdgcn_readlane(1, int(threadIdx.x & 1)));
}
