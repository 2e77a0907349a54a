//@ sample lanes at different collectives at the same time
//@ error partial-collective
#include <metal_stdlib>
using namespace metal;
kernel void different_collectives(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    if (t & 1)
        mem[t] = (uchar)simd_or(1u);
    else
        mem[t] = (uchar)simd_and(1u);
}
