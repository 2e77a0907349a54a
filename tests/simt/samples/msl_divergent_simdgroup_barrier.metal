//@ sample a barrier that only a part of the SIMD-group reaches
//@ error partial-collective
#include <metal_stdlib>
using namespace metal;
kernel void divergent_simdgroup_barrier(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    if (t < 5)
        simdgroup_barrier(mem_flags::mem_none);
    mem[t] = 1;
}
