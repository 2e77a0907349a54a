//@ sample a store past the arena
//@ error out-of-bounds
//@ memory 256
#include <metal_stdlib>
using namespace metal;
kernel void out_of_bounds(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    mem[256 + t] = 1;
}
