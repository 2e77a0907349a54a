//@ sample a store past threadgroup memory
//@ error out-of-bounds
#include <metal_stdlib>
using namespace metal;
kernel void out_of_bounds_local(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    threadgroup uchar local[64];
    local[64 + (t & 1)] = 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    mem[t] = local[t];
}
