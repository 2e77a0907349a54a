//@ sample values of other lanes
//@ group 32
//@ checks 10
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
kernel void shuffles(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    uint32_t done = 0, first = 0;
    const uint x = t * 10 + 3;
    CHECK(simd_shuffle(x, (ushort)7) == 73);
    CHECK(simd_shuffle(x, (ushort)(31 - t)) == (31 - t) * 10 + 3);
    CHECK(simd_shuffle_up(x, (ushort)1) == (t == 0 ? x : x - 10));
    CHECK(simd_shuffle_down(x, (ushort)30) == (t < 2 ? x + 300 : x));
    CHECK(simd_shuffle_xor(x, (ushort)5) == (t ^ 5) * 10 + 3);
    CHECK(simd_broadcast(x, (ushort)31) == 313);
    CHECK(simd_broadcast_first(x) == 3);
    CHECK(simd_shuffle(float(t) + 0.5f, (ushort)4) == 4.5f);
    CHECK(simd_shuffle(half(t), (ushort)4) == half(4));
    CHECK(simd_shuffle(-(int)t, (ushort)4) == -4);
    REPORT(t);
}
