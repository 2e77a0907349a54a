//@ sample a lane leaves the kernel before a shuffle
//@ error partial-collective
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void exit_before_shuffle(uint8_t *mem) {
    if (threadIdx.x == 7)
        return;
    *(mem_u32 *)(mem + 4 * threadIdx.x) = uint32_t(__builtin_amdgcn_ds_bpermute(0, 5));
}
