//@ sample a launch with fewer argument words than the kernel takes
//@ args 1
//@ error undefined
#include <hip/hip_runtime.h>
struct two_args {
    uint32_t r[2];
};
extern "C" __global__ void two(uint8_t *mem, two_args args) {
    mem[threadIdx.x] = uint8_t(args.r[1]);
}
