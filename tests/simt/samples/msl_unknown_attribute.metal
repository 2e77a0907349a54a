//@ sample a parameter with an attribute that is misspelt
//@ error no-compile
#include <metal_stdlib>
using namespace metal;
kernel void unknown_attribute(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]],
            uint x [[thread_index_in_simd_group]]) {
    mem[t] = (uchar)x;
}
