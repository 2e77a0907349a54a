//@ sample permlanex16 in a wave of 32 with 20 lanes
//@ width 32
//@ group 20
//@ gfx 10
//@ checks 3
#include <hip/hip_runtime.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void permlane(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x, x = t + 100, old = 7;
    const bool exists = (t ^ 16) < 20;
    CHECK(__builtin_amdgcn_permlanex16(old, x, 0x76543210u, 0xFEDCBA98u, false, true) ==
          (exists ? (t ^ 16) + 100 : 0));
    CHECK(__builtin_amdgcn_permlanex16(old, x, 0x76543210u, 0xFEDCBA98u, false, false) ==
          (exists ? (t ^ 16) + 100 : old));
    CHECK(__builtin_amdgcn_permlanex16(old, x, 0x11111111u, 0x33333333u, false, false) ==
          ((t & ~15u) ^ 16u) + (t & 8 ? 103 : 101)); // lanes 1 and 3 of either row exist
    REPORT(t);
}
