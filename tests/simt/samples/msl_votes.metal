//@ sample votes in two SIMD-groups, the second of 8 lanes
//@ group 40
//@ checks 7
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
kernel void votes(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]],
            uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]],
            uint width [[threads_per_simdgroup]], uint groups [[simdgroups_per_threadgroup]]) {
    uint32_t done = 0, first = 0;
    const uint64_t there = t < 32 ? 0xFFFFFFFFull : 0xFFull;
    CHECK((simd_vote::vote_t)simd_ballot(true) == there);
    CHECK((simd_vote::vote_t)simd_ballot(t == 33) == (t < 32 ? 0ull : 2ull));
    CHECK(simd_ballot(t < 40).all() && !simd_ballot(t == 3 || t == 33).all());
    CHECK(simd_ballot(t >= 32).any() == (t >= 32));
    CHECK(simd_any(t == 39) == (t >= 32));
    CHECK(simd_all(t < 32) == (t < 32));
    CHECK(lane == t % 32 && group == t / 32 && width == 32 && groups == 2);
    REPORT(t);
}
