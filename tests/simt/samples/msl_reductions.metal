//@ sample reductions over 32 lanes and over the 8 of a partial SIMD-group
//@ group 40
//@ checks 11
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
kernel void reductions(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    uint32_t done = 0, first = 0;
    const bool last = t >= 32;
    CHECK(simd_sum(t) == (last ? 284u : 496u)); // 32 + ... + 39, 0 + ... + 31
    CHECK(simd_min(t + 5) == (last ? 37u : 5u));
    CHECK(simd_max(t) == (last ? 39u : 31u));
    CHECK(simd_min(-(int)t) == (last ? -39 : -31));
    CHECK(simd_max(0x80000000u + t) == 0x80000000u + (last ? 39u : 31u));
    CHECK(simd_and(t | 0x100u) == (last ? 0x120u : 0x100u));
    CHECK(simd_or(t) == (last ? 39u : 31u));
    CHECK(simd_xor(t == 0 || t == 33 ? 0xABu : 0u) == 0xABu);
    CHECK(simd_prefix_exclusive_sum(2u) == 2 * (t % 32));
    CHECK(simd_prefix_inclusive_sum(3u) == 3 * (t % 32) + 3);
    CHECK(simd_sum(0xFFFFFFFFu) == (last ? 0xFFFFFFF8u : 0xFFFFFFE0u)); // wraps
    REPORT(t);
}
