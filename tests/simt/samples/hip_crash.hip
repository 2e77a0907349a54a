//@ sample a division by zero that the code does not guard ends the process, not the run
//@ error crash
//@ args 0
#include <hip/hip_runtime.h>
struct divide_args {
    uint32_t r[1];
};
extern "C" __global__ void divide(uint8_t *mem, divide_args args) {
    mem[threadIdx.x] = uint8_t(threadIdx.x / args.r[0]);
}
