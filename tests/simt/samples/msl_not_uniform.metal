//@ sample a shuffle by a delta that differs between lanes
//@ error not-uniform
#include <metal_stdlib>
using namespace metal;
kernel void not_uniform(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    mem[t] = (uchar)simd_shuffle_up(t, (ushort)(t & 1));
}
