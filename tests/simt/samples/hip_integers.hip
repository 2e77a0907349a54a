//@ sample integer functions
//@ checks 8
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void integers(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
    CHECK(__popc(0xF0F00001u) == 9 && __popc(0) == 0 && __popc(~0u) == 32);
    CHECK(__popcll(0xF00000000000000Full) == 8);
    CHECK(__clz(1) == 31 && __clz(0) == 32 && __clz(int(0x80000000u)) == 0);
    CHECK(__brev(1) == 0x80000000u && __brev(0x0000F00Du) == 0xB00F0000u);
    CHECK(__umulhi(0xFFFFFFFFu, 0xFFFFFFFFu) == 0xFFFFFFFEu && __umulhi(0x10000u, 0x10000u) == 1);
    CHECK(__ffs(0) == 0 && __ffs(8) == 4);
    CHECK(min(3, -4) == -4 && min(3u, 0xFFFFFFFCu) == 3u);
    CHECK(max(3, -4) == 3 && max(3u, 0xFFFFFFFCu) == 0xFFFFFFFCu);
    REPORT(t);
}
