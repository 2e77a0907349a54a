//@ sample an endless loop
//@ error endless
#include <metal_stdlib>
using namespace metal;
kernel void endless(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    while (true) {
        if (mem[t] == 1)
            break;
    }
}
