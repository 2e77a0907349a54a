//@ sample a name HIP does not have
//@ error no-compile
#include <hip/hip_runtime.h>
extern "C" __global__ void unknown(uint8_t *mem) {
    mem[threadIdx.x] = __no_such_function(1);
}
