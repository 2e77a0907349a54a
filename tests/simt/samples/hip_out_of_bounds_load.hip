//@ sample a load one word past the arena
//@ memory 256
//@ error out-of-bounds
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void load_past_the_end(uint8_t *mem) {
    *(mem_u32 *)(mem + 4 * threadIdx.x) = *(mem_u32 *)(mem + 256);
}
