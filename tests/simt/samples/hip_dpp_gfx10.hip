//@ sample row_share and row_xmask in a wave of 32 with 20 lanes
//@ width 32
//@ group 20
//@ gfx 10
//@ checks 5
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void dpp_gfx10(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
    const int x = int(t + 100), old = -1;
    const uint32_t row = t / 16 * 16, in = t % 16;
    CHECK(__builtin_amdgcn_update_dpp(old, x, 0x152, 0xF, 0xF, false) == int(row + 102)); // row_share 2
    CHECK(__builtin_amdgcn_update_dpp(old, x, 0x155, 0xF, 0xF, false) ==
          (t < 16 ? 105 : old)); // lane 21 does not exist
    CHECK(__builtin_amdgcn_update_dpp(old, x, 0x155, 0xF, 0xF, true) == (t < 16 ? 105 : 0));
    CHECK(__builtin_amdgcn_update_dpp(old, x, 0x163, 0xF, 0xF, false) == int(row + (in ^ 3) + 100));
    CHECK(__builtin_amdgcn_update_dpp(old, x, 0x101, 0xF, 0xF, false) ==
          (t == 15 || t == 19 ? old : x + 1));
    REPORT(t);
}
