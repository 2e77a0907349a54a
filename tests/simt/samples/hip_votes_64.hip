//@ sample votes in a wave of 64 with 40 lanes: bits of lanes that do not exist are 0
//@ width 64
//@ group 40
//@ checks 12
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void votes_64(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
    CHECK(__ballot(1) == 0xFFFFFFFFFFull);
    CHECK(__ballot(t == 33) == 0x200000000ull);
    CHECK(__ballot(int(t & 1)) == 0xAAAAAAAAAAull);
    CHECK(__ballot(-7) == 0xFFFFFFFFFFull);
    CHECK(__builtin_amdgcn_ballot_w64(t < 8) == 0xFFull);
    CHECK(__any(t == 39) == 1);
    CHECK(__any(t == 40) == 0);
    CHECK(__all(t < 40) == 1);
    CHECK(__all(t != 17) == 0);
    CHECK(__lane_id() == t);
    CHECK(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 5)) == t + 5);
    CHECK(warpSize == 64);
    REPORT(t);
}
