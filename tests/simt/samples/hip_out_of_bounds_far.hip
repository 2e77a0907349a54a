//@ sample a store at the highest 32-bit address
//@ memory 256
//@ error out-of-bounds
#include <hip/hip_runtime.h>
extern "C" __global__ void store_far(uint8_t *mem) {
    mem[0xFFFFFFFFu] = 1;
}
