//@ sample vectors in registers and memory
//@ checks 4
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
kernel void vectors(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    uint32_t done = 0, first = 0;
    const uint4 v = uint4(1, 2, 3, t);
    *(device uint4 *)(mem + 1024 + 16 * t) = v;
    CHECK(*(device mem_u32 *)(mem + 1024 + 16 * t + 8) == 3);
    const uint2 w = *(device uint2 *)(mem + 1024 + 16 * t + 8);
    CHECK(w.x == 3 && w.y == t);
    CHECK(sizeof(uint2) == 8 && sizeof(uint4) == 16 && sizeof(half2) == 4 && sizeof(uint3) == 16);
    CHECK((uint2(1, 2) + uint2(3, 4)).y == 6);
    REPORT(t);
}
