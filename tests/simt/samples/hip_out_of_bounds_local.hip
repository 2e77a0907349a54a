//@ sample a store one word past local memory
//@ error out-of-bounds
//@ args 256
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
struct store_past_args {
    uint32_t r[1];
};
extern "C" __global__ void store_past(uint8_t *mem, store_past_args args) {
    __shared__ alignas(16) uint8_t local[256];
    *(mem_u32 *)(local + args.r[0]) = threadIdx.x;
    __syncthreads();
    *(mem_u32 *)(mem) = *(mem_u32 *)local;
}
