//@ sample one thread stops the kernel
//@ error trap
#include <hip/hip_runtime.h>
extern "C" __global__ void stop(uint8_t *mem) {
    if (threadIdx.x == 3)
        __builtin_trap();
    mem[threadIdx.x] = 1;
}
