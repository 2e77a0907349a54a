//@ sample values of other lanes in a wave of 64 with 40 lanes
//@ width 64
//@ group 40
//@ checks 11
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void shuffles(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
    const int x = int(t * 10 + 3);
    CHECK(__builtin_amdgcn_ds_bpermute(5 * 4, x) == 53);
    // the lane is in bits 7:2, the rest does not count
    CHECK(__builtin_amdgcn_ds_bpermute((64 + 6) * 4 + 3, x) == 63);
    CHECK(__builtin_amdgcn_ds_bpermute(-256 + 4 * 7, x) == 73);
    CHECK(__builtin_amdgcn_ds_bpermute(int((39 - t) * 4), x) == int((39 - t) * 10 + 3));
    CHECK(__builtin_amdgcn_ds_bpermute(40 * 4, x) == 0);
    CHECK(__builtin_amdgcn_readlane(x, 39) == 393);
    CHECK(__builtin_amdgcn_readlane(x, 64 + 2) == 23);
    CHECK(__builtin_amdgcn_readfirstlane(x) == 3);
    // four lanes reversed; 0, 1, 2, 3 in two bits each from the lowest: 3, 2, 1, 0 is 0x1B
    CHECK(__builtin_amdgcn_ds_swizzle(x, 0x801B) == int((t ^ 3) * 10 + 3));
    // and 0x1F, or 0, xor 4; all lanes of a half read lane 9 of it: and 0, or 9
    const uint32_t partner = t ^ 4;
    CHECK(__builtin_amdgcn_ds_swizzle(x, 0x101F) == int(partner * 10 + 3));
    const uint32_t ninth = t < 32 ? 93 : 0; // lane 41 does not exist
    CHECK(uint32_t(__builtin_amdgcn_ds_swizzle(x, 9 << 5)) == ninth);
    REPORT(t);
}
