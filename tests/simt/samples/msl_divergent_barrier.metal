//@ sample a barrier in a divergent branch
//@ error divergent-barrier
#include <metal_stdlib>
using namespace metal;
kernel void divergent_barrier(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    if (t & 1)
        threadgroup_barrier(mem_flags::mem_threadgroup);
    mem[t] = 1;
}
