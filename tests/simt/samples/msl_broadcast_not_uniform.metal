//@ sample a broadcast of a lane that differs between lanes
//@ error not-uniform
#include <metal_stdlib>
using namespace metal;
kernel void broadcast_not_uniform(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    mem[t] = (uchar)simd_broadcast(t, (ushort)(t & 1));
}
