//@ sample a scope that AMD's compiler does not have
//@ error undefined
#include <hip/hip_runtime.h>
extern "C" __global__ void fence(uint8_t *mem) {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wave");
}
