//@ sample row_bcast15 on a chip that no longer has it
//@ gfx 10
//@ error undefined
#include <hip/hip_runtime.h>
extern "C" __global__ void broadcast(uint8_t *mem) {
    mem[threadIdx.x] = uint8_t(__builtin_amdgcn_update_dpp(0, 1, 0x142, 0xF, 0xF, false));
}
