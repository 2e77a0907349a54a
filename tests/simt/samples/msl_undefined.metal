//@ sample what Metal leaves undefined is not the same for all lanes
//@ checks 3
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
kernel void undefined(device uchar *mem [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
    uint32_t done = 0, first = 0;
    const uint x = simd_shuffle(5u, (ushort)32), y = simd_shuffle_xor(5u, (ushort)32);
    CHECK(simd_any(x != 5) && simd_any(x != 0));
    CHECK(simd_any(y != 5) && simd_any(y != 0));
    const uint zero = as_type<uint>(fmin(0.0f, -0.0f));
    CHECK(simd_any(zero == 0) && simd_any(zero != 0));
    REPORT(t);
}
