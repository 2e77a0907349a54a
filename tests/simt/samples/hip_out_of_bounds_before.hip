//@ sample a store right before the arena
//@ memory 256
//@ error out-of-bounds
#include <hip/hip_runtime.h>
extern "C" __global__ void store_before(uint8_t *mem) {
    mem[-1] = 1;
}
