//@ sample positions in a workgroup and a grid of three dimensions
//@ grid 2 1 1
//@ group 4 3 2
//@ checks 5
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void ids(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t linear = (threadIdx.z * 3 + threadIdx.y) * 4 + threadIdx.x;
    CHECK(threadIdx.x < 4 && threadIdx.y < 3 && threadIdx.z < 2);
    CHECK(__lane_id() == linear);
    CHECK(blockDim.x == 4 && blockDim.y == 3 && blockDim.z == 2);
    CHECK(gridDim.x == 2 && gridDim.y == 1 && gridDim.z == 1);
    CHECK(blockIdx.x < 2 && blockIdx.y == 0 && blockIdx.z == 0);
    REPORT(blockIdx.x * 24 + linear);
}
