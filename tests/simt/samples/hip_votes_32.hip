//@ sample votes in the waves of 32 of a workgroup of 70: full, full, six lanes
//@ width 32
//@ group 70
//@ gfx 10
//@ checks 6
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void votes_32(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
    const uint32_t wave = t / 32;
    CHECK(__ballot(1) == (wave < 2 ? 0xFFFFFFFFull : 0x3Full));
    CHECK(__builtin_amdgcn_ballot_w32(t >= 64) == (wave < 2 ? 0u : 0x3Fu));
    CHECK(__any(t == 69) == (wave == 2));
    CHECK(__all(t < 64) == (wave < 2));
    CHECK(__lane_id() == t % 32);
    CHECK(warpSize == 32);
    REPORT(t);
}
