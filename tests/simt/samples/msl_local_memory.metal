//@ sample all threads share threadgroup memory, whose initial contents are garbage
//@ grid 4 1 1
//@ group 64
//@ checks 1
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
static uint load(threadgroup uchar *local, uint at) {
    return *(threadgroup mem_u32 *)(local + at);
}
kernel void local_memory(device uchar *mem [[buffer(0)]],
                         uint t [[thread_index_in_threadgroup]],
                         uint3 group_id [[threadgroup_position_in_grid]]) {
    alignas(16) threadgroup uchar local[256];
    uint32_t done = 0, first = 0;
    *(threadgroup mem_u32 *)(local + 4 * t) = t + group_id.x * 1000;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    CHECK(load(local, 4 * (63 - t)) == 63 - t + group_id.x * 1000);
    REPORT(group_id.x * 64 + t);
}
