//@ sample a reduction that only a part of the SIMD-group reaches
//@ error partial-collective
#include <metal_stdlib>
using namespace metal;
kernel void partial_collective(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    if (t < 5)
        mem[t] = (uchar)simd_sum(1u);
}
