//@ sample integer functions
//@ checks 7
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
kernel void integers(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    uint32_t done = 0, first = 0;
    CHECK(popcount(0xF0F00001u) == 9 && popcount(0u) == 0);
    CHECK(clz(1u) == 31 && clz(0u) == 32 && ctz(8u) == 3 && ctz(0u) == 32);
    CHECK(reverse_bits(0x0000F00Du) == 0xB00F0000u);
    CHECK(mulhi(0xFFFFFFFFu, 0xFFFFFFFFu) == 0xFFFFFFFEu && mulhi(-1, 5) == -1);
    CHECK(min(3, -4) == -4 && min(3u, 0xFFFFFFFCu) == 3u);
    CHECK(max(3, -4) == 3 && max(3u, 0xFFFFFFFCu) == 0xFFFFFFFCu);
    CHECK(select(1u, 2u, true) == 2 && select(1u, 2u, false) == 1);
    REPORT(t);
}
